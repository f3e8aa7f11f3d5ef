package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/club"
	"ludoteca/sshapp/flagset"
)

// TestStoppedWhileOpening: a signal that comes before the club is open ends it as cleanly as any other.
func TestStoppedWhileOpening(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errs bytes.Buffer
	status := run(ctx, process{
		args:  []string{"serve", "--listen", "127.0.0.1:0", "--data", t.TempDir()},
		stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
		env:  func(string) (string, bool) { return "", false },
		exit: func(status int) { t.Errorf("it ends with %d", status) }, games: catalog.All(),
	})
	if status != statusDone || out.Len() > 0 {
		t.Errorf("status %d, it says %q\n%s", status, out.String(), errs.String())
	}
}

// here is this program with arguments and an environment, and what it printed.
type here struct {
	args        []string
	env         map[string]string
	in          string
	out, errs   bytes.Buffer
	exitedEarly []int
}

func (h *here) run(t *testing.T) (status int) {
	t.Helper()
	var vars []string
	for name, value := range h.env {
		vars = append(vars, name+"="+value)
	}
	return run(t.Context(), process{
		args: h.args, stdin: strings.NewReader(h.in), stdout: &h.out, stderr: &h.errs, vars: vars,
		env:   func(name string) (string, bool) { v, ok := h.env[name]; return v, ok },
		exit:  func(status int) { h.exitedEarly = append(h.exitedEarly, status) },
		games: catalog.All(),
	})
}

// TestEveryFlag: each flag has an environment variable of its name, sets its own field and no other one by either of them,
// the command line wins, and help lists it with its default.
func TestEveryFlag(t *testing.T) {
	h := &here{args: []string{"serve", "--help"}}
	if status := h.run(t); status != statusDone {
		t.Fatalf("serve --help gives %d", status)
	}
	page := strings.Join(strings.Fields(h.out.String()), " ")
	defaults := club.DefaultConfig()
	sets := map[string]string{} // the flag of a field
	flagsOf(&defaults).VisitAll(func(f *pflag.Flag) {
		t.Run(f.Name, func(t *testing.T) {
			variable := "LUDOTECA_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			if flagset.Variable(f) != variable {
				t.Errorf("environment variable %s, want %s", flagset.Variable(f), variable)
			}
			fromOutside, fromLine, want := another(f.Value.Type())
			for _, how := range []string{"environment", "command line"} {
				s := club.DefaultConfig()
				flags := flagsOf(&s)
				env := map[string]string{variable: fromOutside}
				if how == "command line" {
					env[variable] = fromLine
					if err := flags.Parse([]string{"--" + f.Name + "=" + fromOutside}); err != nil {
						t.Fatal(err)
					}
				}
				p := process{env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
				if err := fromEnv(p, flags); err != nil {
					t.Fatal(err)
				}
				got, unchanged := map[string]string{}, map[string]string{}
				fields(reflect.ValueOf(s), "", got)
				fields(reflect.ValueOf(defaults), "", unchanged)
				changed := ""
				for field, value := range got {
					if value == unchanged[field] {
						continue
					}
					if changed != "" || value != want {
						t.Errorf("%s: %s is %q, want %q; and it sets %s", how, field, value, want, changed)
					}
					changed = field
				}
				if changed == "" || sets[changed] != "" && sets[changed] != f.Name {
					t.Errorf("%s: it sets %q, as %q does", how, changed, sets[changed])
				}
				sets[changed] = f.Name
			}
			_, words := pflag.UnquoteUsage(f)
			notes := variable
			if d := flagset.Default(f); d != "" {
				notes = "default " + d + "; " + variable
			}
			if !strings.Contains(page, " --"+f.Name+" ") || !strings.Contains(page, words+" ("+notes+")") {
				t.Errorf("help doesn't say %q (%s)", words, notes)
			}
		})
	})
}

