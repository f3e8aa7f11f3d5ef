package sshapp

import (
	"net/netip"
	"slices"

	"ludoteca/lobby"
)

// Bans reports which addresses and keys operators have banned. Its methods are called for every connection, return at once and are safe for
// concurrent use.
type Bans interface {
	AddressBanned(netip.Addr) bool
	KeyBanned(fingerprint string) bool
}

type nobodyBanned struct{}

func (nobodyBanned) AddressBanned(netip.Addr) bool { return false }
func (nobodyBanned) KeyBanned(string) bool         { return false }

// banned reports whether a client that has signed in is banned. An address may have been banned since its connection was taken in.
func (s *Server) banned(who Identity, from netip.Addr) bool {
	return s.bans.AddressBanned(from) || who.Fingerprint != "" && s.bans.KeyBanned(who.Fingerprint)
}

// EndBanned ends all connections whose address or key is banned by now. Their sessions are told why, and have
// Limits.GoingDown to end; connections that have not signed in yet are closed.
func (s *Server) EndBanned() {
	s.end(banned, lobby.ErrBanned, func(c *connection) bool { return s.banned(c.who, c.remote.Addr()) })
}

// EndKeys ends the connections of some keys, as EndBanned does. why is the reason that their sessions are told.
func (s *Server) EndKeys(fingerprints []string, why error) {
	s.end(reasonOf(why), why, func(c *connection) bool {
		return c.who.Fingerprint != "" && slices.Contains(fingerprints, c.who.Fingerprint)
	})
}

// end ends the connections that match, which is called with their mu held. The contexts of their sessions end with the cause say.
func (s *Server) end(why reason, say error, match func(*connection) bool) {
	for _, c := range s.connections() {
		c.dismissIf(match, why, say)
	}
}

// connections returns all that are open.
func (s *Server) connections() (all []*connection) {
	s.mu.Lock()
	groups := make([]*connections, 0, len(s.serving))
	for group := range s.serving {
		groups = append(groups, group)
	}
	s.mu.Unlock()
	for _, group := range groups {
		all = append(all, group.list()...)
	}
	return all
}

func (c *connection) dismissIf(match func(*connection) bool, why reason, say error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.why != "" || c.ending != "" || !match(c):
	case c.stage < waiting:
		c.endLocked(why)
	default:
		c.setDeadline(c.server.limits.Load().GoingDown, why)
		c.dismissLocked(why, say)
	}
}
