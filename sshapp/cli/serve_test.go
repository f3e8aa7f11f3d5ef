package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"

	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/names"
	"ludoteca/sshapp"
	"ludoteca/storage"
)

// TestNobodyIsCalledLikeALevel: a player can't take the name of a computer player.
func TestNobodyIsCalledLikeALevel(t *testing.T) {
	all := levels(catalog.All())
	if len(all) < 2 {
		t.Fatalf("only %d levels", len(all))
	}
	for _, l := range all {
		for _, name := range []string{l.ID, l.Name} {
			var wrong *names.Error
			if _, _, err := names.Check(name); !errors.As(err, &wrong) || wrong.Problem != names.Reserved {
				t.Errorf("a player could be called %s: %v", name, err)
			}
		}
	}
}

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

// TestClubHasAllLevels: the club has each computer player of each game, with its rating there, and asks the ones that search for their
// opinion.
func TestClubHasAllLevels(t *testing.T) {
	all := levels(catalog.All())
	for _, g := range catalog.All() {
		for _, want := range bot.Levels(g) {
			i := slices.IndexFunc(all, func(l lobby.Level) bool { return l.ID == want.ID })
			if i < 0 {
				t.Errorf("the club does not know %s of %s", want.ID, g.About().ID)
				continue
			}
			_, thinks := want.Player.(bot.Thinker)
			if got := all[i]; got.Name != want.Name || got.Sentence != want.Sentence || got.Ratings[g.About().ID] != want.Rating || thinks != (got.Think != nil) {
				t.Errorf("%s of %s is %+v, want %+v", want.ID, g.About().ID, got, want)
			}
		}
	}
	if last := all[len(all)-1]; last.ID != "master" {
		t.Errorf("the last is %s, but the strongest gives the hints", last.ID)
	}
}

// TestThoughtsAreTold holds that the club hears of a loss what the search has proven.
func TestThoughtsAreTold(t *testing.T) {
	found := bot.Thought{Move: "d4", Value: 31, Plies: -4, Proven: true}
	if got := decision(found); got.Move != "d4" || !got.Ahead || got.Value != 31 || got.Plies != -4 || !got.Proven || got.Drawn {
		t.Errorf("of %+v it hears %+v", found, got)
	}
}

