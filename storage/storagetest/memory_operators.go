package storagetest

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/operators"
)

// A Memory has no operators: no player is restricted or banned, and no act is possible.

var errNoOperators = errors.New("this store has no operators")

// Act implements Operators.
func (m *Memory) Act(context.Context, operators.AuditEntry, operators.Change) (operators.AuditEntry, error) {
	return operators.AuditEntry{}, errNoOperators
}

// Audit implements Operators.
func (m *Memory) Audit(context.Context, uint64, int) ([]operators.AuditEntry, error) { return nil, nil }

// Restrictions implements Operators.
func (m *Memory) Restrictions(context.Context) (map[storage.PlayerID]accounts.Restriction, error) {
	return nil, nil
}

// FormerNames implements Operators.
func (m *Memory) FormerNames(context.Context) (map[storage.PlayerID][]string, error) {
	return nil, nil
}

// Bans implements Operators.
func (m *Memory) Bans(context.Context) ([]operators.Ban, error) { return nil, nil }

// AddSigner implements Operators.
func (m *Memory) AddSigner(context.Context, []byte, time.Time) error { return errNoOperators }

// Signers implements Operators.
func (m *Memory) Signers(context.Context) ([]operators.Signer, error) { return nil, nil }

// AddReport implements Operators.
func (m *Memory) AddReport(context.Context, operators.Report) (operators.Report, error) {
	return operators.Report{}, errNoOperators
}

// Reports implements Operators.
func (m *Memory) Reports(context.Context, bool) ([]operators.Report, error) { return nil, nil }

// LastBlocks implements Operators.
func (m *Memory) LastBlocks(ctx context.Context, ids []storage.PlayerID) (map[storage.PlayerID]string, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	all := map[storage.PlayerID]string{}
	for _, id := range ids {
		if v, known := m.blocks[id]; known {
			all[id] = v.From
		}
	}
	return all, nil
}

// Visited implements Operators. Of each player it keeps the last block, without a salt.
func (m *Memory) Visited(ctx context.Context, id storage.PlayerID, _ string, block netip.Prefix, plain bool, now time.Time) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	from := block.String()
	if !plain {
		from = "hash:" + from
	}
	if block.IsValid() {
		a := block.Addr()
		public := !a.IsPrivate() && !a.IsLoopback() && !a.IsLinkLocalUnicast()
		m.blocks[id] = accounts.Visit{From: from, Last: now, Public: public}
	}
	return nil
}

// Visits implements Operators.
func (m *Memory) Visits(ctx context.Context, id storage.PlayerID) ([]accounts.Visit, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if v, ok := m.blocks[id]; ok {
		return []accounts.Visit{v}, nil
	}
	return nil, nil
}

// Unrated implements Operators.
func (m *Memory) Unrated(context.Context, storage.MatchID) (uint64, error) { return 0, nil }

// CountedMatches implements Operators.
func (m *Memory) CountedMatches(context.Context, storage.PlayerID, storage.PlayerID, int) ([]storage.MatchID, error) {
	return nil, nil
}

// LoungeClosed implements Operators.
func (m *Memory) LoungeClosed(context.Context) (bool, error) { return false, nil }

// Announcement implements Operators.
func (m *Memory) Announcement(context.Context) (operators.Announcement, error) {
	return operators.Announcement{}, nil
}
