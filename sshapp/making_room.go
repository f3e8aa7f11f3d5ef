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
// A stranger can open as many sessions as the club has places: 125 addresses, or 8 IPv6 /48s, are enough. So in a full club a client may
// have to leave for a new one. Among connections that have not signed in, the oldest one of the widest block of addresses with most
// of them is closed. Among clients that have signed in, one of the block with most of them leaves: guests and keys without an account before
// accounts younger than regularAfter, and of these the client that has been idle for longest. Players of a match leave after all others.
// Regulars stay.
//
// A regular, and a player whose match goes on, displaces any of them; only a regular displaces players. Others displace only clients of a block
// that has more than their own block would have, so that two strangers can't take a place from each other for ever.

// Players reports what the club knows of users who sign in. Its methods are safe for concurrent use.
type Players interface {
	// AccountOf returns the player who owns the key, and the time when the account was made.
	AccountOf(ctx context.Context, fingerprint string) (lobby.User, time.Time, error)
	// Guest returns the guest of a connection.
	Guest(connectionID string) lobby.User
	// IsPlaying reports, at once, whether the user plays a match that they must not leave.
	IsPlaying(lobby.User) bool
}

type nobodyKnown struct{}

func (nobodyKnown) AccountOf(context.Context, string) (lobby.User, time.Time, error) {
	return lobby.User{}, time.Time{}, lobby.ErrNoAccount
}
func (nobodyKnown) Guest(string) lobby.User   { return lobby.User{} }
func (nobodyKnown) IsPlaying(lobby.User) bool { return false }

// askPlayers is the time limit for finding the account of a key in the store. A key whose account isn't found in time counts as having none.
const askPlayers = time.Second

// learn looks up the account of a client that has signed in with a key, unless it is known already.
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
	case c.who.Fingerprint != "" && slices.Contains(c.server.workers, c.who.Fingerprint):
		return regular
	case c.account == lobby.User{}:
		return stranger
	case time.Since(c.made) >= regularAfter:
		return regular
	case c.server.players.IsPlaying(c.account):
		return playing
	}
	return newcomer
}

// A claim holds the properties of a connection that decide which one has to leave.
type claim struct {
	conn     *connection
	from     netip.Addr
	signedIn bool
	sessions int
	who      standing // of a guest who plays: playing
	active   int64    // when something was last typed or a session began, or when it was accepted; Unix time in nanoseconds
}

// lastResort is 1 for a player of a match, who leaves after all others, and else 0.
func (v claim) lastResort() int {
	if v.who == playing {
		return 1
	}
	return 0
}

// claim returns the claim of the connection. ok is false if the connection is ending already.
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

// makeRoomFor ends another connection if the client needs its place for a session and has more claim to it.
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

// makeRoom ends a connection if a new one is refused only because there are too many, and the address of the new one has more claim to the
// place. It reports whether there is room now.
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

// leave ends one of the connections for which may returns true, to make room for a client. who is the standing of the client, own the share
// that its block would have, and share returns the share of the block of a claim. leave reports whether a connection made room.
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

// makeRoom ends the connection and stops counting it. A client that has signed in gets a message. ok is false if the connection is ending
// already, or if too many are.
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

// PlayersOf returns the Players of a lobby.
func PlayersOf(l *lobby.Lobby) Players { return clubPlayers{l} }

type clubPlayers struct{ club *lobby.Lobby }

func (p clubPlayers) AccountOf(ctx context.Context, fingerprint string) (lobby.User, time.Time, error) {
	return p.club.Accounts.AccountOf(ctx, fingerprint)
}

func (p clubPlayers) Guest(connectionID string) lobby.User {
	return p.club.Accounts.Guest(connectionID)
}

func (p clubPlayers) IsPlaying(u lobby.User) bool { return p.club.Seats.IsPlaying(u) }
