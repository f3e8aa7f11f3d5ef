package e2e

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/e2e/sshclient"
)

// onlyHexapawn is the environment variable that gives the program hexapawn in place of the games of the catalogue.
const onlyHexapawn = "LUDOTECA_TEST_HEXAPAWN"

// clockFile is the environment variable that names a file with the time by which the program's clock is ahead.
const clockFile = "LUDOTECA_TEST_CLOCK"

// TestScripts runs the scenarios in testdata/script: the program itself, and the club as real OpenSSH clients meet it.
//
//	club start [FLAG ...]   starts a club on a free loopback port; $PORT is the port
//	club kill, club stop    SIGKILL, or SIGTERM and waiting for status 0
//	as [status=N] NAME WORD ...
//	                        runs ssh with NAME's key (made at first use; guest has none) and the words as its command
//	prompt NAME             starts NAME's line mode, which ends with the scenario
//	type NAME WORD ...      types a line there
//	told NAME REGEXP [VAR]  waits until a line of the output there matches; VAR is set to its first group
//	clock DURATION          sets the club's clock so far ahead of the machine's
//	damage FILE PAGE        overwrites a page of a store with zeros
//	capture VAR REGEXP      sets $VAR to the first group of REGEXP in the last output
//
// Where $LOCALE is set, clients send it as their locale.
func TestScripts(t *testing.T) {
	for _, program := range []string{"ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("these tests need OpenSSH's clients: %v", err)
		}
	}
	built := programPath(t) // called ludoteca
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			c := &scriptClub{}
			e.Values[clubKey{}], e.Values[promptsKey{}], e.Values[binaryKey{}] = c, scriptPrompts{}, built
			e.Defer(c.kill)
			if dir := os.Getenv("GOCOVERDIR"); dir != "" {
				e.Setenv("GOCOVERDIR", dir)
			}
			e.Setenv("PATH", filepath.Dir(built)+string(filepath.ListSeparator)+e.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"club": clubCommand, "as": asCommand, "capture": capture, "damage": damage,
			"prompt": startPrompt, "type": typeAtPrompt, "told": toldAtPrompt, "clock": setClock,
		},
		RequireExplicitExec: true,
	})
}

type clubKey struct{}

type binaryKey struct{} // of the path of the program

// scriptClub is the club that a scenario runs.
type scriptClub struct {
	*program.Process
}

func (c *scriptClub) kill() {
	if c.Process != nil {
		c.Kill()
	}
}

func clubCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || neg {
		ts.Fatalf("usage: club start|stop|kill")
	}
	c := ts.Value(clubKey{}).(*scriptClub)
	switch args[0] {
	case "start":
		c.start(ts, args[1:])
	case "stop":
		ts.Check(c.Terminate(sshclient.Patience))
	case "kill":
		c.Kill()
		if err := c.Wait(); err == nil {
			ts.Fatalf("the club ended by itself")
		}
	default:
		ts.Fatalf("club %s?", args[0])
	}
}

// A scriptTest is a script as a test.
type scriptTest struct{ ts *testscript.TestScript }

func (scriptTest) Helper()             {}
func (t scriptTest) Fatal(args ...any) { t.ts.Fatalf("%s", fmt.Sprint(args...)) }

// start runs the club and waits for the line that invites people.
func (c *scriptClub) start(ts *testscript.TestScript, flags []string) {
	path := ts.Value(binaryKey{}).(string)
	cmd := program.Serve(scriptTest{ts}, path, ts.MkAbs("data"), flags...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(append(program.Patient(), os.Environ()...), "HOME="+ts.MkAbs("."), onlyHexapawn+"="+ts.Getenv(onlyHexapawn), clockFile+"="+ts.MkAbs("clock"))
	said := ts.MkAbs("club.log")
	log, err := os.OpenFile(said, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	cmd.Stderr = log // by the club itself, so that scenarios find all that it has said before it invites people
	c.Process, err = program.Start(cmd, "")
	if err := errors.Join(err, log.Close()); err != nil {
		words, _ := os.ReadFile(said)
		ts.Fatalf("%v: %s", err, words)
	}
	addr, err := program.Address(c.Ready)
	ts.Check(err)
	_, port, err := net.SplitHostPort(addr)
	ts.Check(err)
	ts.Setenv("PORT", port)
}

func asCommand(ts *testscript.TestScript, neg bool, args []string) {
	want := 0
	if len(args) > 0 && strings.HasPrefix(args[0], "status=") {
		n, err := strconv.Atoi(strings.TrimPrefix(args[0], "status="))
		ts.Check(err)
		want, args = n, args[1:]
	}
	if len(args) == 0 || neg {
		ts.Fatalf("usage: as [status=N] NAME WORD ...")
	}
	err := ts.Exec("ssh", append(sshFlags(ts, args[0]), args[1:]...)...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("status %d, want %d\n%s%s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// sshFlags are the words before the command: a client without a configuration, an agent or a memory.
func sshFlags(ts *testscript.TestScript, name string) []string {
	flags := []string{"-F", "none", "-T", "-p", ts.Getenv("PORT"), "-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR",
		"-o", "UserKnownHostsFile=/dev/null", "-o", "IdentityAgent=none", "-o", "IdentitiesOnly=yes", "-o", "BatchMode=no"}
	if name == "guest" {
		flags = append(flags, "-o", "PubkeyAuthentication=no")
	} else {
		flags = append(flags, "-i", keyOf(ts, name))
	}
	if locale := ts.Getenv("LOCALE"); locale != "" {
		flags = append(flags, "-o", "SetEnv=LC_ALL="+locale)
	}
	return append(flags, name+"@127.0.0.1")
}

func keyOf(ts *testscript.TestScript, name string) string {
	path := ts.MkAbs("key_" + name)
	if _, err := os.Stat(path); err != nil {
		ts.Check(exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path).Run())
	}
	return path
}

func damage(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: damage FILE PAGE")
	}
	page, err := strconv.Atoi(args[1])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	size := os.Getpagesize()
	_, err = f.WriteAt(make([]byte, size), int64(page*size))
	ts.Check(errors.Join(err, f.Close()))
}

func capture(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: capture VAR REGEXP")
	}
	m := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(m) != 2 {
		ts.Fatalf("%s is not in %s", args[1], ts.ReadFile("stdout"))
	}
	ts.Setenv(args[0], m[1])
}
