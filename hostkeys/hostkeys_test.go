package hostkeys

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
)

func TestOpenMakesKeysOnceAndKeepsThem(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data", "club")
	first, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 2 {
		t.Fatalf("%d keys, want 2", len(first))
	}
	for i, want := range []string{ssh.KeyAlgoED25519, ssh.KeyAlgoRSA} {
		key := first[i]
		if !key.Made {
			t.Errorf("first Open of %s: Made = false", key.Path)
		}
		if got := key.PublicKey().Type(); got != want {
			t.Errorf("key type %q, want %q", got, want)
		}
		info, err := os.Lstat(key.Path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, want -rw-------", key.Path, info.Mode())
		}
		text, err := os.ReadFile(key.Path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, []byte("-----BEGIN OPENSSH PRIVATE KEY-----\n")) {
			t.Errorf("the file starts with %.40q", text)
		}
		if !strings.HasPrefix(key.Fingerprint(), "SHA256:") {
			t.Errorf("fingerprint %q", key.Fingerprint())
		}
	}
	if got := first[1].PublicKey().(ssh.CryptoPublicKey).CryptoPublicKey().(*rsa.PublicKey).N.BitLen(); got != MinRSABits {
		t.Errorf("an RSA key of %d bits, want %d", got, MinRSABits)
	}

	second, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	same(t, first, second)
	for _, k := range second {
		if k.Made {
			t.Errorf("second Open of %s: Made = true", k.Path)
		}
	}
	only(t, folder)
}

// same fails when two servers have other keys.
func same(t *testing.T, a, b []Key) {
	t.Helper()
	if !slices.EqualFunc(a, b, func(a, b Key) bool { return a.Fingerprint() == b.Fingerprint() }) {
		t.Errorf("other keys are served: %v and %v", a, b)
	}
}

// TestOpenKeepsWhatTheOperatorHas: Open makes no RSA key in a folder that has the Ed25519 key, but accepts one that the operator adds. After
// an interrupted first start it makes the missing Ed25519 key.
func TestOpenKeepsWhatTheOperatorHas(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, FileName), goodKey(t), 0o600); err != nil {
		t.Fatal(err)
	}
	alone, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(alone) != 1 || alone[0].Made {
		t.Fatalf("keys %v, want the one that was there", alone)
	}
	if err := os.WriteFile(filepath.Join(folder, RSAFileName), goodRSAKey(t), 0o600); err != nil {
		t.Fatal(err)
	}
	both, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(both) != 2 || both[1].Made || both[1].PublicKey().Type() != ssh.KeyAlgoRSA {
		t.Fatalf("keys %v, want the two that were there", both)
	}
	same(t, alone, both[:1])

	if err := os.Remove(filepath.Join(folder, FileName)); err != nil {
		t.Fatal(err)
	}
	rest, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(rest) != 2 || !rest[0].Made || rest[1].Made {
		t.Fatalf("keys %v, want an Ed25519 key made, and the RSA key that was there", rest)
	}
	same(t, both[1:], rest[1:])
}

// only fails when the folder holds anything beside the keys.
func only(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != FileName && e.Name() != RSAFileName {
			t.Errorf("%s is left in the folder", e.Name())
		}
	}
}

func TestServersStartingTogetherServeTheSameKeys(t *testing.T) {
	folder := t.TempDir()
	var starting sync.WaitGroup
	keys := make([][]Key, 8)
	for i := range keys {
		starting.Go(func() {
			all, err := Open(folder)
			if err != nil {
				t.Error(err)
			}
			keys[i] = all
		})
	}
	starting.Wait()
	if t.Failed() {
		return
	}
	made := 0
	for _, all := range keys {
		for _, k := range all {
			if k.Made {
				made++
			}
		}
		same(t, keys[0], all)
	}
	if made != 2 {
		t.Errorf("the servers made %d keys, want 2", made)
	}
	only(t, folder)
}

