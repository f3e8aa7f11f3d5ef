package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// A testMatch is a match of two players in a real club.
type testMatch struct {
	t        testing.TB
	club     *lobby.Lobby
	ref      lobby.Ref
	ana, rui lobby.User
}

// newTestMatch opens a match in which ana plays the first side, and rui the second if comes is true.
func newTestMatch(t *testing.T, game string, o games.Options, comes bool) *testMatch {
	t.Helper()
	return newTimedMatch(t, game, o, comes, lobby.ClockSetting{})
}

// newTimedMatch is newTestMatch with a clock.
func newTimedMatch(t *testing.T, game string, o games.Options, comes bool, clock lobby.ClockSetting) *testMatch {
	t.Helper()
	b := &testMatch{t: t, club: openLobby(t)}
	b.ana, b.rui = b.person("ana"), b.person("rui")
	spec := lobby.Spec{Game: game, Options: o, Side: lobby.PlayFirst, Rated: comes, Clock: clock}
	ref, err := b.club.Open(t.Context(), b.ana, spec)
	if err == nil && comes {
		_, err = b.club.Join(t.Context(), b.rui, origin.Origin{}, ref.Code)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.ref = ref
	return b
}

func (b *testMatch) person(name string) lobby.User {
	b.t.Helper()
	who, err := b.club.SignUp(b.t.Context(), "SHA256:"+name, name)
	if err != nil {
		b.t.Fatal(err)
	}
	return who
}

// view is the match as it stands.
func (b *testMatch) view() *lobby.View {
	b.t.Helper()
	v, err := b.seat(b.ana).Now(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

func (b *testMatch) seat(who lobby.User) *lobby.Seat {
	b.t.Helper()
	seat, err := b.club.At(b.t.Context(), who, b.ref)
	if err != nil {
		b.t.Fatal(err)
	}
	return seat
}

// play makes moves of either side in turn.
func (b *testMatch) play(moves ...games.Move) {
	b.t.Helper()
	for _, m := range moves {
		who := []lobby.User{b.ana, b.rui}[b.view().Turn]
		if err := b.seat(who).Move(b.t.Context(), m, lobby.AnyPly); err != nil {
			b.t.Fatal(err)
		}
	}
}

// open opens the match screen of a player or spectator.
func (b *testMatch) open(who lobby.User, w, h int, settings storage.Settings, environ ...string) *session {
	b.t.Helper()
	return begin(b.t, w, h, Config{Lobby: newFakeAnalyzer(b.club), Who: who, Start: StartWatch, Code: b.ref.Code, Now: time.Now,
		Settings: settings, Environ: environ})
}

// page is what a session shows, with the code and the id of the match, which differ each time, replaced.
func (b *testMatch) page(s *session) string { return b.mask(s.page()) }

func (b *testMatch) mask(page string) string {
	spaced := func(code string) string { return strings.Join(strings.Split(code, ""), " ") }
	return strings.NewReplacer(b.ref.Code, "K7QM2X", spaced(b.ref.Code), spaced("K7QM2X"), string(b.ref.ID), "m7k2x9qd").
		Replace(page)
}

// board returns the match screen on top of a session.
func (s *session) board() matchScreen {
	s.t.Helper()
	top, ok := s.app.top().(matchScreen)
	if !ok {
		s.t.Fatalf("a %T is on top:\n%s", s.app.top(), s.page())
	}
	return top
}

func gameOf(t testing.TB, id string) games.Game {
	t.Helper()
	g, err := (&fakeLobby{}).Game(id)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func optionsOf(t testing.TB, id string) games.Options {
	t.Helper()
	o, err := games.Complete(gameOf(t, id), nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// sceneOf is a game after some moves.
func sceneOf(t testing.TB, game string, moves ...games.Move) *boardview.Scene {
	t.Helper()
	p, err := gameOf(t, game).New(optionsOf(t, game))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moves {
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	return boardview.New(p, nil, "")
}

// playing returns a match screen in the middle of a match.
func playing(b testing.TB, g games.Game, w, h int) matchScreen {
	b.Helper()
	o, err := games.Complete(g, nil)
	if err != nil {
		b.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		b.Fatal(err)
	}
	v := &lobby.View{Summary: lobby.Summary{Game: g, Options: o, Seats: [2]storage.Occupant{ana.Occupant(), person("p6", "rui")},
		Strength: [2]lobby.Strength{known(1523), known(1490)}, Opened: noon, Started: noon}}
	v.Code = "K7QM2X"
	r := games.NewRandom(2)
	var before games.Position
	for range 8 {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		before = p
		v.Moves = append(v.Moves, m)
		if p, err = p.Play(m); err != nil {
			b.Fatal(err)
		}
	}
	v.Position, v.Turn = p, p.Turn()
	a := NewApp(b.Context(), Config{Lobby: fullLobby(), Who: ana, Term: "xterm-256color", Environ: []string{"COLORTERM=truecolor"}})
	s := newMatch(a.env, lobby.Ref{ID: "m1"}).(matchScreen)
	s.size = tea.WindowSizeMsg{Width: w, Height: h}
	s.view, s.scene = v, boardview.New(p, before, v.Moves[len(v.Moves)-1])
	s.input.Sel = s.scene.Start(games.First)
	return s
}

// shortWin is a match of 4Mation that ana wins.
var shortWin = []games.Move{"a1", "b2", "b1", "c2", "c1", "d2", "d1"}
