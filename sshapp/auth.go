package sshapp

import (
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"sync"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// The algorithms of the server, best first. SHA-1 and the NIST curves are left out, which ssh-audit calls failures. Finite-field
// Diffie-Hellman, which clients without Curve25519 would need, is left out too: one exchange takes 7 ms of CPU time in group 14 and 48 ms in
// group 16, and any stranger may ask for exchanges without end.
var (
	keyExchanges = []string{
		gossh.KeyExchangeMLKEM768X25519,
		gossh.KeyExchangeCurve25519, // x/crypto adds its older name, curve25519-sha256@libssh.org
	}
	ciphers = []string{
		gossh.CipherChaCha20Poly1305,
		gossh.CipherAES256GCM, gossh.CipherAES128GCM,
		gossh.CipherAES256CTR, gossh.CipherAES192CTR, gossh.CipherAES128CTR,
	}
	macs = []string{
		gossh.HMACSHA512ETM, gossh.HMACSHA256ETM,
		gossh.HMACSHA512, gossh.HMACSHA256, // for old libraries that know no others
	}

	signatures = []string{
		gossh.KeyAlgoED25519, gossh.KeyAlgoSKED25519,
		gossh.KeyAlgoECDSA256, gossh.KeyAlgoECDSA384, gossh.KeyAlgoECDSA521, gossh.KeyAlgoSKECDSA256,
		gossh.KeyAlgoRSASHA512, gossh.KeyAlgoRSASHA256,
	}
)

// hostSignatures are the signature algorithms of an RSA host key.
var hostSignatures = []string{gossh.KeyAlgoRSASHA512, gossh.KeyAlgoRSASHA256}

// hostSigners returns the host keys in the order of the offer: RSA last, for clients without Ed25519, and with SHA-2 only.
func hostSigners(keys []gossh.Signer) ([]gossh.Signer, error) {
	var first, last []gossh.Signer
	for _, k := range keys {
		switch t := k.PublicKey().Type(); t {
		case gossh.KeyAlgoED25519:
			first = append(first, k)
		case gossh.KeyAlgoRSA:
			all, ok := k.(gossh.AlgorithmSigner)
			if !ok {
				return nil, errors.New("sshapp: an RSA host key that signs with SHA-1 alone")
			}
			k, err := gossh.NewSignerWithAlgorithms(&oneAtATime{AlgorithmSigner: all}, hostSignatures)
			if err != nil {
				return nil, fmt.Errorf("sshapp: %w", err)
			}
			last = append(last, k)
		default:
			return nil, fmt.Errorf("sshapp: host key of type %q, want %q or %q", t, gossh.KeyAlgoED25519, gossh.KeyAlgoRSA)
		}
	}
	if len(first) == 0 {
		return nil, errors.New("sshapp: no Ed25519 host key")
	}
	return append(first, last...), nil
}

// A oneAtATime signer takes one processor at most, however many clients ask for signatures: one of an RSA key of 3072 bits takes 3 ms, a
// hundred times as long as one of Ed25519.
type oneAtATime struct {
	gossh.AlgorithmSigner
	signing sync.Mutex
}

// SignWithAlgorithm implements ssh.AlgorithmSigner.
func (s *oneAtATime) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*gossh.Signature, error) {
	s.signing.Lock()
	defer s.signing.Unlock()
	return s.AlgorithmSigner.SignWithAlgorithm(rand, data, algorithm)
}

// minRSABits is the shortest RSA key that names a player.
const minRSABits = 2048

// maxUserBytes bounds the SSH user name, which x/crypto keeps as long as a connection lasts.
const maxUserBytes = 255

// An Identity tells which user a connection belongs to, as the client has proved it. It never changes.
type Identity struct {
	// Fingerprint is the SHA-256 fingerprint ("SHA256:...") of the key that signed for this connection. For a
	// certificate it is the fingerprint of the certified key. It is empty for guests.
	Fingerprint string
	// Guest is true for a connection that signed in without a key.
	Guest bool
	// User is the SSH user name, a wish of the client: 1 to 64 bytes of printable UTF-8, or empty.
	User string
	// ConnectionID is random and unique; all sessions of a connection share it.
	ConnectionID string
}

