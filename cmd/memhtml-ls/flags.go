package main

import (
	"flag"
	"slices"
	"strconv"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/spelling"
)

// commonFlag is a set of the flags that subcommands share.
type commonFlag int

const (
	flagRoot commonFlag = 1 << iota
	flagQuiet
)

// flagSet registers the flags of a subcommand; reading them fills c.
func (cmd command) flagSet(c *call) (*flag.FlagSet, action) {
	flags := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
	if cmd.common&flagRoot != 0 {
		flags.StringVar(&c.root, "root", "", "the memory root is `DIR`, and paths are relative to it")
	}
	if cmd.common&flagQuiet != 0 && c.ui != nil {
		flags.BoolVar(&c.ui.quiet, "quiet", false, "say nothing but what was asked for and what went wrong")
	} else if cmd.common&flagQuiet != 0 {
		flags.Bool("quiet", false, "say nothing but what was asked for and what went wrong")
	}
	if len(cmd.formats) > 0 {
		c.format = cmd.formats[0]
		flags.Var(&choice{&c.format, cmd.formats}, "format", "the `FORMAT` of the answer: "+spelling.Alternatives(cmd.formats))
	}
	var act action
	if cmd.setup != nil {
		act = cmd.setup(flags)
	}
	return flags, act
}

// choice is a flag that takes one of a few words.
type choice struct {
	value *string
	words []string
}

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return failure.New(failure.InvalidFlag, "it takes %s", spelling.Alternatives(c.words))
	}
	*c.value = word
	return nil
}

// permute reads flags wherever they stand among the arguments and returns the
// arguments. "--" ends the flags. Failures are *failure.Error, or flag.ErrHelp.
func permute(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(rest, args...), nil
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			rest = append(rest, arg)
		default:
			if args, err = setFlag(flags, arg, args); err != nil {
				return nil, err
			}
		}
	}
	return rest, nil
}

// setFlag reads one flag, and its value from the arguments that follow when it
// needs one and has none of its own.
func setFlag(flags *flag.FlagSet, arg string, following []string) ([]string, error) {
	name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
	if name == "h" || name == "help" {
		return following, flag.ErrHelp
	}
	known := flags.Lookup(name)
	if known == nil {
		return nil, unknownFlag(flags, name)
	}
	switch {
	case given:
	case isSwitch(known):
		value = "true"
	case len(following) == 0:
		return nil, failure.New(failure.InvalidFlag, "--%s needs a value.", name)
	default:
		value, following = following[0], following[1:]
	}
	if err := flags.Set(name, value); err != nil {
		return nil, badValue(name, value, err)
	}
	return following, nil
}

func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

func unknownFlag(flags *flag.FlagSet, name string) error {
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	unknown := failure.New(failure.InvalidFlag, "%s has no flag --%s.", flags.Name(), name)
	for _, near := range spelling.Nearest(name, names) {
		unknown.Suggest("--" + near)
	}
	return unknown
}

// badValue words a value that a flag does not take. What the standard flags say
// about it is left out: it names Go's parser.
func badValue(name, value string, err error) error {
	reason := ""
	if failure.CodeOf(err) == failure.InvalidFlag {
		reason = ": " + err.Error()
	}
	return failure.New(failure.InvalidFlag, "--%s cannot be “%s”%s.", name, value, reason)
}

// asksForJSON looks ahead for the format, so that even a mistake in the command
// line is answered in the form that the caller reads.
func asksForJSON(args []string) bool {
	for i, arg := range args {
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if arg == "--" {
			return false
		}
		if !strings.HasPrefix(arg, "-") || name != "format" {
			continue
		}
		if !given && i+1 < len(args) {
			value = args[i+1]
		}
		return value == "json"
	}
	return false
}

// jobCount is a flag that takes a number of processors.
type jobCount int

func (n *jobCount) String() string { return "" }

func (n *jobCount) Set(word string) error {
	parsed, err := strconv.Atoi(word)
	if err != nil || parsed < 1 {
		return failure.New(failure.InvalidFlag, "it takes a number from 1")
	}
	*n = jobCount(parsed)
	return nil
}
