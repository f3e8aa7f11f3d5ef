package matchpage

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// TestClaimAtTheBoard: a player sees at once that the opponent's line has died, and how long they have to come back; then the match can be
// claimed, with a second enter.
func TestClaimAtTheBoard(t *testing.T) {
	for _, tt := range []struct {
		command, question string
		want              string
	}{
		{"/claim", "Claim the win?", "first"},
		{"/claimdraw", "Claim a draw?", "draw"},
	} {
		t.Run(tt.command, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewTimedMatch(t, "fourmation", nil, true, lobby.ClockSetting{Kind: lobby.Fischer, Base: 5 * time.Minute, Increment: 3 * time.Second})
				visit := b.Club.Presence.Visit(b.Rui, true)
				visit.At(b.Ref.ID)
				b.Play("a1", "b2")
				s := open(b, b.Ana, 80, 24, accounts.Settings{})
				s.Pass(2 * time.Second)
				s.Keys(tt.command, "enter")
				s.Sees("There is nothing to claim here")
				s.Keys("up") // a problem stands until the next key
				s.Misses("to come back")

				visit.Leave(true)
				s.Pass(2 * time.Second)
				s.Sees("rui's line dropped: 0:58 to come back.")
				s.Keys(tt.command, "enter")
				s.Sees("Your opponent may still come back. You can claim the match in 58 s.")
				s.Pass(50 * time.Second)
				s.Sees("Your opponent may still come back. You can claim the match in 8 s.")
				s.Pass(10 * time.Second)
				s.Sees("rui has not come back. /claim takes the win, /claimdraw a draw.")
				s.Keys(tt.command, "enter")
				s.Sees(tt.question, "esc to play on")
				if b.View().Over {
					t.Fatal("the match is over before the second enter")
				}
				s.Keys("enter")
				s.Settle()
				if v := b.View(); v.Result != tt.want || v.Reason != "claimed" {
					t.Errorf("%q, %q, want %q, claimed", v.Result, v.Reason, tt.want)
				}
			})
		})
	}
}
