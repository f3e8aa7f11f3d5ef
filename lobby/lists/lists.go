// Package lists makes the lists that a user sees in the lobby: offers, running matches, their own matches and the users who are here. It also runs
// the television.
package lists

import (
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// Lists are the lobby at one moment as one user sees it: the number of people, offers, running matches and the user's own. They are immutable and
// share their slices with the lists of other users: callers must not change them.
type Lists struct {
	Seq     uint64    // number of these lists: what Service.Next takes
	Count   int       // how many people are here, each counted once
	Offers  []Offer   // public ones, oldest first, after all others the offers of computer accounts; at most MaxListed, see inTurns
	Running []Running // the strongest first; at most MaxListed, see inTurns
	Sought  []Sought  // what players look for in quick matches; at most maxSought
	Yours   Yours

	shared *sync.Map // results of Shared by key; nil: they are not kept
}

// A Sought is a kind of quick match that players look for.
type Sought struct {
	Games  []string // ids; any of them
	Clock  clock.Setting
	Class  clock.Class // not clock.NoClass: any clock of the class
	Rated  bool
	People []match.User // who look for it, at least one
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
	Side      games.Side     // of the free seat
	Since     time.Time
	RematchOf storage.MatchID  // set if it is a rematch
	To        storage.Occupant // the only user who may take it; Free: any user may
	Range     [2]int           // the least and the highest rating of a taker; zero: any
	Until     time.Time        // when it ends unless it is taken; zero: it does not say
	Ply       int              // moves given by the opening
	From      string           // as in View
}

// FinishedShare returns standings.FinishedShare of the player who made the offer, as of that time.
func (o *Offer) FinishedShare() (share float64, known bool) {
	return standings.FinishedShare(o.Strength.Conduct)
}

// A Running is a public match that is being played. Every user may watch it.
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
	Stands    time.Time // until when its clock stands, as in Mine

	Tournament storage.TournamentBoard // as in Mine
}

// Yours is the part of the lists that concerns one user.
type Yours struct {
	Name        string  // the user's present name
	Matches     []Mine  // first matches that wait for the user, then other running ones, then untaken offers; longest wait first
	Invitations []Offer // challenges and rematches with a seat reserved for the user
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
	Own      bool             // the user opened it
	YourTurn bool             // the user is to move
	Opponent storage.Occupant // Free while the other seat is not taken
	FreeSeat
	Ply int
	Origin
	Helped  results.Help   // as in View
	Offers  matches.Offers // the open ones between the two sides
	LastAt  time.Time      // of the last event
	Opened  time.Time
	Started time.Time // zero while the other seat is not taken
	Stands  time.Time // until when its clock stands, for a vacation or an adjournment; past or zero: it does not
}

// A FreeSeat says who may take the free seat of a match, and until when.
type FreeSeat struct {
	Reserved storage.Occupant // the only user who may; Free: any user may
	Range    [2]int           // the least and the highest rating of a taker; zero: any
	Until    time.Time        // when the match ends unless the seat is taken; zero: it does not say
	Standing bool             // the match waits to be taken, and belongs to a standing offer of the user
}

// An Origin is what a match began with, as in match.View.
type Origin struct {
	Start      int
	From       string
	Tournament storage.TournamentBoard // to which the match belongs; zero: none
}

// Shared returns what make returns, under a key such as a language. make may use only what all users see alike: everything but
// Yours. It is called once for a key, and its result is shared by all callers until that public part changes: many users look
// at the lobby, and most of what they see is the same. Callers that come while make runs wait for it. There must be few keys.
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

// Waits reports whether an opponent waits for the user. It is false for a match of the user against themselves.
func (m Mine) Waits() bool { return m.YourTurn && !m.Both }
