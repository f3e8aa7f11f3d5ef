package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/e2e/hexapawn"
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

// opens opens a private match with the form and returns its code. Each option is a field and its value: "Rows=5".
func (c *terminal) opens(game, kind string, options ...string) (code string) {
	c.t.Helper()
	c.chooses("New match...")
	c.types(enter)
	c.shows("Ludoteca · new match")
	c.sets("Game", game)
	c.sets("You play", "first, "+sideOf(c.t, game))
	c.sets("The match is", kind)
	c.sets("Open to", "friends by code")
	for _, o := range options {
		field, value, _ := strings.Cut(o, "=")
		c.sets(field, value)
	}
	c.types(enter)
	c.shows("Tell your friend")
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

// plays types a move on the player's turn, and waits until it is made.
func (c *terminal) plays(move string) {
	c.t.Helper()
	c.shows("your move")
	c.types(move)
	c.shows("enter plays " + move)
	c.types(enter)
	c.until("the move made", func(screen string) bool { return !strings.Contains(screen, "› "+move) && c.madeMove(screen) })
}

// madeMove reports whether a screen shows that it is the other side's turn, or that the match is over.
func (c *terminal) madeMove(screen string) bool {
	return strings.Contains(screen, "Waiting for ") || strings.Contains(screen, "r rematch")
}

// square returns the place on the screen of a square such as a1, of a board with one letter and one digit a square.
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

// A display is the terminal of a program in a test: an emulator that shows the program's output, and answers
// it as a terminal does.
type display struct {
	t    testing.TB
	name string // of the player
	work sync.WaitGroup

	mu      sync.Mutex // guards what follows
	screen  *vt.Emulator
	title   string
	bells   int
	hidden  bool          // the cursor
	drawing bool          // a frame is under way: the program has begun it and not yet ended it
	ended   bool          // the program writes no more
	changed time.Time     // when the program last wrote
	more    chan struct{} // closed, and replaced, whenever any of it may have changed
}

func newDisplay(t testing.TB, name string, w, h int) *display {
	d := &display{t: t, name: name, screen: vt.NewEmulator(w, h), more: make(chan struct{})}
	d.screen.SetCallbacks(vt.Callbacks{ // with the lock held
		Title: func(s string) { d.title = s }, Bell: func() { d.bells++ }, CursorVisibility: func(v bool) { d.hidden = !v },
		EnableMode:  func(m ansi.Mode) { d.drawing = d.drawing || m == ansi.ModeSynchronizedOutput },
		DisableMode: func(m ansi.Mode) { d.drawing = d.drawing && m != ansi.ModeSynchronizedOutput },
	})
	return d
}

// connect shows what a program writes and tells it what the terminal answers, until it writes no more.
func (d *display) connect(from io.Reader, to io.Writer) {
	d.work.Go(func() { d.show(from) })
	d.work.Go(func() { _, _ = io.Copy(to, d.screen) })
}

func (d *display) show(from io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		now := time.Now()
		d.mu.Lock()
		_, _ = d.screen.Write(buf[:n]) // never fails while open
		d.ended, d.changed = err != nil, now
		close(d.more)
		d.more = make(chan struct{})
		d.mu.Unlock()
		if err != nil {
			// Closing the emulator instead would race with its reader.
			_ = d.screen.InputPipe().(io.Closer).Close()
			return
		}
	}
}

// wait waits until done, which is called whenever there may be news, with the lock held. It says what the screen shows
// then, and whether done was true in time.
func (d *display) wait(done func(screen string) bool) (screen string, ok bool) {
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	for {
		d.mu.Lock()
		screen, more := d.text(), d.more
		ok := done(screen)
		d.mu.Unlock()
		if ok {
			return screen, true
		}
		select {
		case <-more:
		case <-ctx.Done():
			return screen, false
		}
	}
}

// until waits until a test likes what it sees, and returns that. It sees whole frames, as a player does.
func (d *display) until(what string, likes func(screen string) bool) string {
	d.t.Helper()
	liked := false
	screen, ok := d.wait(func(screen string) bool {
		liked = !d.drawing && likes(screen)
		return liked || d.ended
	})
	switch {
	case !ok:
		d.t.Fatalf("%s has not seen %s in time:\n%s", d.name, what, screen)
	case !liked:
		d.t.Fatalf("%s waits for %s, and the program has ended:\n%s", d.name, what, screen)
	}
	return screen
}

