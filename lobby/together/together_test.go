package together

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// person returns a player whose address follows from the name.
func person(name string) match.User {
	return match.User{Kind: storage.Person, ID: "p-" + name, Name: name}
}

var (
	ana, rui, eva = person("ana"), person("rui"), person("eva")
	otter         = match.User{Kind: storage.Guest, ID: "g1", Name: "guest-otter"}
	game          = match.Ref{ID: "m1", Code: "ABCDEF"}
)

// An admitting chat takes every line of everybody but eva.
type admitting struct{}

func (admitting) Admit(_ context.Context, u match.User, typed string) (string, error) {
	if u == eva {
		return "", refusal.ErrChatOff
	}
	return typed, nil
}

// A club is a service with what it asks for.
type club struct {
	*Service
	blocked map[[2]match.User]bool
	closed  map[match.User]bool
	addrs   map[string]string // by id; 192.0.2.1 for others
}

func newClub() *club {
	c := &club{blocked: map[[2]match.User]bool{}, closed: map[match.User]bool{}, addrs: map[string]string{}}
	c.Service = New(Config{
		Chat: admitting{}, Feeds: feed.NewGroup(), Now: time.Now,
		Blocks: func(a, b match.User) bool { return c.blocked[[2]match.User{a, b}] || c.blocked[[2]match.User{b, a}] },
		MayPlay: func(u match.User) error {
			if c.closed[u] {
				return refusal.ErrAccountClosed
			}
			return nil
		},
		Origin: func(o storage.Occupant) origin.Origin {
			addr := netip.MustParseAddr("192.0.2.1")
			if a, ok := c.addrs[o.ID]; ok {
				addr = netip.MustParseAddr(a)
			}
			return origin.Origin{Person: o.ID, Addr: addr}
		},
	})
	return c
}

// now returns the review as a seat sees it.
func now(t *testing.T, s *Seat) *View {
	t.Helper()
	v, err := s.Next(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestInvitations: who may not lead, or can't follow, is refused, and nothing remains of that.
func TestInvitations(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(c *club)
		who    match.User
		to     match.User
		want   error
	}{
		{name: "a player", who: ana, to: rui},
		{name: "a guest leads", who: otter, to: rui},
		{name: "a guest follows", who: ana, to: otter},
		{name: "without an id", who: match.User{Kind: storage.Guest}, to: rui, want: refusal.ErrNeedsKey},
		{name: "oneself", who: ana, to: ana, want: refusal.ErrOneself},
		{name: "not here", who: ana, to: person("zoe"), want: refusal.ErrNoTogether},
		{name: "blocked", who: ana, to: rui, before: func(c *club) { c.blocked[[2]match.User{rui, ana}] = true }, want: refusal.ErrNoTogether},
		{name: "closed", who: ana, to: rui, before: func(c *club) { c.closed[ana] = true }, want: refusal.ErrAccountClosed},
		{name: "closed there", who: ana, to: rui, before: func(c *club) { c.closed[rui] = true }, want: refusal.ErrNoTogether},
		{name: "busy", who: ana, to: rui, before: func(c *club) { _, _ = c.Lead(context.Background(), rui, eva, game) }, want: refusal.ErrNoTogether},
		{name: "a second one", who: ana, to: rui, before: func(c *club) { _, _ = c.Lead(context.Background(), ana, eva, game) }, want: refusal.ErrTogether},
		{name: "invited oneself", who: ana, to: rui, before: func(c *club) { _, _ = c.Lead(context.Background(), eva, ana, game) }, want: refusal.ErrTogether},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClub()
				for _, u := range []match.User{ana, rui, eva, otter} {
					_, leave := c.Listen(u)
					defer leave()
				}
				if tt.before != nil {
					tt.before(c)
				}
				ctx, cancel := context.WithCancel(t.Context())
				seat, err := c.Lead(ctx, tt.who, tt.to, game)
				if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
					t.Fatalf("error %v, want %v", err, tt.want)
				}
				if seat != nil {
					if v := now(t, seat); v.Joined || v.Over || v.Match != game || v.People != [2]storage.Occupant{tt.who.Occupant(), tt.to.Occupant()} {
						t.Errorf("the review is %+v", v)
					}
				}
				cancel()
				time.Sleep(2 * InviteWait)
				synctest.Wait()
				if len(c.at) > 0 || len(c.from) > 0 {
					t.Errorf("%d people and %d blocks remain", len(c.at), len(c.from))
				}
			})
		})
	}
}

