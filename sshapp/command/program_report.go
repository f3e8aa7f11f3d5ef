package command

import (
	"io"
	"sync"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/engines"
	"ludoteca/sshapp/text"
)

// A reporter writes on stderr what the owner of a program should know. What doesn't fit in its queue is dropped: the program may not read.
type reporter struct {
	call   *call
	who    lobby.User
	lines  chan string
	writer sync.WaitGroup
}

// maxReports is how many lines wait.
const maxReports = 64

// newReporter returns a reporter. close must be called.
func newReporter(c *call, who lobby.User) *reporter {
	r := &reporter{call: c, who: who, lines: make(chan string, maxReports)}
	r.writer.Go(func() {
		for line := range r.lines {
			_, _ = io.WriteString(c.stderr, line+"\n") // fails only for a client that is gone
		}
	})
	return r
}

// close writes what waits, and returns when that is done.
func (r *reporter) close() {
	close(r.lines)
	r.writer.Wait()
}

// line queues a line.
func (r *reporter) line(words string) {
	select {
	case r.lines <- words:
	default:
	}
}

// report queues what has happened in a session.
func (r *reporter) report(e engines.Report) { r.line(r.words(e)) }

// words says what has happened.
func (r *reporter) words(e engines.Report) string {
	say := r.call.say
	if e.Event == engines.Refused {
		return say.T("No match begins now: %s", say.Error(e.Err))
	}
	v := e.View
	side, _ := v.Side(r.who)
	other := say.Occupant(v.Seats[side.Other()])
	switch e.Event {
	case engines.Began:
		return say.T("%s: against %s, %s.", v.Code, other, say.YouPlay(side))
	case engines.Resumed:
		return say.T("%s: goes on against %s, %s.", v.Code, other, say.YouPlay(side))
	case engines.Fault:
		return say.T("%s: lost by a fault of the program: %s", v.Code, text.Clean(r.fault(e.Err)))
	}
	ending := say.Ending(v.Game.About(), v.Options, v.Result, v.Reason, say.Occupant(v.Seats[games.First]), say.Occupant(v.Seats[games.Second]))
	return say.T("%s: %s.", v.Code, ending)
}

// fault says what a program has done wrong. What the protocol finds wrong with a line is in English.
func (r *reporter) fault(err error) string {
	if words := r.call.say.Error(err); words != "" && words != r.call.say.Error(errUnknown) {
		return words
	}
	return err.Error()
}
