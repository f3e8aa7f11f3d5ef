package operators

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A Signer is a public key with which the club signs records, or has signed them.
type Signer struct {
	Fingerprint string    `json:"fingerprint"` // SHA-256, as OpenSSH shows it
	Key         []byte    `json:"key"`         // in the wire format of SSH
	Since       time.Time `json:"since"`       // when a node of the club first started with it
	Distrusted  time.Time `json:"distrusted,omitzero"`
	Entry       uint64    `json:"entry,omitempty"` // the number of the audit entry by which it is distrusted
}

// Trusted reports whether what the key has signed is the club's.
func (s Signer) Trusted() bool { return s.Distrusted.IsZero() }

// Signers are the keys by fingerprint. None is ever deleted: what it has signed is checked by its row.
var Signers = storage.Table[string, Signer]{
	Name: "signers", Keys: storage.Text[string](nil), Values: storage.JSON[string, Signer](1),
	Check: func(fingerprint string, s Signer) error {
		if s.Fingerprint != fingerprint || fingerprintOf(s.Key) != fingerprint || s.Since.IsZero() {
			return storage.Damaged("a signer without its key")
		}
		return nil
	},
}

// fingerprintOf returns the fingerprint of a public key in the wire format of SSH.
func fingerprintOf(key []byte) string {
	sum := sha256.Sum256(key)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// AddSigner adds a public key, in the wire format of SSH, with which the club signs from now on. A key that is there already stays as it is.
func (s *Store) AddSigner(ctx context.Context, key []byte, now time.Time) error {
	signer := Signer{Fingerprint: fingerprintOf(key), Key: key, Since: storage.Stored(now)}
	return storage.Update(ctx, s.engine, "add a signer", func(tx kv.Tx) error {
		there, err := Signers.Has(tx, signer.Fingerprint)
		if err != nil || there {
			return err
		}
		return Signers.Put(tx, signer.Fingerprint, signer)
	})
}

// Signers returns all keys with which the club has signed, also distrusted ones, in the order of their fingerprints.
func (s *Store) Signers(ctx context.Context) ([]Signer, error) {
	return storage.View(ctx, s.engine, "signers", func(r kv.Reader) ([]Signer, error) { return Signers.All().Values(r) })
}

// A SignerChange sets whether a key is trusted.
type SignerChange struct {
	Fingerprint string `json:"fingerprint"`
	Trusted     bool   `json:"trusted"`
}

func (c *SignerChange) apply(tx kv.Tx, entry AuditEntry) (*SignerChange, error) {
	s, err := Signers.Get(tx, c.Fingerprint)
	switch {
	case err != nil:
		return nil, err
	case s.Trusted() == c.Trusted:
		return nil, storage.ErrUnchanged
	case c.Trusted:
		s.Distrusted, s.Entry = time.Time{}, 0
	default:
		s.Distrusted, s.Entry = entry.At, entry.Number
	}
	return &SignerChange{c.Fingerprint, !c.Trusted}, Signers.Put(tx, c.Fingerprint, s)
}
