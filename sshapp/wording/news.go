package wording

import (
	"ludoteca/games"
	"ludoteca/lobby/news"
	"ludoteca/lobby/tells"
	"ludoteca/storage"
)

// News returns the sentence about an item from the lists, about what an end means, or that a followed player has come. game finds the game of a
// challenge.
func (s Words) News(i news.Item, game func(id string) (games.Game, error)) string {
	switch code := i.Match.Code; i.Kind {
	case news.YourMove:
		return s.T("It is your move in match %s, against %s.", code, s.Occupant(i.By))
	case news.Begins:
		words := s.T("Match %s begins: %s plays against you.", code, s.Occupant(i.By))
		if i.Mine.YourTurn {
			words += " " + s.T("It is your move.")
		}
		return words
	case news.Paired:
		words := s.Events().Paired(i.Mine.Tournament, i.Mine.Side, s.Occupant(i.By))
		if i.Mine.YourTurn {
			words += " " + s.T("It is your move.")
		}
		return words
	case news.Challenged:
		if g, err := game(i.Challenge.Game); err == nil {
			return s.Challenge(g, *i.Challenge) + "."
		}
		return s.T("%s challenges you", s.Name(i.By.Name)) + "."
	case news.Rematch, news.Offered:
		return s.Offers(i.Offer, i.By.Name)
	case news.Told:
		return s.Talk().Told(tells.Line{By: i.By.Name, Text: i.Text})
	case news.Arrived:
		return s.Arrived(i.By.Name)
	case news.Untaken:
		return s.T("Nobody has taken your offer %s, and it has ended.", code)
	case news.Over:
		v := i.View
		ending := s.Ending(v.Game.About(), v.Options, v.Result, v.Reason, s.Occupant(v.Seats[games.First]), s.Occupant(v.Seats[games.Second]))
		return s.T("Match %s is over.", code) + " " + ending + "."
	case news.Declined, news.Lapsed, news.Withdrawn:
		return s.Unanswered(i.View, !i.Invited)
	}
	return ""
}

// Paired says against whom a player plays at a board of an event, and on which side.
func (e Events) Paired(at storage.TournamentBoard, side games.Side, opponent string) string {
	name := e.say.Name(at.Name)
	switch {
	case at.Round == 0 && side == games.First:
		// Translators: the first %s is the name of an event, the second one of a player
		return e.say.T("%s: you have the first side against %s.", name, opponent)
	case at.Round == 0:
		return e.say.T("%s: you have the second side against %s.", name, opponent)
	case side == games.First:
		// Translators: the first %s is the name of an event, the second one of a player
		return e.say.T("%s, round %d: you have the first side against %s.", name, at.Round, opponent)
	}
	return e.say.T("%s, round %d: you have the second side against %s.", name, at.Round, opponent)
}

// Occupant returns the name of an occupant for a sentence. Computer players and computer accounts are marked.
func (s Words) Occupant(o storage.Occupant) string {
	if o.Kind == storage.Bot || o.Kind == storage.Engine { // the profile of a computer account says whose it is
		return s.T("%s (bot)", s.Name(o.Name))
	}
	return s.Name(o.Name)
}

// OwnerOf says of a computer account whose it is; owner is "" where nobody has agreed to that.
func (s Words) OwnerOf(owner string) string {
	if owner == "" {
		return s.T("A computer account: a program plays, and no player has said whose it is.")
	}
	return s.T("A computer account of %s: a program plays.", s.Name(owner))
}
