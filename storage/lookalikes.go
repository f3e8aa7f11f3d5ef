package storage

import (
	"bytes"
	"fmt"

	"ludoteca/storage/kv"
)

// Lookalikes say which names look alike: those with a skeleton in common.
type Lookalikes struct {
	Of      func(name string) (skeletons []string) // nil: no two names look alike
	Version int                                    // of Of; another one makes the index anew
}

// lookalikesKey is the key of the marker of the index of lookalikes (steps.go) in the meta section.
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

// addLookalikes puts the next names that players have or had into the index. Names that are alike already stay.
func (s *Store) addLookalikes(tx kv.Tx, after []byte) (last []byte, err error) {
	return step(tx, []kv.Range{formerNames.all(), players.all()}, after, func(p kv.Pair) (int, error) {
		var name string
		var id PlayerID
		if bytes.HasPrefix(p.Key, formerNames.key("")) {
			f, err := decodeFormerName(p.Value)
			if err != nil {
				return 0, err
			}
			name, id = f.Former, f.Player
		} else {
			id = PlayerID(players.rest(p.Key))
			player, err := decodePlayer(id, p.Value)
			if err != nil {
				return 0, fmt.Errorf("player %s: %w", id, err)
			}
			if !player.Deleted.IsZero() {
				return 0, nil
			}
			name = player.Name
		}
		s.putLookalikes(tx, name, id)
		return len(s.skeletons(name)), nil
	})
}
