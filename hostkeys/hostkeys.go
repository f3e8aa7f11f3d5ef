// Package hostkeys keeps the host keys of the server: an Ed25519 key, and an RSA key for clients that know no other kind. Each is in
// OpenSSH's format in a file that only the server's user may read. The keys are made on the first start and never changed
// afterwards. A file that is not quite right is refused, since a new key would make every client warn of an attack.
package hostkeys

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/crypto/ssh"

	"ludoteca/atomicfile"
)

// The names of the key files in the data folder are the ones of OpenSSH's server.
const (
	FileName    = "ssh_host_ed25519_key"
	RSAFileName = "ssh_host_rsa_key"
)

// MinRSABits is the length of new RSA keys, in bits, and the least length that Open accepts. Shorter keys are too weak for new keys.
const MinRSABits = 3072

// ErrBadKey is wrapped by every error about an existing key file that is refused.
var ErrBadKey = errors.New("host key refused")

// maxBytes is more than the file of any key has, of RSA keys up to 16384 bits.
const maxBytes = 16 << 10

// A Key is one of the server's host keys.
type Key struct {
	ssh.Signer
	Path string // of the file
	Made bool   // by this call of Open
}

// Fingerprint returns the key's SHA-256 fingerprint as OpenSSH shows it: "SHA256:...".
func (k Key) Fingerprint() string { return ssh.FingerprintSHA256(k.PublicKey()) }

// A kind is one kind of host key.
type kind struct {
	file     string
	generate func() (crypto.PrivateKey, error)
	check    func(raw any) error // refuses a private key that is no good one of this kind
}

var (
	ed25519Kind = kind{FileName, generateEd25519, checkEd25519}
	rsaKind     = kind{RSAFileName, generateRSA, checkRSA}
)

// Open returns the keys in the folder's key files: the Ed25519 key, and then the RSA key if there is one. If there is no Ed25519 key,
// Open makes the missing keys, and the folder too if need be. If only the RSA key is missing, Open doesn't make it: some clients prefer RSA and
// would warn of a new key although they know the Ed25519 key, and each of several nodes would make another one.
//
// The error is one line. It wraps ErrBadKey for a bad file. A good file is a regular file of the server's user or of root, readable by no other
// user, with exactly one unencrypted private key of its kind. A symbolic link to a good file is fine.
func Open(folder string) ([]Key, error) {
	key, err := ed25519Kind.open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		// The Ed25519 key comes last: while it is missing, the next start makes the rest. Another server may make keys at the same
		// moment: the first files stay, and both serve them.
		var other, key Key
		if other, err = rsaKind.make(folder); err == nil {
			key, err = ed25519Kind.make(folder)
		}
		if err == nil {
			return []Key{key, other}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	switch other, err := rsaKind.open(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return []Key{key}, nil
	case err != nil:
		return nil, err
	default:
		return []Key{key, other}, nil
	}
}

// open returns the key in the folder. The error wraps fs.ErrNotExist when there is none.
func (k kind) open(folder string) (Key, error) {
	path := filepath.Join(folder, k.file)
	signer, err := k.load(path)
	if err != nil {
		return Key{}, fmt.Errorf("host key %s: %w", path, err)
	}
	return Key{Signer: signer, Path: path}, nil
}

// make returns the key in the folder, after making it unless it is there.
func (k kind) make(folder string) (Key, error) {
	key, err := k.open(folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	path := filepath.Join(folder, k.file)
	made, err := k.create(path)
	if err != nil {
		return Key{}, fmt.Errorf("host key %s: %w", path, err)
	}
	key, err = k.open(folder)
	key.Made = made
	return key, err
}

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadKey, fmt.Sprintf(format, args...))
}

// load reads a key file. The error wraps fs.ErrNotExist when there is nothing at path.
func (k kind) load(path string) (ssh.Signer, error) {
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
	return k.parse(text)
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
func (k kind) parse(text []byte) (ssh.Signer, error) {
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
	if err := k.check(raw); err != nil {
		return nil, err
	}
	if block, rest := pem.Decode(text); block == nil || len(bytes.TrimSpace(rest)) > 0 {
		return nil, refused("it holds more than a key")
	}
	signer, err := ssh.NewSignerFromKey(raw)
	if err != nil {
		return nil, refused("its key can't be used: %v", err)
	}
	return signer, nil
}

func checkEd25519(raw any) error {
	key, ok := raw.(*ed25519.PrivateKey)
	if !ok {
		return refused("its key is not an Ed25519 key in OpenSSH's format")
	}
	// The file has the public half twice more. With another one every signature would be wrong.
	if !bytes.Equal(*key, ed25519.NewKeyFromSeed(key.Seed())) {
		return refused("it is damaged: the two halves of its key don't belong together")
	}
	return nil
}

func checkRSA(raw any) error {
	key, ok := raw.(*rsa.PrivateKey)
	if !ok {
		return refused("its key is not an RSA key")
	}
	if bits := key.N.BitLen(); bits < MinRSABits {
		return refused("its key has %d bits, and %d are needed", bits, MinRSABits)
	}
	return nil
}

// create makes a key and puts it at path, whole and on disk, unless there is something at path already. made says which.
func (k kind) create(path string) (made bool, err error) {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return false, fmt.Errorf("can't make the folder: %w", cause(err))
	}
	err = atomicfile.Create(atomicfile.System{}, path, k.write)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("can't make the file: %w", err)
	}
	return true, nil
}

func (k kind) write(f *os.File) error {
	key, err := k.generate()
	if err != nil {
		return err
	}
	block, err := ssh.MarshalPrivateKey(key, "ludoteca")
	if err != nil {
		return err
	}
	return pem.Encode(f, block)
}

func generateEd25519() (crypto.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return key, err
}

func generateRSA() (crypto.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, MinRSABits) }

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
