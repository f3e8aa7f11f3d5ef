//go:build linux

package stocktest

import (
	"bytes"
	"io"
	"net"
	"os"
	"strconv"
	"testing"
	"time"
)

// rudeWays are ways to leave without a word.
var rudeWays = []struct {
	name  string
	visit func(*server) error
}{
	{"before signing in", func(s *server) error {
		c, err := net.Dial("tcp", s.addr)
		if err != nil {
			return err
		}
		_ = c.SetDeadline(time.Now().Add(patience))
		_, err = io.ReadFull(c, make([]byte, len("SSH-2.0-")))
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
		return err
	}},
	{"before the first screen", func(s *server) error {
		l, err := s.call(nil)
		if err != nil {
			return err
		}
		_, err = l.screen("", usual)
		l.cut()
		return err
	}},
	{"right after quitting, still typing", onScreen(func(v *terminal) {
		_, _ = io.WriteString(v, "q")
		_, _ = io.WriteString(v, "xyz\x1b[A") // the channel may be closed already
		v.line.cut()
	})},
	{"with the channel closed first", onScreen(func(v *terminal) {
		_ = v.Close()
		<-v.over
		_ = v.line.Close()
	})},
	{"with keys in flight", onScreen(func(v *terminal) {
		for range 20 {
			_, _ = io.WriteString(v, "\x1b[A\x1b[B")
		}
		v.line.cut()
	})},
	{"with nonsense in place of packets", onScreen(func(v *terminal) {
		_, _ = v.line.tcp.Write(bytes.Repeat([]byte("nonsense"), 1000))
		_ = v.line.tcp.Close()
	})},
}

// onScreen leaves after the first screen has come.
func onScreen(leave func(*terminal)) func(*server) error {
	return func(s *server) error {
		v, err := s.visit(nil, "", usual)
		if err == nil {
			leave(v)
		}
		return err
	}
}

// TestChurn has many come and leave rudely, and wants the server to be afterwards as it was before: goroutines, descriptors
// and memory. LUDOTECA_CHURN says how many.
func TestChurn(t *testing.T) {
	visits := 300
	if n, err := strconv.Atoi(os.Getenv("LUDOTECA_CHURN")); err == nil {
		visits = n
	}
	s := startServer(t, "ours")
	come := func(n int) {
		each(t, n, 16, func(i int) error { return rudeWays[i%len(rudeWays)].visit(s) })
	}
	h := &host{server: s, patience: patience}
	come(20 * len(rudeWays)) // what is made once, and what the allocator keeps, is there
	settled := s.mustState().Goroutines
	h.soon(func() bool { last := settled; settled = s.mustState().Goroutines; return settled >= last }) // until the last have left
	before, files, memory := s.mustState(), s.descriptors(), s.memory("VmRSS")

	began := time.Now()
	come(visits)
	took := time.Since(began)

	if err := h.empty(before.Goroutines); err != nil {
		t.Error(err)
	}
	if !h.soon(func() bool { return s.descriptors() <= files }) {
		t.Errorf("%d descriptors are open, %d were before", s.descriptors(), files)
	}
	const remembered = 256 // bytes of a guest who has just left, for some minutes
	after := s.mustState()
	if !h.soon(func() bool { after = s.mustState(); return after.InUse-before.InUse <= mib+remembered*int64(visits) }) {
		t.Errorf("%d KiB more of heap and stacks are in use than before", (after.InUse-before.InUse)>>10)
	}
	room := int64(16 * mib)
	if raceDetector {
		room *= 4 // what it keeps of memory once used is never given back
	}
	if grown := s.memory("VmRSS") - memory; grown > room {
		t.Errorf("the process holds %d MiB more than before", grown/mib)
	}
	t.Logf("%d visits in %v: goroutines %d, then %d; descriptors %d, then %d; in use %d KiB, then %d; resident %d KiB, then %d", visits,
		took.Round(time.Millisecond), before.Goroutines, after.Goroutines, files, s.descriptors(), before.InUse>>10, after.InUse>>10,
		memory>>10, s.memory("VmRSS")>>10)
}
