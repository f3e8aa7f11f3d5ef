//go:build linux

package stocktest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestRude meets a server with each fault in the table: whatever the clients do, nothing of them is left behind, and a polite
// one in between notices nothing. With LUDOTECA_STOCK set it is the stock middleware that they meet, and the test is that it
// takes harm: so each fault is one.
func TestRude(t *testing.T) {
	stock := os.Getenv("LUDOTECA_STOCK") != ""
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			front, environ := "ours", f.environ
			if stock {
				front = "stock"
			}
			if f.limited && !raceDetector {
				environ = append(environ, fmt.Sprint(memoryLimit, "=", 1<<30))
			}
			h := &host{server: startServer(t, front, environ...), patience: patience}
			if stock {
				h.patience = 5 * time.Second
			}
			err := errors.Join(h.meet(f.rude), h.unharmed())
			switch {
			case !stock && err != nil:
				t.Error(err)
			case stock && f.stockCopes && err != nil:
				t.Errorf("the stock middleware copes no more: %v", err)
			case stock && !f.stockCopes && err == nil:
				t.Error("does no harm to the stock middleware")
			case stock:
				t.Logf("stock: %v", err)
			}
		})
	}
}

// A fault is a way to treat a server badly.
type fault struct {
	name       string
	rude       func(*host) error // the error says what harm came of it
	environ    []string          // of the server
	limited    bool              // the server has 1 GiB
	stockCopes bool              // since its newest release
}

// A host is a server that meets rude clients.
type host struct {
	*server
	patience time.Duration
	base     state // after somebody has come and gone
	memory   int64 // at its most until then
}

// meet lets a polite guest come and go, so that what is made once is there, and then the rude ones.
func (h *host) meet(rude func(*host) error) (err error) {
	if err := h.polite(); err != nil {
		return err
	}
	h.base, err = h.state()
	if err != nil {
		return err
	}
	h.memory = h.server.memory("VmHWM")
	return rude(h)
}

// polite visits the lobby, presses a key, sees it answered and quits.
func (h *host) polite() error {
	v, err := h.visit(nil, "", usual)
	if err != nil {
		return fmt.Errorf("a polite guest: %w", err)
	}
	defer v.line.Close()
	if err := v.until(footer); err != nil {
		return fmt.Errorf("a polite guest: %w", err)
	}
	before := v.received()
	if err := v.press("\x1b[B"); err != nil {
		return fmt.Errorf("a polite guest: %w", err)
	}
	if !h.soon(func() bool { return v.received() > before }) {
		return errors.New("a polite guest: a key is not answered")
	}
	if err := v.press("q"); err != nil {
		return fmt.Errorf("a polite guest: %w", err)
	}
	if !h.soon(func() bool { return isClosed(v.over) }) {
		return errors.New("a polite guest: can't leave")
	}
	return nil
}

// unharmed says what is wrong with the server now that the rude clients are gone.
func (h *host) unharmed() error {
	if isClosed(h.ended) {
		if h.failure == nil {
			return nil // went down as it was asked to
		}
		return fmt.Errorf("the process has ended: %w: %.200s", h.failure, h.log.String())
	}
	return errors.Join(h.polite(), h.empty(h.base.Goroutines))
}

// empty waits until the server has no more goroutines than it should have.
func (h *host) empty(most int) error {
	var now state
	var err error
	if h.soon(func() bool { now, err = h.state(); return err != nil || now.Goroutines <= most }) || err != nil {
		return err
	}
	return fmt.Errorf("%d goroutines are left, %d of them too many", now.Goroutines, now.Goroutines-most)
}

// soon reports whether something comes true.
func (h *host) soon(so func() bool) bool {
	late := time.After(h.patience)
	for !so() {
		select {
		case <-late:
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
	return true
}

// grown is an error when the process has ever held that much more memory than before the rude clients came.
func (h *host) grown(limit int64) error {
	if isClosed(h.ended) {
		return errors.New("the process has ended")
	}
	if raceDetector {
		limit *= 2 // it keeps books on memory, in memory
	}
	if grown := h.server.memory("VmHWM") - h.memory; grown > limit {
		return fmt.Errorf("memory grew by %d MiB", grown>>20)
	}
	return nil
}

// busy is an error when the process uses more than that share of one processor, and doesn't stop to.
func (h *host) busy(share float64) error {
	var used float64
	for range 5 { // what has just happened may want some cleaning up
		before, began := h.cpu(), time.Now()
		rest(time.Second)
		if used = (h.cpu() - before).Seconds() / time.Since(began).Seconds(); used <= share {
			return nil
		}
	}
	return fmt.Errorf("%.0f%% of a processor are in use", used*100)
}

// guests signs in n guests with the lobby before them.
func (h *host) guests(n int) ([]*terminal, error) {
	var all []*terminal
	for range n {
		v, err := h.visit(nil, "", usual)
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// one signs in a guest who asks for nothing yet, with a deadline for all he does.
func (h *host) one() (*terminal, error) {
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

// flood sends text again and again, so many bytes in all.
func flood(v *terminal, text string, bytes int) error {
	text = strings.Repeat(text, 16<<10/len(text)+1)
	for sent := 0; sent < bytes; sent += len(text) {
		if _, err := v.Write([]byte(text)); err != nil {
			return err
		}
	}
	return nil
}
