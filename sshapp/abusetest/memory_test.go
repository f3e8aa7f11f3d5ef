//go:build linux

package abusetest

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/petteia"
	"ludoteca/lobby/match"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/loadtest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// memory starts a club on a store that two people have filled with long matches, and has them come to some and leave them alone.
func memory(w *world) {
	if w.other {
		w.Skip("a store that this program has filled is newer")
	}
	matches, moves, visited := w.of(200, 20_000), 1000, w.of(20, 1000)
	data := w.TempDir()
	keys := w.fillStore(data, matches, moves)
	empty := w.start()
	least := empty.Memory("VmHWM")
	empty.Kill()

	began := time.Now()
	c := w.startOn(data)
	took, start := time.Since(began), c.Memory("VmHWM")
	ana := &person{club: c, name: "ana", key: keys[0], from: v4(1, 0, 1)}
	if err := ana.connect(); err != nil {
		w.Fatal(err)
	}
	all, err := ana.list("matches")
	if err != nil || len(all) != matches {
		w.Errorf("after the start ana has %d of %d matches, %v", len(all), matches, err)
	}
	before, looked := c.Memory("VmRSS"), 0
	for _, m := range all[:min(visited, len(all))] {
		shown, err := ana.askMatch("show " + m.Code)
		if err != nil {
			if !refused(err) {
				w.Error(err)
			}
			continue
		}
		looked++
		if shown.Ply != moves {
			w.Errorf("match %s has %d moves", m.Code, shown.Ply)
		}
	}
	loaded := c.Memory("VmRSS")
	if w.full {
		loadtest.Pause(4 * time.Minute) // out of memory after one; the runtime collects garbage at least every two
	}
	w.figure("memory: a club with %d unfinished matches of %d moves starts in %.2f s and takes at most %d MB, %d MB more than an empty one; %.1f bytes a move",
		matches, moves, took.Seconds(), start>>20, (start-least)>>20, float64(start-least)/float64(matches*moves))
	w.figure("memory: after %d of them were looked at: %d MB, four minutes later %d MB (before: %d MB)", looked, loaded>>20, c.Memory("VmRSS")>>20, before>>20)
	if grown := (start - least) / int64(matches*moves); grown > 100 {
		w.Errorf("a start takes %d bytes of memory for each move of unfinished matches", grown)
	}
	if w.full && (took > 2*time.Second || start > 200<<20) {
		w.Errorf("a start takes %v and %d MB", took, start>>20)
	}
	if looked == 0 {
		w.Error("no match can be looked at")
	}
}

// fillStore fills a store with matches of two people that go on, each after a number of moves, and returns their keys.
func (w *world) fillStore(data string, matches, moves int) (keys [2]gossh.Signer) {
	w.Helper()
	store, err := storagetest.OpenFile(filepath.Join(data, "ludoteca.db"), schema.Config{Rate: rating.Rate})
	if err != nil {
		w.Fatal(err)
	}
	at := time.Now().UTC().Add(-time.Hour).Truncate(time.Millisecond)
	var players [2]storage.Occupant
	for i, name := range []string{"ana", "rui"} {
		keys[i] = loadtest.NewKey(w)
		p, err := store.Accounts.SignUp(w.Context(), accounts.Player{Name: name, NameKey: name, Since: at}, loadtest.Fingerprint(keys[i]))
		if err != nil {
			w.Fatal(err)
		}
		players[i] = storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name}
	}
	g := petteia.New()
	options, err := games.Complete(g, games.Options{"quiet_limit": 0})
	if err != nil {
		w.Fatal(err)
	}
	log := []matchstore.Event{{Seq: 1, Version: matchstore.EventVersion, Kind: matchstore.Opened, Seat: storage.FirstSeat, At: at}}
	p, err := g.New(options)
	for random := games.NewRandom(1); err == nil && len(log) <= moves; { // one line at random for all of them, that doesn't end
		legal := p.Legal()
		m := legal[random.N(len(legal))]
		var next games.Position
		if next, err = p.Play(m); err == nil && !next.Result().Over {
			log = append(log, matchstore.Event{
				Seq: uint64(len(log) + 1), Version: matchstore.EventVersion, Kind: matchstore.Moved, Seat: storage.SeatOf(p.Turn()), At: at, Move: m,
			})
			p = next
		}
	}
	if err == nil {
		err = loadtest.InTurn(matches, 50, func(n int) error {
			events := slices.Clone(log)
			events[0].Opening = &matchstore.Opening{Code: codeOf(n), Game: "petteia", Options: options, First: players[n%2], Second: players[1-n%2]}
			id := storage.MatchID("m" + strings.ToLower(codeOf(n)) + "2")
			state, err := match.Fold(id, func(string) (games.Game, error) { return g, nil }, events)
			if err != nil {
				return err
			}
			summary := state.Summary()
			return store.Matches.Append(context.WithoutCancel(w.Context()), id, events, summary.Stored())
		})
	}
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		w.Fatal(err)
	}
	return keys
}

// codeOf returns the n-th code.
func codeOf(n int) string {
	code := make([]byte, match.CodeLength)
	for i := range code {
		code[i] = match.CodeLetters[n%len(match.CodeLetters)]
		n /= len(match.CodeLetters)
	}
	return string(code)
}
