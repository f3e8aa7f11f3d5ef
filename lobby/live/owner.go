package live

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// An owner is the goroutine of a match, which alone holds the state. The order is always: check, append, change, publish. So a view never shows
// what a crash could lose. The parts of an owner, each in a file of its own, decide what the match does without a request; the owner
// calls them and writes.
type owner struct {
	match     *Match
	config    *Config
	state     match.State
	viewed    *match.State // a copy of state that its views share; nil until there is a view
	ratings   *[2]results.RatingChange
	strength  [2]match.Strength
	rated     [2]bool // strength is known of the side
	owned     bool    // this node owns the match
	end       ending
	uncertain uncertainCommit
	release   func() // called when uncertain is resolved; nil if there is nothing to release

	journal *journal
	retries retries
	timers  timers
	bot     botPlayer
	draws   drawReplies
	hints   hints
	planned plannedMoves
}

// An ending is the reason why a match can't go on. It is zero while the match goes on, and for a match that is over.
type ending uint8

const (
	notOpened ending = iota + 1 // it could not be opened
	damaged                     // its log can't be read
	unloaded                    // it is no longer in memory
)

// err returns the error for requests to a match that has stopped. over is true if the match is over.
func (e ending) err(over bool) error {
	switch {
	case over:
		return match.ErrOver
	case e == damaged:
		return refusal.ErrDamaged
	case e == unloaded:
		return ErrUnloaded
	}
	return refusal.ErrClosed
}

// ended reports whether the match is over or can't go on.
func (o *owner) ended() bool { return o.state.Over() || o.end != 0 }

// run is Match.Run.
func (o *owner) run(ctx, writes context.Context, begun func()) {
	defer func() {
		o.bot.drop()
		o.draws.drop()
		o.hints.drop(o.end.err(o.state.Over()))
		o.releaseHeld()
	}()
	m := o.match
	m.begin(writes)
	begun()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !o.ended() {
		timer.Stop()
		if at := o.nextTimer(); !at.IsZero() {
			timer.Reset(time.Until(at))
		}
		var arrivals <-chan struct{}
		if m.readers.unwatched.Load() || o.bot.paused() {
			arrivals = m.views.Arrivals()
		}
		changed := false
		select {
		case <-ctx.Done():
			return
		case answer := <-m.rests:
			o.runTimers(writes) // due actions come first: the match may have been loaded for one
			o.runClock(writes)
			answer <- o.unload()
			continue
		case r := <-m.requests:
			o.timers.used()
			o.runTimers(writes) // due actions come first: an offer whose owner has gone can't be taken
			o.do(writes, r)
		case r := <-m.hintRequests:
			o.timers.used()
			if o.uncertain.is {
				r.answer <- hintAnswer{err: refusal.ErrBusy}
			} else {
				o.hints.start(writes, &o.state, r)
			}
		case u := <-o.hints.search.updates:
			o.hints.updated(&o.state, u, func(seat storage.Seat) error { return o.writeHelped(writes, seat) })
		case u := <-o.bot.reply.updates:
			changed = o.bot.updated(u)
		case u := <-o.draws.answer.updates:
			o.draws.updated(m.id, u)
		case ahead := <-o.bot.reply.places:
			changed = o.bot.movedUp(ahead)
		case <-arrivals:
		case <-m.wake:
		case <-timer.C:
		}
		if changed {
			o.publish()
		}
		o.runTimers(writes)
		o.runClock(writes)
	}
}

// resume starts a match from the state in its log.
func (o *owner) resume(ctx context.Context) {
	o.owned = o.config.Owned(o.match.id)
	if o.owned && o.timers.interrupted(&o.state) {
		if act, at := o.config.resumeAct(&o.state); o.act(ctx, act, at) == nil {
			return
		}
	}
	o.afterChange(ctx)
}

