package clustertest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"ludoteca/sshapp/e2e/program"
)

// A process is a program that can be killed and started again with the same arguments.
type process struct {
	t     testing.TB
	name  string
	path  string
	args  []string
	env   []string
	ready string // part of the line on standard output that is printed when the process is ready; "" is the first line

	now    *program.Process // the latest run; nil before start
	before string           // what earlier runs have written to standard error
	all    sync.WaitGroup   // the readers of standard output
}

// stderr returns the standard error of all runs so far.
func (p *process) stderr() string {
	if p.now == nil {
		return ""
	}
	return p.before + p.now.Stderr()
}

// start starts the process and returns once it is ready.
func (p *process) start() error {
	p.before = p.stderr()
	cmd := exec.Command(p.path, p.args...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	now, err := program.Start(cmd, p.ready)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	p.now = now
	p.all.Go(func() { _, _ = io.Copy(io.Discard, now.Out) }) // ends with the process
	return nil
}

// running reports whether the process was started and has not ended.
func (p *process) running() bool { return p.now != nil && p.now.Running() }

// slowStop is the time that a process has to stop before it prints the stacks of its goroutines and ends.
const slowStop = 25 * time.Second

// stop ends the process with SIGTERM. It fails the test if that takes too long.
func (p *process) stop() {
	if !p.running() {
		return
	}
	if err := p.now.Terminate(slowStop); err != nil {
		p.t.Errorf("%s: %v", p.name, err)
	}
	p.all.Wait()
}

func (p *process) kill() {
	if p.now != nil {
		p.now.Kill()
		p.all.Wait()
	}
}

// memory returns the resident memory of the process in bytes.
func (p *process) memory() int64 {
	bytes, _ := p.now.Memory("VmRSS") // 0 once it is gone
	return bytes
}

// cpu returns the processor time that the process has used.
func (p *process) cpu() time.Duration {
	used, _ := p.now.CPU() // 0 once it is gone
	return used
}

// programPath returns the program under test.
func programPath(t testing.TB) string {
	t.Helper()
	if *binary != "" {
		return *binary
	}
	return program.Build(t, program.Path)
}

// The ports of servers are below the ephemeral ones: while a server is down, no client may get its port.
const firstPort, ports = 20_000, 12_000

// givenPorts holds the ports that freeAddress has returned.
var givenPorts sync.Map

// freeAddress returns an unused address on loopback, another one each time.
func freeAddress(t testing.TB) string {
	t.Helper()
	for range ports {
		port := firstPort + rand.IntN(ports)
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		l, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		_ = l.Close()
		if _, given := givenPorts.LoadOrStore(port, true); !given {
			return addr
		}
	}
	t.Fatal("no port is free")
	return ""
}

// A node is a process of the program.
type node struct {
	*process
	addr string
	data string
}

// newNode returns a node for this many clients that is not started yet. It ends with the test.
func newNode(t testing.TB, name string, clients int, flags ...string) *node {
	t.Helper()
	n := &node{addr: freeAddress(t), data: t.TempDir()}
	path := programPath(t)
	n.process = &process{t: t, name: name, path: path, ready: "ssh ", args: program.Serve(t, path, n.data, append([]string{
		"--listen=" + n.addr,
		fmt.Sprint("--max-sessions=", 8*clients+100), fmt.Sprint("--max-connections=", 4*clients+100), fmt.Sprint("--max-unauth=", 4*clients+100),
		"--login-grace=1m", "--request-grace=1m", "--match-burst=1000000", "--max-matches-new=1000", "--command-rate=1000",
	}, flags...)...).Args[1:]}
	t.Cleanup(n.kill)
	return n
}

// giveHostKey gives another node that has not been started yet the host key of this one.
func (n *node) giveHostKey(to *node) error {
	const name = "ssh_host_ed25519_key"
	key, err := os.ReadFile(filepath.Join(n.data, name))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to.data, name), key, 0o600)
}
