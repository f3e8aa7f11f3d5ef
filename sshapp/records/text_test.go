package records

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// sampleMatch returns a match of n moves between two players.
func sampleMatch(n int, change func(f *results.Finished)) results.Finished {
	f := results.Finished{
		ID: "k7qm2xab", Code: "K7QM2X", Game: "petteia", Options: games.Options{"rows": 8}, First: storage.Occupant{Kind: storage.Person, ID: "p1", Name: "Zoë"},
		Second: storage.Occupant{Kind: storage.Person, ID: "p2", Name: "rui"}, Result: "second", Reason: "resigned", Plies: n, Rated: true, Public: true,
		Started: began, Ended: began.Add(time.Hour),
	}
	for i := range n {
		f.Moves, f.Times = append(f.Moves, games.Move(fmt.Sprintf("a%d-b%d", i, i))), append(f.Times, began.Add(time.Duration(i)*time.Second))
	}
	if change != nil {
		change(&f)
	}
	return f
}

// stored returns a match as the store reads it, without moves.
func stored(t *testing.T, f results.Finished) results.Record {
	t.Helper()
	value, err := results.Records.Values.Encode(results.Record{Finished: f})
	if err != nil {
		t.Fatal(err)
	}
	head, err := results.RecordHeads.Values.Decode(f.ID, value)
	if err != nil {
		t.Fatal(err)
	}
	if head.Moves != nil {
		t.Fatal("the head has moves")
	}
	head.Ratings = f.Ratings
	return head
}

// afterOneMove returns the text of a position of Petteia in which the second side is to move.
func afterOneMove(t *testing.T) string {
	t.Helper()
	g, _ := catalog.Find("petteia")
	options, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := games.Replay(g, options, []games.Move{"a1-a4"})
	if err != nil {
		t.Fatal(err)
	}
	return p.String()
}

// TestSizes: the size of a record that is worked out without its moves is the size of its text.
func TestSizes(t *testing.T) {
	changes := map[string]func(f *results.Finished){
		"plain": nil,
		"a clock and given moves": func(f *results.Finished) {
			f.Clock, f.Start = "5+3", min(3, f.Plies)
			for i := range f.Plies {
				f.Left = append(f.Left, time.Duration(i)*137*time.Second)
			}
		},
		"days": func(f *results.Finished) {
			f.Clock, f.Result = "3d", "draw"
			for i := range f.Plies {
				f.Left = append(f.Left, time.Duration(i%300)*3*time.Hour)
			}
		},
		"rated": func(f *results.Finished) {
			f.Ratings = &[2]results.RatingChange{
				{Before: results.Rating{Rating: 987.4, Played: 3}, After: results.Rating{Rating: 1012, Played: 4}, Weight: 1},
				{After: results.Rating{Rating: 1502, Played: 1}, Weight: 0.25, Why: results.NewAccount},
			}
		},
		"casual, with help, from a position": func(f *results.Finished) {
			f.Rated, f.Helped, f.From, f.Result = false, results.Help{Hints: 1, Takebacks: 12}, `turn "x" \ y`, ""
		},
		"the second side begins": func(f *results.Finished) { f.Rated, f.From = false, afterOneMove(t) },
	}
	all := Writer(catalog.All())
	for name, change := range changes {
		for _, n := range []int{0, 1, 2, 3, 19, 20, 21, 199, 2500} {
			f := sampleMatch(n, change)
			text, err := all.Text(f)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got, err := all.Size(stored(t, f)); err != nil || got != len(text) {
				t.Errorf("%s, %d moves: %d bytes, %v, want %d", name, n, got, err, len(text))
			}
			if read, _, _ := strings.Cut(string(text), "\n\n"); !strings.Contains(read, `[Id "k7qm2xab"]`) {
				t.Errorf("%s: the headers are\n%s", name, read)
			}
			if later := strings.Contains(string(text), "\n1... "); later != (n > 0 && name == "the second side begins") {
				t.Errorf("%s, %d moves:\n%s", name, n, text)
			}
		}
	}
}
