package etcdtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ludoteca/sshapp/e2e/nodes"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/kv/faulttest"
	"ludoteca/storage/kv/kvtest"
	"ludoteca/storage/migrations"
	"ludoteca/storage/repair"
	schemastore "ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// storeWithAccounts makes a store in a file with this many accounts and the program's index of their names.
func storeWithAccounts(t *testing.T, n int) *bolt.Store {
	t.Helper()
	data := t.TempDir()
	path := filepath.Join(data, "ludoteca.db")
	s, _, err := storagetest.OpenEngine(path, schemastore.Config{Rate: storagetest.Rate}, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var signingUp sync.WaitGroup
	const at = 64 // accounts at a time
	for first := range at {
		signingUp.Go(func() {
			for i := first; i < n; i += at {
				name := strings.Map(func(r rune) rune { return r - '0' + 'b' }, fmt.Sprintf("%06d", i)) // digits look like letters
				p := accounts.Player{Name: name, NameKey: name, Since: time.Unix(1_700_000_000, 0)}
				if _, err := s.Accounts.SignUp(context.Background(), p, fmt.Sprintf("SHA256:%043d", i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	signingUp.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	nodes.Serve(t, data).Stop() // makes the index
	engine, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// TestUpgradeOfALargeClub starts a program whose rules for the index of names differ from the club's, with the least limits of etcd and
// more accounts than one transaction could index. The program is killed while it makes the index, several times, and a further start
// completes it. LUDOTECA_ACCOUNTS is the number of accounts.
func TestUpgradeOfALargeClub(t *testing.T) {
	t.Parallel()
	n := 12_000
	if more, err := strconv.Atoi(os.Getenv("LUDOTECA_ACCOUNTS")); err == nil {
		n = more
	}
	from := storeWithAccounts(t, n)
	o := shared.options()
	o.Namespace = "/ludoteca/upgrade/"
	engine := openAt(t, o)
	defer engine.Close()
	if _, err := repair.Copy(t.Context(), from, engine); err != nil {
		t.Fatal(err)
	}
	index := func(r kv.Reader) map[string]bool {
		all := map[string]bool{}
		for p, err := range r.Scan(kv.Prefix([]byte("lookalikes\x00"))) {
			if err != nil {
				t.Fatal(err)
			}
			all[string(p.Key)] = true
		}
		return all
	}
	marker := []byte("meta\x00lookalikes")
	var want map[string]bool
	var present []byte // version of the index
	if err := engine.View(t.Context(), func(r kv.Reader) (err error) {
		want = index(r)
		present, err = r.Get(marker)
		return err
	}); err != nil || len(want) < n {
		t.Fatalf("the index has %d entries, %v", len(want), err)
	}
	if err := engine.Update(t.Context(), func(tx kv.Tx) error {
		tx.Put(marker, []byte("0"))
		tx.Put([]byte("lookalikes\x00old\x00nobody"), nil)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, steps := range []int{2, 12, 4} { // in the midst of clearing, of filling, and once more
		since := faulttest.Revision(t, engine)
		cmd := nodes.Command(t, "serve", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--store", shared.address("upgrade"))
		var log bytes.Buffer
		cmd.Stderr = &log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		var last string
		for c, err := range engine.Watch(ctx, marker, since) {
			if err != nil {
				t.Errorf("after %q: %v", last, err)
				break
			}
			if last = string(c.Value); steps == 1 {
				break
			}
			steps--
		}
		cancel()
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
		if !strings.Contains(last, "\x00") || strings.Contains(log.String(), "level=ERROR") {
			t.Fatalf("the index is at %q when the program is killed\n%s", last, log.String())
		}
	}
	began := time.Now()
	club := nodes.Serve(t, t.TempDir(), "--store", shared.address("upgrade"))
	t.Logf("the rest took %v", time.Since(began))
	nodes.NewPerson(t, "ana").Run(t, club, "who")
	club.Stop()
	if err := engine.View(t.Context(), func(r kv.Reader) error {
		version, err := r.Get(marker)
		if got := index(r); err != nil || !bytes.Equal(version, present) || !maps.Equal(got, want) {
			t.Errorf("the index has %d entries and the version %q, %v; want %d and %q", len(got), version, err, len(want), present)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestMigrationInSteps: on etcd too, a migration goes on where it was interrupted, whatever transaction was the last, and has the same
// result. Meanwhile and afterwards a program that knows fewer steps refuses the store in words.
func TestMigrationInSteps(t *testing.T) {
	t.Parallel()
	const n = 3000
	// older makes a store of schema 7, before summaries and the index of results.
	older := func(name string) kv.Store {
		o := shared.options()
		o.Namespace = "/ludoteca/" + name + "/"
		engine := openAt(t, o)
		t.Cleanup(func() { engine.Close() })
		for step := range 6 {
			if err := engine.Update(t.Context(), func(tx kv.Tx) error {
				tx.Put([]byte("meta\x00schema"), []byte("7"))
				for i := step * n / 6; i < (step+1)*n/6; i++ {
					tx.Put(binary.BigEndian.AppendUint64(fmt.Appendf(nil, "logs\x00m%04d\x00", i), 1), storage.Seal(1, []byte("{}")))
					tx.Put(binary.BigEndian.AppendUint64([]byte("results\x00"), uint64(i+1)),
						storage.Seal(1, fmt.Appendf(nil, `{"m":"r%d","g":"tanks","f":"p%d","s":"q","r":"draw","t":0}`, i, i%50)))
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		return engine
	}
	whole, broken := older("migrated"), older("interrupted")
	if from, err := migrations.Run(t.Context(), whole, nil); from != 7 || err != nil {
		t.Fatal(from, err)
	}
	marker, present := "meta\x00"+migrations.MarkerName, string(migrations.FormatSchema(migrations.Count()))
	began := false
	times := kvtest.UntilDone(t, broken, func(engine kv.Store) error {
		_, err := migrations.Run(t.Context(), engine, nil)
		now := contents(t, broken)
		if _, marked := now[marker]; err != nil && !marked || now["meta\x00schema"] != present {
			t.Errorf("after an interruption the store is marked %t and has schema %s, want %s", marked, now["meta\x00schema"], present)
		}
		if !began { // the program too finds that a migration was begun
			began = true
			if says := nodes.MustRun(t, "serve", "--check", "--data", t.TempDir(), "--store", shared.address("interrupted")); !strings.Contains(says, "was interrupted; a start goes on with it") {
				t.Errorf("serve --check: %s", says)
			}
		}
		return err
	})
	want, got := contents(t, whole), contents(t, broken)
	if _, marked := got[marker]; !maps.Equal(got, want) || len(got) < 6*n || marked || times < 5 {
		t.Errorf("after %d interruptions there are %d entries, want %d; marked: %t", times, len(got), len(want), marked)
	}
	if err := broken.Update(t.Context(), func(tx kv.Tx) error {
		tx.Put([]byte("meta\x00schema"), migrations.FormatSchema(migrations.Count()+1))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	nodes.MustFail(t, "a newer version of the program made this store", "serve", "--listen", "127.0.0.1:0", "--data", data, "--store", shared.address("interrupted"))
	if now := contents(t, broken); len(now) != len(got) {
		t.Errorf("the refused store has %d entries, had %d", len(now), len(got))
	}
}

// TestCopyBeforeMigration: a node that migrates the store first copies all of it from etcd to a file in its data folder.
func TestCopyBeforeMigration(t *testing.T) {
	t.Parallel()
	packed, err := os.Open("../../../testdata/club.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	club, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(t.TempDir(), "old.db")
	if err := os.WriteFile(old, club, 0o600); err != nil {
		t.Fatal(err)
	}
	from, err := bolt.Open(old, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	for _, flags := range [][]string{nil, {"--no-migration-copy"}} {
		o, data := shared.options(), t.TempDir()
		name := fmt.Sprint("migration", len(flags))
		o.Namespace = "/ludoteca/" + name + "/"
		engine := openAt(t, o)
		defer engine.Close()
		if _, err := repair.Copy(t.Context(), from, engine); err != nil {
			t.Fatal(err)
		}
		before := contents(t, engine)
		flags = append(flags, "--store", shared.address(name))
		says := nodes.MustRun(t, append([]string{"serve", "--check", "--data", data}, flags...)...)
		if copies := strings.Contains(says, "a start copies it to a file in "+data); copies != (len(flags) == 2) || !strings.Contains(says, "has schema 3;") {
			t.Errorf("serve --check %q: %s", flags, says)
		}
		for range 2 {
			node := nodes.Serve(t, data, flags...)
			node.Stop()
			copies, err := filepath.Glob(filepath.Join(data, "ludoteca.db.schema-3-*"))
			switch {
			case err != nil:
				t.Fatal(err)
			case len(flags) > 2 && len(copies) > 0:
				t.Errorf("copies %q with %q", copies, flags)
			case len(flags) == 2 && len(copies) != 1:
				t.Errorf("copies %q\n%s", copies, node.Stderr())
			case len(flags) == 2 && !maps.Equal(inFile(t, copies[0]), before):
				t.Error("the copy is not what was on etcd")
			}
		}
	}
}
