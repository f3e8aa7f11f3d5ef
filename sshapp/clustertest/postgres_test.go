package clustertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ludoteca/sshapp/clustertest/history"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/postgres"
	"ludoteca/storage/kv/postgres/pgserver"
)

// A postgresPair is two servers of PostgreSQL. One is the primary, and no commit is acknowledged that the other, its standby, does not have too.
type postgresPair struct {
	both    [2]*pgserver.Server
	primary int // index of the primary
}

var _ backend = (*postgresPair)(nil)

// pairNames are the names of the servers.
var pairNames = [2]string{"one", "two"}

// startPostgres starts a primary and its standby, which end with the test.
func startPostgres(t testing.TB) *postgresPair {
	t.Helper()
	settings := []string{"fsync=on", "max_connections=200", "shared_buffers=64MB", "wal_retrieve_retry_interval=1s"}
	one, err := pgserver.Start(settings...)
	pgserver.Require(t, err)
	t.Cleanup(func() { _ = one.Close() })
	two, err := one.Standby(pairNames[1], settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = two.Close() })
	if err := one.WaitFor(t.Context(), pairNames[1]); err != nil {
		t.Fatal(err)
	}
	return &postgresPair{both: [2]*pgserver.Server{one, two}}
}

func (p *postgresPair) servers() (all []endpoint) {
	for _, s := range p.both {
		all = append(all, endpoint{"unix", s.Socket()})
	}
	return all
}

func (p *postgresPair) address(at []string) string {
	return fmt.Sprintf("postgres://%s@%s/postgres?sslmode=disable&target_session_attrs=read-write", pgserver.Superuser, strings.Join(at, ","))
}

func (p *postgresPair) open(ctx context.Context) (kv.Store, error) {
	return postgres.Open(ctx, postgres.Options{Address: p.both[p.primary].URL("postgres", pgserver.Superuser), OpenTimeout: time.Minute})
}

func (p *postgresPair) cpu() time.Duration { return p.both[0].CPU() + p.both[1].CPU() }

func (p *postgresPair) logs() map[string]string {
	return map[string]string{"postgres-" + pairNames[0]: p.both[0].Log(), "postgres-" + pairNames[1]: p.both[1].Log()}
}

// killPrimary kills the primary and starts it again. Play is expected to go on from then on.
func (p *postgresPair) killPrimary(ctx context.Context, c *club, round time.Duration) history.Fault {
	return p.restart(ctx, c, p.primary, "the primary", round)
}

// killStandby does the same with the standby. Meanwhile nothing can be committed.
func (p *postgresPair) killStandby(ctx context.Context, c *club, round time.Duration) history.Fault {
	return p.restart(ctx, c, 1-p.primary, "the standby", round)
}

func (p *postgresPair) restart(ctx context.Context, c *club, which int, what string, round time.Duration) history.Fault {
	s := p.both[which]
	f := history.Fault{What: fmt.Sprintf("kill -9 of %s, %s", what, pairNames[which]), Start: time.Now()}
	if err := s.Kill(); err != nil {
		c.t.Fatal(err)
	}
	pause(ctx, round/5+c.upTo(round/5))
	if err := s.Restart(); err != nil {
		c.t.Fatal(err)
	}
	f.From = time.Now()
	p.replicate(ctx, c) // before something happens to the other server
	return f
}

// replicate has commits wait for the standby, and waits until it has all of them.
func (p *postgresPair) replicate(ctx context.Context, c *club) {
	if err := p.both[p.primary].WaitFor(ctx, pairNames[1-p.primary]); err != nil {
		c.t.Fatal(err)
	}
}

// promote ends the primary at once, promotes the standby, and has the old primary follow it. Before that the old primary may come back as it was, and
// take itself for the primary still. The next fault doesn't come before play must have gone on.
func (p *postgresPair) promote(ctx context.Context, c *club, round time.Duration) history.Fault {
	old, next := p.both[p.primary], p.both[1-p.primary]
	end, how := old.Kill, "kill -9"
	if c.random.IntN(3) == 0 {
		end, how = old.StopAtOnce, "immediate stop"
	}
	f := history.Fault{What: fmt.Sprintf("%s of the primary, %s, and promotion of %s", how, pairNames[p.primary], pairNames[1-p.primary]), Start: time.Now()}
	if err := end(); err != nil {
		c.t.Fatal(err)
	}
	pause(ctx, c.upTo(round/5))
	f.From = time.Now()
	if err := next.Promote(); err != nil {
		c.t.Fatal(err)
	}
	name := pairNames[p.primary]
	p.primary = 1 - p.primary
	if c.random.IntN(2) == 0 {
		f.What += ", and the old one comes back as it was"
		if err := old.Restart(); err != nil {
			c.t.Fatal(err)
		}
	}
	pause(ctx, c.upTo(round))
	if err := old.StopAtOnce(); err != nil {
		c.t.Fatal(err)
	}
	if err := old.Follow(next, name); err != nil {
		c.t.Fatal(err)
	}
	p.replicate(ctx, c)
	pause(ctx, time.Until(f.From.Add(resumeWithin+time.Second)))
	return f
}
