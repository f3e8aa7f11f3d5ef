package eventspage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/tournaments"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/apptest"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
	tournamentstore "ludoteca/storage/tournaments"
)

// A watchedEvent is an event that doesn't change, whose matches are played in a real club.
type watchedEvent struct {
	fixedEvents
	t       *testing.T
	club    *lobby.Lobby
	view    *tournaments.View
	matches map[storage.MatchID]*playedMatch // by the ids of the pairings
}

// A playedMatch is a match of it.
type playedMatch struct {
	ref   lobby.Ref
	seats [2]*seats.Seat
}

func (w *watchedEvent) Board(p *state.Pairing) lobby.Ref { return w.matches[p.Match].ref }

// watch returns the event with a match for each pairing that goes on. The games have different numbers of moves.
func watch(t *testing.T, view *tournaments.View) *watchedEvent {
	t.Helper()
	w := &watchedEvent{fixedEvents{all: []*tournaments.View{view}}, t, uitest.OpenLobby(t), view, map[storage.MatchID]*playedMatch{}}
	clock, err := lobby.ParseClock("5+3")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range view.Playing() {
		var who [2]lobby.User
		for side, number := range [2]int{p.First, p.Second} {
			name := view.Entrant(number).Who.Name
			if who[side], err = w.club.Accounts.SignUp(t.Context(), "SHA256:"+name, name); err != nil {
				t.Fatal(err)
			}
		}
		m := &playedMatch{}
		w.matches[p.Match] = m
		spec := seats.Spec{Game: "petteia", Clock: clock, Side: seats.PlayFirst, Public: true}
		if m.ref, err = w.club.Seats.Open(t.Context(), who[0], spec); err == nil {
			_, err = w.club.Seats.Take(t.Context(), who[1], m.ref.ID)
		}
		for side := range m.seats {
			if err == nil {
				m.seats[side], err = w.club.Seats.At(t.Context(), who[side], m.ref)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		w.play(p, i)
	}
	return w
}

// play makes some legal moves in the match of a pairing.
func (w *watchedEvent) play(p *state.Pairing, plies int) {
	w.t.Helper()
	m := w.matches[p.Match]
	for range plies {
		v, err := m.seats[0].Now(w.t.Context())
		if err == nil {
			legal := v.Position.Legal()
			err = m.seats[v.Turn].Move(w.t.Context(), legal[len(legal)/3], lobby.AnyPly)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// services returns the club with the event.
func (w *watchedEvent) services() *screen.Lobby {
	l := screen.Of(w.club)
	l.Events.Reader = w
	return l
}

// begin starts a session on the page of the event.
func (w *watchedEvent) begin(width, height int, locale string) *uitest.Session {
	s := apptest.Begin(w.t, width, height, ui.Config{Lobby: w.services(), Who: uitest.Ana, Environ: []string{locale}, Now: time.Now,
		Pages: apptest.Home(uitest.HomeItem{Words: "Event", Open: func(e *screen.Env) screen.Screen {
			return NewEvent(e, tournaments.Ref{ID: w.view.ID, Code: "K7QM2X"})
		}})})
	s.GoTo("Event")
	s.Settle()
	return s
}

// bigSwiss returns a Swiss of twelve players whose first round goes on, but for some boards.
func bigSwiss(t *testing.T, decided int) *tournaments.View {
	set := tournamentstore.Settings{Kind: tournamentstore.Swiss, Name: "Friday Swiss", Rounds: 4, Least: 4, Most: 16, By: entrantsOfTests[1].who}
	return anEvent(t, "big", set, -20*time.Minute, func(_, board int) string {
		if board <= decided {
			return "draw"
		}
		return ""
	}, "tiago", "sofia", "marta", "hugo", "lena", "otto", "pia")
}

// TestSmallBoardsPictures keeps the page of an event with boards beside the standing: many and few of them, in wide windows.
func TestSmallBoardsPictures(t *testing.T) {
	for _, tt := range []struct {
		name, locale  string
		decided       int
		width, height int
		keys          []string
	}{
		{"small-six", "LC_ALL=en_GB.UTF-8", 0, 200, 50, nil},
		{"ascii/small-six", "LC_ALL=en_GB.ISO-8859-1", 0, 200, 50, []string{"right", "down", "right"}},
		{"de/small-two", "LC_ALL=de_DE.UTF-8", 4, 200, 50, []string{"tab"}},
		{"small-column", "LC_ALL=en_GB.UTF-8", 2, 120, 40, []string{"right"}},
		{"small-none", "LC_ALL=en_GB.UTF-8", 0, 80, 24, []string{"right"}},
	} {
		name := fmt.Sprintf("%s-%dx%d", tt.name, tt.width, tt.height)
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := watch(t, bigSwiss(t, tt.decided)).begin(tt.width, tt.height, tt.locale)
				s.Keys(tt.keys...)
				for _, r := range s.Page() {
					if tt.locale == "LC_ALL=en_GB.ISO-8859-1" && r > '~' {
						t.Errorf("%q is not ASCII", r)
					}
				}
				uitest.Golden(t, name, s.Page())
			})
		})
	}
}

// TestSmallBoardsAreLive: a move is seen at once, enter watches the board that is chosen, and so does a click.
func TestSmallBoardsAreLive(t *testing.T) {
	for _, click := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := watch(t, bigSwiss(t, 4))
			s := w.begin(200, 50, "LC_ALL=en_GB.UTF-8")
			s.Sees("BOARD 5 · no move yet", "BOARD 6 · move 1")
			w.play(w.view.Playing()[0], 3)
			s.Settle()
			s.Sees("BOARD 5 · move 3", "BOARD 6 · move 1")
			if click {
				s.Click("BOARD 6")
			} else {
				s.Keys("right")
				s.Sees("> BOARD 5")
				s.Keys("right", "right")
				s.Sees("> BOARD 6", "watch")
				s.Keys("left", "left", "left")
				s.Misses("> BOARD")
				s.Keys("right", "end", "enter")
			}
			s.AtMatch()
		})
	}
}

