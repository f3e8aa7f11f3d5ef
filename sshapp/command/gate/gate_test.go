package gate

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
)

// testGate returns a gate with the given number of places for steps, and as many for starts.
func testGate(places int) *Gate {
	g := New(20, 200)
	g.steps.places, g.starts.places = places, places
	return g
}

// person returns the origin of a person without an address.
func person(name string) origin.Origin { return origin.Origin{Person: name} }

// empty fails the test if the gate remembers any person, block, command or answer.
func (g *Gate) empty(t *testing.T) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.commands) != 0 || len(g.people) != 0 || len(g.blocks) != 0 || len(g.answers) != 0 || g.kept != 0 || len(g.begun) != 0 {
		t.Errorf("left in the gate: %d commands, %d people, %d blocks, %d answers of %d bytes", len(g.commands), len(g.people), len(g.blocks), len(g.answers), g.kept)
	}
	for _, q := range []*fairQueue{g.starts, g.steps} {
		q.mu.Lock()
		if n := len(q.people); n != 0 {
			t.Errorf("%d people wait or work", n)
		}
		q.mu.Unlock()
	}
}

// free fails the test unless all places are free once they have rested. The test runs in a bubble.
func (g *Gate) free(t *testing.T) {
	t.Helper()
	g.empty(t)
	time.Sleep(time.Second)
	for _, q := range []*fairQueue{g.starts, g.steps} {
		q.mu.Lock()
		if q.taken != 0 {
			t.Errorf("%d places are taken", q.taken)
		}
		q.mu.Unlock()
	}
}

// TestGateFreesPlaces has a step fail and another panic: their places are free again.
func TestGateFreesPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, failed := testGate(1), errors.New("on purpose")
		if err := g.Do(t.Context(), person("a"), func() error { return failed }); err != failed {
			t.Errorf("the error of a step is %v", err)
		}
		func() {
			defer func() { _ = recover() }()
			_ = g.Do(t.Context(), person("a"), func() error { panic("on purpose") })
		}()
		g.free(t)
	})
}

func TestGateBounds(t *testing.T) {
	address := func(s string) netip.Addr { return netip.MustParseAddr(s) }
	tests := []struct {
		name string
		from func(i int) origin.Origin
		most int
	}{
		{"a person", func(int) origin.Origin { return origin.Origin{Person: "a"} }, MaxHeavyPerPerson},
		{"an address", func(i int) origin.Origin {
			return origin.Origin{Person: fmt.Sprint(i), Addr: address("192.0.2.1")}
		}, maxHeavyPerBlock},
		{"a /24", func(i int) origin.Origin {
			return origin.Origin{Person: fmt.Sprint(i), Addr: address(fmt.Sprint("192.0.2.", i))}
		}, 8 * maxHeavyPerBlock},
		{"a /48", func(i int) origin.Origin {
			return origin.Origin{Person: fmt.Sprint(i), Addr: address(fmt.Sprintf("2001:db8:0:%x::1", i<<8))}
		}, 16 * maxHeavyPerBlock},
		{"all", func(i int) origin.Origin { return origin.Origin{Person: fmt.Sprint(i)} }, MaxHeavy},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := testGate(1)
			var leave []func()
			for i := range tt.most {
				l, err := g.enter(t.Context(), tt.from(i))
				if err != nil {
					t.Fatalf("command %d of %d: %v", i+1, tt.most, err)
				}
				leave = append(leave, l.leave)
			}
			if _, err := g.enter(t.Context(), tt.from(tt.most)); !errors.Is(err, lobby.ErrManyAnswers) {
				t.Errorf("one more than %d: %v", tt.most, err)
			}
			if other, err := g.enter(t.Context(), origin.Origin{Person: "other", Addr: address("198.51.100.1")}); (err == nil) != (tt.most < MaxHeavy) {
				t.Errorf("another person: %v", err)
			} else if err == nil {
				other.leave()
			}
			leave[0]()
			leave[0]() // once more does nothing
			again, err := g.enter(t.Context(), tt.from(0))
			if err != nil {
				t.Errorf("after one has left: %v", err)
			} else {
				leave[0] = again.leave
			}
			if _, err := g.enter(t.Context(), tt.from(tt.most)); !errors.Is(err, lobby.ErrManyAnswers) {
				t.Errorf("one more, again: %v", err)
			}
			for _, l := range leave {
				l()
			}
			g.empty(t)
		})
	}
}

