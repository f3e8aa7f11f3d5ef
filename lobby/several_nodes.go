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
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
)

// # Several nodes
//
// A club may run on several nodes over one store. Each node keeps its own registry of all matches, its own lists and its own view of who is
// online, and follows the changes of the other nodes in the store. Any node accepts an act in any match: the log takes each event number
// once, so a node whose copy is out of date is refused, reads the new events, and checks the act again. Computer players and timers of a
// match run only on the node that owns it (package nodes).
//
//	several_nodes.go        heartbeats, and everything that a node publishes to the others or follows
//	quick_several_nodes.go  quick matches between people of different nodes
//	registry/               matches that other nodes open, change and end (Several nodes)
//	live/match.go           reading what other nodes have written to a log (Several nodes)
//	presence/               people connected to other nodes
//
// In a club with one node Lobby.nodes is nil, and none of this runs.

// A Shared is the part of the store through which nodes share their state; see storage.Store for the methods.
type Shared interface {
	nodes.Store
	ShowPresent(ctx context.Context, node storage.NodeID, rows []storage.Present) error
	FollowPresent(ctx context.Context, f storage.Follower[storage.PresentID, storage.Present]) error
	FollowSummaries(ctx context.Context, f storage.Follower[storage.MatchID, storage.Summary]) error

	OpenMatch(ctx context.Context, id storage.MatchID, events []storage.Event, m storage.Summary, t storage.Terms) error
	Place(ctx context.Context, place string) (storage.MatchID, error)
	AddSeeker(ctx context.Context, who storage.Seeker) error
	RemoveSeeker(ctx context.Context, id storage.SeekerID) (was storage.Seeker, err error)
	EndSeeker(ctx context.Context, id storage.SeekerID) error
	FollowSeekers(ctx context.Context, f storage.Follower[storage.SeekerID, storage.Seeker]) error

	FollowDecisions(ctx context.Context, changed func()) error
	FollowRelations(ctx context.Context, f storage.Follower[storage.PlayerID, storage.RelationsOf]) error
	FollowChat(ctx context.Context, f storage.Follower[storage.LineID, storage.LineID]) error
	FollowKeys(ctx context.Context, missed func() error, changed func(fingerprint string, owner storage.PlayerID)) error

	Tell(ctx context.Context, n storage.Notice, number uint64) error
	FollowNotices(ctx context.Context, told func(storage.Notice), bad func(key string, err error)) error

	TakeAttempts(ctx context.Context, what string, of []storage.Attempt, now time.Time) (wait time.Duration, ok bool, err error)
	ReturnAttempts(ctx context.Context, what string, of []storage.Attempt, now time.Time) error
}

// NodeStats counts what a node has taken over and followed since the program started. All fields only grow. The zero value is ready to use.
type NodeStats struct {
	Takeovers   atomic.Int64 // matches taken over by this node
	Followed    atomic.Int64 // changes of matches made by other nodes
	FollowedLag atomic.Int64 // total time from those changes to their arrival here, in nanoseconds; includes differences between clocks
}

