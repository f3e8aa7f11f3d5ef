package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
)

const (
	// frameTime is the least time between two frames. The first one after a pause doesn't wait.
	frameTime = time.Second / 60

	// resizeTime is the least time between two new sizes. Each costs a whole screen, a hundred times what a key does, and
	// five a second are enough while a window is dragged. The first one after a pause doesn't wait.
	resizeTime = 200 * time.Millisecond

	// defaultRestoreTime is the default of Options.RestoreTime.
	defaultRestoreTime = 2 * time.Second

	// maxKeptFrame is the largest buffer a session keeps for its next frame, in bytes: room for all of the largest canvas.
	maxKeptFrame = MaxWidth * MaxHeight * 3 / 2
)

// Run shows model m to the client behind s until the model quits, ctx ends, the client is gone, stalls or is idle for too long.
// It returns nil when the model quit, the cause of ctx when that ended, else one of the errors above. Before it returns it
// restores the terminal as far as the client reads, closes s once and waits for its goroutines.
//
// Read of s returns keys, Write takes frames, and both may block for as long as the client likes. Close is called while they run and must
// end a blocked Read and Write. The Close of an SSH channel alone isn't enough: it neither waits for nor wakes a blocked goroutine. Run reads
// from one goroutine and writes from another. If s is a Runner, it runs both of them itself, and waits for them in place of Run.
//
// Commands of m that still run when Run returns must end with a context of the caller's. Their messages are dropped.
func Run(ctx context.Context, s io.ReadWriteCloser, m tea.Model, o Options) error {
	return newDriver(o).run(ctx, s, m)
}

// A Runner is a transport that lets f read or write without a goroutine in between. Otherwise such a goroutine is needed to end a blocked
// Read or Write of an SSH channel, and each key and each frame must wake it. In f, Read and Write may block after Close, and the transport
// waits for f. This way a key wakes 5 goroutines instead of 8, with 3.1 instead of 4.4 futex calls.
type Runner interface {
	Go(f func(io.ReadWriter))
}

// A driver is one session of Run. Commands use what stands first; all else belongs to the loop.
type driver struct {
	end   context.CancelCauseFunc // ends the session; the first cause counts
	over  <-chan struct{}         // closed when the session ends
	cause func() error            // of the session's end, nil before it
	msgs  chan tea.Msg            // from commands to the loop

	options Options
	stats   *Stats
	env     []string
	input   input
	screen  *screen
	writer  *writer

	now      time.Time // when the present step began
	model    tea.Model
	begun    bool                       // the model has been told of its terminal
	waiting  func() error               // for a place of the renderer; nil is nothing
	onMouse  func(tea.MouseMsg) tea.Cmd // of the view last drawn
	frame    []byte                     // room for the next frame
	changed  bool                       // since the last frame
	fresh    bool                       // changed since draw last looked
	ring     bool                       // the bell with the next frame
	notifier notifier                   // of this terminal
	notice   *Notify                    // the notification with the next frame; nil: none
	next     time.Time                  // no frame before
	resized  *Window                    // the newest size that the model has not been told
	nextSize time.Time                  // no new size before

	idleLimit time.Duration // zero is never
	pressed   time.Time     // when the user last pressed a key
}

func newDriver(o Options) *driver {
	d := &driver{options: o, stats: o.Stats, msgs: make(chan tea.Msg), changed: true, now: time.Now(), idleLimit: o.Idle}
	if d.stats == nil {
		d.stats = new(Stats)
	}
	if d.options.Renderer == nil {
		d.options.Renderer = new(Renderer)
	}
	plain := isPlain(o.Term)
	profile := o.Profile
	if profile == nil {
		detected := profileOf(o.Term, o.Env)
		profile = &detected
	}
	d.env = append([]string{"TERM=" + o.Term}, o.Env...)
	d.screen = newScreen(newPalette(*profile, plain), plain)
	d.notifier = notifierOf(o.Term, o.Env)
	d.resize(o.Window)
	d.input = newInput(o.PasteBytes, d.receive, func(n int) { d.stats.Dropped.Add(int64(n)) })
	d.writer = newWriter(o.Stall, d.stats)
	d.pressed = d.now
	return d
}

// errQuit is the cause of an end that the model wanted.
var errQuit = errors.New("terminal: the model quit")

