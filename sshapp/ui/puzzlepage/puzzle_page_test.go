package puzzlepage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/puzzle"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/apptest"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
	learningstore "ludoteca/storage/learning"
)

// first returns the first puzzle of a game that takes some plies.
func first(t testing.TB, game string, plies int) *puzzle.Puzzle {
	t.Helper()
	g, _ := catalog.Find(game)
	set, err := puzzle.Of(g)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(set.Puzzles, func(p *puzzle.Puzzle) bool { return p.Plies == plies })
	if at < 0 {
		t.Fatalf("%s has no puzzle of %d plies", game, plies)
	}
	return set.Puzzles[at]
}

// wrongMove returns a legal first move of a puzzle that is wrong, and the reply to it.
func wrongMove(t testing.TB, p *puzzle.Puzzle) (wrong, reply games.Move) {
	t.Helper()
	for _, m := range p.Start.Legal() {
		if _, o := p.Begin().Try(m); o.Verdict == puzzle.Wrong && o.Reply != "" {
			return m, o.Reply
		}
	}
	t.Fatalf("no first move of puzzle %s is wrong", p.ID)
	return "", ""
}

// open begins a session on the choice of puzzles, and opens that of the day.
func open(t testing.TB, w, h int, club *uitest.FakeLobby, cfg ui.Config) *uitest.Session {
	t.Helper()
	club.AllGames = true
	cfg.Lobby = club.Services()
	cfg.Pages = apptest.Home(uitest.HomeItem{Words: "Puzzles", Open: NewList})
	if cfg.Who.ID == "" {
		cfg.Who = uitest.Ana
	}
	s := apptest.Begin(t, w, h, cfg)
	s.Keys("enter", "enter")
	return s
}

// reads fails the test unless the words can be read on the page, in as many lines as they need.
func reads(s *uitest.Session, words string) {
	s.T.Helper()
	column := s.App.Top().(puzzleScreen).layout().Column
	var shown []string
	for line := range strings.SplitSeq(s.Page(), "\n") {
		shown = append(shown, strings.Fields(ansi.TruncateLeft(line, column, ""))...)
	}
	if !strings.Contains(strings.Join(shown, " "), strings.Join(strings.Fields(words), " ")) {
		s.T.Errorf("%q can't be read on the page:\n%s", words, s.Page())
	}
}

// onBoard fails the test unless the board shows a position.
func onBoard(s *uitest.Session, want games.Position) {
	s.T.Helper()
	if got := s.App.Top().(puzzleScreen).Scene.Position().String(); got != want.String() {
		s.T.Errorf("the board shows\n%s, want\n%s", got, want)
	}
}

// solve makes the moves of the main line, and sees each reply on the board.
func solve(s *uitest.Session, p *puzzle.Puzzle) {
	s.T.Helper()
	for a := p.Begin(); !a.Solved(); {
		next, o := a.Try(a.Next())
		s.Keys(string(a.Next()), "enter")
		onBoard(s, o.Moved)
		s.Live(replyAfter)
		onBoard(s, o.After)
		a = next
	}
}

// TestPuzzlesAreSolved solves a puzzle of each game at each size: the longest defence answers each right move, and then come the rating, the
// streak, the line to share, and another puzzle.
func TestPuzzlesAreSolved(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}, {200, 50}} {
		for _, g := range catalog.All() {
			p := first(t, g.About().ID, 3)
			synctest.Test(t, func(t *testing.T) {
				club := &uitest.FakeLobby{ToSolve: []*puzzle.Puzzle{p, first(t, "tanks", 5)}}
				s := open(t, size[0], size[1], club, ui.Config{})
				reads(s, "Only one first move does it: which one?")
				solve(s, p)
				reads(s, "The puzzle is solved.")
				reads(s, "1510 (+10). Solved one after the other: 1.")
				share := "Ludoteca 2026-08-01 " + g.About().Name + " ■■ 2 tries · "
				if size[0] < 80 {
					reads(s, share)
				} else {
					s.Sees(share)
				}
				if want := []string{"puzzle " + p.ID + " solved true"}; !slices.Equal(club.Did, want) {
					t.Errorf("stored is %q, want %q", club.Did, want)
				}
				s.Keys("enter")
				onBoard(s, first(t, "tanks", 5).Start)
				s.Misses("2026-08-01")
			})
		}
	}
}