// flagsOf returns the flags that set a configuration.
func flagsOf(s *club.Config) *pflag.FlagSet {
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.AddFlags(flags)
	return flags
}

// fields adds the fields of a struct, and of structs in it, as text.
func fields(v reflect.Value, path string, into map[string]string) {
	if v.Kind() != reflect.Struct {
		into[path] = fmt.Sprint(v)
		return
	}
	for i := range v.NumField() {
		fields(v.Field(i), path+"."+v.Type().Field(i).Name, into)
	}
}

// another returns two values that are no default for a kind of flag, as text, and the first as the field prints it.
func another(kind string) (first, second, want string) {
	switch kind {
	case "string":
		return "other", "third", "other"
	case "stringSlice":
		return "a,b", "c", "[a b]"
	case "int":
		return "4711", "4712", "4711"
	case "bool":
		return "true", "false", "true"
	case "size":
		return "4711MiB", "4712k", fmt.Sprint(4711 << 20)
	case "duration":
		return "4711s", "4712s", fmt.Sprint(4711 * time.Second)
	}
	panic("a flag of an unknown type")
}

func lineOf(text, word string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			return line
		}
	}
	return ""
}

func TestSettingsRefused(t *testing.T) {
	const key = "SHA256:ZmFgXS/16SeSMRFPO9EgRWP5fFwlv7JGpSO4bBbBL1Q"
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want string
	}{
		{"workers", []string{"--bot-workers=-1"}, nil, "--bot-workers must not be negative"},
		{"a limit of nothing", []string{"--max-sessions=0"}, nil, "max-sessions must be more than 0"},
		{"a limit of the lobby", []string{"--max-offers=0"}, nil, "--max-offers must be more than 0"},
		{"a time of the lobby", []string{"--away-guest=-1s"}, nil, "--away-guest must be more than 0"},
		{"less than no time to keep", []string{"--keep-casual=-1s"}, nil, "--keep-casual must not be negative"},
		{"no time to stop", []string{"--stop-timeout=0"}, nil, "--stop-timeout must be more than 0"},
		{"a window too short", []string{"--new-accounts-window=1ns"}, nil, "new-accounts-window is too short"},
		{"an operator's name", []string{"--operator=ana"}, nil, "--operator"},
		{"an operator's MD5", []string{"--operator=MD5:00:11"}, nil, "--operator"},
		{"an operator, cut", []string{"--operator=" + key[:49]}, nil, "--operator"},
		{"an operator with more", []string{"--operator=" + key + "="}, nil, "--operator"},
		{"an operator of 31 bytes", []string{"--operator=SHA256:" + strings.Repeat("A", 42)}, nil, "--operator"}, // whole base64 both
		{"an operator of 33 bytes", []string{"--operator=SHA256:" + strings.Repeat("A", 44)}, nil, "--operator"},
		{"the second of two operators", nil, map[string]string{"LUDOTECA_OPERATOR": key + ",SHA256:x"}, `"SHA256:x"`},
		{"a proxy's name", []string{"--proxy-from=proxy.example.com"}, nil, "--proxy-from"},
		{"no such network", []string{"--proxy-from=192.0.2.0/33"}, nil, "--proxy-from"},
		{"metrics for all", []string{"--metrics=:9222"}, nil, "--metrics-public"},
		{"metrics for others", []string{"--metrics=192.0.2.1:9222"}, nil, "--metrics-public"},
		{"metrics nowhere", []string{"--metrics=nonsense"}, nil, "--metrics"},
		{"a word in the environment", nil, map[string]string{"LUDOTECA_MAX_SESSIONS": "many"}, "LUDOTECA_MAX_SESSIONS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &here{args: append([]string{"serve", "--listen=127.0.0.1:0", "--data", t.TempDir()}, tt.args...), env: tt.env}
			if status := h.run(t); status != statusUsage || !strings.Contains(h.errs.String(), tt.want) || h.out.Len() > 0 {
				t.Errorf("status %d, %q; want %d and words with %q", status, h.errs.String(), statusUsage, tt.want)
			}
		})
	}
}

