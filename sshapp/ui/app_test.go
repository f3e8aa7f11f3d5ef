package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/lessonpage"
	"ludoteca/sshapp/ui/pages"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

func TestNewcomerPlaysAfterThreeKeys(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, Config{Lobby: club.Services(), Fingerprint: "SHA256:x", Suggested: "bia"}, func(t *testing.T, s *uitest.Session) {
		s.Sees("Ludoteca", "bia")
		s.Keys("enter")
		s.Sees("> Play the computer")
		s.Keys("enter", "enter")
		s.AtMatch()
		if diff := cmp.Diff([]string{"bia"}, club.Signed); diff != "" {
			t.Errorf("signed up (-want +got):\n%s", diff)
		}
		if len(club.Opened) != 1 || club.Opened[0].Bot != "random" || club.Opened[0].Game != "momentum" {
			t.Errorf("opened %+v, want Momentum against the first level", club.Opened)
		}
	})
}

func TestGuestSkipsTheForm(t *testing.T) {
	walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Guest}, func(t *testing.T, s *uitest.Session) {
		s.Sees("> Play the computer", "You are a guest")
	})
}

func TestKeysEverywhere(t *testing.T) {
	member := Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}
	walk(t, member, func(t *testing.T, s *uitest.Session) {
		if _, cmd := s.App.Update(tea.KeyPressMsg(uitest.Named["ctrl+l"])); cmd == nil || cmd() != tea.ClearScreen() {
			t.Error("ctrl+l does not draw the screen anew")
		}
		s.Keys("j", "j", "enter") // as down
		s.OnScreen("newmatch.setup")
		s.Keys("?")
		s.Sees("Enter starts the match from any line", "leave the club")
		s.Keys("esc")
		s.OnScreen("newmatch.setup")
		s.Keys("esc")
		s.OnScreen("lobbypage.lobbyScreen")
		s.Keys("esc")
		s.OnScreen("lobbypage.lobbyScreen")
		s.Keys("down", "enter", "qhj")
		s.OnScreen("newmatch.joinScreen")
		s.Sees("Q H J")
	})
	for _, key := range []string{"q", "ctrl+c"} {
		walk(t, member, func(t *testing.T, s *uitest.Session) {
			if s.Keys(key); !s.Quit {
				t.Errorf("%s does not leave the lobby", key)
			}
		})
	}
	walk(t, member, func(t *testing.T, s *uitest.Session) {
		s.Keys("down", "down", "down", "enter", "ctrl+c")
		if !s.Quit {
			t.Error("ctrl+c does not leave while a code is typed")
		}
	})
}

// A runningScreen asks before it is left, like a match that goes on.
type runningScreen struct{ screen.Reader }

func (runningScreen) ConfirmLeave() string { return "A clock is running: ctrl+c again leaves." }

func (runningScreen) Typing() bool { return true }

func (runningScreen) InMatch() bool { return true }

func (s runningScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) { return s, nil }

func TestLeavingAMatchAsksOnce(t *testing.T) {
	walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		if got := s.App.(*App).IdleLimit(); got != idleLobby {
			t.Errorf("idle limit in the lobby %v, want %v", got, idleLobby)
		}
		s.Run(s.App.(*App).nav.push(runningScreen{screen.NewReader(s.App.Env(), "", "")}))
		s.Settle()
		if got := s.App.(*App).IdleLimit(); got != idleBoard {
			t.Errorf("idle limit at a board %v, want %v", got, idleBoard)
		}
		s.Keys("ctrl+c")
		s.Sees("A clock is running")
		s.Keys("x")
		s.Misses("A clock is running")
		if s.Keys("ctrl+c"); s.Quit {
			t.Error("left at the first ctrl+c after another key")
		}
		if s.Keys("ctrl+c"); !s.Quit {
			t.Error("did not leave at the second ctrl+c")
		}
	})
}

// A typingScreen counts what it is sent.
type typingScreen struct {
	runningScreen
	sent *int
}

func (s typingScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	if _, ok := msg.(tea.WindowSizeMsg); !ok {
		*s.sent++
	}
	return s, nil
}

