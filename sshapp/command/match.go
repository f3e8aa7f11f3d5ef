package command

import (
	"errors"
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// seat finds the match that the first word names.
func (c *call) seat(who lobby.User) (*lobby.Seat, error) {
	id, err := c.lobby().Find(c.ctx, who, c.caller.Origin, c.words[0])
	if err == nil {
		var seat *lobby.Seat
		if seat, err = c.lobby().At(c.ctx, who, id); err == nil {
			return seat, nil
		}
	}
	return nil, c.named(err)
}

// seatNow finds the match that the first word names, and how it stands.
func (c *call) seatNow(who lobby.User) (*lobby.Seat, *lobby.View, error) {
	seat, err := c.seat(who)
	if err != nil {
		return nil, nil, err
	}
	v, err := seat.Now(c.ctx)
	return seat, v, err
}

// named gives an error about a code words that repeat the code.
func (c *call) named(err error) error {
	if errors.Is(err, lobby.ErrNoSuchMatch) {
		return refusal{text.Say{}.NoSuchCode(c.words[0])}
	}
	return err
}

func newMatch(c *call) error {
	spec := lobby.Spec{Rated: c.flags.rated, Bot: c.flags.vs}
	side, ok := lobby.ParseChoice(c.flags.side)
	if !ok {
		return usageError{"--side is first, second or random"}
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
	ref, err := c.lobby().Open(c.ctx, who, spec)
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
	for _, l := range c.lobby().Levels() {
		ids = append(ids, l.ID)
	}
	return strings.Join(ids, ", ")
}

// opened prints a match that has just been opened.
func (c *call) opened(who lobby.User, ref lobby.Ref) error {
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

func (c *call) view(who lobby.User, id storage.MatchID) (*lobby.View, error) {
	seat, err := c.lobby().At(c.ctx, who, id)
	if err != nil {
		return nil, err
	}
	return seat.Now(c.ctx)
}

func join(c *call) error {
	// An unknown code makes no account.
	if c.caller.Fingerprint != "" {
		who, err := c.visitor()
		if err != nil {
			return err
		}
		if _, err = c.lobby().Find(c.ctx, who, c.caller.Origin, c.words[0]); err != nil {
			return c.named(err)
		}
	}
	who, err := c.player()
	if err != nil {
		return err
	}
	ref, err := c.lobby().Join(c.ctx, who, c.caller.Origin, c.words[0])
	if err != nil {
		return c.named(err)
	}
	v, err := c.view(who, ref.ID)
	if err != nil {
		return err
	}
	return c.printBoard(v, who)
}

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

func show(c *call) error {
	who, err := c.visitor()
	if err != nil {
		return err
	}
	_, v, err := c.seatNow(who)
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
	seat, seen, err := c.seatNow(who)
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
		if v.Seats[games.First] != v.Seats[games.Second] { // else nobody else was to agree, and it is no help
			m.Helped, m.Takebacks = true, m.Takebacks+1
		}
		return games.Replay(v.Game, v.Options, m.Moves)
	case storage.Helped:
		m.Helped, m.Hints = true, m.Hints+1
	}
	return at, nil
}

// printBoard prints a match for people.
func (c *call) printBoard(v *lobby.View, who lobby.User) error {
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
func state(v *lobby.View, who lobby.User) string {
	first, second := v.Seats[games.First].Name, v.Seats[games.Second].Name
	switch {
	case v.Over:
		return text.Say{}.Ending(v.Game.About(), v.Options, v.Result, v.Reason, first, second)
	case v.Started.IsZero():
		return "waiting for somebody to join with the code " + v.Code
	case v.YourTurn(who):
		return "your move"
	default:
		return v.Seats[v.Turn].Name + " to move"
	}
}

func move(c *call) error {
	who, err := c.player()
	if err != nil {
		return err
	}
	seat, v, err := c.seatNow(who)
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

// takeback undoes the caller's last move against a computer player, or the last one of both the caller's seats, and prints the board as it stands then.
func takeback(c *call) error {
	who, err := c.player()
	if err != nil {
		return err
	}
	seat, v, err := c.seatNow(who)
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
	seat, v, err := c.seatNow(who)
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

func resign(c *call) error {
	who, err := c.player()
	if err != nil {
		return err
	}
	seat, err := c.seat(who)
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
	mine := c.lobby().Yours(who).Matches
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

func unfinished(m lobby.Mine, who lobby.User) unfinishedJSON {
	seats := [2]string{m.Opponent.Name, m.Opponent.Name}
	seats[m.Side] = who.Name
	return unfinishedJSON{
		historyJSON: historyJSON{
			ID: m.ID, Game: m.Game, Options: m.Options, First: seats[games.First], Second: seats[games.Second],
			Plies: m.Ply, Rated: m.Rated, Started: jsonTime(m.Started),
			aidJSON: aid(m.Start, m.Helped),
		},
		Code: m.Code, YourSide: m.Side.String(), YourTurn: m.YourTurn,
	}
}