// TestWrongMoveIsRefuted: a wrong move stands on the board, then the reply to it, and then the position comes back. The first try is lost.
func TestWrongMoveIsRefuted(t *testing.T) {
	for _, g := range catalog.All() {
		p := first(t, g.About().ID, 3)
		wrong, reply := wrongMove(t, p)
		_, o := p.Begin().Try(wrong)
		synctest.Test(t, func(t *testing.T) {
			club := &uitest.FakeLobby{ToSolve: []*puzzle.Puzzle{p}, Puzzled: learning.PuzzleStandings{g.About().ID: {
				Strength: learningstore.Strength{Rating: 1600}, Tried: 9, Solved: 9, Streak: 9}}}
			s := open(t, 80, 24, club, ui.Config{})
			s.Keys(string(wrong), "enter")
			onBoard(s, o.Moved)
			reads(s, string(wrong)+" is wrong.")
			s.Live(replyAfter)
			onBoard(s, o.After)
			reads(s, string(wrong)+" is wrong: "+string(reply)+" is the reply.")
			s.Live(10 * replyAfter) // as long as the player looks at it
			onBoard(s, o.After)
			s.Keys("enter")
			onBoard(s, p.Start)
			reads(s, "Try another move.")
			s.Keys(string(wrong), "enter", "right") // the reply comes at once
			onBoard(s, o.After)
			s.Keys("z") // and so does the position
			onBoard(s, p.Start)
			s.Keys("esc")
			s.OnScreen("puzzlepage.puzzleScreen")
			solve(s, p)
			reads(s, "1590 (-10). Solved one after the other: 0.")
			s.Sees("□□■■ 4 tries")
			if want := []string{"puzzle " + p.ID + " solved false"}; !slices.Equal(club.Did, want) {
				t.Errorf("stored is %q, want %q", club.Did, want)
			}
		})
	}
}

// TestGivingUp: the solution is told and can be stepped through, and the first try is lost.
func TestGivingUp(t *testing.T) {
	p := first(t, "momentum", 5)
	synctest.Test(t, func(t *testing.T) {
		club := &uitest.FakeLobby{ToSolve: []*puzzle.Puzzle{p}}
		s := open(t, 80, 24, club, ui.Config{})
		s.Keys("tab")
		reads(s, "The solution: ")
		reads(s, "1490 (-10)")
		s.Misses("tries ·")
		position := p.Start
		onBoard(s, position)
		for _, m := range p.Line() {
			position, _ = position.Play(m)
			s.Keys("pgdown")
			onBoard(s, position)
		}
		s.Keys("pgdown", "right")
		onBoard(s, position)
		s.Keys("home")
		onBoard(s, p.Start)
		s.Keys("end", "left", "pgdown")
		onBoard(s, position)
		if want := []string{"puzzle " + p.ID + " solved false"}; !slices.Equal(club.Did, want) {
			t.Errorf("stored is %q, want %q", club.Did, want)
		}
		s.Keys("enter")
		s.Reads(s.App.Env().Say.Error(lobby.ErrNoPuzzle)) // there are no others
		onBoard(s, position)
		s.Keys("esc")
		club.ToSolve = nil
		s.Keys("enter")
		s.Reads(s.App.Env().Say.Error(lobby.ErrNoPuzzle))
		s.Keys("a", "enter", "tab", "left", "esc")
		s.OnScreen("puzzlepage.puzzleList")
	})
}

