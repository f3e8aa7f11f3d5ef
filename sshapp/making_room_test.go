package sshapp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/storage"
)

// knownPlayers are accounts by key, and who plays.
type knownPlayers struct {
	since   map[string]time.Time
	playing map[string]bool // by fingerprint, or by the id of a guest's connection
}

func (k *knownPlayers) AccountOf(_ context.Context, fingerprint string) (lobby.User, time.Time, error) {
	since, ok := k.since[fingerprint]
	if !ok {
		return lobby.User{}, time.Time{}, lobby.ErrNoAccount
	}
	return lobby.User{Kind: storage.Person, ID: fingerprint}, since, nil
}

func (k *knownPlayers) Guest(id string) lobby.User { return lobby.User{Kind: storage.Guest, ID: id} }

func (k *knownPlayers) IsPlaying(u lobby.User) bool { return k.playing[u.ID] }

// A crowdedServer is a server whose connections have no SSH.
type crowdedServer struct {
	*Server
	t       *testing.T
	group   *connections
	players *knownPlayers
}

// crowded calls play with a server, in a bubble.
func crowded(t *testing.T, change func(*Limits), play func(s *crowdedServer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		limits := DefaultLimits()
		limits.Sessions, limits.Connections = 40, 100
		change(&limits)
		players := &knownPlayers{map[string]time.Time{}, map[string]bool{}}
		srv, err := New(Config{HostKeys: hostKeys(t), Middleware: handlerFunc(nil).middleware(), Limits: limits, Players: players})
		if err != nil {
			t.Fatal(err)
		}
		srv.admission.chance = never
		s := &crowdedServer{srv, t, newConnections(t.Context(), srv), players}
		srv.serving[s.group] = struct{}{}
		play(s)
		for _, c := range s.group.list() {
			c.end(closed)
			for state, n := range c.channels {
				for range n {
					c.closeChannel(channelState(state))
				}
			}
			c.finish()
		}
		if a := srv.admission; a.conns != 0 || a.unauth != 0 || a.sessions != 0 || a.leaving != 0 || len(a.byBlock) != 0 {
			t.Errorf("in the end there are %d connections, %d that sign in, %d sessions, %d that leave, %d blocks", a.conns, a.unauth, a.sessions, a.leaving, len(a.byBlock))
		}
	})
}

// at is an address of a /24 of its own.
func at(block int) netip.Addr { return netip.AddrFrom4([4]byte{10, byte(block >> 8), byte(block), 1}) }

// A connFrom is a connection from an address.
type connFrom struct {
	net.Conn
	from netip.Addr
}

func (c connFrom) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(c.from, 4000))
}

// connect opens a connection, or says why not.
func (s *crowdedServer) connect(from netip.Addr) (*connection, reason) {
	time.Sleep(2 * time.Second) // so that none is as old as another, and the rate of connections is no limit
	why, ok := s.take(from)
	if !ok {
		return nil, why
	}
	ours, theirs := net.Pipe()
	s.t.Cleanup(func() { _ = theirs.Close() })
	c := newConnection(s.t.Context(), s.Server, connFrom{ours, from})
	s.group.open[c] = struct{}{}
	return c, ""
}

// enter opens a connection and signs in, as a guest without a key.
func (s *crowdedServer) enter(from netip.Addr, key string) *connection {
	s.t.Helper()
	c, why := s.connect(from)
	if c == nil {
		s.t.Fatalf("%s from %v doesn't get in: %s", key, from, why)
	}
	c.proved(signIn{Identity: Identity{Fingerprint: key, Guest: key == "", ConnectionID: c.id}})
	c.signedIn("publickey")
	return c
}

// open opens a session, and says why it gets none.
func (s *crowdedServer) open(c *connection) reason {
	s.makeRoomFor(c)
	_, why := c.openChannel()
	if why == "" {
		c.touch()
		c.mu.Lock()
		c.setTimer(0, nil)
		c.stage = inSession
		c.mu.Unlock()
	}
	return why
}

// fill opens sessions of guests from the given number of addresses, as many from each as it may have, until the club is full.
func (s *crowdedServer) fill(addresses int) (all []*connection) {
	for i := range addresses {
		for range 2 {
			c := s.enter(at(i), "")
			all = append(all, c)
			for range 4 {
				s.open(c)
			}
		}
	}
	return all
}

// gone returns the number of connections that had to leave.
func gone(of []*connection) (n int) {
	for _, c := range of {
		if c.leaving {
			n++
		}
	}
	return n
}

