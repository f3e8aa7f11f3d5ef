package notices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/notices"
)

const (
	tryFor     = time.Minute // how long a try may take
	firstRetry = time.Minute // the pause after the first try, and twice as long after each further one
	lastRetry  = 2 * time.Hour
	maxTries   = 4 // at a time, of each kind, so that a server that hangs holds up no other kind
	maxAgain   = 2 // of these, that are not the first ones of their letters: addresses that make a server hang hold up no others
	maxRead    = 2 * maxQueued

	eventLate = time.Hour // after an event has begun, when its notice is of no use any more
	maxCodes  = 500       // that wait at this node: the store lets the club send fewer before they expire
)

// A queue sends what waits in the store for players that this node owns, and the codes that were asked for at this node, or that wait in the store
// for these players when it starts.
type queue struct {
	*Service

	mu    sync.Mutex // guards what follows
	tries map[notices.Kind]int
	again map[notices.Kind]int       // of these, that are not the first ones
	begun map[notices.NoticeKey]bool // of the notices that are being sent
	sent  map[notices.NoticeKey]bool // that the store has yet to remove
	codes []*codeLetter
}

func newQueue(s *Service) *queue {
	return &queue{Service: s, tries: map[notices.Kind]int{}, again: map[notices.Kind]int{}, begun: map[notices.NoticeKey]bool{}, sent: map[notices.NoticeKey]bool{}}
}

// A codeLetter is a code that is to be sent.
type codeLetter struct {
	notices.UnsentCode
	tries int
	begun bool
	next  time.Time
}

// addCode has a code sent. Adding it again changes nothing.
func (q *queue) addCode(c notices.UnsentCode) {
	q.mu.Lock()
	defer q.mu.Unlock()
	known := slices.ContainsFunc(q.codes, func(o *codeLetter) bool { return o.Code == c.Code })
	if len(q.codes) < maxCodes && !known {
		q.codes = append(q.codes, &codeLetter{UnsentCode: c, next: q.config.Now()})
	}
}

// take takes one of the tries of a kind; ok is false if as many as may are under way. again says that the letter was tried before.
func (q *queue) take(kind notices.Kind, again bool) (ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tries[kind] >= maxTries || again && q.again[kind] >= maxAgain {
		return false
	}
	q.tries[kind]++
	if again {
		q.again[kind]++
	}
	return true
}

// release returns one of the tries of a kind. delivered says that the letter has come to the sender: then the next one begins at once.
func (q *queue) release(kind notices.Kind, again, delivered bool) {
	q.mu.Lock()
	q.tries[kind]--
	if again {
		q.again[kind]--
	}
	q.mu.Unlock()
	if delivered {
		q.soon()
	}
}

// pause returns how long to wait after a try that has failed: longer each time, and never the same for two letters.
func pause(tries int) time.Duration {
	wait := lastRetry
	if tries < 8 {
		wait = min(firstRetry<<tries, lastRetry)
	}
	return wait*3/4 + rand.N(wait/2)
}

// send begins tries of what is due.
func (q *queue) send(ctx context.Context) {
	all, err := q.config.Store.QueuedNotices(ctx, maxRead)
	if err != nil {
		if ctx.Err() == nil {
			q.config.Log.Warn("the notices that wait can't be read", "err", err)
		}
		return
	}
	now := q.config.Now()
	all = q.makeRoom(ctx, all)
	q.room.count(all)
	q.config.Stats.Waiting.Store(int64(len(all) + q.sendCodes(now)))
	slices.SortStableFunc(all, func(a, b notices.Queued) int { // first tries come before further ones, which are of addresses that take nothing now
		return cmp.Or(cmp.Compare(min(a.Tries, 1), min(b.Tries, 1)), a.Next.Compare(b.Next))
	})
	for _, n := range all {
		if ctx.Err() != nil {
			return
		}
		kind := q.kindOf(n.Key.Player)
		switch {
		case !q.owns(n.Key.Player), q.isBegun(n.Key):
		case q.isSent(n.Key), kind == "":
			q.remove(ctx, n.Key)
		case now.Sub(n.Made) >= notices.GiveUp:
			q.config.Stats.GivenUp.Add(1)
			q.remove(ctx, n.Key)
		case n.Next.After(now), !q.Sends(kind):
		case q.take(kind, n.Tries > 0):
			q.begin(n, kind)
		}
	}
}

