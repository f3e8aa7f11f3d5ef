// Package version says which version of the program this is.
package version

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Number is the version of the program, as CHANGELOG.md lists it.
const Number = "1.0.0"

// commit is the commit that the program was built from, where no repository tells it, as in a container:
//
//	go build -ldflags "-X ludoteca/sshapp/version.commit=$(git rev-parse HEAD)"
var commit string

// An Info describes the program that runs.
type Info struct {
	Version string `json:"version"`
	Commit  string `json:"commit"` // "" if it isn't known
	Dirty   bool   `json:"dirty"`  // the sources had changes that weren't committed
	Go      string `json:"go"`     // the version of Go
}

// Read returns what is known of the program that runs.
func Read() Info {
	build, _ := debug.ReadBuildInfo() // nil without modules
	return read(build)
}

func read(build *debug.BuildInfo) Info {
	v := Info{Version: Number, Commit: commit, Go: runtime.Version()}
	if build == nil || commit != "" {
		return v
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Dirty = s.Value == "true"
		}
	}
	return v
}

// String returns the version in one line, with the beginning of the commit where it is known.
func (v Info) String() string {
	var more []string
	if v.Commit != "" {
		more = append(more, "commit "+v.Commit[:min(len(v.Commit), 12)])
	}
	if v.Dirty {
		more = append(more, "with changes")
	}
	if v.Go != "" {
		more = append(more, v.Go)
	}
	if len(more) == 0 {
		return v.Version
	}
	return v.Version + " (" + strings.Join(more, ", ") + ")"
}
