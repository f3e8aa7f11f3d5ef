//go:build linux

package abusetest

import (
	"net/netip"
	"slices"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/loadtest"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/schema"
)

// A member is a player whose account was there before the club was started.
type member struct {
	name string
	key  gossh.Signer
	from netip.Addr
	id   string // of the account
}

// week is old enough for all that accounts may do, with some time to spare.
const week = 8 * 24 * time.Hour

// A roster makes members in the store of a club that isn't running, as if they had signed up some time ago.
type roster struct {
	*world
	store *schema.Store
}

// roster opens the store in a folder. The caller must close it before a club is started there.
func (w *world) roster(data string) *roster {
	w.Helper()
	if w.other {
		w.Skip("another version may have another form of store")
	}
	engine, err := bolt.Open((&club{data: data}).store(), bolt.Options{})
	if err != nil {
		w.Fatal(err)
	}
	store, err := schema.Open(w.Context(), engine, schema.Config{
		Rate: rating.Rate, Lookalikes: accounts.LookalikeRules{Of: names.Skeletons, Version: names.SkeletonsVersion},
	})
	if err != nil {
		w.Fatal(err)
	}
	return &roster{w, store}
}

func (r *roster) close() {
	r.Helper()
	if err := r.store.Close(); err != nil {
		r.Fatal(err)
	}
}

// member makes a member of an age, who has come from an address.
func (r *roster) member(name string, age time.Duration, from netip.Addr) *member {
	r.Helper()
	m := &member{name: name, key: loadtest.NewKey(r), from: from}
	shown, key, err := names.Check(name)
	if err != nil {
		r.Fatalf("%s: %v", name, err)
	}
	since := time.Now().Add(-age)
	p, err := r.store.Accounts.SignUp(r.Context(), accounts.Player{Name: shown, NameKey: key, Since: since}, loadtest.Fingerprint(m.key))
	if err == nil {
		err = r.store.Visits.Visited(r.Context(), p.ID, loadtest.Fingerprint(m.key), origin.Widest(from).Prefix, false, since)
	}
	if err != nil {
		r.Fatal(err)
	}
	m.id = string(p.ID)
	return m
}

// members makes as many members, each from the address that from gives.
func (r *roster) members(name string, n int, age time.Duration, from func(i int) netip.Addr) []*member {
	r.Helper()
	all := make([]*member, n)
	for i := range all {
		all[i] = r.member(name+"-"+word(i), age, from(i))
	}
	return all
}

// here has a member come to the club.
func (c *club) here(m *member) *person {
	c.Helper()
	p := &person{club: c, name: m.name, key: m.key, from: m.from}
	if err := p.connect(); err != nil {
		c.Fatalf("%s doesn't get in from %s: %v", m.name, m.from, err)
	}
	p.must("whoami")
	return p
}

// allHere has members come to the club, a few at a time.
func (c *club) allHere(all []*member) []*person {
	c.Helper()
	people := make([]*person, len(all))
	for i, m := range all {
		people[i] = c.here(m)
	}
	return people
}

// inTurns has members come one after another, a few at a time, do something, and leave. It stops early at the first error.
func (c *club) inTurns(all []*member, do func(p *person) error) {
	c.Helper()
	if err := loadtest.InTurn(len(all), 4, func(i int) error {
		p := &person{club: c, name: all[i].name, key: all[i].key, from: all[i].from}
		if err := p.connect(); err != nil {
			return err
		}
		defer p.Close()
		return do(p)
	}); err != nil {
		c.Fatal(err)
	}
}

// A neighbourhood are two friends who play a timed match, and people at boards who press keys, while others attack.
type neighbourhood struct {
	*club
	what     string // the attack
	ana, rui *person
	commands []string // of ana, none of which is refused
}

// beside runs an attack until the friends have played and asked for what they want; it ends with stop. They are refused nothing, and keys take no
// longer than at a bare SSH server at the same moments. How long moves take is only printed: they are made in the process of the attackers, who keep
// it busy. In passing no time is measured.
func (n neighbourhood) beside(attack func(stop <-chan struct{})) {
	n.Helper()
	probes := loadtest.ProbeClub(n, n.addr, n.of(2, 10))
	defer probes.Leave()
	keys, moves := n.of(4, 60), n.of(6, 60)
	var alone, with loadtest.Delay
	var quiet, beside []time.Duration
	var refusals []string
	if n.full {
		alone = probes.Typing(keys, keyPause)
		quiet = n.playTogether(n.ana, n.rui, moves, &refusals)
	}
	stop, ended, typed := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() { // ends with stop
		defer close(ended)
		attack(stop)
	}()
	go func() { // ends with the keys
		defer close(typed)
		with = probes.Typing(keys, keyPause)
	}()
	beside = n.playTogether(n.ana, n.rui, moves, &refusals)
	for range n.of(2, 20) {
		for _, command := range n.commands {
			switch _, err := n.ana.ask(command); {
			case refused(err):
				refusals = append(refusals, err.Error())
			case err != nil:
				n.Error(err)
			}
		}
	}
	<-typed
	close(stop)
	<-ended
	n.figure("%s: %d moves beside it take p50 %.1f ms, p99 %.1f; without it %.1f and %.1f; keys p99 %.1f ms, at a bare SSH server %.1f; without it %.1f and %.1f; %d refusals", n.what, len(beside),
		loadtest.Percentile(beside, 50), loadtest.Percentile(beside, 99), loadtest.Percentile(quiet, 50), loadtest.Percentile(quiet, 99),
		loadtest.Percentile(with.Ours, 99), loadtest.Percentile(with.Bare, 99), loadtest.Percentile(alone.Ours, 99), loadtest.Percentile(alone.Bare, 99), len(refusals))
	if len(refusals) > 0 {
		n.Errorf("%s: ordinary players are refused %q", n.what, slices.Compact(refusals))
	}
	if len(beside) == 0 || len(with.Ours) == 0 {
		n.Errorf("%s: %d moves and %d keys were answered", n.what, len(beside), len(with.Ours))
	}
	if late, bare := loadtest.Percentile(with.Ours, 99), loadtest.Percentile(with.Bare, 99); n.full && late > 5+2*bare {
		n.Errorf("%s: p99 of others' keys is %.1f ms, at a bare SSH server %.1f", n.what, late, bare)
	}
}

// sameBlock gives 250 people at a time addresses of one /24.
func sameBlock(network byte) func(int) netip.Addr {
	return func(i int) netip.Addr { return v4(network, i/250, 1+i%250) }
}

// ownBlock gives each of some people a /24 of their own.
func ownBlock(network byte) func(int) netip.Addr {
	return func(i int) netip.Addr { return v4(network, i, 1) }
}

// friends makes the two members of a neighbourhood.
func (r *roster) friends() (ana, rui *member) {
	return r.member("ana", week, v4(1, 0, 1)), r.member("rui", week, v4(2, 0, 1))
}

// meet has the friends come and follow each other.
func (c *club) meet(ana, rui *member, what string, commands ...string) neighbourhood {
	c.Helper()
	a, r := c.here(ana), c.here(rui)
	a.must("follow rui")
	r.must("follow ana")
	return neighbourhood{c, what, a, r, commands}
}
