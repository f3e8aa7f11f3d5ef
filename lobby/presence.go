package lobby

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/presence"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
)

// # Presence
//
// Each session is a Visit, which says at which board it is. What follows from that for a match is part of its views: those who look
// at the board see it in Seat.Next, and nobody is asked. Many may come and go: the views of a match show it at once if they
// have not in the last second, else after that.

const (
	presenceEvery = time.Second      // the shortest time between two views of a match that differ in who is there alone
	idleEvery     = 15 * time.Second // how often the club looks who has pressed no key for long
	drawnASecond  = 200              // how many spectators of one match draw their boards a second at most because others come and go
)

// spectatorsEvery is the shortest time between two views of a match with so many spectators that differ in these alone.
func spectatorsEvery(count int) time.Duration {
	return presenceEvery * time.Duration(1+count/drawnASecond)
}

// A Visit is one session of a user, from Lobby.Visit until Leave. Any goroutine may use it.
type Visit struct {
	lobby *Lobby
	user  User
	visit *presence.Visit
	once  sync.Once
}

// Visit says that a user is here: in the lobby, until the visit says otherwise. A user may be here several times. keys says whether the
// session has a keyboard: without a key for presence.IdleAfter it counts as away.
func (l *Lobby) Visit(u User, keys bool) *Visit {
	visit, first := l.presence.Enter(u, keys)
	if first {
		l.arrived(u)
	}
	v := &Visit{lobby: l, user: u, visit: visit}
	l.registry.Wake(u.Key())
	l.lists.noteHere()
	return v
}

// At says that the session looks at the board of a match now; "" for none.
func (v *Visit) At(id storage.MatchID) { v.visit.At(id) }

// Pressed says that the user has pressed a key.
func (v *Visit) Pressed() { v.visit.Pressed() }

// Leave ends the visit. dropped says that the line died: nobody ended the session properly. It may be called again.
func (v *Visit) Leave(dropped bool) {
	l, k := v.lobby, v.user.Key()
	v.once.Do(func() {
		if v.visit.Leave(dropped) {
			l.lists.forget(k)
		}
		if !l.registry.Concerns(k) { // asked after the user is gone: a match that ends meanwhile calls forget itself
			l.presence.Forget(k)
		}
		l.registry.Wake(k)
		l.lists.noteHere()
	})
}

// Enter says that a user is here, until leave is called: a Visit with a keyboard whose session ends properly.
func (l *Lobby) Enter(u User) (leave func()) {
	v := l.Visit(u, true)
	return func() { v.Leave(false) }
}

// seen notes a sign of life of somebody who has given commands since a time of the machine's clock, and shows it to their opponents: a
// claim must wait for longer now.
func (l *Lobby) seen(u User, since time.Time) {
	k := u.Key()
	if u.Kind != storage.Person || !l.registry.Concerns(k) || !l.presence.Seen(k, since) {
		return
	}
	for _, s := range l.registry.Of(k) {
		if l.presenceNews.now(s.ID) {
			l.showPresence(s.ID)
		}
	}
}

// away reports whether a person is gone, and since when.
func (l *Lobby) away(o storage.Occupant) (since time.Time, gone bool) {
	return l.presence.Away(match.KeyOf(o))
}

// presenceChanged shows what has become of somebody's presence, in all their matches and at the boards that they left and came to.
func (l *Lobby) presenceChanged(k match.Key, boards []storage.MatchID) {
	for _, s := range l.registry.Of(k) {
		if !slices.Contains(boards, s.ID) {
			boards = append(boards, s.ID)
		}
	}
	for _, id := range boards {
		if l.presenceNews.now(id) {
			l.showPresence(id)
		}
	}
	l.whoChanged()
}

// showPresence shows who is there to all who look at a match, if that has changed, and it is time to if only the spectators have.
func (l *Lobby) showPresence(id storage.MatchID) {
	views := l.Matches.Board(id)
	if views == nil {
		return // nobody looks at it
	}
	early, count := false, 0
	shown := views.Update(func(old *View, seq uint64) (*View, bool) {
		if old == nil {
			return nil, false
		}
		v := *old
		v.Seq = seq
		v.Presence, v.Spectators = l.presence.Presence(id, v.Seats)
		count = v.Spectators.Count
		others := !sameSpectators(v.Spectators, old.Spectators)
		early = others && v.Presence == old.Presence && l.presenceNews.early(id)
		return &v, !early && (others || v.Presence != old.Presence)
	})
	switch {
	case early:
		l.presenceNews.wait(id)
	case shown != 0:
		l.presenceNews.showed(id, count)
	}
}

