//go:build linux

package abusetest

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// evidence has a player insult an opponent after the end of a match, and delete the account after strangers have read the chats of many other
// matches. A report must still have the insult, and the strangers must not be able to write at finished matches that they weren't at.
func evidence(w *world) {
	data := w.TempDir()
	w.history(data, w.of(40, 1200))
	c := w.startOn(data, "--command-rate=100000", "--command-burst=100000")
	victim, rude := c.person("victim", v4(60, 0, 1)), c.person("rude", v4(61, 0, 1))
	m, err := begin(victim, rude, "momentum", 2)
	if err != nil {
		w.Fatal(err)
	}
	victim.must("resign " + m.Code)
	rude.must("say " + m.Code + " a bad word")

	readers := c.people("reader", w.of(2, 8), 62)
	ids := readers[0].pastMatches(1000)
	read, written := c.readChats(nil, readers, ids)
	rude.must("delete --yes")

	victim.must("report --match " + m.ID + " --side second they insult me")
	out, err := exec.Command(w.program, "operator", "--data="+data, "reports", "--json").Output()
	var report struct {
		About string
		Chat  []struct{ By, Text string }
	}
	if err == nil {
		err = json.Unmarshal(out, &report)
	}
	if err != nil {
		w.Fatalf("the operator reads %q: %v", out, err)
	}
	kept := slices.ContainsFunc(report.Chat, func(l struct{ By, Text string }) bool { return strings.Contains(l.Text, "a bad word") })
	w.figure("evidence: after %d chats of other matches were read and the account deleted, the report about %q has %d lines; %d of %d strangers write at finished matches",
		read, report.About, len(report.Chat), written, len(readers))
	if !kept || report.About != "rude" {
		w.Errorf("the report is %+v", report)
	}
	if written > 0 {
		w.Errorf("%d strangers write at finished matches that they were not at", written)
	}
}

// readChats has people share matches that they were not at, read the chat of each and write at one, until stop is closed. It returns how many chats
// are read and how many people could write.
func (c *club) readChats(stop <-chan struct{}, people []*person, ids []string) (read, written int) {
	var reads, writers count
	together(len(people), func(i int) {
		share := ids[i*len(ids)/len(people) : (i+1)*len(ids)/len(people)]
		people[i].until(stop, len(share), func(n int) {
			switch _, err := people[i].ask("chat " + share[n]); {
			case err == nil:
				reads.one()
			case !refused(err) || !c.crowded: // beside other attacks a person's commands may come too fast
				c.fail(fmt.Errorf("chat %s: %w", share[n], err))
			}
		})
		if _, err := people[i].ask("say " + ids[i] + " buy this"); err == nil {
			writers.one()
		}
	})
	return int(reads.Load()), int(writers.Load())
}
