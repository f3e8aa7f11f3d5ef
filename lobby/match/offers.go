package match

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// # Offers between the two sides
//
// A side may offer the other a draw, in a casual match ask to take back its last move, and in one with days a move to adjourn it. At most one offer
// of each kind is open at a time. The other side accepts it or declines it. It lapses with a move of either side and with the end of the match. A
// draw that both sides offer is agreed. Offers don't stop a clock, and no draw is agreed once the time of the side to move is up.
//
// A seat may repeat an offer only after a pause, so that it can't pester the other side: see mayOffer. A log with more offers is valid: the
// fold counts offers, and the acts refuse them.

const (
	offerPause = 5  // moves that a seat makes before it repeats an offer, unless the other side agreed
	maxOffers  = 10 // of a kind, by one seat, in one match
)

// An offering counts the offers in a match, by kind and side.
type offering struct{ draw, takeback, adjourn [2]offersMade }

// offersMade are the offers of one kind by one seat.
type offersMade struct {
	times  int
	next   int       // the number of the seat's moves at which it may offer again
	number uint64    // of the event of the newest offer
	at     time.Time // of that event
}

// of returns the offers of one kind; ok is false if there is no such kind.
func (o *offering) of(kind string) (made *[2]offersMade, ok bool) {
	switch kind {
	case matches.OfferDraw:
		return &o.draw, true
	case matches.OfferTakeback:
		return &o.takeback, true
	case matches.OfferAdjourn:
		return &o.adjourn, true
	}
	return nil, false
}

// by returns the offers of a kind by a seat; none if there is no such kind.
func (o *offering) by(kind string, seat storage.Seat) offersMade {
	made, ok := o.of(kind)
	if !ok {
		return offersMade{}
	}
	return made[seat.Side()]
}

// openOffer returns a pointer to the seat with an open offer of a kind. ok is false if there is no such kind.
func openOffer(o *matches.Offers, kind string) (by *storage.Seat, ok bool) {
	switch kind {
	case matches.OfferDraw:
		return &o.Draw, true
	case matches.OfferTakeback:
		return &o.Takeback, true
	case matches.OfferAdjourn:
		return &o.Adjourn, true
	}
	return nil, false
}

// offer applies an offered event.
func (s *State) offer(e matches.Event) error {
	by, ok := openOffer(&s.Offers, e.Offer)
	switch m := s.Summary(); {
	case !ok:
		return fmt.Errorf("nobody can offer %q", e.Offer)
	case *by != storage.Nobody:
		return errors.New("an offer of this kind is open")
	case e.Offer == matches.OfferTakeback && s.Opening.Rated:
		return errors.New("it is rated, so moves stand")
	case e.Offer == matches.OfferAdjourn && !m.mayBeAdjourned() && !m.MayWait():
		return errors.New("its clocks don't stand")
	}
	*by = e.Seat
	made, _ := s.offered.of(e.Offer)
	side := e.Seat.Side()
	made[side] = offersMade{times: made[side].times + 1, next: s.MadeBy(side) + offerPause, number: e.Seq, at: e.At}
	return nil
}

// answer applies an answered event: a seat accepts or declines an offer of the other side.
func (s *State) answer(e matches.Event) error {
	by, ok := openOffer(&s.Offers, e.Offer)
	switch {
	case !ok || *by == storage.Nobody || *by == e.Seat:
		return errors.New("the other side has not offered that")
	case e.Yes && !s.recorded && s.Clock.Expired(e.At):
		return ErrTimeUp
	}
	asker := *by
	*by = storage.Nobody
	switch {
	case e.Yes && e.Offer == matches.OfferDraw:
		s.closing = e
	case e.Yes && e.Offer == matches.OfferAdjourn:
		return s.pause(e.At, s.Pauses.adjourned(e.At))
	case e.Yes:
		s.granted = asker
		s.offered.takeback[asker.Side()].next = 0
	}
	return nil
}

