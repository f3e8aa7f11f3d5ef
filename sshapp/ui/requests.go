package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/storage"
)

// What a screen's Cmd can ask of App, beside answering the screen itself.
type (
	pushMsg     struct{ to screen } // go on to another screen
	replaceMsg  struct{ to screen } // the same, without coming back here
	homeMsg     struct{}            // back to the lobby
	leaveMsg    struct{}            // end the session
	noteMsg     struct{ words string }
	bellMsg     struct{}
	settingsMsg struct{ storage.Settings } // use these settings from now on
)

func push(s screen) tea.Cmd    { return func() tea.Msg { return pushMsg{s} } }
func replace(s screen) tea.Cmd { return func() tea.Msg { return replaceMsg{s} } }
func home() tea.Msg            { return homeMsg{} }
func leave() tea.Msg           { return leaveMsg{} }

// note shows words above the hints until the next key.
func note(words string) tea.Cmd { return func() tea.Msg { return noteMsg{words} } }

// bell rings, unless the player wants none.
func bell() tea.Msg { return bellMsg{} }
