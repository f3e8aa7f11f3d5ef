package accounts

import (
	"fmt"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// LookalikeRules say which names look alike: names with a skeleton in common.
type LookalikeRules struct {
	Of      func(name string) (skeletons []string) // nil: no two names look alike
	Version int                                    // of Of; another one makes the index anew
}

// A lookalike is a name of a player that has a skeleton.
type lookalike struct {
	skeleton string
	player   storage.PlayerID
}

// Lookalikes are the names of players by skeleton.
var Lookalikes = storage.Table[lookalike, struct{}]{
	Name: "lookalikes", Values: storage.None[lookalike](), Traits: storage.Traits{From: []string{"players"}, Anew: true},
	Keys: storage.Join(storage.Text(func(string) bool { return true }), storage.Text(storage.IsPlayerID),
		func(k lookalike) (string, storage.PlayerID) { return k.skeleton, k.player },
		func(skeleton string, id storage.PlayerID) lookalike { return lookalike{skeleton, id} }),
}

// skeletons returns the skeletons of a name, none if all names may be taken.
func (l LookalikeRules) skeletons(name string) []string {
	if l.Of == nil {
		return nil
	}
	return l.Of(name)
}

// check returns ErrNameAlike if a name looks like the name of another player than by, or like a name kept for another player.
func (l LookalikeRules) check(r kv.Reader, name string, by storage.PlayerID) error {
	for _, skeleton := range l.skeletons(name) {
		for e, err := range Lookalikes.Under(skeleton).Scan(r) {
			if err != nil {
				return err
			}
			if e.Key.player != by {
				return storage.ErrNameAlike
			}
		}
	}
	return nil
}

// put puts a name of a player into the index.
func (l LookalikeRules) put(tx kv.Tx, name string, id storage.PlayerID) {
	for _, skeleton := range l.skeletons(name) {
		Lookalikes.Add(tx, lookalike{skeleton, id})
	}
}

// remove takes a name of a player out of the index.
func (l LookalikeRules) remove(tx kv.Tx, name string, id storage.PlayerID) {
	for _, skeleton := range l.skeletons(name) {
		Lookalikes.Delete(tx, lookalike{skeleton, id})
	}
}

// AddNext puts the next names that players have or had into the index. Names that are alike already stay.
func (l LookalikeRules) AddNext(tx kv.Tx, after []byte) (last []byte, err error) {
	return storage.Step(tx, []kv.Range{FormerNames.All().Range, Players.All().Range}, after, func(p kv.Pair) (int, error) {
		var name string
		var id storage.PlayerID
		if FormerNames.Owns(p.Key) {
			f, err := FormerNames.Entry(p.Key, p.Value)
			if err != nil {
				return 0, err
			}
			name, id = f.Value.Former, f.Value.Player
		} else {
			player, err := Players.Entry(p.Key, p.Value)
			if err != nil {
				return 0, fmt.Errorf("player %s: %w", player.Key, err)
			}
			if !player.Value.Deleted.IsZero() {
				return 0, nil
			}
			name, id = player.Value.Name, player.Key
		}
		l.put(tx, name, id)
		return len(l.skeletons(name)), nil
	})
}

// LookalikesIndex is the marker of the index of names that look alike.
var LookalikesIndex = storage.Cell[[]byte]{Name: "lookalikes", Values: storage.RawBytes(func([]byte) bool { return true })}
