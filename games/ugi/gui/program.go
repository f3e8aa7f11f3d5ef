package gui

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode"
)

// endTime is how long a program has to end by itself, and outputTime how long its error output may go on after it has ended.
const (
	endTime    = time.Second
	outputTime = time.Second
)

// Start starts a program by a line of the shell, and returns the engine that it is. Its error output is not shown; the last line of it is
// part of the error about its end.
func Start(shell string) (*Engine, error) {
	p := &process{cmd: exec.Command("sh", "-c", shell), gone: make(chan struct{})}
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("start %.80q: %w", shell, err)
	}
	return Open(Link{From: p.from, To: p.to, End: p.end, Why: p.why}), nil
}

// A process is a program that runs.
type process struct {
	cmd    *exec.Cmd
	to     *os.File // its input
	from   *os.File // its output
	stderr tail

	gone   chan struct{} // closed when it has ended
	ended  sync.Once
	killed bool // it did not end by itself
}

// start starts the program. Its pipes are made here: a pipe of package exec ends with the program, before all is read.
func (p *process) start() error {
	stdin, to, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	from, stdout, err := os.Pipe()
	if err != nil {
		_ = to.Close()
		return err
	}
	defer stdout.Close()
	p.to, p.from = to, from
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = stdin, stdout, &p.stderr, outputTime
	ownGroup(p.cmd)
	if err := p.cmd.Start(); err != nil {
		_, _ = to.Close(), from.Close()
		return err
	}
	go func() { // ends with the program, for which end waits
		_ = p.cmd.Wait() // how it ended is in its state
		close(p.gone)
	}()
	return nil
}

// end waits until the program has ended, and kills it if that takes long, or at once without patience. What it has started is killed too.
func (p *process) end(patience bool) {
	p.ended.Do(func() {
		wait := time.Duration(0)
		if patience {
			wait = endTime
		}
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-p.gone:
		case <-timer.C:
			p.killed = true
		}
		killGroup(p.cmd)
		<-p.gone
		_, _ = p.to.Close(), p.from.Close()
	})
}

// why says how the program has ended, with the last line of its error output.
func (p *process) why() string {
	words := "it closed its output"
	if !p.killed {
		words = p.cmd.ProcessState.String()
	}
	if said := p.stderr.line(); said != "" {
		words += ": " + said
	}
	return words
}

// A tail keeps the end of what is written to it. It may be used by several goroutines.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is how many bytes a tail keeps, and maxSaid how many characters of its last line are shown.
const (
	maxTail = 4 << 10
	maxSaid = 200
)

// Write keeps the end of p.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-maxTail):]...)
	if extra := len(t.text) - maxTail; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// line returns the last line that is not empty, made safe to print.
func (t *tail) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.text), "\ufffd"))
	last := []rune(text[strings.LastIndexByte(text, '\n')+1:])
	last = last[:min(len(last), maxSaid)]
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, string(last))
}
