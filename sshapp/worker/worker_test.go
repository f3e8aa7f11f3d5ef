package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/thinking"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long tests wait for what must happen.
const patience = time.Minute

// A logged is a log that tests can read.
type logged struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A lent is the cores that a Club has lent, without a scheduler.
type lent struct {
	machines chan thinking.Lender
	asking   *sync.WaitGroup // who waits for answers
}

// Lend implements Scheduler.
func (l lent) Lend(ctx context.Context, from thinking.Lender, _ int) error {
	l.machines <- from
	<-ctx.Done()
	l.asking.Wait()
	return nil
}

// connect connects a machine to a club over a pipe. The session at the club ends with ended.
func connect(t *testing.T, club *Club) (conn net.Conn, ended <-chan struct{}) {
	t.Helper()
	here, there := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	var serving sync.WaitGroup
	serving.Go(func() {
		defer close(over)
		defer there.Close()
		club.Serve(ctx, there, "SHA256:key", nil)
	})
	t.Cleanup(func() { cancel(); _ = here.Close(); serving.Wait() })
	return here, over
}

// serve has a machine with all games lend cores to a club. stop tells it to leave, and returns the error of its session.
func serve(t *testing.T, club *Club, cores int) (stop func() error) {
	t.Helper()
	conn, _ := connect(t, club)
	return serveOn(t, conn, cores)
}

// serveOn does the same on a connection.
func serveOn(t *testing.T, conn io.ReadWriteCloser, cores int) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	welcome, result := make(chan string, 1), make(chan error, 1)
	var serving sync.WaitGroup
	serving.Go(func() {
		result <- NewMachine(catalog.All(), cores, "1.0").Serve(ctx, conn, func(v string) { welcome <- v })
	})
	t.Cleanup(func() { cancel(); _ = conn.Close(); serving.Wait() })
	select {
	case <-welcome:
	case err := <-result:
		t.Fatal(err)
	case <-time.After(patience):
		t.Fatal("no welcome")
	}
	return func() error { cancel(); return <-result }
}

func newLent() (lent, *logged) {
	return lent{make(chan thinking.Lender, 1), new(sync.WaitGroup)}, new(logged)
}

func newTestClub(to Scheduler, log io.Writer) *Club {
	c := NewClub(catalog.All(), "1.0", to, slog.New(slog.NewTextHandler(log, nil)))
	c.signature = signature
	return c
}

// signature is that of all games.
var signature = sync.OnceValue(func() string { return Signature(catalog.All()) })

// wander plays random moves.
func wander(t *testing.T, g games.Game, plies int, seed uint64) (start games.Position, moves []games.Move, p games.Position) {
	t.Helper()
	start, r := beginning(g), games.NewRandom(seed)
	p = start
	for range plies {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		next, err := p.Play(m)
		if err != nil {
			t.Fatal(err)
		}
		if next.Result().Over {
			break
		}
		moves, p = append(moves, m), next
	}
	return start, moves, p
}

