package command

import (
	"errors"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// questions is the heading of the questions about a position.
var questions = text.T("Questions about the board")

// questionRows are the questions about a position. Each is answered in sentences, from what the board view of the game knows.
func questionRows() []*row {
	place := func(help string) tree.Arg {
		return tree.Arg{Name: "PLACE", Sample: "c5", Asks: text.T("Which place?"), Help: help}
	}
	words := func(n int, a tree.Arg) tree.Arg {
		a.Words = n
		return a
	}
	return group(questions,
		question("what", text.T("what stands on a place, and what can be done there"), boardview.Narrator.What,
			place(text.T("a place of the board: a cell such as c5, or the number of a point"))),
		question("row", text.T("what stands on a row"), boardview.Narrator.Row,
			tree.Arg{Name: "ROW", Sample: "3", Asks: text.T("Which row?"), Help: text.T("the number of the row")}),
		question("column", text.T("what stands on a column"), boardview.Narrator.Column,
			tree.Arg{Name: "COLUMN", Sample: "c", Asks: text.T("Which column?"), Help: text.T("the letter of the column")}),
		question("wheel", text.T("what is on a wheel, clockwise from its upper left"), boardview.Narrator.Wheel,
			tree.Arg{Name: "WHEEL", Sample: "3", Asks: text.T("Which wheel?"), Help: text.T("the number of the wheel")}),
		question("around", text.T("what stands next to a place"), boardview.Narrator.Around,
			place(text.T("a place of the board: a cell such as c5, or the number of a point"))),
		question("mine", text.T("where your pieces are"), own(0)),
		question("theirs", text.T("where the pieces of the other side are"), own(1)),
		question("moves", text.T("the legal moves, or those from or to a place"), boardview.Narrator.Moves,
			optional(place(text.T("a place of the board, or the number of a wheel; without it all moves")))),
		question("where", text.T("which moves begin or end on a place, or where the pieces of a kind are"), boardview.Narrator.Where,
			optional(words(2, place(text.T("a place of the board, or what pieces are called, such as man or heavy; without it all pieces"))))),
		question("threats", text.T("what each side could capture or complete next"), whole(boardview.Narrator.Threats)),
		question("count", text.T("how many pieces each side has, and how it stands"), whole(boardview.Narrator.Count)),
		question("board", text.T("the board, row by row in words"), whole(boardview.Narrator.Board)),
		&row{Name: "last", Answer: answerJSON{}, Summary: text.T("the last move of each side, told again"), Args: []tree.Arg{codeArg()}, Run: plain(last)},
		&row{Name: "clock", Answer: answerJSON{}, Summary: text.T("the time that each side has left"), Args: []tree.Arg{codeArg()}, Run: plain(clocks)},
		&row{Name: "players", Answer: answerJSON{}, Summary: text.T("who plays, with ratings and who is here"), Args: []tree.Arg{codeArg()}, Run: plain(players)},
	)
}

// question returns the row of a question about the position of a match or a study. about is what it asks for: a place, a row.
func question(name, summary string, ask func(boardview.Narrator, games.Position, string) ([]string, error), about ...tree.Arg) *row {
	return &row{Name: name, Answer: answerJSON{}, Summary: summary, Args: append([]tree.Arg{codeArg()}, about...), Run: plain(func(c *call) (reply.Reply, error) {
		at, err := look(c)
		if err != nil {
			return nil, err
		}
		lines, err := ask(at.Narrator, at.Position, strings.Join(c.words[1:], " "))
		if none, ok := errors.AsType[*boardview.NoPlaceError](err); ok {
			return nil, refusal{codeNotFound, none.Words}
		}
		if err != nil {
			return nil, err
		}
		return answer(lines), nil
	})}
}

// whole makes a question of one that asks for nothing in particular.
func whole(ask func(boardview.Narrator, games.Position) []string) func(boardview.Narrator, games.Position, string) ([]string, error) {
	return func(n boardview.Narrator, p games.Position, _ string) ([]string, error) { return ask(n, p), nil }
}

// own asks where the pieces of one side are: 0 is the reader's, 1 the other.
func own(other games.Side) func(boardview.Narrator, games.Position, string) ([]string, error) {
	return func(n boardview.Narrator, p games.Position, _ string) ([]string, error) {
		side := other
		if n.Plays {
			side ^= n.Side
		}
		return n.Pieces(p, side), nil
	}
}

// look returns the position that the first word names: of a match, or of the study that the user of the line mode is at.
func look(c *call) (prompt.Look, error) {
	if s := c.study(); s != nil {
		return s.Look(), nil
	}
	seat, v, err := c.seatNow(c.visitor)
	if err != nil {
		return prompt.Look{}, err
	}
	look := prompt.Look{Narrator: c.narrator(v, seat.User()), Position: v.Position, Ply: v.Ply()}
	if look.Ply > 0 {
		look.Last = v.Moves[look.Ply-1]
		look.Before, err = v.After(look.Ply - 1)
	}
	return look, err
}

// last tells the last move of each side again.
func last(c *call) (reply.Reply, error) {
	var lines []string
	if s := c.study(); s != nil {
		if look := s.Look(); look.Before != nil {
			lines = []string{strings.Join(look.Narrator.Move(look.Before, look.Last), " ")}
		}
	} else {
		seat, v, err := c.seatNow(c.visitor)
		if err != nil {
			return nil, err
		}
		n := c.narrator(v, seat.User())
		for ply := max(v.Ply()-2, 0); ply < v.Ply(); ply++ {
			before, err := v.After(ply)
			if err != nil {
				return nil, err
			}
			lines = append(lines, c.say.T("Move %d: %s", ply+1, strings.Join(n.Move(before, v.Moves[ply]), " ")))
		}
	}
	if len(lines) == 0 {
		lines = []string{c.say.T("No move has been made yet.")}
	}
	return answer(lines), nil
}

// clocks tells the time that each side has left.
func clocks(c *call) (reply.Reply, error) {
	if s := c.study(); s != nil && s.Code() == prompt.Here {
		return answer([]string{c.say.T("There is no clock here.")}), nil
	}
	seat, v, err := c.seatAsked()
	if err != nil {
		return nil, err
	}
	if v.Clock.Setting.Kind == lobby.NoClock {
		return answer([]string{c.say.T("This match has no clock.")}), nil
	}
	lines := []string{c.say.T("Clock: %s", c.say.Clock(v.Clock.Setting)) + "."}
	if !v.Started.IsZero() {
		lines = append(lines, prompt.Times(c.say, v, seat.User())...)
		lines = append(lines, c.say.Paused(&v.Summary, seat.User(), time.Now())...)
	}
	return answer(lines), nil
}

// players tells who plays.
func players(c *call) (reply.Reply, error) {
	if s := c.study(); s != nil && s.Code() == prompt.Here {
		return answer([]string{c.say.T("There is no match here: you are at a lesson or a puzzle.")}), nil
	}
	seat, v, err := c.seatAsked()
	if err != nil {
		return nil, err
	}
	who, about := seat.User(), v.Game.About()
	var lines []string
	for side, o := range v.Seats {
		if o.Kind == storage.Free {
			lines = append(lines, c.say.T("%s: the seat is free.", c.say.T(about.Sides[side])))
			continue
		}
		words := c.say.T("%s: %s", c.say.T(about.Sides[side]), shownName(c.say, o))
		if s := v.Strength[side]; s.Known {
			words += " " + shownRating(s.Rating, s.Provisional)
		}
		switch {
		case who.Is(o):
			words += ", " + c.say.T("you")
		case o.Kind != storage.Bot && !v.Over && !v.Started.IsZero():
			words += "; " + c.say.Presence().Whereabouts(shownName(c.say, o), v.Presence[side], time.Now())
		}
		lines = append(lines, strings.TrimSuffix(words, ".")+".")
	}
	if words := c.say.Presence().Spectators(v.Spectators, spectatorCells); words != "" {
		lines = append(lines, words)
	}
	return answer(slices.Clip(lines)), nil
}
