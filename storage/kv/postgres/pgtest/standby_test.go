package pgtest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/faulttest"
	"ludoteca/storage/kv/postgres"
	"ludoteca/storage/kv/postgres/pgserver"
)

// pair starts a primary whose commits wait for its standby.
func pair(t *testing.T) (primary, standby *server) {
	t.Helper()
	primary = another(t)
	two, err := primary.Standby("two", common...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := two.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := primary.WaitFor(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	return primary, &server{two}
}

// put writes a value.
func put(ctx context.Context, s kv.Store, k, value string) error {
	return s.Update(ctx, func(tx kv.Tx) error { tx.Put(faulttest.Key(k), []byte(value)); return nil })
}

// must fails the test at an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestUnreplicated kills a primary that has a commit which its standby has not, and starts it again: nobody is shown that commit before the standby has
// it.
func TestUnreplicated(t *testing.T) {
	t.Parallel()
	one, two := pair(t)
	o := one.options()
	o.TryTimeout, o.RequestTimeout, o.OpenTimeout = 200*time.Millisecond, 600*time.Millisecond, 3*time.Second
	s := openAt(t, o)
	must(t, put(t.Context(), s, "n", "old"))
	must(t, two.Stop())
	if err := put(t.Context(), s, "n", "new"); !errors.Is(err, kv.ErrCommit) {
		t.Errorf("a commit without the standby: %v, want ErrCommit", err)
	}
	must(t, one.Kill())
	must(t, s.Close())
	must(t, one.Restart())
	if again, err := postgres.Open(t.Context(), o); err == nil {
		t.Errorf("without the standby %q is shown", faulttest.Read(t, again, faulttest.Key("n")))
		again.Close()
	} else if !errors.Is(err, postgres.ErrUnavailable) {
		t.Error(err)
	}
	must(t, two.Restart())
	o.OpenTimeout = time.Minute
	s = openAt(t, o)
	defer s.Close()
	if got := faulttest.Read(t, s, faulttest.Key("n")); string(got) != "new" {
		t.Errorf("with the standby there is %q", got)
	}
}

// TestOldPrimary promotes the standby of a primary that was killed, and starts the old primary again, which takes itself for one still: stores that name it
// first go to the new one.
func TestOldPrimary(t *testing.T) {
	t.Parallel()
	one, two := pair(t)
	o := one.options()
	o.Address = fmt.Sprintf("postgres://%s@/postgres?host=%s,%s", pgserver.Superuser, one.Folder(), two.Folder())
	o.RequestTimeout = 30 * time.Second
	s := openAt(t, o)
	defer s.Close()
	must(t, put(t.Context(), s, "n", "old"))
	must(t, one.Kill())
	must(t, two.Promote())
	must(t, one.Restart())
	must(t, put(t.Context(), s, "n", "new"))
	o.OpenTimeout = 30 * time.Second
	for _, o := range []postgres.Options{o, {Address: two.address("postgres"), Schema: o.Schema}} {
		again := openAt(t, o)
		if got := faulttest.Read(t, again, faulttest.Key("n")); string(got) != "new" {
			t.Errorf("at %s there is %q", o.Address, got)
		}
		again.Close()
	}
}
