package lobbypage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/operators"
)

func TestCursorFollowsItsOffer(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Lists(uitest.SomeLists())
		s.Keys("tab", "down", "down", "down", "down")
		s.Sees("> Petteia    5+3")

		page, yours := uitest.SomeLists()
		page.Offers = append([]lists.Offer{uitest.Offer("o0", "momentum", games.Options{"size": 9})}, page.Offers...)
		yours.Matches = yours.Matches[1:]
		s.Lists(page, yours)
		s.Sees("> Petteia    5+3", "Momentum   9x9")

		s.Keys("enter")
		if diff := cmp.Diff([]storage.MatchID{"o2"}, club.Taken); diff != "" {
			t.Errorf("took (-want +got):\n%s", diff)
		}
		s.AtMatch()
	})
}

// TestLobbySought: the lobby says what others look for in quick matches, in place of the remark that there are no offers.
func TestLobbySought(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		page, yours := uitest.SomeLists()
		page.Sought = []lists.Sought{{Games: []string{"petteia"}, Clock: uitest.ClockOfTest("5+3"), Rated: true, People: make([]lobby.User, 1)}}
		s.Lists(page, yours)
		s.Sees("1 looks for Petteia, 5+3, rated")
		page.Offers = nil
		s.Lists(page, yours)
		s.Sees("1 looks for Petteia, 5+3, rated")
		if strings.Contains(s.Page(), "would be the first") {
			t.Errorf("there is somebody:\n%s", s.Page())
		}
	})
}

// TestOneCursor: the cursor follows an offer that is taken to the player's own matches, and no second one stays behind.
func TestOneCursor(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Lists(uitest.SomeLists())
		s.Keys("tab", "down", "down", "down", "down")
		s.Sees("> Petteia    5+3")
		page, yours := uitest.SomeLists()
		page.Offers = page.Offers[:1]
		yours.Matches = append(yours.Matches, lists.Mine{Ref: lobby.Ref{ID: "o2"}, Game: "petteia", Opponent: uitest.Person("p4", "zé"),
			LastAt: uitest.Noon, Started: uitest.Noon})
		s.Lists(page, yours)
		s.Sees("> Petteia    vs zé")
		if n := strings.Count(s.Page(), ">"); n != 1 {
			t.Errorf("%d cursors:\n%s", n, s.Page())
		}
	})
}

// TestTermsOfTheOfferUnderTheCursor: the stake of a rated offer is read once each time that the cursor comes to it, and shown with all its
// terms. Nothing is read for other rows.
func TestTermsOfTheOfferUnderTheCursor(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		const terms = "classic 7x7 · no clock · rated · finishes 97% · win +9 · draw +1 · loss -7"
		s.Lists(uitest.SomeLists())
		s.Misses("finishes")
		s.Keys("tab")
		s.Misses("finishes", "win +9")
		s.Keys("down", "down", "down")
		s.Sees(terms)
		for i := range 5 {
			page, yours := uitest.SomeLists()
			page.Seq += uint64(i + 1)
			s.Lists(page, yours)
		}
		s.Sees(terms)
		s.Keys("down")
		s.Sees("5+3 1400-1600", "captures to win 5 · 5+3 · casual · 1400-1600")
		s.Misses("win +9", "finishes")
		s.Keys("up")
		s.Sees(terms)
		if want := []storage.MatchID{"o1", "o1"}; !slices.Equal(club.Staked, want) {
			t.Errorf("asked for the stakes of %v, want %v", club.Staked, want)
		}
		s.Keys("tab")
		s.Misses("finishes")
	})
}

func TestRemovedOfferGreysOut(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Lists(uitest.SomeLists())
		page, yours := uitest.SomeLists()
		page.Offers = page.Offers[1:]
		s.Lists(page, yours)
		if got, want := s.StyleOf("bia 1610"), s.App.Env().Theme.Removed; got != want || got == (canvas.Style{}) {
			t.Fatalf("the offer that is gone is shown in %+v, want %+v", got, want)
		}
		s.Sees("bia 1610    gone")
		s.Pass(greyFor)
		s.Misses("bia 1610")
		s.Sees("zé 1490?")
	})
}

