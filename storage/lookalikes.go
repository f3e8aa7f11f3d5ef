package storage

import (
	"context"
	"fmt"
	"strconv"

	"ludoteca/storage/kv"
)

// Lookalikes say which names look alike: those with a skeleton in common.
type Lookalikes struct {
	Of      func(name string) (skeletons []string) // nil: no two names look alike
	Version int                                    // of Of; another one makes the index anew
}

// lookalikesKey is the key in the meta section that holds the version of the index of lookalikes in decimal digits.
const lookalikesKey = "lookalikes"

// skeletons returns the skeletons of a name, none if all names may be taken.
func (s *Store) skeletons(name string) []string {
	if s.config.Lookalikes.Of == nil {
		return nil
	}
	return s.config.Lookalikes.Of(name)
}

// checkLookalikes says ErrNameAlike if a name looks like that of another player than by, or one that is kept for another player.
func (s *Store) checkLookalikes(r kv.Reader, name string, by PlayerID) error {
	for _, skeleton := range s.skeletons(name) {
		prefix := lookalikes.key(skeleton, "")
		for p, err := range r.Scan(kv.Prefix(prefix)) {
			if err != nil {
				return err
			}
			if PlayerID(p.Key[len(prefix):]) != by {
				return ErrNameAlike
			}
		}
	}
	return nil
}

// putLookalikes puts a name of a player into the index.
func (s *Store) putLookalikes(tx kv.Tx, name string, id PlayerID) {
	for _, skeleton := range s.skeletons(name) {
		tx.Put(lookalikes.key(skeleton, string(id)), nil)
	}
}

// indexLookalikes makes the index anew if it isn't of the present version. Names that are alike already stay.
func (s *Store) indexLookalikes(ctx context.Context) error {
	version := strconv.Itoa(s.config.Lookalikes.Version)
	if s.config.Lookalikes.Of == nil {
		return nil
	}
	present := false
	err := s.engine.View(ctx, func(r kv.Reader) error {
		v, err := r.Get(meta.key(lookalikesKey))
		present = string(v) == version
		return err
	})
	if err != nil || present {
		return err
	}
	err = s.engine.Update(ctx, func(tx kv.Tx) error {
		if err := tx.DeletePrefix(lookalikes.key("")); err != nil {
			return err
		}
		for p, err := range tx.Scan(players.all()) {
			if err != nil {
				return err
			}
			id := PlayerID(players.rest(p.Key))
			player, err := readPlayer(tx, id)
			if err != nil {
				return fmt.Errorf("player %s: %w", id, err)
			}
			if player.Deleted.IsZero() {
				s.putLookalikes(tx, player.Name, id)
			}
		}
		for p, err := range tx.Scan(formerNames.all()) {
			if err != nil {
				return err
			}
			f, err := decodeFormerName(p.Value)
			if err != nil {
				return err
			}
			s.putLookalikes(tx, f.Former, f.Player)
		}
		tx.Put(meta.key(lookalikesKey), []byte(version))
		return nil
	})
	if err != nil {
		return fmt.Errorf("storage: index of names that look alike: %w", err)
	}
	return nil
}
