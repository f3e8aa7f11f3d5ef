package eventspage

import (
	"maps"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/names"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/tournaments"
	"ludoteca/sshapp/moment"
	"ludoteca/sshapp/ui/optionfields"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	tournamentstore "ludoteca/storage/tournaments"
)

// An announcement is what the form of an event says. The values of fields that a kind doesn't have are kept, for when another kind is chosen.
type announcement struct {
	env  *screen.Env
	form widget.Form // has the texts that are typed

	kind, base int      // indices of kinds and of bases
	game       int      // of all but a medley
	medley     []string // the ids of the games of a medley, in the order in which they are played
	options    optionfields.Chosen
	clock      int // an index of the clocks of the kind
	begins     int // an index of begins
	entrants   entrants
	rated      bool
	engines    bool // computer accounts may enter
	twice      bool
	weekly     bool // operators: a series
	side       int  // an index of sides
	level      int  // of the computer player for keyFill, an index of levels()
	numbers    map[string]int
}

// Entrants say who may enter an event.
type entrants uint8

const (
	anyEntrant entrants = iota
	rangeOfRatings
	byCode
)

// kinds are the kinds of events, in the order of the form.
var kinds = tournamentstore.Kinds()

// bases are how the rounds of a medley may be paired.
var bases = []tournamentstore.Kind{tournamentstore.Swiss, tournamentstore.Arena, tournamentstore.Robin}

// clocks are the clocks of the form; slowClocks are those with days a move, for round robins. A command takes any.
var (
	clocks     = []string{"5+3", "10+5", "15+10", "30+20", "60+30", "1+0", "3+2"}
	slowClocks = []string{"1d", "3d", "7d", "14d"}
)

// begins are the spans from now after which an event can begin; 0 is a date and a time that are typed.
var begins = []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 0}

// sides are the sides that the announcer of a simultaneous exhibition can take, as a spec has them.
var sides = []string{"", "first", "second"}

// newAnnouncement returns an announcement with the usual values: an arena for all, in a quarter of an hour. A medley is of all games.
func newAnnouncement(e *screen.Env) announcement {
	a := announcement{env: e, form: widget.NewForm(keyKind, textCells), numbers: make(map[string]int)}
	for _, g := range e.Lobby.Games() {
		a.medley = append(a.medley, g.About().ID)
	}
	zone, _ := moment.Zone(a.zone())
	tomorrow := e.Now().In(zone).Add(24 * time.Hour)
	evening := time.Date(tomorrow.Year(), tomorrow.Month(), tomorrow.Day(), 20, 0, 0, 0, zone)
	a.form = a.form.Write(keyTime, moment.String(evening, a.zone())).Write(keyRange, "1300-1700")
	a.level = max(slices.IndexFunc(a.levels(), func(l lobby.Level) bool { return l.ID == learning.FirstLevel }), 0)
	return a
}

// kindOf returns the chosen kind, and plan how its rounds are paired.
func (a announcement) kindOf() tournamentstore.Kind { return kinds[a.kind] }

func (a announcement) plan() tournamentstore.Kind {
	if a.kindOf() == tournamentstore.Medley {
		return bases[a.base]
	}
	return a.kindOf()
}

// firstGame returns the game that is played first.
func (a announcement) firstGame() games.Game {
	if a.kindOf() == tournamentstore.Medley && len(a.medley) > 0 {
		if g, err := a.env.Lobby.Game(a.medley[0]); err == nil {
			return g
		}
	}
	return a.env.Lobby.Games()[a.game]
}

// about returns the game of all but a medley.
func (a announcement) about() *games.About { return a.env.Lobby.Games()[a.game].About() }

// chosen returns the options of the game as they stand in the form.
func (a announcement) chosen() games.Options { return a.options.Of(a.about()) }

// choose returns the announcement with other options of the game.
func (a announcement) choose(o games.Options) announcement {
	a.options = a.options.With(a.about(), o)
	return a
}

// clocksOf returns the clocks that the kind can have.
func (a announcement) clocksOf() []string {
	if a.plan() == tournamentstore.Robin {
		return append(slices.Clip(clocks), slowClocks...)
	}
	return clocks
}

// clockOf returns the chosen clock. One that the kind doesn't have is the first one.
func (a announcement) clockOf() lobby.ClockSetting {
	all := a.clocksOf()
	if a.clock >= len(all) {
		return clockNamed(all[0])
	}
	return clockNamed(all[a.clock])
}

