//go:build linux

package abusetest

import (
	"errors"
	"net/netip"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/sshapp/loadtest"
)

// keepalive has a player answer keepalives late, as if the line were slow, and play a timed match against a player who answers at once.
func keepalive(w *world) {
	// The first keepalive comes at once, and none is missed.
	c := w.start("--keepalive=1s", "--keepalive-max=100")
	honest := c.person("honest", v4(180, 0, 1))
	cheat, err := c.lateAnswerer("cheat", v4(181, 0, 1))
	if err != nil {
		w.Fatal(err)
	}
	think := time.Duration(w.of(60, 300)) * time.Millisecond
	moves, clocks, err := cheat.playThinking(honest, w.of(24, 80), think)
	if err != nil {
		w.Fatal(err)
	}
	thought := time.Duration(moves) * think
	w.figure("keepalives answered late: of %.1f s in which each side thinks before %d moves, the clock charges the one who answers late %.1f s and the other %.1f s",
		thought.Seconds(), moves, clocks[0].Seconds(), clocks[1].Seconds())
	// The budget lasts for this number of moves; each one after that is given what one move fills up again.
	lasting := int(clock.CreditBudget/(clock.MaxCredit-clock.CreditRefill)) + 1
	if moves < lasting+5 {
		w.Errorf("only %d moves were made: the credit of %d lasts", moves, lasting)
	}
	if least := time.Duration(moves-lasting) * (think - clock.CreditRefill); clocks[0] < least {
		w.Errorf("a player who answers keepalives late is charged %v for %d moves that take %v each, want at least %v", clocks[0], moves, think, least)
	}
}

// lateAnswerer signs in a player who takes longer to answer a keepalive than a clock gives credit for. It returns once the club has measured
// that.
func (c *club) lateAnswerer(name string, from netip.Addr) (*person, error) {
	p := &person{club: c, name: name, key: loadtest.NewKey(c), from: from, answerAfter: 2 * clock.MaxCredit}
	if err := p.connect(); err != nil {
		return nil, err
	}
	if _, err := p.ask("whoami"); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() { _ = p.Wait(); close(ended) }()
	select {
	case <-p.Answered:
		return p, nil
	case <-ended:
		return nil, errors.New("the connection ends before a keepalive is answered")
	}
}

// playThinking has two people play a match of a minute a side. Each thinks that long before every move but the first, which is not charged. It
// returns how many such moves each side has made, no more than most, and how much of a minute the clock has taken from each side for them.
func (p *person) playThinking(other *person, most int, think time.Duration) (moves int, charged [2]time.Duration, err error) {
	m, err := begin(p, other, "petteia quiet_limit=1000 captures_to_win=12 --clock 1+0", 1) // long, whatever they move
	for err == nil && moves < most {
		for _, mover := range []*person{p, other} {
			loadtest.Pause(think)
			if m, err = mover.askMatch("move " + m.Code + " " + anyOf(m.Legal)); err != nil || m.Turn == "" {
				return moves, charged, err
			}
		}
		moves++
		var left [2]time.Duration
		left, err = m.left()
		for side := range left {
			charged[side] = time.Minute - left[side]
		}
	}
	return moves, charged, err
}
