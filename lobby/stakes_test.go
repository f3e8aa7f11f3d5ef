package lobby_test

import (
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// TestStakeIsWhatHappens: what a rated match would do to a rating just before its end is what it does, to the last digit, whatever
// makes it count less.
func TestStakeIsWhatHappens(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		reasons := map[results.Discount]int{}
		signs := map[bool]int{}
		play := func(what string, game string, moves []games.Move, anaWins bool) {
			t.Helper()
			a, r := c.start(func(s *seats.Spec) { s.Rated, s.Game = true, game })
			c.play(a, r, moves...)
			v := c.now(a)
			var stakes [2]standings.Stake
			for i, u := range []lobby.User{c.ana, c.rui} {
				s, err := c.Seats.Stake(t.Context(), u, v)
				if err != nil || s == nil {
					t.Fatalf("%s: the stake of %s is %v, %v", what, u.Name, s, err)
				}
				stakes[i] = *s
			}
			want := [2]float64{stakes[0].Win, stakes[1].Loss}
			loser := r
			if !anaWins {
				want, loser = [2]float64{stakes[0].Loss, stakes[1].Win}, a
			}
			if err := loser.Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			v = c.now(a)
			for i, got := range v.Ratings {
				if standings.Gain(got) != want[i] {
					t.Errorf("%s: side %d gains %v, the stake was %v (%q)", what, i, standings.Gain(got), want[i], got.Why)
				}
				reasons[got.Why]++
				signs[want[i] > 0]++
			}
			if s, err := c.Seats.Stake(t.Context(), c.ana, v); s != nil || err != nil {
				t.Errorf("%s: after its end the stake is %v, %v", what, s, err)
			}
		}
		fourmation := func(i int) []games.Move {
			return [][]games.Move{win[:4], {"a1", "b1", "b2", "c2", "d1"}, {"d1", "d2", "c1", "c2"}, {"a1", "a2", "b1", "b2"},
				{"g7", "g6", "f7", "f6"}, {"g1", "g2", "f1", "f2"}, {"a7", "a6", "b7", "b6"}}[i%7]
		}
		play("new accounts", "fourmation", win[:4], true)
		time.Sleep(25 * time.Hour)
		play("old accounts, the same moves", "fourmation", win[:4], true)
		play("another winner", "fourmation", win[:4], false)
		for i := range 6 {
			play("again and again", "fourmation", fourmation(i+1), i%2 == 0)
			time.Sleep(time.Minute)
		}
		time.Sleep(100 * 24 * time.Hour)
		play("after a long time", "fourmation", fourmation(2), false)
		for _, why := range []results.Discount{"", results.NewAccount, results.SameMoves, results.Repeated} {
			if reasons[why] == 0 {
				t.Errorf("no match counted with the reason %q", why)
			}
		}
		if signs[true] < 5 {
			t.Errorf("%d ratings rose", signs[true])
		}
	})
}

// TestStakeOfOthers: only the players of a rated match have a stake in it.
func TestStakeOfOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		none := func(what string, u lobby.User, v *lobby.View) {
			t.Helper()
			if s, err := c.Seats.Stake(t.Context(), u, v); s != nil || err != nil {
				t.Errorf("%s: %v, %v", what, s, err)
			}
		}
		a, _ := c.start()
		none("a casual match", c.ana, c.now(a))
		waiting := c.open(c.ana, seats.Spec{Game: "fourmation", Rated: true})
		none("a free seat", c.ana, c.now(c.seat(c.ana, waiting.ID)))
		a, _ = c.start(func(s *seats.Spec) { s.Rated = true })
		none("a spectator", c.account("eva"), c.now(a))
		none("a guest", c.guest, c.now(a))
		s, err := c.Seats.Stake(t.Context(), c.ana, c.now(a))
		if err != nil || s == nil || s.Win <= 0 || s.Loss >= 0 || s.Draw != 0 {
			t.Errorf("the stake of two newcomers is %+v, %v", s, err)
		}
	})
}

