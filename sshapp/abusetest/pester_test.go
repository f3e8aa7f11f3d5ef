//go:build linux

package abusetest

// pester has a blocked player go on with rematches, challenges, and looking whether the other player is here. Many new accounts also fill the
// other player's places for challenges.
func pester(w *world) {
	c := w.start(loose...)
	ana, rui, friend := c.person("ana", v4(1, 0, 1)), c.person("rui", v4(2, 0, 1)), c.person("friend", v4(3, 0, 1))
	friend.must("name friend")
	ana.must("follow friend")
	m, err := begin(ana, rui, "momentum", 2)
	if err != nil {
		w.Fatal(err)
	}
	ana.must("resign " + m.Code)
	declined := 0
	for range w.of(10, 30) {
		if _, err := rui.ask("rematch " + m.ID); err != nil {
			continue
		}
		if all, err := ana.list("offers"); err == nil && len(all) == 1 {
			ana.must("abort " + all[0].Code)
			declined++
		}
	}
	_, _ = rui.ask("new momentum --to ana")
	ana.must("block rui")
	after := rui.pester(nil, m, ana, w.of(5, 30))
	seen, err := ana.list("offers")
	if err != nil {
		w.Fatal(err)
	}
	crowd := c.people("filler", w.of(10, 12), 30)
	for _, p := range crowd {
		_, _ = p.ask("new momentum --to ana")
	}
	_, friends := friend.ask("new momentum --to ana")
	w.figure("a pesterer: %d rematches reach a player who declines; of a blocked player %d wishes are accepted and %d stay; a friend beside %d challenges: %v",
		declined, after, len(seen), len(crowd), friends)
	if declined > 3 || declined == 0 || after > 0 || len(seen) > 0 || friends != nil {
		w.Errorf("%d rematches reach a player who declines; of a blocked player %d wishes are accepted and %d stay; a friend beside %d challenges: %v",
			declined, after, len(seen), len(crowd), friends)
	}
	if _, err := rui.ask("new momentum --to ana"); !refused(err) {
		w.Errorf("a challenge of a blocked player: %v", err)
	}
}

// pester has p ask a player for a rematch and challenge them, times times or until stop is closed. It returns how many of these requests the club
// accepts.
func (p *person) pester(stop <-chan struct{}, m shownMatch, player *person, times int) (accepted int) {
	p.until(stop, times, func(int) {
		for _, command := range []string{"rematch " + m.ID, "new momentum --to " + player.name} {
			if _, err := p.ask(command); err == nil {
				accepted++
			}
		}
	})
	return accepted
}
