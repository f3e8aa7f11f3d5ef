//go:build linux

package loadtest

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/e2e/program"
)

// A club is the program with its flags, limits and store, in a process of its own.
type club struct {
	*server
}

// otherBinary is the environment variable with the path of another version of the program, which is measured instead of this one.
const otherBinary = "LUDOTECA_LOADTEST_BINARY"

// startProgram builds the program, unless another version is to be tested, and starts it with limits for the number of sessions. The program
// ends with the test.
func startProgram(t testing.TB, sessions int, flags ...string) *club {
	t.Helper()
	binary := os.Getenv(otherBinary)
	if binary == "" {
		binary = program.Build(t, program.Path)
	}
	flags = append([]string{
		fmt.Sprint("--max-sessions=", 2*sessions), fmt.Sprint("--max-connections=", 2*sessions),
		"--login-grace=2m", "--request-grace=2m", // for clients on a busy machine
	}, flags...)
	p, addr := program.StartClub(t, program.Serve(t, binary, t.TempDir(), flags...))
	return &club{&server{Process: &Process{Process: p, t: t}, front: "program", addr: addr}}
}

// startMeasured is startProgram of a program that tells its metrics, so that its garbage can be read.
func startMeasured(t testing.TB, sessions int) *club {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	metrics := l.Addr().String()
	_ = l.Close() // for the program
	p := startProgram(t, sessions, "--metrics="+metrics)
	p.metrics = "http://" + metrics + "/metrics"
	return p
}

// A seatedPlayer is a player with a connection.
type seatedPlayer struct {
	*Connection
	name string
}

// player signs a player in. The account is made by the first command that needs one.
func (p *club) player(key gossh.Signer, name string) (*seatedPlayer, error) {
	l, err := Caller{Key: key, User: name}.Call(p.addr)
	if err != nil {
		return nil, err
	}
	return &seatedPlayer{l.Forever(), name}, nil
}

// must runs a command that must succeed.
func (p *seatedPlayer) must(command string) (string, error) {
	out, status, err := p.Run(command)
	if err == nil && status != 0 {
		err = fmt.Errorf("%s: %s: status %d: %s", p.name, command, status, out)
	}
	return out, err
}

// begin has two players begin a match and returns its code. first moves first. options are as for the command new.
func begin(first, second *seatedPlayer, options string) (code string, err error) {
	out, err := first.must("new " + options + " --side first --json")
	if err != nil {
		return "", err
	}
	var opened struct{ Code string }
	at := strings.IndexByte(out, '{') // what a new account is told comes before
	if at < 0 || json.NewDecoder(strings.NewReader(out[at:])).Decode(&opened) != nil {
		return "", fmt.Errorf("%s: %q opens no match", first.name, out)
	}
	_, err = second.must("join " + opened.Code)
	return opened.Code, err
}

// atBoard has a player look at the board of a match.
func (p *seatedPlayer) atBoard(code string) (*Terminal, error) {
	v, err := p.Screen("watch "+code, Usual)
	if err == nil {
		err = v.Until(code)
	}
	return v, err
}

// spectator has a guest look at a match, on a connection of their own.
func (p *club) spectator(code string, z size) (*Terminal, error) {
	v, err := p.visit(nil, "watch "+code, z)
	if err == nil {
		v.conn.Forever()
		err = v.Until(code)
	}
	return v, err
}

// soon waits until something is the case, and reports whether it is.
func (p *club) soon(is func() bool) bool {
	return (&target{server: p.server, patience: Patience}).soon(is)
}
