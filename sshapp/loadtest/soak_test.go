//go:build linux

package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// A soak is a busy club for a while. Some of its clients are rude in every other period and polite in the others, so that the effect of
// their rudeness shows beside the same club without it.
type soak struct {
	t      *testing.T
	server *server
	ctx    context.Context // ends when it is time to stop
	rude   atomic.Bool     // some clients are rude at the moment
	moves  atomic.Int64    // made and found again
	visits atomic.Int64    // of clients that come and go
	pace   time.Duration   // between a player's moves, about
	period time.Duration
	coming time.Duration // how long it takes until all are there
	began  time.Time
}

// soakPeriods is how many periods a soak has, polite ones and rude ones in turn: as many of both in each third of it.
const soakPeriods = 12

// TestSoak has many people play, watch, resize, stall and drop out at the same time. No move is lost, every key is answered,
// and the server doesn't grow. LUDOTECA_SOAK is the duration, with 500 people; otherwise there are 20, for a short while.
func TestSoak(t *testing.T) {
	sessions, length, pace, short := 20, 4*time.Second, 50*time.Millisecond, true
	if d, err := time.ParseDuration(os.Getenv("LUDOTECA_SOAK")); err == nil {
		sessions, length, pace, short = 500, d, time.Second, false
	}
	s := startServer(t, Ours, fmt.Sprint(cachedPlies, "=", cachedIn(length)))
	k := &soak{t: t, server: s, pace: pace, period: length / (soakPeriods + 1), began: time.Now()}
	if k.coming = k.period; raceDetector { // it slows down signing in, too
		k.coming = max(k.coming, 8*time.Second)
	}
	h := &target{server: s, patience: Patience}
	if err := h.polite(); err != nil { // what is made once is there
		t.Fatal(err)
	}
	before, files := s.mustState(), s.descriptors()
	others := StartProbes(t, s, startServer(t, Bare), sessions/10) // measure the server

	ctx, leaveAll := context.WithCancel(t.Context())
	defer leaveAll()
	k.ctx = ctx
	all := k.people(sessions)
	m := k.measure(others)
	h.soon(k.happened) // a busy machine takes longer
	leaveAll()
	all.Wait()
	t.Logf("had a processor for: the server %v; the clients %v", cpuShareOf(s.Pid()), cpuShareOf(os.Getpid()))
	others.Leave()
	if !h.soon(func() bool { return s.mustState().visiting() <= before.visiting() && s.descriptors() <= files }) {
		t.Errorf("all have left: %+v, %d files; before they came: %+v, %d files", s.mustState(), s.descriptors(), before, files)
	}
	if err := s.Terminate(); err != nil {
		t.Error(err)
	}

	t.Logf("%d moves, %d visits of those who come and go", k.moves.Load(), k.visits.Load())
	if m.tell(t); !short && !raceDetector { // which slows down everything ten times
		m.check(t)
	}
	if !k.happened() {
		t.Error("nothing happened")
	}
}

// cachedIn returns the number of moves of finished matches that the server caches: few enough for a soak to fill the cache in its first third.
func cachedIn(length time.Duration) int { return int(length / (30 * time.Millisecond)) }

func (k *soak) happened() bool { return k.moves.Load() > 0 && k.visits.Load() > 0 }

// people starts a number of sessions besides the probes. It returns while they are still connecting.
func (k *soak) people(sessions int) *sync.WaitGroup {
	all := new(sync.WaitGroup)
	role := func(n int, live func() error) {
		for range n {
			all.Go(func() {
				Pause(rand.N(k.coming / 2)) // all at once would be too many to sign in
				if err := live(); err != nil && !errors.Is(err, context.Canceled) {
					k.t.Error(err)
				}
			})
		}
	}
	role(sessions/5, k.play)    // two sessions each
	role(sessions/20, k.follow) // five sessions each
	role(sessions/10, k.resize)
	role(sessions/10, k.stall)
	role(sessions/10, k.drop)
	return all
}

// pause waits between 0.5 and 1.5 times d. The error means that it is time to stop.
func (k *soak) pause(d time.Duration) error {
	wait := time.NewTimer(d/2 + rand.N(d))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-k.ctx.Done():
		return k.ctx.Err()
	}
}

// over reports whether it is time to stop.
func (k *soak) over() bool { return k.ctx.Err() != nil }

