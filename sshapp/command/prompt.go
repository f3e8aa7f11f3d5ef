package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
)

// MaxLine is the longest line that the prompt takes, in bytes.
const MaxLine = 4 << 10

// prompt stands on the complaints' stream, so that a script reads nothing but answers.
const prompt = "ludoteca> "

// Prompt reads commands, one a line, and runs each, until the input ends or a line says quit. It prints no escape sequence
// and works on any terminal, in a pipe and with a screen reader. It returns the status of the last command, and ends soon
// after ctx. It closes in, which must end a Read that hangs. A command that follows a match ends at the next line.
func (r *Runner) Prompt(ctx context.Context, who Caller, in io.ReadCloser, out, complaints io.Writer) int {
	ctx, cancel := context.WithCancel(ctx)
	lines, done := readLines(ctx, in)
	defer func() { cancel(); in.Close(); <-done }()

	fmt.Fprintln(complaints, "Ludoteca. One command a line: help lists them, quit leaves.")
	status := Done
	var waiting *typed // a line that came while a command was following a match
	for {
		fmt.Fprint(complaints, prompt)
		line, why := r.next(ctx, lines, &waiting)
		switch why {
		case inputEnded:
			fmt.Fprintln(complaints)
			return status
		case clubEnds:
			fmt.Fprintln(complaints, "\n"+text.Say{}.Error(lobby.ErrClosed))
			return Refused
		case wasIdle:
			fmt.Fprintln(complaints, "\nYou were away for long, so the club says goodbye. Come back soon.")
			return Refused
		}
		switch word := strings.TrimSpace(line.text); {
		case line.err != nil:
			fmt.Fprintln(complaints, line.err)
			status = Usage
		case word == "":
		case word == "quit" || word == "exit" || word == "q":
			return status
		default:
			var more bool
			status, waiting, more = r.runUntilLine(ctx, who, word, lines, out, complaints)
			if !more && ctx.Err() == nil { // the input has ended: this was the last
				return status
			}
		}
	}
}

// A typed is one line, or what was wrong with it.
type typed struct {
	text string
	err  error
}

// Why there is, or isn't, another line.
type whyNext uint8

const (
	another whyNext = iota
	inputEnded
	clubEnds // or the caller is gone, and hears nothing any more
	wasIdle
)

// next waits for a line, but not longer than Options.Idle.
func (r *Runner) next(ctx context.Context, lines <-chan typed, waiting **typed) (typed, whyNext) {
	if l := *waiting; l != nil {
		*waiting = nil
		return *l, another
	}
	var late <-chan time.Time
	if r.options.Idle > 0 {
		idle := time.NewTimer(r.options.Idle)
		defer idle.Stop()
		late = idle.C
	}
	select {
	case l, ok := <-lines:
		switch {
		case ok:
			return l, another
		case ctx.Err() != nil:
			return typed{}, clubEnds
		}
		return typed{}, inputEnded
	case <-late:
		return typed{}, wasIdle
	case <-ctx.Done():
		return typed{}, clubEnds
	}
}

// runUntilLine runs one command. If it is one that waits for things to happen, the next line ends it; the end of the input
// does not, so that a script can pipe in a command that follows a match. A command that was cut short is refused
// without a word.
func (r *Runner) runUntilLine(ctx context.Context, who Caller, line string, lines <-chan typed, out, complaints io.Writer) (status int, early *typed, more bool) {
	if words, err := split(line); err != nil || len(words) == 0 || words[0] != "watch" {
		return asStatus(r.perform(ctx, who, line, out, complaints)), nil, true
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan int, 1)
	go func() { ended <- r.perform(ctx, who, line, out, complaints) }()
	more = true
	for {
		select {
		case status := <-ended:
			return asStatus(status), early, more
		case l, ok := <-lines:
			if ok {
				early = &l
				cancel()
			}
			more, lines = ok, nil
		}
	}
}

func asStatus(status int) int {
	if status == cutShort {
		return Refused
	}
	return status
}

var errLongLine = errors.New("That line is too long; nothing was done.") //lint:ignore ST1005 it is said to a person as it is

// readLines reads lines until in ends or ctx does; done is closed when it has stopped.
func readLines(ctx context.Context, in io.Reader) (<-chan typed, <-chan struct{}) {
	lines, done := make(chan typed), make(chan struct{})
	go func() {
		defer close(done)
		defer close(lines)
		b := bufio.NewReaderSize(in, MaxLine)
		for {
			part, tooLong, err := b.ReadLine()
			l := typed{text: string(part)}
			for tooLong && err == nil {
				l = typed{err: errLongLine}
				_, tooLong, err = b.ReadLine()
			}
			if err != nil {
				return
			}
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines, done
}
