package etcdtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/storage/kv"
)

// fill puts keys without values, in transactions of bounded size.
func fill(t *testing.T, s kv.Store, keys [][]byte) {
	t.Helper()
	for part := range slices.Chunk(keys, 1000) {
		if err := s.Update(t.Context(), func(tx kv.Tx) error {
			for _, k := range part {
				tx.Put(k, nil)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// scanned returns at most the first most keys of a range.
func scanned(t testing.TB, r kv.Reader, g kv.Range, most int) (keys [][]byte) {
	t.Helper()
	for p, err := range r.Scan(g) {
		if err != nil {
			t.Fatal(err)
		}
		if keys = append(keys, bytes.Clone(p.Key)); len(keys) == most {
			break
		}
	}
	return keys
}

// TestReverse compares scans in reverse with forward scans, in ranges with more keys than etcd is asked to sort: dense keys, sparse keys,
// keys that are prefixes of others, and keys of times.
func TestReverse(t *testing.T) {
	o := shared.options()
	s := openAt(t, o)
	defer s.Close()
	var keys [][]byte
	for n := range 700 {
		keys = append(keys,
			binary.BigEndian.AppendUint64([]byte("times\x00\x00p\x00"), 1<<63|uint64(1.7e12)+uint64(n*n)),
			fmt.Appendf(nil, "words\x00%x", n*n*n), fmt.Appendf(nil, "deep\x00%s%d", bytes.Repeat([]byte{0xff}, n%40), n))
	}
	for n := range 256 {
		keys = append(keys, append([]byte("bytes\x00"), byte(n)), append([]byte("bytes\x00"), byte(n), 0), append([]byte("bytes\x00\xff"), byte(n), 0xff))
	}
	fill(t, s, keys)
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	if err := s.View(t.Context(), func(reader kv.Reader) error {
		rapid.Check(t, func(r *rapid.T) {
			bound := func(name string) []byte {
				switch k := rapid.SampledFrom(keys).Draw(r, name); rapid.IntRange(0, 3).Draw(r, name+" is") {
				case 0:
					return nil
				case 1:
					return k[:rapid.IntRange(1, len(k)).Draw(r, name+" length")]
				case 2:
					return append(bytes.Clone(k), 0)
				default:
					return k
				}
			}
			g := kv.Range{From: bound("from"), To: bound("to")}
			most := rapid.SampledFrom([]int{1, 40, 500, 1 << 20}).Draw(r, "most")
			want := scanned(t, reader, g, 1<<20)
			slices.Reverse(want)
			want = want[:min(most, len(want))]
			g.Reverse = true
			if got := scanned(t, reader, g, most); !slices.EqualFunc(got, want, bytes.Equal) {
				r.Errorf("from %q to %q: %d keys, want %d; %.200q, want %.200q", g.From, g.To, len(got), len(want), got, want)
			}
		})
		if all := scanned(t, reader, kv.Range{}, 1<<20); !slices.EqualFunc(all, keys, bytes.Equal) {
			t.Errorf("%d keys, want %d", len(all), len(keys))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestReverseOfMany reads the newest of many keys of times, and logs how long that takes. LUDOTECA_KEYS is the number of keys, by default
// a few thousand.
func TestReverseOfMany(t *testing.T) {
	n := 2000
	if given, err := strconv.Atoi(os.Getenv("LUDOTECA_KEYS")); err == nil {
		n = given
	}
	s := openAt(t, shared.options())
	defer s.Close()
	var keys [][]byte
	for i := range n {
		keys = append(keys, binary.BigEndian.AppendUint64([]byte("history\x00\x00\x00"), 1<<63|uint64(1.7e12)+uint64(i*40_000)))
	}
	fill(t, s, keys[:n/2])
	newest := func(n int) {
		t.Helper()
		if err := s.View(t.Context(), func(r kv.Reader) error {
			g := kv.Prefix([]byte("history\x00"))
			g.Reverse = true
			if got := scanned(t, r, g, 1); len(got) != 1 || !bytes.Equal(got[0], keys[n-1]) {
				t.Errorf("of %d keys the last is %q, want %q", n, got, keys[n-1])
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	newest(n / 2)
	fill(t, s, keys[n/2:]) // now the remembered tail is far too long
	newest(n)
	if err := s.Update(t.Context(), func(tx kv.Tx) error { // now it is far too short
		for _, k := range keys[n-200:] {
			tx.Delete(k)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	n -= 200
	newest(n)
	if err := s.View(t.Context(), func(r kv.Reader) error {
		g := kv.Prefix([]byte("history\x00"))
		g.Reverse = true
		began := time.Now()
		_ = scanned(t, r, g, 30)
		once := time.Since(began)
		began = time.Now()
		got := scanned(t, r, g, 30)
		t.Logf("the newest 30 of %d keys took %v, and then %v", n, once, time.Since(began))
		if len(got) != 30 || !bytes.Equal(got[29], keys[n-30]) {
			t.Errorf("%d keys, to %q; want 30, to %q", len(got), got[len(got)-1], keys[n-30])
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
