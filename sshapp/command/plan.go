package command

import (
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/plans"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// planRow is the command about moves that the caller prepares.
func planRow() *row {
	return &row{Name: "plan", Example: "plan K7QM2X c2-c5 f7-f5, c2-c4 f7-f6", Answer: planJSON{},
		Summary: text.T("what you play by yourself after moves of the other side, in a match with days a move"), Args: []tree.Arg{codeArg(), {
			Name: "MOVES", Optional: true, Words: tree.Many,
			Help: text.T("lines of moves with commas between them, each from a move of the other side to one of yours, in place of the plan before; clear drops the plan; without it the plan is printed"),
		}}, Run: plain(plan)}
}

// A planJSON is what a player has prepared in a match.
type planJSON struct {
	ID    storage.MatchID `json:"id" help:"the id of the match"`
	Ply   int             `json:"ply" help:"how many moves were made before the first one of each line"`
	Lines []string        `json:"lines" help:"lines of moves from here on, as they can be given to the command; none if nothing is planned"`
	At    *string         `json:"at" help:"when the plan was made"`
}

// plan prints, replaces or drops what the caller has prepared.
func plan(c *call) (reply.Reply, error) {
	seat, err := c.seat(c.sitter)
	if err != nil {
		return nil, err
	}
	var p plans.Prepared
	switch words := c.words[1:]; {
	case len(words) == 0:
		p, err = c.lobby().Plans.Of(c.ctx, seat.User(), seat.ID())
	case len(words) == 1 && strings.EqualFold(words[0], "clear"):
		p, err = c.lobby().Plans.Clear(c.ctx, seat.User(), seat.ID())
	default:
		p, err = c.lobby().Plans.Set(c.ctx, seat.User(), seat.ID(), plannedLines(words))
	}
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Made(func() string { return strings.Join(planWords(c, p, seat.User()), "\n") }, func() any { return planOf(p) })), nil
}

// plannedLines reads lines of moves, with commas between them.
func plannedLines(words []string) (lines [][]games.Move) {
	for typed := range strings.SplitSeq(strings.Join(words, " "), ",") {
		var line []games.Move
		for _, m := range strings.Fields(typed) {
			line = append(line, games.Move(m))
		}
		if len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

func planOf(p plans.Prepared) planJSON {
	j := planJSON{ID: p.View.ID, Ply: p.View.Ply(), Lines: []string{}, At: jsonTime(p.At)}
	for _, line := range p.Lines {
		words := make([]string, len(line))
		for i, m := range line {
			words[i] = string(m)
		}
		j.Lines = append(j.Lines, strings.Join(words, " "))
	}
	return j
}

// planWords tells what a player has prepared, a line of moves in a sentence.
func planWords(c *call, p plans.Prepared, who lobby.User) (lines []string) {
	if len(p.Lines) == 0 {
		return []string{c.say.T("Nothing is planned in this match.")}
	}
	side, _ := p.View.Side(who)
	for _, line := range p.Lines {
		lines = append(lines, c.say.Planned(p.View.Position, side, line))
	}
	return lines
}
