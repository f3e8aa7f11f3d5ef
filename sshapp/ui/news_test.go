package ui

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/news"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// A newsTest is a club in which rui does things that ana's session tells.
type newsTest struct {
	*uitest.Session
	t        *testing.T
	club     *lobby.Lobby
	ana, rui lobby.User
	shown    []string // the notifications
}

// startNews starts a session of ana with the given settings.
func startNews(t *testing.T, s accounts.Settings) *newsTest {
	t.Helper()
	n := &newsTest{t: t, club: uitest.OpenLobby(t)}
	for name, who := range map[string]*lobby.User{"ana": &n.ana, "rui": &n.rui} {
		u, err := n.club.Accounts.SignUp(t.Context(), "SHA256:"+name, name)
		if err != nil {
			t.Fatal(err)
		}
		*who = u
	}
	n.club.Presence.Visit(n.rui, true)
	n.Session = begin(t, 80, 24, Config{Lobby: screen.Of(n.club), Who: n.ana, Settings: s, Now: time.Now, Notify: func(title, body string) tea.Cmd {
		return func() tea.Msg { n.shown = append(n.shown, title+": "+body); return nil }
	}})
	return n
}

// match begins a match of ana, whose opponent is to move.
func (n *newsTest) match() (ref lobby.Ref) {
	n.t.Helper()
	ref, err := n.club.Seats.Open(n.t.Context(), n.ana, seats.Spec{Game: "fourmation", Public: true, Side: seats.PlaySecond})
	if err != nil {
		n.t.Fatal(err)
	}
	if _, err := n.club.Seats.Take(n.t.Context(), n.rui, ref.ID); err != nil {
		n.t.Fatal(err)
	}
	n.Pass(time.Second)
	n.Keys("down", "up") // the note goes
	n.Bells, n.shown = 0, nil
	return ref
}

// does has rui do something at a match.
func (n *newsTest) does(ref lobby.Ref, act func(*seats.Seat) error) {
	n.t.Helper()
	seat, err := n.club.Seats.At(n.t.Context(), n.rui, ref)
	if err == nil {
		err = act(seat)
	}
	if err != nil {
		n.t.Fatal(err)
	}
	n.Pass(time.Second)
}

func (n *newsTest) move(m games.Move) func(*seats.Seat) error {
	return func(s *seats.Seat) error { return s.Move(n.t.Context(), m, lobby.AnyPly) }
}

// TestYourMoveRingsOnce: the bell rings once when it is the player's move, on every screen, unless it is switched off.
func TestYourMoveRingsOnce(t *testing.T) {
	for _, tt := range []struct {
		screen string
		mute   bool
		want   int
	}{
		{"lobby", false, 1},
		{"settings", false, 1},
		{"board", false, 1},
		{"help of the board", false, 1},
		{"lobby", true, 0},
		{"board", true, 0},
	} {
		t.Run(fmt.Sprintf("%s, mute %v", tt.screen, tt.mute), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := startNews(t, accounts.Settings{Mute: tt.mute})
				ref := n.match()
				switch tt.screen {
				case "settings":
					n.GoTo("Settings")
				case "board", "help of the board":
					n.Run(n.App.(*App).nav.showMatch(screen.MatchMsg{Ref: ref}))
					n.Settle()
					if tt.screen != "board" {
						n.Keys("?")
					}
				}
				n.does(ref, n.move("a1"))
				if n.Bells != tt.want {
					t.Errorf("the bell rang %d times, want %d", n.Bells, tt.want)
				}
				n.Pass(time.Minute)
				if n.Bells != tt.want {
					t.Errorf("after a minute the bell has rung %d times, want %d", n.Bells, tt.want)
				}
			})
		})
	}
}

