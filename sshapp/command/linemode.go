package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
)

// MaxLine is the longest line that the line mode takes, in bytes.
const MaxLine = 4 << 10

// prompt stands on the complaints' stream, so that a script reads nothing but answers.
const prompt = "ludoteca> "

// LineMode reads commands, one a line, and runs each, until the input ends or a line says quit. It prints no escape sequence
// and works on any terminal, in a pipe and with a screen reader. It returns the status of the last command, and ends soon
// after ctx. It closes in, which must end a Read that hangs. A command that follows a match ends at the next line.
func (r *Runner) LineMode(ctx context.Context, who Caller, in io.ReadCloser, out, complaints io.Writer) int {
	ctx, cancel := context.WithCancel(ctx)
	m := &lineMode{runner: r, caller: who, lines: make(chan line), out: out, complaints: complaints}
	var reading sync.WaitGroup
	reading.Go(func() { m.read(ctx, in) })
	defer func() { cancel(); in.Close(); reading.Wait() }()
	return m.serve(ctx)
}

// A lineMode is one run of LineMode.
type lineMode struct {
	runner          *Runner
	caller          Caller
	lines           chan line // closed when the input or the context has ended
	early           *line     // came while a command was following a match
	out, complaints io.Writer
}

// A line is what was typed, or what was wrong with it.
type line struct {
	text string
	err  error
}

var errLongLine = errors.New("That line is too long; nothing was done.") //lint:ignore ST1005 it is said to a person as it is

// read reads lines until in ends or ctx does.
func (m *lineMode) read(ctx context.Context, in io.Reader) {
	defer close(m.lines)
	b := bufio.NewReaderSize(in, MaxLine)
	for {
		part, tooLong, err := b.ReadLine()
		l := line{text: string(part)}
		for tooLong && err == nil {
			l = line{err: errLongLine}
			_, tooLong, err = b.ReadLine()
		}
		if err != nil {
			return
		}
		select {
		case m.lines <- l:
		case <-ctx.Done():
			return
		}
	}
}

func (m *lineMode) serve(ctx context.Context) (status int) {
	fmt.Fprintln(m.complaints, "Ludoteca. One command a line: help lists them, quit leaves.")
	for {
		fmt.Fprint(m.complaints, prompt)
		l, err := m.next(ctx)
		switch err {
		case io.EOF:
			fmt.Fprintln(m.complaints)
			return status
		case lobby.ErrClosed: // or the caller is gone, and hears nothing any more
			fmt.Fprintln(m.complaints, "\n"+text.Say{}.Error(err))
			return Refused
		case errIdle:
			fmt.Fprintln(m.complaints, "\nYou were away for long, so the club says goodbye. Come back soon.")
			return Refused
		}
		switch typed := strings.TrimSpace(l.text); {
		case l.err != nil:
			fmt.Fprintln(m.complaints, l.err)
			status = Usage
		case typed == "":
		case typed == "quit" || typed == "exit" || typed == "q":
			return status
		default:
			var more bool
			status, more = m.run(ctx, typed)
			if !more && ctx.Err() == nil { // the input has ended: this was the last
				return status
			}
		}
	}
}

// errIdle means that no line came for Options.Idle.
var errIdle = errors.New("no line for too long")

// next waits for a line. The error is io.EOF, lobby.ErrClosed when ctx has ended, or errIdle.
func (m *lineMode) next(ctx context.Context) (line, error) {
	if l := m.early; l != nil {
		m.early = nil
		return *l, nil
	}
	var late <-chan time.Time
	if m.runner.options.Idle > 0 {
		idle := time.NewTimer(m.runner.options.Idle)
		defer idle.Stop()
		late = idle.C
	}
	select {
	case l, ok := <-m.lines:
		switch {
		case ok:
			return l, nil
		case ctx.Err() != nil:
			return line{}, lobby.ErrClosed
		}
		return line{}, io.EOF
	case <-late:
		return line{}, errIdle
	case <-ctx.Done():
		return line{}, lobby.ErrClosed
	}
}

// run runs one command. If it follows a match, the next line ends it, without a word; the end of the input does not, so that a
// script can pipe such a command in. more is false when the input has ended meanwhile.
func (m *lineMode) run(ctx context.Context, typed string) (status int, more bool) {
	perform := func(ctx context.Context) {
		status, _ = m.runner.perform(ctx, m.caller, typed, m.out, m.complaints)
	}
	words, err := split(typed)
	if d := find(table(), append(words, "")[0]); err != nil || d == nil || !d.follows {
		perform(ctx)
		return status, true
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	var following sync.WaitGroup
	following.Go(func() { defer close(ended); perform(ctx) })
	defer following.Wait()
	more = true
	lines := m.lines
	for {
		select {
		case <-ended:
			return status, more
		case l, ok := <-lines:
			if ok {
				m.early = &l
				cancel()
			}
			more, lines = ok, nil
		}
	}
}

// Cooked does for a terminal without abilities (TERM=dumb, or none) what a system's line discipline does elsewhere: the
// client's own is switched off once it has asked for a pty. It shows what is typed, lets it be corrected, and gives
// Read whole lines. It writes nothing but printable characters, backspaces, carriage returns and line feeds.
type Cooked struct {
	in    io.ReadCloser
	out   io.Writer
	line  []byte // being typed
	ready []byte // typed, and not read yet
	eof   bool
	raw   [256]byte
}

// NewCooked returns a line discipline between a session's bytes and a reader of lines.
func NewCooked(in io.ReadCloser, out io.Writer) *Cooked { return &Cooked{in: in, out: out} }

// Close closes the input.
func (c *Cooked) Close() error { return c.in.Close() }

// Read returns bytes of lines that have been ended with enter.
func (c *Cooked) Read(p []byte) (int, error) {
	for len(c.ready) == 0 {
		if c.eof {
			return 0, io.EOF
		}
		n, err := c.in.Read(c.raw[:])
		var echo bytes.Buffer
		for _, b := range c.raw[:n] {
			c.key(b, &echo)
		}
		if echo.Len() > 0 {
			if _, err := c.out.Write(echo.Bytes()); err != nil {
				return 0, err
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	return n, nil
}

// The keys that are not text.
const (
	ctrlC     = 0x03
	ctrlD     = 0x04
	ctrlU     = 0x15
	backspace = 0x08
	del       = 0x7f
)

func (c *Cooked) key(b byte, echo *bytes.Buffer) {
	switch {
	case c.eof:
	case b == '\r' || b == '\n':
		c.ready = append(append(c.ready, c.line...), '\n')
		c.line = c.line[:0]
		echo.WriteString("\r\n")
	case b == backspace || b == del:
		c.erase(echo)
	case b == ctrlU:
		for len(c.line) > 0 {
			c.erase(echo)
		}
	case b == ctrlC || b == ctrlD && len(c.line) == 0:
		c.eof = true
		echo.WriteString("\r\n")
	case b < ' ' || len(c.line) >= MaxLine:
	default:
		c.line = append(c.line, b)
		echo.WriteByte(b)
	}
}

// erase takes the last character back.
func (c *Cooked) erase(echo *bytes.Buffer) {
	if len(c.line) == 0 {
		return
	}
	_, size := utf8.DecodeLastRune(c.line)
	c.line = c.line[:len(c.line)-size]
	echo.WriteString("\b \b")
}
