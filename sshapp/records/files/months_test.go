package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"ludoteca/sshapp/records"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// oneGame has n rated matches in one month of each of some games.
type oneGame struct {
	n     int
	pages int // that were read with moves
	fail  error
}

var begin = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func (o *oneGame) match(game string, i int) results.Record {
	f := results.Finished{ID: storage.MatchID(game), Game: game, Result: "draw", Rated: true, Ended: begin.Add(time.Duration(i) * time.Minute)}
	return results.Record{Finished: f, Length: f.Notation().MovesLen()}
}

func (o *oneGame) Page(_ context.Context, q results.PageQuery) (found []results.Record, next results.Cursor, err error) {
	if o.fail != nil {
		return nil, next, o.fail
	}
	if q.Whole {
		o.pages++
	}
	for i := range o.n {
		r := o.match(q.Game, i)
		if r.Ended.Before(q.Since) || !q.Until.IsZero() && !r.Ended.Before(q.Until) || q.After != (results.Cursor{}) && !r.Ended.After(q.After.Ended) {
			continue
		}
		if found = append(found, r); len(found) == q.Limit {
			return found, results.Cursor{Ended: r.Ended, ID: r.ID}, nil
		}
	}
	return found, next, nil
}

func (o *oneGame) FirstPlace(ctx context.Context, q results.PageQuery) (at results.Cursor, ok bool, err error) {
	q.Limit = 1
	found, _, err := o.Page(ctx, q)
	if len(found) > 0 {
		at, ok = results.Cursor{Ended: found[0].Ended, ID: found[0].ID}, true
	}
	return at, ok, err
}

func (o *oneGame) Record(context.Context, storage.MatchID, bool) (results.Record, error) {
	return results.Record{}, storage.ErrNotFound
}

func atOnce(_ context.Context, work func() error) error { return work() }

// monthOf opens the file of March of a game.
func monthOf(t *testing.T, m *months, game string) (File, error) {
	t.Helper()
	return m.open(t.Context(), atOnce, month{game, begin})
}

func newTestMonths(t *testing.T, store *oneGame, now *time.Time) *months {
	t.Helper()
	m := newMonths(Config{Results: store, Folder: t.TempDir(), Full: func() bool { return false }, Now: func() time.Time { return *now }})
	t.Cleanup(func() {
		if err := m.close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(m.config.Folder); err != nil || len(left) > 0 {
			t.Errorf("%v, %v are left", left, err)
		}
		if m.bytes != 0 {
			t.Errorf("%d bytes are counted and not there", m.bytes)
		}
	})
	return m
}

// TestMonthIsMadeOnce: all who read a month while it holds read one text, and one that is open stays when a newer one is made.
func TestMonthIsMadeOnce(t *testing.T) {
	store, now := &oneGame{n: 3*pageSize + 1}, begin.AddDate(0, 2, 0)
	m := newTestMonths(t, store, &now)
	first, err := monthOf(t, m, "tanks")
	if err != nil {
		t.Fatal(err)
	}
	pages := store.pages
	again, err := monthOf(t, m, "tanks")
	if err != nil || store.pages != pages || pages < 3 {
		t.Errorf("%d pages, and then %d: %v", pages, store.pages, err)
	}
	text, err := records.Writer(nil).Text(store.match("tanks", 0).Finished)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(io.NewSectionReader(first, 0, 1<<30))
	if err != nil || strings.Count(string(whole), "[Game ") != store.n || int64(len(whole)) != first.Info().Size() || !strings.HasPrefix(string(whole), string(text)+"\n[") {
		t.Errorf("%d bytes with %d records, want %d with %d: %v", len(whole), strings.Count(string(whole), "[Game "), first.Info().Size(), store.n, err)
	}
	now, store.n = now.Add(pastLife), store.n+1
	newer, err := monthOf(t, m, "tanks")
	if err != nil || newer.Info().Size() <= first.Info().Size() {
		t.Errorf("%d bytes, want more than %d: %v", newer.Info().Size(), first.Info().Size(), err)
	}
	if still, err := io.ReadAll(io.NewSectionReader(first, 0, 1<<30)); err != nil || string(still) != string(whole) {
		t.Errorf("what is open has changed: %v", err)
	}
	for _, f := range []File{first, again, newer, newer} { // closed twice, it counts once
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMonthsAreBounded: what is open is bounded in bytes, what isn't makes room, and a full disk takes nothing.
func TestMonthsAreBounded(t *testing.T) {
	store, now := &oneGame{n: 50}, begin.AddDate(0, 2, 0)
	m := newTestMonths(t, store, &now)
	first, err := monthOf(t, m, "a")
	if err != nil {
		t.Fatal(err)
	}
	m.maxBytes = 2*first.Info().Size() + 10
	second, err := monthOf(t, m, "b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := monthOf(t, m, "c"); !errors.Is(err, ErrFull) {
		t.Errorf("a third: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	third, err := monthOf(t, m, "c")
	if err != nil {
		t.Errorf("a third when another is closed: %v", err)
	}
	m.config.Full = func() bool { return true }
	if err := errors.Join(third.Close(), first.Close()); err != nil {
		t.Error(err)
	}
	if _, err := monthOf(t, m, "d"); !errors.Is(err, ErrFull) {
		t.Errorf("on a full disk: %v", err)
	}
}

// TestFailedMonth: a store that fails leaves nothing behind, and the next reader tries again. A reader who is gone gives the work up.
func TestFailedMonth(t *testing.T) {
	store, now := &oneGame{n: 50}, begin.AddDate(0, 2, 0)
	m := newTestMonths(t, store, &now)
	store.fail = errors.New("no store")
	if _, err := monthOf(t, m, "a"); !errors.Is(err, store.fail) {
		t.Errorf("%v", err)
	}
	store.fail = nil
	ctx, leave := context.WithCancel(t.Context())
	steps := 0
	if _, err := m.open(ctx, func(ctx context.Context, work func() error) error {
		if steps++; steps == 2 { // the size is known
			leave()
		}
		return errors.Join(ctx.Err(), work())
	}, month{"a", begin}); !errors.Is(err, context.Canceled) || m.bytes != 0 {
		t.Errorf("%v, %d bytes", err, m.bytes)
	}
	f, err := monthOf(t, m, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestMonthsThatAreNone: a month that has not begun, and one without a rated match, are not there.
func TestMonthsThatAreNone(t *testing.T) {
	store, now := &oneGame{n: 50}, begin.Add(-time.Second)
	m := newTestMonths(t, store, &now)
	if _, err := monthOf(t, m, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it begins: %v", err)
	}
	now = begin.AddDate(0, 5, 0)
	if _, err := m.stat(t.Context(), atOnce, month{"a", begin.AddDate(0, 1, 0)}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a match: %v", err)
	}
	for _, name := range []string{"2026-3.txt", "2026-03", "2026-03.txt.sig", "26-03.txt", "2026-13.txt", "-2026-03.txt", "+2026-03.txt", "2026-03.TXT", ""} {
		if of, err := parseMonth("a", name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q is %v, %v", name, of, err)
		}
	}
}
