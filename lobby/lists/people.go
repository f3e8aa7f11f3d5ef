package lists

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// What a user does, by Present.Doing.
const (
	InLobby  = "lobby"
	Playing  = "playing"
	Watching = "watching"
	IsAway   = "away" // without a key for presence.IdleAfter
)

// A Present is a user who is here.
type Present struct {
	Kind     storage.OccupantKind
	ID       string // as in User; it is never shown
	Name     string
	Followed bool // by the user who asks

	Doing    string           // InLobby, Playing, Watching or IsAway
	Since    time.Time        // of Doing, by the clock of events
	Game     string           // of the public match that they play or watch, else the game with most of their rated matches; "" for none
	Strength match.Strength   // in Game
	Match    storage.MatchID  // the public match that they play or watch; "" for a private one
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

// Who lists the users who are here at one moment, as one user sees it. It is immutable.
type Who struct {
	Seq   uint64
	Count int       // all of them
	Here  []Present // followed players, then other players by name, then guests; at most MaxHere without the followed ones
}

// whoEvery is the shortest time between two lists of the users who are here.
const whoEvery = time.Second

// whoLists makes the lists of users who are here while they have readers.
type whoLists struct {
	feed  *feed.Feed[*Who]
	stale chan struct{} // holds one: changed has been set

	mu      sync.Mutex                        // guards what follows
	changed bool                              // the newest list is out of date
	madeAt  time.Time                         // when the newest list was made, by the machine's clock
	known   map[storage.PlayerID]knownRatings // of players who were listed in the last ratingsKept
}

type knownRatings struct {
	byGame map[string]results.Rating
	readAt time.Time // by the machine's clock
}

// ratingsKept is how long the ratings of a user are shown before they are read from the store again.
const ratingsKept = 30 * time.Second

func newWhoLists(g *feed.Group) *whoLists {
	return &whoLists{feed: feed.New[*Who](g), stale: make(chan struct{}, 1), changed: true, known: make(map[storage.PlayerID]knownRatings)}
}

// People lists the users who are here. It is safe for concurrent use.
type People struct {
	config Config
	lists  *whoLists
}

// NewPeople returns a People. NextWho works while Run runs.
func NewPeople(c Config) *People { return &People{c.orDefault(), newWhoLists(c.Feeds)} }

// NextWho returns the list of users as one user sees it, as soon as its Seq is above after. Start with 0. A new list is made at most once in
// whoEvery, and only while there are readers: NextWho returns no list that is older than that and out of date. The errors are ctx.Err() and
// refusal.ErrClosed.
func (p *People) NextWho(ctx context.Context, u match.User, after uint64) (*Who, error) {
	if p.lists.outdated() {
		_, newest := p.lists.feed.Latest()
		after = max(after, newest)
	}
	who, _, err := p.lists.feed.Next(ctx, after)
	if err != nil {
		return nil, err
	}
	return p.followedFirst(ctx, u, who), nil
}

// followedFirst returns a list with the players whom a user follows in front. It adds followed players that a full list lacks.
func (p *People) followedFirst(ctx context.Context, u match.User, who *Who) *Who {
	who = p.withoutBlockers(u, who)
	follows := make(map[string]bool)
	for _, r := range p.config.Relations.FollowedBy(u) {
		follows[string(p.config.Restrictions.MainAccount(r))] = true
	}
	if len(follows) == 0 {
		return who
	}
	own := *who
	own.Here = slices.Clone(who.Here)
	for i := range own.Here {
		if one := &own.Here[i]; one.Kind.HasAccount() && follows[one.ID] {
			one.Followed = true
			delete(follows, one.ID)
		}
	}
	if len(who.Here) < who.Count {
		missing := p.config.Presence.People(func(k match.Key) bool {
			return k.Kind.HasAccount() && follows[k.ID] && !p.config.Relations.HasBlocked(match.User{Kind: k.Kind, ID: k.ID}, u)
		})
		ratings := p.ratingsOf(ctx, missing)
		for _, person := range missing {
			one := p.present(person, ratings[person.User.Player()])
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

// outdated reports whether the newest list is out of date and older than whoEvery.
func (p *whoLists) outdated() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed && time.Since(p.madeAt) > whoEvery
}

// begin reports whether the newest list is out of date, in which case the caller makes a new one.
func (p *whoLists) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.changed {
		return false
	}
	p.changed, p.madeAt = false, time.Now()
	return true
}

// withoutBlockers returns a list without the players who have blocked a user: to the user they aren't here.
func (p *People) withoutBlockers(u match.User, who *Who) *Who {
	blocker := func(one Present) bool {
		return p.config.Relations.HasBlocked(match.User{Kind: one.Kind, ID: one.ID}, u)
	}
	if !p.config.Relations.InBlock(u) || !slices.ContainsFunc(who.Here, blocker) {
		return who
	}
	own := *who
	own.Here = slices.DeleteFunc(slices.Clone(who.Here), blocker)
	own.Count -= len(who.Here) - len(own.Here)
	return &own
}

// Changed marks the newest list of users as out of date.
func (p *People) Changed() {
	p.lists.mu.Lock()
	p.lists.changed = true
	p.lists.mu.Unlock()
	select {
	case p.lists.stale <- struct{}{}:
	default:
	}
}

// Run makes new lists of users while NextWho has callers, until ctx ends.
func (p *People) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.lists.stale:
		case <-p.lists.feed.Arrivals():
		}
		if read, _ := p.lists.feed.Readers(); !read || !p.lists.begin() {
			continue
		}
		who := p.who(ctx)
		p.lists.feed.Update(func(_ *Who, seq uint64) (*Who, bool) {
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

// Who returns the list of users at this moment, as one user sees it. What a user does is taken from the session in which they do most: playing
// before watching before being in the lobby. They are away only if they are in all sessions.
func (p *People) Who(ctx context.Context, u match.User) *Who {
	return p.followedFirst(ctx, u, p.who(ctx))
}

// who returns the list of users at this moment, for a user without followed players.
func (p *People) who(ctx context.Context) *Who {
	all := p.config.Presence.People(func(match.Key) bool { return true })
	slices.SortFunc(all, func(a, b presence.Person) int {
		return cmp.Or(-cmp.Compare(a.User.Kind, b.User.Kind), cmp.Compare(a.User.Name, b.User.Name), cmp.Compare(a.User.ID, b.User.ID)) // "player" before "guest"
	})
	listed := all[:min(len(all), p.config.MaxHere)]
	w := &Who{Count: len(all), Here: make([]Present, 0, len(listed))}
	ratings := p.ratingsOf(ctx, listed)
	for _, person := range listed {
		w.Here = append(w.Here, p.present(person, ratings[person.User.Player()]))
	}
	return w
}

// present returns what a user does. ratings are theirs by game.
func (p *People) present(one presence.Person, ratings map[string]results.Rating) Present {
	here := Present{Kind: one.User.Kind, ID: one.User.ID, Name: one.User.Name, Doing: IsAway}
	var at *match.Summary // the match that is played or watched
	rank := []string{IsAway, InLobby, Watching, Playing}
	for _, d := range one.Doing {
		doing, s := InLobby, (*match.Summary)(nil)
		if d.Board != "" && !d.Idle {
			s = p.config.Registry.Find(d.Board).Summary
		}
		switch {
		case d.Idle:
			doing = IsAway
		case s == nil || s.Started.IsZero():
		case seated(s, one.User):
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
		if side, ok := at.Side(one.User); ok {
			here.Opponent = at.Seats[side.Other()]
			here.Clock = ClockState{
				Left: at.Clock.Left[side], Since: at.Clock.RunsFrom(), Running: at.Clock.Running() && at.Turn == side,
				Shown: at.Clock.Setting.Kind != clock.None,
			}
		}
	}
	if here.Game == "" {
		here.Game = mostPlayed(p.config.Catalogue.Games, ratings)
	}
	if r, ok := ratings[here.Game]; ok {
		here.Strength = standings.StrengthNow(r, p.config.Now())
	}
	return here
}

func seated(s *match.Summary, u match.User) bool {
	_, ok := s.Side(u)
	return ok
}

// mostPlayed returns the game with the most rated matches in ratings; "" for none.
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

// ratingsOf returns the ratings of users by game. It leaves users out whose ratings can't be read.
func (p *People) ratingsOf(ctx context.Context, here []presence.Person) map[storage.PlayerID]map[string]results.Rating {
	all, unknown := p.lists.knownOf(here)
	read := make(map[storage.PlayerID]knownRatings, len(unknown))
	byGame, ok := p.config.Standings.RatingsByGame(ctx, unknown)
	if ok {
		for _, id := range unknown {
			all[id], read[id] = byGame[id], knownRatings{byGame[id], time.Now()}
		}
	}
	p.lists.mu.Lock()
	maps.Copy(p.lists.known, read)
	p.lists.mu.Unlock()
	return all
}

// knownOf returns the ratings of users that were read within ratingsKept, and the other players among them.
func (p *whoLists) knownOf(here []presence.Person) (known map[storage.PlayerID]map[string]results.Rating, unknown []storage.PlayerID) {
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

// falseFirst compares two booleans as cmp.Compare compares numbers: false is less than true.
func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
