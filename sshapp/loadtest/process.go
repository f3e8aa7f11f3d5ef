//go:build linux

package loadtest

import (
	"bufio"
	"bytes"
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
)

// A Process is a program under test, or this test binary started anew in another role.
type Process struct {
	t     testing.TB
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process has ended

	failure error        // of the process, once it has ended
	log     bytes.Buffer // what it wrote to standard error; to be read once it has ended

	mu  sync.Mutex // guards what follows: one question at a time
	in  io.WriteCloser
	out *bufio.Reader
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
	p = &Process{t: t, cmd: cmd, ended: make(chan struct{})}
	p.cmd.Stderr = &p.log
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	first, err = p.out.ReadString('\n')
	go func() { p.failure = p.cmd.Wait(); close(p.ended) }()
	if err != nil {
		<-p.ended
		t.Fatalf("%s does not start: %v\n%s", cmd, err, p.log.String())
	}
	t.Cleanup(p.Kill)
	return p, strings.TrimSpace(first)
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

// Kill ends the process if it hasn't ended.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// stop ends the process in the way that leaves its profiles behind, if there are to be any.
func (p *Process) stop() {
	if os.Getenv(profiles) != "" {
		_ = p.Terminate() // else kill does it
	}
	p.Kill()
}

// Terminate sends the process SIGTERM and waits until it has ended, for as long as a shutdown may take.
func (p *Process) Terminate() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	late := time.AfterFunc(Patience, func() { _ = p.cmd.Process.Kill() }) // fails when the process has ended
	<-p.ended
	if !late.Stop() {
		return fmt.Errorf("SIGTERM did not end the process in %v", Patience)
	}
	return p.failure
}

// ask puts a question and reads the answer.
func (p *Process) ask(question string, answer any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := io.WriteString(p.in, question+"\n"); err != nil {
		return fmt.Errorf("the process is gone: %w", err)
	}
	line, err := p.out.ReadBytes('\n')
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
	stat := p.proc("stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]) // the name may hold anything; the state comes next
	var ticks int64
	for _, f := range fields[11:13] { // utime and stime
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			p.t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100) // USER_HZ is 100 on every Linux that Go runs on
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
	for line := range strings.Lines(p.proc("status")) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				p.t.Fatal(err)
			}
			return kib << 10
		}
	}
	p.t.Fatalf("no %s", name)
	return 0
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
	all, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "fd"))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(all)
}

func (p *Process) proc(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), name))
	if err != nil {
		p.t.Fatalf("the process is gone: %v", err)
	}
	return string(text)
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
