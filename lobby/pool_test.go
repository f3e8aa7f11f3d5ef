package lobby

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
)

func TestRough(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 5: 5, 6: 10, 10: 10, 11: 15, 20: 20, 21: 30, 30: 30, 99: 100, 101: 200, 1000: 1000} {
		if got := rough(n); got != want {
			t.Errorf("%d is shown as %d, want %d", n, got, want)
		}
	}
}

// The more wait, the less each may think, but never too little to think at all.
func TestShare(t *testing.T) {
	for _, tt := range []struct {
		workers, waiting int
		want             time.Duration
	}{
		{1, 0, 5 * time.Second},
		{1, 4, time.Second},
		{2, 9, time.Second},
		{1, 49, 100 * time.Millisecond},
		{1, 99, 50 * time.Millisecond},
		{1, 10_000, 50 * time.Millisecond},
		{4, 99, 200 * time.Millisecond},
	} {
		p := newPool(tt.workers)
		for range 1 + tt.waiting {
			p.submit(idleJob(t.Context()), forPeople)
		}
		if _, got := p.take(); got != tt.want {
			t.Errorf("%d workers, %d waiting: %v, want %v", tt.workers, tt.waiting, got, tt.want)
		}
	}
}

func idleJob(ctx context.Context) *job {
	return newJob(ctx, firstLegal, nil, 1, 0)
}

// Who waits is told where he stands when it is worth telling, and never holds up the pool by not listening.
func TestPlacesInLine(t *testing.T) {
	p := newPool(1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if ahead := p.submit(idleJob(ctx), forPeople); ahead != 0 {
		t.Errorf("the first has %d before it", ahead)
	}
	p.take()
	var line []*job
	for i, want := range []int{1, 2, 3, 4, 5, 10, 10} {
		j := idleJob(ctx)
		if got := p.submit(j, forPeople); got != want {
			t.Errorf("number %d has %d before it, want %d", i+1, got, want)
		}
		line = append(line, j)
	}
	show := idleJob(ctx)
	if got := p.submit(show, forExhibitions); got != 10 {
		t.Errorf("the show has %d before it", got)
	}
	heard := func(j *job) string {
		select {
		case n := <-j.ahead:
			return fmt.Sprint(n)
		default:
			return "nothing"
		}
	}
	p.take()
	p.take() // the second news of the third takes the place of the first; the second has heard one before its turn
	for i, want := range []string{"nothing", "1", "1", "2", "3", "4", "5"} {
		if got := heard(line[i]); got != want {
			t.Errorf("number %d hears %s, want %s", i+1, got, want)
		}
	}
	if got := heard(show); got != "nothing" {
		t.Errorf("the show hears %s", got) // 8 are shown as 10, and 6
	}
	late := idleJob(ctx)
	if got := p.submit(late, forPeople); got != 10 {
		t.Errorf("one who comes now has %d before him", got)
	}
}

// A computer player in a hurry plays the best it has; one that knows no hurry may finish.
func TestHurry(t *testing.T) {
	start, err := games.Replay(fourmation.New(), opening().Opening.Options, nil)
	if err != nil {
		t.Fatal(err)
	}
	deadline := func(ctx context.Context) bool { _, ok := ctx.Deadline(); return ok }
	for _, tt := range []struct {
		name  string
		level Level
		want  time.Duration // that it takes
	}{
		{"one that hurries", Level{Think: func(ctx context.Context, p games.Position, _ *games.Random) (Decision, error) {
			<-ctx.Done()
			return Decision{Move: p.Legal()[0], Ahead: true}, nil
		}}, time.Second},
		{"one that gives up", Level{Move: func(ctx context.Context, p games.Position, _ *games.Random) (games.Move, error) {
			if deadline(ctx) {
				<-ctx.Done()
				return "", ctx.Err()
			}
			<-time.After(time.Minute)
			return p.Legal()[0], nil
		}}, time.Second + time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			n := newJob(t.Context(), tt.level, start, 1, time.Second).think(5 * time.Second)
			if took := time.Since(begun); n.err != nil || n.decision.Move != start.Legal()[0] || took != tt.want {
				t.Errorf("%s: %v, %v, after %v, want %v", tt.name, n.decision, n.err, took, tt.want)
			}
		})
	}
}

// A computer player gives up what it has lost and nothing else.
func TestResigning(t *testing.T) {
	// Each of its turns: how far the loss is, and whether that is proven.
	type turn struct {
		plies  int
		proven bool
	}
	ten := func(then ...turn) []turn { return append(make([]turn, 5), then...) }
	for _, tt := range []struct {
		name  string
		turns []turn
		want  bool // it resigns at the last of them
	}{
		{"proven twice, and the other follows the way", ten(turn{-14, true}, turn{-12, true}), true},
		{"the other is even quicker", ten(turn{-14, true}, turn{-10, true}), true},
		{"proven once", ten(turn{-14, true}), false},
		{"only believed", ten(turn{-14, false}, turn{-12, false}), false},
		{"proven, then only believed", ten(turn{-14, true}, turn{-12, false}), false},
		{"the other has lost the way", ten(turn{-14, true}, turn{-14, true}), false},
		{"a pretty end", ten(turn{-8, true}, turn{-6, true}), false},
		{"a win", ten(turn{14, true}, turn{12, true}), false},
		{"a draw", ten(turn{0, true}, turn{0, true}), false},
		{"not in a row", ten(turn{-16, true}, turn{0, false}, turn{-12, true}), false},
		{"too early", []turn{{-14, true}, {-12, true}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			loser := Level{ID: "loser", Name: "Victus", Think: func(_ context.Context, p games.Position, _ *games.Random) (Decision, error) {
				d := Decision{Move: p.Legal()[0], Ahead: true, Plies: tt.turns[n].plies, Proven: tt.turns[n].proven}
				n++
				return d, nil
			}}
			c := newClub(t, func(cfg *Config) { cfg.Levels = []Level{loser} })
			spec := Spec{Game: "fourmation", Side: PlayFirst, Bot: "loser", Options: games.Options{"cols": 9, "rows": 9, "win_length": 7}}
			a := c.seat(c.ana, c.open(c.ana, spec).ID)
			var v *View
			for range tt.turns {
				v = c.now(a)
				if v.Over {
					t.Fatalf("over after %d moves: %s", v.Ply(), v.Reason)
				}
				if err := a.Move(t.Context(), v.Position.Legal()[0], v.Ply()); err != nil {
					t.Fatal(err)
				}
				v = c.until(a, func(v *View) bool { return v.Over || v.YourTurn(c.ana) })
			}
			if v.Over != tt.want || v.Over && (v.Reason != "resigned" || v.Result != "first") {
				t.Errorf("over %v: %q, %q", v.Over, v.Result, v.Reason)
			}
		})
	}
}