// measure lets the others type, period by period, and looks at the server in between. It begins when all have come, and takes
// as long as the soak does.
func (k *soak) measure(others *Probes) (m measured) {
	Pause(k.coming)
	between := min(betweenKeys, k.period/8)
	keys := 2 * max(1, int(k.period*3/16/between)) // there and back: at the edge of a board a key changes nothing
	for i := range soakPeriods {
		rude := i%2 == 1
		k.rude.Store(rude)
		Pause(k.period / 4) // until all sessions have noticed
		p := period{rude: rude}
		for range 2 {
			before := k.used()
			late := others.Typing(keys, between)
			p.used = p.used.add(k.used().since(before))
			p.late, p.bare = append(p.late, late.Ours...), append(p.bare, late.Bare...)
			p.missing += keys*others.n - len(late.Ours)
			k.look(&m)
		}
		m.periods = append(m.periods, p)
	}
	return m
}

// used returns what the server has used so far.
func (k *soak) used() (u used) {
	var err error
	if u.garbage, err = k.server.garbage(); err != nil {
		k.t.Fatal(err)
	}
	u.share, u.time = cpuShareOf(k.server.Pid()), time.Since(k.began)
	return u
}

// look takes a sample of what the server process holds.
func (k *soak) look(m *measured) {
	var now state
	if err := k.server.ask("quick", &now); err != nil {
		k.t.Fatal(err)
	}
	m.goroutines, m.files = append(m.goroutines, now.Goroutines), append(m.files, k.server.descriptors())
	m.live, m.resident = append(m.live, int(now.Live>>10)), append(m.resident, int(k.server.Memory("RssAnon")>>10))
	if n := len(m.live); n%(2*soakPeriods/3) == 0 { // at the end of each third
		k.server.heap(fmt.Sprint("soak", n))
	}
}

// soakGames are played with moves at random. Each ends within some hundred of them, so that there are always as many matches
// of every age.
var soakGames = []struct {
	name    string
	options games.Options
}{
	{"momentum", nil},
	{"petteia", games.Options{"captures_to_win": 1, "quiet_limit": 40}},
	{"fourmation", nil},
	{"flugelrad", nil},
	{"tanks", nil},
}

// play has two people play one match after the other, with the keyboard, until it is time to stop.
func (k *soak) play() error { return k.meet(k.pace, 0) }

// follow has three guests watch two people who play fast.
func (k *soak) follow() error { return k.meet(k.pace/2, 3) }

// meet has two people play and guests watch, who share a connection.
func (k *soak) meet(pace time.Duration, guests int) error {
	keys := []gossh.Signer{NewKey(k.t), NewKey(k.t)}
	if guests > 0 {
		keys = append(keys, nil)
	}
	var lines []*Connection
	for _, key := range keys {
		l, err := k.server.call(key)
		if err != nil {
			return err
		}
		defer l.Close()
		lines = append(lines, l.Forever())
	}
	for !k.over() {
		game := soakGames[rand.N(len(soakGames))]
		code, err := k.server.code(fmt.Sprint("match ", Fingerprint(keys[0]), " ", Fingerprint(keys[1]), " ", game.name, " ", game.options))
		if err != nil {
			return err
		}
		pos, err := start(game.name, game.options)
		if err != nil {
			return err
		}
		here, err := gather(code, lines, guests)
		if err == nil {
			err = k.playMatch(code, pos, pace, here)
		}
		for _, v := range here {
			_ = v.Close()
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", game.name, code, err)
		}
	}
	return nil
}

// gather opens a match on the screens of its two players and of the guests.
func gather(code string, lines []*Connection, guests int) (here []*Terminal, err error) {
	for i := range 2 + guests {
		v, err := lines[min(i, 2)].Screen("watch "+code, Usual)
		if err != nil {
			return here, err
		}
		here = append(here, v)
		if err := v.Until(code + " · casual"); err != nil { // the board is there: what is typed before goes nowhere
			return here, err
		}
		if i >= 2 {
			v.Discard()
		}
	}
	return here, nil
}

// start returns the first position of a game.
func start(game string, given games.Options) (games.Position, error) {
	for _, g := range catalog.All() {
		if g.About().ID == game {
			o, err := games.Complete(g, given)
			if err != nil {
				return nil, err
			}
			return g.New(o)
		}
	}
	return nil, fmt.Errorf("there is no %s", game)
}

