package main

import (
	"regexp"
	"testing"

	"ludoteca/games/catalog"
)

// TestScreenMatch is an evening of two people in the full screen: first visits, a code, a rated match with moves typed,
// walked to and clicked, a rematch, a look back at it and at the leaderboard.
func TestScreenMatch(t *testing.T) {
	t.Parallel()
	keys, club := newKeyring(t), startClub(t, t.TempDir())
	ana, rui := visit(t, keys, club.addr, "ana"), visit(t, keys, club.addr, "rui")
	ana.signsUp()
	rui.signsUp()
	code := ana.opens("4Mation", "rated")
	rui.joins(code)
	ana.shows("4Mation 7x7 · match "+code+" · rated", "ana · your move", "rui")
	rui.shows("rui · waiting", "ana is to move.")

	ana.plays("c3")
	rui.calls()
	rui.walks("d4")
	ana.shows("your move")
	ana.clicks(ana.square("c4"))
	rui.shows("your move")
	rui.resize(40, 20)
	rui.shows("4Mation · "+code, "your move", "a b c d e f g")
	rui.resize(120, 40)
	rui.shows("4Mation 7x7 · match "+code+" · rated", "a       b       c")
	rui.resize(30, 10)
	rui.shows("A bit more room")
	rui.resize(80, 24)
	rui.plays("b5")
	ana.types("a1", enter)
	ana.shows("a1 can't be played: not next to the last move, b5.")
	ana.types(esc)
	ana.loses("› a1") // escape and a letter at once would be alt and the letter
	ana.plays("c5")
	rui.plays("d6")
	ana.plays("c6")
	for _, c := range []*terminal{ana, rui} {
		c.shows("over", "ana wins: ", "ana  1500? → 1662?", "rui  1500? → 1338?", "r rematch", "v review", "esc lobby")
	}
	rematch(t, ana, rui, code)
	lookBack(ana, rui)
	for _, c := range []*terminal{ana, rui} {
		c.quits()
	}
}

// rematch is a second match with sides swapped, which ends because somebody has had enough.
func rematch(t *testing.T, ana, rui *terminal, first string) {
	ana.types("r")
	ana.shows("Waiting for rui to accept.")
	rui.shows("ana asks for a rematch: press r.")
	rui.types("r")
	rui.shows("rui · your move")
	code := rui.code()
	if code == first {
		t.Errorf("the rematch has the code of the match before, %s", code)
	}
	rui.plays("a1")
	ana.plays("b2")
	rui.shows("your move")
	rui.types("/res", tab)
	rui.shows("› /resign")
	rui.types(enter)
	rui.shows("Resign this match? Enter once more")
	rui.types(enter)
	ana.shows("ana wins: the other side resigned.")
	rui.shows("ana wins: the other side resigned.")
}

// lookBack reviews the first match out of the history, and looks at the leaderboard.
func lookBack(ana, rui *terminal) {
	ana.types("v")
	ana.shows("move 2 of 2", "ana plays b2")
	ana.types(left)
	ana.shows("move 1 of 2", "rui plays a1")
	ana.types(esc)
	ana.shows("r rematch")
	ana.types(esc)
	ana.shows("PLAY", "YOUR MATCHES", "4Mation 1720?")
	ana.chooses("Leaderboard")
	ana.types(enter)
	ana.shows("Ludoteca · leaderboard")
	ana.types(tab, tab)
	ana.until("both on the leaderboard", regexp.MustCompile(`(?s)4Mation.*ana +1720\?.*rui +1280\?`).MatchString)
	rui.types(esc)
	rui.shows("PLAY", "4Mation 1280?")
	rui.chooses("History")
	rui.types(enter)
	rui.until("two matches", regexp.MustCompile(`(?s)4Mation.*2 moves.*4Mation.*7 moves`).MatchString)
	rui.types(down, enter)
	rui.shows("move 7 of 7", "ana plays c6", "ana wins: ", "ana  1500? → 1662?")
}

// TestScreenGames plays every game to its end in the full screen, by people of whom one came with ssh -t HOST join CODE.
func TestScreenGames(t *testing.T) {
	t.Parallel()
	keys, club := newKeyring(t), startClub(t, t.TempDir())
	for _, m := range wholeMatches {
		t.Run(m.game, func(t *testing.T) {
			t.Parallel()
			g, _ := catalog.Find(m.game)
			ana := visit(t, keys, club.addr, "ana-"+m.game)
			ana.signsUp()
			code := ana.opens(g.About().Name, "casual")
			rui := visit(t, keys, club.addr, "rui-"+m.game, "join", code)
			rui.shows("first visit")
			rui.types(enter)
			rui.shows("match " + code)
			seats := [2]*terminal{ana, rui}
			for ply, move := range m.played() {
				seats[ply%2].plays(move)
			}
			winner := ana
			if m.result == "second" {
				winner = rui
			}
			for _, c := range seats {
				c.shows("over", winner.name+" wins:", "r rematch", "n new opponent")
			}
		})
	}
}
