package newmatch

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/rating"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/widget"
)

// A ratingRange is for which ratings an offer is, as the form has it.
type ratingRange struct {
	within int    // points above and below the player's own rating; 0: any
	typed  string // as MIN-MAX; "" if nothing is typed
}

// withinChoices are the ranges around the player's own rating that the form offers. Any other is typed.
var withinChoices = [...]int{0, 100, 200, 300, 500}

// maxRange is the longest text of a range.
const maxRange = len("4000-4000")

// next returns the range after or before this one in the choices, by a key. What was typed is gone.
func (r ratingRange) next(key string) ratingRange {
	at := max(slices.Index(withinChoices[:], r.within), 0)
	return ratingRange{within: withinChoices[widget.Cycle(at, len(withinChoices), key)]}
}

// press returns the range after a digit, a hyphen or a backspace.
func (r ratingRange) press(key string) ratingRange {
	switch {
	case key == "backspace" && r.typed != "":
		r.typed = r.typed[:len(r.typed)-1]
	case key != "backspace" && len(r.typed) < maxRange:
		r.typed += key
	}
	return r
}

// bounds returns the least and the highest rating for a player who has one; zero for any. ok is false if what is typed is no range.
func (r ratingRange) bounds(own int) (bounds [2]int, ok bool) {
	switch {
	case r.typed != "":
		return seats.ParseRange(r.typed)
	case r.within == 0:
		return bounds, true
	}
	return [2]int{max(own-r.within, 0), min(own+r.within, seats.MaxRating)}, true
}

// ownRatingsMsg is the player's ratings in whole points, by game.
type ownRatingsMsg map[string]int

// loadRatings loads the player's ratings. Without them the form uses the rating of a newcomer.
func (s terms) loadRatings() tea.Cmd {
	l, ctx, who := s.env.Lobby, s.env.Ctx, s.env.Who
	if !s.whole || who.Player() == "" {
		return nil
	}
	return func() tea.Msg {
		p, err := l.Profile(ctx, who, who.Name)
		if err != nil {
			return nil
		}
		own := make(ownRatingsMsg, len(p.Games))
		for _, g := range p.Games {
			own[g.Game] = int(g.Rating + 0.5)
		}
		return own
	}
}

// ownRating returns the rating that counts for the player in the chosen game.
func (s terms) ownRating() int {
	if own, ok := s.ratings[s.about().ID]; ok {
		return own
	}
	return int(rating.Newcomer().Rating)
}

// isOffer reports whether the match is a public offer.
func (s terms) isOffer() bool { return s.against == AgainstPerson && s.takers == anyPlayer }

// onRange reports whether the cursor is on the range of ratings.
func (s setup) onRange() bool { return s.form.At() == keyRange && s.isOffer() }

// rangeField returns the field of the range of ratings.
func (s setup) rangeField() widget.Field {
	say, own := s.env.Say, s.ownRating()
	bounds, ok := s.wanted.bounds(own)
	f := widget.Field{Key: keyRange, Label: say.T("Ratings"), Bad: !ok,
		Help: say.T("Who may take the offer. Your rating counts as %d. Arrows choose how far around it, or type a range like 1400-1600.", own)}
	switch {
	case s.wanted.typed != "" && s.form.At() == keyRange:
		f.Value = s.wanted.typed + "_"
	case s.wanted.typed != "":
		f.Value = s.wanted.typed
	case s.wanted.within == 0:
		// Translators: players of any rating.
		f.Value = say.T("any")
	default:
		f.Value = say.T("within %d: %d-%d", s.wanted.within, bounds[0], bounds[1])
	}
	return f
}

// rangeProblem says what is wrong with the range of ratings.
func (s terms) rangeProblem() string {
	if _, ok := s.wanted.bounds(s.ownRating()); ok || !s.isOffer() {
		return ""
	}
	return s.env.Say.T("A range is two ratings up to %d, the lower one first, like 1400-1600.", seats.MaxRating)
}
