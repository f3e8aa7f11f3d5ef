package mail

import (
	"context"
	"errors"
	"net"
	"time"
)

// errLong is the error of a server that doesn't stop talking.
var errLong = errors.New("the server says too much")

// A bounded connection reads maxAnswers bytes at most, and ends with the context of its mail, whatever deadlines the client sets.
type bounded struct {
	net.Conn
	ctx  context.Context // of the connection, which is one mail's
	end  func() bool
	left int
}

func newBounded(ctx context.Context, conn net.Conn) *bounded {
	b := &bounded{Conn: conn, ctx: ctx, left: maxAnswers}
	b.end = context.AfterFunc(ctx, func() { _ = conn.Close() }) // the reader gets the error
	return b
}

// Read implements net.Conn.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// SetDeadline implements net.Conn.
func (b *bounded) SetDeadline(t time.Time) error {
	if last, ok := b.ctx.Deadline(); ok && (t.IsZero() || t.After(last)) {
		t = last
	}
	return b.Conn.SetDeadline(t)
}

// Close implements net.Conn.
func (b *bounded) Close() error {
	b.end()
	return b.Conn.Close()
}