// clockNamed returns one of the clocks of the form.
func clockNamed(name string) lobby.ClockSetting {
	c, err := lobby.ParseClock(name)
	if err != nil {
		panic(err) // a test goes through all of them
	}
	return c
}

// levels returns the computer players of the first game.
func (a announcement) levels() []lobby.Level {
	return lobby.LevelsOf(a.env.Lobby.Levels(), a.firstGame().About().ID)
}

// levelOf returns the computer player that fills up; ok is false if the game has none.
func (a announcement) levelOf() (level lobby.Level, at int, ok bool) {
	all := a.levels()
	if len(all) == 0 {
		return level, 0, false
	}
	at = min(a.level, len(all)-1)
	return all[at], at, true
}

// A numberRange says which values a number of the form may have, and where arrows stop.
type numberRange struct {
	least, most int
	usual       int
	stops       []int // in order
}

// rangeOf returns the range of the number of a field; ok is false if it has none.
func (a announcement) rangeOf(key string) (r numberRange, ok bool) {
	least, most := tournaments.Sizes(a.plan())
	switch key {
	case keySpan:
		return numberRange{int(tournaments.MinSpan / time.Minute), int(tournaments.MaxSpan / time.Minute), int(tournaments.DefaultSpan / time.Minute),
			[]int{10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360, 480, 720}}, true
	case keyRounds:
		return numberRange{1, tournaments.MaxRounds, tournaments.DefaultRounds, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 25, 30}}, true
	case keyLeast:
		return numberRange{2, most, least, upTo(most, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32)}, true
	case keyMost:
		return numberRange{2, most, most, upTo(most, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, most)}, true
	case keyFill:
		return numberRange{0, min(tournaments.MaxFill, most), 0, upTo(most, 0, 4, 6, 8, 10, 12, 14, tournaments.MaxFill)}, true
	}
	return r, false
}

// upTo returns the numbers that are not above a bound.
func upTo(most int, all ...int) []int {
	return slices.DeleteFunc(all, func(n int) bool { return n > most })
}

// number returns the number of a field.
func (a announcement) number(key string) int {
	if n, ok := a.numbers[key]; ok {
		return n
	}
	r, _ := a.rangeOf(key)
	return r.usual
}

// setNumber returns the announcement with another number in a field.
func (a announcement) setNumber(key string, n int) announcement {
	a.numbers = maps.Clone(a.numbers)
	a.numbers[key] = n
	return a
}

// nextNumber returns the stop after or before the number of a field, by a key, round and round.
func (a announcement) nextNumber(key, press string) int {
	r, _ := a.rangeOf(key)
	now := a.number(key)
	if press == "left" {
		for _, n := range slices.Backward(r.stops) {
			if n < now {
				return n
			}
		}
		return r.stops[len(r.stops)-1]
	}
	for _, n := range r.stops {
		if n > now {
			return n
		}
	}
	return r.stops[0]
}

// mayBeRated reports whether the event can be rated: only a public one is.
func (a announcement) mayBeRated() bool { return a.entrants != byCode }

// isRated reports whether the event is rated.
func (a announcement) isRated() bool { return a.rated && a.mayBeRated() }

// isSeries reports whether an operator has the club announce the event every week.
func (a announcement) isSeries() bool { return a.weekly && a.mayRepeat() }

// mayRepeat reports whether the event can be one of a series: an operator makes it, for a time of the week, and nobody has to be at all boards.
func (a announcement) mayRepeat() bool {
	return a.env.Operator != nil && begins[a.begins] == 0 && a.kindOf() != tournamentstore.Simul
}

// zone returns the name of the time zone of a typed time that names none: the one in which the player reads times.
func (a announcement) zone() string {
	if _, err := moment.Zone(a.env.Settings.Zone); err == nil {
		return a.env.Settings.Zone
	}
	return "UTC"
}

// startsAt returns when the event begins. ok is false if what is typed is no time.
func (a announcement) startsAt(now time.Time) (m moment.Moment, ok bool) {
	if after := begins[a.begins]; after > 0 {
		return moment.Moment{At: now.UTC().Add(after + time.Minute - 1).Truncate(time.Minute)}, true
	}
	typed := a.form.Text(keyTime)
	if m, ok = moment.Read(typed, now); !ok {
		m, ok = moment.Read(typed+" "+a.zone(), now)
	}
	return m, ok
}

