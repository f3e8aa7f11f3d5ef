package etcd

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"ludoteca/storage/kv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOpenRefuses(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never says a word
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	nothing := filepath.Join(t.TempDir(), "nothing.pem")
	if err := os.WriteFile(nothing, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	there := []string{silent.Addr().String()}
	for _, tt := range []struct {
		name string
		ctx  context.Context
		o    Options
		want error
		text string
	}{
		{"no endpoints", t.Context(), Options{Namespace: "/a/"}, kv.ErrInvalid, "no endpoints"},
		{"no name space", t.Context(), Options{Endpoints: there}, kv.ErrInvalid, "name space"},
		{"a long name space", t.Context(), Options{Endpoints: there, Namespace: strings.Repeat("a", maxNamespace+1)}, kv.ErrInvalid, "name space"},
		{"no answer", t.Context(), Options{Endpoints: there, Namespace: "/a/", OpenTimeout: 50 * time.Millisecond}, ErrUnavailable, there[0]},
		{"an ended context", ended, Options{Endpoints: there, Namespace: "/a/"}, context.Canceled, ""},
		{"no such authority", t.Context(), Options{Endpoints: there, Namespace: "/a/", CAFile: "missing.pem"}, os.ErrNotExist, "missing.pem"},
		{"an authority without a certificate", t.Context(), Options{Endpoints: there, Namespace: "/a/", CAFile: nothing}, nil, "no certificate"},
		{"a certificate without its key", t.Context(), Options{Endpoints: there, Namespace: "/a/", CertFile: nothing}, kv.ErrInvalid, "its key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Open(tt.ctx, tt.o)
			if err == nil {
				s.Close()
				t.Fatal("it opened")
			}
			if tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Open = %q, want %v with %q", err, tt.want, tt.text)
			}
		})
	}
}

// TestDivide: what is divided comes together again, and a reference reads back.
func TestDivide(t *testing.T) {
	s := &Store{options: Options{Namespace: "/a/"}}
	rapid.Check(t, func(r *rapid.T) {
		size := rapid.SampledFrom([]int{0, 1, partSize - 1, partSize, partSize + 1, 3*partSize + 7}).Draw(r, "size")
		value := bytes.Repeat([]byte{rapid.Byte().Draw(r, "byte")}, size)
		key := append([]byte("s\x00"), rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(r, "rest")...)
		to, parts := s.divide(key, value)
		var whole []byte
		for i, p := range parts {
			if p.key != s.partKey(to.id[:], i, key) || len(p.value) == 0 || len(p.value) > partSize {
				r.Fatalf("part %d has %d bytes under %q", i, len(p.value), p.key)
			}
			whole = append(whole, p.value...)
		}
		if !bytes.Equal(whole, value) || int(to.size) != size {
			r.Fatalf("%d bytes became %d", size, len(whole))
		}
		_, again, err := decode(to.encode())
		if err != nil || again == nil || *again != to {
			r.Fatalf("the reference %+v reads back as %+v, %v", to, again, err)
		}
	})
}

// FuzzDecode: anything is a value, a reference, or damaged, and comes back as it is.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{inline})
	f.Add([]byte{inline, 1, 2})
	f.Add(reference{size: 5}.encode())
	f.Add(reference{size: kv.MaxValue + 1}.encode())
	f.Fuzz(func(t *testing.T, stored []byte) {
		value, to, err := decode(stored)
		switch {
		case err != nil:
			if !errors.Is(err, kv.ErrDamaged) {
				t.Errorf("decode(%q) = %v", stored, err)
			}
		case to != nil:
			if !bytes.Equal(to.encode(), stored) {
				t.Errorf("%q becomes %q", stored, to.encode())
			}
		case value == nil || !bytes.Equal(append([]byte{inline}, value...), stored):
			t.Errorf("%q is the value %q", stored, value)
		}
	})
}

func TestTooOld(t *testing.T) {
	for version, want := range map[string]bool{
		"3.4.23": true, "2.3.8": true, "3.5.0": false, "3.10.0": false, "4.0.0-alpha.1": false, "": false, "unknown": false,
	} {
		if got := tooOld(version); got != want {
			t.Errorf("%q is too old: %v, want %v", version, got, want)
		}
	}
}
