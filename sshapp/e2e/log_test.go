package e2e

import (
	"io"
	"net"
	"regexp"
	"strings"
	"testing"

	"ludoteca/sshapp/e2e/sshclient"

	gossh "golang.org/x/crypto/ssh"
)

// TestLog: a line for each connection says who it was, by fingerprint, from where and why it ended; and nothing that
// people say, play or ask for is in the log.
func TestLog(t *testing.T) {
	club := startClub(t, t.TempDir(), "--proxy-from", "127.0.0.0/8")
	key := sshclient.NewSigner(t)
	connect := func(from string, auth gossh.AuthMethod) *gossh.Client {
		t.Helper()
		conn, err := net.Dial("tcp", club.addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "PROXY TCP4 "+from+" 203.0.113.9 4711 22\r\n"); err != nil {
			t.Fatal(err)
		}
		c, channels, requests, err := gossh.NewClientConn(conn, club.addr, &gossh.ClientConfig{
			User: "privateuser", Auth: []gossh.AuthMethod{auth}, HostKeyCallback: gossh.InsecureIgnoreHostKey(), // a club of our own
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return gossh.NewClient(c, channels, requests)
	}
	ana := connect("192.0.2.7", gossh.PublicKeys(key))
	try := func(line string) string {
		out, _ := sshclient.Ask(ana, line) // a refusal is as good
		return string(out)
	}
	try("name privatename")
	code := regexp.MustCompile(`\b[2-9A-Z]{6}\b`).FindString(try("new 4mation cols=9 --vs random --side first"))
	try("move " + code + " d4")
	try("move " + code + " privatemove")
	try("show ABCDEF")
	try("privatecommand")
	try("record " + code)
	guest := connect("192.0.2.8", gossh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil }))
	_, _ = sshclient.Ask(guest, "show "+code)
	stranger, err := net.Dial("tcp", club.addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stranger, "GET /private HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stranger) // until the club closes it
	_ = ana.Close()
	club.stop(t)

	log := club.Stderr()
	var ended []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, `msg="connection ended"`) {
			ended = append(ended, line)
			if !strings.Contains(line, " reason=left ") && !strings.Contains(line, " reason=going-down ") {
				t.Errorf("a connection ended for another reason: %s", line)
			}
		}
	}
	if len(ended) != 2 {
		t.Errorf("%d lines about connections that ended, want 2:\n%s", len(ended), log)
	}
	for _, want := range []string{
		"fingerprint=" + gossh.FingerprintSHA256(key.PublicKey()), "remote=192.0.2.7:4711", "remote=192.0.2.8:4711",
		"guest=true", "reason=proxy-header",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	public := strings.Fields(string(gossh.MarshalAuthorizedKey(key.PublicKey())))[1]
	for _, secret := range []string{code, "private", "4mation", "fourmation", "d4\n", "ABCDEF", public, "level=ERROR"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log says %q:\n%s", secret, log)
		}
	}
}
