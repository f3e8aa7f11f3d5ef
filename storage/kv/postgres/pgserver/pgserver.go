// Package pgserver starts PostgreSQL servers for tests: each in a temporary folder, reached by a unix socket alone. They can be killed, followed by
// standbys, and promoted.
package pgserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// ErrMissing says that PostgreSQL is not installed on this machine.
var ErrMissing = errors.New("no PostgreSQL server is installed: its initdb is neither in pg_config --bindir, nor in /usr/lib/postgresql, nor in PATH")

// Superuser is the name of the user who may do everything.
const Superuser = "postgres"

// patience is how long a server has to start or to stop, on a busy machine.
const patience = 2 * time.Minute

// A Server is a server that runs, or has been stopped or killed. It is not safe for concurrent use.
type Server struct {
	folder   string
	programs string
	as       *syscall.Credential // nil: the user of the tests
	settings []string
	running  *running
	before   string    // what earlier runs have written to the log
	template *template // whose data it began with; nil for a standby
}

// A running is the process of a server.
type running struct {
	shell *exec.Cmd // which stops the server when its input ends, as it does with the tests
	input io.Closer
	log   *output
	done  sync.WaitGroup // the reader of the log
}

// Start starts a new server with some settings, each NAME=VALUE. It lets in every user of the machine without a password, and does not sync what it
// writes, so it keeps everything when it is killed but not when the machine is. The error wraps ErrMissing if there is no PostgreSQL. The caller must
// call Close.
func Start(settings ...string) (*Server, error) {
	s, err := prepare(settings)
	if err != nil {
		return nil, err
	}
	if err = s.copyTemplate(); err == nil {
		err = s.Restart()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare makes a server that has no data yet.
func prepare(settings []string) (*Server, error) {
	programs, err := findPrograms()
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	folder, err := makeFolder(as)
	if err != nil {
		return nil, err
	}
	return &Server{folder: folder, programs: programs, as: as, settings: settings}, nil
}

// Require ends a test that could not start a server: it skips the test where there is no PostgreSQL, but not under CI=true.
func Require(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, ErrMissing) && os.Getenv("CI") == "":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
}

// findPrograms returns the folder of the programs of a server, the newest one in /usr/lib.
func findPrograms() (string, error) {
	var folders []string
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	installed, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	version := func(folder string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder))) // 0 for one that is not a number
		return n
	}
	slices.SortFunc(installed, func(a, b string) int { return version(b) - version(a) })
	folders = append(folders, installed...)
	if path, err := exec.LookPath("initdb"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, "initdb")); err == nil {
			return folder, nil
		}
	}
	return "", ErrMissing
}

// unprivileged returns a user to run a server as if the tests run as root, which PostgreSQL refuses.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	var missing error
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			missing = err
			continue
		}
		uid, err := strconv.ParseUint(found.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(found.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, missing
}

// makeFolder makes a folder for a server that its user can reach, with a path that is short enough for a socket.
func makeFolder(as *syscall.Credential) (string, error) {
	const longest = 70 // bytes of the path of the folder
	within := os.TempDir()
	if as != nil && !open(within) || len(within) > longest-20 {
		within = "/tmp"
	}
	folder, err := os.MkdirTemp(within, "pgserver-")
	if err != nil || as == nil {
		return folder, err
	}
	if err := os.Chown(folder, int(as.Uid), int(as.Gid)); err != nil {
		return "", errors.Join(err, os.Remove(folder))
	}
	return folder, nil
}

// open reports whether every user can go through a folder and all above it.
func open(folder string) bool {
	for {
		info, err := os.Stat(folder)
		if err != nil || info.Mode().Perm()&1 == 0 {
			return false
		}
		above := filepath.Dir(folder)
		if above == folder {
			return true
		}
		folder = above
	}
}

// Data returns the folder of the data, whose files belong to the user of the server.
func (s *Server) Data() string { return filepath.Join(s.folder, "data") }

// Give gives a file or folder to the user of the server.
func (s *Server) Give(path string) error {
	if s.as == nil {
		return nil
	}
	return os.Chown(path, int(s.as.Uid), int(s.as.Gid))
}

// command returns a command with a program of the server, run by its user.
func (s *Server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.programs, program), args...)
	s.prepare(cmd)
	return cmd
}

func (s *Server) prepare(cmd *exec.Cmd) {
	cmd.Dir, cmd.Env = s.folder, []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	if s.as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	}
}

// run runs a program of the server, which must succeed.
func (s *Server) run(program string, args ...string) error {
	return outcome(s.command(program, args...))
}

// outcome runs a command. The error has what it printed.
func outcome(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}

// URL returns the address of a database for a user.
func (s *Server) URL(database, user string) string {
	u := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database, RawQuery: url.Values{"host": {s.folder}}.Encode()}
	return u.String()
}

// Folder returns the folder of the server.
func (s *Server) Folder() string { return s.folder }

// Socket returns the path of the socket.
func (s *Server) Socket() string { return filepath.Join(s.folder, ".s.PGSQL.5432") }

