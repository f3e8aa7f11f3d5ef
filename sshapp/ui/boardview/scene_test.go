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

// A match is a position with what led to it.
type match struct {
	game      games.Game
	pos, prev games.Position
	last      games.Move
}

func (m match) scene() *Scene { return New(m.pos, m.prev, m.last) }

// start begins a game; options that are not given are the defaults.
func start(t interface{ Fatal(...any) }, id string, given games.Options) match {
	g, ok := catalog.Find(id)
	if !ok {
		t.Fatal("no game " + id)
	}
	o, err := games.Complete(g, given)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return match{game: g, pos: p}
}

// play makes moves.
func (m match) play(t interface{ Fatal(...any) }, moves ...games.Move) match {
	for _, move := range moves {
		next, err := m.pos.Play(move)
		if err != nil {
			t.Fatal(err)
		}
		m.pos, m.prev, m.last = next, m.pos, move
	}
	return m
}

// random makes up to n moves by chance.
func (m match) random(t interface{ Fatal(...any) }, n int, seed uint64) match {
	r := games.NewRandom(seed)
	for range n {
		legal := m.pos.Legal()
		if len(legal) == 0 {
			break
		}
		m = m.play(t, legal[r.N(len(legal))])
	}
	return m
}

// anyMatch draws a game with options somewhere in their ranges, and a position that play leads to.
func anyMatch(t *rapid.T) match {
	g := rapid.SampledFrom(catalog.All()).Draw(t, "game")
	given := games.Options{}
	for _, o := range g.About().Options {
		values := []int{o.Min, o.Max, o.Default}
		for v := o.Min; v < o.Max; v = o.Next(v, 1) {
			values = append(values, v)
		}
		given[o.Key] = rapid.SampledFrom(values).Draw(t, o.Key)
	}
	o, err := games.Complete(g, given)
	if err != nil {
		t.Skip(err)
	}
	m := start(t, g.About().ID, o)
	return m.random(t, rapid.IntRange(0, 60).Draw(t, "plies"), rapid.Uint64().Draw(t, "seed"))
}

// arrows are the four keys.
var arrows4 = [4][2]int{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}

// walk moves the cursor with arrow keys until the cursor stands at a spot.
func walk(t *rapid.T, s *Scene, from Selection, to Spot, flip bool) Selection {
	seen, queue := map[Spot]bool{from.Cursor: true}, []Selection{from}
	for len(queue) > 0 {
		sel := queue[0]
		queue = queue[1:]
		if sel.Cursor == to {
			return sel
		}
		for _, d := range arrows4 {
			if next := s.Step(sel, d[0], d[1], flip); !seen[next.Cursor] {
				seen[next.Cursor] = true
				queue = append(queue, next)
			}
		}
	}
	t.Fatalf("no way from %v to %v", from, to)
	return from
}

// byKeys makes a choice with arrows and enter.
func byKeys(t *rapid.T, s *Scene, c choice, flip bool) games.Move {
	sel := s.Start(s.pos.Turn())
	if c.from != Nowhere {
		var m games.Move
		var err error
		if sel, m, err = s.Choose(walk(t, s, sel, c.from, flip)); m != "" || err != nil || sel.From != c.from {
			t.Fatalf("enter at %v: selection %v, move %q, error %v", c.from, sel, m, err)
		}
	}
	sel = walk(t, s, sel, c.to, flip)
	if got := s.SelectedMove(sel); got != c.move {
		t.Fatalf("the selection %v means %q, want %q", sel, got, c.move)
	}
	_, m, err := s.Choose(sel)
	if err != nil {
		t.Fatalf("enter for %s: %v", c.move, err)
	}
	return m
}

