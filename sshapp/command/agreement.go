package command

import (
	"errors"
	"slices"
	"strings"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	matchstore "ludoteca/storage/matches"
)

// agreementRows are the commands with which one side of a match offers the other something, and answers.
func agreementRows() []*row {
	return group(text.T("Offers at a match"),
		&row{Name: "draw", Answer: matchJSON{}, Summary: text.T("offer a draw, or agree to one"), Args: []tree.Arg{codeArg()}, Run: plain(draw)},
		&row{Name: "takeback", Answer: matchJSON{}, Summary: text.T("take back your last move; another player is asked first"), Args: []tree.Arg{codeArg()}, Run: plain(takeback)},
		&row{Name: "adjourn", Answer: matchJSON{}, Summary: text.T("ask the other side to adjourn a match with days a move, or agree: its clock stands, for at most 30 days"), Args: []tree.Arg{codeArg()}, Run: plain(adjourn)},
		&row{Name: "resume", Answer: matchJSON{}, Summary: text.T("go on with an adjourned match"), Args: []tree.Arg{codeArg()}, Run: plain(goOn)},
		&row{Name: "rematch", Answer: openedJSON{}, Summary: text.T("ask for the same match with sides swapped, or accept it"), Args: []tree.Arg{codeArg()}, Run: plain(rematch)},
		&row{Name: "accept", Example: "accept K7QM2X draw", Answer: matchJSON{}, Summary: text.T("accept what the other side offers: a draw, a takeback, to adjourn, a rematch, a challenge"),
			Args: []tree.Arg{codeArg(), offerArg()}, Run: answers(accept)},
		&row{Name: "decline", Example: "decline K7QM2X draw", Answer: matchJSON{}, Summary: text.T("decline what the other side offers"), Args: []tree.Arg{codeArg(), offerArg()}, Run: answers(decline)},
	)
}

// offerArg is the kind of an offer that is answered.
func offerArg() tree.Arg {
	return tree.Arg{Name: "draw|takeback|adjourn|rematch|challenge", Optional: true, Help: text.T("which offer, where several are open")}
}

// answers is the Run of a command that answers an offer.
func answers(do func(*call, offerNumber) (reply.Reply, error)) func(*tree.Flags) run {
	return func(f *tree.Flags) run {
		number := f.Uint64("number", "N", text.T("the number of the offer, as show prints it with --json: it is answered only while it is open"))
		return func(c *call) (reply.Reply, error) { return do(c, offerNumber{*number, f.Given("number")}) }
	}
}

// An offerNumber is the number of an offer, where it is given.
type offerNumber struct {
	number uint64
	given  bool
}

// draw offers the other side a draw, or agrees to one.
func draw(c *call) (reply.Reply, error) {
	return act(c, func(seat *seats.Seat, _ *lobby.View) error { return seat.OfferDraw(c.ctx) })
}

// adjourn asks the other side to adjourn a match, or agrees to it.
func adjourn(c *call) (reply.Reply, error) {
	return act(c, func(seat *seats.Seat, _ *lobby.View) error { return seat.Adjourn(c.ctx) })
}

// goOn goes on with an adjourned match.
func goOn(c *call) (reply.Reply, error) {
	return act(c, func(seat *seats.Seat, _ *lobby.View) error { return seat.Continue(c.ctx) })
}

// offerKinds are the kinds of offers that accept and decline take as an argument.
var offerKinds = []string{matchstore.OfferDraw, matchstore.OfferTakeback, matchstore.OfferAdjourn, lobby.OfferRematch, lobby.OfferChallenge}

// answered returns the offer that accept or decline refers to, by the kind among the words and by --number. At the prompt, an offer without
// --number is the one that the prompt has shown.
func answered(c *call, n offerNumber) (*seats.Seat, lobby.OfferRef, error) {
	which := lobby.OfferRef{Number: n.number}
	if len(c.words) == 2 {
		which.Kind = strings.ToLower(c.words[1])
		if !slices.Contains(offerKinds, which.Kind) {
			return nil, which, usageError{words: c.say.T("%s is no kind of offer. The kinds are: %s.", tree.Quoted(c.words[1]), strings.Join(offerKinds, ", "))}
		}
	}
	if n.given && n.number == 0 {
		return nil, which, usageError{words: c.say.T("--number is that of an open offer, as show prints it with --json.")}
	}
	seat, err := c.seat(c.sitter)
	if err != nil || which.Number != 0 {
		return seat, which, err
	}
	switch o, err := which.Choose(c.caller.current.OffersShown(seat.ID())); {
	case err == nil:
		which = o.Ref()
	case errors.Is(err, lobby.ErrWhichOffer):
		return nil, which, err
	}
	return seat, which, nil
}

// accept accepts what the other side offers, and prints the match that goes on.
func accept(c *call, n offerNumber) (reply.Reply, error) {
	seat, which, err := answered(c, n)
	if err != nil {
		return nil, err
	}
	ref, err := seat.Accept(c.ctx, which)
	if err != nil {
		return nil, err
	}
	v, err := c.view(seat.User(), ref)
	if err != nil {
		return nil, err
	}
	if c.tells() {
		return arrived(c, v, seat.User()), nil
	}
	return showMatch(c, v, seat.User(), false), nil
}

// decline declines what the other side offers.
func decline(c *call, n offerNumber) (reply.Reply, error) {
	seat, which, err := answered(c, n)
	if err != nil {
		return nil, err
	}
	if err := seat.Decline(c.ctx, which); err != nil {
		return nil, err
	}
	return reply.One(sayOrDescribe(c, seat, c.say.T("Declined."))), nil
}

// takeback undoes the caller's last move against a computer player, or the last one of both the caller's seats, and asks another user
// to agree to that.
func takeback(c *call) (reply.Reply, error) {
	seat, was, err := c.seatNow(c.sitter)
	if err != nil {
		return nil, err
	}
	if err := seat.Takeback(c.ctx); err != nil {
		return nil, err
	}
	v, err := seat.Now(c.ctx)
	switch {
	case err != nil:
		return nil, err
	case !c.tells():
		return showMatch(c, v, seat.User(), false), nil
	case v.Ply() < was.Ply():
		return reply.One(sayOrDescribe(c, seat, c.say.T("You take a move back."))), nil // the news says what is left
	}
	return afterAct(c, v, seat.User()), nil
}

// rematch asks for the same match with sides swapped, or accepts that the other side asks for it.
func rematch(c *call) (reply.Reply, error) {
	seat, err := c.seat(c.sitter)
	if err != nil {
		return nil, err
	}
	ref, err := seat.Rematch(c.ctx)
	if err != nil {
		return nil, err
	}
	return opened(c, seat.User(), ref, c.say.T("You wait for the other side to accept."))
}
