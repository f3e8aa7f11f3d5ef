package ui

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby"
	"ludoteca/storage"
)

func TestHistory(t *testing.T) {
	club := fullClub()
	walk(t, Config{Club: club, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("History")
		s.keys("right", "tab", "tab")
		s.goOn(club, lobby.HistoryQuery{Name: "ana", Limit: historyPage}, lobby.HistoryQuery{Name: "ana", Game: "momentum", Limit: historyPage},
			lobby.HistoryQuery{Game: "momentum", Limit: historyPage}, lobby.HistoryQuery{Name: "ana", Game: "momentum", Limit: historyPage})
		s.keys("enter")
		s.onScreen(newReview(s.app.env, "f0"))
	})
}

func (s *session) goOn(club *fakeClub, want ...lobby.HistoryQuery) {
	s.t.Helper()
	if diff := cmp.Diff(want, club.queries); diff != "" {
		s.t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

// TestHistoryGoesOn loads more when the end comes near, once, and keeps the cursor.
func TestHistoryGoesOn(t *testing.T) {
	club := fullClub()
	club.next = storage.Cursor{Ended: noon, ID: "f29"}
	walk(t, Config{Club: club, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("History")
		for i := range club.finished {
			club.finished[i].Plies = 100 + i
		}
		next := club.next
		club.next = storage.Cursor{}
		s.keys("end", "down")
		s.goOn(club, lobby.HistoryQuery{Name: "ana", Limit: historyPage}, lobby.HistoryQuery{Name: "ana", Limit: historyPage, Before: next})
		s.sees("100 moves")
	})
}

func TestOldHistoryAnswersAreIgnored(t *testing.T) {
	walk(t, Config{Club: fullClub(), Who: ana}, func(t *testing.T, s *session) {
		s.goTo("History")
		id := s.app.stack[1].id
		s.keys("right")
		s.send(answer{id, finishedMsg{number: 1, rows: []storage.Finished{{Game: "tanks", Plies: 4711}}}})
		s.misses("4711")
	})
}

func TestLeaderboard(t *testing.T) {
	club := fullClub()
	walk(t, Config{Club: club, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("Leaderboard")
		s.sees(">    8 ana", "player9")
		s.keys("end")
		s.sees("? player30", "1523?")
		s.send(answer{s.app.stack[1].id, linesMsg{game: 3, lines: []lobby.Line{{Name: "stale"}}}})
		s.misses("stale")
		s.keys("enter")
		s.sees("since 2025-08-01", "4Mation")
		s.keys("enter")
		s.onScreen(history{})
	})
}

func TestLeaderboardFails(t *testing.T) {
	walk(t, Config{Club: &fakeClub{err: errors.New("bbolt: page 7")}, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("Leaderboard")
		s.sees("Something went wrong here")
		s.misses("bbolt")
	})
}

func TestWatchFollowsItsMatch(t *testing.T) {
	walk(t, Config{Club: fullClub(), Who: ana}, func(t *testing.T, s *session) {
		running := func(ids ...string) *lobby.Lists {
			l := &lobby.Lists{Seq: 1}
			for _, id := range ids {
				l.Running = append(l.Running, lobby.Running{Ref: lobby.Ref{ID: storage.MatchID(id)}, Game: "petteia",
					Seats: [2]storage.Occupant{person(id, "player-"+id), greedy}})
			}
			return l
		}
		s.lists(running("a", "b", "c"), lobby.Yours{})
		s.goTo("Watch a match")
		s.keys("down")
		s.sees("> Petteia    player-b")
		s.lists(running("d", "a", "b", "c"), lobby.Yours{})
		s.sees("> Petteia    player-b", "player-d")
		s.lists(running("d", "a", "c"), lobby.Yours{})
		s.sees("> Petteia    player-c")
		s.keys("end", "enter")
		s.onScreen(setup{})
		s.sees("First player", "Second player")
	})
}

func TestQuickMatch(t *testing.T) {
	club := fullClub()
	walk(t, Config{Club: club, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("Quick match")
		s.keys("down", "enter")
		s.atMatch()
		if len(club.opened) != 1 || club.opened[0].Game != "petteia" {
			t.Errorf("asked for %+v, want a quick match of Petteia", club.opened)
		}
	})
}

func TestEveryGameCanBeLearned(t *testing.T) {
	club := &fakeClub{allGames: true}
	for i, g := range club.Games() {
		walk(t, Config{Club: club, Who: ana}, func(t *testing.T, s *session) {
			s.goTo("Learn the games")
			for range i {
				s.keys("down")
			}
			s.keys("enter")
			s.sees(g.About().Name)
			s.keys("end")
			lines := s.app.top().(reader).lines(80)
			if last := lines[len(lines)-1]; last == "" {
				t.Errorf("the rules of %s end with an empty line", g.About().ID)
			} else {
				s.sees(last)
			}
		})
	}
}
