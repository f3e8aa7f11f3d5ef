package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/tournaments"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/moment"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	tournamentstore "ludoteca/storage/tournaments"
)

// eventRows are the commands about events.
func eventRows() []*row {
	return group(text.T("Events"),
		&row{Name: "events", Answer: eventJSON{}, Summary: text.T("the events that are announced or go on; --past those that are over"), Cost: tree.Heavy, Run: events},
		&row{Name: "event", Answer: eventJSON{}, Example: "event join K7QM2X", Split: splitOperator,
			Summary: text.T("what one does with an event: show, join, leave, pause, resume, new, off"), Sub: []*row{
				{Name: "show", Answer: eventPageJSON{}, Summary: text.T("an event with its standing and its pairings"), Cost: tree.Heavy, Args: []tree.Arg{eventArg()}, Run: plain(showEvent)},
				{Name: "join", Answer: eventJSON{}, Summary: text.T("enter an event"), Args: []tree.Arg{eventArg()}, Run: plain(joinEvent)},
				{Name: "leave", Answer: eventJSON{}, Summary: text.T("leave an event; a match that goes on counts"), Args: []tree.Arg{eventArg()},
					Run: plain(inEvent(func(c *call, who lobby.User, id storage.TournamentID) error {
						return c.lobby().Tournaments.Registration.Withdraw(c.ctx, who, id)
					}))},
				{Name: "pause", Answer: eventJSON{}, Summary: text.T("take no part in the next rounds of an event, until resume"), Args: []tree.Arg{eventArg()},
					Run: plain(inEvent(func(c *call, who lobby.User, id storage.TournamentID) error {
						return c.lobby().Tournaments.Registration.Pause(c.ctx, who, id, true)
					}))},
				{Name: "resume", Answer: eventJSON{}, Summary: text.T("take part again after a pause"), Args: []tree.Arg{eventArg()},
					Run: plain(inEvent(func(c *call, who lobby.User, id storage.TournamentID) error {
						return c.lobby().Tournaments.Registration.Pause(c.ctx, who, id, false)
					}))},
				{Name: "new", Answer: eventJSON{}, Example: "event new arena tanks --at 2026-12-04 20:00 Europe/Lisbon --for 1h --clock 3+2", Run: newEvent,
					Summary: text.T("announce an event and print its code; an account does so from its eighth day on"), Args: []tree.Arg{
						{Name: "KIND", Sample: "swiss", Asks: text.T("Which kind?"), Help: text.T("arena, swiss, robin, knockout, medley or simul: you against all who enter")},
						gameArg(),
						{Name: "key=value ...", Optional: true, Words: tree.Many, Help: text.T("options of the game, such as size=6; of a medley the other games instead, which are played in turn")},
					}},
				{Name: "off", Answer: eventJSON{}, Summary: text.T("call off an event that you have announced, before it begins; operators also end series, by their ids"), Args: []tree.Arg{eventArg()}, Run: callOffEvent},
			}},
	)
}

// eventArg is the code of an event.
func eventArg() tree.Arg {
	return tree.Arg{Name: "CODE", Sample: "K7QM2X", Asks: text.T("Which event?"), Help: text.T("the code of the event, in capital or small letters; events lists them")}
}

// An eventGame is one of the games of an event.
type eventGame struct {
	Game    string        `json:"game" help:"the id of the game"`
	Options games.Options `json:"options" help:"the value of each option of the game, by its key"`
}

