package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludoteca/games/catalog"
	"ludoteca/hostkeys/hostkeystest"
)

// retired are flags of earlier versions, each with a value that it took.
var retired = map[string]string{
	"keeper":            "SHA256:ZmFgXS/16SeSMRFPO9EgRWP5fFwlv7JGpSO4bBbBL1Q",
	"away-offer":        "30s",
	"private-wait":      "240h",
	"unwatched":         "10m",
	"unload-after":      "soon", // which was never right
	"max-moves":         "1000",
	"max-takebacks":     "10",
	"max-wrong-codes":   "3",
	"wrong-code-every":  "1m",
	"max-analyses":      "8",
	"max-history":       "20",
	"linger":            "5m",
	"input-rate":        "2048",
	"input-burst":       "8192",
	"max-paste-bytes":   "256",
	"auth-tries":        "3",
	"max-env":           "8",
	"max-env-bytes":     "1024",
	"max-command-bytes": "1024",
}

// TestRetiredFlags: a start takes each flag of earlier versions, in each way, and warns of it. The check marks it, and help doesn't list it.
func TestRetiredFlags(t *testing.T) {
	h := &here{args: []string{"serve", "--help"}}
	if status := h.run(t); status != statusDone {
		t.Fatalf("help ends with %d", status)
	}
	for _, f := range retiredFlags {
		if retired[f.name] == "" || f.now == "" {
			t.Errorf("%+v: no value in the test, or no word on what holds now", f)
		}
	}
	for name, value := range retired {
		if lineOf(h.out.String(), "--"+name+" ") != "" {
			t.Errorf("help lists --%s", name)
		}
		variable := "LUDOTECA_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		for _, tt := range []struct {
			name   string
			args   []string
			env    map[string]string
			origin string // "": it isn't set
		}{
			{"flag", []string{"--" + name + "=" + value}, nil, "command line"},
			{"flag and value", []string{"--" + name, value}, nil, "command line"},
			{"variable", nil, map[string]string{variable: value}, variable},
			{"empty variable", nil, map[string]string{variable: ""}, ""},
		} {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				h := &here{args: append([]string{"serve", "--check", "--data", filepath.Join(t.TempDir(), "none")}, tt.args...), env: tt.env}
				status := h.run(t)
				if warns := strings.Contains(h.errs.String(), " flag=--"+name+" variable="+variable+" now="); status != statusDone || warns != (tt.origin != "") {
					t.Errorf("status %d, and the log says %q", status, h.errs.String())
				}
				row := strings.Join(strings.Fields(lineOf(h.out.String(), name+" ")), " ")
				if want := name + " " + value + " " + tt.origin + ", no effect"; tt.origin != "" && row != want || tt.origin == "" && row != "" {
					t.Errorf("the check says %q, want %q", row, want)
				}
			})
		}
	}
}

// TestRetiredFlagStarts: a club starts with flags and variables of earlier versions.
func TestRetiredFlagStarts(t *testing.T) {
	var args []string
	for name, value := range retired {
		args = append(args, "--"+name+"="+value)
	}
	slices.Sort(args)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log bytes.Buffer
	status := run(ctx, process{
		args:   append([]string{"serve", "--listen=127.0.0.1:0", "--data", dataFolder(t)}, args...),
		stdin:  strings.NewReader(""),
		stdout: once(stop), // it invites people
		stderr: &log, env: noEnv, games: catalog.All(),
		exit: func(status int) { t.Errorf("it ends with %d", status) },
	})
	if n := strings.Count(log.String(), "has no effect any more"); status != statusDone || n != len(retired) {
		t.Errorf("status %d, %d warnings of %d flags:\n%s", status, n, len(retired), log.String())
	}
}

// dataFolder returns an empty data folder with a host key.
func dataFolder(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	hostkeystest.Give(t, data)
	return data
}

// once is a writer that is called with the first thing written.
type once func()

// Write implements io.Writer.
func (f once) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}
