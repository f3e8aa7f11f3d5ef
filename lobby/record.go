package lobby

import (
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// record returns a match as it goes into history; Result, Reason and Ended are empty while it goes on.
func record(v *View) storage.Finished {
	return storage.Finished{
		ID: v.ID, Code: v.Code, Game: v.Game.About().ID, Options: v.Options,
		First: v.Seats[games.First], Second: v.Seats[games.Second],
		Result: v.Result, Reason: v.Reason, Plies: len(v.Moves), Rated: v.Rated, Public: v.Public,
		Start: v.Start, Helped: v.Helped,
		Started: v.Started, Ended: v.Ended, Moves: v.Moves, Times: times(v), Ratings: v.Ratings,
	}
}

// times returns when each move of the line arrived. Those that were given came when the match started.
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

// relive makes the state of a finished match from its record, by the same fold as every other. What the record does not
// keep is made up as little as possible: both seats are taken in the first event, and nobody opened it. What help was taken
// it says in numbers only.
func relive(f storage.Finished, find func(string) (games.Game, error)) (s state, err error) {
	defer unreadable(f.ID, &err)
	s = state{id: f.ID}
	add := func(e storage.Event, at time.Time) error {
		if at = moment(at); at.Before(s.last) {
			at = s.last
		}
		e.Seq, e.Version, e.At = s.seq()+1, storage.EventVersion, at
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
		return state{}, err
	}
	for i, m := range f.Moves[f.Start:] {
		at := opened
		if i += f.Start; i < len(f.Times) {
			at = f.Times[i]
		}
		if err := add(storage.Event{Kind: storage.Moved, Seat: storage.SeatOf(s.pos.Turn()), Move: m}, at); err != nil {
			return state{}, err
		}
	}
	for _, e := range lastEvents(f) {
		if err := add(e, f.Ended); err != nil {
			return state{}, err
		}
	}
	s.help = f.Helped
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

// moment is a time as logs keep it.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
