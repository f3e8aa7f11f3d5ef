package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

// partingTime is how long a client gets to take the last frame, which restores its terminal.
const partingTime = 2 * time.Second

// A driver is one session of Run.
type driver struct {
	session Session
	options Options
	env     []string
	stats   *Stats

	end   context.CancelCauseFunc // ends the session; the first cause counts
	cause func() error            // of the session's end, nil before it

	input      input
	screen     *screen
	writer     *writer
	idle       idle
	frameTimer *time.Timer
	pokes      chan struct{}
	carriers   sync.WaitGroup         // all goroutines but the writer's
	still      func()                 // run once the program has started
	resized    atomic.Pointer[Window] // the newest size the loop hasn't taken
}

func newDriver(s Session, o Options) *driver {
	d := &driver{session: s, options: o, stats: o.Stats, pokes: make(chan struct{}, 1)}
	if d.stats == nil {
		d.stats = new(Stats)
	}
	plain := isPlain(o.Term)
	profile := o.Profile
	if profile == nil {
		worked := profileOf(o.Term, o.Env)
		profile = &worked
	}
	d.env = append([]string{"TERM=" + o.Term}, o.Env...)
	d.screen = newScreen(newPalette(*profile, plain), plain)
	d.screen.resize(o.Window)
	if Clamp(o.Window) != o.Window {
		d.stats.Clamps.Add(1)
	}
	d.writer = newWriter(o.Stall, d.stats)
	return d
}

func (d *driver) run(ctx context.Context, m tea.Model) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.end, d.cause = cancel, func() error { return context.Cause(ctx) }

	s := &shell{driver: d, inner: m, changed: true}
	d.input.taken = make(chan struct{}, 1)
	d.input.limit(d.options)
	d.input.decoder.emit = s.receive
	d.input.decoder.dropped = func(n int) { d.stats.Dropped.Add(int64(n)) }
	d.startTimers()
	defer d.stopTimers()

	program := tea.NewProgram(s, tea.WithContext(ctx), tea.WithFilter(s.filter), tea.WithoutRenderer(), tea.WithFPS(1),
		tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutSignalHandler(), tea.WithEnvironment(d.env),
		tea.WithColorProfile(d.screen.palette.profile), tea.WithWindowSize(d.screen.canvas.Width, d.screen.canvas.Height))

	d.still = func() { stopTicker(ctx, program) }
	written := make(chan struct{})
	d.carriers.Go(func() { d.poke(ctx, program) })
	d.carriers.Go(func() {
		if err := d.input.read(ctx, d.session, func(msg any) { program.Send(msg) }, d.input.decoder.dropped); err != nil {
			cancel(err)
		}
	})
	go func() {
		defer close(written)
		d.writer.run(d.session, d.wake, cancel)
	}()

	parted := make(chan struct{})
	d.carriers.Go(func() { d.resize(parted) })

	_, err := program.Run()
	cancel(ending(err)) // counts only if nothing else ended the program
	if err = d.cause(); err == errQuit {
		err = nil
	}
	d.part(err, written)
	close(parted)
	d.carriers.Wait()
	return err
}

// stayingTime is how long a session lasts before it is worth its while to stop its ticker.
const stayingTime = time.Second

// stopTicker stops the ticker that Bubble Tea starts for its renderer, although there is none: a thousand sessions at rest would
// wake the processor a thousand times a second. Apart from that ReleaseTerminal gives back a terminal that the program never
// had. It waits half a second for a reader that isn't there either, which is why short visits are spared.
func stopTicker(ctx context.Context, program *tea.Program) {
	staying := time.NewTimer(stayingTime)
	defer staying.Stop()
	select {
	case <-staying.C:
		_ = program.ReleaseTerminal() // can't fail without a terminal
	case <-ctx.Done():
	}
}

// errQuit is the cause of an end that the model wanted.
var errQuit = errors.New("terminal: the model quit")

// ending says why the program ended by itself.
func ending(err error) error {
	switch {
	case err == nil:
		return errQuit
	case errors.Is(err, tea.ErrProgramPanic):
		return fmt.Errorf("%w: %w", ErrPanic, err) // in Bubble Tea itself, which keeps no more of it
	default:
		return fmt.Errorf("terminal: %w", err)
	}
}

// part restores the terminal, closes the session and waits for the writer. A client that doesn't read is given partingTime,
// one that had its chance already is given none.
func (d *driver) part(err error, written <-chan struct{}) {
	last := d.screen.modes.restore(nil, d.screen)
	if d.options.Farewell != nil {
		if words := d.options.Farewell(err); words != "" {
			last = append(last, strings.ReplaceAll(strings.TrimRight(words, "\n"), "\n", "\r\n")...)
			last = append(last, "\r\n"...)
		}
	}
	d.writer.finish(last)
	if !errors.Is(err, ErrStalled) {
		patience := time.NewTimer(partingTime)
		select {
		case <-written:
		case <-patience.C:
		}
		patience.Stop()
	}
	_ = d.session.Close() // the client may have closed it long ago
	<-written
}

// poke tells the loop to look at what is due. It is the one, next to the reader, who may wait for a busy loop.
func (d *driver) poke(ctx context.Context, program *tea.Program) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.pokes:
			program.Send(pokeMsg{})
		}
	}
}

// wake asks for a poke; it never waits.
func (d *driver) wake() {
	select {
	case d.pokes <- struct{}{}:
	default: // one is coming anyway
	}
}

// resize takes new sizes as they come and keeps the newest. Whoever sends them is often the one who reads the client's
// connection, and must not wait even while the session is being closed: closing may need what that one reads.
func (d *driver) resize(parted <-chan struct{}) {
	for {
		select {
		case <-parted:
			return
		case window, open := <-d.options.Resizes:
			if !open {
				return
			}
			d.resized.Store(&window)
			d.wake()
		}
	}
}

// startTimers makes the timers, all of them at rest but the idle limit. What they call never waits.
func (d *driver) startTimers() {
	d.frameTimer = time.AfterFunc(time.Hour, d.wake)
	d.frameTimer.Stop()
	d.input.timer = time.AfterFunc(time.Hour, d.wake)
	d.input.timer.Stop()
	d.idle.timer = time.AfterFunc(time.Hour, func() { d.end(ErrIdle) })
	d.idle.timer.Stop()
	d.idle.last = time.Now()
	d.idle.setLimit(d.options.Idle)
}

func (d *driver) stopTimers() {
	d.frameTimer.Stop()
	d.input.timer.Stop()
	d.idle.timer.Stop()
}
