package gui_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/games/ugi"
	"ludoteca/games/ugi/gui"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run starts a program that ends with the test.
func run(t *testing.T, shell string) *gui.Engine {
	t.Helper()
	e, err := gui.Start(shell)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// polite is the beginning of a shell program that does all that it should but for go.
const polite = `while read -r c rest; do case $c in
ugi) echo "id name A Program"; echo "id author Me"; echo hello; echo "option name Hash type spin default 1 min 1 max 9"; echo ugiok;;
isready) echo readyok;;
quit) exit;;
go) `

// loop ends such a program.
const loop = `;; esac; done`

func TestProgram(t *testing.T) {
	seen := t.TempDir() + "/seen"
	e := run(t, `tee `+seen+` | (`+polite+`echo "info depth 3 pv a1"; echo "info string hm"; echo bestmove a1`+loop+`)`)
	id, err := e.Hello(t.Context())
	if err != nil || id.Name != "A Program" || id.Author != "Me" || len(id.Options) != 1 {
		t.Fatalf("%+v, %v", id, err)
	}
	if o, ok := id.Option("HASH"); !ok || o.Max != 9 {
		t.Errorf("the option Hash is %+v, %v", o, ok)
	}
	if _, ok := id.Option("Ponder"); ok {
		t.Error("it has an option that it has not")
	}
	if err := errors.Join(e.Set(t.Context(), "Hash", "4"), e.NewGame(t.Context())); err != nil {
		t.Fatal(err)
	}
	var infos []string
	m, err := e.Move(t.Context(), ugi.SetPosition{Moves: []games.Move{"b2"}}, ugi.Go{Depth: 3}, func(i ugi.Info) { infos = append(infos, i.String()) })
	if err != nil || m != "a1" || strings.Join(infos, "; ") != "info depth 3 pv a1; info string hm" {
		t.Errorf("move %q, infos %q, %v", m, infos, err)
	}
	e.Close()
	want := "ugi\nsetoption name Hash value 4\nuginewgame\nisready\nposition startpos moves b2\ngo depth 3\nquit\n"
	if got, err := os.ReadFile(seen); err != nil || string(got) != want {
		t.Errorf("it was sent %q, %v, want %q", got, err, want)
	}
}

// TestRudePrograms asks programs for a move that do everything wrong. Only where a program is silent there is a deadline that is reached.
func TestRudePrograms(t *testing.T) {
	for _, tt := range []struct {
		name, shell string
		silent      string // the reply that never comes; "" if the program does something else wrong
		want        error
		words       string // in the error
	}{
		{"ends at once", "exit 3", "", gui.ErrEnded, "exit status 3"},
		{"is not there", "/no/such/program", "", gui.ErrEnded, "exit status 127: sh: "},
		{"ends with words", "echo one >&2; echo 'no \x1b[31mluck' >&2; exit 1", "", gui.ErrEnded, "exit status 1: no  [31mluck"},
		{"says much before it ends", "yes | head -c 100000 >&2; echo the end >&2; exit 1", "", gui.ErrEnded, "exit status 1: the end"},
		{"is killed", polite + "kill -9 $$" + loop, "", gui.ErrEnded, "signal: killed"},
		{"closes its output", polite + "exec >&-; sleep 1000" + loop, "", gui.ErrEnded, "it closed its output"},
		{"says nothing", "sleep 1000", "ugiok", gui.ErrSilent, "no ugiok"},
		{"never moves", polite + "sleep 1000" + loop, "bestmove", gui.ErrSilent, `no bestmove; its last line that is no reply is "hello"`},
		{"never reads", "echo ugiok; echo readyok; exec sleep 1000", "bestmove", gui.ErrSilent, ""},
		{"is another kind of engine", "echo uciok; sleep 1000", "ugiok", gui.ErrSilent, "no ugiok"},
		{"speaks without end", "yes bla", "", gui.ErrRubbish, `1000 lines while ugiok was awaited, the last "bla"`},
		{"thinks aloud without end", polite + "yes info depth 1" + loop, "bestmove", gui.ErrSilent, "no bestmove"},
		{"sends an endless line", "exec cat /dev/zero", "", gui.ErrRubbish, "the line is too long"},
		{"sends random bytes", "exec cat /dev/urandom", "", gui.ErrRubbish, ""},
		{"sends no move", polite + "echo bestmove" + loop, "", gui.ErrRubbish, "the move is missing"},
		{"ignores the end", "trap '' TERM HUP INT; echo ugiok; sleep 1000", "readyok", gui.ErrSilent, ""},
		{"has children", "sleep 1000 & sleep 1000 & echo ugiok; wait", "readyok", gui.ErrSilent, "no readyok"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := run(t, tt.shell)
			until := func(awaited string) context.Context {
				if awaited != tt.silent {
					return t.Context()
				}
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				t.Cleanup(cancel)
				return ctx
			}
			_, err := e.Hello(until("ugiok"))
			if err == nil {
				err = e.NewGame(until("readyok"))
			}
			if err == nil {
				_, err = e.Move(until("bestmove"), ugi.SetPosition{}, ugi.Go{Nodes: 1}, nil)
			}
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("%v, want %v with %q", err, tt.want, tt.words)
			}
			if strings.ContainsAny(err.Error(), "\n\x1b\x00") {
				t.Errorf("the error has control characters: %q", err)
			}
		})
	}
}

