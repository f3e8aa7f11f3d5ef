// Package records writes the records of finished matches as text, signs them, and says whose signatures are the club's.
package records

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/golang-lru/v2"
	"github.com/hiddeco/sshsig"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/storage/operators"
)

// Namespace is the namespace of the signatures. A signature that was made for another purpose doesn't verify in it.
const Namespace = "ludoteca-record"

// maxSignatures is how many signatures a Signer remembers, of some 400 bytes each.
const maxSignatures = 4096

// A Signer signs records with a host key. It is safe for concurrent use.
type Signer struct {
	key    gossh.Signer
	size   int
	recent *lru.Cache[[sha256.Size]byte, []byte] // by the hash of the text
}

// NewSigner returns a signer with an Ed25519 key. Its signatures are deterministic: two nodes with the same key make the same ones.
func NewSigner(key gossh.Signer) (*Signer, error) {
	if kind := key.PublicKey().Type(); kind != gossh.KeyAlgoED25519 {
		return nil, fmt.Errorf("records: a key of the type %s, whose signatures may differ each time", kind)
	}
	recent, err := lru.New[[sha256.Size]byte, []byte](maxSignatures)
	if err != nil {
		return nil, err
	}
	s := &Signer{key: key, recent: recent}
	empty, err := s.make(nil)
	s.size = len(empty)
	return s, err
}

// Size returns the number of bytes of each signature.
func (s *Signer) Size() int { return s.size }

// Sign returns the signature of a text, in the armored form that ssh-keygen -Y verify reads. Callers must not change it.
func (s *Signer) Sign(text []byte) ([]byte, error) {
	hash := sha256.Sum256(text)
	if signature, ok := s.recent.Get(hash); ok {
		return signature, nil
	}
	signature, err := s.make(text)
	if err == nil {
		s.recent.Add(hash, signature)
	}
	return signature, err
}

func (s *Signer) make(text []byte) ([]byte, error) {
	signature, err := sshsig.Sign(bytes.NewReader(text), s.key, sshsig.HashSHA512, Namespace)
	if err != nil {
		return nil, fmt.Errorf("records: sign: %w", err)
	}
	return sshsig.Armor(signature), nil
}

// AllowedSigners returns a file of allowed signers, as ssh-keygen -Y verify takes it: a line for each key that is trusted, the newest first. The
// principal is the host by which people reach the club. The time since when the club has a key is a comment: a limit of its validity would make a
// plain check of an older record fail.
func AllowedSigners(principal string, signers []operators.Signer) ([]byte, error) {
	if principal == "" || strings.ContainsAny(principal, " \t\n\",*?!") {
		return nil, errors.New("records: a principal that no file of allowed signers can name")
	}
	signers = slices.Clone(signers)
	slices.SortStableFunc(signers, func(a, b operators.Signer) int { return b.Since.Compare(a.Since) })
	var file bytes.Buffer
	for _, s := range signers {
		key, err := gossh.ParsePublicKey(s.Key)
		if err != nil {
			return nil, fmt.Errorf("records: key %s: %w", s.Fingerprint, err)
		}
		if s.Trusted() {
			fmt.Fprintf(&file, "%s namespaces=\"%s\" %s since %s\n", principal, Namespace, bytes.TrimSpace(gossh.MarshalAuthorizedKey(key)), s.Since.UTC().Format(time.RFC3339))
		}
	}
	return file.Bytes(), nil
}