func TestOpenTakes(t *testing.T) {
	good := goodKey(t)
	tests := []struct {
		name string
		make func(path string) error
	}{
		{"mode 0600", func(p string) error { return os.WriteFile(p, good, 0o600) }},
		{"mode 0400", func(p string) error { return os.WriteFile(p, good, 0o400) }},
		{"white space after it", func(p string) error { return os.WriteFile(p, append(bytes.Clone(good), " \n\n"...), 0o600) }},
		{"a link to a good file", func(p string) error {
			return errors.Join(os.WriteFile(p+"-elsewhere", good, 0o600), os.Symlink(p+"-elsewhere", p))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			if err := tt.make(filepath.Join(folder, FileName)); err != nil {
				t.Fatal(err)
			}
			keys, err := Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			want, err := ssh.ParsePrivateKey(good)
			if err != nil {
				t.Fatal(err)
			}
			if k := keys[0]; k.Made || k.Fingerprint() != ssh.FingerprintSHA256(want.PublicKey()) {
				t.Errorf("Made %v, %s; want the key in the file, %s", k.Made, k.Fingerprint(), ssh.FingerprintSHA256(want.PublicKey()))
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	good := goodKey(t)
	file := func(content []byte, mode os.FileMode) func(string) error {
		return func(p string) error { return errors.Join(os.WriteFile(p, content, mode), os.Chmod(p, mode)) }
	}
	tests := []struct {
		name string
		make func(path string) error
		want string
	}{
		{"readable by all", file(good, 0o644), "others may use it (mode 0644): make it 0600"},
		{"readable by the group", file(good, 0o640), "others may use it (mode 0640)"},
		{"writable by others", file(good, 0o602), "others may use it (mode 0602)"},
		{"empty", file(nil, 0o600), "it is empty"},
		{"blank", file([]byte("\n \n"), 0o600), "it is empty"},
		{"text", file([]byte("my host key\n"), 0o600), "it holds no private key"},
		{"cut short", file(good[:len(good)/2], 0o600), "it holds no private key"},
		{"the public key", file([]byte("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA== club\n"), 0o600), "it holds no private key"},
		{"too long", file(bytes.Repeat([]byte("A"), maxBytes+1), 0o600), "it is too long"},
		{"two keys", file(append(bytes.Clone(good), goodKey(t)...), 0o600), "it holds more than a key"},
		{"encrypted", file(encryptedKey(t), 0o600), "it is encrypted"},
		{"another type", file(ecdsaKey(t), 0o600), "not an Ed25519 key"},
		{"RSA", file(goodRSAKey(t), 0o600), "not an Ed25519 key"},
		{"PKCS 8", file(pkcs8Key(t), 0o600), "not an Ed25519 key in OpenSSH's format"},
		{"halves of two keys", file(mixedKey(t), 0o600), "it is damaged"},
		{"a folder", func(p string) error { return os.Mkdir(p, 0o700) }, "it is not a regular file"},
		{"a fifo", func(p string) error { return syscall.Mkfifo(p, 0o600) }, "it is not a regular file"},
		{"a link to nothing", func(p string) error { return os.Symlink(p+"-nothing", p) }, "it is a symbolic link to nothing"},
		{"a link to itself", func(p string) error { return os.Symlink(p, p) }, "can't open it"},
		{"a link to an open file", func(p string) error {
			return errors.Join(file(good, 0o644)(p+"-open"), os.Symlink(p+"-open", p))
		}, "others may use it"},
		{"a device", func(p string) error { return os.Symlink("/dev/null", p) }, "it is not a regular file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, FileName)
			if err := tt.make(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(path)
			_, err := Open(folder)
			if !errors.Is(err, ErrBadKey) {
				t.Fatalf("Open = %v, want ErrBadKey", err)
			}
			if got := err.Error(); !strings.Contains(got, tt.want) || !strings.Contains(got, path) || strings.Contains(got, "\n") {
				t.Errorf("Open = %q, want one line with the path that says %q", got, tt.want)
			}
			after, err := os.Lstat(path)
			if err != nil || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) || after.Size() != before.Size() {
				t.Errorf("the refused file changed: %v -> %v, %v", before, after, err)
			}
		})
	}
}

func TestOpenRefusesRSA(t *testing.T) {
	good := goodRSAKey(t)
	tests := []struct {
		name    string
		content []byte
		mode    os.FileMode
		want    string
	}{
		{"readable by all", good, 0o644, "others may use it (mode 0644): make it 0600"},
		{"empty", nil, 0o600, "it is empty"},
		{"another type", goodKey(t), 0o600, "not an RSA key"},
		{"short", openSSH(t, shortRSA(t)), 0o600, "its key has 2048 bits, and 3072 are needed"},
		{"two keys", append(bytes.Clone(good), good...), 0o600, "it holds more than a key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, RSAFileName)
			if err := errors.Join(os.WriteFile(filepath.Join(folder, FileName), goodKey(t), 0o600), os.WriteFile(path, tt.content, tt.mode)); err != nil {
				t.Fatal(err)
			}
			_, err := Open(folder)
			if !errors.Is(err, ErrBadKey) {
				t.Fatalf("Open = %v, want ErrBadKey", err)
			}
			if got := err.Error(); !strings.Contains(got, tt.want) || !strings.Contains(got, path) || strings.Contains(got, "\n") {
				t.Errorf("Open = %q, want one line with the path that says %q", got, tt.want)
			}
		})
	}
}

func TestOpenRefusesAnothersFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, FileName)
	if err := errors.Join(os.WriteFile(path, goodKey(t), 0o600), os.Chown(path, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder); !errors.Is(err, ErrBadKey) || !strings.Contains(err.Error(), "it belongs to user 12345") {
		t.Errorf("Open = %v, want a refusal that names user 12345", err)
	}
}

func TestOpenWithoutAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, folder := range map[string]string{"below a file": filepath.Join(file, "data"), "a file": file} {
		if _, err := Open(folder); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: Open = %v, want an error of one line", name, err)
		}
	}
}

