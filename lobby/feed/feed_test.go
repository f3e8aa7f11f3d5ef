package feed

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errTest = errors.New("closed by the test")

// next is what Next returns to a reader.
type next struct {
	v   string
	seq uint64
	err error
}

func read(ctx context.Context, f *Feed[string], after uint64) <-chan next {
	got := make(chan next, 1)
	go func() {
		v, seq, err := f.Next(ctx, after)
		got <- next{v, seq, err}
	}()
	return got
}

func wantNext(t *testing.T, what string, got <-chan next, want next) {
	t.Helper()
	synctest.Wait()
	select {
	case n := <-got:
		if n.v != want.v || n.seq != want.seq || !errors.Is(n.err, want.err) {
			t.Errorf("%s: %q, number %d, error %v; want %q, %d, %v", what, n.v, n.seq, n.err, want.v, want.seq, want.err)
		}
	default:
		t.Errorf("%s: the reader still waits", what)
	}
}

func wantWaiting(t *testing.T, what string, got <-chan next) {
	t.Helper()
	synctest.Wait()
	select {
	case n := <-got:
		t.Errorf("%s: the reader got %q, number %d, error %v", what, n.v, n.seq, n.err)
	default:
	}
}

func TestNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGroup()
		f, other := New[string](g), New[string](g)
		first := read(t.Context(), f, 0)
		wantWaiting(t, "before the first value", first)
		if seq := f.Publish("a"); seq != 1 {
			t.Errorf("the first number is %d", seq)
		}
		wantNext(t, "the first value", first, next{v: "a", seq: 1})
		wantNext(t, "a value not seen yet", read(t.Context(), f, 0), next{v: "a", seq: 1})
		second, third := read(t.Context(), f, 1), read(t.Context(), f, 1)
		wantWaiting(t, "a value already seen", second)
		other.Publish("x")
		wantWaiting(t, "a value of another feed", second)
		f.Publish("b")
		wantNext(t, "the second value", second, next{v: "b", seq: 3})
		wantNext(t, "the second value, for another reader", third, next{v: "b", seq: 3})
		f.Publish("c")
		f.Publish("d")
		wantNext(t, "a slow reader", read(t.Context(), f, 3), next{v: "d", seq: 5})
		if v, seq := f.Latest(); v != "d" || seq != 5 {
			t.Errorf("the latest is %q, number %d", v, seq)
		}
	})
}

func TestNextEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(stop func(), f *Feed[string], g *Group)
		want error
	}{
		{"the context", func(stop func(), _ *Feed[string], _ *Group) { stop() }, context.Canceled},
		{"the feed", func(_ func(), f *Feed[string], _ *Group) { f.Close(errTest) }, errTest},
		{"the group", func(_ func(), _ *Feed[string], g *Group) { g.Close(errTest) }, errTest},
		{"both", func(_ func(), f *Feed[string], g *Group) {
			f.Close(errTest)
			f.Close(nil)
			g.Close(errTest)
			g.Close(nil)
		}, errTest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				g := NewGroup()
				f := New[string](g)
				f.Publish("a")
				got := read(ctx, f, 1)
				wantWaiting(t, "before", got)
				tt.end(stop, f, g)
				wantNext(t, "after", got, next{err: tt.want})
				wantNext(t, "a value not seen yet", read(ctx, f, 0), next{v: "a", seq: 1})
			})
		})
	}
}

func TestClosedGroup(t *testing.T) {
	g := NewGroup()
	if err := g.Err(); err != nil {
		t.Errorf("an open group has the error %v", err)
	}
	g.Close(errTest)
	<-g.Closed()
	if err := g.Err(); err != errTest {
		t.Errorf("a closed group has the error %v", err)
	}
}

func TestUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New[string](NewGroup())
		f.Publish("a")
		got := read(t.Context(), f, 1)
		synctest.Wait()
		if seq := f.Update(func(string, uint64) (string, bool) { return "never", false }); seq != 0 {
			t.Errorf("an update that changes nothing has the number %d", seq)
		}
		wantWaiting(t, "no change", got)
		var given uint64
		seq := f.Update(func(old string, seq uint64) (string, bool) { given = seq; return old + "b", true })
		wantNext(t, "a change", got, next{v: "ab", seq: seq})
		if given != seq {
			t.Errorf("the change is given the number %d, the value has %d", given, seq)
		}
		f.Close(errTest)
		if seq := f.Publish("c"); seq != 0 {
			t.Errorf("a closed feed publishes number %d", seq)
		}
	})
}

