package review

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// A reviewTest is ana's review of a match that she won.
type reviewTest struct {
	*uitest.Match
	*uitest.Session
	analyzer *uitest.FakeAnalyzer
}

// openReview plays a match of 4Mation to its end and opens its review. It must be called in a bubble.
func openReview(t *testing.T, w, h int, environ ...string) reviewTest {
	t.Helper()
	b := uitest.NewMatch(t, "fourmation", nil, true)
	b.Play(uitest.ShortWin...)
	analyzer := uitest.NewFakeAnalyzer(b.Club)
	s := begin(t, w, h, ui.Config{Lobby: analyzer.Services(), Who: b.Ana, Start: ui.StartWatch, Code: b.Ref.Code, Now: time.Now, Environ: environ})
	return reviewTest{b, s, analyzer}
}

func (l reviewTest) page() string { return l.Mask(l.Session.Page()) }

// ready brings the analysis.
func (l reviewTest) ready() {
	l.analyzer.Publish(lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: shortAnalysis()}, nil)
	l.Settle()
}

// shortAnalysis is an analysis of ShortWin. Its lines are legal moves; what it says of them need not be true.
func shortAnalysis() *analysis.Analysis {
	points := []analysis.Point{
		{Chance: 0.5, Best: "d4", Line: []games.Move{"d4", "e5"}},
		{Chance: 0.52, Best: "b2", Line: []games.Move{"b2", "b1"}},
		{Chance: 0.6, Best: "b3", Line: []games.Move{"b3", "c2", "c1", "d1", "e1"}, Mark: analysis.Inaccuracy},
		{Chance: 0.47, Best: "a2", Line: []games.Move{"a2", "a3"}, Mark: analysis.Mistake},
		{Chance: 0.7, Best: "c1", Line: []games.Move{"c1", "d2", "d1"}},
		{Chance: 0.68, Best: "d1", Line: []games.Move{"d1", "e2", "e3"}, Mark: analysis.Blunder},
		{Chance: 1, Proven: analysis.ProvenFirst, Plies: 1, Best: "d1", Line: []games.Move{"d1"}},
		{Chance: 1, Proven: analysis.ProvenFirst},
	}
	return &analysis.Analysis{Version: analysis.Version, Points: points}
}

// inReview runs a test in a bubble with the review of a match on top, at 80x24.
func inReview(t *testing.T, f func(t *testing.T, l reviewTest)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, openReview(t, 80, 24)) })
}

// TestAnalysisComesLate: stepping works from the start, progress is said, and the analysis is shown when it comes.
func TestAnalysisComesLate(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.Sees("record "+string(l.Ref.ID), "move 7 of 7")
		l.Keys("n")
		l.Sees("! looking for mistakes ...")
		for _, tt := range []struct {
			progress lobby.AnalysisProgress
			want     string
		}{
			{lobby.AnalysisProgress{Stage: lobby.AnalysisWaiting, Ahead: 2}, "looking for mistakes: 2 matches ahead of this one"},
			{lobby.AnalysisProgress{Stage: lobby.AnalysisWaiting, Ahead: 1}, "looking for mistakes: one match ahead of this one"},
			{lobby.AnalysisProgress{Stage: lobby.AnalysisWaiting}, "looking for mistakes ..."},
			{lobby.AnalysisProgress{Stage: lobby.AnalysisWorking, Done: 3, Total: 8}, "looking for mistakes ... 3 of 8"},
		} {
			l.analyzer.Publish(tt.progress, nil)
			l.Settle()
			l.Sees(tt.want)
			l.Keys("left")
			l.Sees(tt.want)
		}
		l.Keys("n")
		l.Sees("! looking for mistakes ... 3 of 8")
		l.Sees("move 3 of 7")
		l.Misses("?!", "█")
		l.ready()
		l.Sees("move 3 of 7", "b1?!", "c2?", "d2??", "chances fall from 60 to 47 %; better b3 c2 c1 d1", "about even (rui: 53 %)", "█", "×")
		l.Misses("looking for mistakes")
		asked, waiting := l.analyzer.Calls()
		if fmt.Sprint(asked) != "[0 1 2 3 4]" || waiting != 0 {
			t.Errorf("asked after %v, %d still waiting; want one call after each change, none at the end", asked, waiting)
		}
	})
}

