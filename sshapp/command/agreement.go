package command

import (
	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// matchOfferJSON is what one side of a match offers the other.
type matchOfferJSON struct {
	Kind string `json:"kind"` // draw, takeback or rematch
	By   string `json:"by"`   // a name
	Side string `json:"side"` // that the one who offers plays, or played
}

// matchOffer returns what one side of a match offers the other, of several the one that who can answer; nil for nothing.
func matchOffer(v *lobby.View, who lobby.User) *matchOfferJSON {
	if o, ok := v.OpenOffer(who); ok {
		return &matchOfferJSON{o.Kind, v.Seats[o.By].Name, o.By.String()}
	}
	if !v.Over || v.Rematch == nil || v.Rematch.Taken || v.Rematch.By.Kind == storage.Free {
		return nil
	}
	side := games.First
	if v.Seats[games.Second].ID == v.Rematch.By.ID {
		side = games.Second
	}
	return &matchOfferJSON{"rematch", v.Rematch.By.Name, side.String()}
}

// offerWords says what one side of a match offers the other; "" for nothing.
func (c *call) offerWords(v *lobby.View, who lobby.User) string {
	o := matchOffer(v, who)
	if o == nil {
		return ""
	}
	_, answers := v.OfferTo(who)
	words := c.say.Offers(o.Kind, o.By)
	if answers || v.OffersRematch(who) {
		words += " " + howToAnswer(c.say, v.Code)
	}
	return words
}

// howToAnswer says with which commands an offer is answered.
func howToAnswer(say text.Say, code string) string {
	return say.T("Your answer: accept %s or decline %s", code, code)
}

// draw offers the other side a draw, or agrees to one.
func draw(c *call) error {
	return c.act(func(seat *lobby.Seat, _ *lobby.View) error { return seat.OfferDraw(c.ctx) })
}

// accept accepts what the other side offers, and prints the match that goes on.
func accept(c *call) error {
	seat, err := c.seat(c.player)
	if err != nil {
		return err
	}
	ref, err := seat.Accept(c.ctx)
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
	seat, err := c.seat(c.player)
	if err != nil {
		return err
	}
	if err := seat.Decline(c.ctx); err != nil {
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
