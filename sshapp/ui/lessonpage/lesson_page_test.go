package lessonpage

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"ludoteca/games"
	"ludoteca/games/lesson"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// open begins a session of a club with all games, and opens the lesson of one of them.
func open(t testing.TB, w, h int, cfg ui.Config, game string) *uitest.Session {
	t.Helper()
	s := begin(t, w, h, cfg)
	s.Keys("enter")
	for _, g := range cfg.Lobby.Games() {
		if g.About().ID == game {
			break
		}
		s.Keys("down")
	}
	s.Keys("enter")
	return s
}

// reads fails the test unless the panel beside or below the board shows the words, in as many lines as they need.
func reads(s *uitest.Session, words string) {
	s.T.Helper()
	column := s.App.Top().(lessonScreen).layout().Column
	var shown []string
	for line := range strings.SplitSeq(s.Page(), "\n") {
		shown = append(shown, strings.Fields(ansi.TruncateLeft(line, column, ""))...)
	}
	if !strings.Contains(strings.Join(shown, " "), strings.Join(strings.Fields(words), " ")) {
		s.T.Errorf("%q can't be read on the page:\n%s", words, s.Page())
	}
}

// TestWholeLessons goes through all lessons on the screen, at each size, with moves as they are typed. Each step shows its words whole, and so
// does the answer to each wrong move that has one of its own, in every language.
func TestWholeLessons(t *testing.T) {
	sizes := [][2]int{{80, 24}, {40, 20}, {200, 50}}
	if testing.Short() {
		sizes = sizes[1:2]
	}
	for _, size := range sizes {
		for _, l := range text.Languages() {
			t.Run(fmt.Sprintf("%s-%dx%d", l.Code, size[0], size[1]), func(t *testing.T) {
				for _, g := range (&uitest.FakeLobby{AllGames: true}).Games() {
					synctest.Test(t, func(t *testing.T) { wholeLesson(t, g, l.Code, size[0], size[1]) })
				}
			})
		}
	}
}

func wholeLesson(t *testing.T, g games.Game, language string, w, h int) {
	club := &uitest.FakeLobby{AllGames: true}
	id := g.About().ID
	s := open(t, w, h, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: language}}, id)
	say := s.App.Env().Say
	for run, ok := lesson.Begin(g); ok; run, ok = run.Next() {
		step := run.Step()
		reads(s, say.T(step.Title))
		reads(s, say.T(step.Task))
		for _, r := range step.Wrong {
			s.Keys(string(r.Moves[0]), "enter")
			reads(s, say.T(r.Words))
		}
		if step.Else != "" {
			for _, m := range run.Position().Legal() {
				if _, answer := run.Play(m); answer.Verdict == lesson.Wrong && answer.Words == step.Else {
					s.Keys(string(m), "enter")
					reads(s, say.T(step.Else))
					break
				}
			}
		}
		s.Keys(string(step.Right[0]), "enter")
		reads(s, say.T(step.Shown))
		if club.Learned[id].Solved != run.Number() || s.App.Env().Lessons[id].Solved != run.Number() {
			t.Fatalf("%s: after step %d, %v is kept and %v known", id, run.Number(), club.Learned, s.App.Env().Lessons)
		}
		if run.Number() < run.Steps() {
			s.Keys("enter")
		}
	}
	s.Sees(say.T("Done. Enter begins a match."))
	s.Keys("esc")
	s.OnScreen("lessonpage.gameList")
	if !club.Learned[id].Done {
		t.Errorf("%s is not done: %v", id, club.Learned)
	}
	s.Sees(say.T("done"))
}

// TestLessonIsResumed: a lesson goes on where it was left, in this session or before; a guest's is known to the session alone.
func TestLessonIsResumed(t *testing.T) {
	for _, who := range []string{"ana", "guest"} {
		club := &uitest.FakeLobby{AllGames: true}
		cfg := ui.Config{Lobby: club.Services(), Who: uitest.Ana}
		if who == "guest" {
			cfg.Who = uitest.Guest
		} else {
			club.Learned = learning.Lessons{"tanks": {Solved: 1}}
		}
		synctest.Test(t, func(t *testing.T) {
			s := open(t, 80, 24, cfg, "tanks")
			if who == "guest" {
				s.Sees("step 1 of")
				s.Keys("e2e3", "enter", "enter")
			}
			s.Sees("step 2 of", "The medium tank")
			s.Keys("e4d5", "enter", "esc")
			s.Sees("step 3 of")
			s.Keys("enter")
			s.Sees("step 3 of", "The heavy tank")
			if kept := club.Learned["tanks"].Solved; (kept == 0) != (who == "guest") {
				t.Errorf("of %s is kept %v", who, club.Learned)
			}
		})
	}
}