// playMatch has the first two terminals play to the end of the match or of the time, and then holds the match to all moves
// that were made.
func (k *soak) playMatch(code string, pos games.Position, pace time.Duration, players []*Terminal) error {
	var made []games.Move
	for !pos.Result().Over && k.pause(pace) == nil {
		legal := pos.Legal()
		m := legal[rand.N(len(legal))]
		next, err := pos.Play(m)
		if err != nil {
			return err
		}
		mover, other := players[pos.Turn()], players[pos.Turn().Other()]
		mover.Forget()
		other.Forget()
		if _, err := io.WriteString(mover, string(m)+"\r"); err != nil {
			return err
		}
		if err := k.made(code, len(made)+1, mover); err != nil {
			return fmt.Errorf("%s as move %d: %w: %q", m, len(made)+1, err, mover.Shown())
		}
		pos, made = next, append(made, m)
		k.moves.Add(1)
		if pos.Result().Over {
			break
		}
		if err := players[pos.Turn()].Until("\a"); err != nil {
			return fmt.Errorf("the bell after move %d: %w", len(made), err)
		}
	}
	var found []games.Move
	if err := k.server.ask("moves "+code, &found); err != nil {
		return err
	}
	if !slices.Equal(found, made) {
		return fmt.Errorf("made were %v, found are %v", made, found)
	}
	return nil
}

