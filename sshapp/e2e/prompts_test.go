package e2e

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"ludoteca/sshapp/e2e/sshclient"

	"github.com/rogpeppe/go-internal/testscript"
)

type promptsKey struct{}

// scriptPrompts are the line modes of a scenario, by name.
type scriptPrompts map[string]*scriptPrompt

// A scriptPrompt is a line mode that a real client shows.
type scriptPrompt struct {
	keyboard io.WriteCloser
	lines    *bufio.Reader // of both streams
}

// startPrompt starts the line mode of the named player and waits for its prompt. It ends if an expected line never comes.
func startPrompt(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: prompt NAME")
	}
	ctx, cancel := context.WithTimeout(context.Background(), sshclient.Patience)
	cmd := exec.CommandContext(ctx, "ssh", sshFlags(ts, args[0])...)
	keyboard, err := cmd.StdinPipe()
	ts.Check(err)
	screen, shown, err := os.Pipe()
	ts.Check(err)
	cmd.Stdout, cmd.Stderr = shown, shown
	ts.Check(cmd.Start())
	ts.Check(shown.Close())
	ts.Defer(func() {
		cancel()
		_ = cmd.Wait()
		_ = screen.Close()
	})
	ts.Value(promptsKey{}).(scriptPrompts)[args[0]] = &scriptPrompt{keyboard, bufio.NewReader(screen)}
	toldAtPrompt(ts, false, []string{args[0], `^Ludoteca\. `})
}

// promptsOfLine are the prompts at the beginning of a line.
var promptsOfLine = regexp.MustCompile(`^([a-z]+> )+`)

func promptOf(ts *testscript.TestScript, name string) *scriptPrompt {
	p := ts.Value(promptsKey{}).(scriptPrompts)[name]
	if p == nil {
		ts.Fatalf("%s has no prompt", name)
	}
	return p
}

func typeAtPrompt(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || neg {
		ts.Fatalf("usage: type NAME WORD ...")
	}
	_, err := io.WriteString(promptOf(ts, args[0]).keyboard, strings.Join(args[1:], " ")+"\n")
	ts.Check(err)
}

func toldAtPrompt(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 || neg {
		ts.Fatalf("usage: told NAME REGEXP [VAR]")
	}
	p, want := promptOf(ts, args[0]), regexp.MustCompile(args[1])
	for {
		line, err := p.lines.ReadString('\n')
		line = strings.TrimRight(promptsOfLine.ReplaceAllString(line, ""), "\r\n")
		ts.Logf("%s reads: %s", args[0], line)
		if m := want.FindStringSubmatch(line); m != nil {
			if len(args) == 3 {
				ts.Setenv(args[2], m[1])
			}
			return
		}
		if err != nil {
			ts.Fatalf("%s was never told %s: %v", args[0], args[1], err)
		}
	}
}

// setClock sets the club's clock ahead. A part of the club that waits for a time looks at the clock again when a user it concerns comes or goes.
func setClock(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: clock DURATION")
	}
	path := ts.MkAbs("clock")
	ts.Check(os.WriteFile(path+".new", []byte(args[0]), 0o600))
	ts.Check(os.Rename(path+".new", path))
}
