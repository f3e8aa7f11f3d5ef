package presence

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
)

var (
	ana = match.User{Kind: storage.Person, ID: "p1", Name: "ana"}
	rui = match.User{Kind: storage.Person, ID: "p2", Name: "rui"}
	bot = storage.Occupant{Kind: storage.Bot, ID: "first", Name: "Primus"}
)

// quiet is a registry whose changes nobody hears of.
func quiet() *Registry {
	return NewRegistry(time.Now)
}

// enter begins a session of u.
func enter(r *Registry, u match.User) *Visit {
	v, _ := r.Enter(u, true)
	return v
}

// near returns how near u is to the board m1, as text.
func near(r *Registry, u match.User) string {
	both, _ := r.Presence("m1", [2]storage.Occupant{u.Occupant(), bot})
	p := both[0]
	if p.Near == atboard.Here {
		return "here"
	}
	words := fmt.Sprintf("%v for %v", p.Near, time.Since(p.Since))
	if p.Dropped {
		words += ", dropped"
	}
	if p.Command {
		words += ", by command"
	}
	return words
}

func TestNearness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := quiet()
		expect := func(want string) {
			t.Helper()
			if got := near(r, ana); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		time.Sleep(time.Second)
		expect("gone for 1s, dropped") // nothing is known from before the start
		v, _ := r.Enter(ana, true)
		time.Sleep(time.Second)
		expect("away for 1s")
		v.At("m1")
		expect("here")
		second, _ := r.Enter(ana, true)
		second.At("m1")
		v.At("m2")
		time.Sleep(time.Second)
		expect("here")
		second.At("")
		time.Sleep(time.Minute)
		v.At("m3")
		time.Sleep(time.Minute)
		expect("away for 2m0s")
		second.At("m1")
		v.At("m1")
		if last := second.Leave(true); last {
			t.Error("the first of two sessions that ends is the last")
		}
		second.At("m7") // too late
		expect("here")
		time.Sleep(time.Second)
		if last := v.Leave(false); !last {
			t.Error("the last session is not the last")
		}
		if v.Leave(true) {
			t.Error("a session ends twice")
		}
		time.Sleep(time.Second)
		expect("gone for 1s")
		if r.Seen(ana.Key(), time.Now().Add(-2*time.Second)) {
			t.Error("the end of a connection of a session that was left counts as a command")
		}
		expect("gone for 1s")
		if !r.Seen(ana.Key(), time.Now()) {
			t.Error("a command after the last session is not noted")
		}
		time.Sleep(time.Second)
		expect("gone for 1s, dropped, by command")
		r.Forget(ana.Key())
		if n := len(r.left.all); n != 0 {
			t.Errorf("%d are remembered", n)
		}
		enter(r, ana).Leave(true)
		expect("gone for 0s, dropped")
		if len(r.boards.all) != 0 || r.Count() != 0 {
			t.Errorf("left are %v, %d here", r.boards.all, r.Count())
		}
		if both, _ := r.Presence("m1", [2]storage.Occupant{{}, bot}); both[0] != (atboard.Presence{}) || both[1].Near != atboard.Here {
			t.Errorf("a free seat and a computer player: %+v", both)
		}
	})
}

func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var changes []storage.MatchID
		r := NewRegistry(time.Now)
		r.notify(func(_ match.Key, boards []storage.MatchID) { changes = append(changes, boards...) }, func(match.Key) {}, func(match.Key) {})
		v, _ := r.Enter(ana, true)
		script, _ := r.Enter(rui, false)
		v.At("m1")
		script.At("m1")
		time.Sleep(IdleAfter - time.Second)
		r.Idle()
		v.Pressed()
		time.Sleep(IdleAfter - time.Second)
		r.Idle()
		if got := near(r, ana); got != "here" {
			t.Errorf("soon after a key: %s", got)
		}
		time.Sleep(2 * time.Second)
		changes = nil
		r.Idle()
		r.Idle()
		if got, want := near(r, ana), fmt.Sprintf("away for %v", IdleAfter+time.Second); got != want || !slices.Equal(changes, []storage.MatchID{"m1"}) {
			t.Errorf("long after a key: %s, want %s; changes %v", got, want, changes)
		}
		if got := near(r, rui); got != "here" {
			t.Errorf("without a keyboard: %s", got)
		}
		v.At("m2")
		v.At("m1")
		if got := near(r, ana); got == "here" {
			t.Error("here without a key")
		}
		changes = nil
		v.Pressed()
		v.Pressed()
		if got := near(r, ana); got != "here" || !slices.Equal(changes, []storage.MatchID{"m1"}) {
			t.Errorf("after a key: %s; changes %v", got, changes)
		}
	})
}

