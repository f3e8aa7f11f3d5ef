package newmatch

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// The parts of the form of a match about a challenge: its opponent, and how long it waits for an answer. The form looks the name up in the
// lobby when the cursor leaves its field.

// An opponentMsg is the lobby's answer about a name.
type opponentMsg struct {
	name     string
	opponent seats.Opponent
	err      error
}

// NewChallenge returns the form of a challenge to a player, or to a guest who is here.
func NewChallenge(e *screen.Env, name string) screen.Screen {
	s := New(e, AgainstPerson).(setup)
	s.whole, s.named, s.takers = false, true, namedPlayer
	s.form = s.form.Write(keyTo, name)
	return s
}

// challenges reports whether the match is a challenge.
func (s terms) challenges() bool { return s.against == AgainstPerson && s.takers == namedPlayer }

// opponentName returns the typed name of the challenged player.
func (s terms) opponentName() string { return s.form.Text(keyTo) }

// lookUp asks the lobby for the player with the typed name.
func (s terms) lookUp() tea.Cmd {
	name := s.opponentName()
	if !s.challenges() || name == "" {
		return nil
	}
	l, ctx, who := s.env.Lobby, s.env.Ctx, s.env.Who
	return func() tea.Msg {
		opponent, err := l.Opponent(ctx, who, name)
		return opponentMsg{name, opponent, err}
	}
}

// known returns what the lobby has said about the name as it is typed now.
func (s terms) known() (opponent seats.Opponent, ok bool) {
	m := s.opponent
	return m.opponent, m.err == nil && m.name != "" && m.name == s.opponentName()
}

// noOpponent returns the reason why the typed name can't be challenged. It returns "" if it can, or if the lobby has not been asked yet.
func (s terms) noOpponent() string {
	if m := s.opponent; s.challenges() && m.err != nil && m.name == s.opponentName() {
		return s.refused(m.err)
	}
	return ""
}

// refused says why the match could not be opened.
func (s terms) refused(err error) string {
	if errors.Is(err, lobby.ErrNoSuchPlayer) {
		return s.env.Say.T("There is no player %s here. Check how the name is written.", s.env.Say.Name(s.opponentName()))
	}
	return s.env.Say.Error(err)
}

// nameField returns the field of the name.
func (s setup) nameField() widget.Field {
	say := s.env.Say
	f := widget.Field{Key: keyTo, Label: say.T("Name"), Value: s.opponentName(), Text: true, Bad: s.noOpponent() != "",
		Help: say.T("The player whom you challenge, in any letter case.")}
	opponent, ok := s.known()
	if !ok {
		return f
	}
	f.Help = s.answerTime()
	switch {
	case s.form.At() == keyTo: // the cursor stands behind the name
	case opponent.Wait(s.clock) > 0:
		f.Value += s.env.Theme.Dot + say.T("%d s to answer", int(seats.ChallengeWait/time.Second))
	default:
		f.Value += s.env.Theme.Dot + say.T("may answer later")
	}
	return f
}

// answerTime says how long the challenge waits for an answer; "" if that isn't known.
func (s terms) answerTime() string {
	say := s.env.Say
	opponent, ok := s.known()
	name := say.Name(opponent.Name)
	switch {
	case !ok:
		return ""
	case opponent.Wait(s.clock) > 0:
		return say.T("%s is here. Without an answer the challenge ends after %d s.", name, int(seats.ChallengeWait/time.Second))
	case opponent.Both:
		return say.T("With days for each move there is no hurry: the challenge waits until %s answers or you withdraw it.", name)
	}
	return say.T("%s is not here just now. The challenge waits until they answer or you withdraw it.", name)
}
