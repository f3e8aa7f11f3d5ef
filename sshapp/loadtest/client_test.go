//go:build linux

package loadtest

import (
	"errors"
	"net"
	"testing"

	gossh "golang.org/x/crypto/ssh"
)

// A forgetful connection never answers a request for a channel, as one of x/crypto may when it ends at that moment.
type forgetful struct {
	gossh.Conn
	answers chan struct{}
}

func (c forgetful) OpenChannel(string, []byte) (gossh.Channel, <-chan *gossh.Request, error) {
	<-c.answers
	return nil, nil, errors.New("too late")
}

// TestChannelOfEndedConnection: a client that asks for a channel doesn't outlast its connection.
func TestChannelOfEndedConnection(t *testing.T) {
	ended, answers := make(chan struct{}), make(chan struct{})
	defer close(answers)
	close(ended)
	l := &Connection{Conn: forgetful{answers: answers}, ended: ended}
	if _, _, err := l.Run("who"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a command on a connection that has ended: %v, want %v", err, net.ErrClosed)
	}
}