// An eventJSON is an event.
type eventJSON struct {
	Code    string               `json:"code" help:"the code of the event, for other commands; \"\": one of a series that is not announced yet"`
	ID      storage.TournamentID `json:"id" help:"the id of the event, which never changes"`
	Name    string               `json:"name" help:"the name of the event"`
	Kind    tournamentstore.Kind `json:"kind" help:"arena, swiss, robin, knockout, medley or simul"`
	Base    tournamentstore.Kind `json:"base" help:"of a medley how its rounds are paired: arena, swiss or robin; else \"\""`
	Game    string               `json:"game" help:"the id of the game; of a medley that of the first one"`
	Options games.Options        `json:"options" help:"the value of each option of that game, by its key"`
	Games   []eventGame          `json:"games" help:"all games, in the order in which they are played"`
	Clock   string               `json:"clock" help:"minutes and seconds a move such as 5+3, or days a move such as 3d"`
	Rated   bool                 `json:"rated" help:"whether its matches count for ratings"`
	Private bool                 `json:"private" help:"whether it is found by its code alone"`
	Range   *[2]int              `json:"range" help:"the lowest and the highest rating of entrants; null: any"`
	Engines bool                 `json:"engines" help:"whether computer accounts may enter"`
	Minimum int                  `json:"minimum" help:"with fewer entrants it is called off"`
	Begins  *string              `json:"begins" help:"when it begins or began"`
	Ends    *string              `json:"ends" help:"when it ends or ended; null: that depends on its matches"`
	State   string               `json:"state" help:"announced: of a series, and not open yet; open: for entrants; running; over; off: called off"`
	Reason  string               `json:"reason" help:"why it was called off: few, by or operator; else \"\""`
	Players int                  `json:"players" help:"how many take part"`
	Round   int                  `json:"round" help:"the round that goes on, or was the last; 0: it has not begun"`
	Rounds  int                  `json:"rounds" help:"how many rounds there will be; 0: that is not known yet"`
	By      string               `json:"by" help:"the name of the player who has announced it; \"\": the club, every week"`
	Winner  string               `json:"winner" help:"the name of the first in the standing after the end; else \"\""`
	Entered bool                 `json:"entered" help:"whether you take part"`
	Series  string               `json:"series" help:"the id of the series that it is of; \"\": none"`
}

// eventOf returns an event as scripts read it. ends is zero where that isn't known.
func eventOf(say wording.Words, m *tournamentstore.Summary, ends time.Time, entered bool) eventJSON {
	set := &m.Settings
	j := eventJSON{
		Code: set.Code, ID: m.ID, Name: set.Name, Kind: set.Kind, Base: set.Base, Game: set.Games[0].ID, Options: set.Games[0].Options, Clock: set.Clock,
		Rated: set.Rated, Private: set.Private, Engines: set.Engines, Minimum: set.Least, Begins: jsonTime(set.Begins), Ends: jsonTime(ends),
		State: string(m.Stage), Reason: m.Reason, Players: m.Players, Round: m.Round, Rounds: m.Rounds, By: say.Name(set.By.Name), Winner: say.Name(m.Winner),
		Entered: entered, Series: string(set.Series),
	}
	for _, g := range set.Games {
		j.Games = append(j.Games, eventGame{g.ID, g.Options})
	}
	if set.Range != [2]int{} {
		j.Range = &set.Range
	}
	if m.Stage.Closed() {
		j.Ends = jsonTime(m.At)
	}
	return j
}

// viewOf is eventOf for an event as it is now.
func viewOf(say wording.Words, v *tournaments.View, who lobby.User) eventJSON {
	m, e := v.Summary(), v.Entrants.Find(who.Occupant())
	return eventOf(say, &m, v.EndsAt(), e != nil && e.In())
}

// eventLine is an event as a line of a table for people.
func eventLine(c *call, m *tournamentstore.Summary, ends time.Time, entered bool) string {
	say, set := c.say, &m.Settings
	mark := ""
	if entered {
		mark = say.T("you are in")
	}
	kind := say.Events().Kind(set.Kind)
	if long := say.Events().Length(set); long != "" {
		kind += ", " + long
	}
	return strings.Join([]string{
		set.Code, set.Name, kind, strings.Join(wording.EventGames(set, c.lobby().Game), ", "), say.Events().Clock(set),
		day(say, set.Begins), say.Events().Stage(m, ends, time.Now()), say.N(m.Players, "1 player", "%d players"), mark,
	}, "\t")
}

// events lists events.
func events(f *tree.Flags) run {
	past := f.Bool("past", text.T("the events that are over or were called off, the newest first"))
	limit := f.Int("limit", "N", 20, text.T("with --past: how many events at most, up to 100"))
	series := f.Bool("series", text.T("the series of the club: what it announces every week"))
	return func(c *call) (reply.Reply, error) {
		switch {
		case *past && *series:
			return nil, usageError{words: c.say.T("--past and --series don't go together.")}
		case *limit < 1 || *limit > tournaments.MostPast:
			return nil, usageError{words: c.say.T("--limit is a number from 1 to %d.", tournaments.MostPast)}
		}
		who, err := c.visitor()
		if err != nil {
			return nil, err
		}
		return reply.Later(func() (reply.Part, error) {
			var rows []reply.Row
			var err error
			none := c.say.T("No event is announced. event new announces one.")
			switch {
			case *past:
				rows, err = pastEvents(c, who, *limit)
				none = c.say.T("No event is over yet.")
			case *series:
				rows, err = seriesRows(c)
				none = c.say.T("The club has no series of events.")
			default:
				rows, err = eventsNow(c, who)
			}
			if err == nil && len(rows) == 0 {
				return reply.Part{Rows: []reply.Row{reply.ForPeople(none)}}, nil
			}
			return reply.Part{Rows: rows, Table: true}, err
		}), nil
	}
}

