package fourmation

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"ludoteca/games"
	"ludoteca/games/dfpn"
)

// valueAfter returns what a move is worth to the side that makes it.
func valueAfter(s *State, c games.Code, known map[bookPosition]int) int {
	s.Play(c)
	defer s.Undo()
	return -minimax(s, known)
}

func advice(s *State, nodes int) games.Advice {
	return s.Search().(games.Advisor).Advise(nodes, unstopped)
}

// TestAdviceKeepsTheValue compares advice with minimax. With many positions it names only moves that are as good as any;
// with few it may name others too, but never leaves out a move that is better than all it names, unless it says so.
func TestAdviceKeepsTheValue(t *testing.T) {
	budgets := []int{0, 1, 40, 400, 4_000, 1 << 22}
	for _, b := range boards {
		r := games.NewRandom(17)
		known, asked := map[bookPosition]int{}, 0
		for tries := 0; tries < 20_000 && asked < 8; tries++ {
			s, running := wander(b.cols, b.rows, b.win, b.from+r.N(4), r)
			if !running {
				continue
			}
			asked++
			v := minimax(s, known)
			for _, nodes := range budgets {
				a := advice(s, nodes)
				best, worst := -1, 1
				for _, c := range a.Moves {
					best, worst = max(best, valueAfter(s, c, known)), min(worst, valueAfter(s, c, known))
				}
				switch enough := nodes == budgets[len(budgets)-1]; {
				case len(a.Moves) == 0 && enough && v >= 0:
					t.Errorf("%s: no advice, but the position is worth %d", s.Clone().Freeze(), v)
				case len(a.Moves) == 0:
				case best < min(v, 0), a.Complete && best < v:
					t.Errorf("%s: %d positions: the best of %+v is worth %d, the position %d", s.Clone().Freeze(), nodes, a, best, v)
				case enough && (worst < v || !a.Complete):
					t.Errorf("%s: one of %+v is worth %d, the position %d", s.Clone().Freeze(), a, worst, v)
				}
			}
		}
	}
}

// TestAdviceAgainstEveryReply plays the first move that the advice names against everything that the other side can do,
// from either seat, and must never lose; where it could win from the start, it must.
func TestAdviceAgainstEveryReply(t *testing.T) {
	tests := []struct {
		cols, rows, win int
		worst           [2]int // for the first and the second player
	}{
		{3, 3, 3, [2]int{1, -1}},
		{4, 4, 3, [2]int{1, -1}},
		{5, 3, 3, [2]int{1, -1}},
		{4, 3, 4, [2]int{0, 0}},
		{4, 4, 4, [2]int{0, 0}},
	}
	for _, tt := range tests {
		for side, want := range tt.worst {
			w := walk{side: games.Side(side), known: map[bookPosition]int{}}
			s := start(tt.cols, tt.rows, tt.win)
			if got := w.worst(s); got != want {
				t.Errorf("%d by %d, %d to win: the worst for the %s player is %d, want %d",
					tt.cols, tt.rows, tt.win, w.side, got, want)
			}
			t.Logf("%d by %d, %d to win, %s: %d positions", tt.cols, tt.rows, tt.win, w.side, len(w.known))
		}
	}
}

// A walk goes through everything that can happen to a player who follows the advice.
type walk struct {
	side  games.Side
	known map[bookPosition]int
}

// worst returns the worst result that the other side can bring about.
func (w *walk) worst(s *State) int {
	switch {
	case s.Reason == byLine && s.turn == w.side:
		return -1
	case s.Reason == byLine:
		return 1
	case s.Reason == byNoMoves:
		return 0
	}
	g, key, _ := landscape(s)
	key, _ = key.canonical(g)
	if v, ok := w.known[key]; ok {
		return v
	}
	moves := s.Moves(nil)
	if s.turn == w.side {
		if a := advice(s, 1<<16); len(a.Moves) > 0 {
			moves = a.Moves
		}
		moves = moves[:1]
	}
	v := 1
	for _, c := range moves {
		s.Play(c)
		v = min(v, w.worst(s))
		s.Undo()
	}
	w.known[key] = v
	return v
}

func TestAdviceIsBounded(t *testing.T) {
	r := games.NewRandom(8)
	for _, nodes := range []int{0, 1, 100, 10_000, 100_000} {
		for range 10 {
			s, running := wander(7, 7, 4, 7, r)
			if !running {
				continue
			}
			a := advice(s, nodes)
			if a.Nodes > nodes+8 {
				t.Errorf("%s: looked at %d positions, with %d allowed", s.Clone().Freeze(), a.Nodes, nodes)
			}
			if again := advice(s, nodes); !reflect.DeepEqual(a, again) {
				t.Errorf("%s: %+v, and the second time %+v", s.Clone().Freeze(), a, again)
			}
		}
	}
	if n := len(newTable(math.MaxInt/8, maxTable)) * dfpn.EntryBytes; n > 16<<20 {
		t.Errorf("the largest table of a player has %d bytes", n)
	}
}

// TestAdviceStops has stop say true sooner and later: it is asked often, and no more positions follow than until it
// would have been asked again.
func TestAdviceStops(t *testing.T) {
	s := start(7, 7, 4)
	for _, m := range []games.Move{"d4", "e5", "d6", "c5"} {
		c, _ := s.Code(m)
		s.Play(c)
	}
	for _, most := range []int{0, 1, 7, 50} {
		asked := 0
		a := s.Search().(games.Advisor).Advise(1<<30, func() bool { asked++; return asked > most })
		if a.Nodes > (most+1)*(pollPositions+8) {
			t.Errorf("stopped the %d-th time it asked, after %d positions", most+1, a.Nodes)
		}
		if asked > most+1 {
			t.Errorf("asked %d times more after it was told to stop", asked-most-1)
		}
	}
}

func TestAdviceOnLargeBoards(t *testing.T) {
	for _, b := range []struct {
		cols, rows int
		some       bool
	}{{8, 8, true}, {9, 3, false}, {3, 9, false}, {16, 16, false}} {
		s := start(b.cols, b.rows, 3)
		s.Play(games.Code(at(0, 1)))
		a := advice(s, 100_000)
		if some := len(a.Moves) > 0 || a.Nodes > 0; some != b.some {
			t.Errorf("%d by %d: %+v", b.cols, b.rows, a)
		}
		legal := s.Moves(nil)
		for _, c := range a.Moves {
			if !slices.Contains(legal, c) {
				t.Errorf("%d by %d: the advice is %s", b.cols, b.rows, s.Move(c))
			}
		}
	}
}
