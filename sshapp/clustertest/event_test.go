package clustertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	newcode "ludoteca/lobby/codes"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/sshapp/clustertest/history"
	"ludoteca/sshapp/e2e/eventtest"
	"ludoteca/storage"
	"ludoteca/storage/schema"
	"ludoteca/storage/tournaments"
)

// takeOverWithin is the longest time after which another node runs an event whose node was killed.
const takeOverWithin = 10 * time.Second

// overWithin is the longest time between the last match of an event and its end, and one more second because times are printed in whole ones.
const overWithin = takeOverWithin + time.Second

// TestArena has forty clients play a rated arena on several nodes over etcd, while the node that runs the arena is killed. In every second round it
// is cut off from etcd instead, and comes back. Another one takes over within ten seconds, nobody is ever in two matches at once, and no result is
// lost.
func TestArena(t *testing.T) {
	const players, first, each = 40, 15 * time.Second, 25 * time.Second
	e := newEvent(t, players, tournaments.Settings{Kind: tournaments.Arena, Span: first + time.Duration(*rounds)*each})
	ctx := t.Context()
	playing := e.play(ctx)
	pause(ctx, time.Until(e.settings.Begins.Add(first)))
	for i := range *rounds {
		began := time.Now()
		if i%2 == 0 {
			e.killOwner(ctx, fmt.Sprint("round ", i+1))
		} else {
			e.cutOffOwner(ctx, fmt.Sprint("round ", i+1))
		}
		pause(ctx, each-time.Since(began))
	}
	e.end(playing)
	if n := len(e.run.Paired); n < players**rounds {
		t.Errorf("there were only %d matches", n)
	}
}

// TestSwiss has eight clients play a rated Swiss, and kills the node that runs it as soon as a round is over, so that another node pairs the next
// one.
func TestSwiss(t *testing.T) {
	const players = 8
	rounds := min(*rounds, players-2) + 1 // of the Swiss: there are seven at most
	e := newEvent(t, players, tournaments.Settings{Kind: tournaments.Swiss, Rounds: rounds})
	ctx := t.Context()
	playing := e.play(ctx)
	for n := 1; n < rounds; n++ {
		if !e.roundOver(ctx, n) {
			t.Fatalf("round %d doesn't end", n)
		}
		e.killOwner(ctx, fmt.Sprint("after round ", n))
	}
	e.end(playing)
	if n := len(e.run.Paired); n != players/2*rounds {
		t.Errorf("there were %d matches", n)
	}
}

// An event is an event on a club of several nodes, and its entrants.
type event struct {
	t        *testing.T
	club     *club
	store    *schema.Store
	id       storage.TournamentID
	settings tournaments.Settings
	load     *load // the entrants
	record   *eventtest.Record
	run      history.Run
	takeOver []time.Duration
}

