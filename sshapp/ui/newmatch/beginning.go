package newmatch

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/positionpage"
	"ludoteca/sshapp/ui/screen"
)

// studied reports whether the match begins elsewhere than at the start of its game. Then it is casual, and its options are given.
func (s terms) studied() bool { return s.fixed || s.start != "" }

// opponents returns how many kinds of opponents there are to choose from: two computers play whole games.
func (s terms) opponents() int {
	if s.studied() {
		return int(TwoComputers)
	}
	return int(TwoComputers) + 1
}

// canBegin reports whether the form asks from where the match begins.
func (s terms) canBegin() bool {
	_, editable := s.env.Lobby.Games()[s.game].(games.Editable)
	return s.whole && s.against != TwoComputers && (editable || s.studied())
}

// beginning says from where the match begins, and what can be done about it.
func (s terms) beginning() (value, help string) {
	say := s.env.Say
	change := say.T("Enter shows the position, and you can change it. The match is casual.")
	switch {
	case len(s.from) > 0:
		return say.T("move %d", len(s.from)), change
	case s.fixed:
		return say.T("a position"), change
	case s.start != "":
		return say.T("a position"), say.T("Enter changes it, left and right lead back to the start. The match is casual.")
	}
	return say.T("the start"), say.T("Enter sets up another position, for odds and studies.")
}

// enter opens the match. On the line with the start position it opens the board that changes it.
func (s setup) enter() (setup, tea.Cmd) {
	if s.atBeginning() {
		return s.edit()
	}
	return s.open()
}

// enterWhat says what enter does.
func (s setup) enterWhat() string {
	if s.atBeginning() {
		return text.T("set it up")
	}
	return text.T("play")
}

func (s setup) atBeginning() bool { return s.form.At() == keyBegins && s.canBegin() }

// edit shows the board on which the position is set up.
func (s setup) edit() (setup, tea.Cmd) {
	if problem := s.problem(); problem != "" || s.busy {
		return s, screen.Note(problem)
	}
	g := s.env.Lobby.Games()[s.game]
	p, err := games.Begin(g, s.chosen(), s.start)
	if err == nil {
		p, err = games.ReplayFrom(p, s.from)
	}
	if err != nil {
		return s, screen.Note(s.env.Say.Error(err))
	}
	page, ok := positionpage.New(s.env, g, p, s, s.beginFrom)
	if !ok {
		return s, screen.Note(s.env.Say.T("Positions of this game can't be set up by hand."))
	}
	return s, screen.Replace(page)
}

// beginFrom returns the form of a match that begins from a position. The start of the game is none of its own.
func (s setup) beginFrom(p games.Position) screen.Screen {
	s.terms = s.choose(games.OptionSet{Options: p.Options()})
	s.start, s.from, s.fixed, s.form = p.String(), nil, false, s.form.Focus(keyOpen)
	if start, err := s.env.Lobby.Games()[s.game].New(p.Options()); err == nil && start.String() == s.start {
		s.start = ""
	}
	if s.studied() && s.against == TwoComputers {
		s.against = AgainstComputer
	}
	return s
}
