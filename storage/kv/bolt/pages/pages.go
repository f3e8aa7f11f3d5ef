// Package pages checks the structure of a bbolt file before bbolt opens it.
//
// bbolt maps its file into memory and believes every number in it: one wrong byte can send it outside the mapping,
// round in circles, or let it write over good pages later. Check walks the file with ordinary reads and believes
// nothing. That takes a second or two a gigabyte.
//
//	page 0, page 1   two metas: magic, page size, root, freelist, how many pages, transaction, checksum.
//	                 The valid one with the higher transaction counts
//	any other page   header: id, flags, count, overflow (further pages that belong to this one)
//	  branch         count elements: where the key is, the page below
//	  leaf           count elements: flags, where key and value are. Flag 1: the value is a bucket, that is the
//	                 number of its root page and a sequence; root 0: its only page follows in the value itself
//	  freelist       count page numbers (from 65535 on the first number is the count)
//
// Numbers are in the byte order of the machine. Each page but the metas must be reached at most once.
package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/bits"

	"ludoteca/storage/kv"
)

const (
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	noFreelist  = ^uint64(0)

	branchFlag   = 0x01
	leafFlag     = 0x02
	freelistFlag = 0x10
	bucketFlag   = 0x01 // of a leaf element

	headerBytes  = 16 // of a page
	elementBytes = 16
	bucketBytes  = 16
	metaBytes    = 64

	minPage  = 1 << 10
	maxPage  = 1 << 24
	maxDepth = 64 // of any tree; real ones have four levels or so
)

var native = binary.NativeEndian

// Check checks the structure of a bbolt file of size bytes, and only reads. The error wraps kv.ErrDamaged or is one of
// the file.
func Check(f io.ReaderAt, size int64) error {
	m, err := newestMeta(f)
	if err != nil {
		return err
	}
	if m.pages < 4 || m.pages > uint64(size)/uint64(m.pageSize) {
		return fmt.Errorf("%w: the end of the file is lost", kv.ErrDamaged)
	}
	readAll(f, size)
	w := &walk{file: f, meta: m, seen: make([]uint64, m.pages/64+1)}
	if err := w.tree(m.root, nil, nil, 0); err != nil {
		return err
	}
	return w.freelist()
}

// readAll reads a file once, unless it is small, so that the system has it in memory when the walk asks for pages all over it. 690 MB
// that are on disk alone are checked in half the time. A hard disk, or one with a limit of operations a second, has some thousand reads
// in a row instead of some hundred thousand here and there. readAll ignores errors: the walk finds them if the page is in use. It reads
// from the end to the beginning because Linux keeps what is read forwards in pieces of 2 MB; each piece counts as memory of the process
// as soon as bbolt looks at one page of it.
func readAll(f io.ReaderAt, size int64) {
	const length, small = 256 << 10, 16 << 20
	if size < small {
		return
	}
	piece := make([]byte, length)
	for at := (size - 1) / length * length; at >= 0; at -= length {
		f.ReadAt(piece[:min(length, size-at)], at)
	}
}

// InUse returns how many bytes of a bbolt file that Check has passed are in pages that are not free.
func InUse(f io.ReaderAt) (int64, error) {
	m, err := newestMeta(f)
	if err != nil {
		return 0, err
	}
	w := &walk{file: f, meta: m, seen: make([]uint64, m.pages/64+1)}
	free, err := w.free()
	return (int64(m.pages) - int64(len(free)/8)) * m.pageSize, err
}

// A fileMeta is a meta page that has passed its checks.
type fileMeta struct {
	pageSize                           int64
	root, freelist, pages, transaction uint64
}

// newestMeta returns the meta that counts.
func newestMeta(f io.ReaderAt) (fileMeta, error) {
	first, ok := readMeta(f, 0)
	if ok {
		if second, ok := readMeta(f, first.pageSize); ok && second.transaction > first.transaction {
			return second, nil
		}
		return first, nil
	}
	for at := int64(minPage); at <= maxPage; at *= 2 {
		if second, ok := readMeta(f, at); ok && second.pageSize == at {
			return second, nil
		}
	}
	return fileMeta{}, fmt.Errorf("%w: its beginning is lost", kv.ErrDamaged)
}

