package terminal

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameTime is the least time between two frames. The first one after a pause doesn't wait.
const frameTime = time.Second / 60

// resizeTime is the least time between two new sizes. Each costs a whole screen, a hundred times what a key does, and nobody
// who drags a window needs more than five a second. The first one after a pause doesn't wait.
const resizeTime = 200 * time.Millisecond

// A shell is the model that Bubble Tea runs: around the one to be shown, it decodes what the reader brings, and draws when
// something changed, the writer is free and the last frame is long enough ago. All its methods run in Bubble Tea's loop.
type shell struct {
	*driver
	inner tea.Model
	cmds  []tea.Cmd // what the updates since the loop's last message want done

	onMouse  func(tea.MouseMsg) tea.Cmd // of the view last drawn
	changed  bool                       // since the last frame
	ring     bool
	quitting bool
	told     toldAtStart
	next     time.Time // no frame before
	nextSize time.Time // no new size before
	frame    []byte
}

// toldAtStart says which of its messages at the start Bubble Tea has sent. Init has told the model already.
type toldAtStart struct{ profile, size, env bool }

// pokeMsg makes the loop look at what is due: a frame, a new size, a sequence that doesn't go on.
type pokeMsg struct{}

// maxKeptFrame is the largest buffer a session keeps for its next frame, in bytes.
const maxKeptFrame = 16 << 10

// Init starts the model and tells it at once what Bubble Tea would tell it in three messages, each with a frame of its own.
func (s *shell) Init() tea.Cmd {
	defer s.rescue()
	s.carriers.Go(s.still) // Bubble Tea has started its ticker
	s.cmds = append(s.cmds, s.guarded(s.inner.Init()))
	s.update(tea.ColorProfileMsg{Profile: s.screen.palette.profile})
	s.update(tea.EnvMsg(s.env))
	s.update(tea.WindowSizeMsg(s.screen.canvas))
	return s.takeCmds()
}

// filter drops what isn't for the model before Bubble Tea asks for an update and a view.
func (s *shell) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	var told *bool
	switch msg.(type) {
	case tea.SuspendMsg: // would stop the whole server
		return nil
	case tea.QuitMsg:
		s.quitting = true
		return msg
	case tea.ColorProfileMsg:
		told = &s.told.profile
	case tea.WindowSizeMsg:
		told = &s.told.size
	case tea.EnvMsg:
		told = &s.told.env
	}
	if told != nil && !*told {
		*told = true
		return nil
	}
	return msg
}

// Update gives the model the messages it is to see.
func (s *shell) Update(msg tea.Msg) (shown tea.Model, cmd tea.Cmd) {
	shown = s // after a panic too
	defer s.rescue()
	switch msg := msg.(type) {
	case inputMsg:
		s.input.take(time.Now())
	case pokeMsg:
		s.input.expire(time.Now())
		s.applyResize()
	case Bell:
		s.ring, s.changed = true, true
	case tea.RawMsg:
		if msg.Msg == "\a" {
			s.ring, s.changed = true, true
		}
	default:
		switch msg {
		case tea.ClearScreen():
			s.screen.forget()
		case tea.RequestWindowSize():
			msg = tea.WindowSizeMsg(s.screen.canvas)
		}
		s.update(msg)
	}
	return s, s.takeCmds()
}

// update gives the model one message.
func (s *shell) update(msg tea.Msg) {
	inner, cmd := s.inner.Update(msg)
	s.inner, s.changed = inner, true
	if cmd != nil {
		s.cmds = append(s.cmds, s.guarded(cmd))
	}
	if m, ok := inner.(IdleLimiter); ok {
		s.idle.setLimit(m.IdleLimit())
	}
}

// receive gives the model a message from the terminal.
func (s *shell) receive(msg tea.Msg) {
	if mouse, ok := msg.(tea.MouseMsg); ok {
		if msg = s.onCanvas(mouse); msg == nil {
			return
		}
	}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.MouseClickMsg, tea.MouseWheelMsg, tea.PasteMsg:
		s.stats.Keys.Add(1)
		s.idle.pressed()
	}
	s.update(msg)
}

// onCanvas moves a mouse report to the canvas and shows it to the view's own handler. The result is nil for what the view
// hasn't asked for and what happens beside the canvas, except that a button let go there is let go at the edge.
func (s *shell) onCanvas(msg tea.MouseMsg) tea.Msg {
	if s.screen.modes.mouse == tea.MouseModeNone {
		return nil
	}
	at, canvas := msg.Mouse(), s.screen.canvas
	at.X, at.Y = at.X-s.screen.left, at.Y-s.screen.top
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
	if s.onMouse != nil {
		s.cmds = append(s.cmds, s.guarded(s.onMouse(msg)))
	}
	return msg
}

// applyResize takes the newest size once it may be drawn: however many a client sends, the model hears of five a second.
func (s *shell) applyResize() {
	if s.resized.Load() == nil || !s.due() {
		return
	}
	if wait := time.Until(s.nextSize); wait > 0 {
		s.frameTimer.Reset(wait) // should a frame need it sooner, it comes back here
		return
	}
	s.nextSize = time.Now().Add(resizeTime)
	window := *s.resized.Swap(nil)
	s.screen.resize(window)
	if Clamp(window) != window {
		s.stats.Clamps.Add(1)
	}
	s.update(tea.WindowSizeMsg(s.screen.canvas))
}

// due reports whether a frame may be drawn now. If not, a poke comes when it may.
func (s *shell) due() bool {
	if !s.writer.free() {
		return false
	}
	if wait := time.Until(s.next); wait > 0 {
		s.frameTimer.Reset(wait)
		return false
	}
	return true
}

// View draws the model's view if there is anything to draw. The result is for Bubble Tea, which shows nothing of it.
func (s *shell) View() (none tea.View) {
	defer s.rescue()
	if !s.changed || s.cause() != nil || s.quitting && s.screen.modes.alt {
		return none
	}
	if !s.due() {
		s.stats.Coalesced.Add(1)
		return none
	}
	view := s.inner.View()
	s.onMouse = view.OnMouse
	if cap(s.frame) > maxKeptFrame {
		s.frame = nil
	}
	s.frame = s.screen.draw(s.frame[:0], &view, s.ring)
	s.changed, s.ring = false, false
	s.next = time.Now().Add(frameTime)
	if len(s.frame) > 0 {
		s.writer.send(s.frame)
	}
	return none
}

// takeCmds returns the commands the loop has to start. Each runs by itself, as it does in Bubble Tea.
func (s *shell) takeCmds() tea.Cmd {
	cmd := tea.Batch(s.cmds...)
	clear(s.cmds)
	s.cmds = s.cmds[:0]
	return cmd
}
