// Package terminal shows a Bubble Tea model to one remote terminal.
//
// It is a driver of its own in place of Bubble Tea's program, input reader and renderer. These trust the terminal at the other
// end, but here that end is a stranger on the network. The driver reads and decodes keys within fixed bounds, draws only when
// something changed, keeps one frame for a slow client, and ends every goroutine it started when Run returns.
//
//	client --bytes--> reader --chunks--> loop: decode, Update, Draw, diff --frames--> writer --bytes--> client
//	                                       ^   ^
//	             commands, new sizes ------+   +---- one timer
//
// The loop alone owns the decoder, the model, the canvas and the copy of the client's screen. It never reads or writes, so a client
// that does neither delays no other session. Except for Middleware, the package knows nothing of SSH, and it knows nothing of games.
//
// Models stay ordinary Bubble Tea models; one that is a Drawer draws on the driver's canvas instead of making a string. Of
// tea.View the driver uses Content (text and SGR sequences; other sequences, hyperlinks and underline colours are left out),
// Cursor (position, shape, blink), WindowTitle, AltScreen, MouseMode, ReportFocus, DisableBracketedPasteMode and OnMouse. It
// ignores the other fields, since no terminal is ever asked anything.
package terminal

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/terminal/canvas"
)

// The largest canvas a model is ever asked to fill, in cells. In a larger window the canvas is centred.
const (
	MaxWidth  = 240
	MaxHeight = 70
)

// The canvas of a client that doesn't know its size, in cells.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

// Errors that say why Run ended. Run wraps them; tell them apart with errors.Is.
var (
	// ErrIdle means that no key was pressed for the idle limit.
	ErrIdle = errors.New("terminal: idle for too long")
	// ErrStalled means that the client took nothing for the stall limit.
	ErrStalled = errors.New("terminal: the client stopped reading")
	// ErrGone means that the client closed its side: reading ended or writing failed.
	ErrGone = errors.New("terminal: the client is gone")
	// ErrPanic means that the model or one of its commands panicked. The error is a *PanicError.
	ErrPanic = errors.New("terminal: the model panicked")
)

// A PanicError is a panic of the model or of one of its commands, caught by the driver. It matches ErrPanic.
type PanicError struct {
	Value any    // what was recovered
	Stack []byte // the goroutine's stack at the panic
}

// Error names the panic's value; the stack is for logs.
func (e *PanicError) Error() string { return fmt.Sprintf("%v: %v", ErrPanic, e.Value) }

// Unwrap returns ErrPanic.
func (e *PanicError) Unwrap() error { return ErrPanic }

// A Window is a size in cells.
type Window struct{ Width, Height int }

// Clamp returns the size of the canvas for a window. A side that is zero or negative becomes that side of 80x24, and a side beyond
// MaxWidth or MaxHeight becomes the maximum. 1x1 stays 1x1.
func Clamp(w Window) Window {
	if w.Width <= 0 {
		w.Width = defaultWidth
	}
	if w.Height <= 0 {
		w.Height = defaultHeight
	}
	return Window{Width: min(w.Width, MaxWidth), Height: min(w.Height, MaxHeight)}
}

// An IdleLimiter is a model that changes its own idle limit, for example while a match runs. The driver calls IdleLimit after each update.
// Zero means no limit.
type IdleLimiter interface {
	IdleLimit() time.Duration
}

// A Drawer is a model that draws on the driver's canvas instead of making a string of its view. Draw gets a blank canvas with the
// size of the newest tea.WindowSizeMsg and must not keep it. The Content of the view that Draw returns is ignored.
//
// A Drawer's View can say the same for the stock Bubble Tea program:
//
//	func (m model) View() tea.View {
//		c := canvas.New(m.width, m.height)
//		v := m.Draw(c)
//		v.Content = c.String()
//		return v
//	}
type Drawer interface {
	Draw(c *canvas.Canvas) tea.View
}

// Options describe a client and bound what it may do. The zero value works.
type Options struct {
	Term    string                // the client's TERM; a wish, not a fact
	Env     []string              // KEY=value, already bounded; the model gets it as tea.EnvMsg with TERM added
	Window  Window                // the first size; the driver clamps it
	Resizes <-chan Window         // later sizes, taken at once until Run returns; only the newest counts. May be nil, may be closed
	Profile *colorprofile.Profile // nil: worked out from Term and Env (NO_COLOR, COLORTERM, ...)

	// Idle ends the session with ErrIdle after that long without a key press, a click or a paste. Zero is never.
	// A model that is an IdleLimiter overrides it.
	Idle time.Duration

	// Stall ends the session with ErrStalled when the client reads nothing of a frame for that long. Zero is 20 s.
	Stall time.Duration

	// RestoreTime is the time that the client has to read the last frame, which restores its terminal. Zero is 2 s.
	RestoreTime time.Duration

	// InputRate bounds the bytes a second that the client may send, and InputBurst the bytes at once after a pause. Bytes beyond that
	// are dropped. Zero is 4 KiB and 16 KiB: a person with a mouse stays far below.
	InputRate, InputBurst int

	// PasteBytes bounds the bytes of one paste that reach the model. Zero is 512.
	PasteBytes int

	// Farewell returns the text to leave on the restored screen, one or more lines without escapes; nil leaves none. err is
	// the result of Run. Farewell is called once, before the session is closed.
	Farewell func(err error) string

	// OnPanic is called for each panic of the model or of one of its commands, also of a command that outlived Run. May be nil.
	OnPanic func(*PanicError)

	// Renderer is shared by sessions, so that news to many of them doesn't delay keys. Nil is a renderer for this session alone.
	Renderer *Renderer

	// Stats counts for all sessions that share it; nil counts nothing.
	Stats *Stats
}

// Stats counts the work of drivers. Any number of sessions may share one Stats. All fields only grow. The zero value is
// ready to use.
type Stats struct {
	Keys      atomic.Int64 // key presses, clicks and pastes that reached a model
	Frames    atomic.Int64 // frames written
	Coalesced atomic.Int64 // updates that found the writer busy or drew too soon after a frame, and shared the next one
	Bytes     atomic.Int64 // bytes written
	Dropped   atomic.Int64 // input bytes thrown away: over the rate, over a paste's length, malformed
	Clamps    atomic.Int64 // window sizes that had to be clamped
	Stalls    atomic.Int64 // sessions ended by ErrStalled
	Panics    atomic.Int64 // panics caught, late ones included
}