// do carries out one request.
func (o *owner) do(ctx context.Context, r request) {
	wasUncertain := o.uncertain.is
	err := o.retries.safely(func() error {
		o.catchUp(ctx)
		switch {
		case o.end != 0:
			return o.end.err(o.state.Over())
		case o.uncertain.is, o.behind():
			return refusal.ErrBusy
		case r.act == nil: // Refresh
			return nil
		case o.timers.interrupted(&o.state):
			return refusal.ErrBusy
		}
		o.journal.entry = r.entry
		return o.act(ctx, r.act, r.at)
	})
	o.journal.entry = nil
	if o.state.Seq == 0 && !o.uncertain.is {
		o.end = notOpened
	}
	if o.uncertain.is && !wasUncertain {
		o.release = r.release
	} else {
		r.release()
	}
	r.answer <- err
}

// releaseHeld calls the release of the request whose commit was uncertain.
func (o *owner) releaseHeld() {
	if o.release != nil {
		o.release()
		o.release = nil
	}
}

// act writes the events of an act that arrived at a time. If another node has written to the log first, the act is checked again on the new state.
func (o *owner) act(ctx context.Context, act match.Act, at time.Time) error {
	const tries = 5 // each but the last was overtaken by an opponent or a timer
	for range tries {
		events, err := act(&o.state)
		if err == nil && len(events) > 0 {
			err = o.write(ctx, events, at)
		}
		switch {
		case errors.Is(err, errOvertaken):
		case err == nil, errors.Is(err, refusal.ErrBusy), !o.readOthersEvents(ctx):
			return err
		}
	}
	return match.ErrLate
}

// errOvertaken means that another node has written to the log first. The match has applied those events.
var errOvertaken = errors.New("another node was faster")

// write checks events and appends them, together with the end of the game that they may bring. Only then it changes the state and publishes.
func (o *owner) write(ctx context.Context, events []matches.Event, at time.Time) error {
	next, added, err := o.state.Extend(events, at, o.config.MaxPlies, o.config.Catalogue.Game)
	if err != nil {
		return err
	}
	ratings, err := o.journal.append(ctx, &o.state, &next, added)
	switch {
	case err == nil:
		o.retries.succeeded()
		o.config.Stats.count(&o.state, &next)
		o.apply(ctx, next, ratings)
		return nil
	case o.state.Seq > 0 && (errors.Is(err, storage.ErrStale) || errors.Is(err, storage.ErrNotFound)):
		was := o.state.Seq
		o.match.Follow(was + 1)
		switch o.catchUp(ctx); {
		case o.behind():
			return refusal.ErrBusy
		case o.state.Seq > was || o.ended():
			return errOvertaken
		}
	}
	return o.writeFailed(ctx, err, next, added)
}

// apply makes next, which is on disk, the state of the match. This node or another one wrote it.
func (o *owner) apply(ctx context.Context, next match.State, ratings *[2]results.RatingChange) {
	if !o.state.SamePosition(&next) {
		o.hints.drop(match.ErrLate)
	}
	if !o.state.SamePosition(&next) || !o.state.Started.Equal(next.Started) {
		o.bot.drop() // in the same position it goes on thinking
	}
	o.state, o.viewed, o.ratings = next, nil, ratings
	o.timers.waiting.ChangedAt = time.Now()
	o.afterChange(ctx)
}

// afterChange starts the computer player, notifies the registry and publishes, after a change or when the match is resumed.
func (o *owner) afterChange(ctx context.Context) {
	o.timers.changed(&o.state)
	o.planned.changed()
	for side, who := range o.state.Seats {
		if who.Kind != storage.Free && !o.rated[side] && !atOneKeyboard(&o.state) {
			o.rated[side] = true
			o.strength[side] = o.config.Players.Strength(ctx, who, o.state.Opening.Game)
		}
	}
	if o.owned && !o.bot.begun() {
		o.bot.start(ctx, &o.state, o.match.readers)
	}
	o.draws.consider(ctx, &o.state, o.owned)
	o.timers.lookAtFirstMove(&o.state)
	o.config.Registry.Changed(o.match, o.view())
	o.publish()
	o.releaseHeld()
}

