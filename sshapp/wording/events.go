package wording

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/names"
	"ludoteca/lobby/news"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// Events are the sentences about events.
type Events struct{ say Words }

// Events returns the sentences about events.
func (s Words) Events() Events { return Events{s} }

// Error is Words.Error for what was tried with an event: some refusals need other words there.
func (e Events) Error(err error) string {
	var tooFast *lobby.TooFastError
	var muted *lobby.MutedError
	var ranged *lobby.RangeError
	name, isName := errors.AsType[*names.Error](err)
	switch {
	case isName && (name.Problem == names.Short || name.Problem == names.Long):
		return e.say.T("The name of an event has 3 to 40 letters.")
	case errors.As(err, &tooFast):
		return e.say.T("You have done that too often lately. Wait %s and try again.", e.say.seconds(tooFast.Wait))
	case errors.As(err, &muted):
		return e.say.T("The operator of this club has muted you: you can't announce events.")
	case errors.As(err, &ranged):
		return e.say.T("This event is for ratings from %d to %d. Yours is %d; without a rating in this game you count as 1500.", ranged.Range[0], ranged.Range[1], ranged.Rating)
	case errors.Is(err, lobby.ErrEngine):
		return e.say.T("Computer accounts can't do this: they enter only events that are open to them.")
	case errors.Is(err, lobby.ErrUnavailable):
		return e.say.T("You can't enter this event. Choose another one.")
	case errors.Is(err, lobby.ErrDamaged):
		return e.say.T("The log of this event is damaged. The operator of the club has been told.")
	case errors.Is(err, lobby.ErrDiskFull):
		return e.say.T("The club's disk is nearly full. Events that are announced go on; new ones can't be announced now.")
	}
	return e.say.Error(err)
}

// News returns the sentence about an item of an event.
func (e Events) News(i news.Item) string {
	name := e.say.Name(i.Event.Settings.Name)
	switch i.Kind {
	case news.EventSoon:
		return e.say.T("%s begins in %s.", name, e.say.Span(i.Left))
	case news.EventRound:
		sides := [2]string{e.say.T("you play first against %s", e.say.Occupant(i.By)), e.say.T("you play second against %s", e.say.Occupant(i.By))}
		if e.Round(i.Event.State, i.Round) != "" {
			return e.say.T("Round %d of %s: %s.", i.Round, name, sides[i.Plays()])
		}
		return e.say.T("%s: %s.", name, sides[i.Plays()])
	case news.EventOff:
		return e.say.T("%s: %s.", name, e.Off(i.Event.Reason))
	case news.EventOver:
		if i.Place > 0 {
			return e.say.T("%s is over. Your place: %d of %d.", name, i.Place, len(i.Event.Standing()))
		}
		return e.say.T("%s is over.", name)
	}
	return ""
}

// Kind names a kind of event.
func (e Events) Kind(kind tournaments.Kind) string {
	switch kind {
	case tournaments.Arena:
		// Translators: a kind of event: players who wait are paired again and again until its time is up.
		return e.say.T("arena")
	case tournaments.Swiss:
		// Translators: a kind of event: a Swiss system tournament.
		return e.say.T("Swiss")
	case tournaments.Robin:
		// Translators: a kind of event: everybody plays everybody.
		return e.say.T("round robin")
	case tournaments.Knockout:
		// Translators: a kind of event: the winner of a pair goes on.
		return e.say.T("knockout")
	case tournaments.Medley:
		// Translators: a kind of event: another game each round.
		return e.say.T("medley")
	case tournaments.Simul:
		// Translators: a kind of event: one player against many at once.
		return e.say.T("simultaneous exhibition")
	}
	return string(kind)
}

// Clock names the clock of an event.
func (e Events) Clock(set *tournaments.Settings) string {
	c, err := lobby.ParseClock(set.Clock)
	if err != nil {
		return set.Clock
	}
	return e.say.Clock(c)
}

// Length says how long an event lasts, as far as its announcement says it: "60 min", "5 rounds"; else "".
func (e Events) Length(set *tournaments.Settings) string {
	switch {
	case set.Span > 0:
		return e.say.Span(set.Span)
	case set.Rounds > 0:
		return e.say.N(set.Rounds, "1 round", "%d rounds")
	case set.Twice:
		return e.say.T("everybody twice")
	}
	return ""
}

