package pages

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"ludoteca/storage/kv"
)

// Salvage reads what can be read of a damaged bbolt file of size bytes, and passes each entry to put. It only reads, and
// believes nothing: it ends, and takes no more memory than a few dozen bytes a page and the largest entry, whatever
// the file holds. The error is one of put, or wraps kv.ErrDamaged if both meta pages are lost.
//
// Where a tree is broken, entries come from two other places, the surer first:
//
//  1. pages that are in use, as the list of free pages says, and that no page leads to: they hung below a damaged branch.
//     They hold just what the newest state held. If the list is lost too, nothing tells them from old pages, and they are left alone.
//  2. the state before the last commit, whose meta page and pages bbolt keeps until the next one.
//
// Both count only for the ranges of keys that could not be read, so nothing old ever takes the place of what the
// newest state holds, nor comes back where it is known to be deleted.
func Salvage(f io.ReaderAt, size int64, o kv.SalvageOptions, put func(kv.Salvaged) error) (kv.SalvageReport, error) {
	s := &salvage{file: f, put: put, options: o, gaps: map[string][]*gap{}}
	if s.options.Fits == nil {
		s.options.Fits = func(string, []byte, []byte) bool { return true }
	}
	states := s.states(size)
	if len(states) == 0 {
		return s.report, fmt.Errorf("%w: both meta pages are lost, and nothing else says where the data begins; only a backup helps", kv.ErrDamaged)
	}
	err := s.run(states)
	s.reportGaps()
	return s.report, err
}

// A salvage reads one damaged file.
type salvage struct {
	file    io.ReaderAt
	options kv.SalvageOptions
	put     func(kv.Salvaged) error
	report  kv.SalvageReport

	pageSize int64
	pages    uint64            // in the file, as far as it goes
	reached  bitmap            // pages of the newest state that were read
	inUse    bitmap            // these and their overflow
	gaps     map[string][]*gap // by section, in order
	free     bitmap            // nil if the list of free pages is lost
	stray    int               // pages in use of which nothing is known
}

// A bitmap is a set of page numbers.
type bitmap []uint64

func newBitmap(n uint64) bitmap { return make(bitmap, n/64+1) }

func (b bitmap) has(id uint64) bool { return id/64 < uint64(len(b)) && b[id/64]&(1<<(id%64)) != 0 }

func (b bitmap) set(id uint64) {
	if id/64 < uint64(len(b)) {
		b[id/64] |= 1 << (id % 64)
	}
}

// A gap is a range of keys of which some could not be read.
type gap struct {
	after, before []byte // the keys around it that were read; nil is an end of the section
	damage        []damage
	covered       []span // by pages in use that were found
	found         int
	earlier       int
	whole         bool
}

// A damage is a page that could not be read, or not all of it.
type damage struct {
	page    uint64
	problem string
	rows    int // lost entries of a leaf
	depth   int
	leaf    bool // it was one, as its depth says
}

// A span is the first and the last key of a page.
type span struct{ first, last []byte }

func (g *gap) holds(first, last []byte) bool {
	return (g.after == nil || bytes.Compare(g.after, first) < 0) && (g.before == nil || bytes.Compare(last, g.before) < 0)
}

// mergeCovered sorts g.covered and makes one of spans that overlap.
func (g *gap) mergeCovered() {
	slices.SortFunc(g.covered, func(a, b span) int { return bytes.Compare(a.first, b.first) })
	merged := g.covered[:0]
	for _, c := range g.covered {
		if n := len(merged); n > 0 && bytes.Compare(c.first, merged[n-1].last) <= 0 {
			if bytes.Compare(c.last, merged[n-1].last) > 0 {
				merged[n-1].last = c.last
			}
			continue
		}
		merged = append(merged, c)
	}
	g.covered = merged
}

// isCovered reports whether a page that was found has the place of a key, after mergeCovered.
func (g *gap) isCovered(key []byte) bool {
	i := sort.Search(len(g.covered), func(i int) bool { return bytes.Compare(g.covered[i].first, key) > 0 })
	return i > 0 && bytes.Compare(key, g.covered[i-1].last) <= 0
}

// gapAround returns the gap of a section that holds these keys, nil if there is none.
func (s *salvage) gapAround(section string, first, last []byte) *gap {
	all := s.gaps[section]
	i := sort.Search(len(all), func(i int) bool { return all[i].before == nil || bytes.Compare(first, all[i].before) < 0 })
	if i < len(all) && all[i].holds(first, last) {
		return all[i]
	}
	return nil
}

