package command

import (
	"errors"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
)

// seat finds the match that the first word names. as is how the caller comes to it: visitor, sitter or player.
func (c *call) seat(as func() (lobby.User, error)) (*seats.Seat, error) {
	seat, ref, err := c.found(as)
	if err != nil {
		return nil, err
	}
	c.looksAt(seat, ref)
	return seat.WithLag(c.caller.Lag), nil
}

// found is seat without the caller going to the match.
func (c *call) found(as func() (lobby.User, error)) (*seats.Seat, lobby.Ref, error) {
	who, err := as()
	if err != nil {
		return nil, lobby.Ref{}, err
	}
	ref, err := c.find(who)
	if err != nil {
		return nil, ref, c.named(err)
	}
	seat, err := c.lobby().Seats.At(c.ctx, who, ref)
	return seat, ref, c.named(err)
}

// looksAt makes a match the current one of the line mode, and the user present at its board.
func (c *call) looksAt(seat *seats.Seat, ref lobby.Ref) {
	c.caller.current.Set(c.ctx, seat, ref)
	c.visit.at(seat.ID())
}

// find returns the match that the first word names. Operators see all matches.
func (c *call) find(who lobby.User) (lobby.Ref, error) {
	if c.caller.Operator {
		return c.lobby().Finder.Reveal(c.ctx, c.words[0])
	}
	return c.lobby().Finder.Find(c.ctx, who, c.caller.Origin, c.words[0])
}

// named gives an error about a code words that repeat the code.
func (c *call) named(err error) error {
	if errors.Is(err, lobby.ErrNoSuchMatch) {
		return refusal{codeNotFound, c.say.NoSuchCode(c.words[0])}
	}
	return err
}

// seatNow finds the match that the first word names, and how it stands.
func (c *call) seatNow(as func() (lobby.User, error)) (*seats.Seat, *lobby.View, error) {
	seat, err := c.seat(as)
	if err != nil {
		return nil, nil, err
	}
	v, err := seat.Now(c.ctx)
	return seat, v, err
}

func (c *call) view(who lobby.User, ref lobby.Ref) (*lobby.View, error) {
	seat, err := c.lobby().Seats.At(c.ctx, who, ref)
	if err != nil {
		return nil, err
	}
	c.looksAt(seat, ref)
	return seat.Now(c.ctx)
}

// sitter returns the player of the key for an act in the match that the first word names. A key without an account has no seat there: it is
// refused, and not signed up.
func (c *call) sitter() (lobby.User, error) {
	if c.caller.Fingerprint == "" {
		return c.player()
	}
	who, err := c.visitor()
	if err == nil && who.ID == "" {
		if _, err = c.find(who); err == nil {
			err = lobby.ErrNotSeated
		}
		err = c.named(err)
	}
	return who, err
}

// writer returns the user who writes at a match. A guest writes as an unknown visitor.
func (c *call) writer() (lobby.User, error) {
	if c.caller.Fingerprint == "" {
		return c.visitor()
	}
	return c.player()
}

// follows has the caller be at the board of a match until leave is called. A program that follows a match presses no key.
func (c *call) follows(seat *seats.Seat) (leave func()) {
	if seat.User().ID == "" {
		return func() {}
	}
	visit := c.lobby().Presence.Visit(seat.User(), false)
	visit.At(seat.ID())
	return func() { visit.Leave(c.caller.dropped()) }
}

// shows records, for the prompt, the offers that the caller has been shown.
func (c *call) shows(v *lobby.View, who lobby.User) { c.caller.current.Show(v.ID, v.OffersTo(who)) }
