package matchpage

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// at starts a visit of a user at the board of a match.
func at(b *uitest.Match, who lobby.User) *presence.Session {
	v := b.Club.Presence.Visit(who, true)
	v.At(b.Ref.ID)
	return v
}

// sees has a session show a line with these words within two seconds.
func sees(s *uitest.Session, when, want string) {
	s.T.Helper()
	s.Pass(2 * time.Second)
	if page := s.Page(); !strings.Contains(page, want) {
		s.T.Errorf("%s: no %q in\n%s", when, want, page)
	}
}

// TestPresenceBesideNames: the mark beside the opponent's name follows them, with nothing pressed.
func TestPresenceBesideNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewTimedMatch(t, "fourmation", nil, true, uitest.ClockOfTest("30+20"))
		b.Play("d4", "e5")
		s := open(b, b.Ana, 80, 24, accounts.Settings{}, "LC_ALL=C.UTF-8")
		sees(s, "never here", "○ rui ✕ gone")
		rui := at(b, b.Rui)
		sees(s, "at the board", "○ rui ■   ")
		sees(s, "at the board", "● ana ■   ")
		rui.At("")
		sees(s, "in the lobby", "○ rui □ away")
		rui.At(b.Ref.ID)
		sees(s, "back at the board", "○ rui ■   ")
		s.Pass(presence.IdleAfter + 15*time.Second)
		sees(s, "without a key for long", "○ rui □ away")
		sees(s, "ana has pressed none either, but sees it", "● ana ■   ")
		rui.Pressed()
		sees(s, "after a key", "○ rui ■   ")
		rui.Leave(true)
		sees(s, "the line has dropped", "○ rui ✕ gone   ")
		s.Pass(3 * time.Minute)
		sees(s, "after three minutes", "○ rui ✕ gone for 3 min")
		if n := strings.Count(s.Page(), "✕"); n != 1 {
			t.Errorf("%d marks", n)
		}
	})
}

// TestSeenByCommand: a player who gives commands and has no session counts as away for a while, and then as gone.
func TestSeenByCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewTimedMatch(t, "fourmation", nil, true, uitest.ClockOfTest("30+20"))
		b.Play("d4", "e5")
		s := open(b, b.Ana, 80, 24, accounts.Settings{}, "LC_ALL=C.UTF-8")
		command := func() { b.Club.Connect(b.Rui, origin.Origin{})() }
		command()
		sees(s, "after a command", "○ rui □ seen just now")
		s.Pass(3 * time.Minute)
		sees(s, "three minutes later", "○ rui □ seen 3 min ago")
		s.Pass(presence.IdleAfter)
		sees(s, "after long", "○ rui ✕ seen 8 min ago")
		rui := at(b, b.Rui)
		command()
		sees(s, "at the board", "○ rui ■   ")
		rui.Leave(false)
		sees(s, "with the session ended", "○ rui ✕ gone   ")
	})
}

// TestWhoHasNoMark: computer players have none, nor has a user who plays alone.
func TestWhoHasNoMark(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spec  seats.Spec
		eva   bool
		marks int
	}{
		{name: "against a computer player", spec: seats.Spec{Bot: "random"}},
		{name: "against a computer player, watched", spec: seats.Spec{Bot: "random"}, eva: true, marks: 1},
		{name: "two at a keyboard", spec: seats.Spec{Hotseat: true}},
		{name: "two computer players, watched", spec: seats.Spec{Bots: [2]string{"random", "random"}, Public: true}, eva: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewMatch(t, "fourmation", nil, false)
				tt.spec.Game = "fourmation"
				var err error
				if b.Ref, err = b.Club.Seats.Open(t.Context(), b.Ana, tt.spec); err != nil {
					t.Fatal(err)
				}
				who := b.Ana
				if tt.eva {
					who = b.Person("eva")
				}
				s := open(b, who, 80, 24, accounts.Settings{}, "LC_ALL=C.UTF-8")
				s.Pass(2 * time.Second)
				page := s.Page()
				if n := strings.Count(page, "■") + strings.Count(page, "□") + strings.Count(page, "✕"); n != tt.marks {
					t.Errorf("%d marks, want %d:\n%s", n, tt.marks, page)
				}
			})
		})
	}
}

