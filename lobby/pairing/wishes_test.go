package pairing

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/lobby/clock"
)

func fischer(minutes, seconds int) clock.Setting { return clock.NewFischer(minutes, seconds) }

func TestAgree(t *testing.T) {
	blitz := Want{Game: "tanks", Class: clock.Blitz}
	with := func(c clock.Setting) Want { return Want{Game: "tanks", Clock: c} }
	for _, tt := range []struct {
		name string
		a, b Want
		want string // the clock; "" if they don't agree
	}{
		{"the same clock", with(fischer(5, 3)), with(fischer(5, 3)), "5+3"},
		{"two clocks of a class", with(fischer(5, 3)), with(fischer(3, 2)), ""},
		{"no clock", with(clock.Setting{}), with(clock.Setting{}), "none"},
		{"a clock and its class", with(fischer(3, 2)), blitz, "3+2"},
		{"a class and a clock of it", blitz, with(fischer(4, 1)), "4+1"},
		{"a class and a clock of another one", blitz, with(fischer(10, 5)), ""},
		{"a class and no clock", blitz, with(clock.Setting{}), ""},
		{"a class twice", blitz, blitz, "5+3"},
		{"two classes", blitz, Want{Game: "tanks", Class: clock.Rapid}, ""},
		{"days", Want{Game: "tanks", Class: clock.Days}, with(clock.NewCorrespondence(14)), "14d"},
		{"another game", blitz, Want{Game: "petteia", Class: clock.Blitz}, ""},
		{"rated and casual", blitz, Want{Game: "tanks", Class: clock.Blitz, Rated: true}, ""},
	} {
		for _, order := range [][2]Want{{tt.a, tt.b}, {tt.b, tt.a}} {
			both, ok := Agree(order[0], order[1])
			if got := both.Clock.String(); ok != (tt.want != "") || ok && (got != tt.want || both.Class != clock.NoClass || both.Game != "tanks") {
				t.Errorf("%s: %+v, %v, want %q", tt.name, both, ok, tt.want)
			}
		}
	}
}

// TestSeveralWishes: a player who likes several games gets the fairest match of all, and is in the pool no more afterwards.
func TestSeveralWishes(t *testing.T) {
	p := New(nil, nil)
	tanks, momentum := Want{Game: "tanks", Class: clock.Blitz}, Want{Game: "momentum", Clock: fischer(5, 3)}
	ana, _, _ := p.Add(Seeker{Person: person("ana"), Since: start, Wish: Wish{tanks, 1500, 60}, More: []Wish{{momentum, 1700, 60}}})
	rui, _, _ := p.Add(Seeker{Person: person("rui"), Since: at(1), Wish: Wish{Want{Game: "tanks", Clock: fischer(3, 2)}, 1580, 60}})
	eva, _, _ := p.Add(Seeker{Person: person("eva"), Since: at(1), Wish: Wish{momentum, 1720, 60}, More: []Wish{{tanks, 1400, 60}}})
	if l, _ := p.Looking(ana, at(1)); l.Others != 2 || l.From != 1390 || l.To != 1810 {
		t.Errorf("ana looks %+v", l)
	}
	if l, _ := p.Looking(rui, at(1)); l.Others != 2 {
		t.Errorf("rui looks %+v", l)
	}
	if got := p.Pairs(at(2), nil); len(got) != 1 || got[0] != (Pair{A: ana, B: eva, Gap: 20, Want: momentum}) {
		t.Fatalf("paired %+v", got)
	}
	if l, _ := p.Looking(rui, at(2)); l.Others != 0 || p.Len() != 1 {
		t.Errorf("%d wait, rui looks %+v", p.Len(), l)
	}
	p.Remove(rui)
	if len(p.kinds) != 0 {
		t.Errorf("%d kinds are left", len(p.kinds))
	}
	offers := []Offer{{person("bia"), Want{Game: "tanks", Clock: fischer(4, 0)}, 1590, [2]int{}, start}, {person("zoe"), momentum, 1750, [2]int{}, start}}
	all := Seeker{Person: person("ana"), Since: at(2), Anyone: true, Wish: Wish{tanks, 1500, 60}, More: []Wish{{momentum, 1700, 60}}}
	if got, ok := p.Fairest(all, at(2), offers, nil); !ok || got.Offer != 1 || got.Want != momentum {
		t.Errorf("the fairest offer is %+v, %v", got, ok)
	}
	if got, ok := p.Fairest(all, at(2), offers[:1], nil); !ok || got.Offer != 0 || got.Want.Clock != fischer(4, 0) {
		t.Errorf("the only offer is %+v, %v", got, ok)
	}
}

// TestNobodyTwice: whatever wishes players have, nobody is in two pairs of a round, and each pair plays what both want.
func TestNobodyTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(nil, nil)
		all := map[Ticket]Seeker{}
		for i := range rapid.IntRange(2, 20).Draw(t, "players") {
			wish := rapid.Custom(func(t *rapid.T) Wish {
				w := Wish{Rating: float64(rapid.IntRange(1300, 1700).Draw(t, "rating")), Deviation: 100}
				w.Want.Game = rapid.SampledFrom([]string{"tanks", "petteia", "momentum"}).Draw(t, "game")
				if rapid.Bool().Draw(t, "class") {
					w.Want.Class = rapid.SampledFrom([]clock.Class{clock.Blitz, clock.Days}).Draw(t, "any of")
				} else {
					w.Want.Clock = rapid.SampledFrom([]clock.Setting{fischer(5, 3), fischer(3, 2), clock.NewCorrespondence(3)}).Draw(t, "clock")
				}
				return w
			})
			wishes := rapid.SliceOfNDistinct(wish, 1, 3, func(w Wish) string { return w.Want.Game }).Draw(t, "wishes")
			s := Seeker{Person: person(fmt.Sprint(i)), Since: at(float64(i)), Wish: wishes[0], More: wishes[1:]}
			ticket, _, _ := p.Add(s)
			all[ticket] = s
		}
		paired := map[Ticket]bool{}
		for _, pair := range p.Pairs(at(100), nil) {
			for _, ticket := range []Ticket{pair.A, pair.B} {
				if paired[ticket] {
					t.Fatalf("%d is in two pairs", ticket)
				}
				paired[ticket] = true
				fits := false
				for _, w := range all[ticket].wishes() {
					_, ok := Agree(w.Want, pair.Want)
					fits = fits || ok
				}
				if !fits {
					t.Fatalf("%+v is to play %+v", all[ticket], pair.Want)
				}
			}
		}
		left := 0
		for a := range all {
			for b := range all {
				if a >= b || paired[a] || paired[b] {
					continue
				}
				for _, x := range all[a].wishes() {
					for _, y := range all[b].wishes() {
						if _, ok := Agree(x.Want, y.Want); ok {
							t.Fatalf("%+v and %+v still wait", all[a], all[b])
						}
					}
				}
			}
			if !paired[a] {
				left++
			}
		}
		if p.Len() != left {
			t.Fatalf("%d wait, want %d", p.Len(), left)
		}
	})
}