// shows waits until all the words are on the screen.
func (d *display) shows(words ...string) string {
	d.t.Helper()
	return d.until(strings.Join(words, " + "), func(screen string) bool {
		for _, w := range words {
			if !strings.Contains(screen, w) {
				return false
			}
		}
		return true
	})
}

// loses waits until words are gone from the screen.
func (d *display) loses(words string) {
	d.t.Helper()
	d.until("no "+words, func(screen string) bool { return !strings.Contains(screen, words) })
}

// calls waits until the terminal has rung its bell and its title has "your move".
func (d *display) calls() {
	d.t.Helper()
	if screen, ok := d.wait(func(string) bool { return d.bells > 0 && strings.Contains(d.title, "your move") }); !ok {
		d.t.Fatalf("%s is not called: %d bells, the title is %q\n%s", d.name, d.bells, d.title, screen)
	}
}

// finds waits until the screen matches, and returns what the group of the expression matched.
func (d *display) finds(expression string) string {
	d.t.Helper()
	r := regexp.MustCompile("(?m)" + expression)
	screen := d.until(expression, r.MatchString)
	return r.FindStringSubmatch(screen)[1]
}

// text is the screen as lines without blanks at their ends. The caller holds the lock.
func (d *display) text() string {
	var b strings.Builder
	for y := range d.screen.Height() {
		var line strings.Builder
		for x := range d.screen.Width() {
			switch cell := d.screen.CellAt(x, y); {
			case cell == nil || cell.Content == "" && cell.Width > 0:
				line.WriteByte(' ')
			default:
				line.WriteString(cell.Content)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// cursor returns the place of the terminal's cursor.
func (d *display) cursor() (x, y int) {
	d.t.Helper()
	d.until("a cursor", func(string) bool {
		at := d.screen.CursorPosition()
		x, y = at.X, at.Y
		return true
	})
	return x, y
}

// terminal is a program in a pty of its own.
type terminal struct {
	*display
	cmd *exec.Cmd
	tty *os.File
}

// newTerminal starts a program with env in place of the variables that describe a terminal and a language.
func newTerminal(t *testing.T, name string, w, h int, env []string, program string, args ...string) *terminal {
	t.Helper()
	c := &terminal{display: newDisplay(t, name, w, h), cmd: exec.Command(program, args...)}
	c.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	tty, err := pty.StartWithSize(c.cmd, size(w, h))
	if err != nil {
		t.Fatal(err)
	}
	c.tty = tty
	c.connect(tty, tty)
	t.Cleanup(c.close)
	return c
}

func size(w, h int) *pty.Winsize { return &pty.Winsize{Cols: uint16(w), Rows: uint16(h)} }

// close ends the program, as closing a terminal's window does.
func (c *terminal) close() {
	if c.cmd.ProcessState != nil {
		return
	}
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
	c.work.Wait()
	_ = c.tty.Close()
}

// types types text or the sequences of keys.
func (c *terminal) types(keys ...string) {
	c.t.Helper()
	for _, k := range keys {
		if _, err := io.WriteString(c.tty, k); err != nil {
			c.t.Fatalf("%s types %q: %v", c.name, k, err)
		}
	}
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

// clicks presses and lets go of the left mouse button.
func (c *terminal) clicks(x, y int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.screen.SendMouse(vt.MouseClick{X: x, Y: y, Button: vt.MouseLeft})
	c.screen.SendMouse(vt.MouseRelease{X: x, Y: y, Button: vt.MouseLeft})
}

// resize makes the window smaller or larger.
func (c *terminal) resize(w, h int) {
	c.t.Helper()
	c.mu.Lock()
	c.screen.Resize(w, h)
	c.mu.Unlock()
	if err := pty.Setsize(c.tty, size(w, h)); err != nil {
		c.t.Fatal(err)
	}
}

// exits waits until the program has ended by itself, with a status.
func (c *terminal) exits(status int) {
	c.t.Helper()
	if screen, ok := c.wait(func(string) bool { return c.ended }); !ok {
		c.t.Fatalf("%s: the client does not end:\n%s", c.name, screen)
	}
	err := c.cmd.Wait()
	c.work.Wait()
	_ = c.tty.Close()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || c.cmd.ProcessState.ExitCode() != status {
		c.t.Errorf("%s: the client ended with %v, want status %d", c.name, err, status)
	}
}

// quits leaves the club, which must leave the terminal as it was.
func (c *terminal) quits() {
	c.t.Helper()
	c.types("q")
	c.exits(0)
	if c.screen.IsAltScreen() || c.hidden {
		c.t.Errorf("%s: the terminal was left in its alternate screen (%v) or without a cursor (%v)",
			c.name, c.screen.IsAltScreen(), c.hidden)
	}
}

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
	rui.shows("rui · waiting", "Waiting for ana.")

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
		c.shows("over", "ana wins: ", "ana ■  1500? → 1553?", "rui ■  1500? → 1447?", "r rematch", "v review", "esc lobby")
	}
	rematch(t, ana, rui, code)
	lookBack(ana, rui)
	for _, c := range []*terminal{ana, rui} {
		c.quits()
	}
}

// rematch is a second match with sides swapped, which ends because a player resigns.
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
	for i, m := range []string{"a1", "b2", "b1", "c2"} { // two of each side, else it isn't rated
		[]*terminal{rui, ana}[i%2].plays(m)
	}
	rui.shows("your move")
	rui.types("/res", tab)
	rui.shows("› /resign")
	rui.types(enter)
	rui.shows("Resign this match? Enter once more")
	rui.types(enter)
	ana.shows("ana wins: rui resigned.")
	rui.shows("ana wins: rui resigned.")
}

// lookBack reviews the first match out of the history, and looks at the leaderboard.
func lookBack(ana, rui *terminal) {
	ana.types("v")
	ana.shows("move 4 of 4", "ana plays c2")
	ana.types(left)
	ana.shows("move 3 of 4", "rui plays b1")
	ana.types(esc)
	ana.shows("r rematch")
	ana.types(esc)
	ana.shows("PLAY", "YOUR MATCHES", "4Mation 1592?")
	ana.chooses("Leaderboard")
	ana.types(enter)
	ana.shows("Ludoteca · leaderboard")
	ana.types(tab, tab)
	ana.until("both on the leaderboard", regexp.MustCompile(`(?s)4Mation.*ana +1592\?.*rui +1408\?`).MatchString)
	rui.types(esc)
	rui.shows("PLAY", "4Mation 1408?")
	rui.chooses("History")
	rui.types(enter)
	rui.until("two matches", regexp.MustCompile(`(?s)4Mation.*4 moves.*4Mation.*7 moves`).MatchString)
	rui.types(down, enter)
	rui.shows("move 7 of 7", "ana plays c6", "ana wins: ", "ana  1500? → 1553?")
}

// TestScreenGames plays every game to its end in the full screen. One of the players came with ssh -t HOST join CODE.
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
	one := ana.shows("2  c4", "Waiting for rui.")
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
	rui.shows("PLAY", "over")
}

// goesOn opens the unfinished match against a player from the lobby.
func (c *terminal) goesOn(against string) {
	c.t.Helper()
	c.until("the match against "+against, regexp.MustCompile(`YOUR MATCHES\n.*4Mation +vs `+against).MatchString)
	c.types(tab, enter)
	c.shows("4Mation 7x7", "match")
}

// TestGuestBeatsRandom plays a computer player without a key, from the first screen on, until it is beaten. With three in a
// line to win the side that begins can hardly fail.
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
	c.sets("Computer player", "Random (bot), for beginners")
	c.sets("You play", "first, ●")
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
			keepsMatch(t, keys, club, c, code)
			return
		case try == 10:
			t.Fatalf("Random is not beaten in %d matches:\n%s", try, screen)
		}
		c.types("r")
		c.loses("match " + code)
	}
}

// keepsMatch has a guest at the board of a finished match ask for a code, which a key that is new to the club claims: the match is in its
// history from then on.
func keepsMatch(t *testing.T, keys keyring, club *liveClub, c *terminal, code string) {
	t.Helper()
	c.types("/keep", enter)
	screen := c.shows("keep your matches", "keys claim ")
	_, claim, _ := strings.Cut(screen, "keys claim ")
	claim, _, _ = strings.Cut(claim, "\n")
	fresh := &shell{t: t, name: "fresh", args: append([]string{"-T"}, keys.openSSH(t, club.addr, "fresh")...)}
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