func (d *driver) run(ctx context.Context, s io.ReadWriteCloser, m tea.Model) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.end, d.over, d.cause = cancel, ctx.Done(), func() error { return context.Cause(ctx) }
	d.model = m

	closed, closing := context.WithCancel(context.WithoutCancel(ctx))
	defer closing()
	r, w, over := newReader(d.options, d.stats), d.writer, d.over // of a Runner they may outlive the driver, and must not keep the model
	var running sync.WaitGroup
	start := func(f func(io.ReadWriter)) { running.Go(func() { f(s) }) }
	if own, ok := s.(Runner); ok {
		start = own.Go
	}
	start(func(from io.ReadWriter) { r.run(closed, over, from) })
	start(func(to io.ReadWriter) { w.run(to) })

	d.loop(r.chunks)
	err := d.cause()
	if err == errQuit {
		err = nil
	}

	// Sizes are often sent by the goroutine that reads the client's connection. It must not wait while the session is being closed:
	// closing may need what that goroutine reads.
	running.Go(func() { dropResizes(d.options.Resizes, closed.Done()) })
	d.shutdown(err)
	close(d.writer.frames)
	_ = s.Close() // the client may have closed it long ago
	closing()
	running.Wait()
	return err
}

func dropResizes(resizes <-chan Window, closed <-chan struct{}) {
	for {
		select {
		case <-closed:
			return
		case _, ok := <-resizes:
			if !ok {
				return
			}
		}
	}
}

// loop owns the model until the session ends. Keys are dealt with at once, all else when the renderer has a place.
func (d *driver) loop(typed <-chan []byte) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	d.limited(d.begin)
	for d.cause() == nil {
		chunks, msgs, places, due := typed, d.msgs, d.options.Renderer.places, timer.C
		switch {
		case !d.begun:
			chunks, msgs, due = nil, nil, nil
		case d.waiting != nil:
			msgs, due = nil, nil
		default:
			places = nil
			if at := d.earliest(); at.IsZero() {
				timer.Stop()
			} else if wait := time.Until(at); wait <= 0 { // not left to the timer, which a model that is never quiet would starve
				d.limited(d.expire)
				continue
			} else {
				timer.Reset(wait)
			}
		}
		select {
		case <-d.over:
		case chunk, ok := <-chunks:
			if !ok {
				d.end(ErrGone)
				return
			}
			d.step(func() error { d.input.feed(chunk, d.now); return nil })
		case <-d.writer.done:
			d.step(func() error { _, _, failed := d.writer.state(); return failed })
		case msg := <-msgs:
			d.limited(func() error { return d.dispatch(msg) })
		case window, ok := <-d.options.Resizes:
			if !ok {
				d.options.Resizes = nil
				continue
			}
			d.resized = &window
			d.limited(d.applyResize)
		case <-due: // see above
		case places <- struct{}{}:
			d.step(d.waiting)
			d.waiting = nil
			<-places
		}
	}
}

// limited does a step when the renderer has a place. If another step is waiting for one, this step is left to the timer.
func (d *driver) limited(f func() error) {
	switch {
	case d.options.Renderer.places == nil:
		d.step(f)
	case d.waiting == nil:
		d.waiting = f
	}
}

// step does something that may change the model, and draws what has changed. An error or a panic ends the session.
func (d *driver) step(f func() error) {
	defer d.rescue()
	d.now = time.Now()
	if err := f(); err != nil {
		d.end(err)
		return
	}
	d.draw()
}

// earliest is when the loop has something to do if nothing happens until then: the zero time if nothing has to be done.
func (d *driver) earliest() time.Time {
	at := d.idleEnd()
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	sooner(d.input.until)
	_, stalled, _ := d.writer.state()
	sooner(stalled)
	if (d.changed || d.resized != nil) && d.writer.underWay() {
		return at // the rest waits for the client
	}
	if d.changed {
		sooner(d.next)
	}
	if d.resized != nil {
		sooner(d.sizeTime())
	}
	return at
}

// idleEnd is when the session has been idle for too long; the zero time is never.
func (d *driver) idleEnd() time.Time {
	if d.idleLimit <= 0 {
		return time.Time{}
	}
	return d.pressed.Add(d.idleLimit)
}

// expire handles the deadlines that have passed: of incomplete input, of the idle and stall limits, and of a new size. An error ends the
// session.
func (d *driver) expire() error {
	d.input.expire(d.now)
	if end := d.idleEnd(); !end.IsZero() && !d.now.Before(end) {
		return ErrIdle
	}
	if _, end, _ := d.writer.state(); !end.IsZero() && !d.now.Before(end) {
		d.stats.Stalls.Add(1)
		return ErrStalled
	}
	return d.applyResize()
}