// byClicks makes a choice with the mouse alone. For each place it clicks on a random one of its cells.
func byClicks(t *rapid.T, s *Scene, c choice, st State) games.Move {
	st.Selection, st.Yours = s.Start(s.pos.Turn()), true
	click := func(want Spot) games.Move {
		l := s.Fit(240, 70, st)
		var cells [][2]int
		for y := range l.Height {
			for x := range l.Width {
				if s.Spot(l, st, x, y) == want {
					cells = append(cells, [2]int{x, y})
				}
			}
		}
		if len(cells) == 0 {
			t.Fatalf("no cell of the drawing means %v", want)
		}
		at := rapid.SampledFrom(cells).Draw(t, "cell")
		sel, m, err := s.Click(st.Selection, s.Spot(l, st, at[0], at[1]))
		if err != nil {
			t.Fatalf("click at %v: %v", at, err)
		}
		st.Selection = sel
		return m
	}
	if c.from != Nowhere {
		if m := click(c.from); m != "" || st.Selection.From != c.from {
			t.Fatalf("a click at %v: selection %v, move %q", c.from, st.Selection, m)
		}
	}
	if _, wheel := s.board.(*wheels); !wheel {
		return click(c.to)
	}
	way, steps := turnLeft, int(c.to-unturned)
	if rapid.Bool().Draw(t, "the other way round") {
		way, steps = turnRight, ringLength-steps
	}
	for range steps {
		if m := click(way); m != "" {
			t.Fatalf("a click beside the middle makes the move %q", m)
		}
	}
	return click(turnDone)
}

// TestEveryMoveInThreeWays makes every legal move of random positions with keys, with the mouse and by typing.
func TestEveryMoveInThreeWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMatch(t)
		s, flip := m.scene(), rapid.Bool().Draw(t, "flip")
		if can, _ := s.Turns(); !can {
			flip = false
		}
		if len(s.choices) != len(m.pos.Legal()) {
			t.Fatalf("%d choices for %d moves", len(s.choices), len(m.pos.Legal()))
		}
		if len(s.choices) == 0 {
			return
		}
		for range 5 {
			c := rapid.SampledFrom(s.choices).Draw(t, "choice")
			if got := byKeys(t, s, c, flip); got != c.move {
				t.Fatalf("keys make %q, want %q", got, c.move)
			}
			if got := byClicks(t, s, c, State{Flip: flip}); got != c.move {
				t.Fatalf("clicks make %q, want %q", got, c.move)
			}
			typed(t, s, c.move)
		}
	})
}

// typed types a move letter by letter: each start of it must lead to it, and the whole must mean it alone.
func typed(t *rapid.T, s *Scene, m games.Move) {
	for n := 1; n <= len(m); n++ {
		moves, sel := s.Typed(string(m[:n]), s.Start(games.First))
		found := false
		for _, other := range moves {
			found = found || other == m
		}
		whole := len(moves) == 1 && s.SelectedMove(sel) == moves[0]
		if !found && !(whole && len(moves[0]) == n) { // a1 is a whole move, and the start of a10
			t.Fatalf("%q leads to %v, not to %s", m[:n], moves, m)
		}
	}
	moves, sel := s.Typed(strings.ToUpper(string(m)), s.Start(games.First))
	if len(moves) != 1 || moves[0] != m || s.SelectedMove(sel) != m {
		t.Fatalf("%s means %v, selection %v", m, moves, sel)
	}
}

func TestTypedStarts(t *testing.T) {
	tests := []struct {
		name, game string
		moves      []games.Move
		typed      string
		n          int        // legal moves that start so
		held       string     // what is taken up
		meant      games.Move // what the selection stands for
	}{
		{"nothing", "tanks", nil, "  ", 0, "", ""},
		{"a tank", "tanks", nil, "e2", 3, "e2", ""},
		{"a tank and a column", "tanks", nil, "e2d", 1, "e2", "e2-d3"},
		{"capitals and spaces", "tanks", nil, " E2 D3 ", 1, "e2", "e2-d3"},
		{"no mark", "tanks", nil, "e2e3", 1, "e2", "e2-e3"},
		{"a column", "tanks", nil, "a", 2, "a2", ""},
		{"another's tank", "tanks", nil, "e7", 0, "", ""},
		{"a man of two digits' start", "petteia", nil, "a1-a", 6, "a1", ""},
		{"a wheel", "flugelrad", nil, "2", 5, "2", ""},
		{"a wheel and a colon", "flugelrad", nil, "2:", 5, "2", ""},
		{"a turn", "flugelrad", nil, "2 3", 1, "2", "2:3"},
		{"an empty wheel", "flugelrad", nil, "3", 0, "", ""},
		{"a cell", "fourmation", nil, "c4", 1, "", "c4"},
		{"a taken cell", "fourmation", []games.Move{"d4"}, "d4", 0, "", ""},
		{"swap", "momentum", []games.Move{"d4"}, "sw", 1, "", "swap"},
		{"nonsense", "momentum", nil, "\x1b[2J", 0, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, tt.game, nil).play(t, tt.moves...).scene()
			moves, sel := s.Typed(tt.typed, s.Start(games.First))
			held := ""
			if sel.From != Nowhere {
				held = s.chosenFirst(sel.From)
			}
			meant := s.SelectedMove(sel)
			if len(moves) == 0 {
				meant = "" // the selection has stayed where it was
			}
			if len(moves) != tt.n || held != tt.held || meant != tt.meant {
				t.Errorf("Typed(%q) = %v, holding %q, meaning %q; want %d moves, %q, %q",
					tt.typed, moves, held, meant, tt.n, tt.held, tt.meant)
			}
		})
	}
}

