// Package program builds the program and runs it beside tests, in processes of its own. Every test that starts a club as operators do
// starts it with this package.
//
// With GOCOVERDIR=DIR the program is built with -cover, and leaves in that folder what it has executed:
//
//	GOCOVERDIR=/tmp/covered go test ./sshapp/e2e && go tool covdata percent -i /tmp/covered
package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Path is the import path of the program.
const Path = "ludoteca"

// built are the programs that this process has built.
var built struct {
	mu     sync.Mutex // guards what follows; held while a program is built, since all tests that ask for one wait for it
	folder string     // "" before Run, and after
	paths  map[string]string
}

// Run runs the tests of a package that uses Build, and removes afterwards what has been built for them.
func Run(m *testing.M) (status int) {
	folder, err := os.MkdirTemp("", "program")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	built.mu.Lock()
	built.folder, built.paths = folder, make(map[string]string)
	built.mu.Unlock()
	return m.Run()
}

// An Option is an option of Build.
type Option string

// Checked builds a program with the race detector if the tests have it.
const Checked Option = "checked"

// Build builds a program of the main module and returns the path of the executable file. It builds a program once for all tests of a
// package, whose TestMain must call Run.
func Build(t testing.TB, program string, options ...Option) string {
	t.Helper()
	built.mu.Lock()
	defer built.mu.Unlock()
	key := fmt.Sprint(program, options)
	if path := built.paths[key]; path != "" {
		return path
	}
	if built.folder == "" {
		t.Fatal("TestMain must call program.Run")
	}
	path := filepath.Join(built.folder, fmt.Sprint(len(built.paths)), filepath.Base(Path))
	if err := build(program, path, options); err != nil {
		t.Fatal(err)
	}
	built.paths[key] = path
	return path
}

func build(program, path string, options []Option) error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", Path).Output() // tests of other modules build it too
	if err != nil {
		return fmt.Errorf("where is the main module? %w", err)
	}
	if err := depend(strings.TrimSpace(string(root)), program); err != nil {
		return err
	}
	args := []string{"build", "-o", path}
	if os.Getenv("GOCOVERDIR") != "" {
		args = append(args, "-cover", "-coverpkg="+Path+"/...")
	}
	for _, o := range options {
		if o == Checked && raceDetector {
			args = append(args, "-race")
		}
	}
	cmd := exec.Command("go", append(args, program)...)
	cmd.Dir = strings.TrimSpace(string(root))
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("go %s: %w", strings.Join(cmd.Args[1:], " "), err), errors.New(string(out)))
	}
	return nil
}

// depend looks at all sources of a program, so that go test takes no result from its cache that is older than they are.
func depend(root, program string) error {
	const sources = `{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}` +
		`{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	list := exec.Command("go", "list", "-deps", "-f", sources, program)
	list.Dir = root
	list.Env = append(os.Environ(), "GOWORK=off")
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("what is %s made of? %w", program, err)
	}
	for file := range strings.Lines(string(out)) {
		if file = strings.TrimSpace(file); file == "" {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			return err
		}
	}
	return nil
}
