package lobby

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/storage"
)

// # Several nodes
//
// A club may run on several nodes over one store. Each of them has an index of all matches, lists, and knows who is here, and follows in
// the store what the others do. Any node takes an act in any match: the log takes each event once, so a node whose copy is out of date is
// refused, reads on, and checks the act again. What has to be done for a match without being asked is for the node that owns it
// (package nodes).
//
//	several_nodes.go  what this node hears of the others, and they of it
//	index.go          matches that others open, change and end (Several nodes)
//	live/match.go     reading on (Several nodes)
//	presence/         who is connected to another node
//
// A club with one node has none of this: Lobby.nodes is nil.

// A Shared is what a store keeps for several nodes; storage.Store says more about each method.
type Shared interface {
	nodes.Store
	ShowPresent(ctx context.Context, node storage.NodeID, rows []storage.Present) error
	FollowPresent(ctx context.Context, f storage.Follower[storage.Present]) error
	FollowSummaries(ctx context.Context, f storage.Follower[storage.Summary]) error

	OpenMatch(ctx context.Context, id storage.MatchID, events []storage.Event, m storage.Summary, t storage.Terms) error
	Place(ctx context.Context, place string) (storage.MatchID, error)
	AddSeeker(ctx context.Context, who storage.Seeker) error
	RemoveSeeker(ctx context.Context, id storage.SeekerID) (was storage.Seeker, err error)
	EndSeeker(ctx context.Context, id storage.SeekerID) error
	FollowSeekers(ctx context.Context, f storage.Follower[storage.Seeker]) error

	FollowDecisions(ctx context.Context, changed func()) error
	FollowRelations(ctx context.Context, f storage.Follower[storage.RelationsOf]) error
	FollowChat(ctx context.Context, f storage.Follower[storage.ChatAt]) error
	FollowKeys(ctx context.Context, missed func() error, changed func(fingerprint string, owner storage.PlayerID)) error

	Tell(ctx context.Context, n storage.Notice, number uint64) error
	FollowNotices(ctx context.Context, told func(storage.Notice), bad func(key string, err error)) error

	TakeAttempts(ctx context.Context, what string, of []storage.Attempt, now time.Time) (wait time.Duration, ok bool, err error)
	ReturnAttempts(ctx context.Context, what string, of []storage.Attempt, now time.Time) error
}

// NodeStats counts what a node hears of others while the program runs. All fields only grow. The zero value is ready to use.
type NodeStats struct {
	Takeovers   atomic.Int64 // matches that this node sees to since the nodes that are up have changed
	Followed    atomic.Int64 // changes of matches that other nodes have made
	FollowedLag atomic.Int64 // how long they took from the event to this node together, in nanoseconds; clocks that differ count too
}

// join makes this node known to the others, and runs what it needs for that until endNodes is called.
func (l *Lobby) join(ctx context.Context, name string, shared Shared) error {
	l.shared = shared
	l.index.ended = make(map[storage.MatchID]bool)
	l.live.Owns = func(id storage.MatchID) bool { return l.nodes.Owns(id) }
	l.live.Looked = l.presence.LookedAt
	l.live.OpenMatch = shared.OpenMatch
	n, last, err := nodes.Join(ctx, nodes.Config{
		Store: shared, Name: name, Now: l.now, Log: l.log,
		Changed: l.nodesChanged, Outage: l.outage, Rejoined: l.rejoined,
	})
	if err != nil {
		return fmt.Errorf("lobby: %w", err)
	}
	l.nodes = n
	l.outages.club = last
	running, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { n.Run(running) })
	l.leave = sync.OnceFunc(l.leaveNodes)
	l.endNodes = func() {
		l.leave()
		stop()
		all.Wait()
	}
	return nil
}

// nodesChanged takes in that other nodes than before are up, or whether this one reaches the store.
func (l *Lobby) nodesChanged() {
	l.stats.Takeovers.Add(int64(l.index.ownersChanged()))
	if l.nodes == nil {
		return // it is about to join
	}
	cutOff := l.nodes.CutOff()
	l.bulletin.Update(func(b Bulletin, _ uint64) (Bulletin, bool) {
		if cutOff == !b.CutOff.IsZero() {
			return b, false
		}
		b.CutOff = time.Time{}
		if cutOff {
			b.CutOff = l.now()
		}
		return b, true
	})
}

