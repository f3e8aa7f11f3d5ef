package sshapp

import (
	"net"
	"slices"
	"testing"

	gossh "golang.org/x/crypto/ssh"
)

// TestPlaceIsFreeAtOnce: a client at its limit that hears of a session's end finds room for the next one, even before it has
// closed the channel itself.
func TestPlaceIsFreeAtOnce(t *testing.T) {
	d := startServer(t, stayOrGo, func(c *Config) {
		c.Limits.SessionsPerConnection, c.Limits.SessionsPerAddress, c.Limits.Sessions, c.Limits.LimitLoopback = 1, 1, 1, true
	})
	c := d.dial()
	for i := range 200 {
		ch, reqs, err := c.OpenChannel("session", nil)
		if err != nil {
			t.Fatal(err)
		}
		ask(t, ch, "exec", oneString{"go"})
		var status struct{ Status uint32 }
		for r := range reqs {
			if r.Type == "exit-status" && gossh.Unmarshal(r.Payload, &status) == nil {
				break
			}
		}
		go gossh.DiscardRequests(reqs)
		if status.Status != 0 {
			t.Fatalf("session %d was refused right after the one before it had ended: %s", i+1, readAll(t, ch.Stderr()))
		}
	}
}

// TestRetiredChannelsAreBounded: channels whose client doesn't close them give their places away only up to a bound.
func TestRetiredChannelsAreBounded(t *testing.T) {
	d := startServer(t, stayOrGo, func(c *Config) { c.Limits.SessionsPerConnection, c.Limits.Sessions = 3, 8 })
	clients := make([]*connection, 2)
	for i := range clients {
		ours, theirs := net.Pipe()
		defer func() { _ = theirs.Close() }()
		clients[i] = newConnection(t.Context(), d.srv, ours)
		if _, ok := d.srv.admission.connect(clients[i].remote.Addr()); !ok {
			t.Fatal("refused")
		}
		clients[i].signedIn("publickey")
	}
	var open [2][]channelState
	for i, most := range []int{maxHalfClosed, 2} { // 8 sessions leave 2 places more than one connection can take
		want := append(slices.Repeat([]channelState{halfClosed}, most), inUse, inUse, inUse)
		for range want {
			v, _ := clients[i].openChannel()
			if v == inUse {
				v = clients[i].halfClose()
			}
			open[i] = append(open[i], v)
		}
		if !slices.Equal(open[i], want) {
			t.Errorf("client %d: channels that are never closed end as %v, want %v", i+1, open[i], want)
		}
		if v, why := clients[i].openChannel(); v != refused || why != tooManyOnConn {
			t.Errorf("client %d: one channel more is %v, %q, want it refused", i+1, v, why)
		}
		open[i] = append(open[i], refused)
	}
	for i, c := range clients {
		for _, v := range open[i] {
			c.closeChannel(v)
		}
	}
	if d.srv.admission.sessions != 0 || d.srv.admission.halfClosed != 0 {
		t.Errorf("in the end there are %d sessions and %d retired ones", d.srv.admission.sessions, d.srv.admission.halfClosed)
	}
	for _, c := range clients {
		c.finish()
	}
}
