package e2e

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/e2e/sshclient"
	"ludoteca/sshapp/status"
)

// A workerKey is a key in a file, and what is known of hosts.
type workerKey struct {
	identity, known string
	signer          gossh.Signer
}

// newWorkerKey makes a key in a folder of its own.
func newWorkerKey(t testing.TB) workerKey {
	t.Helper()
	folder := t.TempDir()
	k := workerKey{identity: filepath.Join(folder, "key"), known: filepath.Join(folder, "known_hosts")}
	_, secret, failed := ed25519.GenerateKey(rand.Reader)
	if failed != nil {
		t.Fatal(failed)
	}
	var err error
	if k.signer, err = gossh.NewSignerFromKey(secret); err != nil {
		t.Fatal(err)
	}
	block, err := gossh.MarshalPrivateKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(k.identity, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k workerKey) fingerprint() string { return gossh.FingerprintSHA256(k.signer.PublicKey()) }

// knows writes known_hosts for an address.
func (k workerKey) knows(t testing.TB, addr string, host gossh.PublicKey) {
	t.Helper()
	if err := os.WriteFile(k.known, []byte(knownhosts.Line([]string{knownhosts.Normalize(addr)}, host)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// hostKey returns the host key of a club.
func hostKey(t testing.TB, addr string) (key gossh.PublicKey) {
	t.Helper()
	c, err := gossh.Dial("tcp", addr, &gossh.ClientConfig{
		User: "ana", Auth: []gossh.AuthMethod{gossh.PublicKeys(sshclient.NewSigner(t))}, HostKeyAlgorithms: []string{gossh.KeyAlgoED25519},
		HostKeyCallback: func(_ string, _ net.Addr, k gossh.PublicKey) error { key = k; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	return key
}

// args are the arguments of the program that lends cores to a club.
func (k workerKey) args(addr string, more ...string) []string {
	return append([]string{"worker", "--identity", k.identity, "--known-hosts", k.known, "ssh://" + addr}, more...)
}

// start lends cores to a club until the process ends, with the test at the latest.
func (k workerKey) start(t testing.TB, addr string, more ...string) *program.Process {
	t.Helper()
	p, err := program.Start(exec.Command(programPath(t), k.args(addr, more...)...), "connected to")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// statusUntil asks for the status until it is as wanted.
func statusUntil(t testing.TB, operator *gossh.Client, wanted func(*status.Status) bool) (now status.Status) {
	t.Helper()
	for late := time.Now().Add(sshclient.Patience); time.Now().Before(late); {
		out, err := sshclient.Ask(operator, "status --json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &now); err != nil {
			t.Fatal(err)
		}
		if wanted(&now) {
			return now
		}
	}
	t.Fatalf("the status stays %+v", now)
	return now
}

// A lentMatch is a match against a computer player.
type lentMatch struct {
	t    *testing.T
	c    *gossh.Client
	code string
	says *bufio.Scanner // of watch --json
}

func newLentMatch(t *testing.T, c *gossh.Client, game string) *lentMatch {
	t.Helper()
	out, err := sshclient.Ask(c, "new "+game+" --side first --json")
	var opened struct{ Code string }
	if err != nil || json.Unmarshal(out, &opened) != nil {
		t.Fatalf("%q, %v", out, err)
	}
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start("watch " + opened.Code + " --json"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &lentMatch{t, c, opened.Code, bufio.NewScanner(lines)}
}

// turn waits for the turn of the person, with at least plies moves made.
func (m *lentMatch) turn(plies int) (now shown) {
	m.t.Helper()
	for m.says.Scan() {
		now = shown{}
		if err := json.Unmarshal(m.says.Bytes(), &now); err != nil {
			m.t.Fatal(err)
		}
		if now.Result != "" || now.Turn == "first" && len(now.Moves) >= plies {
			return now
		}
	}
	m.t.Fatalf("no more is told of the match: %v", m.says.Err())
	return now
}

func (m *lentMatch) move(move string) {
	m.t.Helper()
	if _, err := sshclient.Ask(m.c, "move "+m.code+" "+move); err != nil {
		m.t.Fatal(err)
	}
}

// TestWorker: a machine lends its cores by a key that can do nothing else, computer players think there, and it leaves without a trace.
func TestWorker(t *testing.T) {
	key, operator := newWorkerKey(t), sshclient.NewSigner(t)
	club := startClub(t, t.TempDir(), "--bot-workers=1", "--worker", key.fingerprint(), "--operator", gossh.FingerprintSHA256(operator.PublicKey()))
	host := hostKey(t, club.addr)

	refused := func(k workerKey, want string) {
		t.Helper()
		h := &here{args: k.args(club.addr)}
		if code := h.run(t); code != statusRefused || !strings.Contains(h.errs.String(), want) || strings.Count(h.errs.String(), "\n") != 1 {
			t.Errorf("ludoteca worker: %d %q %q, want %q", code, h.out.String(), h.errs.String(), want)
		}
	}
	refused(key, "the key of "+club.addr+" is not in "+key.known)
	key.knows(t, club.addr, sshclient.NewSigner(t).PublicKey())
	refused(key, "THE KEY OF "+club.addr+" HAS CHANGED")
	key.knows(t, club.addr, host)
	stranger := newWorkerKey(t)
	stranger.knows(t, club.addr, host)
	refused(stranger, "the club does not take this key as that of a worker")

	nothingElse := sshclient.MustDial(t, club.addr, "ana", key.signer)
	for _, command := range []string{"new tanks", "status", "worker 2", "help", "wait"} {
		if out, err := sshclient.Ask(nothingElse, command); err == nil || len(out) > 0 || !strings.Contains(err.Error(), "does nothing else") {
			t.Errorf("%s by the key of a worker: %q, %v", command, out, err)
		}
	}
	s, err := nothingElse.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if s.Shell() == nil {
		if err := s.Wait(); err == nil {
			t.Error("the key of a worker gets a shell")
		}
	}

	far := sshclient.MustDial(t, club.addr, "rui", operator)
	machine := key.start(t, club.addr, "--cores=2")
	if now := statusUntil(t, far, func(s *status.Status) bool { return s.LentCores == 2 }); now.LentMachines != 1 {
		t.Errorf("%d machines lend cores", now.LentMachines)
	}
	ana := sshclient.MustDial(t, club.addr, "ana", sshclient.NewSigner(t))
	m := newLentMatch(t, ana, "tanks --vs expert")
	for i := range 4 {
		now := m.turn(2 * i)
		m.move(now.Legal[0])
	}
	if now := m.turn(8); len(now.Moves) < 8 && now.Result == "" {
		t.Errorf("the match has %d moves", len(now.Moves))
	}
	if now := statusUntil(t, far, func(*status.Status) bool { return true }); now.LentAnswers < 3 {
		t.Errorf("%d answers came from the machine, of 4 moves", now.LentAnswers)
	}
	if err := machine.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := machine.Wait(); err != nil || machine.Stderr() != "" {
		t.Errorf("the worker ends with %v, %s", err, machine.Stderr())
	}
	statusUntil(t, far, func(s *status.Status) bool { return s.LentMachines == 0 && s.LentCores == 0 })
	m.move(m.turnNow().Legal[0])
	m.turn(10)
}

// turnNow returns the match as it is, on the turn of the person.
func (m *lentMatch) turnNow() (now shown) {
	m.t.Helper()
	out, err := sshclient.Ask(m.c, "show "+m.code+" --json")
	if err != nil || json.Unmarshal(out, &now) != nil {
		m.t.Fatalf("%q, %v", out, err)
	}
	return now
}

// TestWorkerKilled: a machine that dies while it thinks for computer players loses no move of theirs, and delays none by more than the time that
// this move takes at home; then it lends its cores again.
func TestWorkerKilled(t *testing.T) {
	key, operator := newWorkerKey(t), sshclient.NewSigner(t)
	club := startClub(t, t.TempDir(), "--bot-workers=2", "--worker", key.fingerprint(), "--operator", gossh.FingerprintSHA256(operator.PublicKey()))
	key.knows(t, club.addr, hostKey(t, club.addr))
	far := sshclient.MustDial(t, club.addr, "rui", operator)
	ana := sshclient.MustDial(t, club.addr, "ana", sshclient.NewSigner(t))
	m := newLentMatch(t, ana, "petteia --vs master")
	const (
		rounds = 3
		home   = time.Second     // that Master thinks
		slack  = 5 * time.Second // of a busy machine
	)
	for i := range rounds {
		machine := key.start(t, club.addr, "--cores=1")
		statusUntil(t, far, func(s *status.Status) bool { return s.LentCores == 1 })
		now := m.turnNow()
		m.move(now.Legal[len(now.Legal)/2])
		statusUntil(t, far, func(s *status.Status) bool { return s.LentBusy == 1 })
		killed := time.Now()
		machine.Kill()
		after := m.turnNow()
		if len(after.Moves) == 2*i+1 { // not answered before it died
			after = m.turn(2*i + 2)
		}
		late := time.Since(killed)
		t.Logf("the reply comes %v after the end of the machine", late)
		if len(after.Moves) < 2*i+2 || late > home+slack {
			t.Errorf("round %d: %d moves, %v after the end of the machine", i, len(after.Moves), late)
		}
		statusUntil(t, far, func(s *status.Status) bool { return s.LentMachines == 0 })
	}
}

// TestWorkerConnectsAgain: a machine lends its cores again when the club is back.
func TestWorkerConnectsAgain(t *testing.T) {
	key, operator, data := newWorkerKey(t), sshclient.NewSigner(t), t.TempDir()
	flags := []string{"--worker", key.fingerprint(), "--operator", gossh.FingerprintSHA256(operator.PublicKey())}
	club := startClub(t, data, flags...)
	key.knows(t, club.addr, hostKey(t, club.addr))
	machine := key.start(t, club.addr, "--cores=1")
	club.kill()
	again := startClub(t, data, append(flags, "--listen="+club.addr)...)
	far := sshclient.MustDial(t, again.addr, "rui", operator)
	statusUntil(t, far, func(s *status.Status) bool { return s.LentCores == 1 })
	if err := machine.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := machine.Wait(); err != nil {
		t.Error(err)
	}
}
