package ntfy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const topic = "abcdefghijklmnop"

// sender returns a sender to a server that answers with handle.
func sender(t *testing.T, token string, handle http.HandlerFunc) *Sender {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	u, err := ParseURL(s.URL + "/ntfy/")
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{URL: u, Token: token})
}

// TestSend: a message arrives as it is, under the topic.
func TestSend(t *testing.T) {
	var got string
	s := sender(t, "tk_secret", func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		title, err := new(mime.WordDecoder).DecodeHeader(r.Header.Get("Title"))
		got = fmt.Sprintf("%s %s %q %q %s %v", r.Method, r.URL.Path, title, b, r.Header.Get("Authorization"), err)
	})
	if err := s.Send(t.Context(), topic, "João\r\nX-Evil: 1", "Du bist am Zug.\n"); err != nil {
		t.Fatal(err)
	}
	if want := `POST /ntfy/` + topic + ` "João  X-Evil: 1" "Du bist am Zug.\n" Bearer tk_secret <nil>`; got != want {
		t.Errorf("the server got %s, want %s", got, want)
	}
}

// TestServersThatFail: what a server does wrong becomes an error in time, without the topic. No redirect is followed.
func TestServersThatFail(t *testing.T) {
	var elsewhere atomic.Int32
	for _, tt := range []struct {
		name    string
		handle  http.HandlerFunc
		want    string // "": it is sent
		refused bool
	}{
		{"an endless answer", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<12)); err != nil {
					return
				}
			}
		}, "", false},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				elsewhere.Add(1)
			}
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, "307", false},
		{"endless headers", func(w http.ResponseWriter, _ *http.Request) {
			for n := range 100 {
				w.Header().Set(fmt.Sprint("X-", n), strings.Repeat("x", 1<<12))
			}
		}, "ntfy", false},
		{"no permission", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "403", false},
		{"too many", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, "429", false},
		{"broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, "502", false},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }, "400", true},
		{"silence", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // before that the end of the connection is not noticed
			<-r.Context().Done()
		}, "deadline", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			err := sender(t, "", tt.handle).Send(ctx, topic, "title", "text")
			if (err == nil) != (tt.want == "") || errors.Is(err, ErrRefused) != tt.refused {
				t.Fatalf("Send = %v, want %q", err, tt.want)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), topic)) {
				t.Errorf("Send = %v, want %q", err, tt.want)
			}
		})
	}
	if elsewhere.Load() != 0 {
		t.Error("a redirect is followed")
	}
	down := httptest.NewServer(nil)
	u, err := url.Parse(down.URL)
	if err != nil {
		t.Fatal(err)
	}
	down.Close()
	if err := New(Config{URL: u}).Send(t.Context(), topic, "title", "text"); err == nil || strings.Contains(err.Error(), topic) {
		t.Errorf("a server that is down: %v", err)
	}
}

func TestParseURL(t *testing.T) {
	for text, ok := range map[string]bool{
		"https://ntfy.example.com": true, "https://example.com:8443/ntfy/": true, "http://localhost:2586": true, "http://[::1]": true,
		"http://ntfy.example.com": false, "http://127.0.0.1.example.com": false, "https://u:p@ntfy.example.com": false, "https://u@ntfy.example.com": false,
		"https://": false, "https://ntfy.example.com?x=1": false, "ftp://ntfy.example.com": false, "ntfy.example.com": false, "": false,
	} {
		if u, err := ParseURL(text); (err == nil) != ok {
			t.Errorf("ParseURL(%q) = %v, %v", text, u, err)
		}
	}
}
