package proof

import "testing"

// TestTableSize checks how much memory tables take, whatever is asked for.
func TestTableSize(t *testing.T) {
	tests := []struct{ memory, nodes, most int }{
		{0, 1, minEntries * entryBytes},
		{0, 1_000_000_000, MaxMemory},
		{1 << 40, 1_000_000_000, MaxMemory},
		{-1, 1_000_000_000, MaxMemory},
		{8 << 20, 1_000_000_000, 8 << 20},
		{1, 1_000_000_000, minEntries * entryBytes},
	}
	for _, tt := range tests {
		n := len(table(nil).cleared(tt.memory, tt.nodes))
		if size := n * entryBytes; size > tt.most || size <= tt.most/4 || n&(n-1) != 0 {
			t.Errorf("%d bytes for %d nodes: %d entries, %d bytes; at most %d", tt.memory, tt.nodes, n, size, tt.most)
		}
	}
}

// TestTableKeepsDear fills one bucket over and over: what has cost the most stays, the newest entry is there, and keys
// that share a bucket are told apart.
func TestTableKeepsDear(t *testing.T) {
	table := table(nil).cleared(0, 1)
	key := func(i int) uint64 { return 12 + uint64(i)<<32 }
	for i := range 100 {
		work := uint32(1 + i%7)
		if i == 3 {
			work = 1000
		}
		table.put(entry{key: key(i), numbers: numbers{uint32(i), 1}, work: work})
		if e := table.find(key(i)); e == nil || e.phi != uint32(i) {
			t.Fatalf("entry %d is not there after it was put: %+v", i, e)
		}
	}
	if e := table.find(key(3)); e == nil || e.phi != 3 {
		t.Errorf("the dear entry is gone: %+v", e)
	}
	table.put(entry{key: key(3), numbers: numbers{7, 7}, work: 1})
	if e := table.find(key(3)); e == nil || e.phi != 7 {
		t.Errorf("the entry was not replaced by a newer one: %+v", e)
	}
	if e := table.find(0); e != nil {
		t.Errorf("nothing was found as %+v", e)
	}
}

// TestSums works numbers out by hand.
func TestSums(t *testing.T) {
	tests := []struct {
		name     string
		children []child
		want     numbers
		best     int
		second   uint32
	}{
		{"one", []child{{numbers: numbers{2, 3}}}, numbers{3, 2}, 0, never},
		{"the smallest delta is best", []child{{numbers: numbers{2, 3}}, {numbers: numbers{1, 1}}, {numbers: numbers{5, 2}}}, numbers{1, 8}, 1, 2},
		{"a move that does it", []child{{numbers: numbers{4, 4}}, {numbers: numbers{never, 0}}}, numbers{0, never}, 1, 4},
		{"all are refuted", []child{{numbers: numbers{0, never}}, {numbers: numbers{0, never}}}, numbers{never, 0}, 0, never},
		{"large is not never", []child{{numbers: numbers{never - 1, 1}}, {numbers: numbers{never - 1, 1}}}, numbers{1, never - 1}, 0, 1},
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
