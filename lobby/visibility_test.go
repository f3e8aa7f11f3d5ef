package lobby_test

import (
	"errors"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
)

// sightClub is a club with a match of each kind.
type sightClub struct {
	*club
	eva     lobby.User // a stranger
	matches []sightMatch
}

// A sightMatch says who may see a match by its id alone, and its code.
type sightMatch struct {
	name   string
	ref    lobby.Ref
	public bool         // all users may see it
	knows  []lobby.User // users whom the match concerns
}

func newSightClub(t *testing.T) *sightClub {
	c := &sightClub{club: newClub(t, func(cfg *lobby.Config) { cfg.BotDelay = time.Hour })} // no exhibition ends meanwhile
	c.eva = c.account("eva")
	add := func(name string, ref lobby.Ref, public bool, knows ...lobby.User) {
		c.matches = append(c.matches, sightMatch{name: name, ref: ref, public: public, knows: knows})
	}
	refOf := func(s *seats.Seat) lobby.Ref { return c.now(s).Ref }
	add("a private offer", c.open(c.ana, seats.Spec{Game: "fourmation"}), false, c.ana)
	add("a public offer", c.open(c.ana, seats.Spec{Game: "fourmation", Public: true}), true, c.ana)
	running, _ := c.start()
	add("a private match", refOf(running), false, c.ana, c.rui)
	shown, _ := c.start(func(s *seats.Spec) { s.Public = true })
	add("a public match", refOf(shown), true, c.ana, c.rui)
	add("one at one keyboard", c.open(c.guest, seats.Spec{Game: "fourmation", Hotseat: true}), false, c.guest)
	add("an exhibition", c.open(c.ana, seats.Spec{Game: "fourmation", Bots: [2]string{"first", "first"}}), false, c.ana)
	a, b := c.start()
	c.play(a, b, win...)
	add("a finished private match", refOf(a), true, c.ana, c.rui)
	again, err := a.Rematch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	add("a rematch that waits", again, false, c.ana, c.rui)
	c.untilLists(c.rui, func(l *lists.Lists) bool {
		running := slices.ContainsFunc(l.Running, func(r lists.Running) bool { return r.ID == refOf(shown).ID })
		return len(l.Offers) > 0 && running && len(l.Yours.Invitations) > 0
	})
	return c
}

// byName returns one of the matches.
func (c *sightClub) byName(name string) lobby.Ref {
	i := slices.IndexFunc(c.matches, func(m sightMatch) bool { return m.name == name })
	return c.matches[i].ref
}

// TestSight looks for every kind of match in every way as every kind of user. A match that the user may not see must look missing. No user whom
// the match doesn't concern may be shown its code, unless they gave it.
func TestSight(t *testing.T) {
	c := newSightClub(t)
	people := []struct {
		name string
		who  lobby.User
	}{
		{"ana", c.ana}, {"rui", c.rui}, {"a stranger", c.eva}, {"a guest", c.guest}, {"another guest", c.Accounts.Guest("connection 2")}, {"a key without account", lobby.User{}},
	}
	for _, m := range c.matches {
		for _, p := range people {
			concerns := slices.Contains(m.knows, p.who)
			t.Run(m.name+"/"+p.name, func(t *testing.T) {
				ctx := t.Context()
				from := origin.Origin{Person: "key of " + p.name}

				ref, err := c.Finder.Find(ctx, p.who, from, strings.ToUpper(string(m.ref.ID)))
				sees := m.public || concerns
				if (err == nil) != sees || !sees && !errors.Is(err, lobby.ErrNoSuchMatch) || ref.Code != "" {
					t.Errorf("Find by id: %v, %v", ref, err)
				}
				seat, err := c.Seats.At(ctx, p.who, lobby.Ref{ID: m.ref.ID})
				if (err == nil) != sees || !sees && err != lobby.ErrNoSuchMatch {
					t.Errorf("At by id: %v", err)
				}
				if _, err := c.Seats.At(ctx, p.who, lobby.Ref{ID: m.ref.ID, Code: "222222"}); (err == nil) != sees || !sees && err != lobby.ErrNoSuchMatch {
					t.Errorf("At with a wrong code: %v", err)
				}
				if sees {
					c.checkShown(t, seat, m, concerns)
				}

				ref, err = c.Finder.Find(ctx, p.who, from, strings.ToLower(m.ref.Code))
				if ref != m.ref || err != nil {
					t.Fatalf("Find by code: %v, %v", ref, err)
				}
				if seat, err = c.Seats.At(ctx, p.who, ref); err != nil {
					t.Fatalf("At by code: %v", err)
				}
				c.checkShown(t, seat, m, true)

				if v, err := seat.Now(ctx); !sees {
					if got, err := c.Seats.Take(ctx, p.who, m.ref.ID); got != (lobby.Ref{}) || err != lobby.ErrNoSuchMatch {
						t.Errorf("Take: %v, %v", got, err)
					}
					if _, err := c.Analyses.Analysis(ctx, lobby.User{}, m.ref.ID, math.MaxUint64); err != lobby.ErrNoSuchMatch {
						t.Errorf("Analysis: %v", err)
					}
				} else if err == nil && !v.Over && !v.Started.IsZero() && !concerns {
					if got, err := c.Seats.Take(ctx, p.who, m.ref.ID); got.Code != "" || err == nil {
						t.Errorf("Take of a match that goes on: %v, %v", got, err)
					}
				}

				l := c.Lists.Now(p.who)
				for _, o := range l.Offers { // any user may take one, also by its code
					if o.Ref != c.byName("a public offer") {
						t.Errorf("the public offers have %+v", o)
					}
				}
				for _, o := range l.Yours.Invitations {
					if o.Ref != c.byName("a rematch that waits") || p.name != "rui" {
						t.Errorf("an invitation shows the code of a match: %+v", o)
					}
				}
				for _, r := range l.Running {
					if r.Code != "" {
						t.Errorf("a running match shows its code: %+v", r)
					}
				}
				listed := slices.ContainsFunc(l.Yours.Matches, func(y lists.Mine) bool { return y.Ref == m.ref })
				if listed && !concerns {
					t.Errorf("it stands among their own matches")
				}
			})
		}
		t.Run(m.name+"/an operator", func(t *testing.T) {
			for _, name := range []string{string(m.ref.ID), m.ref.Code} {
				if ref, err := c.Finder.Reveal(t.Context(), name); ref != m.ref || err != nil {
					t.Errorf("Reveal(%s) = %v, %v", name, ref, err)
				}
			}
		})
	}
	rows, _, err := c.Results.History(t.Context(), standings.HistoryQuery{Limit: 10})
	if err != nil || len(rows) != 1 {
		t.Errorf("history lists %d matches that have ended, %v", len(rows), err)
	}
}

