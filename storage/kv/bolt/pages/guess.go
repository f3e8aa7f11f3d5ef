package pages

import (
	"math/bits"
	"slices"
)

// When both metas are lost, the pages themselves have to say how large they are and which of them is the root of a state.

// The bounds of a guess.
const (
	pagesProbed   = 4096 // to find the size of a page
	rootsCompared = 256
)

// guess returns a state of a file without metas. After a commit, bbolt leaves the pages of the states before it alone, so
// several may be whole, and no page says when it was written. The best is the one with the most sections that the store should
// have, then the one with the fewest damaged pages, then the one with the most entries.
func (s *salvage) guess(size int64) (fileMeta, bool) {
	s.report.MetaLost, s.report.Guessed = true, true
	best, most := int64(0), 0
	for n := int64(minPage); n <= maxPage; n *= 2 {
		s.pageSize = n
		s.setPages(size, uint64(size))
		hits := 0
		for id := uint64(2); id < min(s.pages, pagesProbed); id++ {
			if flags, ok := s.kind(id); ok && bits.OnesCount16(flags) == 1 && flags&(branchFlag|leafFlag|freelistFlag) != 0 {
				hits++
			}
		}
		if hits > most {
			best, most = n, hits
		}
	}
	if most == 0 {
		return fileMeta{}, false
	}
	s.pageSize = best
	s.setPages(size, uint64(size))
	m := fileMeta{pageSize: best, freelist: noFreelist, pages: s.pages}
	var chosen *rootState
	compared := 0
	for id := uint64(2); id < s.pages && compared < rootsCompared; id++ {
		if !s.mayBeRoot(id) {
			continue
		}
		compared++
		if r := s.tryRoot(id, chosen); r != nil && r.better(chosen) {
			chosen = r
		}
	}
	if chosen == nil {
		return m, false
	}
	m.root = chosen.id
	most = -1
	for id := uint64(2); id < s.pages; id++ {
		if flags, ok := s.kind(id); !ok || flags != freelistFlag {
			continue
		}
		free, ok := s.freelist(id)
		n := 0
		for i := range free {
			ok = ok && free[i]&chosen.used[i] == 0
			n += bits.OnesCount64(free[i])
		}
		if ok && n > most {
			m.freelist, most = id, n
		}
	}
	return m, true
}

// kind returns the flags of a page whose header has its number.
func (s *salvage) kind(id uint64) (flags uint16, ok bool) {
	header := make([]byte, headerBytes)
	if _, err := s.file.ReadAt(header, int64(id)*s.pageSize); err != nil {
		return 0, false
	}
	return native.Uint16(header[8:]), native.Uint64(header) == id
}

// mayBeRoot reports whether a page is a leaf with buckets alone, or a branch above one.
func (s *salvage) mayBeRoot(id uint64) bool {
	for range 3 {
		p, problem := s.read(id)
		if problem != "" || p.flags != leafFlag && p.flags != branchFlag {
			return false
		}
		all, _ := p.entries(nil, nil)
		if len(all) == 0 || slices.ContainsFunc(all, func(e entry) bool { return !e.ok }) {
			return false
		}
		if p.flags == leafFlag {
			return !slices.ContainsFunc(all, func(e entry) bool { return !e.bucket || len(e.value) < bucketBytes })
		}
		id = all[0].below
	}
	return false
}

// A rootState says how good a state is that a root leads to.
type rootState struct {
	id                   uint64
	known, damaged, rows int
	used                 bitmap
}

func (r *rootState) better(than *rootState) bool {
	switch {
	case than == nil || r.known != than.known:
		return than == nil || r.known > than.known
	case r.damaged != than.damaged:
		return r.damaged < than.damaged
	}
	return r.rows > than.rows
}

// tryRoot goes through a state without keeping its entries, and returns nil as soon as it can't be the best.
func (s *salvage) tryRoot(id uint64, best *rootState) *rootState {
	r := &rootState{id: id, used: newBitmap(s.pages)}
	use := func(id, pages uint64) {
		for p := id; p < id+pages; p++ {
			r.used.set(p)
		}
	}
	seen := newBitmap(s.pages)
	sections, gaps, err := s.sections(id, seen, use)
	if err != nil {
		return nil
	}
	r.damaged = len(gaps)
	for _, section := range sections {
		if len(s.options.Sections) == 0 || slices.Contains(s.options.Sections, section.name) {
			r.known++
		}
	}
	if r.known == 0 || best != nil && r.known < best.known {
		return nil
	}
	for _, section := range sections {
		w := s.walkSection(section.name, seen, func([]byte, []byte) error { r.rows++; return nil })
		w.used = use
		if w.bucket(section.value) != nil {
			return nil
		}
		for _, g := range w.gaps {
			r.damaged += len(g.damage)
		}
		if best != nil && r.known == best.known && r.damaged > best.damaged {
			return nil
		}
	}
	return r
}
