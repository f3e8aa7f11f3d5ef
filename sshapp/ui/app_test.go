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
	"ludoteca/storage"
)

func TestNewcomerPlaysAfterThreeKeys(t *testing.T) {
	club := fullLobby()
	walk(t, Config{Lobby: club, Fingerprint: "SHA256:x", Suggested: "bia"}, func(t *testing.T, s *session) {
		s.sees("Ludoteca", "bia")
		s.keys("enter")
		s.sees("> Play the computer")
		s.keys("enter", "enter")
		s.atMatch()
		if diff := cmp.Diff([]string{"bia"}, club.signed); diff != "" {
			t.Errorf("signed up (-want +got):\n%s", diff)
		}
		if len(club.opened) != 1 || club.opened[0].Bot != "random" || club.opened[0].Game != "momentum" {
			t.Errorf("opened %+v, want Momentum against the first level", club.opened)
		}
	})
}

func TestGuestSkipsTheForm(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: guest}, func(t *testing.T, s *session) {
		s.sees("> Play the computer", "You are a guest")
	})
}

func TestKeysEverywhere(t *testing.T) {
	member := Config{Lobby: fullLobby(), Who: ana}
	walk(t, member, func(t *testing.T, s *session) {
		if _, cmd := s.app.Update(tea.KeyPressMsg(named["ctrl+l"])); cmd == nil || cmd() != tea.ClearScreen() {
			t.Error("ctrl+l does not draw the screen anew")
		}
		s.keys("j", "j", "enter") // as down
		s.onScreen(setup{})
		s.keys("?")
		s.sees("Enter starts the match from any line", "leave the club")
		s.keys("esc")
		s.onScreen(setup{})
		s.keys("esc")
		s.onScreen(lobbyScreen{})
		s.keys("esc")
		s.onScreen(lobbyScreen{})
		s.keys("down", "enter", "qhj")
		s.onScreen(joinScreen{})
		s.sees("Q H J")
	})
	for _, key := range []string{"q", "ctrl+c"} {
		walk(t, member, func(t *testing.T, s *session) {
			if s.keys(key); !s.quit {
				t.Errorf("%s does not leave the lobby", key)
			}
		})
	}
	walk(t, member, func(t *testing.T, s *session) {
		s.keys("down", "down", "down", "enter", "ctrl+c")
		if !s.quit {
			t.Error("ctrl+c does not leave while a code is typed")
		}
	})
}

// A runningScreen asks before it is left, like a match that goes on.
type runningScreen struct{ reader }

func (runningScreen) ConfirmLeave() string { return "A clock is running: ctrl+c again leaves." }

func (runningScreen) Typing() bool { return true }

func (runningScreen) InMatch() bool { return true }

func (s runningScreen) Update(msg tea.Msg) (screen, tea.Cmd) { return s, nil }

func TestLeavingAMatchAsksOnce(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		if got := s.app.IdleLimit(); got != idleLobby {
			t.Errorf("idle limit in the lobby %v, want %v", got, idleLobby)
		}
		s.run(s.app.push(runningScreen{newReader(s.app.env, "", "")}))
		s.settle()
		if got := s.app.IdleLimit(); got != idleBoard {
			t.Errorf("idle limit at a board %v, want %v", got, idleBoard)
		}
		s.keys("ctrl+c")
		s.sees("A clock is running")
		s.keys("x")
		s.misses("A clock is running")
		if s.keys("ctrl+c"); s.quit {
			t.Error("left at the first ctrl+c after another key")
		}
		if s.keys("ctrl+c"); !s.quit {
			t.Error("did not leave at the second ctrl+c")
		}
	})
}

// A typingScreen counts what it is sent.
type typingScreen struct {
	runningScreen
	sent *int
}

func (s typingScreen) Update(msg tea.Msg) (screen, tea.Cmd) {
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
		{"enter", tea.KeyPressMsg(named["enter"])},
		{"esc", tea.KeyPressMsg(named["esc"])},
		{"help", tea.KeyPressMsg{Code: '?', Text: "?"}},
		{"redraw", tea.KeyPressMsg(named["ctrl+l"])},
		{"a click", tea.MouseClickMsg{X: 5, Y: 5, Button: tea.MouseLeft}},
		{"the wheel", tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown}},
		{"a click on the title", tea.MouseClickMsg{X: 5, Button: tea.MouseLeft}},
		{"a paste", tea.PasteMsg{Content: "d4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
				sent := 0
				s.run(s.app.push(typingScreen{runningScreen{newReader(s.app.env, "", "")}, &sent}))
				s.settle()
				s.keys("ctrl+c")
				s.sees("A clock is running")
				s.send(tt.msg)
				s.misses("A clock is running")
				if len(s.app.stack) != 2 || sent != 0 {
					t.Errorf("%d screens, %d messages sent to the one on top, want 2 and 0", len(s.app.stack), sent)
				}
				if s.keys("ctrl+c"); s.quit {
					t.Error("left at the first ctrl+c after the question was cancelled")
				}
				s.sees("A clock is running")
			})
		})
	}
}

func TestTooSmallAndBack(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.keys("down", "down", "down", "enter", "abc")
		before := s.page()
		for _, size := range [][2]int{{39, 24}, {80, 19}, {1, 1}} {
			s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			s.misses("A B C")
			s.keys("d")
		}
		s.send(tea.WindowSizeMsg{Width: 39, Height: 24})
		s.sees("room, please: 40x20")
		s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		if diff := cmp.Diff(before, s.page()); diff != "" {
			t.Errorf("the screen came back changed (-before +now):\n%s", diff)
		}
	})
}