// TestSameMoveAsAtHome: with a budget of positions, each level of each game finds at the machine what it finds at the club.
func TestSameMoveAsAtHome(t *testing.T) {
	scheduler, log := newLent()
	serve(t, newTestClub(scheduler, log), 2)
	machine := <-scheduler.machines
	for _, g := range catalog.All() {
		for i, l := range bot.Levels(g) {
			home, searches := l.Player.(bot.Thinker)
			if !searches || l.ID == "master" { // which plays by the time
				continue
			}
			start, moves, p := wander(t, g, 3*i, uint64(i))
			want, err := home.Think(t.Context(), p, games.NewRandom(uint64(i)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := machine.Think(t.Context(), &thinking.Question{
				Game: g.About().ID, Level: l.ID, Start: start, Moves: moves, Position: p, Seed: uint64(i), AtMost: patience,
			})
			if err != nil || !same(got, want) {
				t.Errorf("%s of %s after %v:\n%+v, %v\nat home\n%+v", l.ID, g.About().ID, moves, got, err, want)
			}
		}
		start, moves, p := wander(t, g, 8, 1)
		home, err := bot.Strongest(g, 3000)
		if err != nil {
			t.Fatal(err)
		}
		want, err := home.Think(t.Context(), p, games.NewRandom(5))
		if err != nil {
			t.Fatal(err)
		}
		got, err := machine.Think(t.Context(), &thinking.Question{Game: g.About().ID, Nodes: 3000, Start: start, Moves: moves, Position: p, Seed: 5})
		if err != nil || !same(got, want) {
			t.Errorf("3000 positions of %s:\n%+v, %v\nat home\n%+v", g.About().ID, got, err, want)
		}
	}
	if log.String() == "" || strings.Contains(log.String(), "drop") {
		t.Errorf("the log: %s", log)
	}
}

// same compares thoughts. A longer line was cut when it was sent.
func same(got, want bot.Thought) bool {
	want.Line = want.Line[:min(len(want.Line), maxSentLine)]
	return fmt.Sprint(got) == fmt.Sprint(want)
}

// TestHistoryCounts: a repetition that only the moves tell is known to the machine.
func TestHistoryCounts(t *testing.T) {
	m := NewMachine(catalog.All(), 1, "1.0")
	g, _ := games.Find(catalog.All(), "fourmation")
	start, moves, p := wander(t, g, 6, 3)
	for name, tt := range map[string]struct {
		change func(q *ask)
		want   error
	}{
		"good":             {func(*ask) {}, nil},
		"another position": {func(q *ask) { q.Position = start.String() }, errPosition},
		"no such game":     {func(q *ask) { q.Game = "chess" }, errNoLevel},
		"no such level":    {func(q *ask) { q.Level = "random" }, errNoLevel},
		"no budget":        {func(q *ask) { q.Level, q.Nodes = "", 0 }, errNoLevel},
		"an endless one":   {func(q *ask) { q.Level, q.Nodes = "", 1<<40 }, errNoLevel},
		"an illegal move":  {func(q *ask) { q.Moves = append(q.Moves[:0:0], "zz9") }, games.ErrIllegal},
		"no position":      {func(q *ask) { q.Start = "x" }, games.ErrPosition},
	} {
		q := &ask{ID: 1, Game: "fourmation", Level: "club", Start: start.String(), Moves: moves, Position: p.String(), Seed: 1}
		tt.change(q)
		if _, err := m.think(t.Context(), q); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

// TestSignature: the signature doesn't change from call to call, and does with the games.
func TestSignature(t *testing.T) {
	all := catalog.All()
	if a, b := Signature(all), Signature(all); a != b || len(a) != 32 {
		t.Errorf("%q, then %q", a, b)
	}
	if Signature(all) == Signature(all[1:]) {
		t.Error("one game less has the same signature")
	}
	if Signature(all) == Signature([]games.Game{otherScale{all[0]}, all[1], all[2], all[3], all[4]}) {
		t.Error("other contempt has the same signature")
	}
}

// otherScale is a game with another contempt for draws.
type otherScale struct{ games.Game }

// Profile implements games.Profiled.
func (g otherScale) Profile() *games.Profile {
	p := *games.ProfileOf(g.Game)
	p.Contempt++
	return &p
}

// send writes a line to a connection.
func send(t *testing.T, conn net.Conn, line string) {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// receive reads a message.
func receive(t *testing.T, in *bufio.Reader) (m message) {
	t.Helper()
	line, err := in.ReadString('\n')
	if err != nil || json.Unmarshal([]byte(line), &m) != nil {
		t.Fatalf("the club says %q, %v", line, err)
	}
	return m
}

// TestRefused: the club says why it refuses a machine.
func TestRefused(t *testing.T) {
	right := signature()
	for _, tt := range []struct{ hello, want string }{
		{"rubbish", "the first line must be a hello"},
		{`{"leaving":true}`, "the first line must be a hello"},
		{strings.Repeat("x", 2*maxAnswer), "the first line must be a hello"},
		{`{"hello":{"protocol":2,"search":"` + right + `","cores":1}}`, "version 2 of the protocol and the club version 1"},
		{`{"hello":{"protocol":1,"version":"0.9\u001b[2J","search":"x","cores":1}}`, "the worker (version 0.9?[2J) would find other moves than those of the club (version 1.0)"},
		{`{"hello":{"protocol":1,"search":"` + right + `","cores":0}}`, "1 to 256 cores"},
		{`{"hello":{"protocol":1,"search":"` + right + `","cores":257}}`, "1 to 256 cores"},
	} {
		scheduler, log := newLent()
		conn, ended := connect(t, newTestClub(scheduler, log))
		var writing sync.WaitGroup
		writing.Go(func() { _, _ = io.WriteString(conn, tt.hello+"\n") }) // the club doesn't read all of a long line
		m := receive(t, bufio.NewReader(conn))
		if m.Refused == nil || !strings.Contains(m.Refused.Words, tt.want) || m.Refused.Retry != 0 {
			t.Errorf("%.60q: %+v, want %q", tt.hello, m.Refused, tt.want)
		}
		<-ended
		writing.Wait()
	}
}

// TestHostileMachine: a machine whose answers are rubbish is dropped with a line in the log, and must stay away for a while. What it was asked is
// thought about at the club.
func TestHostileMachine(t *testing.T) {
	hi := `{"hello":{"protocol":1,"search":"` + signature() + `","cores":1}}`
	for name, tt := range map[string]struct {
		answer func(id uint64) string
		asked  int // questions that it gets
	}{
		"illegal moves":    {func(id uint64) string { return fmt.Sprintf(`{"answer":{"id":%d,"move":"zz9"}}`, id) }, maxWrong},
		"no moves":         {func(id uint64) string { return fmt.Sprintf(`{"answer":{"id":%d}}`, id) }, maxWrong},
		"errors":           {func(id uint64) string { return fmt.Sprintf(`{"answer":{"id":%d,"error":"\u001b[2J"}}`, id) }, maxWrong},
		"rubbish":          {func(uint64) string { return "rubbish" }, 1},
		"an endless line":  {func(uint64) string { return strings.Repeat("x", 4*maxAnswer) }, 1},
		"other questions":  {func(id uint64) string { return fmt.Sprintf(`{"answer":{"id":%d,"move":"d4"}}`, id+1) }, 1},
		"questions":        {func(id uint64) string { return fmt.Sprintf(`{"ask":{"id":%d}}`, id) }, 1},
		"values as words":  {func(id uint64) string { return fmt.Sprintf(`{"answer":{"id":%d,"value":"many"}}`, id) }, 1},
		"numbers too long": {func(id uint64) string { return fmt.Sprintf(`{"answer":{"id":%d,"value":1e99}}`, id) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			scheduler := thinking.NewScheduler(1)
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { scheduler.Run(ctx) })
			defer running.Wait()
			defer cancel()
			log := new(logged)
			club := newTestClub(scheduler, log)
			conn, ended := connect(t, club)
			send(t, conn, hi)
			in := bufio.NewReader(conn)
			if m := receive(t, in); m.Welcome == nil {
				t.Fatalf("%+v", m)
			}
			asked := make(chan int, 1)
			var machine sync.WaitGroup
			machine.Go(func() {
				n := 0
				defer func() { asked <- n }()
				for range 100 {
					line, err := in.ReadString('\n')
					if err != nil {
						return
					}
					var m message
					if json.Unmarshal([]byte(line), &m) != nil || m.Ask == nil {
						continue
					}
					n++
					if _, err := io.WriteString(conn, tt.answer(m.Ask.ID)+"\n"); err != nil {
						return
					}
				}
			})
			level := pupil(t)
			start := beginning(fourmation.New())
			stays := true
			for i, late := 0, time.Now().Add(patience); stays && time.Now().Before(late); i++ { // the machine lends its core from some job on
				j := thinking.NewJob(ctx, level, start, uint64(i), 0).After(start, nil)
				scheduler.Submit(j, thinking.ForPlayers, origin.Origin{Person: "ana"})
				for u := range j.Updates() {
					if u.Done && (u.Err != nil || u.Decision.Move == "") {
						t.Errorf("a job ends with %+v", u)
					}
					if u.Done {
						break
					}
				}
				select {
				case <-ended:
					stays = false
				default:
				}
			}
			if stays {
				t.Fatal("the machine stays")
			}
			_ = conn.Close()
			machine.Wait()
			if n := <-asked; n != tt.asked {
				t.Errorf("it was asked %d times, want %d", n, tt.asked)
			}
			if text := log.String(); !strings.Contains(text, "a worker is dropped") || strings.Contains(text, "\x1b") {
				t.Errorf("the log: %s", text)
			}
			again, _ := connect(t, club)
			send(t, again, hi)
			if m := receive(t, bufio.NewReader(again)); m.Refused == nil || m.Refused.Retry < 1 {
				t.Errorf("the next time the club says %+v", m)
			}
		})
	}
}

// pupil returns a level that thinks for a moment.
func pupil(t *testing.T) thinking.Level {
	t.Helper()
	l, err := bot.Find(fourmation.New(), "pupil")
	if err != nil {
		t.Fatal(err)
	}
	player := l.Player.(bot.Thinker)
	level, _ := thinking.Level{ID: "pupil", Think: func(ctx context.Context, c bot.Clock, p games.Position, r *games.Random) (thinking.Decision, error) {
		found, err := player.ThinkWithin(ctx, c, p, r)
		return thinking.DecisionOf(found), err
	}}.In("fourmation")
	return level
}

// TestLeaving: a machine that is told to stop answers what it has been asked.
func TestLeaving(t *testing.T) {
	scheduler, log := newLent()
	club := newTestClub(scheduler, log)
	conn, _ := connect(t, club)
	heard := &heardLines{ReadWriteCloser: conn}
	stop := serveOn(t, heard, 1)
	machine := <-scheduler.machines
	g := fourmation.New()
	start := beginning(g)
	result := make(chan error, 1)
	scheduler.asking.Go(func() {
		_, err := machine.Think(t.Context(), &thinking.Question{Game: "fourmation", Nodes: 20_000, Start: start, Position: start, Seed: 1})
		result <- err
	})
	for late := time.Now().Add(patience); heard.n.Load() < 2 && time.Now().Before(late); { // the welcome and the question
		runtime.Gosched()
	}
	if err := stop(); err != nil {
		t.Errorf("the session of the machine ends with %v", err)
	}
	if err := <-result; err != nil {
		t.Error(err)
	}
	if _, err := machine.Think(t.Context(), &thinking.Question{Game: "fourmation", Level: "club", Start: start, Position: start}); !errors.Is(err, thinking.ErrNoAnswer) {
		t.Errorf("a machine that has left answers %v", err)
	}
}

// heardLines count the lines that were read from a connection.
type heardLines struct {
	io.ReadWriteCloser
	n atomic.Int64
}

// Read implements io.Reader.
func (h *heardLines) Read(p []byte) (int, error) {
	n, err := h.ReadWriteCloser.Read(p)
	h.n.Add(int64(bytes.Count(p[:n], []byte("\n"))))
	return n, err
}

// TestCancelled: a question that isn't wanted any more ends at once, and its late answer does no harm.
func TestCancelled(t *testing.T) {
	scheduler, log := newLent()
	conn, _ := connect(t, newTestClub(scheduler, log))
	send(t, conn, `{"hello":{"protocol":1,"search":"`+signature()+`","cores":1}}`)
	in := bufio.NewReader(conn)
	receive(t, in)
	machine := <-scheduler.machines
	start := beginning(fourmation.New())
	q := &thinking.Question{Game: "fourmation", Level: "club", Start: start, Position: start}
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	var asking sync.WaitGroup
	defer asking.Wait()
	asking.Go(func() { _, err := machine.Think(ctx, q); result <- err })
	first := receive(t, in).Ask
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if m := receive(t, in); m.Cancel != first.ID {
		t.Errorf("the club says %+v, want the end of %d", m, first.ID)
	}
	send(t, conn, fmt.Sprintf(`{"answer":{"id":%d,"move":"d4"}}`, first.ID))
	asking.Go(func() { _, err := machine.Think(t.Context(), q); result <- err })
	second := receive(t, in).Ask
	send(t, conn, fmt.Sprintf(`{"answer":{"id":%d,"move":"d4","value":3}}`, second.ID))
	if err := <-result; err != nil {
		t.Errorf("the next question: %v", err)
	}
}

// TestLongMatch: a match whose moves don't fit into a line is thought about at the club.
func TestLongMatch(t *testing.T) {
	scheduler, log := newLent()
	serve(t, newTestClub(scheduler, log), 1)
	machine := <-scheduler.machines
	start := beginning(fourmation.New())
	moves := make([]games.Move, maxQuestion/2)
	if _, err := machine.Think(t.Context(), &thinking.Question{Game: "fourmation", Level: "club", Start: start, Moves: moves, Position: start}); !errors.Is(err, thinking.ErrNoAnswer) {
		t.Errorf("%v", err)
	}
}
