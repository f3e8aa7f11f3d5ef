package cluster

import (
	"context"
	"errors"
	"slices"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// MaxNicknames is the most guests of all nodes who have a nickname at once.
const MaxNicknames = 2000

// ErrManyNicknames means that MaxNicknames guests have a nickname.
var ErrManyNicknames = errors.New("too many guests have nicknames")

// A NicknameID is a guest on a node.
type NicknameID struct {
	Node  NodeID
	Guest string // the id of the guest
}

// A Nickname is the name that a guest has chosen for a visit. It lives as long as the row of its node.
type Nickname struct {
	ID    NicknameID `json:"-"`
	Name  string     `json:"name"`  // as it is shown, without what marks the guest
	Key   string     `json:"key"`   // by which names are compared
	Looks []string   `json:"looks"` // skeletons of the name
}

// Clash returns storage.ErrNameTaken if two guests may not have these nicknames at once because they are the same, storage.ErrNameAlike if
// they look alike, and else nil.
func (n Nickname) Clash(other Nickname) error {
	switch {
	case n.ID == other.ID:
		return nil
	case n.Key == other.Key:
		return storage.ErrNameTaken
	case slices.ContainsFunc(n.Looks, func(look string) bool { return slices.Contains(other.Looks, look) }):
		return storage.ErrNameAlike
	}
	return nil
}

// Nicknames are the nicknames of guests on each node.
var Nicknames = storage.Table[NicknameID, Nickname]{
	Name: "nicknames", Traits: storage.Traits{Brief: true, OfNodes: true},
	Keys: storage.Join(storage.Text[NodeID](nil), storage.Text[string](nil),
		func(id NicknameID) (NodeID, string) { return id.Node, id.Guest },
		func(node NodeID, guest string) NicknameID { return NicknameID{node, guest} }),
	Values: storage.JSONAs(1, func(n Nickname) Nickname { return n }, func(id NicknameID, n Nickname) (Nickname, error) {
		n.ID = id
		return n, nil
	}),
}

const nicknameOfGuest = "nickname of a guest"

// ClaimNickname gives a guest a nickname, in place of the one that they may have. The error wraps storage.ErrNameTaken or storage.ErrNameAlike
// if another guest has it or one that looks like it, ErrManyNicknames, or storage.ErrNotFound if the node was declared gone.
func (s *Store) ClaimNickname(ctx context.Context, n Nickname) error {
	return storage.Update(ctx, s.engine, nicknameOfGuest, func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(n.ID.Node), n.ID.Guest); err != nil {
			return err
		}
		if err := mustBeUp(tx, n.ID.Node); err != nil {
			return err
		}
		all, err := Nicknames.All().Values(tx)
		if err != nil {
			return err
		}
		if err := MayHave(n, all); err != nil {
			return err
		}
		return Nicknames.Put(tx, n.ID, n)
	})
}

// MayHave returns nil if a guest may have a nickname beside all that are in use, else the error of ClaimNickname.
func MayHave(n Nickname, all []Nickname) error {
	others := 0
	for _, other := range all {
		if err := n.Clash(other); err != nil {
			return err
		}
		if n.ID != other.ID {
			others++
		}
	}
	if others >= MaxNicknames {
		return ErrManyNicknames
	}
	return nil
}

// ReleaseNickname takes the nickname from a guest, who may have none.
func (s *Store) ReleaseNickname(ctx context.Context, id NicknameID) error {
	return storage.Update(ctx, s.engine, nicknameOfGuest, func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(id.Node), id.Guest); err != nil {
			return err
		}
		Nicknames.Delete(tx, id)
		return nil
	})
}
