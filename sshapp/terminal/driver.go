package terminal

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// defaultParting is how long a client gets to take the last frame if Options don't say.
const defaultParting = 2 * time.Second

// A driver is one session of Run. What commands and the loop may use of it stands first; all else belongs to whoever has the
// turn: the carrier's reader for what is typed, its writer for what has been written, and the loop for the rest.
type driver struct {
	end   context.CancelCauseFunc // ends the session; the first cause counts
	over  <-chan struct{}         // closed when the session ends
	cause func() error            // of the session's end, nil before it
	msgs  chan tea.Msg            // from commands to the loop

	options Options
	stats   *Stats
	carrier Carrier
	env     []string

	turn     sync.Mutex // guards what follows; nobody waits for a client while he has it
	ended    bool       // the model has no say any more
	now      time.Time  // when the turn began
	model    tea.Model
	onMouse  func(tea.MouseMsg) tea.Cmd // of the view last drawn
	changed  bool                       // since the last frame
	fresh    bool                       // changed since draw last looked
	ring     bool
	resized  *Window   // the newest size that the model has not been told
	next     time.Time // no frame before
	nextSize time.Time // no new size before

	input  input
	screen *screen
	frame  []byte
	output output
	idle   idle
	alarm  alarm
}

func newDriver(s Session, o Options) *driver {
	d := &driver{
		options: o, stats: o.Stats, msgs: make(chan tea.Msg), changed: true, now: time.Now(),
	}
	if d.stats == nil {
		d.stats = new(Stats)
	}
	d.carrier = carrierOf(s)
	plain := isPlain(o.Term)
	profile := o.Profile
	if profile == nil {
		worked := profileOf(o.Term, o.Env)
		profile = &worked
	}
	d.env = append([]string{"TERM=" + o.Term}, o.Env...)
	d.screen = newScreen(newPalette(*profile, plain), plain)
	d.resize(o.Window)
	d.input.limit(o)
	d.input.decoder.emit = d.receive
	d.input.decoder.dropped = func(n int) { d.stats.Dropped.Add(int64(n)) }
	d.output = newOutput(d.carrier, o.Stall, d.stats)
	d.idle = idle{last: d.now, limit: o.Idle}
	return d
}

func (d *driver) run(ctx context.Context, m tea.Model) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.end, d.over, d.cause = cancel, ctx.Done(), func() error { return context.Cause(ctx) }
	d.model = m
	d.alarm = newAlarm()
	defer d.alarm.timer.Stop()

	opened := false
	open := func() {
		opened = true
		d.take(func() error {
			d.carrier.Carry(d) // who is to be told of keys waits for his turn
			d.begin()
			return nil
		})
	}
	d.options.Crowd.serve(d.over, open)
	if !opened { // the end came first: there is a carrier to part from all the same
		open()
	}
	d.loop()
	err := d.cause()
	if err == errQuit {
		err = nil
	}
	d.part(err)
	return err
}

// errQuit is the cause of an end that the model wanted.
var errQuit = errors.New("terminal: the model quit")

// take takes the turn for something that may change the model.
func (d *driver) take(do func() error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	d.use(do)
}

// use is what is done with the turn.
func (d *driver) use(do func() error) {
	if d.ended {
		return
	}
	defer d.rescueTurn()
	d.now = time.Now()
	d.finish(do())
}

// finish ends a turn: what has changed is drawn, an error ends the session.
func (d *driver) finish(err error) {
	switch {
	case d.ended:
	case err != nil:
		d.ended = true
		d.end(err)
	default:
		d.draw()
		d.alarm.set(d.earliest())
	}
}

// loop takes the turn for what doesn't come from the carrier, with the crowd, until the session ends.
func (d *driver) loop() {
	for {
		select {
		case <-d.over:
			return
		case msg := <-d.msgs:
			d.join(func() error { return d.tell(msg) })
		case window, ok := <-d.options.Resizes:
			if !ok {
				d.options.Resizes = nil
				continue
			}
			d.join(func() error { d.resized = &window; d.applyResize(); return nil })
		case <-d.alarm.rings:
			d.join(d.expire)
		}
	}
}

