package lobby

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// Present is somebody who is here.
type Present struct {
	Kind storage.OccupantKind
	Name string
}

// An Offer is a match whose other seat waits for somebody.
type Offer struct {
	Ref
	Game      string
	Options   games.Options
	Rated     bool
	By        storage.Occupant
	Strength  Strength   // of By
	Side      games.Side // what the taker would play
	Since     time.Time
	RematchOf storage.MatchID // set if it is a rematch
	Ply       int             // how many moves were made already: it begins after them
}

// A Running is a public match that is being played; anybody may watch it.
type Running struct {
	Ref
	Game     string
	Options  games.Options
	Rated    bool
	Seats    [2]storage.Occupant
	Strength [2]Strength
	Ply      int
	Started  time.Time
}

// A Mine is an unfinished match of one person.
type Mine struct {
	Ref
	Game     string
	Options  games.Options
	Rated    bool
	Public   bool
	Side     games.Side       // his
	Both     bool             // he plays both sides
	YourTurn bool             // it waits for him
	Opponent storage.Occupant // Free while nobody has joined
	Reserved storage.Occupant // whom the free seat is kept for
	Ply      int
	Start    int          // as in View
	Helped   storage.Help // as in View
	LastAt   time.Time    // of the last event: how long it has been waiting
	Opened   time.Time
	Started  time.Time // zero while nobody has joined
}

// Yours is what the lists say to one person.
type Yours struct {
	Matches     []Mine  // those waiting for him first, then those being played, then his untaken offers; longest wait first
	Invitations []Offer // whose free seat is kept for him: rematches
}

// Lists is who is here and what can be played or watched, at one moment. It is immutable and shared: callers must not
// change it.
type Lists struct {
	Seq     uint64 // number of these lists: what Lobby.Next takes
	Count   int    // how many people are here, each counted once
	Here    []Present
	Offers  []Offer   // public ones, oldest first; at most Limits.Listed
	Running []Running // newest first; at most Limits.Listed

	public uint64 // the number at which anything above changed last
	yours  [yoursShards]map[key]yours
	bare   *Lists    // the same without yours; nil if this is it
	shared *sync.Map // what readers have made of what is public; nil: nothing is kept
}

// Shared returns what make makes of the public lists, and nothing else, under a key such as a language. It is made once and
// then shared, like the lists, by all who ask with that key, until what everybody sees changes: those who look at a lobby are
// many, and what they see of it is the same for most. Those who ask first at the same moment may each make it. The keys are to
// be few.
func (s *Lists) Shared(key any, make func() any) any {
	if s.shared == nil {
		return make()
	}
	if made, ok := s.shared.Load(key); ok {
		return made
	}
	made, _ := s.shared.LoadOrStore(key, make())
	return made
}

// yours is what concerns one person, and the number at which it changed last.
type yours struct {
	Yours
	seq uint64
}

// yoursShards is in how many maps the people are kept: new lists copy only those maps in which something changed.
const yoursShards = 64

// Of returns what the lists say to who.
func (s *Lists) Of(who Who) Yours { return s.yours[shardOf(who.key())][who.key()].Yours }

// Public returns the same lists without what they say to single people, which in a large club is most of them: somebody who
// keeps old lists should keep these.
func (s *Lists) Public() *Lists { return cmp.Or(s.bare, s) }

// own returns the number at which anything that concerns who alone changed last.
func (s *Lists) own(who Who) uint64 { return s.yours[shardOf(who.key())][who.key()].seq }

// shardOf is FNV-1a.
func shardOf(k key) int {
	h := uint32(2166136261)
	for i := range len(k.id) {
		h = (h ^ uint32(k.id[i])) * 16777619
	}
	return int(h % yoursShards)
}

// Next returns the present lists as soon as their Seq is above after and something in them concerns who: the public lists,
// or his own matches. Start with 0. New lists are made at most every Limits.ListEvery, public ones at most every PublicEvery; a move
// in a running match, and who comes or goes, shows after Limits.RunningPly at the latest. What is new in public lists reaches
// each within another ListEvery, in turn: the screens of all who look at them are drawn one by one then, and nobody's key waits
// for a crowd. The errors are that of ctx and ErrClosed.
func (l *Lobby) Next(ctx context.Context, who Who, after uint64) (*Lists, error) {
	var turn <-chan time.Time // nil until there is something new
	for {
		p := l.lists.page.Load()
		public := p.lists.public > after
		if p.lists.own(who) > after || public && after == 0 {
			return p.lists, nil
		}
		if public && turn == nil {
			timer := time.NewTimer(l.lists.turnOf(who))
			defer timer.Stop()
			turn = timer.C
		}
		select {
		case <-p.public:
		case <-p.shards[shardOf(who.key())]:
		case <-turn:
			return l.Lists(), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.closing:
			return nil, ErrClosed
		}
	}
}

// Lists returns the present lists at once; they may be Limits.ListEvery behind.
func (l *Lobby) Lists() *Lists { return l.lists.page.Load().lists }

// Yours returns what concerns who as it is at this very moment.
func (l *Lobby) Yours(who Who) Yours { return yoursOf(who.key(), l.matches.of(who.key())) }

// yoursOf makes what concerns one person of his unfinished matches.
func yoursOf(k key, views []*View) Yours {
	var y Yours
	who := Who{Kind: k.kind, ID: k.id}
	for _, v := range views {
		side, seated := v.Side(who)
		if !seated {
			y.Invitations = append(y.Invitations, offer(v))
			continue
		}
		both := v.Holds(who, games.First) && v.Holds(who, games.Second)
		y.Matches = append(y.Matches, Mine{
			Ref: v.Ref, Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated, Public: v.Public,
			Side: side, Both: both, YourTurn: v.YourTurn(who), Opponent: v.Seats[side.Other()], Reserved: v.Reserved,
			Ply: v.Ply(), Start: v.Start, Helped: v.Helped, LastAt: v.LastAt(), Opened: v.Opened, Started: v.Started,
		})
	}
	rank := func(m Mine) int {
		switch {
		case m.YourTurn:
			return 0
		case !m.Started.IsZero():
			return 1
		}
		return 2
	}
	slices.SortFunc(y.Matches, func(a, b Mine) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.LastAt.Compare(b.LastAt), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(y.Invitations, func(a, b Offer) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	return y
}

func offer(v *View) Offer {
	side := games.First // the free one
	if v.Seats[side].Kind != storage.Free {
		side = games.Second
	}
	return Offer{
		Ref: v.Ref, Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated,
		By: v.Seats[side.Other()], Strength: v.Strength[side.Other()], Side: side, Since: v.Opened, RematchOf: v.RematchOf,
		Ply: v.Ply(),
	}
}

func running(v *View) Running {
	return Running{
		Ref: v.Ref, Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated,
		Seats: v.Seats, Strength: v.Strength, Ply: v.Ply(), Started: v.Started,
	}
}

// byAge puts the older offer first.
func byAge(a, b *View) int { return cmp.Or(a.Opened.Compare(b.Opened), cmp.Compare(a.ID, b.ID)) }