// TestAnalysisFails: the reason is said once, quietly, and everything else works.
func TestAnalysisFails(t *testing.T) {
	short := shortAnalysis()
	short.Points = short.Points[1:]
	nonsense := shortAnalysis()
	nonsense.Points[3].Chance = math.NaN()
	for _, tt := range []struct {
		name     string
		progress lobby.AnalysisProgress
		err      error
		want     string
	}{
		{"nonsense", lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: nonsense}, nil, "The analysis doesn't fit this match."},
		{"refused", lobby.AnalysisProgress{}, lobby.ErrBusy, "The club can't write just now"},
		{"unknown", lobby.AnalysisProgress{}, errors.New("bbolt: disk on fire"), "Something went wrong here; nothing is lost."},
		{"of another match", lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: short}, nil, "The analysis doesn't fit this match."},
		{"empty", lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: &analysis.Analysis{}}, nil, "The analysis doesn't fit this match."},
		{"nothing", lobby.AnalysisProgress{Stage: lobby.AnalysisReady}, nil, "The analysis doesn't fit this match."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inReview(t, func(t *testing.T, l reviewTest) {
				l.analyzer.Publish(tt.progress, tt.err)
				l.Settle()
				l.Sees(tt.want)
				l.Misses("bbolt", "█")
				l.Keys("left", "g", "g", "f", "right", "left")
				l.Sees("move 6 of 7", tt.want)
				if asked, waiting := l.analyzer.Calls(); len(asked) != 1 || waiting != 0 {
					t.Errorf("asked %d times, %d still waiting; want to ask once", len(asked), waiting)
				}
				for i, key := range []string{"n", "p", "b", "m"} { // ask again
					l.Keys(key)
					l.Sees("move 6 of 7", tt.want)
					if asked, _ := l.analyzer.Calls(); len(asked) != i+2 || asked[i+1] != 0 {
						t.Errorf("asked after %v, want once more, from the start, when %s is pressed", asked, key)
					}
				}
				l.ready()
				l.Sees(tt.want)
				l.Keys("n")
				l.Sees("d2??", "█")
				l.Misses(tt.want)
			})
		})
	}
}

// TestAnalysisNeverComes: the wait ends with the screen.
func TestAnalysisNeverComes(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		for range 3 {
			l.Keys("left", "right", "?", "esc")
			if _, waiting := l.analyzer.Calls(); waiting != 1 {
				t.Fatalf("%d calls wait while the review is open, want 1", waiting)
			}
		}
		l.Keys("esc")
		l.OnScreen("uitest.homePage")
		if _, waiting := l.analyzer.Calls(); waiting != 0 {
			t.Fatalf("%d calls wait when the review is gone", waiting)
		}
	})
}

// TestNoAnalysis: of a match that goes on, and of one without moves, there is no analysis to ask for.
func TestNoAnalysis(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		b.Play(uitest.ShortWin[:3]...)
		analyzer := uitest.NewFakeAnalyzer(b.Club)
		s := begin(t, 80, 24, ui.Config{Lobby: analyzer.Services(), Who: b.Ana, Start: ui.StartWatch, Code: b.Ref.Code, Now: time.Now})
		s.Keys("/review", "enter")
		s.Sees("move 3 of 3")
		s.Misses("try moves")
		for key, want := range map[string]string{
			"n": "The analysis is made when the match is over.", "b": "The analysis is made when the match is over.",
			"a": "You can try moves here when the match is over.", "c": "You can play on from here when the match is over.",
		} {
			s.Keys(key)
			s.Sees(want, "move 3 of 3")
		}
		if asked, _ := analyzer.Calls(); len(asked) != 0 {
			t.Errorf("asked %d times for the analysis of a match that goes on", len(asked))
		}
	})
	for _, key := range []string{"n", "p", "b", "m"} {
		s := reviewScreen{env: ui.NewApp(t.Context(), ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}).Env()}
		s.view, s.Scene = &lobby.View{Over: true}, uitest.SceneOf(t, "fourmation")
		if s, _ = s.key(tea.KeyPressMsg{Code: rune(key[0]), Text: key}); s.Input.Problem != "There is no analysis of this match." || s.wait() != nil {
			t.Errorf("%s in a match without moves says %q", key, s.Input.Problem)
		}
	}
}

