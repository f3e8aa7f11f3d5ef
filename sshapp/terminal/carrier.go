package terminal

import "io"

// A Carrier is what a session of the SSH server still says that it is. The driver doesn't use it any more.
type Carrier interface {
	io.ReadWriteCloser
	Carry(r Receiver)
	Start(p []byte)
}

// A Receiver belongs to Carrier.
type Receiver interface {
	Typed(chunk []byte) (reply []byte)
	HungUp()
	Written(err error)
}