// TestEmptyVariables: an environment file with a variable that has no value leaves the default in force, whatever the flag.
func TestEmptyVariables(t *testing.T) {
	s := club.DefaultConfig()
	flags := flagsOf(&s)
	before := map[string]string{}
	flags.VisitAll(func(f *pflag.Flag) { before[f.Name] = f.Value.String() })
	if err := fromEnv(process{env: func(string) (string, bool) { return "", true }}, flags); err != nil {
		t.Fatal(err)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if got := f.Value.String(); got != before[f.Name] || f.Changed {
			t.Errorf("--%s = %q, changed %v; want %q as before", f.Name, got, f.Changed, before[f.Name])
		}
	})
}

// TestEndLate ends a program that takes too long to stop, and none that stops in time or was not told to.
func TestEndLate(t *testing.T) {
	tests := []struct {
		name       string
		told       bool
		stopsAfter time.Duration
		want       bool
	}{
		{"in time", true, 29 * time.Second, false},
		{"late", true, 31 * time.Second, true},
		{"not told", false, time.Hour, false},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			ctx, tell := context.WithCancel(t.Context())
			defer tell()
			ended := false
			stop := endLate(ctx, 30*time.Second, func() { ended = true })
			if tt.told {
				tell()
			}
			<-time.After(tt.stopsAfter)
			if stop(); ended != tt.want {
				t.Errorf("ended %v, want %v", ended, tt.want)
			}
		})
	}
}

// bubble is a subtest with a clock of its own.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// TestFormerOperatorFlag: --keeper and LUDOTECA_KEEPER, from before the flag was called --operator, name no operator. A start warns of
// them, and help doesn't list them.
func TestFormerOperatorFlag(t *testing.T) {
	const a, b = "SHA256:ZmFgXS/16SeSMRFPO9EgRWP5fFwlv7JGpSO4bBbBL1Q", "SHA256:yuHnMrRsZn7R4nufclgnWvJB0rz9YuB7UYZARx26rz4"
	tests := []struct {
		name  string
		args  []string
		env   map[string]string
		want  string // the operators
		warns bool
	}{
		{"the former flag", []string{"--keeper", a}, nil, "[]", true},
		{"the former flag, without a fingerprint", []string{"--keeper", "ana"}, nil, "[]", true},
		{"both flags", []string{"--keeper", b, "--operator", a}, nil, "[" + a + "]", true},
		{"the former variable", nil, map[string]string{"LUDOTECA_KEEPER": a + "," + b}, "[]", true},
		{"both variables", nil, map[string]string{"LUDOTECA_KEEPER": b, "LUDOTECA_OPERATOR": a}, "[" + a + "]", true},
		{"neither", []string{"--operator", a}, nil, "[" + a + "]", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &here{args: append([]string{"serve", "--check", "--data", filepath.Join(t.TempDir(), "none")}, tt.args...), env: tt.env}
			status := h.run(t)
			if warns := strings.Contains(h.errs.String(), "has no effect any more\" flag=--keeper variable=LUDOTECA_KEEPER"); status != 0 || warns != tt.warns {
				t.Errorf("status %d, and the log says %q; want a warning: %t", status, h.errs.String(), tt.warns)
			}
			var got string
			for row := range strings.Lines(h.out.String()) {
				if cells := strings.Fields(row); len(cells) > 1 && cells[0] == "operator" {
					got = cells[1]
				}
			}
			if got != tt.want {
				t.Errorf("operators are %q, want %q", got, tt.want)
			}
		})
	}
	h := &here{args: []string{"serve", "--help"}}
	if status := h.run(t); status != 0 || strings.Contains(h.out.String(), "keeper") {
		t.Errorf("help, with status %d, lists the former flag", status)
	}
}