// begin starts the model and tells it about its terminal before its first view.
func (d *driver) begin() error {
	d.begun = true
	d.start(d.model.Init())
	d.update(tea.ColorProfileMsg{Profile: d.screen.palette.profile})
	d.update(tea.EnvMsg(d.env))
	d.update(tea.WindowSizeMsg(d.screen.size))
	return nil
}

// dispatch gives the model a message from a command, or does what the message asks the driver for. An error ends the session.
func (d *driver) dispatch(msg tea.Msg) error {
	switch msg := msg.(type) {
	case tea.QuitMsg:
		if !d.screen.modes.alt && !d.writer.underWay() { // what the model leaves behind stays on the terminal
			d.next = time.Time{}
			d.draw()
		}
		return errQuit
	case tea.InterruptMsg:
		return fmt.Errorf("terminal: %w", tea.ErrInterrupted)
	case tea.SuspendMsg: // would stop the whole server
	case Bell:
		d.ringBell()
	case Notify:
		d.notice, d.changed, d.fresh = &msg, true, true
	case tea.RawMsg:
		if msg.Msg == "\a" {
			d.ringBell()
		}
	default:
		switch msg {
		case tea.ClearScreen():
			d.screen.forget()
		case tea.RequestWindowSize():
			d.update(tea.WindowSizeMsg(d.screen.size))
			return nil
		}
		d.update(msg)
	}
	return nil
}

// update gives the model one message.
func (d *driver) update(msg tea.Msg) {
	model, cmd := d.model.Update(msg)
	d.model, d.changed, d.fresh = model, true, true
	d.start(cmd)
	if m, ok := model.(IdleLimiter); ok {
		d.idleLimit = m.IdleLimit()
	}
}

// receive gives the model a message from the terminal.
func (d *driver) receive(msg tea.Msg) {
	if mouse, ok := msg.(tea.MouseMsg); ok {
		if msg = d.onCanvas(mouse); msg == nil {
			return
		}
	}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.MouseClickMsg, tea.MouseWheelMsg, tea.PasteMsg:
		d.stats.Keys.Add(1)
		d.pressed = d.now
	}
	d.update(msg)
}

// onCanvas translates a mouse report to the canvas and passes it to the view's own handler. The result is nil for reports that the view
// hasn't asked for, and for reports outside the canvas. Only a button that is released outside counts as released at the edge.
func (d *driver) onCanvas(msg tea.MouseMsg) tea.Msg {
	if d.screen.modes.mouse == tea.MouseModeNone {
		return nil
	}
	at, size := msg.Mouse(), d.screen.size
	at.X, at.Y = at.X-d.screen.left, at.Y-d.screen.top
	x, y := min(max(at.X, 0), size.Width-1), min(max(at.Y, 0), size.Height-1)
	inside := x == at.X && y == at.Y
	at.X, at.Y = x, y
	switch msg.(type) {
	case tea.MouseReleaseMsg:
		msg, inside = tea.MouseReleaseMsg(at), true
	case tea.MouseClickMsg:
		msg = tea.MouseClickMsg(at)
	case tea.MouseWheelMsg:
		msg = tea.MouseWheelMsg(at)
	case tea.MouseMotionMsg:
		msg = tea.MouseMotionMsg(at)
	}
	if !inside {
		return nil
	}
	if d.onMouse != nil {
		d.start(d.onMouse(msg))
	}
	return msg
}

// ringBell rings the bell with the next frame.
func (d *driver) ringBell() { d.ring, d.changed, d.fresh = true, true, true }

// resize gives the screen a new size.
func (d *driver) resize(window Window) {
	d.screen.resize(window)
	if Clamp(window) != window {
		d.stats.Clamps.Add(1)
	}
}

// applyResize tells the model the newest size once it may be drawn: however many a client sends, the model hears of five a
// second.
func (d *driver) applyResize() error {
	if d.resized == nil || d.writer.underWay() || d.now.Before(d.sizeTime()) {
		return nil
	}
	d.nextSize = d.now.Add(resizeTime)
	d.resize(*d.resized)
	d.resized = nil
	d.update(tea.WindowSizeMsg(d.screen.size))
	return nil
}

// sizeTime is when a new size may be taken, which a frame follows at once.
func (d *driver) sizeTime() time.Time {
	if d.nextSize.After(d.next) {
		return d.nextSize
	}
	return d.next
}

