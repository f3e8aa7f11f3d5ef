package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// A questionScreen waits for an answer, and keeps the keys that it gets.
type questionScreen struct {
	runningScreen
	pressed *[]tea.KeyPressMsg
}

func (questionScreen) Asking() bool { return true }

func (s questionScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		*s.pressed = append(*s.pressed, press)
	}
	return s, nil
}

// TestKeypadEnterAtAQuestion: a screen that has asked something gets one enter key, whichever of the two was pressed.
func TestKeypadEnterAtAQuestion(t *testing.T) {
	walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		var pressed []tea.KeyPressMsg
		s.Run(s.App.(*App).nav.push(questionScreen{runningScreen{screen.NewReader(s.App.Env(), "", "")}, &pressed}))
		s.Settle()
		s.Send(tea.KeyPressMsg{Code: tea.KeyKpEnter})
		s.Keys("enter", "x")
		if len(pressed) != 3 || pressed[0].Code != tea.KeyEnter || pressed[1].Code != tea.KeyEnter || pressed[2].Code != 'x' {
			t.Errorf("the screen got %+v", pressed)
		}
	})
}