// newEvent starts a club, has players sign up, and announces an event for them that begins ten seconds later. Its settings are those given, and all
// that the kind needs. It is announced in the store itself, as by another node, because an account has to be a week old to do so.
func newEvent(t *testing.T, players int, set tournaments.Settings) *event {
	t.Helper()
	c := newClub(t, players, *nodes, startEtcd(t, *members))
	engine, err := c.store.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	store, err := openStore(t.Context(), engine)
	if err != nil {
		t.Fatal(err)
	}
	e := &event{
		t: t, club: c, store: store, id: storage.TournamentID(newcode.NewID()), load: &load{}, record: eventtest.NewRecord(false),
		run: history.Run{ResumeWithin: takeOverWithin, ClockTolerance: 2 * time.Second, Paired: make(map[storage.MatchID]bool)},
	}
	var signing sync.WaitGroup
	for n := range players {
		p := newPlayer(t, n, c.addresses, func(r *rand.Rand) time.Duration {
			return 20*time.Millisecond + time.Duration(r.Int64N(int64(80*time.Millisecond)))
		}, &e.load.counts)
		p.idle = 5 * time.Second
		e.load.players = append(e.load.players, p)
		signing.Go(func() { p.register(t.Context()) })
	}
	signing.Wait()
	options, err := games.Complete(fourmation.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	set.Code, set.Name, set.Games, set.Clock = newcode.New(), "Friday", []tournaments.Game{{ID: fourmation.New().About().ID, Options: options}}, "3+2"
	set.Rated, set.Least, set.Most, set.Seed = true, 4, tournaments.MaxEntrants, rand.Uint64()
	set.Begins = storage.Stored(time.Now().Add(10 * time.Second)).UTC()
	e.settings = set
	next, entries, err := state.New(e.id).Extend([]tournaments.Entry{{Kind: tournaments.Announced, Settings: &e.settings}}, time.Now())
	if err == nil {
		err = store.Tournaments.AppendTournament(t.Context(), e.id, entries, next.Summary())
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// play has all entrants enter and play. The channel is closed when the event is over for all of them, or ctx has ended.
func (e *event) play(ctx context.Context) <-chan struct{} {
	act, stop := context.WithCancel(ctx)
	e.load.stopActing = stop
	e.load.close = func() {
		for _, p := range e.load.players {
			p.leave()
		}
	}
	for _, p := range e.load.players {
		e.load.acting.Go(func() { e.playAs(act, p) })
	}
	e.t.Cleanup(func() { // if the test has failed meanwhile
		stop()
		e.load.acting.Wait()
		e.load.close()
	})
	over := make(chan struct{})
	go func() { e.load.acting.Wait(); close(over) }()
	return over
}

// playAs has a player enter and play until the event is over or ctx ends.
func (e *event) playAs(ctx context.Context, p *player) {
	entered := false
	for ctx.Err() == nil {
		if !entered {
			a, sent := p.run(ctx, "event join "+e.settings.Code)
			entered = sent && (a.outcome == history.Done || strings.HasPrefix(a.words, "You take part in this event already"))
			if !entered {
				pause(ctx, 100*time.Millisecond)
			}
			continue
		}
		page, ok := e.look(ctx, p)
		if !ok {
			pause(ctx, 100*time.Millisecond)
			continue
		}
		if page.State == eventtest.Over {
			return
		}
		if of, playing := page.Playing(p.name); playing && of.Code != "" {
			p.play(ctx, of.Code, 6+p.random.IntN(12))
			continue
		}
		pause(ctx, 200*time.Millisecond+time.Duration(p.random.Int64N(int64(200*time.Millisecond))))
	}
}

// look has a player look at the event, and at the own matches that go on.
func (e *event) look(ctx context.Context, p *player) (page eventtest.Page, ok bool) {
	asked := e.record.Ask()
	a, sent := p.run(ctx, "event show "+e.settings.Code+" --json")
	if !sent || a.outcome != history.Done {
		return page, false
	}
	if err := json.Unmarshal(a.out, &page); err != nil {
		e.t.Errorf("%s: %v", p.name, err)
		return page, false
	}
	e.record.Page(p.name+" on "+p.node, asked, page)
	a, sent = p.run(ctx, "matches --json")
	if !sent || a.outcome != history.Done {
		return page, false
	}
	all, err := eventtest.ReadLines[eventtest.Match](a.out)
	if err != nil {
		e.t.Errorf("%s: %v", p.name, err)
	}
	e.record.Unfinished(p.name+" on "+p.node, all)
	return page, true
}

// log returns the log of the event.
func (e *event) log(ctx context.Context) (log []tournaments.Entry, err error) {
	return e.store.Tournaments.TournamentLog(ctx, e.id, 1, 0)
}

// roundOver waits until a round has begun and all of its matches are decided. It returns false if that takes more than two minutes.
func (e *event) roundOver(ctx context.Context, round int) bool {
	for began := time.Now(); time.Since(began) < 2*time.Minute; {
		if log, err := e.log(ctx); err == nil {
			s, err := state.Fold(e.id, log)
			if err != nil {
				e.t.Fatal(err)
			}
			if len(s.Rounds) == round && len(s.Playing()) == 0 {
				return true
			}
		}
		pause(ctx, 100*time.Millisecond)
	}
	return false
}

// owner returns the node that runs the event, by the logs of the nodes that run, but for one: the node that has said so last.
func (e *event) owner(but *node) *node {
	var owner *node
	var said string
	for _, n := range e.club.nodes {
		if !n.running() || n == but {
			continue
		}
		for line := range strings.Lines(n.now.Stderr()) {
			at, _, _ := strings.Cut(line, " ") // time=2006-01-02T15:04:05.000Z
			if strings.Contains(line, "this node runs an event") && strings.Contains(line, "tournament="+string(e.id)) && at > said {
				owner, said = n, at
			}
		}
	}
	return owner
}

// killOwner kills the node that runs the event, waits until another one does, and starts the node again a little later.
func (e *event) killOwner(ctx context.Context, when string) {
	e.t.Helper()
	e.fault(ctx, when, "was killed", func(n *node) { n.kill() }, func(n *node) {
		if err := n.start(); err != nil {
			e.t.Fatal(err)
		}
	})
}

// cutOffOwner cuts the node that runs the event off from etcd, waits until another one runs the event, and lets the node come back a little later.
// What it had sent to etcd then arrives late, or is lost.
func (e *event) cutOffOwner(ctx context.Context, when string) {
	e.t.Helper()
	e.fault(ctx, when, "was cut off", func(n *node) { e.club.setBlocked(e.index(n), true, true) }, func(n *node) {
		if rand.IntN(2) == 0 {
			e.club.reset(e.index(n))
		}
		e.club.setBlocked(e.index(n), false, false)
	})
}

// index returns the index of a node in the club.
func (e *event) index(n *node) int { return slices.Index(e.club.nodes, n) }

// fault has something happen to the node that runs the event, waits until another one runs it, and mends the node a little later. It fails the test
// if that takes longer than takeOverWithin.
func (e *event) fault(ctx context.Context, when, what string, begin, mend func(*node)) {
	e.t.Helper()
	n := e.owner(nil)
	if n == nil {
		e.t.Fatal("no node runs the event")
	}
	f := history.Fault{What: n.name + ", which ran the event, " + what, Start: time.Now()}
	begin(n)
	if f.From = f.Start; n.running() {
		f.Node = n.name
	}
	var other *node
	for other == nil && time.Since(f.Start) < 2*takeOverWithin {
		pause(ctx, 20*time.Millisecond)
		if other = e.owner(n); other != nil && !e.saidSince(other, f.Start) {
			other = nil // it ran the event before
		}
	}
	took := time.Since(f.Start)
	if other == nil {
		e.t.Fatalf("%s: no node runs the event %v after %s %s", when, took, n.name, what)
	}
	e.takeOver = append(e.takeOver, took)
	if took > takeOverWithin {
		e.t.Errorf("%s: %s runs the event only %v after %s %s", when, other.name, took, n.name, what)
	}
	pause(ctx, time.Duration(rand.Int64N(int64(3*time.Second))))
	mend(n)
	f.End = time.Now().Add(2 * time.Second)
	e.run.Faults = append(e.run.Faults, f)
	line := fmt.Sprintf("%s: %s runs the event %v after %s %s", when, other.name, took.Round(time.Millisecond), n.name, what)
	if log, err := e.log(ctx); err == nil {
		for _, entry := range log {
			if entry.At.After(f.Start) && (entry.Kind == tournaments.Paired || entry.Kind == tournaments.Result) {
				line += fmt.Sprintf("; the first entry since is %s, after %v", entry.Kind, entry.At.Sub(f.Start).Round(time.Millisecond))
				break
			}
		}
	}
	e.t.Log(line)
}

// saidSince reports whether a node has logged after a time that it runs the event.
func (e *event) saidSince(n *node, since time.Time) bool {
	for line := range strings.Lines(n.now.Stderr()) {
		at, _, _ := strings.Cut(line, " ")
		said, err := time.Parse(time.RFC3339, strings.TrimPrefix(at, "time="))
		if err == nil && said.After(since) && strings.Contains(line, "this node runs an event") && strings.Contains(line, "tournament="+string(e.id)) {
			return true
		}
	}
	return false
}

// end waits for the end of the event, and checks what all clients were shown of it, on all nodes, against each other and against the store.
func (e *event) end(playing <-chan struct{}) {
	t := e.t
	t.Helper()
	select {
	case <-playing:
	case <-time.After(time.Until(e.settings.Begins.Add(e.settings.Span)) + 3*time.Minute):
		t.Error("the event doesn't end")
	}
	e.run.Stopped = time.Now()
	e.load.stopActing()
	e.load.acting.Wait()
	end := e.read(t.Context())
	e.run.Clients = e.load.stop()
	for _, c := range e.run.Clients {
		for _, v := range c.Views {
			if v.Result != "" {
				e.record.Result(c.Name, string(v.Match), v.Result)
			}
		}
	}
	for _, f := range e.record.Check(end, overWithin) {
		t.Error(f)
	}
	log, err := e.log(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range log {
		for _, p := range entry.Pairs {
			if p.Match != "" {
				e.run.Paired[p.Match] = true
			}
		}
	}
	for _, n := range e.club.nodes {
		n.kill()
	}
	h := e.club.read(t.Context())
	e.run.Matches, e.run.Ratings = h.matches, h.ratings
	checkRun(t, e.run, e.load)
	for id := range h.matches {
		if !e.run.Paired[id] {
			t.Errorf("the store has the match %s, which the event has not", id)
		}
	}
	for _, n := range e.club.nodes {
		checkLog(t, e.club, n)
	}
	if t.Failed() {
		t.Logf("the logs of the nodes are in %s", keepLogs(t, e.club))
	}
	pages, results, _ := e.record.Shown()
	t.Logf("FIGURE %d players on %d nodes: %d matches, %d results told to players, %d pages compared; %d times the node that ran the event was killed or cut off, and another one ran it after %v",
		len(e.load.players), len(e.club.nodes), len(e.run.Paired), results, pages, len(e.takeOver), e.takeOver)
}

// read has each player read the event after its end, on one of the nodes, with the player's history and the leaderboard.
func (e *event) read(ctx context.Context) eventtest.End {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	end := eventtest.End{Pages: map[string]eventtest.Page{}, History: map[string][]eventtest.Match{}}
	lines := map[string]eventtest.Leader{}
	var mu sync.Mutex
	var reading sync.WaitGroup
	for i, p := range e.load.players {
		reading.Go(func() {
			p.disconnect()
			p.at = i
			var page eventtest.Page
			err := json.Unmarshal(p.asks(ctx, "event show "+e.settings.Code+" --json"), &page)
			all, failed := eventtest.ReadLines[eventtest.Match](p.asks(ctx, "history "+p.name+" --limit 5000 --json"))
			leaders, wrong := eventtest.ReadLines[eventtest.Leader](p.asks(ctx, "leaderboard 4mation --json"))
			if err := errors.Join(err, failed, wrong); err != nil {
				e.t.Errorf("%s: %v", p.name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			end.Pages[p.name], end.History[p.name] = page, all
			for _, l := range leaders {
				if before, there := lines[l.Name]; there && before != l {
					e.t.Errorf("the leaderboard says %+v of %s, and %+v on %s", before, l.Name, l, p.node)
				}
				lines[l.Name] = l
			}
		})
	}
	reading.Wait()
	for _, l := range lines {
		end.Leaders = append(end.Leaders, l)
	}
	return end
}

// asks runs a command until it is answered or ctx ends.
func (p *player) asks(ctx context.Context, command string) []byte {
	for ctx.Err() == nil {
		if a, sent := p.run(ctx, command); sent && a.outcome == history.Done {
			return a.out
		}
		pause(ctx, 100*time.Millisecond)
	}
	return nil
}
