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
type Follower[T any] struct {
	All    func(rows []T)   // first, and again after changes were missed: everything that there is
	Missed func() error     // after All; an error ends following
	Put    func(row T)      // a row is new or another
	Gone   func(key string) // the row with this key is gone
	Bad    func(key string, err error)
}

// FollowDecisions calls changed at first, and whenever operators have decided something or players have changed their names or deleted
// their accounts, until ctx ends. Several goroutines call changed.
func (s *Store) FollowDecisions(ctx context.Context, changed func()) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, prefix := range [][]byte{
		restrictions.prefix(), formerNames.prefix(), bans.prefix(), deletions.prefix(), announcement.key(),
	} {
		all.Go(func() error {
			return follow(ctx, s, prefix, func(_, _ []byte) (struct{}, error) { return struct{}{}, nil }, Follower[struct{}]{
				All: func([]struct{}) { changed() }, Put: func(struct{}) { changed() }, Gone: func(string) { changed() },
			})
		})
	}
	return all.Wait()
}

// FollowRelations follows the relations of all players until ctx ends; see Follower. Its keys are the ids of players.
func (s *Store) FollowRelations(ctx context.Context, f Follower[RelationsOf]) error {
	return follow(ctx, s, relations.prefix(), func(key, value []byte) (RelationsOf, error) {
		id := PlayerID(key)
		related, err := relations.decode(id, value)
		return RelationsOf{id, related}, err
	}, f)
}

// A RelationsOf is the relations of a player.
type RelationsOf struct {
	Player PlayerID
	Relations
}

// FollowChat follows the chat lines of all unfinished matches until ctx ends; see Follower.
func (s *Store) FollowChat(ctx context.Context, f Follower[ChatAt]) error {
	return follow(ctx, s, chat.prefix(), func(key, value []byte) (ChatAt, error) {
		k, _ := chat.Keys.parse(key)
		line, err := chat.decodeBytes(key, value)
		return ChatAt{k.match, line}, err
	}, f)
}

// A ChatAt is a chat line and its match.
type ChatAt struct {
	Match MatchID
	ChatLine
}

// FollowKeys tells which keys get another owner for as long as ctx lasts: "" is none. missed is called first, and again after changes were
// missed; its error is that of FollowKeys.
func (s *Store) FollowKeys(ctx context.Context, missed func() error, changed func(fingerprint string, owner PlayerID)) error {
	type key struct {
		fingerprint string
		owner       PlayerID
	}
	decode := func(fingerprint, owner []byte) (key, error) { return key{string(fingerprint), PlayerID(owner)}, nil }
	return follow(ctx, s, keys.prefix(), decode, Follower[key]{
		Missed: missed,
		Put:    func(k key) { changed(k.fingerprint, k.owner) },
		Gone:   func(fingerprint string) { changed(fingerprint, "") },
	})
}

// follow has f follow the keys with a prefix until ctx ends or the store can't go on, and returns the error of that. A row that can't be
// read is left out.
func follow[T any](ctx context.Context, s *Store, prefix []byte, decode func(key, value []byte) (T, error), f Follower[T]) error {
	read := func(key, value []byte) (row T, ok bool) {
		row, err := decode(key[len(prefix):], value)
		if err != nil && f.Bad != nil {
			f.Bad(string(key[len(prefix):]), err)
		}
		return row, err == nil
	}
	for {
		var all []T
		var at kv.Revision
		err := s.engine.View(ctx, func(r kv.Reader) error {
			all, at = nil, r.Revision()
			if f.All == nil {
				return nil
			}
			for p, err := range r.Scan(kv.Prefix(prefix)) {
				if err != nil {
					return err
				}
				if row, ok := read(p.Key, p.Value); ok {
					all = append(all, row)
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
		for c, err := range s.engine.Watch(ctx, prefix, at) {
			if errors.Is(err, kv.ErrCompacted) {
				break
			}
			if err != nil {
				return fmt.Errorf("storage: following the store: %w", err)
			}
			if c.Value == nil {
				if f.Gone != nil {
					f.Gone(string(c.Key[len(prefix):]))
				}
			} else if row, ok := read(c.Key, c.Value); ok && f.Put != nil {
				f.Put(row)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}