func TestAnswersOfGoneScreensAreIgnored(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.keys("down", "enter")
		gone := s.app.stack[1].id
		s.keys("esc")
		before := s.page()
		for _, msg := range []tea.Msg{openedMsg{ref: lobby.Ref{ID: "m1"}}, homeMsg{}, leaveMsg{}, noteMsg{"late"}, pushMsg{newLearn(s.app.env)}} {
			s.send(answer{gone, msg})
		}
		if s.quit || s.page() != before {
			t.Errorf("an answer of a screen that is gone did something:\n%s", s.page())
		}
	})
}

// TestCoveredScreensStayWhereTheyAre: a match opens while the player already reads the help.
func TestCoveredScreensStayWhereTheyAre(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.keys("down", "enter", "?")
		s.send(answer{s.app.stack[1].id, pushMsg{newLearn(s.app.env)}})
		s.onScreen(reader{})
	})
}

func TestHostileNamesStayInTheirFields(t *testing.T) {
	evil := "x\x1b[2J\x1b]0;pwned\a\r\n\u202egnp\u200b\u0301\u0301\u0301\u0301"
	club := fullLobby()
	for i := range club.lines {
		club.lines[i].Name = evil
	}
	club.finished[0].First.Name = evil
	club.profile.Name = evil
	walk(t, Config{Lobby: club, Who: lobby.User{Kind: storage.Person, ID: "p9", Name: evil}}, func(t *testing.T, s *session) {
		lists, yours := someLists()
		lists.Offers[0].By.Name, lists.Running[0].Seats[0].Name, yours.Matches[0].Opponent.Name = evil, evil, evil
		s.lists(lists, yours)
		pages := []string{s.page()}
		for _, item := range []int{5, 6, 7} {
			s.keys("home")
			for range item {
				s.keys("down")
			}
			s.keys("enter")
			pages = append(pages, s.page())
			s.keys("enter")
			pages = append(pages, s.page())
			s.keys("esc", "esc")
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
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.send(nextListsMsg{who: ana, err: lobby.ErrClosed})
		s.sees("The club is closing")
	})
}

// TestIdleLimits: Config may set other limits.
func TestIdleLimits(t *testing.T) {
	cfg := Config{Lobby: fullLobby(), Who: ana, IdleLobby: time.Minute, IdleBoard: time.Hour}
	walk(t, cfg, func(t *testing.T, s *session) {
		if got := s.app.IdleLimit(); got != time.Minute {
			t.Errorf("idle limit in the lobby %v, want a minute", got)
		}
		s.run(s.app.push(runningScreen{newReader(s.app.env, "", "")}))
		s.settle()
		if got := s.app.IdleLimit(); got != time.Hour {
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
			a := NewApp(t.Context(), Config{Lobby: &fakeLobby{}, Who: ana, Term: "xterm-256color"})
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
	reader
	closed *int
}

func (c counted) Close() { *c.closed++ }

func (c counted) Update(tea.Msg) (screen, tea.Cmd) { return c, nil }

// TestDeepStacks opens more screens than a stack holds: the oldest above the lobby are dropped and closed.
func TestDeepStacks(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		closed := 0
		for range 3 * maxStack {
			s.run(s.app.push(counted{newReader(s.app.env, "", ""), &closed}))
			s.settle()
		}
		if len(s.app.stack) != maxStack || closed != 2*maxStack+1 {
			t.Errorf("%d screens are kept and %d were closed, want %d and %d", len(s.app.stack), closed, maxStack, 2*maxStack+1)
		}
		for range maxStack - 1 {
			s.keys("esc")
		}
		s.onScreen(lobbyScreen{})
	})
}

// TestChoosingALanguage: it comes from the client's locale, the form changes it for good, and a setting beats the locale.
func TestChoosingALanguage(t *testing.T) {
	portuguese := "LANG=pt_PT.UTF-8"
	t.Run("in the form", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			club := &fakeLobby{}
			s := begin(t, 80, 24, Config{Lobby: club, Fingerprint: "SHA256:x", Suggested: "ana", Environ: []string{portuguese}})
			s.sees("O teu nome", "Português")
			s.keys("down", "right")
			s.sees("Dein Name", "Deutsch")
			s.keys("enter")
			s.sees("Gegen den Computer")
			if len(club.saved) != 1 || club.saved[0].Language != "de" {
				t.Errorf("saved %+v, want German once", club.saved)
			}
		})
	})
	t.Run("under settings", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			club := &fakeLobby{}
			s := begin(t, 80, 24, Config{Lobby: club, Who: ana, Environ: []string{portuguese}, Settings: storage.Settings{Language: "en"}})
			s.sees("Play the computer")
			s.keys("end", "enter", "end", "up", "left")
			s.sees("Sprache", "Deutsch")
			s.keys("left")
			s.sees("Idioma", "Português")
			s.keys("esc")
			s.sees("Contra o computador")
			if n := len(club.saved); n == 0 || club.saved[n-1].Language != "pt" {
				t.Errorf("saved %+v, want Portuguese last", club.saved)
			}
		})
	})
}
