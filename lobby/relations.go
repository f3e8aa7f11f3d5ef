package lobby

import (
	"ludoteca/lobby/match"
)

// withdrawBetween ends the challenges and rematches that one of two users has offered the other and that wait for an answer, soon.
func (l *Lobby) withdrawBetween(a, b User) {
	between := func(by, to User) {
		l.Manners.Withdraw(by, func(s *match.Summary) bool { return to.Is(s.Reserved) })
	}
	between(a, b)
	between(b, a)
}
