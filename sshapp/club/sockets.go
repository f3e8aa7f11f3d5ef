package club

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"syscall"

	"ludoteca/sshapp"
)

// openSockets takes the sockets that systemd hands over, so that a restart refuses nobody, or else opens its own.
func openSockets(s *Config) (*sshapp.Sockets, error) {
	sockets, err := sshapp.SystemdSockets(s.Env)
	if err != nil {
		return nil, err
	}
	if len(sockets.SSH) == 0 {
		l, err := listen(s.Listen)
		if err != nil {
			return nil, errors.Join(err, sockets.Close())
		}
		sockets.SSH = append(sockets.SSH, l)
	}
	if sockets.Metrics == nil && s.Metrics != "" {
		if sockets.Metrics, err = listenMetrics(s); err != nil {
			return nil, errors.Join(err, sockets.Close())
		}
	}
	return sockets, nil
}

// otherFiles is how many descriptors the club needs besides its SSH connections: for listeners, the store, the log and connections to etcd.
const otherFiles = 64

// openFiles returns how many descriptors the program may have at a time (ulimit -n); the most there can be if that isn't known.
func openFiles() uint64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return math.MaxUint64
	}
	return l.Cur
}

// warnOfFewFiles warns if the descriptors are too few for the connections.
func warnOfFewFiles(log *slog.Logger, files uint64, connections int) {
	if need := uint64(max(connections, 0)) + otherFiles; files < need {
		log.Warn("too few files may be open for --max-connections: raise ulimit -n, or LimitNOFILE of the unit", "files", files, "needed", need)
	}
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

// listenMetrics opens the port for metrics, which are for this machine alone unless the settings say otherwise.
func listenMetrics(s *Config) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", s.Metrics)
	if err != nil {
		return nil, InvalidError{fmt.Errorf("--metrics %q: %w", s.Metrics, err)}
	}
	if !addr.IP.IsLoopback() && !s.MetricsPublic {
		return nil, InvalidError{fmt.Errorf("--metrics %s is not a loopback address; --metrics-public allows it", s.Metrics)}
	}
	l, err := listen(addr.String())
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return l, nil
}
