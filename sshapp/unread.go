package sshapp

import "net"

// maxUnread is about how many bytes the system keeps for a client who reads nothing; it may keep twice as many. Where it is left
// to it, it keeps megabytes: such a client would be sent frames for a minute that nobody looks at, and one who is only slow
// would see how things stood long ago.
const maxUnread = 64 << 10

// boundUnread bounds what the system keeps for a client. It fails only on a connection that is gone, which says so itself.
func boundUnread(conn *net.TCPConn) { _ = conn.SetWriteBuffer(maxUnread) }
