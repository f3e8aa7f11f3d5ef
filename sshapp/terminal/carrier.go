package terminal

import "sync"

// A Carrier is a Session that reads and writes in goroutines of its own. The driver starts none for it, and works for each key
// in the goroutine that has read it: to wake another one costs more than most keys do.
type Carrier interface {
	Session

	// Carry has what comes told to r, until the session is closed. It is called once, before Start.
	Carry(r Receiver)

	// Start begins to write p and waits for nobody. The one who calls it leaves p alone, and begins no other, until r has been
	// told that it was written.
	Start(p []byte)
}

// A Receiver is who works for a Carrier, in the goroutines of that. Its methods never wait for the client.
type Receiver interface {
	// Typed gets what the client has typed, and leaves it alone once it has returned. It may take its time with a client
	// that types too fast. A reply that isn't empty is for the caller to write, as if it had been given to Start. It should not
	// wait with the next chunk for a client that doesn't take the reply.
	Typed(chunk []byte) (reply []byte)

	// HungUp says that the client has closed its side: nothing more is typed.
	HungUp()

	// Written answers Start, or a reply of Typed: nil when the network has what was written. An error says that nothing more will be written,
	// whether something was under way or not.
	Written(err error)
}

func carrierOf(s Session) Carrier {
	if c, ok := s.(Carrier); ok {
		return c
	}
	return &carried{Session: s, pieces: make(chan []byte, 1)}
}

const (
	chunkBytes    = 512
	maxEmptyReads = 100 // in a row, from a session that breaks the rules of io.Reader
)

// carried makes a Carrier of any Session.
type carried struct {
	Session
	pieces  chan []byte // has room: there is one at a time
	working sync.WaitGroup
}

func (c *carried) Carry(r Receiver) {
	c.working.Go(func() { c.read(r) })
	c.working.Go(func() { c.write(r) })
}

func (c *carried) Start(p []byte) { c.pieces <- p }

// Close closes the session and waits for its goroutines.
func (c *carried) Close() error {
	err := c.Session.Close()
	close(c.pieces)
	c.working.Wait()
	return err
}

func (c *carried) read(r Receiver) {
	defer r.HungUp()
	var buffer [chunkBytes]byte
	for empty := 0; empty < maxEmptyReads; empty++ {
		n, err := c.Session.Read(buffer[:])
		if n > 0 {
			if reply := r.Typed(buffer[:n]); len(reply) > 0 {
				c.Start(reply)
			}
			empty = 0
		}
		if err != nil {
			return
		}
	}
}

func (c *carried) write(r Receiver) {
	for p := range c.pieces {
		_, err := c.Session.Write(p)
		r.Written(err)
	}
}
