package sqlexport

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// connectTimeout is how long a connection may take that names no connect_timeout.
const connectTimeout = 15 * time.Second

// CheckAddress says what is wrong with the address of a database. A password in it is refused, because every user of the machine can read the arguments
// of a program. The error quotes nothing of the address.
func CheckAddress(to string) error {
	scheme, rest, _ := strings.Cut(to, "://")
	if scheme != "postgres" && scheme != "postgresql" {
		return errors.New("the address of the database begins with postgres://")
	}
	if namesPassword(rest) {
		return errors.New("every user of this machine could read the password in the address; use PGPASSWORD, PGPASSFILE or ~/.pgpass")
	}
	_, err := pgx.ParseConfig(to)
	return err
}

// namesPassword reports whether an address, without its scheme, has a password, as libpq reads it.
func namesPassword(address string) bool {
	where, query, _ := strings.Cut(address, "?")
	hosts, _, _ := strings.Cut(where, "/")
	user, _, named := strings.Cut(hosts, "@")
	if named && strings.Contains(user, ":") {
		return true
	}
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); err == nil && (plain == "password" || plain == "sslpassword") {
			return true
		}
	}
	return false
}

// connect opens a connection to the database at an address.
func connect(ctx context.Context, to string) (*pgx.Conn, error) {
	if err := CheckAddress(to); err != nil {
		return nil, err
	}
	c, err := pgx.ParseConfig(to)
	if err != nil {
		return nil, err
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "ludoteca export-sql"
	}
	return pgx.ConnectConfig(ctx, c)
}

// Codes of PostgreSQL's errors; see its manual, appendix A.
const (
	insufficientPrivilege = "42501"
	readOnlyTransaction   = "25006"
	diskFull              = "53100"
	lockNotAvailable      = "55P03"
	duplicateTable        = "42P07"
	undefinedTable        = "42P01"
	undefinedColumn       = "42703"
)

// inWords adds what an operator can do to an error of the database.
func inWords(err error, schema string) error {
	failed, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	advice := ""
	switch failed.Code {
	case insufficientPrivilege:
		advice = fmt.Sprintf("the user must own the schema, which an administrator makes with CREATE SCHEMA %s AUTHORIZATION USER", schema)
	case readOnlyTransaction:
		advice = "the server takes no changes: it may be a standby; name the primary, or all servers and target_session_attrs=read-write"
	case diskFull:
		advice = "the disk of the database is full; make room and run export-sql again, which goes on from here"
	case lockNotAvailable:
		advice = "somebody has the tables locked; run export-sql again later, which goes on from here"
	case duplicateTable, undefinedTable, undefinedColumn:
		advice = fmt.Sprintf("the schema %s holds tables that export-sql did not make so; name another one with --schema", schema)
	default:
		return err
	}
	return fmt.Errorf("%s: %w", advice, err)
}
