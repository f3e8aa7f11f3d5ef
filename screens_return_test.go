package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// TestScreenReturn is a match that outlives everything: one player sits at it in two terminals which agree, then the club
// is killed, and both players find the match under Your matches and finish it.
func TestScreenReturn(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	keys, club := newKeyring(t), startClub(t, data)
	ana, rui := visit(t, keys, club.addr, "ana"), visit(t, keys, club.addr, "rui")
	ana.signsUp()
	rui.signsUp()
	code := ana.opens("4Mation", "casual")
	rui.joins(code)

	again := visit(t, keys, club.addr, "ana")
	again.goesOn("rui")
	ana.plays("c3")
	rui.plays("d4")
	again.plays("c4")
	one := ana.shows("2  c4", "rui is to move.")
	again.until("what the other terminal of ana shows:\n"+one, func(screen string) bool { return screen == one })
	rui.plays("b5")
	again.shows("your move")

	club.kill()
	for _, c := range []*terminal{ana, again, rui} {
		c.exits(255)
	}
	club = startClub(t, data)
	ana, rui = visit(t, keys, club.addr, "ana"), visit(t, keys, club.addr, "rui")
	ana.shows("YOUR MATCHES", "your move")
	ana.goesOn("rui")
	ana.shows("1  c3  d4", "2  c4  b5")
	rui.goesOn("ana")
	ana.plays("c5")
	rui.plays("d6")
	ana.plays("c6")
	rui.shows("over", "ana wins:")
	rui.types(esc)
	rui.shows("PLAY", "none yet")
}

// goesOn opens the unfinished match against somebody from the lobby.
func (c *terminal) goesOn(against string) {
	c.t.Helper()
	c.until("the match against "+against, regexp.MustCompile(`YOUR MATCHES\n.*4Mation +vs `+against).MatchString)
	c.types(tab, enter)
	c.shows("4Mation 7x7", "match")
}

// TestGuestBeatsRandom plays a computer player without a key, from the first screen on, until it is beaten. With three in a
// line to win whoever begins can hardly fail.
func TestGuestBeatsRandom(t *testing.T) {
	t.Parallel()
	keys, club := newKeyring(t), startClub(t, t.TempDir())
	onlooker, err := dial(club.addr, guest, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer onlooker.Close()
	c := visit(t, keys, club.addr, guest)
	c.shows("> Play the computer", "guest")
	c.types(enter)
	c.shows("Ludoteca · play the computer")
	c.sets("Game", "4Mation")
	c.sets("Computer player", "Random (bot)")
	c.sets("You play", "first, X")
	c.chooses("Pieces in a line to win")
	c.types("3", enter)
	for try := 0; ; try++ {
		code := c.code()
		for {
			c.shows("your move")
			now := movesOf(t, onlooker, code)
			move := string(goodMove(t, now))
			c.types(move)
			c.shows("enter plays " + move)
			c.types(enter)
			// The answer may come before the move has been drawn, so it is the list of moves that tells.
			answered := inMoves(len(now.Moves) + 1)
			screen := c.until("the end or the answer", func(screen string) bool {
				return answered.MatchString(screen) || strings.Contains(screen, " · over\n")
			})
			if strings.Contains(screen, " · over\n") {
				break
			}
		}
		switch screen := c.shows("r rematch"); {
		case regexp.MustCompile(`guest\S* wins:`).MatchString(screen):
			return
		case try == 10:
			t.Fatalf("Random is not beaten in %d matches:\n%s", try, screen)
		}
		c.types("r")
		c.loses("match " + code)
	}
}

// played is how far a match of 4Mation has come.
type played struct {
	Options games.Options
	Moves   []games.Move
}

func movesOf(t *testing.T, onlooker *gossh.Client, code string) (now played) {
	t.Helper()
	out, err := ask(onlooker, "show "+code+" --json")
	if err == nil {
		err = json.Unmarshal(out, &now)
	}
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// inMoves finds move number ply, counted from 0, in the list of moves on a screen: two stand in a line after their number.
func inMoves(ply int) *regexp.Regexp {
	const move = ` +[a-z][0-9]`
	return regexp.MustCompile(fmt.Sprintf(`\b%d%s\b`, ply/2+1, strings.Repeat(move, ply%2+1)))
}

// goodMove is a move in a match of 4Mation after which the other side has the least to hope for.
func goodMove(t *testing.T, now played) games.Move {
	t.Helper()
	g, _ := catalog.Find("4mation")
	p, err := g.New(now.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range now.Moves {
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	best, hope := games.Move(""), 2
	for _, m := range p.Legal() {
		next, err := p.Play(m)
		if err != nil {
			t.Fatal(err)
		}
		if h := hopes(next, 4); h < hope {
			best, hope = m, h
		}
	}
	return best
}

// hopes is what the side to move can reach within some plies: 1 is a win, -1 a loss, 0 neither.
func hopes(p games.Position, plies int) int {
	switch r := p.Result(); {
	case r.Over && !r.Draw && r.Winner == p.Turn():
		return 1
	case r.Over && !r.Draw:
		return -1
	case r.Over || plies == 0:
		return 0
	}
	best := -1
	for _, m := range p.Legal() {
		next, err := p.Play(m)
		if err != nil {
			panic(err) // a legal move
		}
		if best = max(best, -hopes(next, plies-1)); best == 1 {
			break
		}
	}
	return best
}
