package e2e

import (
	"strings"
	"testing"
)

const (
	acceptChallenge  = "\x19" // ctrl+y
	declineChallenge = "\x04" // ctrl+d
)

// TestPlayersHere has two players and a guest find each other with OpenSSH's client: a challenge is declined, another one and one of the
// guest are accepted, and all sit at the boards.
func TestPlayersHere(t *testing.T) {
	t.Parallel()
	keys, club := newKeyring(t), startClub(t, t.TempDir())
	ana, rui := visit(t, keys, club.addr, "ana"), visitIn(t, keys, club.addr, "rui", 40, 20, []string{"TERM=xterm-256color", "LANG=en_GB.UTF-8"})
	ana.signsUp()
	rui.shows("first visit", "> Your name", "rui")
	rui.types(enter)
	rui.shows("PLAY", "> Play the computer")
	visitor := visit(t, keys, club.addr, guest)
	visitor.shows("PLAY", "You are a guest")
	name := visitor.finds(`(guest-[2-9A-Z]{4})`)

	ana.chooses("Players here")
	ana.types(enter)
	ana.shows("players here (3)", "rui", name)
	challenge := func(whom string) {
		t.Helper()
		ana.chooses("  " + whom)
		ana.types(enter)
		ana.shows("Ludoteca · challenge", whom+" · 60 s to answer")
		ana.types(enter)
		ana.shows("Waiting for " + whom + " to accept: ")
	}
	challenge("rui")
	rui.shows("ana challenges you")
	rui.types(declineChallenge)
	rui.shows("Declined.")
	ana.shows("rui declines the challenge.")

	ana.types(esc)
	ana.shows("players here (3)")
	challenge("rui")
	rui.shows("ana challenges you")
	rui.types(acceptChallenge)
	atBoard := func(c *terminal, opponent string) { // whose mark is shown while a match runs; a note may cover the line below
		t.Helper()
		c.until("the board of the match", func(screen string) bool { return strings.Contains(screen, opponent+" ■") })
	}
	atBoard(rui, "ana")
	atBoard(ana, "rui")

	ana.types("/who", enter)
	ana.shows("players here (3)", "in a private match")
	challenge(name)
	visitor.shows("ana challenges you")
	visitor.types(acceptChallenge)
	atBoard(visitor, "ana")
}

// TestOfferForSomeRatings: a player whose rating is outside the range of an offer is told so, and the offer stays.
func TestOfferForSomeRatings(t *testing.T) {
	t.Parallel()
	keys, club := newKeyring(t), startClub(t, t.TempDir())
	ana, rui := visit(t, keys, club.addr, "ana"), visit(t, keys, club.addr, "rui")
	ana.signsUp()
	rui.signsUp()
	ana.chooses("New match...")
	ana.types(enter)
	ana.chooses("Ratings")
	ana.types("1600-1700")
	ana.shows("1600-1700_")
	ana.types(enter)
	ana.shows("Your offer is in the lobby.", "For ratings from 1600 to 1700.")
	rui.shows("ana")
	rui.types(tab, enter)
	rui.shows("This offer is for ratings from 1600 to 1700. Yours is 1500")
	ana.shows("waiting")
}
