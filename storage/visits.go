package storage

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
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
	visitVersion   = 2                   // of a block of public addresses; 1 is of a key, or of a block that says nothing of who somebody is
)

// saltKey is the key in the meta section that holds the salt of the hashes of blocks: saltBytes bytes.
const (
	saltKey   = "salt"
	saltBytes = 32
)

// How the salted hash of a block begins: what it is a block of still says how many people it may stand for.
const (
	hashIPv4 = "hash:"
	hashIPv6 = "hash6:"
)

// A Visit says when a player last used a key, or came from a block of addresses; both to within a day.
type Visit struct {
	From   string // the fingerprint of the key, a block, or the salted hash of one
	Last   time.Time
	Public bool // a block of addresses that are nobody else's: two players who come from it have something in common
}

// IsKey says whether a visit is about a key.
func (v Visit) IsKey() bool { return isFingerprint([]byte(v.From)) }

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
func (s *Store) Visited(ctx context.Context, id PlayerID, fingerprint string, block netip.Prefix, plain bool, now time.Time) error {
	err := checkKeys(string(id))
	if err == nil && fingerprint != "" {
		err = checkKeys(fingerprint)
	}
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			if _, err := lookUp(tx, players.key(string(id))); err != nil {
				return err
			}
			if fingerprint != "" {
				if err := visit(tx, id, fingerprint, 1, now); err != nil {
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
			version := 1
			if isPublic(block) {
				version = visitVersion
			}
			if err := visit(tx, id, from, version, now); err != nil {
				return err
			}
			return dropVisits(tx, id, now)
		})
	}
	if err != nil {
		return fmt.Errorf("storage: visit of player %s: %w", id, err)
	}
	return nil
}

func visit(tx kv.Tx, id PlayerID, from string, version int, now time.Time) error {
	key := visits.key(string(id), from)
	value, err := tx.Get(key)
	if err != nil {
		return err
	}
	last, public, err := decodeVisit(value)
	if value != nil && err == nil && public == (version == visitVersion) && now.Sub(last) < visitPrecision && !last.After(now) {
		return nil
	}
	tx.Put(key, seal(version, appendMS(nil, now.UnixMilli())))
	return nil
}

func decodeVisit(value []byte) (last time.Time, public bool, err error) {
	version, content, err := unseal(value, visitVersion)
	if err != nil || len(content) != 8 {
		return time.Time{}, false, fmt.Errorf("%w: a visit without a time", ErrDamaged)
	}
	return fromMS(readMS(content)), version == visitVersion, nil
}

// saltOf returns the salt of this store, which the first visit makes.
func saltOf(tx kv.Tx) ([]byte, error) {
	salt, err := tx.Get(meta.key(saltKey))
	if err != nil || len(salt) == saltBytes {
		return salt, err
	}
	salt = make([]byte, saltBytes)
	rand.Read(salt)
	tx.Put(meta.key(saltKey), salt)
	return salt, nil
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
			tx.Delete(visits.key(string(id), v.From))
		}
	}
	return nil
}

// Visits returns what is kept of where a player came from, the newest first.
func (s *Store) Visits(ctx context.Context, id PlayerID) (all []Visit, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) (err error) {
		all, err = visitsOf(r, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("storage: visits of player %s: %w", id, err)
	}
	return all, nil
}

func visitsOf(r kv.Reader, id PlayerID) ([]Visit, error) {
	var all []Visit
	prefix := visits.key(string(id), "")
	for p, err := range r.Scan(kv.Prefix(prefix)) {
		if err != nil {
			return nil, err
		}
		last, public, err := decodeVisit(p.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, Visit{string(p.Key[len(prefix):]), last, public})
	}
	slices.SortFunc(all, func(a, b Visit) int { return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.From, b.From)) })
	return all, nil
}

// sweepVisits forgets the blocks of all players whose time is over. It reads in one snapshot and writes in short steps.
func (s *Store) sweepVisits(ctx context.Context, now time.Time) error {
	return s.sweepOver(ctx, visits.all(), func(_ kv.Reader, key, value []byte) (bool, error) {
		if _, from, _ := bytes.Cut(visits.rest(key), []byte{0}); isFingerprint(from) {
			return false, nil
		}
		last, _, err := decodeVisit(value)
		return err == nil && now.Sub(last) >= VisitLife, nil // one that can't be read stays
	})
}
