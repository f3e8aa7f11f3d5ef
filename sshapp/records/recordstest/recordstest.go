// Package recordstest makes stores with finished matches, and the files of a club on them, for tests and benchmarks.
package recordstest

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/refusal"
	"ludoteca/sshapp/records"
	"ludoteca/sshapp/records/files"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// Began is when the first match ended.
var Began = time.Date(2026, 9, 29, 12, 0, 0, 0, time.UTC)

// A Club is a store with finished matches, and their files.
type Club struct {
	*schema.Store
	Engine  kv.Store
	Players []accounts.Player
	Matches []results.Finished // without ratings
	Signer  *records.Signer
	Tree    *files.Tree
	Now     time.Time
}

// New returns a club of five players and n matches in a file. The first player has one match of share: 2 is half of all. Of ten matches one is casual
// and public, one casual and private, and eight are rated and public.
func New(t testing.TB, n, share int) *Club {
	t.Helper()
	store, engine, err := storagetest.OpenBoth(filepath.Join(t.TempDir(), "club.db"), schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return On(t, store, engine, n, share)
}

// On is New in a store that is open.
func On(t testing.TB, store *schema.Store, engine kv.Store, n, share int) *Club {
	t.Helper()
	c := &Club{Store: store, Engine: engine, Now: Began.Add(time.Duration(n+1) * matchTime)}
	for i, name := range []string{"ana", "rui", "eva", "Zoë", "жук"} {
		p, err := store.Accounts.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name, Since: Began}, fmt.Sprint("SHA256:", i))
		if err != nil {
			t.Fatal(err)
		}
		c.Players = append(c.Players, p)
	}
	played := playedMatches(t)
	for i := range n {
		c.Matches = append(c.Matches, c.match(played, i, share))
	}
	const step = 200
	for from := 0; from < n; from += step {
		if err := engine.Update(t.Context(), func(tx kv.Tx) error {
			for i, f := range c.Matches[from:min(from+step, n)] {
				if err := add(tx, f, uint64(from+i+1)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	c.serve(t)
	return c
}

// matchTime is the time from one end of a match to the next.
const matchTime = 97 * time.Second

// playedMatches returns matches at random, a few of each game, with their moves alone.
func playedMatches(t testing.TB) (all []results.Finished) {
	t.Helper()
	for _, g := range catalog.All() {
		random := games.NewRandom(1)
		options, err := games.Complete(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			f := results.Finished{Game: g.About().ID, Options: options}
			p, err := g.New(options)
			if err != nil {
				t.Fatal(err)
			}
			for len(f.Moves) < 60 && !p.Result().Over {
				legal := p.Legal()
				m := legal[random.N(len(legal))]
				if p, err = p.Play(m); err != nil {
					t.Fatal(err)
				}
				f.Moves = append(f.Moves, m)
			}
			all = append(all, f)
		}
	}
	return all
}

// match returns match i of a club.
func (c *Club) match(played []results.Finished, i, share int) results.Finished {
	f := played[i%len(played)]
	f.ID, f.Code, f.Plies, f.Ended = storage.MatchID(fmt.Sprintf("m%07d", i)), "ABCDEF", len(f.Moves), Began.Add(time.Duration(i)*matchTime)
	f.Started, f.Result, f.Reason, f.Rated, f.Public = f.Ended.Add(-30*time.Minute), []string{"first", "second", "draw"}[i%3], "resigned", i%10 < 8, i%10 < 9
	if i%4 == 0 {
		f.Clock = "5+3"
	}
	for ply := range f.Moves {
		f.Times = append(f.Times, f.Started.Add(time.Duration(ply)*time.Second))
		if f.Clock != "" {
			f.Left = append(f.Left, 5*time.Minute-time.Duration(ply)*1100*time.Millisecond)
		}
	}
	seat := func(p accounts.Player) storage.Occupant {
		return storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: p.Name}
	}
	others := c.Players[1:]
	f.First, f.Second = seat(others[i%len(others)]), seat(others[(i+1)%len(others)])
	if i%share == 0 {
		f.First = seat(c.Players[0])
	}
	return f
}

// add adds a match to a store, as its end does, without the result that ratings follow from.
func add(tx kv.Tx, f results.Finished, number uint64) error {
	if !f.Rated {
		number = 0
	} else if err := results.Changes.Put(tx, number, &[2]results.RatingChange{
		{Before: results.Rating{Rating: 1400, Played: 1}, After: results.Rating{Rating: 1400 + float64(number%40), Played: 2}, Weight: 1},
		{Before: results.Rating{Rating: 990, Played: 1}, After: results.Rating{Rating: 1000 - float64(number%40), Played: 2}, Weight: 1},
	}); err != nil {
		return err
	}
	if err := results.Records.Put(tx, f.ID, results.Record{Finished: f, Number: number}); err != nil {
		return err
	}
	results.AddHistory(tx, f)
	return nil
}

// serve makes the files of the club.
func (c *Club) serve(t testing.TB) {
	t.Helper()
	key, err := gossh.NewSignerFromKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	if c.Signer, err = records.NewSigner(key); err != nil {
		t.Fatal(err)
	}
	if err := c.Store.Operators.AddSigner(t.Context(), key.PublicKey().Marshal(), Began); err != nil {
		t.Fatal(err)
	}
	c.Tree = files.New(files.Config{
		Results: c.Results, Players: c.Accounts, Records: catalog.All(), Signer: c.Signer, Readme: files.Readme("localhost"), Folder: t.TempDir(),
		Now: func() time.Time { return c.Now },
		Player: func(ctx context.Context, name string) (accounts.Player, error) {
			for _, p := range c.Players {
				if p.Name == name {
					return p, nil
				}
			}
			return accounts.Player{}, refusal.ErrNoSuchPlayer
		},
		Allowed: func(ctx context.Context) ([]byte, error) {
			keys, err := c.Store.Operators.Signers(ctx)
			if err != nil {
				return nil, err
			}
			return records.AllowedSigners("localhost", keys)
		},
	})
	t.Cleanup(func() {
		if err := c.Tree.Close(); err != nil {
			t.Error(err)
		}
	})
}

// AtOnce is a step that waits for no turn.
func AtOnce(_ context.Context, work func() error) error { return work() }

// Add adds one more rated match of a game, which ends at a time.
func (c *Club) Add(t testing.TB, game string, ended time.Time) results.Finished {
	t.Helper()
	f := c.Matches[0]
	for _, m := range c.Matches {
		if m.Game == game && m.Rated {
			f = m
		}
	}
	n := len(c.Matches)
	f.ID, f.Ended = storage.MatchID(fmt.Sprintf("m%07d", n)), ended
	c.Matches = append(c.Matches, f)
	if err := c.Engine.Update(t.Context(), func(tx kv.Tx) error { return add(tx, f, uint64(n+1)) }); err != nil {
		t.Fatal(err)
	}
	return f
}
