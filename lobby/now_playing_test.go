package lobby_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// countsAsPlayed is how long after its last event a match counts as played, and as a lively one.
const countsAsPlayed = 5 * time.Minute

// ratedStore is a store in which players have ratings by name, in every game.
type ratedStore struct {
	*faulty
	byName map[string]results.Rating
}

func (r *ratedStore) RatingsIn(ctx context.Context, _ string, ids []storage.PlayerID) (map[storage.PlayerID]results.Rating, error) {
	all := map[storage.PlayerID]results.Rating{}
	for _, id := range ids {
		p, err := r.Player(ctx, id)
		if err != nil {
			return nil, err
		}
		if rating, ok := r.byName[p.Name]; ok {
			all[id] = rating
		}
	}
	return all, nil
}

// TestStrongestFirst: matches between the strongest people come first among the running ones, and matches of computer players last.
func TestStrongestFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &ratedStore{newFaulty(), map[string]results.Rating{}}
		l, err := lobby.New(t.Context(), store, lobby.Config{
			Games: []games.Game{fourmation.New()}, Levels: []lobby.Level{firstLegal}, BotDelay: time.Hour, Limits: lobby.Limits{NewUnfinished: 100},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		c := &club{Lobby: l, t: t, store: store.faulty}
		rated := func(name string, rating, deviation float64) lobby.User {
			store.byName[name] = results.Rating{Rating: rating, Deviation: deviation, Volatility: 0.06, At: time.Now(), Played: 30}
			return c.account(name)
		}
		bot := lobby.Spec{Bot: "first"}
		inOrder := []struct {
			name          string
			first, second lobby.User
			spec          lobby.Spec
			later         time.Duration
		}{
			{"two strong players", rated("ada", 1700, 60), rated("bea", 1690, 60), lobby.Spec{}, 0},
			{"a champion and somebody weaker", rated("carl", 1500, 60), rated("dora", 2100, 60), lobby.Spec{}, 0},
			{"newcomers who may be strong", rated("emil", 1600, 300), rated("fay", 1600, 300), lobby.Spec{}, 0},
			{"a later match of guests", c.Accounts.Guest("a"), c.Accounts.Guest("b"), lobby.Spec{}, time.Minute},
			{"a champion and a guest", rated("gus", 2100, 60), c.Accounts.Guest("c"), lobby.Spec{}, 0},
			{"a strong player and a computer player", rated("hal", 1900, 60), lobby.User{}, bot, 0},
			{"a weak player and a computer player", rated("ivy", 1200, 60), lobby.User{}, bot, 0},
			{"two computer players", rated("joe", 1500, 60), lobby.User{}, lobby.Spec{Bots: [2]string{"first", "first"}}, 2 * time.Minute},
		}
		names := map[storage.MatchID]string{}
		looks, stop := context.WithCancel(t.Context())
		defer stop()
		for minute := range 3 {
			for _, m := range slices.Backward(inOrder) {
				if m.later != time.Duration(minute)*time.Minute {
					continue
				}
				m.spec.Game, m.spec.Side, m.spec.Public = "fourmation", lobby.PlayFirst, true
				ref := c.open(m.first, m.spec)
				names[ref.ID] = m.name
				if m.second != (lobby.User{}) {
					if _, err := c.Seats.Take(t.Context(), m.second, ref.ID); err != nil {
						t.Fatal(err)
					}
					continue
				}
				s := c.seat(m.first, ref.ID) // matches of computer players are listed while a user looks at them
				go func() {
					for v, err := s.Next(looks, 0); err == nil; {
						v, err = s.Next(looks, v.Seq)
					}
				}()
			}
			time.Sleep(time.Minute)
		}
		var got, want []string
		for _, r := range c.Television.NowPlaying() {
			got = append(got, names[r.ID])
		}
		for _, m := range inOrder {
			want = append(want, m.name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("now playing:\n%q\nwant\n%q", got, want)
		}
	})
}

// shows returns the match that is on the television after a view.
func (c *club) shows(after *lobby.View) *lobby.View {
	c.t.Helper()
	v, err := c.Television.Watch(c.t.Context(), c.guest, "", after)
	if err != nil {
		c.t.Fatal(err)
	}
	return v
}

// TestTelevision: the television stays on a match until it ends, shows its end, and goes on to the next. It leaves a match that is not being played
// only for one that is.
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
		time.Sleep(countsAsPlayed + 3*time.Second) // from now on nobody plays it
		synctest.Wait()
		if v = c.shows(v); v.ID != later.ID() {
			t.Errorf("nobody plays, and it shows %s, want %s", v.ID, later.ID())
		}
		if l := c.Lists.Now(c.guest); len(l.Running) != 1 || l.Running[0].ID != later.ID() {
			t.Errorf("now playing: %+v", l.Running)
		}
		leaveA = c.Presence.Enter(a.User())
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
		if next, err := c.Television.Watch(ctx, c.guest, "", v); ctx.Err() == nil || err == nil {
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
		var seats [2][2]*lobby.Seat
		for i, names := range [2][2]string{{"kim", "lea"}, {"max", "nea"}} {
			a, b, leave := c.between(true, names[0], names[1])
			defer leave()
			seats[i] = [2]*lobby.Seat{a, b}
		}
		time.Sleep(countsAsPlayed)
		settle()
		v := c.shows(nil) // the first of two that stand still
		if seats[0][0].ID() == v.ID {
			seats[0], seats[1] = seats[1], seats[0]
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if next, err := c.Television.Watch(ctx, c.guest, "", v); err == nil {
			t.Errorf("two stand still, and it leaves %s for %s", v.ID, next.ID)
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
		if v, err := c.Television.Watch(t.Context(), c.guest, "4MATION", nil); err != nil || v.ID != a.ID() {
			t.Errorf("of the game: %+v, %v", v, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if v, err := c.Television.Watch(ctx, c.guest, "petteia", nil); ctx.Err() == nil {
			t.Errorf("of another game: %+v, %v", v, err)
		}
		_, err := c.Television.Watch(t.Context(), c.guest, "chess", nil)
		wantErr(t, "of no game", err, lobby.ErrNoSuchGame)
	})
}

// TestTelevisionNeverFlaps has matches begin, move and end at random, and holds what every viewer may rely on.
func TestTelevisionNeverFlaps(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ctx, stop := context.WithCancel(t.Context())
		var seen []*lobby.View
		done := make(chan struct{})
		go func() {
			defer close(done)
			var v *lobby.View
			for {
				next, err := c.Television.Watch(ctx, c.guest, "", v)
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