func (o *owner) view() *match.View {
	if o.viewed == nil {
		s := o.state
		o.viewed = &s
	}
	v := o.viewed.View()
	for side, who := range v.Seats {
		v.Seats[side] = o.config.Players.Named(who)
	}
	v.Strength, v.Ratings, v.Reply, v.Ahead, v.FirstMoveBy = o.strength, o.ratings, o.bot.reply.status, o.bot.reply.ahead, o.timers.firstBy
	v.Planned = o.planned.due(&o.state)
	if !o.owned && botToMove(&o.state) {
		v.Reply = match.Thinking // on another node
	}
	return v
}

// publish publishes the present view to all readers.
func (o *owner) publish() {
	v := o.view()
	o.match.views.Update(func(_ *match.View, seq uint64) (*match.View, bool) {
		v.Seq = seq
		v.Presence, v.Spectators = o.config.Presence.Presence(o.match.id, v.Seats) // inside Update, so that no newer presence is published before
		return v, true
	})
}

// writeFailed reads the match again after a failed write. It returns nil if the store has the added events, which lead to next.
func (o *owner) writeFailed(ctx context.Context, cause error, next match.State, added []matches.Event) error {
	if opening := o.state.Seq == 0; errors.Is(cause, storage.ErrCodeTaken) || opening && (errors.Is(cause, storage.ErrStale) || errors.Is(cause, cluster.ErrTaken)) {
		return cause // the opening was refused, because the code or id is taken or the terms don't hold: there is no match
	}
	if o.retries.failures == 0 {
		o.config.Log.Error("writing to a match failed", "match", o.match.id, "err", cause)
	}
	o.retries.failures++
	o.bot.drop()
	o.draws.drop()
	o.uncertain = uncertainCommit{is: true, next: next, added: added}
	written := o.reload(ctx)
	switch {
	case o.uncertain.is || o.end != 0:
		return refusal.ErrBusy
	case written:
		return nil
	case errors.Is(cause, storage.ErrStale):
		return match.ErrLate
	}
	return refusal.ErrBusy
}

// reload reads the match again and, if that succeeds, applies what it reads. written reports whether the store has the uncertain
// commit.
func (o *owner) reload(ctx context.Context) (written bool) {
	s, written, ratings, err := o.journal.read(ctx, &o.uncertain)
	switch {
	case o.state.Seq == 0 && (errors.Is(err, storage.ErrNotFound) || err == nil && !written):
		o.end, o.uncertain = notOpened, uncertainCommit{} // it was never written; a match with this id is another one
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, match.ErrLog), errors.Is(err, storage.ErrDamaged):
		o.quarantine(err)
	case err != nil:
		o.uncertain.tries++
		o.uncertain.retryAt = time.Now().Add(backoff(o.uncertain.tries))
	default:
		o.uncertain = uncertainCommit{}
		o.config.Stats.count(&o.state, &s)
		o.apply(ctx, s, ratings)
		return written
	}
	return false
}

// behind reports whether the log has, or may have, events that the match has not applied.
func (o *owner) behind() bool { return o.match.others.unread(o.state.Seq) && !o.ended() }

// catchUp applies events that other nodes have written. If the log can't be read, the match stays behind and retries.
func (o *owner) catchUp(ctx context.Context) {
	if !o.behind() || o.uncertain.is || o.state.Seq == 0 {
		return
	}
	next, ratings, err := o.match.others.read(ctx, &o.state)
	switch {
	case errors.Is(err, errNothingNew):
	case errors.Is(err, match.ErrLog), errors.Is(err, storage.ErrDamaged), errors.Is(err, storage.ErrNotFound):
		o.quarantine(err)
	case err != nil:
		o.match.others.doubt()
		o.retries.failures++
		o.retries.rest()
	default:
		o.retries.succeeded()
		o.apply(ctx, next, ratings)
	}
}

