package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

func TestCursorFollowsItsOffer(t *testing.T) {
	club := fullLobby()
	walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
		s.lists(someLists())
		s.keys("tab", "down", "down", "down", "down")
		s.sees("> Petteia    captures")

		lists, yours := someLists()
		lists.Offers = append([]lobby.Offer{offer("o0", "momentum", games.Options{"size": 9})}, lists.Offers...)
		yours.Matches = yours.Matches[1:]
		s.lists(lists, yours)
		s.sees("> Petteia    captures", "Momentum   9x9")

		s.keys("enter")
		if diff := cmp.Diff([]storage.MatchID{"o2"}, club.taken); diff != "" {
			t.Errorf("took (-want +got):\n%s", diff)
		}
		s.atMatch()
	})
}

// TestOneCursor: the cursor follows an offer that is taken to the player's own matches, and no second one stays behind.
func TestOneCursor(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.lists(someLists())
		s.keys("tab", "down", "down", "down", "down")
		s.sees("> Petteia    captures")
		lists, yours := someLists()
		lists.Offers = lists.Offers[:1]
		yours.Matches = append(yours.Matches, lobby.Mine{Ref: lobby.Ref{ID: "o2"}, Game: "petteia", Opponent: person("p4", "zé"),
			LastAt: noon, Started: noon})
		s.lists(lists, yours)
		s.sees("> Petteia    vs zé")
		if n := strings.Count(s.page(), ">"); n != 1 {
			t.Errorf("%d cursors:\n%s", n, s.page())
		}
	})
}

func TestRemovedOfferGreysOut(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.lists(someLists())
		lists, yours := someLists()
		lists.Offers = lists.Offers[1:]
		s.lists(lists, yours)
		if got, want := s.styleOf("bia 1610"), s.app.env.theme.Removed; got != want || got == (canvas.Style{}) {
			t.Fatalf("the offer that is gone is shown in %+v, want %+v", got, want)
		}
		s.sees("bia 1610           gone")
		s.pass(greyFor)
		s.misses("bia 1610")
		s.sees("zé 1490?")
	})
}

// TestRemovedRowsDontPileUp: each removed row goes in its time, also while others are removed.
func TestRemovedRowsDontPileUp(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		for i := range 50 {
			one := lobby.Running{Ref: lobby.Ref{ID: storage.MatchID(fmt.Sprint("r", i))}, Game: "petteia",
				Seats: [2]storage.Occupant{person("a", fmt.Sprint("player-", i)), greedy}}
			s.lists(&lobby.Lists{Seq: uint64(i + 1), Running: []lobby.Running{one}}, lobby.Yours{})
			s.pass(greyFor / 2)
		}
		s.misses("player-40")
		s.sees("player-49")
		if rows := s.app.top().(lobbyScreen).rows; len(rows) > 10 {
			t.Errorf("%d rows, most of them gone", len(rows))
		}
	})
}

// TestEndedMatchUnderTheCursor: the row of a match that has ended says so as long as the cursor is on it, and still leads to
// its board.
func TestEndedMatchUnderTheCursor(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.lists(someLists())
		s.keys("tab")
		s.sees("> Momentum   vs rui           your move")
		lists, yours := someLists()
		yours.Matches = yours.Matches[1:]
		s.lists(lists, yours)
		s.sees("> Momentum   vs rui           over")
		s.misses("2 d 3 h")
		s.keys("enter")
		s.atMatch()
	})
}

func TestRemovedOfferStaysUnderTheCursor(t *testing.T) {
	club := fullLobby()
	walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
		s.lists(someLists())
		s.keys("tab", "down", "down", "down")
		lists, yours := someLists()
		lists.Offers = lists.Offers[1:]
		s.lists(lists, yours)
		s.pass(10 * greyFor)
		s.sees("> 4Mation")
		s.keys("enter")
		s.sees("This one is gone")
		if len(club.taken) > 0 {
			t.Errorf("took %v, which is gone", club.taken)
		}
		s.keys("down")
		s.sees("> Petteia")
		s.lists(lists, yours)
		s.keys("tab")
		s.misses("bia 1610")
	})
}