// join makes this node known to the others, and runs what it needs for that until endNodes is called.
func (l *Lobby) join(ctx context.Context, name, hostKey string, shared Shared) error {
	l.shared = shared
	l.live.Owns = func(id storage.MatchID) bool { return l.nodes.Owns(id) }
	l.live.Looked = l.presence.LookedAt
	l.live.OpenMatch = shared.OpenMatch
	n, last, err := nodes.Join(ctx, nodes.Config{
		Store: shared, Name: name, HostKey: hostKey, Now: l.now, Log: l.log,
		Changed: l.nodesChanged, StillCutOff: l.tellCutOff, Outage: l.outage, Rejoined: l.rejoined,
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

// nodesChanged is nodes.Config.Changed: the live nodes have changed, or this node was cut off or reached the store again.
func (l *Lobby) nodesChanged() {
	l.stats.Takeovers.Add(int64(l.registry.OwnersChanged()))
	if l.nodes == nil {
		return // nodes.Join has not returned yet
	}
	l.tellCutOff()
}

// tellCutOff publishes whether this node is cut off, and whether that is because the store is full, if it is something new.
func (l *Lobby) tellCutOff() {
	l.bulletin.Update(func(b Bulletin, _ uint64) (Bulletin, bool) {
		cutOff := l.nodes.CutOff() // asked here, so that nothing newer is told already
		full := cutOff && l.storeFull()
		if cutOff == !b.CutOff.IsZero() && full == b.StoreFull {
			return b, false
		}
		switch {
		case !cutOff:
			b.CutOff = time.Time{}
		case b.CutOff.IsZero():
			b.CutOff = l.now()
		}
		b.StoreFull = full
		return b, true
	})
}

// leaveNodes hands this node's matches over to the others.
func (l *Lobby) leaveNodes() {
	ctx, cancel := context.WithTimeout(context.Background(), nodes.CutOffAfter)
	defer cancel()
	if err := l.nodes.Leave(ctx); err != nil {
		l.log.Warn("other nodes take over only after a while", "err", err)
	}
}

// follow runs f, one of the store's Follow methods, until ctx ends, and again after an error.
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

// cutOffError says why nothing can be written: ErrStoreFull or ErrCutOff.
func (l *Lobby) cutOffError() error {
	if l.storeFull() {
		return ErrStoreFull
	}
	return ErrCutOff
}

// roomToBegin returns full while the disk is nearly full, so that nothing new may begin, and what cutOffError says while nothing can be written.
func (l *Lobby) roomToBegin(full error) error {
	if err := l.reachable(); err != nil || l.storeFull() {
		return l.cutOffError()
	}
	if l.full() {
		return full
	}
	return nil
}

// reachable returns ErrCutOff, or ErrStoreFull, while this node is cut off from the store, and nil otherwise.
func (l *Lobby) reachable() error {
	if l.nodes != nil && l.nodes.CutOff() {
		return l.cutOffError()
	}
	return nil
}

// whileReached returns a context that ends with ctx or when this node is cut off from the store, so that nobody waits for a write that
// can't be made. The caller calls done when finished.
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

// unreached returns ErrBusy in place of err if the context of whileReached ended before ctx. The act may still be carried out then.
func unreached(ctx, reached context.Context, err error) error {
	if err != nil && ctx.Err() == nil && reached.Err() != nil && errors.Is(err, context.Canceled) {
		return ErrBusy
	}
	return err
}

// untilCutOff reads with a context that ends when this node is cut off. The error is ErrCutOff then, at once.
func untilCutOff[T any](ctx context.Context, l *Lobby, read func(context.Context) (T, error)) (v T, err error) {
	if err := l.reachable(); err != nil {
		return v, err
	}
	reached, done := l.whileReached(ctx)
	defer done()
	if v, err = read(reached); err != nil && ctx.Err() == nil && reached.Err() != nil {
		err = l.cutOffError()
	}
	return v, err
}

// refresh makes sure that a view of a match does not show less than other nodes have shown already: this node may be cut off, or have had
// trouble with the store a moment ago. The errors are ErrCutOff, ErrBusy and that of ctx.
func (l *Lobby) refresh(ctx context.Context, id storage.MatchID) error {
	if l.nodes == nil {
		return nil
	}
	found := l.registry.Find(id)
	if found.Summary == nil { // what is over doesn't change
		return nil
	}
	if err := l.reachable(); err != nil {
		return err
	}
	m := liveMatch(found.Match)
	if m == nil || l.nodes.Settled() {
		return nil
	}
	if err := m.Refresh(ctx); errors.Is(err, ErrBusy) || ctx.Err() != nil {
		return err
	}
	return nil // or the view says what is wrong
}

// # Matches of other nodes

// followMatches follows the summaries of all unfinished matches until ctx ends.
func (l *Lobby) followMatches(ctx context.Context) {
	l.follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowSummaries(ctx, storage.Follower[storage.MatchID, storage.Summary]{
			All: func(rows []storage.Summary) {
				all := make(map[storage.MatchID]bool, len(rows))
				for _, row := range rows {
					all[row.ID] = true
					l.summaryChanged(ctx, row)
				}
				for _, id := range l.registry.Reconcile(all) {
					l.matchEnded(l.registry.FollowEnd(id))
				}
			},
			Put:  func(row storage.Summary) { l.summaryChanged(ctx, row) },
			Gone: func(id storage.MatchID) { l.matchEnded(l.registry.FollowEnd(id)) },
			Bad:  l.unreadable,
		})
	})
}

// summaryChanged updates the registry from a summary in the store, unless it has this version of the summary already.
func (l *Lobby) summaryChanged(ctx context.Context, row storage.Summary) {
	found := l.registry.Find(row.ID)
	old := found.Summary
	if row.Seq == 0 || found.Quarantined || old != nil && row.Seq <= old.Events {
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
	l.indexed(l.registry.Follow(&s))
	l.outages.changed(&s, false)
	l.rematchChanged(&s, false)
}

// matchEnded updates lists, chats and rematches after a match that was not in memory here has ended. s is its last summary, nil if there is
// nothing to do.
func (l *Lobby) matchEnded(s *match.Summary, c registry.Change) {
	l.indexed(c)
	if s == nil {
		return
	}
	l.outages.changed(s, true)
	l.countLate(s)
	l.keepApart(s)
	if s.Rated {
		l.leaderboards.rated(s.Game.About().ID)
	}
	l.chats.End(s.ID, l.presence.Audience(s.ID))
	l.rematchChanged(s, true)
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

// take removes up to storage.MaxPresent people from those whose rows are out of date, and returns them.
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

// rows returns the rows to write for people. It skips those who have no row in the store and need none.
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
			if err := l.shared.ShowPresent(ctx, l.nodes.ID(), rows); err != nil { // also while this node is declared gone
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
	if l.nodes != nil {
		l.rows.note(k)
	}
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
	l.follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowPresent(ctx, storage.Follower[storage.PresentID, storage.Present]{
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
							l.goneElsewhere(ctx, node, k)
						}
					}
				}
				first = false
			},
			Put: func(row storage.Present) { l.elsewhere(row, true) },
			Gone: func(id storage.PresentID) {
				l.goneElsewhere(ctx, id.Node, match.KeyOf(storage.Occupant{Kind: id.Kind, ID: id.ID}))
			},
			Bad: l.unreadable,
		})
	})
}

