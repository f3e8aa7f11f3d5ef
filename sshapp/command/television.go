package command

import (
	"ludoteca/lobby"
)

// television prints the best match in progress as show does. With --json it goes on with a line for every change, as watch does. When the
// match ends it continues with the next one, and while there is none it waits, until the caller leaves.
func television(c *call) error {
	game := ""
	if len(c.words) == 1 {
		g, err := c.game(c.words[0])
		if err != nil {
			return err
		}
		game = g.About().ID
	}
	who, err := c.visitor()
	if err != nil {
		return err
	}
	if !c.asJSON {
		return c.step(func() error { return c.printTelevision(who, game) })
	}
	visit := c.visit
	if visit == nil && who.ID != "" {
		visit = &boardVisit{c.lobby().Presence.Visit(who, false)}
		defer visit.leave(c.caller)
	}
	var seen *lobby.View
	for c.ctx.Err() == nil {
		v, err := c.lobby().Television.Watch(c.ctx, who, game, seen)
		switch {
		case err != nil:
			return err
		case seen == nil || seen.ID != v.ID:
			err = c.json(c.describe(v, who))
		default:
			err = c.follow(seen, v, who)
		}
		if err != nil {
			return err
		}
		visit.at(v.ID)
		seen = v
	}
	return c.ctx.Err()
}

// printTelevision prints what is on now.
func (c *call) printTelevision(who lobby.User, game string) error {
	for _, r := range c.lobby().Television.NowPlaying() {
		if game != "" && r.Game != game {
			continue
		}
		v, err := c.view(who, r.Ref)
		if err != nil {
			return err
		}
		return c.printMatch(v, who)
	}
	return c.printf("%s\n", c.say.T("Nobody is playing just now."))
}
