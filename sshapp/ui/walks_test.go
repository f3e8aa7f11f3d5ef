package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby"
	"ludoteca/lobby/names"
	"ludoteca/storage"
)

// walk runs a test in a bubble with a session at 80x24.
func walk(t *testing.T, cfg Config, f func(t *testing.T, s *session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, begin(t, 80, 24, cfg)) })
}

// onScreen fails the test unless the screen on top is of the same kind as want.
func (s *session) onScreen(want screen) {
	s.t.Helper()
	if got, want := fmt.Sprintf("%T", s.app.top()), fmt.Sprintf("%T", want); got != want {
		s.t.Fatalf("on screen %s, want %s:\n%s", got, want, s.page())
	}
}

// atTable fails the test unless a board is on top.
func (s *session) atMatch() {
	s.t.Helper()
	s.onScreen(newMatch(s.app.env, "m1"))
}

func TestNewcomerPlaysAfterThreeKeys(t *testing.T) {
	club := fullClub()
	walk(t, Config{Club: club, Fingerprint: "SHA256:x", Suggested: "bia"}, func(t *testing.T, s *session) {
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

func TestVisit(t *testing.T) {
	tests := []struct {
		name      string
		suggested string
		keys      []string
		err       error
		signs     []string
		sees      string
	}{
		{"typed over", "ana", []string{"ctrl+u", "zoe", "enter"}, nil, []string{"zoe"}, "Play the computer"},
		{"letters that are keys elsewhere", "", []string{"hjklq?", "enter"}, nil, []string{"hjklq?"}, "Play the computer"},
		{"taken", "ana", []string{"enter"}, lobby.ErrNameTaken, []string{"ana"}, "Somebody has this name already"},
		{"again after taken", "ana", []string{"enter", "2", "enter"}, lobby.ErrNameTaken, []string{"ana", "ana2"}, "ana2"},
		{"bad", "x", []string{"enter"}, &names.Error{Problem: names.Short}, []string{"x"}, "too short"},
		{"never a Go error", "ana", []string{"enter"}, errors.New("bbolt: disk on fire"), []string{"ana"}, "nothing is lost"},
		{"suggestion with escapes", "a\x1b[2J\u202en\aa", []string{"enter"}, nil, []string{"a[2Jna"}, "Play the computer"},
		{"from the button", "ana", []string{"down", "enter"}, nil, []string{"ana"}, "Play the computer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			club := &fakeClub{err: tt.err}
			walk(t, Config{Club: club, Fingerprint: "SHA256:x", Suggested: tt.suggested}, func(t *testing.T, s *session) {
				s.keys(tt.keys...)
				if diff := cmp.Diff(tt.signs, club.signed); diff != "" {
					t.Errorf("signed up (-want +got):\n%s", diff)
				}
				s.sees(tt.sees)
				s.misses("bbolt")
			})
		})
	}
}

func TestGuestSkipsTheForm(t *testing.T) {
	walk(t, Config{Club: fullClub(), Who: guest}, func(t *testing.T, s *session) {
		s.sees("> Play the computer", "You are a guest")
	})
}

func TestKeysEverywhere(t *testing.T) {
	member := Config{Club: fullClub(), Who: ana}
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
		s.keys("down", "enter", "q?hj")
		s.onScreen(joinScreen{})
		s.sees("Q ? H J")
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

// A match being played asks before it is left.
type runningScreen struct{ reader }

func (runningScreen) ConfirmLeave() string                   { return "A clock is running: ctrl+c again leaves." }
func (runningScreen) Typing() bool                           { return true }
func (runningScreen) InMatch() bool                          { return true }
func (s runningScreen) Update(msg tea.Msg) (screen, tea.Cmd) { return s, nil }

func TestLeavingAMatchAsksOnce(t *testing.T) {
	walk(t, Config{Club: fullClub(), Who: ana}, func(t *testing.T, s *session) {
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

// TestLeaveQuestionOwnsAllInput: whatever is pressed, clicked, turned or pasted while the question is open cancels it and does
// nothing else; then ctrl+c asks anew.
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
			walk(t, Config{Club: fullClub(), Who: ana}, func(t *testing.T, s *session) {
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
	walk(t, Config{Club: fullClub(), Who: ana}, func(t *testing.T, s *session) {
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
	walk(t, Config{Club: fullClub(), Who: ana}, func(t *testing.T, s *session) {
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
	walk(t, Config{Club: fullClub(), Who: ana}, func(t *testing.T, s *session) {
		s.keys("down", "enter", "?")
		s.send(answer{s.app.stack[1].id, pushMsg{newLearn(s.app.env)}})
		s.onScreen(reader{})
	})
}

func TestHostileNamesStayInTheirFields(t *testing.T) {
	evil := "x\x1b[2J\x1b]0;pwned\a\r\n\u202egnp\u200b\u0301\u0301\u0301\u0301"
	club := fullClub()
	for i := range club.lines {
		club.lines[i].Name = evil
	}
	club.finished[0].First.Name = evil
	club.profile.Name = evil
	walk(t, Config{Club: club, Who: lobby.Who{Kind: storage.Person, ID: "p9", Name: evil}}, func(t *testing.T, s *session) {
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
	walk(t, Config{Club: fullClub(), Who: ana}, func(t *testing.T, s *session) {
		s.send(nextListsMsg{who: ana, err: lobby.ErrClosed})
		s.sees("The club is closing")
	})
}

func TestStart(t *testing.T) {
	tests := []struct {
		name  string
		start Start
		err   error
		sees  string
		table bool
	}{
		{"join", StartJoin, nil, "", true},
		{"join a full match", StartJoin, lobby.ErrSeatTaken, "", true},
		{"join nothing", StartJoin, lobby.ErrNoSuchMatch, "Nobody here knows the code K7QM2X", false},
		{"join too often", StartJoin, &lobby.ThrottledError{Wait: 6 * time.Second}, "Wait 6 s", false},
		{"watch", StartWatch, nil, "", true},
		{"watch nothing", StartWatch, lobby.ErrNoSuchMatch, "Nobody here knows the code K7QM2X", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := Config{Club: &fakeClub{err: tt.err}, Who: ana, Start: tt.start, Code: "k7qm2x"}
			walk(t, cfg, func(t *testing.T, s *session) {
				if tt.table {
					s.atMatch()
				} else {
					s.sees(tt.sees)
				}
				s.keys("esc")
				s.onScreen(lobbyScreen{})
			})
		})
	}
}
