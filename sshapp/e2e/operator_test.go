package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/e2e/sshclient"
	"ludoteca/sshapp/status"
)

// TestStatus: the operator on the machine and the operator far away see the same club.
func TestStatus(t *testing.T) {
	data, operator := t.TempDir(), sshclient.NewSigner(t)
	club := startClub(t, data, "--operator", gossh.FingerprintSHA256(operator.PublicKey()))
	c, err := sshclient.Dial(club.addr, "ana", operator)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := sshclient.Ask(c, "new 4mation --vs random --side first"); err != nil {
		t.Fatal(err)
	}
	near := func() (now status.Status) {
		t.Helper()
		h := &here{args: []string{"status", "--json", "--data", data}}
		if code := h.run(t); code != statusDone || json.Unmarshal(h.out.Bytes(), &now) != nil {
			t.Fatalf("ludoteca status: %d %q %q", code, h.out.String(), h.errs.String())
		}
		return now
	}
	// A session is counted until a moment after its client has heard the answer.
	quiet := func() (now status.Status) {
		t.Helper()
		for late := time.Now().Add(sshclient.Patience); time.Now().Before(late); {
			if now = near(); now.Sessions == 0 {
				return now
			}
		}
		t.Fatalf("a session stays: %+v", now)
		return now
	}
	quiet()
	var far status.Status
	out, err := sshclient.Ask(c, "status --json")
	if err != nil || json.Unmarshal(out, &far) != nil {
		t.Fatalf("ssh HOST status: %q, %v", out, err)
	}
	after := quiet()
	if far.Connections != 1 || far.Sessions != 1 || after.Connections != 1 {
		t.Errorf("from afar %+v, from near %+v", far, after)
	}
	if far.Matches != 1 || after.Matches != 1 || !after.Since.Equal(far.Since) || after.StoreBytes < 4096 || after.StoreWrite.Max <= 0 {
		t.Errorf("from afar %+v, from near %+v", far, after)
	}
	h := &here{args: []string{"status"}, env: map[string]string{"LUDOTECA_DATA": data}}
	if code := h.run(t); code != statusDone || !strings.Contains(h.out.String(), "matches           1 unfinished") {
		t.Errorf("ludoteca status: %d %q %q", code, h.out.String(), h.errs.String())
	}
	club.kill()
	h = &here{args: []string{"status", "--data", data}}
	if code := h.run(t); code != statusRefused || !strings.Contains(h.errs.String(), "no club is running") {
		t.Errorf("status of a club that is down: %d %q", code, h.errs.String())
	}
}

// TestBackupAndRestore does what the guide says: a copy while the club runs and people play, and back to it.
func TestBackupAndRestore(t *testing.T) {
	data, key := t.TempDir(), sshclient.NewSigner(t)
	club := startClub(t, data)
	ana := sshclient.MustDial(t, club.addr, "ana", key)
	out, err := sshclient.Ask(ana, "new 4mation --vs random --side first")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`\b[2-9A-Z]{6}\b`).FindString(string(out))
	if _, err := sshclient.Ask(ana, "move "+code+" d4"); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "copy.db")
	last := func() *time.Time {
		t.Helper()
		var now status.Status
		h := &here{args: []string{"status", "--json", "--data", data}}
		if code := h.run(t); code != statusDone || json.Unmarshal(h.out.Bytes(), &now) != nil {
			t.Fatalf("ludoteca status: %d %q %q", code, h.out.String(), h.errs.String())
		}
		return now.LastBackup
	}
	if at := last(); at != nil {
		t.Errorf("a backup of %v is known", at)
	}
	bad := &here{args: []string{"backup", "--data", data, filepath.Join(data, "nowhere", "copy.db")}}
	if code := bad.run(t); code != statusRefused || last() != nil {
		t.Errorf("a backup into no folder: %d, %q; the last good one is of %v", code, bad.errs.String(), last())
	}
	defer func() {
		if at := last(); at == nil || time.Since(*at) > sshclient.Patience || at.Location() != time.UTC {
			t.Errorf("the last good backup is of %v", at)
		}
	}()
	h := &here{args: []string{"backup", "--data", data, backup}}
	if code := h.run(t); code != statusDone {
		t.Fatalf("backup: %d %s", code, h.errs.String())
	}
	if _, err := sshclient.Ask(ana, "resign "+code); err != nil { // is not in the copy
		t.Fatal(err)
	}
	club.stop(t)

	store := filepath.Join(data, storeName)
	if err := os.Rename(store, store+".broken"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(backup, store); err != nil {
		t.Fatal(err)
	}
	club = startClub(t, data)
	out, err = sshclient.Ask(sshclient.MustDial(t, club.addr, "ana", key), "show "+code+" --json")
	if text := string(out); err != nil || !strings.Contains(text, `"first":"ana"`) || !strings.Contains(text, `"moves":["d4"`) || !strings.Contains(text, `"result":""`) {
		t.Errorf("after going back the match is %s, %v", text, err)
	}
}
