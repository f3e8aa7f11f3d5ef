package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/sshapp/e2e/eventtest"
	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/e2e/sshclient"

	gossh "golang.org/x/crypto/ssh"
)

// TestArenaKilledInTheMiddle has forty clients play a rated arena, and kills the club again and again. Nobody is ever in two matches at once, and
// every result that a client was told is in the event, in the history and in the leaderboard, each once. An account of eight days announces the
// arena, by the clock of the club, which the test sets ahead; the players play by a clock that runs as that of the machine does. Before the end all
// pause, so that no match goes on when the clock is set ahead, and go on a little before the event ends.
//
// LUDOTECA_ARENA_KILLS=30 kills the club thirty times instead of three, each time after 80 further results.
func TestArenaKilledInTheMiddle(t *testing.T) {
	if testing.Short() {
		t.Skip("the tests of package lobby play events as long")
	}
	const players, late = 40, 4
	a := newArena(t, players)
	kills, each := 3, 80
	if n, err := strconv.Atoi(os.Getenv("LUDOTECA_ARENA_KILLS")); err == nil {
		kills = n
	}
	a.announce("arena 4mation --for 12h --name 'Friday arena'", late)
	a.setClock(a.ahead + 121*time.Second)
	a.each(a.entrants[:late], func(e *entrant) { e.does("event join " + a.code) })
	play, stop := context.WithCancel(t.Context())
	defer stop()
	playing := a.play(play, a.entrants)
	a.wait(a.results(each), playing)
	for range kills {
		a.restart()
		a.wait(a.results(each), playing)
	}
	close(a.rest)
	a.wait(done(&a.resting), playing)
	before := a.page(a.guest())
	a.setClock(time.Until(before.Ends.Add(-15 * time.Second)))
	close(a.again)
	a.wait(a.moved, playing)
	a.setClock(a.ahead + 16*time.Second) // the end comes while matches go on, and sooner than the time for a first move is up
	select {
	case <-playing:
	case <-time.After(sshclient.Patience):
		stop()
		<-playing
		t.Errorf("the arena doesn't end: %+v", a.page(a.guest()))
	}
	end := a.readEnd()
	for _, f := range a.record.Check(end, 5*time.Second) {
		t.Error(f)
	}
	final := end.Pages[sshclient.Guest]
	if len(final.Standing) != players || len(final.Pairings) <= len(before.Pairings) || len(before.Pairings) < (kills+1)*each {
		t.Errorf("%d places; %d pairings, %d of them before all paused", len(final.Standing), len(final.Pairings), len(before.Pairings))
	}
	a.checkWords(final)
	pages, results, due := a.record.Shown()
	t.Logf("%d pairings, %d results told to players, %d pages of the event compared; over %v after it was due", len(final.Pairings), results, pages, final.Ends.Sub(due))
	a.restart()
	for _, f := range eventtest.Differences(final, a.page(a.guest())) {
		t.Errorf("after another restart %s", f)
	}
}

// TestSwissKilledBetweenRounds has eight clients play a rated Swiss, and kills the club twice between rounds: when the players were told the last
// result of the round, and when the event has that result. The clock is set ahead before the club starts again, so that it pairs the next round at
// once.
func TestSwissKilledBetweenRounds(t *testing.T) {
	if testing.Short() {
		t.Skip("the tests of package lobby play events as long")
	}
	const players, rounds = 8, 5
	a := newArena(t, players)
	a.announce(fmt.Sprintf("swiss 4mation --rounds %d --name 'Friday Swiss'", rounds), 0)
	a.club.kill()
	a.setClock(a.ahead + 121*time.Second)
	a.start()
	playing := a.play(t.Context(), a.entrants)
	for n := 1; n < rounds; n++ {
		a.wait(a.results(players/2), playing)
		a.restart()
		a.wait(a.decided(n*players/2), playing)
		a.club.kill()
		a.setClock(a.ahead + 31*time.Second) // the pause between rounds is half a minute
		a.start()
	}
	select {
	case <-playing:
	case <-time.After(sshclient.Patience):
		t.Fatalf("the Swiss doesn't end: %+v", a.page(a.guest()))
	}
	end := a.readEnd()
	for _, f := range a.record.Check(end, 5*time.Second) {
		t.Error(f)
	}
	final := end.Pages[sshclient.Guest]
	if len(final.Standing) != players || len(final.Pairings) != rounds*players/2 {
		t.Errorf("%d places and %d pairings", len(final.Standing), len(final.Pairings))
	}
	a.checkWords(final)
}