// TestSmallBoardsAreReadWhileSeen: boards that are seen no more are read no more.
func TestSmallBoardsAreReadWhileSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, bigSwiss(t, 4))
		b := smallBoards{env: &screen.Env{Ctx: t.Context(), Lobby: w.services(), Who: uitest.Ana}, at: -1}
		both := w.view.Playing()
		b, cmd := b.show(t.Context(), both)
		var waiting []chan smallBoardMsg
		for _, read := range cmd().(tea.BatchMsg) {
			var next tea.Cmd
			if b, next = b.take(time.Now(), read().(smallBoardMsg)); next == nil {
				t.Fatal("a board is not read on")
			}
			answer := make(chan smallBoardMsg, 1)
			go func() { answer <- next().(smallBoardMsg) }()
			waiting = append(waiting, answer)
		}
		if b, cmd = b.show(t.Context(), both[1:]); cmd != nil || len(b.all) != 1 || b.all[0].view == nil {
			t.Errorf("%d boards, command %v: the second one has to stay as it was", len(b.all), cmd)
		}
		if msg := <-waiting[0]; !errors.Is(msg.err, context.Canceled) {
			t.Errorf("the reading of the first board ended with %v", msg.err)
		}
		synctest.Wait()
		select {
		case msg := <-waiting[1]:
			t.Errorf("the reading of the second board ended with %v", msg.err)
		default:
		}
		b.show(t.Context(), nil)
		if msg := <-waiting[1]; !errors.Is(msg.err, context.Canceled) {
			t.Errorf("the reading of the second board ended with %v", msg.err)
		}
	})
}

// TestSmallBoardsAreReadAgain: a board that can't be read is tried again, not at once.
func TestSmallBoardsAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t, bigSwiss(t, 5))
		p := w.view.Playing()[0]
		there := w.matches[p.Match]
		w.matches[p.Match] = &playedMatch{ref: lobby.Ref{ID: "nothere2"}}
		s := w.begin(200, 50, "LC_ALL=en_GB.UTF-8")
		s.Sees("BOARD 6")
		s.Misses("BOARD 6 · ")
		w.matches[p.Match] = there
		s.Pass(time.Second)
		s.Misses("BOARD 6 · ")
		s.Pass(smallRetry)
		s.Sees("BOARD 6 · no move yet")
	})
}

// TestTopBoardsOfArenas: the boards of the players with the best places come first.
func TestTopBoardsOfArenas(t *testing.T) {
	set := tournamentstore.Settings{Kind: tournamentstore.Arena, Name: "Lunch arena", Span: time.Hour, Least: 2, Most: 512, By: entrantsOfTests[1].who}
	v := anEvent(t, "arena", set, -40*time.Minute, func(_, board int) string {
		if board > 20 {
			return ""
		}
		return []string{"first", "second", "draw"}[board%3]
	}, "tiago", "sofia", "marta", "hugo", "lena")
	s := eventPage{env: &screen.Env{Who: uitest.Ana, Lobby: uitest.FullLobby().Services(), Theme: widget.NewTheme("", colorprofile.ANSI256, false),
		Now: func() time.Time { return uitest.Noon }}}.take(v)
	place := map[int]int{}
	for i, p := range s.standing {
		place[p.Entrant.Number] = i
	}
	last, all := -1, goingOn(s)
	for _, p := range all {
		best := min(place[p.First], place[p.Second])
		if p.Decided() || best < last {
			t.Errorf("board %d, with place %d, comes after one with place %d", p.Board, best+1, last+1)
		}
		last = best
	}
	if len(all) < 3 || slices.Equal(all, s.boards[:len(all)]) {
		t.Errorf("%d matches go on, in the order of their boards: the test shows nothing", len(all))
	}
}

// TestSmallPlaces: small boards stand within their area, apart from each other, and are no smaller than they may be.
func TestSmallPlaces(t *testing.T) {
	for width := smallWidth; width < 300; width += 7 {
		for height := smallHeight; height < 110; height += 3 {
			area := canvas.Area(listWidth, 5, width, height)
			for n := 1; n <= min(smallColumns(area)*((height+1)/smallHeight), mostSmall); n++ {
				for i := range n {
					at := smallPlace(area, n, i)
					if !at.In(area) || at.Dx() < smallWidth || at.Dy() < smallHeight-1 {
						t.Fatalf("board %d of %d in %v stands in %v", i, n, area, at)
					}
					for j := range i {
						if at.Overlaps(smallPlace(area, n, j)) {
							t.Fatalf("boards %d and %d of %d in %v overlap", i, j, n, area)
						}
					}
				}
			}
		}
	}
}
