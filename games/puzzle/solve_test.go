package puzzle_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/puzzle"
)

// TestSolutionsWin plays solutions against any defences: each of these games is won within the plies of the puzzle.
func TestSolutionsWin(t *testing.T) {
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			puzzles := shipped(t, g)
			rapid.Check(t, func(t *rapid.T) {
				p := rapid.SampledFrom(puzzles).Draw(t, "puzzle")
				position, played := p.Start, []games.Move{}
				for step := p.Solution; ; {
					var err error
					if position, err = position.Play(step.Move); err != nil {
						t.Fatalf("%s after %v: %v", p.ID, played, err)
					}
					played = append(played, step.Move)
					if position.Result().Over {
						break
					}
					defence := rapid.SampledFrom(position.Legal()).Draw(t, "defence")
					if position, err = position.Play(defence); err != nil {
						t.Fatal(err)
					}
					played = append(played, defence)
					if position.Result().Over {
						break
					}
					if step = step.After(defence); step == nil {
						t.Fatalf("%s has no answer to %v", p.ID, played)
					}
				}
				if position.Result().For(p.Side()) != 1 || len(played) > p.Plies {
					t.Fatalf("%s: %v ends with %+v; want a win of %s within %d plies", p.ID, played, position.Result(), p.Side(), p.Plies)
				}
			})
		})
	}
}

// TestAttempt solves a puzzle of each length and game: by its main line, with a wrong move and an illegal one before each right one.
func TestAttempt(t *testing.T) {
	for _, g := range catalog.All() {
		lengths := map[int]bool{}
		for _, p := range shipped(t, g) {
			if lengths[p.Plies] {
				continue
			}
			lengths[p.Plies] = true
			attempt(t, p)
		}
		if len(lengths) == 0 {
			t.Errorf("%s has no puzzles", g.About().ID)
		}
	}
}

func attempt(t *testing.T, p *puzzle.Puzzle) {
	t.Helper()
	clean, clumsy, tries := p.Begin(), p.Begin(), 0
	for i, line := 0, p.Line(); i < len(line); i += 2 {
		if before := clumsy; true {
			after, o := before.Try("nowhere")
			if o.Verdict != puzzle.Illegal || !errors.Is(o.Illegal, games.ErrIllegal) || len(after.Tries()) != tries {
				t.Errorf("%s: an illegal move at ply %d: %+v", p.ID, i, o)
			}
		}
		for _, wrong := range clumsy.Position().Legal() {
			if wrong == line[i] {
				continue
			}
			after, o := clumsy.Try(wrong)
			if o.Verdict == puzzle.Solved && i > 0 {
				continue // another move that wins in time
			}
			if o.Verdict != puzzle.Wrong || after.Position().String() != clumsy.Position().String() || !after.Failed() || after.Next() != line[i] {
				t.Fatalf("%s: the wrong move %s at ply %d: %+v", p.ID, wrong, i, o)
			}
			if o.Reply == "" && !o.Moved.Result().Over {
				t.Errorf("%s: the wrong move %s at ply %d has no reply", p.ID, wrong, i)
			}
			clumsy, tries = after, tries+1
			break
		}
		var o puzzle.Outcome
		clumsy, _ = clumsy.Try(line[i])
		clean, o = clean.Try(line[i])
		tries++
		last := i == len(line)-1
		if last != (o.Verdict == puzzle.Solved) || !last && (o.Verdict != puzzle.Right || o.Reply != line[i+1]) || clean.Failed() || clean.Solved() != last {
			t.Fatalf("%s: the right move %s at ply %d: %+v, solved %v, failed %v", p.ID, line[i], i, o, clean.Solved(), clean.Failed())
		}
	}
	if !clumsy.Solved() || !clumsy.Failed() || len(clumsy.Tries()) != tries || len(clean.Tries()) != p.Moves() {
		t.Errorf("%s: %v and %v after %v", p.ID, clumsy.Tries(), clean.Tries(), p.Line())
	}
	if after, o := clean.Try(p.Solution.Move); o.Verdict != puzzle.Illegal || len(after.Tries()) != p.Moves() {
		t.Errorf("%s: a move after the end: %+v", p.ID, o)
	}
}

// TestAttemptsShareNothing: two attempts that go on from one are told apart.
func TestAttemptsShareNothing(t *testing.T) {
	p := cheap(t, catalog.All()[0], 3)
	a, _ := p.Begin().Try(p.Solution.Move)
	legal := a.Position().Legal()
	var wrong games.Move
	for _, m := range legal {
		if _, o := a.Try(m); o.Verdict == puzzle.Wrong {
			wrong = m
		}
	}
	right, _ := a.Try(a.Next())
	failed, _ := a.Try(wrong)
	if right.Failed() || !failed.Failed() || slices.Equal(right.Tries(), failed.Tries()) {
		t.Errorf("%v and %v", right.Tries(), failed.Tries())
	}
}

// TestDaily: the puzzle of the day is one for the whole day in UTC, is another one on most days, does not depend on the order of the
// puzzles, and hardly on other puzzles.
func TestDaily(t *testing.T) {
	puzzles := shipped(t, catalog.All()[0])
	if puzzle.Daily(nil, time.Now()) != nil {
		t.Error("there is a puzzle of the day without puzzles")
	}
	day := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	turned := slices.Clone(puzzles)
	slices.Reverse(turned)
	others := map[string]bool{}
	moved := 0
	for range 100 {
		p := puzzle.Daily(puzzles, day)
		late := day.Add(24*time.Hour - time.Second).In(time.FixedZone("", 9*3600))
		if q := puzzle.Daily(turned, late); p != q {
			t.Errorf("%v: %s at midnight and %s a second before the next", day, p.ID, q.ID)
		}
		if puzzle.Daily(puzzles[:len(puzzles)*9/10], day) != p {
			moved++
		}
		others[p.ID] = true
		day = day.AddDate(0, 0, 1)
	}
	if len(others) < min(60, len(puzzles)/2) {
		t.Errorf("only %d puzzles in 100 days", len(others))
	}
	if moved > 30 {
		t.Errorf("a tenth of the puzzles changes %d days of 100", moved)
	}
}
