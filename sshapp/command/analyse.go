package command

import (
	"errors"

	"ludoteca/games/analysis"
	"ludoteca/lobby"
)

// analyse says where a finished match was won and lost. It waits with the caller until the analysis is made, and prints
// nothing before that.
func analyse(c *call) error {
	who, err := c.visitor()
	if err != nil {
		return err
	}
	seat, v, err := c.board(who)
	if err != nil {
		return err
	}
	var s lobby.Study
	for s.Stage != lobby.Ready {
		now, err := c.club().Study(c.ctx, seat.ID(), s.Seq)
		if errors.Is(err, lobby.ErrNotOver) {
			return refuse("This match is not over yet: it can be analysed when it is.")
		}
		if err != nil {
			return err
		}
		s = *now
	}
	r := analysis.Report{
		ID: string(v.ID), Game: v.Game, Options: v.Options, Moves: v.Moves, Analysis: s.Analysis,
	}
	if c.flags.json {
		return r.WriteJSON(c.out)
	}
	return r.WriteText(c.out)
}