// TestAnalysisOfTheClub waits for an analysis that the club makes itself.
func TestAnalysisOfTheClub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		b.Play(uitest.ShortWin...)
		s := begin(t, 80, 24, ui.Config{Lobby: screen.Of(b.Club), Who: b.Ana, Start: ui.StartWatch, Code: b.Ref.Code, Now: time.Now})
		s.Keys("v", "home")
		s.Sees("move 0 of 7", "n p mistakes", "↑", "█")
		s.Keys("end", "left")
		s.Sees("move 6 of 7", "proven: ana wins at once")
	})
}

// TestReviewKeys goes through the mistakes and the words about them.
func TestReviewKeys(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.ready()
		l.Sees("ana wins: 4 in a line.", "ana: accuracy 75 %, 1 inaccuracy", "rui: accuracy 35 %, 1 mistake, 1", "blunder")
		for _, tt := range []struct {
			key  string
			want []string
		}{
			{"n", []string{"No mistakes after this move; p goes back.", "move 7 of 7"}},
			{"p", []string{"move 6 of 7", "rui plays d2??: lets ana win; better d1 e2 e3", "proven: ana wins at once"}},
			{"p", []string{"move 4 of 7", "rui plays c2?: chances fall from 53 to 30 %; better a2 a3", "ana is better (70 %)"}},
			{"p", []string{"move 3 of 7", "ana plays b1?!"}},
			{"p", []string{"No mistakes before this move; n goes on.", "move 3 of 7"}},
			{"left", []string{"move 2 of 7", "rui plays b2", "ana is a little better (60 %)"}},
			{"n", []string{"move 3 of 7"}},
			{"home", []string{"move 0 of 7", "about even (ana: 50 %)"}},
			{"n", []string{"move 3 of 7"}},
		} {
			l.Keys(tt.key)
			l.Sees(tt.want...)
		}
		l.Keys("g")
		l.Misses("█", "↑")
		l.Keys("g", "m")
		l.Sees("ana: accuracy 75 %, 1 inaccuracy.", "rui: accuracy 35 %, 1 mistake, 1 blunder.", "Move 6: rui plays d2??: lets ana win; better d1 e2 e3")
		l.Keys("esc")
		l.Sees("move 3 of 7", "█")
	})
}

// TestBetterLine walks the line that would have been better, and the one that is expected.
func TestBetterLine(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.ready()
		l.Keys("home", "n", "b")
		l.Sees("1 of 5 · not played", "Not played: ana plays b3", "Better than b1: b3 c2 c1 d1 e1", "(b3)", "esc back to the match")
		for _, tt := range []struct{ key, want string }{
			{"right", "Not played: rui plays c2"}, {"end", "5 of 5"}, {"right", "5 of 5"}, {"left", "4 of 5"}, {"home", "0 of 5"}, {"left", "0 of 5"},
		} {
			l.Keys(tt.key)
			l.Sees(tt.want)
		}
		l.Misses("Not played: ")
		l.Keys("esc")
		l.Sees("move 3 of 7", "ana plays b1?!")
		l.Keys("right", "right", "b") // no mistake: what is expected from here
		l.Sees("Best from here: d1 e2 e3")
		l.Keys("esc")
		l.Sees("b best line")
		l.Keys("end")
		l.Misses("best line")
		l.Keys("b")
		l.Sees("There is no line to show here.", "move 7 of 7")
		l.Keys("esc")
		l.OnScreen("uitest.homePage")
	})
}

// TestRoomForRemarks: in a window that grows the words grow too.
func TestRoomForRemarks(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.ready()
		l.Keys("p", "p", "p")
		l.Sees("b1?!: chances fall from 60 to 47 %; better b3 c2 c1 d1 ...")
		l.Send(tea.WindowSizeMsg{Width: 40, Height: 20})
		l.Sees("ana plays b1?!: chances fall from 60", "to 47 %; better b3 c2 c1 d1 ...")
	})
}