// TestTogether: the one who leads sets the board, both write, and it is over for both when one of them goes.
func TestTogether(t *testing.T) {
	for name, ends := range map[string]func(c *club, leads, follows *Seat, gone context.CancelFunc){
		"the first leaves":      func(_ *club, leads, _ *Seat, _ context.CancelFunc) { leads.Leave() },
		"the second leaves":     func(_ *club, _, follows *Seat, _ context.CancelFunc) { follows.Leave() },
		"the second disconnect": func(_ *club, _, _ *Seat, gone context.CancelFunc) { gone() },
		"one blocks the other":  func(c *club, _, _ *Seat, _ context.CancelFunc) { c.Separate(rui, ana) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClub()
				told, leave := c.Listen(rui)
				defer leave()
				leads, err := c.Lead(t.Context(), ana, rui, game)
				if err != nil {
					t.Fatal(err)
				}
				i, seq, err := told.Next(t.Context(), 0)
				if err != nil || i.By != ana.Occupant() || i.Match != game {
					t.Fatalf("the invitation is %+v, %v", i, err)
				}
				if err := leads.Say(t.Context(), "hello?"); !errors.Is(err, refusal.ErrNoCompany) {
					t.Errorf("a line that nobody reads: %v", err)
				}
				if _, err := c.Join(t.Context(), eva); !errors.Is(err, refusal.ErrNoInvitation) {
					t.Errorf("somebody else joins: %v", err)
				}
				ctx, gone := context.WithCancel(t.Context())
				defer gone()
				follows, err := c.Join(ctx, rui)
				if err != nil {
					t.Fatal(err)
				}
				if i, _, err = told.Next(t.Context(), seq); err != nil || i != (Invitation{}) {
					t.Errorf("an invitation that was accepted is %+v, %v", i, err)
				}
				place := Place{Ply: 3, Line: []games.Move{"a1", "b2"}, Shown: 1, Flipped: true}
				leads.Show(place)
				follows.Show(Place{Ply: 9})
				leads.Show(Place{Ply: -1})
				leads.Show(Place{Shown: 1})
				for n := range maxLines {
					if err := errors.Join(leads.Say(t.Context(), fmt.Sprint("here ", n)), follows.Say(t.Context(), fmt.Sprint("there ", n))); err != nil {
						t.Fatal(err)
					}
				}
				for _, s := range []*Seat{leads, follows} {
					v := now(t, s)
					last := v.Lines[len(v.Lines)-1]
					if !v.Joined || v.Place.Ply != 3 || !slices.Equal(v.Place.Line, place.Line) || !v.Place.Flipped || len(v.Lines) != maxLines || last.Text != "there 49" || last.By != rui.Occupant() {
						t.Errorf("the review of %s is %+v", s.User().Name, v)
					}
				}
				ends(c, leads, follows, gone)
				synctest.Wait()
				for _, s := range []*Seat{leads, follows} {
					if v := now(t, s); !v.Over {
						t.Errorf("it goes on for %s", s.User().Name)
					}
				}
				if err := leads.Say(t.Context(), "bye"); !errors.Is(err, refusal.ErrNoCompany) {
					t.Errorf("a line after the end: %v", err)
				}
			})
		})
	}
}

// TestUnanswered: an invitation that is declined, or waits too long, is over for the one who leads, and can't be accepted.
func TestUnanswered(t *testing.T) {
	for name, ends := range map[string]func(c *club){
		"declined":  func(c *club) { c.Decline(rui) },
		"too late":  func(*club) { time.Sleep(InviteWait) },
		"withdrawn": func(c *club) { c.Separate(ana, rui) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClub()
				told, leave := c.Listen(rui)
				defer leave()
				leads, err := c.Lead(t.Context(), ana, rui, game)
				if err != nil {
					t.Fatal(err)
				}
				ends(c)
				synctest.Wait()
				if i, _, err := told.Next(t.Context(), 0); err != nil || i != (Invitation{}) || !now(t, leads).Over {
					t.Errorf("the invitation is %+v, %v", i, err)
				}
				if _, err := c.Join(t.Context(), rui); !errors.Is(err, refusal.ErrNoInvitation) {
					t.Errorf("joining: %v", err)
				}
			})
		})
	}
}