// TestEndsAreTold: a player who looks at something else is told how their match ends, that no player takes their offer, and that a rematch is
// asked for.
func TestEndsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := startNews(t, accounts.Settings{})
		ref := n.match()
		n.does(ref, n.move("a1"))
		n.Bells = 0
		n.does(ref, func(s *seats.Seat) error { return s.Resign(t.Context()) })
		n.Sees("! Match " + ref.Code + " is over. ana wins: rui resigned.")
		n.does(ref, func(s *seats.Seat) error { _, err := s.Rematch(t.Context()); return err })
		n.Sees("! rui would like a rematch.")
		if n.Bells != 2 {
			t.Errorf("the bell rang %d times, want twice", n.Bells)
		}
	})
}

// TestSeenEnds: a player who has seen at the board how their match ended isn't told it again when the lists show it later than the board, wherever
// they are by then; nor if they open the board while the note is on its way.
func TestSeenEnds(t *testing.T) {
	for _, tt := range []struct {
		name         string
		opens, waits bool // the player opens the board, before or after the lists show the end
		want         bool // the player is told
	}{
		{"never at the board", false, false, true},
		{"saw it at the board", true, false, false},
		{"opens the board meanwhile", true, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := startNews(t, accounts.Settings{})
				app, ref := n.App.(*App), n.match()
				n.does(ref, func(s *seats.Seat) error { return s.Resign(t.Context()) })
				n.Keys("down", "up")                                                // the note goes
				app.matchNews.take(lists.Yours{Matches: []lists.Mine{listed(ref)}}) // the lists lag behind
				opens := func() {
					n.Run(app.nav.showMatch(screen.MatchMsg{Ref: ref}))
					n.Settle()
				}
				if tt.opens && !tt.waits {
					opens()
					n.Keys("esc")
				}
				told := app.matchNews.tell(news.Item{Kind: news.Ended, Match: ref})
				if tt.opens && tt.waits {
					opens()
				}
				n.Run(told)
				n.Settle()
				if got := app.note.words != ""; got != tt.want {
					t.Errorf("the note says %q, told %v, want %v", app.note.words, got, tt.want)
				}
				app.matchNews.take(lists.Yours{})
				if len(app.matchNews.seen) > 0 {
					t.Error("a match that has left the lists is kept")
				}
			})
		})
	}
}

// listed returns a running match as it stands in the lists of its player.
func listed(ref lobby.Ref) (m lists.Mine) {
	m.Ref = ref
	return m
}

// TestNotifications: what asks the player to do something is shown as a notification, if the player has switched that on and doesn't look at it
// already.
func TestNotifications(t *testing.T) {
	for _, on := range []bool{false, true} {
		t.Run(fmt.Sprintf("on %v", on), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := startNews(t, accounts.Settings{Notify: on, Mute: true})
				shows := func(want ...string) {
					t.Helper()
					if !on {
						want = nil
					}
					if !slices.Equal(n.shown, want) {
						t.Errorf("shown: %q, want %q", n.shown, want)
					}
					n.shown = nil
				}
				ref, code := n.match(), ""
				code = ref.Code
				n.does(ref, n.move("a1"))
				shows("Ludoteca: It is your move in match " + code + ", against rui.")
				n.Keys("ctrl+n") // to the board
				n.Pass(time.Second)
				n.Keys("b2", "enter")
				n.Pass(time.Second)
				n.does(ref, n.move("b1"))
				shows()
				n.Keys("esc")
				n.does(ref, func(s *seats.Seat) error { return s.OfferDraw(t.Context()) })
				shows("Ludoteca: rui offers a draw.")
				if _, err := n.club.Seats.Open(t.Context(), n.rui, seats.Spec{Game: "tanks", To: "ana", Side: seats.PlayFirst}); err != nil {
					t.Fatal(err)
				}
				n.Pass(time.Second)
				shows("Ludoteca: rui challenges you: Breakthrough Tanks, no clock, casual, you play second.")
				n.does(ref, func(s *seats.Seat) error { return s.Resign(t.Context()) })
				shows() // it asks nothing
			})
		})
	}
}
