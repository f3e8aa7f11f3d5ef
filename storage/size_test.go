package storage_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	matchstore "ludoteca/storage/matches"
	resultstore "ludoteca/storage/results"
)

// TestSize measures what LUDOTECA_SIZE matches take on disk, of all games in turn, with moves of Club against Pupil. A third is rated
// between two of 1,000 players, the others are against a computer player, and a tenth is analysed. It prints the table of
// deploy/OPERATING.md:
//
//	LUDOTECA_SIZE=27375 go test -v -run '^TestSize$' -timeout 1h ./storage
//
// Without the variable, a few matches show that what it measures is kept.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("most of the time is the players' search, which has tests of its own")
	}
	matches := 30
	if n, err := strconv.Atoi(os.Getenv("LUDOTECA_SIZE")); err == nil {
		matches = n
	}
	const people, samples = 1000, 6
	path := filepath.Join(t.TempDir(), "club.db")
	s := open(t, path, bolt.Options{})
	seats := make([]storage.Occupant, min(people, matches))
	var signing sync.WaitGroup
	for i := range seats {
		signing.Go(func() {
			name := fmt.Sprintf("player%04d", i)
			p, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name, Since: benchTime},
				fmt.Sprintf("SHA256:%043d", i))
			if err != nil {
				t.Error(err)
			}
			seats[i] = storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name}
		})
	}
	signing.Wait()
	played := map[string][]resultstore.Finished{}
	for _, g := range catalog.All() {
		for seed := range uint64(samples) {
			played[g.About().ID] = append(played[g.About().ID], playSample(t, g, seed))
		}
	}
	none := sectionSizes(t, s.engine)
	moves := 0
	for _, g := range catalog.All() { // one of each goes on
		f := played[g.About().ID][0]
		id := storage.MatchID("running-" + f.Game)
		f.First, f.Second, f.Code = seats[0], seats[1], "RUN"+f.Game
		moves += f.Plies
		if err := s.Matches.Append(t.Context(), id, sampleEvents(f), matchstore.Summary{Opening: *sampleEvents(f)[0].Opening, Plies: f.Plies}); err != nil {
			t.Fatal(err)
		}
	}
	opened := sectionSizes(t, s.engine)
	t.Logf("a running match: %d bytes a move, %d bytes besides", (opened["logs"].bytes-none["logs"].bytes)/int64(moves),
		(opened["summaries"].bytes-none["summaries"].bytes)/int64(len(played)))
	const writers = 32
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for m := w; m < matches; m += writers {
				if err := keepSample(t.Context(), s, seats, played, m); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	sizes := sectionSizes(t, s.engine)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, after, err := bolt.Compact(t.Context(), path, bolt.CompactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range catalog.All() {
		id := g.About().ID
		moves := 0
		for _, f := range played[id] {
			moves += f.Plies
		}
		t.Logf("%-10s %4d moves", id, moves/samples)
	}
	for _, id := range []string{"finished", "history", "codes", "code_ends", "results", "changes", "ratings", "analyses"} {
		was, is := opened[id], sizes[id]
		if is.entries == 0 {
			t.Errorf("nothing is kept in %s", id)
		}
		t.Logf("%-10s %6d entries, %5d bytes a match", id, is.entries, (is.bytes-was.bytes)/int64(matches))
	}
	for id, n := range recordSizes(t, path) {
		t.Logf("%-10s %5d bytes a record", id, n)
	}
	if left := sizes["logs"].entries - opened["logs"].entries; left > 0 {
		t.Errorf("%d parts of the logs of finished matches are kept", left)
	}
	t.Logf("%d matches: %d bytes, %d a match; compacted %d, %d a match", matches, before, before/int64(matches), after, after/int64(matches))
}

// playSample plays one game between two levels and returns its record.
func playSample(t *testing.T, g games.Game, seed uint64) resultstore.Finished {
	t.Helper()
	options, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	players := map[games.Side]bot.Player{}
	for _, l := range bot.Levels(g) {
		switch l.ID {
		case "club":
			players[games.Side(seed%2)] = l.Player
		case "pupil":
			players[games.Side(seed+1)%2] = l.Player
		}
	}
	f := resultstore.Finished{Game: g.About().ID, Options: options, Started: benchTime, Reason: "resigned"}
	random, at := games.NewRandom(seed), benchTime
	p, err := games.Replay(g, options, nil)
	for err == nil && !p.Result().Over && len(f.Moves) < 400 {
		var m games.Move
		if m, err = players[p.Turn()].Move(t.Context(), p, random); err != nil {
			break
		}
		at = at.Add(time.Duration(1000+len(f.Moves)*7919%60_000) * time.Millisecond)
		f.Moves, f.Times = append(f.Moves, m), append(f.Times, at)
		p, err = p.Play(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Plies = len(f.Moves)
	return f
}

// keepSample plays match number m into the store: its moves in one go, which in the end leaves the same.
func keepSample(ctx context.Context, s *fileStore, seats []storage.Occupant, played map[string][]resultstore.Finished, m int) error {
	random := rand.New(rand.NewPCG(uint64(m), 1))
	text := func(letters string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		return string(b)
	}
	all := catalog.All()
	id := all[m%len(all)].About().ID
	f := played[id][random.IntN(len(played[id]))]
	f.Code, f.Result = codeNumber(m), []string{"first", "second", "draw"}[random.IntN(3)]
	match := storage.MatchID(text("23456789abcdefghjkmnpqrstvwxyz", 8))
	first := random.IntN(len(seats))
	f.First, f.Second = seats[first], storage.Occupant{Kind: storage.Bot, ID: "champion", Name: "Champion"}
	if m%3 == 0 {
		f.Second, f.Rated, f.Public = seats[(first+1+random.IntN(len(seats)-1))%len(seats)], true, true
	}
	f.Ended = f.Times[len(f.Times)-1].Add(time.Duration(m) * time.Minute)
	events := sampleEvents(f)
	if err := s.Matches.Append(ctx, match, events, matchstore.Summary{Opening: *events[0].Opening, Plies: f.Plies}); err != nil {
		return err
	}
	end := matchstore.Event{Seq: uint64(len(events) + 1), Version: matchstore.EventVersion, Kind: matchstore.Ended, At: f.Ended, Result: f.Result, Reason: f.Reason}
	_, err := s.Matches.Finish(ctx, match, []matchstore.Event{end}, f, nil)
	if err == nil && m%10 == 0 {
		points := make([]analysis.Point, f.Plies+1)
		for i := range points {
			points[i] = analysis.Point{Value: random.IntN(2000) - 1000, Chance: float64(random.IntN(1001)) / 1000}
			if i < f.Plies {
				points[i].Best, points[i].Line = f.Moves[i], f.Moves[i:min(i+4, f.Plies)]
			}
		}
		err = s.Analyses.SaveAnalysis(ctx, match, &analysis.Analysis{Version: 1, Nodes: 60_000, Points: points})
	}
	return err
}

// sampleEvents returns the log of a match before its end.
func sampleEvents(f resultstore.Finished) []matchstore.Event {
	events := []matchstore.Event{{Seq: 1, Version: matchstore.EventVersion, Kind: matchstore.Opened, At: benchTime, Opening: &matchstore.Opening{
		Code: f.Code, Game: f.Game, Options: f.Options, Rated: f.Rated, Public: f.Public, First: f.First, Second: f.Second,
	}}}
	for i, move := range f.Moves {
		events = append(events, matchstore.Event{Seq: uint64(i + 2), Version: matchstore.EventVersion, Kind: matchstore.Moved,
			Seat: storage.Seat(i%2 + 1), At: f.Times[i], Move: move})
	}
	return events
}

// codeNumber returns a code for each number, no two the same, in no order.
func codeNumber(m int) string {
	const letters = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
	n := (m + 1) * 500_000_003 % 729_000_000 // of 30 to the sixth, with which the factor has no divisor in common
	code := make([]byte, 6)
	for i := range code {
		code[i] = letters[n%len(letters)]
		n /= len(letters)
	}
	return string(code)
}

// A sectionSize is how much a section holds: keys and values, and what bbolt keeps for each.
type sectionSize struct {
	entries int
	bytes   int64
}

func sectionSizes(t *testing.T, engine kv.Store) map[string]sectionSize {
	t.Helper()
	const element = 16 // bytes that bbolt keeps for each entry
	sizes := map[string]sectionSize{}
	if err := engine.View(t.Context(), func(r kv.Reader) error {
		for p, err := range r.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			name, rest, _ := bytes.Cut(p.Key, []byte{0})
			size := sizes[string(name)]
			size.entries++
			size.bytes += int64(len(rest) + len(p.Value) + element)
			sizes[string(name)] = size
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return sizes
}

// recordSizes returns the mean size of a record by game.
func recordSizes(t *testing.T, path string) map[string]int {
	t.Helper()
	s := open(t, path, bolt.Options{})
	defer s.Close()
	count, sum := map[string]int{}, map[string]int{}
	if err := s.engine.View(t.Context(), func(r kv.Reader) error {
		for p, err := range r.Scan(kv.Prefix([]byte("finished\x00"))) {
			if err != nil {
				return err
			}
			for _, g := range catalog.All() {
				if id := g.About().ID; bytes.Contains(p.Value, []byte(`"g":"`+id+`"`)) {
					count[id]++
					sum[id] += len(p.Value)
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for id := range sum {
		sum[id] /= count[id]
	}
	if len(sum) != len(catalog.All()) {
		t.Error("not every game has a record")
	}
	return sum
}
