package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/e2e/hexapawn"
	"ludoteca/sshapp/e2e/sshclient"
)

// A terminal is OpenSSH's client, or another one, at the screens of the club.
type terminal struct{ *sshclient.Terminal }

// visit opens the full screen in a window of 80x24 with OpenSSH's client. The words are its command.
func visit(t *testing.T, keys sshclient.Keyring, addr, name string, words ...string) *terminal {
	t.Helper()
	return &terminal{keys.Visit(t, addr, name, words...)}
}

// signsUp fills the form of a first visit in.
func (c *terminal) signsUp() {
	c.T.Helper()
	c.Shows("Ludoteca", "first visit", "> Your name", c.Name)
	c.Types(enter)
	c.Shows("PLAY", "> Play the computer", "YOUR MATCHES", "OPEN OFFERS")
}

// chooses moves the cursor of a menu or a form to a line.
func (c *terminal) chooses(line string) {
	c.T.Helper()
	for range 30 {
		if strings.Contains(c.Shows(line, "> "), "> "+line) {
			return
		}
		before := c.Finds(`^ > (.*)`)
		c.Types(down)
		c.Until("another line", func(screen string) bool { return !strings.Contains(screen, " > "+before+"\n") })
	}
	c.T.Fatalf("%s can't choose %q", c.Name, line)
}

// sets changes the field of a form to a value.
func (c *terminal) sets(field, value string) {
	c.T.Helper()
	c.chooses(field)
	for range 10 {
		before := c.Finds(`^ > ` + field + ` +‹ (.*) ›`)
		if before == value {
			return
		}
		c.Types(right)
		c.Until("another "+field, func(screen string) bool { return !strings.Contains(screen, "‹ "+before+" ›") })
	}
	c.T.Fatalf("%s can't set %s to %s", c.Name, field, value)
}

// opens opens a private match with the form and returns its code. Each option is a field and its value: "Rows=5".
func (c *terminal) opens(game, kind string, options ...string) (code string) {
	c.T.Helper()
	c.chooses("New match...")
	c.Types(enter)
	c.Shows("Ludoteca · new match")
	c.sets("Game", game)
	c.sets("You play", "first, "+sideOf(c.T, game))
	c.sets("The match is", kind)
	c.sets("Open to", "friends by code")
	for _, o := range options {
		field, value, _ := strings.Cut(o, "=")
		c.sets(field, value)
	}
	c.Types(enter)
	c.Shows("Tell your friend")
	return c.code()
}

// sideOf returns the name of a game's first side on screens.
func sideOf(t testing.TB, name string) string {
	t.Helper()
	for _, g := range append(catalog.All(), hexapawn.New()) {
		if g.About().Name == name {
			return strings.Replace(g.About().Sides[games.First], "X", "●", 1)
		}
	}
	t.Fatalf("no game %s", name)
	return ""
}

// code is the code of the match on the screen.
func (c *terminal) code() string {
	c.T.Helper()
	return c.Finds(`match ([2-9A-Z]{6})`)
}

// joins takes the free seat of a match, by its code typed in small letters.
func (c *terminal) joins(code string) {
	c.T.Helper()
	c.chooses("Join by code...")
	c.Types(enter)
	c.Shows("Type the code")
	c.Types(strings.ToLower(code), enter)
	c.Shows("match " + code)
}

// plays types a move on the player's turn, and waits until it is made.
func (c *terminal) plays(move string) {
	c.T.Helper()
	c.Shows("your move")
	c.Types(move)
	c.Shows("enter plays " + move)
	c.Types(enter)
	c.Until("the move made", func(screen string) bool { return !strings.Contains(screen, "› "+move) && c.madeMove(screen) })
}

// madeMove reports whether a screen shows that it is the other side's turn, or that the match is over.
func (c *terminal) madeMove(screen string) bool {
	return strings.Contains(screen, "Waiting for ") || strings.Contains(screen, "r rematch")
}

// square returns the place on the screen of a square such as a1, of a board with one letter and one digit a square.
func (c *terminal) square(name string) (x, y int) {
	c.T.Helper()
	screen := c.Shows("a   b   c")
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
	c.T.Helper()
	c.Shows("your move")
	x, y := c.square(move)
	for range 40 {
		atX, atY := c.Cursor()
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
		c.Types(key)
		c.CursorLeaves(atX, atY)
	}
	c.Shows("enter plays " + move)
	c.Types(enter)
	c.Until("the move made", c.madeMove)
}

// The bytes that keys send.
const (
	enter = "\r"
	esc   = "\x1b"
	tab   = "\t"
	up    = "\x1b[A"
	down  = "\x1b[B"
	right = "\x1b[C"
	left  = "\x1b[D"
	ctrlC = "\x03"
)

