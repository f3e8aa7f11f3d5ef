package command

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// peopleRows are the commands about players.
func peopleRows() []*row {
	return group(text.T("People"), slices.Concat([]*row{
		{Name: "who", Answer: whoJSON{}, Summary: text.T("who is here, and what they do"), Cost: tree.Heavy, Run: plain(who)},
		{Name: "leaderboard", Answer: leaderJSON{}, Summary: text.T("the ratings"), Cost: tree.Steps, Args: []tree.Arg{optional(gameArg())}, Run: leaderboard},
		{Name: "profile", Aliases: []tree.Alias{{Name: "finger"}}, Answer: profileJSON{}, Summary: text.T("a player"), Args: []tree.Arg{optional(nameArg())}, Run: plain(profile)},
	}, relationRows(), tellRows(), []*row{reportRow()})...)
}

// A whoJSON describes a user who is here.
type whoJSON struct {
	Name        string               `json:"name" help:"the name of the user"`
	Kind        storage.OccupantKind `json:"kind" help:"what the user is: player, guest, bot or engine"`
	Followed    bool                 `json:"followed" help:"whether you follow the user"`
	Doing       string               `json:"doing" help:"what the user does: lobby, playing, watching or away"`
	Game        *string              `json:"game" help:"the id of the game that the user plays or watches in public, else of the one played most; null: neither"`
	Rating      *float64             `json:"rating" help:"the user's rating at that game, in points; null: none"`
	Provisional bool                 `json:"provisional" help:"whether that rating is still uncertain"`
	Match       *storage.MatchID     `json:"match" help:"the id of the public match that the user plays or watches; null: none"`
	Since       *string              `json:"since" help:"since when the user is here"`
	Vacation    *string              `json:"vacation_until" help:"until when the user is on vacation; null: they are not"`
}

// who lists who is here.
func who(c *call) (reply.Reply, error) {
	return reply.Later(func() (reply.Part, error) {
		caller, err := c.visitor()
		if err != nil {
			return reply.Part{}, err
		}
		list := c.lobby().People.Who(c.ctx, caller)
		rows := []reply.Row{reply.ForPeople(c.say.T("Players here: %d", list.Count))}
		for _, p := range list.Here {
			rows = append(rows, reply.Made(func() string { return whoCells(c, p) }, func() any { return whoOf(c, p) }))
		}
		return reply.Part{Rows: rows, Table: true}, nil
	}), nil
}

func whoOf(c *call, p lists.Present) whoJSON {
	j := whoJSON{Name: p.Name, Kind: p.Kind, Doing: p.Doing, Followed: p.Followed, Since: jsonTime(p.Since), Provisional: p.Strength.Provisional}
	if p.Game != "" {
		j.Game = &p.Game
	}
	if p.Strength.Known {
		j.Rating = &p.Strength.Rating
	}
	if p.Match != "" {
		j.Match = &p.Match
	}
	j.Vacation = jsonTime(vacationOf(c, p))
	return j
}

// vacationOf returns until when a user who is here is on vacation; zero if they are not.
func vacationOf(c *call, p lists.Present) time.Time {
	if !p.Kind.HasAccount() {
		return time.Time{}
	}
	return c.lobby().Vacations.Until(storage.PlayerID(p.ID))
}

func whoCells(c *call, p lists.Present) string {
	rating, game := "", ""
	if p.Strength.Known {
		game, rating = gameName(c, p.Game), shownRating(p.Strength.Rating, p.Strength.Provisional)
	}
	mark := "  "
	if p.Followed {
		mark = "* "
	}
	doing := c.say.Presence().Doing(p, gameName(c, p.Game), time.Now())
	if away := c.say.OnVacation(vacationOf(c, p)); away != "" {
		doing += ", " + away
	}
	return strings.Join([]string{mark + c.say.Occupant(storage.Occupant{Kind: p.Kind, Name: p.Name}), game, rating, doing}, "\t")
}

// gameName returns the name of a game that there is.
func gameName(c *call, id string) string {
	if g, err := c.lobby().Game(id); err == nil {
		return g.About().Name
	}
	return text.Clean(id)
}

type standingJSON struct {
	Rating      float64 `json:"rating" help:"the rating at the game, in points"`
	Deviation   float64 `json:"deviation" help:"how uncertain the rating is: its standard deviation, in points"`
	Provisional bool    `json:"provisional" help:"whether the rating is still uncertain"`
	Played      int     `json:"played" help:"how many rated matches the player has finished"`
	Won         int     `json:"won" help:"how many of these the player has won"`
	Drawn       int     `json:"drawn" help:"how many of these were drawn"`
	Lost        int     `json:"lost" help:"how many of these the player has lost"`
}

