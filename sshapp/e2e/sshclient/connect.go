// Package sshclient has the SSH clients with which tests visit a club: Go's own, and OpenSSH's in a terminal that shows what a user sees.
package sshclient

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

// Patience is the time that a test waits for an expected event, even on the slowest machine.
const Patience = 90 * time.Second

// Guest is the name of a player without a key.
const Guest = "guest"

// NewSigner makes a key.
func NewSigner(t testing.TB) gossh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := gossh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// Dial connects with a key, or as a guest without one.
func Dial(addr, name string, signer gossh.Signer) (*gossh.Client, error) {
	auth := gossh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil })
	if signer != nil {
		auth = gossh.PublicKeys(signer)
	}
	return gossh.Dial("tcp", addr, &gossh.ClientConfig{
		User: name, Auth: []gossh.AuthMethod{auth}, HostKeyCallback: gossh.InsecureIgnoreHostKey(), // a club of the test's own on loopback
	})
}

// MustDial is Dial for a connection that stays as long as the test.
func MustDial(t testing.TB, addr, name string, signer gossh.Signer) *gossh.Client {
	t.Helper()
	c, err := Dial(addr, name, signer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Ask runs one command and returns what it prints.
func Ask(c *gossh.Client, command string) ([]byte, error) {
	s, err := c.NewSession()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var complaints bytes.Buffer
	s.Stderr = &complaints
	out, err := s.Output(command)
	if err != nil {
		err = fmt.Errorf("%w: %s", err, complaints.String())
	}
	return out, err
}
