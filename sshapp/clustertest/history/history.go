// Package history says what clients of a club did and saw, what the store holds afterwards, and whether the two agree.
//
// It is pure: the clients, the faults and the store are elsewhere. All times are of one machine.
package history

import (
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// An Outcome is what a client knows of an act afterwards.
type Outcome string

// The outcomes of acts.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused" // the club said why, and that it changed nothing
	Unknown Outcome = "unknown" // no answer came, or one that leaves it open
)

// A Kind says what a client asked for.
type Kind string

// The kinds of acts.
const (
	Open   Kind = "open"
	Join   Kind = "join"
	Move   Kind = "move"
	Resign Kind = "resign"
)

// An Act is one request of a client, and how it ended.
type Act struct {
	Kind     Kind            `json:"kind"`
	Match    storage.MatchID `json:"match,omitempty"` // "" of an Open without an answer
	Ply      int             `json:"ply,omitempty"`   // of Move: how many moves had been made, as far as the client knew
	Move     games.Move      `json:"move,omitempty"`  // of Move
	Invoked  time.Time       `json:"invoked"`
	Answered time.Time       `json:"answered"` // when the answer came, or the client gave up
	Outcome  Outcome         `json:"outcome"`
	Words    string          `json:"words,omitempty"` // what the club said instead of doing it
	Node     string          `json:"node,omitempty"`  // of several, the one that was asked
}

// A View is a match as a client was shown it. Views of a client are in the order in which they came.
type View struct {
	Match  storage.MatchID `json:"match"`
	Stream int             `json:"stream"` // views of one stream come one after the other; each answer to an act is a stream
	Asked  time.Time       `json:"asked"`  // when the stream was asked for
	At     time.Time       `json:"at"`     // when the view came
	Keep   int             `json:"keep"`   // how many moves are those of this client's view of this match before
	Moves  []games.Move    `json:"moves,omitempty"`
	Result string          `json:"result,omitempty"`
	Reason string          `json:"reason,omitempty"`
	Left   [2]int64        `json:"left,omitzero"` // of a match with a Fischer clock: milliseconds shown for each side
	Node   string          `json:"node,omitempty"`
}

// A Client is the history of one client.
type Client struct {
	Name  string
	Acts  []Act
	Views []View
}

// A Match is what the store holds of one match.
type Match struct {
	ID      storage.MatchID
	Game    string
	Seats   [2]storage.Occupant
	Clock   string // 5+3, 3d or ""
	Base    time.Duration
	Step    time.Duration // the increment
	Started time.Time     // zero before the second seat was taken
	Moves   []games.Move
	Sides   []games.Side    // who made each move
	Times   []time.Time     // when each move arrived
	Left    []time.Duration // of a match with a Fischer clock: what the side that moved had left
	Lines   [][]games.Move  // of a match in which moves were taken back: the moves after each event; else nil
	Ended   time.Time
	Result  string
	Reason  string
	Ends    int    // how many ends the store holds; 0 of a match that goes on
	Damage  string // what is wrong with the match by itself; "" is nothing
}

// Over says whether the match has ended.
func (m *Match) Over() bool { return m.Ends > 0 }

// seat returns the side of a player; ok is false if they have none.
func (m *Match) seat(name string) (side games.Side, ok bool) {
	for i, o := range m.Seats {
		if o.Kind == storage.Person && o.Name == name {
			return games.Side(i), true
		}
	}
	return 0, false
}

// Matches are all matches of a store.
type Matches map[storage.MatchID]*Match

// A Snapshot is what the store held at a moment.
type Snapshot struct {
	At      time.Time // not before this moment
	Matches Matches
}

// A Fault is something that was done to the club.
type Fault struct {
	What  string
	Start time.Time
	From  time.Time // since when play is expected to go on
	End   time.Time // when all was well again
	Node  string    // the node that could not reach the store meanwhile: players there may not know; "" is none
	Held  *Snapshot `json:"-"` // what the store held then, if it was read
}

// overlaps says whether the fault went on at some time from a to b.
func (f Fault) overlaps(a, b time.Time) bool { return !f.Start.After(b) && !f.End.Before(a) }

// A Recorder collects the history of a client. Its methods may be called by several goroutines.
type Recorder struct {
	mu      sync.Mutex // guards what follows
	client  Client
	streams int
	shown   map[storage.MatchID][]games.Move // the last view of each match
}

// NewRecorder returns a recorder of a client without a history.
func NewRecorder(name string) *Recorder {
	return &Recorder{client: Client{Name: name}, shown: make(map[storage.MatchID][]games.Move)}
}

// Act adds an act.
func (r *Recorder) Act(a Act) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.client.Acts = append(r.client.Acts, a)
}

// Stream returns the number of a new stream of views.
func (r *Recorder) Stream() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streams++
	return r.streams
}

// View adds a view that shows these moves.
func (r *Recorder) View(v View, moves []games.Move) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.shown[v.Match]
	v.Keep = common(before, moves)
	v.Moves = slices.Clone(moves[v.Keep:])
	r.shown[v.Match] = append(before[:v.Keep:v.Keep], v.Moves...)
	r.client.Views = append(r.client.Views, v)
}

// Client returns the history so far.
func (r *Recorder) Client() Client {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Client{r.client.Name, slices.Clone(r.client.Acts), slices.Clone(r.client.Views)}
}

// common returns how many moves two lists begin with alike.
func common(a, b []games.Move) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
