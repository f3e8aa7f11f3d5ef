package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/remote"
)

// How connections end
//
// pgx ends a request that takes too long by asking the server to cancel it, and keeps the connection until that is answered. A commit that
// waits for a synchronous standby must not be cancelled: the server would keep it without the standby, and show it to everybody. And a
// connection to a machine that is gone answers nothing. So each connection of the engine is closed at once when time is up, and nothing is
// cancelled: the server goes on with what it has begun.

// errNoCancel is the error of the connection over which pgx would cancel a request.
var errNoCancel = errors.New("requests are not cancelled")

// setup is what each connection begins with. Plans depend on nothing but the tables and their indexes, because the statistics of tables that
// grow within a minute from nothing are always old; so each is made once. What the operator may have made unsafe for all is safe here.
const setup = "SET default_transaction_isolation = 'read committed'; SET enable_seqscan = off; SET enable_bitmapscan = off; " +
	"SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; SET plan_cache_mode = force_generic_plan; SET statement_timeout = 60000; SET lock_timeout = 0; " +
	"SET idle_in_transaction_session_timeout = 10000; SET client_min_messages = error; " +
	"SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'; " +
	"SELECT current_setting('transaction_read_only')"

// sure is a commit of nothing, with which each connection begins: it is answered once all standbys that commits wait for have what the server had
// written before. A server that was killed has commits, once it runs again, which these may not have; and a standby may have been promoted
// meanwhile. What is read here must not be lost, so nothing is read there.
const sure = "SELECT pg_logical_emit_message(true, 'ludoteca', '')"

const (
	connectTimeout = 2 * time.Second // for each server, unless the address says another
	connections    = 16
)

// Check returns an error for an address that can't be one of a database.
func Check(address string) error {
	_, err := (&Options{Address: address}).poolConfig()
	return err
}

// poolConfig parses the address.
func (o *Options) poolConfig() (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(o.Address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", kv.ErrInvalid, err)
	}
	switch {
	case o.Connections > 0:
		c.MaxConns = int32(o.Connections)
	case !strings.Contains(o.Address, "pool_max_conns"):
		c.MaxConns = connections
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = connectTimeout
	}
	if _, set := c.ConnConfig.RuntimeParams["application_name"]; !set {
		c.ConnConfig.RuntimeParams["application_name"] = "ludoteca"
	}
	c.BeforeConnect = func(_ context.Context, one *pgx.ConnConfig) error { single(one); return nil }
	return c, nil
}

// single changes the configuration of one connection so that it begins with setup and is closed at once when time is up.
func single(c *pgx.ConnConfig) {
	var connected atomic.Bool
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}}
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if connected.Load() {
			return nil, errNoCancel
		}
		return dialer.DialContext(ctx, network, address)
	}
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler { return closer{conn} }
	c.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		results, err := conn.Exec(ctx, setup).ReadAll()
		if err != nil {
			return err
		}
		if last := results[len(results)-1]; len(last.Rows) != 1 || string(last.Rows[0][0]) != "off" {
			return ErrReadOnly
		}
		if _, err := conn.Exec(ctx, sure).ReadAll(); err != nil {
			return err
		}
		connected.Store(true)
		return nil
	}
}

// A closer closes a connection when the context of its request ends.
type closer struct{ conn *pgconn.PgConn }

// HandleCancel implements ctxwatch.Handler.
func (c closer) HandleCancel(context.Context) { _ = c.conn.Conn().Close() }

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (closer) HandleUnwatchAfterCancel() {}

// unencrypted returns the first server on another machine that a connection may reach without TLS, or that no certificate proves to be the
// right one; "" if there is none.
func unencrypted(c *pgx.ConnConfig) string {
	far := func(host string, security *tls.Config) bool {
		addr, err := netip.ParseAddr(host)
		here := strings.HasPrefix(host, "/") || strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
		return !here && (security == nil || security.InsecureSkipVerify && security.VerifyPeerCertificate == nil)
	}
	if far(c.Host, c.TLSConfig) {
		return c.Host
	}
	for _, f := range c.Fallbacks {
		if far(f.Host, f.TLSConfig) {
			return f.Host
		}
	}
	return ""
}

