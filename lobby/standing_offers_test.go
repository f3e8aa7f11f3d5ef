package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/relations"
	"ludoteca/storage/schema"
	"ludoteca/storage/standingoffers"
	"ludoteca/storage/storagetest"
)

// inDays is a public offer with three days a move.
func inDays(change ...func(*seats.Spec)) seats.Spec {
	spec := seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Public: true, Clock: clock.Setting{Kind: clock.Correspondence, Base: 3 * 24 * time.Hour}}
	for _, f := range change {
		f(&spec)
	}
	return spec
}

// keep keeps an offer open.
func (c *club) keep(who lobby.User, spec seats.Spec, places int) lobby.Ref {
	c.t.Helper()
	kept, err := c.Standing.Keep(c.t.Context(), who, spec, places)
	if err != nil {
		c.t.Fatal(err)
	}
	return kept.Ref
}

// offered returns the ids of the public offers of a user, as another one sees them.
func (c *club) offered(by, to lobby.User) (ids []storage.MatchID) {
	for _, o := range c.Lists.Offers(to, "") {
		if by.Is(o.By) {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// settle waits until offers have been looked at again, and lists say so.
func settle() {
	synctest.Wait()
	time.Sleep(10 * time.Second)
	synctest.Wait()
}

// takeStanding takes the only offer of a user, which must be there.
func (c *club) takeStanding(by, u lobby.User) lobby.Ref {
	c.t.Helper()
	ids := c.offered(by, u)
	if len(ids) != 1 {
		c.t.Fatalf("%d offers of %s, want 1", len(ids), by.Name)
	}
	ref, err := c.Seats.Take(c.t.Context(), u, ids[0])
	if err != nil {
		c.t.Fatal(err)
	}
	settle()
	return ref
}

// counts checks how many matches the standing offers of a user have: untaken and played ones.
func (c *club) counts(what string, u lobby.User, untaken, played int) {
	c.t.Helper()
	settle()
	n, m := 0, 0
	for _, o := range c.Standing.Of(u) {
		n, m = n+len(o.Untaken), m+len(o.Played)
	}
	if n != untaken || m != played || len(c.offered(u, c.guest)) != untaken {
		c.t.Fatalf("%s: %d untaken matches, %d played, %d listed; want %d and %d", what, n, m, len(c.offered(u, c.guest)), untaken, played)
	}
}

// TestStandingOffer: when an offer is taken another opens, so long as a place is free; it outlives its player's visit and the program, and a person
// takes one at a time.
func TestStandingOffer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ctx := t.Context()
		eva := c.account("eva")
		ref := c.keep(c.ana, inDays(), 2)
		if got := c.offered(c.ana, c.rui); !slices.Equal(got, []storage.MatchID{ref.ID}) {
			settle()
			if got = c.offered(c.ana, c.rui); !slices.Equal(got, []storage.MatchID{ref.ID}) {
				t.Fatalf("the offers are %v, want %v", got, ref.ID)
			}
		}
		first := c.takeStanding(c.ana, c.rui)
		c.counts("one is taken", c.ana, 1, 1)
		if _, err := c.Seats.Take(ctx, c.rui, c.offered(c.ana, c.rui)[0]); !errors.Is(err, lobby.ErrStandingTaken) {
			t.Errorf("the same person takes a second one: %v", err)
		}
		c.takeStanding(c.ana, eva)
		c.counts("both are taken", c.ana, 0, 2)

		store := c.store
		c.Close()
		c = reopen(t, store)
		c.counts("after a restart", c.ana, 0, 2)
		if err := c.seat(c.rui, first.ID).Abort(ctx); err != nil {
			t.Fatal(err)
		}
		c.counts("one is called off", c.ana, 1, 1)

		id := c.offered(c.ana, c.rui)[0]
		if err := c.seat(c.ana, id).Withdraw(ctx); err != nil {
			t.Fatal(err)
		}
		settle()
		if all := c.Standing.Of(c.ana); len(all) != 0 || len(c.offered(c.ana, c.rui)) != 0 {
			t.Errorf("after the withdrawal there are %v", all)
		}
	})
}

