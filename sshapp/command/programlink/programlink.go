// Package programlink has the link between the club and a program of a computer account: the input and the output of its session.
package programlink

import (
	"io"
	"sync"
	"time"

	"ludoteca/games/ugi/gui"
)

// A Link is the input and the output of a session whose other end is a program. Reads end as soon as the link does: a goroutine reads the
// session, which goes on until the session's input is closed.
type Link struct {
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

// New returns a link. hangUp ends the session. The caller must close the input, and then Wait.
func New(in io.Reader, out io.Writer, hangUp func()) *Link {
	l := &Link{
		in: in, out: out, hangUp: hangUp, chunks: make(chan []byte), taken: make(chan struct{}), over: make(chan struct{}), written: make(chan struct{}),
		gone: make(chan struct{}), mute: make(chan struct{}), turn: make(chan struct{}, 1),
	}
	l.reader.Go(l.read)
	return l
}

// GUI returns the link as package gui takes it.
func (l *Link) GUI() gui.Link {
	return gui.Link{From: l, To: input{l}, End: l.close, Why: func() string { return "" }}
}

// Wait returns when the session is not read any more.
func (l *Link) Wait() { l.reader.Wait() }

// read hands over what the program writes, until the input or the link ends.
func (l *Link) read() {
	defer close(l.gone)
	defer close(l.chunks)
	buffer := make([]byte, chunkBytes)
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

// chunkBytes is how many bytes are read at once.
const chunkBytes = 4 << 10

// Read reads what the program writes.
func (l *Link) Read(p []byte) (int, error) {
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

// An input is where a link writes commands.
type input struct{ link *Link }

func (p input) Write(b []byte) (int, error) {
	p.link.turn <- struct{}{} // there is one writer
	defer func() { <-p.link.turn }()
	select {
	case <-p.link.mute:
		return 0, io.ErrClosedPipe
	default:
		return p.link.out.Write(b)
	}
}

func (p input) Close() error {
	close(p.link.written)
	return nil
}

// lastWrite is how long the end of a link waits for the program to read the last command.
const lastWrite = time.Second

// close ends the link: nothing is read any more, and a program that doesn't read has lost its session.
func (l *Link) close(bool) {
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
