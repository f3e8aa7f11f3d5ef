package match

import (
	"fmt"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// Record returns the record of a match for the history. times are the times of its moves. Result, Reason and Ended are empty while the match
// goes on.
func Record(v *View, times []time.Time) results.Finished {
	f := results.Finished{
		ID: v.ID, Code: v.Code, Game: v.Game.About().ID, Options: v.Options,
		First: v.Seats[games.First], Second: v.Seats[games.Second],
		Result: v.Result, Reason: v.Reason, Plies: len(v.Moves), Rated: v.Rated, Short: v.Agreed && !v.Rated, Public: v.Public,
		Temporary: v.Temporary, Start: v.Start, Helped: v.Helped, Setup: results.Setup{From: v.From, Tournament: v.Tournament},
		Started: v.Started, Ended: v.Ended, Course: results.Course{Moves: v.Moves, Times: times}, Effect: results.Effect{Ratings: v.Ratings},
	}
	if v.Clock.Setting.Kind != clock.None {
		f.Clock, f.Left = v.Clock.Setting.String(), v.Left
	}
	return f
}

// Timing is when each move of a match arrived, without the moves given by the opening. It is built from the events of the log.
type Timing []time.Time

// Add adds the next event of a log.
func (t *Timing) Add(e matches.Event) {
	switch e.Kind {
	case matches.Moved:
		*t = append(*t, e.At)
	case matches.TakenBack:
		*t = (*t)[:max(0, len(*t)-e.Plies)]
	}
}

// Times returns when each move of the line arrived. Moves given by the opening count as arrived when the match started.
func (t Timing) Times(v *View) []time.Time {
	times := make([]time.Time, 0, len(v.Moves))
	for range v.Start {
		switch {
		case !v.Started.IsZero():
			times = append(times, v.Started)
		case v.Over: // it ended as an offer
			times = append(times, v.Ended)
		default:
			times = append(times, v.Opened)
		}
	}
	return append(times, t...)
}

// Replay returns the state of a finished match from its record. It folds events that it makes from the record. What the record does
// not keep is filled in: both seats are taken in the first event, and Opener is Nobody. The error wraps ErrLog.
func Replay(f results.Finished, find FindGame) (s State, err error) {
	defer recoverEngine(f.ID, &err)
	folder := NewFolder(f.ID, find)
	folder.state.recorded = true
	end, err := recordedClock(f)
	if err != nil {
		return State{}, err
	}
	add := func(e matches.Event, at time.Time) error {
		s := &folder.state
		if at = moment(at); at.Before(s.LastAt) {
			at = s.LastAt
		}
		e.Seq, e.Version, e.At = s.Seq+1, matches.EventVersion, at
		return folder.Add([]matches.Event{e})
	}
	opened := f.Started
	if opened.IsZero() {
		opened = f.Ended
	}
	opening := &matches.Opening{
		Code: f.Code, Game: f.Game, Options: f.Options, Rated: f.Rated || f.Short, Public: f.Public, First: f.First, Second: f.Second,
		Moves: slices.Clip(f.Moves[:f.Start]), From: f.From, Tournament: f.Tournament,
	}
	if err := add(matches.Event{Kind: matches.Opened, Opening: opening}, opened); err != nil {
		return State{}, err
	}
	for i, m := range f.Moves[f.Start:] {
		at := opened
		if i += f.Start; i < len(f.Times) {
			at = f.Times[i]
		}
		if i < len(f.Left) && end.Setting.Kind == clock.Fischer {
			end.Left[folder.state.Turn()] = f.Left[i]
		}
		if err := add(matches.Event{Kind: matches.Moved, Seat: storage.SeatOf(folder.state.Turn()), Move: m}, at); err != nil {
			return State{}, err
		}
	}
	turn, last := folder.state.Turn(), folder.state.LastAt
	for _, e := range lastEvents(f, storage.SeatOf(turn)) {
		if err := add(e, f.Ended); err != nil {
			return State{}, err
		}
	}
	s, err = folder.State()
	s.Help, s.Temporary = f.Helped, f.Temporary // earlier versions kept matches of any length
	switch {
	case f.Clock == "":
	case f.Reason == reasonTimeout && f.Result != "":
		end.Left[turn] = 0
	case min(folder.state.made[games.First], folder.state.made[games.Second]) > 0: // its clock ran
		end.Left[turn] = max(end.Left[turn]-f.Ended.Sub(last), 0)
	}
	s.Clock, s.Left, s.recorded = end, f.Left, false
	return s, err
}

// recordedClock returns the clock of a finished match before its first move. The error wraps ErrLog.
func recordedClock(f results.Finished) (clock.Clock, error) {
	if f.Clock == "" {
		return clock.Clock{}, nil
	}
	setting, err := clock.Parse(f.Clock)
	if err != nil {
		return clock.Clock{}, fmt.Errorf("%w: match %s: %w", ErrLog, f.ID, err)
	}
	return clock.New(setting), nil
}

// lastEvents returns the event that ended a match, after the event that caused it if that was not a move. turn is the seat to move then.
func lastEvents(f results.Finished, turn storage.Seat) []matches.Event {
	end := matches.Event{Kind: matches.Ended, Result: f.Result, Reason: f.Reason}
	loser := storage.FirstSeat
	if f.Result == games.First.String() {
		loser = storage.SecondSeat
	}
	switch f.Reason {
	case reasonResigned:
		return []matches.Event{{Kind: matches.Resigned, Seat: loser}, end}
	case reasonTimeout:
		return []matches.Event{{Kind: matches.Flagged, Seat: turn}, end}
	case reasonAgreement: // the record doesn't say who offered it
		return []matches.Event{
			{Kind: matches.Offered, Seat: storage.FirstSeat, Offer: matches.OfferDraw},
			{Kind: matches.Answered, Seat: storage.SecondSeat, Offer: matches.OfferDraw, Yes: true}, end,
		}
	case reasonClaimed:
		return []matches.Event{{Kind: matches.Claimed, Seat: storage.SeatOf(loser.Side().Other()), Result: f.Result}, end}
	case reasonAbandoned:
		end.Seat = loser
	}
	return []matches.Event{end}
}
