package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
)

// shellEngine is the example of an engine in shell, which plays 4Mation.
const shellEngine = "ugi:sh ../ugi/examples/fourmation.sh"

// meet plays a meeting and returns its score, and what is said about faults.
func meet(t *testing.T, m Meeting) (*score, string) {
	t.Helper()
	var out, faults bytes.Buffer
	m.Faults = &faults
	if err := Arena(t.Context(), &out, nil, m, true); err != nil {
		t.Fatal(err)
	}
	var s score
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	return &s, faults.String()
}

// TestProgramsInTheArena has programs meet levels and each other, with what a meeting can have.
func TestProgramsInTheArena(t *testing.T) {
	for _, tt := range []struct {
		name, options, first, second string
		change                       func(*Meeting)
	}{
		{"against a level", "", shellEngine, "random", func(*Meeting) {}},
		{"against itself", "cols=5 rows=6", shellEngine, shellEngine, func(*Meeting) {}},
		{"with a clock", "", "greedy", shellEngine, func(m *Meeting) { m.Clock = Clock{time.Minute, time.Second} }},
		{"with openings and workers", "", shellEngine, "random", func(m *Meeting) { m.Openings, m.Workers = 2, 2 }},
		{"with a time for a move", "", shellEngine, "random", func(m *Meeting) { m.MoveTime = time.Second }},
		{"with a test", "", shellEngine, "random", func(m *Meeting) { m.SPRT = SPRT{-1000, 1000} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := meeting(t, "fourmation", tt.options, tt.first, tt.second, 4)
			tt.change(&m)
			s, faults := meet(t, m)
			if faults != "" || s.Faults != 0 || s.Games == 0 || m.SPRT == (SPRT{}) && s.Games != 4 {
				t.Errorf("%+v, faults %q", s, faults)
			}
		})
	}
}

// rude is a shell program that begins well and does what is asked in place of each move.
func rude(act string) string {
	return "ugi:while read -r c rest; do case $c in ugi) echo ugiok;; isready) echo readyok;; quit) exit;; go) " + act + ";; esac; done"
}

// TestFaultsLoseGames has programs that lose every game by a fault, and a level that wins them.
func TestFaultsLoseGames(t *testing.T) {
	for name, tt := range map[string]struct{ act, want string }{
		"illegal": {"echo bestmove z9", "z9: "},
		"no move": {"echo bestmove 0000", "0000: "},
		"ends":    {"echo sorry >&2; exit 7", "the engine has ended: exit status 7: sorry"},
		"rubbish": {"yes | head -n 2000", "the engine sent what is no reply: 1000 lines"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := meeting(t, "fourmation", "", "random", rude(tt.act), 4)
			m.Resume = filepath.Join(t.TempDir(), "games")
			s, faults := meet(t, m)
			if s.Wins != 4 || s.Faults != 4 || strings.Count(faults, tt.want) != 4 || strings.Count(faults, "\n") != 4 {
				t.Errorf("%+v, faults %q", s, faults)
			}
			if kept, err := os.ReadFile(m.Resume); err != nil || strings.Count(string(kept), `"reason":"fault"`) != 4 {
				t.Errorf("kept were %s, %v", kept, err)
			}
		})
	}
}

// TestProgramLosesOnTime has a program that thinks for ever under a clock.
func TestProgramLosesOnTime(t *testing.T) {
	m := meeting(t, "fourmation", "", rude("sleep 1000"), "random", 2)
	m.Clock = Clock{Base: 50 * time.Millisecond}
	m.Resume = filepath.Join(t.TempDir(), "games")
	s, faults := meet(t, m)
	if kept, err := os.ReadFile(m.Resume); s.Losses != 2 || faults != "" || err != nil || strings.Count(string(kept), `"reason":"time"`) != 2 {
		t.Errorf("%+v, faults %q, kept %s", s, faults, kept)
	}
}

// TestProgramsThatCannotPlay end the meeting.
func TestProgramsThatCannotPlay(t *testing.T) {
	for command, want := range map[string]string{
		"exit 4":                   "the engine has ended: exit status 4",
		"/no/such/program":         "the engine has ended: exit status 127",
		"":                         "the engine has ended",
		"read -r x; echo ugiok":    "the engine has ended",
		"exec cat /dev/zero":       "the line is too long",
		"yes I am no engine at al": "1000 lines while ugiok was awaited",
	} {
		var out bytes.Buffer
		err := Arena(t.Context(), &out, nil, meeting(t, "fourmation", "", "random", "ugi:"+command, 2), true)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ugi:"+command+" is not ready for a game: ") || out.Len() > 0 {
			t.Errorf("%q: %v, want %q; printed %q", command, err, want, out.String())
		}
	}
}