// TestNothingStaysBehind looks for what a program has started, when it was closed.
func TestNothingStaysBehind(t *testing.T) {
	pid := t.TempDir() + "/pid"
	e := run(t, `sleep 1000 & echo $! > `+pid+`; echo ugiok; wait`)
	if _, err := e.Hello(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Close()
	e.Close() // it may be closed again
	number, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	// A killed process may stay as a zombie until its parent looks; it doesn't run.
	state, err := exec.Command("ps", "-o", "stat=", "-p", strings.TrimSpace(string(number))).Output()
	if err == nil && !bytes.HasPrefix(bytes.TrimSpace(state), []byte("Z")) {
		t.Errorf("process %s goes on: %s", number, state)
	}
}

// TestFullInput gives commands to a program that never reads until no more fit.
func TestFullInput(t *testing.T) {
	e := run(t, "exec sleep 1000")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for range 1000 {
		if err := e.Set(ctx, "Name", strings.Repeat("a", 10_000)); err != nil {
			if !errors.Is(err, gui.ErrSilent) || !strings.Contains(err.Error(), "it does not read its input") {
				t.Error(err)
			}
			return
		}
	}
	t.Error("10 MB were taken")
}

// TestCancelled has the caller give up.
func TestCancelled(t *testing.T) {
	e := run(t, "sleep 1000")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Hello(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, gui.ErrSilent) {
		t.Errorf("%v", err)
	}
}

// TestLongCommand refuses a line that no engine needs to read.
func TestLongCommand(t *testing.T) {
	e := run(t, "sleep 1000")
	if _, err := e.Move(t.Context(), ugi.SetPosition{From: strings.Repeat("a", ugi.MaxLine)}, ugi.Go{}, nil); !errors.Is(err, ugi.ErrLine) {
		t.Errorf("%v", err)
	}
}

// TestLinkWithoutAProgram talks to an engine at the other end of pipes, as over a network.
func TestLinkWithoutAProgram(t *testing.T) {
	in, to := io.Pipe()
	from, out := io.Pipe()
	go func() {
		lines := ugi.NewReader(in)
		for {
			line, err := lines.Next()
			switch {
			case err != nil:
				out.Close()
				return
			case line == "ugi":
				_, _ = io.WriteString(out, "ugiok\n")
			}
		}
	}()
	e := gui.Open(gui.Link{From: from, To: to, End: func(bool) { in.Close(); from.Close() }, Why: func() string { return "the network is down" }})
	defer e.Close()
	if _, err := e.Hello(t.Context()); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := e.NewGame(t.Context()); !errors.Is(err, gui.ErrEnded) || !strings.Contains(err.Error(), "the network is down") {
		t.Errorf("%v", err)
	}
}

// TestStop ends a search from outside.
func TestStop(t *testing.T) {
	e := run(t, `while read -r c rest; do case $c in
go) echo info depth 1;;
stop) echo bestmove b2;;
esac; done`)
	stop := make(chan struct{})
	m, err := e.MoveUntil(t.Context(), stop, ugi.SetPosition{}, ugi.Go{Infinite: true}, func(ugi.Info) { close(stop) })
	if err != nil || m != "b2" {
		t.Errorf("move %q, %v", m, err)
	}
}

// TestAttend passes over what an engine says unasked, until it ends.
func TestAttend(t *testing.T) {
	e := run(t, `echo hello; echo bestmove a1; read -r line`)
	wake := make(chan struct{}, 1)
	wake <- struct{}{}
	if err := e.Attend(t.Context(), wake); err != nil {
		t.Errorf("woken: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Attend(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := e.Set(t.Context(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := e.Attend(t.Context(), nil); !errors.Is(err, gui.ErrEnded) {
		t.Errorf("ended: %v", err)
	}
	long := run(t, `exec cat /dev/zero`)
	if err := long.Attend(t.Context(), nil); !errors.Is(err, ugi.ErrLine) {
		t.Errorf("an endless line: %v", err)
	}
}