// run reads the newest state, which comes first, and what is missing in it from elsewhere.
func (s *salvage) run(states []fileMeta) error {
	newest := states[0]
	sections, roots, err := s.sections(newest.root, s.reached, s.use)
	if err != nil {
		return err
	}
	for _, section := range sections {
		if err := s.section(section); err != nil {
			return err
		}
	}
	s.readFree(newest)
	if len(roots) > 0 {
		if err := s.lostSections(sections, roots, states); err != nil {
			return err
		}
	}
	if len(s.gaps) == 0 {
		return nil
	}
	if s.free != nil {
		if err := s.orphans(); err != nil {
			return err
		}
	}
	s.settle()
	for _, state := range states[1:] {
		if err := s.earlier(state); err != nil {
			return err
		}
	}
	return nil
}

// states returns the metas that are whole, the newest first.
func (s *salvage) states(size int64) []fileMeta {
	var states []fileMeta
	first, ok := readMeta(s.file, 0)
	if ok {
		states = append(states, first)
		s.pageSize = first.pageSize
	}
	for at := int64(minPage); at <= maxPage; at *= 2 {
		if s.pageSize != 0 && at != s.pageSize {
			continue
		}
		if second, ok := readMeta(s.file, at); ok && second.pageSize == at {
			states = append(states, second)
			s.pageSize = at
			break
		}
	}
	if len(states) == 0 {
		return nil
	}
	slices.SortFunc(states, func(a, b fileMeta) int {
		if a.transaction > b.transaction {
			return -1
		}
		return 1
	})
	s.report.MetaLost = len(states) < 2
	s.setPages(size, states[0].pages)
	return states
}

// setPages says how many pages there are, of which the file may have fewer.
func (s *salvage) setPages(size int64, pages uint64) {
	s.pages = min(pages, uint64(size+s.pageSize-1)/uint64(s.pageSize))
	s.stray = 0
	if s.pages < pages {
		s.stray = 1 // at least: some of what is cut off may have been in use
	}
	s.reached, s.inUse = newBitmap(s.pages), newBitmap(s.pages)
}

// maxExtent bounds a page with its overflow: room for two of the largest entries, which bbolt may put on one page.
const maxExtent = 2*(kv.MaxKey+kv.MaxValue) + maxPage

// read reads a page with its overflow. A problem, in words, means that there is no such page.
func (s *salvage) read(id uint64) (p filePage, problem string) {
	if id < 2 || id >= s.pages {
		return p, "is not in the file"
	}
	first := make([]byte, s.pageSize)
	if n, err := s.file.ReadAt(first, int64(id)*s.pageSize); n < len(first) {
		if err == io.EOF {
			return p, "is cut off"
		}
		return p, "can't be read"
	}
	if native.Uint64(first) != id {
		return p, "has a wrong header"
	}
	extent := (int64(native.Uint32(first[12:])) + 1) * s.pageSize
	p = filePage{id, native.Uint16(first[8:]), int(native.Uint16(first[10:])), first}
	if extent == s.pageSize {
		return p, ""
	}
	// The number may be damaged: what doesn't fit is left out, and the entries are looked at one by one.
	extent = min(extent, maxExtent, int64(s.pages-id)*s.pageSize)
	p.data = make([]byte, extent)
	n, _ := s.file.ReadAt(p.data, int64(id)*s.pageSize)
	p.data = p.data[:n]
	return p, ""
}

// An entry is an element of a page, and ok if it makes sense.
type entry struct {
	key, value []byte
	below      uint64 // of a branch
	bucket     bool   // of a leaf: the value is one
	ok         bool
}

// entries returns the elements of a branch or leaf, and how many bytes of the page they take. Those with keys outside low to
// high, or out of order, are not ok; there are as few of the latter as can be.
func (p filePage) entries(low, high []byte) (all []entry, extent int) {
	if headerBytes+p.count*elementBytes > len(p.data) {
		return nil, 0
	}
	all = make([]entry, p.count)
	extent = headerBytes + p.count*elementBytes
	for i := range all {
		e, _ := p.element(i)
		v := &all[i]
		var both []byte
		var pos, size uint64
		if p.flags == branchFlag {
			pos, size = uint64(native.Uint32(e)), uint64(native.Uint32(e[4:]))
			v.below = native.Uint64(e[8:])
			both, v.ok = p.slice(i, pos, size)
		} else {
			pos, size = uint64(native.Uint32(e[4:])), uint64(native.Uint32(e[8:]))
			both, v.ok = p.slice(i, pos, size+uint64(native.Uint32(e[12:])))
			v.bucket = native.Uint32(e) == bucketFlag
			v.ok = v.ok && native.Uint32(e) <= bucketFlag
		}
		if !v.ok || size == 0 {
			v.ok = false
			continue
		}
		v.key, v.value = both[:size:size], both[size:]
		v.ok = bytes.Compare(v.key, low) >= 0 && (high == nil || bytes.Compare(v.key, high) < 0)
		extent = max(extent, headerBytes+i*elementBytes+int(pos)+len(both))
	}
	keepOrder(all)
	return all, extent
}

