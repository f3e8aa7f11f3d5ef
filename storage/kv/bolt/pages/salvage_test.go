package pages

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"ludoteca/storage/kv"
)

// The keys and values of the files here begin with the name of their section, so that an entry says where it belongs.
var salvageOptions = kv.SalvageOptions{
	Sections: []string{"large", "names", "small"},
	Fits: func(section string, key, value []byte) bool {
		return bytes.HasPrefix(key, []byte(section[:1])) && bytes.HasPrefix(value, []byte(section))
	},
}

// workedFile returns the bytes of a bbolt file after many commits that add, change and delete: with branches, overflow, free pages
// and old pages that look like new ones.
func workedFile(t testing.TB) []byte {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "x.db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 60 {
		if err := db.Update(func(tx *bbolt.Tx) error {
			for _, name := range salvageOptions.Sections {
				b, err := tx.CreateBucketIfNotExists([]byte(name))
				if err != nil {
					return err
				}
				keys, size := 8, 20
				switch name {
				case "names":
					keys, size = 3000, 90
				case "large":
					keys, size = 40, 9000
				}
				for range min(keys, 100) / 4 {
					key := fmt.Appendf(nil, "%c%05d", name[0], random.IntN(keys))
					if err := b.Put(key, append(fmt.Appendf(nil, "%s %s %d ", name, key, i), make([]byte, random.IntN(size))...)); err != nil {
						return err
					}
					key = fmt.Appendf(nil, "%c%05d", name[0], random.IntN(keys))
					if random.IntN(3) == 0 {
						if err := b.Delete(key); err != nil {
							return err
						}
					}
				}
				if name == "names" && i == 0 {
					for n := range keys {
						if err := b.Put(fmt.Appendf(nil, "n%05d", n), fmt.Appendf(nil, "names first %060d", n)); err != nil {
							return err
						}
					}
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Sync(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(bytes.NewReader(file), int64(len(file))); err != nil {
		t.Fatal(err)
	}
	return file
}

// salvaged are the entries that Salvage put, the surest of each key, by whole key.
func salvaged(t testing.TB, file []byte) (map[string]kv.Salvaged, kv.SalvageReport, error) {
	t.Helper()
	all := map[string]kv.Salvaged{}
	puts := 0
	report, err := Salvage(bytes.NewReader(file), int64(len(file)), salvageOptions, func(e kv.Salvaged) error {
		if puts++; puts > 100_000 {
			t.Fatal("it doesn't end")
		}
		key := string(e.Key)
		if old, there := all[key]; there && (e.Source == kv.Sure || old.Source > e.Source) {
			t.Errorf("%q is put again: %v after %v", key, e.Source, old.Source)
		} else if !there {
			all[key] = kv.Salvaged{Value: bytes.Clone(e.Value), Source: e.Source}
		}
		return nil
	})
	if err != nil && !errors.Is(err, kv.ErrDamaged) {
		t.Errorf("Salvage = %v", err)
	}
	return all, report, err
}

// An anatomy is what a good file holds, and where.
type anatomy struct {
	entries map[string]string   // by whole key
	path    map[string][]uint64 // the pages that lead to an entry, its own and their overflow included
	kinds   map[uint64]string   // what each page in use is
}

// dissect reads a good file with a walk of its own.
func dissect(t testing.TB, file []byte) anatomy {
	t.Helper()
	a := anatomy{map[string]string{}, map[string][]uint64{}, map[uint64]string{}}
	m, err := newestMeta(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{file: bytes.NewReader(file), meta: m, seen: newBitmap(m.pages)}
	var tree func(section string, id uint64, depth int, path []uint64)
	leaf := func(section string, p filePage, depth int, path []uint64) {
		for i := range p.count {
			e, _ := p.element(i)
			size := uint64(native.Uint32(e[8:]))
			both, _ := p.slice(i, uint64(native.Uint32(e[4:])), size+uint64(native.Uint32(e[12:])))
			if native.Uint32(e) != bucketFlag {
				key := section + "\x00" + string(both[:size])
				a.entries[key], a.path[key] = string(both[size:]), path
				continue
			}
			name, value := string(both[:size]), both[size:]
			if root := native.Uint64(value); root != 0 {
				tree(name, root, depth+1, path)
				continue
			}
			data := value[bucketBytes:]
			for i := range int(native.Uint16(data[10:])) {
				inner := filePage{data: data, count: int(native.Uint16(data[10:]))}
				e, _ := inner.element(i)
				size := uint64(native.Uint32(e[8:]))
				both, _ := inner.slice(i, uint64(native.Uint32(e[4:])), size+uint64(native.Uint32(e[12:])))
				key := name + "\x00" + string(both[:size])
				a.entries[key], a.path[key] = string(both[size:]), path
			}
		}
	}
	tree = func(section string, id uint64, depth int, path []uint64) {
		p, err := w.page(id, depth)
		if err != nil {
			t.Fatal(err)
		}
		path = slices.Clone(path)
		for n := range uint64(len(p.data)) / uint64(m.pageSize) {
			path = append(path, id+n)
			a.kinds[id+n] = "overflow"
		}
		if p.flags == leafFlag {
			a.kinds[id] = "leaf"
			leaf(section, p, depth, path)
			return
		}
		a.kinds[id] = "branch"
		for i := range p.count {
			e, _ := p.element(i)
			tree(section, native.Uint64(e[8:]), depth+1, path)
		}
	}
	tree("", m.root, 0, nil)
	a.kinds[m.root] = "root"
	free, err := w.page(m.freelist, 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(len(free.data)) / uint64(m.pageSize) {
		a.kinds[m.freelist+n] = "freelist"
	}
	if len(a.entries) < 1000 {
		t.Fatalf("only %d entries", len(a.entries))
	}
	return a
}

// check compares the entries salvaged from a file with damaged pages with the entries of the good file. If blank, the damaged pages hold
// nothing, and every sure entry must be right.
func (a anatomy) check(t testing.TB, what string, got map[string]kv.Salvaged, report kv.SalvageReport, damaged map[uint64]bool, blank bool) {
	t.Helper()
	missing := 0
	for key, value := range a.entries {
		broken := slices.ContainsFunc(a.path[key], func(id uint64) bool { return damaged[id] })
		e, there := got[key]
		there = there && string(e.Value) == value
		if !there {
			missing++
		}
		if !broken && (!there || e.Source != kv.Sure) {
			t.Fatalf("%s: %q lies on good pages %v and is %q, %v", what, key, a.path[key], e.Value, e.Source)
		}
	}
	for key, e := range got {
		if blank && e.Source == kv.Sure && a.entries[key] != string(e.Value) {
			t.Fatalf("%s: %q is said to be surely %q and was %q", what, key, e.Value, a.entries[key])
		}
	}
	for key, e := range got {
		section, rest, _ := strings.Cut(key, "\x00")
		if e.Source != kv.Sure && report.More == 0 && !slices.ContainsFunc(report.Losses, func(l kv.Loss) bool {
			return l.Section == section && !l.Whole && string(l.After) < rest && (l.Before == nil || rest < string(l.Before))
		}) {
			t.Fatalf("%s: %q is from an old page, and lies in no range that is lost", what, key)
		}
	}
	if blank && missing > 0 && !report.Lost() {
		t.Errorf("%s: %d entries are missing or old, and the report says that nothing is lost: %+v", what, missing, report)
	}
}

func TestSalvageGoodFile(t *testing.T) {
	file := workedFile(t)
	a := dissect(t, file)
	got, report, err := salvaged(t, file)
	if err != nil || report.Lost() || report.FreeLost || len(report.Losses) > 0 || len(got) != len(a.entries) {
		t.Errorf("%d entries of %d, %+v, %v", len(got), len(a.entries), report, err)
	}
	a.check(t, "a good file", got, report, nil, true)
}

// TestSalvageBlankPages blanks one page of each kind after the other. All that a branch led to is found again.
func TestSalvageBlankPages(t *testing.T) {
	file := workedFile(t)
	a := dissect(t, file)
	m, _ := newestMeta(bytes.NewReader(file))
	tried := map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(a.kinds)) {
		kind := a.kinds[id]
		tried[kind]++
		if kind == "leaf" && tried[kind] > 12 {
			continue
		}
		spoiled := bytes.Clone(file)
		clear(pageOf(spoiled, m, id))
		got, report, err := salvaged(t, spoiled)
		if err != nil {
			t.Errorf("page %d, %s: %v", id, kind, err)
		}
		what := fmt.Sprintf("page %d, %s", id, kind)
		a.check(t, what, got, report, map[uint64]bool{id: true}, true)
		whole := 0
		for key, value := range a.entries {
			if string(got[key].Value) == value && got[key].Source == kv.Sure {
				whole++
			}
		}
		switch kind {
		case "branch", "freelist":
			if whole != len(a.entries) || report.Lost() {
				t.Errorf("%s: %d of %d entries, %+v; want all", what, whole, len(a.entries), report)
			}
		case "leaf":
			if len(report.Losses) != 1 || report.Losses[0].Whole || !slices.Contains(report.Losses[0].Pages, id) {
				t.Errorf("%s: %+v, want one loss on this page", what, report)
			}
		}
	}
	for _, kind := range []string{"root", "branch", "leaf", "overflow", "freelist"} {
		if tried[kind] == 0 {
			t.Errorf("no page of kind %s", kind)
		}
	}
}

// The branch of a section is lost, and a damaged key makes one of its leaves reach into another: nothing says which of the two is right.
func TestSalvageOverlappingLeaves(t *testing.T) {
	file := workedFile(t)
	a := dissect(t, file)
	m, _ := newestMeta(bytes.NewReader(file))
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(a.entries)), func(key string) bool { return !strings.HasPrefix(key, "names\x00") })
	page := func(i int) uint64 { return a.path[keys[i]][len(a.path[keys[i]])-1] }
	leaf := len(keys) / 2
	for page(leaf) == page(leaf-1) {
		leaf++
	}
	wrong := keys[leaf+1] // for the last key of the leaf before
	branch := a.path[wrong][1]
	if len(a.path[wrong]) != 3 || page(leaf-1) == page(leaf) || page(leaf) != page(leaf+1) {
		t.Fatalf("the paths %v, %v", a.path[keys[leaf-1]], a.path[wrong])
	}
	spoiled := bytes.Clone(file)
	clear(pageOf(spoiled, m, branch))
	last := strings.TrimPrefix(keys[leaf-1], "names\x00")
	p := pageOf(spoiled, m, page(leaf-1))
	copy(p[bytes.LastIndex(p, []byte(last+"names")):], strings.TrimPrefix(wrong, "names\x00"))
	got, report, err := salvaged(t, spoiled)
	if err != nil || !report.Lost() {
		t.Errorf("%+v, %v", report, err)
	}
	for i, key := range keys {
		e, there := got[key]
		if page(i) == page(leaf-1) || page(i) == page(leaf) {
			if there && e.Source == kv.Sure {
				t.Errorf("%q is on one of the two leaves, and said to be sure", key)
			}
		} else if !there || e.Source != kv.Sure {
			t.Errorf("%q: there %v, %v, want %v", key, there, e.Source, kv.Sure)
		}
	}
}

// Numbers that lead astray: each damage that TestCheck finds.
func TestSalvageWrongNumbers(t *testing.T) {
	file := workedFile(t)
	a := dissect(t, file)
	m, _ := newestMeta(bytes.NewReader(file))
	put16, put32, put64 := native.PutUint16, native.PutUint32, native.PutUint64
	other, leaves, most := map[string]uint64{}, 0, 10
	if testing.Short() {
		most = 2
	}
	ids := slices.Sorted(maps.Keys(a.kinds))
	for _, id := range ids {
		other[a.kinds[id]] = id
	}
	for _, id := range ids {
		kind := a.kinds[id]
		if kind == "leaf" {
			leaves++
		}
		if kind != "branch" && kind != "leaf" && kind != "freelist" || kind == "leaf" && leaves > most {
			continue
		}
		for n, spoil := range []func(p []byte){
			func(p []byte) { put64(p[24:], id) },                              // a branch to itself, or another key of a leaf
			func(p []byte) { put64(p[24:], m.root) },                          // to the root
			func(p []byte) { put64(p[24:], other["leaf"]) },                   // to some leaf
			func(p []byte) { put64(p[24:], other["branch"]) },                 // to some branch
			func(p []byte) { put64(p[24:], 1<<50) },                           // to nowhere
			func(p []byte) { copy(p[24:32], p[40:48]) },                       // to the same page twice
			func(p []byte) { put32(p[32:], native.Uint32(p[16:])-16) },        // out of order
			func(p []byte) { put32(p[20:], 1<<31) },                           // a key outside
			func(p []byte) { put32(p[24:], 1<<32-1); put32(p[28:], 1<<32-1) }, // a long key
			func(p []byte) { put16(p[10:], 60_000) },                          // too many elements
			func(p []byte) { put16(p[10:], 0) },                               // none
			func(p []byte) { put16(p[10:], 0xFFFF); put64(p[16:], 1<<60) },
			func(p []byte) { put16(p[8:], 3) },      // an unknown page
			func(p []byte) { put32(p[12:], 3) },     // longer than it is
			func(p []byte) { put32(p[12:], 1<<31) }, // without end
			func(p []byte) { put64(p, 7) },          // another page
			func(p []byte) { put32(p[16:], 1) },     // a value as a bucket
		} {
			spoiled := bytes.Clone(file)
			spoil(pageOf(spoiled, m, id))
			got, report, err := salvaged(t, spoiled)
			if err != nil {
				t.Errorf("page %d, %s, damage %d: %v", id, kind, n, err)
			}
			a.check(t, fmt.Sprintf("page %d, %s, damage %d", id, kind, n), got, report, map[uint64]bool{id: true}, false)
		}
	}
}

// Rows of a leaf that the last commit wrote come back as the commit before it had them, and say so.
func TestSalvageFromEarlierCommit(t *testing.T) {
	file := workedFile(t)
	a := dissect(t, file)
	m, _ := newestMeta(bytes.NewReader(file))
	spoiled := bytes.Clone(file)
	clear(pageOf(spoiled, m, m.root)) // each commit writes it anew, with the small sections in it
	got, report, err := salvaged(t, spoiled)
	if err != nil || !report.Lost() {
		t.Fatalf("%+v, %v", report, err)
	}
	small := 0
	for key, e := range got {
		if strings.HasPrefix(key, "small\x00") {
			if e.Source != kv.Earlier {
				t.Errorf("%q is %v", key, e.Source)
			}
			small++
		}
	}
	if small == 0 {
		t.Error("nothing of the earlier commit")
	}
	for key, value := range a.entries {
		if strings.HasPrefix(key, "names\x00") && (got[key].Source != kv.Sure || string(got[key].Value) != value) {
			t.Fatalf("%q is %q, %v; want %q from a page in use", key, got[key].Value, got[key].Source, value)
		}
	}
}

// One meta is enough; without both, nothing is read.
func TestSalvageMetas(t *testing.T) {
	file := workedFile(t)
	a := dissect(t, file)
	m, _ := newestMeta(bytes.NewReader(file))
	newest := int64(m.transaction % 2)
	for _, tt := range []struct {
		name  string
		spoil func(b []byte)
		most  int // entries that may differ
	}{
		{"the older one", func(b []byte) { clear(b[(1-newest)*m.pageSize:][:m.pageSize]) }, 0},
		{"the newer one", func(b []byte) { clear(b[newest*m.pageSize:][:m.pageSize]) }, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spoiled := bytes.Clone(file)
			tt.spoil(spoiled)
			got, report, err := salvaged(t, spoiled)
			if err != nil || !report.MetaLost || !report.Lost() {
				t.Errorf("%+v, %v", report, err)
			}
			differ := 0
			for key, value := range a.entries {
				if string(got[key].Value) != value {
					differ++
				}
			}
			if differ > tt.most {
				t.Errorf("%d of %d entries differ, want at most %d", differ, len(a.entries), tt.most)
			}
		})
	}
	headless := bytes.Clone(file)
	clear(headless[:2*m.pageSize])
	if got, report, err := salvaged(t, headless); !errors.Is(err, kv.ErrDamaged) || !strings.Contains(err.Error(), "both meta pages are lost") || len(got) > 0 {
		t.Errorf("without both: %d entries, %+v, %v", len(got), report, err)
	}
}

// The list of free pages and a branch are lost: the pages below the branch can't be told from old ones, and what comes back of them is what the
// commit before had.
func TestSalvageWithoutFreeList(t *testing.T) {
	file := workedFile(t)
	a := dissect(t, file)
	m, _ := newestMeta(bytes.NewReader(file))
	var branch uint64
	for _, id := range slices.Sorted(maps.Keys(a.kinds)) {
		if a.kinds[id] == "branch" {
			branch = id
		}
	}
	spoiled := bytes.Clone(file)
	clear(pageOf(spoiled, m, branch))
	clear(pageOf(spoiled, m, m.freelist))
	got, report, err := salvaged(t, spoiled)
	if err != nil || !report.FreeLost || !report.Lost() {
		t.Errorf("%+v, %v", report, err)
	}
	below := 0
	for key := range a.entries {
		if slices.Contains(a.path[key], branch) {
			below++
			if e, there := got[key]; there && e.Source == kv.Sure {
				t.Fatalf("%q lies below the branch, and is said to be sure", key)
			}
		}
	}
	if below == 0 {
		t.Error("nothing lies below the branch")
	}
	a.check(t, "no free list", got, report, map[uint64]bool{branch: true}, true)
}

// Damage of all kinds at random places: it always ends, and what lies on good pages is there.
func TestSalvageRandomDamage(t *testing.T) {
	t.Parallel()
	file := workedFile(t)
	a := dissect(t, file)
	m, _ := newestMeta(bytes.NewReader(file))
	pages := uint64(len(file)) / uint64(m.pageSize)
	random := rand.New(rand.NewPCG(5, 6))
	rounds, step := 300, 37*1024
	if testing.Short() {
		rounds, step = rounds/5, 5*step
	}
	for round := range rounds {
		spoiled := bytes.Clone(file)
		damaged := map[uint64]bool{}
		blank := round%2 == 0
		for range 1 + random.IntN(12) {
			id := 2 + random.Uint64N(pages-2)
			damaged[id] = true
			p := pageOf(spoiled, m, id)
			switch {
			case blank:
				clear(p)
			case round%4 == 1:
				p[random.IntN(64)] ^= byte(1 + random.IntN(255)) // where the numbers are
			default:
				p[random.IntN(len(p))] ^= byte(1 + random.IntN(255))
			}
		}
		got, report, err := salvaged(t, spoiled)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		a.check(t, fmt.Sprintf("round %d, pages %v", round, damaged), got, report, damaged, blank)
	}
	for n := 0; n < len(file); n += step { // the end is lost
		got, report, err := salvaged(t, file[:n])
		if err != nil && n > 3*int(m.pageSize) && len(got) > 0 {
			t.Errorf("cut at %d: %v", n, err)
		}
		damaged := map[uint64]bool{}
		for id := uint64(n) / uint64(m.pageSize); id < pages; id++ {
			damaged[id] = true
		}
		if err == nil {
			a.check(t, fmt.Sprintf("cut at %d", n), got, report, damaged, true)
		}
	}
}

func FuzzSalvage(f *testing.F) {
	file := workedFile(f)
	f.Add(uint32(0), []byte("x"), uint32(1<<31))
	f.Add(uint32(4096*3+10), []byte{0xff, 0xff}, uint32(20_000))
	f.Fuzz(func(t *testing.T, at uint32, wrong []byte, size uint32) {
		spoiled := bytes.Clone(file[:min(int(size), len(file))])
		if len(spoiled) > 0 {
			copy(spoiled[int(at)%len(spoiled):], wrong)
		}
		salvaged(t, spoiled)
	})
}
