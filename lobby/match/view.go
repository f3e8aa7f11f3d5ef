package match

import (
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A Ref names a match: by the code that people tell each other, and by the id that it has for ever.
type Ref struct {
	ID   storage.MatchID
	Code string
}

// A Strength is a player's rating in one game, and which matches the player finishes, as it stood when the match was loaded or the player
// sat down. The rating is unknown for a computer player, a guest, or a player who has not played the game rated.
type Strength struct {
	Known       bool
	Rating      float64
	Deviation   float64 // as of then, grown by the time without rated matches
	Provisional bool    // shown with a question mark

	Conduct results.Conduct // in all games; of running matches that nobody has looked at since the start of the program it is zero
}

// OrNewcomer returns a strength, that of a newcomer in place of one that is not known.
func (s Strength) OrNewcomer() Strength {
	if !s.Known {
		s.Rating, s.Deviation = rating.StartRating, rating.StartDeviation
	}
	return s
}

// A Reply says how far a computer player is with the move it has to make.
type Reply uint8

// The states of a computer player's reply.
const (
	NoReply  Reply = iota // it has none to make
	Queued                // it waits for a free worker
	Thinking              // it thinks, or has its move ready and waits a moment before it plays
	Paused                // it waits for a spectator (an exhibition)
)

// A Rematch says that a match goes on in another one, with sides swapped.
type Rematch struct {
	Ref
	By    storage.Occupant // who asked for it; a free occupant if nobody has
	At    time.Time        // when it was opened
	Taken bool             // both have sat down: go there
}

// A View is all that can be known of a match at one moment. It is immutable and shared: callers must not change it nor
// what it points to.
type View struct {
	Seq uint64 // number of this view. It grows with every change that can be seen in a view

	Summary
	Moves    []games.Move    // the line as it stands now, without moves that were taken back
	Left     []time.Duration // of a match with a clock: what the side that moved had left, by move
	Position games.Position
	Between  []OpenOffer // the open offers between the two sides, the oldest first

	Over    bool
	Result  string       // first, second, draw; "" while the match goes on and when it is void (aborted)
	Reason  string       // a code of the rules, resigned, abandoned, aborted, adjudicated, claimed, length_limit; "" while the match goes on
	EndedBy storage.Seat // who brought the end: who moved last, resigned, left or aborted; Nobody if nobody did

	Ended     time.Time // zero before
	DueAt     time.Time // since when it has been the turn of the side to move, or was at the end; zero before Started
	Temporary bool      // it is over, and forgotten results.TemporaryLife later: void, or too short to be kept
	Ratings   *[2]results.RatingChange

	Reply   Reply
	Ahead   int      // while Queued: how many jobs come before this one's; up to 5 exactly, then rounded up
	Rematch *Rematch // nil while nobody has asked for one

	FirstMoveBy time.Time // when the time for a first move without a clock is up, see FirstMove; zero: it doesn't run

	Presence   [2]Presence // by side; zero while a seat is free
	Spectators Spectators
}

// View returns what can be seen of the state. Seq, Strength, Ratings, Reply, Ahead, Rematch, FirstMoveBy, Presence and Spectators are not in a match's log.
func (s *State) View() *View {
	return &View{
		Summary: s.Summary(), Moves: s.Moves[:len(s.Moves):len(s.Moves)], Left: s.Left[:len(s.Left):len(s.Left)], Position: s.Position, Between: s.openOffers(),
		Over: s.Over(), Result: s.Result, Reason: s.Reason, EndedBy: s.EndedBy, Ended: s.Ended, DueAt: s.DueAt, Temporary: s.Temporary,
	}
}

// Continues reports whether the line of v goes on from that of the view old, or is the same.
func (v *View) Continues(old *View) bool {
	return len(v.Moves) >= len(old.Moves) && slices.Equal(v.Moves[:len(old.Moves)], old.Moves)
}

// After returns the position after so many of the moves, from 0 to all.
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

// Challenges reports whether the match waits for a user to whom alone it is offered.
func (v *View) Challenges(u User) bool { return !v.Over && v.Started.IsZero() && u.Is(v.Reserved) }

// Ply is the number of moves made, those that the opening gave included.
func (v *View) Ply() int { return len(v.Moves) }

// YourTurn reports whether a user can move now.
func (v *View) YourTurn(u User) bool { return !v.Over && v.Summary.YourTurn(u) }
