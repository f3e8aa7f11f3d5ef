// Package pgtest tests the engine kv/postgres, and the program with it, against real servers of PostgreSQL that it starts itself, as
// an unprivileged user if the tests run as root. It is a module of its own because it needs their programs. Where there are none, its tests are skipped; with
// CI=true they fail.
package pgtest