// leaveNodes hands over to other nodes what this node sees to.
func (l *Lobby) leaveNodes() {
	ctx, cancel := context.WithTimeout(context.Background(), nodes.CutOffAfter)
	defer cancel()
	if err := l.nodes.Leave(ctx); err != nil {
		l.log.Warn("other nodes take over only after a while", "err", err)
	}
}

// follow runs one of the store's functions that tell of changes until ctx ends.
func (l *Lobby) follow(ctx context.Context, f func(context.Context) error) {
	const pause = 250 * time.Millisecond
	for {
		err := f(ctx)
		if ctx.Err() != nil {
			return
		}
		l.log.Warn("the store is not followed for a moment", "err", err)
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

func (l *Lobby) unreadable(key string, err error) {
	l.log.Error("what another node has written can't be read", "key", key, "err", err)
}

// reachable says ErrCutOff while this node must not go on because the store does not answer.
func (l *Lobby) reachable() error {
	if l.nodes != nil && l.nodes.CutOff() {
		return ErrCutOff
	}
	return nil
}

// whileReached returns a context that ends also when this node is cut off from the store, until done is called: nobody waits for what has
// to be kept then.
func (l *Lobby) whileReached(ctx context.Context) (reached context.Context, done func()) {
	if l.nodes == nil {
		return ctx, func() {}
	}
	reached, cancel := context.WithCancel(ctx)
	stop := l.nodes.WhenCutOff(cancel)
	return reached, func() {
		stop()
		cancel()
	}
}

// unreached returns the error of what was done with a context of whileReached: ErrBusy, if that has ended before ctx. What was asked for may
// happen or not.
func unreached(ctx, reached context.Context, err error) error {
	if err != nil && ctx.Err() == nil && reached.Err() != nil && errors.Is(err, context.Canceled) {
		return ErrBusy
	}
	return err
}

// refreshFor is how long after this node was cut off it asks the store what other nodes have done in a match before it shows it: the changes
// that it follows may still be on their way.
const refreshFor = 15 * time.Second

// refresh has a match in memory see what other nodes have done, if this one was cut off a moment ago.
func (l *Lobby) refresh(ctx context.Context, id storage.MatchID) {
	if l.nodes == nil || time.Since(l.nodes.Back()) > refreshFor || l.nodes.CutOff() {
		return
	}
	if m := l.index.inMemory(id); m != nil {
		_ = m.Refresh(ctx) // it shows what it knows then
	}
}

// # Matches of other nodes

// followMatches takes in what other nodes do in matches until ctx ends.
func (l *Lobby) followMatches(ctx context.Context) {
	l.follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowSummaries(ctx, storage.Follower[storage.Summary]{
			All: func(rows []storage.Summary) {
				all := make(map[storage.MatchID]bool, len(rows))
				for _, row := range rows {
					all[row.ID] = true
					l.summaryChanged(ctx, row)
				}
				for _, id := range l.index.reconcile(all) {
					l.matchEnded(l.index.followEnd(id))
				}
			},
			Put:  func(row storage.Summary) { l.summaryChanged(ctx, row) },
			Gone: func(key string) { l.matchEnded(l.index.followEnd(storage.MatchID(key))) },
			Bad:  l.unreadable,
		})
	})
}

// summaryChanged takes in the newest summary of a match.
func (l *Lobby) summaryChanged(ctx context.Context, row storage.Summary) {
	old, quarantined := l.index.find(row.ID)
	if row.Seq == 0 || quarantined || old != nil && row.Seq <= old.Events {
		return
	}
	s, err := match.SummaryOf(row, l.Game)
	if err != nil {
		l.unreadable(string(row.ID), err)
		return
	}
	l.stats.Followed.Add(1)
	l.stats.FollowedLag.Add(int64(max(l.now().Sub(s.LastAt), 0)))
	for side, o := range s.Seats {
		if old != nil && match.KeyOf(old.Seats[side]) == match.KeyOf(o) {
			s.Strength[side] = old.Strength[side]
		} else if s.Public && o.Kind == storage.Person {
			s.Strength[side] = l.strength(ctx, o, s.Game.About().ID)
		}
		s.Seats[side] = l.named(o)
	}
	l.indexed(l.index.follow(&s))
	l.rematchChanged(&s, false)
}

// matchEnded passes on that a match that was not in memory here has ended; s is nil for any other.
func (l *Lobby) matchEnded(s *match.Summary, c change) {
	l.indexed(c)
	if s == nil {
		return
	}
	if s.Rated {
		l.leaderboards.rated(s.Game.About().ID)
	}
	l.chats.End(s.ID)
	l.rematchChanged(s, true)
}

