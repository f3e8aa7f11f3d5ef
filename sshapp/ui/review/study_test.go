package review

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
)

// shortRecord is a record from elsewhere of uitest.ShortWin.
func shortRecord() string {
	words := make([]string, len(uitest.ShortWin))
	for i := range words {
		words[i] = string(uitest.ShortWin[i])
	}
	return "[Game \"4mation\"]\n[First \"Zé\"]\n[Second \"李\"]\n\n" + strings.Join(words, " ") + " 1-0\n"
}

// imported is ana's study of a record, in a club where one rated match was played.
func imported(t *testing.T, record string) (*uitest.Match, string) {
	t.Helper()
	b := uitest.NewMatch(t, "fourmation", nil, true)
	b.Play(uitest.ShortWin...)
	st, err := b.Club.Studies.Import(t.Context(), b.Ana, record)
	if err != nil {
		t.Fatal(err)
	}
	return b, string(st.ID)
}

// openStudy opens ana's review of a study. It must be called in a bubble.
func openStudy(t *testing.T, w, h int, environ ...string) (reviewTest, string) {
	t.Helper()
	b, id := imported(t, shortRecord())
	analyzer := uitest.NewFakeAnalyzer(b.Club)
	s := begin(t, w, h, ui.Config{Lobby: analyzer.Services(), Who: b.Ana, Start: ui.StartReview, Code: id, Now: time.Now, Environ: environ})
	return reviewTest{b, s, analyzer}, id
}

// TestReviewOfAStudy: a study is looked through as a finished match is, with its analysis, tried moves, notes and matches from its positions.
func TestReviewOfAStudy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, id := openStudy(t, 80, 24)
		l.Sees("move 7 of 7", "Zé wins")
		l.ready()
		if all := l.App.Top().(reviewScreen).openings.all; len(all) != 8 || all[1].Here.Matches() != 1 {
			t.Errorf("of the rated match that began alike the openings are %+v", all)
		}
		l.Keys("home", "n")
		l.Sees("4Mation 7x7 · study "+id+" · review", "move 3 of 7", "Zé plays b1?!")
		l.Keys("p", "end", "p", "b")
		l.Sees("not played", "back to the match")
		l.Keys("esc", "left", "a", "d1", "enter", "esc", "esc")
		l.Keys("w", "here I was lost", "enter")
		l.Sees("Your note: here I was lost")
		notes, err := l.Club.Studies.Notes(t.Context(), l.Ana, storage.MatchID(id))
		if err != nil || len(notes) != 1 || notes[0].Text != "here I was lost" {
			t.Errorf("the notes are %v, %v", notes, err)
		}
		l.Keys("c")
		l.OnScreen("newmatch.setup")
		l.Keys("esc", "m")
		l.Sees("Zé: ", "李: ")
	})
}

// TestStudiesArePrivate: nobody is invited to a study, and the study of another player is no match.
func TestStudiesArePrivate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, id := openStudy(t, 80, 24)
		l.Misses("together")
		l.Keys("t")
		l.Sees("This is a study of yours, which nobody else sees.")
		l.Keys("rui", "enter")
		if _, err := l.Club.Together.Join(t.Context(), l.Rui); err == nil {
			t.Error("rui is invited")
		}
		for _, who := range []lobby.User{l.Rui, uitest.Guest} {
			other := begin(t, 80, 24, ui.Config{Lobby: l.analyzer.Services(), Who: who, Start: ui.StartReview, Code: id, Now: time.Now})
			other.Sees("No match that you may see has the id " + id)
			other.Misses("Zé")
			other.Keys("t", "esc")
			other.Misses("No match that you may see")
		}
	})
}

// TestReviewOfNamed: what a session is started for may be a match, by its code or id; a running one is shown as far as it went.
func TestReviewOfNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		b.Play(uitest.ShortWin[:3]...)
		for _, name := range []string{b.Ref.Code, strings.ToLower(b.Ref.Code), string(b.Ref.ID)} {
			s := begin(t, 80, 24, ui.Config{Lobby: uitest.NewFakeAnalyzer(b.Club).Services(), Who: b.Ana, Start: ui.StartReview, Code: name, Now: time.Now})
			s.Sees("move 3 of 3")
		}
		b.Play(uitest.ShortWin[3:]...)
		s := begin(t, 80, 24, ui.Config{Lobby: uitest.NewFakeAnalyzer(b.Club).Services(), Who: b.Ana, Start: ui.StartReview, Code: string(b.Ref.ID), Now: time.Now})
		s.Sees("move 7 of 7", "ana wins", "together")
	})
}

// TestStudyPictures: a study of a player in a wide and a narrow window.
func TestStudyPictures(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		name := fmt.Sprintf("utf-8/review-study-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, id := openStudy(t, size[0], size[1], "LC_ALL=C.UTF-8")
				l.ready()
				uitest.Golden(t, name, strings.ReplaceAll(l.page(), id, "STUDYID8"))
			})
		})
	}
}
