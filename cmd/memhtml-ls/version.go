package main

import (
	"context"
	"flag"
	"runtime"
	"runtime/debug"

	"github.com/memhtml-ls/memhtml-ls/session"
)

func versionCommand() command {
	return command{
		name: "version", short: "tell version, commit and Go version", about: "Tells what this binary was built from.",
		formats: []string{"text", "json"},
		setup:   func(*flag.FlagSet) action { return version },
	}
}

// versionReport is the data of "version.report".
type versionReport struct {
	Version string `json:"version"`
	// Commit is null for a build outside a repository; Modified says that the
	// tree had changes of its own.
	Commit   *string `json:"commit"`
	Modified bool    `json:"modified"`
	Go       string  `json:"go"`
}

// buildVersion reads what the linker wrote into the binary.
func buildVersion() versionReport {
	report := versionReport{Version: "(devel)", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return report
	}
	if info.Main.Version != "" {
		report.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			report.Commit = &setting.Value
		case "vcs.modified":
			report.Modified = setting.Value == "true"
		}
	}
	return report
}

func version(_ context.Context, c *call) error {
	report := buildVersion()
	if c.ui.json {
		c.ui.envelope(session.Success("version.report", report))
		return nil
	}
	commit := "commit unknown"
	if report.Commit != nil {
		commit = "commit " + *report.Commit
	}
	if report.Modified {
		commit += " with changes"
	}
	c.ui.printf("memhtml-ls %s, %s, %s\n", report.Version, commit, report.Go)
	return nil
}