// placeOf names the servers and the database of a configuration, for people.
func placeOf(c *pgx.ConnConfig) string {
	var all []string
	add := func(host string, port uint16) {
		at := host
		if !strings.HasPrefix(host, "/") {
			at = net.JoinHostPort(host, fmt.Sprint(port))
		}
		if len(all) == 0 || all[len(all)-1] != at {
			all = append(all, at)
		}
	}
	add(c.Host, c.Port)
	for _, f := range c.Fallbacks {
		add(f.Host, f.Port)
	}
	return strings.Join(all, ",") + "/" + c.Database
}

// A link is one connection beside the pool, which is made when it is needed. It is for one goroutine at a time.
type link struct {
	config *pgx.ConnConfig
	conn   *pgx.Conn // nil is none
}

// get returns the connection.
func (l *link) get(ctx context.Context) (*pgx.Conn, error) {
	if l.conn != nil && !l.conn.IsClosed() {
		return l.conn, nil
	}
	config := l.config.Copy()
	single(config)
	var err error
	l.conn, err = pgx.ConnectConfig(ctx, config)
	return l.conn, err
}

// drop closes the connection at once. The server may go on with what it was sent.
func (l *link) drop() {
	if l.conn != nil {
		_ = l.conn.PgConn().Conn().Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = l.conn.Close(ctx)
		l.conn = nil
	}
}

// once runs a request on a connection of the pool, which must answer within limit.
func (s *Store) once(ctx context.Context, limit time.Duration, request func(ctx context.Context, c *pgxpool.Conn) error) error {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	try, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return request(try, c)
}

// ask runs an idempotent request until it is answered or RequestTimeout is over. The first try has TryTimeout for its answer, later ones up
// to four times as long. The error is the error of ctx if it has ended, kv.ErrCompacted, or one that wraps ErrUnavailable.
func (s *Store) ask(ctx context.Context, request func(ctx context.Context, c *pgxpool.Conn) error) error {
	defer kv.Wait(ctx)()
	whole, cancel := context.WithTimeout(ctx, s.options.RequestTimeout)
	defer cancel()
	err := remote.Repeat(whole, s.options.TryTimeout, func(limit time.Duration) error { return s.once(whole, limit, request) }, func(err error) bool {
		return final(err) || errors.Is(err, kv.ErrCompacted)
	})
	if err == nil || ctx.Err() == nil && errors.Is(err, kv.ErrCompacted) {
		return err
	}
	return unavailable(ctx, err)
}

// unavailable returns the error for a request that got no answer: the error of the caller's context if it has ended.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if codeOf(err) == codeReadOnly {
		err = ErrReadOnly
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, oneLine{err})
}

// oneLine is an error whose text is one line.
type oneLine struct{ error }

// Error implements error.
func (e oneLine) Error() string { return strings.Join(strings.Fields(e.error.Error()), " ") }

// Unwrap returns the error itself.
func (e oneLine) Unwrap() error { return e.error }

// Codes of PostgreSQL.
const (
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeReadOnly      = "25006"
	codeDiskFull      = "53100"
	codeLimit         = "54000" // of the program, such as a row of an index that is too long
	codeDenied        = "42501"
	codeNoSchema      = "3F000"
	codeNoTable       = "42P01"
	codeNoFunction    = "42883"
	codePassword      = "28P01"
	codeUser          = "28000"
	codeNoDatabase    = "3D000"
)

// codeOf returns the code with which the server has refused a request; "" if it has not.
func codeOf(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// refused reports whether the server has answered that it did not carry out a request, and the session goes on.
func refused(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.SeverityUnlocalized == "ERROR"
}

// final reports whether trying again is of no use.
func final(err error) bool {
	switch codeOf(err) {
	case codeDenied, codeNoSchema, codeNoTable, codeNoFunction, codePassword, codeUser, codeNoDatabase:
		return true
	}
	return false
}
