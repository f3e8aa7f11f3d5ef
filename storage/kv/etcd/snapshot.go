package etcd

import (
	"bytes"
	"context"
	"errors"
	"iter"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"ludoteca/storage/kv"
)

// Snapshots
//
// A snapshot is a revision of etcd, which one linearizable read finds out: it is no older than anything acknowledged
// before. All other reads name that revision, so any member that has reached it answers by itself; one that is behind is asked
// to catch up first.

// A snapshot implements kv.Reader at one revision. It lives as long as a call of View or Update, whose context it keeps.
type snapshot struct {
	store    *Store
	ctx      context.Context
	revision int64
}

// newest returns a snapshot of the present.
func (s *Store) newest(ctx context.Context) (*snapshot, error) {
	answer, err := s.get(ctx, s.options.Namespace+"v")
	if err != nil {
		return nil, err
	}
	return &snapshot{store: s, ctx: ctx, revision: answer.Header.Revision}, nil
}

// get reads from etcd until a member answers or time is up.
func (s *Store) get(ctx context.Context, key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	whole, cancel := context.WithTimeout(ctx, s.options.RequestTimeout)
	defer cancel()
	for n := 0; ; n++ {
		try, cancel := context.WithTimeout(whole, s.options.TryTimeout)
		answer, err := s.client.Get(try, key, options...)
		cancel()
		switch {
		case err == nil:
			return answer, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, rpctypes.ErrCompacted):
			return nil, kv.ErrCompacted
		case final(err) || errors.Is(err, rpctypes.ErrFutureRev) || whole.Err() != nil || pause(whole, backoff(n)) != nil:
			return nil, unavailable(ctx, err)
		}
	}
}

// read reads at the revision of the snapshot.
func (s *snapshot) read(key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	options = append(options, clientv3.WithRev(s.revision))
	answer, err := s.store.get(s.ctx, key, append(options, clientv3.WithSerializable())...)
	if errors.Is(err, rpctypes.ErrFutureRev) {
		answer, err = s.store.get(s.ctx, key, options...)
	}
	return answer, err
}

// Revision implements kv.Reader.
func (s *snapshot) Revision() kv.Revision { return kv.Revision(s.revision) }

// Get implements kv.Reader.
func (s *snapshot) Get(key []byte) ([]byte, error) {
	found, err := s.entry(key)
	if found == nil || err != nil {
		return nil, err
	}
	return s.value(found)
}

// entry returns what etcd has under a key, nil if there is nothing.
func (s *snapshot) entry(key []byte) (*mvccpb.KeyValue, error) {
	if kv.Check(key, nil) != nil {
		return nil, nil // nothing is there
	}
	answer, err := s.read(s.store.dataKey(key))
	if err != nil || len(answer.Kvs) == 0 {
		return nil, err
	}
	return answer.Kvs[0], nil
}

// Scan implements kv.Reader.
func (s *snapshot) Scan(r kv.Range) iter.Seq2[kv.Pair, error] {
	return scan(&pages{snapshot: s, r: r}, nil)
}

// dataKey is where etcd has the value of a key, or of a reference to it.
func (s *Store) dataKey(key []byte) string { return s.options.Namespace + "d" + string(key) }

// dataRange returns the first data key of a range and the first after it.
func (s *Store) dataRange(r kv.Range) (from, to string) {
	if r.To == nil {
		return s.dataKey(r.From), s.options.Namespace + "e"
	}
	return s.dataKey(r.From), s.dataKey(r.To)
}

// Pages of a scan are meant to have pageBytes; the first has firstPage keys, because most scans are short.
const (
	pageBytes = 256 << 10
	firstPage = 32
	maxPage   = 2000
)

// pages goes through a range of a snapshot. etcd counts all keys of the range for each page (some 100 ns each), and for a
// scan in reverse it reads and sorts them too.
type pages struct {
	snapshot *snapshot
	r        kv.Range
	loaded   []*mvccpb.KeyValue
	limit    int64
	last     bool // nothing follows what is loaded
	started  bool
}

// next returns the next entry, nil after the last.
func (p *pages) next() (*mvccpb.KeyValue, error) {
	if len(p.loaded) == 0 && !p.last {
		if err := p.load(); err != nil {
			return nil, err
		}
	}
	if len(p.loaded) == 0 {
		return nil, nil
	}
	found := p.loaded[0]
	p.loaded = p.loaded[1:]
	if len(p.loaded) == 0 { // the next page begins behind this key
		key := p.key(found)
		if p.r.Reverse {
			p.r.To = key
		} else {
			p.r.From = append(bytes.Clone(key), 0)
		}
	}
	return found, nil
}

func (p *pages) load() error {
	from, to := p.snapshot.store.dataRange(p.r)
	if from >= to {
		p.last = true
		return nil
	}
	if !p.started {
		p.started, p.limit = true, firstPage
	}
	options := []clientv3.OpOption{clientv3.WithRange(to), clientv3.WithLimit(p.limit)}
	if p.r.Reverse {
		options = append(options, clientv3.WithSort(clientv3.SortByKey, clientv3.SortDescend))
	}
	answer, err := p.snapshot.read(from, options...)
	if err != nil {
		return err
	}
	p.loaded, p.last = answer.Kvs, !answer.More
	size := 0
	for _, e := range answer.Kvs {
		size += len(e.Key) + len(e.Value)
	}
	if size > 0 {
		p.limit = min(max(int64(pageBytes*len(answer.Kvs)/size), 1), maxPage)
	}
	return nil
}

// key returns the key of an entry without the name space.
func (p *pages) key(e *mvccpb.KeyValue) []byte {
	return e.Key[len(p.snapshot.store.options.Namespace)+1:]
}
