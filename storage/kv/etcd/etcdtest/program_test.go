package etcdtest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ludoteca/sshapp/e2e/program"
)

// command returns a command of the program that is not started.
func command(t *testing.T, words ...string) *exec.Cmd {
	t.Helper()
	return patient(exec.Command(program.Build(t, program.Path), words...))
}

// patient gives the program an environment with which no client is too slow.
func patient(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(os.Environ(), program.Patient()...)
	return cmd
}

// A node is a running program.
type node struct {
	*program.Process
	t    *testing.T
	addr string
	data string
}

// serve starts a node with its data folder. It ends with the test, or when the caller stops or kills it.
func serve(t *testing.T, data string, flags ...string) *node {
	t.Helper()
	p, addr := program.StartClub(t, patient(program.Serve(t, program.Build(t, program.Path), data, flags...)))
	n := &node{p, t, addr, data}
	t.Cleanup(n.kill)
	return n
}

// slowStop is the time that a node has to stop before it prints the stacks of its goroutines and ends.
const slowStop = 90 * time.Second

func (n *node) kill() {
	n.t.Helper()
	if n.Running() {
		n.Kill()
		n.check()
	}
}

func (n *node) stop() {
	n.t.Helper()
	if n.Running() {
		if err := n.Terminate(slowStop); err != nil {
			n.t.Errorf("the club ended with %v\n%s", err, n.Stderr())
		}
		n.check()
	}
}

// check fails the test if the node has logged an error.
func (n *node) check() {
	n.t.Helper()
	if strings.Contains(n.Stderr(), "level=ERROR") {
		n.t.Errorf("the club complains:\n%s", n.Stderr())
	}
}

// A person is an SSH client with a key of its own.
type person struct {
	name string
	key  ssh.Signer
}

func newPerson(t *testing.T, name string) person {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return person{name, signer}
}

// run runs a command over SSH that must succeed, and returns what it prints.
func (p person) run(t *testing.T, n *node, words string) string {
	t.Helper()
	out, complaints, err := p.try(n, words)
	if err != nil {
		t.Fatalf("%s: %s: %v: %s", p.name, words, err, complaints)
	}
	return out
}

func (p person) try(n *node, words string) (out, complaints string, err error) {
	c, err := ssh.Dial("tcp", n.addr, &ssh.ClientConfig{
		User: p.name, Auth: []ssh.AuthMethod{ssh.PublicKeys(p.key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), // a club of our own on loopback
	})
	if err != nil {
		return "", "", err
	}
	defer c.Close()
	s, err := c.NewSession()
	if err != nil {
		return "", "", err
	}
	defer s.Close()
	var stdout, stderr bytes.Buffer
	s.Stdout, s.Stderr = &stdout, &stderr
	err = s.Run(words)
	return stdout.String(), stderr.String(), err
}

// shown is a match as show --json prints it.
type shown struct {
	Code  string   `json:"code"`
	ID    string   `json:"id"`
	Moves []string `json:"moves"`
	Legal []string `json:"legal"`
	Turn  string   `json:"turn"`
}

func (p person) show(t *testing.T, n *node, code string) (s shown) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.run(t, n, "show "+code+" --json")), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// playRandom opens a match with a computer player, plays a move and waits for the answer.
func (p person) playRandom(t *testing.T, n *node) (s shown) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.run(t, n, "new 4mation --vs random --side first --json")), &s); err != nil {
		t.Fatal(err)
	}
	s = p.show(t, n, s.Code)
	p.run(t, n, "move "+s.Code+" "+s.Legal[0])
	for late := time.Now().Add(time.Minute); len(s.Moves) < 2; s = p.show(t, n, s.Code) {
		if time.Now().After(late) {
			t.Fatalf("no answer to the first move: %+v", s)
		}
	}
	return s
}

// address returns the value of --store for a club on this cluster.
func (c *cluster) address(club string) string {
	return "etcd://" + strings.Join(c.endpoints(), ",") + "/" + club
}

// TestServe: a match survives kill -9 of the program.
func TestServe(t *testing.T) {
	t.Parallel()
	data, store := t.TempDir(), shared.address("serve")
	club := serve(t, data, "--store", store)
	ana := newPerson(t, "ana")
	before := ana.playRandom(t, club)
	var status struct {
		Kind    string `json:"store_kind"`
		Members int    `json:"store_members"`
		Reached int    `json:"store_reachable"`
		Bytes   int64  `json:"store_bytes"`
		Free    int64  `json:"disk_free_bytes"`
	}
	out, err := command(t, "status", "--data", data, "--json").Output()
	if err != nil || json.Unmarshal(out, &status) != nil || status.Kind != "etcd" || status.Members != 3 || status.Reached != 3 ||
		status.Bytes <= 0 || status.Free <= 0 {
		t.Errorf("status says %s, %v", out, err)
	}
	if out, err := command(t, "serve", "--listen", "127.0.0.1:0", "--data", data, "--store", store).CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "another node") {
		t.Errorf("a second node on the same folder: %v, %s", err, out)
	}
	club.kill()
	if _, err := os.Stat(filepath.Join(data, "ludoteca.db")); err == nil {
		t.Error("there is a file in the data folder too")
	}
	club = serve(t, data, "--store", store)
	after := ana.show(t, club, before.Code)
	if fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("after a restart the match is %+v, was %+v", after, before)
	}
	ana.run(t, club, "move "+after.Code+" "+after.Legal[0])
	club.stop()
}
