package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/storage"
)

// An interleaving is a match to which anything happens in any order. What can happen is in acts; each act changes the match through do
// alone, at the time now, which acts may let pass.
type interleaving struct {
	t     *rapid.T
	state State
	log   []storage.Event
	now   time.Time
	times Timing
}

// interleavedTakebacks is how many takebacks happen in a match.
const interleavedTakebacks = 3

// acts are all things that can happen to a match, by name. A new kind of event joins here, and is then played against all others. The
// entry without a name is checked after each of them.
func (w *interleaving) acts() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":               w.check,
		"join":           func(t *rapid.T) { w.do(Join(User(rui))) },
		"wrong join":     func(t *rapid.T) { w.do(Join(w.user())) },
		"move":           w.move,
		"move too":       w.move,
		"move again":     w.move,
		"move once more": w.move,
		"draw":           func(t *rapid.T) { w.do(OfferDraw(w.user())) },
		"takeback":       func(t *rapid.T) { w.do(Takeback(w.user(), interleavedTakebacks)) },
		"answer":         w.answer,
		"answer too":     w.answer,
		"resign":         w.seldom(func(t *rapid.T) { w.do(Resign(w.user())) }),
		"abort":          w.seldom(func(t *rapid.T) { w.do(Abort(w.user())) }),
		"leave":          w.seldom(func(t *rapid.T) { w.do(Leave(storage.Seat(rapid.IntRange(0, 2).Draw(t, "seat")))) }),
		"adjudicate":     w.seldom(func(t *rapid.T) { w.do(Adjudicate(rapid.SampledFrom([]string{"", "first", "draw"}).Draw(t, "result"))) }),
		"time passes":    w.wait,
		"the time is up": w.seldom(w.flag),
		"restart":        w.restart,
	}
}

// people are the two who play, mostly, and one who looks on.
var people = []User{User(ana), User(rui), User(ana), User(rui), {Kind: storage.Guest, ID: "g1", Name: "eva"}}

func (w *interleaving) user() User { return rapid.SampledFrom(people).Draw(w.t, "user") }

// seldom has something happen one time in twenty: after the end, or when the time is up, there is little else that can happen.
func (w *interleaving) seldom(act func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		if rapid.IntRange(0, 19).Draw(t, "seldom") != 10 {
			t.Skip("not now")
		}
		act(t)
	}
}

// do has an act change the match, or refuses it as a match does. What an act wants may be refused for what the users did wrong, never
// because the log would make no sense.
func (w *interleaving) do(act Act) {
	events, err := act(&w.state)
	if errors.Is(err, ErrLog) {
		w.t.Fatal(err)
	}
	if err == nil && len(events) > 0 {
		w.extend(events...)
	}
}

func (w *interleaving) extend(events ...storage.Event) {
	before := bytes(w.t, &w.state)
	next, added, err := w.state.Extend(events, w.now, 12, findFourmation)
	if bytes(w.t, &w.state) != before {
		w.t.Fatalf("%v, %v: the state before has changed", events, err)
	}
	if errors.Is(err, ErrLog) {
		w.t.Fatalf("%v: %v", events, err)
	}
	if err != nil {
		return
	}
	w.state, w.log = next, append(w.log, added...)
	for _, e := range added {
		w.times.Add(e)
	}
}

func (w *interleaving) move(t *rapid.T) {
	legal := w.state.Position.Legal()
	if len(legal) == 0 {
		t.Skip("it is over")
	}
	m, u := rapid.SampledFrom(legal).Draw(t, "move"), User(w.state.Seats[w.state.Turn()])
	if rapid.IntRange(0, 9).Draw(t, "sense") == 5 {
		m, u = "z9", w.user()
	}
	w.do(Move(u, m, AnyPly, rapid.SampledFrom([]time.Duration{0, 200 * time.Millisecond, time.Minute}).Draw(t, "lag")))
}

func (w *interleaving) answer(t *rapid.T) {
	kind, u := rapid.SampledFrom([]string{storage.OfferDraw, storage.OfferTakeback}).Draw(t, "kind"), w.user()
	if by, _ := openOffer(&w.state.Offers, kind); *by != storage.Nobody && rapid.Bool().Draw(t, "by the other side") {
		u = User(w.state.Seats[by.Side().Other()])
	}
	w.do(Answer(u, kind, rapid.Bool().Draw(t, "yes"), interleavedTakebacks))
}

func (w *interleaving) wait(t *rapid.T) {
	w.now = w.now.Add(rapid.SampledFrom([]time.Duration{
		0, time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, time.Minute, 73 * time.Hour,
	}).Draw(t, "time"))
}

// flag lets the time of the side to move be up, as the timer of a running match does.
func (w *interleaving) flag(t *rapid.T) {
	at := w.state.Clock.Deadline()
	if w.state.Over() || at.IsZero() {
		t.Skip("no time runs")
	}
	if at.After(w.now) {
		w.now = at.Add(-time.Second).Add(rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "after all"))
	}
	if w.state.Clock.Expired(w.now) && rapid.IntRange(0, 3).Draw(t, "noticed") > 0 {
		w.do(Flag())
	}
}

