package chat

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
)

// A Store keeps the lines of matches that have not ended; the Store of package storage/chat says more about each method.
type Store interface {
	AddChat(ctx context.Context, id storage.MatchID, line Line) (Line, error)
	Chat(ctx context.Context, id storage.MatchID) ([]Line, error)
	AddLateChat(ctx context.Context, id storage.MatchID, line Line) (Line, error)
}

// Rooms holds in memory the chats that are read. Any goroutine may use it.
//
// A line is on disk before a reader sees it. After the end of a match the store keeps only the last lines, for reports. Rooms keeps all lines, also
// later ones, until the chat has had no reader for lingerOver.
type Rooms struct {
	store Store
	feeds *feed.Group
	goes  func(storage.MatchID) bool  // reports whether a match has not ended
	told  func(storage.MatchID, Line) // publishes a line of a match that has ended

	mu  sync.Mutex // guards what follows
	all map[storage.MatchID]*chat
}

// How long a chat without readers stays in memory.
const (
	lingerRunning = time.Minute // while the match goes on: the store has the chat too
	lingerOver    = 10 * time.Minute
)

// maxUnread is the number of chats in memory at which the next one makes chats without readers go: up to a quarter of maxUnread. Chats without a
// line go first, then chats that the store has too, then the others; among equals the one that was read least recently.
const maxUnread = 1000

// A chat is the chat of one match.
type chat struct {
	feed   *feed.Feed[*Talk]
	turn   chan struct{} // held while the store is read or written
	loaded bool          // guarded by turn
	there  []match.Key   // users who were at the board when the match ended; guarded by Rooms.mu
}

// NewRooms returns Rooms without chats. goes reports whether a match has not ended, and returns false by the time End is called. told is called
// with each line that Say adds to the chat of a match that has ended: the store doesn't show it to other nodes.
func NewRooms(store Store, feeds *feed.Group, goes func(storage.MatchID) bool, told func(storage.MatchID, Line)) *Rooms {
	return &Rooms{store: store, feeds: feeds, goes: goes, told: told, all: map[storage.MatchID]*chat{}}
}

// attend returns the chat of a match and keeps it in memory until leave is called.
func (r *Rooms) attend(id storage.MatchID) (c *chat, leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c = r.all[id]
	if c == nil {
		if len(r.all) >= maxUnread {
			r.makeRoom()
		}
		c = &chat{feed: feed.New[*Talk](r.feeds), turn: make(chan struct{}, 1)}
		r.all[id] = c
	}
	return c, c.feed.Attend()
}

// take waits for the turn, and loads the chat unless it is loaded.
func (r *Rooms) take(ctx context.Context, id storage.MatchID, c *chat) (done func(), err error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.feeds.Closed():
		return nil, r.feeds.Err()
	}
	done = func() { <-c.turn }
	if c.loaded {
		return done, nil
	}
	if err := r.load(ctx, id, c); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// load reads the chat from the store. The caller holds the turn.
func (r *Rooms) load(ctx context.Context, id storage.MatchID, c *chat) error {
	lines, err := r.store.Chat(ctx, id)
	if err != nil {
		return err
	}
	c.feed.Update(func(old *Talk, seq uint64) (*Talk, bool) {
		// A match that ends from here on calls End, which waits for this update.
		talk := &Talk{Seq: seq, Over: !r.goes(id)}
		for _, line := range lines {
			talk.Rooms[line.Room] = append(talk.Rooms[line.Room], line)
		}
		if old != nil && (talk.Over || len(lines) == 0) { // the store has nothing of it any more
			talk.Rooms = old.Rooms
		}
		return talk, true
	})
	c.loaded = true
	return nil
}

// Follow reads the chat of a match again, if it is in memory, because another node has added a line. added is the number of the line in its
// room; 0 if it isn't known. A chat that can't be read now is read again when a user next asks for it.
func (r *Rooms) Follow(ctx context.Context, id storage.MatchID, room chatstore.Room, added uint64) {
	r.mu.Lock()
	c := r.all[id]
	r.mu.Unlock()
	if c == nil {
		return
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return
	}
	talk, _ := c.feed.Latest()
	switch {
	case !c.loaded, talk.Over:
		return
	case slices.ContainsFunc(talk.Rooms[room], func(line Line) bool { return line.Number == added }):
		return // this node wrote it itself, or has read it
	}
	c.loaded = r.load(ctx, id, c) == nil
}

// FollowAll is Follow for all chats in memory.
func (r *Rooms) FollowAll(ctx context.Context) {
	r.mu.Lock()
	ids := slices.Collect(maps.Keys(r.all))
	r.mu.Unlock()
	for _, id := range ids {
		r.Follow(ctx, id, 0, 0)
	}
}

// Receive adds a line from another node to the chat of a match that has ended, if it is in memory. This node may not yet know that the match has
// ended.
func (r *Rooms) Receive(id storage.MatchID, line Line) {
	r.mu.Lock()
	c := r.all[id]
	r.mu.Unlock()
	if c == nil {
		return
	}
	c.feed.Update(func(old *Talk, seq uint64) (*Talk, bool) {
		if old == nil {
			return nil, false
		}
		return old.next(line, seq), true
	})
}

// Next returns the chat of a match as soon as its Seq is above after: at once if it is already. Start with 0. The errors are ctx.Err(), the error
// of the closed group of feeds, and errors of the store.
func (r *Rooms) Next(ctx context.Context, id storage.MatchID, after uint64) (*Talk, error) {
	c, leave := r.attend(id)
	defer leave()
	if _, seq := c.feed.Latest(); seq == 0 {
		done, err := r.take(ctx, id, c)
		if err != nil {
			return nil, err
		}
		done()
	}
	talk, _, err := c.feed.Next(ctx, after)
	return talk, err
}

