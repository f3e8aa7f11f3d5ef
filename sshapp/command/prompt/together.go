package prompt

import (
	"context"
	"slices"
	"strings"
	"sync"

	"ludoteca/lobby/together"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
)

// A Together is the other person with whom the user of a line mode looks at a review, and who invites the user. nil is nobody.
type Together struct {
	say     func() wording.Words
	changed chan struct{} // holds one when another review has begun

	mu    sync.Mutex          // guards what follows: the news come beside the commands
	asked together.Invitation // that waits for the user's answer, as the user was told; the zero value: none
	seat  *together.Seat      // nil: nobody looks at the review with the user
	view  *together.View      // up to which the user has been told
	board Board               // of the review; nil: the user is at none that began together
	gone  bool                // the user has gone to another board
}

// A Board shows the review on which two people look.
type Board interface {
	// Tell returns the sentences that tell what the person who leads has on the board, and Show has the questions of the user be about that, once
	// the user has been told.
	Tell(p together.Place) []string
	Show(p together.Place)
}

// NewTogether returns what a line mode that speaks a language knows of reviews together: nobody yet.
func NewTogether(say func() wording.Words) *Together {
	return &Together{say: say, changed: make(chan struct{}, 1)}
}

// Begin has the user look at a review together with another person, from a seat. v is what the user has been told of it: the zero View is nothing.
func (c *Together) Begin(seat *together.Seat, v *together.View, board Board) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seat, c.view, c.board, c.gone = seat, v, board, false
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Seat returns the user's seat; nil if nobody looks at the review with the user.
func (c *Together) Seat() *together.Seat {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil
	}
	return c.seat
}

// Began reports whether the review that the user is at began together with another person, who may have left.
func (c *Together) Began() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.board != nil && !c.gone
}

// Leave ends the review for both people. The user stays at the board.
func (c *Together) Leave() {
	c.mu.Lock()
	seat := c.seat
	c.seat, c.view, c.board = nil, nil, nil
	c.mu.Unlock()
	if seat != nil {
		seat.Leave()
	}
}

// Abandon ends the review for both people, because the user has gone to another board. The user is told that.
func (c *Together) Abandon() {
	if c == nil {
		return
	}
	c.mu.Lock()
	seat := c.seat
	c.gone = true
	c.mu.Unlock()
	if seat != nil {
		seat.Leave()
	}
}

// Asked returns the invitation that waits for the user's answer, as far as the user has been told; the zero value is none.
func (c *Together) Asked() together.Invitation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// Answered records that no invitation waits for the user's answer any more, and returns the one that did.
func (c *Together) Answered() (was together.Invitation) { return c.ask(together.Invitation{}) }

// ask sets the invitation that waits, and returns the one before.
func (c *Together) ask(i together.Invitation) (was together.Invitation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, c.asked = c.asked, i
	return was
}

// Listen tells the user of invitations until ctx ends.
func (c *Together) Listen(ctx context.Context, from *together.Invitations, tell func(string)) {
	for seq := uint64(0); ; {
		i, next, err := from.Next(ctx, seq)
		if err != nil {
			return // the user is gone, or the club closes, which the prompt says
		}
		seq = next
		switch was := c.ask(i); {
		case i != together.Invitation{}:
			tell(Invited(c.say(), i))
		case was != together.Invitation{}:
			tell(c.say().NoLongerWaits(c.say().Name(was.By.Name)))
		}
	}
}

// Invited tells an invitation, and how it is answered.
func Invited(say wording.Words, i together.Invitation) string {
	return say.T("%s asks you to look at a match together: together accept, or together decline", say.Name(i.By.Name))
}

// Tell tells what the other person does and writes, in whichever review the user looks at by then, until ctx ends.
func (c *Together) Tell(ctx context.Context, event func(Line), talk func(string)) {
	for {
		select {
		case <-c.changed:
			c.tellOne(ctx, event, talk)
		case <-ctx.Done():
			return
		}
	}
}

// tellOne is Tell for one review, until that is over.
func (c *Together) tellOne(ctx context.Context, event func(Line), talk func(string)) {
	c.mu.Lock()
	seat, v, board := c.seat, c.view, c.board
	c.mu.Unlock()
	if seat == nil {
		return
	}
	heard, place := lastHeard(seat, v), v.Place
	for !v.Over {
		next, err := seat.Next(ctx, v.Seq)
		if err != nil {
			return // the user is gone, or the club closes
		}
		if next.Joined && !v.Joined && seat.Side() == together.Leader {
			event(Line{Words: c.come(next)})
		}
		if seat.Side() == together.Follower && !next.Over && !samePosition(place, next.Place) {
			place = next.Place
			event(Line{Words: strings.Join(board.Tell(place), "\n"), Printed: func() { board.Show(next.Place) }})
		}
		for _, l := range next.Lines {
			if !seat.User().Is(l.By) && l.Number > heard {
				talk(LineOf(c.say(), l))
				heard = l.Number
			}
		}
		if next.Waiting > v.Waiting {
			talk(c.say().Talk().Waiting(next.Waiting))
		}
		if next.Over {
			if words := c.end(seat, next); words != "" {
				event(Line{Words: words})
			}
		}
		v = next
	}
}

// samePosition reports whether the same moves lead to two places.
func samePosition(a, b together.Place) bool {
	return a.Ply == b.Ply && slices.Equal(a.Line[:a.Shown], b.Line[:b.Shown])
}

// lastHeard returns the number of the last line of the other person that a user has seen; 0 for none.
func lastHeard(seat *together.Seat, v *together.View) (last uint64) {
	for _, l := range v.Lines {
		if !seat.User().Is(l.By) {
			last = l.Number
		}
	}
	return last
}

// come says that the person who was invited has come.
func (c *Together) come(v *together.View) string {
	say := c.say()
	return say.T("%s looks at the match with you now. next, back and goto move both boards; say TEXT writes.", say.Name(v.People[together.Follower].Name))
}

// end has nobody look at the review with the user any more, because it is over, and says how it ended; "" if the user knows.
func (c *Together) end(seat *together.Seat, v *together.View) string {
	c.mu.Lock()
	ours, gone := c.seat == seat, c.gone
	if ours {
		c.seat, c.view = nil, nil
	}
	c.mu.Unlock()
	say := c.say()
	other := say.Name(v.People[1-seat.Side()].Name)
	switch {
	case !ours: // the user left
		return ""
	case !v.Joined && gone:
		return say.T("%s is no longer invited.", other)
	case gone:
		return say.T("You no longer look at the match together with %s.", other)
	case !v.Joined:
		return say.NotComing(other)
	}
	return say.AloneNow(other)
}

// LineOf returns a line of the chat.
func LineOf(say wording.Words, l together.Line) string {
	return say.Name(l.By.Name) + ": " + text.Clean(l.Text)
}
