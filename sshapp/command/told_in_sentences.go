package command

import (
	"errors"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// An answerJSON is the answer to a question about a board.
type answerJSON struct {
	Lines []string `json:"lines" help:"the answer, in sentences in your language"`
}

// answer answers a question with sentences.
func answer(lines []string) reply.Reply {
	var rows []reply.Row
	for _, line := range lines[:len(lines)-1] {
		rows = append(rows, reply.ForPeople(line))
	}
	return reply.One(append(rows, reply.Made(func() string { return lines[len(lines)-1] }, func() any { return answerJSON{lines} }))...)
}

// teacher is the name of the other side in lessons and puzzles.
const teacher = "Ludoteca"

// tells reports whether a command answers in the sentences of the line mode.
func (c *call) tells() bool { return c.visit != nil && !c.asJSON }

// atPrompt refuses a command that only the line mode knows.
func atPrompt(c *call) error {
	if c.caller.current != nil {
		return nil
	}
	return refusal{codeNotOpen, c.say.T("That works in the line mode: %s", c.say.SSHLines())}
}

// study returns the study that the first word stands for; nil if it names a match.
func (c *call) study() prompt.Study {
	if s := c.caller.current.Study(); s != nil && len(c.words) > 0 && c.words[0] == c.caller.current.Code() {
		return s
	}
	return nil
}

// seatAsked is seatNow for a question: a match that the user looks through stays under review.
func (c *call) seatAsked() (*seats.Seat, *lobby.View, error) {
	if c.study() == nil {
		return c.seatNow(c.visitor)
	}
	seat, _, err := c.found(c.visitor)
	if err != nil {
		return nil, nil, err
	}
	v, err := seat.Now(c.ctx)
	return seat, v, err
}

// boardLines describes what stands on a board, or draws it.
func boardLines(c *call, about *games.About, p games.Position, drawn bool) []string {
	if !drawn {
		return boardview.Sentences(c.say.Say, c.say.Ending, about, p)
	}
	names := [2]string{c.say.T(about.Sides[games.First]), c.say.T(about.Sides[games.Second])}
	lines := slices.Clone(boardview.Text(p))
	for i, line := range lines {
		lines[i] = "  " + line
	}
	return append(lines, boardview.Facts(c.say.Say, names, p)...)
}

// narrator returns what tells a match to the caller.
func (c *call) narrator(v *lobby.View, who lobby.User) boardview.Narrator {
	return prompt.Narrate(c.say, v, who, c.caller.current.Manner())
}

// arrival tells a user where they are when they come to a match.
func arrival(c *call, v *lobby.View, who lobby.User) []string {
	a, n := v.Game.About(), c.narrator(v, who)
	names := [2]string{c.say.Occupant(v.Seats[0]), c.say.Occupant(v.Seats[1])}
	lines := []string{c.say.T("%s, match %s.", c.say.Spell(a.Name), nameOf(v))}
	side := c.say.T(a.Sides[n.Side])
	switch {
	case v.Started.IsZero():
	case n.Plays && n.Side == games.First:
		lines = append(lines, c.say.T("You play first, as %s, against %s.", side, names[games.Second]))
	case n.Plays:
		lines = append(lines, c.say.T("You play second, as %s, against %s.", side, names[games.First]))
	default:
		lines = append(lines, c.say.T("%s plays %s, %s plays %s.", names[0], c.say.T(a.Sides[0]), names[1], c.say.T(a.Sides[1])))
	}
	if words := clockWords(c.say, v); words != "" {
		lines = append(lines, words+".")
	}
	lines = append(lines, c.say.Paused(&v.Summary, who, time.Now())...)
	lines = append(lines, strings.Join(n.Opening(v.Position), " "))
	if ply := v.Ply(); ply > 0 {
		lines = append(lines, c.say.T("The last move, number %d, was %s.", ply, string(v.Moves[ply-1])))
	}
	lines = append(lines, drawing(c.caller.current.Manner(), v.Position)...)
	return append(append(lines, offerWords(c, v, who)...), stateSentence(c, v, who))
}

// nameOf returns the code of a match, or its id for a caller who doesn't know that.
func nameOf(v *lobby.View) string {
	if v.Code != "" {
		return v.Code
	}
	return string(v.ID)
}

// drawing returns the drawn board, if the user wants that.
func drawing(m prompt.Manner, p games.Position) []string {
	if !m.Drawn {
		return nil
	}
	return boardview.Text(p)
}

// stateSentence is stateWords as a sentence to the caller.
func stateSentence(c *call, v *lobby.View, who lobby.User) string {
	switch {
	case v.Over:
		return prompt.Ending(c.say, v, who)
	case v.YourTurn(who):
		return c.say.T("Your move.")
	}
	return text.Sentence(stateWords(c.say, v, who))
}

// toldRow is a match at one moment, told to people.
func toldRow(c *call, v *lobby.View, who lobby.User, lines []string) reply.Row {
	return reply.Row{
		Words:  func() (string, error) { return strings.Join(lines, "\n"), nil },
		Object: func() (any, error) { return describe(c, v, who), nil },
	}
}

// arrived answers with a match to which the caller has come.
func arrived(c *call, v *lobby.View, who lobby.User) reply.Reply {
	return func(yield func(reply.Part, error) bool) {
		yield(reply.Part{Rows: []reply.Row{toldRow(c, v, who, arrival(c, v, who))}, Last: true}, nil)
		c.shows(v, who)
	}
}

// afterAct answers with what has come of an act of the caller in a match: its open offers, and what it waits for or how it ended.
func afterAct(c *call, v *lobby.View, who lobby.User) reply.Reply {
	return func(yield func(reply.Part, error) bool) {
		lines := append(c.say.Paused(&v.Summary, who, time.Now()), offerWords(c, v, who)...)
		lines = append(lines, stateSentence(c, v, who))
		yield(reply.Part{Rows: []reply.Row{toldRow(c, v, who, lines)}, Last: true}, nil)
		c.shows(v, who)
	}
}

// moved answers with a move that the caller has made in a match. was is the match before.
func moved(c *call, was, v *lobby.View, who lobby.User, m games.Move) (reply.Reply, error) {
	var words []string
	for ply := was.Ply(); ply < v.Ply(); ply++ { // the other side may have moved since
		before, err := v.After(ply)
		if err != nil {
			return nil, err
		}
		if v.Moves[ply] == m && v.Holds(who, before.Turn()) {
			words = c.narrator(v, who).Move(before, m)
			break
		}
	}
	if v.Over {
		words = append(words, stateSentence(c, v, who))
	} else if v.Seats[v.Turn].Kind == storage.Bot {
		c.caller.current.Expect()
	}
	lines := append([]string{strings.Join(words, " ")}, drawing(c.caller.current.Manner(), v.Position)...)
	return reply.One(toldRow(c, v, who, lines)), nil
}

// play makes a move at a study.
func play(c *call, s prompt.Study, typed string) (reply.Reply, error) {
	m, err := s.Look().Position.Read(typed)
	var lines []string
	if err == nil {
		lines, err = s.Play(c.ctx, m)
	}
	c.caller.current.Refuse(refusedMove(err))
	if err != nil {
		return nil, err
	}
	return answer(lines), nil
}

// refusedMove returns an error about a move that the rules forbid, or nil for any other.
func refusedMove(err error) error {
	if errors.Is(err, games.ErrIllegal) {
		return err
	}
	return nil
}

// moveNow plays a move in the match that the first word names.
func moveNow(c *call, seat *seats.Seat, v *lobby.View, typed string) (games.Move, error) {
	m, err := v.Position.Read(typed)
	if err != nil {
		m = games.Move(typed) // the match says first whether any move could be made now
	}
	err = seat.Move(c.ctx, m, lobby.AnyPly)
	c.caller.current.Refuse(refusedMove(err))
	return m, err
}

// act does something for a player in the match that the first word names, and answers with the match as it stands then.
func act(c *call, do func(*seats.Seat, *lobby.View) error) (reply.Reply, error) {
	seat, v, err := c.seatNow(c.sitter)
	if err != nil {
		return nil, err
	}
	if err := do(seat, v); err != nil {
		return nil, err
	}
	if v, err = seat.Now(c.ctx); err != nil {
		return nil, err
	}
	if c.tells() {
		return afterAct(c, v, seat.User()), nil
	}
	return showMatch(c, v, seat.User(), false), nil
}
