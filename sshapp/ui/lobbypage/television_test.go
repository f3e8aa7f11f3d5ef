package lobbypage

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// A tvClub is a real club that counts who reads the television.
type tvClub struct {
	*lobby.Lobby
	t       *testing.T
	reading atomic.Int32
	puzzles bool // there are some
}

// Services returns the club as screens ask for it.
func (c *tvClub) Services() *screen.Lobby {
	l := screen.Of(c.Lobby)
	l.Television = c
	if !c.puzzles {
		l.Puzzles = learning.NewPuzzles(learning.PuzzlesConfig{Now: time.Now})
	}
	return l
}

func (c *tvClub) TelevisionInLobby(ctx context.Context, who lobby.User, after *lobby.View) (*lobby.View, error) {
	c.reading.Add(1)
	defer c.reading.Add(-1)
	return c.Lobby.Television.TelevisionInLobby(ctx, who, after)
}

func (c *tvClub) LastMatch(ctx context.Context) (*lists.Replay, error) {
	return c.Lobby.Television.LastMatch(ctx)
}

// A tvMatch is a public match of two people.
type tvMatch struct {
	club  *tvClub
	ref   lobby.Ref
	seats [2]*seats.Seat
	leave []func() // its people
}

// play makes the given moves, of either side in turn.
func (m *tvMatch) play(moves ...games.Move) {
	m.club.t.Helper()
	for _, move := range moves {
		v := m.view()
		if err := m.seats[v.Turn].Move(m.club.t.Context(), move, lobby.AnyPly); err != nil {
			m.club.t.Fatal(err)
		}
	}
}

func (m *tvMatch) playAny(plies int) {
	m.club.t.Helper()
	for range plies {
		legal := m.view().Position.Legal()
		m.play(legal[len(legal)/2])
	}
}

func (m *tvMatch) view() *lobby.View {
	m.club.t.Helper()
	v, err := m.seats[0].Now(m.club.t.Context())
	if err != nil {
		m.club.t.Fatal(err)
	}
	return v
}

func (m *tvMatch) resign() {
	m.club.t.Helper()
	if err := m.seats[1].Resign(m.club.t.Context()); err != nil {
		m.club.t.Fatal(err)
	}
}

// match opens a public match of two people who are here.
func (c *tvClub) match(spec seats.Spec, names ...string) *tvMatch {
	c.t.Helper()
	spec.Public, spec.Side = true, seats.PlayFirst
	m := &tvMatch{club: c}
	var who [2]lobby.User
	for i, name := range names {
		u, err := c.Accounts.SignUp(c.t.Context(), "SHA256:"+name, name)
		if err != nil {
			c.t.Fatal(err)
		}
		leave := sync.OnceFunc(c.Presence.Enter(u))
		c.t.Cleanup(leave)
		m.leave = append(m.leave, leave)
		who[i] = u
	}
	var err error
	if m.ref, err = c.Seats.Open(c.t.Context(), who[0], spec); err == nil {
		_, err = c.Seats.Take(c.t.Context(), who[1], m.ref.ID)
	}
	for i := range m.seats {
		if err == nil {
			m.seats[i], err = c.Seats.At(c.t.Context(), who[i], m.ref)
		}
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// watchTV runs a test with a club and a guest in a lobby of a size.
func watchTV(t *testing.T, w, h int, f func(c *tvClub, start func(accounts.Settings) *uitest.Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &tvClub{Lobby: uitest.OpenLobby(t), t: t}
		f(c, func(settings accounts.Settings) *uitest.Session {
			s := begin(t, w, h, ui.Config{Lobby: c.Services(), Who: c.Accounts.Guest("connection 1"), Settings: settings, Now: time.Now})
			s.Live(time.Second)
			return s
		})
	})
}

func TestTelevisionPictures(t *testing.T) {
	clock := uitest.ClockOfTest("5+3")
	pictures := []struct {
		name string
		play func(c *tvClub)
	}{
		{"running", func(c *tvClub) {
			m := c.match(seats.Spec{Game: "petteia", Rated: true, Clock: clock}, "ana", "rui")
			m.playAny(7)
		}},
		{"last", func(c *tvClub) {
			m := c.match(seats.Spec{Game: "tanks", Clock: clock}, "ana", "rui")
			m.playAny(12)
			m.resign()
		}},
	}
	for _, p := range pictures {
		for _, size := range [][2]int{{120, 40}, {200, 60}} {
			name := fmt.Sprintf("television-%s-%dx%d", p.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				watchTV(t, size[0], size[1], func(c *tvClub, start func(accounts.Settings) *uitest.Session) {
					p.play(c)
					time.Sleep(2 * time.Second)
					s := start(accounts.Settings{})
					s.Live(12 * time.Second)
					uitest.Golden(t, name, strings.ReplaceAll(s.Page(), c.Accounts.Guest("connection 1").Name, "guest-K7QM"))
				})
			})
		}
	}
}

