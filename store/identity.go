package store

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// identity is who commits, as "Name <mail>".
type identity struct{ author, committer string }

// identity returns who git says is committing. Where the settings name a
// person the answer of readSettings is that of git; where they do not, git is
// asked whether what it guesses from the machine is good enough to commit.
func (r *Repo) identity(ctx context.Context, s settings) (identity, error) {
	id := identity{author: person(s["GIT_AUTHOR_IDENT"]), committer: person(s["GIT_COMMITTER_IDENT"])}
	var err error
	if !s.names("author", "GIT_AUTHOR") || id.author == "" {
		if id.author, err = r.askIdentity(ctx, "GIT_AUTHOR_IDENT"); err != nil {
			return id, err
		}
	}
	if !s.names("committer", "GIT_COMMITTER") || id.committer == "" {
		id.committer, err = r.askIdentity(ctx, "GIT_COMMITTER_IDENT")
	}
	return id, err
}

// names tells whether both name and mail of a role are set on purpose.
func (s settings) names(role, env string) bool {
	set := func(what string) bool {
		return os.Getenv(env+"_"+strings.ToUpper(what)) != "" || s[role+"."+what] != "" || s["user."+what] != ""
	}
	return set("name") && set("email")
}

func (r *Repo) askIdentity(ctx context.Context, role string) (string, error) {
	out, err := git(ctx, r.top, "var", role)
	if failure.CodeOf(err) == failure.Git {
		return "", err
	}
	if p := person(string(out)); err == nil && p != "" {
		return p, nil
	}
	return "", failure.New(failure.Identity, "Git does not know who is committing here.").
		Suggest("Set your name and mail: git config --global user.name \"Your Name\", then git config --global user.email you@example.com.").
		Wrap(err)
}

// person cuts the time off an identity line.
func person(ident string) string {
	i := strings.LastIndexByte(ident, '>')
	if i < 0 || strings.HasPrefix(strings.TrimSpace(ident), "<") {
		return ""
	}
	return ident[:i+1]
}

// stamp adds the one instant of an operation.
func stamp(person string, at time.Time) string { return person + " " + stampTime(at) }

// stampTime is an instant in the zone git would use.
func stampTime(at time.Time) string {
	at = at.Local()
	return fmt.Sprintf("%d %s", at.Unix(), at.Format("-0700"))
}

// authorEnvironment tells git who is the author, and when.
func authorEnvironment(person, when string) []string { return roleEnvironment("AUTHOR", person, when) }

func committerEnvironment(person, when string) []string {
	return roleEnvironment("COMMITTER", person, when)
}

func roleEnvironment(role, person, when string) []string {
	i := strings.LastIndexByte(person, '<')
	role = "GIT_" + role
	return []string{
		role + "_NAME=" + strings.TrimSpace(person[:i]), role + "_EMAIL=" + strings.TrimRight(person[i+1:], ">"), role + "_DATE=@" + when,
	}
}
