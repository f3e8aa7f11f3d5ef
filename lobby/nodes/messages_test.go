package nodes

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage/schema"
)

// A greeting is what nodes of these tests tell each other.
type greeting struct {
	Words string `json:"words"`
}

// logged is a log that other goroutines write while a test reads it.
type logged struct {
	mu   sync.Mutex // guards what follows
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

// A talker is a node of a club with its messenger, and what it has received.
type talker struct {
	*Nodes
	greetings Messages[greeting]
	log       logged
	stop      func()

	mu       sync.Mutex // guards what follows
	received []string
}

func (k *talker) heard() []string {
	synctest.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.received)
}

// talk returns a node that exchanges greetings, and perhaps messages of a further kind.
func talk(t *testing.T, store *schema.Store, name, further string) *talker {
	t.Helper()
	k := &talker{}
	m := join(t, store, name, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&k.log, nil)) })
	k.Nodes = m.Nodes
	messenger := NewMessenger(MessengerConfig{Node: m.Nodes, Shared: store.Cluster, Log: slog.New(slog.NewTextHandler(&k.log, nil))})
	note := func(words string) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.received = append(k.received, words)
	}
	k.greetings = NewMessages(messenger, "greeting", func(g greeting) { note(g.Words) })
	if further != "" {
		NewMessages(messenger, further, func(n int) { note(fmt.Sprint(further, " ", n)) })
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { messenger.Run(ctx) })
	k.stop = func() {
		cancel()
		all.Wait()
		m.stop()
	}
	synctest.Wait()
	return k
}

// wantHeard checks what a node has received since it started.
func (k *talker) wantHeard(t *testing.T, what string, want ...string) {
	t.Helper()
	if got := k.heard(); !slices.Equal(got, want) {
		t.Errorf("%s: a node has received %q, want %q", what, got, want)
	}
}

// TestMessages: a message reaches every other node once, in the order of its node, and no node hears itself.
func TestMessages(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		a, b, c := talk(t, store, "a", ""), talk(t, store, "b", ""), talk(t, store, "c", "")
		var all []string
		for n := range 20 {
			words := fmt.Sprint("hello ", n)
			all = append(all, words)
			a.greetings.Tell(greeting{words})
		}
		a.wantHeard(t, "the sender")
		b.wantHeard(t, "another", all...)
		c.wantHeard(t, "a third", all...)
		b.greetings.Tell(greeting{"good day"})
		a.wantHeard(t, "an answer", "good day")
		late := talk(t, store, "d", "")
		late.wantHeard(t, "a node that came later")
		if n := a.Told(); n != 20 {
			t.Errorf("%d messages were told, want 20", n)
		}
		for _, k := range []*talker{a, b, c, late} {
			k.stop()
			if text := k.log.String(); strings.Contains(text, "told") || strings.Contains(text, "can't be read") {
				t.Errorf("logged:\n%s", text)
			}
		}
	})
}

// TestMessagesOfNewerNodes: a node passes over a kind of messages that it doesn't know, logs one that it can't read, and hears those after it.
func TestMessagesOfNewerNodes(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		older, newer := talk(t, store, "older", "count"), talk(t, store, "newer", "")
		tell := func(kind string, what any) {
			t.Helper()
			if err := newer.Tell(t.Context(), kind, what); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		tell("parade", []string{"of a kind that older programs lack"})
		older.stopsNothing(t, newer, 0)
		tell("count", "not a number")
		older.stopsNothing(t, newer, 1)
		tell("count", 7)
		if got := older.heard(); !slices.Contains(got, "count 7") {
			t.Errorf("received %q, want count 7 too", got)
		}
		older.stop()
		newer.stop()
	})
}

// stopsNothing checks that a node hears another one, and how many messages it has logged that it can't read.
func (k *talker) stopsNothing(t *testing.T, other *talker, unreadable int) {
	t.Helper()
	before := len(k.heard())
	other.greetings.Tell(greeting{"and on"})
	if got := k.heard(); len(got) != before+1 || got[before] != "and on" {
		t.Errorf("received %q, want one greeting more than %d", got, before)
	}
	if n := strings.Count(k.log.String(), "can't be read"); n != unreadable {
		t.Errorf("%d messages can't be read, want %d:\n%s", n, unreadable, k.log.String())
	}
}

