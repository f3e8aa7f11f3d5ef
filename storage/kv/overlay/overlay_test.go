package overlay

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/storage/kv"
)

// A table is a base in memory that counts what is read.
type table struct {
	rows   map[string]string
	asked  []string // keys that Get and GetAll were asked for
	read   []string // keys whose values cursors were asked for
	failed error    // what every read returns
}

func (t *table) Get(key []byte) ([]byte, error) {
	values, err := t.GetAll([][]byte{key})
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

func (t *table) GetAll(keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, key := range keys {
		t.asked = append(t.asked, string(key))
		if v, ok := t.rows[string(key)]; ok {
			values[i] = []byte(v)
		}
	}
	return values, t.failed
}

func (t *table) Cursor(r kv.Range) Cursor { return &tableCursor{table: t, keys: within(t.rows, r)} }

type tableCursor struct {
	table *table
	keys  []string
	at    string
}

func (c *tableCursor) Next() ([]byte, error) {
	if c.table.failed != nil || len(c.keys) == 0 {
		return nil, c.table.failed
	}
	c.at, c.keys = c.keys[0], c.keys[1:]
	return []byte(c.at), nil
}

func (c *tableCursor) Value() ([]byte, error) {
	c.table.read = append(c.table.read, c.at)
	return []byte(c.table.rows[c.at]), c.table.failed
}

// within returns the keys of a map that lie in a range, in its direction.
func within(rows map[string]string, r kv.Range) (keys []string) {
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		if k >= string(r.From) && (r.To == nil || k < string(r.To)) {
			keys = append(keys, k)
		}
	}
	if r.Reverse {
		slices.Reverse(keys)
	}
	return keys
}

// A layer is writes, and what a reader of them must find.
type layer struct {
	writes *Writes
	model  map[string]string
}

var (
	anyKey    = rapid.SampledFrom([]string{"a\x00a", "a\x00aa", "a\x00ab", "a\x00b", "b\x00a", "b\x00\xff", "b\x00\xff\xff", "ba\x00a"})
	anyPrefix = rapid.SampledFrom([]string{"a\x00", "a\x00a", "a\x00ab", "b\x00", "b\x00\xff", "ba\x00"})
	anyRange  = rapid.Custom(func(r *rapid.T) kv.Range {
		bound := rapid.OneOf(rapid.Just(""), anyKey, anyPrefix)
		g := kv.Range{Reverse: rapid.Bool().Draw(r, "reverse")}
		if from := bound.Draw(r, "from"); from != "" {
			g.From = []byte(from)
		}
		if to := bound.Draw(r, "to"); to != "" {
			g.To = []byte(to)
		}
		return g
	})
)

// write makes one write of any kind.
func (l *layer) write(r *rapid.T) {
	switch rapid.IntRange(0, 2).Draw(r, "kind") {
	case 0:
		k, v := anyKey.Draw(r, "put"), rapid.StringN(0, 2, -1).Draw(r, "value")
		l.writes.Put([]byte(k), []byte(v))
		l.model[k] = v
	case 1:
		k := anyKey.Draw(r, "delete")
		l.writes.Delete([]byte(k))
		delete(l.model, k)
	case 2:
		p := anyPrefix.Draw(r, "delete prefix")
		if err := l.writes.DeletePrefix([]byte(p)); err != nil {
			r.Fatal(err)
		}
		maps.DeleteFunc(l.model, func(k, _ string) bool { return strings.HasPrefix(k, p) })
	}
}

