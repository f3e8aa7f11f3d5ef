package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"ludoteca/sshapp"
)

// metricsSocket is the name of the one socket that systemd may hand over for metrics; all others are for SSH.
const metricsSocket = "metrics"

// sockets are what the club listens on.
type sockets struct {
	ssh     []net.Listener // at least one
	metrics net.Listener   // nil: there are no metrics
}

// openSockets takes the sockets that systemd hands over, so that a restart refuses nobody, or else opens its own.
func openSockets(s *settings, p process) (*sockets, error) {
	handed, err := handedOver(p)
	if err != nil {
		return nil, err
	}
	if len(handed.ssh) == 0 {
		l, err := listen(s.listen)
		if err != nil {
			return nil, errors.Join(err, handed.Close())
		}
		handed.ssh = append(handed.ssh, l)
	}
	if handed.metrics == nil && s.metrics != "" {
		if handed.metrics, err = listenMetrics(s); err != nil {
			return nil, errors.Join(err, handed.Close())
		}
	}
	return handed, nil
}

// Close closes what nobody else has closed.
func (s *sockets) Close() error {
	closers := make([]io.Closer, 0, len(s.ssh)+1)
	for _, l := range s.ssh {
		closers = append(closers, l)
	}
	if s.metrics != nil {
		closers = append(closers, s.metrics)
	}
	var failed error
	for _, c := range closers {
		if err := c.Close(); !errors.Is(err, net.ErrClosed) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// metricsAt is where the metrics are; "" if there are none.
func (s *sockets) metricsAt() string {
	if s.metrics == nil {
		return ""
	}
	return s.metrics.Addr().String()
}

func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("cannot listen on %s: another program does; choose another address with --listen", addr)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("cannot listen on %s: the system does not allow it; ports below 1024 need the right to", addr)
	case err != nil:
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	return l, nil
}

// listenMetrics opens the port for metrics, which are for this machine alone unless somebody wants it otherwise.
func listenMetrics(s *settings) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", s.metrics)
	if err != nil {
		return nil, usageError{fmt.Errorf("--metrics %q: %w", s.metrics, err)}
	}
	if !addr.IP.IsLoopback() && !s.metricsPublic {
		return nil, usageError{fmt.Errorf("--metrics %s is not a loopback address; --metrics-public allows it", s.metrics)}
	}
	l, err := listen(addr.String())
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return l, nil
}

// firstHandedOver is the first descriptor that systemd hands over; see sd_listen_fds(3).
const firstHandedOver = 3

// handedOver returns the sockets that systemd has opened for this process; there may be none.
func handedOver(p process) (*sockets, error) {
	s := &sockets{}
	pid, _ := p.env("LISTEN_PID")
	count, _ := p.env("LISTEN_FDS")
	if pid != strconv.Itoa(os.Getpid()) || count == "" {
		return s, nil // what is there is for somebody else
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > 64 {
		return nil, fmt.Errorf("LISTEN_FDS is %q, which is no number of sockets", count)
	}
	list, _ := p.env("LISTEN_FDNAMES")
	names := strings.Split(list, ":")
	for i := range n {
		l, err := listenerOf(firstHandedOver + i)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("socket %d of systemd: %w", i+1, err), s.Close())
		}
		switch {
		case i >= len(names) || names[i] != metricsSocket:
			s.ssh = append(s.ssh, l)
		case s.metrics == nil:
			s.metrics = l
		default:
			return nil, errors.Join(errors.New("systemd hands over two sockets for metrics"), l.Close(), s.Close())
		}
	}
	return s, nil
}

// listenerOf makes a listener of a descriptor, which it takes over.
func listenerOf(fd int) (net.Listener, error) {
	syscall.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), "socket")
	if f == nil {
		return nil, errors.New("there is none")
	}
	defer f.Close() // the listener has a copy
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("it can't be listened on: %w", err)
	}
	if _, ok := l.(*net.TCPListener); !ok {
		return nil, errors.Join(fmt.Errorf("it is of type %s, want TCP", l.Addr().Network()), l.Close())
	}
	return l, nil
}

// serveAll serves all listeners until ctx ends or one of them fails, which ends the others.
func serveAll(ctx context.Context, server *sshapp.Server, listeners []net.Listener, proxies []netip.Prefix) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(listeners))
	var serving sync.WaitGroup
	for i, l := range listeners {
		if len(proxies) > 0 {
			l = server.BehindProxies(l, proxies)
		}
		serving.Go(func() {
			defer cancel()
			errs[i] = server.Serve(ctx, l)
		})
	}
	serving.Wait()
	return errors.Join(errs...)
}

// notify tells systemd what becomes of the service, if it wants to hear; see sd_notify(3).
func notify(p process, state string) error {
	path, _ := p.env("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"}) // an @ in front is understood
	if err != nil {
		return fmt.Errorf("systemd can't be told %s: %w", state, err)
	}
	_, err = io.WriteString(conn, state)
	return errors.Join(err, conn.Close())
}
