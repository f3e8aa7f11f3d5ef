package storagetest

import (
	"context"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/standingoffers"
)

// StandingOffers is the part of a Store that keeps standing offers; standingoffers.Store documents the methods.
type StandingOffers interface {
	AddStandingOffer(ctx context.Context, who storage.Occupant, k standingoffers.Kind, places int, first storage.MatchID, now time.Time) (standingoffers.Offer, error)
	EndStandingOffer(ctx context.Context, id storage.PlayerID, number int) error
	SetPlace(ctx context.Context, id storage.PlayerID, number int, was, next storage.MatchID, now time.Time) error
	StandingOffersOf(ctx context.Context, id storage.PlayerID) (standingoffers.Row, error)
	StandingOffers(ctx context.Context) ([]standingoffers.Row, error)
}

// memoryStanding returns the standing offers of a Memory, as any store has them, on an engine that forgets everything.
func (m *Memory) memoryStanding() *standingStore {
	return standingoffers.New(newMemoryEngine(), func(_ kv.Reader, id storage.PlayerID) (accounts.Player, error) {
		return m.Player(context.Background(), id)
	})
}

// inDays returns a kind of standing offer with a number of days a move.
func inDays(clock string) standingoffers.Kind {
	return standingoffers.Kind{Game: "tanks", Options: games.Options{"size": 6}, Clock: clock, Rated: true, Side: 1, Range: [2]int{1200, 1800}}
}

// standingPlaces: each place of a standing offer has one match at a time, and an offer that ends is gone with the last of them.
func standingPlaces(t *testing.T, s Store) {
	ctx, ann := t.Context(), signUp(t, s, "ann")
	who := person(ann)
	add := func(what string, k standingoffers.Kind, places int, want error) standingoffers.Offer {
		t.Helper()
		o, err := s.AddStandingOffer(ctx, who, k, places, "m1111111", minute(1))
		wants(t, what, err, want)
		return o
	}
	place := func(what string, was, next storage.MatchID, want error) {
		t.Helper()
		wants(t, what, s.SetPlace(ctx, ann.ID, 1, was, next, minute(2)), want)
	}
	matches := func(what string, want ...storage.MatchID) {
		t.Helper()
		row, err := s.StandingOffersOf(ctx, ann.ID)
		wants(t, what, err, nil)
		var got []storage.MatchID
		if o := row.Find(1); o != nil {
			got = o.Matches
		}
		same(t, what, got, want)
	}
	o := add("an offer", inDays("3d"), 2, nil)
	same(t, "the offer", o, standingoffers.Offer{Number: 1, Kind: inDays("3d"), Places: 2, Since: minute(1), Used: minute(1), Matches: []storage.MatchID{"m1111111"}})
	row, err := s.StandingOffersOf(ctx, ann.ID)
	wants(t, "the offers", err, nil)
	same(t, "the offers", row, standingoffers.Row{Who: who, Last: 1, Offers: []standingoffers.Offer{o}})

	place("a second match", "", "m2222222", nil)
	place("a third one", "", "m3333333", storage.ErrStale)
	matches("two matches", "m1111111", "m2222222")
	place("another in place of the first", "m1111111", "m3333333", nil)
	place("again", "m1111111", "m4444444", storage.ErrStale)
	matches("the first was replaced", "m2222222", "m3333333")
	place("nothing", "", "", storage.ErrInvalid)
	place("a free place", "m2222222", "", nil)
	matches("one match", "m3333333")

	wants(t, "the end", s.EndStandingOffer(ctx, ann.ID, 1), nil)
	place("a match of one that ends", "", "m5555555", storage.ErrStale)
	matches("it ends", "m3333333")
	place("the last match", "m3333333", "", nil)
	matches("it is gone")
	wants(t, "the end of one that is gone", s.EndStandingOffer(ctx, ann.ID, 1), storage.ErrNotFound)
	all, err := s.StandingOffers(ctx)
	wants(t, "all offers", err, nil)
	same(t, "all offers", len(all), 0)
}

// standingBounds: the places of a player are bounded, no two offers are of one kind, and offers go with the account.
func standingBounds(t *testing.T, s Store) {
	ctx, ann, bob := t.Context(), signUp(t, s, "ann"), signUp(t, s, "bob")
	for _, tt := range []struct {
		what   string
		who    storage.Occupant
		kind   standingoffers.Kind
		places int
		want   error
	}{
		{"no places", person(ann), inDays("1d"), 0, storage.ErrInvalid},
		{"fewer", person(ann), inDays("1d"), -3, storage.ErrInvalid},
		{"too many places", person(ann), inDays("1d"), standingoffers.MaxPlaces + 1, standingoffers.ErrManyPlaces},
		{"three places", person(ann), inDays("1d"), 3, nil},
		{"the same kind", person(ann), inDays("1d"), 1, standingoffers.ErrAlike},
		{"too many together", person(ann), inDays("2d"), 2, standingoffers.ErrManyPlaces},
		{"the last place", person(ann), inDays("2d"), 1, nil},
		{"another player", person(bob), inDays("1d"), 4, nil},
		{"nobody", storage.Occupant{Kind: storage.Person, ID: "aaaaaaaaaaaaaaaa", Name: "x"}, inDays("1d"), 1, storage.ErrNotFound},
	} {
		_, err := s.AddStandingOffer(ctx, tt.who, tt.kind, tt.places, "m1111111", start)
		wants(t, tt.what, err, tt.want)
	}
	count := func(want int) {
		t.Helper()
		all, err := s.StandingOffers(ctx)
		n := 0
		for _, row := range all {
			n += len(row.Offers)
		}
		wants(t, "all offers", err, nil)
		same(t, "the number of offers", n, want)
	}
	count(3)
	_, err := s.DeletePlayer(ctx, ann.ID, start)
	wants(t, "delete", err, nil)
	count(1)
	wants(t, "a place of a player who is gone", s.SetPlace(ctx, ann.ID, 1, "m1111111", "", start), storage.ErrNotFound)
}