// OfferDraw offers a draw to the other side, or agrees to its offer. If a user holds both seats, the draw is agreed at once.
func OfferDraw(u User) Act {
	return func(s *State) ([]matches.Event, error) {
		if err := s.may(u, OfferDrawAct, 0); err != nil {
			return refuse(err)
		}
		seat, _ := s.seatOf(u)
		other := storage.SeatOf(seat.Side().Other())
		offer := matches.Event{Kind: matches.Offered, Seat: seat, Offer: matches.OfferDraw}
		yes := matches.Event{Kind: matches.Answered, Seat: seat, Offer: matches.OfferDraw, Yes: true}
		switch {
		case s.Offers.Draw == other:
			return []matches.Event{yes}, nil
		case s.hotseat():
			yes.Seat = other
			return []matches.Event{offer, yes}, nil
		}
		return []matches.Event{offer}, nil
	}
}

// Answer accepts or declines the open offer of a kind by the other side. A number other than 0 must be that offer's. A match has at most limit
// takebacks. The error is ErrNoOffer if no offer of the kind is open, and ErrOfferChanged if the offer with the number is not.
func Answer(u User, kind string, number uint64, yes bool, limit int) Act {
	return func(s *State) ([]matches.Event, error) {
		seat, err := s.playing(u)
		if err != nil {
			return nil, err
		}
		by, _ := openOffer(&s.Offers, kind)
		err = s.mayAnswer(seat, kind)
		switch {
		case number != 0 && (err != nil || s.offered.by(kind, *by).number != number):
			return nil, ErrOfferChanged
		case err != nil:
			return nil, err
		}
		events := []matches.Event{{Kind: matches.Answered, Seat: seat, Offer: kind, Yes: yes}}
		if kind != matches.OfferTakeback || !yes {
			return events, nil
		}
		if s.takebacks >= limit {
			return nil, ErrTakebacks
		}
		plies, err := s.pliesBack(*by)
		return append(events, matches.Event{Kind: matches.TakenBack, Seat: *by, Plies: plies}), err
	}
}

// MayOffer reports whether earlier offers allow a seat to make an offer of a kind now.
func (s *State) MayOffer(seat storage.Seat, kind string) bool { return s.mayOffer(seat, kind) == nil }

// OffersMade returns the number of offers of a kind that a seat has made.
func (s *State) OffersMade(seat storage.Seat, kind string) int {
	return s.offered.by(kind, seat).times
}

// The kinds of offers that are matches of their own, with a seat reserved for one user.
const (
	OfferRematch   = "rematch"
	OfferChallenge = "challenge"
)

// An OpenOffer is an offer that has not been answered.
type OpenOffer struct {
	Number uint64 // unique among the offers of the match
	Kind   string // matches.OfferDraw, matches.OfferTakeback, matches.OfferAdjourn, OfferRematch or OfferChallenge
	By     games.Side
	At     time.Time
}

// An OfferRef says which open offer of a match a user answers. The zero value means the only open offer.
type OfferRef struct {
	Kind   string // "" for any
	Number uint64 // 0 for any
}

// Ref returns a reference to this offer only.
func (o OpenOffer) Ref() OfferRef { return OfferRef{o.Kind, o.Number} }

// Fits reports whether the kind and the number of a reference match an offer.
func (r OfferRef) Fits(o OpenOffer) bool {
	return (r.Kind == "" || r.Kind == o.Kind) && (r.Number == 0 || r.Number == o.Number)
}

// Choose returns the offer among some that a reference means. The error is ErrNoOffer if none fits, ErrOfferChanged if none has the number, and
// ErrWhichOffer if several fit.
func (r OfferRef) Choose(among []OpenOffer) (chosen OpenOffer, err error) {
	err = ErrNoOffer
	if r.Number != 0 {
		err = ErrOfferChanged
	}
	for _, o := range among {
		switch {
		case !r.Fits(o):
		case err == nil:
			return OpenOffer{}, ErrWhichOffer
		default:
			chosen, err = o, nil
		}
	}
	return chosen, err
}

