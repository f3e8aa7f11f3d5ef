package command

import (
	"ludoteca/lobby"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
)

// show prints a match. It holds no turn while it waits for the store to find the match. Otherwise many callers at once, as after the loss of
// another node, would wait for each other's answers.
func show(f *tree.Flags) run {
	words := f.Bool("words", text.T("describe the board in sentences, as for a screen reader"))
	return func(c *call) (reply.Reply, error) { return showNow(c, true, *words) }
}

// showNow prints a match as it is. In the line mode it is told unless it is to be drawn.
func showNow(c *call, drawn, sentences bool) (reply.Reply, error) {
	seat, v, err := c.seatNow(c.visitor)
	if err != nil {
		return nil, err
	}
	c.prepareStake(v, seat.User())
	if c.tells() && !drawn {
		return arrived(c, v, seat.User()), nil
	}
	return showMatch(c, v, seat.User(), sentences), nil
}

// prepareStake works out the stake before the turn of a command, which is not for waiting for the store. An error comes again where the stake is
// printed.
func (c *call) prepareStake(v *lobby.View, who lobby.User) { _, _ = c.stakeOf(v, who) }

// watch prints the match as show does. With --json it goes on with a line for every change until the match ends or the node is cut off; the
// reader can ask another node then. A slow reader gets views in bigger steps, and the lines between are made from their events. watch may go on
// for hours, so it isn't counted among a person's heavy commands, but its first line is printed in turn as theirs are.
func watch(c *call) (reply.Reply, error) {
	if !c.asJSON {
		return showNow(c, false, false)
	}
	seat, err := c.seat(c.visitor)
	if err != nil {
		return nil, err
	}
	if c.visit == nil {
		c.away = c.follows(seat)
	}
	seen, err := seat.Now(c.ctx)
	if err != nil {
		return nil, err
	}
	c.prepareStake(seen, seat.User())
	return func(yield func(reply.Part, error) bool) {
		who := seat.User()
		if !yield(reply.Part{Rows: []reply.Row{matchRow(c, seen, who, false)}}, nil) {
			return
		}
		c.shows(seen, who)
		for !seen.Over {
			c.staysAt(seen, who)
			v, err := seat.Follow(c.ctx, seen.Seq)
			if err != nil {
				yield(reply.Part{}, err)
				return
			}
			lines, err := changes(c, seen, v, who)
			if !yield(forScripts(lines), err) || err != nil {
				return
			}
			c.shows(v, who)
			seen = v
		}
	}, nil
}

// television prints the best match in progress as show does. With --json it goes on with a line for every change, as watch does. When the
// match ends it continues with the next one, and while there is none it waits, until the caller leaves.
func television(c *call) (reply.Reply, error) {
	game := ""
	if len(c.words) == 1 {
		g, err := c.game(c.words[0])
		if err != nil {
			return nil, err
		}
		game = g.About().ID
	}
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	if !c.asJSON {
		return nowPlaying(c, who, game), nil
	}
	return func(yield func(reply.Part, error) bool) {
		visit := c.visit
		if visit == nil && who.ID != "" {
			visit = &boardVisit{c.lobby().Presence.Visit(who, false)}
			defer visit.leave(c.caller)
		}
		var seen, v *lobby.View
		for c.ctx.Err() == nil {
			if !yield(reply.Part{Wait: func() (err error) {
				v, err = c.lobby().Television.Watch(c.ctx, who, game, seen)
				return err
			}}, nil) {
				return
			}
			lines := []any{describe(c, v, who)}
			if seen != nil && seen.ID == v.ID {
				var err error
				if lines, err = changes(c, seen, v, who); err != nil {
					yield(reply.Part{}, err)
					return
				}
			}
			if !yield(forScripts(lines), nil) {
				return
			}
			visit.at(v.ID)
			seen = v
		}
		yield(reply.Part{}, c.ctx.Err())
	}, nil
}

// nowPlaying shows what is on now.
func nowPlaying(c *call, who lobby.User, game string) reply.Reply {
	return func(yield func(reply.Part, error) bool) {
		for _, r := range c.lobby().Television.NowPlaying() {
			if game != "" && r.Game != game {
				continue
			}
			v, err := c.view(who, r.Ref)
			if err != nil {
				yield(reply.Part{}, err)
				return
			}
			showMatch(c, v, who, false)(yield)
			return
		}
		reply.One(reply.ForPeople(c.say.T("Nobody is playing just now.")))(yield)
	}
}
