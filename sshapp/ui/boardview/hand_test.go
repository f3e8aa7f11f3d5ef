package boardview

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/text"
)

func TestChooseRefuses(t *testing.T) {
	spot := func(s *Scene, name string) Spot {
		return s.board.(interface{ named(games.Move) Spot }).named(games.Move(name))
	}
	tests := []struct {
		name, game string
		moves      []games.Move
		held, at   string
		want       string
	}{
		{"an enemy", "tanks", nil, "", "e7", ErrNotYours.Error()},
		{"nothing there", "petteia", nil, "", "d4", ErrNotYours.Error()},
		{"shut in", "tanks", nil, "", "e1", ErrStuck.Error()},
		{"out of reach", "tanks", nil, "e2", "e5", "e5"},
		{"not straight", "petteia", nil, "a1", "b2", "not in a straight line"},
		{"something in the way", "petteia", nil, "a1", "a8", "a8 stands in the way"},
		{"a taken cell", "fourmation", []games.Move{"d4"}, "", "d4", "not an empty cell"},
		{"too far away", "fourmation", []games.Move{"d4"}, "", "g7", "not next to the last move, d4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, tt.game, nil).play(t, tt.moves...).scene()
			h := Selection{spot(s, tt.at), Nowhere}
			if tt.held != "" {
				h.From = spot(s, tt.held)
			}
			got, m, err := s.Choose(h)
			if m != "" || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Choose = %q, %v, want an error saying %q", m, err, tt.want)
			}
			if got != h {
				t.Errorf("a refused choice changed the hand: %v -> %v", h, got)
			}
		})
	}
}

func TestWheelRefusals(t *testing.T) {
	s := start(t, "flugelrad", nil).play(t, "0:1").scene()
	for _, tt := range []struct {
		name string
		hand Selection
		want string
	}{
		{"turned just now", Selection{0, Nowhere}, "wheel 0 was turned just now"},
		{"empty", Selection{3, Nowhere}, "wheel 3 is empty"},
		{"not turned", Selection{unturned, 5}, ErrUnturned.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, m, err := s.Choose(tt.hand); m != "" || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Choose = %q, %v, want %q", m, err, tt.want)
			}
		})
	}
	same := start(t, "flugelrad", nil)
	p, err := same.game.Parse("turn=X last=3 turns=0 XO...OXOX....XOX..OOXOXXOXO...")
	if err != nil {
		t.Fatal(err)
	}
	var illegal *games.IllegalError
	if _, _, err := New(p, nil, "").Choose(Selection{unturned + 2, 5}); !errors.As(err, &illegal) {
		t.Errorf("a turn that changes nothing: %v", err)
	}
}

// TestHands follows a hand that takes up, changes its mind and lets go.
func TestHands(t *testing.T) {
	s := start(t, "petteia", nil).scene()
	g := s.board.(pieceGrid)
	a, b := g.named("a1"), g.named("b1")
	h, _, _ := s.Choose(Selection{a, Nowhere})
	if h != (Selection{a, a}) {
		t.Fatalf("after taking up: %v", h)
	}
	if h, _, _ = s.Choose(Selection{b, h.From}); h != (Selection{b, b}) {
		t.Errorf("another man of one's own: %v, want b1 held", h)
	}
	if h, _, _ := s.Choose(h); h.From != Nowhere {
		t.Errorf("the same man again: %v, want him let go", h)
	}
	if h := s.Release(Selection{g.named("b4"), b}); h != (Selection{g.named("b4"), Nowhere}) {
		t.Errorf("let go: %v", h)
	}
	if h, m, err := s.Click(Selection{b, b}, Nowhere); h.From != Nowhere || m != "" || err != nil {
		t.Errorf("a click beside the board: %v %q %v, want the man let go", h, m, err)
	}

	next := start(t, "petteia", nil).play(t, "b1-b4", "a8-a5")
	if h := next.scene().Adjust(Selection{b, b}); h.From != Nowhere {
		t.Errorf("a man who has gone stays held: %v", h)
	}
	if h := next.scene().Adjust(Selection{a, a}); h.From != a {
		t.Errorf("a man who can still move is let go: %v", h)
	}
	if h := next.scene().Adjust(Selection{500, Nowhere}); !g.valid(h) {
		t.Errorf("a hand beside the board stays there: %v", h)
	}
}

// TestWheelKeys turns a wheel both ways and goes from wheel to wheel.
func TestWheelKeys(t *testing.T) {
	s := start(t, "flugelrad", nil).scene()
	h, _, _ := s.Choose(Selection{2, Nowhere})
	for _, tt := range []struct {
		dx   int
		want games.Move
	}{{-1, "2:1"}, {-1, "2:2"}, {1, "2:1"}, {1, ""}, {1, "2:5"}} {
		if h = s.Step(h, tt.dx, 0, false); s.SelectedMove(h) != tt.want {
			t.Errorf("after a step of %d the hand means %q, want %q", tt.dx, s.SelectedMove(h), tt.want)
		}
	}
	if h = s.Release(h); h != (Selection{2, Nowhere}) {
		t.Errorf("let go: %v", h)
	}
	if h, _, _ := s.Click(Selection{unturned + 2, 2}, 4); h != (Selection{unturned, 4}) {
		t.Errorf("a click on another wheel: %v", h)
	}
	for _, tt := range []struct{ from, dx, dy, want int }{
		{3, -1, 0, 2}, {3, 1, 0, 4}, {3, 0, -1, 0}, {3, 0, 1, 5}, {0, 1, 0, 1}, {0, -1, 0, 2}, {2, -1, 0, 2}, {6, 0, 1, 6}, {4, 0, -1, 1},
	} {
		if got := s.Step(Selection{Spot(tt.from), Nowhere}, tt.dx, tt.dy, false); got.Cursor != Spot(tt.want) {
			t.Errorf("from wheel %d by %d,%d: %d, want %d", tt.from, tt.dx, tt.dy, got.Cursor, tt.want)
		}
	}
}

// TestHandsBeginWhereAWheelTurns: the first enter of a player takes a wheel up, wherever the game stands.
func TestHandsBeginWhereAWheelTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := start(t, "flugelrad", nil).random(t, rapid.IntRange(0, 40).Draw(t, "plies"), rapid.Uint64().Draw(t, "seed"))
		s := m.scene()
		if len(s.choices) == 0 {
			return
		}
		if h, _, err := s.Choose(s.Start(m.pos.Turn())); err != nil || h.From == Nowhere {
			t.Fatalf("enter at %v: hand %v, error %v", s.Start(m.pos.Turn()), h, err)
		}
	})
}

// TestSigns asks each game what the signs on its board mean, in signs that stand there.
func TestSigns(t *testing.T) {
	for _, g := range catalog.All() {
		s := start(t, g.About().ID, nil).scene()
		if s.Legend(text.Say{}, false) == "" {
			t.Errorf("%s says nothing of its signs", g.About().ID)
		}
	}
	captured := start(t, "petteia", nil).scene()
	if utf8, ascii := captured.Legend(text.Say{}, false), captured.Legend(text.Say{}, true); !strings.Contains(utf8, "×") || !strings.Contains(ascii, "%") {
		t.Errorf("a captured man is said to be marked so: %q, %q", utf8, ascii)
	}
}