func sameSpectators(a, b Spectators) bool {
	return a.Count == b.Count && slices.Equal(a.Names, b.Names)
}

// runPresence shows what has waited, and takes those for away who press no key.
func (l *Lobby) runPresence(ctx context.Context) {
	idle := time.NewTicker(idleEvery)
	defer idle.Stop()
	pause := time.NewTimer(presenceEvery)
	defer pause.Stop()
	paused := true // something may have been shown lately
	for {
		select {
		case <-ctx.Done():
			return
		case <-idle.C:
			l.presence.Idle()
		case <-l.presenceNews.wake:
			if !paused {
				paused = true
				pause.Reset(presenceEvery)
			}
		case <-pause.C:
			var late []storage.MatchID
			late, paused = l.presenceNews.next()
			for _, id := range late {
				l.showPresence(id)
			}
			if paused {
				pause.Reset(presenceEvery)
			}
		}
	}
}

// presenceNews says of which matches presence was shown lately, and of which it is to be shown again.
type presenceNews struct {
	wake chan struct{} // holds one: shown is not empty

	mu    sync.Mutex // guards what follows
	shown map[storage.MatchID]shownPresence
	late  map[storage.MatchID]bool
}

// A shownPresence says when the presence at a match may be shown again.
type shownPresence struct {
	again      time.Time
	spectators time.Time // if only they have changed
}

func newPresenceNews() *presenceNews {
	return &presenceNews{wake: make(chan struct{}, 1), shown: make(map[storage.MatchID]shownPresence), late: make(map[storage.MatchID]bool)}
}

// now reports whether the presence at a match may be shown now, else it waits.
func (n *presenceNews) now(id storage.MatchID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, now := n.shown[id], time.Now()
	if now.Before(s.again) {
		n.late[id] = true
		return false
	}
	s.again = now.Add(presenceEvery)
	n.shown[id] = s
	select {
	case n.wake <- struct{}{}:
	default:
	}
	return true
}

// early reports whether it is too early to show that the spectators of a match have changed.
func (n *presenceNews) early(id storage.MatchID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Now().Before(n.shown[id].spectators)
}

// wait has the presence at a match shown later.
func (n *presenceNews) wait(id storage.MatchID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.late[id] = true
}

// showed notes that the presence at a match, with so many spectators, has just been shown.
func (n *presenceNews) showed(id storage.MatchID, spectators int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	n.shown[id] = shownPresence{now.Add(presenceEvery), now.Add(spectatorsEvery(spectators))}
}

// next returns the matches that wait. more says whether there will be others, or the same again.
func (n *presenceNews) next() (late []storage.MatchID, more bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id := range n.late {
		late = append(late, id)
	}
	clear(n.late)
	for id, s := range n.shown {
		if now := time.Now(); !now.Before(s.again) && !now.Before(s.spectators) {
			delete(n.shown, id)
		}
	}
	return late, len(late) > 0 || len(n.shown) > 0
}

// # Claims

// ClaimAt returns from when on a user may claim the match of a view, if the opponent stays away and nothing else happens; zero for never.
func (l *Lobby) ClaimAt(u User, v *View) time.Time {
	if v.Over {
		return time.Time{}
	}
	return v.ClaimAt(u, v.Presence, l.Matches.Downtime(v.LastAt))
}

// # People at other nodes

// presentRows keeps track of which rows about people on this node have to be written to the store.
type presentRows struct {
	wake chan struct{} // holds one: stale is not empty

	mu    sync.Mutex // guards what follows
	stale map[match.Key]bool
	shown map[match.Key]bool // people of whom the store may have a row
}

func newPresentRows() *presentRows {
	return &presentRows{wake: make(chan struct{}, 1), stale: make(map[match.Key]bool), shown: make(map[match.Key]bool)}
}

