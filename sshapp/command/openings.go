package command

import (
	"fmt"
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/storage/results"
)

// openingsRow is the command that says how rated matches began.
func openingsRow() *row {
	return &row{Name: "openings", Example: "openings petteia a1-a5", Answer: openingsJSON{}, Cost: tree.Steps,
		Summary: text.T("which moves were played in rated matches, and how these ended"),
		Args: []tree.Arg{
			{Name: "GAME", Sample: "tanks", Optional: true, Help: text.T("the game; without it, the position of the match that you look through")},
			{Name: "MOVES", Optional: true, Words: tree.Many, Help: text.T("the moves from the start of the game; options of the game, such as size=6, may stand before them")},
		}, Run: openings}
}

type openingsJSON struct {
	Game    string            `json:"game" help:"the id of the game"`
	Options games.Options     `json:"options" help:"the value of each option of the game, by its key"`
	Moves   []games.Move      `json:"moves" help:"the moves from the start of the game"`
	Matches int               `json:"matches" help:"how many rated matches came there"`
	Next    []openingMoveJSON `json:"next" help:"the moves that were played there, those of most matches first; after 12 moves nothing is counted"`
}

type openingMoveJSON struct {
	Move    games.Move `json:"move" help:"the move"`
	Matches int        `json:"matches" help:"how many rated matches it was played in"`
	First   int        `json:"first" help:"how many of these the first side won"`
	Draw    int        `json:"draw" help:"how many of these were drawn"`
	Second  int        `json:"second" help:"how many of these the second side won"`
}

// An openingAsked is the opening that a line asks for.
type openingAsked struct {
	game    games.Game
	options games.Options
	moves   []games.Move
	turn    games.Side // after the moves
}

// openings says how the rated matches with an opening went on.
func openings(f *tree.Flags) run {
	preset := presetFlag(f)
	return func(c *call) (reply.Reply, error) {
		asked, err := askedOpening(c, *preset)
		if err != nil {
			return nil, err
		}
		return reply.Later(func() (reply.Part, error) {
			all, err := c.lobby().Results.Openings(c.ctx, asked.game, asked.options, asked.moves)
			if err != nil {
				return reply.Part{}, err
			}
			var op results.Opening
			if len(asked.moves) < len(all) { // else it is longer than what is counted
				op = all[len(asked.moves)]
			}
			return reply.Part{Rows: []reply.Row{reply.Made(
				func() string { return openingWords(c, asked, op) },
				func() any { return openingLine(asked, op) },
			)}}, nil
		}), nil
	}
}

// askedOpening reads game, options and moves of a line. Without a game it is the position of the match under review.
func askedOpening(c *call, preset string) (asked openingAsked, err error) {
	var start games.Position
	var words []string
	if len(c.words) == 0 {
		var v *lobby.View
		if v, asked.moves, err = studiedOpening(c); err != nil {
			return asked, err
		}
		asked.game, asked.options = v.Game, v.Options
	} else {
		if asked.game, err = c.game(c.words[0]); err != nil {
			return asked, err
		}
		var options []string
		for _, w := range strings.Fields(strings.Join(c.words[1:], " ")) { // moves may come in quotation marks
			switch {
			case strings.Contains(w, "=") && len(words) == 0:
				options = append(options, w)
			case !strings.HasSuffix(w, "."): // a number before a move
				words = append(words, w)
			}
		}
		if asked.options, err = optionsOf(c.say, asked.game, preset, options); err != nil {
			return asked, err
		}
	}
	if start, err = asked.game.New(asked.options); err != nil {
		return asked, err
	}
	for _, w := range words {
		m, err := start.Read(w)
		if err != nil {
			return asked, err
		}
		asked.moves = append(asked.moves, m)
	}
	end, err := games.ReplayFrom(start, asked.moves)
	if err != nil {
		return asked, err
	}
	asked.turn = end.Turn()
	return asked, nil
}

// studiedOpening returns the match that the caller looks through, and the moves up to the position there.
func studiedOpening(c *call) (v *lobby.View, moves []games.Move, err error) {
	s, ok := reviewed(nil), false
	if c.caller.current != nil {
		s, ok = c.caller.current.Study().(reviewed)
	}
	if !ok {
		return nil, nil, usageError{words: c.say.T("Which game? Name one, or look through a match first.")}
	}
	v, ply := s.at()
	if v.From != "" {
		return nil, nil, refusal{codeNotOpen, c.say.T("This match began from a position of its own: its opening is not counted.")}
	}
	return v, slices.Clone(v.Moves[:min(ply, len(v.Moves))]), nil
}

func openingLine(asked openingAsked, op results.Opening) openingsJSON {
	j := openingsJSON{asked.game.About().ID, asked.options, append([]games.Move{}, asked.moves...), op.Here.Matches(), []openingMoveJSON{}}
	for _, n := range op.Next {
		j.Next = append(j.Next, openingMoveJSON{n.Move, n.Matches(), n.First, n.Draw, n.Second})
	}
	return j
}

// openingWords is an opening for people.
func openingWords(c *call, asked openingAsked, op results.Opening) string {
	head := c.say.Opening(op, asked.turn)
	switch {
	case head == "" && len(asked.moves) > results.OpeningPlies:
		return c.say.T("The first %d moves of matches are counted.", results.OpeningPlies)
	case head == "":
		return c.say.T("No rated match came here.")
	case len(op.Next) == 0:
		return text.Sentence(head)
	}
	rows := []string{strings.Join([]string{c.say.T("MOVE"), c.say.T("MATCHES"), c.say.T("SCORE"), c.say.T("FIRST WON"), c.say.T("DRAWN"), c.say.T("SECOND WON")}, "\t")}
	for _, n := range op.Next {
		rows = append(rows, fmt.Sprintf("%s\t%d\t%s\t%d\t%d\t%d", n.Move, n.Matches(), c.say.Percent(n.Score(asked.turn)), n.First, n.Draw, n.Second))
	}
	return text.Sentence(head) + "\n" + strings.TrimSuffix(reply.Align(rows), "\n")
}
