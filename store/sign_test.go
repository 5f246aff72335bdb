package store

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// signerVariable makes the test binary stand in for gpg and gpgsm: what it
// writes git takes for a signature, and what it says of one git believes. Its
// value is the secret.
const signerVariable = "MEMHTML_STORE_TEST_SIGNER"

// runSigner is called by TestMain; it knows the two ways in which git calls
// such a program.
func runSigner(secret string, args []string) int {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	mark := fmt.Sprintf("%x", sha256.Sum256(append([]byte(secret), payload...)))
	if i := slices.Index(args, "--verify"); i >= 0 {
		signature, err := os.ReadFile(args[i+1])
		if err != nil || !strings.Contains(string(signature), mark) {
			fmt.Println("[GNUPG:] NEWSIG\n[GNUPG:] BADSIG 0123456789ABCDEF Test Person")
			return 1
		}
		fmt.Println("[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 0123456789ABCDEF Test Person")
		return 0
	}
	kind := "PGP SIGNATURE"
	if args[len(args)-1] == "x509-key" {
		kind = "SIGNED MESSAGE"
	}
	fmt.Fprintln(os.Stderr, "[GNUPG:] BEGIN_SIGNING\n[GNUPG:] SIG_CREATED D")
	fmt.Printf("-----BEGIN %s-----\n\n%s\n-----END %[1]s-----\n", kind, mark)
	return 0
}

// signing has one way of setting up each format, and what verifies it.
var signing = map[string]func(s *sandbox){
	"ssh": func(s *sandbox) {
		key := filepath.Join(s.t.TempDir(), "key")
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test@example.com", "-f", key).CombinedOutput(); err != nil {
			s.t.Fatalf("ssh-keygen: %v %s", err, out)
		}
		public, err := os.ReadFile(key + ".pub")
		if err != nil {
			s.t.Fatal(err)
		}
		s.write(".git/allowed", "test@example.com "+string(public))
		s.git("config", "gpg.format", "ssh")
		s.git("config", "user.signingKey", key+".pub")
		s.git("config", "gpg.ssh.allowedSignersFile", s.path(".git/allowed"))
	},
	"openpgp": func(s *sandbox) {
		s.t.Setenv(signerVariable, "secret")
		s.git("config", "gpg.program", os.Args[0])
		s.git("config", "user.signingKey", "openpgp-key")
	},
	"x509": func(s *sandbox) {
		s.t.Setenv(signerVariable, "secret")
		s.git("config", "gpg.format", "x509")
		s.git("config", "gpg.x509.program", os.Args[0])
		s.git("config", "user.signingKey", "x509-key")
	},
}

func TestSignedCommit(t *testing.T) {
	for format, set := range signing {
		t.Run(format, func(t *testing.T) {
			s := newSandbox(t)
			set(s)
			s.fails("verify-commit", "HEAD")
			s.git("config", "commit.gpgSign", "true")
			plan := s.archive(drain, moved)
			plan.Message.Body = "Why.\n\n\nMore, in café."
			res := s.commit(s.open(), plan)
			s.git("verify-commit", res.Commit)
			if got := s.git("log", "-1", "--format=%H %G? %B"); got != res.Commit+" G "+plan.Message.text()+"\n" {
				t.Errorf("log: %q", got)
			}
			s.clean()
			s.sound()
			// The first commit of a branch, which has no parent.
			s.git("checkout", "-q", "--orphan", "fresh")
			s.git("rm", "-q", "-r", "--cached", ".")
			s.commit(s.open(), s.archive(pool, "archive/pool.html"))
			s.git("verify-commit", "HEAD")
			s.sound()
		})
	}
}

// TestSignedCommitOfHooks signs the message that the hooks have left, in a
// repository whose commits are in another encoding by default.
func TestSignedCommitOfHooks(t *testing.T) {
	s := newSandbox(t)
	signing["openpgp"](s)
	s.git("config", "commit.gpgSign", "true")
	s.git("config", "i18n.commitEncoding", "latin1")
	s.hookScript("commit-msg", `echo Café >>"$1"`)
	s.commit(s.open(), s.archive(drain, moved))
	s.git("verify-commit", "HEAD")
	if got := s.git("-c", "i18n.logOutputEncoding=UTF-8", "log", "-1", "--format=%s|%e"); !strings.Contains(got, "Café") || !strings.HasSuffix(got, "|\n") {
		t.Errorf("message %q", got)
	}
	s.clean()
	s.sound()
}

func TestRefusedSignature(t *testing.T) {
	for name, set := range map[string]func(s *sandbox){
		"no program": configured("gpg.program", "/no/such/program"),
		"program that fails": func(s *sandbox) {
			s.script(".git/signer", "exit 1")
			s.git("config", "gpg.program", s.path(".git/signer"))
		},
		"program that signs nothing": func(s *sandbox) {
			s.script(".git/signer", "cat >/dev/null; exit 0")
			s.git("config", "gpg.program", s.path(".git/signer"))
		},
		"no key": func(s *sandbox) {
			s.git("config", "gpg.format", "ssh")
			s.git("config", "user.signingKey", s.path("no-key"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := crashBox(t)
			set(s)
			s.git("config", "commit.gpgSign", "true")
			s.fails("commit", "--allow-empty", "-m", "git's own")
			f := s.refused(s.open(), s.crashPlan(), failure.Signing)
			if !strings.Contains(f.Message, "gpgsign") || len(f.Suggestions) == 0 || f.Err == nil {
				t.Errorf("says %q, suggests %q, logs %v", f.Message, f.Suggestions, f.Err)
			}
			s.sound()
		})
	}
}

func TestWithoutSignature(t *testing.T) {
	plain := "tree 1\nauthor a\ncommitter b\n\ngpgsig is a word\n here\n"
	for _, signed := range []string{
		plain,
		"tree 1\nauthor a\ncommitter b\ngpgsig -----BEGIN\n \n x\n -----END\n\ngpgsig is a word\n here\n",
	} {
		if got := string(withoutSignature([]byte(signed))); got != plain {
			t.Errorf("%q", got)
		}
	}
}