// IdentityOf returns the identity of a session's client. It is the zero Identity for sessions of other servers.
func IdentityOf(s ssh.Session) Identity { return signInOf(s.Permissions().Permissions).Identity }

// A signIn is what a client proved.
type signIn struct {
	Identity
	key gossh.PublicKey // nil for guests
}

// signInKey is the key under which permissions keep their sign-in.
type signInKey struct{}

// signInOf returns the sign-in in some permissions, or the zero signIn if there is none.
func signInOf(p *gossh.Permissions) signIn {
	if p == nil {
		return signIn{}
	}
	in, _ := p.ExtraData[signInKey{}].(signIn)
	return in
}

// proved notes who the client is, and returns the permissions of the sign-in.
func (c *connection) proved(in signIn) *gossh.Permissions {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.who = in.Identity
	return in.permissions()
}

func (in signIn) permissions() *gossh.Permissions {
	return &gossh.Permissions{ExtraData: map[any]any{signInKey{}: in}}
}

// serverConfig returns the configuration of one connection. Its sign-in is stored in the permissions of the method that succeeded. For a key,
// the permissions are written only after its signature was checked, so a key that was offered without proof leaves no trace.
func (s *Server) serverConfig(ctx ssh.Context) *gossh.ServerConfig {
	c := ctx.Value(connectionKey{}).(*connection)
	config := &gossh.ServerConfig{
		Config:                  gossh.Config{KeyExchanges: keyExchanges, Ciphers: ciphers, MACs: macs},
		PublicKeyAuthAlgorithms: signatures,
		MaxAuthTries:            authTries,
		PreAuthConnCallback:     func(conn gossh.ServerPreAuthConn) { c.handshaken(conn) },
		AuthLogCallback: func(_ gossh.ConnMetadata, method string, err error) {
			c.awaitTouch(false)
			if err == nil {
				c.signedIn(method)
			}
		},
		PublicKeyCallback: func(conn gossh.ConnMetadata, key gossh.PublicKey) (*gossh.Permissions, error) {
			inner, err := playerKey(key)
			if err != nil {
				return nil, c.refuseKey(err)
			}
			c.awaitTouch(isSecurityKey(inner))
			return &gossh.Permissions{}, checkUser(conn.User())
		},
		VerifiedPublicKeyCallback: func(conn gossh.ConnMetadata, key gossh.PublicKey, _ *gossh.Permissions, _ string) (*gossh.Permissions, error) {
			inner, err := playerKey(key)
			if err != nil {
				return nil, err
			}
			who := Identity{Fingerprint: gossh.FingerprintSHA256(inner), User: suggestedName(conn.User()), ConnectionID: c.id}
			return c.proved(signIn{who, inner}), nil
		},
	}
	if !s.noGuests {
		config.KeyboardInteractiveCallback = func(conn gossh.ConnMetadata, ask gossh.KeyboardInteractiveChallenge) (*gossh.Permissions, error) {
			if err := checkUser(conn.User()); err != nil {
				return nil, err
			}
			if _, err := ask("", "", nil, nil); err != nil {
				return nil, err
			}
			return c.proved(signIn{Identity{Guest: true, User: suggestedName(conn.User()), ConnectionID: c.id}, nil}), nil
		}
	}
	return config
}

