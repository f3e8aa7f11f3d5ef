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
func (s Say) Challenge(g games.Game, o lobby.Offer) string { return s.Challenges(g, o)[0] }

// Challenges is Challenge in several lengths, the longest first: without the side, and with the game alone.
func (s Say) Challenges(g games.Game, o lobby.Offer) []string {
	name := g.About().Name
	kind, side := s.T("casual"), s.T("you play second")
	if o.Rated {
		kind = s.T("rated")
	}
	if o.Side == games.First {
		side = s.T("you play first")
	}
	long := name + ", " + s.Clock(o.Clock) + ", " + kind
	var all []string
	for _, what := range []string{long + ", " + side, long, name} {
		all = append(all, s.T("%s challenges you: %s", s.Name(o.By.Name), what))
	}
	return all
}