// TestRemovedRowsDontPileUp: each removed row goes in its time, also while others are removed.
func TestRemovedRowsDontPileUp(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		for i := range 50 {
			one := lists.Running{Ref: lobby.Ref{ID: storage.MatchID(fmt.Sprint("r", i))}, Game: "petteia",
				Seats: [2]storage.Occupant{uitest.Person("a", fmt.Sprint("player-", i)), uitest.Greedy}}
			s.Lists(&lists.Lists{Seq: uint64(i + 1), Running: []lists.Running{one}}, lists.Yours{})
			s.Pass(greyFor / 2)
		}
		s.Misses("player-40")
		s.Sees("player-49")
		if rows := s.App.Top().(lobbyScreen).rows; len(rows) > 10 {
			t.Errorf("%d rows, most of them gone", len(rows))
		}
	})
}

// TestEndedMatchUnderTheCursor: the row of a match that has ended says so as long as the cursor is on it, and still leads to
// its board.
func TestEndedMatchUnderTheCursor(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Lists(uitest.SomeLists())
		s.Keys("tab")
		s.Sees("> Momentum   vs rui           your move")
		page, yours := uitest.SomeLists()
		yours.Matches = yours.Matches[1:]
		s.Lists(page, yours)
		s.Sees("> Momentum   vs rui           over")
		s.Misses("2 d 3 h")
		s.Keys("enter")
		s.AtMatch()
	})
}

func TestRemovedOfferStaysUnderTheCursor(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Lists(uitest.SomeLists())
		s.Keys("tab", "down", "down", "down")
		page, yours := uitest.SomeLists()
		page.Offers = page.Offers[1:]
		s.Lists(page, yours)
		s.Pass(10 * greyFor)
		s.Sees("> 4Mation")
		s.Keys("enter")
		s.Sees("This one is gone")
		if len(club.Taken) > 0 {
			t.Errorf("took %v, which is gone", club.Taken)
		}
		s.Keys("down")
		s.Sees("> Petteia")
		s.Lists(page, yours)
		s.Keys("tab")
		s.Misses("bia 1610")
	})
}

// TestLobbyTitle: the window's title is "your move" while a match waits.
func TestLobbyTitle(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		page, yours := uitest.SomeLists()
		waiting := yours.Matches[0]
		yours.Matches = yours.Matches[1:]
		s.Lists(page, yours)
		if got := s.App.View().WindowTitle; got != "Ludoteca" {
			t.Errorf("the window's title is %q while nothing waits", got)
		}
		yours.Matches = append([]lists.Mine{waiting}, yours.Matches...)
		s.Lists(page, yours)
		if got := s.App.View().WindowTitle; !strings.HasPrefix(got, "your move") {
			t.Errorf("the window's title is %q while a match waits", got)
		}
	})
}

func TestLobbyMouse(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Lists(uitest.SomeLists())
		s.Click("zé 1490")
		s.Sees("captures to win 5 · 5+3 · casual")
		if len(club.Taken) > 0 {
			t.Errorf("took %v unseen", club.Taken)
		}
		s.Click("zé 1490")
		if diff := cmp.Diff([]storage.MatchID{"o2"}, club.Taken); diff != "" {
			t.Errorf("took (-want +got):\n%s", diff)
		}
		s.AtMatch()
	})
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Lists(uitest.SomeLists())
		s.Click("Learn the games")
		s.Click("Petteia")
		s.Sees("Move like a rook")
	})
}

func TestNarrowLobbySaysThatAMatchWaits(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Lists(uitest.SomeLists())
		s.Misses("It is your move") // which the page show
		s.Send(tea.WindowSizeMsg{Width: 40, Height: 20})
		s.Sees("! It is your move")
		s.Keys("tab")
		s.Misses("It is your move")
		s.Sees("> Momentum   vs rui         your move")
	})
}