// A key that is there already stays, also if another server makes it meanwhile.
func TestCreateKeepsWhatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	slow := ed25519Kind
	slow.generate = func() (crypto.PrivateKey, error) {
		key, err := generateEd25519()
		return key, errors.Join(err, os.WriteFile(path, []byte("old"), 0o600))
	}
	for _, k := range []kind{slow, ed25519Kind} {
		if made, err := k.create(path); made || err != nil {
			t.Errorf("create = %v, %v; want false, nil", made, err)
		}
		if text, err := os.ReadFile(path); string(text) != "old" || err != nil {
			t.Errorf("the file is %q, %v; want it as it was", text, err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); len(entries) != 1 || err != nil {
		t.Errorf("left behind are %v, %v", entries, err)
	}
}

func FuzzParse(f *testing.F) {
	good := goodKey(f)
	f.Add(good)
	f.Add(encryptedKey(f))
	f.Add(ecdsaKey(f))
	f.Add(mixedKey(f))
	f.Add(goodRSAKey(f))
	f.Add(good[:100])
	f.Add([]byte("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE=\n-----END OPENSSH PRIVATE KEY-----\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, kind := range []kind{ed25519Kind, rsaKind} {
			signer, err := kind.parse(text)
			if (signer == nil) == (err == nil) {
				t.Fatalf("parse = %v, %v", signer, err)
			}
			if err != nil {
				if !errors.Is(err, ErrBadKey) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("parse = %v, want ErrBadKey in one line", err)
				}
				continue
			}
			// Whatever is taken must sign so that its public key agrees.
			sig, err := signer.Sign(rand.Reader, []byte("club"))
			if err != nil {
				t.Fatal(err)
			}
			if err := signer.PublicKey().Verify([]byte("club"), sig); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func goodKey(t testing.TB) []byte {
	return openSSH(t, newKey(t))
}

// rsaKeyOf makes a key once.
func rsaKeyOf(bits int) func() (*rsa.PrivateKey, error) {
	return sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, bits) })
}

var longRSAKey, shortRSAKey = rsaKeyOf(MinRSABits), rsaKeyOf(2048)

func goodRSAKey(t testing.TB) []byte {
	t.Helper()
	key, err := longRSAKey()
	if err != nil {
		t.Fatal(err)
	}
	return openSSH(t, key)
}

func shortRSA(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	key, err := shortRSAKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func openSSH(t testing.TB, key any) []byte {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(key, "test")
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block)
}

func encryptedKey(t testing.TB) []byte {
	t.Helper()
	block, err := ssh.MarshalPrivateKeyWithPassphrase(newKey(t), "test", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block)
}

func ecdsaKey(t testing.TB) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return openSSH(t, key)
}

func pkcs8Key(t testing.TB) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(newKey(t))
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// mixedKey returns a key file in which the private key has the public half of another key.
func mixedKey(t testing.TB) []byte {
	key, other := newKey(t), newKey(t)
	return openSSH(t, ed25519.PrivateKey(append(bytes.Clone(key[:32]), other[32:]...)))
}
