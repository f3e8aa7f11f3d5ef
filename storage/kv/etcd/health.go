package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

// A Health is the state of the cluster when its members were last asked.
type Health struct {
	At        time.Time // when the members were pinged
	Members   int       // in Options.Endpoints
	Reachable int       // how many of them answered, so they see a leader

	Bytes int64 // size of the largest member's file; 0 if no member has answered yet
	InUse int64 // of that, without free pages
	Quota int64 // the smallest quota of a member, in bytes; 0 if it is not known (etcd before 3.6)

	TooOld string // the version of a member that is older than 3.5; "" if none is

	NoSpace bool // the alarm NOSPACE: a member has reached its quota, and nothing can be written
	Corrupt bool // the alarm CORRUPT: the members hold different data
}

const (
	healthTimeout = time.Second // for the answers to a ping and a request for the status
	pingsAStatus  = 10          // every tenth ping is followed by a request for the status: sizes and alarms
)

func (s *Store) pingTimeout() time.Duration { return min(healthTimeout, s.options.TryTimeout) }

// Health returns how the cluster was doing when it was last asked: a second ago, and for sizes and alarms up to ten.
func (s *Store) Health() Health {
	if h := s.health.Load(); h != nil {
		return *h
	}
	return Health{}
}

// Queued returns how many transactions have begun and not ended.
func (s *Store) Queued() int { return s.calls.Writing() }

// watchHealth asks the members every PingEvery, and logs changes, until the store is closed.
func (s *Store) watchHealth() {
	ticker := time.NewTicker(s.options.PingEvery)
	defer ticker.Stop()
	for n := 1; ; n++ {
		select {
		case <-ticker.C:
			was := s.Health()
			s.askMembers(s.ctx, n%pingsAStatus == 0)
			s.logHealth(was, s.Health())
		case <-s.ctx.Done():
			return
		}
	}
}

// askMembers pings all members, asks for their sizes and alarms if status is set, and updates health.
func (s *Store) askMembers(ctx context.Context, status bool) {
	ctx, cancel := context.WithTimeout(ctx, s.pingTimeout())
	defer cancel()
	now := s.Health()
	now.Members, now.Reachable = len(s.members), 0
	sizes := Health{}
	var mu sync.Mutex // guards now and sizes
	var asking sync.WaitGroup
	for _, m := range s.members {
		asking.Go(func() {
			if s.ping(ctx, m) != nil {
				return
			}
			mu.Lock()
			now.Reachable++
			mu.Unlock()
			if !status {
				return
			}
			if answer, err := m.status(ctx); err == nil {
				mu.Lock()
				defer mu.Unlock()
				sizes.add(answer)
			}
		})
	}
	asking.Wait()
	if sizes.Bytes > 0 {
		sizes.Members, sizes.Reachable = now.Members, now.Reachable
		now = sizes
	}
	now.At = time.Now()
	s.health.Store(&now)
}

// add merges the status of a member into h.
func (h *Health) add(answer *etcdserverpb.StatusResponse) {
	h.Bytes, h.InUse = max(h.Bytes, answer.DbSize), max(h.InUse, answer.DbSizeInUse)
	if q := answer.DbSizeQuota; q > 0 && (h.Quota == 0 || q < h.Quota) {
		h.Quota = q
	}
	if tooOld(answer.Version) {
		h.TooOld = answer.Version
	}
	for _, e := range answer.Errors {
		h.NoSpace = h.NoSpace || strings.Contains(e, "NOSPACE")
		h.Corrupt = h.Corrupt || strings.Contains(e, "CORRUPT")
	}
}

// tooOld reports whether a version of etcd is below 3.5. Text that is not a version is not too old.
func tooOld(version string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return n == 2 && (major < 3 || major == 3 && minor < 5)
}