// open returns the offers between the two sides that are open, the oldest first; nil for none.
func (o *offering) open(offers matches.Offers) (open []OpenOffer) {
	if offers == (matches.Offers{}) {
		return nil
	}
	for _, kind := range [...]string{matches.OfferDraw, matches.OfferTakeback, matches.OfferAdjourn} {
		if by, _ := openOffer(&offers, kind); *by != storage.Nobody {
			newest := o.by(kind, *by)
			open = append(open, OpenOffer{newest.number, kind, by.Side(), newest.at})
		}
	}
	slices.SortFunc(open, func(a, b OpenOffer) int { return cmp.Compare(a.Number, b.Number) })
	return open
}

// OpenOffers returns all open offers of the match, the oldest first: offers between the two sides, a rematch when the match is over, and the match
// itself while it waits for the user for whom a seat is reserved. The number of a rematch is the time at which it was opened, in milliseconds
// since 1970. The number of the match itself is 1, the number of its first event.
func (v *View) OpenOffers() []OpenOffer {
	switch r := v.Rematch; {
	case v.Over && r != nil && !r.Taken && r.By.Kind != storage.Free:
		side := games.First
		if v.Holds(User(r.By), games.Second) {
			side = games.Second
		}
		return []OpenOffer{{uint64(r.At.UnixMilli()), OfferRematch, side, r.At}}
	case v.Over:
		return nil
	case v.Started.IsZero() && v.Reserved.Kind != storage.Free && v.Opener != storage.Nobody:
		return []OpenOffer{{1, OfferChallenge, v.Opener.Side(), v.Opened}}
	}
	return v.Between
}

// OffersTo returns the open offers that a user can answer, the oldest first.
func (v *View) OffersTo(u User) (open []OpenOffer) {
	for _, o := range v.OpenOffers() {
		answers := v.Holds(u, o.By.Other())
		if o.Kind == OfferChallenge {
			answers = u.Is(v.Reserved)
		}
		if answers && !v.Holds(u, o.By) {
			open = append(open, o)
		}
	}
	return open
}

// OffersOf returns the open offers between the two sides that a user has made, the oldest first.
func (v *View) OffersOf(u User) (open []OpenOffer) {
	for _, o := range v.Between {
		if v.Holds(u, o.By) {
			open = append(open, o)
		}
	}
	return open
}

// NewOffers returns the offers in now that are not in old.
func NewOffers(old, now []OpenOffer) (fresh []OpenOffer) {
	for _, o := range now {
		if !slices.ContainsFunc(old, func(was OpenOffer) bool { return was.Ref() == o.Ref() }) {
			fresh = append(fresh, o)
		}
	}
	return fresh
}

// HasOffer reports whether an offer of a kind is among some.
func HasOffer(among []OpenOffer, kind string) bool {
	return slices.ContainsFunc(among, func(o OpenOffer) bool { return o.Kind == kind })
}

// OfferDeclined returns the kind of a user's offer that the other side has declined since the view old; "" for none. An opponent's move instead
// of an answer doesn't count. A computer player's does: it declines together with its move.
func (v *View) OfferDeclined(old *View, u User) (kind string) {
	gone := NewOffers(v.OffersOf(u), old.OffersOf(u))
	if len(gone) == 0 || v.Over || !v.Continues(old) {
		return ""
	}
	was := gone[len(gone)-1]
	if was.Kind == matches.OfferAdjourn && !v.Pauses.Adjourned.Equal(old.Pauses.Adjourned) {
		return "" // the other side has agreed
	}
	if other := v.Seats[was.By.Other()]; v.Ply() != old.Ply() && (other.Kind != storage.Bot || old.YourTurn(u)) {
		return ""
	}
	return was.Kind
}
