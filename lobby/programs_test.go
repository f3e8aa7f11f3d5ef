package lobby_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/games/ugi"
	"ludoteca/games/ugi/gui"
	"ludoteca/lobby"
	"ludoteca/lobby/engines"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/storage/accounts"
)

// A program is a computer account that plays over pipes.
type program struct {
	t       *testing.T
	user    lobby.User
	stop    context.CancelFunc
	ended   chan error // what Play returned
	reports chan engines.Report

	mu   sync.Mutex // guards what follows
	seen []string   // lines of the club, and the program's moves
}

// reply answers a line of the club: what it returns is written, line by line. ok is false for the end of the program.
type reply func(line string, moves int) (answer string, ok bool)

// polite plays the first legal move of each position, and answers all else as it should.
func polite(t *testing.T) reply {
	now := ugi.SetPosition{}
	return func(line string, _ int) (string, bool) {
		cmd, err := ugi.ParseCommand(line)
		if err != nil {
			t.Errorf("the club sends %q: %v", line, err)
			return "", false
		}
		switch cmd := cmd.(type) {
		case ugi.Hello:
			return "id name Polite\noption name cols type spin default 7 min 3 max 26\nugiok\n", true
		case ugi.IsReady:
			return "readyok\n", true
		case ugi.SetPosition:
			now = cmd
		case ugi.Go:
			p, err := games.Begin(fourmation.New(), smallBoard(t), now.From)
			if err == nil {
				p, err = games.ReplayFrom(p, now.Moves)
			}
			if err != nil || len(p.Legal()) == 0 {
				t.Errorf("there is no move after %s, %v", now, err)
				return "", false
			}
			return "info depth 1\nbestmove " + string(p.Legal()[0]) + "\n", true
		case ugi.Quit:
			return "", false
		}
		return "", true
	}
}

// smallBoard are the options of matches that end soon.
func smallBoard(t *testing.T) games.Options {
	o, err := games.ParseOptions(fourmation.New(), []string{"cols=4", "rows=4"})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// wish is what programs play in tests.
func wish(t *testing.T) engines.Wish {
	return engines.Wish{
		Game: fourmation.New(), Options: smallBoard(t), Clock: lobby.ClockSetting{Kind: lobby.Fischer, Base: time.Minute}, Rated: true, Matches: 1, Offers: true,
	}
}

// engine returns a computer account.
func (c *club) engine(name string) lobby.User {
	c.t.Helper()
	p := accounts.Player{Name: name, NameKey: name, Since: time.Now(), Became: time.Now()}
	if _, err := c.store.SignUp(c.t.Context(), p, "key of "+name); err != nil {
		c.t.Fatal(err)
	}
	return c.account(name)
}

// plays has a program play until it ends or stop is called.
func (c *club) plays(who lobby.User, w engines.Wish, from string, answer reply) *program {
	ctx, stop := context.WithCancel(c.t.Context())
	p := &program{t: c.t, user: who, stop: stop, ended: make(chan error, 1), reports: make(chan engines.Report, 1000)}
	in, to := io.Pipe()
	back, out := io.Pipe()
	go p.run(in, out, answer)
	link := gui.Link{From: back, To: to, End: func(bool) { in.Close(); back.Close() }, Why: func() string { return "" }}
	where := origin.Origin{Person: "key of " + who.Name}
	if from != "" {
		where.Addr = netip.MustParseAddr(from)
	}
	go func() {
		p.ended <- c.Engines.Play(ctx, engines.Program{User: who, Origin: where, Link: link, Report: func(r engines.Report) { p.reports <- r }}, w)
		in.Close()
		back.Close()
	}()
	c.t.Cleanup(stop)
	return p
}

// run answers what the club writes.
func (p *program) run(in io.ReadCloser, out io.WriteCloser, answer reply) {
	defer in.Close()
	defer out.Close()
	lines, moves := bufio.NewScanner(in), 0
	lines.Buffer(nil, 1<<20)
	for answer != nil && lines.Scan() {
		said, ok := answer(lines.Text(), moves)
		p.note(lines.Text())
		if strings.Contains(said, "bestmove") {
			moves++
			p.note("bestmove")
		}
		if _, err := io.WriteString(out, said); err != nil || !ok {
			return
		}
	}
	if answer == nil { // it never reads
		<-p.t.Context().Done()
	}
}

func (p *program) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, line)
}

// next returns the next report of an event.
func (p *program) next(e engines.Event) engines.Report {
	p.t.Helper()
	for {
		select {
		case r := <-p.reports:
			if r.Event == e {
				return r
			}
		case <-time.After(time.Hour):
			p.t.Fatalf("no event %d", e)
		}
	}
}

// result returns why the session has ended.
func (p *program) result() error {
	p.t.Helper()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(time.Hour):
		p.t.Fatal("the session goes on")
	}
	return nil
}

