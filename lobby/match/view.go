package match

import (
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A Ref names a match: by the code that players give to each other, and by its id, which is unique for ever.
type Ref struct {
	ID   storage.MatchID
	Code string
}

// A Strength is a player's rating in one game, and their conduct, as of when the match was loaded or the player sat down. The rating is not known
// for a computer player, a guest, or a player without a rated match of the game.
type Strength struct {
	Known       bool
	Rating      float64
	Deviation   float64 // as of then; it grows with the time without rated matches
	Provisional bool    // shown with a question mark

	Conduct results.Conduct // in all games; zero in running matches that have not been loaded since the start of the program
}

// OrNewcomer returns s, or the rating and deviation of a newcomer if they are not known.
func (s Strength) OrNewcomer() Strength {
	if !s.Known {
		s.Rating, s.Deviation = rating.StartRating, rating.StartDeviation
	}
	return s
}

// A Reply is the state of a computer player's search for its move.
type Reply uint8

// The states of a computer player's reply.
const (
	NoReply  Reply = iota // no computer player is to move
	Queued                // the search waits for a free worker
	Thinking              // the search runs, or the move is found and played in a moment
	Paused                // an exhibition waits for a spectator
)

// A Rematch is the match that follows another one, with sides swapped.
type Rematch struct {
	Ref
	By    storage.Occupant // the user who asked for it; Free if it began without that
	At    time.Time        // when it was opened
	Taken bool             // both players have sat down: go there
}

// An Ending is how a match ended; zero while it goes on.
type Ending struct {
	Result    string       // first, second, draw; "" when the match is void (aborted)
	Reason    string       // a code of the rules, resigned, abandoned, aborted, adjudicated, claimed, length_limit
	EndedBy   storage.Seat // the seat that moved last, resigned, left or aborted; Nobody if neither seat caused the end
	Ended     time.Time
	Temporary bool // it is void or too short to be kept, and deleted after results.TemporaryLife
	Ratings   *[2]results.RatingChange
}

// A View is all that can be known of a match at one moment. It is immutable and shared: callers must not change it nor
// what it points to.
type View struct {
	Seq uint64 // number of this view; it grows with every change of the view

	Summary
	Moves    []games.Move    // the present line, without moves that were taken back
	Left     []time.Duration // of a match with a clock: time left to the side that moved, by move
	Position games.Position
	Between  []OpenOffer // the open offers between the two sides, the oldest first

	ContinuedBy storage.Seat // who went on with the match last when it was adjourned, other than by a move
	DueAt       time.Time    // since when the side to move has been, or at the end was, to move; zero before Started

	Over bool
	Ending

	Reply   Reply
	Ahead   int      // while Queued: how many jobs come before this one; exact up to 5, then rounded up
	Rematch *Rematch // nil while there is none

	FirstMoveBy time.Time // when the time for a first move without a clock is up, see FirstMove; zero: no limit now

	Presence   [2]atboard.Presence // by side; zero while a seat is free
	Spectators atboard.Spectators

	state *State // for May; with the names as the log has them
}

// View returns the view of the state, which must not change from then on. Seq, Strength, Ratings, Reply, Ahead, Rematch, FirstMoveBy, Presence and
// Spectators are not in the log of a match: callers set them.
func (s *State) View() *View {
	return &View{
		state:   s,
		Summary: s.Summary(), Moves: s.Moves[:len(s.Moves):len(s.Moves)], Left: s.Left[:len(s.Left):len(s.Left)], Position: s.Position, Between: s.offered.open(s.Offers),
		ContinuedBy: s.ContinuedBy, DueAt: s.DueAt, Over: s.Over(),
		Ending: Ending{Result: s.Result, Reason: s.Reason, EndedBy: s.EndedBy, Ended: s.Ended, Temporary: s.Temporary},
	}
}

// Continues reports whether the line of v begins with the whole line of the view old.
func (v *View) Continues(old *View) bool {
	return len(v.Moves) >= len(old.Moves) && slices.Equal(v.Moves[:len(old.Moves)], old.Moves)
}

// After returns the position after ply moves, from 0 to Ply().
func (v *View) After(ply int) (games.Position, error) {
	if ply == v.Ply() {
		return v.Position, nil
	}
	p, err := v.Initial()
	if err != nil {
		return nil, err
	}
	return games.ReplayFrom(p, v.Moves[:ply])
}

// Challenges reports whether the match has not started and its free seat is reserved for a user.
func (v *View) Challenges(u User) bool { return !v.Over && v.Started.IsZero() && u.Is(v.Reserved) }

// TimedOut reports whether the match has ended because the time of a side ran out.
func (v *View) TimedOut() bool { return v.Over && v.Reason == reasonTimeout }

// Ply returns the number of moves in the line, including moves given by the opening.
func (v *View) Ply() int { return len(v.Moves) }

// YourTurn reports whether a user can move now.
func (v *View) YourTurn(u User) bool { return !v.Over && v.Summary.YourTurn(u) }
