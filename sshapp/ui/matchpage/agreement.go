package matchpage

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage/matches"
)

// The offers between the two sides of a match at the board: a draw, and a takeback between people. An offer of the other side stands
// above the footer until it is answered. The player's own offer stands there until the other side has answered or either side has moved.

// An agreement is what the player has seen of the other side's offers.
type agreement struct {
	seen []lobby.OpenOffer // to the player, when they began to type
}

// saw notes what the other side offers the player before a command is typed: an answer is for an offer that was on the screen then, and for no
// other one.
func (a agreement) saw(m situation, in boardpage.MoveInput) agreement {
	if m.view != nil && len(in.Typed.Text) <= len("/") {
		a.seen = m.view.OffersTo(m.env.Who)
	}
	return a
}

// chosen returns the offer that the player saw when they began to type; kind says which one of several, "" is the only one.
func (a agreement) chosen(kind string) (lobby.OpenOffer, error) {
	o, err := lobby.OfferRef{Kind: kind}.Choose(a.seen)
	if errors.Is(err, lobby.ErrNoOffer) {
		err = lobby.ErrOfferChanged // there is one now, which came while the player typed
	}
	return o, err
}

// answerOffer answers an offer. A rematch that is accepted leads to its board, and a match that is declined leaves no board to stay at.
func answerOffer(ctx context.Context, seat *seats.Seat, o lobby.OpenOffer, yes bool) (then tea.Cmd, err error) {
	switch {
	case !yes && o.Kind == lobby.OfferChallenge:
		return screen.Home, seat.Decline(ctx, o.Ref())
	case !yes:
		return nil, seat.Decline(ctx, o.Ref())
	}
	ref, err := seat.Accept(ctx, o.Ref())
	if o.Kind == lobby.OfferRematch {
		return screen.ReplaceByMatch(ref), err
	}
	return nil, err
}

// newOffer reports whether the other side offers the player something in the match that it did not in the view old.
func newOffer(m situation, old *lobby.View) bool {
	return !m.view.Over && !m.waiting() && len(match.NewOffers(old.OffersTo(m.env.Who), m.view.OffersTo(m.env.Who))) > 0
}

// offered says what the other side offers the player in the match; "" for nothing.
func offered(m situation) string {
	if m.view.Over || m.waiting() {
		return ""
	}
	open := m.view.OffersTo(m.env.Who)
	if len(open) == 0 {
		return ""
	}
	by := describe.Occupant(m.env, m.view.Seats[open[0].By])
	switch {
	case len(open) > 1 && match.HasOffer(open, matches.OfferAdjourn):
		return m.env.Say.T("%s offers more than one thing: /accept draw, takeback or adjourn, and /decline likewise", by)
	case len(open) > 1:
		return m.env.Say.T("%s offers a draw and asks to take a move back: /accept draw or /accept takeback, and /decline likewise", by)
	case open[0].Kind == matches.OfferDraw:
		return m.env.Say.T("%s offers a draw: /accept, /decline", by)
	}
	if open[0].Kind == matches.OfferAdjourn {
		return m.env.Say.T("%s asks to adjourn the match: /accept, /decline", by)
	}
	return m.env.Say.T("%s asks to take a move back: /accept, /decline", by)
}

// openOffer says why the clock stands, and which offers wait for an answer that is not the player's to give; "" for nothing.
func openOffer(m situation) string {
	if m.view.Over {
		return ""
	}
	words := m.env.Say.Paused(&m.view.Summary, m.env.Who, m.env.Now())
	for _, o := range m.view.Between {
		switch {
		case !m.view.Holds(m.env.Who, o.By):
			words = append(words, m.env.Say.Offers(o.Kind, m.view.Seats[o.By].Name))
		case o.Kind == matches.OfferDraw:
			words = append(words, m.env.Say.T("You offer a draw, until somebody moves."))
		case o.Kind == matches.OfferAdjourn:
			words = append(words, m.env.Say.T("You ask to adjourn the match, until somebody moves."))
		default:
			words = append(words, m.env.Say.T("You ask to take your move back, until somebody moves."))
		}
	}
	return strings.Join(words, " ")
}

// declined returns the message that the other side has declined the player's offer in the view old, or "" if it hasn't.
func declined(m situation, old *lobby.View) string {
	kind := m.view.OfferDeclined(old, m.env.Who)
	if kind == "" {
		return ""
	}
	side, _ := old.Side(m.env.Who)
	return m.env.Say.Declines(kind, describe.Occupant(m.env, m.view.Seats[side.Other()]))
}

// onlyOffer returns the command that answers the only open offer for one that names its kind. It returns other commands as they are.
func onlyOffer(m situation, command string) string {
	open := m.view.OffersTo(m.env.Who)
	answer, kind, _ := strings.Cut(command, " ")
	if len(open) == 1 && kind == open[0].Kind {
		return answer
	}
	return command
}
