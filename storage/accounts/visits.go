package accounts

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// Bounds of what is kept of where players come from.
const (
	VisitLife      = 30 * 24 * time.Hour // how long a block of addresses is kept after the last visit from there
	MaxBlocks      = 20                  // blocks of one player; the one not seen for longest goes first
	visitPrecision = 24 * time.Hour      // a visit is written only if the last one from there is as old
)

const saltBytes = 32 // of the hashes of blocks

// How the salted hash of a block begins: what it is a block of still says how many people it may stand for.
const (
	hashIPv4 = "hash:"
	hashIPv6 = "hash6:"
)

const visitVersion = 3

// A VisitStore keeps where players come from.
type VisitStore struct{ engine kv.Store }

// NewVisitStore returns the visits that an engine keeps.
func NewVisitStore(engine kv.Store) *VisitStore { return &VisitStore{engine} }

// A Visit says when a player last used a key, or came from a block of addresses; both to within a day.
type Visit struct {
	From   string // the fingerprint of the key, a block, or the salted hash of one
	Last   time.Time
	Public bool // a block of public addresses: two players who come from it have something in common
}

// An Origin is where a player came from: what Visit.From says of it.
type Origin struct {
	Player storage.PlayerID
	From   string
}

// Visits are the last visits of each player from each origin: a time, and a byte that is 1 for a block of public addresses.
var Visits = storage.Table[Origin, Visit]{
	Name: "visits",
	Keys: storage.Join(storage.Text(storage.IsPlayerID), storage.Text[string](nil),
		func(k Origin) (storage.PlayerID, string) { return k.Player, k.From },
		func(id storage.PlayerID, from string) Origin { return Origin{id, from} }),
	Values: storage.Codec[Origin, Visit]{
		Encode: func(v Visit) ([]byte, error) {
			public := byte(0)
			if v.Public {
				public = 1
			}
			return storage.Seal(visitVersion, append(storage.AppendMS(nil, v.Last.UnixMilli()), public)), nil
		},
		Decode: func(k Origin, value []byte) (Visit, error) {
			content, err := storage.Unseal(value, visitVersion)
			if err == nil && (len(content) != 9 || content[8] > 1) {
				err = storage.Damaged("a visit of %d bytes", len(content))
			}
			if err != nil {
				return Visit{}, err
			}
			return Visit{From: k.From, Last: storage.FromMS(storage.ReadMS(content[:8])), Public: content[8] == 1}, nil
		},
	},
}

// IsKey reports whether a visit is about a key.
func (v Visit) IsKey() bool { return storage.IsFingerprint(v.From) }

// IsHashOfIPv6 reports whether a visit is from a block of IPv6 addresses that is kept as a hash.
func (v Visit) IsHashOfIPv6() bool { return strings.HasPrefix(v.From, hashIPv6) }

// isPublic reports whether the addresses of a block mean the same wherever they are seen. Behind loopback, private, link-local and
// shared addresses may be any user.
func isPublic(block netip.Prefix) bool {
	a := block.Addr()
	return a.IsGlobalUnicast() && !a.IsPrivate() && !carrierBlock.Contains(a)
}

// carrierBlock are the addresses that carriers share among their customers (RFC 6598).
var carrierBlock = netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64, 0, 0}), 10)

// Visited keeps that a player has come, with a key and from a block of addresses, either of which may be missing. Only a salted hash
// of the block is kept unless plain. A block of one address is a relay, whose people count as of one block wherever it is. Most calls write nothing:
// a day is as exact as it gets. The error is ErrNotFound for an unknown player.
func (s *VisitStore) Visited(ctx context.Context, id storage.PlayerID, fingerprint string, block netip.Prefix, plain bool, now time.Time) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("visit of player %s", id), func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(id)); err != nil {
			return err
		}
		if known, err := Players.Has(tx, id); err != nil || !known {
			return cmp.Or(err, storage.ErrNotFound)
		}
		if fingerprint != "" {
			if err := storage.CheckKeys(fingerprint); err != nil {
				return err
			}
			if err := visit(tx, id, Visit{From: fingerprint, Last: now}); err != nil {
				return err
			}
		}
		if !block.IsValid() {
			return nil
		}
		from := block.Masked().String()
		if !plain {
			salt, err := SaltOf(tx)
			if err != nil {
				return err
			}
			mac := hmac.New(sha256.New, salt)
			mac.Write([]byte(from))
			kind := hashIPv4
			if block.Addr().Is6() {
				kind = hashIPv6
			}
			from = kind + hex.EncodeToString(mac.Sum(nil)[:12])
		}
		if err := visit(tx, id, Visit{From: from, Last: now, Public: isPublic(block) || block.IsSingleIP()}); err != nil {
			return err
		}
		return dropVisits(tx, id, now)
	})
}

