package lab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/lab"
)

// game returns a game and complete options: "safe_entry=0 repetition=2".
func game(tb testing.TB, id, words string) (games.Game, games.Options) {
	tb.Helper()
	g, ok := catalog.Find(id)
	if !ok {
		tb.Fatalf("no game %s", id)
	}
	o, err := games.ParseOptions(g, strings.Fields(words))
	if err != nil {
		tb.Fatal(err)
	}
	return g, o
}

// objects reads one JSON object a line.
func objects(tb testing.TB, text string) (all []map[string]any) {
	tb.Helper()
	for line := range strings.Lines(text) {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			tb.Fatalf("%q is no JSON object: %v", line, err)
		}
		all = append(all, o)
	}
	return all
}

func TestPerft(t *testing.T) {
	tests := []struct {
		game, options string
		want          []float64
	}{
		{"petteia", "", []float64{1, 72, 4932, 397914}},
		{"petteia", "quiet_limit=2", []float64{1, 72, 4932, 0, 0}}, // all games end after two plies
		{"momentum", "", []float64{1, 49, 2401, 112968}},
		{"fourmation", "", []float64{1, 49, 312, 1824, 9984, 52432}},
		{"flugelrad", "", []float64{1, 30, 840, 24636}},
		{"tanks", "", []float64{1, 22, 484, 11132}},
	}
	for _, tt := range tests {
		t.Run(tt.game+" "+tt.options, func(t *testing.T) {
			g, o := game(t, tt.game, tt.options)
			var out bytes.Buffer
			if err := lab.Perft(t.Context(), &out, g, o, len(tt.want)-1, true); err != nil {
				t.Fatal(err)
			}
			options := map[string]any{}
			for k, v := range o {
				options[k] = float64(v)
			}
			lines := objects(t, out.String())
			if len(lines) != len(tt.want) {
				t.Fatalf("%d lines, want %d:\n%s", len(lines), len(tt.want), out.String())
			}
			for depth, leaves := range tt.want {
				if seconds, ok := lines[depth]["seconds"].(float64); !ok || seconds < 0 {
					t.Errorf("seconds is %v", lines[depth]["seconds"])
				}
				delete(lines[depth], "seconds")
				want := map[string]any{"game": tt.game, "options": options, "depth": float64(depth), "leaves": leaves}
				if diff := cmp.Diff(want, lines[depth]); diff != "" {
					t.Errorf("depth %d (-want +got):\n%s", depth, diff)
				}
			}
		})
	}
}

func TestPerftText(t *testing.T) {
	g, o := game(t, "petteia", "")
	var out bytes.Buffer
	if err := lab.Perft(t.Context(), &out, g, o, 1, false); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	want := []string{
		"petteia captures_to_win=7 quiet_limit=100 repetition=3 safe_entry=1",
		"depth               leaves    seconds",
		"    0                    1      0.000",
		"    1                   72      0.000",
	}
	for i, w := range want {
		got := lines[i]
		if i >= 2 { // how long it took is not for us to say
			got, w = got[:26], w[:26]
		}
		if got != w {
			t.Errorf("line %d is %q, want %q", i, got, w)
		}
	}
}

func TestPerftRefuses(t *testing.T) {
	g, o := game(t, "petteia", "")
	var out bytes.Buffer
	for _, depth := range []int{-1, lab.MaxDepth + 1, -1 << 63} {
		if err := lab.Perft(t.Context(), &out, g, o, depth, true); !errors.Is(err, lab.ErrUsage) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
	if err := lab.Perft(t.Context(), &out, g, games.Options{"rows": 1}, 1, true); !errors.Is(err, games.ErrOptions) {
		t.Errorf("bad options: %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("refused, but wrote %s", &out)
	}
}

func TestPerftStops(t *testing.T) {
	g, o := game(t, "petteia", "")
	ctx, cancel := context.WithCancel(t.Context())
	stop := writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte(`"depth":2`)) {
			cancel()
		}
		return len(b), nil
	})
	// Depth 12 would take for ever.
	if err := lab.Perft(ctx, stop, g, o, 12, true); !errors.Is(err, context.Canceled) {
		t.Errorf("Perft = %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(b []byte) (int, error) { return w(b) }

var errFull = errors.New("the disk is full")

// full is a writer that takes nothing.
var full = writerFunc(func([]byte) (int, error) { return 0, errFull })

func TestWriteErrors(t *testing.T) {
	g, o := game(t, "petteia", "")
	for _, asJSON := range []bool{false, true} {
		m := lab.Meeting{Game: g, Options: o, Players: [2]string{"greedy", "random"}, Games: 1}
		for what, err := range map[string]error{
			"perft":  lab.Perft(t.Context(), full, g, o, 1, asJSON),
			"arena":  lab.Arena(t.Context(), full, nil, m, asJSON),
			"replay": lab.Replay(t.Context(), full, strings.NewReader(strings.Repeat("a1-a2\n", 500)), g, o, asJSON),
		} {
			if !errors.Is(err, errFull) {
				t.Errorf("%s, JSON %v: %v", what, asJSON, err)
			}
		}
	}
}
