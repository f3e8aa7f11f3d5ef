package presence

import (
	"sync"

	"ludoteca/lobby/match"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
)

// A Session is one session of a user who is here, from Service.Visit until Leave. Any goroutine may use it.
type Session struct {
	service *Service
	user    match.User
	visit   *Visit
	once    sync.Once
}

// Visit begins a session of a user in the lobby. A user may have several sessions. keys is whether the session has a keyboard; if so, it counts
// as away after IdleAfter without a key.
func (s *Service) Visit(u match.User, keys bool) *Session {
	visit, first := s.registry.Enter(u, keys)
	if first {
		s.config.Listener.Arrived(u)
	}
	v := &Session{service: s, user: u, visit: visit}
	s.config.Matches.Wake(u.Key())
	s.config.Listener.CameOrWent()
	return v
}

// User returns the user whose session it is.
func (v *Session) User() match.User { return v.user }

// At moves the session to the board of a match, or to the lobby if id is "".
func (v *Session) At(id storage.MatchID) { v.visit.At(id) }

// AtPlace is At for a screen's own word of where its session is.
func (v *Session) AtPlace(p atboard.Place) { v.visit.At(p.Match) }

// Pressed records that the user has pressed a key.
func (v *Session) Pressed() { v.visit.Pressed() }

// Leave ends the session. dropped is true if the connection died without a proper end. Leave may be called again.
func (v *Session) Leave(dropped bool) {
	s, k := v.service, v.user.Key()
	v.once.Do(func() {
		if v.visit.Leave(dropped) {
			s.config.Listener.Left(k)
		}
		if !s.config.Matches.Concerns(k) { // asked after the user is gone: a match that ends meanwhile has them forgotten itself
			s.registry.Forget(k)
		}
		s.config.Matches.Wake(k)
		s.config.Listener.CameOrWent()
	})
}

// Enter is Visit with a keyboard; leave ends the session properly.
func (s *Service) Enter(u match.User) (leave func()) {
	v := s.Visit(u, true)
	return func() { v.Leave(false) }
}
