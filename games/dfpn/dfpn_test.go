package dfpn

import "testing"

// TestTableSize checks how much memory tables take, whatever is asked for.
func TestTableSize(t *testing.T) {
	tests := []struct{ memory, nodes, most int }{
		{1, 1, minEntries * EntryBytes},
		{24 << 20, 1_000_000_000, 24 << 20},
		{1 << 40, 1_000, 2_000 * EntryBytes},
		{8 << 20, 1_000_000_000, 8 << 20},
		{1, 1_000_000_000, minEntries * EntryBytes},
	}
	for _, tt := range tests {
		n := len(Table(nil).Cleared(tt.memory, tt.nodes))
		if size := n * EntryBytes; size > tt.most || size <= tt.most/4 || n&(n-1) != 0 {
			t.Errorf("%d bytes for %d nodes: %d entries, %d bytes; at most %d", tt.memory, tt.nodes, n, size, tt.most)
		}
	}
}

// TestTableKeepsExpensive fills one bucket over and over: the entry that has cost the most stays, the newest entry is there, and
// keys that share a bucket are distinguished.
func TestTableKeepsExpensive(t *testing.T) {
	table := Table(nil).Cleared(0, 1)
	key := func(i int) uint64 { return 12 + uint64(i)<<32 }
	for i := range 100 {
		work := uint32(1 + i%7)
		if i == 3 {
			work = 1000
		}
		table.Put(Entry{Key: key(i), Numbers: Numbers{uint32(i), 1}, Work: work})
		if e := table.Find(key(i)); e == nil || e.Phi != uint32(i) {
			t.Fatalf("entry %d is not there after it was put: %+v", i, e)
		}
	}
	if e := table.Find(key(3)); e == nil || e.Phi != 3 {
		t.Errorf("the expensive entry is gone: %+v", e)
	}
	table.Put(Entry{Key: key(3), Numbers: Numbers{7, 7}, Work: 1})
	if e := table.Find(key(3)); e == nil || e.Phi != 7 {
		t.Errorf("the entry was not replaced by a newer one: %+v", e)
	}
	if e := table.Find(0); e != nil {
		t.Errorf("nothing was found as %+v", e)
	}
}

// TestSums works numbers out by hand.
func TestSums(t *testing.T) {
	tests := []struct {
		name     string
		children []Child[struct{}]
		want     Numbers
		best     int
		second   uint32
	}{
		{"one", []Child[struct{}]{{Numbers: Numbers{2, 3}}}, Numbers{3, 2}, 0, Never},
		{"the smallest delta is best", []Child[struct{}]{{Numbers: Numbers{2, 3}}, {Numbers: Numbers{1, 1}}, {Numbers: Numbers{5, 2}}}, Numbers{1, 8}, 1, 2},
		{"a move that does it", []Child[struct{}]{{Numbers: Numbers{4, 4}}, {Numbers: Numbers{Never, 0}}}, Numbers{0, Never}, 1, 4},
		{"all are refuted", []Child[struct{}]{{Numbers: Numbers{0, Never}}, {Numbers: Numbers{0, Never}}}, Numbers{Never, 0}, 0, Never},
		{"large is not never", []Child[struct{}]{{Numbers: Numbers{Never - 1, 1}}, {Numbers: Numbers{Never - 1, 1}}}, Numbers{1, Never - 1}, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, best, second := sum(tt.children)
			if n != tt.want || best != tt.best || second != tt.second {
				t.Errorf("sum = %v, %d, %d, want %v, %d, %d", n, best, second, tt.want, tt.best, tt.second)
			}
		})
	}
}

// A toy is a tree of random shape: the side to move at a leaf has reached what it wants if the leaf's number is even.
type toy struct {
	path  []int // numbers of the positions from the root
	nodes int
	limit int
}

func (y *toy) here() int     { return y.path[len(y.path)-1] }
func (y *toy) Key() uint64   { return uint64(y.here()) * 0x9e3779b97f4a7c15 }
func (y *toy) Nodes() int    { return y.nodes }
func (y *toy) Stopped() bool { return y.nodes >= y.limit }
func (y *toy) Undo()         { y.path = y.path[:len(y.path)-1] }

func (y *toy) Play(c *Child[int]) { y.path = append(y.path, c.Position) }

// below returns the positions after one: none at a leaf.
func (y *toy) below(position int) (after []int) {
	if position > 3_000 {
		return nil
	}
	for i := range 1 + position*7%5 {
		after = append(after, position*3+i+1)
	}
	return after
}

func (y *toy) Expand(dst []Child[int]) ([]Child[int], bool) {
	for i, p := range y.below(y.here()) {
		y.nodes++
		c := Child[int]{Position: p, Numbers: Numbers{1, 1}, Move: uint32(i)}
		if len(y.below(p)) == 0 {
			c.Numbers = Disproven
			if p%2 == 0 {
				c.Numbers = Proven
			}
		}
		dst = append(dst, c)
	}
	return dst, true
}

// wins says by brute force whether the side to move reaches what it wants.
func (y *toy) wins(position int) bool {
	after := y.below(position)
	for _, p := range after {
		if !y.wins(p) {
			return true
		}
	}
	return len(after) == 0 && position%2 == 0
}

// TestSolver compares what the solver finds in trees of random shape with brute force, and looks for the winning move in the
// table.
func TestSolver(t *testing.T) {
	won, lost := 0, 0
	for root := range 200 {
		y := &toy{path: []int{root}, limit: 1 << 30}
		s := Solver[int]{Tree: y, Table: Table(nil).Cleared(1<<20, 1<<20)}
		n := s.Solve()
		if want := y.wins(root); !n.Settled() || (n.Phi == 0) != want {
			t.Errorf("position %d: %v, brute force says %v", root, n, want)
		}
		if n.Phi > 0 {
			lost++
			continue
		}
		won++
		e := s.Table.Find(y.Key())
		if e == nil || y.wins(y.below(root)[e.Move]) {
			t.Errorf("position %d: the table says %+v", root, e)
		}
	}
	if won == 0 || lost == 0 {
		t.Errorf("%d won, %d lost", won, lost)
	}
}

// TestSolverStops gives the solver few positions.
func TestSolverStops(t *testing.T) {
	y := &toy{path: []int{1}, limit: 10}
	s := Solver[int]{Tree: y, Table: Table(nil).Cleared(1<<20, 1<<20)}
	if n := s.Solve(); n.Settled() || y.nodes > 20 {
		t.Errorf("%v after %d positions", n, y.nodes)
	}
}
