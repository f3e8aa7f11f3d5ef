//go:build linux

package abusetest

import (
	"fmt"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/loadtest"
)

// neighbours has addresses of a /24 fail to sign in until all of it is refused, beside people of the same /24 who were here before.
func neighbours(w *world) {
	addresses, known := w.of(20, 40), w.of(5, 35)
	c := w.start()
	var here []*person
	for i := range known {
		p := c.person(fmt.Sprint("neighbour-", i), v4(170, 0, 100+i))
		_ = p.Close()
		here = append(here, p)
	}
	c.failToSignIn(nil, addresses, 4)
	turnedAway := 0
	for _, p := range here {
		err := p.connect()
		if err == nil {
			_, err = p.ask("whoami")
			_ = p.Close()
		}
		if err != nil {
			turnedAway++
		}
	}
	_, err := c.signIn("stranger", v4(170, 0, 99))
	w.figure("neighbours: %d addresses of a /24 fail to sign in four times each; of %d people of that /24 who were here before %d are turned away, a stranger: %v",
		addresses, known, turnedAway, err)
	if turnedAway > 0 {
		w.Errorf("beside %d addresses of their /24 that fail to sign in %d of %d people who were here before are turned away", addresses, turnedAway, known)
	}
	if err == nil {
		w.Error("a stranger of that /24 gets in: this is no attack")
	}
}

// failToSignIn has addresses of a /24 connect without a way to sign in, each a number of times or until stop is closed.
func (c *club) failToSignIn(stop <-chan struct{}, addresses, times int) {
	const workers = 8
	together(workers, func(worker int) {
		until(stop, addresses*times/workers, func(round int) {
			conn, err := loadtest.Caller{From: v4(170, 0, 1+(round*workers+worker)%addresses)}.Dial(c.addr)
			if err != nil {
				c.fail(err)
				return
			}
			_, _, _, _ = gossh.NewClientConn(conn, c.addr, &gossh.ClientConfig{HostKeyCallback: gossh.InsecureIgnoreHostKey()})
			_ = conn.Close()
		})
	})
}
