package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ludoteca/hostkeys"
)

// TestHostKey says what OpenSSH's own tools say of the same key, and what they can use.
func TestHostKey(t *testing.T) {
	needPrograms(t, "ssh-keygen")
	data := t.TempDir()
	if _, err := hostkeys.Open(data); err != nil {
		t.Fatal(err)
	}
	keygen := func(words ...string) string {
		t.Helper()
		out, err := exec.Command("ssh-keygen", words...).CombinedOutput()
		if err != nil {
			t.Fatalf("ssh-keygen %s: %v\n%s", words, err, out)
		}
		return string(out)
	}
	private := filepath.Join(data, hostkeys.FileName)
	public := filepath.Join(t.TempDir(), "public")
	if err := os.WriteFile(public, []byte(keygen("-y", "-f", private)), 0o600); err != nil {
		t.Fatal(err)
	}
	fingerprint := strings.Fields(keygen("-l", "-f", private))[1]
	records := keygen("-r", "play.example.com", "-f", public)

	tests := []struct {
		name    string
		args    []string
		place   string // in known_hosts
		records bool
	}{
		{"a port of its own", []string{"--host", "play.example.com"}, "[play.example.com]:2222", true},
		{"the port of ssh", []string{"--host", "play.example.com.", "--port", "22"}, "play.example.com.", true},
		{"an address", []string{"--host", "2001:db8::7"}, "[2001:db8::7]:2222", false},
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
			if want := map[bool]int{true: 3, false: 2}[tt.records]; len(lines) != want || lines[0] != fingerprint {
				t.Fatalf("printed %q, want %d lines, the first of them %s", lines, want, fingerprint)
			}
			known := filepath.Join(t.TempDir(), "known_hosts")
			if err := os.WriteFile(known, []byte(lines[1]+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if found := keygen("-l", "-F", tt.place, "-f", known); !strings.Contains(found, fingerprint) {
				t.Errorf("ssh-keygen finds %q in known_hosts, want %s", found, fingerprint)
			}
			if tt.records {
				if record := strings.Replace(lines[2], "com. IN", "com IN", 1); !strings.Contains(records, record+"\n") {
					t.Errorf("the record is %q; ssh-keygen has\n%s", lines[2], records)
				}
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
