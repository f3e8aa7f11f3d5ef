package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/remote"
)

// Choosing a member
//
// Each member has a client of its own. A request goes to the first member in Options.Endpoints that is healthy, so each node should list
// the one on its own machine first. A member is out of order from the first request or ping that it doesn't answer until it answers a
// ping. A ping is a linearizable read, which needs a leader. So a member that hangs costs the requests waiting for it one TryTimeout, and
// later requests nothing; a member that answers nothing but pings costs one TryTimeout per PingEvery.

// A member is a member of the cluster.
type member struct {
	endpoint   string
	client     atomic.Pointer[clientv3.Client] // nil until the member has accepted the password
	outOfOrder atomic.Bool
}

// connect makes the client of a member. With a password it waits for an answer, at most for limit.
func (o *Options) connect(endpoint string, security *tls.Config, limit time.Duration) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{
		Endpoints:            []string{endpoint},
		DialTimeout:          limit,
		DialKeepAliveTime:    10 * time.Second,
		DialKeepAliveTimeout: 5 * time.Second,
		PermitWithoutStream:  true,
		TLS:                  security,
		Username:             o.Username,
		Password:             o.Password,
		MaxCallSendMsgSize:   maxSend + maxRequest,
		MaxUnaryRetries:      2,            // the second with a new token; other members are tried by us
		Logger:               zap.NewNop(), // it would write to stderr; what matters is in the errors
		DialOptions: []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           grpcbackoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: o.TryTimeout,
		})},
	})
}

// connectAll makes the clients of all members. It fails if none could be made, or if one failed for good, as with a wrong password.
func (s *Store) connectAll() error {
	errs := make([]error, len(s.members))
	var connecting sync.WaitGroup
	for i, m := range s.members {
		connecting.Go(func() {
			c, err := s.options.connect(m.endpoint, s.security, s.options.OpenTimeout)
			m.client.Store(c)
			m.outOfOrder.Store(err != nil)
			errs[i] = err
		})
	}
	connecting.Wait()
	connected := false
	for _, err := range errs {
		if err != nil && final(err) {
			return err
		}
		connected = connected || err == nil
	}
	if !connected {
		return errs[0]
	}
	return nil
}

// closeAll closes the clients of all members.
func (s *Store) closeAll() (err error) {
	for _, m := range s.members {
		if c := m.client.Load(); c != nil {
			if e := c.Close(); e != nil && !errors.Is(e, context.Canceled) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}

// member returns the member for the next request. While none is healthy, they take turns.
func (s *Store) member() *member {
	for _, m := range s.members {
		if !m.outOfOrder.Load() {
			return m
		}
	}
	for {
		if m := s.members[int(s.turn.Add(1))%len(s.members)]; m.client.Load() != nil {
			return m // there is one, or Open would have failed
		}
	}
}

// once sends a request to one member and waits for its answer for at most limit. A member that doesn't answer is out of order from then on.
func (s *Store) once(ctx context.Context, limit time.Duration, send func(ctx context.Context, c *clientv3.Client) error) error {
	m := s.member()
	try, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := send(try, m.client.Load())
	if err != nil && ctx.Err() == nil && !final(err) && !errors.Is(err, rpctypes.ErrCompacted) && !errors.Is(err, rpctypes.ErrFutureRev) {
		m.outOfOrder.Store(true)
	}
	return err
}

// ask sends an idempotent request to one member after another until one answers or RequestTimeout is over. The first has limit to answer,
// later ones up to four times as long. The error is the error of ctx if it has ended, kv.ErrCompacted, or one that wraps ErrUnavailable.
func (s *Store) ask(ctx context.Context, limit time.Duration, send func(ctx context.Context, c *clientv3.Client) error) error {
	defer kv.Wait(ctx)()
	whole, cancel := context.WithTimeout(ctx, s.options.RequestTimeout)
	defer cancel()
	err := remote.Repeat(whole, limit, func(limit time.Duration) error { return s.once(whole, limit, send) }, func(err error) bool {
		return final(err) || errors.Is(err, rpctypes.ErrCompacted) || errors.Is(err, rpctypes.ErrFutureRev)
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil && errors.Is(err, rpctypes.ErrCompacted):
		return kv.ErrCompacted
	}
	return unavailable(ctx, err)
}

// ping sends a linearizable read to a member, and marks the member as healthy or out of order.
func (s *Store) ping(ctx context.Context, m *member) error {
	c := m.client.Load()
	if c == nil {
		var err error
		if c, err = s.options.connect(m.endpoint, s.security, s.pingTimeout()); err != nil {
			return err
		}
		m.client.Store(c)
	}
	_, err := c.Get(ctx, s.options.Namespace+"v", clientv3.WithKeysOnly())
	if !errors.Is(ctx.Err(), context.Canceled) { // the store is being closed
		m.outOfOrder.Store(err != nil)
	}
	return err
}

// status asks a member for its size and alarms. Another member may report more alarms.
func (m *member) status(ctx context.Context) (*etcdserverpb.StatusResponse, error) {
	c := m.client.Load()
	return clientv3.RetryMaintenanceClient(c, c.ActiveConnection()).Status(ctx, &etcdserverpb.StatusRequest{})
}
