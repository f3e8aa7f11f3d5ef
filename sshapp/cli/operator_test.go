package cli

import (
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"ludoteca/hostkeys"
	"ludoteca/hostkeys/hostkeystest"
	"ludoteca/sshapp/club"
)

// TestHostKey: of each key the fingerprint, the line for known_hosts and, for a name, the record for its zone.
func TestHostKey(t *testing.T) {
	data, alone := t.TempDir(), t.TempDir()
	keys, err := hostkeys.Open(data) // both kinds
	if err != nil {
		t.Fatal(err)
	}
	hostkeystest.Give(t, alone)
	one, err := hostkeys.Open(alone)
	if err != nil {
		t.Fatal(err)
	}
	const name, address = "play.example.com", "2001:db8::7"
	record := func(k hostkeys.Key) string { r, _ := hostkeys.SSHFP(name, k.PublicKey()); return r }
	known := func(k hostkeys.Key, host string, port int) string {
		return hostkeys.KnownHosts(host, port, k.PublicKey())
	}
	tests := []struct {
		name string
		args []string
		want []string // without the lines of comment
	}{
		{"a name", []string{"--data", data, "--host", name, "--port", "22"},
			[]string{keys[0].Fingerprint(), keys[1].Fingerprint(), known(keys[0], name, 22), known(keys[1], name, 22), record(keys[0]), record(keys[1])}},
		{"an address", []string{"--data", data, "--host", address},
			[]string{keys[0].Fingerprint(), keys[1].Fingerprint(), known(keys[0], address, 2222), known(keys[1], address, 2222)}},
		{"one key", []string{"--data", alone, "--host", name, "--port", "22"},
			[]string{one[0].Fingerprint(), known(one[0], name, 22), record(one[0])}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &here{args: append([]string{"hostkey"}, tt.args...)}
			if status := h.run(t); status != statusDone {
				t.Fatalf("status %d: %s", status, h.errs.String())
			}
			var lines []string
			for line := range strings.Lines(h.out.String()) {
				if !strings.HasPrefix(line, "#") {
					lines = append(lines, strings.TrimSpace(line))
				}
			}
			if !slices.Equal(lines, tt.want) {
				t.Errorf("printed %q, want %q", lines, tt.want)
			}
		})
	}
}

// TestHostKeyAddress: without --host and --port the command uses the host and port that a club with the same flags and environment tells
// people.
func TestHostKeyAddress(t *testing.T) {
	data, machine := t.TempDir(), club.AddressOf(&net.TCPAddr{Port: 1}).Host
	hostkeystest.Give(t, data)
	keys, err := hostkeys.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		env  map[string]string
		host string
		port int
	}{
		{"nothing", nil, nil, "localhost", 2222},
		{"environment", nil, map[string]string{"LUDOTECA_LISTEN": ":2022"}, machine, 2022},
		{"flag", []string{"--listen", "192.0.2.7:22"}, map[string]string{"LUDOTECA_LISTEN": ":2022"}, "192.0.2.7", 22},
		{"named port", []string{"--listen", ":2022", "--port", "443"}, nil, machine, 443},
		{"public address", []string{"--listen", ":2022", "--public-address", "play.example.com"}, nil, "play.example.com", 22},
		{"its port", []string{"--listen", ":2022"}, map[string]string{"LUDOTECA_PUBLIC_ADDRESS": "[2001:db8::7]:2200"}, "2001:db8::7", 2200},
		{"named host", []string{"--public-address", "play.example.com:2200", "--host", "club.example.com"}, nil, "club.example.com", 2200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &here{args: append([]string{"hostkey", "--data", data}, tt.args...), env: tt.env}
			status, want := h.run(t), "\n"+hostkeys.KnownHosts(tt.host, tt.port, keys[0].PublicKey())+"\n"
			if status != statusDone || !strings.Contains(h.out.String(), want) {
				t.Errorf("status %d, %q\n%s\nwant a line %q", status, h.errs.String(), h.out.String(), want)
			}
		})
	}
}

func TestHostKeyRefused(t *testing.T) {
	empty := t.TempDir()
	tests := []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no key", []string{"--data", empty}, statusRefused, "the first start of the club makes it"},
		{"no port", []string{"--data", empty, "--port", "65536"}, statusUsage, "--port 65536"},
		{"port 0", []string{"--data", empty, "--listen", "127.0.0.1:0"}, statusUsage, "name it with --port"},
		{"no address", []string{"--data", empty, "--listen", "2222"}, statusUsage, "--listen"},
		{"negative port", []string{"--data", empty, "--port", "-1"}, statusUsage, "--port -1"},
		{"no public address", []string{"--data", empty, "--public-address", "$(id)"}, statusUsage, "--public-address"},
		{"no host", []string{"--data", empty, "--host", ""}, statusUsage, "--host"},
		{"a pattern", []string{"--data", empty, "--host", "*.example.com"}, statusUsage, "--host"},
		{"two lines", []string{"--data", empty, "--host", "a\nb"}, statusUsage, "--host"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &here{args: append([]string{"hostkey"}, tt.args...)}
			if status := h.run(t); status != tt.status || !strings.Contains(h.errs.String(), tt.want) {
				t.Errorf("status %d, %q; want %d and words with %q", status, h.errs.String(), tt.status, tt.want)
			}
		})
	}
	if files, err := os.ReadDir(empty); err != nil || len(files) > 0 {
		t.Errorf("a look at a folder without a key leaves %v, %v in it", files, err)
	}
}
