package match

import (
	"errors"
	"fmt"

	"ludoteca/games"
	"ludoteca/storage"
)

// # Offers between the two sides
//
// A side may offer the other a draw, and in a casual match ask to take back its last move. At most one offer of each kind is open at
// a time. The other side accepts it or declines it; a move of either side lets it lapse, and so does the end of the match. A draw
// that both sides offer is agreed. Offers don't stop a clock, and no draw is agreed once the time of the side to move is up.
//
// So that nobody is pestered, a seat may make an offer of a kind only so often: see propose. That is no question of whether a log makes
// sense, so the fold counts and the acts refuse.

const (
	offerPause = 5  // a seat makes so many moves before it offers the same again, unless the other side agreed
	maxOffers  = 10 // of a kind, by one seat, in one match
)

// An offering counts the offers in a match: those of a draw and those of a takeback, by side.
type offering struct{ draw, takeback [2]offersMade }

// offersMade are the offers of one kind by one seat.
type offersMade struct {
	times int
	next  int // the seat may offer again when it has made so many moves
}

// of returns the offers of one kind; ok is false if there is no such kind.
func (o *offering) of(kind string) (made *[2]offersMade, ok bool) {
	switch kind {
	case storage.OfferDraw:
		return &o.draw, true
	case storage.OfferTakeback:
		return &o.takeback, true
	}
	return nil, false
}

// openOffer returns the place of the open offer of a kind; ok is false if there is no such kind.
func openOffer(o *storage.Offers, kind string) (by *storage.Seat, ok bool) {
	switch kind {
	case storage.OfferDraw:
		return &o.Draw, true
	case storage.OfferTakeback:
		return &o.Takeback, true
	}
	return nil, false
}

// offer takes in that a seat offers something.
func (s *State) offer(e storage.Event) error {
	by, ok := openOffer(&s.Offers, e.Offer)
	switch {
	case !ok:
		return fmt.Errorf("nobody can offer %q", e.Offer)
	case *by != storage.Nobody:
		return errors.New("an offer of this kind is open")
	case e.Offer == storage.OfferTakeback && s.Opening.Rated:
		return errors.New("it is rated, so moves stand")
	}
	*by = e.Seat
	made, _ := s.offered.of(e.Offer)
	side := e.Seat.Side()
	made[side].times++
	made[side].next = s.MadeBy(side) + offerPause
	return nil
}

// answer takes in that a seat accepts or declines what the other side offers.
func (s *State) answer(e storage.Event) error {
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
	case e.Yes && e.Offer == storage.OfferDraw:
		s.closing = e
	case e.Yes:
		s.granted = asker
		s.offered.takeback[asker.Side()].next = 0
	}
	return nil
}

// OfferDraw offers the other side a draw, or agrees to the one that it offers. A user who holds both seats agrees with nobody else.
func OfferDraw(u User) Act {
	return func(s *State) ([]storage.Event, error) {
		seat, err := s.playing(u)
		if err != nil {
			return nil, err
		}
		other := storage.SeatOf(seat.Side().Other())
		yes := storage.Event{Kind: storage.Answered, Seat: seat, Offer: storage.OfferDraw, Yes: true}
		switch {
		case s.Offers.Draw == other:
			return []storage.Event{yes}, nil
		case s.Made() < 2:
			return nil, ErrTooEarly
		case s.hotseat():
			yes.Seat = other
			return []storage.Event{{Kind: storage.Offered, Seat: seat, Offer: storage.OfferDraw}, yes}, nil
		}
		return s.propose(seat, storage.OfferDraw)
	}
}

// Answer accepts or declines an offer of the other side; limit is how many takebacks happen in a match. An offer that is no longer open
// is ErrNoOffer.
func Answer(u User, kind string, yes bool, limit int) Act {
	return func(s *State) ([]storage.Event, error) {
		seat, err := s.playing(u)
		if err != nil {
			return nil, err
		}
		by, ok := openOffer(&s.Offers, kind)
		if !ok || *by == storage.Nobody || *by == seat {
			return nil, ErrNoOffer
		}
		events := []storage.Event{{Kind: storage.Answered, Seat: seat, Offer: kind, Yes: yes}}
		if kind != storage.OfferTakeback || !yes {
			return events, nil
		}
		if s.takebacks >= limit {
			return nil, ErrTakebacks
		}
		plies, err := s.pliesBack(*by)
		return append(events, storage.Event{Kind: storage.TakenBack, Seat: *by, Plies: plies}), err
	}
}

// propose returns the event by which a seat makes an offer, or why it may not. Nothing is left to do if its offer is open already.
func (s *State) propose(seat storage.Seat, kind string) ([]storage.Event, error) {
	open, _ := openOffer(&s.Offers, kind)
	made, _ := s.offered.of(kind)
	side := seat.Side()
	switch before := made[side]; {
	case *open == seat:
		return nil, nil
	case *open != storage.Nobody:
		return nil, ErrOfferOpen
	case before.times >= maxOffers:
		return nil, ErrManyOffers
	case before.times > 0 && s.MadeBy(side) < before.next:
		return nil, &OfferWaitError{Moves: before.next - s.MadeBy(side)}
	}
	return []storage.Event{{Kind: storage.Offered, Seat: seat, Offer: kind}}, nil
}

// MayOffer says whether a seat may make an offer of a kind now, as far as earlier offers go.
func (s *State) MayOffer(seat storage.Seat, kind string) bool {
	events, err := s.propose(seat, kind)
	return err == nil && len(events) > 0
}

// OffersMade is how many offers of a kind a seat has made.
func (s *State) OffersMade(seat storage.Seat, kind string) int {
	made, ok := s.offered.of(kind)
	if !ok {
		return 0
	}
	return made[seat.Side()].times
}

// An OpenOffer is an offer in a match that has not been answered.
type OpenOffer struct {
	Kind string // storage.OfferDraw or storage.OfferTakeback
	By   games.Side
}

// OpenOffer returns the open offer that matters most to a user: one that they can answer first, a draw before a takeback.
func (s *Summary) OpenOffer(u User) (o OpenOffer, ok bool) {
	for _, open := range []struct {
		kind string
		by   storage.Seat
	}{{storage.OfferTakeback, s.Offers.Takeback}, {storage.OfferDraw, s.Offers.Draw}} {
		if open.by == storage.Nobody {
			continue
		}
		if !ok || !s.Holds(u, open.by.Side()) || s.Holds(u, o.By) {
			o, ok = OpenOffer{open.kind, open.by.Side()}, true
		}
	}
	return o, ok
}

// OfferTo returns the open offer that a user can answer, a draw before a takeback.
func (s *Summary) OfferTo(u User) (o OpenOffer, ok bool) {
	o, ok = s.OpenOffer(u)
	return o, ok && s.Holds(u, o.By.Other()) && !s.Holds(u, o.By)
}

// OfferDeclined returns the kind of an offer of a user's that the other side has declined since the view old; "" for none. An opponent who
// moves instead of answering has said enough; the answer of a computer player comes with its move.
func (v *View) OfferDeclined(old *View, u User) (kind string) {
	was, offered := old.OpenOffer(u)
	now, offers := v.OpenOffer(u)
	if !offered || !old.Holds(u, was.By) || offers && now == was || v.Over || !v.Continues(old) {
		return ""
	}
	if other := v.Seats[was.By.Other()]; v.Ply() != old.Ply() && (other.Kind != storage.Bot || old.YourTurn(u)) {
		return ""
	}
	return was.Kind
}
