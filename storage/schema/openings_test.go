package schema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/kvtest"
	"ludoteca/storage/migrations"
	"ludoteca/storage/results"
)

// TestOpeningsInSteps: the openings of a store from before there were any are counted in small transactions, wherever that is interrupted, and
// matches whose results don't count are left out.
func TestOpeningsInSteps(t *testing.T) {
	engine := openEngine(t)
	if _, err := migrations.Run(t.Context(), engine, nil); err != nil {
		t.Fatal(err)
	}
	for from := 0; from < 1500; from += 500 {
		fill(t, engine, 500, func(tx kv.Tx, i int) error {
			f := recordOf(from + i)
			f.Rated = true
			for n := range 20 {
				f.Moves, f.Times = append(f.Moves, games.Move(fmt.Sprint("m", (from+i)>>n%3))), append(f.Times, f.Started)
			}
			f.Plies = len(f.Moves)
			if (from+i)%10 == 0 {
				if err := results.UnratedMarks.Put(tx, f.ID, results.UnratedMark{Entry: 1}); err != nil {
					return err
				}
			}
			number := uint64(from + i + 1)
			r := results.Result{Match: f.ID, Game: f.Game, First: "p1", Second: "p2", Result: f.Result, Ended: f.Ended.UnixMilli(), Rules: results.KnownRules}
			return errors.Join(results.Results.Put(tx, number, r), results.Records.Put(tx, f.ID, results.Record{Finished: f, Number: number}))
		})
	}
	f := &kvtest.Feeble{Store: engine, Left: -1}
	s, err := Open(t.Context(), f, endings(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("at most %d reads and writes in a transaction", f.Largest)
	if f.Largest > 4000 {
		t.Errorf("a transaction has %d reads and writes", f.Largest)
	}
	start, err := s.Results.Openings(t.Context(), "tanks", nil, nil)
	if err != nil || start[0].Here.Matches() != 1350 || len(start[0].Next) != 3 {
		t.Errorf("at the start there are %+v, %v", start, err)
	}
	want := dump(t, engine, results.Openings, metaTable{})
	outdated := func() {
		fill(t, engine, 1, func(tx kv.Tx, _ int) error {
			for k := range maps.Keys(dump(t, engine, results.Openings)) {
				tx.Put([]byte(k), []byte("of other rules"))
				break
			}
			return results.OpeningsIndex.Put(tx, []byte("0"))
		})
	}
	outdated()
	times := kvtest.UntilDone(t, engine, func(engine kv.Store) error {
		_, err := Open(t.Context(), engine, endings(1))
		return err
	})
	if got := dump(t, engine, results.Openings, metaTable{}); !maps.Equal(got, want) || times < 5 {
		t.Errorf("after %d interruptions there are %d entries, want %d", times, len(got), len(want))
	}
}

// TestIndexProgress: a build that takes long says so in the log, every ten seconds how far it has come, and at last that it is done; one that takes a
// moment says nothing.
func TestIndexProgress(t *testing.T) {
	for name, test := range map[string]struct {
		took  time.Duration // by each step or part
		whole bool
		want  string
	}{
		"steps":         {7 * time.Second, false, "making an index anew, an index is being made 3, an index is being made 5, done with an index"},
		"a few moments": {time.Millisecond, true, ""},
		"as a whole":    {7 * time.Second, true, "making an index anew, an index is being made 200, an index is being made 400, done with an index"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine := openEngine(t)
				var said []string
				x := storage.Index{What: "things", Table: results.Openings, Marker: results.OpeningsIndex, Version: "7"}
				if test.whole {
					x.Mend = func(_ context.Context, engine kv.Store, report func(of string, n int)) error {
						for n := range 5 {
							time.Sleep(test.took)
							report("records", 100*(n+1))
						}
						return nil
					}
				} else {
					x.Step = func(_ kv.Tx, after []byte) ([]byte, error) {
						time.Sleep(test.took)
						if len(after) == 4 {
							return nil, nil
						}
						return append(after, 'x'), nil
					}
				}
				if err := x.Build(t.Context(), engine, slog.New(lines{&said})); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(said, ", "); got != test.want {
					t.Errorf("the log is %q, want %q", got, test.want)
				}
			})
		})
	}
}

// lines are the messages of a log, with the numbers of progress.
type lines struct{ said *[]string }

func (lines) Enabled(context.Context, slog.Level) bool { return true }
func (l lines) WithAttrs([]slog.Attr) slog.Handler     { return l }
func (l lines) WithGroup(string) slog.Handler          { return l }

func (l lines) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "steps" || a.Key == "records" {
			line += " " + a.Value.String()
		}
		return true
	})
	*l.said = append(*l.said, line)
	return nil
}