// TestFullOfGuests has guests from a few addresses take all sessions that they can get. All other clients still get one.
func TestFullOfGuests(t *testing.T) {
	day := 24 * time.Hour
	for _, tt := range []struct {
		name    string
		age     time.Duration // of the account that comes; 0: there is none
		plays   bool
		opens   int // as many of such people get a session
		inPlace int // how many connections leave
	}{
		{"a regular", 2 * day, false, 10, 0}, // the reserve is 10
		{"a player whose match goes on", time.Hour, true, 10, 0},
		{"a new account", time.Hour, false, 10, 3}, // a connection has 4 sessions
		{"a key without an account", 0, false, 10, 3},
		{"a regular, after the reserve is taken", 2 * day, false, 14, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			crowded(t, func(*Limits) {}, func(s *crowdedServer) {
				guests := s.fill(8)
				if got := s.admission.sessions; got != 30 {
					t.Errorf("guests have %d sessions, want three quarters of 40", got)
				}
				before := gone(guests) // they share the places among themselves
				for i := range tt.opens {
					key := fmt.Sprint("SHA256:", i)
					if tt.age > 0 {
						s.players.since[key] = time.Now().Add(-tt.age)
					}
					s.players.playing[key] = tt.plays
					if why := s.open(s.enter(at(100+i), key)); why != "" {
						t.Errorf("number %d is refused for %q", i+1, why)
					}
				}
				if got := gone(guests) - before; got != tt.inPlace {
					t.Errorf("%d connections had to leave, want %d", got, tt.inPlace)
				}
			})
		})
	}
}

// TestWhoLeaves: in a full club the guest of the largest block who has been idle for longest leaves, and is told why. A guest who plays leaves
// after all others and only for regulars. Regulars never leave.
func TestWhoLeaves(t *testing.T) {
	crowded(t, func(l *Limits) { l.Sessions = 8 }, func(s *crowdedServer) {
		s.players.since["SHA256:regular"] = time.Now().Add(-48 * time.Hour)
		large := netip.MustParseAddr("192.0.2.1")
		idle, plays, types := s.enter(large, ""), s.enter(netip.MustParseAddr("192.0.2.2"), ""), s.enter(netip.MustParseAddr("192.0.2.3"), "")
		small, old := s.enter(at(1), ""), s.enter(large, "SHA256:regular")
		for _, c := range []*connection{plays, idle, types, small, old} {
			time.Sleep(time.Second)
			if why := s.open(c); why != "" {
				t.Fatal(why)
			}
		}
		s.open(types) // six: others than regulars get no more
		time.Sleep(time.Second)
		idle.touch()
		time.Sleep(time.Second)
		types.touch()
		s.players.playing[plays.id] = true

		come := func(block int, want reason, leaves *connection) {
			t.Helper()
			if why := s.open(s.enter(at(block), "")); why != want {
				t.Errorf("a guest of block %d: %q, want %q", block, why, want)
			}
			if leaves != nil && (!leaves.leaving || context.Cause(leaves.ctx) != lobby.ErrMadeRoom) {
				t.Errorf("a guest of block %d has not displaced the one that was due: %v", block, context.Cause(leaves.ctx))
			}
		}
		come(10, "", idle)
		come(11, "", types) // both of its sessions
		come(12, "", nil)
		come(13, tooManySessions, nil) // all others have as few, or play
		if plays.leaving || small.leaving || old.leaving {
			t.Errorf("a client left that should stay: a guest who plays %v, of a small block %v, a regular %v", plays.leaving, small.leaving, old.leaving)
		}
		for i := range 8 { // the regulars take the reserve, then the places of all others
			key := fmt.Sprint("SHA256:", i)
			s.players.since[key] = time.Now().Add(-48 * time.Hour)
			if last := i == 7; last != (s.open(s.enter(at(20+i), key)) == tooManySessions) {
				t.Errorf("regular %d: refused %v", i, !last)
			}
			if last := i >= 6; last != plays.leaving {
				t.Errorf("after %d regulars the guest who plays had to leave: %v", i+1, plays.leaving)
			}
		}
	})
}

// TestWhoLeavesFirst: the size of a block counts before idle time, and so does having no account.
func TestWhoLeavesFirst(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opened string // a letter for each session in turn: its block, in upper case with an account
		leaves int    // which of them
	}{
		{"the idlest", "aaaaaa", 0},
		{"the idlest of the largest block", "bbaaaa", 2},
		{"a guest before an account", "AAaaaa", 2},
		{"an account of the largest block", "bbAAAA", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			crowded(t, func(l *Limits) { l.Sessions = len(tt.opened) * 4 / 3 }, func(s *crowdedServer) {
				var all []*connection
				for i, block := range tt.opened {
					key := ""
					if block < 'a' {
						key = fmt.Sprint("SHA256:", i)
						s.players.since[key] = time.Now().Add(-time.Hour)
						block += 'a' - 'A'
					}
					c := s.enter(netip.AddrFrom4([4]byte{192, 0, byte(block), byte(i)}), key)
					if why := s.open(c); why != "" {
						t.Fatal(why)
					}
					all = append(all, c)
				}
				if why := s.open(s.enter(at(1), "")); why != "" {
					t.Errorf("a guest of another block is refused for %q", why)
				}
				for i, c := range all {
					if c.leaving != (i == tt.leaves) {
						t.Errorf("session %d had to leave: %v", i, c.leaving)
					}
				}
			})
		})
	}
}