func TestSpectators(t *testing.T) {
	r := quiet()
	enter(r, ana).At("m1")
	for i := range atboard.MaxSpectatorNames + 5 {
		u := match.User{Kind: storage.Guest, ID: fmt.Sprint(i), Name: fmt.Sprintf("guest-%02d", i)}
		enter(r, u).At("m1")
		enter(r, u).At("m1")
	}
	enter(r, rui).At("m1")
	enter(r, match.User{Kind: storage.Person, ID: "p3", Name: "bia"}).At("m2")
	_, others := r.Presence("m1", [2]storage.Occupant{ana.Occupant(), bot})
	if others.Count != atboard.MaxSpectatorNames+6 || len(others.Names) != atboard.MaxSpectatorNames {
		t.Errorf("%d spectators, %d named", others.Count, len(others.Names))
	}
	if others.Names[0] != rui.Occupant() || others.Names[1].Name != "guest-00" {
		t.Errorf("the first are %v", others.Names[:2])
	}
}

// TestSpectatorsAreRenamed: a new name counts at once, and nobody is left behind under the old one.
func TestSpectatorsAreRenamed(t *testing.T) {
	r := quiet()
	visits := []*Visit{enter(r, ana), enter(r, ana), enter(r, rui)}
	for _, v := range visits {
		v.At("m1")
	}
	r.Rename(ana.Key(), "zoe")
	_, others := r.Presence("m1", [2]storage.Occupant{})
	if others.Count != 2 || others.Names[0] != rui.Occupant() || others.Names[1].Name != "zoe" {
		t.Errorf("spectators are %+v", others)
	}
	if _, others := r.Presence("m1", [2]storage.Occupant{ana.Occupant(), ana.Occupant()}); others.Count != 1 || len(others.Names) != 1 {
		t.Errorf("beside one who holds both seats are %+v", others)
	}
	visits[0].Leave(false)
	if _, others := r.Presence("m1", [2]storage.Occupant{}); others.Count != 2 {
		t.Errorf("after one of two sessions are %+v", others)
	}
	visits[1].At("")
	visits[2].Leave(false)
	if len(r.boards.all) != 0 {
		t.Errorf("left are %v", r.boards.all)
	}
}

// TestRenamed: a new name of a user who is here is told once, with the boards at which they are.
func TestRenamed(t *testing.T) {
	r := quiet()
	var told []string
	r.notify(
		func(_ match.Key, boards []storage.MatchID) { told = append(told, fmt.Sprint("changed at ", boards)) },
		func(match.Key) { told = append(told, "row") },
		func(k match.Key) { told = append(told, "renamed "+k.ID) },
	)
	if r.Rename(ana.Key(), "zoe") || len(told) > 0 {
		t.Errorf("a user who is not here: %q", told)
	}
	enter(r, ana).At("m1")
	for _, step := range []struct {
		name string
		want []string
	}{
		{"zoe", []string{"row", "changed at [m1]", "renamed p1"}},
		{"zoe", nil},
	} {
		told = nil
		here := r.Rename(ana.Key(), step.name)
		if name, _ := r.Name(ana.Key()); !here || name != step.name || !slices.Equal(told, step.want) {
			t.Errorf("here %v as %s, told %q, want %q", here, name, told, step.want)
		}
	}
}

// BenchmarkSpectators comes to a board that thousands look at, asks who is there, and leaves.
func BenchmarkSpectators(b *testing.B) {
	for _, n := range []int{50, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := quiet()
			for i := range n {
				enter(r, match.User{Kind: storage.Guest, ID: fmt.Sprint(i), Name: fmt.Sprintf("guest-%05d", i)}).At("m1")
			}
			v := enter(r, rui)
			b.ReportAllocs()
			for b.Loop() {
				v.At("m1")
				r.Presence("m1", [2]storage.Occupant{ana.Occupant(), bot})
				v.At("")
			}
		})
	}
}
