//go:build linux

package stocktest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

// A server is a server process.
type server struct {
	t     testing.TB
	front string
	addr  string
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process has ended

	failure error        // of the process, once it has ended
	log     bytes.Buffer // what it wrote to standard error; to be read once it has ended

	mu  sync.Mutex // guards what follows: one question at a time
	in  io.WriteCloser
	out *bufio.Reader
}

// startServer starts a front with more environment variables. It ends with the test.
func startServer(t testing.TB, front string, environ ...string) *server {
	t.Helper()
	s := &server{t: t, front: front, ended: make(chan struct{})}
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Env = append(os.Environ(), asServer+"="+front, dataFolder+"="+t.TempDir())
	s.cmd.Env = append(s.cmd.Env, environ...)
	s.cmd.Stderr = &s.log
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	line, err := s.out.ReadString('\n')
	go func() { s.failure = s.cmd.Wait(); close(s.ended) }()
	if err != nil {
		<-s.ended
		t.Fatalf("%s does not start: %v\n%s", front, err, s.log.String())
	}
	s.addr = strings.TrimSpace(line)
	t.Cleanup(s.kill)
	return s
}

// kill ends the process if it hasn't ended.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// stop ends the process in the way that leaves its profiles behind, if there are to be any.
func (s *server) stop() {
	if os.Getenv(profiles) != "" {
		_ = s.terminate() // else kill does it
	}
	s.kill()
}

// terminate asks the process to go down and waits until it has, as long as it may take.
func (s *server) terminate() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-s.ended:
		return s.failure
	case <-time.After(patience):
		return fmt.Errorf("SIGTERM did not end the server in %v", patience)
	}
}

// ask puts a question and reads the answer.
func (s *server) ask(question string, answer any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := io.WriteString(s.in, question+"\n"); err != nil {
		return fmt.Errorf("the server is gone: %w", err)
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the server is gone: %w", err)
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

// cpu returns the processor time that the process has used.
func (s *server) cpu() time.Duration {
	s.t.Helper()
	stat := s.proc("stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]) // the name may hold anything; the state comes next
	var ticks int64
	for _, f := range fields[11:13] { // utime and stime
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			s.t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100) // USER_HZ is 100 on every Linux that Go runs on
}

// A turns says how a process got along with the others on the machine: how long its threads had a processor, and how long they
// waited for one although they had something to do.
type turns struct{ had, waited time.Duration }

func turnsOf(pid int) (t turns) {
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

func (t turns) add(u turns) turns   { return turns{t.had + u.had, t.waited + u.waited} }
func (t turns) since(u turns) turns { return turns{t.had - u.had, t.waited - u.waited} } // threads that have ended are forgotten

func (t turns) String() string {
	return fmt.Sprintf("%v, waited %v for one", t.had.Round(time.Millisecond), t.waited.Round(time.Millisecond))
}

// memory returns a line of the process's status in bytes: VmRSS is what it holds, VmHWM the most that it ever held.
func (s *server) memory(name string) int64 {
	s.t.Helper()
	for line := range strings.Lines(s.proc("status")) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return kib << 10
		}
	}
	s.t.Fatalf("no %s", name)
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
func (s *server) descriptors() int {
	s.t.Helper()
	all, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "fd"))
	if err != nil {
		s.t.Fatal(err)
	}
	return len(all)
}

func (s *server) proc(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), name))
	if err != nil {
		s.t.Fatalf("the server is gone: %v", err)
	}
	return string(text)
}

// board opens a match of a game, with options if need be, for one keyboard that key plays, and returns its code.
func (s *server) board(key gossh.Signer, game string) string {
	s.t.Helper()
	code, err := s.code("board " + fingerprint(key) + " " + game)
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
