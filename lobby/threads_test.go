package lobby

import (
	"runtime"
	"testing"
)

func TestThreads(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		procs, cores, workers int
		want                  int
	}{
		{"one core", 1, 1, 1, 2},
		{"two cores", 2, 2, 1, 3},
		{"many cores", 16, 16, 15, 31},
		{"few computer players", 16, 16, 2, 18},
		{"more computer players than cores", 2, 2, 4, 6},
		{"a quota of two cores", 2, 16, 1, 2},
		{"somebody has asked for more", 24, 16, 15, 24},
	} {
		if got := threads(tt.procs, tt.cores, tt.workers); got != tt.want {
			t.Errorf("%s: %d threads, want %d", tt.name, got, tt.want)
		}
	}
}

func TestMakeRoom(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	undo := MakeRoom(3)
	if got, want := runtime.GOMAXPROCS(0), threads(before, runtime.NumCPU(), 3); got != want {
		t.Errorf("%d threads with three computer players, want %d", got, want)
	}
	undo()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("%d threads afterwards, want the %d of before", got, before)
	}
}