// Restart starts the server after Stop or Kill.
func (s *Server) Restart() error {
	for late := time.Now().Add(patience); ; {
		err := s.start()
		if err == nil || time.Now().After(late) || !strings.Contains(err.Error(), "still in use") { // by processes of a killed server, which are about to end
			return err
		}
	}
}

// stopping has a shell stop a server, its only child, when its own input ends.
const stopping = `"$@" & server=$!; trap 'kill -INT $server 2>/dev/null; wait $server' EXIT; read -r _`

func (s *Server) start() error {
	args := []string{"-c", stopping, "pgserver", filepath.Join(s.programs, "postgres"), "-D", s.Data(), "-k", s.folder, "-c", "listen_addresses=", "-c", "fsync=off"}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command("sh", args...)
	s.prepare(cmd)
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	log, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	r := &running{shell: cmd, input: input, log: &output{ready: make(chan struct{}), ended: make(chan struct{})}}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.done.Go(func() { r.log.read(log) })
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-r.log.ready:
		s.running = r
		return nil
	case <-r.log.failed():
	case <-late.C:
	}
	return errors.Join(fmt.Errorf("the server does not start: %s", r.log.String()), r.end())
}

// end has the shell stop the server, and waits for both.
func (r *running) end() error {
	err := r.input.Close()
	r.done.Wait() // until no process can write to the log
	if waited := r.shell.Wait(); waited != nil && !errors.As(waited, new(*exec.ExitError)) {
		err = errors.Join(err, waited)
	}
	return err
}

// Stop stops the server, which ends its connections.
func (s *Server) Stop() error {
	if s.running == nil {
		return nil
	}
	r := s.running
	s.running = nil
	err := r.end()
	s.before += r.log.String()
	return err
}

// Running reports whether the server was started and not stopped or killed since.
func (s *Server) Running() bool { return s.running != nil }

// StopAtOnce has all processes of the server end without writing anything, as pg_ctl stop --mode=immediate does.
func (s *Server) StopAtOnce() error {
	if s.running == nil {
		return nil
	}
	pid, err := s.pid()
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGQUIT)
	}
	return errors.Join(err, s.Stop())
}

// Kill ends all processes of the server at once, as a fault of the machine does.
func (s *Server) Kill() error {
	if s.running == nil {
		return nil
	}
	pid, err := s.pid()
	if err != nil {
		return err
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		children = nil // they end by themselves, a moment later
	}
	err = syscall.Kill(pid, syscall.SIGKILL)
	for _, child := range strings.Fields(string(children)) {
		if n, wrong := strconv.Atoi(child); wrong == nil {
			_ = syscall.Kill(n, syscall.SIGKILL) // it may have ended
		}
	}
	return errors.Join(err, s.Stop())
}

// pid returns the first process of the server.
func (s *Server) pid() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.Data(), "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return strconv.Atoi(string(first))
}

// CPU returns the processor time that the processes of the server have used which run now.
func (s *Server) CPU() (used time.Duration) {
	if s.running == nil {
		return 0
	}
	pid, err := s.pid()
	if err != nil {
		return 0
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)) // none on a system without it
	for _, process := range append(strings.Fields(string(children)), strconv.Itoa(pid)) {
		stat, err := os.ReadFile("/proc/" + process + "/stat")
		_, after, found := bytes.Cut(stat, []byte(") "))
		if fields := strings.Fields(string(after)); err == nil && found && len(fields) > 12 {
			user, _ := strconv.Atoi(fields[11])
			system, _ := strconv.Atoi(fields[12])
			used += time.Duration(user+system) * time.Second / 100
		}
	}
	return used
}

// Close stops the server and removes what it kept.
func (s *Server) Close() error {
	err := errors.Join(s.Stop(), os.RemoveAll(s.folder))
	if s.template != nil {
		err = errors.Join(err, s.template.release())
		s.template = nil
	}
	return err
}

// An output is what a server has written to its log.
type output struct {
	ready chan struct{} // closed when the server lets clients in
	ended chan struct{} // closed when the server has given up, or ended

	mu   sync.Mutex
	text strings.Builder
}

// read reads the log until its end.
func (o *output) read(from io.Reader) {
	ready, ended := sync.OnceFunc(func() { close(o.ready) }), sync.OnceFunc(func() { close(o.ended) })
	defer ended()
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		o.mu.Lock()
		o.text.WriteString(line)
		o.mu.Unlock()
		switch {
		case strings.Contains(line, "database system is ready to accept"):
			ready()
		case strings.Contains(line, "FATAL:") && !strings.Contains(line, "FATAL:  the database system is ") && !o.isReady(): // not what a client is told that came too early
			ended()
		}
		if err != nil {
			return
		}
	}
}

func (o *output) isReady() bool {
	select {
	case <-o.ready:
		return true
	default:
		return false
	}
}

func (o *output) failed() <-chan struct{} { return o.ended }

// String returns what has been written so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Log returns what the server has written to its log since it was made.
func (s *Server) Log() string {
	if s.running == nil {
		return s.before
	}
	return s.before + s.running.log.String()
}
