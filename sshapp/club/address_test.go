package club

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestProxyWithoutAddress: the log warns when the address that people are told doesn't lead through the proxy.
func TestProxyWithoutAddress(t *testing.T) {
	const proxy, etcd, public = "--proxy-from=192.0.2.10", "--store=etcd://127.0.0.1:2379", "--public-address=play.example.com"
	for _, tt := range []struct {
		args  []string
		warns bool
	}{
		{nil, false},
		{[]string{public}, false},
		{[]string{proxy}, true},
		{[]string{etcd}, true},
		{[]string{proxy, etcd}, true},
		{[]string{proxy, public}, false},
		{[]string{etcd, public}, false},
	} {
		s := DefaultConfig()
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		s.AddFlags(flags)
		if err := flags.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(func(string) (string, bool) { return "", false }); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		s.warnOfNoAddress(slog.New(slog.NewTextHandler(&log, nil)))
		if strings.Contains(log.String(), "--public-address") != tt.warns {
			t.Errorf("with %q the log says %q", tt.args, &log)
		}
	}
}

// TestPublicAddress: the address that people are told is the flag's, or follows from the listener; anything that a shell would read is refused.
func TestPublicAddress(t *testing.T) {
	machine := AddressOf(&net.TCPAddr{IP: net.IPv4zero, Port: 1}).Host
	for _, tt := range []struct {
		flag, listens, want, pasted string
	}{
		{"", "127.0.0.1:2222", "ssh -p 2222 localhost", "ssh -p 2222 localhost"},
		{"", "[::1]:22", "ssh localhost", "ssh localhost"},
		{"", "0.0.0.0:2222", "ssh -p 2222 " + machine, "ssh -p 2222 localhost"},
		{"", "192.0.2.7:22", "ssh 192.0.2.7", "ssh 192.0.2.7"},
		{"", "[2001:db8::7]:2222", "ssh -p 2222 2001:db8::7", "ssh -p 2222 2001:db8::7"},
		{"play.example.com", "0.0.0.0:2222", "ssh play.example.com", "ssh play.example.com"},
		{"play.example.com:2200", "0.0.0.0:2222", "ssh -p 2200 play.example.com", "ssh -p 2200 play.example.com"},
		{"[2001:db8::7]", "0.0.0.0:2222", "ssh 2001:db8::7", "ssh 2001:db8::7"},
	} {
		s := DefaultConfig()
		s.PublicAddress = tt.flag
		if err := s.Check(func(string) (string, bool) { return "", false }); err != nil {
			t.Fatal(err)
		}
		at, err := net.ResolveTCPAddr("tcp", tt.listens)
		if err != nil {
			t.Fatal(err)
		}
		if got, pasted := s.addressAt(at).SSH(""), s.invitation(at); got != tt.want || pasted != tt.pasted {
			t.Errorf("%q, listening on %s: %q, here %q; want %q, %q", tt.flag, tt.listens, got, pasted, tt.want, tt.pasted)
		}
	}
	for _, bad := range []string{"$(id)", "a;b", "-oProxyCommand=x", "a b", "a:0", "a:65536", "a:x", "a:", "2001:db8::7", "[::1", "[a]", "[fe80::1%eth0]", "[127.0.0.1]", "a..b", ".", "ana@host", "a\n", "m\u00fcnchen.de"} {
		s := DefaultConfig()
		s.PublicAddress = bad
		if err := s.Check(func(string) (string, bool) { return "", false }); err == nil || !strings.Contains(err.Error(), "--public-address") {
			t.Errorf("--public-address %q: %v", bad, err)
		}
	}
}
