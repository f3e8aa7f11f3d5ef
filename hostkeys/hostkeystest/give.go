// Package hostkeystest gives clubs of tests a host key before their first start. Otherwise each club would make an RSA key, which takes a third
// of a second of CPU time, and many times that under the race detector.
package hostkeystest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"

	"ludoteca/hostkeys"
)

// A T has the methods of a test that Give needs.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Give puts an Ed25519 key into a folder unless it has one, and makes the folder if need be. A club that starts there has no RSA key.
func Give(t T, folder string) {
	t.Helper()
	if err := give(folder); err != nil {
		t.Fatal(err)
	}
}

func give(folder string) error {
	path := filepath.Join(folder, hostkeys.FileName)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	block, err := ssh.MarshalPrivateKey(key, "test")
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
}
