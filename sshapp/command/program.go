package command

import (
	"io"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/ugi/gui"
	"ludoteca/lobby"
	"ludoteca/lobby/engines"
	"ludoteca/sshapp/text"
)

// A programLink is the input and the output of a session whose other end is a program. Reads end as soon as the link does: a goroutine reads the
// session, which goes on until the session's input is closed.
type programLink struct {
	in     io.Reader
	out    io.Writer
	hangUp func()

	chunks  chan []byte
	taken   chan struct{} // the chunk was copied
	over    chan struct{} // closed when nothing is read any more
	gone    chan struct{} // closed when the program writes no more
	mute    chan struct{} // closed when nothing is written any more
	turn    chan struct{} // holds one while a command is written
	end     sync.Once
	written chan struct{} // closed after the last command
	reader  sync.WaitGroup
	rest    []byte
}

// newProgramLink returns a link. wait must be called after the input was closed.
func newProgramLink(in io.Reader, out io.Writer, hangUp func()) *programLink {
	l := &programLink{
		in: in, out: out, hangUp: hangUp, chunks: make(chan []byte), taken: make(chan struct{}), over: make(chan struct{}), written: make(chan struct{}),
		gone: make(chan struct{}), mute: make(chan struct{}), turn: make(chan struct{}, 1),
	}
	l.reader.Go(l.read)
	return l
}

// link returns the link as package gui takes it.
func (l *programLink) link() gui.Link {
	return gui.Link{From: l, To: programInput{l}, End: l.close, Why: func() string { return "" }}
}

// wait returns when the session is not read any more.
func (l *programLink) wait() { l.reader.Wait() }

// read hands over what the program writes, until the input or the link ends.
func (l *programLink) read() {
	defer close(l.gone)
	defer close(l.chunks)
	buffer := make([]byte, programChunk)
	for {
		n, err := l.in.Read(buffer)
		if n > 0 {
			select {
			case l.chunks <- buffer[:n]:
			case <-l.over:
				return
			}
			select {
			case <-l.taken:
			case <-l.over:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// programChunk is how many bytes are read at once.
const programChunk = 4 << 10

// Read reads what the program writes.
func (l *programLink) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		select {
		case <-l.over:
			return 0, io.EOF
		case chunk, ok := <-l.chunks:
			if !ok {
				return 0, io.EOF
			}
			l.rest = append(l.rest[:0], chunk...)
			select {
			case l.taken <- struct{}{}:
			case <-l.over:
			}
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// A programInput is where a link writes commands.
type programInput struct{ link *programLink }

func (p programInput) Write(b []byte) (int, error) {
	p.link.turn <- struct{}{} // there is one writer
	defer func() { <-p.link.turn }()
	select {
	case <-p.link.mute:
		return 0, io.ErrClosedPipe
	default:
		return p.link.out.Write(b)
	}
}

func (p programInput) Close() error {
	close(p.link.written)
	return nil
}

// lastWrite is how long the end of a link waits for the program to read the last command.
const lastWrite = time.Second

// close ends the link: nothing is read any more, and a program that doesn't read has lost its session.
func (l *programLink) close(bool) {
	l.end.Do(func() {
		close(l.over)
		timer := time.NewTimer(lastWrite)
		defer timer.Stop()
		defer close(l.mute)
		select {
		case <-l.written:
			return
		case <-l.gone:
		case <-timer.C:
			l.hangUp()
			return
		}
		select {
		case l.turn <- struct{}{}:
			<-l.turn
		case <-timer.C:
			l.hangUp()
		}
	})
}

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
