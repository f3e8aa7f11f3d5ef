package lesson

import (
	"errors"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// taught returns the lessons of all games that have one.
func taught(t *testing.T) (all []Run) {
	t.Helper()
	for _, g := range catalog.All() {
		if run, ok := Begin(g); ok {
			all = append(all, run)
		}
	}
	if len(all) < 5 {
		t.Fatalf("%d games have lessons", len(all))
	}
	return all
}

// TestWholeLessons goes through all lessons by right moves. What stands on the board, and the last move on it, follow from the moves.
func TestWholeLessons(t *testing.T) {
	for _, run := range taught(t) {
		id, replies := run.Game().About().ID, 0
		for n := 1; ; n++ {
			if run.Number() != n || run.Solved() || run.Words() != run.Step().Task || run.Side() != run.Position().Turn() {
				t.Fatalf("%s: step %d begins as %d, solved %v, with %q", id, n, run.Number(), run.Solved(), run.Words())
			}
			if before, last := run.LastMove(); before != nil {
				replies++
				if led, err := before.Play(last); err != nil || led.String() != run.Position().String() {
					t.Errorf("%s: step %d begins after %s, which leads to %v, %v", id, n, last, led, err)
				}
			}
			for _, m := range run.Step().Right {
				solved, answer := run.Play(m)
				after, err := run.Position().Play(m)
				if err != nil || answer.Verdict != Right || answer.Move != m || answer.Words != run.Step().Shown || answer.After.String() != after.String() {
					t.Errorf("%s: step %d: %s is answered by %+v, %v", id, n, m, answer, err)
				}
				if before, last := solved.LastMove(); last != m || before.String() != run.Position().String() || !solved.Solved() || solved.Position().String() != after.String() || solved.Words() != answer.Words {
					t.Errorf("%s: step %d after %s is %+v", id, n, m, solved)
				}
				if again := solved.Again(); again.Solved() || again.Position().String() != run.Position().String() {
					t.Errorf("%s: step %d can't be begun again", id, n)
				}
			}
			run, _ = run.Play(run.Step().Right[0])
			next, ok := run.Next()
			if run.Finished() == ok || ok != (n < run.Steps()) {
				t.Fatalf("%s: step %d of %d: finished %v, goes on %v", id, n, run.Steps(), run.Finished(), ok)
			}
			if !ok {
				if next.Number() != n || !next.Solved() {
					t.Errorf("%s: after the last step the lesson is elsewhere", id)
				}
				break
			}
			run = next
		}
		if id == "fourmation" && replies != 2 {
			t.Errorf("%s: %d steps begin with a reply, want 2", id, replies)
		}
	}
}

// TestOtherMoves: a legal move that isn't right gets its own words, or the general ones, and changes nothing. An illegal one gets the reason of
// the rules.
func TestOtherMoves(t *testing.T) {
	remarks, general := 0, 0
	for _, run := range taught(t) {
		for ok := true; ok; run, ok = run.Next() {
			for _, m := range run.Position().Legal() {
				next, answer := run.Play(m)
				if answer.Verdict == Right {
					continue
				}
				if answer.Verdict != Wrong || answer.Words == "" || answer.After == nil || next.Solved() || next.Position() != run.Position() {
					t.Errorf("%s, step %d: %s is answered by %+v", run.Game().About().ID, run.Number(), m, answer)
				}
				if answer.Words == run.Step().Else {
					general++
				} else {
					remarks++
				}
			}
			for _, typed := range []string{"", "\x00", "z99", "nonsense"} {
				if next, answer := run.Try(typed); answer.Verdict != Illegal || !errors.Is(answer.Err, games.ErrIllegal) || answer.Words != "" || next.Solved() {
					t.Errorf("%s, step %d: %q is answered by %+v", run.Game().About().ID, run.Number(), typed, answer)
				}
			}
		}
	}
	if remarks < 20 || general < 100 {
		t.Errorf("%d moves have remarks, %d have none", remarks, general)
	}
}

// TestPlaces: a lesson can be entered at each of its steps, and nowhere else.
func TestPlaces(t *testing.T) {
	for _, run := range taught(t) {
		for n := -1; n <= run.Steps()+1; n++ {
			at, ok := run.At(n)
			if want := n >= 1 && n <= run.Steps(); ok != want || ok && at.Number() != n || !ok && at.Number() != run.Number() {
				t.Errorf("%s: step %d is there: %v, number %d", run.Game().About().ID, n, ok, at.Number())
			}
			if ok {
				back, ok := at.Back()
				if ok != (n > 1) || ok && back.Number() != n-1 {
					t.Errorf("%s: the step before %d is %d, %v", run.Game().About().ID, n, back.Number(), ok)
				}
			}
		}
	}
	if _, ok := Begin(untaught{}); ok {
		t.Error("a game without a lesson has one")
	}
}

// untaught is a game without a lesson.
type untaught struct{ games.Game }

// TestTyped: moves may be written as people write them, and a move that is tried in a solved step begins it again.
func TestTyped(t *testing.T) {
	g, _ := catalog.Find("petteia")
	run, _ := Begin(g)
	solved, answer := run.Try(" A1 A7 ")
	if answer.Verdict != Right || answer.Move != "a1-a7" || !solved.Solved() {
		t.Errorf("answered by %+v", answer)
	}
	again, answer := solved.Try("a1-a2")
	if answer.Verdict != Wrong || again.Solved() || again.Position().String() != run.Position().String() {
		t.Errorf("after a wrong move the step is %+v, %+v", again, answer)
	}
	if still, answer := solved.Try("a1-b2"); answer.Verdict != Illegal || !still.Solved() {
		t.Errorf("after an illegal one the step is %+v, %+v", still, answer)
	}
}