func readMeta(f io.ReaderAt, at int64) (fileMeta, bool) {
	b := make([]byte, metaBytes)
	if _, err := f.ReadAt(b, at+headerBytes); err != nil {
		return fileMeta{}, false
	}
	sum := fnv.New64a()
	sum.Write(b[:56])
	m := fileMeta{
		pageSize: int64(native.Uint32(b[8:])),
		root:     native.Uint64(b[16:]), freelist: native.Uint64(b[32:]), pages: native.Uint64(b[40:]),
		transaction: native.Uint64(b[48:]),
	}
	ok := native.Uint32(b) == metaMagic && native.Uint32(b[4:]) == metaVersion && native.Uint64(b[56:]) == sum.Sum64() &&
		m.pageSize >= minPage && m.pageSize <= maxPage && bits.OnesCount64(uint64(m.pageSize)) == 1
	return m, ok
}

// A walk goes through all pages that a meta leads to.
type walk struct {
	file  io.ReaderAt
	meta  fileMeta
	seen  []uint64             // one bit a page
	pages [maxDepth + 1][]byte // the page that is looked at in each depth, for the next one there to be read into
}

// A filePage is a page with those that belong to it.
type filePage struct {
	id    uint64
	flags uint16
	count int
	data  []byte // header included
}

func (w *walk) damaged(page uint64, what string) error {
	return fmt.Errorf("%w: page %d %s", kv.ErrDamaged, page, what)
}

// page reads a page and marks it as seen. Its data are valid until the next page is read at the same depth.
func (w *walk) page(id uint64, depth int) (filePage, error) {
	if id < 2 || id >= w.meta.pages {
		return filePage{}, w.damaged(id, "is not in the file")
	}
	if w.pages[depth] == nil {
		w.pages[depth] = make([]byte, w.meta.pageSize)
	}
	data := w.pages[depth] // most pages are alone: one read for each
	if err := w.read(data, id); err != nil {
		return filePage{}, err
	}
	last := id + uint64(native.Uint32(data[12:]))
	if native.Uint64(data) != id || last >= w.meta.pages {
		return filePage{}, w.damaged(id, "has a wrong header")
	}
	for p := id; p <= last; p++ {
		if !w.mark(p) {
			return filePage{}, w.damaged(p, "is used twice")
		}
	}
	if last > id {
		data = make([]byte, int64(last-id+1)*w.meta.pageSize)
		if err := w.read(data, id); err != nil {
			return filePage{}, err
		}
	}
	return filePage{id, native.Uint16(data[8:]), int(native.Uint16(data[10:])), data}, nil
}

func (w *walk) read(b []byte, id uint64) error {
	_, err := w.file.ReadAt(b, int64(id)*w.meta.pageSize)
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return w.damaged(id, "is cut off")
	}
	var inPath *fs.PathError
	if errors.As(err, &inPath) {
		err = inPath.Err // the caller adds the path
	}
	return fmt.Errorf("page %d can't be read: %w", id, err)
}

// mark marks a page as seen, and reports whether it is the first time.
func (w *walk) mark(id uint64) bool {
	bit := uint64(1) << (id % 64)
	first := w.seen[id/64]&bit == 0
	w.seen[id/64] |= bit
	return first
}

// tree checks the pages from a root on. All keys must be at least low and below high, where nil is no bound.
func (w *walk) tree(root uint64, low, high []byte, depth int) error {
	if depth > maxDepth {
		return w.damaged(root, "is too deep")
	}
	p, err := w.page(root, depth)
	if err != nil {
		return err
	}
	switch p.flags {
	case branchFlag:
		return w.branch(p, low, high, depth)
	case leafFlag:
		return w.leaf(p, low, high, depth)
	}
	return w.damaged(root, "is of a wrong kind")
}

