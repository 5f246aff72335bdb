package store

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// bigSandbox has n memories in folders of a hundred.
func bigSandbox(b *testing.B, n int) *sandbox {
	s := newSandbox(b)
	for i := range n {
		s.write(memoryName(i), article(fmt.Sprint("memory ", i), fmt.Sprint("The value of setting ", i, " is ", i*7, ".")))
	}
	s.git("add", ".")
	s.git("commit", "-q", "-m", "corpus")
	return s
}

func memoryName(i int) string { return fmt.Sprintf("areas/f%03d/m%05d.html", i/100, i) }

// BenchmarkArchive compares one archive, git's identity question and all
// syncs included, with the three git commands that a person would type.
func BenchmarkArchive(b *testing.B) {
	for _, n := range []int{1_000, 20_000} {
		s := bigSandbox(b, n)
		i := 0
		b.Run(fmt.Sprintf("store/%d", n), func(b *testing.B) {
			r := s.open()
			for b.Loop() {
				if _, err := r.Commit(context.Background(), s.archive(memoryName(i), "archive/2026/"+memoryName(i))); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
		b.Run(fmt.Sprintf("process/%d", n), func(b *testing.B) {
			for b.Loop() {
				c := child{Dir: s.dir, Do: "commit", Plan: s.archive(memoryName(i), "archive/2026/"+memoryName(i))}
				if _, out, err := c.start(b); err != nil {
					b.Fatal(out, err)
				}
				i++
			}
		})
		b.Run(fmt.Sprintf("git/%d", n), func(b *testing.B) {
			if err := os.MkdirAll(s.path("archive/2026/areas"), 0o777); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				from, to := memoryName(i), "archive/2026/"+memoryName(i)
				plan := s.archive(from, to)
				script := fmt.Sprintf("mkdir -p $(dirname %[2]s) && git mv %[1]s %[2]s && cat >%[2]s && git add %[2]s && git commit -q -m x --only %[1]s %[2]s", from, to)
				cmd := exec.Command("sh", "-c", script)
				cmd.Dir = s.dir
				w, err := cmd.StdinPipe()
				if err != nil {
					b.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				w.Write(plan.Changes[0].After)
				w.Close()
				if err := cmd.Wait(); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}