// Say adds a line to the chat of a match, and returns when it is on disk and shown. If the match has ended, the store keeps the line for reports
// only; if it ended long ago, not at all. line.Number is ignored. Say returns the errors of Next.
func (r *Rooms) Say(ctx context.Context, id storage.MatchID, line Line) error {
	c, leave := r.attend(id)
	defer leave()
	done, err := r.take(ctx, id, c)
	if err != nil {
		return err
	}
	defer done()
	kept, err := r.store.AddChat(ctx, id, line)
	switch {
	case errors.Is(err, storage.ErrNotFound): // the match has ended
		switch kept, err := r.store.AddLateChat(ctx, id, line); {
		case err == nil:
			line = kept
		case !errors.Is(err, storage.ErrNotFound):
			return err
		}
		line.At = line.At.UTC().Truncate(time.Millisecond)
		c.feed.Update(func(old *Talk, seq uint64) (*Talk, bool) { return old.next(line, seq), true })
		r.told(id, line)
		return nil
	case err != nil:
		c.loaded = false // the line may be stored or not: the next caller reads the chat again
		return err
	}
	c.feed.Update(func(old *Talk, seq uint64) (*Talk, bool) {
		talk := old.with(kept)
		talk.Seq = seq
		return talk, true
	})
	return nil
}

// next returns the chat with one more line. The line keeps its Number if that is above all in its room, else gets the next one.
func (t *Talk) next(line Line, seq uint64) *Talk {
	line.Number = max(line.Number, 1)
	if room := t.Rooms[line.Room]; len(room) > 0 {
		line.Number = max(line.Number, room[len(room)-1].Number+1)
	}
	talk := t.with(line)
	talk.Seq = seq
	return talk
}

// End marks the chat of a match as over and remembers the users at its board. The match must have ended in the store.
func (r *Rooms) End(id storage.MatchID, there []match.Key) {
	r.mu.Lock()
	c := r.all[id]
	if c != nil {
		c.there = there
	}
	r.mu.Unlock()
	if c == nil {
		return
	}
	c.feed.Update(func(old *Talk, seq uint64) (*Talk, bool) {
		if old == nil || old.Over {
			return nil, false
		}
		talk := *old
		talk.Seq, talk.Over = seq, true
		return &talk, true
	})
}

// WasThere reports whether a spectator of a match that has ended was at its board at the end, or has written in its chat. It returns false if
// the chat is not in memory, and true if the chat does not know of the end yet.
func (r *Rooms) WasThere(id storage.MatchID, who match.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.all[id]
	if c == nil {
		return false
	}
	talk, _ := c.feed.Latest()
	return slices.Contains(c.there, who) || talk != nil && (!talk.Over || talk.wroteIn(who))
}

// wroteIn reports whether one of the lines was written by a user.
func (t *Talk) wroteIn(who match.Key) bool {
	return slices.ContainsFunc(t.Rooms[:], func(room []Line) bool {
		return slices.ContainsFunc(room, func(l Line) bool { return match.KeyOf(l.By) == who })
	})
}

// Forget removes the lines of an author from all chats in memory.
func (r *Rooms) Forget(by match.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.all {
		c.feed.Update(func(old *Talk, seq uint64) (*Talk, bool) {
			if old == nil {
				return nil, false
			}
			talk := old.without(by)
			talk.Seq = seq
			return talk, true
		})
	}
}

// Latest returns the chat of a match, or nil if it is not in memory. It doesn't count as reading.
func (r *Rooms) Latest(id storage.MatchID) *Talk {
	r.mu.Lock()
	c := r.all[id]
	r.mu.Unlock()
	if c == nil {
		return nil
	}
	talk, _ := c.feed.Latest()
	return talk
}

// Run drops chats without readers from memory, until ctx ends.
func (r *Rooms) Run(ctx context.Context) {
	ticker := time.NewTicker(lingerRunning)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			r.mu.Lock()
			r.sweep(lingerRunning, lingerOver)
			r.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// sweep drops the chats that have had no reader for the duration running while their match goes on, or over after its end. The caller holds mu.
func (r *Rooms) sweep(running, over time.Duration) {
	for id, c := range r.all {
		talk, _ := c.feed.Latest()
		linger := running
		if talk != nil && talk.Over {
			linger = over
		}
		if reading, last := c.feed.Readers(); !reading && time.Since(last) >= linger && c.feed.Retire() {
			delete(r.all, id)
		}
	}
}

// makeRoom drops up to a quarter of maxUnread chats without readers, in the order given there. The caller holds mu.
func (r *Rooms) makeRoom() {
	type unread struct {
		id    storage.MatchID
		value int // larger: drop it later
		last  time.Time
	}
	var all []unread
	for id, c := range r.all {
		reading, last := c.feed.Readers()
		if reading {
			continue
		}
		u := unread{id: id, last: last}
		switch talk, _ := c.feed.Latest(); {
		case talk == nil, talk.empty():
		case !talk.Over:
			u.value = 1
		default:
			u.value = 2
		}
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b unread) int { return cmp.Or(cmp.Compare(a.value, b.value), a.last.Compare(b.last)) })
	for _, u := range all[:min(len(all), maxUnread/4)] {
		if r.all[u.id].feed.Retire() {
			delete(r.all, u.id)
		}
	}
}

func (t *Talk) empty() bool {
	return !slices.ContainsFunc(t.Rooms[:], func(room []Line) bool { return len(room) > 0 })
}

// Len returns the number of chats in memory.
func (r *Rooms) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all)
}
