package e2e

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"

	"ludoteca/sshapp/e2e/sshclient"
)

// TestImport sends records with OpenSSH: one of a thousand moves comes back as it was, a broken one and one that is too long are refused.
func TestImport(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startClub(t, t.TempDir())
	ana, rui, guest := newShell(t, keys, club.addr, "ana"), newShell(t, keys, club.addr, "rui"), newShell(t, keys, club.addr, sshclient.Guest)
	sends := func(s *shell, record string, command ...string) (out, complaints string, status int) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), sshclient.Patience)
		defer cancel()
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, "ssh", append(s.args[:len(s.args):len(s.args)], command...)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(record), &stdout, &stderr
		_ = cmd.Run() // the state has the status
		return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
	}
	ana.does("name", "ana")
	rui.does("name", "rui")
	moves := strings.Repeat("a1-a2 a8-a7 a2-a1 a7-a8 ", 250)
	long := "[Game \"petteia\"]\n[Options \"quiet_limit=0 repetition=0\"]\n\n" + moves + "*\n"
	out, complaints, status := sends(ana, long, "import")
	id := strings.TrimSpace(out)
	if status != 0 || len(id) != 8 {
		t.Fatalf("status %d: %q, %q", status, out, complaints)
	}
	record := ana.does("record", id)
	if again, _, status := sends(ana, record, "import"); status != 0 || ana.does("record", strings.TrimSpace(again)) != record || strings.Count(record, "a1-a2") != 250 {
		t.Errorf("imported again with status %d as %q", status, again)
	}
	if _, complaints, status := rui.try("record", id); status != 1 {
		t.Errorf("another player: status %d, %q", status, complaints)
	}
	for _, tt := range []struct {
		who          *shell
		record, want string
	}{
		{ana, strings.Replace(long, "a8-a7", "a8-a1", 1), "Line 4, column 7: "},
		{rui, long + strings.Repeat("\n", 1<<20), "64 KiB"},
		{guest, long, "key"},
	} {
		if out, complaints, status := sends(tt.who, tt.record, "import"); status != 1 || out != "" || !strings.Contains(complaints, tt.want) {
			t.Errorf("status %d, %q, %q, want %q", status, out, complaints, tt.want)
		}
	}
	if out := ana.does("import", "--list"); strings.Count(out, "\n") != 2 {
		t.Errorf("listed as %q", out)
	}
}
