package match

import (
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// A Ref names a match: by the code that people tell each other, and by the id that it has for ever.
type Ref struct {
	ID   storage.MatchID
	Code string
}

// A Strength is a player's rating in one game as it stood when the match was loaded or the player sat down. The zero value
// is unknown: a computer player, a guest, or a player who has not played the game rated.
type Strength struct {
	Known       bool
	Rating      float64
	Deviation   float64 // as of then, grown by the time without rated matches
	Provisional bool    // shown with a question mark
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
	Taken bool             // both have sat down: go there
}

// A View is all that can be known of a match at one moment. It is immutable and shared: callers must not change it nor
// what it points to.
type View struct {
	Seq uint64 // number of this view. It grows with every change that can be seen in a view

	Ref
	Game    games.Game
	Options games.Options // complete
	Rated   bool          // it counts for ratings; of a match that has ended, only if each side made enough moves
	Public  bool

	Seats    [2]storage.Occupant // by side; Free while nobody has sat down
	Strength [2]Strength         // by side
	Reserved storage.Occupant    // if set, nobody else may take the free seat
	By       storage.Occupant    // who opened an unfinished exhibition; Free for other matches, and where an old log doesn't say

	// Events is the log from its start: Events[i].Seq is i+1. The log of a match that was read from the records is made of
	// what the record keeps: both seats are taken in its first event.
	Events    []storage.Event
	Moves     []games.Move // the line as it stands now, without moves that were taken back
	Start     int          // how many of Moves were given by the opening: the match began after them
	Helped    storage.Help // how many hints and takebacks there were
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
	Ahead   int      // while Queued: how many jobs come before this one's; up to 5 exactly, then rounded up
	Rematch *Rematch // nil while nobody has asked for one
}

// View returns what can be seen of the state. Seq, Strength, Ratings, Reply, Ahead and Rematch are not in a match's log.
func (s *State) View() *View {
	return &View{
		Ref:  Ref{ID: s.ID, Code: s.Opening.Code},
		Game: s.Game, Options: s.Opening.Options, Rated: s.rated(), Public: s.Opening.Public,
		Seats: s.Seats, Reserved: s.Opening.Reserved, By: s.Opening.By,
		Events: s.Events[:len(s.Events):len(s.Events)], Moves: s.Moves[:len(s.Moves):len(s.Moves)],
		Start: s.Given(), Helped: s.Help, Position: s.Position, Turn: s.Turn(), RematchOf: s.Opening.RematchOf,
		Over: s.Over(), Result: s.Result, Reason: s.Reason,
		Opened: s.Opened, Started: s.Started, Ended: s.Ended,
	}
}

// Since returns the events that came after the view old, which may be nil for all of them. There are none if v was read
// from the records since, whose log is another one.
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

// Ply is the number of moves made, those that the opening gave included.
func (v *View) Ply() int { return len(v.Moves) }

// AgreedRated says whether the match was opened as a rated one, even if it ended too soon to count. Of a match that was read
// from the records it is Rated.
func (v *View) AgreedRated() bool { return v.Events[0].Opening.Rated }

// Holds says whether a user sits on a side.
func (v *View) Holds(u User, side games.Side) bool { return u.Is(v.Seats[side]) }

// Side returns the side that a user plays: of both, the side to move. ok is false for a spectator.
func (v *View) Side(u User) (side games.Side, ok bool) {
	if v.Holds(u, v.Turn) {
		return v.Turn, true
	}
	return v.Turn.Other(), v.Holds(u, v.Turn.Other())
}

// YourTurn says whether a user can move now.
func (v *View) YourTurn(u User) bool {
	return !v.Over && !v.Started.IsZero() && v.Holds(u, v.Turn)
}

// LastAt is the time of the last event.
func (v *View) LastAt() time.Time { return v.Events[len(v.Events)-1].At }

// People returns the keys of the players and guests whom the match concerns, each once: those in its seats, and the one
// whom its free seat is reserved for.
func (v *View) People() []Key {
	concerned := []storage.Occupant{v.Seats[games.First], v.Seats[games.Second]}
	if v.Started.IsZero() {
		concerned = append(concerned, v.Reserved)
	}
	var people []Key
	for _, o := range concerned {
		if (o.Kind == storage.Person || o.Kind == storage.Guest) && !slices.Contains(people, KeyOf(o)) {
			people = append(people, KeyOf(o))
		}
	}
	return people
}