// TestTypedOnBigBoards types cells with names that begin alike, and the column x, which looks like the mark of a capture.
func TestTypedOnBigBoards(t *testing.T) {
	s := start(t, "fourmation", games.Options{"cols": 16, "rows": 16}).scene()
	if moves, sel := s.Typed("a1", s.Start(games.First)); len(moves) != 1 || s.SelectedMove(sel) != "a1" {
		t.Errorf("a1 means %v", moves)
	}
	if moves, sel := s.Typed("a10", s.Start(games.First)); len(moves) != 1 || s.SelectedMove(sel) != "a10" {
		t.Errorf("a10 means %v", moves)
	}
	m := start(t, "tanks", games.Options{"size": 26}).play(t, "x2-x3", "x25-x24", "x3-x4", "w25-w24")
	s = m.scene()
	for _, typed := range []string{"x4-x5", "x4x5", "X4 X5"} {
		if moves, sel := s.Typed(typed, s.Start(games.First)); s.SelectedMove(sel) != "x4-x5" {
			t.Errorf("%q means %v", typed, moves)
		}
	}
}

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
			sel := Selection{spot(s, tt.at), Nowhere}
			if tt.held != "" {
				sel.From = spot(s, tt.held)
			}
			got, m, err := s.Choose(sel)
			if m != "" || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Choose = %q, %v, want an error saying %q", m, err, tt.want)
			}
			if got != sel {
				t.Errorf("a refused choice changed the selection: %v -> %v", sel, got)
			}
		})
	}
}