// TestNoMistakes says so instead of going nowhere.
func TestNoMistakes(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		flawless := shortAnalysis()
		for i := range flawless.Points {
			flawless.Points[i].Mark = analysis.Fine
		}
		l.analyzer.Publish(lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: flawless}, nil)
		l.Settle()
		l.Sees("ana: accuracy 75 %, no mistakes", "rui: accuracy 35 %, no mistakes")
		for _, key := range []string{"n", "p"} {
			l.Keys(key)
			l.Sees("No mistakes were found in this match.", "move 7 of 7")
		}
	})
}

// TestGraphClick goes where the graph is clicked, from the match and from a variation.
func TestGraphClick(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := openReview(t, size[0], size[1])
				l.ready()
				l.clickMark("×")
				l.Sees("move 6 of 7", "d2??")
				l.Keys("b")
				l.Sees("not played")
				l.clickMark("?")
				l.Sees("move 4 of 7", "c2?")
				l.Send(tea.MouseClickMsg{X: 0, Y: 1, Button: tea.MouseLeft}) // beside it
				l.Sees("move 4 of 7")
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // one cell for each move
		l := openLongReview(t, "momentum", 21, 80, 24)
		l.analyzer.Publish(lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: longAnalysis(l.View())}, nil)
		l.Settle()
		l.clickMark("×")
		l.Sees("move 6 of 21")
	})
}

// clickMark clicks on the line of the graph that has a blunder, where the given mark stands.
func (l reviewTest) clickMark(mark string) {
	l.Session.T.Helper()
	for y, line := range strings.Split(l.page(), "\n") {
		if before, _, ok := strings.Cut(line, mark); ok && strings.Contains(line, "×") {
			l.Send(tea.MouseClickMsg{X: text.Width(before), Y: y, Button: tea.MouseLeft})
			return
		}
	}
	l.Session.T.Fatalf("no %s on the graph:\n%s", mark, l.page())
}

// TestTryingMoves plays on from a review, in all three ways, and takes back.
func TestTryingMoves(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.Keys("left", "left", "a") // before the blunder
		l.Sees("not played", "Try moves for both sides", "backspace take back")
		l.Keys("d1")
		l.Sees("enter plays d1", "› d1")
		l.Keys("enter")
		l.Sees("Not played: rui plays d1", "(d1)", "1 of 1")
		l.Keys("h7", "enter")
		l.Sees("can't be played", "› h7")
		l.Keys("esc", "up", "enter") // the cursor stands on d1
		l.Sees("Not played: ana plays d2", "2 of 2")
		l.Click("b   c") // a label: no move
		l.Keys("backspace")
		l.Sees("Not played: rui plays d1", "1 of 1")
		l.Misses("(d2)")
		l.Keys("backspace", "backspace")
		l.Sees("Nothing to take back")
		l.Keys("d2", "enter", "d1", "enter")
		l.Sees("Not played: ana plays d1, wins", "The game ends here.")
		l.Keys("enter", "a1", "enter")
		l.Sees("can't be played: the game is over")
		l.Keys("esc", "esc")
		l.Sees("Your own moves: d2 d1", "2 of 2")
		l.Keys("left")
		l.Sees("1 of 2")
		l.Keys("a", "e3", "enter")
		l.Sees("Not played: ana plays e3", "2 of 2")
		l.Keys("esc", "esc")
		l.Sees("move 5 of 7", "ana plays c1")
		l.Keys("a", "esc")
		l.Sees("move 5 of 7")
		if v := l.View(); v.Ply() != 7 {
			t.Errorf("the match has %d moves, want 7 as before", v.Ply())
		}
	})
}

// TestAnalysisComesWhileTrying: what is typed and chosen stays, and so does what is on the board.
func TestAnalysisComesWhileTrying(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		x, y, shown := l.App.Top().(reviewScreen).Cursor()
		if shown {
			t.Errorf("a cursor at %d,%d where nothing can be typed", x, y)
		}
		l.Keys("left", "left", "a", "right", "d")
		x, y, shown = l.App.Top().(reviewScreen).Cursor()
		if x != 4 || y != 21 || !shown {
			t.Errorf("the cursor is at %d,%d (%v), want it behind what is typed", x, y, shown)
		}
		sel := l.App.Top().(reviewScreen).Input.Sel
		l.ready()
		l.Sees("› d", "not played", "█")
		if got := l.App.Top().(reviewScreen).Input.Sel; got != sel {
			t.Errorf("the selection went from %v to %v", sel, got)
		}
		l.Send(tea.PasteMsg{Content: "2\x1b[2J"})
		l.Sees("› d2[2J")
		l.Keys("backspace", "backspace", "backspace", "enter")
		l.Sees("Not played: rui plays d2", "1 of 1")
	})
}