// Terms says what an event is, part by part: its kind, length, games, clock, whether it is rated, and who may enter. game finds a game.
func (e Events) Terms(set *tournaments.Settings, game func(id string) (games.Game, error)) (terms []string) {
	kind := e.Kind(set.Kind)
	if set.Base != "" {
		kind += " (" + e.Kind(set.Base) + ")"
	}
	if long := e.Length(set); long != "" {
		kind += ", " + long
	}
	terms = append(terms, kind, strings.Join(EventGames(set, game), ", ")+" "+e.Clock(set))
	if set.Rated {
		terms = append(terms, e.say.T("rated"))
	} else {
		terms = append(terms, e.say.T("casual"))
	}
	if set.Range != [2]int{} {
		terms = append(terms, e.say.T("ratings from %d to %d", set.Range[0], set.Range[1]))
	}
	if set.Private {
		terms = append(terms, e.say.T("only with the code"))
	}
	if set.Engines {
		terms = append(terms, e.say.T("computer accounts too"))
	}
	if set.Fill > 0 {
		// Translators: the second %s is the name of a computer player.
		terms = append(terms, e.say.T("filled up to %d with %s", set.Fill, e.say.Occupant(set.Filler)))
	}
	return terms
}

// EventGames are the names of the games of an event.
func EventGames(set *tournaments.Settings, game func(id string) (games.Game, error)) (names []string) {
	for _, of := range set.Games {
		name := of.ID
		if g, err := game(of.ID); err == nil {
			name = g.About().Name
		}
		names = append(names, name)
	}
	return names
}

// Stage says how far an event is: when it begins, its round, what is left of its time, or how it ended.
func (e Events) Stage(m *tournaments.Summary, ends, now time.Time) string {
	switch m.Stage {
	case tournaments.Open:
		if left := e.UntilBegin(m.Settings.Begins, now); left != "" {
			return e.say.T("begins in %s", left)
		}
		return e.say.T("begins now")
	case tournaments.Running:
		switch {
		case !ends.IsZero():
			return e.say.T("%s left", e.say.TimeLeft(ends.Sub(now).Truncate(time.Second)))
		case m.Rounds > 1:
			return e.say.T("round %d of %d", m.Round, m.Rounds)
		}
		return e.say.T("goes on")
	case tournaments.Over:
		if m.Winner != "" {
			return e.say.T("won by %s", e.say.Name(m.Winner))
		}
		return e.say.T("over")
	}
	return e.Off(m.Reason)
}

// UntilBegin says how long it is until an event begins, in seconds only in the last minute; "" when its time has come.
func (e Events) UntilBegin(begins, now time.Time) string {
	switch left := begins.Sub(now); {
	case left >= time.Minute:
		return e.say.Span(left)
	case left >= time.Second:
		return e.say.WholeTimeLeft(left)
	}
	return ""
}

// Off says why an event was called off.
func (e Events) Off(reason string) string {
	switch reason {
	case tournaments.ByFew:
		return e.say.T("called off: too few players")
	case tournaments.ByOperator:
		return e.say.T("called off by the operator")
	}
	return e.say.T("called off")
}

// Out says why an entrant takes no part any more.
func (e Events) Out(reason string) string {
	switch reason {
	case "":
		return ""
	case tournaments.ByAbsence:
		return e.say.T("out: two matches not begun in time")
	}
	// Translators: a player has left an event.
	return e.say.T("has left")
}

// Round names a round of an event: "round 3 of 5"; "" where an event has no rounds.
func (e Events) Round(t *state.State, round int) string {
	switch plan := t.Settings.Plan(); {
	case plan == tournaments.Arena, plan == tournaments.Simul, round == 0:
		return ""
	case t.AllRounds() > 1:
		return e.say.T("round %d of %d", round, t.AllRounds())
	}
	return e.say.T("round %d", round)
}

// Halves reports whether the points of an event are counted in halves, as State.Standing has them.
func Halves(set *tournaments.Settings) bool { return set.Plan() != tournaments.Arena }

// EventPoints writes points of an event.
func EventPoints(set *tournaments.Settings, points int) string {
	if Halves(set) {
		return HalfPoints(points)
	}
	return strconv.Itoa(points)
}

// HalfPoints writes points that are counted in halves.
func HalfPoints(points int) string { return strconv.FormatFloat(float64(points)/2, 'f', -1, 64) }

// EventStreak is the mark of an entrant who has won matches in a row: a star for each, five at most.
func EventStreak(p state.Place) string { return strings.Repeat("*", min(p.Streak, 5)) }

// EventTitle is the name of an event whose announcer gives it none, in English: names are the same for all.
func EventTitle(kind tournaments.Kind, game string) string {
	word := map[tournaments.Kind]string{
		tournaments.Arena: "arena", tournaments.Swiss: "Swiss", tournaments.Robin: "round robin", tournaments.Knockout: "knockout", tournaments.Simul: "exhibition",
	}[kind]
	if word == "" {
		return "Medley"
	}
	return game + " " + word
}

// Board says to which event a match belongs: "Friday arena", "Friday Swiss, round 3".
func (e Events) Board(b storage.TournamentBoard, rounds bool) string {
	if !rounds {
		return e.say.Name(b.Name)
	}
	return e.say.T("%s, round %d", e.say.Name(b.Name), b.Round)
}