// TestPresenceAtTheEnd: the players of a finished match see whether the opponent is still there. Users who look at it later don't.
func TestPresenceAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := uitest.NewMatch(t, "fourmation", nil, true)
		b.Play(uitest.ShortWin...)
		s := open(b, b.Ana, 80, 24, accounts.Settings{}, "LC_ALL=C.UTF-8")
		rui := at(b, b.Rui)
		sees(s, "the winner", "○ rui ■")
		rui.Leave(false)
		sees(s, "the winner", "○ rui ✕ gone")
		if page := open(b, b.Person("eva"), 80, 24, accounts.Settings{}, "LC_ALL=C.UTF-8").Page(); strings.ContainsAny(page, "■□✕") {
			t.Errorf("a reader of the record sees marks:\n%s", page)
		}
	})
}

// TestSpectatorsInThePanel: players and spectators see how many watch and who, as they come and go.
func TestSpectatorsInThePanel(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewMatch(t, "fourmation", nil, true)
				b.Play("d4", "e5")
				s := open(b, b.Ana, size[0], size[1], accounts.Settings{})
				if strings.Contains(s.Page(), "watch") {
					t.Errorf("without spectators:\n%s", s.Page())
				}
				bia := at(b, b.Person("bia"))
				at(b, b.Rui) // who plays is no spectator
				sees(s, "one", "1 watching: bia\n")
				guest := at(b, lobby.User{Kind: storage.Guest, ID: "g", Name: "guest-4"})
				sees(s, "two", "2 watching: bia, guest-4\n")
				eva := open(b, b.Person("eva"), size[0], size[1], accounts.Settings{})
				sees(eva, "a spectator", "3 watching: bia, eva, guest-4\n")
				bia.Leave(false)
				guest.At("")
				sees(s, "two have left", "1 watching: eva\n")
				for i := range 50 {
					at(b, lobby.User{Kind: storage.Guest, ID: fmt.Sprint("crowd", i), Name: fmt.Sprintf("guest-%d", 100+i)})
				}
				sees(s, "more than there is room for", "51 watching: eva, guest-100, ")
				sees(s, "more than there is room for", ", …\n")
			})
		})
	}
}

// TestBoardWithPeople keeps pictures of a match in which much goes on: both clocks, an opponent who has left, spectators.
func TestBoardWithPeople(t *testing.T) {
	for _, tt := range []struct {
		size    [2]int
		charset string
	}{{[2]int{80, 24}, "utf-8"}, {[2]int{40, 20}, "utf-8"}, {[2]int{120, 40}, "utf-8"}, {[2]int{200, 60}, "utf-8"}, {[2]int{40, 20}, "ascii"}} {
		name := fmt.Sprintf("%s/board-people-%dx%d", tt.charset, tt.size[0], tt.size[1])
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewTimedMatch(t, "momentum", nil, true, uitest.ClockOfTest("10+5"))
				rui := at(b, b.Rui)
				at(b, b.Person("bia"))
				at(b, lobby.User{Kind: storage.Guest, ID: "g", Name: "guest-4"})
				for _, m := range []games.Move{"d4", "c3", "f6", "d5"} {
					time.Sleep(7 * time.Second)
					b.Play(m)
				}
				environ := map[string]string{"utf-8": "LC_ALL=C.UTF-8", "ascii": "LC_ALL=C"}[tt.charset]
				s := open(b, b.Ana, tt.size[0], tt.size[1], accounts.Settings{}, environ)
				rui.Leave(true)
				s.Pass(3 * time.Minute)
				uitest.Golden(t, name, b.Page(s))
			})
		})
	}
}
