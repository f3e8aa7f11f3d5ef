package club

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"ludoteca/lobby"
	"ludoteca/sshapp/flagset"
)

// TestEveryLimitOfTheLobby has a flag.
func TestEveryLimitOfTheLobby(t *testing.T) {
	defaults := func(s Config) map[string]string {
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		s.AddFlags(flags)
		all := map[string]string{}
		flags.VisitAll(func(f *pflag.Flag) { all[f.Name] = f.DefValue })
		return all
	}
	usual := DefaultConfig()
	for i := range reflect.TypeFor[lobby.Limits]().NumField() {
		s := DefaultConfig()
		reflect.ValueOf(&s.ClubLimits).Elem().Field(i).SetInt(4711)
		var changed []string
		for name, value := range defaults(s) {
			if value != defaults(usual)[name] {
				changed = append(changed, name)
			}
		}
		if len(changed) != 1 {
			t.Errorf("%s is the default of %v", reflect.TypeFor[lobby.Limits]().Field(i).Name, changed)
		}
	}
	if usual.ClubLimits != lobby.DefaultLimits() {
		t.Error("the limits of the lobby don't start at its own")
	}
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
	s := DefaultConfig()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.AddFlags(flags)
	if err := flags.Parse([]string{"--operator", a, "--operator", b}); err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) {
		return "192.0.2.0/24,2001:db8::1", name == "LUDOTECA_PROXY_FROM"
	}
	if err := flagset.FromEnvironment(flags, env); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(os.LookupEnv); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(s.Operators, s.proxies) != "["+a+" "+b+"] [192.0.2.0/24 2001:db8::1/128]" {
		t.Errorf("got %v and %v", s.Operators, s.proxies)
	}
}

func TestNodeNames(t *testing.T) {
	if name := defaultNode(); !nodeName.MatchString(name) {
		t.Errorf("a node is called %q", name)
	}
	for name, ok := range map[string]bool{
		"a": true, "Node-1.example": true, "": false, "a b": false, "a_b": false, strings.Repeat("a", 40): true, strings.Repeat("a", 41): false,
	} {
		s := DefaultConfig()
		s.Node = name
		if err := s.Check(noVariables); (err == nil) != ok {
			t.Errorf("--node %q: %v", name, err)
		}
	}
}

// TestGreeting: a greeting that can't be shown keeps the club from opening, and says why.
func TestGreeting(t *testing.T) {
	s := DefaultConfig()
	s.ClubName, s.Welcome = "Clube da Lousã", filepath.Join(t.TempDir(), "welcome.txt")
	if err := s.Check(noVariables); err == nil || !strings.HasPrefix(err.Error(), "--welcome: ") {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.WriteFile(s.Welcome, []byte("Fridays at 20:00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(noVariables); err != nil || s.greeting.Name() != s.ClubName || len(s.greeting.Lines()) != 1 {
		t.Errorf("%q %q, %v", s.greeting.Name(), s.greeting.Lines(), err)
	}
}

func noVariables(string) (string, bool) { return "", false }
