package main

import (
	"flag"
	"fmt"
	"strings"
)

const introduction = `memhtml-ls looks after a folder of memory HTML: one fact per file, kept in git.
It shows what is wrong with a file and which memories say the same or contradict
each other, and makes one git commit when you choose what to do about it. It
never changes anything by itself.

`

const closing = `
memhtml-ls COMMAND --help tells more. Exit status: 0 done, and nothing found;
1 the answer is no: findings, or refused; 2 a mistake in the command line;
3 it could not run.
`

// overview is what the program says without a subcommand.
func overview(u *ui) {
	u.printf("%sUsage: memhtml-ls COMMAND [ARGUMENT…] [--FLAG…]\n\n", introduction)
	var rows [][2]string
	for _, cmd := range commands() {
		rows = append(rows, [2]string{strings.TrimSpace(cmd.name + " " + cmd.args), cmd.short})
	}
	u.table(rows)
	u.printf("%s", closing)
}

// help answers "help" and "help COMMAND".
func help(u *ui, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		overview(u)
		return nil
	}
	cmd, err := lookup(args[0])
	if err != nil {
		return err
	}
	flags, _ := cmd.flagSet(&call{})
	cmd.help(u, flags)
	return nil
}

// help prints the page of one subcommand.
func (cmd command) help(u *ui, flags *flag.FlagSet) {
	u.printf("Usage: %s\n\n%s\n", strings.Join(strings.Fields("memhtml-ls "+cmd.name+" "+cmd.args+" [--FLAG…]"), " "), strings.TrimSpace(cmd.about))
	var rows [][2]string
	flags.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		rows = append(rows, [2]string{strings.TrimSpace("--" + f.Name + " " + value), text + defaultOf(f)})
	})
	if len(rows) > 0 {
		u.printf("\n")
		u.table(rows)
	}
}

func defaultOf(f *flag.Flag) string {
	if f.DefValue == "" || f.DefValue == "false" || f.DefValue == "0" {
		return ""
	}
	return fmt.Sprintf(" (default %s)", f.DefValue)
}

// table prints two columns, the first as wide as it needs.
func (u *ui) table(rows [][2]string) {
	width := 0
	for _, row := range rows {
		width = max(width, columns(row[0]))
	}
	for _, row := range rows {
		u.printf("%s\n", strings.TrimRight("  "+pad(row[0], width)+"  "+row[1], " "))
	}
}

// pad fills text up to width columns.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-columns(text)))
}

// columns is how wide text is on a terminal, near enough for alignment.
func columns(text string) int { return len([]rune(text)) }
