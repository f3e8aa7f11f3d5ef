package club

import (
	"errors"
	"strings"
	"testing"

	"ludoteca/lobby"
	"ludoteca/sshapp"
	"ludoteca/sshapp/command"
)

// TestRunningLimits: every limit of serve --help is listed with its value and default, and can be changed as at the start, or is
// said to hold from the next start on.
func TestRunningLimits(t *testing.T) {
	s := DefaultConfig()
	s.Limits.Sessions = 77
	var server sshapp.Limits
	var club lobby.Limits
	applied := 0
	r := newRunningLimits(&s, func(l sshapp.Limits, c lobby.Limits) error { server, club, applied = l, c, applied+1; return nil })
	if all := r.List(); len(all) != len(limitsOf(&s)) || all[0] != (command.Limit{
		Name: "max-sessions", Value: "77", Default: "1000", Help: "sessions at once", Running: true,
	}) {
		t.Fatalf("%d limits, the first %+v", len(all), all[0])
	}
	var noted []string
	note := func(was command.Limit, value string) error {
		noted = append(noted, was.Name+" "+was.Value+" "+value)
		return nil
	}
	for _, tt := range []struct{ name, value, err string }{
		{"max-sessions", "5", ""},
		{"login-grace", "90s", ""},
		{"limit-loopback", "true", ""},
		{"max-offers", "3", ""},
		{"max-offers", "0", "must be more than 0"},
		{"max-sessions", "-1", "must be more than 0"},
		{"max-sessions", "many", "can't be"},
		{"new-connections-window", "1ns", "too short"},
		{"match-burst", "10", "while the club runs"},
		{"max-moves", "10", "no such limit"},
		{"listen", "0.0.0.0:22", "no such limit"},
		{"", "", "no such limit"},
	} {
		before := len(noted)
		err := r.Change(tt.name, tt.value, note)
		if (err == nil) != (tt.err == "") || err != nil && (!strings.Contains(err.Error(), tt.err) || len(noted) > before) {
			t.Errorf("%s=%s: %v, want %q; noted %q", tt.name, tt.value, err, tt.err, noted[before:])
		}
		if _, ok := errors.AsType[*command.LimitError](err); err != nil && !ok {
			t.Errorf("%s=%s: %v is not translated", tt.name, tt.value, err)
		}
	}
	if want := "max-sessions 77 5;login-grace 10s 1m30s;limit-loopback false true;max-offers 20 3"; strings.Join(noted, ";") != want {
		t.Errorf("noted %q, want %q", noted, want)
	}
	if server.Sessions != 5 || server.LoginGrace.Seconds() != 90 || !server.LimitLoopback || club.OpenOffers != 3 || applied != 4 {
		t.Errorf("applied %d times: %+v %+v", applied, server, club)
	}
	failed := errors.New("the disk is full")
	if err := r.Change("max-sessions", "6", func(command.Limit, string) error { return failed }); err != failed || r.List()[0].Value != "5" {
		t.Errorf("a change that can't be kept: %v, the limit is %+v", err, r.List()[0])
	}
}