// TestLeaveQuestionOwnsAllInput: any other key, click, wheel or paste withdraws the question and does nothing else. Then ctrl+c
// asks again.
func TestLeaveQuestionOwnsAllInput(t *testing.T) {
	tests := []struct {
		name string
		msg  tea.Msg
	}{
		{"a letter", tea.KeyPressMsg{Code: 'x', Text: "x"}},
		{"enter", tea.KeyPressMsg(uitest.Named["enter"])},
		{"esc", tea.KeyPressMsg(uitest.Named["esc"])},
		{"help", tea.KeyPressMsg{Code: '?', Text: "?"}},
		{"redraw", tea.KeyPressMsg(uitest.Named["ctrl+l"])},
		{"a click", tea.MouseClickMsg{X: 5, Y: 5, Button: tea.MouseLeft}},
		{"the wheel", tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown}},
		{"a click on the title", tea.MouseClickMsg{X: 5, Button: tea.MouseLeft}},
		{"a paste", tea.PasteMsg{Content: "d4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
				sent := 0
				s.Run(s.App.(*App).nav.push(typingScreen{runningScreen{screen.NewReader(s.App.Env(), "", "")}, &sent}))
				s.Settle()
				s.Keys("ctrl+c")
				s.Sees("A clock is running")
				s.Send(tt.msg)
				s.Misses("A clock is running")
				if len(s.App.(*App).nav.screens.slots) != 2 || sent != 0 {
					t.Errorf("%d screens, %d messages sent to the one on top, want 2 and 0", len(s.App.(*App).nav.screens.slots), sent)
				}
				if s.Keys("ctrl+c"); s.Quit {
					t.Error("left at the first ctrl+c after the question was cancelled")
				}
				s.Sees("A clock is running")
			})
		})
	}
}

func TestTooSmallAndBack(t *testing.T) {
	walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Keys("down", "down", "down", "enter", "abc")
		before := s.Page()
		for _, size := range [][2]int{{39, 24}, {80, 19}, {1, 1}} {
			s.Send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			s.Misses("A B C")
			s.Keys("d")
		}
		s.Send(tea.WindowSizeMsg{Width: 39, Height: 24})
		s.Sees("room, please: 40x20")
		s.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
		if diff := cmp.Diff(before, s.Page()); diff != "" {
			t.Errorf("the screen came back changed (-before +now):\n%s", diff)
		}
	})
}

func TestAnswersOfGoneScreensAreIgnored(t *testing.T) {
	walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Keys("down", "enter")
		gone := s.App.(*App).nav.screens.slots[1].id
		s.Keys("esc")
		before := s.Page()
		for _, msg := range []tea.Msg{screen.SignedMsg{Who: uitest.Guest}, screen.HomeMsg{}, screen.LeaveMsg{}, screen.NoteMsg{Words: "late"}, screen.PushMsg{To: lessonpage.NewList(s.App.Env())}} {
			s.Send(screen.Answer{To: gone, Msg: msg})
		}
		if s.Quit || s.Page() != before {
			t.Errorf("an answer of a screen that is gone did something:\n%s", s.Page())
		}
	})
}

// TestCoveredScreensStayWhereTheyAre: a match opens while the player already reads the help.
func TestCoveredScreensStayWhereTheyAre(t *testing.T) {
	walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Keys("down", "enter", "?")
		s.Send(screen.Answer{To: s.App.(*App).nav.screens.slots[1].id, Msg: screen.PushMsg{To: lessonpage.NewList(s.App.Env())}})
		s.OnScreen("screen.Reader")
	})
}

func TestHostileNamesStayInTheirFields(t *testing.T) {
	evil := "x\x1b[2J\x1b]0;pwned\a\r\n\u202egnp\u200b\u0301\u0301\u0301\u0301"
	club := uitest.FullLobby()
	for i := range club.Lines {
		club.Lines[i].Name = evil
	}
	club.Finished[0].First.Name = evil
	club.Player.Name = evil
	walk(t, Config{Lobby: club.Services(), Who: lobby.User{Kind: storage.Person, ID: "p9", Name: evil}}, func(t *testing.T, s *uitest.Session) {
		lists, yours := uitest.SomeLists()
		lists.Offers[0].By.Name, lists.Running[0].Seats[0].Name, yours.Matches[0].Opponent.Name = evil, evil, evil
		s.Lists(lists, yours)
		pages := []string{s.Page()}
		for _, item := range []int{5, 6, 7} {
			s.Keys("home")
			for range item {
				s.Keys("down")
			}
			s.Keys("enter")
			pages = append(pages, s.Page())
			s.Keys("enter")
			pages = append(pages, s.Page())
			s.Keys("esc", "esc")
		}
		for _, page := range pages {
			for _, bad := range []string{"\x1b", "\a", "\r", "\u202e", "\u200b", "\u0301\u0301\u0301"} {
				if strings.Contains(page, bad) {
					t.Errorf("%q on the page:\n%s", bad, page)
				}
			}
		}
	})
}

func TestClosingClubSaysSo(t *testing.T) {
	walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.Send(nextListsMsg{who: uitest.Ana, err: lobby.ErrClosed})
		s.Sees("The club is closing")
	})
}

// TestIdleLimits: Config may set other limits.
func TestIdleLimits(t *testing.T) {
	cfg := Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, IdleLobby: time.Minute, IdleBoard: time.Hour}
	walk(t, cfg, func(t *testing.T, s *uitest.Session) {
		if got := s.App.(*App).IdleLimit(); got != time.Minute {
			t.Errorf("idle limit in the lobby %v, want a minute", got)
		}
		s.Run(s.App.(*App).nav.push(runningScreen{screen.NewReader(s.App.Env(), "", "")}))
		s.Settle()
		if got := s.App.(*App).IdleLimit(); got != time.Hour {
			t.Errorf("idle limit at a board %v, want an hour", got)
		}
	})
}

