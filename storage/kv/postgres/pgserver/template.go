package pgserver

import (
	"errors"
	"os"
	"os/exec"
	"sync"
)

// A template is the data of a server that was never started. Servers begin with copies, because a copy is made faster than a new one.
type template struct {
	mu    sync.Mutex
	from  *Server // not started; nil while there is none
	users int     // servers that are not closed yet
}

// shared is the template of all servers of a process. It is there while one of them is.
var shared template

// copyTemplate gives a server its first data.
func (s *Server) copyTemplate() error {
	from, err := shared.acquire()
	if err != nil {
		return err
	}
	s.template = &shared
	cp := exec.Command("cp", "-R", from.Data(), s.folder)
	s.prepare(cp)
	return outcome(cp)
}

// acquire returns the template, which it makes if there is none. release must be called once it is no longer needed, unless there is an error.
func (t *template) acquire() (*Server, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.from == nil {
		s, err := prepare(nil)
		if err != nil {
			return nil, err
		}
		if err := s.run("initdb", "--pgdata", s.Data(), "--username", Superuser, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync",
			"--no-instructions"); err != nil {
			return nil, errors.Join(err, os.RemoveAll(s.folder))
		}
		t.from = s
	}
	t.users++
	return t.from, nil
}

// release removes the template with the last server.
func (t *template) release() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users--; t.users > 0 {
		return nil
	}
	err := os.RemoveAll(t.from.folder)
	t.from = nil
	return err
}
