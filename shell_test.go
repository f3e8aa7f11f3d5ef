package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// shell is somebody's shell, from where he talks to the club by commands over one connection.
type shell struct {
	t    *testing.T
	name string
	args []string // of ssh, up to the command
}

// newShell returns the shell of somebody with his own key, or of a guest. What it first runs makes the connection.
func newShell(t *testing.T, keys keyring, addr, name string) *shell {
	t.Helper()
	f, err := os.CreateTemp(keys.folder, "s*")
	if err != nil {
		t.Fatal(err)
	}
	socket := f.Name()
	_, _ = f.Close(), os.Remove(socket)
	control := []string{"-T", "-o", "ControlMaster=auto", "-o", "ControlPath=" + socket, "-o", "ControlPersist=yes"}
	s := &shell{t: t, name: name, args: append(control, keys.openSSH(t, addr, name)...)}
	t.Cleanup(func() { _ = exec.Command("ssh", append([]string{"-O", "exit"}, s.args...)...).Run() }) // there may be none
	return s
}

// try runs a command, and returns what it printed and its status.
func (s *shell) try(command ...string) (out, complaints string, status int) {
	s.t.Helper()
	return output(s.t, nil, "ssh", append(s.args[:len(s.args):len(s.args)], command...)...)
}

// does runs a command that must succeed.
func (s *shell) does(command ...string) string {
	s.t.Helper()
	out, complaints, status := s.try(command...)
	if status != 0 || complaints != "" {
		s.t.Fatalf("%s: %v: status %d\n%s%s", s.name, command, status, out, complaints)
	}
	return out
}

// lines runs a command that prints JSON, and returns its lines.
func (s *shell) lines(command ...string) []map[string]any {
	s.t.Helper()
	all := []map[string]any{}
	for line := range strings.Lines(s.does(append(command, "--json")...)) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			s.t.Fatalf("%s: %v: %v in %q", s.name, command, err, line)
		}
		all = append(all, object)
	}
	return all
}

// line runs a command that prints one line of JSON.
func (s *shell) line(command ...string) map[string]any {
	s.t.Helper()
	all := s.lines(command...)
	if len(all) != 1 {
		s.t.Fatalf("%s: %v prints %d lines: %v", s.name, command, len(all), all)
	}
	return all[0]
}
