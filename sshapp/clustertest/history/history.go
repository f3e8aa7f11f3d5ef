// Package history records what the clients of a club did and saw, and checks it against the contents of the store.
//
// It is pure: clients, faults and the store are elsewhere. All times are from the clock of one machine.
package history

import (
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// An Outcome is what a client knows about the result of an act.
type Outcome string

// The outcomes of acts.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused" // with an error that means that nothing was changed
	Unknown Outcome = "unknown" // no answer came, or it leaves the outcome open
)

// A Kind is the kind of an act.
type Kind string

// The kinds of acts.
const (
	Open   Kind = "open"
	Join   Kind = "join"
	Move   Kind = "move"
	Resign Kind = "resign"
)

// An Act is one request of a client and its outcome.
type Act struct {
	Kind     Kind            `json:"kind"`
	Match    storage.MatchID `json:"match,omitempty"` // "" of an Open without an answer
	Ply      int             `json:"ply,omitempty"`   // of Move: how many moves had been made, as far as the client knew
	Move     games.Move      `json:"move,omitempty"`  // of Move
	Invoked  time.Time       `json:"invoked"`
	Answered time.Time       `json:"answered"` // when the answer came, or the client gave up
	Outcome  Outcome         `json:"outcome"`
	Words    string          `json:"words,omitempty"` // the error message
	Node     string          `json:"node,omitempty"`  // the node that was asked
}

// A View is a match as shown to a client. The views of a client are in the order of their arrival.
type View struct {
	Match  storage.MatchID `json:"match"`
	Stream int             `json:"stream"`          // number of the stream; its views are in order, and each answer to an act is a stream of its own
	Asked  time.Time       `json:"asked"`           // when the stream was requested
	At     time.Time       `json:"at"`              // when the view arrived
	Keep   int             `json:"keep"`            // how many moves are the same as in this client's previous view of the match
	Moves  []games.Move    `json:"moves,omitempty"` // the moves after those
	Result string          `json:"result,omitempty"`
	Reason string          `json:"reason,omitempty"`
	Left   [2]int64        `json:"left,omitzero"` // with a Fischer clock: milliseconds left to each side
	Node   string          `json:"node,omitempty"`
}

// A Client is the history of one client.
type Client struct {
	Name  string
	Acts  []Act
	Views []View
}

// A Match is a match in the store.
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
	Left    []time.Duration // with a Fischer clock: the time left to the side that moved, after each move
	Lines   [][]games.Move  // if moves were taken back: the moves after each event; else nil
	Ended   time.Time
	Result  string
	Reason  string
	Ends    int    // how many ends the store has for it; 0 if unfinished
	Damage  string // what is wrong with the match by itself; "" if nothing
}

// Over reports whether the match has ended.
func (m *Match) Over() bool { return m.Ends > 0 }

// seat returns the side of a player. ok is false if they have no seat.
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

// A Snapshot is the contents of the store at a moment.
type Snapshot struct {
	At      time.Time // at this moment or later
	Matches Matches
}

// A Fault is a fault that was injected into the club.
type Fault struct {
	What  string
	Start time.Time
	From  time.Time // when play is expected to go on
	End   time.Time // when all effects are expected to be over
	Node  string    // the node that was cut off from the store, whose players may not have noticed; "" if none was
	Held  *Snapshot `json:"-"` // contents of the store after the fault, if they were read
}

// overlaps reports whether the fault overlaps the time from a to b.
func (f Fault) overlaps(a, b time.Time) bool { return !f.Start.After(b) && !f.End.Before(a) }

// A Recorder collects the history of a client. It is safe for concurrent use.
type Recorder struct {
	mu      sync.Mutex // guards what follows
	client  Client
	streams int
	shown   map[storage.MatchID][]games.Move // the last view of each match
}

// NewRecorder returns a recorder with an empty history.
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

// View adds a view with all its moves, and sets its Keep and Moves.
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

// common returns the length of the common prefix of two lists.
func common(a, b []games.Move) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
