package lobby

import "syscall"

// stepsBack is by how many steps the priority of a thread steps back. Each takes a fifth off its share of a core beside others.
const stepsBack = 5

// lowest is the lowest priority there is.
const lowest = 19

// stepBack lowers the priority of the thread that the calling goroutine is locked to, for good. Where that is not allowed,
// it thinks beside people as one of them.
func stepBack() {
	if nice, err := niceness(); err == nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), min(nice+stepsBack, lowest))
	}
}

// niceness returns how far the calling thread stands back.
func niceness() (int, error) {
	raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, syscall.Gettid())
	return 20 - raw, err // the system call itself returns 1 to 40
}
