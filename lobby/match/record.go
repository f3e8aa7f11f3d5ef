package match

import (
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// Record returns a match as it goes into history; Result, Reason and Ended are empty while it goes on.
func Record(v *View) storage.Finished {
	return storage.Finished{
		ID: v.ID, Code: v.Code, Game: v.Game.About().ID, Options: v.Options,
		First: v.Seats[games.First], Second: v.Seats[games.Second],
		Result: v.Result, Reason: v.Reason, Plies: len(v.Moves), Rated: v.Rated, Public: v.Public,
		Start: v.Start, Helped: v.Helped,
		Started: v.Started, Ended: v.Ended, Moves: v.Moves, Times: times(v), Ratings: v.Ratings,
	}
}

// times returns when each move of the line arrived. Moves that the opening gave arrived when the match started.
func times(v *View) []time.Time {
	times := make([]time.Time, 0, len(v.Moves))
	for range v.Start {
		switch {
		case !v.Started.IsZero():
			times = append(times, v.Started)
		case v.Over: // nobody ever came
			times = append(times, v.Ended)
		default:
			times = append(times, v.Opened)
		}
	}
	for _, e := range v.Events {
		switch e.Kind {
		case storage.Moved:
			times = append(times, e.At)
		case storage.TakenBack:
			times = times[:len(times)-e.Plies]
		}
	}
	return times
}

// Replay returns the state of a finished match from its record, by the same fold as every other. As little as possible is
// made up for what the record does not keep: both seats are taken in the first event, and nobody opened it. The error wraps
// ErrLog or is a *games.IllegalError.
func Replay(f storage.Finished, find FindGame) (s State, err error) {
	defer recoverEngine(f.ID, &err)
	s = New(f.ID)
	add := func(e storage.Event, at time.Time) error {
		if at = moment(at); at.Before(s.last) {
			at = s.last
		}
		e.Seq, e.Version, e.At = s.Seq()+1, storage.EventVersion, at
		return s.apply(e, find)
	}
	opened := f.Started
	if opened.IsZero() {
		opened = f.Ended
	}
	opening := &storage.Opening{
		Code: f.Code, Game: f.Game, Options: f.Options, Rated: f.Rated, Public: f.Public, First: f.First, Second: f.Second,
		Moves: slices.Clip(f.Moves[:f.Start]),
	}
	if err := add(storage.Event{Kind: storage.Opened, Opening: opening}, opened); err != nil {
		return State{}, err
	}
	for i, m := range f.Moves[f.Start:] {
		at := opened
		if i += f.Start; i < len(f.Times) {
			at = f.Times[i]
		}
		if err := add(storage.Event{Kind: storage.Moved, Seat: storage.SeatOf(s.Turn()), Move: m}, at); err != nil {
			return State{}, err
		}
	}
	for _, e := range lastEvents(f) {
		if err := add(e, f.Ended); err != nil {
			return State{}, err
		}
	}
	s.Help = f.Helped
	return s, nil
}

// lastEvents returns the end of a match, and what brought it if that was not a move.
func lastEvents(f storage.Finished) []storage.Event {
	end := storage.Event{Kind: storage.Ended, Result: f.Result, Reason: f.Reason}
	loser := storage.FirstSeat
	if f.Result == games.First.String() {
		loser = storage.SecondSeat
	}
	switch f.Reason {
	case reasonResigned:
		return []storage.Event{{Kind: storage.Resigned, Seat: loser}, end}
	case reasonTimeout:
		return []storage.Event{{Kind: storage.Flagged, Seat: loser}, end}
	case reasonAbandoned:
		end.Seat = loser
	}
	return []storage.Event{end}
}
