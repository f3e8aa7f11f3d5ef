//go:build linux

package loadtest

import (
	"bytes"
	"fmt"
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
		_ = c.SetDeadline(time.Now().Add(Patience))
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
		_, err = l.Screen("", Usual)
		l.cut()
		return err
	}},
	{"right after quitting, still typing", onScreen(func(v *Terminal) {
		_, _ = io.WriteString(v, "q")
		_, _ = io.WriteString(v, "xyz\x1b[A") // the channel may be closed already
		v.conn.cut()
	})},
	{"with the channel closed first", onScreen(func(v *Terminal) {
		_ = v.Close()
		<-v.over
		_ = v.conn.Close()
	})},
	{"with keys in flight", onScreen(func(v *Terminal) {
		for range 20 {
			_, _ = io.WriteString(v, "\x1b[A\x1b[B")
		}
		v.conn.cut()
	})},
	{"with nonsense in place of packets", onScreen(func(v *Terminal) {
		_, _ = v.conn.tcp.Write(bytes.Repeat([]byte("nonsense"), 1000))
		_ = v.conn.tcp.Close()
	})},
}

// onScreen leaves after the first screen has come.
func onScreen(leave func(*Terminal)) func(*server) error {
	return func(s *server) error {
		v, err := s.visit(nil, "", Usual)
		if err == nil {
			leave(v)
		}
		return err
	}
}

// rounds is how often TestChurn lets the live heap grow. The runtime keeps some memory for the highest number of goroutines so far, and what is kept
// of a visit goes within a second or two, in which a quick machine has several rounds. A leak in each visit would make it grow every time.
const rounds = 16

// TestChurn has many clients come and leave rudely, again and again. Afterwards the server must have as many goroutines and descriptors, and as
// much memory, as before. LUDOTECA_CHURN is the number of clients in a round; with -short there are fewer.
func TestChurn(t *testing.T) {
	visits := 300
	if testing.Short() {
		visits = 100
	}
	if n, err := strconv.Atoi(os.Getenv("LUDOTECA_CHURN")); err == nil {
		visits = n
	}
	s := startServer(t, Ours)
	h := &target{server: s, patience: Patience}
	if err := h.polite(); err != nil {
		t.Fatal(err)
	}
	before, files, memory := s.mustState(), s.descriptors(), s.Memory("VmRSS")
	var live []int64 // KiB, after each round
	grows := func() bool { return len(live) < 2 || live[len(live)-1] > live[len(live)-2]+64 }
	for grows() && len(live) < rounds {
		each(t, visits, 16, func(i int) error { return rudeWays[i%len(rudeWays)].visit(s) })
		if err := h.empty(before.Goroutines); err != nil {
			t.Fatal(err)
		}
		live = append(live, s.mustState().Live>>10)
		s.heap(fmt.Sprint("round", len(live)))
	}
	if grows() {
		t.Errorf("the live heap grows with every round: %d KiB", live)
	}
	if !h.soon(func() bool { return s.descriptors() <= files }) {
		t.Errorf("%d descriptors are open, %d were before", s.descriptors(), files)
	}
	room := int64(16 * mib)
	if raceDetector {
		room *= 4 // the race detector never releases its shadow memory
	}
	if grown := s.Memory("VmRSS") - memory; grown > room {
		t.Errorf("the process holds %d MiB more than before", grown/mib)
	}
	t.Logf("%d rounds of %d visits: %d goroutines before, %d after; %d descriptors, then %d; %d KiB of live heap, then %d; %d KiB resident, then %d",
		len(live), visits, before.Goroutines, s.mustState().Goroutines, files, s.descriptors(), before.Live>>10, live, memory>>10, s.Memory("VmRSS")>>10)
}