// eventsNow returns the rows of the events that are open or running.
func eventsNow(c *call, who lobby.User) (rows []reply.Row, err error) {
	all, err := c.lobby().Tournaments.Reader.List(c.ctx, 0)
	if err != nil {
		return nil, err
	}
	for _, v := range all.Seen(who) {
		m, e := v.Summary(), v.Entrants.Find(who.Occupant())
		in := e != nil && e.In()
		rows = append(rows, reply.Made(func() string { return eventLine(c, &m, v.EndsAt(), in) }, func() any { return eventOf(c.say, &m, v.EndsAt(), in) }))
	}
	return rows, nil
}

// pastEvents returns the rows of events that are over.
func pastEvents(c *call, who lobby.User, limit int) (rows []reply.Row, err error) {
	all, _, err := c.lobby().Tournaments.Reader.Past(c.ctx, who, time.Time{}, limit)
	for _, m := range all {
		rows = append(rows, reply.Made(func() string { return eventLine(c, &m, time.Time{}, false) }, func() any { return eventOf(c.say, &m, time.Time{}, false) }))
	}
	return rows, err
}

// seriesRows returns the rows of the series of the club.
func seriesRows(c *call) (rows []reply.Row, err error) {
	all, err := c.lobby().Tournaments.Series.All(c.ctx)
	for _, s := range all {
		rows = append(rows, seriesRow(c, s))
	}
	return rows, err
}

// announced is the state of an event of a series before it is open.
const announced tournamentstore.Stage = "announced"

// seriesRow is a series, as the next of its events.
func seriesRow(c *call, s tournamentstore.Series) reply.Row {
	when := tournaments.Weekly{Day: s.Day, Hour: s.Hour, Minute: s.Minute, Zone: s.Zone}
	next, _ := when.Next(time.Now()) // the error: the zone is none any more, so no time is shown
	m := tournamentstore.Summary{Settings: s.Settings, Stage: announced}
	m.Settings.Begins, m.Settings.Series = next, s.ID
	return reply.Made(
		func() string {
			return string(s.ID) + "\t" + s.Settings.Name + "\t" + c.say.Events().Kind(s.Settings.Kind) + "\t" +
				c.say.T("every week, next %s", moment.String(next, s.Zone))
		},
		func() any { return eventOf(c.say, &m, time.Time{}, false) },
	)
}

// eventNamed returns the event that a code names.
func eventNamed(c *call, who lobby.User) (tournaments.Ref, *tournaments.View, error) {
	ref, err := c.lobby().Tournaments.Reader.Find(c.ctx, who, c.caller.origin(), c.words[0])
	if errors.Is(err, lobby.ErrNoSuchTournament) {
		return ref, nil, refusal{codeNotFound, c.say.T("Nobody here knows an event with the code %s. events lists those that are open to all.", tree.Quoted(c.words[0]))}
	}
	if err != nil {
		return ref, nil, err
	}
	v, err := c.lobby().Tournaments.Reader.View(c.ctx, ref.ID)
	return ref, v, ofEvent(c, err)
}

// ofEvent gives a refusal about an event its words. What scripts read of it stays.
func ofEvent(c *call, err error) error {
	if err == nil || c.ctx.Err() != nil {
		return err
	}
	if _, has := errors.AsType[refusal](err); has {
		return err
	}
	c.runner.logUnknown(err)
	return errors.Join(refusal{codeOf(err), c.say.Events().Error(err)}, err)
}

// An eventPageJSON is an event with all that has happened in it.
type eventPageJSON struct {
	eventJSON
	Standing []eventPlaceJSON `json:"standing" help:"the places of the entrants, the best first; before the event begins by rating"`
	Pairings []eventPairJSON  `json:"pairings" help:"all pairings, in the order of rounds and boards"`
}