// An arena is an arena or another event with its club, whose address changes with every restart.
type arena struct {
	t        *testing.T
	data     string
	clock    string        // file by which the club's clock is ahead
	ahead    time.Duration // what it says
	code     string
	entrants []*entrant
	record   *eventtest.Record

	club    *liveClub
	address atomic.Pointer[string]

	resting sync.WaitGroup // entrants who have yet to pause
	rest    chan struct{}  // closed when all are to pause
	again   chan struct{}  // closed when all are to go on
	moved   chan struct{}  // closed when one of them has made a move since
	move    sync.Once

	mu   sync.Mutex            // guards what follows
	want map[int]chan struct{} // by a number of results: closed when players were told as many
}

// newArena starts a club, and makes players who have not come yet.
func newArena(t *testing.T, players int) *arena {
	a := &arena{
		t: t, data: t.TempDir(), clock: filepath.Join(t.TempDir(), "clock"), record: eventtest.NewRecord(true),
		rest: make(chan struct{}), again: make(chan struct{}), moved: make(chan struct{}), want: make(map[int]chan struct{}),
	}
	a.setClock(0)
	a.start()
	for i := range players {
		a.entrants = append(a.entrants, &entrant{arena: a, name: entrantName(i), key: sshclient.NewSigner(t), random: rand.New(rand.NewPCG(uint64(i), 1))})
	}
	a.resting.Add(players)
	return a
}

// entrantName returns a name that doesn't look like others.
func entrantName(n int) string {
	const first, second = "bdfgklmnprstvz", "aeiou"
	return string([]byte{first[n%14], second[n/14%5], "lnrst"[n%5], second[(n+3)%5], first[(n*3+1)%14], second[n%5]})
}

func (a *arena) start() {
	a.t.Helper()
	a.club = start(a.t, program.Serve(a.t, programPath(a.t), a.data, "--match-burst=1000000", "--command-rate=1000", "--command-burst=1000"), clockFile+"="+a.clock)
	a.address.Store(&a.club.addr)
}

// restart kills the club and starts it again on the same store.
func (a *arena) restart() {
	a.t.Helper()
	a.club.kill()
	a.start()
}

// announce has the first entrant, whose account is eight days old then, announce a rated event that begins in two minutes, and all enter but some
// late ones. The words say of what kind it is.
func (a *arena) announce(words string, late int) {
	a.t.Helper()
	a.each(a.entrants, func(e *entrant) { e.does("name " + e.name) })
	a.setClock(8 * 24 * time.Hour)
	begins := time.Now().Add(a.ahead + 2*time.Minute).UTC().Format(time.RFC3339) // +2m is of the machine's clock
	out := a.entrants[0].does("event new " + words + " --at " + begins + " --clock 3+2 --rated --json")
	var event struct{ Code string }
	if err := json.Unmarshal(out, &event); err != nil || event.Code == "" {
		a.t.Fatalf("%s, %v", out, err)
	}
	a.code = event.Code
	a.each(a.entrants[late:], func(e *entrant) { e.does("event join " + a.code) })
}

// setClock sets the clock of the club ahead of that of the machine.
func (a *arena) setClock(ahead time.Duration) {
	a.t.Helper()
	a.ahead = ahead
	next := a.clock + ".next"
	if err := os.WriteFile(next, []byte(ahead.String()), 0o600); err != nil {
		a.t.Fatal(err)
	}
	if err := os.Rename(next, a.clock); err != nil {
		a.t.Fatal(err)
	}
}

// each has entrants do something at the same time, and waits for them.
func (a *arena) each(entrants []*entrant, do func(*entrant)) {
	var all sync.WaitGroup
	for _, e := range entrants {
		all.Go(func() { do(e) })
	}
	all.Wait()
	if a.t.Failed() {
		a.t.FailNow()
	}
}

// play has entrants play until the event is over or ctx ends. The channel is closed then.
func (a *arena) play(ctx context.Context, entrants []*entrant) <-chan struct{} {
	var all sync.WaitGroup
	for _, e := range entrants {
		all.Go(func() { e.play(ctx) })
	}
	a.t.Cleanup(func() { // if the test has failed meanwhile
		a.club.kill()
		all.Wait()
	})
	return done(&all)
}

// done returns a channel that is closed when a group is done.
func done(all *sync.WaitGroup) <-chan struct{} {
	over := make(chan struct{})
	go func() { all.Wait(); close(over) }()
	return over
}

// wait waits for something while entrants play.
func (a *arena) wait(until, playing <-chan struct{}) {
	a.t.Helper()
	select {
	case <-until:
	case <-playing:
		a.t.Fatalf("the event is over too early: %q", a.record.Faults())
	case <-time.After(3 * sshclient.Patience):
		a.t.Fatalf("the event doesn't go on: %+v", a.page(a.guest()))
	}
}

// results returns a channel that is closed when players were told n further results.
func (a *arena) results(n int) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, now, _ := a.record.Shown()
	enough := make(chan struct{})
	a.want[now+n] = enough
	return enough
}

