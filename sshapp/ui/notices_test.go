package ui

import (
	"testing"

	"ludoteca/lobby/lists"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
)

// TestNoticesAreHiddenInTurn: esc hides the challenge, then the recovery code, then the announcement.
func TestNoticesAreHiddenInTurn(t *testing.T) {
	e := &screen.Env{Lobby: uitest.FullLobby().Services(), Theme: &widget.Theme{}}
	var screens stack
	var n note
	screens.add(echoing{})
	all := noticeLines{
		recovery:     recoveryCode{env: e, screens: &screens, code: "K7QM"},
		announcement: announcement{env: e, words: "Tea at five."},
		call:         callLine{env: e, screens: &screens},
		challenge:    challengeLine{env: e, note: &n, shown: &lists.Offer{}},
	}
	shown := func() [3]bool {
		return [3]bool{all.challenge.shown != nil, all.recovery.shown(), all.announcement.words != ""}
	}
	for _, want := range [][3]bool{{true, true, true}, {false, true, true}, {false, false, true}, {false, false, false}} {
		if got := shown(); got != want {
			t.Fatalf("challenge, code and announcement are shown: %v, want %v", got, want)
		}
		if some := want != [3]bool{}; all.canHide() != some || (all.lines(80) > 0) != some {
			t.Errorf("with %v it can hide: %v, in %d lines", want, all.canHide(), all.lines(80))
		}
		all.hide()
	}
}

// TestRecoveryCodeIsForTheLobby: other screens need the lines themselves.
func TestRecoveryCodeIsForTheLobby(t *testing.T) {
	var screens stack
	r := recoveryCode{env: &screen.Env{}, screens: &screens, code: "K7QM-2XPD"}
	screens.add(echoing{})
	if n := len(r.lines(80)); n == 0 || len(r.lines(40)) <= n || len(r.lines(200)) != n {
		t.Errorf("it takes %d lines in 40 cells, %d in 80, %d in 200", len(r.lines(40)), n, len(r.lines(200)))
	}
	if screens.add(echoing{}); r.shown() || r.lines(80) != nil {
		t.Error("it is shown on another screen")
	}
}