func TestListenMetrics(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0", "localhost:0"} {
		if here, err := net.Listen("tcp", addr); err != nil {
			t.Logf("this machine has no %s: %v", addr, err)
			continue
		} else {
			_ = here.Close()
		}
		s := settings{metrics: addr}
		l, err := listenMetrics(&s)
		if err != nil {
			t.Errorf("--metrics %s: %v", addr, err)
			continue
		}
		_ = l.Close()
	}
	s := settings{metrics: ":0", metricsPublic: true}
	l, err := listenMetrics(&s)
	if err != nil {
		t.Fatalf("--metrics-public: %v", err)
	}
	_ = l.Close()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s = settings{metrics: taken.Addr().String()}
	if _, err := listenMetrics(&s); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("a taken port: %v", err)
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
	all := func(s *settings) []sshapp.Flag {
		return append(s.own(), s.limitFlags()...)
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
	case *byteSize:
		return "4711MiB", "4712k", byteSize(4711 << 20)
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

// TestEveryLimitOfTheLobby has a flag.
func TestEveryLimitOfTheLobby(t *testing.T) {
	s := defaultSettings()
	named := map[any]bool{}
	for _, f := range s.clubLimits() {
		named[f.Ptr] = true
	}
	named[&s.club.KeepCasual] = true // --keep-casual, which may be 0
	fields := reflect.ValueOf(&s.club).Elem()
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		if !named[fields.Field(i).Addr().Interface()] {
			t.Errorf("no flag sets %s", name)
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
	s := defaultSettings()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	names := s.flags(flags)
	before := map[string]string{}
	flags.VisitAll(func(f *pflag.Flag) { before[f.Name] = f.Value.String() })
	if err := fromEnv(process{env: func(string) (string, bool) { return "", true }}, flags, names); err != nil {
		t.Fatal(err)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if got := f.Value.String(); got != before[f.Name] || f.Changed {
			t.Errorf("--%s = %q, changed %v; want %q as before", f.Name, got, f.Changed, before[f.Name])
		}
	})
}

func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.0/24": "192.0.2.0/24", "192.0.2.77/24": "192.0.2.0/24", "192.0.2.7": "192.0.2.7/32", "2001:db8::1": "2001:db8::1/128",
		"2001:db8::/32": "2001:db8::/32", "::ffff:192.0.2.7": "192.0.2.7/32",
		"::ffff:192.0.2.77/120": "192.0.2.0/24", "fe80::1%eth0": "fe80::1/128",
		"::ffff:0:0/96": "0.0.0.0/0", "::ffff:0:0/97": "0.0.0.0/1", "::ffff:0:0/95": "::fffe:0:0/95", // all IPv4 addresses, half of them, and no IPv4 network
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
	if err := s.check(os.LookupEnv); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(s.operators, s.proxies) != "["+a+" "+b+"] [192.0.2.0/24 2001:db8::1/128]" {
		t.Errorf("got %v and %v", s.operators, s.proxies)
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

// TestHelpWhenNothingOpens: who starts a club reads what to do about a damaged store, or a folder of another user.
func TestHelpWhenNothingOpens(t *testing.T) {
	other := errors.New("no room")
	for _, tt := range []struct {
		name   string
		err    error
		onEtcd bool
		want   string
	}{
		{"damaged", storage.ErrDamaged, false, "ludoteca salvage data/ludoteca.db NEW.db"},
		{"damaged on etcd", storage.ErrDamaged, true, "ludoteca move-store"},
		{"of another user", &fs.PathError{Op: "open", Path: "data/ludoteca.db", Err: syscall.EACCES}, false,
			fmt.Sprintf("chown -R %d:%d data", os.Getuid(), os.Getgid())},
		{"something else", other, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := openHelp(tt.err, "data", tt.onEtcd)
			if !errors.Is(got, tt.err) || !strings.Contains(got.Error(), tt.want) || tt.want == "" && got != other {
				t.Errorf("%q, want words with %q", got, tt.want)
			}
		})
	}
}

// TestFewFiles: the log warns where fewer files may be open than there may be connections.
func TestFewFiles(t *testing.T) {
	for _, tt := range []struct {
		files       uint64
		connections int
		warns       bool
	}{{1024, 1500, true}, {1563, 1500, true}, {1564, 1500, false}, {math.MaxUint64, 1500, false}} {
		var log bytes.Buffer
		warnOfFewFiles(slog.New(slog.NewTextHandler(&log, nil)), tt.files, tt.connections)
		if strings.Contains(log.String(), "ulimit -n") != tt.warns {
			t.Errorf("%d files for %d connections: %q", tt.files, tt.connections, &log)
		}
	}
	if openFiles() < otherFiles {
		t.Errorf("%d files may be open, and the tests run", openFiles())
	}
}

// TestProxyWithoutAddress: the log warns when the address that people are told doesn't lead through the proxy.
func TestProxyWithoutAddress(t *testing.T) {
	const proxy, etcd, public = "--proxy-from=192.0.2.10", "--store=etcd://127.0.0.1:2379", "--public-address=play.example.com"
	for _, tt := range []struct {
		args  []string
		warns bool
	}{
		{nil, false},
		{[]string{public}, false},
		{[]string{proxy}, true},
		{[]string{etcd}, true},
		{[]string{proxy, etcd}, true},
		{[]string{proxy, public}, false},
		{[]string{etcd, public}, false},
	} {
		s := defaultSettings()
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		s.flags(flags)
		if err := flags.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		if err := s.check(func(string) (string, bool) { return "", false }); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		s.warnOfNoAddress(slog.New(slog.NewTextHandler(&log, nil)))
		if strings.Contains(log.String(), "--public-address") != tt.warns {
			t.Errorf("with %q the log says %q", tt.args, &log)
		}
	}
}

// TestPublicAddress: the address that people are told is the flag's, or follows from the listener; anything that a shell would read is refused.
func TestPublicAddress(t *testing.T) {
	machine := addressOf(&net.TCPAddr{IP: net.IPv4zero, Port: 1}).Host
	for _, tt := range []struct {
		flag, listens, want, pasted string
	}{
		{"", "127.0.0.1:2222", "ssh -p 2222 localhost", "ssh -p 2222 localhost"},
		{"", "[::1]:22", "ssh localhost", "ssh localhost"},
		{"", "0.0.0.0:2222", "ssh -p 2222 " + machine, "ssh -p 2222 localhost"},
		{"", "192.0.2.7:22", "ssh 192.0.2.7", "ssh 192.0.2.7"},
		{"", "[2001:db8::7]:2222", "ssh -p 2222 2001:db8::7", "ssh -p 2222 2001:db8::7"},
		{"play.example.com", "0.0.0.0:2222", "ssh play.example.com", "ssh play.example.com"},
		{"play.example.com:2200", "0.0.0.0:2222", "ssh -p 2200 play.example.com", "ssh -p 2200 play.example.com"},
		{"[2001:db8::7]", "0.0.0.0:2222", "ssh 2001:db8::7", "ssh 2001:db8::7"},
	} {
		s := defaultSettings()
		s.public = tt.flag
		if err := s.check(func(string) (string, bool) { return "", false }); err != nil {
			t.Fatal(err)
		}
		at, err := net.ResolveTCPAddr("tcp", tt.listens)
		if err != nil {
			t.Fatal(err)
		}
		if got, pasted := s.addressAt(at).SSH(""), s.invitation(at); got != tt.want || pasted != tt.pasted {
			t.Errorf("%q, listening on %s: %q, here %q; want %q, %q", tt.flag, tt.listens, got, pasted, tt.want, tt.pasted)
		}
	}
	for _, bad := range []string{"$(id)", "a;b", "-oProxyCommand=x", "a b", "a:0", "a:65536", "a:x", "a:", "2001:db8::7", "[::1", "[a]", "[fe80::1%eth0]", "[127.0.0.1]", "a..b", ".", "ana@host", "a\n", "m\u00fcnchen.de"} {
		s := defaultSettings()
		s.public = bad
		if err := s.check(func(string) (string, bool) { return "", false }); err == nil || !strings.Contains(err.Error(), "--public-address") {
			t.Errorf("--public-address %q: %v", bad, err)
		}
	}
}