// TestStakeOfAnOffer: the stake of a public offer or a challenge is the change of rating that the taker gets. A user who may not take an offer has no
// stake in it.
func TestStakeOfAnOffer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		eva := c.account("eva")
		time.Sleep(48 * time.Hour) // matches of new accounts count less
		stake := func(what string, u lobby.User, id storage.MatchID, some bool) standings.Stake {
			t.Helper()
			s, err := c.Seats.OfferStake(t.Context(), u, id)
			if err != nil || (s != nil) != some {
				t.Fatalf("%s: the stake of %s is %v, %v", what, u.Name, s, err)
			}
			if s == nil {
				return standings.Stake{}
			}
			return *s
		}
		for i, tt := range []struct {
			name  string
			spec  seats.Spec
			taker lobby.User
			wins  bool
			moves []games.Move
		}{
			{"the taker wins", seats.Spec{Public: true}, c.rui, true, []games.Move{"d4", "d5", "c4", "c5"}},
			{"the taker loses", seats.Spec{Public: true, Side: seats.PlaySecond}, c.rui, false, []games.Move{"a1", "a2", "b1", "b2"}},
			{"in a range", seats.Spec{Public: true, Range: [2]int{1200, 1700}}, eva, true, []games.Move{"g7", "g6", "f7", "f6"}},
			{"a challenge", seats.Spec{To: "rui"}, c.rui, true, []games.Move{"g1", "g2", "f1", "f2"}},
		} {
			tt.spec.Game, tt.spec.Rated = "fourmation", true
			if tt.spec.Side == seats.RandomSide {
				tt.spec.Side = seats.PlayFirst
			}
			ref := c.open(c.ana, tt.spec)
			want := stake(tt.name, tt.taker, ref.ID, true)
			if want.Win <= 0 || want.Loss >= 0 {
				t.Errorf("%s: the stake is %+v", tt.name, want)
			}
			if v := c.now(c.seat(tt.taker, ref.ID)); v.Started.IsZero() {
				if s, err := c.Seats.Stake(t.Context(), tt.taker, v); err != nil || s == nil || *s != want {
					t.Errorf("%s: at the board the stake is %v, %v", tt.name, s, err)
				}
			}
			stake(tt.name, c.ana, ref.ID, false)
			stake(tt.name, c.guest, ref.ID, false)
			if tt.spec.To != "" {
				stake(tt.name, eva, ref.ID, false)
			}
			if _, err := c.Seats.Take(t.Context(), tt.taker, ref.ID); err != nil {
				t.Fatal(err)
			}
			stake("taken", eva, ref.ID, false)
			a, b := c.seat(c.ana, ref.ID), c.seat(tt.taker, ref.ID)
			side, _ := c.now(b).Side(tt.taker)
			if side == games.First {
				c.play(b, a, tt.moves...)
			} else {
				c.play(a, b, tt.moves...)
			}
			loser, gain := a, want.Win
			if !tt.wins {
				loser, gain = b, want.Loss
			}
			if err := loser.Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := standings.Gain(c.now(b).Ratings[side]); got != gain {
				t.Errorf("%d, %s: %s gains %v, the offer said %v", i, tt.name, tt.taker.Name, got, gain)
			}
		}
		stake("casual", c.rui, c.open(c.ana, seats.Spec{Game: "fourmation", Public: true}).ID, false)
		stake("out of range", c.rui, c.open(c.ana, seats.Spec{Game: "fourmation", Public: true, Rated: true, Range: [2]int{2500, 2600}}).ID, false)
		blocked := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true, Rated: true})
		if _, err := c.Relations.Relate(t.Context(), eva, relations.Blocked, "ana", true); err != nil {
			t.Fatal(err)
		}
		stake("blocked", eva, blocked.ID, false)
		stake("nothing", eva, "m0000000", false)
	})
}
