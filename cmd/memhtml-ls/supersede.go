package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const supersedeAbout = `
Says that WINNER holds and LOSER does not any more: LOSER is archived, its
validity ends where WINNER's begins, and the two are linked, in one commit. Your
other files, staged or not, stay as they are.

  memhtml-ls supersede areas/ops/pool-128.html areas/ops/pool-64.html

With --pairs, many in one commit: one JSON object a line, with paths from the
root, such as {"winner":"areas/a.html","loser":"areas/b.html"}.
`

func supersedeCommand() command {
	return commitCommand(command{
		name: "supersede", args: "WINNER LOSER", short: "archive one memory in favour of another", about: supersedeAbout,
		most: 2,
		setup: func(flags *flag.FlagSet) action {
			pairs := flags.String("pairs", "", "read the pairs from `FILE`, - is standard input")
			var by behalfFlags
			by.register(flags)
			return func(ctx context.Context, c *call) error {
				if *pairs != "" {
					return supersedeMany(ctx, c, *pairs, by)
				}
				return supersede(ctx, c, by)
			}
		},
	})
}

func supersede(ctx context.Context, c *call, by behalfFlags) error {
	if len(c.args) < 2 {
		return failure.New(failure.MissingArgument, "supersede needs WINNER LOSER.").
			Suggest("See memhtml-ls supersede --help.")
	}
	return c.commit(ctx, c.args, func(root *session.Root, paths []string) (result, error) {
		did, err := root.Supersede(ctx, session.SupersedeRequest{
			Winner: paths[0], Loser: paths[1], SessionID: by.session, PromptID: by.prompt,
		})
		return superseded(did), err
	})
}

func supersedeMany(ctx context.Context, c *call, file string, by behalfFlags) error {
	if len(c.args) > 0 {
		return failure.New(failure.InvalidFlag, "With --pairs, supersede takes no WINNER and LOSER.")
	}
	in, err := c.input(file, "the pairs")
	if err != nil {
		return err
	}
	pairs, err := readPairs(in)
	if err := errors.Join(err, in.Close()); err != nil {
		return err
	}
	return c.commit(ctx, nil, func(root *session.Root, _ []string) (result, error) {
		did, err := root.SupersedeMany(ctx, session.SupersedeManyRequest{
			Pairs: pairs, SessionID: by.session, PromptID: by.prompt,
		})
		return superseded(did), err
	})
}

func superseded(did session.SupersedeResult) result {
	r := result{kind: "supersede.result", data: did, done: did.Done}
	for _, pair := range did.Archived {
		if did.Already || pair.Already {
			r.line("%s is superseded by %s already%s.", diagnostics.Shown(pair.Loser), diagnostics.Shown(pair.Winner), onlyIf(did.Already, did.Done))
		} else {
			r.line("Superseded %s%s.", diagnostics.Shown(pair.Loser), commitOf(did.Done))
		}
	}
	return r
}

// onlyIf names the commit where it is the one that is spoken of.
func onlyIf(its bool, done session.Done) string {
	if !its {
		return ""
	}
	return commitOf(done)
}

// readPairs reads one pair a line, and judges all before anything is done.
// Blank lines are skipped and counted.
func readPairs(in io.Reader) ([]session.Pair, error) {
	lines := bufio.NewReader(in)
	var pairs []session.Pair
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, failure.New(failure.Storage, "The pairs cannot be read.").Wrap(err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			pair, ok := readPair(line)
			if !ok {
				return nil, failure.New(failure.InvalidFlag, "Line %d is not a pair.", n).
					Suggest("A pair is written {\"winner\":\"PATH\",\"loser\":\"PATH\"}.")
			}
			pairs = append(pairs, pair)
		}
		if err != nil {
			break
		}
	}
	if len(pairs) == 0 {
		return nil, failure.New(failure.MissingArgument, "There are no pairs.").
			Suggest("A pair is a line {\"winner\":\"PATH\",\"loser\":\"PATH\"}.")
	}
	return pairs, nil
}

// readPair reads an object of exactly the two fields.
func readPair(line []byte) (session.Pair, bool) {
	var fields map[string]string
	err := json.Unmarshal(line, &fields)
	pair := session.Pair{Winner: fields["winner"], Loser: fields["loser"]}
	return pair, err == nil && len(fields) == 2 && pair.Winner != "" && pair.Loser != ""
}
