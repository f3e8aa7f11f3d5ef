package sshapp

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"charm.land/ssh"
	"github.com/spf13/pflag"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/flagset"
)

// flagsOf returns the flags of limits.
func flagsOf(l *Limits) *pflag.FlagSet {
	flags := pflag.NewFlagSet("limits", pflag.ContinueOnError)
	l.AddFlags(flags)
	return flags
}

// TestFlags: every limit is a flag and an environment variable, once, with words.
func TestFlags(t *testing.T) {
	var l Limits
	flags := flagsOf(&l)
	set := map[int]string{} // by field
	flags.VisitAll(func(f *pflag.Flag) {
		if want := "LUDOTECA_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")); flagset.Variable(f) != want {
			t.Errorf("%s: environment variable %s, want %s", f.Name, flagset.Variable(f), want)
		}
		if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(f.Name) || f.Usage == "" {
			t.Errorf("flag %q: %q", f.Name, f.Usage)
		}
		value := map[string]string{"int": "7", "duration": "7s", "bool": "true"}[f.Value.Type()]
		before := l
		if err := flags.Set(f.Name, value); err != nil {
			t.Errorf("%s=%s: %v", f.Name, value, err)
		}
		for i := range reflect.TypeFor[Limits]().NumField() {
			if !reflect.ValueOf(before).Field(i).Equal(reflect.ValueOf(l).Field(i)) {
				if other := set[i]; other != "" {
					t.Errorf("%s sets what %s sets", f.Name, other)
				}
				set[i] = f.Name
			}
		}
	})
	for i := range reflect.TypeFor[Limits]().NumField() {
		if set[i] == "" {
			t.Errorf("no flag sets %s", reflect.TypeFor[Limits]().Field(i).Name)
		}
	}
}

func TestLimitsCheck(t *testing.T) {
	good := DefaultLimits()
	if err := good.Check(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	checked := 0
	flagsOf(&good).VisitAll(func(f *pflag.Flag) {
		for _, bad := range map[string][]string{"int": {"0", "-1"}, "duration": {"0s", "-1ns"}}[f.Value.Type()] {
			l := DefaultLimits()
			if err := flagsOf(&l).Set(f.Name, bad); err != nil {
				t.Fatal(err)
			}
			checked++
			if err := l.Check(); err == nil || !strings.Contains(err.Error(), f.Name) {
				t.Errorf("%s = %s: %v, want an error that names it", f.Name, bad, err)
			}
		}
	})
	if checked < 40 {
		t.Errorf("only %d limits are checked", checked)
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
	if got := run(t, c, "help"); !strings.Contains(got.err, "This connection has its 1 session already") {
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
