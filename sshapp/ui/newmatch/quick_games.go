package newmatch

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/quick"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// quickly returns the quick match that the form asks for: of the chosen game, and of the others that the player would play too. Those have the
// option set of the same name, if they have one.
func (s terms) quickly() quick.Wanted {
	w := quick.Wanted{Games: []quick.Choice{{Game: s.about().ID, Options: s.chosen()}}, Clock: s.clock, Class: s.class, Rated: s.rated}
	set := s.about().SetOf(s.chosen())
	for _, g := range s.others() {
		if !slices.Contains(s.also, g.About().ID) {
			continue
		}
		c := quick.Choice{Game: g.About().ID}
		if of, ok := g.About().OptionSet(set); ok {
			c.Options = of.Options
		}
		w.Games = append(w.Games, c)
	}
	return w
}

// others returns the games of the club besides the chosen one.
func (s terms) others() []games.Game {
	id := s.about().ID
	return slices.DeleteFunc(slices.Clone(s.env.Lobby.Games()), func(g games.Game) bool { return g.About().ID == id })
}

// alsoFields returns a field for each other game: whether the player would play it too.
func (s terms) alsoFields() (fields []widget.Field) {
	say := s.env.Say
	for _, g := range s.others() {
		about := g.About()
		value := say.T("no")
		if slices.Contains(s.also, about.ID) {
			value = say.T("yes")
		}
		fields = append(fields, widget.Field{
			// Translators: %s is a game that the player would play as well.
			Key: keyAlso + about.ID, Label: say.T("or %s", say.Spell(about.Name)), Value: value,
			Help: say.T("You get whichever fits first: the more games you like, the shorter you wait.") + s.sought.of(s.env, about.ID),
		})
	}
	return fields
}

// soughtMsg holds what others look for in quick matches.
type soughtMsg []lists.Sought

// loadSought finds out what others look for.
func loadSought(s terms) tea.Cmd {
	if s.against != quickOpponent {
		return nil
	}
	l, who := s.env.Lobby, s.env.Who
	return func() tea.Msg { return soughtMsg(l.Now(who).Sought) }
}

// of says how many others look for a match of a game, and what kind of match, with a space in front of each sentence.
func (m soughtMsg) of(e *screen.Env, game string) (words string) {
	for _, k := range m {
		if slices.Contains(k.Games, game) {
			words += " " + e.Say.Sought(k, e.Lobby.Game) + "."
		}
	}
	return words
}