// # People at other nodes

// presentRows are the rows by which this node says who is connected to it.
type presentRows struct {
	wake chan struct{} // holds one: stale is not empty

	mu    sync.Mutex // guards what follows
	stale map[match.Key]bool
	shown map[match.Key]bool // whom the store may have a row of
}

func newPresentRows() *presentRows {
	return &presentRows{wake: make(chan struct{}, 1), stale: make(map[match.Key]bool), shown: make(map[match.Key]bool)}
}

// note says that the rows of some people are out of date.
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

// take returns some of those whose rows are out of date.
func (r *presentRows) take() (people []match.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.stale {
		if len(people) == storage.MaxPresent {
			break
		}
		people = append(people, k)
		delete(r.stale, k)
	}
	return people
}

// rows returns what the store is to have of some people, where it has something else.
func (r *presentRows) rows(people []match.Key, here func(match.Key) storage.Present) (rows []storage.Present) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range people {
		row := here(k)
		is := len(row.Sessions) > 0 || row.Left != (storage.Departure{})
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

// failed notes that the store may have what it had of some people before, or what rows returned last.
func (r *presentRows) failed(people []match.Key) {
	r.mu.Lock()
	for _, k := range people {
		r.shown[k] = true
	}
	r.mu.Unlock()
	r.note(people...)
}

// showPeople keeps the rows of this node up to date until ctx ends.
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
			if err := l.shared.ShowPresent(ctx, l.nodes.ID(), rows); err != nil { // if this node was declared gone, until it is up again
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

// personHere notes that something has changed in what this node says of somebody.
func (l *Lobby) personHere(k match.Key) {
	if l.nodes != nil {
		l.rows.note(k)
	}
}

// rejoined says again who is connected to this node, after others had declared it gone.
func (l *Lobby) rejoined() {
	l.rows.mu.Lock()
	again := slices.Collect(maps.Keys(l.rows.shown))
	l.rows.mu.Unlock()
	l.rows.note(append(again, l.presence.Everybody()...)...)
}

// followPeople takes in who is connected to other nodes until ctx ends.
func (l *Lobby) followPeople(ctx context.Context) {
	first := true
	l.follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowPresent(ctx, storage.Follower[storage.Present]{
			All: func(rows []storage.Present) {
				there := make(map[storage.NodeID]map[match.Key]bool)
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
							l.goneElsewhere(node, k)
						}
					}
				}
				first = false
			},
			Put: func(row storage.Present) { l.elsewhere(row, true) },
			Gone: func(key string) {
				if node, who, ok := storage.PresentKey(key); ok {
					l.goneElsewhere(node, match.KeyOf(who))
				}
			},
			Bad: l.unreadable,
		})
	})
}

// elsewhere takes in what another node says of somebody. news says whether those who follow them are told that they have come.
func (l *Lobby) elsewhere(row storage.Present, news bool) {
	if l.nodes.Own(row.Node) {
		return
	}
	u := User(row.Who)
	k := u.Key()
	first, last := l.presence.Elsewhere(row)
	if first && news {
		l.arrived(u)
	}
	if last {
		l.lists.forget(k)
	}
	if !l.index.concerns(k) {
		l.presence.Forget(k)
	}
	if first || last {
		l.index.wake(k)
		l.lists.noteHere()
	}
}

// goneElsewhere takes in that another node says nothing of somebody any more. If it said that they are connected and a match concerns them,
// the node itself is gone: when they leave it says how.
func (l *Lobby) goneElsewhere(node storage.NodeID, k match.Key) {
	if l.nodes.Own(node) {
		return
	}
	if l.presence.IsAt(node, k) {
		if upAt := l.nodes.LastBeat(node); !upAt.IsZero() {
			l.outages.lost(upAt, l.now(), k, l.index.of(k), l.goesOn)
		}
	}
	l.elsewhere(storage.Present{Node: node, Who: storage.Occupant{Kind: k.Kind, ID: k.ID}}, false)
	l.index.wake(k)
}

// # Decisions, relations, chat

