//go:build linux

package abusetest

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
)

// evidence has somebody insult an opponent after the end of a match, have the chats of many other matches read, and delete the account at once;
// and strangers write at a match that they were not at. A report must have the insult, and nobody sees what strangers write.
func evidence(w *world) {
	data := w.TempDir()
	w.history(data, w.of(20, 1200))
	c := w.startOn(data, "--command-rate=100000", "--command-burst=100000")
	victim, rude := c.person("victim", v4(60, 0, 1)), c.person("rude", v4(61, 0, 1))
	m, err := begin(victim, rude, "momentum", 2)
	if err != nil {
		w.Fatal(err)
	}
	victim.must("resign " + m.Code)
	rude.must("say " + m.Code + " a bad word")

	readers := c.people("reader", w.of(2, 8), 62)
	var ids []string
	for i := range 4 {
		name := "ana"
		if i > 0 {
			name = "ana-" + word(i)
		}
		past, err := readers[0].list("history " + name + " --limit 1000")
		if err != nil {
			w.Fatal(err)
		}
		for _, m := range past {
			ids = append(ids, m.ID)
		}
	}
	var read, written count
	together(len(readers), func(i int) {
		for _, id := range ids[i*len(ids)/len(readers) : (i+1)*len(ids)/len(readers)] {
			if _, err := readers[i].ask("chat " + id); err == nil {
				read.one()
			} else {
				c.Errorf("chat %s: %v", id, err)
			}
		}
		if _, err := readers[i].ask("say " + ids[i] + " buy this"); !refused(err) {
			written.one()
		}
	})
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
		read.Load(), report.About, len(report.Chat), written.Load(), len(readers))
	if !kept || report.About != "rude" {
		w.Errorf("the report is %+v", report)
	}
	if written.Load() > 0 {
		w.Errorf("%d strangers write at finished matches that they were not at", written.Load())
	}
}
