package lobby

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// What somebody does who is here.
const (
	InLobby  = "lobby"
	Playing  = "playing"
	Watching = "watching"
	IsAway   = "away" // without a key for presence.IdleAfter
)

// Present is somebody who is here.
type Present struct {
	Kind     storage.OccupantKind
	ID       string // as in User; it is never shown
	Name     string
	Followed bool // by the user who asks

	Doing    string           // InLobby, Playing, Watching or IsAway
	Since    time.Time        // since when, by the clock of events
	Game     string           // of the public match that they play or watch; else that in which they have played most; "" for none
	Strength Strength         // in it
	Match    storage.MatchID  // the public match that they play or watch; a private one isn't named
	Opponent storage.Occupant // of Match, if they play in it
	Clock    ClockState       // of Match, if they play in it
}

// A ClockState is the clock of one side.
type ClockState struct {
	Left    time.Duration // at Since
	Since   time.Time
	Running bool
	Shown   bool // there is a clock
}

// Who is who is here, at one moment, as one user sees it. It is immutable.
type Who struct {
	Seq   uint64
	Count int       // all of them
	Here  []Present // those whom the user follows, then players by name, then guests; at most Limits.Here of those who aren't followed
}

// whoEvery is the shortest time between two lists of who is here.
const whoEvery = time.Second

// people makes the lists of who is here, for those who read them.
type people struct {
	feed  *feed.Feed[*Who]
	stale chan struct{} // holds one: changed has been set

	mu      sync.Mutex                        // guards what follows
	changed bool                              // the newest list is out of date
	madeAt  time.Time                         // when the newest list was made, by the machine's clock
	known   map[storage.PlayerID]knownRatings // of those who were listed in the last ratingsKept
}

type knownRatings struct {
	byGame map[string]results.Rating
	readAt time.Time // by the machine's clock
}

// ratingsKept is how long the ratings of somebody who is here are shown without a look into the store.
const ratingsKept = 30 * time.Second

func newPeople(g *feed.Group) *people {
	return &people{feed: feed.New[*Who](g), stale: make(chan struct{}, 1), changed: true, known: make(map[storage.PlayerID]knownRatings)}
}

// NextWho returns who is here as a user sees it, as soon as its Seq is above after. Start with 0. There is a new list at most once a
// second, and none that is older and out of date: while nobody reads, none is made. The errors are that of ctx and ErrClosed.
func (l *Lobby) NextWho(ctx context.Context, u User, after uint64) (*Who, error) {
	if l.people.outdated() {
		_, newest := l.people.feed.Latest()
		after = max(after, newest)
	}
	who, _, err := l.people.feed.Next(ctx, after)
	if err != nil {
		return nil, err
	}
	return l.followedFirst(ctx, u, who), nil
}

// followedFirst returns a list with those in front whom a user follows. They are in it however many others are here.
func (l *Lobby) followedFirst(ctx context.Context, u User, who *Who) *Who {
	who = l.withoutBlockers(u, who)
	follows := make(map[string]bool)
	for _, r := range l.list(u, Following) {
		follows[string(l.Restrictions.MainAccount(r.Player))] = true
	}
	if len(follows) == 0 {
		return who
	}
	own := *who
	own.Here = slices.Clone(who.Here)
	for i := range own.Here {
		if p := &own.Here[i]; p.Kind == storage.Person && follows[p.ID] {
			p.Followed = true
			delete(follows, p.ID)
		}
	}
	if len(who.Here) < who.Count {
		missing := l.presence.People(func(k match.Key) bool {
			return k.Kind == storage.Person && follows[k.ID] && !l.hasBlocked(User{Kind: k.Kind, ID: k.ID}, u)
		})
		ratings := l.ratingsOf(ctx, missing)
		for _, p := range missing {
			one := l.present(p, ratings[p.User.Player()])
			one.Followed = true
			own.Here = append(own.Here, one)
		}
	}
	slices.SortStableFunc(own.Here, func(a, b Present) int {
		if !a.Followed && !b.Followed {
			return 0
		}
		return cmp.Or(falseFirst(!a.Followed, !b.Followed), cmp.Compare(a.Name, b.Name))
	})
	return &own
}

// outdated reports whether the newest list is out of date and older than readers have to put up with.
func (p *people) outdated() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed && time.Since(p.madeAt) > whoEvery
}

// begin reports whether the newest list is out of date, in which case the caller makes a new one.
func (p *people) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.changed {
		return false
	}
	p.changed, p.madeAt = false, time.Now()
	return true
}

// withoutBlockers returns a list without the players who have blocked a user: to the user they aren't here.
func (l *Lobby) withoutBlockers(u User, who *Who) *Who {
	blocker := func(p Present) bool { return l.hasBlocked(User{Kind: p.Kind, ID: p.ID}, u) }
	if !l.inBlock(u) || !slices.ContainsFunc(who.Here, blocker) {
		return who
	}
	own := *who
	own.Here = slices.DeleteFunc(slices.Clone(who.Here), blocker)
	own.Count -= len(who.Here) - len(own.Here)
	return &own
}

// whoChanged notes that the list of who is here is out of date.
func (l *Lobby) whoChanged() {
	l.people.mu.Lock()
	l.people.changed = true
	l.people.mu.Unlock()
	select {
	case l.people.stale <- struct{}{}:
	default:
	}
}

