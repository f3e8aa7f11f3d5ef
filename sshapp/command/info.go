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
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// clubRows are the commands about the club.
func clubRows() []*row {
	return group(text.T("The club"),
		&row{Name: "help", Example: "help new", Answer: helpJSON{}, Summary: text.T("what you can do here"), Args: []tree.Arg{
			{Name: "COMMAND", Optional: true, Words: maxNested, Help: text.T("the command that you want to know more of")},
		}, Run: plain(help)},
		&row{Name: "games", Answer: gameJSON{}, Summary: text.T("the games and their options"), Run: plain(listGames)},
		&row{Name: "rules", Answer: rulesJSON{}, Summary: text.T("how a game is played"), Args: []tree.Arg{gameArg()}, Run: plain(rules)},
	)
}

// peopleRows are the commands about players.
func peopleRows() []*row {
	return group(text.T("People"), slices.Concat([]*row{
		{Name: "who", Answer: whoJSON{}, Summary: text.T("who is here, and what they do"), Cost: tree.Heavy, Run: plain(who)},
		{Name: "leaderboard", Answer: leaderJSON{}, Summary: text.T("the ratings"), Cost: tree.Steps, Args: []tree.Arg{optional(gameArg())}, Run: plain(leaderboard)},
		{Name: "profile", Answer: profileJSON{}, Summary: text.T("a player"), Args: []tree.Arg{optional(nameArg())}, Run: plain(profile)},
	}, relationRows(), []*row{reportRow()})...)
}

func listGames(c *call) (reply.Reply, error) {
	return func(yield func(reply.Part, error) bool) {
		for _, g := range c.lobby().Games() {
			a := g.About()
			row := reply.Made(func() string { return gameWords(c, a) }, func() any { return gameOf(c, a) })
			if !yield(reply.Part{Rows: []reply.Row{row}}, nil) {
				return
			}
		}
	}, nil
}

// gameWords describes a game, its options and its computer players.
func gameWords(c *call, a *games.About) string {
	rows := make([]string, 0, len(a.Options))
	for _, o := range a.Options {
		rows = append(rows, fmt.Sprintf("    %s=%d\t%s\t%s", o.Key, o.Default, c.say.Range(o), c.say.T(o.Help)))
	}
	for _, set := range a.OptionSets()[1:] {
		rows = append(rows, fmt.Sprintf("    --preset %s\t\t%s", set.Name, strings.Join(a.Changed(set.Options), " ")))
	}
	head := fmt.Sprintf("%s  %s\n  %s\n", a.ID, a.Name, c.say.T(a.Sentence))
	return strings.TrimSuffix(head+reply.Align(rows)+reply.Align(levelRows(c, a.ID)), "\n")
}

// gameJSON is a game, its options and its computer players.
type gameJSON struct {
	ID       string       `json:"id" help:"the id"`
	Name     string       `json:"name" help:"the name"`
	Sentence string       `json:"sentence" help:"the game in one sentence"`
	Options  []optionJSON `json:"options" help:"the options of the game"`
	Presets  []presetJSON `json:"presets" help:"the named sets of options"`
	Levels   []levelJSON  `json:"levels" help:"the computer players"`
}

type optionJSON struct {
	Key     string `json:"key" help:"the key of the option, as in key=value"`
	Name    string `json:"name" help:"the name"`
	Kind    string `json:"kind" help:"switch, number or choice"` // switch: 0 or 1; number: all from min to max; choice: one of values
	Default int    `json:"default" help:"the value without a choice"`
	Min     int    `json:"min" help:"the least value"`
	Max     int    `json:"max" help:"the greatest value"`
	Values  []int  `json:"values" help:"the values of a switch or a choice; none for a number"` // of a switch and a choice; none for a number
}

type presetJSON struct {
	Name    string        `json:"name" help:"the name"`
	Options games.Options `json:"options" help:"the options of the game"`
}

type levelJSON struct {
	ID     string `json:"id" help:"the id"`
	Name   string `json:"name" help:"the name"`
	Rating *int   `json:"rating" help:"the rating"` // above the weakest computer player; null if not measured
}