func TestLobbyRingsOnce(t *testing.T) {
	for _, mute := range []bool{false, true} {
		t.Run(fmt.Sprintf("mute %v", mute), func(t *testing.T) {
			walk(t, Config{Lobby: fullLobby(), Who: ana, Settings: storage.Settings{Mute: mute}}, func(t *testing.T, s *session) {
				lists, yours := someLists()
				waiting := yours.Matches[0]
				yours.Matches = yours.Matches[1:]
				s.lists(lists, yours)
				if got := s.app.View().WindowTitle; got != "Ludoteca" {
					t.Errorf("the window's title is %q while nothing waits", got)
				}
				yours.Matches = append([]lobby.Mine{waiting}, yours.Matches...)
				s.lists(lists, yours)
				s.lists(lists, yours)
				want := 1
				if mute {
					want = 0
				}
				if s.bells != want {
					t.Errorf("the bell rang %d times, want %d", s.bells, want)
				}
				if got := s.app.View().WindowTitle; !strings.HasPrefix(got, "your move") {
					t.Errorf("the window's title is %q while a match waits", got)
				}
			})
		})
	}
}

func TestLobbyMouse(t *testing.T) {
	club := fullLobby()
	walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
		s.lists(someLists())
		s.click("zé 1490")
		if diff := cmp.Diff([]storage.MatchID{"o2"}, club.taken); diff != "" {
			t.Errorf("took (-want +got):\n%s", diff)
		}
		s.atMatch()
	})
	walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
		s.lists(someLists())
		s.click("Learn the games")
		s.click("Petteia")
		s.sees("Close in on them")
	})
}

func TestNarrowLobbySaysThatAMatchWaits(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.lists(someLists())
		s.misses("It is your move") // which the lists show
		s.send(tea.WindowSizeMsg{Width: 40, Height: 20})
		s.sees("! It is your move")
		s.keys("tab")
		s.misses("It is your move")
		s.sees("> Momentum   vs rui         your move")
	})
}

func TestTakeRefused(t *testing.T) {
	walk(t, Config{Lobby: &fakeLobby{err: lobby.ErrSeatTaken}, Who: ana}, func(t *testing.T, s *session) {
		s.lists(someLists())
		s.keys("tab", "end", "up", "enter")
		s.sees("the seat is taken")
		s.onScreen(lobbyScreen{})
		s.keys("up")
		s.misses("the seat is taken") // a note goes with the next key
	})
}

// TestOwnOfferIsNotCalledNone: with an open offer of their own, players are not told that theirs would be the first.
func TestOwnOfferIsNotCalledNone(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		mine := offer("o1", "momentum", nil)
		mine.By = ana.Occupant()
		s.lists(&lobby.Lists{Seq: 1, Count: 1, Offers: []lobby.Offer{mine}}, lobby.Yours{})
		s.sees("none but yours")
		s.lists(&lobby.Lists{Seq: 2, Count: 1}, lobby.Yours{})
		s.sees("none: a new match of yours would be the first")
	})
}

// TestEmptyListsInSmallWindows: what is said of an empty list can be read to its end.
func TestEmptyListsInSmallWindows(t *testing.T) {
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, 40, 20, Config{Lobby: &fakeLobby{}, Who: ana, Settings: storage.Settings{Language: l.Code}})
				s.lists(&lobby.Lists{Seq: 1, Count: 1}, lobby.Yours{})
				s.keys("tab")
				s.misses("…")
				s.keys("tab", "down", "down", "down", "down", "down", "enter")
				s.reads(s.app.env.say.T("Nobody has played a rated match yet."))
				s.misses("…")
			})
		})
	}
}
