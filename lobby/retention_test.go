package lobby_test

import (
	"errors"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// TestOldCasualMatches: a year after its end, a match against a computer player that doesn't search is forgotten within the hour,
// unless such matches are kept for ever; one between people stays.
func TestOldCasualMatches(t *testing.T) {
	for _, tt := range []struct {
		name string
		keep time.Duration
		gone bool
	}{
		{"for the usual time", 0, true},
		{"for ever", -1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.KeepCasual = tt.keep })
				finish := func(id storage.MatchID, first, second storage.Occupant) {
					opening := matches.Event{Seq: 1, Version: matches.EventVersion, Kind: matches.Opened, At: time.Now().Truncate(time.Millisecond),
						Opening: &matches.Opening{Code: string(id), Game: "fourmation", First: first, Second: second}}
					if err := c.store.Memory.Append(t.Context(), id, []matches.Event{opening}, matches.Summary{}); err != nil {
						t.Fatal(err)
					}
					end := matches.Event{Seq: 2, Version: matches.EventVersion, Kind: matches.Ended, At: opening.At, Result: "first", Reason: "resigned"}
					f := results.Finished{Code: string(id), Game: "fourmation", First: first, Second: second, Result: "first", Ended: time.Now()}
					if _, err := c.store.Memory.Finish(t.Context(), id, []matches.Event{end}, f, nil); err != nil {
						t.Fatal(err)
					}
				}
				weak := c.Levels()[0]
				if weak.Think != nil {
					t.Fatalf("%s searches", weak.ID)
				}
				finish("casual", c.ana.Occupant(), storage.Occupant{Kind: storage.Bot, ID: weak.ID, Name: weak.Name})
				finish("people", c.ana.Occupant(), c.rui.Occupant())
				kept := func(id storage.MatchID) bool {
					_, err := c.store.Memory.Finished(t.Context(), id)
					return !errors.Is(err, storage.ErrNotFound)
				}
				time.Sleep(365*24*time.Hour - time.Hour)
				if !kept("casual") {
					t.Error("it is forgotten before its time")
				}
				time.Sleep(2*time.Hour + time.Minute)
				if kept("casual") == tt.gone || !kept("people") {
					t.Errorf("after a year, kept: against a computer player %v, between people %v", kept("casual"), kept("people"))
				}
			})
		})
	}
}
