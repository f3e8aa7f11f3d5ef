package command

import (
	"bytes"
	"path/filepath"
	"testing"

	"ludoteca/lobby"
	"ludoteca/lobby/rating"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/kv/kvtest"
	"ludoteca/storage/schema"
)

// TestRequests: commands that read make few requests to the store, because on another machine it takes half a millisecond for each.
func TestRequests(t *testing.T) {
	engine, err := bolt.Open(filepath.Join(t.TempDir(), "club.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	store, err := schema.Open(t.Context(), kvtest.Counting{Store: engine}, schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	const matches = 5
	h := newFixtureOf(t, store, func(s lobby.Store) lobby.Store { return s }, func(c *lobby.Config) { c.Bounds.History = 2 }) // three steps
	for range matches {
		code := h.object("ana", "new tanks --side first --rated --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		h.twoEach(code, "ana", "rui")
		h.as("ana", Done, "resign "+code)
	}
	const (
		signIn = 2
		named  = 2 // a player by name
		step   = 3 // of a search: the list, the records, and how they changed ratings
	)
	for line, most := range map[string]int{
		"profile rui":                         signIn + named + 4, // the ratings, what is counted, puzzles, and matches against the computer
		"profile rui --json":                  signIn + named + 4 + 2,
		"history rui --with ana --limit 1000": signIn + 2*named + 3*step,
		"history rui --limit 1000":            signIn + named + 3*step,
		"history rui --limit 2":               signIn + named + step,
	} {
		ctx, requests := kvtest.Count(t.Context())
		var out, complaints bytes.Buffer
		if status := h.run.Run(ctx, key("ana"), line, &out, &complaints); status != Done || out.Len() == 0 {
			t.Fatalf("%s: status %d, %s", line, status, complaints.String())
		}
		if n := requests.Take(); n < signIn+named || n > most {
			t.Errorf("%s makes %d requests, want at most %d", line, n, most)
		}
	}
}
