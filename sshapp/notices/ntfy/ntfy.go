// Package ntfy sends notices to topics of the operator's ntfy server.
package ntfy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ludoteca/sshapp/notices/mail"
)

// ErrRefused says that the server refuses a message for good.
var ErrRefused = errors.New("it is refused for good")

// A Config says which server it is.
type Config struct {
	URL   *url.URL
	Token string // "": the server asks for none
}

// ParseURL reads the URL of a server: https, or http on this machine.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return nil, errors.New("it is no URL such as https://ntfy.example.com")
	}
	if u.User != nil {
		return nil, errors.New("a password doesn't belong on the command line")
	}
	if u.Scheme == "http" && !mail.IsLoopback(u.Hostname()) {
		return nil, errors.New("everybody on the way could read the notices: it must be https, unless the server is on this machine")
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

// Bounds of a server's answer.
const (
	maxBody    = 64 << 10
	maxHeader  = 64 << 10
	answerTime = 20 * time.Second
)

// A Sender sends to topics. Any goroutine may use it.
type Sender struct {
	config Config
	client *http.Client
}

// New returns a sender.
func New(c Config) *Sender {
	return &Sender{c, &http.Client{
		Timeout: answerTime,
		Transport: &http.Transport{
			MaxResponseHeaderBytes: maxHeader, DisableKeepAlives: true, TLSHandshakeTimeout: answerTime, ResponseHeaderTimeout: answerTime,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Send sends a message to a topic, and returns when the server has taken it. The error wraps ErrRefused if the server refuses it for good.
// No error holds the topic.
func (s *Sender) Send(ctx context.Context, topic, title, text string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.config.URL.JoinPath(topic).String(), strings.NewReader(text))
	if err != nil {
		return fmt.Errorf("ntfy: %w: it is no topic", ErrRefused)
	}
	r.Header.Set("Title", mime.QEncoding.Encode("utf-8", oneLine(title))) // which ntfy decodes; ASCII stays
	r.Header.Set("Content-Type", "text/plain; charset=utf-8")
	if s.config.Token != "" {
		r.Header.Set("Authorization", "Bearer "+s.config.Token)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var at *url.Error // has the topic in its text
		if errors.As(err, &at) {
			err = at.Err
		}
		return fmt.Errorf("ntfy: %w", err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxBody)) // the status says all
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusBadRequest, code == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("ntfy: %w: the server answers %d", ErrRefused, code)
	default:
		return fmt.Errorf("ntfy: the server answers %d", code)
	}
}

// oneLine returns a text for a header.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}
