package sshapp

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// introspect serves a session by saying who it is.
func introspect(s ssh.Session) int {
	id := IdentityOf(s)
	who := id.Fingerprint
	if id.Guest {
		who += "guest"
	}
	_, _ = s.Write([]byte(who + " " + id.User))
	return 0
}

func TestSignIn(t *testing.T) {
	ed := newSigner(t)
	tests := []struct {
		name   string
		signer gossh.Signer
		want   string
	}{
		{"ed25519", ed, gossh.FingerprintSHA256(ed.PublicKey())},
		{"ecdsa 256", ecdsaSigner(t, elliptic.P256()), ""},
		{"ecdsa 384", ecdsaSigner(t, elliptic.P384()), ""},
		{"ecdsa 521", ecdsaSigner(t, elliptic.P521()), ""},
		{"rsa 2048", rsaSigner(t, 2048), ""},
		{"certificate", certified(t, ed, gossh.UserCert), gossh.FingerprintSHA256(ed.PublicKey())},
	}
	ts := startServer(t, introspect, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = gossh.FingerprintSHA256(tt.signer.PublicKey())
			}
			c := ts.dial(gossh.PublicKeys(tt.signer), asGuest(t))
			if got := run(t, c, "").out; got != want+" ada" {
				t.Errorf("the session is %q, want %q", got, want+" ada")
			}
			if got := string(c.ServerVersion()); got != "SSH-2.0-Ludoteca" {
				t.Errorf("version %q", got)
			}
		})
	}
	t.Run("no key", func(t *testing.T) {
		if got := run(t, ts.dial(), "").out; got != "guest ada" {
			t.Errorf("the session is %q, want a guest", got)
		}
	})
}

func TestSignInRefused(t *testing.T) {
	sha1, err := gossh.NewSignerWithAlgorithms(rsaSigner(t, 2048).(gossh.AlgorithmSigner), []string{gossh.KeyAlgoRSA})
	if err != nil {
		t.Fatal(err)
	}
	never := func(ssh.Session) int { t.Error("a session was served"); return 0 }
	tests := []struct {
		name string
		auth []gossh.AuthMethod
	}{
		{"none", nil},
		{"password", []gossh.AuthMethod{gossh.Password("secret")}},
		{"rsa with sha-1", []gossh.AuthMethod{gossh.PublicKeys(sha1)}},
		{"rsa 1024", []gossh.AuthMethod{gossh.PublicKeys(shortRSA(t))}},
		{"host certificate", []gossh.AuthMethod{gossh.PublicKeys(certified(t, newSigner(t), gossh.HostCert))}},
		{"guest where there are none", []gossh.AuthMethod{asGuest(t)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := startServer(t, never, func(c *Config) { c.NoGuests = true })
			c, err := gossh.Dial("tcp", ts.addr, ts.config(tt.auth...))
			if err == nil {
				_ = c.Close()
				t.Fatal("signed in")
			}
			if got := ts.ended(); got != noAuth {
				t.Errorf("the connection ended for %q, want %q", got, noAuth)
			}
		})
	}
}

// TestShortKey: a client whose RSA key is too short is told so once, and comes in as a guest or not at all.
func TestShortKey(t *testing.T) {
	for _, guests := range []bool{true, false} {
		ts := startServer(t, introspect, func(c *Config) { c.NoGuests = !guests })
		auth := []gossh.AuthMethod{gossh.PublicKeys(shortRSA(t), shortRSA(t))}
		if guests {
			auth = append(auth, asGuest(t))
		}
		cfg, banners := ts.config(auth...), []string(nil)
		cfg.BannerCallback = func(message string) error { banners = append(banners, message); return nil }
		c, err := gossh.Dial("tcp", ts.addr, cfg)
		if (err == nil) != guests {
			t.Errorf("guests are welcome %v: %v", guests, err)
		}
		if err == nil {
			if got := run(t, c, "").out; got != "guest ada" {
				t.Errorf("the session is %q, want a guest", got)
			}
			_ = c.Close()
		}
		want := "Your RSA key has 1024 bits. This club takes RSA keys of 2048 bits or more; ssh-keygen -t ed25519 makes a good key.\r\n"
		if len(banners) != 1 || banners[0] != want {
			t.Errorf("the client is told %q, want %q", banners, want)
		}
	}
}

