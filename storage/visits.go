package storage

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

	"ludoteca/storage/kv"
)

// What is kept of where players come from.
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

// newVisitStore returns the visits that an engine keeps.
func newVisitStore(engine kv.Store) *VisitStore { return &VisitStore{engine} }

// A Visit says when a player last used a key, or came from a block of addresses; both to within a day.
type Visit struct {
	From   string // the fingerprint of the key, a block, or the salted hash of one
	Last   time.Time
	Public bool // a block of addresses that are nobody else's: two players who come from it have something in common
}

// An origin is where a player came from: what Visit.From says of it.
type origin struct {
	player PlayerID
	from   string
}

// visits are the last visits of each player from each origin: a time, and a byte that is 1 for a block of public addresses.
var visits = Table[origin, Visit]{
	Name: "visits",
	Keys: Join(Text(isPlayerID), Text[string](nil),
		func(k origin) (PlayerID, string) { return k.player, k.from },
		func(id PlayerID, from string) origin { return origin{id, from} }),
	Values: Codec[origin, Visit]{
		Encode: func(v Visit) ([]byte, error) {
			public := byte(0)
			if v.Public {
				public = 1
			}
			return seal(visitVersion, append(appendMS(nil, v.Last.UnixMilli()), public)), nil
		},
		Decode: func(k origin, value []byte) (Visit, error) {
			content, err := unseal(value, visitVersion)
			if err == nil && (len(content) != 9 || content[8] > 1) {
				err = damaged("a visit of %d bytes", len(content))
			}
			if err != nil {
				return Visit{}, err
			}
			return Visit{From: k.from, Last: fromMS(readMS(content[:8])), Public: content[8] == 1}, nil
		},
	},
}

// IsKey says whether a visit is about a key.
func (v Visit) IsKey() bool { return isFingerprint(v.From) }

// IsHashOfIPv6 says whether a visit is from a block of IPv6 addresses that is kept as a hash.
func (v Visit) IsHashOfIPv6() bool { return strings.HasPrefix(v.From, hashIPv6) }

// isPublic says whether a block is of addresses that mean the same wherever they are seen. Behind loopback, private, link-local and shared
// ones may be anybody.
func isPublic(block netip.Prefix) bool {
	a := block.Addr()
	return a.IsGlobalUnicast() && !a.IsPrivate() && !carrierBlock.Contains(a)
}

// carrierBlock are the addresses that carriers share among their customers (RFC 6598).
var carrierBlock = netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64, 0, 0}), 10)

// Visited keeps that a player has come, with a key and from a block of addresses, either of which may be missing. Only a salted hash
// of the block is kept unless plain. Most calls write nothing: a day is as exact as it gets. The error is ErrNotFound for an unknown
// player.
func (s *VisitStore) Visited(ctx context.Context, id PlayerID, fingerprint string, block netip.Prefix, plain bool, now time.Time) error {
	return update(ctx, s.engine, fmt.Sprintf("visit of player %s", id), func(tx kv.Tx) error {
		if err := checkKeys(string(id)); err != nil {
			return err
		}
		if known, err := players.Has(tx, id); err != nil || !known {
			return cmp.Or(err, ErrNotFound)
		}
		if fingerprint != "" {
			if err := checkKeys(fingerprint); err != nil {
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
			salt, err := saltOf(tx)
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
		if err := visit(tx, id, Visit{From: from, Last: now, Public: isPublic(block)}); err != nil {
			return err
		}
		return dropVisits(tx, id, now)
	})
}

// visit keeps a visit if there is none of the last day that says the same.
func visit(tx kv.Tx, id PlayerID, v Visit) error {
	k := origin{id, v.From}
	last, there, err := visits.Find(tx, k)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	if there && last.Public == v.Public && v.Last.Sub(last.Last) < visitPrecision && !last.Last.After(v.Last) {
		return nil
	}
	return visits.Put(tx, k, v)
}

// salt is the salt of the hashes of blocks: saltBytes bytes.
var salt = Cell[[]byte]{Name: "salt", Values: rawBytes(func(b []byte) bool { return len(b) == saltBytes })}

// saltOf returns the salt of this store, which the first visit makes.
func saltOf(tx kv.Tx) ([]byte, error) {
	known, ok, err := salt.Find(tx)
	if ok || err != nil && !errors.Is(err, ErrDamaged) {
		return known, err
	}
	made := make([]byte, saltBytes)
	rand.Read(made)
	return made, salt.Put(tx, made)
}

// dropVisits forgets the blocks of a player whose time is over, and those beyond MaxBlocks.
func dropVisits(tx kv.Tx, id PlayerID, now time.Time) error {
	all, err := visitsOf(tx, id)
	if err != nil {
		return err
	}
	kept := 0
	for _, v := range all {
		if v.IsKey() {
			continue
		}
		if kept++; kept > MaxBlocks || now.Sub(v.Last) >= VisitLife {
			visits.Delete(tx, origin{id, v.From})
		}
	}
	return nil
}

// Visits returns what is kept of where a player came from, the newest first.
func (s *VisitStore) Visits(ctx context.Context, id PlayerID) ([]Visit, error) {
	return view(ctx, s.engine, fmt.Sprintf("visits of player %s", id), func(r kv.Reader) ([]Visit, error) { return visitsOf(r, id) })
}

func visitsOf(r kv.Reader, id PlayerID) ([]Visit, error) {
	all, err := visits.values(r, visits.Under(string(id)))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b Visit) int { return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.From, b.From)) })
	return all, nil
}

// Sweep forgets the blocks of all players whose time is over. It reads in one snapshot and writes in short steps.
func (s *VisitStore) Sweep(ctx context.Context, now time.Time) error {
	return visits.sweep(ctx, s.engine, func(_ kv.Reader, e Entry[origin, Visit]) (bool, error) {
		return !e.Value.IsKey() && now.Sub(e.Value.Last) >= VisitLife, nil
	})
}
