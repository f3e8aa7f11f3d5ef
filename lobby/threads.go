package lobby

import "runtime"

// MakeRoom lets as many threads more run Go code as computer players think at a time, until undo is called. Where there are
// no more of them than cores, a key waits for one that somebody thinks on until the scheduler takes it away, every ten
// milliseconds; now it never does, and the system decides who has a core, first those that have had the least.
//
// From then on the number no longer follows a quota of processor time that changes while the club runs. It is for the program
// to call, which has the process to itself.
func MakeRoom(workers int) (undo func()) {
	before := runtime.GOMAXPROCS(0)
	if with := threads(before, runtime.NumCPU(), workers); with != before {
		runtime.GOMAXPROCS(with)
		return runtime.SetDefaultGOMAXPROCS
	}
	return func() {}
}

// threads returns how many threads may run Go code at a time, where so many may by default. If these are not as many as there
// are cores, a quota says so, or the keeper; with more threads a quota would only be used up sooner, and then nobody has any.
func threads(procs, cores, workers int) int {
	if procs != cores {
		return procs
	}
	return cores + workers
}