// TestFollowers: a heavy command that follows something is counted until its beginning is read, also if that is empty, and holds no place while it
// waits.
func TestFollowers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := testGate(1)
		var all sync.WaitGroup
		defer all.Wait()
		read, over := make(chan struct{}), make(chan struct{})
		var failed []error
		follow := func(rows ...reply.Row) {
			p := Printer{Gate: g, From: person("a"), HangUp: func() {}, Write: func([]byte) error { <-read; return nil }}
			all.Go(func() {
				err := p.Print(t.Context(), func(yield func(reply.Part, error) bool) {
					_ = yield(reply.Part{Rows: rows}, nil) && yield(reply.Part{Wait: func() error { <-over; return nil }}, nil)
				}, tree.Heavy, true)
				if err != nil {
					failed = append(failed, err)
				}
			})
			synctest.Wait()
		}
		for range MaxHeavyPerPerson + 1 {
			follow(reply.ForPeople("a line"))
		}
		if len(failed) != 1 || !errors.Is(failed[0], lobby.ErrManyAnswers) {
			t.Errorf("%d begin, and nobody reads: %v", MaxHeavyPerPerson+1, failed)
		}
		close(read)
		synctest.Wait()
		g.free(t)
		for range 2 * MaxHeavyPerPerson {
			follow(reply.ForPeople("a line"))
			follow()
		}
		if len(failed) != 1 {
			t.Errorf("beside others who follow: %v", failed[1:])
		}
		g.free(t)
		close(over)
	})
}

// TestGateMakesRoom: when the gate is full, the newest command of the block with most commands makes room for a command of a block with
// fewer, and for no other. A command whose turn has come stays.
func TestGateMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := testGate(1)
		at := func(block, i int) origin.Origin {
			return origin.Origin{Person: fmt.Sprint(block, "-", i), Addr: netip.AddrFrom4([4]byte{10, byte(block), 0, byte(i)})}
		}
		hold := make(chan struct{})
		var all sync.WaitGroup
		begin := func(from origin.Origin, answer *error) {
			all.Go(func() { *answer = g.Do(t.Context(), from, func() error { <-hold; return nil }) })
			synctest.Wait()
		}
		const each = 8
		answers := make([][each]error, MaxHeavy/each)
		for block := range answers {
			for i := range each {
				begin(at(block, i), &answers[block][i])
			}
		}
		var more error
		begin(at(0, each), &more)
		if !errors.Is(more, lobby.ErrManyAnswers) {
			t.Errorf("one more of a block that has as many as others: %v", more)
		}
		var late [each]error
		for i := range late {
			begin(at(200, i), &late[i])
		}
		for i, err := range late {
			if want := i == each-1; errors.Is(err, lobby.ErrManyAnswers) != want { // then its block would have as many as most have
				t.Errorf("command %d of a block that comes late is refused: %v, want %v", i+1, err, want)
			}
		}
		close(hold)
		all.Wait()
		gone := 0
		for block := range answers {
			for i, err := range answers[block] {
				switch {
				case errors.Is(err, lobby.ErrManyAnswers) && i == each-1:
					gone++
				case err != nil:
					t.Errorf("command %d of block %d: %v", i, block, err)
				}
			}
		}
		if gone != each-1 {
			t.Errorf("%d commands have made room for %d", gone, each-1)
		}
		g.free(t)
	})
}

// TestKeptAnswers: when more is printed than may wait for clients, the oldest answers of the block that has most are given up.
func TestKeptAnswers(t *testing.T) {
	g := testGate(1)
	at := func(block int) origin.Origin {
		return origin.Origin{Person: "a", Addr: netip.AddrFrom4([4]byte{10, byte(block), 0, 1})}
	}
	var hungUp []string
	keep := func(name string, from origin.Origin, bytes int, want bool) (release func()) {
		release, ok := g.keep(from, bytes, func() { hungUp = append(hungUp, name) })
		if ok != want {
			t.Errorf("%s is kept: %v", name, ok)
		}
		return release
	}
	const part = maxKept / 8
	releases := []func(){
		keep("slow", at(1), part, true), keep("rude 1", at(2), 2*part, true), keep("rude 2", at(2), 2*part, true), keep("local", person("b"), 3*part, true),
		keep("newcomer", at(3), part, true),
	}
	if want := []string{"rude 1"}; !slices.Equal(hungUp, want) {
		t.Errorf("hung up on %q, want %q", hungUp, want)
	}
	releases = append(releases, keep("huge", at(4), 5*part, false))
	if want := []string{"rude 1", "huge"}; !slices.Equal(hungUp, want) {
		t.Errorf("hung up on %q, want %q", hungUp, want)
	}
	for _, release := range releases {
		release()
		release() // once more does nothing
	}
	g.empty(t)
}

