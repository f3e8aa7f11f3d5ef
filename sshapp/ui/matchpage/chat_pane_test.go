package matchpage

import (
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"ludoteca/lobby"
	"ludoteca/lobby/chat"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	chatstore "ludoteca/storage/chat"
)

// TestChatPane: two players and a spectator talk at the board, in a wide window and in the smallest.
func TestChatPane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		eva := b.Person("eva")
		ana, rui, watcher := open(b, b.Ana, 80, 24, accounts.Settings{}), open(b, b.Rui, 40, 20, accounts.Settings{}), open(b, eva, 80, 24, accounts.Settings{})
		ana.Sees("tab chat")
		ana.Keys("tab")
		ana.Sees("What you write here is for the other")
		ana.Keys("g", "o", "o", "d", "space", "l", "u", "c", "k", "enter")
		ana.Sees("ana: good luck")
		rui.Settle()
		rui.Sees("ana: good luck")
		rui.Keys("tab", "down", "down", "down")
		rui.Sees("Thank you!")
		rui.Keys("enter")
		rui.Sees("rui: Thank you!")
		watcher.Settle()
		watcher.Misses("good luck")
		watcher.Keys("/chat", "enter")
		watcher.Keys("a", "n", "a", "?", "enter")
		watcher.Sees("eva (watching): ana?")
		ana.Settle()
		ana.Sees("rui: Thank you!")
		ana.Misses("ana?")
		ana.Keys("tab")
		ana.Sees("rui: Thank you!") // in the panel
		b.Play("d4")
		ana.Settle()
		ana.Keys("/resign", "enter")
		ana.Settle()
		ana.Keys("enter")
		ana.Settle()
		ana.Sees("eva (watching): ana?")
	})
}

// TestUnreadChat: in a small window, a line of another user that the user has not read stands before the offer of a draw, until the pane is
// opened. A line that the user has written in another session does not.
func TestUnreadChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		b.Play("d4", "e4")
		if err := b.Seat(b.Rui).OfferDraw(t.Context()); err != nil {
			t.Fatal(err)
		}
		ana := open(b, b.Ana, 40, 20, accounts.Settings{})
		ana.Sees("draw")
		say := func(who lobby.User, line string) {
			t.Helper()
			if err := b.Seat(who).Say(t.Context(), line, ""); err != nil {
				t.Fatal(err)
			}
			ana.Settle()
		}
		first := func(words string) bool {
			page := ana.Page()
			at := strings.Index(page, words)
			return at >= 0 && at < strings.Index(page, "draw")
		}
		for _, step := range []struct {
			who    lobby.User
			line   string
			unread bool
		}{{b.Ana, "one moment", false}, {b.Rui, "of course", true}, {b.Ana, "thanks", true}} {
			say(step.who, step.line)
			if got := first(step.line); got != step.unread {
				t.Errorf("%q of %s stands before the offer: %v, want %v\n%s", step.line, step.who.Name, got, step.unread, ana.Page())
			}
		}
		ana.Keys("tab", "tab")
		say(b.Ana, "let me think")
		if first("thanks") || first("let me think") {
			t.Errorf("after the chat was open the user's own line stands before the offer:\n%s", ana.Page())
		}
	})
}

// TestCommandsInChat: a line that begins with a slash is a command, known or not, and isn't sent. A line with two slashes is sent with one.
func TestCommandsInChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		ana, rui := open(b, b.Ana, 80, 24, accounts.Settings{}), open(b, b.Rui, 80, 24, accounts.Settings{})
		said := func() (lines []string) {
			t.Helper()
			ana.Settle()
			rui.Settle()
			c, err := b.Seat(b.Rui).Chat(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range c.Lines {
				lines = append(lines, line.Text)
			}
			return lines
		}
		write := func(line string) {
			t.Helper()
			for _, key := range strings.Split(line, "") {
				ana.Keys(key)
			}
			ana.Keys("enter")
		}
		b.Play("d4", "e4")
		ana.Settle()
		ana.Keys("tab")
		write("//shrug")
		if got := said(); len(got) != 1 || got[0] != "/shrug" {
			t.Errorf("two slashes sent %q", got)
		}
		write("/sneeze")
		ana.Sees("/sneeze")
		ana.Keys("esc", "tab")
		write("/draw")
		ana.Settle()
		if got := said(); len(got) != 1 {
			t.Errorf("commands were sent: %q", got)
		}
		if v, err := b.Seat(b.Rui).Now(t.Context()); err != nil || len(v.OpenOffers()) != 1 {
			t.Errorf("the draw was not offered: %+v, %v", v, err)
		}
	})
}

