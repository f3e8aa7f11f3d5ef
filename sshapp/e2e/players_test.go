package e2e

import (
	"strings"
	"testing"

	"ludoteca/sshapp/e2e/sshclient"
)

const (
	acceptChallenge  = "\x19" // ctrl+y
	declineChallenge = "\x04" // ctrl+d
)

// TestPlayersHere has two players and a guest find each other with OpenSSH's client: a challenge is declined, another one and one of the
// guest are accepted, and all sit at the boards.
func TestPlayersHere(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startClub(t, t.TempDir())
	ana, rui := visit(t, keys, club.addr, "ana"), &terminal{keys.VisitIn(t, club.addr, "rui", 40, 20, []string{"TERM=xterm-256color", "LANG=en_GB.UTF-8"})}
	ana.signsUp()
	rui.Shows("first visit", "> Your name", "rui")
	rui.Types(enter)
	rui.Shows("PLAY", "> Play the computer")
	visitor := visit(t, keys, club.addr, sshclient.Guest)
	visitor.Shows("PLAY", "You are a guest")
	name := visitor.Finds(`(guest-[2-9A-Z]{4})`)

	ana.chooses("Players here")
	ana.Types(enter)
	ana.Shows("players here (3)", "rui", name)
	challenge := func(whom string) {
		t.Helper()
		ana.chooses("  " + whom)
		ana.Types(enter)
		ana.Shows("Ludoteca · challenge", whom+" · 60 s to answer")
		ana.Types(enter)
		ana.Shows("Waiting for " + whom + " to accept: ")
	}
	challenge("rui")
	rui.Shows("ana challenges you")
	rui.Types(declineChallenge)
	rui.Shows("Declined.")
	ana.Shows("rui declines the challenge.")

	ana.Types(esc)
	ana.Shows("players here (3)")
	challenge("rui")
	rui.Shows("ana challenges you")
	rui.Types(acceptChallenge)
	atBoard := func(c *terminal, opponent string) { // whose mark is shown while a match runs; a note may cover the line below
		t.Helper()
		c.Until("the board of the match", func(screen string) bool { return strings.Contains(screen, opponent+" ■") })
	}
	atBoard(rui, "ana")
	atBoard(ana, "rui")

	ana.Types("/who", enter)
	ana.Shows("players here (3)", "in a private match")
	challenge(name)
	visitor.Shows("ana challenges you")
	visitor.Types(acceptChallenge)
	atBoard(visitor, "ana")
}

// TestOfferForSomeRatings: a player whose rating is outside the range of an offer is told so, and the offer stays.
func TestOfferForSomeRatings(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startClub(t, t.TempDir())
	ana, rui := visit(t, keys, club.addr, "ana"), visit(t, keys, club.addr, "rui")
	ana.signsUp()
	rui.signsUp()
	ana.chooses("New match...")
	ana.Types(enter)
	ana.chooses("Ratings")
	ana.Types("1600-1700")
	ana.Shows("1600-1700_")
	ana.Types(enter)
	ana.Shows("Your offer is in the lobby.", "For ratings from 1600 to 1700.")
	rui.Shows("ana")
	rui.Types(tab, enter)
	rui.Shows("This offer is for ratings from 1600 to 1700. Yours is 1500")
	ana.Shows("waiting")
}
