package mail

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"ludoteca/sshapp/notices/mail/mailtest"
)

// certificate returns one for a name, and the roots that know it.
func certificate(t *testing.T, name string) (*tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// senderTo returns a sender that reaches a server under the name mail.example.com.
func senderTo(s *mailtest.Server, c Config) *Sender {
	c.Host, c.Port, c.From = "mail.example.com", 587, "club@example.com"
	c.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Addr())
	}
	return New(c)
}

var sample = Message{ID: "m1", Subject: "Dein Zug gegen João", Text: "Du bist am Zug.\n\nGrüße\n", Stop: "ssh play.example.com notify stop abcd"}

// TestSend: a message arrives whole, over TLS, with what says that no person wrote it.
func TestSend(t *testing.T) {
	cert, roots := certificate(t, "mail.example.com")
	for name, implicit := range map[string]bool{"STARTTLS": false, "TLS from the first byte on": true} {
		t.Run(name, func(t *testing.T) {
			s := &mailtest.Server{Certificate: cert, Implicit: implicit}
			s.Serve(t)
			to := senderTo(s, Config{TLS: implicit, Name: "Café \"Club\"", User: "club", Password: "secret", roots: roots})
			for range 2 {
				if err := to.Send(t.Context(), "ana@example.com", sample); err != nil {
					t.Fatal(err)
				}
			}
			letters, signIns := s.Letters(), s.SignIns()
			if len(letters) != 2 || len(signIns) != 2 || signIns[0] != `"\x00club\x00secret" encrypted true` || letters[0].To != "ana@example.com" {
				t.Fatalf("auth %v, %d letters: %+v", signIns, len(letters), letters)
			}
			var ids []string
			for _, l := range letters {
				m, err := netmail.ReadMessage(strings.NewReader(l.Text))
				if err != nil {
					t.Fatal(err)
				}
				for header, want := range map[string]string{
					"Auto-Submitted": "auto-generated", "List-Unsubscribe": "(ssh play.example.com notify stop abcd)", "From": "=?utf-8?q?Caf=C3=A9_Club?= <club@example.com>", "To": "<ana@example.com>",
				} {
					if got := m.Header.Get(header); got != want {
						t.Errorf("%s: %q, want %q", header, got, want)
					}
				}
				ids = append(ids, m.Header.Get("Message-ID"))
			}
			if ids[0] != ids[1] || !strings.HasSuffix(ids[0], "@example.com>") {
				t.Errorf("the ids of two tries are %q", ids)
			}
		})
	}
}

// TestServersThatFail: what a server does wrong becomes an error in time, without the address, and only a refusal of the address is one for good.
func TestServersThatFail(t *testing.T) {
	cert, roots := certificate(t, "mail.example.com")
	_, others := certificate(t, "mail.example.com")
	foreign, _ := certificate(t, "other.example.com")
	endless := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			for {
				if _, err := c.Write([]byte(text)); err != nil {
					return
				}
			}
		}
	}
	for _, tt := range []struct {
		name    string
		server  *mailtest.Server
		config  Config
		want    string
		refused bool
	}{
		{name: "no TLS", server: &mailtest.Server{}, want: "TLS"},
		{name: "a certificate for another name", server: &mailtest.Server{Certificate: foreign}, config: Config{roots: roots}, want: "certificate"},
		{name: "a certificate of another authority", server: &mailtest.Server{Certificate: cert}, config: Config{roots: others}, want: "certificate"},
		{name: "no such mailbox", server: &mailtest.Server{Certificate: cert, Answers: map[string]string{"RCPT": "550 <ana@example.com> is unknown"}}, config: Config{roots: roots}, want: "550", refused: true},
		{name: "come back later", server: &mailtest.Server{Certificate: cert, Answers: map[string]string{"RCPT": "451 <ana@example.com> is greylisted"}}, config: Config{roots: roots}, want: "451"},
		{name: "the sender is refused", server: &mailtest.Server{Certificate: cert, Answers: map[string]string{"MAIL": "550 no"}}, config: Config{roots: roots}, want: "550"},
		{name: "a wrong password", server: &mailtest.Server{Certificate: cert, Answers: map[string]string{"AUTH": "535 ana@example.com?"}}, config: Config{roots: roots, User: "u", Password: "p"}, want: "mail"},
		{name: "busy at once", server: &mailtest.Server{Rude: func(c net.Conn) { fmt.Fprint(c, "421 busy\r\n") }}, want: "421"},
		{name: "an endless banner", server: &mailtest.Server{Rude: endless("220-more and more\r\n")}, want: "mail"},
		{name: "an endless line", server: &mailtest.Server{Rude: endless("xxxxxxxxxxxxxxxx")}, want: "mail"},
		{name: "nothing", server: &mailtest.Server{Rude: func(net.Conn) {}}, want: "mail"},
		{name: "silence", server: &mailtest.Server{Rude: func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }}, want: "deadline"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.server
			s.Serve(t)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			began := time.Now()
			err := senderTo(s, tt.config).Send(ctx, "ana@example.com", sample)
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, ErrRefused) != tt.refused || strings.Contains(err.Error(), "ana@") {
				t.Errorf("Send = %v, want %q, refused %v", err, tt.want, tt.refused)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			if n := len(s.Letters()); n > 0 {
				t.Errorf("%d messages were taken", n)
			}
		})
	}
}

