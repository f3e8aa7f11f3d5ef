package sshapp

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// TestFlags: every limit is a flag and an environment variable, once, with words.
func TestFlags(t *testing.T) {
	var l Limits
	named := map[any]bool{}
	seen := map[string]bool{}
	for _, f := range l.Flags() {
		if named[f.Ptr] || seen[f.Name] || seen[f.Env] {
			t.Errorf("%s is there twice", f.Name)
		}
		named[f.Ptr], seen[f.Name], seen[f.Env] = true, true, true
		if want := "LUDOTECA_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")); f.Env != want {
			t.Errorf("%s: environment variable %s, want %s", f.Name, f.Env, want)
		}
		if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(f.Name) || f.Help == "" {
			t.Errorf("flag %q: %q", f.Name, f.Help)
		}
		switch f.Ptr.(type) {
		case *int, *time.Duration, *bool:
		default:
			t.Errorf("%s: %T", f.Name, f.Ptr)
		}
	}
	fields := reflect.ValueOf(&l).Elem()
	for i := range fields.NumField() {
		if !named[fields.Field(i).Addr().Interface()] {
			t.Errorf("no flag sets %s", fields.Type().Field(i).Name)
		}
	}
}

func TestLimitsCheck(t *testing.T) {
	good := DefaultLimits()
	if err := good.Check(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for i, f := range good.Flags() {
		for _, bad := range []int64{0, -1} {
			l := DefaultLimits()
			field := reflect.ValueOf(l.Flags()[i].Ptr).Elem()
			if field.Kind() == reflect.Bool {
				continue
			}
			field.SetInt(bad)
			if err := l.Check(); err == nil || !strings.Contains(err.Error(), f.Name) {
				t.Errorf("%s = %d: %v, want an error that names it", f.Name, bad, err)
			}
		}
	}
	// A rate without an interval would limit nothing.
	l := DefaultLimits()
	l.NewWindow, l.NewPerAddress = time.Nanosecond, 2
	if err := l.Check(); err == nil {
		t.Error("2 new connections in a nanosecond are a limit")
	}
}

// TestSetLimits: what changes holds at once for everything that comes after, rates included.
func TestSetLimits(t *testing.T) {
	ts := startServer(t, func(ssh.Session) int { return 0 }, func(c *Config) { c.Limits.LimitLoopback = true })
	limits := patient()
	limits.LimitLoopback, limits.SessionsPerConnection = true, 1
	bad := limits
	bad.Unauth = 0
	if err := ts.srv.SetLimits(bad); err == nil || *ts.srv.limits.Load() == bad {
		t.Fatalf("a limit of 0 is taken: %v", err)
	}
	if err := ts.srv.SetLimits(limits); err != nil {
		t.Fatal(err)
	}
	c := ts.dial()
	channel(t, c)
	if got := run(t, c, "help"); !strings.Contains(got.err, "This connection has its 1 sessions already") {
		t.Errorf("a second session gets %+v", got)
	}
	limits.NewPerAddress, limits.NewWindow, limits.NewBurst = 1, time.Hour, 1
	if err := ts.srv.SetLimits(limits); err != nil {
		t.Fatal(err)
	}
	ts.dialTCP()
	if got := readAll(t, ts.dialTCP()); !strings.HasPrefix(got, "Too many new connections from your address") {
		t.Errorf("a second connection gets %q", got)
	}
}

// TestSetLimitsOfAccounts: the club takes other limits while it runs.
func TestSetLimitsOfAccounts(t *testing.T) {
	limits := DefaultLimits()
	limits.LimitLoopback = true
	club := newClub(t, func(c *ClubConfig) { c.Limits = limits })
	ts := serveClub(t, club)
	limits.NewAccounts = 1
	if err := club.SetLimits(limits); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 1} {
		if got := run(t, ts.dial(gossh.PublicKeys(newSigner(t))), "name player"+string(rune('a'+i))); got.status != want {
			t.Errorf("account %d: %+v, want status %d", i+1, got, want)
		}
	}
}