// TestLinesOfGuests wait until the reader has written one, as at a match. A refused line is seen by nobody.
func TestLinesOfGuests(t *testing.T) {
	c := newClub()
	_, leave := c.Listen(ana)
	defer leave()
	leads, err := c.Lead(t.Context(), otter, ana, game)
	if err != nil {
		t.Fatal(err)
	}
	follows, err := c.Join(t.Context(), ana)
	if err != nil {
		t.Fatal(err)
	}
	if err := leads.Say(t.Context(), "psst"); err != nil {
		t.Fatal(err)
	}
	if v := now(t, follows); len(v.Lines) != 0 || v.Waiting != 1 {
		t.Errorf("before an answer: %+v", v)
	}
	if err := follows.Say(t.Context(), "yes?"); err != nil {
		t.Fatal(err)
	}
	if v := now(t, follows); len(v.Lines) != 2 || v.Waiting != 0 || len(now(t, leads).Lines) != 2 {
		t.Errorf("after it: %+v", v)
	}
	leads.Leave()

	_, leave = c.Listen(eva)
	defer leave()
	leads, err = c.Lead(t.Context(), ana, eva, game)
	if err != nil {
		t.Fatal(err)
	}
	follows, err = c.Join(t.Context(), eva)
	if err != nil {
		t.Fatal(err)
	}
	if err := follows.Say(t.Context(), "x"); !errors.Is(err, refusal.ErrChatOff) || len(now(t, leads).Lines) > 0 {
		t.Errorf("a line that the chat refuses: %v", err)
	}
}

// TestBounds: one person invites another one seldom, and an address has few reviews at once.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClub()
		_, leave := c.Listen(rui)
		defer leave()
		for n := range sameBurst + 1 {
			seat, err := c.Lead(t.Context(), ana, rui, game)
			if fast := (*refusal.TooFastError)(nil); errors.As(err, &fast) != (n == sameBurst) {
				t.Fatalf("invitation %d: %v", n+1, err)
			}
			if err == nil {
				seat.Leave()
			}
		}
		for n := range origin.PeoplePerAddress + 1 {
			to := person(fmt.Sprint("to", n))
			_, leave := c.Listen(to)
			defer leave()
			_, err := c.Lead(t.Context(), person(fmt.Sprint("from", n)), to, game)
			if errors.Is(err, refusal.ErrManyTogether) != (n == origin.PeoplePerAddress) {
				t.Errorf("review %d of an address: %v", n+1, err)
			}
		}
		_, leave = c.Listen(eva)
		defer leave()
		c.addrs["p-zoe"] = "192.0.2.2"
		if _, err := c.Lead(t.Context(), person("zoe"), eva, game); err != nil {
			t.Errorf("from another address: %v", err)
		}
	})
}

// TestAnyOrder: whatever people do, each looks at one review at most, with one other person, and nothing remains when all have gone.
func TestAnyOrder(t *testing.T) {
	people := []match.User{ana, rui, eva, otter}
	rapid.Check(t, func(r *rapid.T) {
		c := newClub()
		for _, u := range people {
			_, leave := c.Listen(u)
			defer leave()
		}
		seats := map[match.Key]*Seat{}
		user := func() match.User { return rapid.SampledFrom(people).Draw(r, "user") }
		take := func(s *Seat, err error) {
			if err == nil {
				seats[s.User().Key()] = s
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"lead":     func(*rapid.T) { take(c.Lead(t.Context(), user(), user(), game)) },
			"join":     func(*rapid.T) { take(c.Join(t.Context(), user())) },
			"decline":  func(*rapid.T) { c.Decline(user()) },
			"separate": func(*rapid.T) { c.Separate(user(), user()) },
			"leave": func(*rapid.T) {
				if s := seats[user().Key()]; s != nil {
					s.Leave()
				}
			},
			"": func(r *rapid.T) {
				reviews := 0
				for k, at := range c.at {
					if !slices.Contains(at.keys[:], k) || c.at[at.keys[0]] != at || c.at[at.keys[1]] != at {
						r.Fatalf("%v is at the review of %v", k, at.keys)
					}
					if v, _ := at.feed.Latest(); v.Over {
						r.Fatalf("%v is at a review that is over", k)
					}
					reviews++
				}
				for b, n := range c.from {
					if n > reviews/2 || n < 1 {
						r.Fatalf("%d reviews from %v, and %d people at one", n, b, reviews)
					}
				}
			},
		})
		for _, s := range seats {
			s.Leave()
		}
		for _, u := range people {
			for _, v := range people {
				c.Separate(u, v)
			}
		}
		if len(c.at) > 0 || len(c.from) > 0 {
			r.Fatalf("%d people remain, and %d blocks", len(c.at), len(c.from))
		}
	})
}
