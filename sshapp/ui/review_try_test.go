package ui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/ui/boardview"
)

// TestTryingMoves plays on from a review, in all three ways, and takes back.
func TestTryingMoves(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.keys("left", "left", "a") // before the blunder
		l.sees("not played", "Try moves for both sides", "backspace take back")
		l.keys("d1")
		l.sees("enter plays d1", "› d1")
		l.keys("enter")
		l.sees("Not played: rui plays d1", "(d1)", "1 of 1")
		l.keys("h7", "enter")
		l.sees("can't be played", "› h7")
		l.keys("esc", "up", "enter") // the cursor stands on d1
		l.sees("Not played: ana plays d2", "2 of 2")
		l.click("b   c") // a label: no move
		l.keys("backspace")
		l.sees("Not played: rui plays d1", "1 of 1")
		l.misses("(d2)")
		l.keys("backspace", "backspace")
		l.sees("Nothing to take back")
		l.keys("d2", "enter", "d1", "enter")
		l.sees("Not played: ana plays d1, wins", "The game ends here.")
		l.keys("enter", "a1", "enter")
		l.sees("can't be played: the game is over")
		l.keys("esc", "esc")
		l.sees("Your own moves: d2 d1", "2 of 2")
		l.keys("left")
		l.sees("1 of 2")
		l.keys("a", "e3", "enter")
		l.sees("Not played: ana plays e3", "2 of 2")
		l.keys("esc", "esc")
		l.sees("move 5 of 7", "ana plays c1")
		l.keys("a", "esc")
		l.sees("move 5 of 7")
		if v := l.view(); v.Ply() != 7 {
			t.Errorf("the match has %d moves, want 7 as before", v.Ply())
		}
	})
}

// TestStudyComesWhileTrying: what is typed and held stays, and so does what is on the board.
func TestStudyComesWhileTrying(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		x, y, shown := l.app.top().(review).Cursor()
		if shown {
			t.Errorf("a cursor at %d,%d where nothing can be typed", x, y)
		}
		l.keys("left", "left", "a", "right", "d")
		x, y, shown = l.app.top().(review).Cursor()
		if x != 4 || y != 21 || !shown {
			t.Errorf("the cursor is at %d,%d (%v), want it behind what is typed", x, y, shown)
		}
		hand := l.app.top().(review).input.sel
		l.ready()
		l.sees("› d", "not played", "█")
		if got := l.app.top().(review).input.sel; got != hand {
			t.Errorf("the hand went from %v to %v", hand, got)
		}
		l.send(tea.PasteMsg{Content: "2\x1b[2J"})
		l.sees("› d2[2J")
		l.keys("backspace", "backspace", "backspace", "enter")
		l.sees("Not played: rui plays d2", "1 of 1")
	})
}

// TestTryCommands types commands where moves are tried.
func TestTryCommands(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.keys("left", "left", "a", "/")
		l.sees("/play /help /lobby /quit /flip /takeback")
	})
	inReview(t, func(t *testing.T, l reviewTest) {
		l.keys("left", "left", "a", "d1", "enter", "/fl", "tab")
		l.sees("› /flip")
		l.keys("enter")
		l.sees("g   f   e")
		for _, tt := range []struct{ typed, want string }{
			{"/xyz", "There is no command /xyz here."},
			{"/resign", "That can't be done now."},
			{"/t", "not played"},
			{"/takeback", "Nothing to take back"},
			{"/help", "What was not played"},
		} {
			l.keys("ctrl+u", tt.typed, "enter")
			l.sees(tt.want)
		}
	})
	inReview(t, func(t *testing.T, l reviewTest) {
		l.keys("left", "a", "/lobby", "enter")
		l.onScreen(lobbyScreen{})
	})
	inReview(t, func(t *testing.T, l reviewTest) {
		l.keys("left", "a", "?")
		l.onScreen(reader{})
		l.keys("esc", "/quit", "enter")
		if !l.quit {
			t.Error("/quit does not leave")
		}
	})
}

