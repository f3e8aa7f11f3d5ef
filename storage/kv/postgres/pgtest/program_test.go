package pgtest

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
}

// serve starts a node with its data folder. It ends with the test, or when the caller stops or kills it.
func serve(t *testing.T, data string, flags ...string) *node {
	t.Helper()
	p, addr := program.StartClub(t, patient(program.Serve(t, program.Build(t, program.Path), data, flags...)))
	n := &node{p, t, addr}
	t.Cleanup(n.kill)
	return n
}

func (n *node) kill() {
	n.t.Helper()
	if n.Running() {
		n.Kill()
		n.check()
	}
}

// slowStop is the time that a node has to stop before it prints the stacks of its goroutines and ends.
const slowStop = 90 * time.Second

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
	c, err := ssh.Dial("tcp", n.addr, &ssh.ClientConfig{
		User: p.name, Auth: []ssh.AuthMethod{ssh.PublicKeys(p.key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), // a club of our own on loopback
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var stdout, stderr bytes.Buffer
	s.Stdout, s.Stderr = &stdout, &stderr
	if err := s.Run(words); err != nil {
		t.Fatalf("%s: %s: %v: %s", p.name, words, err, stderr.String())
	}
	return stdout.String()
}

// shown is a match as show --json prints it.
type shown struct {
	Code  string   `json:"code"`
	Moves []string `json:"moves"`
	Legal []string `json:"legal"`
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

// mustRun runs a command that must succeed, and returns what it prints.
func mustRun(t *testing.T, words ...string) string {
	t.Helper()
	cmd := command(t, words...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v: %s", words, err, complaints.String())
	}
	return string(out)
}

// mustFail runs a command that must fail with one line on stderr that contains want.
func mustFail(t *testing.T, want string, words ...string) {
	t.Helper()
	cmd := command(t, words...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	text := complaints.String()
	if err == nil || len(out) > 0 || strings.Count(text, "\n") != 1 || !strings.Contains(text, want) {
		t.Errorf("%q: %v, %s%q; want words with %q", words, err, out, text, want)
	}
}

// TestServe: a match is there on two nodes, and survives kill -9 of the program.
func TestServe(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), shared.address("postgres")+"&club=serve"
	one := serve(t, filepath.Join(dir, "one"), "--store", store, "--node", "one")
	ana := newPerson(t, "ana")
	before := ana.playRandom(t, one)
	var status struct {
		Kind    string `json:"store_kind"`
		Members int    `json:"store_members"`
		Reached int    `json:"store_reachable"`
		Bytes   int64  `json:"store_bytes"`
		Free    *int64 `json:"disk_free_bytes"`
	}
	out := mustRun(t, "status", "--data", filepath.Join(dir, "one"), "--json")
	if err := json.Unmarshal([]byte(out), &status); err != nil || status.Kind != "postgres" || status.Members != 1 || status.Reached != 1 || status.Bytes <= 0 || status.Free != nil {
		t.Errorf("status says %s, %v", out, err)
	}
	if out := mustRun(t, "status", "--data", filepath.Join(dir, "one")); !strings.Contains(out, "PostgreSQL") || !strings.Contains(out, "it answers") {
		t.Errorf("status says\n%s", out)
	}
	key, err := os.ReadFile(filepath.Join(dir, "one", "ssh_host_ed25519_key"))
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "two"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "two", "ssh_host_ed25519_key"), key, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	two := serve(t, filepath.Join(dir, "two"), "--store", store, "--node", "two")
	if now := ana.show(t, two, before.Code); fmt.Sprint(now) != fmt.Sprint(before) {
		t.Errorf("on the other node the match is %+v, was %+v", now, before)
	}
	ana.run(t, two, "move "+before.Code+" "+before.Legal[0])
	for late := time.Now().Add(time.Minute); len(ana.show(t, one, before.Code).Moves) < 4; {
		if time.Now().After(late) {
			t.Fatal("the first node knows nothing of a move on the second, or doesn't answer it")
		}
	}
	one.kill()
	two.kill()
	if _, err := os.Stat(filepath.Join(dir, "one", "ludoteca.db")); err == nil {
		t.Error("there is a file in the data folder too")
	}
	one = serve(t, filepath.Join(dir, "one"), "--store", store, "--node", "one")
	after := ana.show(t, one, before.Code)
	if len(after.Moves) != 4 {
		t.Errorf("after a restart the match is %+v, was %+v", after, before)
	}
	ana.run(t, one, "move "+after.Code+" "+after.Legal[0])
	one.stop()
	mustRun(t, "recompute", "--data", filepath.Join(dir, "one"), "--store", store)
}

// TestMove takes a club from a file to PostgreSQL and back.
func TestMove(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), shared.address("postgres")+"&club=move"
	data := func(name string) string { return filepath.Join(dir, name) }
	club := serve(t, data("one"), "--store", "bolt")
	ana := newPerson(t, "ana")
	match := ana.playRandom(t, club)
	file := data("one/ludoteca.db")
	club.stop()
	mustFail(t, "must be a file", "move-store", store, store)
	mustFail(t, "there is no club", "move-store", store, data("nothing.db"))
	out := mustRun(t, "move-store", file, store)
	if !strings.Contains(out, "  players\n") || !strings.Contains(out, "in all, read back and compared\n") {
		t.Errorf("move-store says\n%s", out)
	}
	mustFail(t, "is not empty", "move-store", file, store)
	club = serve(t, data("two"), "--store", store)
	if now := ana.show(t, club, match.Code); fmt.Sprint(now) != fmt.Sprint(match) {
		t.Errorf("on PostgreSQL the match is %+v, was %+v", now, match)
	}
	ana.run(t, club, "move "+match.Code+" "+match.Legal[0])
	mustFail(t, "stop all of its nodes", "move-store", store, data("back.db"))
	mustRun(t, "backup", "--data", data("two"), data("copy.db"))
	club.stop()
	mustRun(t, "move-store", store, data("back.db"))
	if err := os.Mkdir(data("three"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(data("back.db"), data("three/ludoteca.db")); err != nil {
		t.Fatal(err)
	}
	club = serve(t, data("three"), "--store", "bolt")
	if now := ana.show(t, club, match.Code); len(now.Moves) < 3 {
		t.Errorf("back in a file the match is %+v", now)
	}
	club.stop()
}
