package etcdtest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"ludoteca/storage/kv"
	"ludoteca/storage/kv/etcd"
	"ludoteca/storage/kv/faulttest"
)

// A log collects log lines of several goroutines.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestNoSpace fills a member up to its quota and frees space again. Room follows, and reads work all the while.
func TestNoSpace(t *testing.T) {
	t.Parallel()
	const quota = 12 << 20
	at := startAlone(t, func(o *embed.Config) { o.QuotaBackendBytes = quota })
	var logged log
	s := openAt(t, etcd.Options{
		Endpoints: []string{at}, Namespace: "/full/", PingEvery: 10 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&logged, nil)),
	})
	defer s.Close()
	soon := func(what string, is func() bool) {
		t.Helper()
		for late := time.Now().Add(time.Minute); !is(); faulttest.Wait(time.Millisecond) {
			if time.Now().After(late) {
				t.Fatalf("never %s: %+v\n%s", what, s.Health(), logged.String())
			}
		}
	}
	soon("known", func() bool {
		h := s.Health()
		return h.Quota == quota && h.Bytes > 0 && h.InUse > 0 && h.InUse <= h.Bytes
	})
	if room, err := s.Room(); err != nil || room <= 0 || room >= quota {
		t.Errorf("Room = %d, %v", room, err)
	}
	if n, err := s.Size(); err != nil || n <= 0 {
		t.Errorf("Size = %d, %v", n, err)
	}
	put := func(n int) error {
		value := make([]byte, 200<<10)
		_, _ = rand.Read(value)
		return s.Update(t.Context(), func(tx kv.Tx) error { tx.Put(faulttest.Key(fmt.Sprint(n)), value); return nil })
	}
	n, err := 0, error(nil)
	for ; err == nil && n < 200; n++ {
		err = put(n)
	}
	if !errors.Is(err, kv.ErrCommit) && !errors.Is(err, etcd.ErrUnavailable) || !strings.Contains(err.Error(), rpctypes.ErrNoSpace.Error()) {
		t.Errorf("after %d values of 200 KiB: %v", n, err)
	}
	soon("full", func() bool { return s.Health().NoSpace })
	if room, err := s.Room(); err != nil || room != 0 {
		t.Errorf("Room of a full store = %d, %v", room, err)
	}
	if len(faulttest.Read(t, s, faulttest.Key("0"))) != 200<<10 {
		t.Error("a full store can't be read")
	}

	c, err := clientv3.New(clientv3.Config{Endpoints: []string{at}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.Delete(t.Context(), "/full/ds\x00", clientv3.WithPrefix())) // behind the store's back; a full etcd still deletes
	must(c.Delete(t.Context(), "/full/c", clientv3.WithPrefix()))
	must(c.Compact(t.Context(), int64(faulttest.Revision(t, s)), clientv3.WithCompactPhysical()))
	must(c.Defragment(t.Context(), at))
	must(c.AlarmDisarm(t.Context(), &clientv3.AlarmMember{}))
	soon("open again", func() bool { return !s.Health().NoSpace })
	if room, err := s.Room(); err != nil || room <= quota/2 {
		t.Errorf("Room after deleting = %d, %v", room, err)
	}
	if err := put(0); err != nil {
		t.Errorf("a write after deleting: %v", err)
	}
	text := logged.String()
	if strings.Count(text, "etcd has raised an alarm") != 1 || strings.Count(text, "alarm is over") != 1 || strings.Contains(text, "commit failed") || !strings.Contains(text, "alarm=NOSPACE") {
		t.Errorf("the log:\n%s", text)
	}
}
