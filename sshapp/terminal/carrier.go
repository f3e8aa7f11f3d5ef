package terminal

import "sync"

// A Carrier is a Session that reads and writes in goroutines of its own. The driver starts none for it, which spares each key
// two ways from one goroutine to another on the way in, and one on the way out.
type Carrier interface {
	Session

	// Chunks brings what the client types. A chunk holds until the next one is taken. The channel is closed when the client has
	// closed its side.
	Chunks() <-chan []byte

	// Start begins to write p and waits for nobody. The one who calls it leaves p alone, and begins no other, until Written has
	// brought an answer: nil when the network has p. Written is closed when nothing more is written, answered or not.
	Start(p []byte)
	Written() <-chan error
}

func carrierOf(s Session) Carrier {
	if c, ok := s.(Carrier); ok {
		return c
	}
	c := &carried{
		Session: s, chunks: make(chan []byte), closed: make(chan struct{}),
		pieces: make(chan []byte, 1), written: make(chan error, 1),
	}
	c.working.Go(c.read)
	c.working.Go(c.write)
	return c
}

const (
	chunkBytes    = 512
	maxEmptyReads = 100 // in a row, from a session that breaks the rules of io.Reader
)

// carried makes a Carrier of any Session.
type carried struct {
	Session
	chunks  chan []byte
	pieces  chan []byte
	written chan error
	closed  chan struct{}
	working sync.WaitGroup
}

func (c *carried) Chunks() <-chan []byte { return c.chunks }
func (c *carried) Start(p []byte)        { c.pieces <- p }
func (c *carried) Written() <-chan error { return c.written }

// Close closes the session and waits for its goroutines.
func (c *carried) Close() error {
	err := c.Session.Close()
	close(c.closed)
	close(c.pieces)
	c.working.Wait()
	return err
}

// read has two buffers in turn: who asks for the second one is done with the first.
func (c *carried) read() {
	defer close(c.chunks)
	var buffers [2][chunkBytes]byte
	for i, empty := 0, 0; empty < maxEmptyReads; empty++ {
		n, err := c.Session.Read(buffers[i][:])
		if n > 0 {
			select {
			case c.chunks <- buffers[i][:n]:
			case <-c.closed:
				return
			}
			i, empty = i^1, 0
		}
		if err != nil {
			return
		}
	}
}

func (c *carried) write() {
	for p := range c.pieces {
		_, err := c.Session.Write(p)
		c.written <- err // has room: there is one piece at a time
	}
}
