package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/storage/kv/postgres"
)

// A server is a server of PostgreSQL with its own data, on a Unix socket in its folder.
type server struct {
	folder   string // short, because the path of a socket is
	settings []string
	cmd      *exec.Cmd
	ended    chan struct{} // closed when cmd has ended
	output   *bytes.Buffer // complete when cmd has ended
}

// shared is the server of all tests that do it no harm. It loses what it has acknowledged when the machine does.
var shared *server

// bin is the folder of PostgreSQL's programs.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if bin, err = programs(); err != nil {
			fmt.Println("skipped:", err)
			if os.Getenv("CI") == "true" {
				return 1
			}
			return 0
		}
		folder, err := newFolder()
		if err != nil {
			fmt.Println(err)
			return 1
		}
		defer os.RemoveAll(folder)
		if shared, err = newServer(folder, "fsync=off", "synchronous_commit=on"); err == nil {
			err = shared.start()
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		code := program.Run(m)
		shared.kill()
		if err := goleak.Find(); err != nil {
			fmt.Println(err)
			return 1
		}
		return code
	}())
}

// programs returns the folder of the newest server's programs.
func programs() (folder string, err error) {
	var folders []string
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well-formed
	for _, f := range append(folders, found...) {
		if _, e := os.Stat(filepath.Join(f, "initdb")); e == nil {
			folder = f
		}
	}
	if folder == "" {
		return "", errors.New("there is no initdb of PostgreSQL (Debian's package postgresql has it)")
	}
	return folder, nil
}

// unprivileged returns the user that servers run as when the tests run as root, nil otherwise.
func unprivileged() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.Atoi(u.Uid)
			gid, _ := strconv.Atoi(u.Gid)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return &syscall.Credential{Uid: 65534, Gid: 65534}
}

// newFolder makes a folder that belongs to the user of servers. The folder for temporary files may be one that only root can enter.
func newFolder() (string, error) {
	in := os.TempDir()
	who := unprivileged()
	if who != nil || len(in) > 40 {
		in = "/tmp"
	}
	folder, err := os.MkdirTemp(in, "pg")
	if err == nil && who != nil {
		err = os.Chown(folder, int(who.Uid), int(who.Gid))
	}
	return folder, err
}

// newServer makes the data of a server, which is not started.
func newServer(folder string, settings ...string) (*server, error) {
	s := &server{folder: folder, settings: settings}
	cmd := s.command("initdb", "-D", s.data(), "-U", "ludoteca", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "--wal-segsize=16")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s, nil
}

func (s *server) data() string { return filepath.Join(s.folder, "data") }

// command returns a program of PostgreSQL that is not started.
func (s *server) command(name string, arguments ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(bin, name), arguments...)
	cmd.Dir = s.folder
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: unprivileged(), Pdeathsig: syscall.SIGQUIT}
	return cmd
}

// start starts the server and waits until it answers.
func (s *server) start() error {
	deadline := time.Now().Add(60 * time.Second)
	for time.Now().Before(deadline) {
		if err := s.run(); err != nil {
			return err
		}
		for time.Now().Before(deadline) {
			if s.answers() {
				return nil
			}
			select {
			case <-s.ended: // the processes of a server that was killed may not have ended yet
			case <-time.After(20 * time.Millisecond):
				continue
			}
			break
		}
	}
	s.kill()
	return fmt.Errorf("the server does not start: %s", s.output)
}

// run starts the process. It ends with the tests: its parent is a thread that lasts as long.
func (s *server) run() error {
	s.output, s.ended = &bytes.Buffer{}, make(chan struct{})
	arguments := []string{"-D", s.data()}
	for _, setting := range append([]string{"listen_addresses=", "unix_socket_directories=" + s.folder, "max_connections=400",
		"shared_buffers=64MB", "logging_collector=off", "log_min_messages=fatal"}, s.settings...) {
		arguments = append(arguments, "-c", setting)
	}
	s.cmd = s.command("postgres", arguments...)
	s.cmd.Stderr = s.output
	started := make(chan error)
	go func(cmd *exec.Cmd, ended chan struct{}) {
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(ended)
	}(s.cmd, s.ended)
	return <-started
}

// answers reports whether the server lets sessions begin.
func (s *server) answers() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, s.address("postgres"))
	if err != nil {
		return false
	}
	return c.Close(ctx) == nil
}

// kill kills the server as a crash does.
func (s *server) kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
}

// stop ends the server in order, but breaks its sessions off.
func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGINT)
	<-s.ended
}

// address is where a database is.
func (s *server) address(database string) string {
	return fmt.Sprintf("postgres:///%s?host=%s&user=ludoteca&sslmode=disable", database, s.folder)
}

// exec runs a statement that must work.
func (s *server) exec(t *testing.T, database, text string, arguments ...any) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), s.address(database))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if _, err := c.Exec(t.Context(), text, arguments...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// another starts a server of its own for a test.
func another(t *testing.T, settings ...string) *server {
	t.Helper()
	folder, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	s, err := newServer(folder, settings...)
	if err == nil {
		err = s.start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	return s
}

var schemas atomic.Int64

// options returns options for a new, empty store.
func (s *server) options() postgres.Options {
	return postgres.Options{Address: s.address("postgres"), Schema: fmt.Sprintf("club%06d", schemas.Add(1)), Connections: 6, HistoryBytes: 64 << 20}
}

// openAt opens a store that must open. The test closes it.
func openAt(t testing.TB, o postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