// TestStandingOffersAreRefused: who may keep which offers open.
func TestStandingOffersAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		for _, tt := range []struct {
			name   string
			who    lobby.User
			spec   seats.Spec
			places int
			want   error
		}{
			{"a guest", c.guest, inDays(), 1, lobby.ErrNeedsKey},
			{"no places", c.ana, inDays(), 0, lobby.ErrPlaces},
			{"many places", c.ana, inDays(), 5, lobby.ErrPlaces},
			{"a private one", c.ana, inDays(func(s *seats.Spec) { s.Public = false }), 1, lobby.ErrSpec},
			{"against the computer", c.ana, inDays(func(s *seats.Spec) { s.Bot = "first" }), 1, lobby.ErrSpec},
			{"from a position", c.ana, inDays(func(s *seats.Spec) { s.Moves = win[:1] }), 1, lobby.ErrSpec},
			{"an unknown game", c.ana, inDays(func(s *seats.Spec) { s.Game = "chess" }), 1, lobby.ErrNoSuchGame},
			{"three", c.ana, inDays(), 3, nil},
			{"the same", c.ana, inDays(), 1, lobby.ErrAlikeStanding},
			{"too many together", c.ana, inDays(func(s *seats.Spec) { s.Rated = true }), 2, lobby.ErrManyStanding},
			{"the fourth", c.ana, inDays(func(s *seats.Spec) { s.Rated = true }), 1, nil},
		} {
			if _, err := c.Standing.Keep(t.Context(), tt.who, tt.spec, tt.places); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			}
		}
		c.counts("two kinds", c.ana, 2, 0)
		if err := c.Standing.End(t.Context(), c.ana, 1); err != nil {
			t.Fatal(err)
		}
		if err := c.Standing.End(t.Context(), c.rui, 2); !errors.Is(err, lobby.ErrNoStanding) {
			t.Errorf("rui ends an offer of ana: %v", err)
		}
		c.counts("one has ended", c.ana, 1, 0)
		if got := c.Standing.Of(c.ana); len(got) != 1 || got[0].Number != 2 || !got[0].Spec.Rated {
			t.Errorf("the offers are %+v", got)
		}
	})
}

// TestStandingOfferWithoutDays: an offer to play now is open while its player is here.
func TestStandingOfferWithoutDays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		leave := c.Presence.Enter(c.ana)
		c.keep(c.ana, seats.Spec{Game: "fourmation", Public: true, Clock: clock.Setting{Kind: clock.Fischer, Base: 5 * time.Minute}}, 1)
		c.counts("here", c.ana, 1, 0)
		leave()
		c.counts("gone", c.ana, 0, 0)
		if len(c.Standing.Of(c.ana)) != 1 {
			t.Fatal("the standing offer is gone")
		}
		leave = c.Presence.Enter(c.ana)
		c.counts("back", c.ana, 1, 0)
		leave()
	})
}

// TestStandingOfferEnds: an offer ends when its player doesn't move, and when nobody has taken it for long.
func TestStandingOfferEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(c *club)
	}{
		{"no move", func(c *club) {
			c.takeStanding(c.ana, c.rui) // ana is to move
			time.Sleep(4 * 24 * time.Hour)
		}},
		{"nobody takes it", func(c *club) { time.Sleep(31 * 24 * time.Hour) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				c.keep(c.ana, inDays(), 2)
				c.counts("before", c.ana, 1, 0)
				tt.end(c)
				settle()
				if all, listed := c.Standing.Of(c.ana), c.offered(c.ana, c.rui); len(all) > 0 || len(listed) > 0 {
					t.Errorf("there are %+v, listed %v", all, listed)
				}
			})
		})
	}
}

// TestStandingOfferEndsWithAccount: an offer ends when an operator closes the account, and with the account.
func TestStandingOfferEndsWithAccount(t *testing.T) {
	for name, end := range map[string]func(o *office) error{
		"closed":  func(o *office) error { _, err := o.Operator.Close(o.t.Context(), "ana", "many names"); return err },
		"deleted": func(o *office) error { return o.Accounts.DeleteAccount(o.t.Context(), o.ana, o) },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			ref, err := o.Standing.Keep(t.Context(), o.ana, inDays(), 2)
			if err != nil {
				t.Fatal(err)
			}
			if err := end(o); err != nil {
				t.Fatal(err)
			}
			for looked := o.Standing.Looked(); len(o.Standing.Of(o.ana)) > 0; looked = o.Standing.Looked() {
				select {
				case <-looked:
				case <-t.Context().Done():
					t.Fatal("the offer is still there")
				}
			}
			if row, err := o.store.Standing.StandingOffersOf(t.Context(), o.ana.Player()); err != nil || len(row.Offers) > 0 {
				t.Errorf("the store has %+v, %v", row, err)
			}
			if v := o.view(o.seat(o.rui, ref.ID)); !v.Over {
				t.Error("its match goes on")
			}
		})
	}
}

