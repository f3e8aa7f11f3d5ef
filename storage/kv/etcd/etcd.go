// Package etcd implements kv on an etcd cluster (3.5 or newer) that several nodes share.
//
// # What the cluster needs
//
// etcd must be started with --max-txn-ops of at least MaxOps; Open says so if it isn't. Its limit for requests
// (--max-request-bytes, 1.5 MiB) may stay. The engine drops history by amount (changes.go); for one that writes
// little, --auto-compaction-mode=periodic --auto-compaction-retention=1h does so by time. A View that lasts longer than
// the history is kept ends with kv.ErrCompacted.
//
// # Keys
//
// All keys begin with the club's name space, and go on with one byte:
//
//	d key                       a value, or a reference to one that is kept in parts (large_values.go)
//	c id part key               a part of a large value
//	t session slot              the last transaction of a slot (commit.go)
//	x section                   the last transaction that removed keys of a section (commit.go)
//	v                           the version of this format
//
// # Limits
//
// A transaction may read and write at most --max-txn-ops keys. Its keys, and its values of less than a few hundred bytes, may have
// --max-request-bytes together; larger values are stored beside it. A transaction that is too large gets ErrTooLarge and leaves no trace. Each
// event of a match has a key of its own, and nearly all transactions of the data model read or write a few keys for each match. The
// exception is recomputing ratings, which may change all later results: some 220 bytes each.
package etcd

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/remote"
)

var (
	// ErrUnavailable says that the cluster did not answer in time. Nothing was written.
	ErrUnavailable = errors.New("etcd does not answer")

	// ErrConflict says that others kept changing what a transaction had read. Nothing was written.
	ErrConflict = remote.ErrConflict

	// ErrTooLarge says that a transaction reads or writes more than etcd accepts. Nothing was written. It wraps kv.ErrInvalid.
	ErrTooLarge = fmt.Errorf("%w: a transaction that is too large", kv.ErrInvalid)

	// ErrFormat says that the name space holds something else than a store of this version.
	ErrFormat = errors.New("another version of the program made this store")
)

// MaxOps is how many comparisons, and how many writes, the cluster must take in one transaction: its --max-txn-ops.
const MaxOps = 8192

// Options say how to reach the cluster and how to use it. Endpoints and Namespace must be set.
type Options struct {
	Endpoints []string // HOST:PORT of each member; requests go to the first healthy one
	Namespace string   // what all keys begin with, as in "/ludoteca/club/"; no other may be the beginning of it

	CAFile            string // PEM; "" is the system's authorities, or no TLS if there is no certificate either
	CertFile, KeyFile string // PEM; both or neither. They are read again for each connection
	Username          string // "" for none
	Password          string

	OpenTimeout    time.Duration // until the cluster must have answered Open; 0 is 5 s
	TryTimeout     time.Duration // after which a request is sent to another member; 0 is 1 s
	RequestTimeout time.Duration // until a read, or a commit, must have its answer; 0 is 10 s
	PingEvery      time.Duration // between two pings of each member; 0 is 1 s

	Log    *slog.Logger // nil is silence
	Meters kv.Meters
}

// A Store is an open store. It implements kv.Store.
type Store struct {
	options  Options
	log      *slog.Logger
	security *tls.Config // nil is none
	members  []*member
	turn     atomic.Int64 // of the members, when all are out of order
	watches  atomic.Int64 // of etcd that have begun
	session  []byte       // names this open store among all
	calls    *remote.Calls
	changes  *remote.Changes[*tx]

	ctx     context.Context // ends when the store is closed
	cancel  context.CancelFunc
	worker  sync.WaitGroup // the goroutines of the store and of its watches
	written *remote.Amount // bytes, after which history is dropped

	latest remote.Revision
	health atomic.Pointer[Health]

	settling chan struct{} // held while unsure slots are settled

	mu      sync.Mutex
	slots   []*slot              // free ones
	made    int                  // slots ever made
	unsure  []*slot              // of transactions whose callers got kv.ErrCommit
	doubted bool                 // a commit has had no answer: it may still arrive
	tails   map[[2]string]string // where the tail of a range began when it was last scanned in reverse, by the bounds of the range

	closeOnce sync.Once
	closeErr  error
}

var _ kv.Store = (*Store)(nil)

// Open connects to the cluster and makes sure that it answers and takes what the engine sends. Its errors are one line
// for a person; they wrap ErrUnavailable, ErrFormat, or say what is wrong with the options or the cluster.
func Open(ctx context.Context, o Options) (*Store, error) {
	s, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("storage: open etcd at %s: %w", strings.Join(o.Endpoints, ","), err)
	}
	return s, nil
}

