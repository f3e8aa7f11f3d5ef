package clustertest

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ludoteca/hostkeys/hostkeystest"
)

// A process is a program that can be killed and started again with the same arguments.
type process struct {
	t     testing.TB
	name  string
	path  string
	args  []string
	env   []string
	ready string // part of the line on standard output that is printed when the process is ready; "" is the first line

	cmd *exec.Cmd
	all sync.WaitGroup // the readers of standard output

	mu  sync.Mutex // guards what follows
	log bytes.Buffer
}

// Write implements io.Writer for standard error.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

// stderr returns the standard error of all runs so far.
func (p *process) stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// start starts the process and returns once it is ready.
func (p *process) start() error {
	p.cmd = exec.Command(p.path, p.args...)
	p.cmd.Env = append(os.Environ(), p.env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.cmd.Stderr = p
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), p.ready) {
			p.all.Go(func() {
				for lines.Scan() {
				}
			})
			return nil
		}
	}
	_ = p.cmd.Wait()
	return fmt.Errorf("%s does not start: %s", p.name, p.stderr())
}

// running reports whether the process was started and has not ended.
func (p *process) running() bool { return p.cmd != nil && p.cmd.ProcessState == nil }

// slowStop is the time that a process has to stop before it prints the stacks of its goroutines and ends.
const slowStop = 25 * time.Second

// end sends a signal and waits until the process is gone.
func (p *process) end(s syscall.Signal) {
	if !p.running() {
		return
	}
	_ = p.cmd.Process.Signal(s)
	late := time.AfterFunc(slowStop, func() {
		p.t.Errorf("%s does not stop; its log has the stacks of its goroutines", p.name)
		_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	})
	defer late.Stop()
	p.all.Wait()
	_ = p.cmd.Wait()
}

func (p *process) kill() { p.end(syscall.SIGKILL) }

// memory returns the resident memory of the process in bytes.
func (p *process) memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// cpu returns the processor time that the process has used.
func (p *process) cpu() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the name may hold anything; the state comes next
	ticks := 0
	for _, f := range fields[11:13] { // utime and stime
		n, _ := strconv.Atoi(f)
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100) // USER_HZ is 100 on every Linux that Go runs on
}

// folder holds the files that all tests share. TestMain makes and removes it.
var folder string

var build = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(folder, "ludoteca")
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// programPath returns the program under test.
func programPath(t testing.TB) string {
	t.Helper()
	if *binary != "" {
		return *binary
	}
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
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
	hostkeystest.Give(t, n.data)
	n.process = &process{t: t, name: name, path: programPath(t), ready: "ssh ", args: append([]string{
		"serve", "--listen=" + n.addr, "--data=" + n.data,
		fmt.Sprint("--max-sessions=", 8*clients+100), fmt.Sprint("--max-connections=", 4*clients+100), fmt.Sprint("--max-unauth=", 4*clients+100),
		"--login-grace=1m", "--request-grace=1m", "--match-burst=1000000", "--max-matches-new=1000", "--command-rate=1000",
	}, flags...)}
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