// check compares all that can be read with the model.
func (l *layer) check(r *rapid.T) {
	for _, g := range []kv.Range{{}, {Reverse: true}, anyRange.Draw(r, "range")} {
		var got []string
		for p, err := range l.writes.Scan(g) {
			if err != nil || p.Value == nil || string(p.Value) != l.model[string(p.Key)] {
				r.Fatalf("a scan finds %q = %q, %v; want %q", p.Key, p.Value, err, l.model[string(p.Key)])
			}
			got = append(got, string(p.Key))
		}
		if want := within(l.model, g); !slices.Equal(got, want) {
			r.Fatalf("a scan of %q to %q, reverse %t, finds %q, want %q", g.From, g.To, g.Reverse, got, want)
		}
	}
	keys := [][]byte{[]byte("a\x00never there")}
	for _, k := range rapid.SliceOf(anyKey).Draw(r, "keys") {
		keys = append(keys, []byte(k))
	}
	values, err := l.writes.GetAll(keys)
	if err != nil {
		r.Fatal(err)
	}
	for i, k := range keys {
		value, err := l.writes.Get(k)
		want, there := l.model[string(k)]
		for _, got := range [][]byte{value, values[i]} {
			if err != nil || string(got) != want || there != (got != nil) {
				r.Fatalf("under %q are %q and %q, %v; want %q, %t", k, value, values[i], err, want, there)
			}
		}
	}
}

// TestAnySequence makes random writes in one to three layers, merges layers into those below or drops them, and compares all reads with
// plain maps.
func TestAnySequence(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows := rapid.MapOf(anyKey, rapid.StringN(0, 2, -1)).Draw(r, "rows")
		layers := []*layer{{New(&table{rows: maps.Clone(rows)}), maps.Clone(rows)}}
		top := func() *layer { return layers[len(layers)-1] }
		r.Repeat(map[string]func(*rapid.T){
			"write": func(r *rapid.T) { top().write(r) },
			"begin": func(r *rapid.T) {
				if len(layers) == 3 {
					r.Skip("enough layers")
				}
				layers = append(layers, &layer{New(top().writes), maps.Clone(top().model)})
			},
			"end": func(r *rapid.T) {
				ended := top()
				if len(layers) == 1 {
					r.Skip("the last layer")
				}
				layers = layers[:len(layers)-1]
				if rapid.Bool().Draw(r, "merge") {
					top().writes.Merge(ended.writes)
					top().model = ended.model
				}
			},
			"": func(r *rapid.T) { top().check(r) },
		})
		// What an engine commits, prefixes first and then keys, makes the same map.
		w, model := layers[0].writes, layers[0].model
		for _, p := range w.Prefixes() {
			maps.DeleteFunc(rows, func(k, _ string) bool { return strings.HasPrefix(k, string(p)) })
		}
		for o := range w.All() {
			if delete(rows, string(o.Key)); o.Value != nil {
				rows[string(o.Key)] = string(o.Value)
			} else if slices.ContainsFunc(w.Prefixes(), func(p []byte) bool { return bytes.HasPrefix(o.Key, p) }) {
				r.Errorf("%q is removed twice", o.Key)
			}
		}
		if !maps.Equal(rows, model) {
			r.Errorf("committed: %q, want %q", rows, model)
		}
	})
}

// TestWriteWhileScanning makes random writes between the steps of a scan. Each step must lead to the key that comes next at that moment.
func TestWriteWhileScanning(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows := rapid.MapOf(anyKey, rapid.StringN(0, 2, -1)).Draw(r, "rows")
		l := &layer{New(&table{rows: maps.Clone(rows)}), rows}
		some := func() {
			for range rapid.IntRange(0, 2).Draw(r, "writes") {
				l.write(r)
			}
		}
		some()
		g := anyRange.Draw(r, "range")
		last := ""
		next := func() string {
			for _, k := range within(l.model, g) {
				if last == "" || k != last && (k < last) == g.Reverse {
					return k
				}
			}
			return ""
		}
		for p, err := range l.writes.Scan(g) {
			if want := next(); err != nil || string(p.Key) != want || string(p.Value) != l.model[want] {
				r.Fatalf("after %q comes %q = %q, %v; want %q = %q", last, p.Key, p.Value, err, want, l.model[want])
			}
			last = string(p.Key)
			some()
		}
		if left := next(); left != "" {
			r.Fatalf("the scan ends after %q, and %q is left", last, left)
		}
	})
}