// TestPuzzleByKeysAndMouse: arrows and clicks make moves as at the board of a match, and what the rules forbid is refused without a loss.
func TestPuzzleByKeysAndMouse(t *testing.T) {
	p := first(t, "fourmation", 3)
	synctest.Test(t, func(t *testing.T) {
		club := &uitest.FakeLobby{ToSolve: []*puzzle.Puzzle{p}}
		s := open(t, 80, 24, club, ui.Config{})
		s.Keys("z9", "enter")
		s.Sees("z9")
		s.Keys("esc")
		s.OnScreen("puzzlepage.puzzleScreen")
		at := s.App.Top().(puzzleScreen)
		scene := at.Scene
		target, ok := scene.Typed(string(p.Solution.Move), at.Input.Sel)
		if len(target) != 1 {
			t.Fatalf("%v, %v", target, ok)
		}
		for range 30 { // by arrows, to the right place
			at = s.App.Top().(puzzleScreen)
			here := scene.CellName(at.Input.Sel.Cursor)
			want := string(p.Solution.Move)
			switch {
			case here[0] < want[0]:
				s.Keys("right")
			case here[0] > want[0]:
				s.Keys("left")
			case here[1:] < want[1:]:
				s.Keys("up")
			case here[1:] > want[1:]:
				s.Keys("down")
			}
		}
		s.Keys("enter")
		reads(s, string(p.Solution.Move)+" is right.")
		s.Keys("esc") // the reply at once, and not the way out
		s.OnScreen("puzzlepage.puzzleScreen")
		s.Keys("?")
		s.Reads("Only the first try counts")
		s.Keys("esc", "esc")
		s.OnScreen("puzzlepage.puzzleList")
		if len(club.Did) > 0 {
			t.Errorf("stored is %q", club.Did)
		}
	})
}

// TestGuestSolves: a guest solves without a rating, and is told so.
func TestGuestSolves(t *testing.T) {
	p := first(t, "petteia", 3)
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 80, 24, &uitest.FakeLobby{ToSolve: []*puzzle.Puzzle{p}}, ui.Config{Who: uitest.Guest})
		solve(s, p)
		reads(s, "Guests have no rating")
		s.Misses("Solved one after the other")
		s.Keys("esc")
		s.Reads("Guests solve without a rating.")
	})
}

// TestListShowsStandings: the choice of puzzles tells how the player does, also after another puzzle, and leads to puzzles of a game.
func TestListShowsStandings(t *testing.T) {
	day, other := first(t, "tanks", 3), first(t, "petteia", 3)
	synctest.Test(t, func(t *testing.T) {
		club := &uitest.FakeLobby{ToSolve: []*puzzle.Puzzle{day, other}, Puzzled: learning.PuzzleStandings{"petteia": {
			Strength: learningstore.Strength{Rating: 1412.3}, Tried: 8, Solved: 5}}}
		s := open(t, 80, 24, club, ui.Config{})
		s.Keys("esc")
		s.Sees("1412, 5 of 8 solved")
		s.Click("Petteia")
		onBoard(s, other.Start)
		s.Keys("tab", "esc")
		s.Sees("1402, 5 of 9 solved")
		s.Keys("home", "down", "enter")
		onBoard(s, day.Start)
	})
}

// missed returns the position of a puzzle as a win that the player missed in a match.
func missed(t testing.TB, p *puzzle.Puzzle) *lobby.MissedWin {
	own := *p
	own.ID = "0123456789bcdfgh.12"
	wrong, _ := wrongMove(t, p)
	return &lobby.MissedWin{Puzzle: &own, Opponent: "rui", Number: 12, Played: wrong}
}

// TestOwnPuzzles: the choice of puzzles leads to the wins that the player missed. They count for nothing, and any move that wins in time is right.
func TestOwnPuzzles(t *testing.T) {
	p := first(t, "petteia", 3)
	first, second := missed(t, p), missed(t, p)
	second.Puzzle.ID, second.Opponent = "0123456789bcdfgh.14", "zoë"
	also := first.Puzzle.Start.Legal()
	at := slices.IndexFunc(also, func(m games.Move) bool { return m != p.Solution.Move && m != first.Played })
	second.Puzzle.Wrong = slices.Clone(p.Wrong)
	second.Puzzle.Wrong[0] = append([]puzzle.Reply{{Moves: also[at : at+1], Wins: true}}, p.Wrong[0]...)
	synctest.Test(t, func(t *testing.T) {
		club := &uitest.FakeLobby{ToSolve: []*puzzle.Puzzle{p}, Missed: []*lobby.MissedWin{first, second}}
		s := open(t, 80, 24, club, ui.Config{})
		s.Keys("esc")
		s.Click("Your puzzles")
		reads(s, "From your match against rui")
		reads(s, "You had a win in 2 moves here, and missed it: which move begins it?")
		s.Misses("rating ")
		s.Keys(string(first.Played), "enter", "enter")
		reads(s, string(first.Played)+" is wrong: ")
		s.Keys("enter")
		solve(s, first.Puzzle)
		reads(s, "In the match you played "+string(first.Played)+".")
		s.Keys("?")
		s.Reads("They have no rating.")
		s.Keys("esc", "enter")
		reads(s, "From your match against zoë")
		s.Keys(string(also[at]), "enter")
		reads(s, string(also[at])+" is right. The puzzle is solved.")
		s.Keys("enter", "tab")
		reads(s, "The solution: ")
		if len(club.Did) > 0 {
			t.Errorf("stored is %q", club.Did)
		}
		s.Keys("esc")
		club.Missed = nil
		s.Keys("enter")
		s.Reads(s.App.Env().Say.Error(lobby.ErrNoMissedWin))
	})
}

