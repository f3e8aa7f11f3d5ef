package e2e

import (
	"bufio"
	"context"
	"os/exec"
	"strings"
	"testing"

	"ludoteca/sshapp/e2e/sshclient"
)

// TestAccountsByCommands moves an account between keys with real clients. A code adds a second key, and the sessions of that key end when it is
// removed. The recovery code adds a third one. A deleted account leaves nothing but its matches.
func TestAccountsByCommands(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startClub(t, t.TempDir())
	from := func(key string) *shell { // each command has a connection of its own, for some of them are ended
		return &shell{t: t, name: key, args: append([]string{"-T"}, keys.OpenSSH(t, club.addr, key)...)}
	}
	desk, laptop, phone, rui := from("ana"), from("laptop"), from("phone"), from("rui")
	refused := func(s *shell, words string, command ...string) {
		t.Helper()
		if _, complaints, status := s.try(command...); status != 1 || !strings.Contains(complaints, words) || strings.Count(complaints, "\n") != 1 {
			t.Errorf("%s: %v: status %d: %s", s.name, command, status, complaints)
		}
	}
	recovery := desk.line("name", "ana")["recovery_code"].(string)

	refused(laptop, "Nobody waits for a key", "keys", "claim", "AAAA-BBBB-CCCC")
	code := desk.line("keys", "add")["code"].(string)
	laptop.does("keys", "claim", code)
	refused(phone, "Nobody waits for a key", "keys", "claim", code)
	if who := laptop.line("whoami"); who["name"] != "ana" {
		t.Fatalf("the second key is %v", who)
	}
	var second string
	for _, k := range laptop.lines("keys") {
		if k["this"] == true {
			second = k["fingerprint"].(string)
		}
	}

	match := desk.line("new", "4mation", "--side", "first")["code"].(string)
	ctx, cancel := context.WithTimeout(t.Context(), sshclient.Patience)
	defer cancel()
	watching := exec.CommandContext(ctx, "ssh", append(laptop.args[:len(laptop.args):len(laptop.args)], "watch", match, "--json")...)
	var told strings.Builder
	watching.Stderr = &told
	out, err := watching.StdoutPipe()
	if err == nil {
		err = watching.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("watch: %v", err)
	}
	desk.does("keys", "remove", second)
	if err := watching.Wait(); err == nil || !strings.Contains(told.String(), "This key was removed from its account.") {
		t.Errorf("the session of the removed key ends with %v: %s", err, told.String())
	}
	if who := laptop.line("whoami"); who["name"] != "" {
		t.Errorf("the removed key is %v", who)
	}
	refused(desk, "your only key", "keys", "remove", desk.line("keys")["fingerprint"].(string))

	refused(phone, "don't fit", "recover", "ana", strings.ToLower(code))
	next := phone.line("recover", "Ana", strings.ToLower(recovery))["recovery_code"].(string)
	refused(laptop, "don't fit", "recover", "ana", recovery)
	laptop.does("recover", "ana", next)

	rui.does("join", match)
	for i, move := range strings.Fields("c3 d4 c4 d3") {
		[]*shell{desk, rui}[i%2].does("move", match, move)
	}
	desk.does("rename", "eva")
	if p := rui.line("profile", "ana"); p["name"] != "eva" {
		t.Errorf("the old name leads to %v", p)
	}
	if n := len(desk.lines("export")); n < 5 { // the account, three keys and the match
		t.Errorf("the export has %d lines", n)
	}
	refused(desk, "Nothing is deleted yet", "delete")
	desk.does("delete", "--yes")
	refused(rui, "Nobody here", "profile", "eva")
	if m := rui.line("show", match); m["first"] != "former player" || m["result"] != "second" {
		t.Errorf("the match after the deletion: %v", m)
	}
	for _, s := range []*shell{desk, laptop, phone} {
		if who := s.line("whoami"); who["name"] != "" {
			t.Errorf("after the deletion %s is %v", s.name, who)
		}
	}
}