// TestMessagesOfDeadNode: a node that was declared gone tells nothing until it is back, and is heard then. It doesn't hear itself under its old id.
func TestMessagesOfDeadNode(t *testing.T) {
	bubble(t, func(t *testing.T, store *schema.Store) {
		a, b := talk(t, store, "a", ""), talk(t, store, "b", "")
		before := b.ID()
		if err := store.Cluster.RemoveNode(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		b.greetings.Tell(greeting{"from the grave"})
		a.wantHeard(t, "of a node that is gone")
		if text := b.log.String(); strings.Count(text, "other nodes are not told") != 1 {
			t.Errorf("a lost message is logged as:\n%s", text)
		}
		time.Sleep(2 * beatEvery)
		synctest.Wait()
		if b.ID() == before {
			t.Fatal("the node is not back under a new id")
		}
		b.greetings.Tell(greeting{"back"})
		a.wantHeard(t, "of a node that is back", "back")
		a.greetings.Tell(greeting{"welcome"})
		b.wantHeard(t, "back", "welcome")
		a.stop()
		b.stop()
	})
}

// A stuckStore takes no message until it is freed.
type stuckStore struct {
	Alone
	tries atomic.Int32
	free  chan struct{}
}

func (s *stuckStore) Tell(ctx context.Context, _ string, _ any) error {
	s.tries.Add(1)
	select {
	case <-s.free:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestMessagesBound: while the store takes nothing, Tell doesn't wait, maxUnsent messages wait, and the others are lost. Each has sendFor.
func TestMessagesBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		store := &stuckStore{free: make(chan struct{})}
		m := NewMessenger(MessengerConfig{Node: store, Log: slog.New(slog.NewTextHandler(&log, nil))})
		greetings := NewMessages(m, "greeting", func(greeting) {})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); m.Run(ctx) }()
		began := time.Now()
		greetings.Tell(greeting{"the first"})
		synctest.Wait() // it is with the store
		for range maxUnsent + 5 {
			greetings.Tell(greeting{"hello"})
		}
		if passed := time.Since(began); passed != 0 {
			t.Errorf("Tell waits %v", passed)
		}
		if n := strings.Count(log.String(), "too many messages wait"); n != 5 {
			t.Errorf("%d messages are lost, want 5", n)
		}
		time.Sleep(3*sendFor + sendFor/2)
		synctest.Wait()
		if n := store.tries.Load(); n != 4 {
			t.Errorf("%d messages were tried, want 4", n)
		}
		if n := strings.Count(log.String(), context.DeadlineExceeded.Error()); n != 3 {
			t.Errorf("%d messages took too long, want 3", n)
		}
		close(store.free)
		synctest.Wait()
		if n := store.tries.Load(); n != maxUnsent+1 {
			t.Errorf("%d messages were tried, want %d", n, maxUnsent+1)
		}
		stop()
		<-ended
	})
}

// TestMessagesAlone: the only node of a club sends and hears nothing, keeps no messages, and its messenger ends with its context.
func TestMessagesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		m := NewMessenger(MessengerConfig{Node: new(Alone), Log: slog.New(slog.NewTextHandler(&log, nil))})
		greetings := NewMessages(m, "greeting", func(g greeting) { t.Errorf("hears itself: %q", g.Words) })
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); m.Run(ctx) }()
		for range 3 {
			for range maxUnsent {
				greetings.Tell(greeting{"hello"})
			}
			synctest.Wait()
		}
		if text := log.String(); text != "" {
			t.Errorf("logged:\n%s", text)
		}
		stop()
		<-ended
	})
}

// TestMessagesOfOneKindTwice: a kind has one receiver.
func TestMessagesOfOneKindTwice(t *testing.T) {
	m := NewMessenger(MessengerConfig{})
	NewMessages(m, "greeting", func(greeting) {})
	defer func() {
		if recover() == nil {
			t.Error("a kind of messages has two receivers")
		}
	}()
	NewMessages(m, "greeting", func(int) {})
}
