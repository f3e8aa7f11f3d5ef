package clustertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/names"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/clustertest/history"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// openStore opens the data model on an engine, as the program does.
func openStore(ctx context.Context, engine kv.Store) (*schema.Store, error) {
	return schema.Open(ctx, engine, schema.Config{
		Rate: rating.Rate, Lookalikes: accounts.LookalikeRules{Of: names.Skeletons, Version: names.SkeletonsVersion},
	})
}

// contents are the contents of a store at one moment.
type contents struct {
	matches history.Matches
	ratings []string // corrections made by recomputing them
}

// readFile reads a copy of a store in a file, which no program may have open.
func readFile(t testing.TB, path string) contents {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "store")
	from, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(copied)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	engine, err := bolt.Open(copied, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(copied)
	defer engine.Close()
	h, err := readStore(t.Context(), engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// readStore reads all matches, unfinished ones from their logs and the others from their records, and compares summaries with matches and
// ratings with results. While the club runs, before is what was read last time: its finished matches are not read again, matches may end
// meanwhile, and summaries and ratings are not compared. Once the club has stopped, before is nil.
func readStore(ctx context.Context, engine kv.Store, before history.Matches) (contents, error) {
	running := before != nil
	store, err := openStore(ctx, engine)
	if err != nil {
		return contents{}, err
	}
	h := contents{matches: make(history.Matches)}
	going, err := idsIn(ctx, engine, "logs")
	if err != nil {
		return contents{}, err
	}
	ended, err := idsIn(ctx, engine, "finished")
	if err != nil {
		return contents{}, err
	}
	for _, id := range ended {
		if m := before[id]; m != nil && m.Over() {
			h.matches[id] = m
			continue
		}
		record, err := store.Results.Finished(ctx, id)
		if err != nil {
			h.matches[id] = &history.Match{ID: id, Ends: 1, Damage: err.Error()}
			continue
		}
		h.matches[id] = fromRecord(record)
	}
	for _, id := range going {
		if running && h.matches[id] != nil {
			continue
		}
		log, err := store.Matches.Log(ctx, id, 1, 0)
		if running && errors.Is(err, storage.ErrNotFound) {
			record, err := store.Results.Finished(ctx, id)
			if err != nil {
				return contents{}, err
			}
			h.matches[id] = fromRecord(record)
			continue
		}
		m := fromLog(id, log)
		if err != nil {
			m.Damage = err.Error()
		}
		if h.matches[id] != nil {
			m.Ends++
			m.Damage = "it has a log and a record"
		}
		h.matches[id] = m
	}
	if running {
		return h, nil
	}
	summaries, err := store.Matches.Summaries(ctx)
	if err != nil {
		return contents{}, err
	}
	for _, s := range summaries {
		m := h.matches[s.ID]
		if m == nil || m.Over() || s.Seq > 0 && s.Plies != len(m.Moves) {
			h.matches[s.ID] = &history.Match{ID: s.ID, Damage: fmt.Sprintf("a summary of %d moves does not fit", s.Plies)}
		}
	}
	report, err := store.Results.Recompute(ctx)
	if err != nil {
		return contents{}, err
	}
	for _, d := range report.Differed {
		h.ratings = append(h.ratings, d.String())
	}
	if report.Matches+report.Recent > 0 {
		h.ratings = append(h.ratings, fmt.Sprintf("the changes of %d matches, and the last day of %d players", report.Matches, report.Recent))
	}
	return h, nil
}

// idsIn returns the matches that have something in a section of the store.
func idsIn(ctx context.Context, engine kv.Store, section string) (ids []storage.MatchID, err error) {
	err = engine.View(ctx, func(r kv.Reader) error {
		ids = nil
		prefix := append([]byte(section), 0)
		for p, err := range r.Scan(kv.Prefix(prefix)) {
			if err != nil {
				return err
			}
			id, _, _ := bytes.Cut(p.Key[len(prefix):], []byte{0})
			if n := len(ids); n == 0 || ids[n-1] != storage.MatchID(id) {
				ids = append(ids, storage.MatchID(id))
			}
		}
		return nil
	})
	return ids, err
}

func fromRecord(f results.Finished) *history.Match {
	m := &history.Match{
		ID: f.ID, Game: f.Game, Seats: [2]storage.Occupant{f.First, f.Second}, Clock: f.Clock, Started: f.Started, Moves: f.Moves, Times: f.Times, Left: f.Left,
		Ended: f.Ended, Result: f.Result, Reason: f.Reason, Ends: 1,
	}
	complete(m, f.Options)
	if f.Plies != len(f.Moves) || f.Rated && f.Ratings == nil {
		m.Damage = fmt.Sprintf("the record has %d moves and says %d; rated %v, with ratings %v", len(f.Moves), f.Plies, f.Rated, f.Ratings != nil)
	}
	return m
}

// fromLog folds a log: moves independently of the program's own fold, clocks with it.
func fromLog(id storage.MatchID, log []matchstore.Event) *history.Match {
	m := &history.Match{ID: id}
	if len(log) == 0 || log[0].Opening == nil {
		m.Damage = "a log without an opening"
		return m
	}
	o := log[0].Opening
	m.Game, m.Seats, m.Clock, m.Moves = o.Game, [2]storage.Occupant{o.First, o.Second}, o.Clock, slices.Clone(o.Moves)
	if o.First != (storage.Occupant{}) && o.Second != (storage.Occupant{}) {
		m.Started = log[0].At
	}
	last := log[0].At
	for i, e := range log {
		if e.Seq != uint64(i+1) || e.At.Before(last) || m.Over() {
			m.Damage = fmt.Sprintf("event %d, %s, has the number %d; ended before: %v", i+1, e.Kind, e.Seq, m.Over())
			return m
		}
		last = e.At
		switch e.Kind {
		case matchstore.Joined:
			m.Seats[e.Seat.Side()], m.Started = e.Who, e.At
		case matchstore.Moved:
			m.Moves, m.Times = append(m.Moves, e.Move), append(m.Times, e.At)
		case matchstore.TakenBack:
			if m.Lines == nil {
				for n := range len(m.Moves) + 1 {
					m.Lines = append(m.Lines, slices.Clone(m.Moves[:n]))
				}
			}
			n := max(len(m.Moves)-e.Plies, 0)
			m.Moves, m.Times = m.Moves[:n], m.Times[:n]
		case matchstore.Ended:
			m.Ended, m.Result, m.Reason, m.Ends = e.At, e.Result, e.Reason, 1
		}
		if m.Lines != nil {
			m.Lines = append(m.Lines, slices.Clone(m.Moves))
		}
	}
	complete(m, o.Options)
	s, err := match.Fold(id, findGame, log)
	switch {
	case err != nil:
		m.Damage = err.Error()
	case !slices.Equal(s.Moves, m.Moves):
		m.Damage = "the program folds the log to other moves"
	default:
		m.Left = s.Left
	}
	return m
}

func findGame(id string) (games.Game, error) {
	g, ok := games.Find(catalog.All(), id)
	if !ok {
		return nil, fmt.Errorf("no game %s", id)
	}
	return g, nil
}

// complete plays the moves by the rules, and fills in what follows from them.
func complete(m *history.Match, o games.Options) {
	if set, err := clock.Parse(m.Clock); m.Clock != "" && err == nil && set.Kind == clock.Fischer {
		m.Base, m.Step = set.Base, set.Increment
	}
	g, err := findGame(m.Game)
	var p games.Position
	if err == nil {
		p, err = g.New(o)
	}
	for _, move := range m.Moves {
		if err != nil {
			break
		}
		m.Sides = append(m.Sides, p.Turn())
		p, err = p.Play(move)
	}
	switch {
	case err != nil:
		m.Damage = err.Error()
		m.Moves = m.Moves[:len(m.Sides)]
	case p.Result().Over != (m.Over() && p.Result().Over && p.Result().Reason == m.Reason && p.Result().String() == m.Result):
		m.Damage = fmt.Sprintf("by the rules %q, %q, and the store says %q, %q", p.Result(), p.Result().Reason, m.Result, m.Reason)
	}
	for len(m.Times) < len(m.Moves) { // moves of the opening have no times
		m.Times = append([]time.Time{m.Started}, m.Times...)
	}
}