// TestScreenMatch is an evening of two people in the full screen: first visits, a code, a rated match with moves typed,
// walked to and clicked, a rematch, a look back at it and at the leaderboard.
func TestScreenMatch(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startClub(t, t.TempDir())
	ana, rui := visit(t, keys, club.addr, "ana"), visit(t, keys, club.addr, "rui")
	ana.signsUp()
	rui.signsUp()
	code := ana.opens("4Mation", "rated")
	rui.joins(code)
	ana.Shows("4Mation 7x7 · match "+code+" · rated", "ana · your move", "rui")
	rui.Shows("rui · waiting", "Waiting for ana.")

	ana.plays("c3")
	rui.Calls()
	rui.walks("d4")
	ana.Shows("your move")
	ana.Clicks(ana.square("c4"))
	rui.Shows("your move")
	rui.Resize(40, 20)
	rui.Shows("4Mation · "+code, "your move", "a b c d e f g")
	rui.Resize(120, 40)
	rui.Shows("4Mation 7x7 · match "+code+" · rated", "a       b       c")
	rui.Resize(30, 10)
	rui.Shows("A bit more room")
	rui.Resize(80, 24)
	rui.plays("b5")
	ana.Types("a1", enter)
	ana.Shows("a1 can't be played: not next to the last move, b5.")
	ana.Types(esc)
	ana.Loses("› a1") // escape and a letter at once would be alt and the letter
	ana.plays("c5")
	rui.plays("d6")
	ana.plays("c6")
	for _, c := range []*terminal{ana, rui} {
		c.Shows("over", "ana wins: ", "ana ■  1500? → 1553?", "rui ■  1500? → 1447?", "r rematch", "v review", "esc lobby")
	}
	rematch(t, ana, rui, code)
	lookBack(ana, rui)
	for _, c := range []*terminal{ana, rui} {
		c.Quits()
	}
}

// rematch is a second match with sides swapped, which ends because a player resigns.
func rematch(t *testing.T, ana, rui *terminal, first string) {
	ana.Types("r")
	ana.Shows("Waiting for rui to accept.")
	rui.Shows("ana asks for a rematch: press r.")
	rui.Types("r")
	rui.Shows("rui · your move")
	code := rui.code()
	if code == first {
		t.Errorf("the rematch has the code of the match before, %s", code)
	}
	for i, m := range []string{"a1", "b2", "b1", "c2"} { // two of each side, else it isn't rated
		[]*terminal{rui, ana}[i%2].plays(m)
	}
	rui.Shows("your move")
	rui.Types("/res", tab)
	rui.Shows("› /resign")
	rui.Types(enter)
	rui.Shows("Resign this match? Enter once more")
	rui.Types(enter)
	ana.Shows("ana wins: rui resigned.")
	rui.Shows("ana wins: rui resigned.")
}

// lookBack reviews the first match out of the history, and looks at the leaderboard.
func lookBack(ana, rui *terminal) {
	ana.Types("v")
	ana.Shows("move 4 of 4", "ana plays c2")
	ana.Types(left)
	ana.Shows("move 3 of 4", "rui plays b1")
	ana.Types(esc)
	ana.Shows("r rematch")
	ana.Types(esc)
	ana.Shows("PLAY", "YOUR MATCHES", "4Mation 1592?")
	ana.chooses("Leaderboard")
	ana.Types(enter)
	ana.Shows("Ludoteca · leaderboard")
	ana.Types(tab, tab)
	ana.Until("both on the leaderboard", regexp.MustCompile(`(?s)4Mation.*ana +1592\?.*rui +1408\?`).MatchString)
	rui.Types(esc)
	rui.Shows("PLAY", "4Mation 1408?")
	rui.chooses("History")
	rui.Types(enter)
	rui.Until("two matches", regexp.MustCompile(`(?s)4Mation.*4 moves.*4Mation.*7 moves`).MatchString)
	rui.Types(down, enter)
	rui.Shows("move 7 of 7", "ana plays c6", "ana wins: ", "ana  1500? → 1553?")
}

// TestScreenGames plays every game to its end in the full screen. One of the players came with ssh -t HOST join CODE.
func TestScreenGames(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startClub(t, t.TempDir())
	for _, m := range wholeMatches {
		t.Run(m.game, func(t *testing.T) {
			t.Parallel()
			g, _ := catalog.Find(m.game)
			ana := visit(t, keys, club.addr, "ana-"+m.game)
			ana.signsUp()
			code := ana.opens(g.About().Name, "casual")
			rui := visit(t, keys, club.addr, "rui-"+m.game, "join", code)
			rui.Shows("first visit")
			rui.Types(enter)
			rui.Shows("match " + code)
			seats := [2]*terminal{ana, rui}
			for ply, move := range m.played() {
				seats[ply%2].plays(move)
			}
			winner := ana
			if m.result == "second" {
				winner = rui
			}
			for _, c := range seats {
				c.Shows("over", winner.Name+" wins:", "r rematch", "n new opponent")
			}
		})
	}
}

