package sshapp

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"ludoteca/lobby"
)

// # Making room
//
// A stranger can open as many sessions as the club has places: 125 addresses, or 8 IPv6 /48s, are enough. So in a full club somebody may
// have to leave for somebody who comes. A connection that has not signed in is closed: the oldest, of the widest block of addresses
// that has most. Of those who have signed in, the one leaves that has been idle for longest, of the block that has most; first guests, keys
// without an account and accounts younger than regularAfter that play no match. Regulars stay.
//
// A regular, and a player whose match goes on, displaces any of them; a regular even those who play. Others displace only people of a block
// that has more than theirs would have, so that a stranger can't have one place from another for ever.

// Players says what the club knows of those who sign in. Any goroutine asks it.
type Players interface {
	// AccountOf returns the player whose key this is, and since when there is the account.
	AccountOf(ctx context.Context, fingerprint string) (lobby.User, time.Time, error)
	// Guest returns the guest of a connection.
	Guest(connectionID string) lobby.User
	// IsPlaying reports whether somebody plays a match that must not be left; it answers at once.
	IsPlaying(lobby.User) bool
}

type nobodyKnown struct{}

func (nobodyKnown) AccountOf(context.Context, string) (lobby.User, time.Time, error) {
	return lobby.User{}, time.Time{}, lobby.ErrNoAccount
}
func (nobodyKnown) Guest(string) lobby.User   { return lobby.User{} }
func (nobodyKnown) IsPlaying(lobby.User) bool { return false }

// askPlayers is how long the store is asked for the account of a key. One that isn't found counts as none.
const askPlayers = time.Second

// learn asks for the account of a client that has signed in with a key, unless it is known.
func (c *connection) learn() {
	c.mu.Lock()
	who, known := c.who, c.account != lobby.User{}
	c.mu.Unlock()
	if who.Fingerprint == "" || known {
		return
	}
	ctx, cancel := context.WithTimeout(c.ctx, askPlayers)
	defer cancel()
	account, made, err := c.server.players.AccountOf(ctx, who.Fingerprint)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.account, c.made = account, made
	if time.Since(made) >= regularAfter {
		c.server.admission.reputation.trustRegular(time.Now(), c.remote.Addr())
	}
}

// standing returns how much claim to a place the client has. The caller holds mu.
func (c *connection) standing() standing {
	switch {
	case c.account == lobby.User{}:
		return stranger
	case time.Since(c.made) >= regularAfter:
		return regular
	case c.server.players.IsPlaying(c.account):
		return playing
	}
	return newcomer
}

// A claim is what counts of a connection when somebody has to leave.
type claim struct {
	conn     *connection
	from     netip.Addr
	signedIn bool
	sessions int
	who      standing // of a guest who plays: playing
	active   int64    // when something was last typed or a session began, or when it was accepted; Unix time in nanoseconds
}

// lastResort is 1 for people who play, who leave after all others.
func (v claim) lastResort() int {
	if v.who == playing {
		return 1
	}
	return 0
}

// claim returns that of a connection; ok is false if it ends already.
func (c *connection) claim() (v claim, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v = claim{
		conn: c, from: c.remote.Addr(), signedIn: c.stage >= waiting, sessions: c.channels[inUse], who: c.standing(),
		active: cmp.Or(c.active.Load(), c.since.UnixNano()),
	}
	if v.who == stranger && v.signedIn && c.who.Guest && c.server.players.IsPlaying(c.server.players.Guest(c.id)) {
		v.who = playing
	}
	return v, c.why == "" && c.ending == "" && !c.leaving
}

// makeRoomFor has somebody leave if a client needs the place for a session and has more claim to it.
func (s *Server) makeRoomFor(c *connection) {
	c.learn()
	if !c.needsRoom() {
		return
	}
	self, _ := c.claim()
	share := func(v claim) int { return s.admission.share(v.from, func(t tally) int { return t.sessions }) }
	s.leave(self.who, share(self)+1, share, func(v claim) bool { return v.conn != c && v.sessions > 0 })
}

// needsRoom reports whether a session is refused only because the club is full.
func (c *connection) needsRoom() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending == "" && !c.leaving && !c.overLimit && c.channels[inUse] < c.server.limits.Load().SessionsPerConnection &&
		c.server.admission.needsRoom(c.remote.Addr(), c.standing())
}

// makeRoom has somebody leave if a new connection is refused only because there are too many, and its address has more claim to the place. It
// reports whether there is room now.
func (s *Server) makeRoom(from netip.Addr, why reason) bool {
	who := stranger
	if s.admission.reputation.regular(time.Now(), from) {
		who = regular
	}
	unauth := func(t tally) int { return t.unauth }
	all := func(t tally) int { return t.unauth + t.signedIn }
	silent := func(v claim) bool { return !v.signedIn }
	share := func(of func(tally) int) func(claim) int {
		return func(v claim) int { return s.admission.share(v.from, of) }
	}
	own := claim{from: from}
	switch {
	case why == tooManyConns:
		return s.leave(who, share(all)(own)+1, share(all), silent) ||
			s.leave(who, share(all)(own)+1, share(all), func(v claim) bool { return v.signedIn })
	case why == tooManyHandshakes && s.admission.unauthFull():
		return s.leave(who, share(unauth)(own)+1, share(unauth), silent)
	}
	return false
}

// leave has one of the connections that may go make room for somebody whose block has the share own of what there is too much of.
func (s *Server) leave(who standing, own int, share func(claim) int, may func(claim) bool) bool {
	var all []claim
	shares := make(map[*connection]int)
	for _, c := range s.connections() {
		v, ok := c.claim()
		if !ok || !may(v) || v.who == regular || who < playing && v.who == playing {
			continue
		}
		if shares[c] = share(v); who >= playing || shares[c] > own {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b claim) int {
		return cmp.Or(
			cmp.Compare(a.lastResort(), b.lastResort()), cmp.Compare(shares[b.conn], shares[a.conn]),
			cmp.Compare(a.who, b.who), cmp.Compare(a.active, b.active))
	})
	for _, v := range all {
		if v.who == playing && who != regular {
			return false
		}
		if v.signedIn && v.who == stranger {
			v.conn.learn() // it may have made an account since
			if now, ok := v.conn.claim(); !ok || now.who >= playing {
				continue
			}
		}
		if v.conn.makeRoom() {
			return true
		}
	}
	return false
}

// makeRoom ends the connection, which counts no more from now on: in words if it has signed in. ok is false if it ends already, or too many do.
func (c *connection) makeRoom() (ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	signedIn := c.stage >= waiting
	if c.why != "" || c.ending != "" || c.shut || !c.server.admission.makeRoom(c.remote.Addr(), signedIn, c.channels[inUse]) {
		return false
	}
	c.leaving = true
	if !signedIn {
		c.endLocked(madeRoom)
		return true
	}
	c.setDeadline(c.server.limits.Load().GoingDown, madeRoom)
	c.dismissLocked(madeRoom, lobby.ErrMadeRoom)
	return true
}

// PlayersOf returns what a club knows of those who sign in.
func PlayersOf(l *lobby.Lobby) Players { return clubPlayers{l} }

type clubPlayers struct{ club *lobby.Lobby }

func (p clubPlayers) AccountOf(ctx context.Context, fingerprint string) (lobby.User, time.Time, error) {
	return p.club.Accounts.AccountOf(ctx, fingerprint)
}

func (p clubPlayers) Guest(connectionID string) lobby.User {
	return p.club.Accounts.Guest(connectionID)
}

func (p clubPlayers) IsPlaying(u lobby.User) bool { return p.club.Seats.IsPlaying(u) }
