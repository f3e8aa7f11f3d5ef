// Package standingoffers stores the offers that players keep open: what each is for, and the matches that were opened for it.
package standingoffers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// MaxPlaces is how many matches all standing offers of one player have together, untaken ones included.
const MaxPlaces = 4

// Errors of standing offers.
var (
	// ErrManyPlaces says that the offers of a player would have more than MaxPlaces.
	ErrManyPlaces = errors.New("too many standing offers")

	// ErrAlike says that the player keeps an offer of the same kind open.
	ErrAlike = errors.New("there is a standing offer of this kind")
)

// A Store keeps standing offers.
type Store struct {
	engine kv.Store
	player func(r kv.Reader, id storage.PlayerID) (accounts.Player, error)
}

// New returns the standing offers that an engine keeps. player reads a player who has not been deleted; see accounts.ReadKnown.
func New(engine kv.Store, player func(r kv.Reader, id storage.PlayerID) (accounts.Player, error)) *Store {
	return &Store{engine, player}
}

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{Tables: []storage.AnyTable{Offers}}
}

// A Kind is what the matches of a standing offer are like.
type Kind struct {
	Game    string        `json:"game"`
	Options games.Options `json:"options"`         // complete
	Clock   string        `json:"clock,omitempty"` // 5+3 or 3d; "" for none
	Rated   bool          `json:"rated,omitempty"`
	Side    uint8         `json:"side,omitempty"` // which side the player has: 0 either, 1 the first, 2 the second
	Range   [2]int        `json:"range,omitzero"` // the least and the highest rating of a player who may take one; zero: any
}

// Same reports whether two kinds are the same.
func (k Kind) Same(other Kind) bool {
	return k.Game == other.Game && k.Options.Equal(other.Options) && k.Clock == other.Clock && k.Rated == other.Rated &&
		k.Side == other.Side && k.Range == other.Range
}

// An Offer is a standing offer.
type Offer struct {
	Number int `json:"number"` // of the offers of a player, from 1 on
	Kind
	Places int       `json:"places"` // how many of its matches go on at a time, untaken ones included
	Since  time.Time `json:"since"`
	Used   time.Time `json:"used"` // when a match was last opened for it

	// Matches are the places that are in use. A match stands here before it is opened, so that it is opened once whatever happens in between.
	Matches []storage.MatchID `json:"matches,omitempty"`
	Ends    bool              `json:"ends,omitempty"` // nothing is opened any more, and what is untaken is withdrawn; then the offer is gone
}

// A Row is all standing offers of a player.
type Row struct {
	Who    storage.Occupant `json:"who"`
	Last   int              `json:"last"` // the highest number since the player had no offers
	Offers []Offer          `json:"offers,omitempty"`
}

// Find returns the offer with a number; nil if there is none.
func (r *Row) Find(number int) *Offer {
	for i := range r.Offers {
		if r.Offers[i].Number == number {
			return &r.Offers[i]
		}
	}
	return nil
}

// Offers are the standing offers of each player who has any.
var Offers = storage.Table[storage.PlayerID, Row]{
	Name: "standing_offers", Keys: storage.Text(storage.IsPlayerID), Values: storage.JSON[storage.PlayerID, Row](1),
	Check: func(id storage.PlayerID, r Row) error {
		if check(id, r) != nil {
			return storage.Damaged("standing offers that make no sense")
		}
		return nil
	},
}

func check(id storage.PlayerID, r Row) error {
	places, last := 0, 0
	for _, o := range r.Offers {
		wrong := o.Number <= last || o.Number > r.Last || o.Game == "" || o.Places < 1 || len(o.Matches) > o.Places || o.Side > 2 ||
			o.Range[0] < 0 || o.Range[1] < o.Range[0] || slices.Contains(o.Matches, "")
		if wrong {
			return fmt.Errorf("%w: the standing offer %d makes no sense", storage.ErrInvalid, o.Number)
		}
		if err := errors.Join(storage.CheckText(o.Game, o.Clock), storage.CheckOptions(o.Options)); err != nil {
			return err
		}
		for _, m := range o.Matches {
			if err := storage.CheckKeys(string(m)); err != nil {
				return err
			}
		}
		last = o.Number
		places += o.Places
	}
	if len(r.Offers) == 0 || r.Who.Kind != storage.Person || r.Who.ID != string(id) || places > MaxPlaces {
		return fmt.Errorf("%w: standing offers of %s for %d matches", storage.ErrInvalid, r.Who.Kind, places)
	}
	return storage.CheckOccupants(r.Who)
}

