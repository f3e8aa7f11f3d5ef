package lists

import (
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// Now is the lobby at one moment as one user sees it: how many are here, and what can be played or watched. It is immutable and
// shares its slices with other users': callers must not change them.
type Lists struct {
	Seq     uint64    // number of these lists: what Service.Next takes
	Count   int       // how many people are here, each counted once
	Offers  []Offer   // public ones, oldest first; at most MaxListed, see inTurns
	Running []Running // the strongest first; at most MaxListed, see inTurns
	Yours   Yours

	shared *sync.Map // what readers have made of what everybody sees; nil: nothing is kept
}

// An Offer is a match whose other seat is free.
type Offer struct {
	match.Ref
	Game      string
	Options   games.Options
	Rated     bool
	Clock     clock.Setting
	By        storage.Occupant
	Strength  match.Strength // of By
	Side      games.Side     // what the taker would play
	Since     time.Time
	RematchOf storage.MatchID  // set if it is a rematch
	To        storage.Occupant // the only one who may take it; Free: anybody may
	Range     [2]int           // the least and the highest rating of who may; zero: any
	Until     time.Time        // when it ends if nobody takes it; zero: it does not say
	Ply       int              // how many moves the opening gave
	From      string           // as in View
}

// FinishedShare is that of the player who makes the offer, as it stood when they did; see standings.FinishedShare.
func (o *Offer) FinishedShare() (share float64, known bool) {
	return standings.FinishedShare(o.Strength.Conduct)
}

// A Running is a public match that is being played; anybody may watch it.
type Running struct {
	match.Ref // without the code
	Game      string
	Options   games.Options
	Rated     bool
	Clock     clock.Setting
	Seats     [2]storage.Occupant
	Strength  [2]match.Strength
	Ply       int
	Started   time.Time
}

// Yours is the part of the lists that concerns one user.
type Yours struct {
	Name        string  // that the user has now
	Matches     []Mine  // those that wait for the user first, then those being played, then untaken offers; longest wait first
	Invitations []Offer // whose free seat is reserved for the user: challenges and rematches
}

// A Mine is an unfinished match of one user.
type Mine struct {
	match.Ref
	Game     string
	Options  games.Options
	Rated    bool
	Clock    clock.Setting
	Public   bool
	Side     games.Side       // the user's
	Both     bool             // the user plays both sides
	YourTurn bool             // it waits for the user
	Opponent storage.Occupant // Free while nobody has joined
	Reserved storage.Occupant // the only one who may take the free seat; Free if anybody may
	Range    [2]int           // the least and the highest rating of who may take it; zero: any
	Until    time.Time        // when it ends if nobody takes the free seat; zero: it does not say
	Ply      int
	Start    int          // as in View
	From     string       // as in View
	Helped   results.Help // as in View
	LastAt   time.Time    // of the last event: how long it has been waiting
	Opened   time.Time
	Started  time.Time // zero while nobody has joined
}

// Shared returns what make makes of what everybody sees in the lists, and of nothing else, under a key such as a language.
// It is made once and shared by all who ask with that key until what everybody sees changes: many users look at a lobby,
// and most of what they see is the same. All of them are woken at the same moment: those who ask while it is made wait for it.
// There must be few keys.
func (s *Lists) Shared(key any, make func() any) any {
	if s.shared == nil {
		return make()
	}
	made, ok := s.shared.Load(key)
	if !ok {
		made, _ = s.shared.LoadOrStore(key, sync.OnceValue(make))
	}
	return made.(func() any)()
}

func (y Yours) empty() bool { return len(y.Matches) == 0 && len(y.Invitations) == 0 }

// Waits reports whether the user is waited for. At one keyboard nobody waits: each side's move is the user's own.
func (m Mine) Waits() bool { return m.YourTurn && !m.Both }
