package clubstore

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludoteca/storage/kv"
)

func TestStorePlace(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("in the file\r\nand more"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) { return "in the environment", name == PasswordVariable }
	for _, tt := range []struct {
		name  string
		place Place
		env   func(string) (string, bool)
		want  string // in the error; "" for none
	}{
		{"a file", Place{Store: "bolt"}, noEnv, ""},
		{"three members", Place{Store: "etcd://a:1,b:2,[::1]:3"}, noEnv, ""},
		{"a named club", Place{Store: "etcd://a:1/chess-2"}, noEnv, ""},
		{"something else", Place{Store: "redis://a:1"}, noEnv, "unknown kind"},
		{"nothing", Place{}, noEnv, "unknown kind"},
		{"no host", Place{Store: "etcd://"}, noEnv, "not HOST:PORT"},
		{"no port", Place{Store: "etcd://a,b:2"}, noEnv, `"a" is not HOST:PORT`},
		{"an empty member", Place{Store: "etcd://a:1,"}, noEnv, "not HOST:PORT"},
		{"a port that is no number", Place{Store: "etcd://a:http"}, noEnv, "not a port"},
		{"a port too high", Place{Store: "etcd://a:70000"}, noEnv, "not a port"},
		{"a bad name", Place{Store: "etcd://a:1/x/y"}, noEnv, "name"},
		{"an empty name", Place{Store: "etcd://a:1/"}, noEnv, "name"},
		{"a password for all to read", Place{Store: "etcd://me:hush@a:1"}, noEnv, "--store-user"},
		{"TLS for a file", Place{Store: "bolt", caFile: "ca.pem"}, noEnv, "--store-ca is for a store on etcd"},
		{"a certificate without its key", Place{Store: "etcd://a:1", caFile: "ca", certFile: "cert"}, noEnv, "belong together"},
		{"a certificate without an authority", Place{Store: "etcd://a:1", certFile: "cert", keyFile: "key"}, noEnv, "--store-ca"},
		{"a user without a password", Place{Store: "etcd://a:1", user: "me"}, noEnv, PasswordVariable},
		{"a user with a password", Place{Store: "etcd://a:1", user: "me", caFile: "ca"}, env, ""},
		{"a user with a file", Place{Store: "etcd://a:1", user: "me", passwordFile: secret, caFile: "ca"}, env, ""},
		{"a password without TLS", Place{Store: "etcd://127.0.0.1:1,a:1", user: "me"}, env, "needs --store-ca"},
		{"a password on this machine", Place{Store: "etcd://127.0.0.1:1,[::1]:2,localhost:3", user: "me"}, env, ""},
		{"a file that isn't there", Place{Store: "etcd://a:1", user: "me", passwordFile: secret + "x"}, env, "no such file"},
		{"PostgreSQL", Place{Store: "postgres://me@a:5433/club"}, noEnv, ""},
		{"two servers of PostgreSQL", Place{Store: "postgresql://me@a:5432,b:5432/club?club=chess-2&sslmode=verify-full"}, noEnv, ""},
		{"PostgreSQL on a socket", Place{Store: "postgres:///club?host=/run/postgresql"}, noEnv, ""},
		{"a password of PostgreSQL for all to read", Place{Store: "postgres://me:hush@a/club"}, noEnv, "~/.pgpass"},
		{"a password among the parameters", Place{Store: "postgres://a/club?password=hush"}, noEnv, "~/.pgpass"},
		{"a bad name on PostgreSQL", Place{Store: "postgres://a/club?club=A_B"}, noEnv, "name"},
		{"a bad parameter of PostgreSQL", Place{Store: "postgres://a/club?sslmode=perhaps"}, noEnv, "sslmode"},
		{"etcd's flags for PostgreSQL", Place{Store: "postgres://a/club", user: "me"}, noEnv, "for a store on etcd"},
		{"a file without a user", Place{Store: "etcd://a:1", passwordFile: secret}, noEnv, "--store-user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.place.Check(tt.env)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("check = %v, want words with %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
	p := Place{Store: "etcd://a:1,[::1]:3/chess", user: "me", passwordFile: secret, caFile: "ca"}
	if err := p.Check(env); err != nil || !slices.Equal(p.endpoints, []string{"a:1", "[::1]:3"}) || p.club != "chess" || p.password != "in the file" {
		t.Errorf("check = %v, and it has %q, %q and %q", err, p.endpoints, p.club, p.password)
	}
}

// TestUnencrypted: a way to etcd that leaves the machine without TLS is warned of, and no other.
func TestUnencrypted(t *testing.T) {
	for _, tt := range []struct {
		store, ca string
		warns     bool
	}{
		{"etcd://127.0.0.1:1,[::1]:1,LOCALHOST:1", "", false}, {"etcd://[::ffff:127.0.0.1]:1", "", false}, {"etcd://a:1", "missing", false},
		{"etcd://a:1", "", true}, {"etcd://127.0.0.1:1,192.0.2.1:1", "", true},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nothing is reached
		var log strings.Builder
		p := Place{Store: tt.store, caFile: tt.ca}
		if err := p.checkAddress(); err != nil {
			t.Fatal(err)
		}
		if s, err := p.open(ctx, slog.New(slog.NewTextHandler(&log, nil)), kv.Meters{}); err == nil {
			_ = s.Close()
		}
		if got := strings.Contains(log.String(), "not encrypted"); got != tt.warns {
			t.Errorf("%s with %q: %q", tt.store, tt.ca, log.String())
		}
	}
}

func noEnv(string) (string, bool) { return "", false }
