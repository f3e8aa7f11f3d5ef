//go:build linux

package abusetest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// recovery has strangers, each from an address of its own, try codes for the recovery of an account, and one with an account and a match try
// codes of keys. The player recovers the account meanwhile, and no stranger tries for long.
func recovery(w *world) {
	c := w.start()
	ana := c.person("ana", v4(70, 0, 1))
	ana.must("name ana")
	var kept struct{ Code string }
	if err := json.Unmarshal([]byte(ana.must("recovery --json")), &kept); err != nil {
		w.Fatal(err)
	}
	strangers := c.people("stranger", w.of(6, 60), 71)
	wrong := c.tryRecoveries(nil, strangers, "ana", 10)
	owner := c.person("", v4(72, 0, 1))
	_, recovered := owner.ask("recover ana " + kept.Code)
	if recovered != nil {
		w.Errorf("after %d wrong codes of strangers the player doesn't recover the account: %v", wrong, recovered)
	}
	guesser, friend := c.person("guesser", v4(73, 0, 1)), c.person("friend", v4(74, 0, 1))
	if _, err := begin(guesser, friend, "momentum", 1); err != nil {
		w.Fatal(err)
	}
	claims := 0
	for range 40 {
		out, _, err := guesser.Run("keys claim " + letters(12, "23456789ABCDEFGHJKMNPQRSTVWXYZ"))
		if err != nil {
			w.Fatal(err)
		}
		if !strings.Contains(out, "Too many wrong codes") {
			claims++
		}
	}
	w.figure("recovery: after %d wrong codes of %d strangers the player recovers the account: %v; a key with an account tries %d of 40 codes of keys at once",
		wrong, len(strangers), recovered, claims)
	if claims > 15 { // ten, and a few while this lasts
		w.Errorf("a key with an account tries %d codes of keys", claims)
	}
}

// tryRecoveries has people try wrong codes for the recovery of an account, each a number of times or until stop is closed, and returns how many they
// tried.
func (c *club) tryRecoveries(stop <-chan struct{}, people []*person, name string, each int) int {
	var tried count
	together(len(people), func(i int) {
		people[i].until(stop, each, func(int) {
			if _, err := people[i].ask("recover " + name + " AAAA-BBBB-CCCC-DDDD-EEEE-FFFF"); !refused(err) {
				c.fail(fmt.Errorf("a wrong code: %w", err))
			}
			tried.one()
		})
	})
	return int(tried.Load())
}