// draw draws the model's view if something changed, the last frame is with the client, and that frame is long enough ago.
func (d *driver) draw() {
	if !d.changed {
		return
	}
	if d.writer.underWay() || d.now.Before(d.next) {
		if d.fresh {
			d.stats.Coalesced.Add(1)
		}
		d.fresh = false
		return
	}
	if cap(d.frame) > maxKeptFrame {
		d.frame = nil
	}
	c := d.options.Renderer.lend()
	defer d.options.Renderer.giveBack(c)
	d.screen.prepare(c)
	view := d.view(c)
	d.onMouse = view.OnMouse
	d.frame = d.screen.frame(d.frame[:0], c, &view, d.ring)
	if d.notice != nil {
		d.frame = d.notifier.append(d.frame, *d.notice)
	}
	d.changed, d.fresh, d.ring, d.notice = false, false, false, nil
	d.next = d.now.Add(frameTime)
	if len(d.frame) > 0 {
		d.writer.send(d.frame)
	}
}

// view has the model fill a canvas.
func (d *driver) view(c *canvas.Canvas) tea.View {
	if m, ok := d.model.(Drawer); ok {
		return m.Draw(c)
	}
	view := d.model.View()
	drawContent(c, view.Content)
	return view
}

// shutdown restores the terminal. A client that doesn't read is given Options.RestoreTime, one that has stalled is given nothing.
func (d *driver) shutdown(err error) {
	words := ""
	if d.options.Farewell != nil {
		words = d.options.Farewell(err)
	}
	if errors.Is(err, ErrStalled) {
		return
	}
	last := d.screen.modes.restore(nil, d.screen)
	if words != "" {
		last = append(last, strings.ReplaceAll(strings.TrimRight(words, "\n"), "\n", "\r\n")...)
		last = append(last, "\r\n"...)
	}
	limit := d.options.RestoreTime
	if limit <= 0 {
		limit = defaultRestoreTime
	}
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for {
		if !d.writer.underWay() {
			if _, _, failed := d.writer.state(); failed != nil || last == nil {
				return
			}
			d.writer.send(last)
			last = nil
			continue
		}
		select {
		case <-d.writer.done:
		case <-timeout.C:
			return
		}
	}
}

// start runs a command in a goroutine and sends its message to the loop, as Bubble Tea does. The goroutine belongs to the model: it
// ends with the command, and the driver doesn't wait for it.
func (d *driver) start(cmd tea.Cmd) {
	if cmd != nil {
		go d.perform(cmd, d.startAll)
	}
}

func (d *driver) startAll(cmds []tea.Cmd) {
	for _, cmd := range cmds {
		d.start(cmd)
	}
}

// perform runs a command to its end. Its result is a message for the loop, or more commands; batch runs the commands of a batch. A panic
// ends the session instead of the process.
func (d *driver) perform(cmd tea.Cmd, batch func([]tea.Cmd)) {
	defer d.rescue()
	msg := cmd()
	if msg == nil {
		return
	}
	if cmds, ok := msg.(tea.BatchMsg); ok {
		batch(cmds)
		return
	}
	cmds, ok := sequence(msg)
	if !ok {
		select {
		case d.msgs <- msg:
		case <-d.over:
		}
		return
	}
	for _, cmd := range cmds {
		if cmd != nil && d.cause() == nil {
			d.perform(cmd, d.performAll)
		}
	}
}

// performAll runs commands at the same time and waits for all.
func (d *driver) performAll(cmds []tea.Cmd) {
	var running sync.WaitGroup
	for _, cmd := range cmds {
		if cmd != nil {
			running.Go(func() { d.perform(cmd, d.performAll) })
		}
	}
	running.Wait()
}

// sequence returns the commands of a tea.Sequence. Bubble Tea's type for it has no name outside it.
func sequence(msg tea.Msg) (cmds []tea.Cmd, ok bool) {
	v := reflect.ValueOf(msg)
	if v.Type() != sequenceType {
		return nil, false
	}
	return v.Convert(reflect.TypeFor[[]tea.Cmd]()).Interface().([]tea.Cmd), true
}

var sequenceType = reflect.TypeOf(tea.Sequence(tea.Quit, tea.Quit)())

// rescue turns a panic into the end of the session. The model isn't called again after that. Call rescue deferred.
func (d *driver) rescue() {
	value := recover()
	if value == nil {
		return
	}
	err := &PanicError{Value: value, Stack: debug.Stack()}
	d.stats.Panics.Add(1)
	d.end(err)
	if d.options.OnPanic != nil {
		d.options.OnPanic(err)
	}
}

// Bell is a message that rings the terminal's bell with the next frame. Several of them before that frame ring it once. The driver takes
// the message; models don't see it.
type Bell struct{}

// RingBell is a command that rings the terminal's bell.
func RingBell() tea.Msg { return Bell{} }
