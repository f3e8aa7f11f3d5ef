package nodes

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestMirror: what is known stays equal to the rows, those that were there from the start are no news, and one that can't be read is passed on.
func TestMirror(t *testing.T) {
	known, news, bad := map[string]int{}, []string(nil), []string(nil)
	type row struct {
		key   string
		value int
	}
	f := Mirror[string, row]{
		Key:   func(r row) string { return r.key },
		Known: func() []string { return slices.Collect(maps.Keys(known)) },
		Gone:  func(key string) { delete(known, key) },
		Put: func(r row, isNew bool) {
			if known[r.key] = r.value; isNew {
				news = append(news, r.key)
			}
		},
	}.Follower(func(key string, _ error) { bad = append(bad, key) })
	for _, step := range []struct {
		name string
		do   func()
		want map[string]int
		news string
	}{
		{"the first rows", func() { f.All([]row{{"a", 1}, {"b", 1}}) }, map[string]int{"a": 1, "b": 1}, ""},
		{"a row", func() { f.Put(row{"c", 1}) }, map[string]int{"a": 1, "b": 1, "c": 1}, "c"},
		{"another value", func() { f.Put(row{"a", 2}) }, map[string]int{"a": 2, "b": 1, "c": 1}, "a"},
		{"a row less", func() { f.Gone("b") }, map[string]int{"a": 2, "c": 1}, ""},
		{"a row that can't be read", func() { f.Bad("x", errors.New("damaged")) }, map[string]int{"a": 2, "c": 1}, ""},
		{"all rows again", func() { f.All([]row{{"c", 3}, {"d", 1}}) }, map[string]int{"c": 3, "d": 1}, "c d"},
		{"no row left", func() { f.All(nil) }, map[string]int{}, ""},
	} {
		news = nil
		step.do()
		if !maps.Equal(known, step.want) || strings.Join(news, " ") != step.news {
			t.Errorf("after %s: %v and news of %q, want %v and %q", step.name, known, news, step.want, step.news)
		}
	}
	if !slices.Equal(bad, []string{"x"}) {
		t.Errorf("%q can't be read, want x", bad)
	}
}

// TestFollower: a table is followed again after an error, a moment later, until the context ends; errors and rows that can't be read are logged.
func TestFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		var f Follower = &follower{slog.New(slog.NewTextHandler(&log, nil))}
		ctx, stop := context.WithCancel(t.Context())
		began, calls := time.Now(), 0
		f.Follow(ctx, func(context.Context) error {
			if calls++; calls == 3 {
				stop()
			}
			return errors.New("no answer")
		})
		if passed := time.Since(began); calls != 3 || passed != 2*retry {
			t.Errorf("followed %d times in %v, want 3 times in %v", calls, passed, 2*retry)
		}
		if n := strings.Count(log.String(), "not followed"); n != 2 {
			t.Errorf("%d errors are logged, want 2:\n%s", n, log.String())
		}
		f.Unreadable("match/7", errors.New("damaged"))
		if text := log.String(); !strings.Contains(text, "can't be read") || !strings.Contains(text, "key=match/7") || !strings.Contains(text, "damaged") {
			t.Errorf("a row that can't be read is logged as:\n%s", text)
		}
	})
}
