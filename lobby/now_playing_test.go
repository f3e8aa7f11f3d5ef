package lobby

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

func TestStrongestFirst(t *testing.T) {
	person, bot := storage.Occupant{Kind: storage.Person, ID: "p"}, storage.Occupant{Kind: storage.Bot, ID: "b"}
	guest := storage.Occupant{Kind: storage.Guest, ID: "g"}
	rated := func(r, deviation float64) Strength { return Strength{Known: true, Rating: r, Deviation: deviation} }
	started := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	inOrder := []struct {
		name string
		of   match.Summary
	}{
		{"two strong players", match.Summary{Seats: [2]storage.Occupant{person, person}, Strength: [2]Strength{rated(1700, 60), rated(1690, 60)}}},
		{"a champion and somebody weaker", match.Summary{Seats: [2]storage.Occupant{person, person}, Strength: [2]Strength{rated(1500, 60), rated(2100, 60)}}},
		{"newcomers who may be strong", match.Summary{Seats: [2]storage.Occupant{person, person}, Strength: [2]Strength{rated(1600, 300), rated(1600, 300)}}},
		{"a later match of guests", match.Summary{Seats: [2]storage.Occupant{guest, guest}, Started: started.Add(time.Minute)}},
		{"a champion and a guest", match.Summary{Seats: [2]storage.Occupant{person, guest}, Strength: [2]Strength{rated(2100, 60)}, Started: started}},
		{"a strong player and a computer player", match.Summary{Seats: [2]storage.Occupant{bot, person}, Strength: [2]Strength{{}, rated(1900, 60)}}},
		{"a weak player and a computer player", match.Summary{Seats: [2]storage.Occupant{person, bot}, Strength: [2]Strength{rated(1200, 60), {}}}},
		{"two computer players", match.Summary{Seats: [2]storage.Occupant{bot, bot}, Started: started.Add(time.Hour)}},
	}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if got := strongestFirst(&a.of, &b.of); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%s and %s: %d", a.name, b.name, got)
			}
		}
	}
}

// shows returns the match that is on the television after a view.
func (c *club) shows(after *View) *View {
	c.t.Helper()
	v, err := c.Television(c.t.Context(), c.guest, "", after)
	if err != nil {
		c.t.Fatal(err)
	}
	return v
}

// TestTelevision: the television stays on a match until it ends, shows its end, and goes on to the next; it leaves a match that
// nobody plays for one that somebody does, and for nothing else.
func TestTelevision(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		settle := func() { time.Sleep(2 * time.Second); synctest.Wait() }
		a, b, leaveA := c.between(true, "kim", "lea")
		settle()
		v := c.shows(nil)
		if v.ID != a.ID() || v.Code != "" {
			t.Fatalf("it shows %s with the code %q, want %s", v.ID, v.Code, a.ID())
		}
		later, rival, leaveLater := c.between(true, "max", "nea")
		defer leaveLater()
		settle()
		c.play(a, b, "d4", "e5")
		for v.Ply() < 2 {
			if v = c.shows(v); v.ID != a.ID() {
				t.Fatalf("it leaves the match for %s", v.ID)
			}
		}
		leaveA()
		time.Sleep(playedFor + 3*time.Second) // from now on nobody plays it
		synctest.Wait()
		if v = c.shows(v); v.ID != later.ID() {
			t.Errorf("nobody plays, and it shows %s, want %s", v.ID, later.ID())
		}
		if l := c.Lists(c.guest); len(l.Running) != 1 || l.Running[0].ID != later.ID() {
			t.Errorf("now playing: %+v", l.Running)
		}
		leaveA = c.Enter(a.User())
		defer leaveA()
		settle()
		if err := rival.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		for !v.Over {
			if v = c.shows(v); v.ID != later.ID() {
				t.Fatalf("it doesn't show the end, but %s", v.ID)
			}
		}
		if v = c.shows(v); v.ID != a.ID() || v.Ply() != 2 {
			t.Errorf("after the end it shows %s after %d moves", v.ID, v.Ply())
		}
		if err := b.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		for !v.Over {
			v = c.shows(v)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if next, err := c.Television(ctx, c.guest, "", v); ctx.Err() == nil || err == nil {
			t.Errorf("nothing is on, and it shows %+v, %v", next, err)
		}
	})
}

// TestTelevisionLeavesStandstill: a match in which nothing happens goes off the television for a lively one, not for another that stands
// still, and never comes before a lively one.
func TestTelevisionLeavesStandstill(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		settle := func() { time.Sleep(2 * time.Second); synctest.Wait() }
		var seats [2][2]*Seat
		for i, names := range [2][2]string{{"kim", "lea"}, {"max", "nea"}} {
			a, b, leave := c.between(true, names[0], names[1])
			defer leave()
			seats[i] = [2]*Seat{a, b}
		}
		time.Sleep(playedFor)
		settle()
		v := c.shows(nil) // the first of two that stand still
		if seats[0][0].ID() == v.ID {
			seats[0], seats[1] = seats[1], seats[0]
		}
		if id := c.onTelevision(c.Lists(c.guest).Running, "", v, true); id != v.ID {
			t.Errorf("two stand still, and it leaves %s for %s", v.ID, id)
		}
		c.play(seats[0][0], seats[0][1], "d4")
		settle()
		if next := c.shows(v); next.ID != seats[0][0].ID() {
			t.Errorf("another one is played, and it shows %s, want %s", next.ID, seats[0][0].ID())
		}
		if first := c.shows(nil); first.ID != seats[0][0].ID() {
			t.Errorf("a newcomer sees %s, want %s", first.ID, seats[0][0].ID())
		}
	})
}

func TestTelevisionOfAGame(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, _, leave := c.between(true, "kim", "lea")
		defer leave()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if v, err := c.Television(t.Context(), c.guest, "4MATION", nil); err != nil || v.ID != a.ID() {
			t.Errorf("of the game: %+v, %v", v, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if v, err := c.Television(ctx, c.guest, "petteia", nil); ctx.Err() == nil {
			t.Errorf("of another game: %+v, %v", v, err)
		}
		_, err := c.Television(t.Context(), c.guest, "chess", nil)
		wantErr(t, "of no game", err, ErrNoSuchGame)
	})
}

// TestTelevisionNeverFlaps has matches begin, move and end at random, and holds what every viewer may rely on.
func TestTelevisionNeverFlaps(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ctx, stop := context.WithCancel(t.Context())
		var seen []*View
		done := make(chan struct{})
		go func() {
			defer close(done)
			var v *View
			for {
				next, err := c.Television(ctx, c.guest, "", v)
				if err != nil {
					return
				}
				v = next
				seen = append(seen, v)
			}
		}()
		var order []storage.MatchID
		for i := range 8 {
			a, b, leave := c.between(true, fmt.Sprintf("ann%c", 'a'+i), fmt.Sprintf("bob%c", 'a'+i))
			order = append(order, a.ID())
			time.Sleep(700 * time.Millisecond)
			c.play(a, b, "d4", "e5", "e4")
			if i%2 == 1 {
				if err := a.Resign(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Second)
			defer leave()
		}
		synctest.Wait()
		stop()
		<-done
		for i, v := range seen[1:] {
			before := seen[i]
			if v.ID != before.ID && !before.Over {
				t.Errorf("it left %s, which goes on, for %s", before.ID, v.ID)
			}
			if v.ID == before.ID && v.Seq <= before.Seq {
				t.Errorf("view %d comes after %d", v.Seq, before.Seq)
			}
		}
		if !slices.Contains(order, seen[0].ID) {
			t.Errorf("it shows %s", seen[0].ID)
		}
	})
}