// TestSmallWindows: a window in which nothing fits says so, in as many lines as it takes.
func TestSmallWindows(t *testing.T) {
	tests := []struct {
		name string
		w, h int
		want []string // without empty lines and blanks at either end
	}{
		{"one line", 39, 24, []string{"A bit more room, please: 40x20."}},
		{"just one line", 31, 1, []string{"A bit more room, please: 40x20."}},
		{"two lines", 30, 10, []string{"A bit more room, please:", "40x20."}},
		{"more lines", 10, 5, []string{"A bit more", "room,", "please:", "40x20."}},
		{"as many as there are", 10, 2, []string{"A bit more", "room,"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := NewApp(t.Context(), Config{Lobby: (&uitest.FakeLobby{}).Services(), Pages: pages.All(), Who: uitest.Ana, Term: "xterm-256color"})
			a.Init()
			a.Update(tea.WindowSizeMsg{Width: tt.w, Height: tt.h})
			var got []string
			for line := range strings.Lines(ansi.Strip(a.View().Content)) {
				if line = strings.TrimSpace(line); line != "" {
					got = append(got, line)
				}
			}
			if strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("%dx%d shows %q, want %q", tt.w, tt.h, got, tt.want)
			}
		})
	}
}

func TestStatusThatFits(t *testing.T) {
	tests := []struct {
		name, status string
		room         int
		want         string
	}{
		{"all", "ana · 4Mation 1523 · 7 here", 27, "ana · 4Mation 1523 · 7 here"},
		{"without the middle", "ana · 4Mation 1523 · 7 here", 26, "ana · 7 here"},
		{"the last part", "ana · 4Mation 1523 · 7 here", 11, "7 here"},
		{"what stands alone", "ana · your move", 9, "your move"},
		{"nothing", "ana · your move", 8, ""},
		{"no room", "ana", -3, ""},
		{"no status", "", -3, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fitted(tt.status, " · ", tt.room); got != tt.want {
				t.Errorf("%q in %d cells is %q, want %q", tt.status, tt.room, got, tt.want)
			}
		})
	}
}

// A counted screen counts how often it is closed.
type counted struct {
	screen.Reader
	closed *int
}

func (c counted) Close() { *c.closed++ }

func (c counted) Update(tea.Msg) (screen.Screen, tea.Cmd) { return c, nil }

// TestDeepStacks opens more screens than a stack holds: the oldest above the lobby are dropped and closed.
func TestDeepStacks(t *testing.T) {
	walk(t, Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		closed := 0
		for range 3 * maxStack {
			s.Run(s.App.(*App).nav.push(counted{screen.NewReader(s.App.Env(), "", ""), &closed}))
			s.Settle()
		}
		if len(s.App.(*App).nav.screens.slots) != maxStack || closed != 2*maxStack+1 {
			t.Errorf("%d screens are kept and %d were closed, want %d and %d", len(s.App.(*App).nav.screens.slots), closed, maxStack, 2*maxStack+1)
		}
		for range maxStack - 1 {
			s.Keys("esc")
		}
		s.OnScreen("lobbypage.lobbyScreen")
	})
}

// TestChoosingALanguage: it comes from the client's locale, the form changes it for good, and a setting beats the locale.
func TestChoosingALanguage(t *testing.T) {
	portuguese := "LANG=pt_PT.UTF-8"
	t.Run("in the form", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			club := &uitest.FakeLobby{}
			s := begin(t, 80, 24, Config{Lobby: club.Services(), Fingerprint: "SHA256:x", Suggested: "ana", Environ: []string{portuguese}})
			s.Sees("O teu nome", "Português")
			s.Keys("down", "right")
			s.Sees("Dein Name", "Deutsch")
			s.Keys("enter")
			s.Sees("Gegen den Computer")
			if len(club.Saved) != 1 || club.Saved[0].Language != "de" {
				t.Errorf("saved %+v, want German once", club.Saved)
			}
		})
	})
	t.Run("under settings", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			club := &uitest.FakeLobby{}
			s := begin(t, 80, 24, Config{Lobby: club.Services(), Who: uitest.Ana, Environ: []string{portuguese}, Settings: accounts.Settings{Language: "en"}})
			s.Sees("Play the computer")
			s.Keys("end", "enter", "end", "up", "up", "up", "left")
			s.Sees("Sprache", "Deutsch")
			s.Keys("left")
			s.Sees("Idioma", "Português")
			s.Keys("esc")
			s.Sees("Contra o computador")
			if n := len(club.Saved); n == 0 || club.Saved[n-1].Language != "pt" {
				t.Errorf("saved %+v, want Portuguese last", club.Saved)
			}
		})
	})
}