// playerKey returns the key that names a player: of a certificate, the one in it. Who signed the certificate and until when
// it is good says nothing here, since its key could sign in without it.
func playerKey(key gossh.PublicKey) (gossh.PublicKey, error) {
	if cert, ok := key.(*gossh.Certificate); ok {
		if cert.CertType != gossh.UserCert {
			return nil, errors.New("sshapp: a host certificate is no player")
		}
		if _, ok := cert.Extensions[noTouchRequired]; ok && isSecurityKey(cert.Key) {
			return nil, errors.New("sshapp: a certificate that spares its security key the touch")
		}
		key = cert.Key
	}
	switch key.Type() {
	case gossh.KeyAlgoED25519, gossh.KeyAlgoSKED25519, gossh.KeyAlgoSKECDSA256,
		gossh.KeyAlgoECDSA256, gossh.KeyAlgoECDSA384, gossh.KeyAlgoECDSA521:
		return key, nil
	case gossh.KeyAlgoRSA:
		return key, checkRSA(key)
	}
	return nil, fmt.Errorf("sshapp: keys of type %q are not taken", key.Type())
}

// noTouchRequired is the extension of a certificate for which x/crypto takes signatures without a touch, from any authority.
const noTouchRequired = "no-touch-required"

// isSecurityKey reports whether a key is in a FIDO device. It must be touched for each signature: the device signs without a touch for any program
// that reaches it and wants none.
func isSecurityKey(key gossh.PublicKey) bool {
	return key.Type() == gossh.KeyAlgoSKED25519 || key.Type() == gossh.KeyAlgoSKECDSA256
}

// awaitTouch records whether the next signature is expected from a security key.
func (c *connection) awaitTouch(await bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaitsTouch = await
}

// Close implements net.Conn. If the library closes the connection because of a security key's signature, Close tells the client why. x/crypto
// ends a connection on a wrong signature and counts a signature without a touch as wrong. It has an option to accept them, but doesn't report
// afterwards whether a touch was missing.
func (c *connection) Close() error {
	c.mu.Lock()
	tell := c.preAuth
	if !c.awaitsTouch || c.why != "" || c.broken.Load() { // the client has left, or must leave for another reason
		tell = nil
	}
	c.awaitsTouch = false
	c.mu.Unlock()
	if tell != nil {
		guests := ""
		if !c.server.noGuests {
			guests = " ssh -o PubkeyAuthentication=no lets you in as a guest."
		}
		_ = tell.SendAuthBanner("The signature of your security key is not taken: the key must be touched, and one made with -O no-touch-required can't be used here. " +
			"ssh -i KEYFILE -o IdentitiesOnly=yes chooses another key." + guests + "\r\n") // the connection is closed in any case
	}
	return c.Conn.Close()
}

func checkRSA(key gossh.PublicKey) error {
	wrapped, ok := key.(gossh.CryptoPublicKey)
	if !ok {
		return errors.New("sshapp: RSA key without a number")
	}
	public, ok := wrapped.CryptoPublicKey().(*rsa.PublicKey)
	if !ok {
		return errors.New("sshapp: RSA key without a number")
	}
	if bits := public.N.BitLen(); bits < minRSABits {
		return &shortKeyError{bits}
	}
	return nil
}

// A shortKeyError says that an RSA key is too short.
type shortKeyError struct{ bits int }

func (e *shortKeyError) Error() string {
	return fmt.Sprintf("sshapp: an RSA key of %d bits, want %d", e.bits, minRSABits)
}

// refuseKey returns the error for a refused key. The first time that a key of the connection is too short, a banner tells the client so.
// Otherwise it would come in as a guest without knowing why.
func (c *connection) refuseKey(err error) error {
	short, ok := errors.AsType[*shortKeyError](err)
	if !ok || c.told {
		return err
	}
	c.told = true
	return &gossh.BannerError{Err: err, Message: fmt.Sprintf(
		"Your RSA key has %d bits. This club takes RSA keys of %d bits or more; ssh-keygen -t ed25519 makes a good key.\r\n", short.bits, minRSABits)}
}

func checkUser(name string) error {
	if len(name) > maxUserBytes {
		return errors.New("sshapp: user name too long")
	}
	return nil
}

// suggestedName returns the SSH user name if it can be shown, else nothing.
func suggestedName(user string) string {
	if len(user) > 64 || !printable(user) {
		return ""
	}
	return user
}