func gameOf(c *call, a *games.About) gameJSON {
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

// levelRows describes the computer players of a game, with how strong they are where that has been measured.
func levelRows(c *call, game string) (rows []string) {
	levels := c.lobby().Levels()
	for i, l := range levels {
		rows = append(rows, fmt.Sprintf("    --vs %s\t%s\t%s", l.ID, c.say.LevelStrength(levels, i, game), c.say.T(l.Sentence)))
	}
	return rows
}

type rulesJSON struct {
	Game string `json:"game" help:"the id of the game"`
	Text string `json:"text" help:"the text"` // in English
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

func takeName(c *call) (reply.Reply, error) {
	if c.caller.Fingerprint == "" {
		return nil, refusal{codeGuest, c.say.T("A name needs a key: make one with ssh-keygen and connect again.")}
	}
	who, err := c.signUp(c.words[0])
	if errors.Is(err, lobby.ErrHasAccount) {
		return nil, refusal{codeConflict, c.say.T("Your key has a name here already: see whoami.")}
	}
	if err != nil {
		return nil, err
	}
	code, err := c.lobby().Keys.NewRecovery(c.ctx, who)
	if err != nil {
		return nil, err
	}
	return reply.One(accountRow(c, who, code, c.say.T("Welcome, %s.", who.Name)+"\n"+c.say.RecoveryCode(code))), nil
}

type whoamiJSON struct {
	Name         string   `json:"name" help:"the name"`
	Guest        bool     `json:"guest" help:"whether you are a guest"`
	Fingerprints []string `json:"fingerprints" help:"the fingerprints of your keys"`
	Since        *string  `json:"since" help:"since when"`                                                            // null without an account
	RecoveryCode string   `json:"recovery_code,omitempty" help:"a new recovery code, where the command has made one"` // a new one, in the answer to what makes it
}

func whoami(c *call) (reply.Reply, error) {
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	w, err := whoamiOf(c, who, "")
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Made(func() string { return whoamiWords(c.say, w, who.Kind) }, func() any { return w.whoamiJSON })), nil
}

// accountRow is what is printed of an account after an act that changed it. code is its new recovery code, or "".
func accountRow(c *call, who lobby.User, code, words string) reply.Row {
	return reply.Row{
		Words: func() (string, error) { return words, nil },
		Object: func() (any, error) {
			w, err := whoamiOf(c, who, code)
			return w.whoamiJSON, err
		},
	}
}

// An account is a whoamiJSON and what people read of it.
type account struct {
	whoamiJSON
	since time.Time
}

// whoamiOf describes a user. code is their new recovery code, or "".
func whoamiOf(c *call, who lobby.User, code string) (account, error) {
	w := account{whoamiJSON: whoamiJSON{Name: who.Name, Guest: who.Kind == storage.Guest, Fingerprints: []string{}, RecoveryCode: code}}
	switch who.Kind {
	case storage.Person:
		p, err := c.lobby().Standings.Profile(c.ctx, who, who.Name)
		if err != nil {
			return w, err
		}
		keys, err := c.lobby().Accounts.Fingerprints(c.ctx, who)
		if err != nil {
			return w, err
		}
		w.Fingerprints, w.Since, w.since = append(w.Fingerprints, keys...), jsonTime(p.Since), p.Since
	case storage.Free:
		w.Fingerprints = append(w.Fingerprints, c.caller.Fingerprint)
	}
	return w, nil
}

func whoamiWords(say wording.Words, w account, kind storage.OccupantKind) string {
	switch kind {
	case storage.Guest:
		return say.T("%s, a guest: connect with a key and your results are kept.", w.Name)
	case storage.Free:
		return say.T("Your key has no name here yet. Take one: name NAME") + "\n" + w.Fingerprints[0]
	}
	return say.T("%s, here since %s", w.Name, day(w.since)) + "\n" + strings.Join(w.Fingerprints, "\n")
}

type standingJSON struct {
	Rating      float64 `json:"rating" help:"the rating"`
	Deviation   float64 `json:"deviation" help:"how far the rating may be off"`
	Provisional bool    `json:"provisional" help:"whether the rating is still uncertain"`
	Played      int     `json:"played" help:"how many rated matches were played"`
	Won         int     `json:"won" help:"how many were won"`
	Drawn       int     `json:"drawn" help:"how many were drawn"`
	Lost        int     `json:"lost" help:"how many were lost"`
}

func standing(s standings.Standing) standingJSON {
	return standingJSON{s.Rating, s.Deviation, s.Provisional, s.Played, s.Won, s.Drawn, s.Lost}
}

// cells returns the columns of a standing in a table.
func (s standingJSON) cells(say wording.Words) string {
	return strings.Join([]string{shownRating(s.Rating, s.Provisional), fmt.Sprintf("±%.0f", 2*s.Deviation), say.N(s.Played, "%d played", "%d played"), say.N(s.Won, "%d won", "%d won"),
		say.N(s.Drawn, "%d drawn", "%d drawn"), say.N(s.Lost, "%d lost", "%d lost")}, "\t")
}

// shownRating is a rating in a table, with a question mark while it is provisional.
func shownRating(rating float64, provisional bool) string {
	mark := ""
	if provisional {
		mark = "?"
	}
	return fmt.Sprintf("%.0f%s", rating, mark)
}

func leaderboard(c *call) (reply.Reply, error) {
	wanted := c.lobby().Games()
	if len(c.words) == 1 {
		g, err := c.game(c.words[0])
		if err != nil {
			return nil, err
		}
		wanted = []games.Game{g}
	}
	return func(yield func(reply.Part, error) bool) {
		for i, g := range wanted {
			lines, err := leaders(c, g.About().ID)
			if !yield(reply.Part{Rows: leaderRows(c.say, g.About(), lines), Table: true, Last: i == len(wanted)-1}, err) || err != nil {
				return
			}
		}
	}, nil
}

// leaders returns the lines of a leaderboard. The caller's own line is among them, however far down it is.
func leaders(c *call, game string) ([]standings.Line, error) {
	lines, err := c.lobby().Standings.Leaderboard(c.ctx, game)
	if err != nil {
		return nil, err
	}
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	own, ok, err := c.lobby().Standings.OwnLine(c.ctx, who, game)
	if ok && err == nil && !slices.ContainsFunc(lines, func(l standings.Line) bool { return l.Name == own.Name }) {
		lines = append(slices.Clone(lines), own)
	}
	return lines, err
}

// A leaderJSON is a line of a leaderboard.
type leaderJSON struct {
	Game string `json:"game" help:"the id of the game"`
	Rank *int   `json:"rank" help:"the place; null for players who are not ranked"` // null for players who are not ranked
	Name string `json:"name" help:"the name"`
	Bot  bool   `json:"bot" help:"whether it is a computer player"` // computer players are not rated
	standingJSON
}

func leaderRows(say wording.Words, a *games.About, lines []standings.Line) []reply.Row {
	rows := []reply.Row{reply.ForPeople(a.Name)}
	for _, l := range lines {
		shown, rank := "?", (*int)(nil)
		if l.Rank > 0 {
			shown, rank = fmt.Sprint(l.Rank), &l.Rank
		}
		rows = append(rows, reply.Made(
			func() string { return fmt.Sprintf("  %s\t%s\t%s", shown, l.Name, standing(l.Standing).cells(say)) },
			func() any { return leaderJSON{a.ID, rank, l.Name, false, standing(l.Standing)} },
		))
	}
	if len(lines) == 0 {
		rows = append(rows, reply.ForPeople("  "+say.T("nobody has played a rated match yet")))
	}
	return rows
}

func profile(c *call) (reply.Reply, error) {
	name, err := nameOrOwn(c)
	if err != nil {
		return nil, err
	}
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	p, err := c.lobby().Standings.Profile(c.ctx, who, name)
	if errors.Is(err, lobby.ErrNoSuchPlayer) {
		return nil, refusal{codeNotFound, c.say.T("Nobody here is called %s.", tree.Quoted(name))}
	}
	if err != nil {
		return nil, err
	}
	career, err := c.lobby().Standings.Career(c.ctx, who, p)
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Row{
		Words:  func() (string, error) { return profileWords(c, p, career) },
		Object: func() (any, error) { return profileOf(p, career), nil },
	}), nil
}

