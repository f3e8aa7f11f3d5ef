package presence

import (
	"sync"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// A Session is one session of a user who is here, from Service.Visit until Leave. Any goroutine may use it.
type Session struct {
	service *Service
	user    match.User
	visit   *Visit
	once    sync.Once
}

// Visit says that a user is here: in the lobby, until the session says otherwise. A user may be here several times. keys reports whether the
// session has a keyboard: without a key for IdleAfter it counts as away.
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

// At says that the session looks at the board of a match now; "" for none.
func (v *Session) At(id storage.MatchID) { v.visit.At(id) }

// Pressed says that the user has pressed a key.
func (v *Session) Pressed() { v.visit.Pressed() }

// Leave ends the session. dropped says that the line died: nobody ended the session properly. It may be called again.
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

// Enter says that a user is here, until leave is called: a Visit with a keyboard whose session ends properly.
func (s *Service) Enter(u match.User) (leave func()) {
	v := s.Visit(u, true)
	return func() { v.Leave(false) }
}
