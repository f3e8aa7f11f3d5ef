package command

import (
	"context"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// A lobbyNews tells one caller what happens to them outside of the current match: they are challenged or asked for a rematch; a match of
// theirs begins, waits for their move or ends; a challenge is answered or lapses.
type lobbyNews struct {
	lobby   *lobby.Lobby
	say     wording.Words
	who     lobby.User
	current *currentMatch // whose news come with it
	tell    func(string)
}

// run tells what waits for the caller already, and then what happens, until ctx ends.
func (n lobbyNews) run(ctx context.Context) {
	var old lists.Yours
	for number := uint64(0); ; {
		yours, next, err := n.lobby.Lists.NextYours(ctx, n.who, number)
		if err != nil {
			return // the caller is gone, or the club closes, which the prompt says
		}
		if number == 0 {
			n.waiting(yours)
		} else {
			n.change(ctx, old, yours)
		}
		old, number = yours, next
	}
}

// waiting says what waits for the caller when they come.
func (n lobbyNews) waiting(yours lists.Yours) {
	waits := 0
	for _, m := range yours.Matches {
		if m.Waits() {
			waits++
		}
	}
	switch waits {
	case 0:
	case 1:
		n.tell(n.say.T("One match waits for your move: matches shows it."))
	default:
		n.tell(n.say.T("%d matches wait for your move: matches lists them.", waits))
	}
	for _, o := range yours.Invitations {
		n.invited(o)
	}
}

// change says what has happened from one moment to another. A match that was not there before is the caller's own doing, unless they are
// invited to it.
func (n lobbyNews) change(ctx context.Context, old, now lists.Yours) {
	matches, invitations := make(map[storage.MatchID]lists.Mine), make(map[storage.MatchID]bool)
	for _, m := range now.Matches {
		matches[m.ID] = m
	}
	for _, o := range now.Invitations {
		invitations[o.ID] = true
	}
	known := make(map[storage.MatchID]bool)
	for _, m := range old.Matches {
		known[m.ID] = true
		next, goesOn := matches[m.ID]
		switch {
		case n.current.id() == m.ID:
		case !goesOn:
			n.ended(ctx, m.Ref)
		case m.Started.IsZero() && !next.Started.IsZero():
			n.tell(n.say.T("Match %s begins: %s plays against you.", m.Code, n.name(next.Opponent)) + n.yourMove(next))
		case !m.YourTurn && next.YourTurn && !next.Both:
			n.toMove(next)
		}
	}
	for _, o := range old.Invitations {
		known[o.ID] = true
		m, accepted := matches[o.ID]
		switch {
		case n.current.id() == o.ID:
		case accepted && m.YourTurn:
			n.toMove(m)
		case !accepted && !invitations[o.ID]:
			n.ended(ctx, o.Ref)
		}
	}
	for _, o := range now.Invitations {
		if !known[o.ID] {
			n.invited(o)
		}
	}
}

// toMove tells that a match waits for the caller's move.
func (n lobbyNews) toMove(m lists.Mine) {
	n.tell(n.say.T("It is your move in match %s, against %s.", m.Code, n.name(m.Opponent)))
}

// invited tells that a player challenges the caller or asks them for a rematch.
func (n lobbyNews) invited(o lists.Offer) {
	words := n.say.Offers(wording.OfRematch, o.By.Name)
	if g, err := n.lobby.Game(o.Game); err == nil && o.RematchOf == "" {
		words = n.say.Challenge(g, o) + "."
	}
	n.tell(words + " " + howToAnswer(n.say, o.Code))
}

// endWait is how long the end of a match may take to show: the lists know of it a moment before the board.
const endWait = 10 * time.Second

// ended says how a match ended that was the caller's, or what has become of a challenge.
func (n lobbyNews) ended(ctx context.Context, ref lobby.Ref) {
	seat, err := n.lobby.Seats.At(ctx, n.who, ref)
	if err != nil {
		return // it is forgotten already
	}
	ctx, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	v, err := seat.Now(ctx)
	for err == nil && !v.Over {
		v, err = seat.Next(ctx, v.Seq)
	}
	if err != nil {
		return
	}
	m := matchNews{say: n.say, who: n.who, seat: seat}
	words := m.end(v)
	switch {
	case words == "", m.didEnd(v):
	case v.Started.IsZero() && v.Reserved.Kind == storage.Free:
		n.tell(n.say.T("Nobody has taken your offer %s, and it has ended.", ref.Code))
	case v.Started.IsZero():
		n.tell(words)
	default:
		n.tell(n.say.T("Match %s is over.", ref.Code) + " " + words)
	}
}

// yourMove says after another sentence that it is the caller's move; "" if it is not.
func (n lobbyNews) yourMove(m lists.Mine) string {
	if !m.YourTurn {
		return ""
	}
	return " " + n.say.T("It is your move.")
}

func (n lobbyNews) name(o storage.Occupant) string { return matchNews{say: n.say}.name(o) }
