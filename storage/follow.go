package storage

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"ludoteca/storage/kv"
)

// A Follower is told what there is in a part of the store, and of each change. Its functions are called one after the other. One that is nil
// is not called, and what there is is read only for All.
type Follower[K, V any] struct {
	All    func(rows []V) // first, and again after changes were missed: everything that there is
	Missed func() error   // after All; an error ends following
	Put    func(row V)    // a row is new or another
	Gone   func(key K)    // the row with this key is gone
	Bad    func(key string, err error)
}

// FollowDecisions calls changed at first, and whenever operators have decided something or players have changed their names or deleted
// their accounts, until ctx ends. Several goroutines call changed.
func (s *OperatorStore) FollowDecisions(ctx context.Context, changed func()) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, prefix := range [][]byte{
		restrictions.prefix(), formerNames.prefix(), bans.prefix(), deletions.prefix(), announcement.key(),
	} {
		all.Go(func() error {
			return follow(ctx, s.engine, prefix, func(_, _ []byte) (Entry[string, struct{}], error) { return Entry[string, struct{}]{}, nil }, Follower[string, struct{}]{
				All: func([]struct{}) { changed() }, Put: func(struct{}) { changed() }, Gone: func(string) { changed() },
			})
		})
	}
	return all.Wait()
}

// FollowRelations follows the relations of all players until ctx ends; see Follower.
func (s *RelationStore) FollowRelations(ctx context.Context, f Follower[PlayerID, RelationsOf]) error {
	return follow(ctx, s.engine, relations.prefix(), func(key, value []byte) (e Entry[PlayerID, RelationsOf], err error) {
		of, err := relations.entry(key, value)
		return Entry[PlayerID, RelationsOf]{Key: of.Key, Value: RelationsOf{of.Key, of.Value}}, err
	}, f)
}

// A RelationsOf is the relations of a player.
type RelationsOf struct {
	Player PlayerID
	Relations
}

// FollowChat follows the places of the chat lines of all unfinished matches until ctx ends; see Follower.
func (s *ChatStore) FollowChat(ctx context.Context, f Follower[LineID, LineID]) error {
	return follow(ctx, s.engine, chat.prefix(), func(key, value []byte) (Entry[LineID, LineID], error) {
		line, err := chat.entry(key, value)
		return Entry[LineID, LineID]{Key: line.Key, Value: line.Key}, err
	}, f)
}

// FollowKeys tells which keys get another owner for as long as ctx lasts: "" is none. missed is called first, and again after changes were
// missed; its error is that of FollowKeys.
func (s *AccountStore) FollowKeys(ctx context.Context, missed func() error, changed func(fingerprint string, owner PlayerID)) error {
	type owned struct {
		fingerprint string
		owner       PlayerID
	}
	return follow(ctx, s.engine, keys.prefix(), func(key, value []byte) (e Entry[string, owned], err error) {
		of, err := keys.entry(key, value)
		return Entry[string, owned]{Key: of.Key, Value: owned{of.Key, of.Value}}, err
	}, Follower[string, owned]{
		Missed: missed,
		Put:    func(k owned) { changed(k.fingerprint, k.owner) },
		Gone:   func(fingerprint string) { changed(fingerprint, "") },
	})
}

// follow follows the entries of the table until ctx ends; see Follower.
func (t Table[K, V]) follow(ctx context.Context, engine kv.Store, f Follower[K, V]) error {
	return follow(ctx, engine, t.prefix(), t.entry, f)
}

// follow has f follow the keys with a prefix until ctx ends or the store can't go on, and returns the error of that. A row that can't be
// read is left out.
func follow[K, V any](ctx context.Context, engine kv.Store, prefix []byte, read func(key, value []byte) (Entry[K, V], error), f Follower[K, V]) error {
	row := func(key, value []byte) (row V, ok bool) {
		e, err := read(key, value)
		if err != nil && f.Bad != nil {
			f.Bad(string(key[len(prefix):]), err)
		}
		return e.Value, err == nil
	}
	for {
		var all []V
		var at kv.Revision
		err := engine.View(ctx, func(r kv.Reader) error {
			all, at = nil, r.Revision()
			if f.All == nil {
				return nil
			}
			for p, err := range r.Scan(kv.Prefix(prefix)) {
				if err != nil {
					return err
				}
				if v, ok := row(p.Key, p.Value); ok {
					all = append(all, v)
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("storage: following the store: %w", err)
		}
		if f.All != nil {
			f.All(all)
		}
		if f.Missed != nil {
			if err := f.Missed(); err != nil {
				return err
			}
		}
		for c, err := range engine.Watch(ctx, prefix, at) {
			if errors.Is(err, kv.ErrCompacted) {
				break
			}
			if err != nil {
				return fmt.Errorf("storage: following the store: %w", err)
			}
			if c.Value == nil {
				if e, _ := read(c.Key, nil); f.Gone != nil { // its key is all that there is
					f.Gone(e.Key)
				}
			} else if v, ok := row(c.Key, c.Value); ok && f.Put != nil {
				f.Put(v)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}
