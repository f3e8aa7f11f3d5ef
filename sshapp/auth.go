package sshapp

import (
	"crypto/rsa"
	"errors"
	"fmt"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// What the server speaks, best first. There is one kind of host key, and nothing made with SHA-1.
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
	macs = []string{gossh.HMACSHA512ETM, gossh.HMACSHA256ETM}

	signatures = []string{
		gossh.KeyAlgoED25519, gossh.KeyAlgoSKED25519,
		gossh.KeyAlgoECDSA256, gossh.KeyAlgoECDSA384, gossh.KeyAlgoECDSA521, gossh.KeyAlgoSKECDSA256,
		gossh.KeyAlgoRSASHA512, gossh.KeyAlgoRSASHA256,
	}
)

// minRSABits is the shortest RSA key that names a player.
const minRSABits = 2048

// maxUserBytes bounds the SSH user name, which x/crypto keeps as long as a connection lasts.
const maxUserBytes = 255

// identityKey is where the permissions of a sign-in keep its Identity.
type identityKey struct{}

// serverConfig says how one connection may be made. Identity travels in the permissions of the sign-in that succeeded,
// and those of a key are written only after its signature was checked: what a client offered without proof is nowhere.
func (d *Server) serverConfig(ctx ssh.Context) *gossh.ServerConfig {
	c := ctx.Value(clientKey{}).(*client)
	config := &gossh.ServerConfig{
		Config:                  gossh.Config{KeyExchanges: keyExchanges, Ciphers: ciphers, MACs: macs},
		PublicKeyAuthAlgorithms: signatures,
		MaxAuthTries:            d.limits.AuthTries,
		PreAuthConnCallback:     func(gossh.ServerPreAuthConn) { c.handshaken() },
		AuthLogCallback: func(_ gossh.ConnMetadata, method string, err error) {
			if err == nil {
				c.signedIn(method)
			}
		},
		PublicKeyCallback: func(conn gossh.ConnMetadata, key gossh.PublicKey) (*gossh.Permissions, error) {
			if _, err := playerKey(key); err != nil {
				return nil, err
			}
			return &gossh.Permissions{}, checkUser(conn.User())
		},
		VerifiedPublicKeyCallback: func(conn gossh.ConnMetadata, key gossh.PublicKey, _ *gossh.Permissions, _ string) (*gossh.Permissions, error) {
			inner, err := playerKey(key)
			if err != nil {
				return nil, err
			}
			return permissions(Identity{Fingerprint: gossh.FingerprintSHA256(inner), User: suggestedName(conn.User()), ConnectionID: c.id}), nil
		},
	}
	if !d.noGuests {
		config.KeyboardInteractiveCallback = func(conn gossh.ConnMetadata, ask gossh.KeyboardInteractiveChallenge) (*gossh.Permissions, error) {
			if err := checkUser(conn.User()); err != nil {
				return nil, err
			}
			if _, err := ask("", "", nil, nil); err != nil {
				return nil, err
			}
			return permissions(Identity{Guest: true, User: suggestedName(conn.User()), ConnectionID: c.id}), nil
		}
	}
	return config
}

func permissions(id Identity) *gossh.Permissions {
	return &gossh.Permissions{ExtraData: map[any]any{identityKey{}: id}}
}

// identityOf returns who a signed-in connection is.
func identityOf(conn *gossh.ServerConn) (Identity, bool) {
	if conn == nil || conn.Permissions == nil {
		return Identity{}, false
	}
	id, ok := conn.Permissions.ExtraData[identityKey{}].(Identity)
	return id, ok
}

// playerKey returns the key that names a player: of a certificate, the one in it. Who signed the certificate and until when
// it is good says nothing here, since its key could sign in without it.
func playerKey(key gossh.PublicKey) (gossh.PublicKey, error) {
	if cert, ok := key.(*gossh.Certificate); ok {
		if cert.CertType != gossh.UserCert {
			return nil, errors.New("sshapp: a host certificate is no player")
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

func checkRSA(key gossh.PublicKey) error {
	wrapped, ok := key.(gossh.CryptoPublicKey)
	if !ok {
		return errors.New("sshapp: RSA key without a number")
	}
	public, ok := wrapped.CryptoPublicKey().(*rsa.PublicKey)
	if !ok || public.N.BitLen() < minRSABits {
		return fmt.Errorf("sshapp: RSA keys need %d bits", minRSABits)
	}
	return nil
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
