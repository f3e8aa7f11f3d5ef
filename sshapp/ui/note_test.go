package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage/accounts"
)

// TestNote: words take the place of a question, and take no more lines than there are.
func TestNote(t *testing.T) {
	var n note
	n.ask(leaveQuestion, "A clock is running: ctrl+c again leaves.")
	if !n.asking() {
		t.Error("a question isn't asked")
	}
	if got := n.lines(24, 9); len(got) != 2 {
		t.Errorf("the lines are %q, want 2", got)
	}
	if got := n.lines(24, 1); len(got) != 1 {
		t.Errorf("the lines are %q, want 1", got)
	}
	if n.set("Saved."); n.asking() || n.words != "Saved." {
		t.Errorf("after other words the note is %+v", n)
	}
}

// TestBell: it rings unless the player has switched it off.
func TestBell(t *testing.T) {
	rings := func(s accounts.Settings) bool {
		return bell{&screen.Env{Settings: s}, func() tea.Msg { return "ding" }}.ring() != nil
	}
	if !rings(accounts.Settings{}) || rings(accounts.Settings{Mute: true}) {
		t.Errorf("it rings: %v, muted: %v", rings(accounts.Settings{}), rings(accounts.Settings{Mute: true}))
	}
	if (bell{env: &screen.Env{}}).ring() != nil {
		t.Error("a terminal without a bell rings")
	}
}