// TestProgramFaults has a program play well at first, and then do something wrong. It loses that match alone.
func TestProgramFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		wrong  func(line string) (answer string, ok bool) // from its third move on
		fault  string                                     // "": it is reported as none
		reason string                                     // of the end of the match
		ends   error                                      // of the session; nil: it goes on
	}{
		{"an illegal move", onGo("bestmove z9\n"), "z9", "resigned", nil},
		{"no move", onGo("bestmove\n"), "the move is missing", "resigned", nil},
		{"rubbish", onGo(strings.Repeat("bla\n", 1500)), "1000 lines", "resigned", nil},
		{"hangs, but comes back", onGo(""), "", "timeout", nil},
		{"hangs for ever", func(string) (string, bool) { return "", true }, "", "timeout", gui.ErrSilent},
		{"ends", func(string) (string, bool) { return "", false }, "", "timeout", gui.ErrEnded},
		{"an endless line", onGo(strings.Repeat("a", 70_000)), "", "timeout", ugi.ErrLine},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				good, well := polite(t), polite(t)
				bad := c.plays(c.engine("bad"), wish(t), "", func(line string, moves int) (string, bool) {
					if moves < 3 || !strings.HasPrefix(line, "go") && !strings.Contains(tt.name, "ever") {
						return well(line, moves)
					}
					return tt.wrong(line)
				})
				other := c.plays(c.engine("good"), wish(t), "", good)
				if tt.fault != "" {
					if r := bad.next(engines.Fault); !strings.Contains(r.Err.Error(), tt.fault) {
						t.Errorf("the fault is %v, want %q", r.Err, tt.fault)
					}
				}
				end := other.next(engines.Ended).View
				side, _ := end.Side(other.user)
				if end.Result != side.String() || end.Reason != tt.reason {
					t.Errorf("the match ends with %q for %v, %s, want %s", end.Result, side, end.Reason, tt.reason)
				}
				if tt.ends != nil {
					if err := bad.result(); !errors.Is(err, tt.ends) {
						t.Errorf("the session ends with %v, want %v", err, tt.ends)
					}
				} else {
					time.Sleep(6 * time.Minute) // they may meet again
					other.next(engines.Began)
					bad.stop()
					if err := bad.result(); !errors.Is(err, context.Canceled) {
						t.Errorf("the session ends with %v", err)
					}
				}
				other.stop()
				if err := other.result(); !errors.Is(err, context.Canceled) {
					t.Errorf("the other session ends with %v", err)
				}
			})
		})
	}
}

// onGo answers go, which is all that is asked.
func onGo(answer string) func(string) (string, bool) {
	return func(string) (string, bool) { return answer, true }
}

// TestProgramNeverReads: the club waits for it no longer than for ugiok.
func TestProgramNeverReads(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		p := c.plays(c.engine("deep"), wish(t), "", nil)
		if err := p.result(); !errors.Is(err, gui.ErrSilent) {
			t.Errorf("the session ends with %v", err)
		}
		if n := c.Engines.Playing(); n != 0 {
			t.Errorf("%d sessions are left", n)
		}
	})
}

// TestProgramComesBack loses its link in a match, and goes on with it in another session.
func TestProgramComesBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		deep, blue := c.engine("deep"), c.engine("blue")
		well := polite(t)
		first := c.plays(deep, wish(t), "", func(line string, moves int) (string, bool) {
			if moves == 3 && strings.HasPrefix(line, "go") {
				return "", false
			}
			return well(line, moves)
		})
		other := c.plays(blue, wish(t), "", polite(t))
		if err := first.result(); !errors.Is(err, gui.ErrEnded) {
			t.Fatalf("the session ends with %v", err)
		}
		began := first.next(engines.Began).View
		time.Sleep(20 * time.Second)
		second := c.plays(deep, wish(t), "", polite(t))
		if v := second.next(engines.Resumed).View; v.ID != began.ID {
			t.Errorf("it goes on with %s, want %s", v.ID, began.ID)
		}
		if v := other.next(engines.Ended).View; v.ID != began.ID || v.Reason == "timeout" || v.Result == "" {
			t.Errorf("match %s ends with %q, %s", v.ID, v.Result, v.Reason)
		}
		third := c.plays(deep, wish(t), "", polite(t))
		if err := second.result(); !errors.Is(err, lobby.ErrReplaced) {
			t.Errorf("the older session ends with %v", err)
		}
		for _, p := range []*program{third, other} {
			p.stop()
			_ = p.result()
		}
	})
}

// TestProgramPlaysSeveral has people play a program in several matches at a time. It is asked for one move at a time, and told when the match is
// another one.
func TestProgramPlaysSeveral(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		w := wish(t)
		w.Matches, w.Rated = 4, false
		deep := c.plays(c.engine("deep"), w, "", polite(t))
		var offers []lobby.Ref
		for len(offers) < 4 {
			time.Sleep(time.Second)
			offers = offers[:0]
			for _, o := range c.Lists.Now(c.ana).Offers {
				offers = append(offers, o.Ref)
			}
		}
		var playing sync.WaitGroup
		for i, o := range offers {
			u := []lobby.User{c.ana, c.rui, c.guest, c.Accounts.Guest("another")}[i]
			if _, err := c.Seats.Take(t.Context(), u, o.ID); err != nil {
				t.Fatal(err)
			}
			playing.Go(func() { c.playsFirst(c.seat(u, o.ID)) })
		}
		for range offers {
			if v := deep.next(engines.Ended).View; v.Result == "" || v.Reason == "timeout" {
				t.Errorf("match %s ends with %q, %s", v.Code, v.Result, v.Reason)
			}
		}
		playing.Wait()
		deep.stop()
		_ = deep.result()
		deep.check()
	})
}

