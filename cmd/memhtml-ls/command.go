package main

import (
	"context"
	"errors"
	"flag"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/spelling"
)

// command is one subcommand. Its setup registers flags and returns what to do
// once they are read.
type command struct {
	name string
	// args is how the arguments are written in a usage line, short one line for
	// the overview, about the text of --help.
	args, short, about string
	// least and most bound the number of arguments; most below zero is no bound.
	least, most int
	// common are the shared flags that mean something here.
	common commonFlag
	// formats are the words --format takes, the first is the default; none
	// means that there is no such flag.
	formats []string
	setup   func(*flag.FlagSet) action
}

// action does the work of a subcommand.
type action func(ctx context.Context, c *call) error

// call is one run of a subcommand: what was asked, and where to answer.
type call struct {
	ui     *ui
	args   []string
	root   string
	format string
	// model says that the root is asked what a model knows.
	model bool
}

// commands are the subcommands there are, in the order of the overview.
func commands() []command {
	return []command{
		checkCommand(), inspectCommand(), explainCommand(),
		writeCommand(), applyCommand(), correctCommand(), updateCommand(),
		archiveCommand(), supersedeCommand(), linkCommand(), mergeCommand(), undoCommand(),
		initCommand(), statusCommand(), rebuildCommand(), calibrateCommand(),
		serveCommand(), demoCommand(), versionCommand(),
	}
}

// run is the program without the process around it.
func run(ctx context.Context, u *ui, args []string) int {
	u.json = asksForJSON(args)
	err := dispatch(ctx, u, args)
	if errors.Is(err, flag.ErrHelp) {
		err = nil
	}
	return u.finish(ctx.Err() != nil, err)
}

func dispatch(ctx context.Context, u *ui, args []string) error {
	if len(args) == 0 {
		overview(u)
		return answer(statusUsage)
	}
	name, rest := args[0], args[1:]
	switch name {
	case "-h", "-help", "--help", "help":
		return help(u, rest)
	case "--version", "-version":
		name = "version"
	}
	cmd, err := lookup(name)
	if err != nil {
		return err
	}
	return cmd.run(ctx, u, rest)
}

// lookup finds a subcommand by name.
func lookup(name string) (command, error) {
	var names []string
	for _, cmd := range commands() {
		if cmd.name == name {
			return cmd, nil
		}
		names = append(names, cmd.name)
	}
	if strings.HasPrefix(name, "-") {
		return command{}, failure.New(failure.InvalidFlag, "Flags come after the command: %s is none.", name).
			Suggest("See memhtml-ls --help.")
	}
	unknown := failure.New(failure.UnknownCommand, "There is no command “%s”.", name)
	if near := spelling.Nearest(name, names); len(near) > 0 {
		return command{}, unknown.Suggest(near...)
	}
	return command{}, unknown.Suggest("See memhtml-ls --help.")
}

// run reads the flags of one subcommand and does it.
func (cmd command) run(ctx context.Context, u *ui, args []string) error {
	c := &call{ui: u, format: "text"}
	flags, act := cmd.flagSet(c)
	rest, err := permute(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		cmd.help(u, flags)
		return err
	}
	if err != nil {
		return cmd.usage(err)
	}
	if c.args = rest; len(rest) < cmd.least {
		return cmd.usage(failure.New(failure.MissingArgument, "%s needs %s.", cmd.name, cmd.args))
	}
	if cmd.most >= 0 && len(rest) > cmd.most {
		return cmd.usage(failure.New(failure.InvalidFlag, "%s does not take the argument “%s”.", cmd.name, rest[cmd.most]))
	}
	u.json = c.format == "json"
	return act(ctx, c)
}

// usage adds where to read on, unless the failure says what to do already.
func (cmd command) usage(err error) error {
	var known *failure.Error
	if errors.As(err, &known) && len(known.Suggestions) == 0 {
		known.Suggest("See memhtml-ls " + cmd.name + " --help.")
	}
	return err
}
