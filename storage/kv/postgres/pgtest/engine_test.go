package pgtest

import (
	"context"
	"fmt"
	"testing"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/faulttest"
	"ludoteca/storage/kv/postgres"
	"ludoteca/storage/kv/postgres/pgserver"
)

// A place implements faulttest.Crashing.
type place struct {
	options postgres.Options
	server  *server
}

// Open implements faulttest.Place.
func (p place) Open(with faulttest.Options) (kv.Store, error) {
	o := p.options
	if with.Through != nil {
		o.Address = through(with.Through)
	}
	o.TryTimeout, o.RequestTimeout, o.Meters = with.TryTimeout, with.RequestTimeout, with.Meters
	return postgres.Open(context.Background(), o)
}

// Server implements faulttest.Place.
func (p place) Server() (network, address string) { return "unix", p.server.Socket() }

// Forget implements faulttest.Place.
func (p place) Forget(t *testing.T, upTo kv.Revision) {
	t.Helper()
	p.server.exec(t, "postgres", "UPDATE "+p.options.Schema+".state SET floor = $1", int64(upTo))
	p.server.exec(t, "postgres", "DELETE FROM "+p.options.Schema+".changes WHERE revision < $1", int64(upTo)) // the newest one stays
}

// Crash implements faulttest.Crashing.
func (p place) Crash(t *testing.T) (restart func()) {
	t.Helper()
	if err := p.server.Kill(); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := p.server.Restart(); err != nil {
			t.Fatal(err)
		}
	}
}

// underTest returns how the engine is tested.
func underTest() faulttest.Engine {
	return faulttest.Engine{
		Shared: func(*testing.T) faulttest.Place { return place{shared.options(), shared} },
		Own: func(t *testing.T) faulttest.Crashing {
			s := another(t)
			return place{s.options(), s}
		},
		Unavailable: postgres.ErrUnavailable,
	}
}

func TestFaults(t *testing.T) { faulttest.Run(t, underTest()) }

func TestLongFaults(t *testing.T) {
	t.Parallel()
	faulttest.RunLong(t, underTest())
}

// proxyTo starts a proxy to a server.
func proxyTo(t *testing.T, s *server) *faulttest.Proxy {
	return faulttest.NewProxy(t, "unix", s.Socket())
}

// through returns the address of the database by way of a proxy.
func through(p *faulttest.Proxy) string {
	return fmt.Sprintf("postgres://%s@%s/postgres?sslmode=disable", pgserver.Superuser, p.Address())
}
