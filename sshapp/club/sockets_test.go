package club

import (
	"bytes"
	"log/slog"
	"math"
	"net"
	"strings"
	"testing"
)

func TestListenMetrics(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0", "localhost:0"} {
		if here, err := net.Listen("tcp", addr); err != nil {
			t.Logf("this machine has no %s: %v", addr, err)
			continue
		} else {
			_ = here.Close()
		}
		s := Config{Metrics: addr}
		l, err := listenMetrics(&s)
		if err != nil {
			t.Errorf("--metrics %s: %v", addr, err)
			continue
		}
		_ = l.Close()
	}
	s := Config{Metrics: ":0", MetricsPublic: true}
	l, err := listenMetrics(&s)
	if err != nil {
		t.Fatalf("--metrics-public: %v", err)
	}
	_ = l.Close()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s = Config{Metrics: taken.Addr().String()}
	if _, err := listenMetrics(&s); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("a taken port: %v", err)
	}
}

// TestFewFiles: the log warns where fewer files may be open than there may be connections.
func TestFewFiles(t *testing.T) {
	for _, tt := range []struct {
		files       uint64
		connections int
		warns       bool
	}{{1024, 1500, true}, {1563, 1500, true}, {1564, 1500, false}, {math.MaxUint64, 1500, false}} {
		var log bytes.Buffer
		warnOfFewFiles(slog.New(slog.NewTextHandler(&log, nil)), tt.files, tt.connections)
		if strings.Contains(log.String(), "ulimit -n") != tt.warns {
			t.Errorf("%d files for %d connections: %q", tt.files, tt.connections, &log)
		}
	}
	if openFiles() < otherFiles {
		t.Errorf("%d files may be open, and the tests run", openFiles())
	}
}