func (m *mortal) AddStandingOffer(ctx context.Context, who storage.Occupant, k standingoffers.Kind, places int, first storage.MatchID, now time.Time) (o standingoffers.Offer, err error) {
	err = m.write(true, func() (err error) {
		o, err = m.Memory.AddStandingOffer(ctx, who, k, places, first, now)
		return err
	})
	return o, err
}

func (m *mortal) EndStandingOffer(ctx context.Context, id storage.PlayerID, number int) error {
	return m.write(true, func() error { return m.Memory.EndStandingOffer(ctx, id, number) })
}

func (m *mortal) SetPlace(ctx context.Context, id storage.PlayerID, number int, was, next storage.MatchID, now time.Time) error {
	return m.write(true, func() error { return m.Memory.SetPlace(ctx, id, number, was, next, now) })
}

// TestKilledStandingOffers: a club that is killed at any of the writes of a standing offer and its matches has as many matches of it afterwards as if
// nothing had been.
func TestKilledStandingOffers(t *testing.T) {
	deaths := 0
	for dies, more := 1, true; more; dies++ {
		bubble(t, func(t *testing.T) {
			ctx := t.Context()
			store := &mortal{Memory: storagetest.NewMemory(rating.Rate)}
			c := mortalClub(t, store)
			rui, eva := c.account("rui"), c.account("eva")
			store.mu.Lock()
			store.writes, store.dies, store.after = 0, dies, dies%2 == 0
			store.mu.Unlock()
			reborn := func() {
				settle()
				if store.isDead() {
					deaths++
					c.Close()
					store = &mortal{Memory: store.Memory}
					c = mortalClub(t, store)
					settle()
				}
			}
			// Each step is done again if the program died before it was told that it is done.
			step := func(what string, untaken, played int, do func() error, done ...error) {
				t.Helper()
				if err := do(); err != nil && !store.isDead() {
					t.Fatalf("killed at write %d: %s: %v", dies, what, err)
				} else if err != nil || store.isDead() {
					reborn()
					if err := do(); err != nil && !slices.ContainsFunc(done, func(d error) bool { return errors.Is(err, d) }) {
						t.Fatalf("killed at write %d: %s again: %v", dies, what, err)
					}
				}
				reborn()
				c.counts(fmt.Sprintf("killed at write %d: %s", dies, what), c.ana, untaken, played)
			}
			step("keep", 1, 0, func() error { _, err := c.Standing.Keep(ctx, c.ana, inDays(), 2); return err }, lobby.ErrAlikeStanding)
			var taken []storage.MatchID
			for i, u := range []lobby.User{rui, eva} {
				id := c.offered(c.ana, u)[0]
				taken = append(taken, id)
				step("take", 1-i, i+1, func() error { _, err := c.Seats.Take(ctx, u, id); return err })
			}
			step("call off", 1, 1, func() error { return c.seat(rui, taken[0]).Abort(ctx) }, lobby.ErrOver)
			step("end", 0, 0, func() error { return c.Standing.End(ctx, c.ana, 1) }, lobby.ErrNoStanding)
			if len(c.Standing.Of(c.ana)) > 0 {
				t.Errorf("killed at write %d: the offer is there", dies)
			}
			if m, err := c.Matches.View(ctx, taken[1]); err != nil || m.Over {
				t.Errorf("killed at write %d: the match that is played: %v", dies, err)
			}
			store.mu.Lock()
			defer store.mu.Unlock()
			more = store.dies == 0 && !t.Failed() && dies < 40
		})
		if t.Failed() {
			return
		}
	}
	if deaths < 8 {
		t.Errorf("the club was killed %d times", deaths)
	}
}