// made waits until plies moves have been made. The bell also ends a title, so a move may be typed too early: it stays on the mover's line
// then and needs another enter. made presses enter only if the line asks for it, because on an empty line enter would play a cell.
func (k *soak) made(code string, plies int, mover *Terminal) error {
	late, again := time.After(Patience), time.NewTicker(2*time.Second)
	defer again.Stop()
	for {
		now := 0
		if err := k.server.ask("plies "+code, &now); err != nil || now >= plies {
			return err
		}
		select {
		case <-late:
			return errors.New("the move is lost")
		case <-again.C:
			if shown := mover.Shown(); !strings.Contains(shown, "What you type stays") && !strings.Contains(shown, "enter plays") {
				continue
			}
			if _, err := io.WriteString(mover, "\r"); err != nil {
				return err
			}
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// resize drags the corner of a window about, or moves the cursor in the lobby.
func (k *soak) resize() error {
	v, err := k.server.visit(nil, "", Usual)
	if err != nil {
		return err
	}
	defer v.conn.Close()
	v.conn.Forever()
	v.Discard()
	for {
		if k.rude.Load() {
			err = v.resize(size{rand.N[uint32](300), rand.N[uint32](100)})
		} else {
			err = errors.Join(v.resize(Usual), k.browse(v))
		}
		if err != nil || k.pause(100*time.Millisecond) != nil {
			return err
		}
	}
}

// browse moves the cursor for as long as people are polite.
func (k *soak) browse(v *Terminal) error {
	for i := 0; !k.rude.Load() && k.pause(betweenKeys) == nil; i++ {
		if _, err := io.WriteString(v, []string{"\x1b[B", "\x1b[A"}[i%2]); err != nil {
			return err
		}
	}
	return nil
}

// stall opens a large lobby that changes all the time, and never reads; or browses in it.
func (k *soak) stall() error {
	for !k.over() {
		v, err := k.server.visit(nil, "", size{200, 50})
		if err != nil {
			return err
		}
		v.conn.Forever()
		v.Discard()
		err = k.browse(v)
		v.conn.tcp.leaveUnread()
		for i := uint32(0); k.rude.Load() && k.pause(50*time.Millisecond) == nil; i++ {
			if v.resize(size{200 + i%2, 50}) != nil {
				break // the server has hung up
			}
		}
		v.conn.cut()
		if err != nil {
			return err
		}
	}
	return nil
}

// drop comes and leaves, rudely or in good form.
func (k *soak) drop() error {
	h := &target{server: k.server, patience: Patience}
	for k.pause(2*k.pace) == nil {
		visit := h.polite
		if k.rude.Load() {
			visit = func() error { return rudeWays[rand.N(len(rudeWays))].visit(k.server) }
		}
		if err := visit(); err != nil {
			return err
		}
		k.visits.Add(1)
	}
	return nil
}

// measured holds the measurements of a soak.
type measured struct {
	periods []period

	// Of the server process, twice a period, after a collection. Memory is in KiB.
	goroutines, files []int
	live, resident    []int
}

// A period is a part of a soak.
type period struct {
	rude    bool
	late    []time.Duration // how long the answers to the others' keys took to begin
	bare    []time.Duration // the same at a front that does nothing, at the same moments
	missing int             // keys whose answers came with the answer of another key
	used    used            // by the server process meanwhile
}

// used holds what a process has used in a period.
type used struct {
	time    time.Duration
	share   cpuShare
	garbage garbage
}

func (u used) add(v used) used {
	return used{u.time + v.time, u.share.add(v.share), u.garbage.add(v.garbage)}
}

func (u used) since(v used) used {
	return used{u.time - v.time, u.share.since(v.share), u.garbage.since(v.garbage)}
}

func (u used) String() string {
	return fmt.Sprintf("in %v it had a processor for %v, and made %.1f MB of garbage a second, collected %d times",
		u.time.Round(time.Millisecond), u.share, float64(u.garbage.Bytes)/1e6/u.time.Seconds(), u.garbage.Collections)
}

// tell logs what was measured.
func (m *measured) tell(t *testing.T) {
	for _, rude := range []bool{false, true} {
		t.Logf("keys of others, %s", m.total(rude))
	}
	t.Logf("p99 of each period, polite and rude in turn, ms: %s", m.each(ours))
	t.Logf("the same at a bare front, at the same moments:    %s", m.each(bareFront))
	t.Logf("p99 beside the rude is %.2f times that beside the polite, of the middle ones of %d periods each; at a bare front %.2f times",
		m.harm(ours), soakPeriods/2, m.harm(bareFront))
	t.Logf("goroutines %v", m.goroutines)
	t.Logf("descriptors %v", m.files)
	t.Logf("live heap, KiB %v", m.live)
	t.Logf("resident, KiB %v", m.resident)
}

// ours and bareFront are the keys of a period at one of the two fronts.
func ours(p period) []time.Duration      { return p.late }
func bareFront(p period) []time.Duration { return p.bare }

// total says how all polite periods were, or all rude ones.
func (m *measured) total(rude bool) string {
	name, missing, server := "beside the polite", 0, used{}
	if rude {
		name = "beside the rude"
	}
	var all, bare []time.Duration
	for _, p := range m.periods {
		if p.rude == rude {
			all, bare, missing, server = append(all, p.late...), append(bare, p.bare...), missing+p.missing, server.add(p.used)
		}
	}
	return fmt.Sprintf("%-18s %s; at a bare front %s; %d answered together with the next; the server: %v",
		name+":", spread(all), spread(bare), missing, server)
}

// spread says how long some keys took.
func spread(late []time.Duration) string {
	slices.Sort(late)
	return fmt.Sprintf("p50 %.2f ms, p99 %.2f ms, at most %.0f ms of %d", Percentile(late, 50), Percentile(late, 99), Percentile(late, 100), len(late))
}

func (m *measured) each(front func(period) []time.Duration) (text string) {
	for _, p := range m.periods {
		text += fmt.Sprintf(" %.1f", p99(front(p)))
	}
	return text[1:]
}

func p99(late []time.Duration) float64 { return Percentile(slices.Sorted(slices.Values(late)), 99) }

// harm returns the ratio of the slowest keys' latency beside rude clients to that beside polite ones: it compares the medians of the 99th
// percentiles of all periods. A single bad moment of the machine falls into one period and changes little.
func (m *measured) harm(front func(period) []time.Duration) float64 {
	var of [2][]float64 // polite, rude
	for i, p := range m.periods {
		of[i%2] = append(of[i%2], p99(front(p)))
	}
	return median(of[1]) / median(of[0])
}

func median[T int | float64](all []T) T {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

// check wants the last third to be like the second one, when all had come and what is bounded was full, and the others
// unharmed. It is not for a short soak.
func (m *measured) check(t *testing.T) {
	noMore := func(what string, all []int, share, slack int) {
		third := len(all) / 3
		early, late := median(all[third:2*third]), median(all[2*third:])
		if late > early+early/share+slack {
			t.Errorf("%s grew from %d to %d", what, early, late)
		}
	}
	noMore("goroutines", m.goroutines, 20, 20)
	noMore("descriptors", m.files, 20, 5)
	noMore("the live heap, KiB,", polite(m.live), 50, 1<<10) // windows of all sizes would hide a small leak
	if harm := m.harm(ours); harm > 2 {
		t.Errorf("the slowest keys of others take %.1f times as long beside the rude", harm)
	}
}

// polite picks the samples of polite periods.
func polite(all []int) (some []int) {
	for i, n := range all {
		if i/2%2 == 0 {
			some = append(some, n)
		}
	}
	return some
}
