package sshapp

import (
	"io"

	"ludoteca/sshapp/terminal"
)

// On the way of a key
//
// To wake a goroutine costs about as much as to deal with a key. So the one that has read a key, pump, also writes the answer.
// Most of the time that takes no longer than it takes to tell somebody else; but a client that reads nothing would keep pump from
// reading what it types, which would pile up. Then the two goroutines of a session change places: relay, which has nothing to
// write meanwhile, becomes pump, and the one that hangs becomes relay as soon as it can. A lookout sees to it.
//
//	pump:   read --chunk--> Typed --reply--> write --> Written
//	                                           |  hangs: relay reads on
//	relay:  work, from Start ---------------> write --> Written

var _ terminal.Carrier = (*Session)(nil)

// Carry has r told what the client types and what has been written, for whoever uses neither Read nor Write any more. It is a
// part of terminal.Carrier, and only for the Handler to call.
func (s *Session) Carry(r terminal.Receiver) {
	s.receiver = r
	close(s.carried)
}

// Start begins to write p and returns at once. It is a part of terminal.Carrier.
func (s *Session) Start(p []byte) {
	select {
	case s.work <- errand{s.ch, p}:
	case <-s.over: // which the receiver is told
	}
}

// A role is pump's or relay's. It returns the role that its goroutine has next; nil is none.
type role func() role

func play(r role) {
	for r != nil {
		r = r()
	}
}

// pump takes data from the channel. It has two buffers in turn: the reader asks for the second only when it is done with the
// first.
func (s *Session) pump() role {
	var buffers [2][1 << 10]byte
	for i := 0; ; i ^= 1 {
		n, err := s.ch.Read(buffers[i][:])
		if n > 0 {
			select {
			case s.input <- buffers[i][:n]:
			case <-s.carried: // and nobody reads from input
				if reply := s.receiver.Typed(buffers[i][:n]); len(reply) > 0 && s.reply(reply) {
					return s.relay
				}
			case <-s.ctx.Done():
				return nil
			}
		}
		if err != nil {
			close(s.input)
			s.tell(terminal.Receiver.HungUp)
			return nil
		}
	}
}

// reply writes the answer to a key. If that took so long that relay has become pump, it returns true.
func (s *Session) reply(p []byte) (relieved bool) {
	s.lookout.begin(s)
	err := send(s.ch, p)
	relieved = s.lookout.end(s)
	s.receiver.Written(err)
	return relieved
}

// An errand is what relay is to write, and where.
type errand struct {
	to io.Writer
	p  []byte
}

// relay does the writing, so that a write which hangs can be left behind.
func (s *Session) relay() role {
	for {
		select {
		case <-s.over:
			s.silent.Do(func() {
				close(s.sent)
				s.tell(func(r terminal.Receiver) { r.Written(ErrClosed) })
			})
			return nil
		case <-s.relieve:
			return s.pump
		case e := <-s.work:
			err := send(e.to, e.p)
			select {
			case <-s.carried:
				s.receiver.Written(err)
			default:
				s.sent <- err // never hangs: one place, and a writer waits for one answer
			}
		}
	}
}

// send writes p. All errors are one: the channel says EOF, whatever happened.
func send(to io.Writer, p []byte) error {
	if _, err := to.Write(p); err != nil {
		return ErrClosed
	}
	return nil
}

// tell tells the receiver the last thing that it hears, unless the Handler has returned and needs to hear nothing.
func (s *Session) tell(last func(terminal.Receiver)) {
	select {
	case <-s.carried:
		last(s.receiver)
	case <-s.served:
	}
}
