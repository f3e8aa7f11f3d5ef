package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	club := startClub(t, t.TempDir(), args...)
	club.stop(t)
	if n := strings.Count(club.log.String(), "has no effect any more"); n != len(retired) {
		t.Errorf("%d warnings of %d flags:\n%s", n, len(retired), club.log.String())
	}
}