// TestGatePace has a person give commands without end: after the burst they come at the rate, from several keys of one address
// too, and from nowhere.
func TestGatePace(t *testing.T) {
	from := func(person, addr string) origin.Origin {
		o := origin.Origin{Person: person}
		if addr != "" {
			o.Addr = netip.MustParseAddr(addr)
		}
		return o
	}
	tests := []struct {
		name string
		from func(i int) origin.Origin
		took time.Duration // of 5 commands after a burst of 10, 10 a second
	}{
		{"a person", func(int) origin.Origin { return from("a", "192.0.2.1") }, 500 * time.Millisecond},
		{"an address", func(i int) origin.Origin { return from(fmt.Sprint(i), "192.0.2.1") }, 500 * time.Millisecond},
		{"a person with many addresses", func(i int) origin.Origin { return from("a", fmt.Sprint("192.0.2.", i)) }, 500 * time.Millisecond},
		{"a /24", func(i int) origin.Origin { return from(fmt.Sprint(i), fmt.Sprint("192.0.2.", i)) }, 0},
		{"a person who is spared limits by address", func(int) origin.Origin { return from("a", "") }, 500 * time.Millisecond},
		{"people who are spared limits by address", func(i int) origin.Origin { return from(fmt.Sprint(i), "") }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := New(10, 10)
				began := time.Now()
				for i := range 15 {
					end, err := g.Begin(t.Context(), tt.from(i))
					if err != nil {
						t.Fatal(err)
					}
					end()
				}
				if took := time.Since(began); took.Round(10*time.Millisecond) != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		g := New(1, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		here := from("a", "192.0.2.1")
		if _, err := g.Begin(ctx, here); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Begin(ctx, here); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller that leaves: %v", err)
		}
	})
}

// TestGateBegin has many people give long commands at the same moment: the commands begin a few at a time, but soon. A person who is spared
// limits by address doesn't wait for them.
func TestGateBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const people = 50
		g := testGate(2)
		at := func(i int) origin.Origin {
			return origin.Origin{Person: fmt.Sprint(i), Addr: netip.AddrFrom4([4]byte{10, byte(i), 0, 1})}
		}
		leave := make(chan struct{})
		begun := make(chan int, people)
		var commands sync.WaitGroup
		for i := range people {
			commands.Go(func() {
				end, err := g.Begin(t.Context(), at(i))
				if err != nil {
					t.Error(err)
					return
				}
				begun <- i
				<-leave
				end()
			})
		}
		synctest.Wait()
		if n := len(begun); n != 2 {
			t.Errorf("%d commands have begun at once, want 2", n)
		}
		if _, err := g.Begin(t.Context(), person("spared")); err != nil {
			t.Error(err)
		}
		began := time.Now()
		for range people {
			<-begun
		}
		if took, want := time.Since(began), (people/2-1)*(1+restOfStarts)*maxStart; took != want {
			t.Errorf("the last has begun after %v, want %v", took, want)
		}
		close(leave)
		commands.Wait()
		g.free(t)
	})
}

// TestStoreIsSlow has steps wait for a store that doesn't answer for seconds. Later steps still get their turns soon.
func TestStoreIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const people = 20
		g := testGate(1)
		answer := make(chan struct{})
		var all sync.WaitGroup
		for i := range people {
			all.Go(func() {
				if err := g.Do(t.Context(), person(fmt.Sprint(i)), func() error { <-answer; return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		if err := g.Do(t.Context(), person("last"), func() error { return nil }); err != nil {
			t.Error(err)
		}
		if took, most := time.Since(began), people*(1+restOfSteps)*maxStep; took > most {
			t.Errorf("the step behind them began after %v, want at most %v", took, most)
		}
		time.Sleep(10 * time.Second)
		close(answer)
		all.Wait()
		began = time.Now()
		if err := g.Do(t.Context(), person("late"), func() error { return nil }); err != nil || time.Since(began) > 0 {
			t.Errorf("once the store answers again: %v after %v", err, time.Since(began))
		}
		g.free(t)
	})
}
