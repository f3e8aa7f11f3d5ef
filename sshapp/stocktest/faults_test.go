//go:build linux

package stocktest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

const mib = 1 << 20

var faults = []fault{
	{name: "a key right after the quit key", rude: quitAndType},
	{name: "cut with keys in flight", rude: cutWhileTyping},
	{name: "channel closed, connection kept", rude: closeChannel},
	{name: "stops to read", rude: stopReading},
	{name: "a terminal of 2000x1000", rude: hugeTerminal(size{2000, 1000}, 0)},
	{name: "a resize to 2000x1000", rude: hugeTerminal(usual, 2000)},
	{name: "a terminal of 20000x20000", rude: hugeTerminal(size{20000, 20000}, 0), limited: true},
	{name: "a resize to 20000x20000", rude: hugeTerminal(usual, 20000), limited: true},
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

func quitAndType(h *host) error {
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

func cutWhileTyping(h *host) error {
	all, err := h.guests(20)
	for _, v := range all {
		for range 100 {
			_, _ = io.WriteString(v, "\x1b[A\x1b[B")
		}
		v.line.cut()
	}
	return errors.Join(err, h.empty(h.base.Goroutines))
}

// closeChannel leaves as OpenSSH's shared connections do.
func closeChannel(h *host) error {
	l, err := h.call(nil)
	if err != nil {
		return err
	}
	defer l.Close()
	first, err := l.screen("", usual) // afterwards the connection has all that it keeps
	if err != nil {
		return err
	}
	if err := errors.Join(first.until(footer), first.press("q")); err != nil {
		return err
	}
	<-first.over
	before, err := h.state()
	if err != nil {
		return err
	}
	for range 3 {
		v, err := l.screen("", usual)
		if err != nil {
			return err
		}
		if err := v.until(footer); err != nil {
			return err
		}
		_, _ = io.WriteString(v, "\x1b[B")
		_ = v.Close()
	}
	return errors.Join(h.empty(before.Goroutines), h.busy(0.3))
}

// stopReading makes a large screen come again and again and takes none of it. The window of a channel is 2 MiB.
func stopReading(h *host) error {
	key := newKey(h.t)
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
		rest(time.Second / 60)
	}
	err = h.polite()
	l.cut()
	return errors.Join(err, h.empty(h.base.Goroutines))
}

// hugeTerminal opens a terminal and, unless later is 0, resizes it to a size as absurd.
func hugeTerminal(first size, later uint32) func(*host) error {
	return func(h *host) error {
		v, err := h.visit(nil, "", first)
		if err != nil {
			return err
		}
		defer v.line.cut()
		if later > 0 {
			if err := v.resize(size{later, later * min(later, 4000) / 4000}); err != nil {
				return err
			}
		}
		for range 5 {
			if err := v.press("\x1b[B"); err != nil {
				return err
			}
			rest(100 * time.Millisecond)
		}
		return errors.Join(h.grown(64*mib), h.polite(), h.grown(64*mib))
	}
}

// resizeFirst tells new sizes between the terminal and the shell, as a window manager does that tiles a new window.
func resizeFirst(h *host) error {
	v, err := h.one()
	if err != nil {
		return err
	}
	defer v.line.cut()
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
	return v.until(footer)
}

// unknownCommand does what kitty's ssh does: it sends a script for a shell, with a terminal, and its text as input.
func unknownCommand(h *host) error {
	l, err := h.call(nil)
	if err != nil {
		return err
	}
	defer l.Close()
	v, err := l.screen("sh -c 'echo $TERM; exec bash'", usual)
	if err != nil {
		return err
	}
	_, _ = io.WriteString(v, "data:q\nq\n") // for the script; the command may have ended
	ended := h.soon(func() bool { return isClosed(v.over) && v.status.Load() >= 0 })
	switch shown := v.shown(); {
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
func endless(start, text string) func(*host) error {
	return func(h *host) error {
		v, err := h.visit(nil, "", usual)
		if err != nil {
			return err
		}
		defer v.line.cut()
		if err := v.press(start); err != nil {
			return err
		}
		sent := make(chan error, 1)
		go func() { sent <- flood(v, text, 100*mib) }() // ends with the connection
		select {
		case <-sent: // the server may have hung up
		case <-time.After(4 * time.Second): // or takes it slowly
		}
		return errors.Join(h.polite(), h.grown(32*mib))
	}
}

func endlessEnvironment(h *host) error {
	v, err := h.one()
	if err != nil {
		return err
	}
	defer v.line.cut()
	value := strings.Repeat("x", 2000)
	for i := range 60_000 {
		if _, err := v.SendRequest("env", false, gossh.Marshal(variable{fmt.Sprint("LC_A", i), value})); err != nil {
			break // the server has hung up
		}
	}
	return errors.Join(h.polite(), h.grown(64*mib))
}

// keyFlood types without pause in two sessions.
func keyFlood(h *host) error {
	all, err := h.guests(2)
	if err != nil {
		return err
	}
	var typing sync.WaitGroup
	for _, v := range all {
		typing.Go(func() { _ = flood(v, "\x1b[A\x1b[Bxyz", 1<<40) }) // until it is cut
	}
	rest(2 * time.Second) // what may come at once is over
	err = errors.Join(h.busy(0.8), h.polite())
	for _, v := range all {
		v.line.cut()
	}
	typing.Wait()
	return errors.Join(err, h.empty(h.base.Goroutines))
}

// hundredSessions opens a hundred screens on one connection. Those that get none must hear why.
func hundredSessions(h *host) error {
	l, err := h.call(nil)
	if err != nil {
		return err
	}
	defer l.cut()
	screens, words := 0, 0
	for range 100 {
		v, err := l.screen("", usual)
		if refused, ok := errors.AsType[*gossh.OpenChannelError](err); ok && refused.Message != "" {
			words++
			continue
		}
		if err != nil {
			return err
		}
		if !h.soon(func() bool { return strings.Contains(v.shown(), altScreen) || isClosed(v.over) }) {
			return errors.New("a session without an answer")
		}
		if strings.Contains(v.shown(), altScreen) {
			screens++
		} else if v.shown() != "" {
			words++
		}
	}
	if screens > 4 || screens+words != 100 {
		return fmt.Errorf("a connection has %d screens, and %d times words instead", screens, words)
	}
	return nil
}

// silence opens connections and says nothing on them.
func silence(h *host) error {
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

func agentRequest(h *host) error {
	v, err := h.one()
	if err != nil {
		return err
	}
	defer v.line.cut()
	granted, err := v.request("auth-agent-req@openssh.com", nil)
	if granted {
		return errors.New("an agent is welcome")
	}
	return err
}

// sigterm wants every terminal back as it was, and an exit status.
func sigterm(h *host) error {
	all, err := h.guests(50)
	if err != nil {
		return err
	}
	for _, v := range all {
		v.line.forever()
	}
	err = h.terminate()
	restored, told := 0, 0
	for _, v := range all {
		<-v.over
		shown := v.shown()
		if at := strings.LastIndex(shown, mainScreen); at >= 0 && strings.Contains(shown[at:], showCursor) {
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
func panicking(h *host) error {
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
	v, err := l.screen(panicWord, usual)
	if err != nil {
		return err
	}
	if !h.soon(func() bool { return isClosed(v.over) && v.status.Load() == 1 }) {
		return fmt.Errorf("after a panic the session gives status %d", v.status.Load())
	}
	before := all[0].received()
	if err := all[0].press("\x1b[B"); err != nil {
		return err
	}
	if !h.soon(func() bool { return all[0].received() > before }) {
		return errors.New("after a panic another session stands still")
	}
	return nil
}
