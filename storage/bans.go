package storage

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"ludoteca/storage/kv"
)

// A Ban keeps a key, or all addresses of a block, out of the club.
type Ban struct {
	Subject string    `json:"subject"` // the fingerprint of the key, or the block as netip.Prefix writes it
	At      time.Time `json:"at"`
	Until   time.Time `json:"until,omitzero"` // zero: for good
	Reason  string    `json:"reason"`
	Entry   uint64    `json:"entry"` // number of the audit entry
}

// IsOver says whether a ban has ended by now.
func (b Ban) IsOver(now time.Time) bool { return !b.Until.IsZero() && !now.Before(b.Until) }

const banVersion = 1

// A BanChange puts a ban in place of the one with that subject, if there is one; without a Ban it lifts that.
type BanChange struct {
	Subject string `json:"subject"`
	Ban     *Ban   `json:"ban,omitempty"` // At, Reason and Entry are those of the act if it has no time yet
}

func (c *BanChange) apply(tx kv.Tx, entry AuditEntry) (*BanChange, error) {
	if err := checkSubject(c.Subject); err != nil {
		return nil, err
	}
	undo := &BanChange{Subject: c.Subject}
	old, err := tx.Get(bans.key(c.Subject))
	if err != nil {
		return nil, err
	}
	if old != nil {
		b, err := decodeBan(old)
		if err != nil {
			return nil, err
		}
		undo.Ban = &b
	}
	if c.Ban == nil {
		if old == nil {
			return nil, ErrNotFound
		}
		tx.Delete(bans.key(c.Subject))
		return undo, nil
	}
	b := *c.Ban
	b.Subject, b.Until = c.Subject, stored(b.Until)
	if b.At.IsZero() {
		b.At, b.Reason, b.Entry = entry.At, entry.Reason, entry.Number
	}
	value, err := sealJSON(banVersion, b)
	if err == nil {
		tx.Put(bans.key(c.Subject), value)
	}
	return undo, err
}

// checkSubject refuses what is neither a fingerprint nor a block of addresses in its canonical form.
func checkSubject(subject string) error {
	if strings.HasPrefix(subject, "SHA256:") {
		return checkKeys(subject)
	}
	if p, err := netip.ParsePrefix(subject); err != nil || p.Masked().String() != subject {
		return fmt.Errorf("%w: a ban of neither a key nor a block", ErrInvalid)
	}
	return nil
}

func decodeBan(value []byte) (b Ban, err error) {
	_, content, err := unseal(value, banVersion)
	if err == nil {
		err = parseJSON(content, &b)
	}
	if err == nil && (b.Subject == "" || b.At.IsZero()) {
		err = fmt.Errorf("%w: a ban of nobody", ErrDamaged)
	}
	return b, err
}

// Bans returns all bans, those that have ended and are not swept yet included.
func (s *Store) Bans(ctx context.Context) (all []Ban, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) error {
		all = nil
		for p, err := range r.Scan(bans.all()) {
			if err != nil {
				return err
			}
			b, err := decodeBan(p.Value)
			if err != nil {
				return err
			}
			all = append(all, b)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: bans: %w", err)
	}
	return all, nil
}

func (s *Store) sweepBans(ctx context.Context, now time.Time) error {
	return s.sweepOver(ctx, bans.all(), func(_ kv.Reader, _, value []byte) (bool, error) {
		b, err := decodeBan(value)
		return err == nil && b.IsOver(now), nil // one that can't be read stays
	})
}
