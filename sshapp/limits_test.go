package sshapp

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
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
	if err := good.check(); err != nil {
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
			if err := l.check(); err == nil || !strings.Contains(err.Error(), f.Name) {
				t.Errorf("%s = %d: %v, want an error that names it", f.Name, bad, err)
			}
		}
	}
	// A rate without an interval would let everybody in.
	l := DefaultLimits()
	l.NewWindow, l.NewPerAddress = time.Nanosecond, 2
	if err := l.check(); err == nil {
		t.Error("2 new connections in a nanosecond are a limit")
	}
}