// profileWords describes a player for people.
func profileWords(c *call, p standings.Profile, career standings.Career) (string, error) {
	title := c.say.T("%s, since %s", p.Name, day(p.Since))
	if p.Online {
		title = c.say.T("%s, since %s, here now", p.Name, day(p.Since))
	}
	rows := []string{title}
	for _, s := range p.Games {
		g, err := c.game(s.Game)
		if err != nil {
			return "", err
		}
		rows = append(rows, fmt.Sprintf("  %s\t%s", g.About().Name, standing(s).cells(c.say)))
	}
	for _, s := range career.Sides {
		g, err := c.game(s.Game)
		if err != nil {
			return "", err
		}
		rows = append(rows, "  "+c.say.T("%s: %s playing first, %s playing second", g.About().Name, c.say.Score(s.First), c.say.Score(s.Second)))
	}
	if a := career.Against; a != nil && *a != (results.Score{}) {
		rows = append(rows, "  "+c.say.T("Against you: %s", c.say.Score(*a)))
	}
	if share, known := career.FinishedShare(); known {
		rows = append(rows, "  "+c.say.Finished(share))
	}
	return strings.TrimSuffix(reply.Align(rows), "\n"), nil
}

type ratingJSON struct {
	At     *string `json:"at" help:"when it was"`
	Game   string  `json:"game" help:"the id of the game"`
	Rating float64 `json:"rating" help:"the rating"`
}

