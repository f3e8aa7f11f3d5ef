package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// clubRows are the commands about the club.
func clubRows() []*row {
	return group(text.T("The club"),
		&row{Name: "help", Summary: text.T("what you can do here"), Args: []tree.Arg{
			{Name: "COMMAND", Optional: true, Words: maxNested, Help: text.T("the command that you want to know more of")},
		}, Run: plain(help)},
		&row{Name: "games", Summary: text.T("the games and their options"), Run: plain(listGames)},
		&row{Name: "rules", Summary: text.T("how a game is played"), Args: []tree.Arg{gameArg()}, Run: plain(rules)},
	)
}

// peopleRows are the commands about players.
func peopleRows() []*row {
	return group(text.T("People"), slices.Concat([]*row{
		{Name: "who", Summary: text.T("who is here, and what they do"), Cost: tree.Heavy, Run: plain(who)},
		{Name: "leaderboard", Summary: text.T("the ratings"), Cost: tree.Steps, Args: []tree.Arg{optional(gameArg())}, Run: plain(leaderboard)},
		{Name: "profile", Summary: text.T("a player"), Args: []tree.Arg{optional(nameArg())}, Run: plain(profile)},
	}, relationRows(), []*row{reportRow()})...)
}

func listGames(c *call) error {
	for _, g := range c.lobby().Games() {
		a := g.About()
		if c.asJSON {
			if err := c.json(c.gameOf(a)); err != nil {
				return err
			}
			continue
		}
		if err := c.printf("%s  %s\n  %s\n", a.ID, a.Name, c.say.T(a.Sentence)); err != nil {
			return err
		}
		rows := make([]string, 0, len(a.Options))
		for _, o := range a.Options {
			rows = append(rows, fmt.Sprintf("    %s=%d\t%s\t%s", o.Key, o.Default, c.say.Range(o), c.say.T(o.Help)))
		}
		for _, set := range a.OptionSets()[1:] {
			rows = append(rows, fmt.Sprintf("    --preset %s\t\t%s", set.Name, strings.Join(a.Changed(set.Options), " ")))
		}
		if err := c.table(rows); err != nil {
			return err
		}
		if err := c.listLevels(a.ID); err != nil {
			return err
		}
	}
	return nil
}

// gameJSON is a game, its options and its computer players.
type gameJSON struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	Sentence string       `json:"sentence"`
	Options  []optionJSON `json:"options"`
	Presets  []presetJSON `json:"presets"`
	Levels   []levelJSON  `json:"levels"`
}

type optionJSON struct {
	Key     string `json:"key"`
	Name    string `json:"name"`
	Kind    string `json:"kind"` // switch: 0 or 1; number: all from min to max; choice: one of values
	Default int    `json:"default"`
	Min     int    `json:"min"`
	Max     int    `json:"max"`
	Values  []int  `json:"values"` // of a switch and a choice; none for a number
}

type presetJSON struct {
	Name    string        `json:"name"`
	Options games.Options `json:"options"`
}

type levelJSON struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Rating *int   `json:"rating"` // above the weakest computer player; null if not measured
}

