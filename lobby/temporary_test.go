package lobby_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// shortMatches plays matches to every kind of end, and returns those that are not to be kept, by what happened, and those that are.
func (c *club) shortMatches() (temporary, kept map[string]lobby.Ref) {
	c.t.Helper()
	temporary, kept = map[string]lobby.Ref{}, map[string]lobby.Ref{}
	must := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatal(err)
		}
	}
	end := func(moves int, how func(a, r *seats.Seat) error) lobby.Ref {
		c.t.Helper()
		a, r := c.start()
		c.play(a, r, win[:moves]...)
		ref := c.now(a).Ref
		must(how(a, r))
		return ref
	}
	ctx := c.t.Context()
	resign := func(_, r *seats.Seat) error { return r.Resign(ctx) }
	temporary["called off"] = end(1, func(a, _ *seats.Seat) error { return a.Abort(ctx) })
	temporary["resigned at once"] = end(0, resign)
	temporary["resigned after three moves"] = end(3, resign)
	kept["resigned after four moves"] = end(4, resign)
	kept["played"] = end(6, func(a, r *seats.Seat) error { return a.Move(ctx, win[6], lobby.AnyPly) })

	offer := c.open(c.ana, seats.Spec{Game: "fourmation"})
	must(c.seat(c.ana, offer.ID).Abort(ctx))
	temporary["withdrawn"] = offer

	last := len(win) - 1
	study := c.open(c.ana, seats.Spec{Game: "fourmation", Hotseat: true, Moves: win[:last]})
	must(c.seat(c.ana, study.ID).Move(ctx, win[last], lobby.AnyPly))
	temporary["won with the first move after those given"] = study

	decided, _ := c.start()
	_, err := c.Operators.As("SHA256:op", lobby.NoSessions{}).End(ctx, string(decided.ID()), "first", "a test")
	must(err)
	temporary["decided by the operator before a move"] = c.now(decided).Ref
	return temporary, kept
}

// TestMatchesThatAreNotKept: a match that is void, or ended before each side had made two moves, can be seen and played again for an
// hour, and is then gone without a trace. A restart in that hour, or a club that is down when the hour ends, makes no difference. Every other
// match is kept.
func TestMatchesThatAreNotKept(t *testing.T) {
	for _, tt := range []struct {
		name    string
		restart bool // within the hour
		down    bool // when the hour is over
	}{
		{"running all the time", false, false},
		{"started anew", true, false},
		{"down meanwhile", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				temporary, kept := c.shortMatches()
				if tt.restart {
					c.Close()
					c = reopen(t, c.store)
				}
				time.Sleep(results.TemporaryLife - time.Minute)
				c.wantMatches("within the hour", temporary, true, true)
				c.wantMatches("within the hour", kept, true, false)
				for _, u := range []lobby.User{c.ana, c.rui} {
					if _, err := c.seat(u, temporary["resigned at once"].ID).Rematch(t.Context()); err != nil {
						t.Errorf("a rematch for %s: %v", u.Name, err)
					}
				}
				time.Sleep(time.Minute)
				for what, ref := range temporary {
					_, err := c.Finder.Find(t.Context(), lobby.User{}, origin.Origin{}, ref.Code)
					wantErr(t, "after an hour, the code of a match "+what, err, lobby.ErrNoSuchMatch)
				}
				if tt.down {
					c.Close()
					time.Sleep(3 * time.Hour)
					c = reopen(t, c.store)
					time.Sleep(time.Second)
				} else {
					time.Sleep(time.Hour) // the club looks each hour for what it needn't keep
					c.Close()             // what it has in memory stays
					c = reopen(t, c.store)
				}
				c.wantMatches("when their time is over", temporary, false, true)
				c.wantMatches("when their time is over", kept, true, false)
			})
		})
	}
}

// wantMatches checks finished matches: whether they are there, and whether views and records say that they are not kept; and that the
// history has those that are kept alone.
func (c *club) wantMatches(when string, matches map[string]lobby.Ref, there, temporary bool) {
	c.t.Helper()
	rows, _, err := c.Results.History(c.t.Context(), standings.HistoryQuery{Name: "ana", Limit: 100})
	if err != nil {
		c.t.Fatal(err)
	}
	for what, ref := range matches {
		listed := slices.ContainsFunc(rows, func(f results.Finished) bool { return f.ID == ref.ID })
		if listed == temporary {
			c.t.Errorf("%s, a match %s: in the history: %v", when, what, listed)
		}
		s, err := c.Seats.At(c.t.Context(), c.rui, lobby.Ref{ID: ref.ID})
		if !there {
			if _, stored := c.store.Memory.Finished(c.t.Context(), ref.ID); err == nil || !errors.Is(stored, storage.ErrNotFound) {
				c.t.Errorf("%s, a match %s: %v; its record: %v", when, what, err, stored)
			}
			continue
		}
		if err != nil {
			c.t.Errorf("%s, a match %s: %v", when, what, err)
			continue
		}
		f, err := s.Record(c.t.Context())
		if v := c.now(s); err != nil || !v.Over || v.Temporary != temporary || f.Temporary != temporary {
			c.t.Errorf("%s, a match %s: temporary %v, in the record %v; over %v; %v", when, what, v.Temporary, f.Temporary, v.Over, err)
		}
		if found, err := c.Finder.Find(c.t.Context(), c.rui, origin.Origin{}, ref.Code); found.ID != ref.ID {
			c.t.Errorf("%s, the code of a match %s names %q, %v", when, what, found.ID, err)
		}
	}
}

// TestRecordThatIsGone: a session that shows a match longer than its record is there goes on to show it; asked for the record, the
// club says that it isn't there, and not that it can't write.
func TestRecordThatIsGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start()
		if err := r.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(results.TemporaryLife + time.Hour)
		if _, err := a.Record(t.Context()); !errors.Is(err, lobby.ErrNoSuchMatch) {
			t.Errorf("Record = %v", err)
		}
		if v := c.now(a); !v.Temporary {
			t.Error("the end on the screen has changed")
		}
	})
}