// logHealth logs the difference between two states.
func (s *Store) logHealth(was, now Health) {
	if s.ctx.Err() != nil {
		return
	}
	for _, alarm := range []struct {
		name     string
		was, now bool
	}{{"NOSPACE", was.NoSpace, now.NoSpace}, {"CORRUPT", was.Corrupt, now.Corrupt}} {
		switch {
		case alarm.now && !alarm.was:
			s.log.Error("etcd has raised an alarm", "alarm", alarm.name, "bytes", now.Bytes, "quota", now.Quota)
		case alarm.was && !alarm.now:
			s.log.Info("etcd's alarm is over", "alarm", alarm.name)
		}
	}
	switch {
	case now.Reachable < was.Reachable:
		s.log.Warn("members of etcd do not answer", "reachable", now.Reachable, "members", now.Members)
	case now.Reachable > was.Reachable:
		s.log.Info("members of etcd answer again", "reachable", now.Reachable, "members", now.Members)
	}
}

// whyNot explains to a person why the cluster could not be opened, in one line.
func (o *Options) whyNot(caller context.Context, security *tls.Config, began time.Time, err error) error {
	switch {
	case caller.Err() != nil:
		return caller.Err()
	case errors.Is(err, rpctypes.ErrAuthFailed):
		return fmt.Errorf("it doesn't know the user %q, or the password is wrong", o.Username)
	case errors.Is(err, rpctypes.ErrUserEmpty):
		return errors.New("it wants a user and a password")
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		return fmt.Errorf("the user %q may not read and write the keys that begin with %s", o.Username, o.Namespace)
	case final(err):
		return err
	}
	took := time.Since(began).Round(100 * time.Millisecond)
	ctx, cancel := context.WithTimeout(caller, healthTimeout)
	defer cancel()
	reasons := make([]string, len(o.Endpoints))
	var asking sync.WaitGroup
	for i, endpoint := range o.Endpoints {
		asking.Go(func() {
			reason := "it can be reached, and answers nothing"
			if err := reach(ctx, endpoint, security); err != nil {
				reason = err.Error()
			}
			reasons[i] = endpoint + ": " + reason
		})
	}
	asking.Wait()
	return fmt.Errorf("%w within %v; %s", ErrUnavailable, took, strings.Join(reasons, "; "))
}

// What may be wrong with a member that accepts connections.
var (
	errSpeaksTLS = errors.New("it speaks TLS, and no certificate authority was given")
	errPlain     = errors.New("it does not speak TLS, which was asked for")
)

// reach connects to a member and returns why that fails.
func reach(ctx context.Context, endpoint string, security *tls.Config) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		inner, ok := errors.AsType[*net.OpError](err)
		if ok && inner.Err != nil {
			err = inner.Err
		}
		return err
	}
	defer conn.Close()
	if security == nil {
		probe := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) // only to see whether it speaks TLS; nothing is sent
		err := probe.HandshakeContext(ctx)
		if _, plain := errors.AsType[tls.RecordHeaderError](err); err == nil || errors.As(err, new(*tls.CertificateVerificationError)) || !plain && strings.Contains(err.Error(), "tls:") {
			return errSpeaksTLS
		}
		return nil
	}
	config := security.Clone()
	if host, _, err := net.SplitHostPort(endpoint); err == nil {
		config.ServerName = host
	}
	config.NextProtos = []string{"h2"}
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		if _, plain := errors.AsType[tls.RecordHeaderError](err); plain || errors.Is(err, io.EOF) {
			return errPlain
		}
		return err
	}
	// With TLS 1.3 a member refuses a client's certificate after the handshake.
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetReadDeadline(deadline)
	}
	if _, err := secure.Read(make([]byte, 1)); err != nil && strings.Contains(err.Error(), "tls:") {
		return err
	}
	return nil
}

// Size returns the size in bytes of the largest member's file. The error is ErrUnavailable if no member has answered yet.
func (s *Store) Size() (int64, error) {
	if h := s.Health(); h.Bytes > 0 {
		return h.Bytes, nil
	}
	return 0, ErrUnavailable
}

// Room returns how many bytes the file of the largest member may still grow before it reaches the quota. The error wraps ErrUnavailable
// if the quota is not known.
func (s *Store) Room() (int64, error) {
	h := s.Health()
	if h.Quota == 0 {
		return 0, fmt.Errorf("%w, or it is older than 3.6: its quota is not known", ErrUnavailable)
	}
	if h.NoSpace {
		return 0, nil
	}
	return max(h.Quota-h.Bytes, 0), nil
}
