// Package hostkeys keeps the key by which the server is known: an Ed25519 key in OpenSSH's format, in a file that nobody
// else may read. It is made on the first start and never changed afterwards; a file that is not quite right is refused,
// since a new key would make every client warn of an attack.
package hostkeys

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// FileName is the name of the key file in the data folder, the one that OpenSSH's server uses.
const FileName = "ssh_host_ed25519_key"

// ErrBadKey is wrapped by every refusal of a key file that exists.
var ErrBadKey = errors.New("host key refused")

// maxBytes is more than any Ed25519 key file has.
const maxBytes = 16 << 10

// Key is the server's key.
type Key struct {
	ssh.Signer
	Path string // of the file
	Made bool   // by this call of Open
}

// Fingerprint returns the key's SHA-256 fingerprint as OpenSSH shows it: "SHA256:...".
func (k Key) Fingerprint() string { return ssh.FingerprintSHA256(k.PublicKey()) }

// Open returns the key in the folder's key file. When there is none it makes one, and the folder too if need be. The
// error is one line. It wraps ErrBadKey for a file that is not a regular file of the server's user or of root, that others may
// read, or that holds anything but one unencrypted Ed25519 private key. A symbolic link to a good file is fine.
func Open(folder string) (Key, error) {
	path := filepath.Join(folder, FileName)
	signer, err := load(path)
	made := false
	if errors.Is(err, fs.ErrNotExist) {
		// Another server may make one at the same moment: the first file stays, and both serve it.
		if made, err = create(path); err == nil {
			signer, err = load(path)
		}
	}
	if err != nil {
		return Key{}, fmt.Errorf("host key %s: %w", path, err)
	}
	return Key{Signer: signer, Path: path, Made: made}, nil
}

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadKey, fmt.Sprintf(format, args...))
}

// load reads a key file. The error wraps fs.ErrNotExist when there is nothing at path.
func load(path string) (ssh.Signer, error) {
	// Not blocking, or opening a fifo would wait for someone to write into it.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// A file that is there by now is another server's, which has just made it.
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, refused("it is a symbolic link to nothing")
		}
		return nil, err
	case errors.Is(err, fs.ErrPermission):
		return nil, refused("this user may not read it")
	case err != nil:
		return nil, refused("can't open it: %v", cause(err))
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, refused("can't look at it: %v", cause(err))
	}
	if err := checkFile(info); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, refused("can't read it: %v", cause(err))
	}
	return parse(text)
}

// checkFile refuses what is no file, is not ours, or is open to others.
func checkFile(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return refused("it is not a regular file")
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return refused("others may use it (mode %04o): make it 0600", perm)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return refused("it belongs to user %d", stat.Uid)
	}
	return nil
}

// parse returns the one key that a file holds.
func parse(text []byte) (ssh.Signer, error) {
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return nil, refused("it is empty")
	case len(text) > maxBytes:
		return nil, refused("it is too long for a key")
	}
	raw, err := ssh.ParseRawPrivateKey(text)
	if _, encrypted := errors.AsType[*ssh.PassphraseMissingError](err); encrypted {
		return nil, refused("it is encrypted: the server can't ask for a passphrase")
	}
	if err != nil {
		return nil, refused("it holds no private key in OpenSSH's format")
	}
	key, ok := raw.(*ed25519.PrivateKey)
	if !ok {
		return nil, refused("its key is not an Ed25519 key in OpenSSH's format")
	}
	// The file has the public half twice more. With another one every signature would be wrong.
	if !bytes.Equal(*key, ed25519.NewKeyFromSeed(key.Seed())) {
		return nil, refused("it is damaged: the two halves of its key don't belong together")
	}
	if block, rest := pem.Decode(text); block == nil || len(bytes.TrimSpace(rest)) > 0 {
		return nil, refused("it holds more than a key")
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return nil, refused("its key can't be used: %v", err)
	}
	return signer, nil
}

// create makes a key and puts it at path, whole and on disk, unless there is something at path already. made says which.
func create(path string) (made bool, err error) {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return false, fmt.Errorf("can't make the folder: %w", cause(err))
	}
	temp, err := os.CreateTemp(folder, "."+FileName+"-*") // mode 0600
	if err != nil {
		return false, fmt.Errorf("can't make the file: %w", cause(err))
	}
	defer func() { err = errors.Join(err, remove(temp.Name())) }()
	if err := errors.Join(writeKey(temp), temp.Close()); err != nil {
		return false, fmt.Errorf("can't write the file: %w", cause(err))
	}
	made, err = place(temp.Name(), path)
	if err != nil {
		return false, fmt.Errorf("can't make the file: %w", cause(err))
	}
	if err := syncFolder(folder); err != nil {
		return false, fmt.Errorf("can't write the folder: %w", cause(err))
	}
	return made, nil
}

func writeKey(f *os.File) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	block, err := ssh.MarshalPrivateKey(key, "ludoteca")
	if err != nil {
		return err
	}
	return errors.Join(pem.Encode(f, block), f.Sync())
}

// place gives the file its name unless that is taken. Where the file system has no links a rename must do: it can't tell.
func place(temp, path string) (made bool, err error) {
	err = os.Link(temp, path)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrExist):
		return false, nil
	}
	return true, os.Rename(temp, path)
}

func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cause(err)
	}
	return nil
}

func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// cause drops the path from a file error: ours names it already.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