type scoreJSON struct {
	Won   int `json:"won" help:"how many were won"`
	Drawn int `json:"drawn" help:"how many were drawn"`
	Lost  int `json:"lost" help:"how many were lost"`
}

type sidesJSON struct {
	Game   string    `json:"game" help:"the id of the game"`
	First  scoreJSON `json:"first" help:"the first side"`
	Second scoreJSON `json:"second" help:"the second side"`
}

// A profileJSON describes a player.
type profileJSON struct {
	Name   string       `json:"name" help:"the name"`
	Since  *string      `json:"since" help:"since when"`
	Online bool         `json:"online" help:"whether the player is here"`
	Games  []gameRating `json:"games" help:"how the player stands in each game"`

	Ratings  []ratingJSON `json:"ratings" help:"the rating after each of the last rated matches, the oldest first by game"` // after the last rated matches of each game, the oldest first by game
	Sides    []sidesJSON  `json:"sides" help:"the score against other players by game and side"`                            // against other players, rated or not, by game and side
	Against  *scoreJSON   `json:"against_you" help:"the player's score against you; null for guests and for yourself"`      // the caller's score against the player; null for guests and for oneself
	Finished *float64     `json:"finished_share" help:"the share of begun matches that the player finishes; null: unknown"` // of the matches that the player has started; null before the first
}

func profileOf(p standings.Profile, career standings.Career) profileJSON {
	out := profileJSON{p.Name, jsonTime(p.Since), p.Online, []gameRating{}, []ratingJSON{}, []sidesJSON{}, (*scoreJSON)(career.Against), nil}
	for _, s := range p.Games {
		out.Games = append(out.Games, gameRating{s.Game, standing(s)})
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
	return out
}

// gameRating is how a player stands in a game.
type gameRating struct {
	Game string `json:"game" help:"the id of the game"`
	standingJSON
}

// nameOrOwn is the name that the command gives, or else the caller's own.
func nameOrOwn(c *call) (string, error) {
	if len(c.words) == 1 {
		return c.words[0], nil
	}
	who, err := c.visitor()
	if err == nil && who.Kind != storage.Person {
		err = refusal{codeGuest, c.say.T("You have no name here yet: say whose, with NAME.")}
	}
	return who.Name, err
}

func showStatus(c *call) (reply.Reply, error) {
	s := c.runner.options.Status()
	return reply.One(reply.Row{
		Words: func() (string, error) {
			var b strings.Builder
			err := s.Print(&b, c.say)
			return strings.TrimSuffix(b.String(), "\n"), err
		},
		Object: func() (any, error) { return s, nil },
	}), nil
}
