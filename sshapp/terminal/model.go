package terminal

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameTime is the least time between two frames. The first one after a pause doesn't wait.
const frameTime = time.Second / 60

// resizeTime is the least time between two new sizes. Each costs a whole screen, a hundred times what a key does, and nobody
// who drags a window needs more than five a second. The first one after a pause doesn't wait.
const resizeTime = 200 * time.Millisecond

// maxKeptFrame is the largest buffer a session keeps for its next frame, in bytes: room for a page of the largest canvas.
const maxKeptFrame = MaxWidth * MaxHeight * 3 / 2

// begin starts the model and tells it about its terminal before its first view.
func (d *driver) begin() {
	d.start(d.model.Init())
	d.update(tea.ColorProfileMsg{Profile: d.screen.palette.profile})
	d.update(tea.EnvMsg(d.env))
	d.update(tea.WindowSizeMsg(d.screen.size))
}

// tell gives the model a message from a command, or does what it asks the driver for. The error says that it ends the session.
func (d *driver) tell(msg tea.Msg) error {
	switch msg := msg.(type) {
	case tea.QuitMsg:
		if !d.screen.modes.alt && !d.output.busy { // what the model leaves behind stays on the terminal
			d.next = time.Time{}
			d.draw()
		}
		return errQuit
	case tea.InterruptMsg:
		return fmt.Errorf("terminal: %w", tea.ErrInterrupted)
	case tea.SuspendMsg: // would stop the whole server
	case Bell:
		d.ringBell()
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
		d.idle.limit = m.IdleLimit()
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
		d.idle.last = d.now
	}
	d.update(msg)
}

// onCanvas moves a mouse report to the canvas and shows it to the view's own handler. The result is nil for what the view
// hasn't asked for and what happens beside the canvas, except that a button let go there is let go at the edge.
func (d *driver) onCanvas(msg tea.MouseMsg) tea.Msg {
	if d.screen.modes.mouse == tea.MouseModeNone {
		return nil
	}
	at, canvas := msg.Mouse(), d.screen.size
	at.X, at.Y = at.X-d.screen.left, at.Y-d.screen.top
	x, y := min(max(at.X, 0), canvas.Width-1), min(max(at.Y, 0), canvas.Height-1)
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

// applyResize takes the newest size once it may be drawn: however many a client sends, the model hears of five a second. It is
// for the loop alone: drawing a whole screen has to wait for a place in the crowd.
func (d *driver) applyResize() {
	if d.resized == nil || d.output.busy {
		return
	}
	if d.now.Before(d.nextFit()) {
		return
	}
	d.nextSize = d.now.Add(resizeTime)
	d.resize(*d.resized)
	d.resized = nil
	d.update(tea.WindowSizeMsg(d.screen.size))
}

// nextFit is when a new size may be taken, which a frame follows at once.
func (d *driver) nextFit() time.Time {
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
	if d.output.busy || d.now.Before(d.next) {
		if d.fresh {
			d.stats.Coalesced.Add(1)
		}
		d.fresh = false
		return
	}
	if cap(d.frame) > maxKeptFrame {
		d.frame = nil
	}
	var view tea.View
	switch m := d.model.(type) {
	case Drawer:
		view = m.Draw(d.screen.clean())
	case Appender:
		var text []byte
		text, view = m.AppendView(nil)
		d.screen.write(string(text))
	default:
		view = d.model.View()
		d.screen.write(view.Content)
	}
	d.onMouse = view.OnMouse
	d.frame = d.screen.frame(d.frame[:0], &view, d.ring)
	d.changed, d.fresh, d.ring = false, false, false
	d.next = d.now.Add(frameTime)
	if len(d.frame) > 0 {
		d.output.send(d.frame, d.now)
	}
}