// TestTryCommands types commands where moves are tried.
func TestTryCommands(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		l.Keys("left", "left", "a", "/")
		l.Sees("/takeback /flip /play /help /who /lobby /quit")
	})
	inReview(t, func(t *testing.T, l reviewTest) {
		l.Keys("left", "left", "a", "d1", "enter", "/fl", "tab")
		l.Sees("› /flip")
		l.Keys("enter")
		l.Sees("g   f   e")
		for _, tt := range []struct{ typed, want string }{
			{"/xyz", "There is no command /xyz here."},
			{"/resign", "That can't be done now."},
			{"/t", "not played"},
			{"/takeback", "Nothing to take back"},
			{"/help", "Other moves"},
		} {
			l.Keys("ctrl+u", tt.typed, "enter")
			l.Sees(tt.want)
		}
	})
	inReview(t, func(t *testing.T, l reviewTest) {
		l.Keys("left", "a", "/lobby", "enter")
		l.OnScreen("uitest.homePage")
	})
	inReview(t, func(t *testing.T, l reviewTest) {
		l.Keys("left", "a", "?")
		l.OnScreen("screen.Reader")
		l.Keys("esc", "/quit", "enter")
		if !l.Quit {
			t.Error("/quit does not leave")
		}
	})
}

// TestTryingPieces says why a piece can't be chosen, as at the board of a match.
func TestTryingPieces(t *testing.T) {
	for _, tt := range []struct{ game, at, want string }{
		{"petteia", "a8", "Choose one of your own pieces first."},
		{"petteia", "d4", "Choose one of your own pieces first."},
		{"flugelrad", "0:0", "can't be played"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := openLongReview(t, tt.game, 9, 80, 24)
			l.Keys("home", "a")
			s := l.App.Top().(reviewScreen)
			if tt.game == "petteia" {
				s.Input.Sel = boardview.Selection{Cursor: spotOf(tt.at, 12), From: boardview.Nowhere}
			} else {
				s.Input = s.Input.Paste(tt.at)
			}
			s, _ = s.enter()
			if !strings.Contains(s.Input.Problem, tt.want) || len(s.variation.Moves) != 0 {
				t.Errorf("%s at %s: %q, want %q", tt.game, tt.at, s.Input.Problem, tt.want)
			}
		})
	}
}

// spotOf returns a cell of a board that is width cells wide.
func spotOf(cell string, width int) boardview.Spot {
	return boardview.Spot(int(cell[1]-'1')*width + int(cell[0]-'a'))
}

// TestReviewWheel steps through the match with the mouse's wheel, and moves the cursor with it where moves are tried.
func TestReviewWheel(t *testing.T) {
	roll := func(l reviewTest, button tea.MouseButton) { l.Send(tea.MouseWheelMsg{X: 5, Y: 5, Button: button}) }
	inReview(t, func(t *testing.T, l reviewTest) {
		for _, tt := range []struct {
			button tea.MouseButton
			want   string
		}{{tea.MouseWheelUp, "move 6 of 7"}, {tea.MouseWheelUp, "move 5 of 7"}, {tea.MouseWheelDown, "move 6 of 7"}} {
			roll(l, tt.button)
			l.Sees(tt.want)
		}
		l.Keys("left", "a", "d1")
		roll(l, tea.MouseWheelUp) // the cursor goes on from where it stands
		l.Sees("enter plays d2", "not played")
	})
	synctest.Test(t, func(t *testing.T) {
		l := openLongReview(t, "flugelrad", 9, 80, 24)
		l.Keys("f")
		l.Sees("This board has no other side.")
		l.Keys("home", "a", "0:1", "up") // takes the wheel up
		before := l.App.Top().(reviewScreen).Input.Sel
		roll(l, tea.MouseWheelDown)
		if sel := l.App.Top().(reviewScreen).Input.Sel; before.From < 0 || sel.From != before.From || sel.Cursor == before.Cursor {
			t.Errorf("the wheel moved the selection from %v to %v, want the wheel that is held turned", before, sel)
		}
	})
}

