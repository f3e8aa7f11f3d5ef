//go:build linux

package loadtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/e2e/program"
)

// A Process is a program under test, or this test binary started anew in another role.
type Process struct {
	*program.Process
	t testing.TB

	mu sync.Mutex // held for one question at a time
}

// startProcess starts the test binary anew with more environment variables and returns the first line that it says. It ends with
// the test.
func startProcess(t testing.TB, environ ...string) (p *Process, first string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), environ...)
	return StartProcess(t, cmd)
}

// StartProcess starts a command and returns the first line of its output. The process ends with the test.
func StartProcess(t testing.TB, cmd *exec.Cmd) (p *Process, first string) {
	t.Helper()
	started, err := program.Start(cmd, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(started.Kill)
	return &Process{Process: started, t: t}, started.Ready
}

// A server is a server process.
type server struct {
	*Process
	front   string
	addr    string
	metrics string // address of the page with metrics of a program; "" where the process answers questions
}

// startServer starts a front with more environment variables. It ends with the test.
func startServer(t testing.TB, front string, environ ...string) *server {
	t.Helper()
	p, addr := startProcess(t, append([]string{asServer + "=" + front, dataFolder + "=" + t.TempDir()}, environ...)...)
	return &server{Process: p, front: front, addr: addr}
}

// stop ends the process in the way that leaves its profiles behind, if there are to be any.
func (p *Process) stop() {
	if os.Getenv(profiles) != "" {
		_ = p.Terminate() // else kill does it
	}
	p.Kill()
}

// Terminate sends the process SIGTERM and waits until it has ended, for as long as a shutdown may take.
func (p *Process) Terminate() error { return p.Process.Terminate(Patience) }

// ask puts a question and reads the answer.
func (p *Process) ask(question string, answer any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := io.WriteString(p.In, question+"\n"); err != nil {
		return fmt.Errorf("the process is gone: %w", err)
	}
	line, err := p.Out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the process is gone: %w", err)
	}
	return json.Unmarshal(line, answer)
}

// state returns what the process says of itself.
func (s *server) state() (now state, err error) {
	err = s.ask("state", &now)
	return now, err
}

// mustState is state of a server that has to be alive.
func (s *server) mustState() state {
	s.t.Helper()
	now, err := s.state()
	if err != nil {
		s.t.Fatal(err)
	}
	return now
}

// garbage returns what the process's memory has cost so far.
func (s *server) garbage() (g garbage, err error) {
	if s.metrics == "" {
		err = s.ask("garbage", &g)
		return g, err
	}
	page, err := http.Get(s.metrics)
	if err != nil {
		return g, err
	}
	defer page.Body.Close()
	for lines := bufio.NewScanner(page.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		into := map[string]*int64{"go_memstats_alloc_bytes_total": &g.Bytes, "go_gc_duration_seconds_count": &g.Collections}[name]
		if into == nil {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return g, err
		}
		*into = int64(n)
	}
	if g.Bytes == 0 {
		return g, fmt.Errorf("%s says nothing of memory", s.metrics)
	}
	return g, nil
}

// cpu returns the processor time that the process has used.
func (p *Process) cpu() time.Duration {
	p.t.Helper()
	used, err := p.CPU()
	if err != nil {
		p.t.Fatal(err)
	}
	return used
}

// othersCPU returns the processor time that everything else on the machine has used: neither this process nor p. Where it grows, a
// measurement beside it says little.
func (p *Process) othersCPU() time.Duration {
	p.t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		p.t.Fatal(err)
	}
	var used time.Duration
	all, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(all)[1:9] { // user, nice, system, idle, iowait, irq, softirq, steal
		if i == 3 || i == 4 {
			continue
		}
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			p.t.Fatal(err)
		}
		used += time.Duration(ticks) * (time.Second / 100)
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		p.t.Fatal(err)
	}
	return used - p.cpu() - time.Duration(own.Utime.Nano()+own.Stime.Nano())
}

// A cpuShare says how a process got along with the others on the machine: how long its threads had a processor, and how long they
// waited for one although they had something to do.
type cpuShare struct{ had, waited time.Duration }

func cpuShareOf(pid int) (t cpuShare) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // none on a kernel that doesn't count
	for _, name := range threads {
		text, _ := os.ReadFile(name) // the thread may have ended
		var had, waited time.Duration
		if n, _ := fmt.Sscan(string(text), &had, &waited); n == 2 { // in nanoseconds
			t.had, t.waited = t.had+had, t.waited+waited
		}
	}
	return t
}

func (t cpuShare) add(u cpuShare) cpuShare   { return cpuShare{t.had + u.had, t.waited + u.waited} }
func (t cpuShare) since(u cpuShare) cpuShare { return cpuShare{t.had - u.had, t.waited - u.waited} } // threads that have ended are forgotten

func (t cpuShare) String() string {
	return fmt.Sprintf("%v, waited %v for one", t.had.Round(time.Millisecond), t.waited.Round(time.Millisecond))
}

// Memory returns a value of the process's status in bytes: VmRSS is its resident memory, VmHWM the peak of that.
func (p *Process) Memory(name string) int64 {
	p.t.Helper()
	bytes, err := p.Process.Memory(name)
	if err != nil {
		p.t.Fatal(err)
	}
	return bytes
}

// heap has the process write a profile of its heap, if there are to be profiles.
func (s *server) heap(moment string) {
	s.t.Helper()
	if os.Getenv(profiles) == "" {
		return
	}
	var failure string
	if err := s.ask("heap "+moment, &failure); err != nil || failure != fmt.Sprint(nil) {
		s.t.Errorf("no profile: %v, %s", err, failure)
	}
}

// descriptors returns how many files and sockets the process has open.
func (p *Process) descriptors() int {
	p.t.Helper()
	all, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(p.Pid()), "fd"))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(all)
}

// board opens a match of a game, with options if need be, for one keyboard that key plays, and returns its code.
func (s *server) board(key gossh.Signer, game string) string {
	s.t.Helper()
	code, err := s.code("board " + Fingerprint(key) + " " + game)
	if err != nil {
		s.t.Fatal(err)
	}
	return code
}

// code asks for something that is answered with the code of a match.
func (s *server) code(question string) (code string, err error) {
	if err := s.ask(question, &code); err != nil {
		return "", err
	}
	if strings.HasPrefix(code, "error") {
		return "", fmt.Errorf("%s: %s", question, code)
	}
	return code, nil
}
