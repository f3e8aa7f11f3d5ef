package matchpage

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
	"ludoteca/storage/operators"
)

// A reportedClub is a real club that keeps the last report for a test.
type reportedClub struct {
	screen.Reporter
	report string
}

func (c *reportedClub) ReportSide(_ context.Context, _ lobby.User, _ origin.Origin, match string, side games.Side, reason string) (operators.Report, error) {
	c.report = fmt.Sprint(side, " ", match, " ", reason)
	return operators.Report{AboutName: "rui"}, nil
}

// TestReportAtTheBoard: a player reports the opponent with the match, while it goes on and when it is over.
func TestReportAtTheBoard(t *testing.T) {
	for _, moves := range []int{0, len(uitest.ShortWin)} {
		t.Run(fmt.Sprint(moves, " moves"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewMatch(t, "fourmation", nil, true)
				b.Play(uitest.ShortWin[:moves]...)
				club := new(reportedClub)
				services := uitest.NewFakeAnalyzer(b.Club).Services()
				services.Reporter = club
				s := begin(t, 40, 20, ui.Config{Lobby: services, Who: b.Ana, Start: ui.StartWatch, Code: b.Ref.Code, Now: time.Now})
				s.Keys("/report", "enter")
				s.OnScreen("people.report")
				s.Sees("rui", "this match and its", "enter report")
				s.Keys("swears", "enter")
				s.Sees("Thank you.")
				if want := fmt.Sprint(games.Second, " ", b.Ref.ID, " swears"); club.report != want {
					t.Errorf("reports %q, want %q", club.report, want)
				}
				s.Keys("esc")
				s.AtMatch()
			})
		})
	}
}

// TestNobodyToReport: computer players, guests and free seats can't be reported, and only the players of a match can report.
func TestNobodyToReport(t *testing.T) {
	for _, tt := range []struct {
		name string
		spec seats.Spec
		who  func(b *uitest.Match) lobby.User
		want string
	}{
		{"a computer player", seats.Spec{Bot: "random"}, nil, "Only an opponent with an account"},
		{"two at a keyboard", seats.Spec{Hotseat: true}, nil, "Only an opponent with an account"},
		{"a free seat", seats.Spec{}, nil, "Only an opponent with an account"},
		{"a spectator", seats.Spec{Bot: "random", Public: true}, func(b *uitest.Match) lobby.User { return b.Person("eva") }, "You are only watching"},
		{"a guest", seats.Spec{Bot: "random"}, func(b *uitest.Match) lobby.User { b.Ana = b.Club.Accounts.Guest("g"); return b.Ana }, "This needs a key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewMatch(t, "fourmation", nil, false)
				who := b.Ana
				if tt.who != nil {
					who = tt.who(b)
				}
				tt.spec.Game = "fourmation"
				var err error
				if b.Ref, err = b.Club.Seats.Open(t.Context(), b.Ana, tt.spec); err != nil {
					t.Fatal(err)
				}
				s := open(b, who, 80, 24, accounts.Settings{})
				s.Keys("/re")
				s.Misses("/report")
				s.Keys("port", "enter")
				s.AtMatch()
				s.Sees(tt.want)
			})
		})
	}
}
