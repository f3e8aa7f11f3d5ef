package status

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Self returns the version, memory use and number of goroutines of the running program.
func Self() Process {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return Process{
		Version: version(), MemoryBytes: int64(samples[0].Value.Uint64() - samples[1].Value.Uint64()), Goroutines: runtime.NumGoroutine(),
	}
}

// version returns the version that the program was built from: the version of its module, or else its revision.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(len(s.Value), 12)]
		}
	}
	return "unknown"
})