// TestScreenReturn is a match that outlives everything: one player sits at it in two terminals which agree, then the club
// is killed, and both players find the match under Your matches and finish it.
func TestScreenReturn(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	keys, club := sshclient.NewKeyring(t), startClub(t, data)
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
	one := ana.Shows("2  c4", "Waiting for rui.")
	again.Until("what the other terminal of ana shows:\n"+one, func(screen string) bool { return screen == one })
	rui.plays("b5")
	again.Shows("your move")

	club.kill()
	for _, c := range []*terminal{ana, again, rui} {
		c.Exits(255)
	}
	club = startClub(t, data)
	ana, rui = visit(t, keys, club.addr, "ana"), visit(t, keys, club.addr, "rui")
	ana.Shows("YOUR MATCHES", "your move")
	ana.goesOn("rui")
	ana.Shows("1  c3  d4", "2  c4  b5")
	rui.goesOn("ana")
	ana.plays("c5")
	rui.plays("d6")
	ana.plays("c6")
	rui.Shows("over", "ana wins:")
	rui.Types(esc)
	rui.Shows("PLAY", "over")
}

// goesOn opens the unfinished match against a player from the lobby.
func (c *terminal) goesOn(against string) {
	c.T.Helper()
	c.Until("the match against "+against, regexp.MustCompile(`YOUR MATCHES\n.*4Mation +vs `+against).MatchString)
	c.Types(tab, enter)
	c.Shows("4Mation 7x7", "match")
}

// TestGuestBeatsRandom plays a computer player without a key, from the first screen on, until it is beaten. With three in a
// line to win the side that begins can hardly fail.
func TestGuestBeatsRandom(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startClub(t, t.TempDir())
	onlooker, err := sshclient.Dial(club.addr, sshclient.Guest, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer onlooker.Close()
	c := visit(t, keys, club.addr, sshclient.Guest)
	c.Shows("> Play the computer", "guest")
	c.Types(enter)
	c.Shows("Ludoteca · play the computer")
	c.sets("Game", "4Mation")
	c.sets("Computer player", "Random (bot), very easy")
	c.sets("You play", "first, ●")
	c.chooses("Pieces in a line to win")
	c.Types("3", enter)
	for try := 0; ; try++ {
		code := c.code()
		for {
			c.Shows("your move")
			now := movesOf(t, onlooker, code)
			move := string(goodMove(t, now))
			c.Types(move)
			c.Shows("enter plays " + move)
			c.Types(enter)
			// The answer may come before the move has been drawn, so it is the list of moves that tells.
			answered := inMoves(len(now.Moves) + 1)
			screen := c.Until("the end or the answer", func(screen string) bool {
				return answered.MatchString(screen) || strings.Contains(screen, " · over\n")
			})
			if strings.Contains(screen, " · over\n") {
				break
			}
		}
		switch screen := c.Shows("r rematch"); {
		case regexp.MustCompile(`guest\S* wins:`).MatchString(screen):
			keepsMatch(t, keys, club, c, code)
			return
		case try == 10:
			t.Fatalf("Random is not beaten in %d matches:\n%s", try, screen)
		}
		c.Types("r")
		c.Loses("match " + code)
	}
}

// keepsMatch has a guest at the board of a finished match ask for a code, which a key that is new to the club claims: the match is in its
// history from then on.
func keepsMatch(t *testing.T, keys sshclient.Keyring, club *liveClub, c *terminal, code string) {
	t.Helper()
	c.Types("/keep", enter)
	screen := c.Shows("keep your matches", "keys claim ")
	_, claim, _ := strings.Cut(screen, "keys claim ")
	claim, _, _ = strings.Cut(claim, "\n")
	fresh := &shell{t: t, name: "fresh", args: append([]string{"-T"}, keys.OpenSSH(t, club.addr, "fresh")...)}
	if _, complaints, status := fresh.try("keys", "claim", "AAAA-BBBB-CCCC"); status != 1 || !strings.Contains(complaints, "Nobody waits for a key") {
		t.Errorf("a wrong code: status %d: %s", status, complaints)
	}
	fresh.does("keys", "claim", strings.TrimSpace(claim))
	name := fresh.line("whoami")["name"]
	won := fresh.line("show", code)["id"]
	for _, m := range fresh.lines("history") {
		side, _ := m["result"].(string) // the guest's: rematches swap the sides
		if m["id"] == won && m[side] == name && m[side+"_kind"] == "player" && m["rated"] == false {
			return
		}
	}
	t.Errorf("the match %v is not in the history of %v: %v", won, name, fresh.lines("history"))
}

// A played holds the state of a match of 4Mation.
type played struct {
	Options games.Options
	Moves   []games.Move
}

func movesOf(t *testing.T, onlooker *gossh.Client, code string) (now played) {
	t.Helper()
	out, err := sshclient.Ask(onlooker, "show "+code+" --json")
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
	const move = ` +[a-z][0-9]+`
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

// hopes returns the result that the side to move can force within some plies: 1 is a win, -1 a loss, 0 neither.
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