func standing(s standings.Standing) standingJSON {
	return standingJSON{s.Rating, s.Deviation, s.Provisional, s.Played, s.Won, s.Drawn, s.Lost}
}

// cells returns the columns of a standing in a table.
func (s standingJSON) cells(say wording.Words) string {
	return strings.Join([]string{shownRating(s.Rating, s.Provisional), fmt.Sprintf("±%.0f", 2*s.Deviation), say.N(s.Played, "%d played", "%d played"), say.N(s.Won, "%d won", "%d won"),
		say.N(s.Drawn, "%d drawn", "%d drawn"), say.N(s.Lost, "%d lost", "%d lost")}, "\t")
}

// leaderboard prints the ratings of a game, or of all; in matches, or in puzzles.
func leaderboard(f *tree.Flags) run {
	engines := f.Bool("engines", text.T("rank the computer accounts, which have a leaderboard of their own"))
	season := f.String("season", "YYYYQN", "", text.T("rank by the best rating of a season, a quarter of a year such as 2026Q4"))
	puzzles := f.Bool("puzzles", text.T("rank by puzzles: played are first tries, and those won are solved"))
	return func(c *call) (reply.Reply, error) {
		wanted := c.lobby().Games()
		if len(c.words) == 1 {
			g, err := c.game(c.words[0])
			if err != nil {
				return nil, err
			}
			wanted = []games.Game{g}
		}
		read, none := leaders, c.say.T("nobody has played a rated match yet")
		if *puzzles && *engines {
			return nil, usageError{words: c.say.T("--puzzles and --engines don't go together.")}
		}
		if *season != "" && (*puzzles || *engines) {
			return nil, usageError{words: c.say.T("--season goes with neither --puzzles nor --engines.")}
		}
		of := results.Season("")
		if *season != "" {
			var ok bool
			if of, ok = results.ParseSeason(strings.ToUpper(*season)); !ok {
				return nil, usageError{words: c.say.T("--%s can't be %s.", "season", tree.Quoted(*season))}
			}
			read, none = seasonLeaders(of), c.say.T("nobody has played a rated match in that season")
		}
		if *engines {
			read, none = engineLeaders, c.say.T("no computer account has played a rated match yet")
		}
		if *puzzles {
			read, none = puzzleLeaders, c.say.T("nobody has tried %d puzzles yet", learning.LeaderTries)
		}
		return func(yield func(reply.Part, error) bool) {
			for i, g := range wanted {
				lines, err := read(c, g.About().ID)
				if !yield(reply.Part{Rows: leaderRows(c.say, g.About(), lines, *engines, of, none), Table: true, Last: i == len(wanted)-1}, err) || err != nil {
					return
				}
			}
		}, nil
	}
}

// seasonLeaders returns a function that returns the lines of the leaderboard of a season.
func seasonLeaders(of results.Season) func(c *call, game string) ([]standings.Line, error) {
	return func(c *call, game string) ([]standings.Line, error) {
		return c.lobby().Standings.Season(c.ctx, game, of)
	}
}

// puzzleLeaders returns the lines of the leaderboard of a game's puzzles.
func puzzleLeaders(c *call, game string) (lines []standings.Line, err error) {
	all, err := c.lobby().Puzzles.Leaders(c.ctx, game)
	for i, l := range all {
		lines = append(lines, standings.Line{Rank: i + 1, Name: l.Name, Standing: standings.Standing{
			Game: game, Rating: l.Rating, Deviation: l.Deviation, Played: l.Tried, Won: l.Solved, Lost: l.Tried - l.Solved}})
	}
	return lines, err
}

// engineLeaders returns the lines of the leaderboard of a game's computer accounts.
func engineLeaders(c *call, game string) ([]standings.Line, error) {
	return c.lobby().Standings.EngineLeaderboard(c.ctx, game)
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
	Rank *int   `json:"rank" help:"the place on the leaderboard, from 1; null: not ranked"`
	Name string `json:"name" help:"the name of the player"`
	Bot  bool   `json:"bot" help:"whether it is a computer account, which --engines ranks"`
	standingJSON
	Season *string  `json:"season" help:"the season of which the counts are, such as 2026Q4; null: of all time"`
	Best   *float64 `json:"best" help:"the highest rating of the season that was not provisional; null: none, or of all time"`
}

