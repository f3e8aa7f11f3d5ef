package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage/accounts"
)

// sessionSettings puts a player's settings in force and stores them. One write follows the other, so that the last choice is the one that
// stays.
type sessionSettings struct {
	env    *screen.Env
	client client
	note   *note

	saving  bool // settings are on their way to the store
	unsaved bool // they have changed since
	leaving bool // the session ends as soon as they are stored
}

// savedMsg reports whether the settings were stored.
type savedMsg struct{ err error }

// restyle works out the theme for the colours that the terminal has.
func (s *sessionSettings) restyle(p colorprofile.Profile) { s.client.style(s.env, p) }

// adopt puts settings in force.
func (s *sessionSettings) adopt(now accounts.Settings) {
	s.env.Settings = now
	s.restyle(s.env.Theme.Profile)
}

// choose puts settings in force that the player has chosen, and stores them.
func (s *sessionSettings) choose(now accounts.Settings) tea.Cmd {
	s.adopt(now)
	return s.save()
}

// save stores the settings as they are now.
func (s *sessionSettings) save() tea.Cmd {
	if s.env.Who.Player() == "" {
		return nil // a guest's settings hold for the visit; a newcomer's are stored by the sign-up
	}
	if s.saving {
		s.unsaved = true
		return nil
	}
	s.saving = true
	l, ctx, who, now := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Settings
	return func() tea.Msg { return savedMsg{l.SaveSettings(ctx, who, now)} }
}

// saved goes on after a write.
func (s *sessionSettings) saved(msg savedMsg) tea.Cmd {
	s.saving = false
	if msg.err != nil {
		s.note.set(s.env.Say.Error(msg.err))
	}
	switch {
	case s.unsaved:
		s.unsaved = false
		return s.save()
	case s.leaving:
		return tea.Quit
	}
	return nil
}

// quit ends the session, once settings that are on their way are stored. The second quit waits for nothing.
func (s *sessionSettings) quit() tea.Cmd {
	if s.saving && !s.leaving {
		s.leaving = true
		return nil
	}
	return tea.Quit
}
