package storage_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"ludoteca/games"
	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// The benchmarks measure durable moves per second on the disk that holds the temporary folder: how the store does
// for one match and for many at once, and what plain bbolt does there with the same keys and about the same values.

func BenchmarkAppend(b *testing.B) {
	for _, matches := range []int{1, 200} {
		b.Run(fmt.Sprintf("matches=%d", matches), func(b *testing.B) {
			s, err := storagetest.OpenFile(filepath.Join(b.TempDir(), "club.db"), schema.Config{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			for m := range matches {
				if err := s.Matches.Append(context.Background(), benchID(m), []matchstore.Event{benchOpening(m)}, matchstore.Summary{}); err != nil {
					b.Fatal(err)
				}
			}
			benchMoves(b, matches, func(m int, seq uint64) error {
				return s.Matches.Append(context.Background(), benchID(m), []matchstore.Event{benchMove(seq)}, matchstore.Summary{})
			})
		})
	}
}

// BenchmarkReadBesideWrites reads logs while 200 matches write moves: a read must not wait for their commits.
func BenchmarkReadBesideWrites(b *testing.B) {
	s, err := storagetest.OpenFile(filepath.Join(b.TempDir(), "club.db"), schema.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const matches = 200
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for m := range matches {
		if err := s.Matches.Append(context.Background(), benchID(m), []matchstore.Event{benchOpening(m)}, matchstore.Summary{}); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Matches.Append(context.Background(), benchID(matches), []matchstore.Event{benchOpening(matches)}, matchstore.Summary{}); err != nil {
		b.Fatal(err)
	}
	for m := range matches {
		writers.Go(func() {
			for seq := uint64(2); ; seq++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := s.Matches.Append(context.Background(), benchID(m), []matchstore.Event{benchMove(seq)}, matchstore.Summary{}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := s.Matches.Log(context.Background(), benchID(matches), 1, 0); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	close(stop)
	writers.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func BenchmarkPlainUpdate(b *testing.B) {
	benchBolt(b, func(db *bbolt.DB) func(func(*bbolt.Tx) error) error { return db.Update })
}

func BenchmarkBatch(b *testing.B) {
	benchBolt(b, func(db *bbolt.DB) func(func(*bbolt.Tx) error) error { return db.Batch })
}

// benchBolt writes moves with bbolt alone.
func benchBolt(b *testing.B, with func(*bbolt.DB) func(func(*bbolt.Tx) error) error) {
	for _, matches := range []int{1, 200} {
		b.Run(fmt.Sprintf("matches=%d", matches), func(b *testing.B) {
			db, err := bbolt.Open(filepath.Join(b.TempDir(), "plain.db"), 0o600, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			if err := db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("logs")); return err }); err != nil {
				b.Fatal(err)
			}
			update := with(db)
			value := make([]byte, 48)
			benchMoves(b, matches, func(m int, seq uint64) error {
				return update(func(tx *bbolt.Tx) error {
					key := binary.BigEndian.AppendUint64([]byte(benchID(m)+"\x00"), seq)
					return tx.Bucket([]byte("logs")).Put(key, value)
				})
			})
		})
	}
}

// benchMoves makes b.N moves in all, one at a time in each match.
func benchMoves(b *testing.B, matches int, move func(m int, seq uint64) error) {
	errs := make([]error, matches)
	var all sync.WaitGroup
	b.ResetTimer()
	for m := range matches {
		all.Go(func() {
			for i := m; i < b.N && errs[m] == nil; i += matches {
				errs[m] = move(m, uint64(i/matches)+2)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	if err := errors.Join(errs...); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
}

func benchID(m int) storage.MatchID { return storage.MatchID(fmt.Sprintf("m%07d", m*7919%10_000_000)) }

func benchOpening(m int) matchstore.Event {
	return matchstore.Event{Seq: 1, Version: matchstore.EventVersion, Kind: matchstore.Opened, At: benchTime, Opening: &matchstore.Opening{
		Code: fmt.Sprintf("C%05d", m), Game: "tanks", Options: games.Options{"rows": 8, "cols": 8},
		First: storage.Occupant{Kind: storage.Guest, ID: "guest", Name: "guest"},
	}}
}

func benchMove(seq uint64) matchstore.Event {
	return matchstore.Event{Seq: seq, Version: matchstore.EventVersion, Kind: matchstore.Moved, Seat: storage.FirstSeat,
		At: benchTime.Add(time.Duration(seq) * time.Second), Move: "e2xe4"}
}

func benchEnd(seq uint64) matchstore.Event {
	return matchstore.Event{Seq: seq, Version: matchstore.EventVersion, Kind: matchstore.Ended, At: benchTime, Result: "draw"}
}

func benchRecord(m int) resultstore.Finished {
	o := benchOpening(m).Opening
	return resultstore.Finished{
		Code: o.Code, Game: o.Game, Options: o.Options, First: o.First, Second: o.First, Result: "draw", Ended: benchTime,
	}
}

var benchTime = time.UnixMilli(1_700_000_000_000).UTC()