// followDecisions takes in what operators decide at other nodes, and which names players take, until ctx ends.
func (l *Lobby) followDecisions(ctx context.Context) {
	const pause = 250 * time.Millisecond // after an error of the store
	stale := make(chan struct{}, 1)
	var reading sync.WaitGroup
	defer reading.Wait()
	reading.Go(func() {
		again := time.NewTimer(0)
		defer again.Stop()
		again.Stop()
		for {
			select {
			case <-stale:
			case <-again.C:
			case <-ctx.Done():
				return
			}
			if l.decisionsChanged(ctx) != nil {
				again.Reset(pause)
			}
		}
	})
	l.follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowDecisions(ctx, func() {
			select {
			case stale <- struct{}{}:
			default:
			}
		})
	})
}

// decisionsChanged reads what operators have decided, and does what follows from it at this node. After an error nothing has changed.
func (l *Lobby) decisionsChanged(ctx context.Context) error {
	done, err := l.beginAct(ctx)
	if err != nil {
		return err
	}
	defer done()
	before := l.decisions.get()
	if err := l.readDecisions(ctx); err != nil {
		if ctx.Err() == nil {
			l.log.Error("what operators have decided can't be read", "err", err)
		}
		return err
	}
	l.leaderboards.forgetAll()
	l.finished.forgetAll()
	now, sessions := l.decisions.get(), l.sessions()
	sessions.EndBanned()
	for id, r := range now.restrictions {
		if !r.Closed || before.restrictions[id].Closed {
			continue
		}
		if keys, err := l.store.Keys(ctx, id); err == nil {
			sessions.EndKeys(keys, ErrAccountClosed)
		}
	}
	for id, name := range now.names {
		if name == storage.FormerPlayer && before.names[id] != name {
			l.chats.Forget(match.Key{Kind: storage.Person, ID: string(id)})
		}
	}
	return nil
}

// followRelations takes in whom players follow and block at other nodes until ctx ends.
func (l *Lobby) followRelations(ctx context.Context) {
	set := func(id storage.PlayerID, related storage.Relations) {
		l.relations.Set(id, related)
		l.whoChanged()
	}
	l.follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowRelations(ctx, storage.Follower[storage.RelationsOf]{
			All: func(rows []storage.RelationsOf) {
				there := make(map[storage.PlayerID]bool, len(rows))
				for _, row := range rows {
					there[row.Player] = true
					set(row.Player, row.Relations)
				}
				for _, id := range l.relations.Players() {
					if !there[id] {
						set(id, storage.Relations{})
					}
				}
			},
			Put:  func(row storage.RelationsOf) { set(row.Player, row.Relations) },
			Gone: func(key string) { set(storage.PlayerID(key), storage.Relations{}) },
			Bad:  l.unreadable,
		})
	})
}

// followChat takes in what is said at other nodes until ctx ends.
func (l *Lobby) followChat(ctx context.Context) {
	l.follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowChat(ctx, storage.Follower[storage.ChatAt]{
			All: func([]storage.ChatAt) { l.chats.FollowAll(ctx) },
			Put: func(row storage.ChatAt) { l.chats.Follow(ctx, row.Match, row.Room, row.Number) },
			Bad: l.unreadable,
		})
	})
}

// # Keys

// UseSessions says which sessions end because of what happens at another node. It is called once, before there are any.
func (l *Lobby) UseSessions(s Sessions) { l.serving.Store(&s) }

// sessions returns those of this node.
func (l *Lobby) sessions() Sessions {
	if s := l.serving.Load(); s != nil {
		return *s
	}
	return NoSessions{}
}

// followKeys ends the sessions of keys that have left their accounts at other nodes, until ctx ends.
func (l *Lobby) followKeys(ctx context.Context) {
	l.follow(ctx, func(ctx context.Context) error {
		missed := func() error {
			for _, fingerprint := range l.origins.keys() {
				p, err := l.store.PlayerByKey(ctx, fingerprint)
				if err != nil && !errors.Is(err, storage.ErrNotFound) {
					return err
				}
				l.keyChanged(ctx, fingerprint, p.ID)
			}
			return nil
		}
		return l.shared.FollowKeys(ctx, missed, func(fingerprint string, owner storage.PlayerID) { l.keyChanged(ctx, fingerprint, owner) })
	})
}

// keyChanged ends the sessions that a key has as another player than its owner; "" is none. A key without an owner may also have sessions as
// nobody.
func (l *Lobby) keyChanged(ctx context.Context, fingerprint string, owner storage.PlayerID) {
	players := l.origins.signedIn(fingerprint)
	at := slices.IndexFunc(players, func(player storage.PlayerID) bool { return player != owner })
	switch {
	case at >= 0:
		l.sessions().EndKeys([]string{fingerprint}, l.whyKeyLeft(ctx, players[at], owner))
	case owner == "":
		l.sessions().EndKeys([]string{fingerprint}, ErrKeyRemoved)
	}
}