func TestTakeRefused(t *testing.T) {
	walk(t, ui.Config{Lobby: (&uitest.FakeLobby{Err: lobby.ErrSeatTaken}).Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Lists(uitest.SomeLists())
		s.Keys("tab", "end", "up", "enter")
		s.Sees("the seat is taken")
		s.OnScreen("lobbypage.lobbyScreen")
		s.Keys("up")
		s.Misses("the seat is taken") // a note goes with the next key
	})
}

// TestOwnOfferIsNotCalledNone: with an open offer of their own, players are not told that theirs would be the first.
func TestOwnOfferIsNotCalledNone(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		mine := uitest.Offer("o1", "momentum", nil)
		mine.By = uitest.Ana.Occupant()
		s.Lists(&lists.Lists{Seq: 1, Count: 1, Offers: []lists.Offer{mine}}, lists.Yours{})
		s.Sees("none but yours")
		s.Lists(&lists.Lists{Seq: 2, Count: 1}, lists.Yours{})
		s.Sees("none: a new match of yours would be the first")
	})
}

// TestRemovedMatchIsNotCalledOver: a match that leaves the lists because its players are away isn't called over, and while a removed match is
// still shown, the list doesn't say that it is empty.
func TestRemovedMatchIsNotCalledOver(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Lists(uitest.SomeLists())
		s.Sees("inês 1702 - Greedy (bot)")
		s.Lists(&lists.Lists{Seq: 2, Count: 7}, lists.Yours{})
		s.Sees("Flügelrad", "inês", "gone", "vs rui           over")
		s.Misses("nobody just now", "none just now", "none: a new match")
		s.Pass(greyFor)
		s.Sees("nobody just now", "none just now", "none: a new match of yours would be the first")
		s.Misses("inês", "gone", "over")
	})
}

// TestListsUseFreeColumns: nothing in the lists is cut beside columns that are free.
func TestListsUseFreeColumns(t *testing.T) {
	const long = "zacharias-the-2nd"
	challenge := uitest.Offer("c1", "momentum", nil)
	challenge.By, challenge.Clock = uitest.Person("p9", long), uitest.ClockOfTest("30+20")
	offer := uitest.Offer("o1", "petteia", games.Options{"captures_to_win": 5})
	offer.By, offer.Clock, offer.Range = uitest.Person("p8", long), uitest.ClockOfTest("30+20"), [2]int{1400, 1600}
	page := &lists.Lists{Seq: 1, Count: 3, Offers: []lists.Offer{offer}, Running: []lists.Running{{Ref: lobby.Ref{ID: "r1"}, Game: "tanks", Ply: 123,
		Seats: [2]storage.Occupant{uitest.Person("p8", long), uitest.Person("p9", long)}, Strength: [2]lobby.Strength{uitest.Known(1702), uitest.Known(1650)}}}}
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, 118, 30, ui.Config{Lobby: (&uitest.FakeLobby{}).Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: l.Code}})
				s.Lists(page, lists.Yours{Invitations: []lists.Offer{challenge}})
				s.Misses("…")
				s.Sees(long+" 1702 - "+long+" 1650", "1400-1600")
				if l.Code == "en" {
					s.Sees("30+20 vs "+long+" ", " invites you ", long+" 1610")
				}
			})
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, 80, 24, ui.Config{Lobby: (&uitest.FakeLobby{}).Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: l.Code}})
				few := uitest.Offer("c1", "momentum", nil)
				s.Lists(&lists.Lists{Seq: 1, Count: 3}, lists.Yours{Invitations: []lists.Offer{few}})
				s.Misses("…")
				if l.Code == "en" {
					s.Sees("vs bia", "invites you")
				}
				bot := lists.Mine{Ref: lobby.Ref{ID: "m1"}, Game: "momentum", YourTurn: true, Started: uitest.Noon, LastAt: s.App.Env().Now().Add(-2 * time.Minute),
					Opponent: storage.Occupant{Kind: storage.Bot, ID: "expert", Name: "Expert"}}
				s.Lists(&lists.Lists{Seq: 2, Count: 3}, lists.Yours{Matches: []lists.Mine{bot}})
				s.Misses("…")
			})
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, 40, 20, ui.Config{Lobby: (&uitest.FakeLobby{}).Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: l.Code}})
				clocked := uitest.Offer("o1", "tanks", nil)
				clocked.By, clocked.Clock = uitest.Person("p6", "rui"), uitest.ClockOfTest("15+10")
				s.Lists(&lists.Lists{Seq: 1, Count: 3, Offers: []lists.Offer{clocked}}, lists.Yours{})
				s.Keys("tab")
				s.Sees("15+10 ")
			})
		})
	}
}

