package command

import (
	"slices"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// matchJSON is a match at one moment, as show and watch print it.
type matchJSON struct {
	ID      storage.MatchID `json:"id"`
	Code    string          `json:"code"`
	Game    string          `json:"game"`
	Options games.Options   `json:"options"`
	First   string          `json:"first"`
	Second  string          `json:"second"`
	Ply     int             `json:"ply"`
	Moves   []games.Move    `json:"moves"`
	Board   []string        `json:"board"`
	Turn    string          `json:"turn"` // "" when the match is over
	Legal   []games.Move    `json:"legal"`
	Result  string          `json:"result"`
	Reason  string          `json:"reason"`
	aidJSON
}

func describe(v *lobby.View) matchJSON {
	m := matchJSON{
		ID: v.ID, Code: v.Code, Game: v.Game.About().ID, Options: v.Options,
		First: v.Seats[games.First].Name, Second: v.Seats[games.Second].Name,
		Ply: v.Ply(), Moves: v.Moves, Result: v.Result, Reason: v.Reason,
		aidJSON: aid(v.Start, v.Helped),
	}
	if m.Moves == nil {
		m.Moves = []games.Move{}
	}
	m.stand(v.Position, v.Over)
	return m
}

// stand fills in what follows from the position.
func (m *matchJSON) stand(p games.Position, over bool) {
	m.Board, m.Turn, m.Legal = p.Rows(), "", []games.Move{}
	if !over {
		m.Turn = p.Turn().String()
		m.Legal = append(m.Legal, p.Legal()...)
	}
}

func showFlags(f *flags) {
	withJSON(f)
	f.set.BoolVar(&f.words, "words", false, "")
}

func show(c *call) error {
	who, err := c.visitor()
	if err != nil {
		return err
	}
	_, v, err := c.board(who)
	if err != nil {
		return err
	}
	if c.flags.json {
		return c.json(describe(v))
	}
	return c.printBoard(v, who)
}

// watch prints the match as show does. With --json it goes on with a line for every change until the match ends. A
// reader that was slow gets views in bigger steps, and the lines between are made from their events.
func watch(c *call) error {
	if !c.flags.json {
		return show(c)
	}
	who, err := c.visitor()
	if err != nil {
		return err
	}
	seat, seen, err := c.board(who)
	if err != nil {
		return err
	}
	if err := c.json(describe(seen)); err != nil {
		return err
	}
	for !seen.Over {
		v, err := seat.Next(c.ctx, seen.Seq)
		if err != nil {
			return err
		}
		if err := c.follow(seen, v); err != nil {
			return err
		}
		seen = v
	}
	return nil
}

// follow prints a line for every change that can be seen in the lines, from one view to the next. The last of them comes
// from the newer view itself, and is the only one if that has been read from the records.
func (c *call) follow(old, v *lobby.View) error {
	events := v.Since(old)
	line, pos := describe(old), old.Position
	line.Moves = slices.Clip(line.Moves) // it grows and shrinks here
	for i, e := range events {
		if e.Kind == storage.Resigned || e.Kind == storage.Flagged {
			continue // always followed by the end
		}
		next, err := line.take(e, v, pos)
		if err != nil {
			return err
		}
		pos = next
		last := i == len(events)-1
		switch {
		case last:
			return c.json(describe(v))
		case e.Kind == storage.Moved && events[i+1].Kind == storage.Ended:
			continue // a move and the end that it brings are one change
		}
		line.stand(pos, false)
		if err := c.json(line); err != nil {
			return err
		}
	}
	if len(events) == 0 && v.Over {
		return c.json(describe(v))
	}
	return nil
}

// take adds an event of a match that stands at a position, and returns the position after it.
func (m *matchJSON) take(e storage.Event, v *lobby.View, at games.Position) (games.Position, error) {
	switch e.Kind {
	case storage.Joined:
		if e.Seat.Side() == games.First {
			m.First = e.Who.Name
		} else {
			m.Second = e.Who.Name
		}
	case storage.Moved:
		m.Ply, m.Moves = m.Ply+1, append(m.Moves, e.Move)
		return at.Play(e.Move)
	case storage.TakenBack:
		m.Ply -= e.Plies
		m.Moves = slices.Clip(m.Moves[:m.Ply])
		m.Helped, m.Takebacks = true, m.Takebacks+1
		return games.Replay(v.Game, v.Options, m.Moves)
	case storage.Helped:
		m.Helped, m.Hints = true, m.Hints+1
	}
	return at, nil
}

// printBoard prints a match for people.
func (c *call) printBoard(v *lobby.View, who lobby.Who) error {
	a := v.Game.About()
	if err := c.printf("%s, match %s: %s (%s) - %s (%s)\n", a.Name, v.Code,
		shownName(v.Seats[games.First]), a.Sides[games.First], shownName(v.Seats[games.Second]), a.Sides[games.Second]); err != nil {
		return err
	}
	if n := v.Ply(); n > 0 {
		if err := c.printf("after move %d, %s\n", n, v.Moves[n-1]); err != nil {
			return err
		}
	}
	if v.Start > 0 {
		if err := c.printf("begun after move %d\n", v.Start); err != nil {
			return err
		}
	}
	if words := (text.Say{}).Helped(v.Helped); words != "" {
		if err := c.printf("%s\n", words); err != nil {
			return err
		}
	}
	lines := boardview.Text(v.Position)
	if c.flags.words {
		lines = boardview.Sentences(text.Say{}, a, v.Position)
	}
	for _, line := range lines {
		if err := c.printf("  %s\n", line); err != nil {
			return err
		}
	}
	return c.printf("%s\n", state(v, who))
}

// state says in one line what a match waits for, or how it ended.
func state(v *lobby.View, who lobby.Who) string {
	first, second := v.Seats[games.First].Name, v.Seats[games.Second].Name
	switch {
	case v.Over:
		return text.Say{}.Ending(v.Game.About(), v.Result, v.Reason, first, second)
	case v.Started.IsZero():
		return "waiting for somebody to join with the code " + v.Code
	case v.YourTurn(who):
		return "your move"
	default:
		return v.Seats[v.Turn].Name + " to move"
	}
}
