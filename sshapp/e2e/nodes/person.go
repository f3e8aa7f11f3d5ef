package nodes

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// A Person is an SSH client with a key of its own.
type Person struct {
	name string
	key  ssh.Signer
}

// NewPerson makes a person, who has no account yet.
func NewPerson(t *testing.T, name string) Person {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return Person{name, signer}
}

// Run runs a command over SSH that must succeed, and returns what it prints.
func (p Person) Run(t *testing.T, n *Node, words string) string {
	t.Helper()
	out, err := p.run(n, words)
	if err != nil {
		t.Fatalf("%s: %s: %v", p.name, words, err)
	}
	return out
}

func (p Person) run(n *Node, words string) (out string, err error) {
	c, err := ssh.Dial("tcp", n.addr, &ssh.ClientConfig{
		User: p.name, Auth: []ssh.AuthMethod{ssh.PublicKeys(p.key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), // a club of our own on loopback
	})
	if err != nil {
		return "", err
	}
	defer c.Close()
	s, err := c.NewSession()
	if err != nil {
		return "", err
	}
	defer s.Close()
	var stdout, complaints bytes.Buffer
	s.Stdout, s.Stderr = &stdout, &complaints
	if err = s.Run(words); err != nil {
		err = fmt.Errorf("%w: %s", err, complaints.String())
	}
	return stdout.String(), err
}

// Shown is a match as show --json prints it.
type Shown struct {
	Code  string   `json:"code"`
	ID    string   `json:"id"`
	Moves []string `json:"moves"`
	Legal []string `json:"legal"`
	Turn  string   `json:"turn"`
}

// Show returns a match as a node shows it.
func (p Person) Show(t *testing.T, n *Node, code string) (s Shown) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.Run(t, n, "show "+code+" --json")), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// PlayRandom opens a match with a computer player, plays a move and waits for the answer.
func (p Person) PlayRandom(t *testing.T, n *Node) (s Shown) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.Run(t, n, "new 4mation --vs random --side first --json")), &s); err != nil {
		t.Fatal(err)
	}
	s = p.Show(t, n, s.Code)
	p.Move(t, n, s)
	for late := time.Now().Add(time.Minute); len(s.Moves) < 2; s = p.Show(t, n, s.Code) {
		if time.Now().After(late) {
			t.Fatalf("no answer to the first move: %+v", s)
		}
	}
	return s
}

// Move plays the first legal move of a match.
func (p Person) Move(t *testing.T, n *Node, s Shown) {
	t.Helper()
	p.Run(t, n, "move "+s.Code+" "+s.Legal[0])
}