// TestRetire: a feed with a reader stays open. A feed without readers is closed, and later readers get ErrRetired.
func TestRetire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New[string](NewGroup())
		f.Publish("a")
		got := read(t.Context(), f, 1)
		synctest.Wait()
		if f.Retire() {
			t.Error("retired with a reader")
		}
		f.Publish("b")
		wantNext(t, "the reader", got, next{v: "b", seq: 2})
		for range 2 {
			if !f.Retire() {
				t.Error("not retired without a reader")
			}
		}
		wantNext(t, "after it is retired", read(t.Context(), f, 0), next{err: ErrRetired})
	})
}

func TestReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New[string](NewGroup())
		wantReaders := func(what string, want bool, since time.Duration) {
			t.Helper()
			if now, last := f.Readers(); now != want || time.Since(last) != since {
				t.Errorf("%s: readers %v, last %v ago; want %v, %v", what, now, time.Since(last), want, since)
			}
		}
		arrived := func() bool {
			select {
			case <-f.Arrivals():
				return true
			default:
				return false
			}
		}
		time.Sleep(time.Second)
		wantReaders("no reader yet", false, time.Second)
		if arrived() {
			t.Error("an arrival before the first reader")
		}
		if !f.Unread() {
			t.Error("read before the first reader")
		}
		one, two := read(t.Context(), f, 0), read(t.Context(), f, 0)
		synctest.Wait()
		time.Sleep(time.Second)
		wantReaders("two came a second ago", true, time.Second)
		if !arrived() || arrived() {
			t.Error("two readers are not one token")
		}
		f.Publish("a")
		<-one
		<-two
		synctest.Wait()
		time.Sleep(time.Second)
		wantReaders("both left a second ago", false, time.Second)
		f.Next(t.Context(), 0)
		wantReaders("one that didn't have to wait", false, 0)
		if f.Unread() {
			t.Error("unread after its readers")
		}
	})
}

// TestWatch waits for two feeds at once.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGroup()
		a, b := New[string](g), New[string](g)
		a.Publish("a")
		v, seq, newer := a.Watch()
		_, none, newerB := b.Watch()
		if v != "a" || seq != 1 || none != 0 {
			t.Errorf("%q, numbers %d and %d", v, seq, none)
		}
		woken := make(chan string)
		go func() {
			select {
			case <-newer:
				woken <- "a"
			case <-newerB:
				woken <- "b"
			}
		}()
		synctest.Wait()
		b.Publish("b")
		if w := <-woken; w != "b" {
			t.Errorf("woken by %s", w)
		}
		a.Close(errTest)
		<-newer
	})
}

// TestManyReaders: readers of any speed see values in order and all see the last one. No reader holds up a publisher.
func TestManyReaders(t *testing.T) {
	const readers, values = 20, 500
	g := NewGroup()
	f := New[int](g)
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			for v, seq := 0, uint64(0); v < values; {
				now, nowSeq, err := f.Next(t.Context(), seq)
				if err != nil || now <= v || nowSeq <= seq {
					t.Errorf("%d, number %d, error %v, after %d, number %d", now, nowSeq, err, v, seq)
					return
				}
				v, seq = now, nowSeq
			}
		})
	}
	var publishers sync.WaitGroup
	for range 4 {
		publishers.Go(func() {
			for range values / 4 {
				f.Update(func(old int, _ uint64) (int, bool) { return old + 1, true })
			}
		})
	}
	publishers.Wait()
	all.Wait()
	if now, _ := f.Readers(); now {
		t.Error("readers are left")
	}
}

// TestArrivalComesAfter: a reader who finds a value gets it even where the arrival itself brings about a newer one.
func TestArrivalComesAfter(t *testing.T) {
	for range 2000 {
		f := New[string](NewGroup())
		f.Publish("before")
		var woken sync.WaitGroup
		woken.Go(func() {
			<-f.Arrivals()
			f.Publish("after")
		})
		v, _, err := f.Next(t.Context(), 0)
		woken.Wait()
		if v != "before" || err != nil {
			t.Fatalf("the reader gets %q, %v", v, err)
		}
	}
}
