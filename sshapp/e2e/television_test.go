package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"os/exec"
	"testing"

	"ludoteca/sshapp/e2e/sshclient"
)

// TestTelevisionBySSH watches the club's television with a real client: it follows a match to its end, then the next one. The position of
// the first, which show prints, begins a match with ssh's own quoting.
func TestTelevisionBySSH(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startClub(t, t.TempDir())
	ana, rui := newShell(t, keys, club.addr, "ana"), newShell(t, keys, club.addr, "rui")
	eva, zoe := newShell(t, keys, club.addr, "eva"), newShell(t, keys, club.addr, "zoe")
	first := ana.line("quick", "4mation", "--casual")
	rui.does("quick", "4mation", "--casual")
	code := first["code"].(string)

	ctx, leave := context.WithTimeout(t.Context(), sshclient.Patience)
	defer leave()
	viewer := exec.CommandContext(ctx, "ssh", append(append([]string{"-T"}, keys.OpenSSH(t, club.addr, sshclient.Guest)...), "tv", "--json")...)
	out, err := viewer.StdoutPipe()
	if err == nil {
		err = viewer.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	next := func() (m object) {
		t.Helper()
		if !lines.Scan() {
			t.Fatalf("tv ends: %v", lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := next()
	second := eva.line("quick", "4mation", "--casual")
	zoe.does("quick", "4mation", "--casual")
	mover := ana
	if m["first"] == "rui" {
		mover = rui
	}
	mover.does("move", code, "d4")
	for m["id"] == first["id"] && m["ply"] != 1.0 {
		m = next()
	}
	position := m["position"].(string)
	study := ana.line("new", "4mation", "--vs", "random", "--from", position)
	if shown := ana.line("show", study["code"].(string)); shown["from"] != position || shown["rated"] != false {
		t.Errorf("from %s begins %v", position, shown)
	}
	rui.does("resign", code)
	for m["id"] == first["id"] && m["result"] == "" {
		m = next()
	}
	if m["id"] != first["id"] || m["reason"] != "resigned" {
		t.Errorf("the end is %v", m)
	}
	if m = next(); m["id"] != second["id"] {
		t.Errorf("after it comes %v", m)
	}
	leave()
	_ = viewer.Wait()
}
