package postgres

import (
	"bytes"

	"ludoteca/storage/kv"
)

const (
	maxTogether      = 256     // transactions of a batch
	maxTogetherBytes = 4 << 20 // that they write, unless it is one alone
	maxTogetherOps   = 10_000  // keys that they read and write
	sureKey          = 2600    // bytes of a key that the index takes in any case
)

// A pending transaction waits to be committed.
type pending struct {
	tx     *tx
	fenced int // how many of its commits were fenced off before
	size   int // bytes that it writes
	ops    int // keys that it reads and writes
	writes int // keys that it writes
	alone  bool
	done   chan error // takes the outcome

	begun chan struct{} // holds one until the committer has begun with it, or its caller has given it up
}

func newPending(t *tx, fenced int) *pending {
	p := &pending{tx: t, fenced: fenced, done: make(chan error, 1), begun: make(chan struct{}, 1)}
	p.begun <- struct{}{}
	p.ops = len(t.reads.keys) + len(t.reads.ranges) + len(t.Prefixes())
	for w := range t.All() {
		p.size += len(w.Key) + len(w.Value)
		p.ops++
		p.writes++
		p.alone = p.alone || len(w.Key) > sureKey
	}
	p.alone = p.alone || p.size > maxTogetherBytes
	return p
}

// take reports whether the caller of take is the first, and so the one that decides what becomes of p.
func (p *pending) take() bool {
	select {
	case <-p.begun:
		return true
	default:
		return false
	}
}

// A batch is transactions that are committed together. They are independent of each other: none writes what another writes, and none reads
// what one before it writes.
type batch struct {
	all      []*pending
	size     int
	ops      int
	written  map[string]bool
	prefixes [][]byte
}

// fill moves transactions from waiting to a new batch: the first one, and all that fit. The others stay, in their order.
func fill(waiting []*pending) (b *batch, rest []*pending) {
	b = &batch{written: map[string]bool{}}
	for _, p := range waiting {
		if b.fits(p) {
			if p.take() { // else it was given up
				b.add(p)
			}
		} else {
			rest = append(rest, p)
		}
	}
	return b, rest
}

// fits reports whether a transaction can be committed with those in b.
func (b *batch) fits(p *pending) bool {
	switch {
	case len(b.all) == 0:
		return true
	case p.alone || b.all[0].alone || len(b.all) == maxTogether || b.size+p.size > maxTogetherBytes || b.ops+p.ops > maxTogetherOps:
		return false
	}
	for key := range p.tx.reads.keys {
		if b.writes([]byte(key)) {
			return false
		}
	}
	for w := range p.tx.All() {
		if b.writes(w.Key) {
			return false
		}
	}
	for _, e := range p.tx.reads.ranges {
		if b.writesIn(e.from, e.to) {
			return false
		}
	}
	for _, prefix := range p.tx.Prefixes() {
		if r := kv.Prefix(prefix); b.writesIn(r.From, r.To) {
			return false
		}
	}
	return true
}

// writes reports whether a transaction of b writes or removes a key.
func (b *batch) writes(key []byte) bool {
	if b.written[string(key)] {
		return true
	}
	for _, prefix := range b.prefixes {
		if bytes.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// writesIn reports whether a transaction of b writes or removes a key from one to another.
func (b *batch) writesIn(from, to []byte) bool {
	for key := range b.written {
		if key >= string(from) && key < string(to) {
			return true
		}
	}
	for _, prefix := range b.prefixes {
		if r := kv.Prefix(prefix); bytes.Compare(r.From, to) < 0 && bytes.Compare(from, r.To) < 0 {
			return true
		}
	}
	return false
}

func (b *batch) add(p *pending) {
	b.all = append(b.all, p)
	b.size += p.size
	b.ops += p.ops
	for w := range p.tx.All() {
		b.written[string(w.Key)] = true
	}
	b.prefixes = append(b.prefixes, p.tx.Prefixes()...)
}

// mostFenced returns how often a transaction of the batch was fenced off. Each time doubles the time for its next commit, because the database
// may be slow rather than down.
func (b *batch) mostFenced() (most int) {
	for _, p := range b.all {
		most = max(most, p.fenced)
	}
	return most
}

// rows returns how many keys the transactions of the batch write.
func (b *batch) rows() (n int64) {
	for _, p := range b.all {
		n += int64(p.writes)
	}
	return n
}

// finish answers all transactions of a batch.
func (b *batch) finish(err error) {
	for _, p := range b.all {
		p.done <- err
	}
}

// Arguments are what the function commit of the database takes in. The numbers of transactions count from 1.
type arguments struct {
	at                   []int64
	readers              []int32
	readKeys             [][]byte
	scanners             []int32
	scanFrom, scanTo     [][]byte
	removers             []int32
	removeFrom, removeTo [][]byte
	writers              []int32
	keys, values         [][]byte
}

// arguments returns what is sent for a batch.
func (b *batch) arguments() *arguments {
	// The database takes no NULL for an array that is empty.
	a := &arguments{
		readers: []int32{}, readKeys: [][]byte{}, scanners: []int32{}, scanFrom: [][]byte{}, scanTo: [][]byte{},
		removers: []int32{}, removeFrom: [][]byte{}, removeTo: [][]byte{}, writers: []int32{}, keys: [][]byte{}, values: [][]byte{},
	}
	for i, p := range b.all {
		number, reads := int32(i+1), p.tx.reads
		a.at = append(a.at, reads.snapshot.revision)
		for key := range reads.keys {
			a.readers, a.readKeys = append(a.readers, number), append(a.readKeys, []byte(key))
		}
		for _, e := range reads.ranges {
			if bytes.Compare(e.from, e.to) < 0 {
				a.scanners, a.scanFrom, a.scanTo = append(a.scanners, number), append(a.scanFrom, e.from), append(a.scanTo, e.to)
			}
		}
		for _, prefix := range p.tx.Prefixes() {
			r := kv.Prefix(prefix)
			a.removers, a.removeFrom, a.removeTo = append(a.removers, number), append(a.removeFrom, r.From), append(a.removeTo, r.To)
		}
		for w := range p.tx.All() {
			a.writers, a.keys, a.values = append(a.writers, number), append(a.keys, w.Key), append(a.values, w.Value)
		}
	}
	return a
}
