package text

import (
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
)

// Looking says how far a search for a quick match has come, in parts: whom it looks for, for how long, and how many others look for the
// same.
func (s Say) Looking(l lobby.Looking) []string {
	whom := s.T("looking for anybody")
	if l.To > 0 {
		whom = s.T("looking between %d and %d", l.From, l.To)
	}
	waited := s.T("%d s", int(l.Waited/time.Second))
	if l.Waited >= time.Minute {
		waited = s.T("%d min", int(l.Waited/time.Minute))
	}
	others := s.T("%d others are looking", l.Others)
	switch l.Others {
	case 0:
		others = s.T("nobody else is looking")
	case 1:
		others = s.T("1 other is looking")
	}
	return []string{whom, waited, others}
}

// Challenge says who challenges a user, and to what: ana challenges you: Petteia, 5+3, rated, you play first.
func (s Say) Challenge(g games.Game, o lobby.Offer) string {
	what := g.About().Name + ", " + s.Clock(o.Clock) + ", "
	if o.Rated {
		what += s.T("rated")
	} else {
		what += s.T("casual")
	}
	if o.Side == games.First {
		what += ", " + s.T("you play first")
	} else {
		what += ", " + s.T("you play second")
	}
	return s.T("%s challenges you: %s", s.Name(o.By.Name), what)
}