func (c *call) gameOf(a *games.About) gameJSON {
	g := gameJSON{ID: a.ID, Name: a.Name, Sentence: a.Sentence, Options: []optionJSON{}, Presets: []presetJSON{}, Levels: []levelJSON{}}
	for _, o := range a.Options {
		g.Options = append(g.Options, describeOption(o))
	}
	for _, set := range a.OptionSets() {
		g.Presets = append(g.Presets, presetJSON{set.Name, set.Options})
	}
	measured := false
	for _, l := range c.lobby().Levels() {
		level := levelJSON{ID: l.ID, Name: l.Name}
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

// listLevels prints the computer players of a game, with how strong they are where that has been measured.
func (c *call) listLevels(game string) error {
	var rows []string
	levels := c.lobby().Levels()
	for i, l := range levels {
		rows = append(rows, fmt.Sprintf("    --vs %s\t%s\t%s", l.ID, c.say.LevelStrength(levels, i, game), c.say.T(l.Sentence)))
	}
	return c.table(rows)
}

func rules(c *call) error {
	g, err := c.game(c.words[0])
	if err != nil {
		return err
	}
	if c.asJSON {
		return c.json(struct {
			Game string `json:"game"`
			Text string `json:"text"` // in English
		}{g.About().ID, strings.TrimSpace(text.Say{}.HowTo(g.About()))})
	}
	return c.printf("%s\n\n%s\n", g.About().Name, strings.TrimSpace(c.say.HowTo(g.About())))
}

func takeName(c *call) error {
	if c.caller.Fingerprint == "" {
		return refusal{codeGuest, c.say.T("A name needs a key: make one with ssh-keygen and connect again.")}
	}
	who, err := c.signUp(c.words[0])
	if errors.Is(err, lobby.ErrHasAccount) {
		return refusal{codeConflict, c.say.T("Your key has a name here already: see whoami.")}
	}
	if err != nil {
		return err
	}
	code, err := c.lobby().Keys.NewRecovery(c.ctx, who)
	if err != nil {
		return err
	}
	if c.asJSON {
		return c.whoami(who, code)
	}
	return c.printf("%s\n%s\n", c.say.T("Welcome, %s.", who.Name), c.say.RecoveryCode(code))
}

type whoamiJSON struct {
	Name         string   `json:"name"`
	Guest        bool     `json:"guest"`
	Fingerprints []string `json:"fingerprints"`
	Since        *string  `json:"since"`                   // null without an account
	RecoveryCode string   `json:"recovery_code,omitempty"` // a new one, in the answer to what makes it
}

func whoami(c *call) error {
	who, err := c.visitor()
	if err != nil {
		return err
	}
	return c.whoami(who, "")
}

// whoami prints the caller's account, or that they are a guest. code is their new recovery code, or "".
func (c *call) whoami(who lobby.User, code string) error {
	w := whoamiJSON{Name: who.Name, Guest: who.Kind == storage.Guest, Fingerprints: []string{}, RecoveryCode: code}
	since := time.Time{}
	switch who.Kind {
	case storage.Person:
		p, err := c.lobby().Standings.Profile(c.ctx, who, who.Name)
		if err != nil {
			return err
		}
		keys, err := c.lobby().Accounts.Fingerprints(c.ctx, who)
		if err != nil {
			return err
		}
		w.Fingerprints, w.Since = append(w.Fingerprints, keys...), jsonTime(p.Since)
		since = p.Since
	case storage.Free:
		w.Fingerprints = append(w.Fingerprints, c.caller.Fingerprint)
	}
	switch {
	case c.asJSON:
		return c.json(w)
	case who.Kind == storage.Guest:
		return c.printf("%s\n", c.say.T("%s, a guest: connect with a key and your results are kept.", w.Name))
	case who.Kind == storage.Free:
		return c.printf("%s\n%s\n", c.say.T("Your key has no name here yet. Take one: name NAME"), w.Fingerprints[0])
	}
	return c.printf("%s\n%s\n", c.say.T("%s, here since %s", w.Name, day(since)), strings.Join(w.Fingerprints, "\n"))
}

type standingJSON struct {
	Rating      float64 `json:"rating"`
	Deviation   float64 `json:"deviation"`
	Provisional bool    `json:"provisional"`
	Played      int     `json:"played"`
	Won         int     `json:"won"`
	Drawn       int     `json:"drawn"`
	Lost        int     `json:"lost"`
}

func standing(s standings.Standing) standingJSON {
	return standingJSON{s.Rating, s.Deviation, s.Provisional, s.Played, s.Won, s.Drawn, s.Lost}
}

// cells returns the columns of a standing in a table.
func (s standingJSON) cells(say text.Say) string {
	return strings.Join([]string{shownRating(s.Rating, s.Provisional), fmt.Sprintf("±%.0f", 2*s.Deviation), say.T("%d played", s.Played), say.T("%d won", s.Won),
		say.T("%d drawn", s.Drawn), say.T("%d lost", s.Lost)}, "\t")
}

// shownRating is a rating in a table, with a question mark while it is provisional.
func shownRating(rating float64, provisional bool) string {
	mark := ""
	if provisional {
		mark = "?"
	}
	return fmt.Sprintf("%.0f%s", rating, mark)
}

func leaderboard(c *call) error {
	wanted := c.lobby().Games()
	if len(c.words) == 1 {
		g, err := c.game(c.words[0])
		if err != nil {
			return err
		}
		wanted = []games.Game{g}
	}
	for _, g := range wanted {
		err := c.step(func() error {
			lines, err := c.lobby().Standings.Leaderboard(c.ctx, g.About().ID)
			if err != nil {
				return err
			}
			who, err := c.visitor()
			if err != nil {
				return err
			}
			own, ok, err := c.lobby().Standings.OwnLine(c.ctx, who, g.About().ID)
			if err != nil {
				return err
			}
			if ok && !slices.ContainsFunc(lines, func(l standings.Line) bool { return l.Name == own.Name }) {
				lines = append(slices.Clone(lines), own) // the caller's own line, however far down it is
			}
			return c.leaderboardOf(g.About(), lines)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *call) leaderboardOf(a *games.About, lines []standings.Line) error {
	if c.asJSON {
		for _, l := range lines {
			var rank *int
			if l.Rank > 0 {
				rank = &l.Rank
			}
			if err := c.json(struct {
				Game string `json:"game"`
				Rank *int   `json:"rank"` // null for players who are not ranked
				Name string `json:"name"`
				Bot  bool   `json:"bot"` // computer players are not rated
				standingJSON
			}{a.ID, rank, l.Name, false, standing(l.Standing)}); err != nil {
				return err
			}
		}
		return nil
	}
	rows := []string{a.Name}
	for _, l := range lines {
		rank := "?"
		if l.Rank > 0 {
			rank = fmt.Sprint(l.Rank)
		}
		rows = append(rows, fmt.Sprintf("  %s\t%s\t%s", rank, l.Name, standing(l.Standing).cells(c.say)))
	}
	if len(lines) == 0 {
		rows = append(rows, "  "+c.say.T("nobody has played a rated match yet"))
	}
	return c.table(rows)
}

func profile(c *call) error {
	name, err := c.nameOrOwn()
	if err != nil {
		return err
	}
	who, err := c.visitor()
	if err != nil {
		return err
	}
	p, err := c.lobby().Standings.Profile(c.ctx, who, name)
	if errors.Is(err, lobby.ErrNoSuchPlayer) {
		return refusal{codeNotFound, c.say.T("Nobody here is called %s.", tree.Quoted(name))}
	}
	if err != nil {
		return err
	}
	career, err := c.lobby().Standings.Career(c.ctx, who, p)
	if err != nil {
		return err
	}
	if c.asJSON {
		return c.profileJSON(p, career)
	}
	title := c.say.T("%s, since %s", p.Name, day(p.Since))
	if p.Online {
		title = c.say.T("%s, since %s, here now", p.Name, day(p.Since))
	}
	rows := []string{title}
	for _, s := range p.Games {
		g, err := c.game(s.Game)
		if err != nil {
			return err
		}
		rows = append(rows, fmt.Sprintf("  %s\t%s", g.About().Name, standing(s).cells(c.say)))
	}
	for _, s := range career.Sides {
		g, err := c.game(s.Game)
		if err != nil {
			return err
		}
		rows = append(rows, "  "+c.say.T("%s: %s playing first, %s playing second", g.About().Name, c.say.Score(s.First), c.say.Score(s.Second)))
	}
	if a := career.Against; a != nil && *a != (results.Score{}) {
		rows = append(rows, "  "+c.say.T("Against you: %s", c.say.Score(*a)))
	}
	if share, known := career.FinishedShare(); known {
		rows = append(rows, "  "+c.say.Finished(share))
	}
	return c.table(rows)
}

type ratingJSON struct {
	At     *string `json:"at"`
	Game   string  `json:"game"`
	Rating float64 `json:"rating"`
}

type scoreJSON struct {
	Won   int `json:"won"`
	Drawn int `json:"drawn"`
	Lost  int `json:"lost"`
}

type sidesJSON struct {
	Game   string    `json:"game"`
	First  scoreJSON `json:"first"`
	Second scoreJSON `json:"second"`
}

func (c *call) profileJSON(p standings.Profile, career standings.Career) error {
	type standingIn struct {
		Game string `json:"game"`
		standingJSON
	}
	out := struct {
		Name   string       `json:"name"`
		Since  *string      `json:"since"`
		Online bool         `json:"online"`
		Games  []standingIn `json:"games"`

		Ratings  []ratingJSON `json:"ratings"`        // after the last rated matches of each game, the oldest first by game
		Sides    []sidesJSON  `json:"sides"`          // against other players, rated or not, by game and side
		Against  *scoreJSON   `json:"against_you"`    // the caller's score against the player; null for guests and for oneself
		Finished *float64     `json:"finished_share"` // of the matches that the player has started; null before the first
	}{p.Name, jsonTime(p.Since), p.Online, []standingIn{}, []ratingJSON{}, []sidesJSON{}, (*scoreJSON)(career.Against), nil}
	for _, s := range p.Games {
		out.Games = append(out.Games, standingIn{s.Game, standing(s)})
	}
	for _, r := range career.Ratings {
		out.Ratings = append(out.Ratings, ratingJSON{jsonTime(r.At), r.Game, r.Rating})
	}
	for _, s := range career.Sides {
		out.Sides = append(out.Sides, sidesJSON{s.Game, scoreJSON(s.First), scoreJSON(s.Second)})
	}
	if share, known := career.FinishedShare(); known {
		out.Finished = &share
	}
	return c.json(out)
}

// nameOrOwn is the name that the command gives, or else the caller's own.
func (c *call) nameOrOwn() (string, error) {
	if len(c.words) == 1 {
		return c.words[0], nil
	}
	who, err := c.visitor()
	if err == nil && who.Kind != storage.Person {
		err = refusal{codeGuest, c.say.T("You have no name here yet: say whose, with NAME.")}
	}
	return who.Name, err
}

func showStatus(c *call) error {
	s := c.runner.options.Status()
	if c.asJSON {
		return c.json(s)
	}
	return s.Print(c.out, c.say)
}
