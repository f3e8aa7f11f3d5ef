package nicknames

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// A fake is everything that a service asks for.
type fake struct {
	mu      sync.Mutex
	free    error
	claims  error
	release error
	during  func() // runs while a row is claimed
	named   map[match.Key]string
	rows    map[cluster.NicknameID]string
}

func (f *fake) FreeName(context.Context, string, string) error { return f.free }

func (f *fake) ClaimNickname(_ context.Context, n cluster.Nickname) error {
	if f.during != nil {
		f.during()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.claims == nil {
		f.rows[n.ID] = n.Name
	}
	return f.claims
}

func (f *fake) ReleaseNickname(_ context.Context, id cluster.NicknameID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.release == nil {
		delete(f.rows, id)
	}
	return f.release
}

func (f *fake) ID() cluster.NodeID        { return "n1" }
func (f *fake) Rejoined() <-chan struct{} { return nil }

func (f *fake) Name(k match.Key) (name string, here bool) {
	name, here = f.named[k]
	return name, here
}

func (f *fake) Guests() []match.User { return nil }

func (f *fake) Rename(k match.Key, name string) (here bool) {
	if _, here = f.named[k]; here {
		f.named[k] = name
	}
	return here
}

func (f *fake) rowsNow() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.rows)
}

var otter = match.User{Kind: storage.Guest, ID: "g1", Name: "guest-7K2Q"}

// service returns a service on a fake with one guest, which runs until the test ends.
func service(t *testing.T) (*Service, *fake) {
	f := &fake{named: map[match.Key]string{otter.Key(): otter.Name}, rows: make(map[cluster.NicknameID]string)}
	s := New(Config{
		Store: f, Shared: f, Node: f, Presence: f,
		Origin: func(storage.Occupant) origin.Origin { return origin.Origin{} },
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return s, f
}

// TestRefused: what the store refuses is refused in the words of the club, and the guest keeps their name.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ free, claims, want error }{
		{storage.ErrNameTaken, nil, refusal.ErrNameTaken},
		{storage.ErrNameAlike, nil, refusal.ErrNameAlike},
		{nil, storage.ErrNameAlike, refusal.ErrNameAlike},
		{nil, cluster.ErrManyNicknames, refusal.ErrFull},
		{nil, storage.ErrNotFound, refusal.ErrBusy},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, f := service(t)
			f.free, f.claims = tt.free, tt.claims
			if _, err := s.Choose(t.Context(), otter, "otter"); !errors.Is(err, tt.want) {
				t.Errorf("%v, %v: %v, want %v", tt.free, tt.claims, err, tt.want)
			}
			if _, has := s.Of(otter.Key()); has || f.named[otter.Key()] != otter.Name {
				t.Errorf("%v, %v: the guest is %s", tt.free, tt.claims, f.named[otter.Key()])
			}
		})
	}
}

// TestLeavesWhileChoosing: a guest who leaves while the nickname is being written has none, and no row is left, even if the store doesn't answer
// at first.
func TestLeavesWhileChoosing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := service(t)
		f.release = errors.New("no answer")
		f.during = func() {
			delete(f.named, otter.Key())
			s.Left(otter.Key())
		}
		if _, err := s.Choose(t.Context(), otter, "otter"); !errors.Is(err, refusal.ErrNeedsKey) {
			t.Errorf("Choose returns %v", err)
		}
		if name, has := s.Of(otter.Key()); has {
			t.Errorf("the guest is %s", name)
		}
		synctest.Wait()
		if f.rowsNow() != 1 {
			t.Fatal("the row is gone although the store doesn't answer")
		}
		f.mu.Lock()
		f.release = nil
		f.mu.Unlock()
		time.Sleep(time.Second)
		synctest.Wait()
		if f.rowsNow() != 0 {
			t.Error("the row is left")
		}
	})
}

// TestOneAtATime: a second choice of a guest while the first is being written is refused.
func TestOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := service(t)
		f.during = func() {
			f.during = nil
			if _, err := s.Choose(t.Context(), otter, "badger"); !errors.Is(err, refusal.ErrBusy) {
				t.Errorf("the second choice: %v", err)
			}
		}
		if u, err := s.Choose(t.Context(), otter, "otter"); err != nil || u.Name != "guest-otter" {
			t.Errorf("the first choice: %s, %v", u.Name, err)
		}
	})
}
