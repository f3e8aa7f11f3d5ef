package command

import (
	"errors"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/storage"
)

func newFlags(f *flags) {
	withJSON(f)
	f.set.StringVar(&f.side, "side", "random", "")
	f.set.StringVar(&f.vs, "vs", "", "")
	f.set.BoolVar(&f.rated, "rated", false, "")
}

func newMatch(c *call) error {
	spec := lobby.Spec{Rated: c.flags.rated, Bot: c.flags.vs}
	side, ok := lobby.ParseChoice(c.flags.side)
	if !ok {
		return errUsage{"--side is first, second or random"}
	}
	g, err := c.game(c.words[0])
	if err != nil {
		return err
	}
	spec.Game, spec.Side = g.About().ID, side
	if spec.Options, err = games.ParseOptions(g, c.words[1:]); err != nil {
		return err
	}
	who, err := c.player()
	if err != nil {
		return err
	}
	ref, err := c.club().Open(c.ctx, who, spec)
	if errors.Is(err, lobby.ErrNoSuchLevel) {
		return refuse("There is no computer player %s here. There are: %s.", short(c.flags.vs), c.levels())
	}
	if err != nil {
		return err
	}
	return c.opened(who, ref)
}

func (c *call) levels() string {
	var ids []string
	for _, l := range c.club().Levels() {
		ids = append(ids, l.ID)
	}
	return strings.Join(ids, ", ")
}

// opened prints a match that has just been opened.
func (c *call) opened(who lobby.Who, ref lobby.Ref) error {
	v, err := c.view(who, ref.ID)
	if err != nil {
		return err
	}
	side := games.First
	if v.Holds(who, games.Second) {
		side = games.Second
	}
	if c.flags.json {
		return c.json(struct {
			Code    string          `json:"code"`
			ID      storage.MatchID `json:"id"`
			Game    string          `json:"game"`
			Options games.Options   `json:"options"`
			Side    string          `json:"side"`
		}{ref.Code, ref.ID, v.Game.About().ID, v.Options, side.String()})
	}
	if v.Started.IsZero() {
		return c.printf("%s\n%s, you play %s. Tell your friend the code, to join with: join %s\n",
			ref.Code, v.Game.About().Name, side, ref.Code)
	}
	return c.printf("%s\n%s against %s, you play %s. Your moves: move %s MOVE\n",
		ref.Code, v.Game.About().Name, shownName(v.Seats[side.Other()]), side, ref.Code)
}

func (c *call) view(who lobby.Who, id storage.MatchID) (*lobby.View, error) {
	seat, err := c.club().At(c.ctx, who, id)
	if err != nil {
		return nil, err
	}
	return seat.Now(c.ctx)
}

func join(c *call) error {
	// A code that nobody knows signs up nobody.
	if c.caller.Fingerprint != "" {
		who, err := c.visitor()
		if err != nil {
			return err
		}
		if _, err = c.club().Find(c.ctx, who, c.caller.Origin, c.words[0]); err != nil {
			return c.named(err)
		}
	}
	who, err := c.player()
	if err != nil {
		return err
	}
	ref, err := c.club().Join(c.ctx, who, c.caller.Origin, c.words[0])
	if err != nil {
		return c.named(err)
	}
	v, err := c.view(who, ref.ID)
	if err != nil {
		return err
	}
	return c.printBoard(v, who)
}

func move(c *call) error {
	who, err := c.player()
	if err != nil {
		return err
	}
	seat, v, err := c.board(who)
	if err != nil {
		return err
	}
	typed := strings.Join(c.words[1:], " ")
	m, err := v.Position.Read(typed)
	if err != nil {
		m = games.Move(typed) // the match says first whether any move could be made now
	}
	if err := seat.Move(c.ctx, m, lobby.AnyPly); err != nil {
		return err
	}
	if v, err = seat.Next(c.ctx, v.Seq); err != nil {
		return err
	}
	return c.printBoard(v, who)
}

func resign(c *call) error {
	who, err := c.player()
	if err != nil {
		return err
	}
	seat, err := c.match(who)
	if err != nil {
		return err
	}
	if err := seat.Resign(c.ctx); err != nil {
		if errors.Is(err, lobby.ErrNotStarted) {
			if err = seat.Abort(c.ctx); err == nil {
				return c.printf("Nobody had joined yet: the match is taken back.\n")
			}
		}
		return err
	}
	return c.printf("Resigned.\n")
}

func matches(c *call) error {
	who, err := c.visitor()
	if err != nil {
		return err
	}
	mine := c.club().Yours(who).Matches
	rows := make([]string, 0, len(mine))
	for _, m := range mine {
		if c.flags.json {
			if err := c.json(unfinished(m, who)); err != nil {
				return err
			}
			continue
		}
		state := "waiting for the other side"
		switch {
		case m.Started.IsZero():
			state = "waiting for somebody to join"
		case m.YourTurn:
			state = "your move"
		}
		rows = append(rows, strings.Join([]string{m.Code, m.Game, "vs " + shownName(m.Opponent), state, day(m.LastAt)}, "\t"))
	}
	if len(mine) == 0 && !c.flags.json {
		rows = append(rows, "You have no unfinished matches.")
	}
	return c.table(rows)
}

type unfinishedJSON struct {
	historyJSON
	Code     string `json:"code"`
	YourSide string `json:"your_side"`
	YourTurn bool   `json:"your_turn"`
}

func unfinished(m lobby.Mine, who lobby.Who) unfinishedJSON {
	seats := [2]string{m.Opponent.Name, m.Opponent.Name}
	seats[m.Side] = who.Name
	return unfinishedJSON{
		historyJSON: historyJSON{
			ID: m.ID, Game: m.Game, Options: m.Options, First: seats[games.First], Second: seats[games.Second],
			Plies: m.Ply, Rated: m.Rated, Started: stamp(m.Started),
			aidJSON: aid(m.Start, m.Helped),
		},
		Code: m.Code, YourSide: m.Side.String(), YourTurn: m.YourTurn,
	}
}
