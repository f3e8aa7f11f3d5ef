package command

import (
	"bytes"
	"io"
	"unicode/utf8"
)

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
		c.rub(echo)
	case b == ctrlU:
		for len(c.line) > 0 {
			c.rub(echo)
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

// rub takes the last character back.
func (c *Cooked) rub(echo *bytes.Buffer) {
	if len(c.line) == 0 {
		return
	}
	_, size := utf8.DecodeLastRune(c.line)
	c.line = c.line[:len(c.line)-size]
	echo.WriteString("\b \b")
}

// CRLF returns a writer that ends lines as a terminal without a line discipline wants them.
func CRLF(w io.Writer) io.Writer { return crlf{w} }

type crlf struct{ w io.Writer }

func (c crlf) Write(p []byte) (int, error) {
	if _, err := c.w.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}