// An eventPlaceJSON is a place in the standing of an event.
type eventPlaceJSON struct {
	Rank      int                  `json:"rank" help:"the place; entrants that nothing tells apart share one"`
	Name      string               `json:"name" help:"the name of the entrant"`
	Kind      storage.OccupantKind `json:"kind" help:"what the entrant is: player, bot or engine"`
	Rating    int                  `json:"rating" help:"the rating at the entry; 0: a computer player of the club"`
	Points    float64              `json:"points" help:"points: of an arena 2 for a win and 1 for a draw, else 1 and a half"`
	Tiebreaks []float64            `json:"tiebreaks" help:"of a Swiss and a round robin Buchholz cut 1, Buchholz and Sonneborn-Berger; of an arena the wins; else empty"`
	Streak    int                  `json:"streak" help:"of an arena the wins in a row up to now"`
	Paused    bool                 `json:"paused" help:"whether the entrant pauses"`
	Withdrawn bool                 `json:"withdrawn" help:"whether the entrant takes no part any more"`
}

// An eventPairJSON is a pairing of an event.
type eventPairJSON struct {
	Round  int             `json:"round" help:"the round, from 1; an arena has one"`
	Board  int             `json:"board" help:"the board of the round, from 1"`
	First  string          `json:"first" help:"the name of the entrant with the first side"`
	Second string          `json:"second" help:"the name of the entrant with the second side; \"\": the first has a bye"`
	Match  storage.MatchID `json:"match" help:"the id of the match; \"\": there is none"`
	Code   string          `json:"code" help:"the code of the match while it goes on; else \"\""`
	Game   string          `json:"game" help:"the id of the game"`
	Result string          `json:"result" help:"first, second or draw; \"\": none, or none yet"`
}

// pageOf returns a whole event as scripts read it.
func pageOf(c *call, v *tournaments.View, who lobby.User) eventPageJSON {
	page := eventPageJSON{eventJSON: viewOf(c.say, v, who), Standing: []eventPlaceJSON{}, Pairings: []eventPairJSON{}}
	for _, p := range v.Standing() {
		e := p.Entrant
		line := eventPlaceJSON{
			Rank: p.Rank, Name: c.say.Name(e.Who.Name), Kind: e.Who.Kind, Rating: e.Rating, Points: float64(p.Points), Tiebreaks: []float64{}, Paused: e.Paused, Withdrawn: !e.In(),
		}
		switch plan := v.Settings.Plan(); plan {
		case tournamentstore.Arena:
			line.Tiebreaks, line.Streak = []float64{float64(p.Wins)}, p.Streak
		case tournamentstore.Swiss, tournamentstore.Robin:
			line.Tiebreaks = []float64{float64(p.CutBuchholz) / 2, float64(p.Buchholz) / 2, float64(p.Berger) / 4}
		}
		if wording.Halves(v.Settings) {
			line.Points /= 2
		}
		page.Standing = append(page.Standing, line)
	}
	for _, r := range v.Rounds {
		for _, p := range r.Pairings {
			line := eventPairJSON{Round: p.Round, Board: p.Board, First: nameIn(c.say, v.State, p.First), Second: nameIn(c.say, v.State, p.Second), Match: p.Match, Game: p.GameIn(v.Settings).ID, Result: p.Result}
			if !p.Decided() {
				line.Code = c.lobby().Tournaments.Reader.Board(p).Code
			}
			page.Pairings = append(page.Pairings, line)
		}
	}
	return page
}

// nameIn is the name of an entrant; "" for none.
func nameIn(say wording.Words, s *state.State, number int) string {
	if e := s.Entrant(number); e != nil {
		return say.Name(e.Who.Name)
	}
	return ""
}

// occupantIn is nameIn for a sentence: computer players and computer accounts are marked.
func occupantIn(say wording.Words, s *state.State, number int) string {
	if e := s.Entrant(number); e != nil {
		return say.Occupant(e.Who)
	}
	return ""
}

// showEvent shows an event.
func showEvent(c *call) (reply.Reply, error) {
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	_, v, err := eventNamed(c, who)
	if err != nil {
		return nil, err
	}
	return reply.One(reply.Made(func() string { return eventPage(c, v, who) }, func() any { return pageOf(c, v, who) })), nil
}