// TestSecurityKey: a security key signs in when it is touched. Without a touch the client is told why it can't, also with a certificate of its
// own that spares it the touch, which is a failed try.
func TestSecurityKey(t *testing.T) {
	touched, untouched := securityKey(t, 1), securityKey(t, 0)
	sparing := func(key *fidoSigner) gossh.Signer {
		cert := &gossh.Certificate{Key: key.PublicKey(), CertType: gossh.UserCert, ValidPrincipals: []string{"ana"}, ValidBefore: gossh.CertTimeInfinity,
			Permissions: gossh.Permissions{Extensions: map[string]string{"no-touch-required": ""}}}
		if err := cert.SignCert(rand.Reader, newSigner(t)); err != nil {
			t.Fatal(err)
		}
		return forged{cert, key}
	}
	const why = "The signature of your security key is not taken: the key must be touched, and one made with -O no-touch-required can't be used here. " +
		"ssh -i KEYFILE -o IdentitiesOnly=yes chooses another key."
	const asGuests = " ssh -o PubkeyAuthentication=no lets you in as a guest."
	tests := []struct {
		name     string
		noGuests bool
		auth     []gossh.AuthMethod
		want     string   // the session, or nothing when there is none
		told     []string // banners
	}{
		{"touched", false, []gossh.AuthMethod{gossh.PublicKeys(touched)}, gossh.FingerprintSHA256(touched.PublicKey()) + " ada", nil},
		{"not touched", false, []gossh.AuthMethod{gossh.PublicKeys(untouched), asGuest(t)}, "", []string{why + asGuests + "\r\n"}},
		{"not touched where there are no guests", true, []gossh.AuthMethod{gossh.PublicKeys(untouched)}, "", []string{why + "\r\n"}},
		{"a certificate that spares the touch", false, []gossh.AuthMethod{gossh.PublicKeys(sparing(untouched)), asGuest(t)}, "guest ada", nil},
		{"such a certificate, then the key", false, []gossh.AuthMethod{gossh.PublicKeys(sparing(touched), touched)}, gossh.FingerprintSHA256(touched.PublicKey()) + " ada", nil},
		{"another key's signature", false, []gossh.AuthMethod{gossh.PublicKeys(forged{newSigner(t).PublicKey(), newSigner(t)})}, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := startServer(t, introspect, func(c *Config) { c.NoGuests = tt.noGuests })
			cfg, told := ts.config(tt.auth...), []string(nil)
			cfg.BannerCallback = func(message string) error { told = append(told, message); return nil }
			c, err := gossh.Dial("tcp", ts.addr, cfg)
			if (err == nil) != (tt.want != "") {
				t.Fatalf("Dial = %v", err)
			}
			if err == nil {
				if got := run(t, c, "").out; got != tt.want {
					t.Errorf("the session is %q, want %q", got, tt.want)
				}
				_ = c.Close()
			} else if got := ts.ended(); got != noAuth {
				t.Errorf("the connection ended for %q, want %q", got, noAuth)
			}
			if !slices.Equal(told, tt.told) {
				t.Errorf("the client is told %q, want %q", told, tt.told)
			}
		})
	}
}

// A fidoSigner signs as a FIDO device does: PROTOCOL.u2f of OpenSSH.
type fidoSigner struct {
	public  gossh.PublicKey
	private ed25519.PrivateKey
	flags   byte // 1: it was touched
}

const fidoApplication = "ssh:"

func securityKey(t testing.TB, flags byte) *fidoSigner {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := gossh.ParsePublicKey(gossh.Marshal(struct {
		Name        string
		Key         []byte
		Application string
	}{gossh.KeyAlgoSKED25519, public, fidoApplication}))
	if err != nil {
		t.Fatal(err)
	}
	return &fidoSigner{key, private, flags}
}

func (s *fidoSigner) PublicKey() gossh.PublicKey { return s.public }

func (s *fidoSigner) Sign(_ io.Reader, data []byte) (*gossh.Signature, error) {
	application, message := sha256.Sum256([]byte(fidoApplication)), sha256.Sum256(data)
	rest := []byte{s.flags, 0, 0, 0, 7} // and a counter
	signed := slices.Concat(application[:], rest, message[:])
	return &gossh.Signature{Format: gossh.KeyAlgoSKED25519, Blob: ed25519.Sign(s.private, signed), Rest: rest}, nil
}

