package cli

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/control"
	"ludoteca/sshapp/status"
	"ludoteca/storage/kv"
)

func noEnv(string) (string, bool) { return "", false }

func TestStorePlace(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("in the file\r\nand more"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) { return "in the environment", name == passwordEnv }
	for _, tt := range []struct {
		name  string
		place storePlace
		env   func(string) (string, bool)
		want  string // in the error; "" for none
	}{
		{"a file", storePlace{store: "bolt"}, noEnv, ""},
		{"three members", storePlace{store: "etcd://a:1,b:2,[::1]:3"}, noEnv, ""},
		{"a named club", storePlace{store: "etcd://a:1/chess-2"}, noEnv, ""},
		{"something else", storePlace{store: "redis://a:1"}, noEnv, "unknown kind"},
		{"nothing", storePlace{}, noEnv, "unknown kind"},
		{"no host", storePlace{store: "etcd://"}, noEnv, "not HOST:PORT"},
		{"no port", storePlace{store: "etcd://a,b:2"}, noEnv, `"a" is not HOST:PORT`},
		{"an empty member", storePlace{store: "etcd://a:1,"}, noEnv, "not HOST:PORT"},
		{"a port that is no number", storePlace{store: "etcd://a:http"}, noEnv, "not a port"},
		{"a port too high", storePlace{store: "etcd://a:70000"}, noEnv, "not a port"},
		{"a bad name", storePlace{store: "etcd://a:1/x/y"}, noEnv, "name"},
		{"an empty name", storePlace{store: "etcd://a:1/"}, noEnv, "name"},
		{"a password for all to read", storePlace{store: "etcd://me:hush@a:1"}, noEnv, "--store-user"},
		{"TLS for a file", storePlace{store: "bolt", caFile: "ca.pem"}, noEnv, "--store-ca is for a store on etcd"},
		{"a certificate without its key", storePlace{store: "etcd://a:1", caFile: "ca", certFile: "cert"}, noEnv, "belong together"},
		{"a certificate without an authority", storePlace{store: "etcd://a:1", certFile: "cert", keyFile: "key"}, noEnv, "--store-ca"},
		{"a user without a password", storePlace{store: "etcd://a:1", user: "me"}, noEnv, passwordEnv},
		{"a user with a password", storePlace{store: "etcd://a:1", user: "me", caFile: "ca"}, env, ""},
		{"a user with a file", storePlace{store: "etcd://a:1", user: "me", passwordFile: secret, caFile: "ca"}, env, ""},
		{"a password without TLS", storePlace{store: "etcd://127.0.0.1:1,a:1", user: "me"}, env, "needs --store-ca"},
		{"a password on this machine", storePlace{store: "etcd://127.0.0.1:1,[::1]:2,localhost:3", user: "me"}, env, ""},
		{"a file that isn't there", storePlace{store: "etcd://a:1", user: "me", passwordFile: secret + "x"}, env, "no such file"},
		{"a file without a user", storePlace{store: "etcd://a:1", passwordFile: secret}, noEnv, "--store-user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.place.check(tt.env)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("check = %v, want words with %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
	p := storePlace{store: "etcd://a:1,[::1]:3/chess", user: "me", passwordFile: secret, caFile: "ca"}
	if err := p.check(env); err != nil || !slices.Equal(p.endpoints, []string{"a:1", "[::1]:3"}) || p.club != "chess" || p.password != "in the file" {
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
		p := storePlace{store: tt.store, caFile: tt.ca}
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

func TestNodeNames(t *testing.T) {
	if name := defaultNode(); !nodeName.MatchString(name) {
		t.Errorf("a node is called %q", name)
	}
	for name, ok := range map[string]bool{
		"a": true, "Node-1.example": true, "": false, "a b": false, "a_b": false, strings.Repeat("a", 40): true, strings.Repeat("a", 41): false,
	} {
		s := defaultSettings()
		s.node = name
		if err := s.check(noEnv); (err == nil) != ok {
			t.Errorf("--node %q: %v", name, err)
		}
	}
}

// TestOneNodeAFolder: a second node finds the data folder locked.
func TestOneNodeAFolder(t *testing.T) {
	data := t.TempDir()
	unlock, err := lockFolder(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockFolder(data); err == nil || !strings.Contains(err.Error(), "another node") {
		t.Errorf("the second: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := lockFolder(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}

// TestNoEtcd: each command that needs a store on etcd prints one line with the address at which etcd doesn't answer.
func TestNoEtcd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"recompute"}, {"backup", filepath.Join(t.TempDir(), "copy.db")}} {
		t.Run(words[0], func(t *testing.T) {
			t.Parallel() // each waits for an answer
			var out, errs bytes.Buffer
			status := run(t.Context(), process{
				args:  append(words, "--data", filepath.Join(t.TempDir(), "data"), "--store", "etcd://"+at),
				stdin: strings.NewReader(""), stdout: &out, stderr: &errs, env: noEnv,
				exit: func(status int) { t.Errorf("it ends with %d", status) }, games: catalog.All(),
			})
			if got := errs.String(); status != statusRefused || out.Len() > 0 || strings.Count(got, "\n") != 1 ||
				!strings.Contains(got, "etcd does not answer") || !strings.Contains(got, at+": connect: connection refused") {
				t.Errorf("status %d, it says %q %q", status, out.String(), got)
			}
		})
	}
}

// TestNoFileToCompact: compact doesn't advise a node on etcd to restart with a flag that it refuses there.
func TestNoFileToCompact(t *testing.T) {
	data := t.TempDir()
	l, err := control.Listen(data)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	defer serving.Wait()
	defer stop()
	node := control.Service{Status: func() status.Status { return status.Status{StoreKind: onEtcd} }}
	serving.Go(func() {
		if err := control.Serve(ctx, l, node, data, slog.New(slog.DiscardHandler)); err != nil {
			t.Error(err)
		}
	})
	h := &here{args: []string{"compact", "--data", data}}
	if status, got := h.run(t), h.errs.String(); status != statusRefused || !strings.Contains(got, "etcdctl defrag") || strings.Contains(got, "--compact") {
		t.Errorf("status %d, it says %q", status, got)
	}
}

// A dropped store no longer has the revision at which a copy of it began.
type dropped struct{ kv.Store }

func (dropped) View(context.Context, func(kv.Reader) error) error { return kv.ErrCompacted }

// TestCopyThatTakesTooLong: the error tells the operator what to do, and no file is left.
func TestCopyThatTakesTooLong(t *testing.T) {
	dir := t.TempDir()
	_, err := copyToFile(t.Context(), dropped{}, filepath.Join(dir, "copy.db"))
	if err == nil || !strings.Contains(err.Error(), "try again at a quieter time") {
		t.Errorf("it says %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v is left, %v", files, err)
	}
}

// TestMoveStoreRefuses: what it says before it asks etcd anything.
func TestMoveStoreRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	if err := os.WriteFile(file, []byte("no store"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		from, to string
		status   int
		want     string
	}{
		{"etcd://a:1", "etcd://b:1", statusUsage, "one of FROM and TO must be a file"},
		{file, file + "2", statusUsage, "one of FROM and TO must be etcd://"},
		{file, "etcd://a", statusUsage, "HOST:PORT"},
		{file + "2", "etcd://a:1", statusRefused, "no such file"},
		{file, "etcd://a:1", statusRefused, "damaged"},
		{"etcd://a:1", file, statusRefused, "never overwrites"},
	} {
		var out, errs bytes.Buffer
		status := run(t.Context(), process{
			args: []string{"move-store", tt.from, tt.to}, stdin: strings.NewReader(""), stdout: &out, stderr: &errs, env: noEnv, games: catalog.All(),
		})
		if got := errs.String(); status != tt.status || out.Len() > 0 || strings.Count(got, "\n") != 1 || !strings.Contains(got, tt.want) {
			t.Errorf("%s to %s: status %d, it says %q %q; want %d and %q", tt.from, tt.to, status, out.String(), got, tt.status, tt.want)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "no store" {
		t.Errorf("the file is %q, %v", text, err)
	}
}
