package ui

import (
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/storage"
)

// A match under test: two people with seats in a real club.
type testMatch struct {
	t        testing.TB
	club     *lobby.Lobby
	ref      lobby.Ref
	ana, rui lobby.Who
}

// newBout opens a match in which ana plays the first side and rui, if he comes, the second.
func newTestMatch(t *testing.T, game string, o games.Options, comes bool) *testMatch {
	t.Helper()
	b := &testMatch{t: t, club: openClub(t)}
	b.ana, b.rui = b.person("ana"), b.person("rui")
	spec := lobby.Spec{Game: game, Options: o, Side: lobby.PlayFirst, Rated: comes}
	ref, err := b.club.Open(t.Context(), b.ana, spec)
	if err == nil && comes {
		_, err = b.club.Join(t.Context(), b.rui, "here", ref.Code)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.ref = ref
	return b
}

func (b *testMatch) person(name string) lobby.Who {
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

func (b *testMatch) seat(who lobby.Who) *lobby.Seat {
	b.t.Helper()
	seat, err := b.club.At(b.t.Context(), who, b.ref.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return seat
}

// play makes moves for whoever is to move.
func (b *testMatch) play(moves ...games.Move) {
	b.t.Helper()
	for _, m := range moves {
		who := []lobby.Who{b.ana, b.rui}[b.view().Turn]
		if err := b.seat(who).Move(b.t.Context(), m, lobby.AnyPly); err != nil {
			b.t.Fatal(err)
		}
	}
}

// open brings somebody to the board.
func (b *testMatch) open(who lobby.Who, w, h int, settings storage.Settings, environ ...string) *session {
	b.t.Helper()
	return begin(b.t, w, h, Config{Club: newFakeAnalyzer(b.club), Who: who, Start: StartWatch, Code: b.ref.Code, Now: time.Now,
		Settings: settings, Environ: environ})
}

// page is what a session shows, with the code and the id of the match, which differ each time, replaced.
func (b *testMatch) page(s *session) string { return b.mask(s.page()) }

func (b *testMatch) mask(page string) string {
	spaced := func(code string) string { return strings.Join(strings.Split(code, ""), " ") }
	return strings.NewReplacer(b.ref.Code, "K7QM2X", spaced(b.ref.Code), spaced("K7QM2X"), string(b.ref.ID), "m7k2x9qd").
		Replace(page)
}

// board is the table on top of a session.
func (s *session) board() matchScreen {
	s.t.Helper()
	top, ok := s.app.top().(matchScreen)
	if !ok {
		s.t.Fatalf("a %T is on top:\n%s", s.app.top(), s.page())
	}
	return top
}
