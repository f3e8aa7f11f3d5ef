//go:build linux

package loadtest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

// Rude meets a front with each fault in the table: the clients leave nothing behind, and a polite guest in between notices nothing.
// harmed marks a front that must fail at every fault instead, which proves that each fault does harm.
func Rude(t *testing.T, front string, harmed bool) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			environ := f.environ
			if f.limited && !raceDetector {
				environ = append(environ, fmt.Sprint(memoryLimit, "=", 1<<30))
			}
			h := &target{server: startServer(t, front, environ...), patience: Patience}
			if harmed {
				h.patience = 5 * time.Second
			}
			err := errors.Join(h.meet(f.rude), h.unharmed())
			switch {
			case !harmed && err != nil:
				t.Error(err)
			case harmed && f.stockCopes && err != nil:
				t.Errorf("%s copes no more: %v", front, err)
			case harmed && !f.stockCopes && err == nil:
				t.Errorf("does no harm to %s", front)
			case harmed:
				t.Logf("%s: %v", front, err)
			}
		})
	}
}

// A fault is a way to treat a server badly.
type fault struct {
	name       string
	rude       func(*target) error // the error says what harm came of it
	environ    []string            // of the server
	limited    bool                // the server has 1 GiB
	stockCopes bool                // the stock middleware copes with it since its newest release
}

// A target is a server that meets rude clients.
type target struct {
	*server
	patience time.Duration
	base     state // after a client has come and gone
	memory   int64 // at its most until then
}

// meet lets a polite guest come and go, so that what is made once is there, and then the rude ones.
func (h *target) meet(rude func(*target) error) (err error) {
	if err := h.polite(); err != nil {
		return err
	}
	h.base, err = h.state()
	if err != nil {
		return err
	}
	h.memory = h.server.Memory("VmHWM")
	return rude(h)
}

// polite visits the lobby, presses a key, sees it answered and quits.
func (h *target) polite() error {
	v, err := h.visit(nil, "", Usual)
	if err != nil {
		return fmt.Errorf("a polite guest: %w", err)
	}
	defer v.conn.Close()
	if err := v.Until(footer); err != nil {
		return fmt.Errorf("a polite guest: %w", err)
	}
	before := v.received()
	if err := v.Press("\x1b[B"); err != nil {
		return fmt.Errorf("a polite guest: %w", err)
	}
	if !h.soon(func() bool { return v.received() > before }) {
		return errors.New("a polite guest: a key is not answered")
	}
	if err := v.Press("q"); err != nil {
		return fmt.Errorf("a polite guest: %w", err)
	}
	if !h.soon(func() bool { return isClosed(v.over) }) {
		return errors.New("a polite guest: can't leave")
	}
	return nil
}

// unharmed says what is wrong with the server now that the rude clients are gone.
func (h *target) unharmed() error {
	if !h.Running() {
		if h.Wait() == nil {
			return nil // went down as it was asked to
		}
		return fmt.Errorf("the process has ended: %w: %.200s", h.Wait(), h.Stderr())
	}
	return errors.Join(h.polite(), h.empty(h.base.Goroutines))
}

// empty waits until the server has no more goroutines than it should have.
func (h *target) empty(most int) error {
	var now state
	var err error
	if h.soon(func() bool { now, err = h.state(); return err != nil || now.Goroutines <= most }) || err != nil {
		return err
	}
	return fmt.Errorf("%d goroutines are left, %d of them too many", now.Goroutines, now.Goroutines-most)
}

// soon reports whether something comes true.
func (h *target) soon(so func() bool) bool {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for late := time.Now().Add(h.patience); !so(); <-look.C {
		if time.Now().After(late) {
			return false
		}
	}
	return true
}

// grown is an error when the process has ever held that much more memory than before the rude clients came.
func (h *target) grown(limit int64) error {
	if !h.Running() {
		return errors.New("the process has ended")
	}
	if raceDetector {
		limit *= 2 // it keeps books on memory, in memory
	}
	if grown := h.server.Memory("VmHWM") - h.memory; grown > limit {
		return fmt.Errorf("memory grew by %d MiB", grown>>20)
	}
	return nil
}

