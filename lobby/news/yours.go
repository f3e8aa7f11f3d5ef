package news

import (
	"slices"

	"ludoteca/lobby/lists"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// A Fold finds what is new in a user's lists. It keeps little of each match, for a reader may wait a day. The zero value knows nothing.
type Fold struct {
	begun bool
	known []known // in the order of the lists
}

// known is what a Fold keeps of a match.
type known struct {
	ref     match.Ref
	invited bool // the user has no seat in it
	started bool
	waits   bool // for the user's move
	ply     int
	asks    matches.Offers // the open offers of the other side alone
}

// Take returns what has happened between the lists that it took last and yours: nothing the first time. However many lists the caller has
// missed, each thing that is true at the end and was not true before is returned once. The items point into yours.
func (f *Fold) Take(yours lists.Yours) (items []Item) {
	mine, invited := indexOf(yours)
	was := make(map[storage.MatchID]bool, len(f.known))
	for _, k := range f.known {
		was[k.ref.ID] = true
		m := mine[k.ref.ID]
		switch {
		case m != nil && k.invited:
			items = append(items, taken(m)...)
		case m != nil:
			items = append(items, k.since(m)...)
		case !k.invited || !invited[k.ref.ID]:
			items = append(items, Item{Kind: Ended, Match: k.ref, Invited: k.invited})
		}
	}
	for i := range yours.Matches {
		m := &yours.Matches[i]
		switch {
		case was[m.ID]:
		case m.Tournament != (storage.TournamentBoard{}):
			items = append(items, itemOf(Paired, m))
		case m.Waits() && m.Ply > m.Start: // joined by the user, and answered since
			items = append(items, itemOf(YourMove, m))
		}
	}
	for i := range yours.Invitations {
		if o := &yours.Invitations[i]; !was[o.ID] {
			items = append(items, invitation(o))
		}
	}
	if !f.begun {
		items = nil
	}
	f.begun, f.known = true, knownOf(yours)
	return items
}

// indexOf returns the matches of some lists, and the ids of the invitations.
func indexOf(yours lists.Yours) (mine map[storage.MatchID]*lists.Mine, invited map[storage.MatchID]bool) {
	mine, invited = make(map[storage.MatchID]*lists.Mine, len(yours.Matches)), make(map[storage.MatchID]bool, len(yours.Invitations))
	for i := range yours.Matches {
		mine[yours.Matches[i].ID] = &yours.Matches[i]
	}
	for _, o := range yours.Invitations {
		invited[o.ID] = true
	}
	return mine, invited
}

func knownOf(yours lists.Yours) []known {
	all := make([]known, 0, len(yours.Matches)+len(yours.Invitations))
	for i := range yours.Matches {
		m := &yours.Matches[i]
		all = append(all, known{ref: m.Ref, started: !m.Started.IsZero(), waits: m.Waits(), ply: m.Ply, asks: asks(m)})
	}
	for _, o := range yours.Invitations {
		all = append(all, known{ref: o.Ref, invited: true})
	}
	return all
}

// taken returns what is new in a match whose reserved seat the user has taken: whether it is their move.
func taken(m *lists.Mine) []Item {
	if !m.YourTurn {
		return nil
	}
	return []Item{itemOf(YourMove, m)}
}

// since returns what is new in a match of the user: it begins, or it is their move again, and what the other side offers.
func (k known) since(m *lists.Mine) (items []Item) {
	switch {
	case m.Both:
		return nil
	case !k.started && !m.Started.IsZero():
		items = append(items, itemOf(Begins, m))
	case m.Waits() && (!k.waits || m.Ply > k.ply):
		items = append(items, itemOf(YourMove, m))
	}
	return append(items, newOffers(k.asks, m)...)
}

// newOffers returns an item for each open offer of the other side of a match that is not among old.
func newOffers(old matches.Offers, m *lists.Mine) (items []Item) {
	now := asks(m)
	if now.Draw != storage.Nobody && old.Draw == storage.Nobody {
		items = append(items, offered(m, matches.OfferDraw))
	}
	if now.Takeback != storage.Nobody && old.Takeback == storage.Nobody {
		items = append(items, offered(m, matches.OfferTakeback))
	}
	if now.Adjourn != storage.Nobody && old.Adjourn == storage.Nobody {
		items = append(items, offered(m, matches.OfferAdjourn))
	}
	return items
}

// asks returns the open offers of the other side of a match.
func asks(m *lists.Mine) (open matches.Offers) {
	if m.Both || m.Started.IsZero() {
		return matches.Offers{}
	}
	other := storage.SeatOf(m.Side.Other())
	if m.Offers.Draw == other {
		open.Draw = other
	}
	if m.Offers.Takeback == other {
		open.Takeback = other
	}
	if m.Offers.Adjourn == other {
		open.Adjourn = other
	}
	return open
}

// itemOf returns the item that a match begins or waits for the user's move.
func itemOf(kind Kind, m *lists.Mine) Item {
	at := m.LastAt
	if kind == Begins || kind == Paired {
		at = m.Started
	}
	return Item{Kind: kind, Match: m.Ref, By: m.Opponent, At: at, Mine: m, Own: kind == YourMove && m.Ply == m.Start && !begunByOther(m)}
}

// begunByOther reports whether a match began with another person who took the seat that the user had left free.
func begunByOther(m *lists.Mine) bool {
	return m.Own && !m.Started.IsZero() && !m.Both && m.Opponent.Kind != storage.Bot
}

func offered(m *lists.Mine, kind string) Item {
	return Item{Kind: Offered, Match: m.Ref, By: m.Opponent, At: m.LastAt, Mine: m, Offer: kind}
}

func invitation(o *lists.Offer) Item {
	i := Item{Kind: Challenged, Match: o.Ref, By: o.By, At: o.Since, Challenge: o, Offer: match.OfferChallenge}
	if o.RematchOf != "" {
		i.Kind, i.Offer = Rematch, match.OfferRematch
	}
	return i
}

// Standing returns what there is for a user now, the oldest first: matches that wait for their move, matches that an opponent has begun and is
// to move in, what other sides offer, and invitations. At says since when, as far as the lists know: that a match waits since its last event,
// which may be an offer made after the move.
func Standing(yours lists.Yours) (items []Item) {
	for i := range yours.Matches {
		m := &yours.Matches[i]
		switch {
		case m.Tournament != (storage.TournamentBoard{}) && m.Ply == m.Start:
			items = append(items, itemOf(Paired, m))
		case m.Waits():
			items = append(items, itemOf(YourMove, m))
		case begunByOther(m) && m.Ply == m.Start:
			items = append(items, itemOf(Begins, m))
		}
		items = append(items, newOffers(matches.Offers{}, m)...)
	}
	for i := range yours.Invitations {
		items = append(items, invitation(&yours.Invitations[i]))
	}
	slices.SortStableFunc(items, func(a, b Item) int { return a.At.Compare(b.At) })
	return items
}