func open(ctx context.Context, o Options) (*Store, error) {
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{{&o.OpenTimeout, 5 * time.Second}, {&o.TryTimeout, time.Second}, {&o.RequestTimeout, 10 * time.Second}, {&o.PingEvery, time.Second}} {
		if *d.value <= 0 {
			*d.value = d.usual
		}
	}
	switch {
	case len(o.Endpoints) == 0:
		return nil, fmt.Errorf("%w: no endpoints", kv.ErrInvalid)
	case o.Namespace == "" || len(o.Namespace) > maxNamespace:
		return nil, fmt.Errorf("%w: a name space of %d bytes", kv.ErrInvalid, len(o.Namespace))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	security, err := o.tls()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	s := &Store{
		options: o, log: o.Log, security: security, session: make([]byte, 16), calls: remote.NewCalls(o.Meters),
		written: remote.NewAmount(historyBytes), settling: make(chan struct{}, 1), tails: map[[2]string]string{},
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.changes = remote.NewChanges(remote.Server[*tx]{
		Calls: s.calls, Seen: &s.latest, Settle: s.settleAll, Newest: s.newest, Begin: s.begin, Commit: s.commitTx, Retry: o.Meters.Retry, Log: s.log,
	})
	for _, endpoint := range o.Endpoints {
		s.members = append(s.members, &member{endpoint: endpoint})
	}
	_, _ = rand.Read(s.session) // never fails
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	err = s.connectAll()
	if err == nil {
		s.askMembers(ctx, true) // so that the first request goes to a healthy member
		if old := s.Health().TooOld; old != "" {
			err = fmt.Errorf("%w; a member has %s", errVersion, old)
		} else {
			err = s.check(ctx)
		}
	}
	if err != nil {
		_ = s.closeAll() // the error before it says more
		s.cancel()
		if errors.Is(err, ErrFormat) || errors.Is(err, errMaxOps) || errors.Is(err, errVersion) {
			return nil, err
		}
		return nil, o.whyNot(ctx, security, began, err)
	}
	s.logHealth(Health{Reachable: len(s.members)}, s.Health())
	s.worker.Go(s.maintain)
	s.worker.Go(s.watchHealth)
	return s, nil
}

// maxNamespace is the longest name space, in bytes.
const maxNamespace = 256

// tls returns nil if no file is given.
func (o *Options) tls() (*tls.Config, error) {
	if o.CAFile == "" && o.CertFile == "" && o.KeyFile == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CAFile != "" {
		text, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s holds no certificate", o.CAFile)
		}
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return nil, fmt.Errorf("%w: a certificate needs its key, and a key its certificate", kv.ErrInvalid)
	}
	if o.CertFile != "" {
		if _, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile); err != nil {
			return nil, err
		}
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
			return &pair, err
		}
	}
	return c, nil
}

// format is the version of the keys and values.
const format = "1"

// errMaxOps says that the cluster takes fewer operations than the engine sends.
var errMaxOps = fmt.Errorf("etcd must be started with --max-txn-ops=%d or more", MaxOps)

// errVersion says that the cluster is older than what the engine is tested with.
var errVersion = errors.New("etcd must be of version 3.5 or newer")

// check makes sure that the cluster answers, takes MaxOps operations, and holds a store of this format or none.
func (s *Store) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.OpenTimeout)
	defer cancel()
	key := s.options.Namespace + "v"
	fresh := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
	// A transaction without writes doesn't go through etcd's log, whatever it compares.
	compares := slices.Repeat([]clientv3.Cmp{fresh}, MaxOps)
	var answer *clientv3.TxnResponse
	err := s.ask(ctx, s.options.TryTimeout, func(ctx context.Context, c *clientv3.Client) (err error) {
		answer, err = c.Txn(ctx).If(compares...).Then(clientv3.OpGet(key)).Else(clientv3.OpGet(key)).Commit()
		return err
	})
	if err == nil && answer.Succeeded {
		// If a request was carried out without an answer, its retry finds the key.
		err = s.ask(ctx, s.options.TryTimeout, func(ctx context.Context, c *clientv3.Client) (err error) {
			answer, err = c.Txn(ctx).If(fresh).Then(clientv3.OpPut(key, format)).Else(clientv3.OpGet(key)).Commit()
			return err
		})
	}
	switch {
	case errors.Is(err, rpctypes.ErrTooManyOps):
		return errMaxOps
	case err != nil:
		return err
	case answer.Succeeded:
		return nil
	}
	if found := answer.Responses[0].GetResponseRange().Kvs; len(found) != 1 || string(found[0].Value) != format {
		return ErrFormat
	}
	return nil
}

// unavailable returns the error for a request that got no answer: the error of the caller's context if it has ended.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Close implements kv.Store.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.calls.Close()
		s.cancel()
		s.worker.Wait()
		if s.made > 0 && !s.doubted { // a commit that was fenced off must find its slot, however late it arrives
			err := s.once(context.Background(), s.options.TryTimeout, func(ctx context.Context, c *clientv3.Client) error {
				_, err := c.Delete(ctx, s.slotKey(), clientv3.WithPrefix())
				return err
			})
			if err != nil {
				s.log.Warn("the slots of the store stay until they are swept", "err", err)
			}
		}
		if err := s.closeAll(); err != nil {
			s.closeErr = fmt.Errorf("storage: close: %w", err)
		}
	})
	return s.closeErr
}

// View implements kv.Store.
func (s *Store) View(ctx context.Context, read func(kv.Reader) error) error {
	return s.calls.Read(ctx, func() error {
		if err := s.settleAll(ctx); err != nil {
			return err
		}
		newest, err := s.newest(ctx)
		if err != nil {
			return err
		}
		return remote.Catch(s.log, func() error { return read(&snapshot{store: s, ctx: ctx, revision: newest}) })
	})
}