// eventPage is an event for people: what it is, the standing, the pairings of the newest round or the matches that go on, and the cross table.
func eventPage(c *call, v *tournaments.View, who lobby.User) string {
	say, m := c.say, v.Summary()
	head := []string{
		v.Settings.Name + " (" + v.Settings.Code + ")", strings.Join(say.Events().Terms(v.Settings, c.lobby().Game), ", "),
		say.T("When: %s (%s).", day(say, v.Settings.Begins), say.Events().Stage(&m, v.EndsAt(), time.Now())),
	}
	switch by := v.Settings.By.Name; {
	case by != "":
		head = append(head, say.T("Announced by %s. With fewer than %d players it is called off.", say.Name(by), v.Settings.Least))
	default:
		head = append(head, say.T("Announced by the club. With fewer than %d players it is called off.", v.Settings.Least))
	}
	if e := v.Entrants.Find(who.Occupant()); e != nil {
		head = append(head, yourPart(c, v, e))
	}
	var standing []string
	for _, p := range v.Standing() {
		standing = append(standing, standingLine(say, v, p))
	}
	page := strings.Join(head, "\n")
	for _, part := range [][]string{standing, pairingLines(c, v), crossLines(say, v)} {
		if len(part) > 0 {
			page += "\n\n" + strings.TrimSuffix(reply.Align(part), "\n")
		}
	}
	return page
}

// yourPart says what the caller, who is an entrant, does in an event.
func yourPart(c *call, v *tournaments.View, e *state.Entrant) string {
	say := c.say
	switch p := e.Playing(); {
	case !e.In():
		return say.T("You take no part in it any more.")
	case p != nil:
		ref := c.lobby().Tournaments.Reader.Board(p)
		return say.T("You play against %s in match %s.", occupantIn(say, v.State, p.Opponent(e.Number)), ref.Code)
	case e.Paused:
		return say.T("You pause: event resume %s ends that.", v.Settings.Code)
	}
	return say.T("You take part.")
}

// standingLine is a place as a line of a table for people.
func standingLine(say wording.Words, v *tournaments.View, p state.Place) string {
	e := p.Entrant
	rating, note := strconv.Itoa(e.Rating), say.Events().Out(e.Out)
	if e.Who.Kind == storage.Bot {
		rating = ""
	}
	if e.In() && e.Paused {
		note = say.T("pauses")
	}
	cells := []string{strconv.Itoa(p.Rank), say.Occupant(e.Who), rating}
	if !v.Begun.IsZero() {
		cells = append(cells, wording.EventPoints(v.Settings, p.Points))
		switch v.Settings.Plan() {
		case tournamentstore.Arena:
			cells = append(cells, wording.EventStreak(p))
		case tournamentstore.Swiss, tournamentstore.Robin:
			cells = append(cells, wording.HalfPoints(p.CutBuchholz), wording.HalfPoints(p.Buchholz), strconv.FormatFloat(float64(p.Berger)/4, 'f', -1, 64))
		}
	}
	return strings.Join(append(cells, note), "\t")
}

// mostPairings bounds the pairings that people see at once.
const mostPairings = 60

// pairingLines are the pairings of the newest round of an event, of an arena and an exhibition the matches that go on, as lines of a table for
// people.
func pairingLines(c *call, v *tournaments.View) (lines []string) {
	if len(v.Rounds) == 0 {
		return nil
	}
	plan := v.Settings.Plan()
	flowing := plan == tournamentstore.Arena || plan == tournamentstore.Simul
	if !flowing {
		lines = append(lines, c.say.Events().Round(v.State, len(v.Rounds)))
	}
	for _, p := range v.Rounds[len(v.Rounds)-1].Pairings {
		switch {
		case flowing && p.Decided():
			continue
		case len(lines) > mostPairings:
			return append(lines, "...")
		}
		how := token(p.Result)
		second := occupantIn(c.say, v.State, p.Second)
		switch {
		case p.Bye():
			how, second = c.say.T("no match: a point"), ""
		case !p.Decided():
			how = c.say.T("watch %s", c.lobby().Tournaments.Reader.Board(p).Code)
		case p.Result == "":
			how = "="
		}
		lines = append(lines, fmt.Sprintf("%d\t%s\t%s\t%s", p.Board, occupantIn(c.say, v.State, p.First), second, how))
	}
	return lines
}

// crossLines is the cross table of an event as lines of a table.
func crossLines(say wording.Words, v *tournaments.View) (lines []string) {
	t := state.Cross(v.State)
	if t == nil {
		return nil
	}
	lines = append(lines, "\t\t"+strings.Join(t.Columns, "\t")+"\t")
	for i, r := range t.Rows {
		lines = append(lines, fmt.Sprintf("%d\t%s\t%s\t%s", i+1, say.Name(r.Place.Entrant.Who.Name), strings.Join(r.Cells, "\t"), wording.EventPoints(v.Settings, r.Place.Points)))
	}
	return lines
}