// playsFirst plays the first legal move in each position until the match is over.
func (c *club) playsFirst(s *seats.Seat) {
	for seen := uint64(0); ; {
		v, err := s.Next(c.t.Context(), seen)
		if err != nil || v.Over {
			return
		}
		if seen = v.Seq; v.YourTurn(s.User()) {
			if err := s.Move(c.t.Context(), v.Position.Legal()[0], v.Ply()); err != nil && !errors.Is(err, match.ErrOver) && !errors.Is(err, match.ErrLate) {
				c.t.Errorf("%s: %v", s.User().Name, err)
			}
		}
	}
}

// check holds that a program had one search at a time, a position before each, and uginewgame before a position that doesn't continue the last.
func (p *program) check() {
	p.t.Helper()
	var last []string // moves of the last search
	searching, fresh, placed, switches := false, false, false, 0
	for _, line := range p.seen {
		words := strings.Fields(line)
		switch words[0] {
		case "go":
			if searching || !placed {
				p.t.Errorf("go while it searches %v, after a position %v", searching, placed)
			}
			searching, placed, fresh = true, false, false
		case "bestmove":
			searching = false
		case "uginewgame":
			fresh = true
			switches++
		case "position":
			moves := words[min(3, len(words)):]
			if !fresh && (len(moves) < len(last) || fmt.Sprint(moves[:len(last)]) != fmt.Sprint(last)) {
				p.t.Errorf("%q follows a search after %v without uginewgame", line, last)
			}
			last, placed = moves, true
		}
	}
	if switches < 4 {
		p.t.Errorf("%d times uginewgame for 4 matches", switches)
	}
}

// TestProgramGivesWay withdraws the offer of a program while a person offers the same.
func TestProgramGivesWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		deep := c.plays(c.engine("deep"), wish(t), "", polite(t))
		offered := func() (names []string) {
			synctest.Wait()
			time.Sleep(15 * time.Second)
			for _, o := range c.Lists.Now(c.rui).Offers {
				names = append(names, o.By.Name)
			}
			return names
		}
		if got := fmt.Sprint(offered()); got != "[deep]" {
			t.Errorf("the offers are by %s", got)
		}
		w := wish(t)
		ref := c.open(c.ana, seats.Spec{Game: "fourmation", Options: w.Options, Clock: w.Clock, Rated: true, Public: true})
		if got := fmt.Sprint(offered()); got != "[ana]" {
			t.Errorf("with an equal offer of ana the offers are by %s", got)
		}
		if err := c.seat(c.ana, ref.ID).Abort(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(offered()); got != "[deep]" {
			t.Errorf("after that the offers are by %s", got)
		}
		deep.stop()
		_ = deep.result()
		if got := fmt.Sprint(offered()); got != "[]" {
			t.Errorf("after the session the offers are by %s", got)
		}
	})
}

// TestProgramAccepts has a person challenge programs that accept her, or nobody.
func TestProgramAccepts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		w := wish(t)
		w.Offers, w.Rated = false, false
		deaf := c.plays(c.engine("deaf"), w, "", polite(t))
		w.Accepts.Everyone = true
		deep := c.plays(c.engine("deep"), w, "", polite(t))
		challenge := func(name string) *seats.Seat {
			return c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Options: w.Options, Clock: w.Clock, To: name}).ID)
		}
		if v := c.until(challenge("deaf"), over); v.Reason == "" || !v.Started.IsZero() {
			t.Errorf("the challenge ends with %s", v.Reason)
		}
		s := challenge("deep")
		c.until(s, func(v *lobby.View) bool { return !v.Started.IsZero() })
		c.playsFirst(s)
		if v := deep.next(engines.Ended).View; v.Result == "" || v.Reason == "timeout" {
			t.Errorf("the match ends with %q, %s", v.Result, v.Reason)
		}
		for _, p := range []*program{deaf, deep} {
			p.stop()
			_ = p.result()
		}
	})
}

// TestProgramLimits bounds the sessions of an address, and refuses people.
func TestProgramLimits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.EnginesPerAddress = 1 })
		if err := c.plays(c.ana, wish(t), "", polite(t)).result(); !errors.Is(err, lobby.ErrNoEngine) {
			t.Errorf("a person: %v", err)
		}
		one := c.plays(c.engine("one"), wish(t), "192.0.2.1", polite(t))
		synctest.Wait()
		if err := c.plays(c.engine("two"), wish(t), "192.0.2.1", polite(t)).result(); !errors.Is(err, lobby.ErrManyPrograms) {
			t.Errorf("a second program of the address: %v", err)
		}
		three := c.plays(c.engine("three"), wish(t), "198.51.100.1", polite(t))
		three.next(engines.Began)
		for _, p := range []*program{one, three} {
			p.stop()
			_ = p.result()
		}
	})
}
