package lobby

import (
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// A Ref names a match: by the code that people tell each other and by the id that it has for ever.
type Ref struct {
	ID   storage.MatchID
	Code string
}

// A Strength is a person's rating in one game as it stood when his match was loaded or he sat down. The zero value is
// unknown: a computer player, a guest, or somebody who has not played the game rated.
type Strength struct {
	Known       bool
	Rating      float64
	Deviation   float64 // as of then, grown by the time he was away
	Provisional bool    // shown with a question mark
}

// A Reply says how far a computer player is with the move it has to make.
type Reply uint8

// The states of a computer player's reply.
const (
	NoReply  Reply = iota // it has none to make
	Queued                // it waits for a free worker
	Thinking              // it thinks, or has its move ready and waits a moment before it plays
	Paused                // it waits for somebody to watch (a match between two computer players)
)

// A Rematch says that a match goes on in another one, with sides swapped.
type Rematch struct {
	Ref
	By    storage.Occupant // who asked; a free occupant if nobody has
	Taken bool             // both have sat down: go there
}

// A View is all that can be known of a match at one moment. It is immutable and shared: callers must not change it nor
// what it points to.
type View struct {
	Seq uint64 // number of this view: what Seat.Next takes. It grows with every change that can be seen in a view

	Ref
	Game    games.Game
	Options games.Options // complete
	Rated   bool
	Public  bool

	Seats    [2]storage.Occupant // by side; Free while nobody has sat down
	Strength [2]Strength         // by side
	Reserved storage.Occupant    // if set, only he may take the free seat

	// Events is the log from its start: Events[i].Seq is i+1. The log of a match that was read from the records is made
	// from what the record keeps: both seats are taken in its first event.
	Events    []storage.Event
	Moves     []games.Move // the line as it stands now: a move that was taken back is not there
	Start     int          // how many of Moves were given: the match began after them
	Helped    storage.Help // what help was taken
	Position  games.Position
	Turn      games.Side // whose turn it is; of no meaning when Over or not Started
	RematchOf storage.MatchID

	Over   bool
	Result string // first, second, draw; "" while the match goes on and when it is void (aborted)
	Reason string // a code of the rules, resigned, abandoned, aborted, length_limit; "" while the match goes on

	Opened  time.Time
	Started time.Time // when the second seat was taken; zero before
	Ended   time.Time // zero before
	Ratings *[2]storage.RatingChange

	Reply   Reply
	Ahead   int      // while Queued: how many matches come before this one; up to 5 exactly, then rounded up
	Rematch *Rematch // nil while nobody has asked for one
}

// Since returns the events that came after the view old, which may be nil for all of them. There are none if v has been
// read from the records since, whose log is another one.
func (v *View) Since(old *View) []storage.Event {
	if old == nil {
		return v.Events
	}
	seen := len(old.Events)
	if seen > len(v.Events) {
		return nil
	}
	last, same := old.Events[seen-1], v.Events[seen-1]
	last.Opening, same.Opening = nil, nil // pointers
	if last != same {
		return nil
	}
	return v.Events[seen:]
}

// Continues says whether the line of v goes on from that of the view old, or is the same.
func (v *View) Continues(old *View) bool {
	return len(v.Moves) >= len(old.Moves) && slices.Equal(v.Moves[:len(old.Moves)], old.Moves)
}

// Ply is the number of moves made, those that were given included.
func (v *View) Ply() int { return len(v.Moves) }

// Holds says whether who sits on side s.
func (v *View) Holds(who Who, s games.Side) bool { return who.is(v.Seats[s]) }

// Side returns the side that who plays; of somebody who holds both seats, the side to move. ok is false for a
// spectator.
func (v *View) Side(who Who) (s games.Side, ok bool) {
	if v.Holds(who, v.Turn) {
		return v.Turn, true
	}
	return v.Turn.Other(), v.Holds(who, v.Turn.Other())
}

// YourTurn says whether who can move now.
func (v *View) YourTurn(who Who) bool {
	return !v.Over && !v.Started.IsZero() && v.Holds(who, v.Turn)
}

// LastAt is the time of the last event.
func (v *View) LastAt() time.Time { return v.Events[len(v.Events)-1].At }