// elsewhere updates presence from a row of another node. If news is set and the person has just come online, their followers are notified.
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
	if !l.registry.Concerns(k) {
		l.presence.Forget(k)
	}
	if first || last {
		l.registry.Wake(k)
		l.lists.noteHere()
	}
}

// goneElsewhere takes in that another node says nothing of somebody any more: the node itself is gone, or they still have a session at another one.
func (l *Lobby) goneElsewhere(ctx context.Context, node storage.NodeID, k match.Key) {
	if l.nodes.Own(node) {
		return
	}
	if l.presence.IsAt(node, k) && l.nodes.Gone(ctx, node) {
		if upAt := l.nodes.LastBeat(node); !upAt.IsZero() {
			now := l.now()
			l.outages.lost(upAt, now, l.yetToResume(ctx, upAt, k))
		}
	}
	l.elsewhere(storage.Present{Node: node, Who: storage.Occupant{Kind: k.Kind, ID: k.ID}}, false)
	l.registry.Wake(k)
}

// # Decisions, relations, chat

// followDecisions follows the operators' decisions, and changes of names, until ctx ends.
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

// decisionsChanged reads the operators' decisions and applies them on this node. After an error nothing has changed.
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

// followRelations follows who follows and blocks whom until ctx ends.
func (l *Lobby) followRelations(ctx context.Context) {
	set := func(id storage.PlayerID, related storage.Relations) {
		l.relations.Set(id, related)
		l.whoChanged()
	}
	l.follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowRelations(ctx, storage.Follower[storage.PlayerID, storage.RelationsOf]{
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
			Gone: func(id storage.PlayerID) { set(id, storage.Relations{}) },
			Bad:  l.unreadable,
		})
	})
}

// followChat follows the chat lines of unfinished matches until ctx ends.
func (l *Lobby) followChat(ctx context.Context) {
	l.follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowChat(ctx, storage.Follower[storage.LineID, storage.LineID]{
			All: func([]storage.LineID) { l.chats.FollowAll(ctx) },
			Put: func(line storage.LineID) { l.chats.Follow(ctx, line.Match, line.Room, line.Number) },
			Bad: l.unreadable,
		})
	})
}

// # Keys

// UseSessions says which sessions end because of what happens at another node. It is called once, before there are any.
func (l *Lobby) UseSessions(s Sessions) { l.serving.Store(&s) }