// TestTelevisionGoesOn: a match is followed to its end, which stays for a moment; then comes the next one, or the last match, which
// steps to its end and begins again.
func TestTelevisionGoesOn(t *testing.T) {
	watchTV(t, 120, 40, func(c *tvClub, start func(accounts.Settings) *uitest.Session) {
		first := c.match(seats.Spec{Game: "petteia"}, "ana", "rui")
		time.Sleep(2 * time.Second)
		s := start(accounts.Settings{})
		s.Sees("TELEVISION", "no move yet", "ana", "rui")
		second := c.match(seats.Spec{Game: "fourmation"}, "kim", "lea")
		first.playAny(11)
		s.Live(2 * time.Second)
		s.Sees("Petteia · casual", "  move 11")
		first.resign()
		s.Live(endShown - time.Second)
		s.Sees("Petteia · casual", "ana wins")
		s.Live(2 * time.Second)
		s.Sees("4Mation · casual", "no move yet")
		second.resign()
		s.Live(endShown + 2*time.Second)
		s.Sees("LAST MATCH", "Petteia · casual", "move 0 of 11")
		for ply := range 11 {
			s.Live(stepEvery)
			if ply < 10 {
				s.Sees(fmt.Sprintf("move %d of 11", ply+1))
			}
		}
		s.Sees("LAST MATCH", "ana wins")
		s.Live(lastShown)
		s.Sees("move 0 of 11")

		third := c.match(seats.Spec{Game: "momentum"}, "max", "nea")
		s.Live(2 * time.Second)
		s.Sees("TELEVISION", "Momentum · casual")
		third.playAny(1)
		s.Live(time.Second)
		s.Sees("  move 1")
	})
}

// TestTelevisionShowsThePuzzle: while nobody plays, the puzzle of the day and the last match take turns, and a match that begins comes before both.
// The key p opens the puzzle.
func TestTelevisionShowsThePuzzle(t *testing.T) {
	watchTV(t, 120, 40, func(c *tvClub, start func(accounts.Settings) *uitest.Session) {
		c.puzzles = true
		s := start(accounts.Settings{})
		s.Sees("PUZZLE OF THE DAY", "to move and win", "p the puzzle")
		first, _, err := c.Puzzles.Daily()
		if err != nil {
			t.Fatal(err)
		}
		s.Sees(first.Game.About().Name)
		uitest.Golden(t, "television-puzzle-120x40", strings.ReplaceAll(s.Page(), c.Accounts.Guest("connection 1").Name, "guest-K7QM"))
		s.Live(25 * time.Hour)
		next, day, err := c.Puzzles.Daily()
		if shown := s.App.Top().(lobbyScreen).tv.puzzle; err != nil || shown != next || next == first {
			t.Errorf("on %s the puzzle %v is shown, want %v, not %v; %v", day, shown, next, first, err)
		}
		s.Keys("p")
		s.OnScreen("puzzlepage.puzzleScreen")
		s.Sees(day)
		s.Keys("esc")
		s.Keys("tab", "tab", "enter")
		s.OnScreen("puzzlepage.puzzleScreen")
		s.Keys("esc")

		m := c.match(seats.Spec{Game: "petteia"}, "ana", "rui")
		s.Live(2 * time.Second)
		s.Sees("TELEVISION", "Petteia · casual")
		s.Misses("PUZZLE OF THE DAY", "the puzzle")
		m.playAny(11)
		m.resign()
		s.Live(endShown + 2*time.Second)
		s.Sees("PUZZLE OF THE DAY")
		s.Live(puzzleShown)
		s.Sees("LAST MATCH", "move 0 of 11")
		s.Misses("the puzzle")
		s.Live(11*stepEvery + lastShown)
		s.Sees("PUZZLE OF THE DAY")
	})
}

