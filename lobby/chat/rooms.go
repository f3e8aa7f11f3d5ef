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

// A Store keeps the lines of matches that go on; the Store of package storage/chat says more about each method.
type Store interface {
	AddChat(ctx context.Context, id storage.MatchID, line Line) (Line, error)
	Chat(ctx context.Context, id storage.MatchID) ([]Line, error)
	AddLateChat(ctx context.Context, id storage.MatchID, line Line) (Line, error)
}

// Rooms are the chats that somebody reads, in memory. Any goroutine may use them.
//
// A line is on disk before anybody sees it. With the end of its match the disk keeps the last lines for reports alone; all stay in memory for
// those who are still at the board, with what they say to each other afterwards, until nobody has read it for ten minutes.
type Rooms struct {
	store Store
	feeds *feed.Group
	goes  func(storage.MatchID) bool  // whether a match goes on
	told  func(storage.MatchID, Line) // publishes a line of a match that is over

	mu  sync.Mutex // guards what follows
	all map[storage.MatchID]*chat
}

// How long the chat of a match stays in memory when nobody reads it: one that goes on is in the store too.
const (
	lingerRunning = time.Minute
	lingerOver    = 10 * time.Minute
)

// maxUnread is how many chats may be in memory before those that nobody reads make room for the next one that is read: a quarter of them, first
// those without a line, then those that the store has too, then those that were not read for longest.
const maxUnread = 1000

// A chat is that of one match.
type chat struct {
	feed   *feed.Feed[*Talk]
	turn   chan struct{} // held while the store is read or written
	loaded bool          // only with turn
	there  []match.Key   // who looked at the board when the match ended; Rooms.mu guards it
}

// NewRooms returns rooms without a line in memory. goes reports whether a match goes on, and is false by the time End is called. told is
// called with each line that Say adds to the chat of a finished match, which the store does not keep.
func NewRooms(store Store, feeds *feed.Group, goes func(storage.MatchID) bool, told func(storage.MatchID, Line)) *Rooms {
	return &Rooms{store: store, feeds: feeds, goes: goes, told: told, all: map[storage.MatchID]*chat{}}
}

// attend returns the chat of a match, which stays in memory until leave is called.
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

// take waits for the turn, and sees that the chat is in memory.
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
		// A match that ends from here on says so with End, which waits for this.
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

// Follow reads the chat of a match again that is in memory, because another node has added a line: added is its
// number in its room; 0: that is not known. A chat that can't be read now is when somebody next asks for it.
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

// Hear adds a line to the chat of a match that is over, if it is in memory: somebody has said it at another node. This one may be about to
// hear that the match is over.
func (r *Rooms) Hear(id storage.MatchID, line Line) {
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

// Next returns the chat of a match as soon as its Seq is above after: at once if it is already. Start with 0. The errors are those of the
// store, of ctx, and that of the feeds' group.
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

// Say adds a line to the chat of a match, and returns when it is on disk and shown: for reports alone if the match is over, and not any more if
// it ended long ago. Its Number is not looked at. The errors are those of Next.
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
	case errors.Is(err, storage.ErrNotFound): // it is over
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
		c.loaded = false // it may be there or not: the next one looks
		return err
	}
	c.feed.Update(func(old *Talk, seq uint64) (*Talk, bool) {
		talk := old.with(kept)
		talk.Seq = seq
		return talk, true
	})
	return nil
}

// next returns the chat with one more line, which keeps the number that the store gave it, or gets the next one in its room.
func (t *Talk) next(line Line, seq uint64) *Talk {
	line.Number = max(line.Number, 1)
	if room := t.Rooms[line.Room]; len(room) > 0 {
		line.Number = max(line.Number, room[len(room)-1].Number+1)
	}
	talk := t.with(line)
	talk.Seq = seq
	return talk
}

// End says that a match is over, at whose board people are. The store keeps its chat for reports alone, and goes is false.
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

// WasThere reports whether somebody who has no seat in a match that is over was at its board when it ended, or has written at it. false if the
// chat is not in memory.
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

// wroteIn reports whether one of the lines is somebody's.
func (t *Talk) wroteIn(who match.Key) bool {
	return slices.ContainsFunc(t.Rooms[:], func(room []Line) bool {
		return slices.ContainsFunc(room, func(l Line) bool { return match.KeyOf(l.By) == who })
	})
}

// Forget takes what somebody has written out of all chats in memory.
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

// Latest returns the chat of a match if it is in memory, for those who don't read it otherwise; nil if it isn't.
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

// Run puts chats that nobody reads out of memory, until ctx ends.
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

// sweep puts out chats that nobody has read for so long. The caller holds mu.
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

// makeRoom puts out a quarter of the chats that may be in memory, as maxUnread says. The caller holds mu.
func (r *Rooms) makeRoom() {
	type unread struct {
		id    storage.MatchID
		value int // how much is lost
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

// Len returns how many chats are in memory.
func (r *Rooms) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all)
}