// TestChatSwitchedOff: there is neither a pane nor a line.
func TestChatSwitchedOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		if err := b.Seat(b.Rui).Say(t.Context(), "hello", ""); err != nil {
			t.Fatal(err)
		}
		ana := open(b, b.Ana, 80, 24, accounts.Settings{ChatOff: true})
		ana.Misses("hello")
		ana.Misses("tab chat")
		ana.Keys("/chat", "enter")
		ana.Sees("You have switched chat off")
	})
}

// TestHostileChat: whatever people write stays in the panel: the board beside it is the same, and no cell outside changes.
func TestHostileChat(t *testing.T) {
	var boards []matchScreen
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "petteia", nil, true)
		for _, size := range [][2]int{{80, 24}, {40, 20}, {120, 40}} {
			boards = append(boards, boardOf(open(b, b.Ana, size[0], size[1], accounts.Settings{})))
		}
	})
	for _, s := range boards {
		s.chat.open = true
		w, h := s.Size.Width, s.Size.Height
		draw := func(lines ...string) *canvas.Canvas {
			s := s
			s.chat.now = new(chat.View)
			for i, line := range lines {
				by := storage.Occupant{Kind: storage.Guest, ID: "g", Name: line}
				s.chat.now.Lines = append(s.chat.now.Lines, chat.ViewLine{Line: chatstore.Line{Number: uint64(i), By: by, Text: line}})
			}
			c := canvas.New(w, h)
			s.Draw(c, canvas.Area(0, 0, w, h))
			return c
		}
		l := s.Layout(s.state())
		rows := func(c *canvas.Canvas) []string { return strings.Split(c.Plain(), "\n") }
		empty := rows(draw("x"))
		rapid.Check(t, func(r *rapid.T) {
			hostile := rapid.SliceOfN(rapid.OneOf(
				rapid.String(),
				rapid.SampledFrom([]string{"\x1b[2J\x1b[1;1H", "\u202eabc", "\u200b\u200d\ufeff", "a\u0300\u0301\u0302\u0303\u0304", "\u115f\u3164", "字字字字", "👨‍👩‍👧‍👦", "\r\n\t\a", "\u009b31m"}),
			), 1, 12).Draw(r, "lines")
			got := rows(draw(hostile...))
			if len(got) != len(empty) {
				r.Fatalf("%d rows, want %d", len(got), len(empty))
			}
			for y, row := range got {
				if n := text.Width(row); n > w {
					r.Fatalf("row %d is %d cells wide: %q", y, n, row)
				}
				if strings.ContainsAny(row, "\x1b\a\r\t\u202e\u200b\u009b") {
					r.Fatalf("row %d has a control character: %q", y, row)
				}
				if board := max(l.X+l.Board.Width, 0); l.Beside && y >= l.Y && y < l.Y+l.Board.Height && cells(row, board) != cells(empty[y], board) {
					r.Fatalf("the board has changed in row %d:\n%q\n%q", y, row, empty[y])
				}
				if !l.Beside && y < l.Board.Height && row != empty[y] {
					r.Fatalf("the board has changed in row %d:\n%q\n%q", y, row, empty[y])
				}
			}
		})
	}
}

// cells returns the first cells of a row.
func cells(row string, n int) string {
	row = text.Cut(row+text.Spaces(n), n)
	return row
}