// eventAnswer answers with an event as it is after an act, and a sentence.
func eventAnswer(c *call, who lobby.User, id storage.TournamentID, words func(v *tournaments.View) string) (reply.Reply, error) {
	v, err := c.lobby().Tournaments.Reader.View(c.ctx, id)
	if err != nil {
		return nil, ofEvent(c, err)
	}
	return reply.One(reply.Made(func() string { return words(v) }, func() any { return viewOf(c.say, v, who) })), nil
}

// joinEvent enters the caller. An unknown code makes no account.
func joinEvent(c *call) (reply.Reply, error) {
	who, err := c.visitor()
	if err != nil {
		return nil, err
	}
	ref, _, err := eventNamed(c, who)
	if err != nil {
		return nil, err
	}
	if who, err = c.player(); err != nil {
		return nil, err
	}
	if err := c.lobby().Tournaments.Registration.Enter(c.ctx, who, ref); err != nil {
		return nil, ofEvent(c, err)
	}
	return eventAnswer(c, who, ref.ID, func(v *tournaments.View) string {
		if v.Stage == tournamentstore.Open {
			return c.say.T("You take part in %s, which begins %s. Be here then: you are told when your match begins.", v.Settings.Name, day(c.say, v.Settings.Begins))
		}
		return c.say.T("You take part in %s, which goes on. You are told when your match begins.", v.Settings.Name)
	})
}

// inEvent returns the command that does something as an entrant.
func inEvent(do func(c *call, who lobby.User, id storage.TournamentID) error) run {
	return func(c *call) (reply.Reply, error) {
		who, err := c.owner()
		if err != nil {
			return nil, err
		}
		ref, _, err := eventNamed(c, who)
		if err == nil {
			err = ofEvent(c, do(c, who, ref.ID))
		}
		if err != nil {
			return nil, err
		}
		return eventAnswer(c, who, ref.ID, func(v *tournaments.View) string {
			switch e := v.Entrants.Find(who.Occupant()); {
			case e == nil || !e.In():
				return c.say.T("You take no part in %s any more.", v.Settings.Name)
			case e.Paused:
				return c.say.T("You pause in %s: event resume %s ends that.", v.Settings.Name, v.Settings.Code)
			}
			return c.say.T("You take part in %s again.", v.Settings.Name)
		})
	}
}

// callOffEvent calls off an event of the caller, or ends any event or series for an operator.
func callOffEvent(f *tree.Flags) run {
	reason := f.Text("reason", "TEXT", false, text.T("operators: why they end a series or an event of another; the audit log keeps it"))
	return func(c *call) (reply.Reply, error) {
		if c.caller.Operator {
			return operates(func(c *call, o *lobby.Operator) (reply.Reply, error) { return endEvent(c, o, *reason) })(c)
		}
		who, err := c.owner()
		if err != nil {
			return nil, err
		}
		ref, _, err := eventNamed(c, who)
		if err != nil {
			return nil, err
		}
		return calledOff(c, who, ref.ID)
	}
}

// calledOff calls off an event that a user has announced.
func calledOff(c *call, who lobby.User, id storage.TournamentID) (reply.Reply, error) {
	if err := c.lobby().Tournaments.Announcer.CallOff(c.ctx, who, id); err != nil {
		return nil, ofEvent(c, err)
	}
	return eventAnswer(c, who, id, offWords(c))
}

// offWords says of an event that it is called off.
func offWords(c *call) func(v *tournaments.View) string {
	return func(v *tournaments.View) string { return c.say.T("%s is called off.", v.Settings.Name) }
}

