package hostkeys

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPublish: the printed lines equal the output of OpenSSH's own tools for the same key, and the tools can use them.
func TestPublish(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("no ssh-keygen here")
	}
	keys, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		t.Run(key.PublicKey().Type(), func(t *testing.T) { publish(t, key) })
	}
}

func publish(t *testing.T, key Key) {
	keygen := func(words ...string) string {
		t.Helper()
		out, err := exec.Command("ssh-keygen", words...).CombinedOutput()
		if err != nil {
			t.Fatalf("ssh-keygen %s: %v\n%s", words, err, out)
		}
		return string(out)
	}
	public := filepath.Join(t.TempDir(), "public")
	if err := os.WriteFile(public, []byte(keygen("-y", "-f", key.Path)), 0o600); err != nil {
		t.Fatal(err)
	}
	records := keygen("-r", "play.example.com", "-f", public)
	tests := []struct {
		name, host string
		port       int
		known      string // the host in known_hosts
		record     bool
	}{
		{"a port of its own", "play.example.com", 2222, "[play.example.com]:2222", true},
		{"the port of ssh", "play.example.com", 22, "play.example.com", true},
		{"a name with a dot at its end", "play.example.com.", 22, "play.example.com.", true},
		{"an address", "2001:db8::7", 2222, "[2001:db8::7]:2222", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			known := filepath.Join(t.TempDir(), "known_hosts")
			if err := os.WriteFile(known, []byte(KnownHosts(tt.host, tt.port, key.PublicKey())+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if found := keygen("-l", "-F", tt.known, "-f", known); !strings.Contains(found, key.Fingerprint()) {
				t.Errorf("ssh-keygen finds %q in known_hosts, want %s", found, key.Fingerprint())
			}
			record, ok := SSHFP(tt.host, key.PublicKey())
			if ok != tt.record {
				t.Fatalf("SSHFP = %q, %v; want %v", record, ok, tt.record)
			}
			if want := strings.Replace(record, "com. IN", "com IN", 1); ok && !strings.Contains(records, want+"\n") {
				t.Errorf("SSHFP = %q; ssh-keygen has\n%s", record, records)
			}
		})
	}
}
