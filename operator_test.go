package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ludoteca/hostkeys"
)

// TestHostKey: the fingerprint, the line for known_hosts and, for a name, the record for its zone.
func TestHostKey(t *testing.T) {
	data := t.TempDir()
	key, err := hostkeys.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	record, _ := hostkeys.SSHFP("play.example.com", key.PublicKey())
	tests := []struct {
		name string
		args []string
		want []string // without the lines of comment
	}{
		{"a name", []string{"--host", "play.example.com", "--port", "22"},
			[]string{key.Fingerprint(), hostkeys.KnownHosts("play.example.com", 22, key.PublicKey()), record}},
		{"an address", []string{"--host", "2001:db8::7"},
			[]string{key.Fingerprint(), hostkeys.KnownHosts("2001:db8::7", 2222, key.PublicKey())}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &here{args: append([]string{"hostkey", "--data", data}, tt.args...)}
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
