package storage

import (
	"fmt"

	"ludoteca/storage/kv"
)

// Lookalikes say which names look alike: those with a skeleton in common.
type Lookalikes struct {
	Of      func(name string) (skeletons []string) // nil: no two names look alike
	Version int                                    // of Of; another one makes the index anew
}

// A lookalike is a name of a player that has a skeleton.
type lookalike struct {
	skeleton string
	player   PlayerID
}

// lookalikes are the names of players by skeleton.
var lookalikes = Table[lookalike, struct{}]{
	Name: "lookalikes", Values: None[lookalike](), Traits: Traits{From: []string{"players"}, Anew: true},
	Keys: Join(Text(func(string) bool { return true }), Text(isPlayerID),
		func(k lookalike) (string, PlayerID) { return k.skeleton, k.player },
		func(skeleton string, id PlayerID) lookalike { return lookalike{skeleton, id} }),
}

// skeletons returns the skeletons of a name, none if all names may be taken.
func (l Lookalikes) skeletons(name string) []string {
	if l.Of == nil {
		return nil
	}
	return l.Of(name)
}

// check returns ErrNameAlike if a name looks like that of another player than by, or one that is kept for another player.
func (l Lookalikes) check(r kv.Reader, name string, by PlayerID) error {
	for _, skeleton := range l.skeletons(name) {
		for e, err := range lookalikes.Scan(r, lookalikes.Under(skeleton)) {
			if err != nil {
				return err
			}
			if e.Key.player != by {
				return ErrNameAlike
			}
		}
	}
	return nil
}

// put puts a name of a player into the index.
func (l Lookalikes) put(tx kv.Tx, name string, id PlayerID) {
	for _, skeleton := range l.skeletons(name) {
		lookalikes.add(tx, lookalike{skeleton, id})
	}
}

// remove takes a name of a player out of the index.
func (l Lookalikes) remove(tx kv.Tx, name string, id PlayerID) {
	for _, skeleton := range l.skeletons(name) {
		lookalikes.Delete(tx, lookalike{skeleton, id})
	}
}

// addNext puts the next names that players have or had into the index. Names that are alike already stay.
func (l Lookalikes) addNext(tx kv.Tx, after []byte) (last []byte, err error) {
	return step(tx, []kv.Range{formerNames.Under(), players.Under()}, after, func(p kv.Pair) (int, error) {
		var name string
		var id PlayerID
		if formerNames.owns(p.Key) {
			f, err := formerNames.entry(p.Key, p.Value)
			if err != nil {
				return 0, err
			}
			name, id = f.Value.Former, f.Value.Player
		} else {
			player, err := players.entry(p.Key, p.Value)
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

// lookalikesIndex is the marker of the index of names that look alike.
var lookalikesIndex = Cell[[]byte]{Name: "lookalikes", Values: rawBytes(func([]byte) bool { return true })}
