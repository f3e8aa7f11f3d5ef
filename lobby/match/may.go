package match

import (
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// # What a user may do
//
// The rules for acts are written once, in State.may. The acts that change a match ask it first, and View.May answers from it for screens.

// An ActKind is a kind of act that a user may ask for in a match.
type ActKind uint8

// The kinds of acts; see the functions with these names.
const (
	JoinAct ActKind = iota
	MoveAct
	ResignAct
	AbortAct
	TakebackAct
	OfferDrawAct
	AcceptDrawAct
	DeclineDrawAct
	AcceptTakebackAct
	DeclineTakebackAct
	AdjournAct
	AcceptAdjournAct
	DeclineAdjournAct
	ContinueAct
	HintAct // an act of the match itself: it searches first; see Helped
)

// May returns nil if the act of a user would change the match now, else the error of the act, or one that wraps ErrDone if the user has done
// it already. It doesn't foresee what depends on the moment at which the act arrives (ErrTimeUp, ErrLate), on the move (*games.IllegalError), or
// on the limits of the club. Claims depend on the time too: see MayClaim.
func (v *View) May(u User, act ActKind) error { return v.state.may(u, act, MaxTakebacks) }

// MayClaim returns nil if a user may claim the match at a time, else the error of the claim. downtime is how long the program was down since the
// last event.
func (v *View) MayClaim(u User, downtime time.Duration, now time.Time) error {
	if v.Over {
		return ErrOver
	}
	_, err := v.mayClaim(u, v.Presence, downtime, now)
	return err
}

// MayAnswer returns nil if a user may answer an offer that which means, else the error of the answer. Several offers may be open.
func (v *View) MayAnswer(u User, which OfferRef) error {
	if _, err := which.Choose(v.OffersTo(u)); !errors.Is(err, ErrWhichOffer) {
		return err
	}
	return nil
}

// may returns nil if an act of a user would change the match, else the error of the act. The error wraps ErrDone if nothing is left to do. A
// match has at most limit takebacks.
func (s *State) may(u User, act ActKind, limit int) error {
	switch act {
	case JoinAct:
		return s.mayJoin(u)
	case AbortAct:
		return s.mayAbort(u)
	}
	seat, err := s.playing(u)
	if err != nil {
		return err
	}
	switch act {
	case MoveAct:
		if seat.Side() != s.Turn() {
			return ErrNotYourTurn
		}
	case TakebackAct:
		return s.mayTakeBack(seat, limit)
	case OfferDrawAct:
		return s.mayOfferDraw(seat)
	case AcceptDrawAct, DeclineDrawAct:
		return s.mayAnswer(seat, matches.OfferDraw)
	case AcceptTakebackAct:
		if err := s.mayAnswer(seat, matches.OfferTakeback); err != nil {
			return err
		}
		if s.takebacks >= limit {
			return ErrTakebacks
		}
	case DeclineTakebackAct:
		return s.mayAnswer(seat, matches.OfferTakeback)
	case AdjournAct:
		return s.mayAdjourn(seat)
	case AcceptAdjournAct, DeclineAdjournAct:
		return s.mayAnswer(seat, matches.OfferAdjourn)
	case ContinueAct:
		_, err := s.Pauses.continued()
		return err
	case HintAct:
		return s.mayHint(seat)
	}
	return nil
}

// mayJoin is may for Join.
func (s *State) mayJoin(u User) error {
	_, seated := s.seatOf(u)
	reserved := s.Opening.Reserved
	switch {
	case s.Over():
		return ErrOver
	case seated && !s.Started.IsZero():
		return ErrSeated
	case seated:
		return ErrOwnOffer
	case !s.Started.IsZero():
		return ErrSeatTaken
	case reserved.Kind != storage.Free && !u.Is(reserved):
		return ErrReserved
	case s.Opening.Rated && !u.Kind.HasAccount():
		return ErrRatedGuest
	}
	return nil
}

// mayAbort is may for Abort.
func (s *State) mayAbort(u User) error {
	_, seated := s.seatOf(u)
	switch {
	case s.Over():
		return ErrOver
	case u.Is(s.Opening.By):
		return nil
	case !seated && !s.invites(u):
		return ErrNotSeated
	case s.Made() >= 2:
		return ErrTooLate
	case s.Opening.Tournament != (storage.TournamentBoard{}):
		return ErrTournament
	}
	return nil
}

// invites reports whether the free seat of an offer is reserved for a user.
func (s *State) invites(u User) bool { return s.Started.IsZero() && u.Is(s.Opening.Reserved) }

// mayTakeBack is may for Takeback.
func (s *State) mayTakeBack(seat storage.Seat, limit int) error {
	switch {
	case s.Opening.Rated:
		return ErrRatedTakeback
	case s.Opening.Tournament != (storage.TournamentBoard{}):
		return ErrNoEventHelp
	case s.takebacks >= limit:
		return ErrTakebacks
	case s.hotseat() && s.Made() > 0:
		return nil
	case s.standing[seat.Side()] == 0:
		return ErrNothingBack
	case s.takesHelp(seat):
		return nil
	}
	return s.mayOffer(seat, matches.OfferTakeback)
}

// mayOfferDraw is may for OfferDraw, which also agrees to an offer.
func (s *State) mayOfferDraw(seat storage.Seat) error {
	switch {
	case s.Offers.Draw == storage.SeatOf(seat.Side().Other()):
		return nil
	case s.Made() < 2:
		return ErrTooEarly
	case s.hotseat():
		return nil
	}
	return s.mayOffer(seat, matches.OfferDraw)
}

// mayOffer returns why a seat may not make an offer now. The error wraps ErrDone if the seat's offer is open already.
func (s *State) mayOffer(seat storage.Seat, kind string) error {
	open, _ := openOffer(&s.Offers, kind)
	made, _ := s.offered.of(kind)
	side := seat.Side()
	switch before := made[side]; {
	case *open == seat:
		return ErrUnanswered
	case *open != storage.Nobody:
		return ErrOfferOpen
	case before.times >= maxOffers:
		return ErrManyOffers
	case before.times > 0 && s.MadeBy(side) < before.next:
		return &OfferWaitError{Moves: before.next - s.MadeBy(side)}
	}
	return nil
}

// mayAnswer returns ErrNoOffer unless the other side's offer of a kind is open.
func (s *State) mayAnswer(seat storage.Seat, kind string) error {
	if by, ok := openOffer(&s.Offers, kind); !ok || *by == storage.Nobody || *by == seat {
		return ErrNoOffer
	}
	return nil
}

// mayHint returns why a seat may not have a hint now.
func (s *State) mayHint(seat storage.Seat) error {
	switch {
	case !s.takesHelp(seat):
		return ErrNoHelp
	case s.Opening.Tournament != (storage.TournamentBoard{}):
		return ErrNoEventHelp
	case seat.Side() != s.Turn():
		return ErrNotYourTurn
	}
	return nil
}

// HintSeat returns the seat for which a user may have a hint now, or why there is none.
func (s *State) HintSeat(u User) (storage.Seat, error) {
	seat, _ := s.seatOf(u)
	return seat, s.may(u, HintAct, 0)
}

// refuse returns what an act does that may not be done: nothing if it is done already, else the error.
func refuse(err error) ([]matches.Event, error) {
	if errors.Is(err, ErrDone) {
		return nil, nil
	}
	return nil, err
}

// countStanding counts the moves of each side in the line after the moves given by the opening, from the position before them.
func countStanding(line games.State, moves []games.Move) (standing [2]int, err error) {
	for _, m := range moves {
		c, err := line.Code(m)
		if err != nil {
			return standing, err
		}
		standing[line.Turn()]++
		line.Play(c)
	}
	return standing, nil
}
