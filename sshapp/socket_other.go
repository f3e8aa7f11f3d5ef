//go:build !linux

package sshapp

import "net"

// socketOf returns the connection as it is: only on Linux is there a cheaper way to read and write.
func socketOf(conn net.Conn) net.Conn {
	if c, ok := conn.(*net.TCPConn); ok {
		boundUnread(c)
	}
	return conn
}
