package main

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// visit opens the full screen in a window of 80x24 with OpenSSH's client. The words are its command.
func visit(t *testing.T, keys keyring, addr, name string, words ...string) *terminal {
	t.Helper()
	return visitIn(t, keys, addr, name, 80, 24, []string{"TERM=xterm-256color", "LANG=en_GB.UTF-8"}, words...)
}

func visitIn(t *testing.T, keys keyring, addr, name string, w, h int, env []string, words ...string) *terminal {
	t.Helper()
	args := append([]string{"-tt", "-o", "SendEnv=LANG"}, keys.openSSH(t, addr, name)...)
	return newTerminal(t, name, w, h, env, "ssh", append(args, words...)...)
}

// signsUp fills the form of a first visit in.
func (c *terminal) signsUp() {
	c.t.Helper()
	c.shows("Ludoteca", "first visit", "> Your name", c.name)
	c.types(enter)
	c.shows("PLAY", "> Play the computer", "YOUR MATCHES", "OPEN OFFERS")
}

// chooses moves the cursor of a menu or a form to a line.
func (c *terminal) chooses(line string) {
	c.t.Helper()
	for range 30 {
		if strings.Contains(c.shows(line, "> "), "> "+line) {
			return
		}
		before := c.finds(`^ > (.*)`)
		c.types(down)
		c.until("another line", func(screen string) bool { return !strings.Contains(screen, " > "+before+"\n") })
	}
	c.t.Fatalf("%s can't choose %q", c.name, line)
}

// sets changes the field of a form to a value.
func (c *terminal) sets(field, value string) {
	c.t.Helper()
	c.chooses(field)
	for range 10 {
		before := c.finds(`^ > ` + field + ` +‹ (.*) ›`)
		if before == value {
			return
		}
		c.types(right)
		c.until("another "+field, func(screen string) bool { return !strings.Contains(screen, "‹ "+before+" ›") })
	}
	c.t.Fatalf("%s can't set %s to %s", c.name, field, value)
}

// opens opens a private match with the form and returns its code.
func (c *terminal) opens(game, kind string) (code string) {
	c.t.Helper()
	c.chooses("New match...")
	c.types(enter)
	c.shows("Ludoteca · new match")
	c.sets("Game", game)
	c.sets("You play", "first, "+sideOf(c.t, game))
	c.sets("The match is", kind)
	c.sets("Open to", "who has the code")
	c.types(enter)
	c.shows("Tell your friend")
	return c.code()
}

// sideOf is what the first side of a game is called.
func sideOf(t testing.TB, name string) string {
	t.Helper()
	for _, g := range catalog.All() {
		if g.About().Name == name {
			return g.About().Sides[games.First]
		}
	}
	t.Fatalf("no game %s", name)
	return ""
}

// code is the code of the match at whose board somebody sits.
func (c *terminal) code() string {
	c.t.Helper()
	return c.finds(`match ([2-9A-Z]{6})`)
}

// joins takes the free seat of a match, by its code typed in small letters.
func (c *terminal) joins(code string) {
	c.t.Helper()
	c.chooses("Join by code...")
	c.types(enter)
	c.shows("Type the code")
	c.types(strings.ToLower(code), enter)
	c.shows("match " + code)
}

// plays types a move when it is his turn, and waits until it is made.
func (c *terminal) plays(move string) {
	c.t.Helper()
	c.shows("your move")
	c.types(move)
	c.shows("enter plays " + move)
	c.types(enter)
	c.until("the move made", func(screen string) bool { return !strings.Contains(screen, "› "+move) && c.madeMove(screen) })
}

// madeMove says that it is the other's turn, or nobody's any more.
func (c *terminal) madeMove(screen string) bool {
	return strings.Contains(screen, "is to move.") || strings.Contains(screen, "r rematch")
}

// square is where on the screen a square of a board with one letter and one digit a square is drawn.
func (c *terminal) square(name string) (x, y int) {
	c.t.Helper()
	screen := c.shows("a   b   c")
	for row, line := range strings.Split(screen, "\n") {
		cells := []rune(line)
		if strings.HasPrefix(strings.TrimSpace(line), "a   b   c") {
			for column, r := range cells {
				if string(r) == name[:1] {
					x = column
				}
			}
		}
		if strings.HasPrefix(strings.TrimSpace(line), name[1:]+" ") && y == 0 {
			y = row
		}
	}
	return x, y
}

// walks takes the cursor to a square with the arrow keys and presses enter.
func (c *terminal) walks(move string) {
	c.t.Helper()
	c.shows("your move")
	x, y := c.square(move)
	for range 40 {
		atX, atY := c.cursor()
		key := ""
		switch {
		case atX < x:
			key = right
		case atX > x:
			key = left
		case atY < y:
			key = down
		case atY > y:
			key = up
		}
		if key == "" {
			break
		}
		c.types(key)
		c.until("the cursor elsewhere", func(string) bool {
			at := c.screen.CursorPosition()
			return at.X != atX || at.Y != atY
		})
	}
	c.shows("enter plays " + move)
	c.types(enter)
	c.until("the move made", c.madeMove)
}
