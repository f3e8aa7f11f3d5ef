package command

import (
	"errors"
	"slices"
	"strings"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
)

// matchOfferJSON is what one side of a match offers the other.
type matchOfferJSON struct {
	Kind string `json:"kind"` // draw, takeback or rematch
	By   string `json:"by"`   // a name
	Side string `json:"side"` // that the one who offers plays, or played
}

// openOfferJSON is an offer that waits for an answer.
type openOfferJSON struct {
	Number uint64  `json:"number"` // names it to accept and decline
	Kind   string  `json:"kind"`   // draw, takeback, rematch or challenge
	By     string  `json:"by"`     // a name
	At     *string `json:"at"`
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
func (c *call) offerWords(v *lobby.View, who lobby.User) (lines []string) {
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

// draw offers the other side a draw, or agrees to one.
func draw(c *call) error {
	return c.act(func(seat *seats.Seat, _ *lobby.View) error { return seat.OfferDraw(c.ctx) })
}

func answerFlags(f *flags) {
	f.set.Uint64Var(&f.number, "number", 0, "")
}

// offerKinds are the kinds of offers that accept and decline take as an argument.
var offerKinds = []string{matchstore.OfferDraw, matchstore.OfferTakeback, lobby.OfferRematch, lobby.OfferChallenge}

// answered returns the offer that accept or decline refers to, by the kind among the words and by --number. At the prompt, an offer without
// --number is the one that the prompt has shown.
func (c *call) answered() (*seats.Seat, lobby.OfferRef, error) {
	which := lobby.OfferRef{Number: c.flags.number}
	if len(c.words) == 2 {
		which.Kind = strings.ToLower(c.words[1])
		if !slices.Contains(offerKinds, which.Kind) {
			return nil, which, usageError{words: c.say.T("%s is no kind of offer. The kinds are: %s.", short(c.words[1]), strings.Join(offerKinds, ", "))}
		}
	}
	if c.flags.set.Changed("number") && c.flags.number == 0 {
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
func accept(c *call) error {
	seat, which, err := c.answered()
	if err != nil {
		return err
	}
	ref, err := seat.Accept(c.ctx, which)
	if err != nil {
		return err
	}
	v, err := c.view(seat.User(), ref)
	if err != nil {
		return err
	}
	return c.printMatch(v, seat.User())
}

// decline declines what the other side offers.
func decline(c *call) error {
	seat, which, err := c.answered()
	if err != nil {
		return err
	}
	if err := seat.Decline(c.ctx, which); err != nil {
		return err
	}
	if !c.flags.json {
		return c.printf("%s\n", c.say.T("Declined."))
	}
	v, err := seat.Now(c.ctx)
	if err != nil {
		return err
	}
	return c.json(c.describe(v, seat.User()))
}