func (q *queue) isBegun(k notices.NoticeKey) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.begun[k]
}

func (q *queue) isSent(k notices.NoticeKey) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.sent[k]
}

// remove removes a notice from the store.
func (q *queue) remove(ctx context.Context, k notices.NoticeKey) {
	if err := q.config.Store.RemoveNotice(ctx, k); err != nil {
		if ctx.Err() == nil {
			q.config.Log.Warn("a notice that has been dealt with stays for a while", "player", k.Player, "err", err)
		}
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.sent, k)
}

// begin tries to send a notice, in a goroutine of its own. The caller has taken a try of the kind.
func (q *queue) begin(n notices.Queued, kind notices.Kind) {
	q.mu.Lock()
	q.begun[n.Key] = true
	q.mu.Unlock()
	end := func(delivered bool) {
		q.mu.Lock()
		delete(q.begun, n.Key)
		q.mu.Unlock()
		q.release(kind, n.Tries > 0, delivered)
	}
	err := q.config.Tasks.Go(func(ctx, writes context.Context) {
		end(q.try(ctx, writes, n))
	})
	if err != nil { // the club closes
		end(false)
	}
}

// try sends a notice, if there is still a reason for it, and reports whether it has come to the sender.
func (q *queue) try(ctx, writes context.Context, n notices.Queued) (delivered bool) {
	l, ok, err := q.letterOf(ctx, n)
	switch {
	case err != nil:
		if ctx.Err() == nil {
			q.config.Log.Warn("a notice can't be written", "player", n.Key.Player, "err", err)
		}
		return false
	case !ok:
		q.remove(writes, n.Key)
		return false
	}
	now := q.config.Now()
	to, err := q.config.Store.BeginNotice(ctx, n.Key, now, now.Add(pause(n.Tries)))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		q.remove(writes, n.Key)
		return false
	case err != nil: // another node was faster, or the store is not reached
		return false
	}
	if !q.deliver(ctx, to, l) {
		return true
	}
	q.mu.Lock()
	q.sent[n.Key] = true
	q.mu.Unlock()
	q.remove(writes, n.Key)
	return true
}

// deliver sends a letter, and reports whether that is done: sent, or refused for good.
func (q *queue) deliver(ctx context.Context, to notices.Address, l Letter) (done bool) {
	ctx, cancel := context.WithTimeout(ctx, tryFor)
	defer cancel()
	switch err := q.config.Sender.Send(ctx, to, l); {
	case err == nil:
		q.config.Stats.sent(to.Kind)
		return true
	case errors.Is(err, ErrRefused):
		q.config.Stats.Refused.Add(1)
		q.config.Log.Info("a notice was refused", "kind", to.Kind, "err", err)
		return true
	default:
		q.config.Stats.Failed.Add(1)
		q.config.Log.Warn("a notice was not sent, and is tried again", "kind", to.Kind, "err", err)
		return false
	}
}

// letterOf returns the letter of a notice. ok is false if there is nothing to tell any more: the player has come, or what it was about has changed.
func (q *queue) letterOf(ctx context.Context, n notices.Queued) (l Letter, ok bool, err error) {
	id := n.Key.Player
	gone, is := q.gone(id)
	if !is || q.config.Restrictions.Closed(id) {
		return l, false, nil
	}
	who, now := match.Key{Kind: storage.Person, ID: string(id)}, q.config.Now()
	var about []*match.Summary
	for _, m := range q.config.Matches.Of(who) {
		if n.Kind == notices.YourMove && waits(who, m, now) || n.Kind == notices.Challenged && m.ID == n.Match && invites(who, m) {
			about = append(about, m)
		}
	}
	if n.Kind == notices.YourMove && len(turns(who, about, gone, now)) == 0 {
		return l, false, nil
	}
	late := n.Kind == notices.EventBegins && now.Sub(n.Event.Begins) >= eventLate
	if late || n.Kind != notices.EventBegins && len(about) == 0 {
		return l, false, nil
	}
	p, err := q.config.Store.Player(ctx, id)
	if err != nil {
		return l, false, err
	}
	slices.SortFunc(about, match.ByAge)
	l = Letter{
		ID: fmt.Sprintf("%s.%s.%d", id, strings.ReplaceAll(n.Key.Name, " ", "."), n.Made.UnixMilli()), Language: p.Settings.Language, Zone: p.Settings.Zone, Player: p.Name,
		Kind: n.Kind, Event: n.Event,
	}
	for _, m := range about {
		l.Matches = append(l.Matches, q.matchOf(who, m))
	}
	return l, true, nil
}

