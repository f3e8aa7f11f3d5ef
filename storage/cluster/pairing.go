package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
)

// # Pairing over several nodes
//
// Each person who looks for a quick match, on any node, has a row that all nodes follow. The node that owns the pool opens the match
// of a pair with OpenMatch, which writes it to both rows in the same transaction. So each search gets at most one match, even if several nodes
// act as the owner.
//
// A person who does something else meanwhile is away. If such a person is in a pair, no match is opened yet: HoldSeekers holds the two for each other
// until a time, by which the person has to come. The owner opens the match when both are there, and lets go of a search whose partner is late or
// gone.

// ErrTaken means that the terms of a match don't hold: one of its seekers is in another match, or its place is taken.
var ErrTaken = errors.New("another node was faster")

// A SeekerID identifies a search on a node.
type SeekerID struct {
	Node   NodeID
	Ticket string
}

// A Seeker is the search of a person who looks for a quick match.
type Seeker struct {
	ID    SeekerID         `json:"-"`
	Who   storage.Occupant `json:"who"`
	Wish                   // the preferred one
	More  []Wish           `json:"more,omitempty"`  // the others
	Since time.Time        `json:"since"`           // by the clock of events
	Apart []string         `json:"apart,omitempty"` // people with whom the person must not be paired for now, as their node knows

	Match storage.MatchID `json:"match,omitempty"` // the match that was opened for them, which ends the search
	Code  string          `json:"code,omitempty"`  // of Match
	Over  bool            `json:"over,omitempty"`  // they have asked for another match, which ends this search

	Away   bool     `json:"away,omitempty"`   // they do something else until they are called
	Held   *Hold    `json:"held,omitempty"`   // what they are called for, or wait for until the other one comes
	Missed []string `json:"missed,omitempty"` // people who were away and did not come when they were called to them, the newest last

	Offer   storage.MatchID    `json:"offer,omitempty"`   // an open match that the node of the search is to take for them
	Tried   []storage.Occupant `json:"tried,omitempty"`   // the owners of all such matches so far
	Refused *Refusal           `json:"refused,omitempty"` // why they can't have a match, which ends the search
}

// A Hold is a match that is to be opened, or taken, when all who are away have come. With or Offer is set.
type Hold struct {
	With  SeekerID         `json:"with,omitzero"`   // the search of the opponent
	Offer storage.MatchID  `json:"offer,omitempty"` // the open match that the search is to take
	By    storage.Occupant `json:"by"`              // the opponent
	Wish  Wish             `json:"wish"`            // what they are to play; the ratings are left out
	Until time.Time        `json:"until"`           // by when they have to come
}

// A Wish is a match that a person would play.
type Wish struct {
	Game      string  `json:"game"`
	Options   string  `json:"options"`         // in one text
	Clock     string  `json:"clock,omitempty"` // or the name of a class of clocks, any of which will do
	Rated     bool    `json:"rated,omitempty"`
	Rating    float64 `json:"rating"` // of the person in the game
	Deviation float64 `json:"deviation"`
}

// A Refusal is why a person can't have a match. Package lobby/quick defines the reasons.
type Refusal struct {
	Reason string        `json:"reason"`
	Wait   time.Duration `json:"wait,omitempty"` // until they may have one; 0: that isn't known
}

// Waits reports whether a search may be paired.
func (who Seeker) Waits() bool { return who.open() && who.Held == nil }

// IsHeld reports whether a search that goes on is held for another one, or for an offer.
func (who Seeker) IsHeld() bool { return who.open() && who.Held != nil }

func (who Seeker) open() bool {
	return who.Match == "" && !who.Over && who.Offer == "" && who.Refused == nil
}

// mayPlay reports whether a match may be opened for a search together with others: the person is there, and is held for none but these.
func (who Seeker) mayPlay(with []SeekerID) bool {
	return !who.Away && (who.Waits() || who.IsHeld() && slices.Contains(with, who.Held.With))
}

// Seekers are the searches on each node.
var Seekers = storage.Table[SeekerID, Seeker]{
	Name: "seekers", Traits: storage.Traits{Brief: true, OfNodes: true},
	Keys: storage.Join(storage.Text[NodeID](nil), storage.Text[string](nil),
		func(id SeekerID) (NodeID, string) { return id.Node, id.Ticket },
		func(node NodeID, ticket string) SeekerID { return SeekerID{node, ticket} }),
	Values: storage.JSONAs(1, func(who Seeker) Seeker { return who }, func(id SeekerID, who Seeker) (Seeker, error) {
		who.ID = id
		return who, nil
	}),
}

// Places holds, for each name that one match at a time may hold, the match that took it last.
var Places = storage.Table[string, storage.MatchID]{
	Name: "places", Keys: storage.Text[string](nil), Values: storage.Plain[string](func(id storage.MatchID) bool { return id != "" }), Traits: storage.Traits{Brief: true, OfNodes: true},
}

