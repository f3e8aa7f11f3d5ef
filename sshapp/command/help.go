package command

import (
	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
)

// takeback undoes the caller's last move against a computer player, and prints the board as it stands then.
func takeback(c *call) error {
	who, err := c.player()
	if err != nil {
		return err
	}
	seat, v, err := c.board(who)
	if err != nil {
		return err
	}
	if err := seat.Takeback(c.ctx); err != nil {
		return err
	}
	if v, err = seat.Next(c.ctx, v.Seq); err != nil {
		return err
	}
	return c.printBoard(v, who)
}

type hintJSON struct {
	Code   string       `json:"code"`
	Ply    int          `json:"ply"` // the moves made before it
	Move   games.Move   `json:"move"`
	Value  int          `json:"value"`  // for the side to move; a man, marble or the like is some 100
	Proven string       `json:"proven"` // "", or who wins: first, second
	Plies  int          `json:"plies"`  // to that end, at most
	Line   []games.Move `json:"line"`
}

// hint prints what the strongest computer player would do in the caller's place.
func hint(c *call) error {
	who, err := c.player()
	if err != nil {
		return err
	}
	seat, v, err := c.board(who)
	if err != nil {
		return err
	}
	h, err := seat.Hint(c.ctx)
	switch {
	case err != nil:
		return err
	case c.flags.json:
		return c.json(hintOf(v, h))
	}
	return c.printf("%s\n", text.Say{}.Hint(h))
}

// hintOf describes a hint for the side to move in a match.
func hintOf(v *lobby.View, h lobby.Hint) hintJSON {
	j := hintJSON{Code: v.Code, Ply: h.Ply, Move: h.Move, Value: h.Value, Line: append([]games.Move{}, h.Line...)}
	switch {
	case h.Proven && h.Plies > 0:
		j.Proven, j.Plies = v.Turn.String(), h.Plies
	case h.Proven && h.Plies < 0:
		j.Proven, j.Plies = v.Turn.Other().String(), -h.Plies
	}
	return j
}
