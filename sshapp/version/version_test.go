package version

import (
	"regexp"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestNumber(t *testing.T) {
	if !regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`).MatchString(Number) {
		t.Errorf("the version is %q", Number)
	}
}

func TestRead(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	settings := func(modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}}
	}
	for _, tt := range []struct {
		name  string
		build *debug.BuildInfo
		want  Info
		line  string
	}{
		{"no modules", nil, Info{Number, "", false, runtime.Version()}, Number + " (" + runtime.Version() + ")"},
		{"no repository", &debug.BuildInfo{}, Info{Number, "", false, runtime.Version()}, Number + " (" + runtime.Version() + ")"},
		{"clean", settings("false"), Info{Number, revision, false, runtime.Version()}, Number + " (commit 0123456789ab, " + runtime.Version() + ")"},
		{"dirty", settings("true"), Info{Number, revision, true, runtime.Version()}, Number + " (commit 0123456789ab, with changes, " + runtime.Version() + ")"},
	} {
		if got := read(tt.build); got != tt.want || got.String() != tt.line {
			t.Errorf("%s: %+v, %q; want %+v, %q", tt.name, got, got, tt.want, tt.line)
		}
	}
}