// leaderRows are the rows of a leaderboard, of players or of computer accounts, of a season or of all time. none says that it has no lines.
func leaderRows(say wording.Words, a *games.About, lines []standings.Line, engines bool, of results.Season, none string) []reply.Row {
	rows := []reply.Row{reply.ForPeople(a.Name)}
	for _, l := range lines {
		shown, rank := "?", (*int)(nil)
		if l.Rank > 0 {
			shown, rank = fmt.Sprint(l.Rank), &l.Rank
		}
		rows = append(rows, reply.Made(
			func() string {
				words := fmt.Sprintf("  %s\t%s\t%s", shown, l.Name, standing(l.Standing).cells(say))
				if l.Best > 0 {
					words += "\t" + say.T("best %.0f", l.Best)
				}
				return words
			},
			func() any {
				j := leaderJSON{Game: a.ID, Rank: rank, Name: l.Name, Bot: engines, standingJSON: standing(l.Standing)}
				if season := string(of); of != "" {
					j.Season = &season
				}
				if l.Best > 0 {
					j.Best = &l.Best
				}
				return j
			},
		))
	}
	if len(lines) == 0 {
		rows = append(rows, reply.ForPeople("  "+none))
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
	points := 0 // words don't say how the ratings have gone
	if c.asJSON {
		points = standings.RatedPoints
	}
	career, err := c.lobby().Standings.Career(c.ctx, who, p, points)
	if err != nil {
		return nil, err
	}
	solved, err := c.lobby().Puzzles.StandingsOf(c.ctx, p.ID)
	if err != nil {
		return nil, err
	}
	practised, err := c.lobby().Practice.StandingsOf(c.ctx, p.ID)
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Row{
		Words: func() (string, error) { return profileWords(c, p, career, practised, solved) },
		Object: func() (any, error) {
			out := profileOf(p, career)
			out.Vacation = jsonTime(c.lobby().Vacations.Until(p.ID))
			out.Practice, out.Puzzles = practiceOf(practised), puzzlesOf(solved)
			return out, nil
		},
	}), nil
}

// profileWords describes a player for people.
func profileWords(c *call, p standings.Profile, career standings.Career, practised learning.PracticeStandings, solved learning.PuzzleStandings) (string, error) {
	title := c.say.T("%s, since %s", p.Name, day(c.say, p.Since))
	if p.Online {
		title = c.say.T("%s, since %s, here now", p.Name, day(c.say, p.Since))
	}
	rows := []string{title}
	if until := c.lobby().Vacations.Until(p.ID); !until.IsZero() {
		rows = append(rows, c.say.Vacation(p.Name, until))
	}
	rows = append(rows, engineWords(c.say, p)...)
	for _, s := range p.Games {
		g, err := c.game(s.Game)
		if err != nil {
			return "", err
		}
		rows = append(rows, fmt.Sprintf("  %s\t%s", g.About().Name, standing(s).cells(c.say)))
	}
	for _, b := range p.Badges {
		g, err := c.game(b.Game)
		if err != nil {
			return "", err
		}
		rows = append(rows, "  "+c.say.Badge(g.About().Name, b))
	}
	for _, s := range career.Sides {
		g, err := c.game(s.Game)
		if err != nil {
			return "", err
		}
		rows = append(rows, "  "+c.say.T("%s: %s playing first, %s playing second", g.About().Name, c.say.Score(s.First), c.say.Score(s.Second)))
	}
	for _, s := range practiceOf(practised) {
		g, err := c.game(s.Game)
		if err != nil {
			return "", err
		}
		// Translators: %[1]s is a game, %[2]d the number of matches against the computer that counted, %[3]d the rating
		rows = append(rows, "  "+c.say.N(s.Played, "%[1]s: practice rating %[3]d after %[2]d match against the computer", "%[1]s: practice rating %[3]d after %[2]d matches against the computer", g.About().Name, s.Played, int(math.Round(s.Rating))))
	}
	for _, s := range puzzlesOf(solved) {
		g, err := c.game(s.Game)
		if err != nil {
			return "", err
		}
		rows = append(rows, "  "+c.say.N(s.Solved, "%[1]s: %[2]d puzzle solved, rating %[3]d", "%[1]s: %[2]d puzzles solved, rating %[3]d", g.About().Name, s.Solved, int(math.Round(s.Rating))))
	}
	if a := career.Against; a != nil && *a != (results.Score{}) {
		rows = append(rows, "  "+c.say.T("Against you: %s", c.say.Score(*a)))
	}
	if share, known := career.FinishedShare(); known {
		rows = append(rows, "  "+c.say.Finished(share))
	}
	return strings.TrimSuffix(reply.Align(rows), "\n"), nil
}

// engineWords say whose a computer account is, and which ones are the player's.
func engineWords(say wording.Words, p standings.Profile) (rows []string) {
	if p.Kind == storage.Engine {
		rows = append(rows, "  "+say.OwnerOf(p.Owner))
	}
	if len(p.Engines) > 0 {
		rows = append(rows, "  "+say.T("Owns the computer accounts: %s", strings.Join(p.Engines, ", ")))
	}
	return rows
}

type ratingJSON struct {
	At     *string `json:"at" help:"when the match ended"`
	Game   string  `json:"game" help:"the id of the game"`
	Rating float64 `json:"rating" help:"the rating after the match, in points"`
}