// runWho makes new lists of who is here while somebody reads them.
func (l *Lobby) runWho(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.people.stale:
		case <-l.people.feed.Arrivals():
		}
		if read, _ := l.people.feed.Readers(); !read || !l.people.begin() {
			continue
		}
		who := l.who(ctx)
		l.people.feed.Update(func(_ *Who, seq uint64) (*Who, bool) {
			who.Seq = seq
			return who, true
		})
		timer := time.NewTimer(whoEvery)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// Who returns who is here at this very moment, as a user sees it. What somebody does counts from the session in which they do most: playing
// before watching before nothing, and away only if they are in all.
func (l *Lobby) Who(ctx context.Context, u User) *Who { return l.followedFirst(ctx, u, l.who(ctx)) }

// who is Who for a user who follows nobody.
func (l *Lobby) who(ctx context.Context) *Who {
	all := l.presence.People(func(match.Key) bool { return true })
	slices.SortFunc(all, func(a, b presence.Person) int {
		return cmp.Or(-cmp.Compare(a.User.Kind, b.User.Kind), cmp.Compare(a.User.Name, b.User.Name), cmp.Compare(a.User.ID, b.User.ID)) // "player" before "guest"
	})
	listed := all[:min(len(all), l.inForce.Now().Here)]
	w := &Who{Count: len(all), Here: make([]Present, 0, len(listed))}
	ratings := l.ratingsOf(ctx, listed)
	for _, p := range listed {
		w.Here = append(w.Here, l.present(p, ratings[p.User.Player()]))
	}
	return w
}

// present says what one of those who are here does.
func (l *Lobby) present(p presence.Person, ratings map[string]results.Rating) Present {
	here := Present{Kind: p.User.Kind, ID: p.User.ID, Name: p.User.Name, Doing: IsAway}
	var at *match.Summary // the match that is played or watched
	rank := []string{IsAway, InLobby, Watching, Playing}
	for _, d := range p.Doing {
		doing, s := InLobby, (*match.Summary)(nil)
		if d.Board != "" && !d.Idle {
			s = l.registry.Find(d.Board).Summary
		}
		switch {
		case d.Idle:
			doing = IsAway
		case s == nil || s.Started.IsZero():
		case seated(s, p.User):
			doing = Playing
		default:
			doing = Watching
		}
		if more := slices.Index(rank, doing) - slices.Index(rank, here.Doing); more > 0 || more == 0 && d.Since.After(here.Since) {
			here.Doing, here.Since, at = doing, d.Since, s
		}
	}
	if at != nil && at.Public && (here.Doing == Playing || here.Doing == Watching) {
		here.Game, here.Match = at.Game.About().ID, at.ID
		if side, ok := at.Side(p.User); ok {
			here.Opponent = at.Seats[side.Other()]
			here.Clock = ClockState{
				Left: at.Clock.Left[side], Since: at.Clock.Since, Running: at.Clock.Running() && at.Turn == side,
				Shown: at.Clock.Setting.Kind != NoClock,
			}
		}
	}
	if here.Game == "" {
		here.Game = mostPlayed(l.catalogue.Games, ratings)
	}
	if r, ok := ratings[here.Game]; ok {
		here.Strength = standings.StrengthNow(r, l.now())
	}
	return here
}

func seated(s *match.Summary, u User) bool {
	_, ok := s.Side(u)
	return ok
}

// mostPlayed returns the game in which somebody has the most rated matches; "" for none.
func mostPlayed(all []games.Game, ratings map[string]results.Rating) (most string) {
	played := 0
	for _, g := range all {
		id := g.About().ID
		if r := ratings[id]; r.Played > played {
			most, played = id, r.Played
		}
	}
	return most
}

// ratingsOf returns the ratings of people who are here. Those that the store doesn't say are missing.
func (l *Lobby) ratingsOf(ctx context.Context, here []presence.Person) map[storage.PlayerID]map[string]results.Rating {
	all, unknown := l.people.knownOf(here)
	read := make(map[storage.PlayerID]knownRatings, len(unknown))
	byGame, ok := l.Standings.RatingsByGame(ctx, unknown)
	if ok {
		for _, id := range unknown {
			all[id], read[id] = byGame[id], knownRatings{byGame[id], time.Now()}
		}
	}
	l.people.mu.Lock()
	maps.Copy(l.people.known, read)
	l.people.mu.Unlock()
	return all
}

// knownOf returns the ratings that were read lately of people who are here, and of which players none were.
func (p *people) knownOf(here []presence.Person) (known map[storage.PlayerID]map[string]results.Rating, unknown []storage.PlayerID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.known, func(_ storage.PlayerID, r knownRatings) bool { return time.Since(r.readAt) > ratingsKept })
	known = make(map[storage.PlayerID]map[string]results.Rating, len(here))
	for _, one := range here {
		id := one.User.Player()
		if r, ok := p.known[id]; ok {
			known[id] = r.byGame
		} else if id != "" {
			unknown = append(unknown, id)
		}
	}
	return known, unknown
}

// falseFirst compares two booleans as cmp.Compare does numbers.
func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
