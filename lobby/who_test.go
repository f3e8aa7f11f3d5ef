package lobby

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage"
)

// doings is who is here and what they do, as text.
func doings(w *Who) (all []string) {
	for _, p := range w.Here {
		words := fmt.Sprintf("%s %s", p.Name, p.Doing)
		if p.Game != "" {
			words += " " + p.Game
		}
		if p.Strength.Known {
			words += " rated"
		}
		if p.Match != "" {
			words += " public"
		}
		if p.Opponent.Name != "" {
			words += " against " + p.Opponent.Name
		}
		all = append(all, words)
	}
	return all
}

// TestWho: the list says what each of those who are here does most, and names no private match.
func TestWho(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		c.guest.Name = "guest-otter"
		expect := func(w *Who, want ...string) {
			t.Helper()
			if got := doings(w); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("here are %q, want %q", got, want)
			}
		}
		first, second := c.start(func(s *Spec) { s.Rated = true })
		c.play(first, second, win...) // both have a rating now
		public, _ := c.start(func(s *Spec) { s.Public = true })
		private, _ := c.start()
		expect(c.Who(t.Context()))

		ana, rui, guest := c.Visit(c.ana, true), c.Visit(c.rui, true), c.Visit(c.guest, true)
		defer rui.Leave(false)
		w, err := c.NextWho(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		expect(w, "ana lobby fourmation rated", "rui lobby fourmation rated", "guest-otter lobby")
		next := func() *Who {
			t.Helper()
			if w, err = c.NextWho(t.Context(), w.Seq); err != nil {
				t.Fatal(err)
			}
			return w
		}
		time.Sleep(2 * whoEvery)
		ana.At(public.ID())
		guest.At(public.ID())
		synctest.Wait()
		expect(next(), "ana playing fourmation rated public against rui", "rui lobby fourmation rated", "guest-otter watching fourmation public")
		ana.At(private.ID())
		guest.At(private.ID())
		expect(next(), "ana playing fourmation rated", "rui lobby fourmation rated", "guest-otter watching")
		second2 := c.Visit(c.ana, true)
		second2.At(first.ID()) // it is over
		expect(c.Who(t.Context()), "ana playing fourmation rated", "rui lobby fourmation rated", "guest-otter watching")
		ana.Leave(false)
		began := time.Now()
		time.Sleep(4 * time.Minute)
		second2.Pressed()
		time.Sleep(90 * time.Second)
		w = c.Who(t.Context())
		expect(w, "ana lobby fourmation rated", "rui away fourmation rated", "guest-otter away")
		if since := w.Here[1].Since; began.Sub(since) > 10*time.Second {
			t.Errorf("away since %v, want about %v", since, began)
		}
		guest.Leave(true)
		second2.Leave(true)
		expect(c.Who(t.Context()), "rui away fourmation rated")
	})
}

// TestWhoDoesMost: of several sessions of one user the list shows that in which they do most.
func TestWhoDoesMost(t *testing.T) {
	c := newClub(t)
	public, _ := c.start(func(s *Spec) { s.Public = true })
	var visits []*Visit
	for _, at := range []storage.MatchID{"", public.ID(), ""} {
		v := c.Visit(c.ana, true)
		v.At(at)
		visits = append(visits, v)
	}
	if got := doings(c.Who(t.Context())); len(got) != 1 || got[0] != "ana playing fourmation public against rui" {
		t.Errorf("here are %q", got)
	}
	for _, v := range visits {
		v.Leave(false)
	}
}