// endEvent calls off an event, or ends a series, for an operator.
func endEvent(c *call, o *lobby.Operator, reason string) (reply.Reply, error) {
	who, err := c.visitor() // the operator's key may have no name here
	if err != nil {
		return nil, err
	}
	all, err := c.lobby().Tournaments.Series.All(c.ctx)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(s tournamentstore.Series) bool { return strings.EqualFold(string(s.ID), c.words[0]) }); i >= 0 {
		if _, err := o.EndEvent(c.ctx, string(all[i].ID)+" "+all[i].Settings.Name, reason); err != nil {
			return nil, err
		}
		if err := c.lobby().Tournaments.Series.Remove(c.ctx, all[i].ID); err != nil {
			return nil, ofEvent(c, err)
		}
		object := seriesRow(c, all[i]).Object
		return reply.One(reply.Row{Words: func() (string, error) {
			return c.say.T("The series %s is over. An event of it that is announced stays.", all[i].Settings.Name), nil
		}, Object: object}), nil
	}
	ref, v, err := eventNamed(c, who)
	switch {
	case err != nil:
		return nil, err
	case v.Stage.Closed():
		return nil, ofEvent(c, lobby.ErrEnded)
	case who.Is(v.Settings.By) && v.Stage == tournamentstore.Open:
		return calledOff(c, who, ref.ID)
	}
	if _, err := o.EndEvent(c.ctx, v.Settings.Code+" "+v.Settings.Name, reason); err != nil {
		return nil, err
	}
	if err := c.lobby().Tournaments.Announcer.End(c.ctx, ref.ID); err != nil {
		return nil, ofEvent(c, err)
	}
	return eventAnswer(c, who, ref.ID, offWords(c))
}

// eventFlags are what the flags of event new say.
type eventFlags struct {
	at, every, name, clock, preset, rating, base, level, side *string
	rounds, minimum, most, fill                               *int
	span                                                      *time.Duration
	private, rated, engines, twice                            *bool
	given                                                     func(flag string) bool
}

func newEvent(f *tree.Flags) run {
	e := eventFlags{
		at:      f.Text("at", "TIME", true, text.T("when it begins: a local time with its zone (2026-12-04 20:00 Europe/Lisbon), one with an offset (2026-12-04T20:00:00Z), or a time from now (+30m)")),
		rounds:  f.Int("rounds", "N", tournaments.DefaultRounds, text.T("of a Swiss: how many rounds")),
		span:    f.Duration("for", "D", tournaments.DefaultSpan, text.T("of an arena: how long it goes on, 10m to 12h")),
		every:   f.String("every", "week", "", text.T("operators: announce it every week at this time; --at names a zone then")),
		name:    f.Text("name", "TEXT", false, text.T("what it is called, in 3 to 40 letters; without it as its game and kind")),
		private: f.Bool("private", text.T("only who has the code can find it")),
		rated:   f.Bool("rated", text.T("let its matches count for ratings")),
		engines: f.Bool("engines", text.T("let computer accounts enter")),
		clock:   f.String("clock", "5+3|3d", "5+3", text.T("the clock: minutes and seconds for each move (5+3), or in a round robin days for each move (3d)")),
		minimum: f.Int("minimum", "N", 0, text.T("with fewer players it is called off; 0: 4, in a round robin 3, in an exhibition 2")),
		most:    f.Int("most", "N", 0, text.T("with so many players it is full; 0: as many as the kind takes")),
		rating:  f.String("rating", "MIN-MAX", "", text.T("only players whose rating is in this range may enter, such as 1400-1600")),
		preset:  presetFlag(f),
		twice:   f.Bool("twice", text.T("of a round robin: everybody plays everybody twice, with sides swapped")),
		base:    f.String("base", "arena|swiss|robin", "swiss", text.T("of a medley: how its rounds are paired")),
		fill:    f.Int("fill", "N", 0, text.T("computer players enter until there are so many players, up to 16; such an event is casual")),
		level:   f.String("level", "LEVEL", learning.FirstLevel, text.T("with --fill: the computer player that enters; games lists the levels")),
		side:    f.String("side", "first|second|both", "both", text.T("of an exhibition: the side that you play at all boards; both: in turn")),
		given:   f.Given,
	}
	return e.announce
}

// announce announces an event, or a series of them.
func (e eventFlags) announce(c *call) (reply.Reply, error) {
	when, ok := moment.Read(*e.at, time.Now())
	if !ok {
		return nil, usageError{words: c.say.T("--at takes a time with its zone, such as 2026-12-04 20:00 Europe/Lisbon, 2026-12-04T20:00:00Z or +30m.")}
	}
	spec, err := e.spec(c)
	if err != nil {
		return nil, err
	}
	spec.Begins = when.At
	switch *e.every {
	case "":
	case "week":
		return e.announceSeries(c, spec, when)
	default:
		return nil, usageError{words: c.say.T("--every can only be week.")}
	}
	who, err := c.player()
	if err != nil {
		return nil, err
	}
	spec.ByOperator = c.caller.Operator
	ref, err := c.lobby().Tournaments.Announcer.Announce(c.ctx, who, spec)
	if err != nil {
		return nil, e.refused(c, spec, err)
	}
	return eventAnswer(c, who, ref.ID, func(v *tournaments.View) string {
		return ref.Code + "\n" + c.say.T("%s is announced for %s. Others enter with: %s", v.Settings.Name, moment.String(v.Settings.Begins, when.Zone), c.say.SSH("event join "+ref.Code))
	})
}