// busy is an error when the process uses more than that share of one processor, and doesn't stop to.
func (h *target) busy(share float64) error {
	var used float64
	for range 5 { // what has just happened may want some cleaning up
		before, began := h.cpu(), time.Now()
		Pause(time.Second)
		if used = (h.cpu() - before).Seconds() / time.Since(began).Seconds(); used <= share {
			return nil
		}
	}
	return fmt.Errorf("%.0f%% of a processor are in use", used*100)
}

// guests signs in n guests with the lobby before them.
func (h *target) guests(n int) ([]*Terminal, error) {
	var all []*Terminal
	for range n {
		v, err := h.visit(nil, "", Usual)
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// one signs in a guest who asks for nothing yet, with a deadline for all that they do.
func (h *target) one() (*Terminal, error) {
	l, err := h.call(nil)
	if err != nil {
		return nil, err
	}
	_ = l.tcp.SetDeadline(time.Now().Add(h.patience))
	return l.channel()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// flood sends text again and again, bytes bytes in all.
func flood(v *Terminal, text string, bytes int) error {
	text = strings.Repeat(text, 16<<10/len(text)+1)
	for sent := 0; sent < bytes; sent += len(text) {
		if _, err := v.Write([]byte(text)); err != nil {
			return err
		}
	}
	return nil
}

const mib = 1 << 20

var faults = []fault{
	{name: "a key right after the quit key", rude: quitAndType},
	{name: "cut with keys in flight", rude: cutWhileTyping},
	{name: "channel closed, connection kept", rude: closeChannel},
	{name: "stops to read", rude: stopReading},
	{name: "a terminal of 2000x1000", rude: hugeTerminal(size{2000, 1000}, 0)},
	{name: "a resize to 2000x1000", rude: hugeTerminal(Usual, 2000)},
	{name: "a terminal of 20000x20000", rude: hugeTerminal(size{20000, 20000}, 0), limited: true},
	{name: "a resize to 20000x20000", rude: hugeTerminal(Usual, 20000), limited: true},
	{name: "a resize before the shell", rude: resizeFirst},
	{name: "an unknown command with a terminal", rude: unknownCommand},
	{name: "a paste without end", rude: endless("\x1b[200~", "pasted ")},
	{name: "a string sequence without end", rude: endless("\x1b]0;", "title ")},
	{name: "environment without end", rude: endlessEnvironment},
	{name: "a flood of keys", rude: keyFlood},
	{name: "a hundred sessions on a connection", rude: hundredSessions},
	{name: "silent connections", rude: silence, environ: []string{loginGrace + "=5s"}},
	{name: "agent requests", rude: agentRequest},
	{name: "SIGTERM with fifty terminals", rude: sigterm},
	{name: "a panic in a handler", rude: panicking, stockCopes: true},
}

func quitAndType(h *target) error {
	all, err := h.guests(10)
	for _, v := range all {
		for _, keys := range []string{"q", "x", "\x1b[A", strings.Repeat("y", 2000)} {
			_, _ = io.WriteString(v, keys) // the channel may be closed already
		}
	}
	for _, v := range all {
		if !h.soon(func() bool { return isClosed(v.over) }) {
			err = errors.Join(err, errors.New("a session doesn't end"))
			break
		}
	}
	leave(all)
	return errors.Join(err, h.empty(h.base.Goroutines))
}

func cutWhileTyping(h *target) error {
	all, err := h.guests(20)
	for _, v := range all {
		for range 100 {
			_, _ = io.WriteString(v, "\x1b[A\x1b[B")
		}
		v.conn.cut()
	}
	return errors.Join(err, h.empty(h.base.Goroutines))
}

// closeChannel leaves as OpenSSH's shared connections do.
func closeChannel(h *target) error {
	l, err := h.call(nil)
	if err != nil {
		return err
	}
	defer l.Close()
	first, err := l.Screen("", Usual) // afterwards the connection has all that it keeps
	if err != nil {
		return err
	}
	if err := errors.Join(first.Until(footer), first.Press("q")); err != nil {
		return err
	}
	<-first.over
	before, err := h.state()
	if err != nil {
		return err
	}
	for range 3 {
		v, err := l.Screen("", Usual)
		if err != nil {
			return err
		}
		if err := v.Until(footer); err != nil {
			return err
		}
		_, _ = io.WriteString(v, "\x1b[B")
		_ = v.Close()
	}
	return errors.Join(h.empty(before.Goroutines), h.busy(0.3))
}

// stopReading makes a large screen come again and again and takes none of it. The window of a channel is 2 MiB.
func stopReading(h *target) error {
	key := NewKey(h.t)
	code := h.board(key, "tanks size=26")
	h.base.Goroutines++ // the match's own
	l, err := h.call(key)
	if err != nil {
		return err
	}
	v, err := l.channel()
	if err != nil {
		return err
	}
	for _, r := range []struct {
		kind    string
		payload any
	}{
		{"pty-req", ptyRequest{"xterm-256color", 240, 70, 0, 0, ""}},
		{"exec", oneString{"watch " + code}},
	} {
		if _, err := v.request(r.kind, r.payload); err != nil {
			return err
		}
	}
	for i := range uint32(60 * 4) {
		if err := v.resize(size{239 + i%2, 70}); err != nil {
			break // the server has hung up
		}
		Pause(time.Second / 60)
	}
	err = h.polite()
	l.cut()
	return errors.Join(err, h.empty(h.base.Goroutines))
}

// hugeTerminal opens a terminal and, unless later is 0, resizes it to a size as absurd.
func hugeTerminal(first size, later uint32) func(*target) error {
	return func(h *target) error {
		v, err := h.visit(nil, "", first)
		if err != nil {
			return err
		}
		defer v.conn.cut()
		if later > 0 {
			if err := v.resize(size{later, later * min(later, 4000) / 4000}); err != nil {
				return err
			}
		}
		for range 5 {
			if err := v.Press("\x1b[B"); err != nil {
				return err
			}
			Pause(100 * time.Millisecond)
		}
		return errors.Join(h.grown(64*mib), h.polite(), h.grown(64*mib))
	}
}

// resizeFirst tells new sizes between the terminal and the shell, as a window manager does that tiles a new window.
func resizeFirst(h *target) error {
	v, err := h.one()
	if err != nil {
		return err
	}
	defer v.conn.cut()
	if ok, err := v.request("pty-req", ptyRequest{"xterm-256color", 80, 24, 0, 0, ""}); err != nil || !ok {
		return fmt.Errorf("pty-req: %v, %w", ok, err)
	}
	for i := range uint32(3) {
		if ok, err := v.request("window-change", windowChange{90 + i, 30, 0, 0}); err != nil || !ok {
			return fmt.Errorf("window-change: %v, %w", ok, err)
		}
	}
	if err := v.begin(""); err != nil {
		return err
	}
	return v.Until(footer)
}

// unknownCommand does what kitty's ssh does: it sends a script for a shell, with a terminal, and its text as input.
func unknownCommand(h *target) error {
	l, err := h.call(nil)
	if err != nil {
		return err
	}
	defer l.Close()
	v, err := l.Screen("sh -c 'echo $TERM; exec bash'", Usual)
	if err != nil {
		return err
	}
	_, _ = io.WriteString(v, "data:q\nq\n") // for the script; the command may have ended
	ended := h.soon(func() bool { return isClosed(v.over) && v.status.Load() >= 0 })
	switch shown := v.Shown(); {
	case strings.Contains(shown, altScreen):
		return errors.New("a script is answered with the full screen")
	case !ended:
		return errors.New("an unknown command doesn't end")
	case v.status.Load() == 0 || shown == "":
		return fmt.Errorf("an unknown command ends with status %d and %q", v.status.Load(), shown)
	}
	return nil
}

// endless begins something that has an end, and never ends it.
func endless(start, text string) func(*target) error {
	return func(h *target) error {
		v, err := h.visit(nil, "", Usual)
		if err != nil {
			return err
		}
		defer v.conn.cut()
		if err := v.Press(start); err != nil {
			return err
		}
		sent := make(chan error, 1)
		go func() { sent <- flood(v, text, 100*mib) }() // ends with the connection
		patience := time.NewTimer(4 * time.Second)
		defer patience.Stop()
		select {
		case <-sent: // the server may have hung up
		case <-patience.C: // or takes it slowly
		}
		return errors.Join(h.polite(), h.grown(32*mib))
	}
}

func endlessEnvironment(h *target) error {
	v, err := h.one()
	if err != nil {
		return err
	}
	defer v.conn.cut()
	value := strings.Repeat("x", 2000)
	for i := range 60_000 {
		if _, err := v.SendRequest("env", false, gossh.Marshal(variable{fmt.Sprint("LC_A", i), value})); err != nil {
			break // the server has hung up
		}
	}
	return errors.Join(h.polite(), h.grown(64*mib))
}

// keyFlood types without pause in two sessions.
func keyFlood(h *target) error {
	all, err := h.guests(2)
	if err != nil {
		return err
	}
	var typing sync.WaitGroup
	for _, v := range all {
		typing.Go(func() { _ = flood(v, "\x1b[A\x1b[Bxyz", 1<<40) }) // until it is cut
	}
	Pause(2 * time.Second) // what may come at once is over
	err = errors.Join(h.busy(0.8), h.polite())
	for _, v := range all {
		v.conn.cut()
	}
	typing.Wait()
	return errors.Join(err, h.empty(h.base.Goroutines))
}

// hundredSessions opens a hundred screens on one connection. Those that get none must hear why.
func hundredSessions(h *target) error {
	l, err := h.call(nil)
	if err != nil {
		return err
	}
	defer l.cut()
	screens, words := 0, 0
	for range 100 {
		v, err := l.Screen("", Usual)
		if refused, ok := errors.AsType[*gossh.OpenChannelError](err); ok && refused.Message != "" {
			words++
			continue
		}
		if err != nil {
			return err
		}
		if !h.soon(func() bool { return strings.Contains(v.Shown(), altScreen) || isClosed(v.over) }) {
			return errors.New("a session without an answer")
		}
		if strings.Contains(v.Shown(), altScreen) {
			screens++
		} else if v.Shown() != "" {
			words++
		}
	}
	if screens > 4 || screens+words != 100 {
		return fmt.Errorf("a connection has %d screens, and %d times words instead", screens, words)
	}
	return nil
}

// silence opens connections and says nothing on them.
func silence(h *target) error {
	var all []net.Conn
	for range 20 {
		c, err := net.Dial("tcp", h.addr)
		if err != nil {
			return err
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(h.patience))
		all = append(all, c)
	}
	for _, c := range all {
		if _, err := io.Copy(io.Discard, c); err != nil && !errors.Is(err, net.ErrClosed) {
			if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
				return errors.New("a silent connection is kept")
			}
		}
	}
	return nil
}

func agentRequest(h *target) error {
	v, err := h.one()
	if err != nil {
		return err
	}
	defer v.conn.cut()
	granted, err := v.request("auth-agent-req@openssh.com", nil)
	if granted {
		return errors.New("an agent is welcome")
	}
	return err
}

// sigterm wants every terminal back as it was, and an exit status.
func sigterm(h *target) error {
	all, err := h.guests(50)
	if err != nil {
		return err
	}
	for _, v := range all {
		v.conn.Forever()
	}
	err = h.Terminate()
	restored, told := 0, 0
	for _, v := range all {
		<-v.over
		Shown := v.Shown()
		if at := strings.LastIndex(Shown, mainScreen); at >= 0 && strings.Contains(Shown[at:], showCursor) {
			restored++
		}
		if v.status.Load() >= 0 {
			told++
		}
	}
	if restored < len(all) || told < len(all) {
		err = errors.Join(err, fmt.Errorf("of %d terminals %d are restored, %d heard an exit status", len(all), restored, told))
	}
	return err
}

// panicking ends its session alone, with words.
func panicking(h *target) error {
	all, err := h.guests(1)
	if err != nil {
		return err
	}
	defer leave(all)
	l, err := h.call(nil)
	if err != nil {
		return err
	}
	defer l.Close()
	v, err := l.Screen(panicWord, Usual)
	if err != nil {
		return err
	}
	if !h.soon(func() bool { return isClosed(v.over) && v.status.Load() == 1 }) {
		return fmt.Errorf("after a panic the session gives status %d", v.status.Load())
	}
	before := all[0].received()
	if err := all[0].Press("\x1b[B"); err != nil {
		return err
	}
	if !h.soon(func() bool { return all[0].received() > before }) {
		return errors.New("after a panic another session stands still")
	}
	return nil
}
