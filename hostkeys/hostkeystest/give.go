// Package hostkeystest gives clubs of tests a host key before their first start. To make an RSA key takes a processor a third of a second,
// and many times that under the race detector.
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

// T is what Give needs of a test.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Give puts an Ed25519 key into a folder, which it makes if need be, unless there is one. A club that starts there has no RSA key.
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
