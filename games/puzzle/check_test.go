package puzzle_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/puzzle"
)

func isBound(err error) bool { return errors.Is(err, puzzle.ErrBound) }

// cheap returns a puzzle of a game that is proven quickly, as a copy that a test may break.
func cheap(t *testing.T, g games.Game, plies int) *puzzle.Puzzle {
	t.Helper()
	for _, p := range shipped(t, g) {
		if p.Plies != plies {
			continue
		}
		if _, err := p.Check(t.Context(), provenNodes); err == nil {
			return again(t, p)
		}
	}
	t.Skipf("%s has no puzzle of %d plies that is proven quickly", g.About().ID, plies)
	return nil
}

// again reads a puzzle again from its text.
func again(t *testing.T, p *puzzle.Puzzle) *puzzle.Puzzle {
	t.Helper()
	set, err := puzzle.Read(p.Game, p.String())
	if err != nil || len(set.Puzzles) != 1 {
		t.Fatalf("%d puzzles, %v in\n%s", len(set.Puzzles), err, p)
	}
	return set.Puzzles[0]
}

// refuse checks that a broken puzzle is refused for a reason.
func refuse(t *testing.T, p *puzzle.Puzzle, reasons ...string) {
	t.Helper()
	_, err := p.Check(t.Context(), puzzle.UsualNodes)
	if !errors.Is(err, puzzle.ErrBroken) {
		t.Errorf("%s: %v, want it broken\n%s", p.Game.About().ID, err, p)
		return
	}
	for _, r := range reasons {
		if strings.Contains(err.Error(), r) {
			return
		}
	}
	t.Errorf("%s: %v, want %q\n%s", p.Game.About().ID, err, reasons, p)
}

// TestBrokenPuzzles breaks puzzles of each game in the ways that a checker must see.
func TestBrokenPuzzles(t *testing.T) {
	tests := []struct {
		name   string
		breaks func(t *testing.T, p *puzzle.Puzzle) (reasons []string)
	}{
		{"a defence is left out", func(t *testing.T, p *puzzle.Puzzle) []string {
			for i := range p.Solution.Answers {
				p.Solution.Answers[i].Others = false
			}
			return []string{"there is no answer to "}
		}},
		{"an answer of its own is left out", func(t *testing.T, p *puzzle.Puzzle) []string {
			if len(p.Solution.Answers) < 2 {
				return nil // one answer is for all defences
			}
			p.Solution.Answers = append(p.Solution.Answers[:1:1], puzzle.Answer{Others: true, Step: &puzzle.Step{Move: p.Solution.Answers[0].Step.Move}})
			return []string{"the answer after ", "the solution doesn't win"}
		}},
		{"a wrong move is the solution", func(t *testing.T, p *puzzle.Puzzle) []string {
			p.Solution = helped(t, p)
			return []string{"there is no answer to ", "the answer after ", "the solution doesn't win"}
		}},
		{"a wrong move has no reply", func(t *testing.T, p *puzzle.Puzzle) []string {
			for i := range p.Wrong[0] {
				p.Wrong[0][i].Others = false
			}
			return []string{"there is no reply to the wrong move "}
		}},
		{"a reply is illegal", func(t *testing.T, p *puzzle.Puzzle) []string {
			for i := range p.Wrong[0] {
				p.Wrong[0][i].Reply = "z9"
			}
			return []string{"the reply to the wrong move "}
		}},
		{"it takes fewer plies than it says", func(t *testing.T, p *puzzle.Puzzle) []string {
			p.Plies += 2
			return []string{"the main line has 3 moves, not 5"}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range catalog.All() {
				p := cheap(t, g, 3)
				if reasons := tt.breaks(t, p); reasons != nil {
					refuse(t, p, reasons...)
				}
			}
		})
	}
}

// helped returns a step that begins with a wrong move and wins in three plies if the other side helps.
func helped(t *testing.T, p *puzzle.Puzzle) *puzzle.Step {
	t.Helper()
	for _, wrong := range p.Start.Legal() {
		after, err := p.Start.Play(wrong)
		if err != nil || wrong == p.Solution.Move || after.Result().Over {
			continue
		}
		for _, help := range after.Legal() {
			next, _ := after.Play(help)
			for _, last := range next.Legal() {
				if end, _ := next.Play(last); end.Result().For(p.Side()) == 1 {
					return &puzzle.Step{Move: wrong, Answers: []puzzle.Answer{
						{Defences: []games.Move{help}, Others: true, Step: &puzzle.Step{Move: last}},
					}}
				}
			}
		}
	}
	t.Skip("no wrong move wins with help")
	return nil
}

// TestCheckIsBounded: a check that may not look at enough positions says so, and so does one whose context has ended.
func TestCheckIsBounded(t *testing.T) {
	p := cheap(t, catalog.All()[0], 3)
	if _, err := p.Check(t.Context(), 5); !isBound(err) {
		t.Errorf("after five positions: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Check(ctx, puzzle.UsualNodes); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context has ended: %v", err)
	}
}