// checkShown checks what a handle to a match shows of its code, and of the rematch.
func (c *sightClub) checkShown(t *testing.T, seat *seats.Seat, m sightMatch, knows bool) {
	t.Helper()
	v, err := seat.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := map[bool]string{true: m.ref.Code}[knows]; v.Code != want || v.ID != m.ref.ID {
		t.Errorf("the view shows match %s with the code %q, want %q", v.ID, v.Code, want)
	}
	if _, seated := v.Side(seat.User()); (v.Rematch != nil) != (seated && m.name == "a finished private match") {
		t.Errorf("the rematch shown is %+v", v.Rematch)
	}
	f, err := seat.Record(t.Context())
	if err != nil || f.ID != m.ref.ID || f.Code != "" {
		t.Errorf("the record of match %s has the code %q, %v", f.ID, f.Code, err)
	}
}

// TestIDsAreGuesses has strangers try ids: of a private match as well as of none, they cost as wrong codes do, for one person with
// many addresses and for many people with one. What they may see costs nothing, and is found all the same.
func TestIDsAreGuesses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.WrongCodes = 3 })
		private := c.open(c.ana, seats.Spec{Game: "fourmation"})
		public := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
		here := origin.Origin{Addr: netip.MustParseAddr("192.0.2.1")}
		find := func(who lobby.User, from origin.Origin, name string) error {
			_, err := c.Finder.Find(t.Context(), who, from, name)
			return err
		}
		for range 5 {
			wantErr(t, "a public match", find(c.rui, here, string(public.ID)), nil)
		}
		for i, name := range []string{"22222222", string(private.ID), "222222"} {
			wantErr(t, "guess "+string(rune('1'+i)), find(c.rui, here, name), lobby.ErrNoSuchMatch)
		}
		for _, name := range []string{"22222222", string(private.ID), private.Code} {
			wantErr(t, "without guesses left", find(c.rui, here, name), lobby.ErrThrottled)
			wantErr(t, "from the same address", find(lobby.User{}, here, name), lobby.ErrThrottled)
			wantErr(t, "the same person from elsewhere", find(c.rui, origin.Origin{}, name), lobby.ErrThrottled)
		}
		wantErr(t, "a public match, without guesses left", find(c.rui, here, string(public.ID)), nil)
		for _, name := range []string{string(private.ID), private.Code} {
			wantErr(t, "one's own, from the same address", find(c.ana, here, name), nil)
		}
	})
}

// TestHiddenMatchesAskTheStore checks that the lobby asks the store as often for the id of a match that a user may not see as for an unknown id,
// so that both answers take the same time.
func TestHiddenMatchesAskTheStore(t *testing.T) {
	c := newClub(t)
	private := c.open(c.ana, seats.Spec{Game: "fourmation"})
	var asked []int32
	for _, id := range []string{"22222222", string(private.ID)} {
		before := c.store.finished.Load()
		if _, err := c.Finder.Find(t.Context(), c.rui, origin.Origin{}, id); !errors.Is(err, lobby.ErrNoSuchMatch) {
			t.Fatal(err)
		}
		asked = append(asked, c.store.finished.Load()-before)
	}
	if asked[0] != 1 || asked[1] != 1 {
		t.Errorf("asked the store %v times", asked)
	}
}

// TestJoinAtTheBoard takes the seat of a match through the handle that shows it.
func TestJoinAtTheBoard(t *testing.T) {
	c := newClub(t)
	private := c.open(c.ana, seats.Spec{Game: "fourmation"})
	at := func(who lobby.User, ref lobby.Ref) *seats.Seat {
		s, err := c.Seats.At(t.Context(), who, ref)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	late := at(c.guest, private)
	wantErr(t, "by the code", at(c.rui, private).Join(t.Context()), nil)
	wantErr(t, "too late", late.Join(t.Context()), lobby.ErrSeatTaken)
	public := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true, Side: seats.PlayFirst})
	guest := at(c.guest, lobby.Ref{ID: public.ID})
	wantErr(t, "by the id", guest.Join(t.Context()), nil)
	if v := c.now(guest); v.Code != public.Code || !v.Holds(c.guest, games.Second) {
		t.Errorf("the guest sees %+v", v)
	}
	if err := guest.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "when it is over", at(c.rui, public).Join(t.Context()), lobby.ErrOver)
}