// sessions returns the sessions of this node.
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

// tellLine is the callback of chat.NewRooms. It sends a chat line of a finished match to the other nodes.
func (l *Lobby) tellLine(id storage.MatchID, line storage.ChatLine) {
	if l.nodes != nil {
		l.tell(noticeLine, toldLine{id, line})
	}
}

// tell sends a notice to the other nodes, in a goroutine of its own. Delivery is best effort: a failed notice is not sent again.
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

// followNotices handles the notices of other nodes until ctx ends.
func (l *Lobby) followNotices(ctx context.Context) {
	l.follow(ctx, func(ctx context.Context) error { return l.shared.FollowNotices(ctx, l.hear, l.unreadable) })
}

// hear handles a notice.
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

// outages keeps the times during which clocks stood still, for the matches to give back.
type outages struct {
	mu      sync.Mutex // guards what follows
	club    storage.Outage
	matches map[storage.MatchID]lostTime // whose side to move was connected to a node that is gone
}

// A lostTime is what a side to move gets back.
type lostTime struct {
	storage.Outage
	since time.Time // since when its clock runs: that is another once the time is given back, or it has moved all the same
}

// yetToResume returns the matches in which it is the turn of a person who was at a node that is gone, and was up at a time. It leaves out those
// whose clock was resumed since: another node may have heard sooner of this one, and what it has written may come here first.
func (l *Lobby) yetToResume(ctx context.Context, upAt time.Time, k match.Key) (matches []*match.Summary) {
	for _, s := range l.registry.Of(k) {
		switch {
		case s.Started.IsZero() || s.Clock.Setting.Kind != clock.Fischer || match.KeyOf(s.Seats[s.Turn]) != k:
		case s.Clock.Since.After(upAt) && l.resumedAt(ctx, s.ID, s.Clock.Since):
		default:
			matches = append(matches, s)
		}
	}
	return matches
}

// resumedAt reports whether the clock of a match was resumed at a time. If the store doesn't say, it was not.
func (l *Lobby) resumedAt(ctx context.Context, id storage.MatchID, at time.Time) (resumed bool) {
	_ = live.ReadLog(ctx, l.store, id, func(events []storage.Event) error { // the error: see above
		resumed = resumed || slices.ContainsFunc(events, func(e storage.Event) bool { return e.Kind == storage.Resumed && e.At.Equal(at) })
		return nil
	})
	return resumed
}

// lost notes that a node is gone, which was up at a time: in matches in which a person was there whose turn it is they get the time since then
// back.
func (o *outages) lost(upAt, now time.Time, matches []*match.Summary) {
	now = now.Truncate(time.Millisecond) // as events are: one that follows is not before it
	if !upAt.Before(now) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range matches {
		o.matches[s.ID] = lostTime{storage.Outage{Down: upAt, Up: now}, s.Clock.Since}
	}
}

// changed takes in the newest summary of a match: another node may have given the time back.
func (o *outages) changed(s *match.Summary, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if lost, ok := o.matches[s.ID]; ok && (over || !s.Clock.Since.Equal(lost.since)) {
		delete(o.matches, s.ID)
	}
}

// outageOf is live.Config.Outage. Time that was lost while the clock ran since another moment was given back already.
func (l *Lobby) outageOf(id storage.MatchID, since time.Time) storage.Outage {
	l.outages.mu.Lock()
	club := l.outages.club
	lost, ok := l.outages.matches[id]
	l.outages.mu.Unlock()
	if ok && lost.since.Equal(since) && lost.Up.After(club.Up) && l.nodes.Owns(id) { // one node gives the time back
		return lost.Outage
	}
	return club
}

// outage is nodes.Config.Outage: it records the last outage of the whole club.
func (l *Lobby) outage(o storage.Outage) {
	l.outages.mu.Lock()
	isNew := o.Up.After(l.outages.club.Up)
	if isNew {
		l.outages.club = o
	}
	l.outages.mu.Unlock()
	if isNew {
		l.log.Warn("no node could write for a while: clocks get that time back", "from", o.Down, "to", o.Up)
		l.stats.Takeovers.Add(int64(l.registry.OwnersChanged()))
	}
}

// errGone means that a match has ended on another node.
var errGone = errors.New("the match has ended on another node")
