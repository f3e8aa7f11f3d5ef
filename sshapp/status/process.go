package status

import (
	"runtime"
	"runtime/metrics"
)

// Self returns memory use and number of goroutines of the running program.
func Self() Process {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return Process{MemoryBytes: int64(samples[0].Value.Uint64() - samples[1].Value.Uint64()), Goroutines: runtime.NumGoroutine()}
}

// build returns the version, with the beginning of the commit where it is known.
func (p Process) build() string {
	switch commit := p.Commit[:min(len(p.Commit), 12)]; {
	case commit == "":
		return p.Version
	case p.Dirty:
		return p.Version + " (" + commit + "+)"
	default:
		return p.Version + " (" + commit + ")"
	}
}