// TestPuzzlesLookRight compares pages with golden files.
func TestPuzzlesLookRight(t *testing.T) {
	sizes := [][2]int{{80, 24}, {40, 20}, {200, 50}}
	tests := []struct {
		name, game, language string
		who                  bool // a guest
		keys                 func(p *puzzle.Puzzle, s *uitest.Session)
		environ              []string
		sizes                [][2]int
	}{
		{name: "asked", game: "momentum", sizes: sizes},
		{name: "refuted", game: "petteia", sizes: sizes, keys: func(p *puzzle.Puzzle, s *uitest.Session) {
			wrong, _ := wrongMove(s.T, p)
			s.Keys(string(wrong), "enter", "enter")
		}},
		{name: "solved", game: "flugelrad", sizes: sizes, keys: func(p *puzzle.Puzzle, s *uitest.Session) { solve(s, p) }},
		{name: "solved-ascii", game: "tanks", sizes: sizes, environ: []string{"LANG=C"}, keys: func(p *puzzle.Puzzle, s *uitest.Session) { solve(s, p) }},
		{name: "given-up", game: "fourmation", sizes: sizes[:2], keys: func(_ *puzzle.Puzzle, s *uitest.Session) { s.Keys("tab", "pgdown") }},
		{name: "solved-de", game: "momentum", language: "de", sizes: sizes[:2], keys: func(p *puzzle.Puzzle, s *uitest.Session) { solve(s, p) }},
		{name: "refuted-pt", game: "tanks", language: "pt", sizes: sizes[:2], keys: func(p *puzzle.Puzzle, s *uitest.Session) {
			wrong, _ := wrongMove(s.T, p)
			s.Keys(string(wrong), "enter", "enter")
		}},
		{name: "mine", game: "momentum", sizes: sizes, keys: func(_ *puzzle.Puzzle, s *uitest.Session) { s.Keys("esc", "down", "down", "enter") }},
		{name: "mine-solved-de", game: "tanks", language: "de", sizes: sizes[:2], keys: func(p *puzzle.Puzzle, s *uitest.Session) {
			s.Keys("esc", "down", "down", "enter")
			solve(s, p)
		}},
		{name: "list", game: "momentum", sizes: sizes, keys: func(_ *puzzle.Puzzle, s *uitest.Session) { s.Keys("esc") }},
	}
	for _, tt := range tests {
		for _, size := range tt.sizes {
			synctest.Test(t, func(t *testing.T) {
				p := first(t, tt.game, 3)
				club := &uitest.FakeLobby{ToSolve: []*puzzle.Puzzle{p}, Missed: []*lobby.MissedWin{missed(t, p)}, Puzzled: learning.PuzzleStandings{"petteia": {
					Strength: learningstore.Strength{Rating: 1412.3}, Tried: 8, Solved: 5}}}
				s := open(t, size[0], size[1], club, ui.Config{Environ: tt.environ, Settings: accounts.Settings{Language: tt.language}})
				if tt.keys != nil {
					tt.keys(p, s)
				}
				uitest.Golden(t, fmt.Sprintf("%s-%dx%d", tt.name, size[0], size[1]), s.Page())
			})
		}
	}
	// Without colours the marks on the board and the words say everything.
	synctest.Test(t, func(t *testing.T) {
		p := first(t, "petteia", 3)
		s := open(t, 80, 24, &uitest.FakeLobby{ToSolve: []*puzzle.Puzzle{p}}, ui.Config{Environ: []string{"NO_COLOR=1"}})
		wrong, _ := wrongMove(t, p)
		s.Keys(string(wrong), "enter", "enter")
		uitest.Golden(t, "refuted-no-colour-80x24", s.Page())
	})
}
