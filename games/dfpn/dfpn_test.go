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

// TestTableKeepsDear fills one bucket over and over: what has cost the most stays, the newest entry is there, and keys
// that share a bucket are told apart.
func TestTableKeepsDear(t *testing.T) {
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
		t.Errorf("the dear entry is gone: %+v", e)
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
