//go:build linux

package abusetest

import (
	"errors"
	"fmt"

	"ludoteca/sshapp/loadtest"
)

// full has guests of many addresses take every session that they get, beside two people who play. One of them loses the line, and newcomers
// arrive.
func full(w *world) {
	addresses, sessions, newcomers := w.of(6, 125), w.of(40, 1000), w.of(6, 50)
	c := w.start(fmt.Sprint("--max-sessions=", sessions))
	ordinary, friend := c.person("ordinary", v4(1, 0, 1)), c.person("friend", v4(2, 0, 1))
	m, err := begin(ordinary, friend, "petteia", 2)
	if err != nil {
		w.Fatal(err)
	}
	_ = ordinary.Close()
	held := c.occupy(nil, addresses)
	var refusals []string
	if err := ordinary.connect(); err != nil {
		w.Fatalf("a player whose match goes on doesn't get in: %v", err)
	}
	for _, command := range []string{"show " + m.Code, "move " + m.Code + " " + m.Legal[0], "who"} {
		if _, err := ordinary.ask(command); err != nil {
			refusals = append(refusals, err.Error())
		}
	}
	turnedAway := 0
	for i := range newcomers {
		p, err := c.signIn(fmt.Sprint("newperson-", i), v4(200, i, 1))
		if err == nil {
			_, err = p.ask("whoami")
			_ = p.Close()
		}
		if err != nil {
			turnedAway++
		}
	}
	w.figure("full: %d addresses have opened %d sessions of %d; a player whose match goes on is refused %d of 3 commands, and %d of %d newcomers are turned away",
		addresses, held, sessions, len(refusals), turnedAway, newcomers)
	if len(refusals) > 0 || turnedAway > 0 {
		w.Errorf("beside %d sessions of guests a player whose match goes on is refused %q, and %d of %d newcomers are turned away", held, refusals, turnedAway, newcomers)
	}
}

// occupy has guests from addresses, half of them in a /24 of their own and half in few /48s, open all screens that they get: four on each of two
// connections, until stop is closed. It returns how many they have opened.
func (c *club) occupy(stop <-chan struct{}, addresses int) (opened int) {
	c.Helper()
	var all count
	if err := loadtest.InTurn(2*addresses, 8, func(i int) error {
		select {
		case <-stop:
			return nil
		default:
		}
		from := v4(160, i/2, 1)
		if i/2%2 == 1 { // sixteen /64s of each /48, each in a /56 of its own, which has a limit too
			from = v6(uint16(160+i/64), i/2<<8, 1)
		}
		conn, err := loadtest.Caller{From: from}.Call(c.addr)
		if err != nil && stop != nil {
			return nil // other attacks have taken the places
		}
		if err != nil {
			return errors.Join(errors.New("a guest doesn't get in"), err)
		}
		conn.Forever()
		c.Cleanup(func() { _ = conn.Close() })
		for range 4 {
			if _, err := conn.Screen("", loadtest.Usual); err == nil {
				all.one()
			}
		}
		return nil
	}); err != nil {
		c.Fatal(err)
	}
	return int(all.Load())
}
