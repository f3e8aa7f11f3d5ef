package storagetest

import (
	"context"
	"errors"
	"time"

	"ludoteca/storage"
)

// In a Memory accounts are as they were made: with one key and one name, and codes that let nobody in.

var errFixedAccounts = errors.New("this store changes no accounts")

// SetRecovery implements Accounts.
func (m *Memory) SetRecovery(context.Context, storage.PlayerID, string, time.Time) error { return nil }

// Recover implements Accounts.
func (m *Memory) Recover(context.Context, storage.PlayerID, string, string, string, time.Time) error {
	return storage.ErrNotFound
}

// OfferKey implements Accounts.
func (m *Memory) OfferKey(context.Context, storage.PlayerID, string, time.Time) error { return nil }

// ClaimKey implements Accounts.
func (m *Memory) ClaimKey(context.Context, string, string, time.Time) (storage.PlayerID, error) {
	return "", storage.ErrNotFound
}

// RemoveKey implements Accounts.
func (m *Memory) RemoveKey(context.Context, storage.PlayerID, string) error {
	return storage.ErrLastKey
}

// ChangeName implements Accounts.
func (m *Memory) ChangeName(context.Context, storage.PlayerID, string, string, time.Time) error {
	return errFixedAccounts
}

// DeletePlayer implements Accounts.
func (m *Memory) DeletePlayer(context.Context, storage.PlayerID, time.Time) ([]string, error) {
	return nil, errFixedAccounts
}

// Deletions implements Accounts.
func (m *Memory) Deletions(context.Context) ([]storage.PlayerID, error) { return nil, nil }

// ForgetName implements Accounts.
func (m *Memory) ForgetName(context.Context, storage.PlayerID) error { return nil }

// Account implements Accounts.
func (m *Memory) Account(ctx context.Context, id storage.PlayerID) (storage.Account, error) {
	p, err := m.Player(ctx, id)
	if err != nil {
		return storage.Account{}, err
	}
	have, err := m.Keys(ctx, id)
	a := storage.Account{Player: p}
	for _, fingerprint := range have {
		a.Keys = append(a.Keys, storage.Key{Fingerprint: fingerprint})
	}
	return a, err
}