// keepOrder leaves as many entries ok as can be with rising keys: a longest rising sequence.
func keepOrder(all []entry) {
	var ends []int // ends[n] is the entry with the least key that a rising sequence of n+1 entries ends with
	before := make([]int, len(all))
	for i := range all {
		if !all[i].ok {
			continue
		}
		n := sort.Search(len(ends), func(n int) bool { return bytes.Compare(all[ends[n]].key, all[i].key) >= 0 })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
		all[i].ok = false
	}
	if len(ends) == 0 {
		return
	}
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		all[i].ok = true
	}
}

// A salvageWalk goes through one tree of a state as far as it can.
type salvageWalk struct {
	s       *salvage
	buckets bool   // it is the tree of sections
	seen    bitmap // pages that were read
	row     func(key, value []byte) error
	fits    func(key, value []byte) bool  // nil is everything
	want    func(low, high []byte) bool   // whether a range is to be read; nil is all
	used    func(id uint64, pages uint64) // is told of pages that were read; may be nil
	gaps    []*gap
	last    []byte // the last key that was read
	open    *gap   // since then
	leaves  int    // how deep they are; -1 before the first
}

func (w *salvageWalk) page(id uint64, low, high []byte, depth int) error {
	if w.want != nil && !w.want(low, high) {
		return nil
	}
	p, problem := w.s.read(id)
	switch {
	case problem != "":
	case depth > maxDepth:
		problem = "is too deep"
	case w.seen.has(id):
		problem = "is used twice"
	case p.flags == branchFlag:
		return w.branch(p, low, high, depth)
	case p.flags == leafFlag:
		return w.leaf(p, low, high, depth)
	default:
		problem = "is of a wrong kind"
	}
	w.lost(damage{page: id, problem: problem, depth: depth})
	return nil
}

// lost notes that something could not be read after the last key.
func (w *salvageWalk) lost(d damage) {
	if w.open == nil {
		w.open = &gap{after: w.last}
		w.gaps = append(w.gaps, w.open)
	}
	w.open.damage = append(w.open.damage, d)
}