// readOthersEvents reads events of other nodes that may not have been announced yet, and reports whether the match has changed.
func (o *owner) readOthersEvents(ctx context.Context) bool {
	if !o.config.Nodes.Several() || o.uncertain.is || o.state.Seq == 0 || o.ended() {
		return false
	}
	was := o.state.Seq
	o.match.others.doubt()
	o.catchUp(ctx)
	return o.state.Seq > was || o.state.Over()
}

// quarantine takes the match out of play because its log can't be read.
func (o *owner) quarantine(cause error) {
	o.config.Log.Error("the log of a match is damaged", "match", o.match.id, "err", cause)
	o.end, o.uncertain = damaged, uncertainCommit{}
	o.config.Registry.Quarantine(o.match)
	o.match.views.Close(refusal.ErrDamaged)
}

// lookAtOwner starts or stops computer players if this node has become or ceased to be the owner of the match.
func (o *owner) lookAtOwner(ctx context.Context) {
	owned := o.config.Owned(o.match.id)
	if owned == o.owned {
		return
	}
	o.owned = owned
	if owned {
		o.bot.start(ctx, &o.state, o.match.readers)
	} else {
		o.bot.drop()
	}
	o.draws.consider(ctx, &o.state, owned)
	o.publish()
}

// A match does this without a request: computer players reply, clocks run out, absent guests leave, offers expire, an evicted match ends, a match
// with a computer player checks whether it has readers, an uncertain commit is read again, and an idle match leaves memory.

// nextTimer returns when the match next has something to do without a request; zero for never.
func (o *owner) nextTimer() (at time.Time) {
	if o.uncertain.is {
		return o.uncertain.retryAt
	}
	if o.behind() {
		return later(o.retries.until, time.Now())
	}
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	readers := o.match.readers
	sooner(o.bot.replyAt(&o.state))
	if o.draws.answer.ready || o.match.evicted.Load() || o.owned && o.planned.due(&o.state) {
		sooner(time.Now())
	}
	sooner(readers.lookAt(o.state.HasBot()))
	if !o.busy() {
		sooner(o.timers.idleAt(readers.idleSince()))
	}
	if o.owned {
		if o.bot.paused() {
			sooner(readers.tooLongAt())
		}
		_, leaves := o.timers.leaving(&o.state)
		sooner(leaves)
		sooner(o.timers.clockAt(&o.state))
	}
	if at.Before(o.retries.until) && !at.IsZero() {
		return o.retries.until
	}
	return at
}

// runTimers does what is due, except for the clock.
func (o *owner) runTimers(ctx context.Context) {
	now := time.Now()
	due := func(t time.Time) bool { return !t.IsZero() && !now.Before(t) }
	if o.match.again.Swap(false) {
		o.retries.until, o.uncertain.retryAt = now, now
	}
	switch {
	case o.ended():
		return
	case o.uncertain.is:
		if due(o.uncertain.retryAt) {
			o.reload(ctx)
		}
		return
	case now.Before(o.retries.until):
		return
	}
	if o.catchUp(ctx); o.behind() || o.ended() {
		return
	}
	o.lookAtOwner(ctx)
	readers := o.match.readers
	if readers.look(o.state.HasBot()) {
		o.config.Registry.Changed(o.match, o.view())
	}
	if o.timers.lookAtFirstMove(&o.state) {
		o.publish()
	}
	seat, leaves := storage.Nobody, time.Time{}
	if o.owned {
		seat, leaves = o.timers.leaving(&o.state)
	}
	write := func(events []matches.Event, at time.Time) error { return o.write(ctx, events, at) }
	actNow := func(act match.Act) error { return o.act(ctx, act, o.config.Now()) }
	o.retries.timed(func() error {
		switch {
		case o.owned && o.timers.interrupted(&o.state):
			act, at := o.config.resumeAct(&o.state)
			return o.act(ctx, act, at)
		case o.match.evicted.Load():
			return actNow(match.Leave(storage.Nobody))
		case due(leaves):
			return actNow(match.Leave(seat))
		case o.bot.paused() && readers.lately():
			o.bot.start(ctx, &o.state, readers)
			o.publish()
		case o.bot.paused() && due(readers.tooLongAt()):
			return actNow(match.Leave(storage.Nobody))
		case due(o.bot.replyAt(&o.state)):
			return o.bot.play(&o.state, write)
		case o.draws.answer.ready:
			return o.draws.reply(&o.state, write)
		case o.owned && o.planned.due(&o.state):
			return o.planned.play(ctx, &o.state, actNow, func() { o.config.Registry.Changed(o.match, o.view()) })
		}
		return nil
	})
	if !o.busy() && due(o.timers.idleAt(readers.idleSince())) {
		o.unload()
	}
}

