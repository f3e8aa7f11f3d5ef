package bot

import (
	"reflect"
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/deadline"
)

// memoryLevels are levels that every game has.
var memoryLevels = [...]string{"expert", "champion", "master", "pupil", "club"}

// TestUsedMemoryIsLikeNew searches one position after the other in one workspace, on all levels and with budgets that make
// the table grow and shrink, and compares each thought, down to the number of positions, with one from a new workspace.
func TestUsedMemoryIsLikeNew(t *testing.T) {
	skipIfShort(t)
	used := new(workspace)
	eachSearching(t, func(t *testing.T, g games.Game) {
		r := games.NewRandom(17)
		for i, nodes := range []int{500, 70_000, 20_000, 200, 3_000, 20_000} {
			p := reach(t, g, nil, 4+2*(i/2), games.NewRandom(uint64(i/2))) // each twice: what is left is about the same one
			if p.Result().Over {
				continue
			}
			s, seed := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), memoryLevels[i%len(memoryLevels)])}, r.Uint64()
			at := func(d *workspace) Thought {
				return s.think(t.Context(), d, p, searchOf(t, p), nodes, games.NewRandom(seed))
			}
			if got, want := at(used), at(new(workspace)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s with %d nodes:\n%+v in used memory,\n%+v in new", p, nodes, got, want)
			}
		}
	})
}

// TestMemoryIsUsedAgain has one level think after the other. Memory may be given back at any time, so it counts if that the
// second finds is the first one's once in many times.
func TestMemoryIsUsedAgain(t *testing.T) {
	m := new(Memory)
	eachSearching(t, func(t *testing.T, g games.Game) {
		p := reach(t, g, nil, 3, games.NewRandom(1))
		think := func(l Level) {
			if _, err := l.Player.Move(t.Context(), p, games.NewRandom(1)); err != nil {
				t.Fatal(err)
			}
		}
		levels := m.Levels(g)
		for range 100 {
			d := new(workspace)
			m.put(d)
			think(levels[len(levels)-len(games.ProfileOf(g).Presets)])
			switch again := m.get(); {
			case again != d:
				continue
			case d.tables.places[0] == nil:
				t.Error("the level has not used the workspace")
			case d.search.pos != nil || d.search.until != (deadline.Deadline{}) || d.search.candidates != nil:
				t.Error("the memory holds on to what belongs to others")
			}
			return
		}
		t.Error("no memory was ever used again")
	})
}

// TestNoMemory keeps nothing, which is fine.
func TestNoMemory(t *testing.T) {
	var m *Memory
	m.put(m.get())
	if a, b := m.get(), m.get(); a == b {
		t.Error("one workspace was given to two searches")
	}
}

// TestIdleMemoryIsGivenBack leaves memory unused.
func TestIdleMemoryIsGivenBack(t *testing.T) {
	m, d := new(Memory), new(workspace)
	d.tables.first(maxNodes)
	kept := weak.Make(&d.tables.places[0][0])
	m.put(d)
	d = nil
	for range 3 {
		runtime.GC()
	}
	if kept.Value() != nil {
		t.Error("the table is still there")
	}
	runtime.KeepAlive(m)
}

// TestWorkspaceIsBounded grows a table as far as it goes, again and again, and adds up what the workspace has kept.
func TestWorkspaceIsBounded(t *testing.T) {
	const most = 32 << 20
	d := new(workspace)
	for _, nodes := range []int{maxNodes, 1, maxNodes / 2, 300_000, maxNodes} {
		for table := d.tables.first(nodes); len(table) < d.tables.size(nodes); {
			table = d.tables.grown(table, d.tables.size(nodes), deadline.Deadline{})
		}
		sum := int(unsafe.Sizeof(*d)) + proofMemory
		for _, p := range d.tables.places {
			sum += cap(p) * int(unsafe.Sizeof(entry{}))
		}
		if sum > most {
			t.Errorf("after a search of %d nodes the workspace takes %d bytes", nodes, sum)
		}
	}
}

// BenchmarkMemory measures what a move costs in new memory, and in memory that is used again.
func BenchmarkMemory(b *testing.B) {
	p := reach(b, catalog.All()[0], nil, 6, games.NewRandom(3))
	for _, bb := range []struct {
		name   string
		memory *Memory
	}{{"new", nil}, {"used", new(Memory)}} {
		b.Run(bb.name, func(b *testing.B) {
			s := thinker{profile: games.ProfileOf(catalog.All()[0]), preset: presetOf(games.ProfileOf(catalog.All()[0]), "master"), nodes: 50_000, memory: bb.memory}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Move(b.Context(), p, games.NewRandom(1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
