package program

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Process is a program that runs beside a test. Any goroutine may use its methods.
type Process struct {
	Ready string         // the line of its standard output by which it said that it is ready
	In    io.WriteCloser // its standard input
	Out   *bufio.Reader  // its standard output after Ready

	cmd     *exec.Cmd
	log     *log
	ended   chan struct{} // closed when it has ended
	failure error         // why it failed; to be read once it has ended
}

// A log is the standard error of a process.
type log struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Start starts a program and returns when a line of its standard output contains ready. With "" that is the first line. The caller must end the
// process. The method Stderr returns "" if cmd has a Stderr of its own.
func Start(cmd *exec.Cmd, ready string) (*Process, error) {
	p := &Process{cmd: cmd, log: new(log), ended: make(chan struct{})}
	if cmd.Stderr == nil {
		cmd.Stderr = p.log
	}
	var err error
	if p.In, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.Out = bufio.NewReader(out)
	for {
		p.Ready, err = p.Out.ReadString('\n')
		if err != nil || strings.Contains(p.Ready, ready) {
			break
		}
	}
	p.Ready = strings.TrimSpace(p.Ready)
	go func() { // ends with the process
		defer close(p.ended)
		p.failure = cmd.Wait()
	}()
	if err != nil {
		<-p.ended
		return nil, fmt.Errorf("%s does not start: %w\n%s", cmd, err, p.Stderr())
	}
	return p, nil
}

// Stderr returns what the process has written to its standard error so far.
func (p *Process) Stderr() string { return p.log.String() }

// Pid returns the number of the process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Signal sends the process a signal.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Running reports whether the process has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Wait waits until the process has ended, and returns why it failed.
func (p *Process) Wait() error {
	<-p.ended
	return p.failure
}

// State waits until the process has ended, and returns how.
func (p *Process) State() *os.ProcessState {
	<-p.ended
	return p.cmd.ProcessState
}

// Kill ends the process if it hasn't ended.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // fails when the process has ended
	<-p.ended
}

// Terminate sends the process SIGTERM, waits until it has ended, and returns why it failed. A process that hasn't ended after the given time
// prints the stacks of its goroutines in its log and ends.
func (p *Process) Terminate(within time.Duration) error {
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	late := time.AfterFunc(within, func() { _ = p.Signal(syscall.SIGQUIT) }) // fails when the process has ended
	<-p.ended
	if !late.Stop() {
		return fmt.Errorf("SIGTERM did not end the process in %v; its log has the stacks of its goroutines", within)
	}
	return p.failure
}
