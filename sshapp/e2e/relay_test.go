package e2e

import (
	"fmt"
	"strings"
	"testing"

	"ludoteca/sshapp/e2e/sshclient"
)

// TestRelay: the people of a relay are told apart by key, and its guests and new accounts have one budget each.
func TestRelay(t *testing.T) {
	club := startClub(t, t.TempDir(), "--limit-loopback", "--relay=127.0.0.1", "--relay-guests=1", "--relay-accounts=10", "--max-sessions-address=1",
		"--max-connections-address=1", "--new-connections-burst=2")
	for i := range 11 {
		c := sshclient.MustDial(t, club.addr, fmt.Sprint("rita", i), sshclient.NewSigner(t))
		_, err := sshclient.Ask(c, "new 4mation --side first")
		if many := err != nil && strings.Contains(err.Error(), "Too many new names"); many != (i == 10) || err != nil && !many {
			t.Errorf("account %d: %v", i, err)
		}
	}
	first := sshclient.MustDial(t, club.addr, sshclient.Guest, nil)
	if _, err := sshclient.Ask(first, "games"); err != nil {
		t.Error(err)
	}
	second := sshclient.MustDial(t, club.addr, sshclient.Guest, nil)
	if out, err := sshclient.Ask(second, "games"); err == nil {
		t.Errorf("a second guest gets %q", out)
	}
}
