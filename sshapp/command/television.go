package command

import (
	"ludoteca/lobby"
	"ludoteca/sshapp/command/reply"
)

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
