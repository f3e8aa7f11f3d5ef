// Package mail sends notices by the mail server of the operator.
package mail

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// ErrRefused says that the server refuses an address or a message for good.
var ErrRefused = errors.New("it is refused for good")

// A Config says by which server mail leaves the club.
type Config struct {
	Host     string
	Port     int
	TLS      bool // from the first byte on; else STARTTLS, which only a server on this machine may lack
	User     string
	Password string
	From     string // the address of the sender
	Name     string // of the sender, beside the address; "": none

	// For tests.
	roots *x509.CertPool                                                       // nil: the roots of the machine
	dial  func(ctx context.Context, network, address string) (net.Conn, error) // nil: of package net
}

// The schemes of a URL of ParseURL, and their ports.
const (
	smtp, smtps         = "smtp", "smtps"
	smtpPort, smtpsPort = 587, 465
)

// ParseURL reads smtp://[USER@]HOST[:PORT]?from=ADDRESS, or smtps:// for TLS from the first byte on. A URL with a password is refused: every user of
// the machine can read the command line.
func ParseURL(text string) (Config, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != smtp && u.Scheme != smtps || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return Config{}, errors.New("it is no URL such as smtp://user@mail.example.com:587?from=club@example.com")
	}
	c := Config{Host: u.Hostname(), Port: smtpPort, TLS: u.Scheme == smtps, User: u.User.Username()}
	if _, has := u.User.Password(); has {
		return Config{}, errors.New("a password doesn't belong on the command line")
	}
	if c.TLS {
		c.Port = smtpsPort
	}
	if port := u.Port(); port != "" {
		if c.Port, err = strconv.Atoi(port); err != nil || c.Port < 1 || c.Port > 65535 {
			return Config{}, errors.New("it has no port from 1 to 65535")
		}
	}
	query, err := url.ParseQuery(u.RawQuery)
	from, err2 := mail.ParseAddress(query.Get("from"))
	if err != nil || err2 != nil || len(query) != 1 || from.Name != "" || from.Address != query.Get("from") {
		return Config{}, errors.New("it needs the address of the sender, and nothing else, behind it: ?from=club@example.com")
	}
	c.From = from.Address
	return c, nil
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// A Sender sends mail. Any goroutine may use it.
type Sender struct{ config Config }

// New returns a sender.
func New(c Config) *Sender { return &Sender{c} }

// A Message is a mail in plain text.
type Message struct {
	ID      string // the same for each try
	Subject string
	Text    string
	Stop    string // the command that ends all mail to the address
}

// Bounds of a server's answers.
const (
	maxAnswers = 256 << 10 // bytes of all answers to one mail, certificates included
	answerTime = 20 * time.Second
)

// Send sends a message and returns when the server has taken it. The error wraps ErrRefused if the server refuses the address or the message
// for good. No error holds the address.
func (s *Sender) Send(ctx context.Context, to string, m Message) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // closes a connection that the client has left open
	msg, err := s.message(to, m)
	if err != nil {
		return err
	}
	client, err := s.client(ctx)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, msg)
	if msg.IsDelivered() { // whatever comes after that
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) { // the connection ends at the same time, and may have been first
		return context.DeadlineExceeded
	}
	return failure(err)
}

// client returns a client for one mail.
func (s *Sender) client(ctx context.Context) (*gomail.Client, error) {
	c := s.config
	settings := &tls.Config{ServerName: c.Host, MinVersion: tls.VersionTLS12, RootCAs: c.roots}
	policy := gomail.TLSMandatory
	switch {
	case c.TLS:
		policy = gomail.NoTLS // the connection has it already
	case IsLoopback(c.Host):
		policy = gomail.NoTLS // nobody is in between, and few servers have a certificate for the name of this machine
	}
	options := []gomail.Option{
		gomail.WithPort(c.Port), gomail.WithTimeout(answerTime), gomail.WithTLSConfig(settings), gomail.WithTLSPolicy(policy), gomail.WithoutNoop(),
		gomail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
			dial := c.dial
			if dial == nil {
				dial = new(net.Dialer).DialContext
			}
			conn, err := dial(dialing, network, address)
			if err != nil {
				return nil, err
			}
			bounded := newBounded(ctx, conn)
			if !c.TLS {
				return bounded, nil
			}
			encrypted := tls.Client(bounded, settings)
			if err := encrypted.HandshakeContext(dialing); err != nil {
				return nil, errors.Join(err, bounded.Close())
			}
			return encrypted, nil
		}),
	}
	if c.User != "" {
		options = append(options, gomail.WithUsername(c.User), gomail.WithPassword(c.Password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return gomail.NewClient(c.Host, options...)
}

// message returns a message as it is sent.
func (s *Sender) message(to string, m Message) (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	from := msg.From
	if s.config.Name != "" {
		from = func(address string) error {
			return msg.FromFormat(strings.ReplaceAll(oneLine(s.config.Name), `"`, ""), address)
		}
	}
	if err := from(s.config.From); err != nil {
		return nil, errors.New("mail: the address of the sender is none")
	}
	if err := msg.To(to); err != nil {
		return nil, fmt.Errorf("mail: %w: it is no address", ErrRefused)
	}
	_, domain, _ := strings.Cut(s.config.From, "@")
	sum := sha256.Sum256([]byte(m.ID))
	msg.SetMessageIDWithValue(hex.EncodeToString(sum[:16]) + "@" + domain)
	msg.SetDate()
	msg.Subject(oneLine(m.Subject))
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetGenHeader("List-Unsubscribe", "("+oneLine(m.Stop)+")")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	return msg, nil
}

// oneLine returns a text for a header: without what would end it, and without brackets, which comments of headers are in.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '(' || r == ')' || r == '\\' || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

// failure returns an error without the address, which the server may have repeated.
func failure(err error) error {
	var sent *gomail.SendError
	var answer *textproto.Error
	var unreached *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &sent):
		final := sent.Reason == gomail.ErrSMTPRcptTo || sent.Reason == gomail.ErrSMTPDataClose
		if code := sent.ErrorCode(); final && !sent.IsTemp() && code >= 500 && code < 600 {
			return fmt.Errorf("mail: %w: the server answers %d", ErrRefused, code)
		}
		return fmt.Errorf("mail: the server answers %d (%s)", sent.ErrorCode(), sent.Reason)
	case errors.As(err, &answer):
		return fmt.Errorf("mail: the server answers %d before the message", answer.Code)
	case errors.As(err, &certificate):
		return errors.New("mail: the certificate of the server is not valid for its name")
	case errors.As(err, &unreached):
		return fmt.Errorf("mail: %w", unreached)
	case errors.Is(err, errLong):
		return fmt.Errorf("mail: %w", errLong)
	}
	return errors.New("mail: the server breaks off, or can't do what is needed: TLS, or one of the ways to sign in")
}
