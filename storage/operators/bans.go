package operators

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"ludoteca/storage"
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

// IsOver reports whether a ban has ended by now.
func (b Ban) IsOver(now time.Time) bool { return !b.Until.IsZero() && !now.Before(b.Until) }

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{Audit, Bans, Reports, Signers},
		Cells:  []storage.AnyCell{CurrentAnnouncement, LoungeState},
	}
}

// Bans are the bans by subject.
var Bans = storage.Table[string, Ban]{
	Name: "bans", Keys: storage.Text[string](nil), Values: storage.JSON[string, Ban](1),
	Check: func(subject string, b Ban) error {
		if b.Subject != subject || b.At.IsZero() {
			return storage.Damaged("a ban of nobody")
		}
		return nil
	},
}

// A BanChange bans a subject, in place of an older ban if there is one. Without a Ban it lifts the subject's ban.
type BanChange struct {
	Subject string `json:"subject"`
	Ban     *Ban   `json:"ban,omitempty"` // if At is zero, the act sets At, Reason and Entry
}

func (c *BanChange) apply(tx kv.Tx, entry AuditEntry) (*BanChange, error) {
	if err := checkSubject(c.Subject); err != nil {
		return nil, err
	}
	undo := &BanChange{Subject: c.Subject}
	old, banned, err := Bans.Find(tx, c.Subject)
	if err != nil {
		return nil, err
	}
	if banned {
		undo.Ban = &old
	}
	if c.Ban == nil {
		if !banned {
			return nil, storage.ErrNotFound
		}
		Bans.Delete(tx, c.Subject)
		return undo, nil
	}
	b := *c.Ban
	b.Subject, b.Until = c.Subject, storage.Stored(b.Until)
	if b.At.IsZero() {
		b.At, b.Reason, b.Entry = entry.At, entry.Reason, entry.Number
	}
	return undo, Bans.Put(tx, c.Subject, b)
}

// checkSubject refuses what is neither a fingerprint nor a block of addresses in its canonical form.
func checkSubject(subject string) error {
	if strings.HasPrefix(subject, "SHA256:") {
		return storage.CheckKeys(subject)
	}
	if p, err := netip.ParsePrefix(subject); err != nil || p.Masked().String() != subject {
		return fmt.Errorf("%w: a ban of neither a key nor a block", storage.ErrInvalid)
	}
	return nil
}

// Bans returns all bans, also expired ones that are not swept yet.
func (s *Store) Bans(ctx context.Context) ([]Ban, error) {
	return storage.View(ctx, s.engine, "bans", func(r kv.Reader) ([]Ban, error) { return Bans.All().Values(r) })
}

func (s *Store) sweepBans(ctx context.Context, now time.Time) error {
	return Bans.All().Sweep(ctx, s.engine, func(_ kv.Reader, b storage.Entry[string, Ban]) (bool, error) { return b.Value.IsOver(now), nil })
}