func (w *walk) branch(p filePage, low, high []byte, depth int) error {
	keys := make([][]byte, p.count)
	below := make([]uint64, p.count)
	for i := range keys {
		e, ok := p.element(i)
		if ok {
			keys[i], ok = p.slice(i, uint64(native.Uint32(e)), uint64(native.Uint32(e[4:])))
		}
		if !ok {
			return w.damaged(p.id, "points outside itself")
		}
		below[i] = native.Uint64(e[8:])
	}
	if p.count == 0 || !sorted(keys, low, high) {
		return w.damaged(p.id, "is out of order")
	}
	for i, id := range below {
		end := high
		if i+1 < p.count {
			end = keys[i+1]
		}
		if err := w.tree(id, keys[i], end, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) leaf(p filePage, low, high []byte, depth int) error {
	var before []byte
	for i := range p.count {
		e, ok := p.element(i)
		var both []byte
		if ok {
			both, ok = p.slice(i, uint64(native.Uint32(e[4:])), uint64(native.Uint32(e[8:]))+uint64(native.Uint32(e[12:])))
		}
		if !ok {
			return w.damaged(p.id, "points outside itself")
		}
		size := native.Uint32(e[8:])
		key := both[:size]
		if i == 0 && bytes.Compare(key, low) < 0 || i > 0 && bytes.Compare(key, before) <= 0 {
			return w.damaged(p.id, "is out of order")
		}
		before = key
		switch native.Uint32(e) {
		case 0:
		case bucketFlag:
			if err := w.bucket(p.id, both[size:], depth); err != nil {
				return err
			}
		default:
			return w.damaged(p.id, "holds something unknown")
		}
	}
	if p.count > 0 && high != nil && bytes.Compare(before, high) >= 0 {
		return w.damaged(p.id, "is out of order")
	}
	return nil
}

// bucket checks the bucket that is the value of an element.
func (w *walk) bucket(id uint64, value []byte, depth int) error {
	if len(value) < bucketBytes {
		return w.damaged(id, "holds half a bucket")
	}
	if root := native.Uint64(value); root != 0 {
		return w.tree(root, nil, nil, depth+1)
	}
	data := value[bucketBytes:]
	if len(data) < headerBytes || native.Uint16(data[8:]) != leafFlag || depth > maxDepth {
		return w.damaged(id, "holds half a bucket")
	}
	return w.leaf(filePage{id, leafFlag, int(native.Uint16(data[10:])), data}, nil, nil, depth+1)
}

// element returns the i-th element of a branch or leaf.
func (p filePage) element(i int) ([]byte, bool) {
	at := headerBytes + i*elementBytes
	if at+elementBytes > len(p.data) {
		return nil, false
	}
	return p.data[at : at+elementBytes], true
}

// slice returns n bytes that are pos bytes after the i-th element, and after all elements.
func (p filePage) slice(i int, pos, n uint64) ([]byte, bool) {
	from := uint64(headerBytes+i*elementBytes) + pos
	if from < uint64(headerBytes+p.count*elementBytes) || from+n > uint64(len(p.data)) {
		return nil, false
	}
	return p.data[from : from+n], true
}

// sorted reports whether keys rise from low to below high.
func sorted(keys [][]byte, low, high []byte) bool {
	for i, k := range keys {
		if bytes.Compare(k, low) < 0 || high != nil && bytes.Compare(k, high) >= 0 {
			return false
		}
		if i > 0 && bytes.Compare(keys[i-1], k) >= 0 {
			return false
		}
	}
	return true
}

// freelist checks the list of free pages, none of which may be in use.
func (w *walk) freelist() error {
	free, err := w.free()
	for ; err == nil && len(free) > 0; free = free[8:] {
		if page := native.Uint64(free); page < 2 || page >= w.meta.pages || !w.mark(page) {
			return w.damaged(page, "is free and in use")
		}
	}
	return err
}

// free returns the numbers of the free pages, 8 bytes each.
func (w *walk) free() ([]byte, error) {
	id := w.meta.freelist
	if id == noFreelist {
		return nil, nil // bbolt makes one by a walk of its own
	}
	p, err := w.page(id, 0)
	if err != nil {
		return nil, err
	}
	if p.flags != freelistFlag {
		return nil, w.damaged(id, "is of a wrong kind")
	}
	free, n := p.data[headerBytes:], uint64(p.count)
	if n == 0xFFFF {
		n, free = native.Uint64(free), free[8:]
	}
	if n > uint64(len(free))/8 {
		return nil, w.damaged(id, "points outside itself")
	}
	return free[:8*n], nil
}
