package main

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"

	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/sshapp"
)

// here is this program with arguments and an environment, and what it printed.
type here struct {
	args        []string
	env         map[string]string
	out, errs   bytes.Buffer
	exitedEarly []int
}

func (h *here) run(t *testing.T) (status int) {
	t.Helper()
	return run(t.Context(), process{
		args: h.args, stdin: strings.NewReader(""), stdout: &h.out, stderr: &h.errs,
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
	all := func(s *settings) []sshapp.Flag {
		return append(s.own(), append(s.limits.Flags(), s.clubLimits()...)...)
	}
	defaults := defaultSettings()
	for i, f := range all(&defaults) {
		t.Run(f.Name, func(t *testing.T) {
			if want := "LUDOTECA_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")); f.Env != want {
				t.Errorf("environment variable %s, want %s", f.Env, want)
			}
			fromOutside, fromLine, want := another(f.Ptr)
			for _, how := range []string{"environment", "command line"} {
				s := defaultSettings()
				flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
				names := s.flags(flags)
				env := map[string]string{f.Env: fromOutside}
				if how == "command line" {
					env[f.Env] = fromLine
					if err := flags.Parse([]string{"--" + f.Name + "=" + fromOutside}); err != nil {
						t.Fatal(err)
					}
				}
				p := process{env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
				if err := fromEnv(p, flags, names); err != nil {
					t.Fatal(err)
				}
				for j, g := range all(&s) {
					got, unchanged := reflect.ValueOf(g.Ptr).Elem().Interface(), reflect.ValueOf(all(&defaults)[j].Ptr).Elem().Interface()
					if i == j && !reflect.DeepEqual(got, want) {
						t.Errorf("%s: %v, want %v", how, got, want)
					}
					if i != j && !reflect.DeepEqual(got, unchanged) {
						t.Errorf("%s sets %s too", how, g.Name)
					}
				}
			}
			line := lineOf(h.out.String(), "--"+f.Name+" ")
			if !strings.Contains(line, f.Help) || !strings.Contains(line, "("+f.Env+")") {
				t.Errorf("help says %q", line)
			}
			if v := reflect.ValueOf(f.Ptr).Elem(); !v.IsZero() && !strings.Contains(line, "(default ") {
				t.Errorf("help names no default: %q", line)
			}
		})
	}
}

// another returns two values, as text, that are no default, and the first as a value.
func another(ptr any) (first, second string, want any) {
	switch ptr.(type) {
	case *string:
		return "other", "third", "other"
	case *[]string:
		return "a,b", "c", []string{"a", "b"}
	case *int:
		return "4711", "4712", 4711
	case *bool:
		return "true", "false", true
	case *time.Duration:
		return "4711s", "4712s", 4711 * time.Second
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

// TestEveryLimitOfTheLobby that bounds people has a flag; the others are how the lobby works inside.
func TestEveryLimitOfTheLobby(t *testing.T) {
	inside := map[string]bool{"Here": true, "Listed": true, "Leaderboard": true, "BoardAge": true, "ListEvery": true, "PublicEvery": true,
		"RunningPly": true, "CachedPlies": true, "AnalysisLinger": true}
	s := defaultSettings()
	named := map[any]bool{}
	for _, f := range s.clubLimits() {
		named[f.Ptr] = true
	}
	fields := reflect.ValueOf(&s.club).Elem()
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		if named[fields.Field(i).Addr().Interface()] == inside[name] {
			t.Errorf("%s: a flag %v, inside %v", name, named[fields.Field(i).Addr().Interface()], inside[name])
		}
	}
	if s.club != lobby.DefaultLimits() {
		t.Error("the limits of the lobby don't start at its own")
	}
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
		{"no time to stop", []string{"--stop-timeout=0"}, nil, "--stop-timeout must be more than 0"},
		{"a window too short", []string{"--new-accounts-window=1ns"}, nil, "new-accounts-window is too short"},
		{"an operator's name", []string{"--operator=ana"}, nil, "--operator"},
		{"an operator's MD5", []string{"--operator=MD5:00:11"}, nil, "--operator"},
		{"an operator, cut", []string{"--operator=" + key[:49]}, nil, "--operator"},
		{"an operator with more", []string{"--operator=" + key + "="}, nil, "--operator"},
		{"an operator by the former flag", []string{"--keeper=ana"}, nil, `"ana"`},
		{"an operator by the former variable", nil, map[string]string{"LUDOTECA_KEEPER": "ana"}, `"ana"`},
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

func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.0/24": "192.0.2.0/24", "192.0.2.77/24": "192.0.2.0/24", "192.0.2.7": "192.0.2.7/32", "2001:db8::1": "2001:db8::1/128",
		"2001:db8::/32": "2001:db8::/32", "::ffff:192.0.2.7": "192.0.2.7/32",
		"::ffff:192.0.2.77/120": "192.0.2.0/24", "fe80::1%eth0": "fe80::1/128",
	} {
		if got, err := parseNetwork(text); err != nil || got.String() != want {
			t.Errorf("parseNetwork(%s) = %v, %v; want %s", text, got, err, want)
		}
	}
}

// TestGoodSettings: operators and networks may be several, in either way.
func TestGoodSettings(t *testing.T) {
	const a, b = "SHA256:ZmFgXS/16SeSMRFPO9EgRWP5fFwlv7JGpSO4bBbBL1Q", "SHA256:yuHnMrRsZn7R4nufclgnWvJB0rz9YuB7UYZARx26rz4"
	s := defaultSettings()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	names := s.flags(flags)
	if err := flags.Parse([]string{"--operator", a, "--operator", b}); err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) {
		return "192.0.2.0/24,2001:db8::1", name == "LUDOTECA_PROXY_FROM"
	}
	if err := fromEnv(process{env: env}, flags, names); err != nil {
		t.Fatal(err)
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(s.operators, s.proxies) != "["+a+" "+b+"] [192.0.2.0/24 2001:db8::1/128]" {
		t.Errorf("got %v and %v", s.operators, s.proxies)
	}
}

// TestLimitsOfTheClub: what a flag says is what people meet.
func TestLimitsOfTheClub(t *testing.T) {
	t.Setenv("LUDOTECA_MAX_MATCHES_PLAYER", "3")
	club := startClub(t, t.TempDir(), "--max-offers=2", "--max-wrong-codes=2", "--wrong-code-every=1h", "--new-accounts=1", "--limit-loopback", "--new-connections-burst=50")
	ana, err := dial(club.addr, "ana", newSigner(t))
	if err != nil {
		t.Fatal(err)
	}
	defer ana.Close()
	try := func(line, want string) {
		t.Helper()
		out, err := ask(ana, line)
		if got := fmt.Sprint(string(out), err); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want words with %q", line, got, want)
		}
	}
	try("new 4mation", "<nil>")
	try("new 4mation", "<nil>")
	try("new 4mation", "too many matches")
	try("new 4mation --vs random", "<nil>")
	try("new 4mation --vs random", "too many matches")
	try("show AAAAAA", "Nobody here knows")
	try("show AAAAAA", "Nobody here knows")
	try("show AAAAAA", "Wait")
	rui, err := dial(club.addr, "rui", newSigner(t))
	if err != nil {
		t.Fatal(err)
	}
	defer rui.Close()
	if _, err := ask(rui, "name rui"); err == nil || !strings.Contains(err.Error(), "Too many new names from your address") {
		t.Errorf("the second new account: %v", err)
	}
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

// TestFormerOperatorFlag: --keeper and LUDOTECA_KEEPER, from before the flag was called --operator, still name operators. Help
// doesn't list them.
func TestFormerOperatorFlag(t *testing.T) {
	const a, b = "SHA256:ZmFgXS/16SeSMRFPO9EgRWP5fFwlv7JGpSO4bBbBL1Q", "SHA256:yuHnMrRsZn7R4nufclgnWvJB0rz9YuB7UYZARx26rz4"
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want string
	}{
		{"the former flag", []string{"--keeper", a}, nil, "[" + a + "]"},
		{"the former flag, twice", []string{"--keeper", a, "--keeper", b}, nil, "[" + a + " " + b + "]"},
		{"both flags", []string{"--keeper", b, "--operator", a}, nil, "[" + a + " " + b + "]"},
		{"the former variable", nil, map[string]string{"LUDOTECA_KEEPER": a + "," + b}, "[" + a + " " + b + "]"},
		{"both variables", nil, map[string]string{"LUDOTECA_KEEPER": b, "LUDOTECA_OPERATOR": a}, "[" + a + " " + b + "]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := defaultSettings()
			flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
			names := s.flags(flags)
			if err := flags.Parse(tt.args); err != nil {
				t.Fatal(err)
			}
			env := func(name string) (string, bool) { value, set := tt.env[name]; return value, set }
			if err := fromEnv(process{env: env}, flags, names); err != nil {
				t.Fatal(err)
			}
			if err := s.check(); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(s.operators); got != tt.want {
				t.Errorf("operators = %s, want %s", got, tt.want)
			}
			if strings.Contains(flags.FlagUsages(), "keeper") {
				t.Error("help lists the former flag")
			}
		})
	}
}