// TestUserName: the SSH user name is shown only when it is fit to be, and a huge one isn't kept at all.
func TestUserName(t *testing.T) {
	tests := []struct{ name, user, want string }{
		{"plain", "ada", "ada"},
		{"with letters of its own", "Żółw", "Żółw"},
		{"empty", "", ""},
		{"escape sequence", "a\x1b[2Jb", ""},
		{"bad UTF-8", "a\xffb", ""},
		{"long", strings.Repeat("a", 65), ""},
	}
	ts := startServer(t, introspect, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := ts.config(asGuest(t))
			cfg.User = tt.user
			c, err := gossh.Dial("tcp", ts.addr, cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if got := run(t, c, "").out; got != "guest "+tt.want {
				t.Errorf("the session is %q, want %q", got, "guest "+tt.want)
			}
		})
	}
	cfg := ts.config(gossh.PublicKeys(newSigner(t)), asGuest(t))
	cfg.User = strings.Repeat("a", maxUserBytes+1)
	if c, err := gossh.Dial("tcp", ts.addr, cfg); err == nil {
		_ = c.Close()
		t.Error("signed in with a huge user name")
	}
}

// TestOfferedKeyIsNobody: a client that offers a key without proof, and then signs in some other way, is never taken for its owner.
func TestOfferedKeyIsNobody(t *testing.T) {
	victim, own := newSigner(t), newSigner(t)
	ownPrint := gossh.FingerprintSHA256(own.PublicKey())
	tests := []struct {
		name string
		auth []gossh.AuthMethod
		want string // the session, or nothing when there is none
	}{
		{"then as a guest", []gossh.AuthMethod{gossh.PublicKeys(mute{victim.PublicKey()}), asGuest(t)}, "guest ada"},
		{"then with another key", []gossh.AuthMethod{gossh.PublicKeys(&swap{victim.PublicKey(), own})}, ownPrint + " ada"},
		{"signed by another key", []gossh.AuthMethod{gossh.PublicKeys(forged{victim.PublicKey(), own}), asGuest(t)}, ""},
		{"in a certificate signed by the client's own key", []gossh.AuthMethod{gossh.PublicKeys(forged{certificateOf(t, victim.PublicKey(), gossh.UserCert), own})}, ""},
	}
	victimPrint := gossh.FingerprintSHA256(victim.PublicKey())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := startServer(t, introspect, nil)
			c, err := gossh.Dial("tcp", ts.addr, ts.config(tt.auth...))
			if err != nil && tt.want != "" {
				t.Fatal(err)
			}
			if err == nil {
				defer func() { _ = c.Close() }()
				if got := run(t, c, "").out; got != tt.want || strings.Contains(got, victimPrint) {
					t.Errorf("the session is %q, want %q", got, tt.want)
				}
				_ = c.Close()
			}
			line := ts.log.wait(t, "connection ended", 1)[0]
			if line["fingerprint"] == victimPrint {
				t.Errorf("the log takes the client for the owner: %v", line)
			}
		})
	}
}

// mute offers a key and then can't sign.
type mute struct{ key gossh.PublicKey }

func (m mute) PublicKey() gossh.PublicKey { return m.key }
func (m mute) Sign(io.Reader, []byte) (*gossh.Signature, error) {
	return nil, errors.New("no private key")
}

// forged offers a key and signs with another one.
type forged struct {
	key gossh.PublicKey
	gossh.Signer
}

func (f forged) PublicKey() gossh.PublicKey { return f.key }

// swap asks whether one key is welcome, and when it is signs in with another one.
type swap struct {
	offered gossh.PublicKey
	gossh.Signer
}

func (s *swap) PublicKey() gossh.PublicKey {
	return &turncoat{PublicKey: s.Signer.PublicKey(), first: s.offered}
}

type turncoat struct {
	gossh.PublicKey
	first gossh.PublicKey
	asked int
}

// Marshal is called by the client first for the question, to write it and to compare the answer, then for the proof.
func (k *turncoat) Marshal() []byte {
	k.asked++
	if k.asked <= 2 {
		return k.first.Marshal()
	}
	return k.PublicKey.Marshal()
}