// TestLessonLeadsToAMatch: after the last step enter shows the form of a match of the game, and esc leads from there to the list.
func TestLessonLeadsToAMatch(t *testing.T) {
	club := &uitest.FakeLobby{AllGames: true, Learned: learning.Lessons{"petteia": {Solved: 8}}}
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 80, 24, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, "petteia")
		s.Sees("step 9 of")
		s.Keys(string(s.App.Top().(lessonScreen).run.Step().Right[0]), "enter")
		s.Sees("Done. Enter begins a match.")
		s.Keys("enter")
		s.Sees("a match of petteia")
		s.Keys("esc")
		s.OnScreen("lessonpage.gameList")
	})
}

// TestLessonByKeys: arrows and clicks make moves as at the board of a match; tab tells the answer, and the page keys turn the steps.
func TestLessonByKeys(t *testing.T) {
	club := &uitest.FakeLobby{AllGames: true}
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 80, 24, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, "momentum")
		s.Keys("right", "right", "up", "up", "enter")
		s.Sees("Right.", "Nothing lies beside it")
		s.Keys("x", "esc") // nothing can be typed in a solved step
		s.OnScreen("lessonpage.gameList")
		s.Keys("enter")
		s.Sees("step 2 of")
		s.Keys("pgup")
		s.Sees("step 1 of", "A turn is one marble")
		s.Keys("pgup")
		s.Sees("step 1 of")
		s.Keys("tab")
		s.Sees("A right move: d4")
		s.Keys("z9", "enter")
		reads(s, "a move is a cell from a1 to g7")
		s.Keys("esc")
		s.Misses("z9")
		s.Keys("a1", "enter")
		reads(s, "Not a1. You may drop there, but drop this one on d4.")
		s.Keys("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
		s.Sees("step 10 of 10")
		s.Keys("?")
		s.Reads("You can leave at any time")
	})
}

// TestTroubleWhileSaving: a step is solved even if that can't be stored, and the player hears of it.
func TestTroubleWhileSaving(t *testing.T) {
	club := &uitest.FakeLobby{AllGames: true}
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 80, 24, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, "momentum")
		club.Mu.Lock()
		club.Err = fmt.Errorf("no store")
		club.Mu.Unlock()
		s.Keys("d4", "enter")
		s.Sees("Right.")
		s.Reads(s.App.Env().Say.Error(club.Err))
		s.Keys("enter")
		s.Sees("step 2 of")
	})
}

// TestLessonsLookRight compares pages with golden files.
func TestLessonsLookRight(t *testing.T) {
	tests := []struct {
		name, game string
		keys       []string
		environ    []string
	}{
		{name: "momentum", game: "momentum", keys: []string{"pgdown"}},
		{name: "petteia-wrong", game: "petteia", keys: []string{"pgdown", "pgdown", "h7a7", "enter"}},
		{name: "fourmation-right", game: "fourmation", keys: []string{"pgdown", "pgdown", "d3", "enter"}},
		{name: "flugelrad", game: "flugelrad", keys: []string{"pgdown", "pgdown", "pgdown"}},
		{name: "tanks-ascii", game: "tanks", keys: []string{"pgdown", "e4"}, environ: []string{"LANG=C"}},
	}
	for _, size := range [][2]int{{80, 24}, {40, 20}, {120, 30}} {
		for _, tt := range tests {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, size[0], size[1], ui.Config{Lobby: (&uitest.FakeLobby{AllGames: true}).Services(), Who: uitest.Ana, Environ: tt.environ}, tt.game)
				s.Keys(tt.keys...)
				uitest.Golden(t, fmt.Sprintf("%s-%dx%d", tt.name, size[0], size[1]), s.Page())
			})
		}
	}
}

// TestListShowsProgress: the list says of each game how far its lesson is.
func TestListShowsProgress(t *testing.T) {
	club := &uitest.FakeLobby{AllGames: true, Learned: learning.Lessons{"petteia": {Solved: 3}, "tanks": {Solved: 9, Done: true}}}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Keys("enter")
		for _, line := range strings.Split(s.Page(), "\n") {
			for name, want := range map[string]string{"Petteia": "step 4 of 9", "Breakthrough Tanks": "done", "Momentum": "10 steps"} {
				if strings.Contains(line, name+"  ") && !strings.Contains(line, want) {
					t.Errorf("%q, want %q", line, want)
				}
			}
		}
	})
}
