package program

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"ludoteca/hostkeys/hostkeystest"
)

// Patient returns environment variables with which no client is too slow for a club, unless flags set other limits.
func Patient() []string {
	return []string{"LUDOTECA_LOGIN_GRACE=10m", "LUDOTECA_REQUEST_GRACE=10m", "LUDOTECA_PROXY_HEADER=10m", "LUDOTECA_WRITE_STALL=10m",
		"LUDOTECA_GOING_DOWN=5m", "LUDOTECA_STOP_TIMEOUT=5m"}
}

// Serve returns the command that serves a club, with the program at path: on a free port of loopback, unless a flag names another address, and on
// a data folder, which gets a host key.
func Serve(t hostkeystest.T, path, data string, flags ...string) *exec.Cmd {
	t.Helper()
	hostkeystest.Give(t, data)
	return exec.Command(path, append([]string{"serve", "--listen=127.0.0.1:0", "--data=" + data}, flags...)...)
}

// Address returns the address of a club on loopback, by the line with which it invites people.
func Address(invitation string) (string, error) {
	words := strings.Fields(invitation) // ssh -p PORT localhost
	if len(words) < 3 || words[0] != "ssh" || words[1] != "-p" {
		return "", fmt.Errorf("the club invites people with %q", invitation)
	}
	return "127.0.0.1:" + words[2], nil
}

// StartClub starts a command that serves a club, and returns the address at which the club listens. It ends with the test.
func StartClub(t testing.TB, cmd *exec.Cmd) (p *Process, addr string) {
	t.Helper()
	p, err := Start(cmd, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	if addr, err = Address(p.Ready); err != nil {
		t.Fatal(err)
	}
	return p, addr
}