// join takes the turn when the crowd has a place.
func (d *driver) join(do func() error) { d.options.Crowd.serve(d.over, func() { d.take(do) }) }

// Typed decodes what the client has typed. It returns when there may be more.
func (d *driver) Typed(chunk []byte) (reply []byte) {
	reply, flooded := d.typed(chunk)
	if flooded {
		<-time.After(dropPause) // also when the session is over: it is short
	}
	return reply
}

func (d *driver) typed(chunk []byte) (reply []byte, flooded bool) {
	d.turn.Lock()
	defer d.turn.Unlock()
	d.output.hold()
	d.use(func() error { flooded = d.input.take(chunk, d.now); return nil })
	return d.output.release(), flooded
}

// HungUp ends the session: nothing more will be typed.
func (d *driver) HungUp() { d.take(func() error { return ErrGone }) }

// Written goes on with what is to be written, also after the model has had its last say.
func (d *driver) Written(err error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	defer d.rescueTurn()
	d.now = time.Now()
	d.finish(d.output.written(err, d.now))
}

// earliest is when the loop has something to do if nothing happens until then: the zero time if nothing has to be done.
func (d *driver) earliest() time.Time {
	at := d.idle.end()
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	sooner(d.input.until)
	sooner(d.output.until)
	if d.output.busy {
		return at // the rest waits for the writer
	}
	if d.changed {
		sooner(d.next)
	}
	if d.resized != nil {
		sooner(d.nextFit())
	}
	return at
}

// expire deals with what was waited for, most of it in vain. The error says that it ends the session.
func (d *driver) expire() error {
	d.alarm.rang()
	d.input.expire(d.now)
	if end := d.idle.end(); !end.IsZero() && !d.now.Before(end) {
		return ErrIdle
	}
	if end := d.output.until; !end.IsZero() && !d.now.Before(end) {
		d.stats.Stalls.Add(1)
		return ErrStalled
	}
	d.applyResize()
	return nil
}

// part restores the terminal and closes the session. A client that doesn't read is given Options.Parting, one that had its
// chance already is given none.
func (d *driver) part(err error) {
	var dropping sync.WaitGroup
	defer dropping.Wait()
	parted := make(chan struct{})
	defer close(parted)
	dropping.Go(func() { d.dropResizes(parted) })

	words := ""
	if d.options.Farewell != nil {
		words = d.options.Farewell(err)
	}
	d.sendLast(words, errors.Is(err, ErrStalled))
	limit := d.options.Parting
	if limit <= 0 {
		limit = defaultParting
	}
	patience := time.NewTimer(limit)
	defer patience.Stop()
	select {
	case <-d.output.done:
	case <-patience.C:
	}
	d.giveUp()
	_ = d.carrier.Close() // the client may have closed it long ago
}

// sendLast sends what restores the terminal, and words to leave on it, unless the client has stalled. From then on the model
// has no say.
func (d *driver) sendLast(words string, stalled bool) {
	d.turn.Lock()
	defer d.turn.Unlock()
	d.ended = true
	if stalled {
		d.output.finish(nil, d.now)
		return
	}
	last := d.screen.modes.restore(nil, d.screen)
	if words != "" {
		last = append(last, strings.ReplaceAll(strings.TrimRight(words, "\n"), "\n", "\r\n")...)
		last = append(last, "\r\n"...)
	}
	d.output.finish(last, d.now)
}

// giveUp lets nothing more be written, whatever is left, and lets go of what a carrier that knows the driver would keep in memory.
func (d *driver) giveUp() {
	d.turn.Lock()
	defer d.turn.Unlock()
	d.output.ended = true
	d.model, d.onMouse, d.screen, d.frame = nil, nil, nil, nil
}

// dropResizes takes sizes that nobody needs any more. Whoever sends them is often the one who reads the client's connection, and
// must not wait while the session is being closed: closing may need what that one reads.
func (d *driver) dropResizes(parted <-chan struct{}) {
	for {
		select {
		case <-parted:
			return
		case _, ok := <-d.options.Resizes:
			if !ok {
				return
			}
		}
	}
}