func (w *salvageWalk) branch(p filePage, low, high []byte, depth int) error {
	all, extent := p.entries(low, high)
	if !slices.ContainsFunc(all, func(e entry) bool { return e.ok }) {
		w.lost(damage{page: p.id, problem: "leads nowhere", depth: depth})
		return nil
	}
	w.accept(p.id, extent)
	for i, e := range all {
		if !e.ok {
			w.lost(damage{page: p.id, problem: "has damaged entries", depth: depth + 1})
			continue
		}
		end := high
		for _, next := range all[i+1:] {
			if next.ok {
				end = next.key
				break
			}
		}
		if err := w.page(e.below, e.key, end, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// accept notes that a page belongs to the tree.
func (w *salvageWalk) accept(id uint64, extent int) {
	if id == 0 {
		return // a bucket without a page of its own
	}
	w.seen.set(id)
	if w.used != nil {
		w.used(id, (uint64(extent)+uint64(w.s.pageSize)-1)/uint64(w.s.pageSize))
	}
}

func (w *salvageWalk) leaf(p filePage, low, high []byte, depth int) error {
	all, extent := p.entries(low, high)
	good, fitting := 0, 0
	for i, e := range all {
		all[i].ok = e.ok && e.bucket == w.buckets
		if all[i].ok {
			good++
			if w.fits == nil || w.fits(e.key, e.value) {
				fitting++
			}
		}
	}
	// Nothing but its entries says to whom a whole tree of one page belongs.
	if p.count > 0 && (good == 0 || fitting == 0 && low == nil && high == nil) {
		w.lost(damage{page: p.id, problem: "holds nothing that belongs there", depth: depth, rows: len(all)})
		return nil
	}
	w.accept(p.id, extent)
	w.leaves = depth
	for _, e := range all {
		if !e.ok {
			w.lost(damage{page: p.id, problem: "has damaged entries", depth: depth, rows: 1})
			continue
		}
		if w.open != nil {
			w.open.before = bytes.Clone(e.key)
			w.open = nil
		}
		w.last = append(w.last[:0:0], e.key...)
		if err := w.row(e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}

// A sectionTree is a section with the value of its bucket.
type sectionTree struct {
	name  string
	value []byte
}

// sections reads the tree of all sections, and returns what is missing in it too.
func (s *salvage) sections(root uint64, seen bitmap, used func(id, pages uint64)) (found []sectionTree, gaps []*gap, err error) {
	w := &salvageWalk{s: s, buckets: true, seen: seen, used: used, leaves: -1}
	w.row = func(key, value []byte) error {
		if len(value) < bucketBytes {
			w.lost(damage{problem: "half a bucket"})
			return nil
		}
		found = append(found, sectionTree{string(key), bytes.Clone(value)})
		return nil
	}
	err = w.page(root, nil, nil, 0)
	return found, w.gaps, err
}

// use marks a page of the newest state and the pages after it that belong to it.
func (s *salvage) use(id, pages uint64) {
	s.reached.set(id)
	for p := id; p < id+pages; p++ {
		s.inUse.set(p)
	}
}

// section reads a section of the newest state.
func (s *salvage) section(section sectionTree) error {
	w := s.walkSection(section.name, s.reached, func(key, value []byte) error { return s.emit(section.name, key, value, kv.Sure) })
	w.used = s.use
	if err := w.bucket(section.value); err != nil {
		return err
	}
	for _, g := range w.gaps {
		for i := range g.damage {
			g.damage[i].leaf = g.damage[i].depth == w.leaves
		}
	}
	if len(w.gaps) > 0 {
		s.gaps[section.name] = w.gaps
	}
	return nil
}

func (s *salvage) walkSection(name string, seen bitmap, row func(key, value []byte) error) *salvageWalk {
	fits := func(key, value []byte) bool { return s.options.Fits(name, key, value) }
	return &salvageWalk{s: s, seen: seen, row: row, fits: fits, leaves: -1}
}

// isOfAnother reports whether the first leaf below a root has no entry that fits the section. A branch that a damaged number leads to
// must not be taken from the section that it belongs to.
func (w *salvageWalk) isOfAnother(id uint64) bool {
	for range maxDepth {
		p, problem := w.s.read(id)
		if problem != "" {
			return false
		}
		all, _ := p.entries(nil, nil)
		i := slices.IndexFunc(all, func(e entry) bool { return e.ok })
		switch {
		case i < 0:
			return false
		case p.flags == branchFlag:
			id = all[i].below
			continue
		}
		return !slices.ContainsFunc(all, func(e entry) bool { return e.ok && w.fits(e.key, e.value) })
	}
	return false
}

// bucket reads the tree of a bucket with a value.
func (w *salvageWalk) bucket(value []byte) error {
	if root := native.Uint64(value); root != 0 {
		if w.isOfAnother(root) {
			w.lost(damage{page: root, problem: "belongs to another section"})
			return nil
		}
		return w.page(root, nil, nil, 0)
	}
	data := value[bucketBytes:]
	if len(data) < headerBytes || native.Uint16(data[8:]) != leafFlag {
		w.lost(damage{problem: "half a bucket"})
		return nil
	}
	return w.leaf(filePage{0, leafFlag, int(native.Uint16(data[10:])), data}, nil, nil, 0)
}

func (s *salvage) emit(section string, key, value []byte, source kv.Source) error {
	whole := make([]byte, 0, len(section)+1+len(key))
	whole = append(append(append(whole, section...), 0), key...)
	if kv.Check(whole, value) != nil {
		return nil // no store of ours has such an entry
	}
	return s.put(kv.Salvaged{Key: whole, Value: value, Source: source})
}

// readFree reads the list of free pages of the newest state, and forgets one that doesn't agree with the state.
func (s *salvage) readFree(newest fileMeta) {
	free, ok := s.freelist(newest.freelist)
	for id := uint64(2); ok && id < s.pages; id++ {
		ok = !free.has(id) || !s.inUse.has(id)
	}
	s.report.FreeLost = !ok
	if ok {
		s.free = free
	}
}

// freelist reads a list of free pages, and marks its own pages as free: they hold no entries.
func (s *salvage) freelist(id uint64) (bitmap, bool) {
	p, problem := s.read(id)
	if problem != "" || p.flags != freelistFlag {
		return nil, false
	}
	numbers, n := p.data[headerBytes:], uint64(p.count)
	if n == 0xFFFF {
		n, numbers = native.Uint64(numbers), numbers[8:]
	}
	if n > uint64(len(numbers))/8 {
		return nil, false
	}
	free := newBitmap(s.pages)
	for ; n > 0; n, numbers = n-1, numbers[8:] {
		if native.Uint64(numbers) < 2 {
			return nil, false
		}
		free.set(native.Uint64(numbers))
	}
	for page := range uint64(len(p.data)) / uint64(s.pageSize) {
		free.set(id + page)
	}
	return free, true
}

// lostSections finds the sections that the newest state should have and of which the list could not be read. Those on pages
// in use that nothing leads to are read; the others are gaps as a whole.
func (s *salvage) lostSections(have []sectionTree, lost []*gap, states []fileMeta) error {
	var more []sectionTree
	known := map[string]bool{}
	for _, section := range have {
		known[section.name] = true
	}
	for id := uint64(2); s.free != nil && id < s.pages; id++ {
		if s.inUse.has(id) || s.free.has(id) {
			continue
		}
		p, problem := s.read(id)
		if problem != "" || p.flags != leafFlag || p.count == 0 {
			continue
		}
		all, extent := p.entries(nil, nil)
		if slices.ContainsFunc(all, func(e entry) bool { return !e.ok || !e.bucket || len(e.value) < bucketBytes }) || len(all) == 0 {
			continue
		}
		s.use(id, (uint64(extent)+uint64(s.pageSize)-1)/uint64(s.pageSize))
		for _, e := range all {
			if name := string(e.key); !known[name] {
				known[name] = true
				more = append(more, sectionTree{name, bytes.Clone(e.value)})
			}
		}
	}
	for _, section := range more {
		if err := s.section(section); err != nil {
			return err
		}
	}
	broken := slices.Clone(lost[0].damage)
	for i := range broken {
		broken[i].rows = 0 // those were sections
	}
	names := slices.Clone(s.options.Sections)
	for _, state := range states[1:] {
		older, _, err := s.sections(state.root, newBitmap(s.pages), nil)
		if err != nil {
			return err
		}
		for _, section := range older {
			names = append(names, section.name)
		}
	}
	for _, name := range names {
		if !known[name] {
			known[name] = true
			s.gaps[name] = []*gap{{damage: broken}}
		}
	}
	return nil
}

// An orphan is a leaf that no page leads to, in the gap into which it fits.
type orphan struct {
	id      uint64
	section string
	gap     *gap
	keys    span
	doubted bool // its keys overlap another orphan's
}

// orphans reads the leaves in use that no page leads to, and gives them to the gaps into which they fit.
func (s *salvage) orphans() error {
	found := s.findOrphans()
	s.doubtOverlaps(found)
	for _, o := range found {
		if o.doubted {
			continue
		}
		p, _ := s.read(o.id)
		all, _ := p.entries(nil, nil)
		o.gap.found += len(all)
		o.gap.covered = append(o.gap.covered, o.keys)
		for _, e := range all {
			if err := s.emit(o.section, e.key, e.value, kv.Sure); err != nil {
				return err
			}
		}
	}
	return nil
}

// doubtOverlaps marks leaves whose keys overlap. Leaves in use never do: a key at the end of one of them is damaged, and
// nothing says of which, so neither is read.
func (s *salvage) doubtOverlaps(found []orphan) {
	byKey := make([]*orphan, len(found))
	for i := range found {
		byKey[i] = &found[i]
	}
	slices.SortFunc(byKey, func(a, b *orphan) int {
		return cmp.Or(strings.Compare(a.section, b.section), bytes.Compare(a.keys.first, b.keys.first))
	})
	var widest *orphan // of the section, the one whose keys go furthest
	for _, o := range byKey {
		if widest != nil && widest.section == o.section && bytes.Compare(o.keys.first, widest.keys.last) <= 0 {
			widest.doubted, o.doubted = true, true
			s.stray++
		}
		if widest == nil || widest.section != o.section || bytes.Compare(o.keys.last, widest.keys.last) > 0 {
			widest = o
		}
	}
}

func (s *salvage) findOrphans() (found []orphan) {
	damaged := map[uint64]bool{}
	for _, all := range s.gaps {
		for _, g := range all {
			for _, d := range g.damage {
				damaged[d.page] = true
			}
		}
	}
	for id := uint64(2); id < s.pages; id++ {
		if s.inUse.has(id) || s.free.has(id) {
			continue
		}
		p, problem := s.read(id)
		if problem != "" || p.flags != leafFlag && p.flags != branchFlag && p.flags != freelistFlag {
			if !damaged[id] {
				s.stray++
			}
			continue
		}
		if p.flags == freelistFlag {
			continue
		}
		all, extent := p.entries(nil, nil)
		if len(all) == 0 || slices.ContainsFunc(all, func(e entry) bool { return !e.ok || e.bucket }) {
			if p.count > 0 && !damaged[id] {
				s.stray++
			}
			continue
		}
		if p.flags == leafFlag {
			if o := s.place(all); o.gap == nil {
				s.stray++
			} else {
				o.id = id
				found = append(found, o)
			}
		}
		id += (uint64(extent)+uint64(s.pageSize)-1)/uint64(s.pageSize) - 1 // what follows are values
	}
	return found
}

// place returns the gap of the section that the entries of a leaf fit best. If there are two such sections, or none, there is no gap.
func (s *salvage) place(all []entry) (o orphan) {
	first, last := all[0].key, all[len(all)-1].key
	most, tie := 0, false
	for name := range s.gaps {
		g := s.gapAround(name, first, last)
		if g == nil {
			continue
		}
		n := 0
		for _, e := range all {
			if s.options.Fits(name, e.key, e.value) {
				n++
			}
		}
		if n == most {
			tie = true
		}
		if n > most {
			o.gap, o.section, most, tie = g, name, n, false
		}
	}
	if tie || 2*most <= len(all) {
		return orphan{}
	}
	o.keys = span{bytes.Clone(first), bytes.Clone(last)}
	return o
}

// settle finds the gaps that are filled: the damaged pages were branches, everything below them was found, and there is no
// page in use that can't be told.
func (s *salvage) settle() {
	for _, all := range s.gaps {
		for _, g := range all {
			g.mergeCovered()
			leaf := slices.ContainsFunc(g.damage, func(d damage) bool { return d.leaf || d.rows > 0 })
			g.whole = !leaf && g.found > 0 && s.stray == 0 && s.free != nil
		}
	}
}

// earlier fills gaps from the state of an earlier commit.
func (s *salvage) earlier(state fileMeta) error {
	sections, _, err := s.sections(state.root, newBitmap(s.pages), nil)
	if err != nil {
		return err
	}
	for _, section := range sections {
		all := s.gaps[section.name]
		if !slices.ContainsFunc(all, func(g *gap) bool { return !g.whole }) {
			continue
		}
		w := s.walkSection(section.name, newBitmap(s.pages), func(key, value []byte) error {
			g := s.gapAround(section.name, key, key)
			if g == nil || g.whole || g.isCovered(key) {
				return nil
			}
			g.earlier++
			return s.emit(section.name, key, value, kv.Earlier)
		})
		w.want = func(low, high []byte) bool { return overlaps(all, low, high) }
		if err := w.bucket(section.value); err != nil {
			return err
		}
	}
	return nil
}

// overlaps reports whether one of the gaps reaches into a range of keys, which begins with low and ends before high.
func overlaps(all []*gap, low, high []byte) bool {
	i := sort.Search(len(all), func(i int) bool { return all[i].before == nil || bytes.Compare(low, all[i].before) < 0 })
	return i < len(all) && (high == nil || all[i].after == nil || bytes.Compare(all[i].after, high) < 0)
}

// reportGaps puts all gaps into the report, by section.
func (s *salvage) reportGaps() {
	names := make([]string, 0, len(s.gaps))
	for name := range s.gaps {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, g := range s.gaps[name] {
			if len(s.report.Losses) == kv.MaxLosses {
				if !g.whole {
					s.report.More++
				}
				continue
			}
			l := kv.Loss{
				Section: name, After: g.after, Before: g.before, Problem: g.damage[0].problem,
				Found: g.found, Earlier: g.earlier, Whole: g.whole,
			}
			for _, d := range g.damage {
				l.Rows += d.rows
				if len(l.Pages) < maxPagesListed && !slices.Contains(l.Pages, d.page) {
					l.Pages = append(l.Pages, d.page)
				}
			}
			s.report.Losses = append(s.report.Losses, l)
		}
	}
}

// maxPagesListed is how many pages of one loss are listed.
const maxPagesListed = 8