// TestReview steps through a match with the keys.
func TestReview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		b.Play(uitest.ShortWin...)
		s := begin(t, 80, 24, ui.Config{Lobby: uitest.NewFakeAnalyzer(b.Club).Services(), Who: b.Ana, Start: ui.StartWatch, Code: b.Ref.Code, Now: time.Now})
		s.Sees("move 7 of 7", "ana wins: 4 in a line.", "ana plays d1, wins", "record "+string(b.Ref.ID))
		for _, tt := range []struct{ key, want string }{
			{"left", "move 6 of 7"}, {"up", "move 4 of 7"}, {"h", "move 3 of 7"}, {"home", "move 0 of 7"}, {"left", "move 0 of 7"},
			{"right", "move 1 of 7"}, {"pgdown", "move 7 of 7"}, {"right", "move 7 of 7"}, {"pgup", "move 0 of 7"}, {"end", "move 7 of 7"},
		} {
			s.Keys(tt.key)
			s.Sees(tt.want)
		}
		s.Keys("left")
		s.Misses("ana wins")
		s.Keys("esc")
		s.OnScreen("uitest.homePage")
	})
}

// TestPracticeInReview: the end of a match that counted says what it made of the practice rating.
func TestPracticeInReview(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}, {200, 50}} {
		synctest.Test(t, func(t *testing.T) {
			b := uitest.NewMatch(t, "fourmation", nil, true)
			b.Play(uitest.ShortWin...)
			s := begin(t, size[0], size[1], ui.Config{Lobby: uitest.NewFakeAnalyzer(b.Club).Services(), Who: b.Ana, Start: ui.StartWatch, Code: b.Ref.Code, Now: time.Now})
			s.Misses("practice")
			top := s.App.Top().(reviewScreen)
			s.Answer(timelineMsg{source: top.source, view: top.view, timeline: top.timeline, spent: top.spent, practice: &learning.PracticePoint{Before: 812.4, After: 823.6}})
			s.Sees("practice 812 → 824")
			s.Keys("left")
			s.Misses("practice")
			s.Answer(timelineMsg{source: top.source, view: top.view, timeline: top.timeline, spent: top.spent, practice: &learning.PracticePoint{Before: 1081, After: 425, First: true}})
			s.Sees("practice 425")
			s.Misses("1081")
		})
	}
}

// TestNothingAfterTheEnd: neither moves can be tried at the end of a match, nor can it be played on from there.
func TestNothingAfterTheEnd(t *testing.T) {
	inReview(t, func(t *testing.T, l reviewTest) {
		for _, key := range []string{"c", "a"} {
			l.Keys(key)
			l.Sees("The game is over here.", "move 7 of 7")
			l.Misses("try moves", "play on")
			l.Keys("left")
			l.Sees("a try moves · ? help · c play on")
			l.Keys("right")
		}
	})
}

// TestTryingIsWhole: in the smallest window, what a move that is tried would do can be read to its end, selected and typed.
func TestTryingIsWhole(t *testing.T) {
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewMatch(t, "momentum", nil, true)
				b.Play("a1", "d3")
				if err := b.Seat(b.Rui).Resign(t.Context()); err != nil {
					t.Fatal(err)
				}
				s := begin(t, 40, 20, ui.Config{Lobby: uitest.NewFakeAnalyzer(b.Club).Services(), Who: b.Ana, Start: ui.StartWatch, Code: b.Ref.Code, Now: time.Now,
					Settings: accounts.Settings{Language: l.Code}})
				s.Keys("left", "a", "left", "left", "left", "down", "down", "down")
				for _, typed := range []string{"", "a2"} {
					s.Keys(typed)
					words := s.App.Top().(reviewScreen).status().last().words
					if typed == "" && text.Width(words) <= 38 {
						t.Errorf("typed %q: %q fits into a line: the test tests nothing", typed, words)
					}
					s.Reads(words)
				}
			})
		})
	}
}