// TestAddressesOfRegulars: the last quarter of connections is for addresses from which a player with an old account has signed in.
func TestAddressesOfRegulars(t *testing.T) {
	crowded(t, func(l *Limits) { l.Connections = 16 }, func(s *crowdedServer) {
		for key, age := range map[string]time.Duration{"SHA256:regular": 48 * time.Hour, "SHA256:new": time.Hour} {
			s.players.since[key] = time.Now().Add(-age)
		}
		for i, key := range []string{"SHA256:regular", "SHA256:new", "", "", "", "", "", "", "", "", "", ""} {
			if why := s.open(s.enter(at(i), key)); why != "" {
				t.Fatal(why)
			}
		}
		for block, want := range []reason{"", tooManyConns, tooManyConns} {
			if _, why := s.connect(at(block)); why != want {
				t.Errorf("one more connection from address %d: %q, want %q", block, why, want)
			}
		}
	})
}

// TestFullOfConnections: connections that don't sign in, or have no session, don't keep other clients out.
func TestFullOfConnections(t *testing.T) {
	crowded(t, func(l *Limits) { l.Connections, l.LoginGrace, l.RequestGrace = 16, time.Hour, time.Hour }, func(s *crowdedServer) {
		var silent, guests []*connection
		connect := func(block int, want reason) *connection {
			t.Helper()
			c, why := s.connect(at(block))
			if why != want {
				t.Errorf("block %d: %q, want %q", block, why, want)
			}
			return c
		}
		for range 6 {
			silent = append(silent, connect(1, ""))
			guests = append(guests, s.enter(at(2), ""))
		}
		connect(1, tooManyConns) // the last quarter isn't for it, nor the place of another one of its block
		connect(3, "")
		if !silent[0].leaving || silent[0].why != madeRoom || gone(silent) != 1 || gone(guests) != 0 {
			t.Errorf("%d silent connections and %d guests had to leave, want the oldest silent one", gone(silent), gone(guests))
		}
		for i := range 4 + 5 { // the last quarter, and the places of others
			s.admission.reputation.trustRegular(time.Now(), at(10+i))
			connect(10+i, "")
		}
		if gone(silent) != 6 || gone(guests) != 0 {
			t.Errorf("%d silent connections and %d guests had to leave, want 6 and none", gone(silent), gone(guests))
		}
		for i := range 11 { // ten don't sign in
			s.admission.reputation.trustRegular(time.Now(), at(30+i))
			s.enter(at(30+i), "")
			if want := i / 10; gone(guests) != want {
				t.Errorf("after %d more %d guests had to leave, want %d", i+1, gone(guests), want)
			}
		}
	})
	crowded(t, func(l *Limits) { l.Unauth, l.UnauthPerAddress, l.LoginGrace = 6, 6, time.Hour }, func(s *crowdedServer) {
		var silent []*connection
		for i := range 6 {
			s.admission.reputation.trust(time.Now(), at(i/3)) // else some would be dropped
			c, why := s.connect(at(i / 3))
			if why != "" {
				t.Fatal(why)
			}
			silent = append(silent, c)
		}
		if _, why := s.connect(at(1)); why != tooManyHandshakes {
			t.Errorf("one more of a block that has as many as others: %q", why)
		}
		s.admission.reputation.trust(time.Now(), at(9))
		if _, why := s.connect(at(9)); why != "" || !silent[0].leaving || gone(silent) != 1 {
			t.Errorf("one of another block: %q, %d had to leave", why, gone(silent))
		}
	})
}

// TestLeaves: a client that has left many sessions waits for the next one, a while for each; others don't, and the end of its connection ends the wait.
func TestLeaves(t *testing.T) {
	crowded(t, func(*Limits) {}, func(s *crowdedServer) {
		c, other := s.enter(at(1), ""), s.enter(at(1), "")
		waits := func(what string, c *connection, want time.Duration) {
			t.Helper()
			began := time.Now()
			c.untilWelcome()
			if took := time.Since(began); took != want {
				t.Errorf("%s: the client waits for %v, want %v", what, took, want)
			}
		}
		for range leaveBurst {
			c.left()
		}
		waits("as many as it may leave at once", c, 0)
		for range 3 {
			c.left()
		}
		waits("three more", c, 3*leaveInterval)
		waits("after that", c, 0)
		waits("another connection", other, 0)
		for range 100 {
			c.left()
		}
		go func() {
			time.Sleep(time.Second)
			c.end(closed)
		}()
		waits("the connection ends", c, time.Second)
	})
}