// note marks the rows of people as out of date.
func (r *presentRows) note(people ...match.Key) {
	r.mu.Lock()
	for _, k := range people {
		r.stale[k] = true
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// take removes up to cluster.MaxPresent people from those whose rows are out of date, and returns them.
func (r *presentRows) take() (people []match.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.stale {
		if len(people) == clusterstore.MaxPresent {
			break
		}
		people = append(people, k)
		delete(r.stale, k)
	}
	return people
}

// rows returns the rows to write for people. It skips those who have no row in the store and need none.
func (r *presentRows) rows(people []match.Key, here func(match.Key) clusterstore.Present) (rows []clusterstore.Present) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range people {
		row := here(k)
		is := len(row.Sessions) > 0 || row.Left != (clusterstore.Departure{})
		if is || r.shown[k] {
			rows = append(rows, row)
		}
		if is {
			r.shown[k] = true
		} else {
			delete(r.shown, k)
		}
	}
	return rows
}

// failed marks the rows of people as out of date again after a write that may or may not have taken place.
func (r *presentRows) failed(people []match.Key) {
	r.mu.Lock()
	for _, k := range people {
		r.shown[k] = true
	}
	r.mu.Unlock()
	r.note(people...)
}

// showPeople writes the rows of this node as they change until ctx ends.
func (l *Lobby) showPeople(ctx context.Context) {
	const gather, retry = 50 * time.Millisecond, 250 * time.Millisecond
	timer := time.NewTimer(gather)
	defer timer.Stop()
	for {
		select {
		case <-l.rows.wake:
		case <-ctx.Done():
			return
		}
		wait := gather
		for people := l.rows.take(); len(people) > 0; people = l.rows.take() {
			rows := l.rows.rows(people, l.presence.Here)
			if len(rows) == 0 {
				continue
			}
			if err := l.shared.ShowPresent(ctx, l.node.ID(), rows); err != nil { // also while this node is declared gone
				l.rows.failed(people)
				wait = retry
				break
			}
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// personHere marks the row of a person as out of date.
func (l *Lobby) personHere(k match.Key) {
	l.showPerson(k)
}

// rejoined is nodes.Config.Rejoined. It writes the rows of all people here again, because the others removed them with this node.
func (l *Lobby) rejoined() {
	l.rows.mu.Lock()
	again := slices.Collect(maps.Keys(l.rows.shown))
	l.rows.mu.Unlock()
	l.rows.note(append(again, l.presence.Everybody()...)...)
}

// followPeople follows who is connected to other nodes until ctx ends.
func (l *Lobby) followPeople(ctx context.Context) {
	first := true
	l.node.Follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowPresent(ctx, storage.Follower[clusterstore.PresentID, clusterstore.Present]{
			All: func(rows []clusterstore.Present) {
				there := make(map[clusterstore.NodeID]map[match.Key]bool)
				for _, row := range rows {
					if there[row.Node] == nil {
						there[row.Node] = make(map[match.Key]bool)
					}
					there[row.Node][match.KeyOf(row.Who)] = true
					l.elsewhere(row, !first)
				}
				for node, people := range l.presence.Nodes() {
					for _, k := range people {
						if !there[node][k] {
							l.goneElsewhere(ctx, node, k)
						}
					}
				}
				first = false
			},
			Put: func(row clusterstore.Present) { l.elsewhere(row, true) },
			Gone: func(id clusterstore.PresentID) {
				l.goneElsewhere(ctx, id.Node, match.KeyOf(storage.Occupant{Kind: id.Kind, ID: id.ID}))
			},
			Bad: l.unreadable,
		})
	})
}

// elsewhere updates presence from a row of another node. If news is set and the person has just come online, their followers are notified.
func (l *Lobby) elsewhere(row clusterstore.Present, news bool) {
	if l.node.Own(row.Node) {
		return
	}
	u := User(row.Who)
	k := u.Key()
	first, last, boards := l.presence.Elsewhere(row)
	for _, id := range boards {
		matchNews{l}.Filed(l.registry.WatchedElsewhere(id))
	}
	if first && news {
		l.arrived(u)
	}
	if last {
		l.lists.forget(k)
	}
	if !l.registry.Concerns(k) {
		l.presence.Forget(k)
	}
	if first || last {
		l.registry.Wake(k)
		l.lists.noteHere()
	}
}

// goneElsewhere takes in that another node says nothing of somebody any more: the node itself is gone, or they still have a session at another one.
func (l *Lobby) goneElsewhere(ctx context.Context, node clusterstore.NodeID, k match.Key) {
	if l.node.Own(node) {
		return
	}
	if l.presence.IsAt(node, k) && l.node.Gone(ctx, node) {
		if upAt := l.node.LastBeat(node); !upAt.IsZero() {
			l.Matches.NodeLost(ctx, upAt, k)
		}
	}
	l.elsewhere(clusterstore.Present{Node: node, Who: storage.Occupant{Kind: k.Kind, ID: k.ID}}, false)
	l.registry.Wake(k)
}
