package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

// Standby starts a new server that follows this one, under a name and with some settings. The caller must call Close.
func (s *Server) Standby(name string, settings ...string) (*Server, error) {
	standby, err := prepare(settings)
	if err != nil {
		return nil, err
	}
	if err := standby.Follow(s, name); err != nil {
		return nil, errors.Join(err, standby.Close())
	}
	return standby, nil
}

// Follow has a server that is stopped begin again as a standby of another one that runs, under a name, or under that of its setting cluster_name if the
// name is empty. Its data becomes a copy of the other's.
func (s *Server) Follow(primary *Server, name string) error {
	if err := os.RemoveAll(s.Data()); err != nil {
		return err
	}
	from := fmt.Sprintf("host=%s user=%s", primary.folder, Superuser)
	if name != "" {
		from += " application_name=" + name
	}
	if err := s.run("pg_basebackup", "--dbname", from, "--pgdata", s.Data(), "--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf",
		"--no-sync"); err != nil {
		return err
	}
	return s.Restart()
}

// Promote makes a standby a primary.
func (s *Server) Promote() error {
	return s.run("pg_ctl", "promote", "--pgdata", s.Data(), "--wait", "--timeout", fmt.Sprint(int(patience.Seconds())))
}

// WaitFor has each commit wait until the standby of this name has it too, or until no standby has if the name is empty. It returns when that is so and
// the standby has all that was committed before.
func (s *Server) WaitFor(ctx context.Context, standby string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := pgx.Connect(ctx, s.URL("postgres", Superuser))
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	name := pgx.Identifier{standby}.Sanitize()
	if standby == "" {
		name = ""
	}
	if _, err := c.Exec(ctx, "ALTER SYSTEM SET synchronous_standby_names = '"+name+"'"); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, "SELECT pg_reload_conf()"); err != nil || standby == "" {
		return err
	}
	const follows = "SELECT coalesce(bool_or(sync_state = 'sync' AND flush_lsn >= pg_current_wal_flush_lsn()), false) FROM pg_stat_replication WHERE application_name = $1"
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var synced bool
		if err := c.QueryRow(ctx, follows, standby).Scan(&synced); err != nil || synced {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s does not follow: %w", standby, ctx.Err())
		}
	}
}