// TestTelevisionLeavesIdleMatch: a match whose players have left gives way to the last match, and its end isn't shown.
func TestTelevisionLeavesIdleMatch(t *testing.T) {
	watchTV(t, 120, 40, func(c *tvClub, start func(accounts.Settings) *uitest.Session) {
		last := c.match(seats.Spec{Game: "petteia"}, "ana", "rui")
		last.playAny(11)
		last.resign()
		m := c.match(seats.Spec{Game: "fourmation"}, "kim", "lea")
		time.Sleep(2 * time.Second)
		s := start(accounts.Settings{})
		s.Sees("TELEVISION", "4Mation · casual")
		for _, leave := range m.leave {
			leave()
		}
		s.Live(6 * time.Minute)
		s.Sees("LAST MATCH", "Petteia · casual")
		if err := m.seats[1].Abort(c.t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Live(2 * time.Second)
		s.Sees("LAST MATCH", "Petteia · casual")
	})
}

// TestTelevisionPays: a session reads and waits for ticks only while its player sees the television and it shows something that time
// changes.
func TestTelevisionPays(t *testing.T) {
	tests := []struct {
		name     string
		w, h     int
		settings accounts.Settings
		clock    string
		after    func(s *uitest.Session)
		reading  int32
		ticks    bool
	}{
		{"in a wide window", 120, 30, accounts.Settings{}, "5+3", nil, 1, true},
		{"before the first moves", 120, 30, accounts.Settings{}, "5+3", nil, 1, false},
		{"without a clock", 120, 30, accounts.Settings{}, "none", nil, 1, false},
		{"too narrow", 119, 30, accounts.Settings{}, "5+3", nil, 0, false},
		{"too low", 120, 29, accounts.Settings{}, "5+3", nil, 0, false},
		{"switched off", 120, 30, accounts.Settings{TelevisionOff: true}, "5+3", nil, 0, false},
		{"covered", 120, 30, accounts.Settings{}, "5+3", func(s *uitest.Session) { s.GoTo("Learn the games") }, 0, false},
		{"covered by its help", 120, 30, accounts.Settings{}, "5+3", func(s *uitest.Session) { s.Keys("?") }, 0, false},
		{"seen again", 120, 30, accounts.Settings{}, "5+3", func(s *uitest.Session) { s.Keys("?", "esc") }, 1, true},
		{"made small", 120, 30, accounts.Settings{}, "5+3", func(s *uitest.Session) { s.Send(tea.WindowSizeMsg{Width: 80, Height: 24}) }, 0, false},
		{"made too small", 120, 30, accounts.Settings{}, "5+3", func(s *uitest.Session) { s.Send(tea.WindowSizeMsg{Width: 30, Height: 10}) }, 0, false},
		{"made small and wide", 120, 30, accounts.Settings{}, "5+3", func(s *uitest.Session) {
			s.Send(tea.WindowSizeMsg{Width: 30, Height: 10})
			s.Send(tea.WindowSizeMsg{Width: 200, Height: 50})
		}, 1, true},
		{"covered and made wide", 100, 30, accounts.Settings{}, "5+3", func(s *uitest.Session) {
			s.Keys("?")
			s.Send(tea.WindowSizeMsg{Width: 200, Height: 50})
		}, 0, false},
		{"covered and made too small and wide", 120, 30, accounts.Settings{}, "5+3", func(s *uitest.Session) {
			s.Keys("?")
			s.Send(tea.WindowSizeMsg{Width: 30, Height: 10})
			s.Send(tea.WindowSizeMsg{Width: 200, Height: 50})
		}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			watchTV(t, tt.w, tt.h, func(c *tvClub, start func(accounts.Settings) *uitest.Session) {
				m := c.match(seats.Spec{Game: "fourmation", Clock: uitest.ClockOfTest(tt.clock)}, "ana", "rui")
				if tt.name != "before the first moves" {
					m.play("d4", "e5")
				}
				time.Sleep(2 * time.Second)
				s := start(tt.settings)
				s.Live(10 * time.Second) // the next tick is never the first one
				if tt.after != nil {
					tt.after(s)
				}
				ticks := s.Live(10 * time.Second)
				if n := c.reading.Load(); n != tt.reading {
					t.Errorf("%d read the television, want %d", n, tt.reading)
				}
				if ticks > 0 != tt.ticks || ticks > 11 {
					t.Errorf("%d ticks in ten seconds; want some: %v", ticks, tt.ticks)
				}
				if sees := strings.Contains(s.Page(), "TELEVISION"); sees != (tt.reading > 0) {
					t.Errorf("the television is on the page: %v\n%s", sees, s.Page())
				}
			})
		})
	}
}

