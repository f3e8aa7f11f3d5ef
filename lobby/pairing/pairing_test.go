package pairing

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

var start = time.UnixMilli(1_700_000_000_000).UTC()

func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

func person(name string) match.Key { return match.Key{Kind: storage.Person, ID: name} }

var petteia = Want{Game: "petteia", Options: "board=8", Rated: true}

// TestPairs checks who is paired with whom. All ratings are well known, so that every player starts with LeastReach.
func TestPairs(t *testing.T) {
	type comes struct {
		name   string
		after  float64 // seconds
		rating float64
	}
	blocked := func(a, b match.Key) bool { return a.ID == "ana" && b.ID == "eva" || a.ID == "eva" && b.ID == "ana" }
	for _, tt := range []struct {
		name   string
		come   []comes
		offers []Offer
		until  float64 // seconds: Pairs is called every second up to then
		want   string  // who with whom, and when
	}{
		{"two of a strength", []comes{{"ana", 0, 1500}, {"rui", 3, 1510}}, nil, 5, "ana-rui@3"},
		{"too far at first", []comes{{"ana", 0, 1500}, {"rui", 0, 1700}}, nil, 60, "ana-rui@10"},
		{"both must agree", []comes{{"ana", 0, 1500}, {"rui", 30, 1700}}, nil, 60, "ana-rui@40"},
		{"the nearest one first", []comes{{"ana", 0, 1500}, {"bia", 0, 1590}, {"rui", 0, 1520}}, nil, 0, "ana-rui@0"},
		{"the fairest pairs of four", []comes{{"a", 0, 1500}, {"b", 0, 1540}, {"c", 0, 1550}, {"d", 0, 1590}}, nil, 0, "b-c@0 a-d@0"},
		{"who has waited longer goes first", []comes{{"ana", 0, 1400}, {"bia", 28, 1590}, {"rui", 30, 1500}}, nil, 31, "ana-rui@30"},
		{"but not by a moment", []comes{{"ana", 25, 1400}, {"bia", 28, 1535}, {"rui", 30, 1500}}, nil, 30, "bia-rui@30"},
		{"one who has just come, for one who has waited for long", []comes{{"ana", 0, 2500}, {"rui", 130, 1500}}, nil, 140, "ana-rui@130"},
		{"but not for one who waits and was told a range", []comes{{"ana", 0, 2500}, {"rui", 110, 1500}}, nil, 199, ""},
		{"until that is wide enough", []comes{{"ana", 0, 2500}, {"rui", 110, 1500}}, nil, 250, "ana-rui@200"},
		{"never blocked players", []comes{{"ana", 0, 1500}, {"eva", 0, 1500}}, nil, 300, ""},
		{"never oneself", []comes{{"ana", 0, 1500}, {"ana", 1, 1500}}, nil, 300, ""},
		{"an offer", []comes{{"ana", 5, 1500}}, []Offer{{person("rui"), petteia, 1480, [2]int{}, start}}, 9, "ana-#0@5"},
		{"one's own offer", []comes{{"ana", 5, 1500}}, []Offer{{person("ana"), petteia, 1500, [2]int{}, start}}, 300, ""},
		{"an offer of a blocked player", []comes{{"ana", 5, 1500}}, []Offer{{person("eva"), petteia, 1500, [2]int{}, start}}, 300, ""},
		{"an offer for others", []comes{{"ana", 5, 1500}}, []Offer{{person("rui"), petteia, 1500, [2]int{1501, 1800}, start}}, 300, ""},
		{"an offer far away", []comes{{"ana", 0, 1500}}, []Offer{{person("rui"), petteia, 1750, [2]int{1500, 1800}, start}}, 20, "ana-#0@15"},
		{"an offer of another game", []comes{{"ana", 0, 1500}}, []Offer{{person("rui"), Want{Game: "tanks"}, 1500, [2]int{}, start}}, 300, ""},
		{"one offer for one person", []comes{{"ana", 0, 1500}, {"rui", 0, 1650}}, []Offer{{person("bia"), petteia, 1570, [2]int{}, start}}, 0, "ana-#0@0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, got, names := New(blocked, nil), "", map[Ticket]string{}
			offers := tt.offers
			for second := 0.0; second <= tt.until; second++ {
				for _, c := range tt.come {
					if c.after == second {
						ticket, _, err := p.Add(Seeker{Person: person(c.name), Wish: Wish{petteia, c.rating, 0}, Since: at(second)})
						if err != nil {
							t.Fatal(err)
						}
						names[ticket] = c.name
					}
				}
				for _, pair := range p.Pairs(at(second), offers) {
					other := names[pair.B]
					if pair.B == 0 {
						other, offers = fmt.Sprint("#", pair.Offer), nil
					}
					got += fmt.Sprintf("%s-%s@%g ", names[pair.A], other, second)
				}
			}
			if got = trim(got); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func trim(s string) string {
	if s == "" {
		return s
	}
	return s[:len(s)-1]
}

// TestLooking checks the state of a search that a waiting player is shown.
func TestLooking(t *testing.T) {
	p := New(nil, nil)
	known, _, _ := p.Add(Seeker{Person: person("ana"), Wish: Wish{petteia, 1525.4, 60}, Since: start})
	newcomer, _, _ := p.Add(Seeker{Person: person("rui"), Wish: Wish{petteia, 300, 350}, Since: start})
	any, _, _ := p.Add(Seeker{Person: person("bia"), Wish: Wish{petteia, 1500, 0}, Since: start, Anyone: true})
	p.Add(Seeker{Person: person("eva"), Wish: Wish{Want{Game: "tanks"}, 1500, 0}, Since: start})
	for _, tt := range []struct {
		who  Ticket
		at   float64
		want Looking
	}{
		{known, 0, Looking{1426, 1625, 0, 2}},
		{known, 12, Looking{1306, 1745, 12 * time.Second, 2}},
		{known, 119, Looking{236, 2815, 119 * time.Second, 2}},
		{known, 120, Looking{0, 0, 120 * time.Second, 2}},
		{newcomer, 0, Looking{0, 650, 0, 2}},
		{any, 1, Looking{0, 0, time.Second, 2}},
		{known, -5, Looking{1426, 1625, 0, 2}},
	} {
		if got, ok := p.Looking(tt.who, at(tt.at)); got != tt.want || !ok {
			t.Errorf("after %g s: %+v, %v, want %+v", tt.at, got, ok, tt.want)
		}
	}
	p.Remove(known)
	p.Remove(known)
	if got, ok := p.Looking(known, start); ok || got != (Looking{}) {
		t.Errorf("a removed player still looks: %+v", got)
	}
}

// TestLookingInVain: Looking.Others doesn't count blocked players.
func TestLookingInVain(t *testing.T) {
	p := New(func(a, b match.Key) bool { return a.ID == "ana" && b.ID == "eva" || a.ID == "eva" && b.ID == "ana" }, nil)
	var tickets []Ticket
	for i, name := range []string{"ana", "eva", "rui"} {
		who, _, err := p.Add(Seeker{Person: person(name), Wish: Wish{petteia, float64(1000 * i), 0}, Since: start})
		if err != nil {
			t.Fatal(err)
		}
		tickets = append(tickets, who)
	}
	for i, want := range []int{1, 1, 2} {
		if got, _ := p.Looking(tickets[i], start); got.Others != want {
			t.Errorf("number %d is told that %d others look, want %d", i, got.Others, want)
		}
	}
}

// TestAgain: a player waits only once, and keeps the time waited if they want the same.
func TestAgain(t *testing.T) {
	p := New(nil, nil)
	first, _, _ := p.Add(Seeker{Person: person("ana"), Wish: Wish{petteia, 1500, 0}, Since: start})
	second, replaced, err := p.Add(Seeker{Person: person("ana"), Wish: Wish{petteia, 1500, 0}, Since: at(30)})
	if replaced != first || err != nil || p.Len() != 1 {
		t.Errorf("the second one replaces %d, %v, and %d wait", replaced, err, p.Len())
	}
	if l, _ := p.Looking(second, at(40)); l.Waited != 40*time.Second {
		t.Errorf("it has waited %v, want 40 s", l.Waited)
	}
	other := petteia
	other.Rated = false
	third, replaced, _ := p.Add(Seeker{Person: person("ana"), Wish: Wish{other, 1500, 0}, Since: at(50)})
	if l, _ := p.Looking(third, at(60)); replaced != second || l.Waited != 10*time.Second {
		t.Errorf("the third one replaces %d and has waited %v", replaced, l.Waited)
	}
}

// TestFull: a pool takes at most MaxSeekers.
func TestFull(t *testing.T) {
	p := New(nil, nil)
	for i := range MaxSeekers {
		if _, _, err := p.Add(Seeker{Person: person(fmt.Sprint(i)), Wish: Wish{Want: petteia}, Since: start}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := p.Add(Seeker{Person: person("one too many"), Wish: Wish{Want: petteia}, Since: start}); err != ErrFull {
		t.Errorf("error %v, want ErrFull", err)
	}
	if _, _, err := p.Add(Seeker{Person: person("7"), Wish: Wish{Want: petteia}, Since: start}); err != nil {
		t.Errorf("a player who waits already: %v", err)
	}
}

// TestFairer: the nearer of two offers is better, and waiting makes up for points.
func TestFairer(t *testing.T) {
	near, far := Offer{Rating: 1510, Since: at(50)}, Offer{Rating: 1600, Since: at(45)}
	if Fairer(1500, at(60), near, far) >= 0 {
		t.Error("the far one is better")
	}
	far.Since = at(20)
	if Fairer(1500, at(60), near, far) <= 0 {
		t.Error("the far one, which has waited for long, is no better")
	}
}

// TestProperties adds, removes and pairs players in any order and checks: no player meets themselves or a blocked player, each is within the
// range that the other was shown, ranges never narrow, no player is in two pairs, and no possible pair is left out.
func TestProperties(t *testing.T) { rapid.Check(t, properties) }

func properties(t *rapid.T) {
	enemies := map[[2]string]bool{}
	for range rapid.IntRange(0, 6).Draw(t, "blocks") {
		a, b := rapid.IntRange(0, 9).Draw(t, "a"), rapid.IntRange(0, 9).Draw(t, "b")
		enemies[[2]string{fmt.Sprint(a), fmt.Sprint(b)}] = true
	}
	blocked := func(a, b match.Key) bool { return enemies[[2]string{a.ID, b.ID}] || enemies[[2]string{b.ID, a.ID}] }
	p, now := New(blocked, nil), start
	all, told := map[Ticket]Seeker{}, map[Ticket]Looking{}
	wants := []Want{petteia, {Game: "petteia"}}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		switch rapid.IntRange(0, 4).Draw(t, "step") {
		case 0, 1:
			s := Seeker{
				Person: person(fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "person"))), Wish: Wish{
					rapid.SampledFrom(wants).Draw(t, "want"), float64(rapid.IntRange(600, 2600).Draw(t, "rating")), float64(rapid.IntRange(30, 350).Draw(t, "deviation")),
				}, Since: now,
			}
			ticket, replaced, err := p.Add(s)
			if err != nil {
				t.Fatal(err)
			}
			delete(all, replaced)
			all[ticket], _ = p.Seeker(ticket)
		case 2:
			if tickets := slices.Sorted(keys(all)); len(tickets) > 0 {
				gone := rapid.SampledFrom(tickets).Draw(t, "gone")
				p.Remove(gone)
				delete(all, gone)
			}
		default:
			now = now.Add(time.Duration(rapid.IntRange(0, 40_000).Draw(t, "ms")) * time.Millisecond)
			pairs := p.Pairs(now, nil)
			for i, pair := range pairs {
				a, okA := all[pair.A]
				b, okB := all[pair.B]
				gap := math.Abs(a.Rating - b.Rating)
				switch {
				case !okA || !okB:
					t.Fatalf("pair %+v has a player who doesn't wait", pair)
				case a.Person == b.Person || blocked(a.Person, b.Person) || a.Want != b.Want || gap != pair.Gap:
					t.Fatalf("%+v meets %+v: %+v", a, b, pair)
				case b.Since.Before(a.Since):
					t.Fatalf("%+v has waited longer than %+v", b, a)
				}
				for _, x := range [][2]Ticket{{pair.A, pair.B}, {pair.B, pair.A}} {
					_, wasTold := told[x[0]]
					if w := newWaiting(all[x[0]], 0).wishes[0]; gap > w.reach(now) && (wasTold || now.Sub(all[x[1]].Since) < Patience) {
						t.Fatalf("%+v, %v from %+v, looks within %v only", all[x[0]], gap, all[x[1]], w.reach(now))
					}
				}
				if i > 0 {
					before := pairs[i-1]
					if cost(before.Gap, now, all[before.A].Since, all[before.B].Since) > cost(pair.Gap, now, a.Since, b.Since) {
						t.Fatalf("%+v comes before %+v, which is fairer", before, pair)
					}
				}
			}
			for _, pair := range pairs {
				delete(all, pair.A)
				delete(all, pair.B)
			}
			if p.Len() != len(all) {
				t.Fatalf("%d wait, want %d", p.Len(), len(all))
			}
			if again := p.Pairs(now, nil); len(again) > 0 {
				t.Fatalf("asked again at the same moment: %+v", again)
			}
			for ticket := range all {
				l, _ := p.Looking(ticket, now)
				if old, ok := told[ticket]; ok && l.To != 0 && (l.From > old.From || l.To < old.To || old.To == 0) {
					t.Fatalf("the range narrows: %+v, and %+v before", l, old)
				}
				told[ticket] = l
			}
		}
	}
}

func keys[K comparable, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// # A crowd
//
// 5,000 players arrive one after the other, in virtual time, with ratings spread as a club's are, and a few far from all others.

type crowd struct {
	every    time.Duration // how long it takes on average until the next one comes
	patience time.Duration // how long a player waits before giving up; 0: for ever
}

type outcome struct {
	waits []time.Duration // of the players who were paired
	gaps  []float64
	left  int // players who still waited at the end, or gave up
}

func (c crowd) run(seed uint64, people int) outcome {
	random := rand.New(rand.NewPCG(seed, 0))
	p, now := New(nil, nil), start
	var o outcome
	came := map[Ticket]time.Time{}
	pair := func() {
		for _, pair := range p.Pairs(now, nil) {
			o.gaps = append(o.gaps, pair.Gap)
			for _, t := range []Ticket{pair.A, pair.B} {
				o.waits = append(o.waits, now.Sub(came[t]))
				delete(came, t)
			}
		}
	}
	next := start
	for i := 0; i < people; {
		now = now.Add(time.Second)
		for ; i < people && !next.After(now); i++ {
			rating := 1500 + 250*random.NormFloat64()
			switch i % 100 {
			case 0:
				rating = 2700
			case 50:
				rating = 500
			}
			deviation := 50 + 300*random.Float64()*random.Float64()
			t, _, err := p.Add(Seeker{Person: person(fmt.Sprint(i)), Wish: Wish{petteia, rating, deviation}, Since: next})
			if err != nil {
				panic(err)
			}
			came[t] = next
			next = next.Add(time.Duration(random.ExpFloat64() * float64(c.every)))
			pair()
		}
		pair()
		if c.patience > 0 {
			for t, at := range came {
				if now.Sub(at) >= c.patience {
					p.Remove(t)
					delete(came, t)
					o.left++
				}
			}
		}
	}
	for range 2 * int(Patience/time.Second) { // the last ones
		now = now.Add(time.Second)
		pair()
	}
	o.left += len(came)
	slices.Sort(o.waits)
	slices.Sort(o.gaps)
	return o
}

func percentile[T cmp.Ordered](sorted []T, percent int) T { return sorted[(len(sorted)-1)*percent/100] }

func (o outcome) String() string {
	round := func(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
	return fmt.Sprintf("waiting p50 %v, p95 %v, max %v; gap p50 %.0f, p95 %.0f, max %.0f; %d paired, %d left",
		round(percentile(o.waits, 50)), round(percentile(o.waits, 95)), round(percentile(o.waits, 100)),
		percentile(o.gaps, 50), percentile(o.gaps, 95), percentile(o.gaps, 100), len(o.waits), o.left)
}

// crowds are clubs of several sizes, which differ in how often a player arrives.
var crowds = []crowd{{every: 200 * time.Millisecond}, {every: time.Second}, {every: 5 * time.Second}, {every: 30 * time.Second}}

// TestCrowd: all of 5,000 players are paired, also the ones far from all others, and the busier the club, the fairer and faster.
func TestCrowd(t *testing.T) {
	for _, c := range crowds {
		o := c.run(1, 5000)
		t.Logf("one every %v: %v", c.every, o)
		// A player who accepts any opponent is paired with one of the next arrivals; the last two of all, once both accept any.
		if most := 2*Patience + 10*c.every; percentile(o.waits, 100) > most {
			t.Errorf("a player every %v: the longest wait is %v, more than %v", c.every, percentile(o.waits, 100), most)
		}
		if o.left > 1 {
			t.Errorf("a player every %v: %d are never paired", c.every, o.left)
		}
	}
	busy, quiet := crowds[0].run(1, 5000), crowds[3].run(1, 5000)
	if percentile(busy.gaps, 50) >= percentile(quiet.gaps, 50) || percentile(busy.waits, 50) >= percentile(quiet.waits, 50) {
		t.Errorf("a busy club is no better than a quiet one: %v, and %v", busy, quiet)
	}
}

// BenchmarkCrowd reports the waiting times and rating gaps of 5,000 arrivals.
func BenchmarkCrowd(b *testing.B) {
	for _, c := range crowds {
		b.Run(c.every.String(), func(b *testing.B) {
			var o outcome
			for b.Loop() {
				o = c.run(1, 5000)
			}
			for name, percent := range map[string]int{"p50": 50, "p95": 95, "max": 100} {
				b.ReportMetric(percentile(o.waits, percent).Seconds(), "s-"+name)
				b.ReportMetric(percentile(o.gaps, percent), "points-"+name)
			}
		})
	}
}

// TestOwner: of several pools with the same players, only the owner of a game pairs its players. A pool that takes over treats no player as new.
func TestOwner(t *testing.T) {
	owner := 0
	var pools [2]*Pool
	for i := range pools {
		pools[i] = New(nil, func(game string) bool { return game == "petteia" && owner == i })
	}
	seek := func(name string, rating float64, want Want, since time.Time) {
		t.Helper()
		for _, p := range pools {
			if _, _, err := p.Add(Seeker{Person: person(name), Wish: Wish{want, rating, 60}, Since: since}); err != nil {
				t.Fatal(err)
			}
		}
	}
	pairs := func(now time.Time, offers []Offer, want [2]int) {
		t.Helper()
		for i, p := range pools {
			if got := p.Pairs(now, offers); len(got) != want[i] {
				t.Errorf("pool %d has pairs %v, want %d", i, got, want[i])
			}
		}
	}
	seek("far", 2500, petteia, start)
	seek("ana", 1500, petteia, at(110))
	pairs(at(110), nil, [2]int{})
	owner = 1
	pairs(at(130), nil, [2]int{}) // ana was told a range
	seek("rui", 1510, petteia, at(130))
	seek("eva", 1500, Want{Game: "tanks"}, at(130))
	seek("kim", 1500, Want{Game: "tanks"}, at(130))
	offers := []Offer{{person("bia"), Want{Game: "tanks"}, 1500, [2]int{}, start}}
	pairs(at(130), offers, [2]int{0, 1})
	owner = -1
	pairs(at(300), offers, [2]int{})
}

// TestFairest: for a player outside the pool, Fairest returns the fairest waiting player or offer with the same Want that accepts them, and
// removes none from the pool.
func TestFairest(t *testing.T) {
	p := New(func(a, b match.Key) bool { return b.ID == "eva" }, func(string) bool { return false })
	near, _, _ := p.Add(Seeker{Person: person("rui"), Wish: Wish{petteia, 1560, 60}, Since: start})
	p.Add(Seeker{Person: person("eva"), Wish: Wish{petteia, 1500, 60}, Since: start})
	p.Add(Seeker{Person: person("ana"), Wish: Wish{petteia, 1500, 60}, Since: start})
	p.Add(Seeker{Person: person("kim"), Wish: Wish{Want{Game: "tanks"}, 1500, 0}, Since: start})
	offers := []Offer{
		{person("zoe"), Want{Game: "tanks"}, 1500, [2]int{}, start}, {person("bia"), petteia, 1580, [2]int{}, start},
		{person("lea"), petteia, 1510, [2]int{}, start}, {person("narrow"), petteia, 1500, [2]int{1600, 1700}, start},
	}
	ana := Seeker{Person: person("ana"), Wish: Wish{petteia, 1500, 0}, Since: start, Anyone: true, Tried: map[match.Key]bool{}}
	for _, want := range []Pair{{Offer: 2, Gap: 10, Want: petteia}, {B: near, Gap: 60, Want: petteia}} {
		if got, ok := p.Fairest(ana, start, offers, nil); got != want || !ok {
			t.Errorf("%+v, %v, want %+v", got, ok, want)
		}
		ana.Tried[person("lea")] = true
	}
	p.Remove(near)
	if got, ok := p.Fairest(ana, start, offers, nil); got != (Pair{Offer: 1, Gap: 80, Want: petteia}) || !ok {
		t.Errorf("%+v, %v, want bia's offer", got, ok)
	}
	if got, ok := p.Fairest(ana, start, nil, nil); ok || p.Len() != 3 {
		t.Errorf("%+v, and %d wait", got, p.Len())
	}
}
