package storage_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/matches"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// childStore is the environment variable that makes the test binary a child which writes to the store it names.
const childStore = "LUDOTECA_TEST_STORE"

// childMatches is how many matches the child plays at once, and childMoves how long each is.
const (
	childMatches = 32
	childMoves   = 25
)

// child plays matches without end. After each answer of the store it prints what is on disk now.
func child(path string) error {
	s, err := storagetest.OpenFile(path, schema.Config{Rate: storagetest.Rate})
	if err != nil {
		return err
	}
	old, err := s.Matches.Summaries(context.Background())
	if err != nil {
		return err
	}
	errs := make([]error, childMatches)
	var all sync.WaitGroup
	for m := range childMatches {
		all.Go(func() {
			for round := len(old); errs[m] == nil; round++ {
				errs[m] = childMatch(s, storage.MatchID(fmt.Sprintf("p%d-%d-%d", os.Getpid(), round, m)))
			}
			fmt.Fprintln(os.Stderr, "child:", errs[m])
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func childMatch(s *schema.Store, id storage.MatchID) error {
	ctx := context.Background()
	first := benchOpening(0)
	first.Opening.Code = "code-" + string(id)
	if err := s.Matches.Append(ctx, id, []matches.Event{first}, matches.Summary{}); err != nil {
		return err
	}
	for seq := uint64(2); seq <= childMoves; seq++ {
		if err := s.Matches.Append(ctx, id, []matches.Event{benchMove(seq)}, matches.Summary{}); err != nil {
			return err
		}
		fmt.Printf("log %s %d\n", id, seq)
	}
	f := benchRecord(0)
	f.Code = first.Opening.Code
	_, err := s.Matches.Finish(ctx, id, []matches.Event{benchEnd(childMoves + 1)}, f, nil)
	if err == nil {
		fmt.Printf("end %s %d\n", id, childMoves+1)
	}
	return err
}

// TestKill kills a process that writes to a store, several times, and looks for everything that it was told is there.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "club.db")
	logged, finished := map[storage.MatchID]uint64{}, map[storage.MatchID]bool{}
	for _, answers := range []int{1, 500, 1777} {
		killAfter(t, path, answers, func(what string, id storage.MatchID, seq uint64) {
			logged[id] = max(logged[id], seq)
			if what == "end" {
				finished[id] = true
			}
		})
		s := open(t, path, bolt.Options{})
		sums, err := s.Matches.Summaries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, sum := range sums {
			id := sum.ID
			log, err := s.Matches.Log(t.Context(), id, 1, 0) // fails if there is a gap
			if err != nil || uint64(len(log)) < logged[id] || finished[id] || sum.Seq != uint64(len(log)) {
				t.Errorf("match %s has %d events, %v; acknowledged were %d, finished: %t", id, len(log), err, logged[id], finished[id])
			}
			delete(logged, id)
		}
		for id := range logged { // what is left must have ended, whether or not the child lived to say so
			if f, err := s.Results.Finished(t.Context(), id); err != nil || f.Result != "draw" {
				t.Errorf("match %s: %+v, %v", id, f, err)
			}
		}
		clear(logged)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(finished) == 0 {
		t.Error("no match came to its end: the test tests less than it should")
	}
}

// killAfter runs the child until it has printed the given number of lines, kills it, and passes all that it has printed to line.
func killAfter(t *testing.T, path string, lines int, line func(what string, id storage.MatchID, seq uint64)) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childStore+"="+path)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(out)
	n := 0
	for in.Scan() {
		var what string
		var id storage.MatchID
		var seq uint64
		if _, err := fmt.Sscan(in.Text(), &what, &id, &seq); err != nil {
			t.Fatalf("the child says %q: %v", in.Text(), err)
		}
		line(what, id, seq)
		if n++; n == lines {
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = c.Wait()
	if n < lines {
		t.Fatalf("the child ended by itself after %d lines: %v", n, err)
	}
}