// TestTelevisionOpens goes to what the television shows, by keys and by a click.
func TestTelevisionOpens(t *testing.T) {
	ways := map[string]func(s *uitest.Session, words string){
		"tab":     func(s *uitest.Session, _ string) { s.Keys("tab", "tab", "enter") },
		"arrows":  func(s *uitest.Session, _ string) { s.Keys("right", "right", "right", "enter") },
		"and q":   func(s *uitest.Session, _ string) { s.Keys("tab", "tab", "tab", "tab", "tab", "tab", "enter") },
		"a click": func(s *uitest.Session, words string) { s.Click(words) },
	}
	for way, do := range ways {
		for _, over := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, over %v", way, over), func(t *testing.T) {
				watchTV(t, 120, 30, func(c *tvClub, start func(accounts.Settings) *uitest.Session) {
					m := c.match(seats.Spec{Game: "momentum"}, "ana", "rui")
					m.playAny(12)
					screen, words := "matchpage.matchScreen", "TELEVISION"
					if over {
						m.resign()
						screen, words = "review.reviewScreen", "LAST MATCH"
					}
					time.Sleep(2 * time.Second)
					s := start(accounts.Settings{})
					s.Sees(words)
					do(s, words)
					s.OnScreen(screen)
					s.Sees("Momentum", string(m.ref.ID))
				})
			})
		}
	}
}

// TestTelevisionSetting switches the television off in the settings, and on again.
func TestTelevisionSetting(t *testing.T) {
	watchTV(t, 120, 30, func(c *tvClub, start func(accounts.Settings) *uitest.Session) {
		c.match(seats.Spec{Game: "petteia"}, "ana", "rui")
		time.Sleep(2 * time.Second)
		s := start(accounts.Settings{})
		for _, want := range []bool{false, true} {
			s.GoTo("Settings")
			for range 10 {
				if strings.Contains(s.Page(), "> Television") {
					break
				}
				s.Keys("down")
			}
			s.Keys("right", "esc")
			s.Live(time.Second)
			if sees := strings.Contains(s.Page(), "TELEVISION"); sees != want || (c.reading.Load() > 0) != want {
				t.Errorf("the television is on: %v, want %v; %d read it", sees, want, c.reading.Load())
			}
		}
	})
}

// TestTelevisionFromAPosition shows a match that began from a position, while it is played and afterwards from there.
func TestTelevisionFromAPosition(t *testing.T) {
	watchTV(t, 120, 40, func(c *tvClub, start func(accounts.Settings) *uitest.Session) {
		const from = "last=b1 turn=O ......./......./......./......./......./.O...../XX....."
		m := c.match(seats.Spec{Game: "fourmation", From: from}, "ana", "rui")
		m.playAny(1)
		time.Sleep(2 * time.Second)
		s := start(accounts.Settings{})
		s.Sees("TELEVISION", "  move 1", "1 ● ●(○)")
		m.playAny(10)
		m.resign()
		s.Live(endShown + 3*time.Second)
		s.Sees("LAST MATCH", "move 0 of 11", "1 ● ● ·")
		if n := strings.Count(s.Page(), "○"); n != 2 { // on the board, and beside the name
			t.Errorf("%d signs of the second side:\n%s", n, s.Page())
		}
	})
}

// TestTelevisionLosesTheCursor: when there is no room for the television, the cursor goes back to the lists.
func TestTelevisionLosesTheCursor(t *testing.T) {
	watchTV(t, 120, 40, func(c *tvClub, start func(accounts.Settings) *uitest.Session) {
		c.match(seats.Spec{Game: "petteia"}, "ana", "rui")
		time.Sleep(2 * time.Second)
		s := start(accounts.Settings{})
		s.Keys("right", "right")
		s.Sees("> TELEVISION")
		s.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
		s.Sees("> Petteia")
		s.Send(tea.WindowSizeMsg{Width: 120, Height: 40})
		s.Live(time.Second)
		s.Sees("> Petteia", "  TELEVISION")
	})
}
