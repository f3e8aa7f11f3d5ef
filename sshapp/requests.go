package sshapp

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/terminal"
)

// newSession makes a session of an accepted channel; run serves it.
func newSession(c *client, ch gossh.Channel, identity Identity) *Session {
	ctx, cancel := context.WithCancelCause(c.ctx)
	return &Session{
		ch: ch, identity: identity, remote: c.remote, limits: &c.door.limits, log: c.door.log, metrics: c.door.metrics,
		ctx: ctx, cancel: cancel,
		carried: make(chan struct{}), served: make(chan struct{}),
		over: make(chan struct{}), exit: make(chan int, 1),
		input: make(chan []byte), turn: make(chan struct{}, 1), work: make(chan errand, 1), sent: make(chan error, 1),
		relieve: make(chan struct{}, 1), lookout: &c.door.lookout,
		resizes: make(chan terminal.Window, 1),
	}
}

// run answers the channel's requests until both sides have closed it, and serves the session with h in between. It never
// waits for h or for data, so the connection's other channels go on.
func (s *Session) run(reqs <-chan *gossh.Request, h Handler) {
	var working sync.WaitGroup
	defer working.Wait()
	defer s.end(ErrClosed)
	grace := time.NewTimer(s.limits.RequestGrace)
	defer grace.Stop()
	serving, closed := false, false
	start := func() {
		serving = true
		grace.Stop()
		working.Go(func() { play(s.pump) })
		working.Go(func() { play(s.relay) })
		working.Go(func() {
			status := s.serve(h)
			close(s.served)
			s.Exit(status)
		})
	}
	for {
		select {
		case req, ok := <-reqs:
			if !ok {
				return
			}
			wanted, reply := s.answer(req, serving)
			_ = req.Reply(reply, nil) // failing means that the connection ends, and reqs with it
			if wanted {
				s.started()
				start()
			}
		case status := <-s.exit:
			if !closed {
				closed = true
				s.ended()
				s.close(status)
				grace.Reset(s.limits.Linger)
			}
		case <-grace.C:
			if closed {
				s.tooSlow()
				continue
			}
			s.refusal = "You asked for neither a shell nor a command."
			start()
		}
	}
}

// serve runs the handler, and turns a panic into a logged stack, words and status 1.
func (s *Session) serve(h Handler) (status int) {
	defer func() {
		if p := recover(); p != nil {
			s.metrics.Panicked()
			s.log.Error("panic in a session", "connection", s.identity.ConnectionID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			s.complain("Something broke on our side, and this session ends. Please connect again.")
			status = 1
		}
	}()
	if s.refusal != "" {
		s.complain(s.refusal)
		return 1
	}
	return h.Serve(s)
}

// complain writes a line of words to stderr.
func (s *Session) complain(words string) {
	end := "\n"
	if _, _, _, pty := s.Pty(); pty {
		end = "\r\n"
	}
	_, _ = io.WriteString(s.Stderr(), words+end) // whoever can't be told is gone already
}

// close tells the client the exit status and that the channel is done with.
func (s *Session) close(status int) {
	s.end(ErrClosed)
	_, _ = s.ch.SendRequest("exit-status", false, gossh.Marshal(struct{ Status uint32 }{uint32(status)}))
	_ = s.ch.Close() // EOF when the client was faster
}

// answer deals with one request; start says that it asks for the session to be served, reply what to answer. Once the
// session is served only its window can change.
func (s *Session) answer(req *gossh.Request, serving bool) (start, reply bool) {
	if serving {
		return false, req.Type == "window-change" && s.resize(req.Payload)
	}
	switch req.Type {
	case "pty-req":
		return false, s.allocate(req.Payload)
	case "window-change":
		return false, s.resize(req.Payload)
	case "env":
		return false, s.setenv(req.Payload)
	case "shell":
		return true, true
	case "exec":
		ok := s.execute(req.Payload)
		return ok, ok
	}
	// Everything else is refused: agents, X11, subsystems, signals, breaks and what is yet to be invented.
	return false, false
}

func (s *Session) allocate(payload []byte) bool {
	var req struct {
		Term                      string
		Columns, Rows, Wide, High uint32
		Modes                     string
	}
	if gossh.Unmarshal(payload, &req) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pty {
		return false
	}
	s.pty = true
	if termName.MatchString(req.Term) {
		s.term = req.Term
	}
	s.window = window(req.Columns, req.Rows)
	return true
}

// termName is what a terminal's name may look like; one that doesn't is as good as none.
var termName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9+._-]{0,63}$`)

// resize keeps the newest size for the handler; it never waits for it.
func (s *Session) resize(payload []byte) bool {
	var req struct{ Columns, Rows, Wide, High uint32 }
	if gossh.Unmarshal(payload, &req) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.pty {
		return false
	}
	s.window = window(req.Columns, req.Rows)
	select {
	case <-s.resizes: // nobody took the older one
	default:
	}
	s.resizes <- s.window // has room: nobody else sends
	return true
}

// maxSide bounds each side of a window, in cells. No terminal is larger; what fits on it is the driver's to say.
const maxSide = 4096

// window is what the club believes of the size that a client says it has: 80x24 for a side that it doesn't know.
func window(columns, rows uint32) terminal.Window {
	unknown := terminal.Clamp(terminal.Window{})
	side := func(cells uint32, otherwise int) int {
		if cells == 0 {
			return otherwise
		}
		return int(min(cells, maxSide))
	}
	return terminal.Window{Width: side(columns, unknown.Width), Height: side(rows, unknown.Height)}
}

// setenv keeps a variable that is allowed, in place of an older one of that name.
func (s *Session) setenv(payload []byte) bool {
	var req struct{ Name, Value string }
	if gossh.Unmarshal(payload, &req) != nil || !envName.MatchString(req.Name) || !printable(req.Value) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, size := make([]string, 0, len(s.env)+1), 0
	for _, v := range s.env {
		if !strings.HasPrefix(v, req.Name+"=") {
			kept, size = append(kept, v), size+len(v)
		}
	}
	added := req.Name + "=" + req.Value
	if len(kept) >= s.limits.EnvVars || size+len(added) > s.limits.EnvBytes {
		return false
	}
	s.env = append(kept, added)
	return true
}

// envName is what the club can use: the language, the encoding, and what a terminal can do.
var envName = regexp.MustCompile(
	`^(LANG|LANGUAGE|LC_[A-Z]{1,16}|TERM|COLORTERM|COLORFGBG|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|TERM_PROGRAM|TERM_PROGRAM_VERSION)$`)

func (s *Session) execute(payload []byte) bool {
	var req struct{ Command string }
	if gossh.Unmarshal(payload, &req) != nil {
		return false
	}
	if len(req.Command) > s.limits.CommandBytes {
		s.refusal = fmt.Sprintf("A command has at most %d bytes.", s.limits.CommandBytes)
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.command, s.exec = req.Command, true
	return true
}

// printable is true for valid UTF-8 without control characters.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