// TestStoppedProgram stops a meeting while its program thinks.
func TestStoppedProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	fifo := filepath.Join(t.TempDir(), "thinks")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Fatal(err)
	}
	go func() {
		if thinks, err := os.Open(fifo); err == nil { // returns when the program opens it too
			cancel()
			thinks.Close()
		}
	}()
	m := meeting(t, "fourmation", "", rude("exec 3>"+fifo+"; sleep 1000"), "random", 2)
	if err := Arena(ctx, &bytes.Buffer{}, nil, m, true); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestProgramsAreToldAll reads what a program is sent over two games.
func TestProgramsAreToldAll(t *testing.T) {
	seen := filepath.Join(t.TempDir(), "seen")
	m := meeting(t, "fourmation", "cols=5 rows=4", "ugi:tee "+seen+" | awk -f ../ugi/examples/fourmation.awk", "random", 2)
	m.Seed = 3
	if _, faults := meet(t, m); faults != "" {
		t.Fatal(faults)
	}
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, want := range []string{"ugi", "setoption name cols value 5", "setoption name rows value 4", "setoption name Seed value ", "uginewgame", "isready", "position startpos", "go movetime 1000", "position startpos moves "} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Fatalf("line %d is not %q in\n%s", i+1, want, text)
		}
	}
	if strings.Count(string(text), "uginewgame\n") != 2 || strings.Count(string(text), "ugi\n") != 1 || !strings.HasSuffix(string(text), "quit\n") {
		t.Errorf("two games are\n%s", text)
	}
}

// TestArenaFromPositions begins games from positions in turn, each from both sides.
func TestArenaFromPositions(t *testing.T) {
	m := meeting(t, "fourmation", "", shellEngine, "random", 6)
	start, err := m.Game.New(m.Options)
	if err != nil {
		t.Fatal(err)
	}
	var positions []string
	for _, moves := range [][]games.Move{{"d4"}, {"a1", "b2"}} {
		p, err := games.ReplayFrom(start, moves)
		if err != nil {
			t.Fatal(err)
		}
		positions = append(positions, p.String())
	}
	if m.Positions, err = ReadPositions(strings.NewReader("# two\n" + positions[0] + "\n\n  " + positions[1] + "\r\n")); err != nil {
		t.Fatal(err)
	}
	m.Resume = filepath.Join(t.TempDir(), "games")
	s, faults := meet(t, m)
	if faults != "" || s.Games != 6 || s.Positions != 2 || s.Pairs.size() != 3 {
		t.Errorf("%+v, faults %q", s, faults)
	}
	kept, err := os.ReadFile(m.Resume)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(kept)), "\n")[1:] {
		var g journalLine
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatal(err)
		}
		want := positions[g.Index/2%2]
		from, err := m.Game.Parse(g.From)
		if err != nil || g.From != want {
			t.Fatalf("line %d, game %d begins from %q, %v, want %q", i, g.Index, g.From, err, want)
		}
		var moves []games.Move
		for _, move := range strings.Fields(g.Moves) {
			moves = append(moves, games.Move(move))
		}
		if last, err := games.ReplayFrom(from, moves); err != nil || last.Result().String() != g.Result {
			t.Errorf("game %d: %v, %v", g.Index, last, err)
		}
	}
	again, _ := meet(t, m)
	if again.Wins != s.Wins || again.Losses != s.Losses {
		t.Errorf("it went on to %+v from %+v", again, s)
	}
	m.Positions = positions[:1]
	if err := Arena(t.Context(), &bytes.Buffer{}, nil, m, true); !errors.Is(err, ErrResume) || !strings.Contains(err.Error(), "positions") {
		t.Errorf("%v about other positions", err)
	}
}

func TestRefusedPositions(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "there are no positions",
		"# nothing\n\n":              "there are no positions",
		strings.Repeat("a", 100_000): "position 1 is too long",
		"last=- turn=X ./.":          "position 1: ",
		"cols=3 rows=3 win_length=3 last=- turn=X .../.../...": "position 1: its options are cols=3",
	} {
		positions, err := ReadPositions(strings.NewReader(text))
		if err == nil {
			m := meeting(t, "fourmation", "", "random", "random", 2)
			m.Positions = positions
			_, err = newMatch(m)
		}
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50q: %v, want %q", text, err, want)
		}
	}
	m := meeting(t, "fourmation", "", "random", "random", 3)
	m.Positions = []string{"x"}
	if _, err := newMatch(m); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "not even") {
		t.Errorf("%v about an odd number of games", err)
	}
}
