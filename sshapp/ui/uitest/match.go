package uitest

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/boardview"
)

// A Match is a match of two players in a real club.
type Match struct {
	T        testing.TB
	Club     *lobby.Lobby
	Ref      lobby.Ref
	Ana, Rui lobby.User
}

// NewMatch opens a match in which ana plays the first side, and rui the second if comes is true.
func NewMatch(t *testing.T, game string, o games.Options, comes bool) *Match {
	t.Helper()
	return NewTimedMatch(t, game, o, comes, lobby.ClockSetting{})
}

// NewTimedMatch is NewMatch with a clock.
func NewTimedMatch(t *testing.T, game string, o games.Options, comes bool, clock lobby.ClockSetting) *Match {
	t.Helper()
	b := &Match{T: t, Club: OpenLobby(t)}
	b.Ana, b.Rui = b.Person("ana"), b.Person("rui")
	spec := seats.Spec{Game: game, Options: o, Side: seats.PlayFirst, Rated: comes, Clock: clock}
	ref, err := b.Club.Seats.Open(t.Context(), b.Ana, spec)
	if err == nil && comes {
		_, err = b.Club.Seats.Join(t.Context(), b.Rui, origin.Origin{}, ref.Code)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.Ref = ref
	return b
}

func (b *Match) Person(name string) lobby.User {
	b.T.Helper()
	who, err := b.Club.Accounts.SignUp(b.T.Context(), "SHA256:"+name, name)
	if err != nil {
		b.T.Fatal(err)
	}
	return who
}

// View returns the current view of the match.
func (b *Match) View() *lobby.View {
	b.T.Helper()
	v, err := b.Seat(b.Ana).Now(b.T.Context())
	if err != nil {
		b.T.Fatal(err)
	}
	return v
}

func (b *Match) Seat(who lobby.User) *seats.Seat {
	b.T.Helper()
	seat, err := b.Club.Seats.At(b.T.Context(), who, b.Ref)
	if err != nil {
		b.T.Fatal(err)
	}
	return seat
}

// Play makes moves of either side in turn.
func (b *Match) Play(moves ...games.Move) {
	b.T.Helper()
	for _, m := range moves {
		who := []lobby.User{b.Ana, b.Rui}[b.View().Turn]
		if err := b.Seat(who).Move(b.T.Context(), m, lobby.AnyPly); err != nil {
			b.T.Fatal(err)
		}
	}
}

// PlayAs makes a move of a player.
func (b *Match) PlayAs(who lobby.User, m string) {
	b.T.Helper()
	if err := b.Seat(who).Move(b.T.Context(), games.Move(m), lobby.AnyPly); err != nil {
		b.T.Fatal(err)
	}
}

// Page returns the page of a session, masked by Mask.
func (b *Match) Page(s *Session) string { return b.Mask(s.Page()) }

// Mask replaces the code and the id of the match, which differ in each run, by fixed ones.
func (b *Match) Mask(page string) string {
	spaced := func(code string) string { return strings.Join(strings.Split(code, ""), " ") }
	return strings.NewReplacer(b.Ref.Code, "K7QM2X", spaced(b.Ref.Code), spaced("K7QM2X"), string(b.Ref.ID), "m7k2x9qd").
		Replace(page)
}

// GameOf returns a game of the catalogue, or fails the test.
func GameOf(t testing.TB, id string) games.Game {
	t.Helper()
	g, err := (&FakeLobby{}).Game(id)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// OptionsOf returns the default options of a game.
func OptionsOf(t testing.TB, id string) games.Options {
	t.Helper()
	o, err := games.Complete(GameOf(t, id), nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// SceneOf returns the scene of a game after some moves.
func SceneOf(t testing.TB, game string, moves ...games.Move) *boardview.Scene {
	t.Helper()
	p, err := GameOf(t, game).New(OptionsOf(t, game))
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

// ShortWin is a match of 4Mation that ana wins.
var ShortWin = []games.Move{"a1", "b2", "b1", "c2", "c1", "d2", "d1"}

// ClockOfTest parses the name of a clock.
func ClockOfTest(text string) lobby.ClockSetting {
	c, err := lobby.ParseClock(text)
	if err != nil {
		panic(err)
	}
	return c
}