// name returns the name of the event: as typed, or else that of its game and kind.
func (a announcement) name() string {
	if typed := strings.TrimSpace(a.form.Text(keyName)); typed != "" {
		return typed
	}
	return wording.EventTitle(a.kindOf(), a.firstGame().About().Name)
}

// spec returns what the club is asked for.
func (a announcement) spec(now time.Time) tournaments.Spec {
	m, _ := a.startsAt(now) // problems has seen that it is one
	spec := tournaments.Spec{
		Kind: a.kindOf(), Name: a.name(), Clock: a.clockOf(), Begins: m.At, Rated: a.isRated(), Private: a.entrants == byCode, Engines: a.engines,
		Least: a.number(keyLeast), Most: a.number(keyMost), ByOperator: a.env.Operator != nil,
	}
	if a.kindOf() == tournamentstore.Medley {
		spec.Base = a.plan()
		for _, id := range a.medley {
			spec.Games = append(spec.Games, tournaments.Game{ID: id})
		}
	} else {
		spec.Games = []tournaments.Game{{ID: a.firstGame().About().ID, Options: a.chosen()}}
	}
	switch a.plan() {
	case tournamentstore.Arena:
		spec.Span = time.Duration(a.number(keySpan)) * time.Minute
	case tournamentstore.Swiss:
		spec.Rounds = a.number(keyRounds)
	case tournamentstore.Robin:
		spec.Twice = a.twice
	case tournamentstore.Simul:
		spec.Side = sides[a.side]
	}
	if a.entrants == rangeOfRatings {
		spec.Range, _ = seats.ParseRange(strings.TrimSpace(a.form.Text(keyRange)))
	}
	if fill := a.number(keyFill); fill > 0 && !a.isRated() {
		if level, _, ok := a.levelOf(); ok {
			spec.Fill, spec.Level = fill, level.ID
		}
	}
	return spec
}

// A problem is what is wrong with a field, or with the whole form if its key is "".
type problem struct{ key, words string }

// problems returns what is wrong with the announcement.
func (a announcement) problems(now time.Time) (all []problem) {
	say := a.env.Say
	wrong := func(key, words string) { all = append(all, problem{key, words}) }
	switch medley := a.kindOf() == tournamentstore.Medley; {
	case medley && len(a.medley) < 2:
		wrong(keyMedley+a.env.Lobby.Games()[0].About().ID, say.T("A medley has at least two games. Left and right choose them."))
	case !medley:
		if key, words := optionfields.Problem(say, a.firstGame(), a.chosen()); words != "" {
			wrong(key, words)
		}
	}
	switch m, ok := a.startsAt(now); {
	case !ok:
		wrong(keyTime, say.T("This is no date and time such as %s, with the name of a time zone or without one.", "2026-12-04 20:00"))
	case a.isSeries() && m.Zone == "":
		wrong(keyTime, say.T("A series needs the name of a time zone: %s", "2026-12-04 20:00 Europe/Lisbon"))
	case m.At.Before(now.Add(tournaments.MinAhead)), m.At.After(now.Add(tournaments.MaxAhead)):
		wrong(keyTime, say.Error(lobby.ErrTournamentTime))
	}
	if _, ok := seats.ParseRange(strings.TrimSpace(a.form.Text(keyRange))); a.entrants == rangeOfRatings && !ok {
		wrong(keyRange, say.T("Type the lowest and the highest rating, such as 1400-1600."))
	}
	if _, err := names.CheckTitle(a.name()); err != nil {
		wrong(keyName, say.Events().Error(err))
	}
	for _, key := range a.numberKeys() {
		if r, n := a.bounds(key), a.number(key); n < r.least || n > r.most {
			wrong(key, say.T("From %d to %d.", r.least, r.most))
		}
	}
	return all
}

// bounds returns the range of the number of a field as the other numbers leave it: no more than the most have to enter, and computer players fill up
// to no more either.
func (a announcement) bounds(key string) numberRange {
	r, _ := a.rangeOf(key)
	most := a.number(keyMost)
	switch key {
	case keyMost:
		r.least = a.number(keyLeast)
	case keyFill:
		r.most = min(r.most, most)
	}
	return r
}

// numberKeys returns the fields with a number that the form has now.
func (a announcement) numberKeys() []string {
	keys := []string{keyLeast, keyMost}
	switch a.plan() {
	case tournamentstore.Arena:
		keys = append(keys, keySpan)
	case tournamentstore.Swiss:
		keys = append(keys, keyRounds)
	}
	if !a.isRated() {
		keys = append(keys, keyFill)
	}
	return keys
}
