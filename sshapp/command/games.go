package command

import (
	"fmt"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
)

// clubRows are the commands about the club.
func clubRows() []*row {
	return group(text.T("The club"), append([]*row{
		&row{Name: "help", Example: "help new", Answer: tree.Help{}, Summary: text.T("what you can do here"), Args: []tree.Arg{
			{Name: "COMMAND", Optional: true, Words: maxNested, Help: text.T("the command that you want to know more about")},
		}, Run: plain(help)},
		&row{Name: "games", Answer: gameJSON{}, Summary: text.T("the games and their options"), Run: plain(listGames)},
		&row{Name: "rules", Answer: rulesJSON{}, Summary: text.T("how a game is played"), Args: []tree.Arg{gameArg()}, Run: plain(rules)},
		lessonRow(),
	}, puzzleRows()...)...)
}

func listGames(c *call) (reply.Reply, error) {
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	practised, err := c.lobby().Practice.Standings(c.ctx, who)
	if err != nil {
		return nil, err
	}
	return func(yield func(reply.Part, error) bool) {
		for _, g := range c.lobby().Games() {
			a := g.About()
			row := reply.Made(func() string { return gameWords(c, a, practised) }, func() any { return gameOf(c, a, practised) })
			if !yield(reply.Part{Rows: []reply.Row{row}}, nil) {
				return
			}
		}
	}, nil
}

// gameWords describes a game, its options and its computer players for a user with some practice ratings.
func gameWords(c *call, a *games.About, practised learning.PracticeStandings) string {
	rows := make([]string, 0, len(a.Options))
	for _, o := range a.Options {
		rows = append(rows, fmt.Sprintf("    %s=%d\t%s\t%s", o.Key, o.Default, c.say.Range(o), c.say.T(o.Help)))
	}
	for _, set := range a.OptionSets()[1:] {
		rows = append(rows, fmt.Sprintf("    --preset %s\t\t%s", set.Name, strings.Join(a.Changed(set.Options), " ")))
	}
	head := fmt.Sprintf("%s  %s\n  %s\n", a.ID, a.Name, c.say.T(a.Sentence))
	return strings.TrimSuffix(head+reply.Align(rows)+reply.Align(levelRows(c, a.ID, practised)), "\n")
}

// gameJSON is a game, its options and its computer players.
type gameJSON struct {
	ID       string       `json:"id" help:"the id of the game, which is GAME in other commands"`
	Name     string       `json:"name" help:"the name of the game, in English"`
	Sentence string       `json:"sentence" help:"what the game is, in one sentence in English"`
	Options  []optionJSON `json:"options" help:"what can be chosen, as key=value"`
	Presets  []presetJSON `json:"presets" help:"the named sets of options, for --preset"`
	Levels   []levelJSON  `json:"levels" help:"the computer players, the weakest first"`
}

type optionJSON struct {
	Key     string `json:"key" help:"the key of the option, as in key=value"`
	Name    string `json:"name" help:"the name of the option, in English"`
	Kind    string `json:"kind" help:"switch for 0 or 1, number for all from min to max, choice for one of values"`
	Default int    `json:"default" help:"the value where none is given"`
	Min     int    `json:"min" help:"the smallest value"`
	Max     int    `json:"max" help:"the largest value"`
	Values  []int  `json:"values" help:"all values of a switch or a choice; none for a number"`
}

type presetJSON struct {
	Name    string        `json:"name" help:"the name of the set, for --preset"`
	Options games.Options `json:"options" help:"the value of each option in the set, by its key"`
}

type levelJSON struct {
	ID     string `json:"id" help:"the id of the level, for --vs"`
	Name   string `json:"name" help:"the name of the computer player"`
	Rating *int   `json:"rating" help:"by how many points it is stronger than the weakest level at this game; null: not measured"`
	More   bool   `json:"more" help:"whether it is stronger by more than rating, because a level made all the points against a weaker one"`
	Words  string `json:"words" help:"how strong it is at this game, in words in English; empty: not measured"`

	Chance *float64 `json:"chance" help:"how likely you are to win against it, from 0 to 1, a draw as half a win; null: you have no practice rating in this game"`
}

func gameOf(c *call, a *games.About, practised learning.PracticeStandings) gameJSON {
	g := gameJSON{ID: a.ID, Name: a.Name, Sentence: a.Sentence, Options: []optionJSON{}, Presets: []presetJSON{}, Levels: []levelJSON{}}
	for _, o := range a.Options {
		g.Options = append(g.Options, describeOption(o))
	}
	for _, set := range a.OptionSets() {
		g.Presets = append(g.Presets, presetJSON{set.Name, set.Options})
	}
	measured := false
	levels := lobby.LevelsOf(c.lobby().Levels(), a.ID)
	for i, l := range levels {
		level := levelJSON{ID: l.ID, Name: l.Name, More: l.Above[a.ID], Words: wording.Words{}.LevelStrength(levels, i, a.ID)}
		if chance, known := c.lobby().Practice.Chance(practised, a.ID, l.ID); known {
			level.Chance = &chance
		}
		if n, ok := l.Ratings[a.ID]; ok {
			level.Rating, measured = &n, true
		}
		g.Levels = append(g.Levels, level)
	}
	if measured && g.Levels[0].Rating == nil {
		g.Levels[0].Rating = new(int) // the weakest, from which the others are measured
	}
	return g
}

func describeOption(o games.Option) optionJSON {
	all := []int{}
	for v := min(o.Min, 0); v <= o.Max; v++ {
		if o.Allows(v) {
			all = append(all, v)
		}
	}
	j := optionJSON{Key: o.Key, Name: o.Label, Kind: "choice", Default: o.Default, Min: all[0], Max: o.Max, Values: all}
	switch {
	case o.IsSwitch():
		j.Kind = "switch"
	case len(all) == j.Max-j.Min+1:
		j.Kind, j.Values = "number", []int{}
	}
	return j
}

// levelRows describes the computer players of a game, with how strong they are where that has been measured, and how likely one is to win as far as
// that is known.
func levelRows(c *call, game string, practised learning.PracticeStandings) (rows []string) {
	levels := lobby.LevelsOf(c.lobby().Levels(), game)
	for i, l := range levels {
		words := c.say.LevelMeasure(levels, i, game)
		if chance, known := c.lobby().Practice.Chance(practised, game, l.ID); known {
			words += ", " + c.say.Chance(chance)
		}
		rows = append(rows, fmt.Sprintf("    --vs %s\t%s\t%s", l.ID, words, c.say.T(l.Sentence)))
	}
	return rows
}

type rulesJSON struct {
	Game string `json:"game" help:"the id of the game"`
	Text string `json:"text" help:"the rules, in English"`
}

func rules(c *call) (reply.Reply, error) {
	g, err := c.game(c.words[0])
	if err != nil {
		return nil, err
	}
	a := g.About()
	return reply.One(reply.Made(
		func() string { return a.Name + "\n\n" + strings.TrimSpace(c.say.HowTo(a)) },
		func() any { return rulesJSON{a.ID, strings.TrimSpace(wording.Words{}.HowTo(a))} },
	)), nil
}
