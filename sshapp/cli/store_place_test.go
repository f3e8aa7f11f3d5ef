package cli

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/club/clubstore"
	"ludoteca/sshapp/control"
	"ludoteca/sshapp/status"
)

func noEnv(string) (string, bool) { return "", false }

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
	node := control.Service{Status: func() status.Status { return status.Status{StoreKind: clubstore.OnEtcd} }}
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
		{"etcd://a:1", "etcd://a:1", statusUsage, "the same"},
		{file, file + "2", statusUsage, "one of FROM and TO must be etcd://"},
		{file, "etcd://a", statusUsage, "HOST:PORT"},
		{file + "2", "etcd://a:1", statusRefused, "no such file"},
		{file, "etcd://a:1", statusRefused, "damaged"},
		{"etcd://a:1", file, statusRefused, "never overwrites"},
		{"postgres://a/club", "etcd://b", statusUsage, "HOST:PORT"},
		{"etcd://b:1", "postgres://me:hush@a/club", statusUsage, "~/.pgpass"},
		{file, "postgres://me:hush@a/club", statusUsage, "~/.pgpass"},
		{"postgresql://a/club", file, statusRefused, "never overwrites"},
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
