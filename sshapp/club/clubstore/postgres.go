package clubstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"ludoteca/sshapp/status"
	"ludoteca/storage/diskspace"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/postgres"
)

// PostgresSchemes begin the address of a store on PostgreSQL.
var PostgresSchemes = []string{"postgres://", "postgresql://"}

// onPostgres reports whether an address is one of PostgreSQL.
func onPostgres(address string) bool {
	return slices.ContainsFunc(PostgresSchemes, func(scheme string) bool { return strings.HasPrefix(address, scheme) })
}

// IsShared reports whether an address is one of a store that several nodes can share.
func IsShared(address string) bool {
	return strings.HasPrefix(address, EtcdScheme) || onPostgres(address)
}

// checkPostgres takes apart the address of a database: libpq's, but for the name of the club.
func (s *Place) checkPostgres() error {
	wrong := func(why string) error {
		return fmt.Errorf("--store %q: %s; use postgres://USER@HOST:PORT/DATABASE, as psql does", s.Store, why)
	}
	scheme, rest, _ := strings.Cut(s.Store, "://")
	rest, query, asked := strings.Cut(rest, "?")
	hosts, database, named := strings.Cut(rest, "/")
	user, where, hasUser := strings.Cut(hosts, "@")
	if i := strings.LastIndex(hosts, "@"); hasUser {
		user, where = hosts[:i], hosts[i+1:]
	}
	club, secret := defaultClub, strings.Contains(user, ":")
	var kept []string
	if asked {
		for part := range strings.SplitSeq(query, "&") {
			name, value, _ := strings.Cut(part, "=")
			switch name {
			case "club":
				club = value
			case "password", "sslpassword":
				secret = true
			default:
				kept = append(kept, part)
			}
		}
	}
	if secret {
		s.Store = scheme + "://" + where // what a person reads shows no password
		return wrong("every user of this machine could read the password; use PGPASSWORD or ~/.pgpass")
	}
	if !clubName.MatchString(club) {
		return wrong("a club's name has up to 40 lower-case letters, digits and -")
	}
	s.club, s.address = club, scheme+"://"+hosts
	if named {
		s.address += "/" + database
	}
	if len(kept) > 0 {
		s.address += "?" + strings.Join(kept, "&")
	}
	if err := postgres.Check(s.address); err != nil {
		return wrong(err.Error())
	}
	return nil
}

// schema is the schema that has the club.
func (s *Place) schema() string {
	if s.club == defaultClub {
		return postgres.DefaultSchema
	}
	return postgres.DefaultSchema + "_" + s.club
}

func (s *Place) openPostgres(ctx context.Context, log *slog.Logger, meters kv.Meters) (*postgres.Store, error) {
	return postgres.Open(ctx, postgres.Options{Address: s.address, Schema: s.schema(), Log: log, Meters: meters})
}

// A database is an engine on PostgreSQL.
type database struct{ *postgres.Store }

// Free implements engine. A client can't ask for the free space of the server's disk.
func (database) Free(string) (bytes int64, err error) { return 0, diskspace.ErrUnknown }

// Describe implements engine.
func (d database) Describe(now *status.Status) {
	h := d.Health()
	now.StoreKind, now.StoreMembers, now.StoreAlarms = OnPostgres, 1, []string{}
	if h.Reachable {
		now.StoreReachable = 1
	}
	if h.NoSpace {
		now.StoreAlarms = append(now.StoreAlarms, status.AlarmNoSpace)
	}
}

// Full implements engine.
func (d database) Full() bool { return d.Health().NoSpace }

// Backup implements engine.
func (d database) Backup(ctx context.Context, path string) (bytes int64, err error) {
	if _, err = copyToFile(ctx, d.Store, path); err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Failed implements engine. It returns nil, because a database may always come back.
func (database) Failed() <-chan struct{} { return nil }

// Err implements engine.
func (database) Err() error { return nil }

// A databaseOnDisk is a database that is measured for a copy in a folder of this node.
type databaseOnDisk struct{ database }

// Free implements engine. It returns the free space of the folder's disk.
func (databaseOnDisk) Free(folder string) (bytes int64, err error) { return diskspace.Free(folder) }

// noEtcdFlags returns an error if a flag for etcd is set for a store on PostgreSQL.
func (s *Place) noEtcdFlags() error {
	for _, other := range []struct{ flag, value, instead string }{
		{"store-ca", s.caFile, "sslmode=verify-full&sslrootcert=FILE in the address"}, {"store-cert", s.certFile, "sslcert=FILE in the address"},
		{"store-key", s.keyFile, "sslkey=FILE in the address"}, {"store-user", s.user, "postgres://USER@HOST"},
		{"store-password-file", s.passwordFile, "PGPASSFILE"},
	} {
		if other.value != "" {
			return errors.New("--" + other.flag + " is for a store on etcd; for PostgreSQL use " + other.instead)
		}
	}
	return nil
}
