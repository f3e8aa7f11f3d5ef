package lab_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/lab"
	"ludoteca/games/proof"
)

// prove runs Prove on the moves of a game in its usual options.
func prove(t *testing.T, ctx context.Context, game, moves string, in lab.ProofLimits) (string, error) {
	t.Helper()
	g, ok := catalog.Find(game)
	if !ok {
		t.Fatalf("no game %s", game)
	}
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = lab.Prove(ctx, &out, strings.NewReader(moves), g, o, in, true)
	return out.String(), err
}

func TestProveRefuses(t *testing.T) {
	tests := []struct{ name, moves, want string }{
		{"no move", "d4 hello", "ply 2: "},
		{"after the end", "d4 d5 e4 e5 f4 f5 g4 g5", "ply "},
		{"a word without end", "d4 " + strings.Repeat("x", 1<<20), "ply 2: "},
		{"a line without end", strings.Repeat("d4 ", 1<<18), "ply 2: "},
		{"NUL", "d4\x00", `ply 1: `},
		{"not UTF-8", "\xff\xfe", "ply 1: "},
		{"an escape", "d4 \x1b[2J", "ply 2: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := prove(t, t.Context(), "fourmation", tt.moves, lab.ProofLimits{Nodes: 10})
			if !errors.Is(err, games.ErrIllegal) || !strings.HasPrefix(err.Error(), tt.want) || out != "" {
				t.Errorf("%q, %v, want an illegal move at %q", out, err, tt.want)
			}
			if err != nil && (len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\x00\x1b") || !utf8.ValidString(err.Error())) {
				t.Errorf("the error repeats what it got: %.400q", err.Error())
			}
		})
	}
}

func TestProveLimits(t *testing.T) {
	for _, in := range []lab.ProofLimits{{Nodes: 0}, {Nodes: -1}, {Nodes: lab.MaxProofNodes + 1}, {Nodes: 10, Time: -1}, {Nodes: 10, Memory: -1}, {Nodes: 10, Memory: proof.MaxMemory + 1}} {
		if _, err := prove(t, t.Context(), "tanks", "", in); !errors.Is(err, lab.ErrUsage) {
			t.Errorf("%+v: %v", in, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := prove(t, gone, "tanks", "", lab.ProofLimits{Nodes: 10}); !errors.Is(err, context.Canceled) || out != "" {
		t.Errorf("cancelled: %q, %v", out, err)
	}
}

// TestProveTimeOut gives next to no time: that is an answer too.
func TestProveTimeOut(t *testing.T) {
	out, err := prove(t, t.Context(), "tanks", "", lab.ProofLimits{Nodes: lab.MaxProofNodes, Time: 1})
	var line struct {
		Verdict string
		Line    []string
	}
	if err != nil || json.Unmarshal([]byte(out), &line) != nil || line.Verdict != "unproven" || line.Line == nil {
		t.Errorf("%s, %v", out, err)
	}
}
