package sshapp

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// A socket is a TCP connection whose reads and writes the scheduler isn't told of.
//
// Before an ordinary system call Go wakes the thread that watches over calls that hang, and that thread then looks around every
// 20 µs until all is quiet again. When somebody presses a key in a quiet club that costs as much as the key. The descriptor of
// a network connection never hangs: if there is nothing to read, or no room to write, the call says so and the poller waits, as
// it does for package net. So nobody needs to be told. What does hang, such as the disk, still tells. The thread's other duty, to
// have those who compute for long make way, it takes up with the next such call or timer, of which a club at play has many; and
// there is a thread to spare for each computer player that thinks.
type socket struct {
	*net.TCPConn
	raw syscall.RawConn

	reading sync.Mutex // guards read
	read    transfer

	writing sync.Mutex // guards write
	write   transfer
}

// A transfer is one call of Read or of Write.
type transfer struct {
	step func(fd uintptr) bool // made once: a new one for each call would be garbage
	p    []byte
	n    int
	err  error
}

// socketOf returns the connection as a socket, and one that isn't TCP as it is.
func socketOf(conn net.Conn) net.Conn {
	c, ok := conn.(*net.TCPConn)
	if !ok {
		return conn
	}
	boundUnread(c)
	raw, err := c.SyscallConn()
	if err != nil {
		return conn // closed already: it says so itself
	}
	s := &socket{TCPConn: c, raw: raw}
	s.read.step, s.write.step = s.readSome, s.writeAll
	return s
}

// Read implements net.Conn.
func (s *socket) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	n, err := s.read.run(s.raw.Read, p)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// Write implements net.Conn.
func (s *socket) Write(p []byte) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.write.run(s.raw.Write, p)
}

// run does the step as often as the poller says that there may be something to do.
func (t *transfer) run(when func(step func(fd uintptr) (done bool)) error, p []byte) (int, error) {
	t.p, t.n, t.err = p, 0, nil
	err := when(t.step)
	if err == nil {
		err = t.err
	}
	t.p = nil
	return t.n, err
}

// readSome reads what there is. It isn't done if there is nothing.
func (s *socket) readSome(fd uintptr) (done bool) {
	n, err := call(syscall.SYS_READ, fd, s.read.p)
	if err == syscall.EAGAIN {
		return false
	}
	s.read.n, s.read.err = n, s.failed("read", err)
	return true
}

// writeAll writes what there is room for. It isn't done until that was all.
func (s *socket) writeAll(fd uintptr) (done bool) {
	for s.write.n < len(s.write.p) {
		n, err := call(syscall.SYS_WRITE, fd, s.write.p[s.write.n:])
		if err == syscall.EAGAIN {
			return false
		}
		s.write.n += n
		if s.write.err = s.failed("write", err); s.write.err != nil {
			return true
		}
	}
	return true
}

// failed dresses an error as package net does.
func (s *socket) failed(op string, err syscall.Errno) error {
	if err == 0 {
		return nil
	}
	return &net.OpError{Op: op, Net: "tcp", Source: s.LocalAddr(), Addr: s.RemoteAddr(), Err: os.NewSyscallError(op, err)}
}

// call makes a system call with a descriptor that doesn't hang, and with p, which isn't empty.
func call(number, fd uintptr, p []byte) (int, syscall.Errno) {
	for {
		n, _, err := syscall.RawSyscall(number, fd, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
		switch err {
		case 0:
			return int(n), 0
		case syscall.EINTR:
		default:
			return 0, err
		}
	}
}