// visit keeps a visit if there is none of the last day that says the same.
func visit(tx kv.Tx, id storage.PlayerID, v Visit) error {
	k := Origin{id, v.From}
	last, there, err := Visits.Find(tx, k)
	if err != nil && !errors.Is(err, storage.ErrDamaged) {
		return err
	}
	if there && last.Public == v.Public && v.Last.Sub(last.Last) < visitPrecision && !last.Last.After(v.Last) {
		return nil
	}
	return Visits.Put(tx, k, v)
}

// Salt is the salt of the hashes of blocks: saltBytes bytes.
var Salt = storage.Cell[[]byte]{Name: "salt", Values: storage.RawBytes(func(b []byte) bool { return len(b) == saltBytes })}

// SaltOf returns the salt of this store, which the first visit makes.
func SaltOf(tx kv.Tx) ([]byte, error) {
	known, ok, err := Salt.Find(tx)
	if ok || err != nil && !errors.Is(err, storage.ErrDamaged) {
		return known, err
	}
	made := make([]byte, saltBytes)
	rand.Read(made)
	return made, Salt.Put(tx, made)
}

// dropVisits removes the expired blocks of a player, and the oldest beyond MaxBlocks.
func dropVisits(tx kv.Tx, id storage.PlayerID, now time.Time) error {
	all, err := VisitsOf(tx, id)
	if err != nil {
		return err
	}
	kept := 0
	for _, v := range all {
		if v.IsKey() {
			continue
		}
		if kept++; kept > MaxBlocks || now.Sub(v.Last) >= VisitLife {
			Visits.Delete(tx, Origin{id, v.From})
		}
	}
	return nil
}

// Visits returns the visits of a player that are kept, the newest first.
func (s *VisitStore) Visits(ctx context.Context, id storage.PlayerID) ([]Visit, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("visits of player %s", id), func(r kv.Reader) ([]Visit, error) { return VisitsOf(r, id) })
}

// VisitsOf returns the visits of a player that are kept, the newest first.
func VisitsOf(r kv.Reader, id storage.PlayerID) ([]Visit, error) {
	all, err := Visits.Under(string(id)).Values(r)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b Visit) int { return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.From, b.From)) })
	return all, nil
}

// LastBlock returns what a visit says of the block of addresses from which a player came last; "" if that isn't known.
func LastBlock(r kv.Reader, id storage.PlayerID) (string, error) {
	all, err := VisitsOf(r, id)
	if err != nil && !errors.Is(err, storage.ErrDamaged) {
		return "", err
	}
	if i := slices.IndexFunc(all, func(v Visit) bool { return !v.IsKey() }); i >= 0 {
		return all[i].From, nil
	}
	return "", nil
}

// LastBlocks returns the LastBlock of players, as far as it is known.
func (s *VisitStore) LastBlocks(ctx context.Context, ids []storage.PlayerID) (map[storage.PlayerID]string, error) {
	return storage.View(ctx, s.engine, "blocks of players", func(r kv.Reader) (map[storage.PlayerID]string, error) {
		all := make(map[storage.PlayerID]string, len(ids))
		for _, id := range ids {
			block, err := LastBlock(r, id)
			if err != nil {
				return nil, err
			}
			if block != "" {
				all[id] = block
			}
		}
		return all, nil
	})
}

// Sweep removes the expired blocks of all players. It reads in one snapshot and writes in short steps.
func (s *VisitStore) Sweep(ctx context.Context, now time.Time) error {
	return Visits.All().Sweep(ctx, s.engine, func(_ kv.Reader, e storage.Entry[Origin, Visit]) (bool, error) {
		return !e.Value.IsKey() && now.Sub(e.Value.Last) >= VisitLife, nil
	})
}
