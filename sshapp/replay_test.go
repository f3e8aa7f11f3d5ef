package sshapp

import (
	"encoding/json"
	"strings"
	"testing"

	gossh "golang.org/x/crypto/ssh"
)

// TestReplay: ssh -t HOST replay CODE plays a match in the terminal until q; a match that can't be seen is refused in words. ssh -t HOST review
// CODE steps through it in the full screen.
func TestReplay(t *testing.T) {
	ts := serveClub(t, newClub(t, func(*ClubConfig) {}))
	ana := ts.dial(gossh.PublicKeys(newSigner(t)))
	opened := run(t, ana, "new 4mation --side first --json")
	var match struct{ Code string }
	if err := json.Unmarshal([]byte(opened.out), &match); err != nil {
		t.Fatalf("%v: %+v", err, opened)
	}
	rui := ts.dial(gossh.PublicKeys(newSigner(t)))
	run(t, rui, "name rui")
	if got := run(t, rui, "join "+match.Code); got.status != 0 {
		t.Fatalf("join: %+v", got)
	}
	if got := run(t, ana, "move "+match.Code+" a1"); got.status != 0 {
		t.Fatalf("move: %+v", got)
	}
	shown := func(line string) string {
		ch := channel(t, ts.dial(asGuest(t)))
		ask(t, ch, "pty-req", ptyRequest{Term: "xterm", Columns: 80, Rows: 24})
		ask(t, ch, "exec", oneString{line})
		var page strings.Builder
		for buf := make([]byte, 4096); !strings.Contains(page.String(), "of 1"); {
			n, err := ch.Read(buf)
			if page.Write(buf[:n]); err != nil {
				return page.String() + readAll(t, ch.Stderr())
			}
		}
		if _, err := ch.Write([]byte("q")); err != nil {
			t.Fatal(err)
		}
		return page.String() + readAll(t, ch)
	}
	if page := shown("replay " + match.Code); !strings.Contains(page, "\x1b[?1049h") || !strings.Contains(page, "\x1b[?1049l") || strings.Contains(page, match.Code) {
		t.Errorf("the replay shows %q", page)
	}
	if page := shown("replay ZZZZZZ"); strings.Contains(page, "\x1b[?1049h") || !strings.Contains(page, "ZZZZZZ") {
		t.Errorf("the replay of no match shows %q", page)
	}
	if page := shown("review " + match.Code); !strings.Contains(page, "\x1b[?1049h") || !strings.Contains(page, "review") || !strings.Contains(page, "move 1 of 1") {
		t.Errorf("the review shows %q", page)
	}
}