// TestEmptyListsInSmallWindows: what is said of an empty list can be read to its end.
func TestEmptyListsInSmallWindows(t *testing.T) {
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, 40, 20, ui.Config{Lobby: (&uitest.FakeLobby{}).Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: l.Code}})
				s.Lists(&lists.Lists{Seq: 1, Count: 1}, lists.Yours{})
				s.Keys("tab")
				s.Misses("…")
				s.Keys("tab")
				s.GoTo(s.App.Env().Say.T("Leaderboard"))
				s.Reads(s.App.Env().Say.T("Nobody has played a rated match yet."))
				s.Misses("…")
			})
		})
	}
}

// TestOperatorPageIsForOperators: players and guests neither have the key nor see it.
func TestOperatorPageIsForOperators(t *testing.T) {
	for _, who := range []ui.Config{{Lobby: (&uitest.FakeLobby{}).Services(), Who: uitest.Ana}, {Lobby: (&uitest.FakeLobby{}).Services(), Who: uitest.Guest}} {
		walk(t, who, func(t *testing.T, s *uitest.Session) {
			s.Keys("o")
			s.OnScreen("lobbypage.lobbyScreen")
			s.Misses("operator")
		})
	}
	walk(t, ui.Config{Lobby: (&uitest.FakeLobby{}).Services(), Who: uitest.Ana, Operator: noReports{}}, func(t *testing.T, s *uitest.Session) {
		s.Sees("o operator")
		s.Keys("o")
		s.OnScreen("operatorpage.operatorPage")
	})
}

// noReports is an operator's view of a club in which nothing is reported.
type noReports struct{ screen.Operator }

func (noReports) Status() status.Status { return status.Status{} }

func (noReports) Reports(context.Context, bool) ([]operators.Report, error) { return nil, nil }

func (noReports) Audit(context.Context, uint64, int) ([]operators.AuditEntry, error) { return nil, nil }

// TestListsShowClocks: the lists show the clocks of own matches, of invitations and offers and, if there is room, of other matches.
func TestListsShowClocks(t *testing.T) {
	page, yours := uitest.SomeLists()
	page.Running[0].Clock = uitest.ClockOfTest("10+5")
	yours.Matches[0].Clock, yours.Matches[2].Clock = uitest.ClockOfTest("5+3"), uitest.ClockOfTest("3d")
	yours.Invitations = []lists.Offer{{Ref: lobby.Ref{ID: "i1"}, Game: "tanks", By: uitest.Person("p8", "eva"), Clock: uitest.ClockOfTest("1+2")}}
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, 80, 24, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana})
		s.Lists(page, yours)
		s.Sees("5+3 vs rui", "3 d K7QM2X", "1+2 vs eva", "  vs joão", "10+5   move 23")
		s = begin(t, 40, 20, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana})
		s.Lists(page, yours)
		s.Keys("tab")
		s.Sees("5+3 vs rui", "3 d K7QM2X")
	})
}
