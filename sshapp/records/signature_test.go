package records

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/storage/operators"
)

var began = time.Date(2026, 11, 27, 1, 2, 3, 0, time.UTC)

func newKey(t *testing.T) gossh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := gossh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newSigner(t *testing.T, key gossh.Signer) *Signer {
	t.Helper()
	s, err := NewSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rowOf(key gossh.Signer, since time.Time) operators.Signer {
	return operators.Signer{Fingerprint: gossh.FingerprintSHA256(key.PublicKey()), Key: key.PublicKey().Marshal(), Since: since}
}

// verify asks OpenSSH whether a signature of a text is good.
func verify(t *testing.T, allowed, text, signature []byte, principal string) bool {
	t.Helper()
	keygen, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	folder := t.TempDir()
	for name, content := range map[string][]byte{"allowed_signers": allowed, "m.txt.sig": signature} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), keygen, "-Y", "verify", "-f", filepath.Join(folder, "allowed_signers"), "-I", principal, "-n", Namespace,
		"-s", filepath.Join(folder, "m.txt.sig"))
	c.Stdin = bytes.NewReader(text)
	out, err := c.CombinedOutput()
	t.Logf("%s", bytes.TrimSpace(out))
	return err == nil
}

// TestVerify checks signatures with OpenSSH: also after the host key was replaced, after an operator distrusts the old one, and of a text that
// was changed.
func TestVerify(t *testing.T) {
	oldKey, newerKey := newKey(t), newKey(t)
	text := []byte("[Game \"tanks\"]\n\n1. a1 1-0\n")
	byOld, err := newSigner(t, oldKey).Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	byNew, err := newSigner(t, newerKey).Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	rows := []operators.Signer{rowOf(oldKey, began), rowOf(newerKey, began.AddDate(1, 0, 0))}
	distrusted := []operators.Signer{rows[0], rows[1]}
	distrusted[0].Distrusted = began.AddDate(1, 0, 1)
	for _, tt := range []struct {
		name            string
		rows            []operators.Signer
		text, signature []byte
		principal       string
		want            bool
	}{
		{"the first key", rows[:1], text, byOld, "play.example.com", true},
		{"the newer key", rows, text, byNew, "play.example.com", true},
		{"the replaced key", rows, text, byOld, "play.example.com", true},
		{"a distrusted key", distrusted, text, byOld, "play.example.com", false},
		{"the key after the distrusted one", distrusted, text, byNew, "play.example.com", true},
		{"a changed text", rows, bytes.Replace(text, []byte("1-0"), []byte("0-1"), 1), byNew, "play.example.com", false},
		{"a changed signature", rows, text, bytes.Replace(byNew, byNew[60:64], []byte("AAAA"), 1), "play.example.com", false},
		{"a key of nobody", rows[1:], text, byOld, "play.example.com", false},
		{"another club", rows, text, byNew, "other.example.com", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			allowed, err := AllowedSigners("play.example.com", tt.rows)
			if err != nil {
				t.Fatal(err)
			}
			if got := verify(t, allowed, tt.text, tt.signature, tt.principal); got != tt.want {
				t.Errorf("verified: %v, want %v, with\n%s", got, tt.want, allowed)
			}
		})
	}
}

// TestSignaturesRepeat: a signature of a text is the same each time and on each node, and all have the size that the signer says.
func TestSignaturesRepeat(t *testing.T) {
	key := newKey(t)
	one, other := newSigner(t, key), newSigner(t, key)
	for _, text := range []string{"", "a", strings.Repeat("x", 100_000)} {
		first, err := one.Sign([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Signer{one, other} {
			if again, err := s.Sign([]byte(text)); err != nil || !bytes.Equal(again, first) {
				t.Errorf("another signature of %.10q: %v", text, err)
			}
		}
		if len(first) != one.Size() {
			t.Errorf("%d bytes, want %d", len(first), one.Size())
		}
	}
}

// TestSignaturesAreBounded: a signer remembers maxSignatures signatures.
func TestSignaturesAreBounded(t *testing.T) {
	s := newSigner(t, newKey(t))
	for i := range maxSignatures + 10 {
		if _, err := s.Sign([]byte{byte(i), byte(i >> 8)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.recent.Len(); n != maxSignatures {
		t.Errorf("%d signatures are kept, want %d", n, maxSignatures)
	}
}

func TestRefusedSigners(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	key, err := gossh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewSigner(key); err == nil {
		t.Error("an RSA key signs")
	}
	row := rowOf(key, began)
	for _, principal := range []string{"", "a b", "*", "a,b", "a\nb"} {
		if file, err := AllowedSigners(principal, []operators.Signer{row}); err == nil {
			t.Errorf("the principal %q makes %q", principal, file)
		}
	}
	row.Key = []byte("no key")
	if _, err := AllowedSigners("host", []operators.Signer{row}); err == nil {
		t.Error("a key that is none makes a line")
	}
}