type scoreJSON struct {
	Won   int `json:"won" help:"how many matches the player has won"`
	Drawn int `json:"drawn" help:"how many matches were drawn"`
	Lost  int `json:"lost" help:"how many matches the player has lost"`
}

type sidesJSON struct {
	Game   string    `json:"game" help:"the id of the game"`
	First  scoreJSON `json:"first" help:"the results of the player as the first side"`
	Second scoreJSON `json:"second" help:"the results of the player as the second side"`
}

// A profileJSON describes a player.
type profileJSON struct {
	Name   string       `json:"name" help:"the name of the player"`
	Kind   string       `json:"kind" help:"player, or engine for a computer account"`
	Owner  string       `json:"owner" help:"of a computer account: the name of the player whose it is; \"\": nobody has agreed to that, or it is a player"`
	Since  *string      `json:"since" help:"when the account was made"`
	Online bool         `json:"online" help:"whether the player is here now"`
	Games  []gameRating `json:"games" help:"the ratings of the player, one for each game"`

	Ratings  []ratingJSON `json:"ratings" help:"the rating after each of the newest rated matches, by game, the oldest first"`
	Sides    []sidesJSON  `json:"sides" help:"the results against other players, rated or not, by game and side"`
	Against  *scoreJSON   `json:"against_you" help:"the player's results against you; null for guests and for yourself"`
	Finished *float64     `json:"finished_share" help:"the share of begun matches that the player has finished, from 0 to 1; null: none has begun"`

	Engines []string `json:"engines" help:"the names of the computer accounts that the player owns"`

	Practice []practiceJSON `json:"practice" help:"how strong the player is against the computer players of each game"`

	Badges []badgeJSON `json:"badges" help:"the first ranks of the player in the seasons of the last year"`

	Puzzles []puzzlesJSON `json:"puzzles" help:"how the player does in the puzzles of each game"`

	Vacation *string `json:"vacation_until" help:"until when the player is on vacation; null: they are not"`
}

// A badgeJSON is one of the first ranks of a player in a season that has ended.
type badgeJSON struct {
	Game   string `json:"game" help:"the id of the game"`
	Season string `json:"season" help:"the season, such as 2026Q3"`
	Rank   int    `json:"rank" help:"the rank in it: 1, 2 or 3"`
}

// A practiceJSON is how strong a player is against the computer players of a game.
type practiceJSON struct {
	Game      string  `json:"game" help:"the id of the game"`
	Rating    float64 `json:"rating" help:"the practice rating, on the scale of the levels that games lists"`
	Deviation float64 `json:"deviation" help:"the true strength is within two deviations with 95 % confidence"`
	Played    int     `json:"played" help:"how many matches against the computer have counted"`
}

func practiceOf(all learning.PracticeStandings) []practiceJSON {
	list := []practiceJSON{}
	for _, game := range slices.Sorted(maps.Keys(all)) {
		p := all[game]
		list = append(list, practiceJSON{game, p.Rating, p.Deviation, p.Played})
	}
	return list
}

// A puzzlesJSON is how a player does in the puzzles of a game. Only first tries count.
type puzzlesJSON struct {
	Game   string  `json:"game" help:"the id of the game"`
	Rating float64 `json:"rating" help:"the rating in puzzles, in points"`
	Solved int     `json:"solved" help:"how many puzzles the player has solved"`
	Streak int     `json:"streak" help:"how many of them one after the other, up to now"`
}

func puzzlesOf(all learning.PuzzleStandings) []puzzlesJSON {
	list := []puzzlesJSON{}
	for _, game := range slices.Sorted(maps.Keys(all)) {
		p := all[game]
		list = append(list, puzzlesJSON{game, p.Rating, p.Solved, p.Streak})
	}
	return list
}

func profileOf(p standings.Profile, career standings.Career) profileJSON {
	out := profileJSON{
		Name: p.Name, Kind: string(p.Kind), Owner: p.Owner, Engines: append([]string{}, p.Engines...), Since: jsonTime(p.Since), Online: p.Online,
		Games: []gameRating{}, Badges: []badgeJSON{}, Ratings: []ratingJSON{}, Sides: []sidesJSON{}, Against: (*scoreJSON)(career.Against),
	}
	for _, s := range p.Games {
		out.Games = append(out.Games, gameRating{s.Game, standing(s)})
	}
	for _, b := range p.Badges {
		out.Badges = append(out.Badges, badgeJSON{b.Game, string(b.Season), b.Rank})
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
	if err == nil && !who.Kind.HasAccount() {
		err = refusal{codeGuest, c.say.T("You have no name here yet: say whose, with NAME.")}
	}
	return who.Name, err
}
