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
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
)

// matchOfferJSON is what one side of a match offers the other.
type matchOfferJSON struct {
	Kind string `json:"kind" help:"draw, takeback, rematch or challenge"` // draw, takeback or rematch
	By   string `json:"by" help:"the name of the player"`                 // a name
	Side string `json:"side" help:"the side: first or second"`            // that the one who offers plays, or played
}

// openOfferJSON is an offer that waits for an answer.
type openOfferJSON struct {
	Number uint64  `json:"number" help:"the number"`                         // names it to accept and decline
	Kind   string  `json:"kind" help:"draw, takeback, rematch or challenge"` // draw, takeback, rematch or challenge
	By     string  `json:"by" help:"the name of the player"`                 // a name
	At     *string `json:"at" help:"when it was"`
}

// matchOffer returns the newest offer of one side of a match to the other; nil for none.
func matchOffer(v *lobby.View) *matchOfferJSON {
	open := v.OpenOffers()
	if len(open) == 0 || open[0].Kind == lobby.OfferChallenge {
		return nil
	}
	o := open[len(open)-1]
	return &matchOfferJSON{o.Kind, offerer(v, o).Name, o.By.String()}
}

// openOffers returns all open offers of a match, the oldest first.
func openOffers(v *lobby.View) []openOfferJSON {
	all := []openOfferJSON{}
	for _, o := range v.OpenOffers() {
		all = append(all, openOfferJSON{o.Number, o.Kind, offerer(v, o).Name, jsonTime(o.At)})
	}
	return all
}

// offerer returns the player who makes an offer, under their current name.
func offerer(v *lobby.View, o lobby.OpenOffer) storage.Occupant {
	if o.Kind == lobby.OfferRematch {
		return v.Rematch.By
	}
	return v.Seats[o.By]
}

// offerWords describes the open offers of a match, one a line. Offers to the caller come with the commands that answer them.
func offerWords(c *call, v *lobby.View, who lobby.User) (lines []string) {
	mine := v.OffersTo(who)
	for _, o := range v.OpenOffers() {
		if o.Kind == lobby.OfferChallenge {
			continue // the last line says so
		}
		words := c.say.Offers(o.Kind, offerer(v, o).Name)
		if len(mine) == 1 && o == mine[0] {
			words += " " + howToAnswer(c.say, v.Code)
		}
		lines = append(lines, words)
	}
	if len(mine) > 1 {
		lines = append(lines, howToAnswerOne(c.say, v.Code, mine))
	}
	return lines
}

// howToAnswer says with which commands an offer is answered.
func howToAnswer(say wording.Words, code string) string {
	return say.T("Your answer: accept %s or decline %s", code, code)
}

// howToAnswerOne says with which commands one of several offers is answered.
func howToAnswerOne(say wording.Words, code string, open []lobby.OpenOffer) string {
	var kinds []string
	for _, o := range open {
		kinds = append(kinds, o.Kind)
	}
	return say.T("Your answer: accept %s or decline %s, and which one: %s", code, code, strings.Join(kinds, ", "))
}

// agreementRows are the commands with which one side of a match offers the other something, and answers.
func agreementRows() []*row {
	return group(text.T("Offers at a match"),
		&row{Name: "draw", Answer: matchJSON{}, Summary: text.T("offer a draw, or agree to one"), Args: []tree.Arg{codeArg()}, Run: plain(draw)},
		&row{Name: "takeback", Answer: matchJSON{}, Summary: text.T("take back your last move; another player is asked first"), Args: []tree.Arg{codeArg()}, Run: plain(takeback)},
		&row{Name: "rematch", Answer: openedJSON{}, Summary: text.T("ask for the same match with sides swapped, or accept it"), Args: []tree.Arg{codeArg()}, Run: plain(rematch)},
		&row{Name: "accept", Example: "accept K7QM2X draw", Answer: matchJSON{}, Summary: text.T("accept what the other side offers: a draw, a takeback, a rematch, a challenge"),
			Args: []tree.Arg{codeArg(), offerArg()}, Run: answers(accept)},
		&row{Name: "decline", Example: "decline K7QM2X draw", Answer: matchJSON{}, Summary: text.T("decline what the other side offers"), Args: []tree.Arg{codeArg(), offerArg()}, Run: answers(decline)},
	)
}

// offerArg is the kind of an offer that is answered.
func offerArg() tree.Arg {
	return tree.Arg{Name: "draw|takeback|rematch|challenge", Optional: true, Help: text.T("which offer, where several are open")}
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

// offerKinds are the kinds of offers that accept and decline take as an argument.
var offerKinds = []string{matchstore.OfferDraw, matchstore.OfferTakeback, lobby.OfferRematch, lobby.OfferChallenge}

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
	switch o, err := which.Choose(c.caller.current.offersShown(seat.ID())); {
	case err == nil:
		which = o.Ref()
	case errors.Is(err, lobby.ErrWhichOffer):
		return nil, which, err
	}
	return seat, which, nil
}

// shows records, for the prompt, the offers that the caller has been shown.
func (c *call) shows(v *lobby.View, who lobby.User) { c.caller.current.show(v.ID, v.OffersTo(who)) }

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