// decided returns a channel that is closed when the event shows n pairings or more, all of them with results.
func (a *arena) decided(n int) <-chan struct{} {
	guest, there := a.guest(), make(chan struct{})
	go func() { // ends with the club
		defer close(there)
		for !a.t.Failed() {
			p := a.page(guest)
			if len(p.Pairings) >= n && !slices.ContainsFunc(p.Pairings, eventtest.Pairing.GoesOn) {
				return
			}
		}
	}()
	return there
}

// result notes that a player was told the result of a match.
func (a *arena) result(name, match, result string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.record.Result(name, match, result)
	for want, enough := range a.want {
		if n >= want {
			close(enough)
			delete(a.want, want)
		}
	}
}

// guest comes as a guest.
func (a *arena) guest() *gossh.Client {
	a.t.Helper()
	return sshclient.MustDial(a.t, *a.address.Load(), sshclient.Guest, nil)
}

// page returns the event as a client is shown it.
func (a *arena) page(c *gossh.Client) (p eventtest.Page) {
	a.t.Helper()
	out, err := sshclient.Ask(c, "event show "+a.code+" --json")
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	if err != nil {
		a.t.Error(err)
	}
	return p
}

// readEnd has everybody read the event after its end, and the players their history and the leaderboard.
func (a *arena) readEnd() eventtest.End {
	a.t.Helper()
	end := eventtest.End{Pages: map[string]eventtest.Page{sshclient.Guest: a.page(a.guest())}, History: map[string][]eventtest.Match{}}
	var mu sync.Mutex
	lines := map[string]eventtest.Leader{}
	a.each(a.entrants, func(e *entrant) {
		var page eventtest.Page
		err := json.Unmarshal(e.does("event show "+a.code+" --json"), &page)
		history, failed := eventtest.ReadLines[eventtest.Match](e.does("history " + e.name + " --limit 5000 --json"))
		leaders, wrong := eventtest.ReadLines[eventtest.Leader](e.does("leaderboard 4mation --json"))
		if err = errors.Join(err, failed, wrong); err != nil {
			a.t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		end.Pages[e.name], end.History[e.name] = page, history
		for _, l := range leaders {
			if before, there := lines[l.Name]; there && before != l {
				a.t.Errorf("the leaderboard says %+v of %s, and %+v to %s", before, l.Name, l, e.name)
			}
			lines[l.Name] = l
		}
	})
	for _, l := range lines {
		end.Leaders = append(end.Leaders, l)
	}
	return end
}

// checkWords checks that people read the same places as scripts, and that the event is in the list of those that are over.
func (a *arena) checkWords(final eventtest.Page) {
	a.t.Helper()
	e := a.entrants[0]
	places := map[string][]string{}
	for line := range strings.Lines(string(e.does("event show " + a.code))) {
		if words := strings.Fields(line); len(words) >= 4 && len(places) < len(final.Standing) && words[0] == strconv.Itoa(final.Standing[len(places)].Rank) {
			places[words[1]] = words
		}
	}
	for _, p := range final.Standing {
		if words := places[p.Name]; words == nil || words[0] != strconv.Itoa(p.Rank) || words[3] != fmt.Sprint(p.Points) { // rank, name, rating, points
			a.t.Errorf("scripts read %+v, and people %q", p, words)
		}
	}
	past, err := eventtest.ReadLines[eventtest.Page](e.does("events --past --json"))
	if err != nil || len(past) != 1 || past[0].Code != a.code || past[0].State != eventtest.Over || past[0].Winner != final.Winner || !past[0].Ends.Equal(final.Ends) {
		a.t.Errorf("the list of past events is %+v, %v", past, err)
	}
}

// An entrant is a client who plays in an arena. One goroutine uses it.
type entrant struct {
	arena  *arena
	name   string
	key    gossh.Signer
	random *rand.Rand
	line   *gossh.Client // nil: not connected
	paused bool
	rested bool // has told resting
}

// connect connects the entrant, to the club that runs then. It reports whether it is connected before ctx ends.
func (e *entrant) connect(ctx context.Context) bool {
	for e.line == nil && ctx.Err() == nil {
		c, err := sshclient.Dial(*e.arena.address.Load(), e.name, e.key)
		if err != nil {
			pause() // the club starts again
			continue
		}
		e.line = c
		e.arena.t.Cleanup(func() { _ = c.Close() })
	}
	return e.line != nil
}

// ask asks the club. there is false if it is gone; then the entrant has to connect again. A refusal is an error.
func (e *entrant) ask(command string) (out []byte, there bool, err error) {
	out, err = sshclient.Ask(e.line, command)
	if _, refused := errors.AsType[*gossh.ExitError](err); err != nil && !refused {
		_ = e.line.Close()
		e.line = nil
		return nil, false, err
	}
	return out, true, err
}

// does has the entrant do something that must succeed, in a club that nobody kills.
func (e *entrant) does(command string) []byte {
	if !e.connect(e.arena.t.Context()) {
		return nil
	}
	out, _, err := e.ask(command)
	if err != nil {
		e.arena.t.Errorf("%s: %s: %v", e.name, command, err)
	}
	return out
}

// resume has the entrant take part again. On a slow machine it may be too late for that: the event is over then.
func (e *entrant) resume() {
	e.paused = false
	_, _, err := e.ask("event resume " + e.arena.code)
	if err == nil {
		return
	}
	if page, there := e.look(); !there || page.State != eventtest.Over {
		e.arena.t.Errorf("%s doesn't take part again: %v", e.name, err)
	}
}

// play plays until the event is over or ctx ends.
func (e *entrant) play(ctx context.Context) {
	for e.connect(ctx) && ctx.Err() == nil {
		page, there := e.look()
		switch pairing, playing := page.Playing(e.name); {
		case !there:
		case page.State == eventtest.Over:
			return
		case playing && pairing.Code != "":
			e.match(pairing.Code)
		case closed(e.arena.again) && e.paused:
			e.resume()
		case closed(e.arena.rest) && !closed(e.arena.again) && !e.paused:
			e.does("event pause " + e.arena.code)
			e.paused = true
		case e.paused && !playing:
			if !e.rested {
				e.rested = true
				e.arena.resting.Done()
			}
			select {
			case <-e.arena.again:
			case <-ctx.Done():
			}
		default:
			_, _, _ = e.ask("wait --for event --timeout 500ms") // the error: nothing has come, or the club is gone
		}
	}
}

// look looks at the event and at the entrant's own matches. there is false if the club is gone.
func (e *entrant) look() (page eventtest.Page, there bool) {
	a := e.arena
	asked := a.record.Ask()
	out, there, err := e.ask("event show " + a.code + " --json")
	if !there {
		return page, false
	}
	if err == nil {
		err = json.Unmarshal(out, &page)
	}
	if err != nil {
		a.t.Errorf("%s: %v", e.name, err)
		return page, true
	}
	a.record.Page(e.name, asked, page)
	if out, there, err = e.ask("matches --json"); !there {
		return page, false
	}
	all, wrong := eventtest.ReadLines[eventtest.Match](out)
	if err = errors.Join(err, wrong); err != nil {
		a.t.Errorf("%s: %v", e.name, err)
	}
	a.record.Unfinished(e.name, all)
	return page, true
}

// closed reports whether a channel is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// An arenaMatch is a match as watch and move print it with --json.
type arenaMatch struct {
	ID      string
	First   string
	Moves   []games.Move
	Legal   []games.Move
	Options games.Options
	Turn    string
	Result  string
}

// match plays a match by random moves, until it is over or the club is gone. From the fifth move on the entrant resigns now and then.
func (e *entrant) match(code string) {
	s, err := e.line.NewSession()
	if err != nil {
		_ = e.line.Close()
		e.line = nil
		return
	}
	defer s.Close()
	out, err := s.StdoutPipe()
	if err != nil || s.Start("watch "+code+" --json") != nil {
		return
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		var now arenaMatch
		if err != nil || json.Unmarshal(line, &now) != nil {
			return // the club is gone, or the match was over before
		}
		side := "second"
		if now.First == e.name {
			side = "first"
		}
		if now.Turn == side && !e.turn(code, now) || e.isOver(now) {
			return
		}
	}
}

// isOver reports whether a match is over, and notes its result.
func (e *entrant) isOver(m arenaMatch) bool {
	if m.Turn == "" {
		e.arena.result(e.name, m.ID, m.Result)
	}
	return m.Turn == ""
}

// turn makes a move, or resigns. It returns false when there is nothing more to play.
func (e *entrant) turn(code string, now arenaMatch) bool {
	position, err := fourmation.New().New(now.Options)
	for _, m := range now.Moves {
		if err == nil {
			position, err = position.Play(m)
		}
	}
	if err != nil {
		e.arena.t.Errorf("%s: %s is shown as %+v: %v", e.name, now.ID, now, err)
		return false
	}
	legal := position.Legal()
	command := fmt.Sprintf("move %s %s --json", code, legal[e.random.IntN(len(legal))])
	if len(now.Moves) >= 4 && e.random.IntN(8) == 0 {
		command = "resign " + code + " --json"
	}
	out, there, err := e.ask(command)
	var after arenaMatch
	switch {
	case !there:
		return false
	case err != nil: // an older view than the present one: the next one comes
		return true
	case json.Unmarshal(out, &after) != nil:
		e.arena.t.Errorf("%s: %s is answered with %q", e.name, command, out)
		return false
	}
	if closed(e.arena.again) {
		e.arena.move.Do(func() { close(e.arena.moved) })
	}
	return !e.isOver(after)
}
