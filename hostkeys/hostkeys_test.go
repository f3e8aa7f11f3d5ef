package hostkeys

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
)

func TestOpenMakesAKeyOnceAndKeepsIt(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data", "club")
	first, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Made {
		t.Error("first Open: Made = false")
	}
	if got := first.PublicKey().Type(); got != ssh.KeyAlgoED25519 {
		t.Errorf("key type %q, want %q", got, ssh.KeyAlgoED25519)
	}
	info, err := os.Lstat(filepath.Join(folder, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("mode %v, want -rw-------", info.Mode())
	}
	text, err := os.ReadFile(first.Path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(text, []byte("-----BEGIN OPENSSH PRIVATE KEY-----\n")) {
		t.Errorf("the file starts with %.40q", text)
	}

	second, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if second.Made || second.Fingerprint() != first.Fingerprint() {
		t.Errorf("second Open: Made %v, %s; want the same key as %s", second.Made, second.Fingerprint(), first.Fingerprint())
	}
	if !strings.HasPrefix(first.Fingerprint(), "SHA256:") {
		t.Errorf("fingerprint %q", first.Fingerprint())
	}
	only(t, folder)
}

// only fails when the folder holds anything beside the key.
func only(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != FileName {
			t.Errorf("%s is left in the folder", e.Name())
		}
	}
}

func TestServersStartingTogetherServeOneKey(t *testing.T) {
	folder := t.TempDir()
	var starting sync.WaitGroup
	keys := make([]Key, 8)
	for i := range keys {
		starting.Go(func() {
			k, err := Open(folder)
			if err != nil {
				t.Error(err)
			}
			keys[i] = k
		})
	}
	starting.Wait()
	if t.Failed() {
		return
	}
	made := 0
	for _, k := range keys {
		if k.Made {
			made++
		}
		if k.Fingerprint() != keys[0].Fingerprint() {
			t.Errorf("two keys are served: %s and %s", k.Fingerprint(), keys[0].Fingerprint())
		}
	}
	if made != 1 {
		t.Errorf("%d servers made a key, want 1", made)
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
			k, err := Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			want, err := ssh.ParsePrivateKey(good)
			if err != nil {
				t.Fatal(err)
			}
			if k.Made || k.Fingerprint() != ssh.FingerprintSHA256(want.PublicKey()) {
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

func TestPlaceKeepsWhatIsThere(t *testing.T) {
	folder := t.TempDir()
	temp, path := filepath.Join(folder, "temp"), filepath.Join(folder, "key")
	if err := errors.Join(os.WriteFile(temp, []byte("new"), 0o600), os.WriteFile(path, []byte("old"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if made, err := place(temp, path); made || err != nil {
		t.Errorf("place = %v, %v; want false, nil", made, err)
	}
	if text, err := os.ReadFile(path); string(text) != "old" || err != nil {
		t.Errorf("the file is %q, %v; want it as it was", text, err)
	}
	if _, err := place(temp, filepath.Join(folder, "none", "key")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("place into no folder = %v, want fs.ErrNotExist", err)
	}
}

func FuzzParse(f *testing.F) {
	good := goodKey(f)
	f.Add(good)
	f.Add(encryptedKey(f))
	f.Add(ecdsaKey(f))
	f.Add(mixedKey(f))
	f.Add(good[:100])
	f.Add([]byte("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE=\n-----END OPENSSH PRIVATE KEY-----\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		signer, err := parse(text)
		if (signer == nil) == (err == nil) {
			t.Fatalf("parse = %v, %v", signer, err)
		}
		if err != nil {
			if !errors.Is(err, ErrBadKey) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("parse = %v, want ErrBadKey in one line", err)
			}
			return
		}
		// Whatever is taken must sign so that its public key agrees.
		sig, err := signer.Sign(rand.Reader, []byte("club"))
		if err != nil {
			t.Fatal(err)
		}
		if err := signer.PublicKey().Verify([]byte("club"), sig); err != nil {
			t.Fatal(err)
		}
	})
}

func goodKey(t testing.TB) []byte {
	return openSSH(t, newKey(t))
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

// mixedKey is a file whose private key has the public half of another one.
func mixedKey(t testing.TB) []byte {
	key, other := newKey(t), newKey(t)
	return openSSH(t, ed25519.PrivateKey(append(bytes.Clone(key[:32]), other[32:]...)))
}