// TestLoopback: a server on this machine needs no TLS, and may ask for a password.
func TestLoopback(t *testing.T) {
	s := &mailtest.Server{}
	s.Serve(t)
	c, err := ParseURL("smtp://club@" + s.Addr() + "?from=club@example.com")
	if err != nil {
		t.Fatal(err)
	}
	c.Password = "secret"
	if err := New(c).Send(t.Context(), "ana@example.com", sample); err != nil || len(s.Letters()) != 1 || len(s.SignIns()) != 1 {
		t.Errorf("%v, %d letters, signed in %d times", err, len(s.Letters()), len(s.SignIns()))
	}
}

func TestParseURL(t *testing.T) {
	for text, want := range map[string]Config{
		"smtp://mail.example.com?from=c@example.com":               {Host: "mail.example.com", Port: 587, From: "c@example.com"},
		"smtps://u%40x@mail.example.com?from=c@example.com":        {Host: "mail.example.com", Port: 465, TLS: true, User: "u@x", From: "c@example.com"},
		"smtp://u@[::1]:25/?from=c@example.com":                    {Host: "::1", Port: 25, User: "u", From: "c@example.com"},
		"smtp://u:secret@mail.example.com?from=c@example.com":      {},
		"smtp://mail.example.com":                                  {},
		"smtp://mail.example.com?from=Club+<c@example.com>":        {},
		"smtp://mail.example.com?from=c@example.com&to=x":          {},
		"smtp://mail.example.com?from=c@example.com%0d%0aBcc:%20x": {},
		"smtp://mail.example.com:0?from=c@example.com":             {},
		"mail.example.com?from=c@example.com":                      {},
		"http://mail.example.com?from=c@example.com":               {},
		"smtp://?from=c@example.com":                               {},
	} {
		got, err := ParseURL(text)
		if (err == nil) != (want.Host != "") || err == nil && (got.Host != want.Host || got.Port != want.Port || got.TLS != want.TLS || got.User != want.User || got.From != want.From) {
			t.Errorf("ParseURL(%q) = %+v, %v", text, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error repeats the password: %v", err)
		}
	}
}

// FuzzMessage: whatever stands in an address, a title, a text and a command, no header but ours is in the message, and one recipient.
func FuzzMessage(f *testing.F) {
	f.Add("ana@example.com", "hello", "text", "stop")
	f.Add("ana@example.com\r\nBcc: eve@example.com", "x\r\nBcc: eve@example.com", ".\r\nMAIL FROM:<x>", "x)\r\nBcc: eve@example.com (")
	f.Add("ana@example.com, eve@example.com", "\u2028Bcc: eve@example.com", "\n.\n", "\\")
	f.Fuzz(func(t *testing.T, to, subject, text, stop string) {
		msg, err := New(Config{From: "club@example.com"}).message(to, Message{ID: "m", Subject: subject, Text: text, Stop: stop})
		if err != nil {
			return
		}
		var b strings.Builder
		if _, err := msg.WriteTo(&b); err != nil {
			return
		}
		head, _, _ := strings.Cut(b.String(), "\r\n\r\n")
		for line := range strings.SplitSeq(head, "\r\n") {
			name, _, ok := strings.Cut(line, ":")
			if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
				continue
			}
			switch name {
			case "Date", "MIME-Version", "Message-ID", "Subject", "Auto-Submitted", "List-Unsubscribe", "From", "To", "Content-Transfer-Encoding", "Content-Type":
			default:
				t.Fatalf("the message of %q has the header %q (%v)", subject, line, ok)
			}
			if strings.ContainsAny(line, "\r\n") {
				t.Fatalf("the header %q has an end of a line in it", line)
			}
		}
		if all, err := msg.GetRecipients(); err != nil || len(all) != 1 {
			t.Fatalf("it goes to %q, %v", all, err)
		}
	})
}
