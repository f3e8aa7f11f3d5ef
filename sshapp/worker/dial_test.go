package worker

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

func TestParsePlace(t *testing.T) {
	for text, want := range map[string]string{
		"ssh://play.example.com":           "worker play.example.com:22",
		"ssh://lend@play.example.com:2222": "lend play.example.com:2222",
		"ssh://[2001:db8::1]:22/":          "worker [2001:db8::1]:22",
		"play.example.com":                 "",
		"http://play.example.com":          "",
		"ssh://":                           "",
		"ssh://ana:secret@play":            "",
		"ssh://play/folder":                "",
		"ssh://play:port":                  "",
		"ssh://play?x=1":                   "",
	} {
		p, err := ParsePlace(text)
		if got := p.User + " " + p.String(); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
}

// makeKey makes a key.
func makeKey(t *testing.T) (ed25519.PrivateKey, gossh.PublicKey) {
	t.Helper()
	_, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := gossh.NewSignerFromKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return secret, signer.PublicKey()
}

// serveAgent is an agent with keys, until the test ends. It returns its socket.
func serveAgent[K any](t *testing.T, keys ...K) string {
	t.Helper()
	ring := agent.NewKeyring()
	for _, k := range keys {
		if err := ring.Add(agent.AddedKey{PrivateKey: k}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "agent")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = agent.ServeAgent(ring, conn) // until the client is done
			_ = conn.Close()
		}
	})
	return path
}

// TestIdentity: a key is that of a file, or the one key of an agent that belongs to it, and never another one.
func TestIdentity(t *testing.T) {
	secret, public := makeKey(t)
	other, _ := makeKey(t)
	plain, err := gossh.MarshalPrivateKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	locked, err := gossh.MarshalPrivateKeyWithPassphrase(secret, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	authorized := string(gossh.MarshalAuthorizedKey(public))
	with, without := serveAgent(t, other, secret), serveAgent(t, other)
	for _, tt := range []struct {
		name, key, pub, agent, want string
	}{
		{"a key", string(pem.EncodeToMemory(plain)), "", "", ""},
		{"a locked key in the agent", string(pem.EncodeToMemory(locked)), "", with, ""},
		{"a locked key with its public key", string(pem.EncodeToMemory(locked)), authorized, with, ""},
		{"a public key in the agent", authorized, "", with, ""},
		{"only the public key, beside", "", authorized, with, ""},
		{"a locked key that the agent doesn't have", string(pem.EncodeToMemory(locked)), "", without, "it holds other keys"},
		{"a locked key without an agent", string(pem.EncodeToMemory(locked)), "", "", "there is no agent"},
		{"nothing", "", "", with, "there is no key at"},
		{"rubbish", "rubbish", "", with, "can't be read"},
	} {
		file := filepath.Join(t.TempDir(), "key")
		for path, text := range map[string]string{file: tt.key, file + ".pub": tt.pub} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		signer, err := Identity(file, tt.agent)
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		signature, err := signer.Sign(rand.Reader, []byte("data"))
		if err != nil || public.Verify([]byte("data"), signature) != nil {
			t.Errorf("%s: the signature is wrong: %v", tt.name, err)
		}
	}
}

// TestHostKeys: only the key that known_hosts has of a host is taken.
func TestHostKeys(t *testing.T) {
	_, right := makeKey(t)
	_, wrong := makeKey(t)
	file := filepath.Join(t.TempDir(), "known_hosts")
	d := &Dialer{Place: Place{"worker", "play.example.com", "2222"}, KnownHosts: []string{file, file + "2"}}
	if _, err := d.clientConfig(); !errors.As(err, new(HostError)) || !strings.Contains(err.Error(), "is not in") {
		t.Errorf("without a file: %v", err)
	}
	for _, tt := range []struct{ line, want string }{
		{knownhosts.Line([]string{knownhosts.Normalize("play.example.com:2222")}, right), ""},
		{knownhosts.Line([]string{knownhosts.HashHostname("[play.example.com]:2222")}, right), ""},
		{knownhosts.Line([]string{"play.example.com"}, right), "is not in"}, // on port 22
		{knownhosts.Line([]string{"[play.example.com]:2222"}, wrong), "HAS CHANGED"},
		{"@revoked * " + strings.TrimSpace(string(gossh.MarshalAuthorizedKey(right))) + "\n" + knownhosts.Line([]string{"[play.example.com]:2222"}, right), "revoked"},
	} {
		if err := os.WriteFile(file, []byte(tt.line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		config, err := d.clientConfig()
		if err == nil {
			err = config.HostKeyCallback("", nil, right)
		}
		if tt.want == "" && err != nil || tt.want != "" && (!errors.As(err, new(HostError)) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s\n%v, want %q", tt.line, err, tt.want)
		}
	}
}

// TestNobodyThere: a machine tries again and again, says so, and ends when it is told to.
func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close() // nobody listens there now
	secret, public := makeKey(t)
	signer, err := gossh.NewSignerFromKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(file, []byte(knownhosts.Line([]string{knownhosts.Normalize(addr)}, public)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(addr)
	d := &Dialer{Place: Place{"worker", host, port}, Key: signer, KnownHosts: []string{file}}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var told []string
	err = d.Lend(ctx, NewMachine(nil, 1, "1.0"), func(words string) {
		if told = append(told, words); len(told) == 2 {
			cancel()
		}
	})
	if err != nil || len(told) != 2 || !strings.Contains(told[0], "next try in 1s") || !strings.Contains(told[1], "next try in 2s") {
		t.Errorf("%v, %q", err, told)
	}
}

// TestRSAInAgent: an RSA key of an agent signs with SHA-2.
func TestRSAInAgent(t *testing.T) {
	secret, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	own, err := gossh.NewSignerFromKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, gossh.MarshalAuthorizedKey(own.PublicKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	signer, err := Identity(file, serveAgent(t, secret))
	if err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{gossh.KeyAlgoRSASHA256, gossh.KeyAlgoRSASHA512} {
		signature, err := signer.(gossh.AlgorithmSigner).SignWithAlgorithm(rand.Reader, []byte("data"), algorithm)
		if err != nil || signature.Format != algorithm || own.PublicKey().Verify([]byte("data"), signature) != nil {
			t.Errorf("%s: %+v, %v", algorithm, signature, err)
		}
	}
}