// AddSeeker writes a search, unless it is there. The error wraps ErrNotFound if its node was declared gone.
func (s *Store) AddSeeker(ctx context.Context, who Seeker) error {
	return storage.Update(ctx, s.engine, searchOfPlayer, func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(who.ID.Node), who.ID.Ticket); err != nil {
			return err
		}
		if err := mustBeUp(tx, who.ID.Node); err != nil {
			return err
		}
		if there, err := Seekers.Has(tx, who.ID); err != nil || there {
			return err
		}
		return Seekers.Put(tx, who.ID, who)
	})
}

const searchOfPlayer = "search for a quick match"

// RemoveSeeker removes a search and returns its last state, which may have a match. The error wraps ErrNotFound if there is none, as
// after its node was declared gone.
func (s *Store) RemoveSeeker(ctx context.Context, id SeekerID) (was Seeker, err error) {
	return storage.Updated(ctx, s.engine, searchOfPlayer, func(tx kv.Tx) (Seeker, error) {
		was, err := Seekers.Get(tx, id)
		if err == nil {
			Seekers.Delete(tx, id)
		}
		return was, err
	})
}

// ChangeSeeker changes a search that goes on. The error wraps ErrNotFound if it is gone, is over or has a match.
func (s *Store) ChangeSeeker(ctx context.Context, id SeekerID, change func(who *Seeker)) error {
	return storage.Update(ctx, s.engine, searchOfPlayer, func(tx kv.Tx) error {
		who, err := Seekers.Get(tx, id)
		if err != nil {
			return err
		}
		if who.Match != "" || who.Over {
			return storage.ErrNotFound
		}
		change(&who)
		return Seekers.Put(tx, id, who)
	})
}

// HoldSeekers holds two searches that wait for each other. The error is ErrTaken if one of them doesn't wait any more.
func (s *Store) HoldSeekers(ctx context.Context, ids [2]SeekerID, wish Wish, until time.Time) error {
	return storage.Update(ctx, s.engine, searchOfPlayer, func(tx kv.Tx) error {
		var both [2]Seeker
		for i, id := range ids {
			who, found, err := Seekers.Find(tx, id)
			if err != nil {
				return err
			}
			if !found || !who.Waits() {
				return ErrTaken
			}
			both[i] = who
		}
		for i, who := range HoldEachOther(both, wish, until) {
			if err := Seekers.Put(tx, ids[i], who); err != nil {
				return err
			}
		}
		return nil
	})
}

// HoldEachOther returns two searches as they are when they are held for each other.
func HoldEachOther(both [2]Seeker, wish Wish, until time.Time) [2]Seeker {
	held := both
	for i := range held {
		other := both[1-i]
		held[i].Held = &Hold{With: other.ID, By: other.Who, Wish: wish, Until: until}
	}
	return held
}

// PlaceOf is the place that the match of a search holds: it is known after the row is gone, as when the node was declared gone.
func PlaceOf(id SeekerID) string { return "search " + string(id.Node) + " " + id.Ticket }

// FollowSeekers follows the searches of all nodes until ctx ends; see Follower.
func (s *Store) FollowSeekers(ctx context.Context, f storage.Follower[SeekerID, Seeker]) error {
	return Seekers.Follow(ctx, s.engine, f)
}

// Terms are conditions on opening a match.
type Terms struct {
	// Seekers must still wait for a match, and be there. The new one is entered in their rows, and takes the places PlaceOf.
	Seekers []SeekerID

	// Place is a name that at most one unfinished match may hold; "" for none. The new match takes it, provided that its holder is Last
	// ("" for none) or is over.
	Place string
	Last  storage.MatchID
}

// OpenMatch is Append for the first events of a match, on terms. The error wraps ErrTaken if these don't hold.
func (s *Store) OpenMatch(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary, t Terms) error {
	return s.matches.AppendIf(ctx, id, events, m, func(tx kv.Tx) error {
		for _, seeker := range t.Seekers {
			who, found, err := Seekers.Find(tx, seeker)
			if err != nil {
				return err
			}
			if !found || !who.mayPlay(t.Seekers) {
				return ErrTaken
			}
			who.Match, who.Code, who.Held = id, events[0].Opening.Code, nil
			if err := errors.Join(Seekers.Put(tx, seeker, who), Places.Put(tx, PlaceOf(seeker), id)); err != nil {
				return err
			}
		}
		if t.Place == "" {
			return nil
		}
		last, _, err := Places.Find(tx, t.Place)
		if err != nil {
			return err
		}
		if last != t.Last && last != "" {
			if goesOn, err := matches.Summaries.Has(tx, last); err != nil {
				return err
			} else if goesOn {
				return ErrTaken
			}
		}
		return Places.Put(tx, t.Place, id)
	})
}

// Place returns the match that last took a place, or "".
func (s *Store) Place(ctx context.Context, place string) (storage.MatchID, error) {
	return storage.View(ctx, s.engine, "place of a match", func(r kv.Reader) (storage.MatchID, error) {
		last, _, err := Places.Find(r, place)
		return last, err
	})
}

// Sweep removes the places of matches that are over.
func (s *Store) Sweep(ctx context.Context) error {
	return Places.All().Sweep(ctx, s.engine, func(r kv.Reader, e storage.Entry[string, storage.MatchID]) (bool, error) {
		goesOn, err := matches.Summaries.Has(r, e.Value)
		return !goesOn, err
	})
}