// announceSeries has the club announce an event every week.
func (e eventFlags) announceSeries(c *call, spec tournaments.Spec, when moment.Moment) (reply.Reply, error) {
	switch {
	case !c.caller.Operator:
		return nil, refusal{codeNotYours, c.say.T("Only an operator makes a series of events. Without --every you announce one event.")}
	case when.Zone == "":
		return nil, usageError{words: c.say.T("A series needs the name of a time zone: --at 2026-12-04 20:00 Europe/Lisbon")}
	}
	weekly := tournaments.Weekly{Day: when.At.Weekday(), Hour: when.At.Hour(), Minute: when.At.Minute(), Zone: when.Zone}
	series, err := c.lobby().Tournaments.Series.Add(c.ctx, spec, weekly)
	if err != nil {
		return nil, e.refused(c, spec, err)
	}
	return reply.Table(seriesRow(c, series)), nil
}

// refused gives the refusal of a spec its words.
func (e eventFlags) refused(c *call, spec tournaments.Spec, err error) error {
	if errors.Is(err, lobby.ErrNoSuchLevel) {
		return refusal{codeNotFound, c.say.T("There is no computer player %s here. There are: %s.", tree.Quoted(*e.level), levelNames(c, spec.Games[0].ID))}
	}
	return ofEvent(c, err)
}

// spec reads the words and the flags.
func (e eventFlags) spec(c *call) (spec tournaments.Spec, err error) {
	spec = tournaments.Spec{
		Kind: tournamentstore.Kind(strings.ToLower(c.words[0])), Rated: *e.rated, Private: *e.private, Engines: *e.engines, Twice: *e.twice, Least: *e.minimum, Most: *e.most, Fill: *e.fill,
	}
	if !slices.Contains(tournamentstore.Kinds(), spec.Kind) {
		return spec, usageError{words: c.say.T("%s is no kind of event. The kinds are: %s.", tree.Quoted(c.words[0]), kindNames())}
	}
	if spec.Clock, err = clockSetting(c.say, *e.clock); err != nil {
		return spec, err
	}
	if spec.Range, err = ratingRange(c.say, *e.rating); err != nil {
		return spec, err
	}
	if spec.Games, err = e.games(c, spec.Kind == tournamentstore.Medley); err != nil {
		return spec, err
	}
	if spec.Kind == tournamentstore.Medley {
		spec.Base = tournamentstore.Kind(strings.ToLower(*e.base))
	} else if e.given("base") {
		return spec, lobby.ErrSpec
	}
	if e.given("for") {
		spec.Span = *e.span
	}
	if e.given("rounds") {
		spec.Rounds = *e.rounds
	}
	if *e.fill > 0 {
		spec.Level = strings.ToLower(*e.level)
	}
	switch *e.side {
	case "both":
	case "first", "second":
		spec.Side = *e.side
	default:
		return spec, usageError{words: c.say.T("--side is first, second or both.")}
	}
	if spec.Name = *e.name; spec.Name == "" {
		g, err := c.game(spec.Games[0].ID)
		if err != nil {
			return spec, err
		}
		spec.Name = wording.EventTitle(spec.Kind, g.About().Name)
	}
	return spec, nil
}

// kindNames lists the kinds of events.
func kindNames() string {
	var names []string
	for _, k := range tournamentstore.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// games reads the games of an event: one with its options, or of a medley several.
func (e eventFlags) games(c *call, medley bool) (all []tournaments.Game, err error) {
	names, options := c.words[1:2], c.words[2:]
	if medley {
		names, options = c.words[1:], nil
		if len(names) < 2 || *e.preset != "" {
			return nil, usageError{words: c.say.T("A medley has at least two games, one after the other, under their usual options: event new medley tanks petteia")}
		}
	}
	for _, name := range names {
		g, err := c.game(name)
		if err != nil {
			return nil, err
		}
		of := tournaments.Game{ID: g.About().ID}
		if !medley {
			if of.Options, err = optionsOf(c.say, g, *e.preset, options); err != nil {
				return nil, err
			}
		}
		all = append(all, of)
	}
	return all, nil
}
