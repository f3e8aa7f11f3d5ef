package command

import (
	"errors"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
)

// matchRows are the commands about one match.
func matchRows() []*row {
	return group(text.T("At a match"),
		&row{Name: "show", Example: "show K7QM2X --words", Answer: matchJSON{}, Summary: text.T("a match as it is now; --words describes the board in sentences"), Cost: tree.Steps, Args: []tree.Arg{codeArg()}, Run: show},
		&row{Name: "watch", Aliases: watchAliases(), Answer: matchJSON{}, Summary: text.T("show a match; with --json a line now and one for every change"), Args: []tree.Arg{codeArg()}, Follows: true, Run: plain(watch)},
		&row{Name: "tv", Answer: matchJSON{}, Summary: text.T("the best match now; with --json a line for every change, and on to the next match"), Args: []tree.Arg{optional(gameArg())},
			Follows: true, Run: plain(television)},
		waitRow(),
		&row{Name: "move", Example: "move K7QM2X c3", Answer: matchJSON{}, Summary: text.T("play a move"), Args: []tree.Arg{codeArg(), {
			Name: "MOVE", Words: 3, Asks: text.T("Which move?"), Help: text.T("the move, as rules GAME writes moves; show prints those that are legal with --json"),
		}}, Run: plain(move)},
		planRow(),
		&row{Name: "hint", Answer: hintJSON{}, Summary: text.T("what the strongest computer player would do in your place"), Args: []tree.Arg{codeArg()}, Run: plain(hint)},
		&row{Name: "resign", Answer: matchJSON{}, Summary: text.T("give a match to the other side"), Args: []tree.Arg{codeArg()}, Run: plain(resign)},
		&row{Name: "abort", Answer: matchJSON{}, Summary: text.T("call a match off before both sides have moved, or withdraw an offer"), Args: []tree.Arg{codeArg()}, Run: plain(abort)},
		&row{Name: "claim", Example: "claim K7QM2X win", Answer: matchJSON{}, Summary: text.T("end a match whose other side has gone, as your win or a draw"), Args: []tree.Arg{codeArg(), {
			Name: "win|draw", Asks: text.T("What do you claim: win, or draw?"), Help: text.T("what the match ends as"),
		}}, Run: plain(claim)},
	)
}

// watchAliases are the names that FICS has for watch.
func watchAliases() []tree.Alias { return []tree.Alias{{Name: "obs"}, {Name: "observe"}} }

func move(c *call) (reply.Reply, error) {
	typed := strings.Join(c.words[1:], " ")
	if s := c.study(); s != nil {
		return play(c, s, typed)
	}
	seat, v, err := c.seatNow(c.sitter)
	if err != nil {
		return nil, err
	}
	m, err := moveNow(c, seat, v, typed)
	if err != nil {
		return nil, err
	}
	now, err := seat.Now(c.ctx)
	switch {
	case err != nil:
		return nil, err
	case c.tells():
		return moved(c, v, now, seat.User(), m)
	}
	return showMatch(c, now, seat.User(), false), nil
}

type hintJSON struct {
	Code   string       `json:"code" help:"the code of the match"`
	Ply    int          `json:"ply" help:"how many moves were made before the hint"`
	Move   games.Move   `json:"move" help:"the move that the computer would make"`
	Value  *int         `json:"value" help:"what the position is worth to the side to move, about 100 for a piece; null: no search was made"`
	Proven string       `json:"proven" help:"the side that wins for certain, first or second; \"\": neither is proven"`
	Plies  *int         `json:"plies" help:"how many moves that win takes at most; null: none is proven"`
	Line   []games.Move `json:"line" help:"the moves that the computer expects"`
}

// hint prints what the strongest computer player would do in the caller's place.
func hint(c *call) (reply.Reply, error) {
	if s := c.study(); s != nil {
		lines, err := s.Hint(c.ctx)
		if err != nil {
			return nil, err
		}
		return answer(lines), nil
	}
	seat, v, err := c.seatNow(c.sitter)
	if err != nil {
		return nil, err
	}
	h, err := seat.Hint(c.ctx)
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Made(func() string { return c.say.Hint(h) }, func() any { return hintOf(v, h) })), nil
}

// hintOf describes a hint for the side to move in a match.
func hintOf(v *lobby.View, h lobby.Hint) hintJSON {
	j := hintJSON{Code: v.Code, Ply: h.Ply, Move: h.Move, Line: append([]games.Move{}, h.Line...)}
	if h.Ahead || h.Proven {
		j.Value = &h.Value
	}
	switch {
	case h.Proven && h.Plies > 0:
		j.Proven, j.Plies = v.Turn.String(), new(h.Plies)
	case h.Proven && h.Plies < 0:
		j.Proven, j.Plies = v.Turn.Other().String(), new(-h.Plies)
	}
	return j
}

func resign(c *call) (reply.Reply, error) {
	seat, v, err := c.seatNow(c.sitter)
	if err != nil {
		return nil, err
	}
	side, _ := v.Side(seat.User())
	said := c.say.T("You resigned. %s wins.", c.say.Name(v.Seats[side.Other()].Name))
	err = seat.Resign(c.ctx)
	if errors.Is(err, lobby.ErrNotStarted) {
		said = c.say.T("Nobody had joined yet: the match is withdrawn.")
		err = seat.Abort(c.ctx)
	}
	if err != nil {
		return nil, err
	}
	return reply.One(sayOrDescribe(c, seat, said)), nil
}

// abort ends a match without a result before both sides have moved, and withdraws an offer.
func abort(c *call) (reply.Reply, error) {
	seat, err := c.seat(c.sitter)
	if err != nil {
		return nil, err
	}
	if err := seat.Abort(c.ctx); err != nil {
		return nil, err
	}
	return reply.One(sayOrDescribe(c, seat, c.say.T("The match is called off."))), nil
}

// claim ends a match that the other side has left.
func claim(c *call) (reply.Reply, error) {
	draw := strings.EqualFold(c.words[1], "draw")
	if !draw && !strings.EqualFold(c.words[1], "win") {
		return nil, usageError{words: c.say.T("What do you claim: win, or draw?")}
	}
	return act(c, func(seat *seats.Seat, _ *lobby.View) error { return seat.Claim(c.ctx, draw) })
}
