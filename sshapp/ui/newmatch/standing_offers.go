package newmatch

import "ludoteca/sshapp/ui/widget"

// mayStand reports whether the offer may be a standing one: a player makes it, and it begins at the start of the game.
func (s terms) mayStand() bool { return s.isOffer() && !s.studied() && s.env.Who.Player() != "" }

// standingField returns the field that makes a standing offer.
func (s setup) standingField() widget.Field {
	say := s.env.Say
	// Translators: of an offer: when one is taken, the next opens. The values are: once, 1 at a time, 2 at a time.
	f := widget.Field{Key: keyStanding, Label: say.T("Offer it"), Help: say.T("The offer is gone when it is taken.")}
	// Translators: of an offer that opens once.
	f.Value = say.T("once")
	if s.places > 0 {
		f.Value = say.N(s.places, "again and again, 1 at a time", "again and again, %d at a time", s.places)
		f.Help = say.T("As soon as it is taken the next one opens, up to so many matches. With days a move it stays while you are away. To end it, withdraw it.")
	}
	return f
}
