//go:build linux

package abusetest

import (
	"io"
	"strings"
	"time"

	"ludoteca/sshapp/loadtest"
)

// unread has guests ask for long answers and read nothing of them, as many at a time as the club allows, beside a player who asks for
// short ones.
func unread(w *world) {
	data := w.TempDir()
	w.history(data, w.of(40, 1500)) // at full strength commands come at a limited rate: each answer must be long
	c := w.startOn(data)
	ordinary := c.person("ordinary", v4(1, 0, 1))
	ordinary.must("name ordinary")
	const addresses, each = 43, 6 // from one address come eight sessions at most, and six long answers at a time
	stuck := c.leaveUnread(addresses, each)
	if w.full {
		loadtest.Pause(20 * time.Second) // commands come at a limited rate until the buffers are full
	}
	rounds := w.of(5, 20)
	var refusals []string
	for range rounds {
		for _, command := range []string{"who", "offers", "matches", "history", "leaderboard", "following"} {
			switch _, err := ordinary.ask(command); {
			case refused(err):
				refusals = append(refusals, err.Error())
			case err != nil:
				w.Fatal(err)
			}
		}
	}
	w.figure("unread answers: beside %d sessions of %d addresses that read nothing %d of %d commands of an ordinary player are refused", stuck, addresses, len(refusals), 6*rounds)
	if len(refusals) > 0 {
		w.Errorf("beside %d sessions that read nothing an ordinary player is refused %q", stuck, refusals)
	}
}

// leaveUnread has guests from addresses, each in a /24 of its own, open sessions that ask for the whole history again and again and leave it
// unread. It returns how many sessions there are.
func (c *club) leaveUnread(addresses, each int) (sessions int) {
	c.Helper()
	var all count
	line := "history --limit 1000000 --json\n"
	if err := loadtest.InTurn(2*addresses, 8, func(i int) error {
		conn, err := loadtest.Caller{From: v4(150, i/2, 1), SmallBuffer: true}.Call(c.addr)
		if err != nil {
			return err
		}
		conn.Forever()
		c.Cleanup(func() { _ = conn.Close() })
		for range each / 2 {
			prompt, err := conn.Prompt()
			if err != nil {
				return err
			}
			if _, err := io.WriteString(prompt, strings.Repeat(line, 20)); err != nil {
				return err
			}
			all.one()
		}
		conn.LeaveUnread()
		return nil
	}); err != nil {
		c.Fatal(err)
	}
	return int(all.Load())
}