func (q *queue) matchOf(who match.Key, m *match.Summary) Match {
	other := m.Seats[0]
	if match.KeyOf(other) == who || other.Kind == storage.Free {
		other = m.Seats[1]
	}
	of := Match{Code: m.Code, Game: m.Game, Opponent: q.config.Restrictions.Named(other), Clock: m.Clock.Setting, Rated: m.Agreed, Until: m.Until()}
	if !m.Started.IsZero() {
		of.Until = m.Clock.Deadline()
	}
	return of
}

// sendCodes begins tries of the codes that are due, and returns how many codes wait.
func (q *queue) sendCodes(now time.Time) int {
	q.mu.Lock()
	before := len(q.codes)
	q.codes = slices.DeleteFunc(q.codes, func(c *codeLetter) bool { return !c.begun && now.Sub(c.To.Since) >= notices.CodeLife })
	q.config.Stats.GivenUp.Add(int64(before - len(q.codes)))
	all := slices.Clone(q.codes)
	q.mu.Unlock()
	for _, c := range all {
		q.mu.Lock()
		due, again := !c.begun && !c.next.After(now), c.tries > 0
		q.mu.Unlock()
		if due && q.take(c.To.Kind, again) {
			q.beginCode(c, again)
		}
	}
	return len(all)
}

// beginCode tries to send a code, in a goroutine of its own. The caller has taken a try of the kind.
func (q *queue) beginCode(c *codeLetter, again bool) {
	end := func(done, delivered bool) {
		q.mu.Lock()
		c.begun = false
		c.next = q.config.Now().Add(pause(c.tries))
		c.tries++
		if done {
			q.codes = slices.DeleteFunc(q.codes, func(o *codeLetter) bool { return o == c })
		}
		q.mu.Unlock()
		q.release(c.To.Kind, again, delivered)
	}
	q.mu.Lock()
	c.begun = true
	q.mu.Unlock()
	if err := q.config.Tasks.Go(func(ctx, writes context.Context) { end(q.tryCode(ctx, writes, c)) }); err != nil { // the club closes
		end(true, false)
	}
}

// tryCode sends a code, unless it was sent or replaced or the notices to its address were stopped, and reports whether that is done, and whether it
// has come to the sender.
func (q *queue) tryCode(ctx, writes context.Context, c *codeLetter) (done, delivered bool) {
	contact, err := q.config.Store.Contact(ctx, c.Player)
	if err != nil {
		return false, false
	}
	if contact.Pending == nil || contact.Pending.Hash != c.Code.Hash || contact.Pending.Unsent == "" {
		return true, false
	}
	p, err := q.config.Store.Player(ctx, c.Player)
	if err != nil {
		return false, false
	}
	done = q.deliver(ctx, c.To, Letter{
		ID: fmt.Sprintf("%s.code.%d", c.Player, c.To.Since.UnixMilli()), Language: p.Settings.Language, Zone: p.Settings.Zone, Player: p.Name, Kind: CodeAsked, Code: c.Code.Text,
	})
	if done {
		if err := q.config.Store.CodeSent(writes, c.Player, c.Code.Hash); err != nil && ctx.Err() == nil {
			q.config.Log.Warn("a code that was sent may be sent again after a restart", "player", c.Player, "err", err)
		}
	}
	return done, true
}