// busy reports whether the match can't leave memory: it has something to do, or a request for a hint waits.
func (o *owner) busy() bool {
	return o.ended() || o.uncertain.is || o.hints.searches() || o.match.evicted.Load() || o.bot.searches() || o.draws.pending() ||
		o.owned && o.planned.due(&o.state) ||
		time.Now().Before(o.retries.until)
}

// unload removes the match from memory unless it is busy or has a reader, and reports whether it is removed.
func (o *owner) unload() bool {
	if o.end == unloaded || o.busy() {
		return o.end == unloaded
	}
	w := o.timers.waiting
	_, w.ReadAt = o.match.readers.last()
	if !o.config.Registry.Unload(o.match, w) {
		return false
	}
	o.end = unloaded
	return true
}

// runClock ends the match if the time of the side to move is up. A computer player that is about to run out of time moves at once.
func (o *owner) runClock(ctx context.Context) {
	for range maxServed {
		if !o.clockDue() {
			return
		}
		select {
		case r := <-o.match.requests:
			o.timers.used()
			o.do(ctx, r)
			continue
		default:
		}
		break
	}
	if !o.clockDue() {
		return
	}
	o.retries.timed(func() error {
		if botToMove(&o.state) {
			o.bot.hurry(&o.state)
			return o.bot.play(&o.state, func(events []matches.Event, at time.Time) error { return o.write(ctx, events, at) })
		}
		return o.act(ctx, func(s *match.State) ([]matches.Event, error) {
			if !o.clockDue() {
				return nil, nil // a move was made first
			}
			return match.Flag()(s)
		}, o.config.Now())
	})
}

// clockDue reports whether the clock has something to do now.
func (o *owner) clockDue() bool {
	now := time.Now()
	if !o.owned || o.ended() || o.uncertain.is || o.behind() || o.timers.interrupted(&o.state) || now.Before(o.retries.until) {
		return false
	}
	at := o.timers.clockAt(&o.state)
	return !at.IsZero() && !now.Before(at)
}

// writeHelped writes the event that the user in a seat is helped, unless the log has it already.
func (o *owner) writeHelped(ctx context.Context, seat storage.Seat) error {
	return o.retries.safely(func() error {
		switch {
		case o.uncertain.is:
			return refusal.ErrBusy
		case o.state.Hinted: // before a restart
			return nil
		}
		return o.write(ctx, []matches.Event{{Kind: matches.Helped, Seat: seat}}, o.config.Now())
	})
}

// atOneKeyboard reports whether one user has both seats, even under two names: ratings don't apply.
func atOneKeyboard(s *match.State) bool {
	a, b := s.Seats[games.First], s.Seats[games.Second]
	return (a.Kind.HasAccount() || a.Kind == storage.Guest) && match.KeyOf(a) == match.KeyOf(b)
}
