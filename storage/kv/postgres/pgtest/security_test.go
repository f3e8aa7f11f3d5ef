package pgtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ludoteca/storage/kv/faulttest"
	"ludoteca/storage/kv/postgres"
)

// An authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t}
	a.cert, a.key = a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// sign signs a certificate, by itself if the authority has none yet.
func (a *authority) sign(c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(mathrand.Int64()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	by, with := a.cert, a.key
	if by == nil {
		by, with = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, by, &key.PublicKey, with)
	if err != nil {
		a.t.Fatal(err)
	}
	signed, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return signed, key
}

// file writes a certificate to a file.
func (a *authority) file(path string, c *x509.Certificate) string {
	writeFile(a.t, path, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})))
	return path
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPasswordsAndTLS: a server that wants TLS and a password gets both as libpq gives them, a client that checks the server takes no other, and what is
// wrong is told in words without the password.
func TestPasswordsAndTLS(t *testing.T) {
	t.Parallel()
	address := func() string {
		return fmt.Sprintf("127.%d.%d.%d", 1+mathrand.N(250), mathrand.N(250), 1+mathrand.N(250))
	}
	named, nameless := address(), address() // of the same server; its certificate names the first
	server := another(t, "listen_addresses="+named+","+nameless)
	ca := newAuthority(t)
	cert, key := ca.sign(&x509.Certificate{Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{net.ParseIP(named)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	own := func(name string) string { return filepath.Join(server.Data(), name) }
	ca.file(own("tls.crt"), cert)
	writeFile(t, own("tls.key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	writeFile(t, own("hba.conf"), "local all all trust\nhostssl all club 127.0.0.0/8 scram-sha-256\n")
	for _, name := range []string{"tls.crt", "tls.key", "hba.conf"} {
		if err := server.Give(own(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range []string{
		"CREATE ROLE club LOGIN PASSWORD 'open sesame'", "GRANT CREATE ON DATABASE postgres TO club",
		"ALTER SYSTEM SET ssl_cert_file = 'tls.crt'", "ALTER SYSTEM SET ssl_key_file = 'tls.key'", "ALTER SYSTEM SET ssl = on",
		"ALTER SYSTEM SET hba_file = '" + own("hba.conf") + "'",
	} {
		server.exec(t, "postgres", statement)
	}
	if err := server.Stop(); err != nil { // hba_file is read at the start alone
		t.Fatal(err)
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	trusted, other := ca.file(filepath.Join(dir, "ca.pem"), ca.cert), newAuthority(t)
	strange := other.file(filepath.Join(dir, "other.pem"), other.cert)
	right, wrong := filepath.Join(dir, "right"), filepath.Join(dir, "wrong")
	writeFile(t, right, "*:*:*:club:open sesame\n")
	writeFile(t, wrong, "*:*:*:club:open barley\n")
	for _, tt := range []struct {
		name, host string
		query      url.Values
		want       string // in the error; "" for none
	}{
		{"as it should be", named, url.Values{"sslmode": {"verify-full"}, "sslrootcert": {trusted}, "passfile": {right}}, ""},
		{"TLS without a check of the server", nameless, url.Values{"sslmode": {"require"}, "passfile": {right}}, ""},
		{"the usual mode", named, url.Values{"passfile": {right}}, ""},
		{"without TLS", named, url.Values{"sslmode": {"disable"}, "passfile": {right}}, "no pg_hba.conf entry"},
		{"a wrong password", named, url.Values{"sslmode": {"verify-full"}, "sslrootcert": {trusted}, "passfile": {wrong}}, "password authentication failed"},
		{"without a password", named, url.Values{"sslmode": {"verify-full"}, "sslrootcert": {trusted}, "passfile": {filepath.Join(dir, "none")}}, "password"},
		{"of another authority", named, url.Values{"sslmode": {"verify-full"}, "sslrootcert": {strange}, "passfile": {right}}, "unknown authority"},
		{"under another name", nameless, url.Values{"sslmode": {"verify-full"}, "sslrootcert": {trusted}, "passfile": {right}}, "not " + nameless},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := server.options()
			o.Address = (&url.URL{Scheme: "postgres", User: url.User("club"), Host: tt.host, Path: "/postgres", RawQuery: tt.query.Encode()}).String()
			o.OpenTimeout = 2 * time.Second
			if tt.want == "" {
				o.OpenTimeout = 30 * time.Second
			}
			s, err := postgres.Open(t.Context(), o)
			if err == nil {
				if _, failed := faulttest.Add(t.Context(), s, faulttest.Key("n")); failed != nil {
					t.Error(failed)
				}
				if failed := s.Close(); failed != nil {
					t.Error(failed)
				}
			}
			switch {
			case tt.want == "" && err == nil:
			case tt.want == "" || err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "barley") || strings.Contains(err.Error(), "\n"):
				t.Errorf("Open = %v, want %q", err, tt.want)
			}
		})
	}
}