// TestReadsNoMoreThanNeeded: the base is asked for no key and no value that the writes hide. Each may cost a request.
func TestReadsNoMoreThanNeeded(t *testing.T) {
	base := &table{rows: map[string]string{"a\x00a": "1", "a\x00b": "2", "b\x00a": "3", "b\x00b": "4", "c\x00a": "5"}}
	w := New(base)
	w.Put([]byte("a\x00a"), []byte("new"))
	w.Delete([]byte("a\x00b"))
	if err := w.DeletePrefix([]byte("b\x00")); err != nil {
		t.Fatal(err)
	}
	w.Put([]byte("b\x00c"), nil)
	if len(base.asked) > 0 || len(base.read) > 0 {
		t.Errorf("writes read %q and %q", base.asked, base.read)
	}
	keys := [][]byte{[]byte("a\x00a"), []byte("a\x00b"), []byte("b\x00a"), []byte("c\x00a"), []byte("b\x00c")}
	if values, err := w.GetAll(keys); err != nil || fmt.Sprintf("%q", values) != `["new" "" "" "5" ""]` {
		t.Errorf("GetAll = %q, %v", values, err)
	}
	var all []string
	for p, err := range w.Scan(kv.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(p.Key)+"="+string(p.Value))
	}
	if want := []string{"a\x00a=new", "b\x00c=", "c\x00a=5"}; !slices.Equal(all, want) {
		t.Errorf("a scan finds %q, want %q", all, want)
	}
	if want := []string{"c\x00a"}; !slices.Equal(base.asked, want) || !slices.Equal(base.read, want) {
		t.Errorf("asked for %q, and read values of %q; want %q twice", base.asked, base.read, want)
	}
}

// TestBrokenRules: a write against the rules changes nothing, and its error stays.
func TestBrokenRules(t *testing.T) {
	for name, write := range map[string]func(w *Writes) error{
		"put":                      func(w *Writes) error { w.Put([]byte("no section"), nil); return w.Err() },
		"delete":                   func(w *Writes) error { w.Delete([]byte("s\x00")); return w.Err() },
		"put, then a good one":     func(w *Writes) error { w.Put(nil, nil); w.Put([]byte("s\x00a"), nil); return w.Err() },
		"prefix without a section": func(w *Writes) error { return w.DeletePrefix([]byte("s")) },
	} {
		w := New(&table{})
		if err := write(w); !errors.Is(err, kv.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		w.drop([]byte("s\x00a"))
		if !w.Empty() {
			t.Errorf("%s: something was written", name)
		}
	}
}

// TestCopies: a caller may use its slices again.
func TestCopies(t *testing.T) {
	w := New(&table{rows: map[string]string{"b\x00a": "old"}})
	key, value, prefix := []byte("a\x00a"), []byte("1"), []byte("b\x00")
	w.Put(key, value)
	if err := w.DeletePrefix(prefix); err != nil {
		t.Fatal(err)
	}
	key[0], value[0], prefix[0] = 'x', 'x', 'x'
	got, err := w.Get([]byte("a\x00a"))
	gone, errGone := w.Get([]byte("b\x00a"))
	if string(got) != "1" || gone != nil || err != nil || errGone != nil {
		t.Errorf("%q, %v and %q, %v", got, err, gone, errGone)
	}
}

// TestFailedReads: the reader returns an error of the base, and a scan has it as its last element.
func TestFailedReads(t *testing.T) {
	failed := errors.New("failed")
	w := New(&table{rows: map[string]string{"a\x00a": "1"}, failed: failed})
	w.Put([]byte("a\x00b"), nil)
	_, err := w.Get([]byte("a\x00a"))
	_, errAll := w.GetAll([][]byte{[]byte("a\x00a")})
	if err != failed || errAll != failed {
		t.Errorf("Get and GetAll: %v, %v", err, errAll)
	}
	steps := 0
	for p, err := range w.Scan(kv.Range{}) {
		if steps++; p.Key != nil || err != failed {
			t.Errorf("a scan yields %q, %v", p.Key, err)
		}
	}
	if steps != 1 {
		t.Errorf("%d steps, want the error alone", steps)
	}
}
