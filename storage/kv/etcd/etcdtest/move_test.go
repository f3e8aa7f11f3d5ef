package etcdtest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludoteca/sshapp/e2e/nodes"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/repair"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// contents returns all values of an engine, by key.
func contents(t *testing.T, s kv.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err := s.View(t.Context(), func(r kv.Reader) error {
		for p, err := range r.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			all[string(p.Key)] = string(p.Value)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// inFile returns all values of a store in a file, by key.
func inFile(t *testing.T, path string) map[string]string {
	t.Helper()
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return contents(t, s)
}

// TestMove takes a club from a file to etcd and back.
func TestMove(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), shared.address("move")
	data := func(name string) string { return filepath.Join(dir, name) }
	club := nodes.Serve(t, data("one"), "--store", "bolt")
	ana := nodes.NewPerson(t, "ana")
	match := ana.PlayRandom(t, club)
	file := data("one/ludoteca.db")
	nodes.MustFail(t, "another club is running", "move-store", file, store)
	club.Stop()
	nodes.MustFail(t, "no such file", "move-store", file+"x", store)
	nodes.MustFail(t, "are the same", "move-store", store, store)
	nodes.MustFail(t, "must be etcd://", "move-store", file, file+"x")
	nodes.MustFail(t, "there is no club", "move-store", store, data("nothing.db"))

	// A killed copy has left its marker and some data.
	o := shared.options()
	o.Namespace = "/ludoteca/move/"
	half := openAt(t, o)
	if err := half.Update(t.Context(), func(tx kv.Tx) error {
		tx.Put([]byte("meta\x00copying"), []byte("killed"))
		tx.Put([]byte("logs\x00half"), nil)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	nodes.MustFail(t, "was interrupted", "serve", "--listen", "127.0.0.1:0", "--data", data("private/half"), "--store", store)
	nodes.MustFail(t, "was interrupted", "move-store", store, data("half.db"))
	if err := half.Close(); err != nil {
		t.Fatal(err)
	}

	out := nodes.MustRun(t, "move-store", file, store)
	if !strings.Contains(out, "  players\n") || !strings.Contains(out, "in all, read back and compared\n") {
		t.Errorf("move-store says\n%s", out)
	}
	nodes.MustFail(t, "is not empty", "move-store", file, store)
	club = nodes.Serve(t, data("two"), "--store", store)
	if now := ana.Show(t, club, match.Code); fmt.Sprint(now) != fmt.Sprint(match) {
		t.Errorf("on etcd the match is %+v, was %+v", now, match)
	}
	ana.Move(t, club, match)
	nodes.MustFail(t, "a club is running on "+store, "move-store", store, data("live.db"))
	copied := data("copy.db")
	if out := nodes.MustRun(t, "backup", "--data", data("two"), copied); !strings.HasPrefix(out, copied+": ") {
		t.Errorf("backup says %s", out)
	}
	club.Stop()
	match = ana.Show(t, serveOnce(t, copied), match.Code)

	back := data("back.db")
	nodes.MustRun(t, "move-store", store, back)
	nodes.MustFail(t, "is there already", "move-store", store, back)
	direct := data("direct.db")
	nodes.MustRun(t, "backup", "--store", store, direct)
	s := openAt(t, o)
	defer s.Close()
	want := contents(t, s)
	maps.DeleteFunc(want, func(key, _ string) bool {
		section, _, _ := strings.Cut(key, "\x00")
		return slices.Contains([]string{"nodes", "presence", "nicknames", "seekers"}, section)
	})
	for _, path := range []string{back, direct} {
		if got := inFile(t, path); len(want) == 0 || !maps.Equal(got, want) {
			t.Errorf("%s has %d keys, or others than the %d on etcd", path, len(got), len(want))
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	if info, err := os.Stat(back); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if now := ana.Show(t, serveOnce(t, back), match.Code); len(now.Moves) < 3 || !slices.Equal(now.Moves[:3], match.Moves[:3]) {
		t.Errorf("back in a file the match is %+v, was %+v", now, match) // either may have an answer more
	}
}

// serveOnce serves a copy of a club.
func serveOnce(t *testing.T, path string) *nodes.Node {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	text, err := os.ReadFile(path)
	if err == nil {
		err = errors.Join(os.Mkdir(data, 0o700), os.WriteFile(filepath.Join(data, "ludoteca.db"), text, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return nodes.Serve(t, data)
}

// TestCopyOfABusyStore: a copy is one snapshot of the store, not older than the call, whatever is written meanwhile.
func TestCopyOfABusyStore(t *testing.T) {
	o := shared.options()
	engine := openAt(t, o)
	defer engine.Close()
	club, err := schema.Open(t.Context(), engine, schema.Config{Rate: storagetest.Rate})
	if err != nil {
		t.Fatal(err)
	}
	_ = club // closing it would close the engine
	const pairs = 900
	set := func(s kv.Store, to uint64) error {
		return s.Update(context.Background(), func(tx kv.Tx) error {
			for _, name := range []string{"a", "z"} { // the first key and the last are far from each other
				tx.Put([]byte("chat\x00"+name), binary.BigEndian.AppendUint64(nil, to))
			}
			return nil
		})
	}
	if err := engine.Update(t.Context(), func(tx kv.Tx) error {
		for n := range pairs {
			tx.Put(fmt.Appendf(nil, "chat\x00m%04d", n), make([]byte, 200))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	quit, done := make(chan struct{}), make(chan struct{})
	var acknowledged uint64
	writer := openAt(t, o)
	defer writer.Close()
	progress := make(chan uint64, 1)
	go func() {
		defer close(done)
		for n := uint64(1); ; n++ {
			if err := set(writer, n); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-progress:
			default:
			}
			progress <- n
			select {
			case <-quit:
				return
			default:
			}
		}
	}()
	for n := range 5 {
		before := <-progress
		path := filepath.Join(t.TempDir(), fmt.Sprint(n, ".db"))
		to, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := repair.Copy(t.Context(), engine, to); err != nil {
			t.Fatal(err)
		}
		got := contents(t, to)
		first, last := got["chat\x00a"], got["chat\x00z"]
		if len(first) != 8 || first != last {
			t.Errorf("copy %d has %q and %q of one transaction", n, first, last)
		} else if at := binary.BigEndian.Uint64([]byte(first)); at < before {
			t.Errorf("copy %d is of transaction %d, and %d had been acknowledged", n, at, before)
		}
		acknowledged = before
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(quit)
	<-done
	if acknowledged < 2 {
		t.Errorf("only %d transactions ran beside the copies", acknowledged)
	}
}