// restart reads the log in two parts, as a program does that is started again, and lets the clock go on.
func (w *interleaving) restart(t *rapid.T) {
	part := rapid.IntRange(0, len(w.log)).Draw(t, "part")
	f := NewFolder(w.state.ID, findFourmation)
	if err := errors.Join(f.Add(w.log[:part]), f.Add(w.log[part:])); err != nil {
		t.Fatal(err)
	}
	s, err := f.State()
	if err != nil {
		t.Fatal(err)
	}
	w.state = s
	down := w.now
	w.wait(t)
	if c := s.Clock; !s.Over() && c.Interrupted(down, w.now) {
		w.do(Resume(c.AfterOutage(down, w.now, w.now)))
	}
}

// check folds the log anew.
func (w *interleaving) check(t *rapid.T) {
	s, err := Fold(w.state.ID, findFourmation, w.log)
	if err != nil {
		t.Fatalf("%v\n%v", err, w.log)
	}
	if got, want := bytes(t, &s), bytes(t, &w.state); got != want {
		t.Fatalf("the log says\n%s, the match is\n%s", got, want)
	}
	ends := 0
	for i, e := range w.log {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		if e.Kind == storage.Ended {
			ends++
		}
	}
	if over := w.log[len(w.log)-1].Kind == storage.Ended; over != s.Over() || over && ends != 1 || !over && ends != 0 {
		t.Fatalf("%d ends, over %v", ends, s.Over())
	}
	if s.Over() && s.Offers != (storage.Offers{}) {
		t.Fatalf("over, with open offers %+v", s.Offers)
	}
	if s.Over() && !s.Started.IsZero() {
		w.checkRecord(t, &s)
	}
	stored := s.Summary()
	if again, err := SummaryOf(stored.Stored(), findFourmation); err != nil || !s.Over() && !sameSummary(again, stored) {
		t.Fatalf("the summary comes back as\n%+v, want\n%+v: %v", again, stored, err)
	}
}

// checkRecord replays the record of the match, which says what the match came to.
func (w *interleaving) checkRecord(t *rapid.T, s *State) {
	f := Record(s.View(), w.times.Times(s.View()))
	again, err := Replay(f, findFourmation)
	if err != nil {
		t.Fatalf("the record: %v\n%+v", err, f)
	}
	if got := Record(again.View(), f.Times); !reflect.DeepEqual(got, f) {
		t.Fatalf("replayed, the record is\n%+v\nwant\n%+v", got, f)
	}
}

// sameSummary compares summaries that go on, of which a store keeps the side to move of a clock only while it runs.
func sameSummary(a, b Summary) bool {
	a.Clock.Turn, b.Clock.Turn = 0, 0
	return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
}

// bytes is all that can be seen of a match and what its next events depend on.
func bytes(t *rapid.T, s *State) string {
	if s.Seq == 0 {
		return ""
	}
	v, err := json.Marshal(s.View())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %s %+v %+v %+v %v", v, s.Position, s.closing, s.granted, s.offered, s.made)
}

// TestInterleavings: whatever happens to a match in whatever order, its log makes sense, says what the match is, and has one end at most,
// which is the last event. A record made of it does so too.
func TestInterleavings(t *testing.T) {
	met := map[string]int{}
	defer func() { t.Log("met:", met) }()
	for range 3 { // sequences are short
		rapid.Check(t, func(t *rapid.T) { interleave(t, met) })
	}
}

// interleave plays one match, and counts in met what has happened.
func interleave(t *rapid.T, met map[string]int) {
	w := &interleaving{t: t, state: New("abcdefgh"), now: time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)}
	o := *opening().Opening
	o.Options = games.Options{"cols": 4, "rows": 4, "win_length": 4}
	full, err := games.Complete(w.game(), o.Options)
	if err != nil {
		t.Fatal(err)
	}
	o.Options = full
	o.Clock = rapid.SampledFrom([]string{"", "10+0", "3+2", "3d"}).Draw(t, "clock")
	switch rapid.SampledFrom([]string{"open", "open", "started", "started", "rated", "kept", "one keyboard", "given"}).Draw(t, "opening") {
	case "started":
		o.Second = rui
	case "rated":
		o.Second, o.Rated = rui, true
	case "kept":
		o.Reserved = rui
	case "one keyboard":
		o.Second = ana
	case "given":
		o.Moves = slices.Clone(line("a1 b2 c3"))
	}
	w.do(Open(o, storage.FirstSeat))
	t.Repeat(w.acts())
	for _, e := range w.log {
		met[fmt.Sprint(e.Kind, " ", e.Offer, e.Reason, " ", e.Yes)]++
	}
}

func (w *interleaving) game() games.Game {
	g, err := findFourmation("fourmation")
	if err != nil {
		w.t.Fatal(err)
	}
	return g
}
