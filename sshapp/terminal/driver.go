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

// A driver is one session of Run. What commands may use of it stands first; all else belongs to the loop.
type driver struct {
	end   context.CancelCauseFunc // ends the session; the first cause counts
	over  <-chan struct{}         // closed when the session ends
	cause func() error            // of the session's end, nil before it
	msgs  chan tea.Msg            // from commands to the loop

	options Options
	stats   *Stats
	carrier Carrier
	env     []string

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
	d := &driver{options: o, stats: o.Stats, msgs: make(chan tea.Msg), changed: true}
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
	d.input.from = d.carrier.Chunks()
	d.input.limit(o)
	d.input.decoder.emit = d.receive
	d.input.decoder.dropped = func(n int) { d.stats.Dropped.Add(int64(n)) }
	d.output = newOutput(d.carrier, o.Stall, d.stats)
	d.idle = idle{last: time.Now(), limit: o.Idle}
	return d
}

func (d *driver) run(ctx context.Context, m tea.Model) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.end, d.over, d.cause = cancel, ctx.Done(), func() error { return context.Cause(ctx) }
	d.model = m
	d.alarm = newAlarm()
	defer d.alarm.timer.Stop()

	cancel(d.loop(ctx)) // counts only if nothing else ended the session
	err := d.cause()
	if err == errQuit {
		err = nil
	}
	d.part(err)
	return err
}

// errQuit is the cause of an end that the model wanted.
var errQuit = errors.New("terminal: the model quit")

// loop runs the model until it quits or the session ends, and says which.
func (d *driver) loop(ctx context.Context) error {
	defer d.rescue()
	d.begin()
	for {
		d.applyResize()
		d.draw()
		d.alarm.set(d.earliest())
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case chunk, ok := <-d.input.open():
			if !ok && ctx.Err() == nil {
				return ErrGone
			}
			d.input.take(chunk, time.Now())
		case msg := <-d.msgs:
			if err := d.take(msg); err != nil {
				return err
			}
		case err, ok := <-d.carrier.Written():
			if !ok {
				d.output.ended = true
				return ErrGone
			}
			if err := d.output.written(err); err != nil {
				return err
			}
		case window, ok := <-d.options.Resizes:
			if !ok {
				d.options.Resizes = nil
				continue
			}
			d.resized = &window
		case <-d.alarm.rings:
			if err := d.expire(time.Now()); err != nil {
				return err
			}
		}
	}
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
	sooner(d.input.paused)
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

// expire deals with what was waited for in vain. The error says that it ends the session.
func (d *driver) expire(now time.Time) error {
	d.alarm.rang()
	d.input.expire(now)
	if end := d.idle.end(); !end.IsZero() && !now.Before(end) {
		return ErrIdle
	}
	if end := d.output.until; !end.IsZero() && !now.Before(end) {
		d.stats.Stalls.Add(1)
		return ErrStalled
	}
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

	last := d.screen.modes.restore(nil, d.screen)
	if d.options.Farewell != nil {
		if words := d.options.Farewell(err); words != "" {
			last = append(last, strings.ReplaceAll(strings.TrimRight(words, "\n"), "\n", "\r\n")...)
			last = append(last, "\r\n"...)
		}
	}
	if !errors.Is(err, ErrStalled) && !d.output.ended {
		d.writeLast(last)
	}
	_ = d.carrier.Close() // the client may have closed it long ago
}

// writeLast writes what is under way and the last frame, for Options.Parting at most.
func (d *driver) writeLast(last []byte) {
	limit := d.options.Parting
	if limit <= 0 {
		limit = defaultParting
	}
	patience := time.NewTimer(limit)
	defer patience.Stop()
	for d.output.busy || last != nil {
		if !d.output.busy {
			d.output.send(last, time.Now())
			last = nil
		}
		select {
		case err, ok := <-d.carrier.Written():
			if !ok || d.output.written(err) != nil {
				return
			}
		case <-patience.C:
			return
		}
	}
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
