package matchpage

import (
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// TestKeypadEnter: the enter key of the number pad sends what is typed and answers a question, as the other one does. The terminal driver
// makes one key of both; the stock Bubble Tea runner does not.
func TestKeypadEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		b.Play("d4", "e4")
		ana := open(b, b.Ana, 80, 24, accounts.Settings{})
		enter := func() { ana.Send(tea.KeyPressMsg{Code: tea.KeyKpEnter}) }
		ana.Keys("/resign")
		enter()
		ana.Sees("Resign this match?")
		enter()
		if !b.View().Over {
			t.Errorf("the second enter has not answered the question:\n%s", ana.Page())
		}
		ana.Misses("Resign this match?")
	})
}
