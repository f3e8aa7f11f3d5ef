package program

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Memory returns a value of the process's status in bytes: VmRSS is its resident memory, VmHWM the peak of that.
func (p *Process) Memory(name string) (bytes int64, err error) {
	text, err := p.Proc("status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("no %s", name)
}

// CPU returns the processor time that the process has used.
func (p *Process) CPU() (used time.Duration, err error) {
	stat, err := p.Proc("stat")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]) // the name may hold anything; the state comes next
	for _, f := range fields[11:13] {                                   // utime and stime
		ticks, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		used += time.Duration(ticks) * (time.Second / 100) // USER_HZ is 100 on every Linux that Go runs on
	}
	return used, nil
}

// Proc returns a file of the system about the process. The error says that the process is gone.
func (p *Process) Proc(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.Pid()), name))
	if err != nil {
		return "", fmt.Errorf("the process is gone: %w", err)
	}
	return string(text), nil
}
