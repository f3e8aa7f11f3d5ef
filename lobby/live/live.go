// Package live runs matches: one goroutine owns each unfinished match, writes its events to the store, and then publishes its views.
package live

import (
	"context"
	"errors"
	"sync/atomic"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// The errors of a running match. Refused acts return the errors of package match.
var (
	ErrUnloaded = errors.New("the match is no longer in memory") // the caller loads it and tries again
)

// A Store keeps matches.
type Store interface {
	// Append writes events to the log of a match, and the summary of the match after them, all or none, and returns when they
	// are on disk. The number of the first event must be the next one of the log. The error is storage.ErrStale if the number is taken, and
	// storage.ErrCodeTaken if the code of a new match is taken. After storage.ErrCommit the events may be written or not: read the log.
	Append(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary) error

	// Finish appends the last events of a match, moves it to the records and rates it, in one transaction. It returns the rating changes of a
	// rated match, else nil, and the errors of Append.
	Finish(ctx context.Context, id storage.MatchID, events []matches.Event, f results.Finished, also func(kv.Tx) error) (*[2]results.RatingChange, error)

	// Log returns events of an unfinished match from a number on: all if most is 0, else at least most, or the rest if there are fewer.
	// The error is storage.ErrNotFound if there is no unfinished match with this id.
	Log(ctx context.Context, id storage.MatchID, from uint64, most int) ([]matches.Event, error)

	// Finished returns the whole record of a match that has ended. The error is storage.ErrNotFound if there is none.
	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
}

// Stats counts events of all matches. All fields only grow. The zero value is ready to use.
type Stats struct {
	Opened   atomic.Int64 // matches, offers included
	Ended    atomic.Int64 // matches, offers that were withdrawn included
	Moves    atomic.Int64 // played by people
	BotMoves atomic.Int64 // played by computer players
	Panics   atomic.Int64 // in the rules of a game, caught
	Failed   atomic.Int64 // computer players that found no move, panics included, and resigned
}

// count adds the difference between the states before and next of a match.
func (s *Stats) count(before, next *match.State) {
	if before.Seq == 0 {
		s.Opened.Add(1)
	}
	if next.Over() && !before.Over() {
		s.Ended.Add(1)
	}
	for side, o := range next.Seats {
		moves := int64(max(0, next.MadeBy(games.Side(side))-before.MadeBy(games.Side(side))))
		if o.Kind == storage.Bot {
			s.BotMoves.Add(moves)
		} else {
			s.Moves.Add(moves)
		}
	}
}