// TestTryingPieces says why a piece can't be taken up, as at the board of a match.
func TestTryingPieces(t *testing.T) {
	for _, tt := range []struct{ game, at, want string }{
		{"petteia", "a8", "Choose one of your own pieces first."},
		{"petteia", "d4", "Choose one of your own pieces first."},
		{"flugelrad", "0:0", "can't be played"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := openLongReview(t, tt.game, 9, 80, 24)
			l.keys("home", "a")
			s := l.app.top().(review)
			if tt.game == "petteia" {
				s = s.choose(s.scene.Choose(boardview.Selection{Cursor: spotOf(tt.at, 12), From: boardview.Nowhere}))
			} else {
				s.input = s.input.withTyped(entry{}.insert(tt.at, typedCells))
				s = s.enterTyped()
			}
			if !strings.Contains(s.problem, tt.want) || len(s.variation.moves) != 0 {
				t.Errorf("%s at %s: %q, want %q", tt.game, tt.at, s.problem, tt.want)
			}
		})
	}
}

// spotOf is a cell of a board that is so many cells wide.
func spotOf(cell string, width int) boardview.Spot {
	return boardview.Spot(int(cell[1]-'1')*width + int(cell[0]-'a'))
}

// TestPlayOn starts a match against the computer from the match, and from what was tried.
func TestPlayOn(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want []games.Move
		turn string // what the form says
	}{
		{"from the match", []string{"left", "c"}, shortWin[:6], "play on from move 6"},
		{"from the start", []string{"home", "c"}, nil, "play on from move 0"},
		{"from a branch", []string{"left", "left", "a", "d1", "enter", "e1", "enter", "esc", "left", "c"}, append(shortWin[:5:5], "d1"), "play on from move 6"},
		{"while moves are tried", []string{"left", "left", "a", "d1", "enter", "/play", "enter"}, append(shortWin[:5:5], "d1"), "play on from move 6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inReview(t, func(t *testing.T, l reviewTest) {
				l.keys(tt.keys...)
				l.sees(tt.turn, "Random (bot)", "first, X") // as in the match
				l.misses("Width")
				l.keys("enter")
				l.atMatch()
				v := l.board().view
				if !slices.Equal(v.Moves, tt.want) || v.Start != len(tt.want) || v.Rated || v.Seats[0].ID != l.ana.ID || v.Seats[1].ID != "random" {
					t.Errorf("a match after %v, %d of them given, between %v, rated %v; want one after %v", v.Moves, v.Start, v.Seats, v.Rated, tt.want)
				}
				l.keys("esc")
				l.onScreen(review{})
			})
		})
	}
	inReview(t, func(t *testing.T, l reviewTest) {
		for _, key := range []string{"c", "a"} {
			l.keys(key)
			l.sees("The game is over here.", "move 7 of 7")
			l.misses("try moves", "play on")
			l.keys("left")
			l.sees("a try moves · ? help · c play on")
			l.keys("right")
		}
	})
}

// TestReviewWheel steps through the match with the mouse's wheel, and moves the hand with it where moves are tried.
func TestReviewWheel(t *testing.T) {
	roll := func(l reviewTest, button tea.MouseButton) { l.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: button}) }
	inReview(t, func(t *testing.T, l reviewTest) {
		for _, tt := range []struct {
			button tea.MouseButton
			want   string
		}{{tea.MouseWheelUp, "move 6 of 7"}, {tea.MouseWheelUp, "move 5 of 7"}, {tea.MouseWheelDown, "move 6 of 7"}} {
			roll(l, tt.button)
			l.sees(tt.want)
		}
		l.keys("left", "a", "d1")
		roll(l, tea.MouseWheelUp) // the hand goes on from where it stands
		l.sees("enter plays d2", "not played")
	})
	synctest.Test(t, func(t *testing.T) {
		l := openLongReview(t, "flugelrad", 9, 80, 24)
		l.keys("f")
		l.sees("This board has no other side.")
		l.keys("home", "a", "0:1", "up") // takes the wheel up
		before := l.app.top().(review).input.sel
		roll(l, tea.MouseWheelDown)
		if hand := l.app.top().(review).input.sel; before.From < 0 || hand.From != before.From || hand.Cursor == before.Cursor {
			t.Errorf("the wheel moved the hand from %v to %v, want the wheel that is held turned", before, hand)
		}
	})
}