// TestStandingOffersOnNodes: one node of three opens the matches of an offer, and another takes over when it is cut off. Nothing is opened twice.
func TestStandingOffersOnNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3, func(cfg *lobby.Config) {
			cfg.Games, cfg.Log = []games.Game{fourmation.New()}, slog.New(slog.NewTextHandler(t.Output(), nil))
		})
		store, err := schema.Open(t.Context(), c.engine, schema.Config{Rate: rating.Rate})
		if err != nil {
			t.Fatal(err)
		}
		ana := c.clubs[0].account("ana")
		players := signUp(c.clubs[1], 6)
		time.Sleep(time.Minute) // the nodes are ready
		if _, err := c.clubs[1].Standing.Keep(t.Context(), ana, inDays(), 3); err != nil {
			t.Fatal(err)
		}
		owner := func() int { return c.owner(storage.MatchID("standing offers of " + ana.Player())) }
		check := func(what string, at *club, untaken, played int) {
			t.Helper()
			settle()
			sums, err := store.Matches.Summaries(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			n, m := 0, 0
			for _, s := range sums {
				if s.Started.IsZero() {
					n++
				} else {
					m++
				}
			}
			if n != untaken || m != played || len(at.Lists.Offers(players[0], "")) != untaken {
				t.Fatalf("%s: %d untaken and %d played in the store, %d listed, want %d and %d", what, n, m, len(at.Lists.Offers(players[0], "")), untaken, played)
			}
		}
		check("at first", c.clubs[0], 1, 0)
		taken := make([]lobby.Ref, 0, 3)
		for i := range 3 {
			cut := owner()
			at := c.clubs[(cut+1)%3]
			c.cables[cut].cut()
			ref, err := at.Seats.Take(t.Context(), players[i], at.Lists.Offers(players[i], "")[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			taken = append(taken, ref)
			time.Sleep(15 * time.Second)
			if other := owner(); other < 0 || other == cut {
				t.Fatalf("node %d owns the offers after node %d was cut off", other, cut)
			}
			check("a node is cut off", at, min(1, 2-i), i+1)
			c.cables[cut].mend()
			time.Sleep(15 * time.Second)
			check("it is back", c.clubs[cut], min(1, 2-i), i+1)
		}
		if err := c.clubs[2].seat(players[1], taken[1].ID).Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		check("one is called off", c.clubs[0], 1, 2)
		at := c.clubs[(owner()+1)%3]
		if _, err := at.Seats.Take(t.Context(), players[0], at.Lists.Offers(players[0], "")[0].ID); !errors.Is(err, lobby.ErrStandingTaken) {
			t.Errorf("a second match for one player: %v", err)
		}
		if err := at.Standing.End(t.Context(), ana, 1); err != nil {
			t.Fatal(err)
		}
		check("it has ended", c.clubs[1], 0, 2)
	})
}

// TestStandingOffersOfBlocked: a player who is blocked neither sees nor takes a standing offer.
func TestStandingOffersOfBlocked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ref := c.keep(c.ana, inDays(), 1)
		if _, err := c.Relations.Relate(t.Context(), c.ana, relations.Blocked, "rui", true); err != nil {
			t.Fatal(err)
		}
		settle()
		if got := c.offered(c.ana, c.rui); len(got) != 0 {
			t.Errorf("rui sees %v", got)
		}
		if _, err := c.Seats.Join(t.Context(), c.rui, origin.Origin{}, ref.Code); !errors.Is(err, lobby.ErrUnavailable) {
			t.Errorf("rui takes it: %v", err)
		}
	})
}

// TestStandingOffersOfOneBlock: the untaken matches by standing offers of the players in one block of addresses are bounded, and a player elsewhere
// has theirs.
func TestStandingOffersOfOneBlock(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		ctx, refused := t.Context(), 0
		for i := range 50 {
			u := c.account(nameOf(i) + "crowd")
			c.Connect(u, origin.Origin{Person: "key of " + u.Name, Addr: netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)})})
			for days := range standingoffers.MaxPlaces {
				spec := inDays(func(s *seats.Spec) { s.Clock.Base = time.Duration(days+1) * 24 * time.Hour })
				before := len(c.Standing.Of(u))
				if _, err := c.Standing.Keep(ctx, u, spec, 1); err != nil {
					refused++
					if after := len(c.Standing.Of(u)); !errors.Is(err, lobby.ErrCrowdedStanding) || after != before {
						t.Errorf("%v; %d standing offers are kept after %d", err, after, before)
					}
				}
			}
			time.Sleep(time.Minute)
		}
		settle()
		sums, untaken := c.Lists.Now(c.guest).Offers, 0
		for range sums {
			untaken++
		}
		const most = standingoffers.MaxPlaces * origin.PeoplePerAddress * 8 // of a /24
		if untaken > most || untaken < most/2 || refused == 0 {
			t.Errorf("%d untaken matches, %d offers refused; at most %d may be open", untaken, refused, most)
		}
		c.Connect(c.ana, origin.Origin{Person: "key of ana", Addr: netip.MustParseAddr("203.0.113.1")})
		c.keep(c.ana, inDays(), 1)
		c.counts("elsewhere", c.ana, 1, 0)
	})
}