// whyKeyLeft says why a key of a player has another owner now, "" for none.
func (l *Lobby) whyKeyLeft(ctx context.Context, player, owner storage.PlayerID) error {
	was, err := l.store.Player(ctx, player)
	deleted := err == nil && !was.Deleted.IsZero()
	switch {
	case deleted && owner == "":
		return ErrAccountDeleted
	case owner == "":
		return ErrKeyRemoved
	case deleted:
		return ErrKeyClaimed
	}
	if is, err := l.store.Player(ctx, owner); err == nil {
		return &KeyMovedError{is.Name}
	}
	return ErrKeyClaimed
}

// # Notices

// noticeLine is the kind of notices that are a toldLine.
const noticeLine = "line"

// A toldLine is a line of the chat of a match that is over.
type toldLine struct {
	Match storage.MatchID  `json:"match"`
	Line  storage.ChatLine `json:"line"`
}

// tellLine is what chat.NewRooms tells of.
func (l *Lobby) tellLine(id storage.MatchID, line storage.ChatLine) {
	if l.nodes != nil {
		l.tell(noticeLine, toldLine{id, line})
	}
}

// tell tells the other nodes something. One that can't be told now never hears of it.
func (l *Lobby) tell(kind string, what any) {
	_ = l.start(func(ctx, _ context.Context) { // the error: the club closes
		body, err := json.Marshal(what)
		if err == nil {
			err = l.shared.Tell(ctx, storage.Notice{Node: l.nodes.ID(), Kind: kind, Body: body}, l.told.Add(1))
		}
		if err != nil && ctx.Err() == nil {
			l.log.Warn("other nodes are not told", "notice", kind, "err", err)
		}
	})
}

// followNotices hears what other nodes tell until ctx ends.
func (l *Lobby) followNotices(ctx context.Context) {
	l.follow(ctx, func(ctx context.Context) error { return l.shared.FollowNotices(ctx, l.hear, l.unreadable) })
}

// hear takes in what a node tells.
func (l *Lobby) hear(n storage.Notice) {
	if l.nodes.Own(n.Node) {
		return
	}
	var told toldLine
	switch err := json.Unmarshal(n.Body, &told); {
	case n.Kind != noticeLine: // of a newer program
	case err != nil:
		l.unreadable(n.Kind, err)
	default:
		l.chats.Hear(told.Match, told.Line)
	}
}

// # Outages

// outages knows when the clocks of matches stood still.
type outages struct {
	mu      sync.Mutex // guards what follows
	club    storage.Outage
	matches map[storage.MatchID]storage.Outage // whose side to move was connected to a node that is gone
}

// lost notes that a node at which somebody was is gone, which was up at a time: in their matches they get the time since then back, if it
// is their turn. goesOn says whether a match goes on.
func (o *outages) lost(upAt, now time.Time, k match.Key, matches []*match.Summary, goesOn func(storage.MatchID) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.matches, func(id storage.MatchID, _ storage.Outage) bool { return !goesOn(id) })
	for _, s := range matches {
		if !s.Started.IsZero() && s.Clock.Setting.Kind == clock.Fischer && match.KeyOf(s.Seats[s.Turn]) == k && upAt.Before(now) {
			o.matches[s.ID] = storage.Outage{Down: upAt, Up: now}
		}
	}
}

// outageOf is live.Config.Outage.
func (l *Lobby) outageOf(id storage.MatchID) storage.Outage {
	l.outages.mu.Lock()
	club := l.outages.club
	lost, ok := l.outages.matches[id]
	l.outages.mu.Unlock()
	if ok && lost.Up.After(club.Up) && l.nodes.Owns(id) { // one node gives the time back
		return lost
	}
	return club
}

// outage takes in the last outage of the whole club.
func (l *Lobby) outage(o storage.Outage) {
	l.outages.mu.Lock()
	isNew := o.Up.After(l.outages.club.Up)
	if isNew {
		l.outages.club = o
	}
	l.outages.mu.Unlock()
	if isNew {
		l.log.Warn("no node could write for a while: clocks get that time back", "from", o.Down, "to", o.Up)
		l.stats.Takeovers.Add(int64(l.index.ownersChanged()))
	}
}

// errGone says that a match has ended on another node.
var errGone = errors.New("the match has ended on another node")