// AddStandingOffer keeps a standing offer of a player, with the id of its first match, and returns it. The errors are storage.ErrNotFound for an
// unknown player, ErrManyPlaces, ErrAlike and storage.ErrInvalid.
func (s *Store) AddStandingOffer(ctx context.Context, who storage.Occupant, k Kind, places int, first storage.MatchID, now time.Time) (Offer, error) {
	id := storage.PlayerID(who.ID)
	return storage.Updated(ctx, s.engine, fmt.Sprintf("standing offer of player %s", id), func(tx kv.Tx) (o Offer, err error) {
		if err := storage.CheckKeys(string(id), string(first)); err != nil {
			return o, err
		}
		if _, err := s.player(tx, id); err != nil {
			return o, err
		}
		row, _, err := Offers.Find(tx, id)
		if err != nil {
			return o, err
		}
		all := max(places, 0)
		for _, other := range row.Offers {
			if other.Same(k) {
				return o, ErrAlike
			}
			all += other.Places
		}
		if all > MaxPlaces {
			return o, ErrManyPlaces
		}
		now = storage.Stored(now)
		o = Offer{Number: row.Last + 1, Kind: k, Places: places, Since: now, Used: now, Matches: []storage.MatchID{first}}
		row.Who, row.Last, row.Offers = who, o.Number, append(slices.Clone(row.Offers), o)
		if err := check(id, row); err != nil {
			return o, err
		}
		return o, Offers.Put(tx, id, row)
	})
}

// EndStandingOffer keeps that a standing offer ends. The error is storage.ErrNotFound if there is none with this number.
func (s *Store) EndStandingOffer(ctx context.Context, id storage.PlayerID, number int) error {
	return s.change(ctx, id, number, func(o *Offer) error {
		o.Ends = true
		return nil
	})
}

// SetPlace replaces a match of a standing offer by a new one, which is about to be opened; the times say when. was is "" for a place that is free,
// and next is "" to free the place. The errors are storage.ErrNotFound if there is no such offer, and storage.ErrStale if was is not one of its
// matches, no place is free, or the offer ends and a match would be opened.
func (s *Store) SetPlace(ctx context.Context, id storage.PlayerID, number int, was, next storage.MatchID, now time.Time) error {
	if err := storage.CheckKeys(string(was + next)); err != nil {
		return err
	}
	return s.change(ctx, id, number, func(o *Offer) error {
		i := slices.Index(o.Matches, was)
		switch {
		case was != "" && i < 0, next != "" && o.Ends, was == "" && len(o.Matches) >= o.Places:
			return storage.ErrStale
		case was != "":
			o.Matches = slices.Delete(slices.Clone(o.Matches), i, i+1)
		}
		if next != "" {
			o.Matches, o.Used = append(slices.Clone(o.Matches), next), storage.Stored(now)
		}
		return nil
	})
}

// change changes an offer. One that ends and has no match is removed.
func (s *Store) change(ctx context.Context, id storage.PlayerID, number int, to func(*Offer) error) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("standing offer of player %s", id), func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(id)); err != nil {
			return err
		}
		row, err := Offers.Get(tx, id)
		if err != nil {
			return err
		}
		row.Offers = slices.Clone(row.Offers)
		o := row.Find(number)
		if o == nil {
			return storage.ErrNotFound
		}
		if err := to(o); err != nil {
			return err
		}
		row.Offers = slices.DeleteFunc(row.Offers, func(o Offer) bool { return o.Ends && len(o.Matches) == 0 })
		if len(row.Offers) == 0 {
			Offers.Delete(tx, id)
			return nil
		}
		return Offers.Put(tx, id, row)
	})
}

// StandingOffersOf returns the standing offers of a player; none is no error.
func (s *Store) StandingOffersOf(ctx context.Context, id storage.PlayerID) (Row, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("standing offers of player %s", id), func(r kv.Reader) (row Row, err error) {
		if err := storage.CheckKeys(string(id)); err != nil {
			return row, err
		}
		row, _, err = Offers.Find(r, id)
		return row, err
	})
}

// StandingOffers returns the standing offers of all players who have any.
func (s *Store) StandingOffers(ctx context.Context) ([]Row, error) {
	return storage.View(ctx, s.engine, "standing offers", func(r kv.Reader) (all []Row, err error) {
		for e, err := range Offers.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			all = append(all, e.Value)
		}
		return all, nil
	})
}

// FollowStandingOffers follows the standing offers of all players until ctx ends; see storage.Follower.
func (s *Store) FollowStandingOffers(ctx context.Context, f storage.Follower[storage.PlayerID, Row]) error {
	return Offers.Follow(ctx, s.engine, f)
}

// HasAny reports whether a player has any standing offer.
func HasAny(r kv.Reader, id storage.PlayerID) (bool, error) { return Offers.Has(r, id) }

// Erase deletes the standing offers of a player.
func Erase(tx kv.Tx, id storage.PlayerID) error {
	Offers.Delete(tx, id)
	return nil
}
