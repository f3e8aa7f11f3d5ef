package terminal

import (
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"charm.land/wish/v2"
)

// closeTime is the time that a client has to close a session that has ended. After that its connection is closed.
const closeTime = 2 * time.Second

// Middleware returns a Wish middleware that shows a Bubble Tea model to each session, as bubbletea.Middleware of Wish does:
//
//	wish.NewServer(
//		wish.WithMiddleware(
//			terminal.Middleware(func(s ssh.Session) (tea.Model, terminal.Options) { return newModel(s), terminal.Options{} }),
//			logging.Middleware(),
//		),
//	)
//
// Options.Farewell and Options.OnPanic learn how the screens ended.
//
// newModel makes the model of a session; nil passes the session on to the next handler untouched. Of the Options, Term, Window,
// Resizes and Env are the session's, whatever newModel says. A session without a terminal, or with one that the server has
// allocated (ssh.AllocatePty), gets an error. The session's exit status is 0 if the model quit, else 1. When the next handler is
// called after that, the session has been closed.
func Middleware(newModel func(ssh.Session) (tea.Model, Options)) wish.Middleware {
	return func(next ssh.Handler) ssh.Handler {
		return func(s ssh.Session) {
			m, o := newModel(s)
			if m != nil {
				runSession(s, m, o)
			}
			next(s)
		}
	}
}

// runSession runs the model of a session.
func runSession(s ssh.Session, m tea.Model, o Options) {
	pty, sizes, ok := s.Pty()
	switch {
	case !ok:
		wish.Fatalln(s, "no active terminal")
		return
	case !pty.IsZero():
		wish.Fatalln(s, "the server must emulate terminals")
		return
	}
	o.Term, o.Env, o.Window = pty.Term, s.Environ(), Window{pty.Window.Width, pty.Window.Height}
	select {
	case w, ok := <-sizes: // the first size comes here too; passed on, it would have all drawn a second time
		if ok {
			o.Window = Window{w.Width, w.Height}
		}
	default:
	}
	resizes := make(chan Window, 1)
	o.Resizes = resizes

	c := &channel{Session: s}
	farewell := o.Farewell
	o.Farewell = func(err error) string {
		if err != nil {
			c.status = 1
		}
		if farewell == nil {
			return ""
		}
		return farewell(err)
	}
	done := make(chan struct{})
	var converting sync.WaitGroup
	converting.Go(func() { convert(sizes, resizes, done) })
	var transport io.ReadWriteCloser = c
	if own, ok := s.(Runner); ok {
		transport = struct {
			*channel
			Runner
		}{c, own}
	}
	_ = Run(s.Context(), transport, m, o) // Farewell has been told
	close(done)
	converting.Wait()
	if c.closing != nil {
		c.closing.Stop()
	}
}

// convert passes the newest size on until done is closed.
func convert(from <-chan ssh.Window, to chan Window, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case w, ok := <-from:
			if !ok {
				return
			}
			select {
			case <-to: // the older one, still unread
			default:
			}
			to <- Window{w.Width, w.Height}
		}
	}
}

// A channel is a session whose Close ends a blocked Read and Write. On a plain SSH channel these end only when the client has closed it too.
// A client that doesn't close it in closeTime loses its connection.
type channel struct {
	ssh.Session
	status  int // for the client
	closing *time.Timer
}

// Close closes the session with its status.
func (c *channel) Close() error {
	if conn, ok := c.Context().Value(ssh.ContextKeyConn).(io.Closer); ok {
		c.closing = time.AfterFunc(closeTime, func() { _ = conn.Close() })
	}
	return c.Exit(c.status)
}