func TestWheelRefusals(t *testing.T) {
	s := start(t, "flugelrad", nil).play(t, "0:1").scene()
	for _, tt := range []struct {
		name string
		sel  Selection
		want string
	}{
		{"turned just now", Selection{0, Nowhere}, "wheel 0 was turned just now"},
		{"empty", Selection{3, Nowhere}, "wheel 3 is empty"},
		{"not turned", Selection{unturned, 5}, ErrUnturned.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, m, err := s.Choose(tt.sel); m != "" || err == nil || !strings.Contains(err.Error(), tt.want) {
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

// TestSelections follows a selection that chooses a man, another one, and lets go.
func TestSelections(t *testing.T) {
	s := start(t, "petteia", nil).scene()
	g := s.board.(pieceGrid)
	a, b := g.named("a1"), g.named("b1")
	sel, _, _ := s.Choose(Selection{a, Nowhere})
	if sel != (Selection{a, a}) {
		t.Fatalf("after taking up: %v", sel)
	}
	if sel, _, _ = s.Choose(Selection{b, sel.From}); sel != (Selection{b, b}) {
		t.Errorf("another own man: %v, want b1 held", sel)
	}
	if sel, _, _ := s.Choose(sel); sel.From != Nowhere {
		t.Errorf("the same man again: %v, want it let go", sel)
	}
	if sel := s.Release(Selection{g.named("b4"), b}); sel != (Selection{g.named("b4"), Nowhere}) {
		t.Errorf("let go: %v", sel)
	}
	if sel, m, err := s.Click(Selection{b, b}, Nowhere); sel.From != Nowhere || m != "" || err != nil {
		t.Errorf("a click beside the board: %v %q %v, want the man let go", sel, m, err)
	}

	next := start(t, "petteia", nil).play(t, "b1-b4", "a8-a5")
	if sel := next.scene().Adjust(Selection{b, b}); sel.From != Nowhere {
		t.Errorf("a man who has gone stays held: %v", sel)
	}
	if sel := next.scene().Adjust(Selection{a, a}); sel.From != a {
		t.Errorf("a man who can still move is let go: %v", sel)
	}
	if sel := next.scene().Adjust(Selection{500, Nowhere}); !g.valid(sel) {
		t.Errorf("a selection beside the board stays there: %v", sel)
	}
}

// TestWheelKeys turns a wheel both ways and goes from wheel to wheel.
func TestWheelKeys(t *testing.T) {
	s := start(t, "flugelrad", nil).scene()
	sel, _, _ := s.Choose(Selection{2, Nowhere})
	for _, tt := range []struct {
		dx   int
		want games.Move
	}{{-1, "2:1"}, {-1, "2:2"}, {1, "2:1"}, {1, ""}, {1, "2:5"}} {
		if sel = s.Step(sel, tt.dx, 0, false); s.SelectedMove(sel) != tt.want {
			t.Errorf("after a step of %d the selection means %q, want %q", tt.dx, s.SelectedMove(sel), tt.want)
		}
	}
	if sel = s.Release(sel); sel != (Selection{2, Nowhere}) {
		t.Errorf("let go: %v", sel)
	}
	if sel, _, _ := s.Click(Selection{unturned + 2, 2}, 4); sel != (Selection{unturned, 4}) {
		t.Errorf("a click on another wheel: %v", sel)
	}
	for _, tt := range []struct{ from, dx, dy, want int }{
		{3, -1, 0, 2}, {3, 1, 0, 4}, {3, 0, -1, 0}, {3, 0, 1, 5}, {0, 1, 0, 1}, {0, -1, 0, 2}, {2, -1, 0, 2}, {6, 0, 1, 6}, {4, 0, -1, 1},
	} {
		if got := s.Step(Selection{Spot(tt.from), Nowhere}, tt.dx, tt.dy, false); got.Cursor != Spot(tt.want) {
			t.Errorf("from wheel %d by %d,%d: %d, want %d", tt.from, tt.dx, tt.dy, got.Cursor, tt.want)
		}
	}
}

// TestMomentumBegins where the other side gains nothing by a swap. The review calls the middle a mistake on some boards.
func TestMomentumBegins(t *testing.T) {
	for size := 7; size <= 13; size++ {
		s := start(t, "momentum", games.Options{"size": size}).scene()
		for _, side := range []games.Side{games.First, games.Second} {
			if m := s.SelectedMove(s.Start(side)); m != "b2" {
				t.Errorf("size %d: enter would play %q at first, want b2", size, m)
			}
		}
	}
}

// TestCursorStartsWhereAWheelTurns: the first enter of a player takes a wheel up, wherever the game stands.
func TestCursorStartsWhereAWheelTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := start(t, "flugelrad", nil).random(t, rapid.IntRange(0, 40).Draw(t, "plies"), rapid.Uint64().Draw(t, "seed"))
		s := m.scene()
		if len(s.choices) == 0 {
			return
		}
		if sel, _, err := s.Choose(s.Start(m.pos.Turn())); err != nil || sel.From == Nowhere {
			t.Fatalf("enter at %v: selection %v, error %v", s.Start(m.pos.Turn()), sel, err)
		}
	})
}

// TestSigns asks each game what the signs on its board mean, in signs that stand there.
func TestSigns(t *testing.T) {
	for _, g := range catalog.All() {
		s := start(t, g.About().ID, nil).scene()
		if _, plain := s.facts.(plainFacts); plain {
			continue // it is drawn from its board text, whose signs only the game knows
		}
		if s.Legend(text.Say{}, false) == "" {
			t.Errorf("%s says nothing of its signs", g.About().ID)
		}
	}
	captured := start(t, "petteia", nil).scene()
	if utf8, ascii := captured.Legend(text.Say{}, false), captured.Legend(text.Say{}, true); !strings.Contains(utf8, "×") || !strings.Contains(ascii, "%") {
		t.Errorf("a captured man is said to be marked so: %q, %q", utf8, ascii)
	}
}