// TestAlgorithms reads the lists that the server offers before anything else.
func TestAlgorithms(t *testing.T) {
	ts := startServer(t, introspect, func(c *Config) { c.HostKeys = append([]gossh.Signer{rsaSigner(t, 2048)}, c.HostKeys...) })
	kex := readKexInit(t, ts.dialTCP())
	for _, tt := range []struct {
		name      string
		got, want []string
	}{
		{"key exchanges", kex.KexAlgos, []string{"mlkem768x25519-sha256", "curve25519-sha256", "curve25519-sha256@libssh.org", "kex-strict-s-v00@openssh.com"}},
		{"host keys", kex.ServerHostKeyAlgos, []string{"ssh-ed25519", "rsa-sha2-256", "rsa-sha2-512"}},
		{"ciphers", kex.CiphersServerClient, []string{"chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com",
			"aes256-ctr", "aes192-ctr", "aes128-ctr"}},
		{"MACs", kex.MACsServerClient, []string{"hmac-sha2-512-etm@openssh.com", "hmac-sha2-256-etm@openssh.com",
			"hmac-sha2-512", "hmac-sha2-256"}},
		{"compression", kex.CompressionServerClient, []string{"none"}},
	} {
		if strings.Join(tt.got, " ") != strings.Join(tt.want, " ") {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if strings.Join(kex.CiphersClientServer, " ") != strings.Join(kex.CiphersServerClient, " ") ||
		strings.Join(kex.MACsClientServer, " ") != strings.Join(kex.MACsServerClient, " ") {
		t.Error("the lists of the two directions differ")
	}
}

func TestNegotiation(t *testing.T) {
	good, weak := gossh.SupportedAlgorithms(), gossh.InsecureAlgorithms()
	everything := gossh.Config{
		KeyExchanges: append(weak.KeyExchanges, good.KeyExchanges...),
		Ciphers:      append(weak.Ciphers, good.Ciphers...),
		MACs:         append(weak.MACs, good.MACs...),
	}
	tests := []struct {
		name   string
		config gossh.Config
		ok     bool
	}{
		{"everything, weak first", everything, true},
		{"curve25519", gossh.Config{KeyExchanges: []string{gossh.KeyExchangeCurve25519}}, true},
		{"mlkem768", gossh.Config{KeyExchanges: []string{gossh.KeyExchangeMLKEM768X25519}}, true},
		{"aes128-ctr with sha2-256-etm", gossh.Config{Ciphers: []string{gossh.CipherAES128CTR}, MACs: []string{gossh.HMACSHA256ETM}}, true},
		{"aes256-gcm", gossh.Config{Ciphers: []string{gossh.CipherAES256GCM}}, true},
		{"only weak key exchanges", gossh.Config{KeyExchanges: weak.KeyExchanges}, false},
		{"only NIST curves and groups", gossh.Config{KeyExchanges: []string{gossh.KeyExchangeECDHP256, gossh.KeyExchangeDH14SHA256}}, false},
		{"only weak ciphers", gossh.Config{Ciphers: weak.Ciphers}, false},
		{"plain hmac-sha2-256", gossh.Config{Ciphers: []string{gossh.CipherAES128CTR}, MACs: []string{gossh.HMACSHA256}}, true},
		{"plain hmac-sha2-512", gossh.Config{Ciphers: []string{gossh.CipherAES128CTR}, MACs: []string{gossh.HMACSHA512}}, true},
		{"only MACs with SHA-1", gossh.Config{Ciphers: []string{gossh.CipherAES128CTR}, MACs: []string{gossh.HMACSHA1, gossh.InsecureHMACSHA196}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := startServer(t, introspect, nil)
			cfg := ts.config(asGuest(t))
			cfg.Config = tt.config
			c, err := gossh.Dial("tcp", ts.addr, cfg)
			if err == nil {
				_ = c.Close()
			}
			if (err == nil) != tt.ok {
				t.Fatalf("Dial = %v, want success %v", err, tt.ok)
			}
			want := left
			if !tt.ok {
				want = noHandshake
			}
			if got := ts.ended(); got != want {
				t.Errorf("the connection ended for %q, want %q", got, want)
			}
		})
	}
}

// TestHostKeyKinds: a client gets the kind of host key that it asks for, and never a signature with SHA-1.
func TestHostKeyKinds(t *testing.T) {
	host := rsaSigner(t, 2048)
	ts := startServer(t, introspect, func(c *Config) { c.HostKeys = append(c.HostKeys, host) })
	tests := []struct {
		name       string
		algorithms []string
		want       gossh.PublicKey // nil: no connection
	}{
		{"Ed25519", []string{gossh.KeyAlgoED25519}, ts.key},
		{"Ed25519 before RSA", []string{gossh.KeyAlgoED25519, gossh.KeyAlgoRSASHA512}, ts.key},
		{"RSA with SHA-512", []string{gossh.KeyAlgoRSASHA512}, host.PublicKey()},
		{"RSA with SHA-256", []string{gossh.KeyAlgoECDSA256, gossh.KeyAlgoRSASHA256}, host.PublicKey()},
		{"RSA with SHA-1", []string{gossh.KeyAlgoRSA}, nil},
		{"ECDSA", []string{gossh.KeyAlgoECDSA256}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg, got := ts.config(asGuest(t)), gossh.PublicKey(nil)
			cfg.HostKeyAlgorithms = tt.algorithms
			cfg.HostKeyCallback = func(_ string, _ net.Addr, key gossh.PublicKey) error { got = key; return nil }
			c, err := gossh.Dial("tcp", ts.addr, cfg)
			if err == nil {
				_ = c.Close()
			}
			if (err == nil) != (tt.want != nil) {
				t.Fatalf("Dial = %v", err)
			}
			if tt.want != nil && !bytes.Equal(got.Marshal(), tt.want.Marshal()) {
				t.Errorf("the server has the key %s, want %s", gossh.FingerprintSHA256(got), gossh.FingerprintSHA256(tt.want))
			}
		})
	}
}

// kexInit is RFC 4253 7.1 after the message number.
type kexInit struct {
	Cookie                  [16]byte `sshtype:"20"`
	KexAlgos                []string
	ServerHostKeyAlgos      []string
	CiphersClientServer     []string
	CiphersServerClient     []string
	MACsClientServer        []string
	MACsServerClient        []string
	CompressionClientServer []string
	CompressionServerClient []string
	LanguagesClientServer   []string
	LanguagesServerClient   []string
	FirstKexFollows         bool
	Reserved                uint32
}

func readKexInit(t *testing.T, conn interface {
	Read([]byte) (int, error)
	Write([]byte) (int, error)
}) kexInit {
	t.Helper()
	if _, err := conn.Write([]byte("SSH-2.0-Test\r\n")); err != nil {
		t.Fatal(err)
	}
	var seen []byte
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, buf[:n]...)
		version, packet, ok := bytes.Cut(seen, []byte("\r\n"))
		if !ok || len(packet) < 5 {
			continue
		}
		if string(version) != "SSH-2.0-Ludoteca" {
			t.Errorf("version line %q", version)
		}
		size := int(packet[0])<<24 | int(packet[1])<<16 | int(packet[2])<<8 | int(packet[3])
		if len(packet) < 4+size {
			continue
		}
		var kex kexInit
		if err := gossh.Unmarshal(packet[5:4+size-int(packet[4])], &kex); err != nil {
			t.Fatal(err)
		}
		return kex
	}
}

func ecdsaSigner(t testing.TB, curve elliptic.Curve) gossh.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signerOf(t, key)
}

func rsaSigner(t testing.TB, bits int) gossh.Signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return signerOf(t, key)
}

// shortRSA is a key that is long enough for the libraries and too short for the server.
func shortRSA(t testing.TB) gossh.Signer { return rsaSigner(t, 1024) }

func certificateOf(t testing.TB, key gossh.PublicKey, kind uint32) *gossh.Certificate {
	t.Helper()
	cert := &gossh.Certificate{Key: key, CertType: kind, KeyId: "test", ValidPrincipals: []string{"ana"}, ValidBefore: uint64(time.Now().Add(time.Hour).Unix())}
	if err := cert.SignCert(rand.Reader, newSigner(t)); err != nil {
		t.Fatal(err)
	}
	return cert
}

func certified(t testing.TB, key gossh.Signer, kind uint32) gossh.Signer {
	t.Helper()
	s, err := gossh.NewCertSigner(certificateOf(t, key.PublicKey(), kind), key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
