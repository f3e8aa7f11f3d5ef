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
	"ludoteca/lobby/clock"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// An interleaving is a match to which random acts are applied in any order. Each act changes the match only through do, at the time now,
// which some acts advance.
type interleaving struct {
	t     *rapid.T
	state State
	log   []matches.Event
	now   time.Time
	times Timing

	near map[Key]atboard.Presence // of users who have been here since the program started
	up   time.Time                // when the program started
	down time.Duration            // for how long it was down since the last event
}

// interleavedTakebacks is the limit of takebacks in a match.
const interleavedTakebacks = 3

// acts returns all acts by name. A new kind of event needs an entry here, and is then tested against all others. The entry without a name is
// the check after each act.
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
		"adjourn":        func(t *rapid.T) { w.do(Adjourn(w.user())) },
		"agree":          w.agree,
		"go on":          func(t *rapid.T) { w.do(Continue(w.user())) },
		"vacation":       w.vacation,
		"resign":         w.seldom(func(t *rapid.T) { w.do(Resign(w.user())) }),
		"abort":          w.seldom(func(t *rapid.T) { w.do(Abort(w.user())) }),
		"leave":          w.seldom(func(t *rapid.T) { w.do(Leave(storage.Seat(rapid.IntRange(0, 2).Draw(t, "seat")))) }),
		"adjudicate":     w.seldom(func(t *rapid.T) { w.do(Adjudicate(rapid.SampledFrom([]string{"", "first", "draw"}).Draw(t, "result"))) }),
		"come":           func(*rapid.T) { w.goes(w.user(), atboard.Here, false) },
		"away":           func(*rapid.T) { w.goes(w.user(), atboard.Away, false) },
		"go":             func(t *rapid.T) { w.goes(w.user(), atboard.Gone, rapid.Bool().Draw(t, "dropped")) },
		"desert":         w.desert,
		"claim":          w.claim,
		"claim too":      w.claim,
		"time passes":    w.wait,
		"the time is up": w.flag,
		"flag":           w.flagAnyway,
		"restart":        w.restart,
	}
}

// people are the two players, each twice as likely as the third, and a spectator.
var people = []User{User(ana), User(rui), User(ana), User(rui), {Kind: storage.Guest, ID: "g1", Name: "eva"}}

func (w *interleaving) user() User { return rapid.SampledFrom(people).Draw(w.t, "user") }

// seldom runs an act one time in twenty: after a match has ended, few acts are possible.
func (w *interleaving) seldom(act func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		if rapid.IntRange(0, 19).Draw(t, "seldom") != 10 {
			t.Skip("not now")
		}
		act(t)
	}
}

// do applies an act, or returns why it is refused. An act may be refused, but never with ErrLog.
func (w *interleaving) do(act Act) error {
	before := bytes(w.t, &w.state)
	events, err := act(&w.state)
	if errors.Is(err, ErrLog) {
		w.t.Fatal(err)
	}
	if bytes(w.t, &w.state) != before {
		w.t.Fatalf("%v, %v: asking has changed the match", events, err)
	}
	if err == nil && len(events) > 0 {
		return w.extend(events...)
	}
	return err
}

func (w *interleaving) extend(events ...matches.Event) error {
	before := bytes(w.t, &w.state)
	next, added, err := w.state.Extend(events, w.now, 12, findFourmation)
	if bytes(w.t, &w.state) != before {
		w.t.Fatalf("%v, %v: the state before has changed", events, err)
	}
	if errors.Is(err, ErrLog) {
		w.t.Fatalf("%v: %v", events, err)
	}
	if err != nil {
		return err
	}
	w.state, w.log, w.down = next, append(w.log, added...), 0
	for _, e := range added {
		w.times.Add(e)
	}
	return nil
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
	kind, u := rapid.SampledFrom([]string{matches.OfferDraw, matches.OfferTakeback, matches.OfferAdjourn}).Draw(t, "kind"), w.user()
	if by, _ := openOffer(&w.state.Offers, kind); *by != storage.Nobody && rapid.Bool().Draw(t, "by the other side") {
		u = User(w.state.Seats[by.Side().Other()])
	}
	w.do(Answer(u, kind, 0, rapid.Bool().Draw(t, "yes"), interleavedTakebacks))
}

// agree has both sides adjourn the match, or the other side agree if it was asked.
func (w *interleaving) agree(t *rapid.T) {
	if w.state.Offers.Adjourn == storage.Nobody {
		w.do(Adjourn(User(w.state.Seats[rapid.IntRange(0, 1).Draw(t, "side")])))
	}
	by := w.state.Offers.Adjourn
	if by == storage.Nobody {
		t.Skip("nobody asks")
	}
	w.do(Adjourn(User(w.state.Seats[by.Side().Other()])))
}

// vacation begins, moves or ends the vacation of a player, and checks that what the other side had left stays.
func (w *interleaving) vacation(t *rapid.T) {
	for _, d := range []time.Duration{0, time.Second, 10 * time.Hour, 14 * clock.Day} {
		if rapid.Bool().Draw(t, "so long") {
			w.do(Vacation(w.user(), w.now.Add(d), w.now))
			return
		}
	}
}

func (w *interleaving) wait(t *rapid.T) {
	w.now = w.now.Add(rapid.SampledFrom([]time.Duration{
		0, time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 20 * time.Second, time.Minute, 20 * time.Hour, 73 * time.Hour,
	}).Draw(t, "time"))
}

// flag advances now to the deadline, or just before it, and flags the match as a timer does.
func (w *interleaving) flag(t *rapid.T) {
	at := w.state.Clock.Deadline()
	if w.state.Over() || at.IsZero() || rapid.IntRange(0, 4).Draw(t, "seldom") > 0 {
		t.Skip("no time runs")
	}
	if at.After(w.now) {
		w.now = at.Add(-time.Second).Add(rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "after all"))
	}
	if w.state.Clock.Expired(w.now) && rapid.IntRange(0, 3).Draw(t, "noticed") > 0 {
		w.do(Flag())
	}
}

// flagAnyway checks that a flagged event is accepted now if the time of the side to move is up, and refused with ErrLog otherwise.
func (w *interleaving) flagAnyway(t *rapid.T) {
	c := w.naiveClock(t)
	_, _, err := w.state.Extend([]matches.Event{{Kind: matches.Flagged, Seat: storage.SeatOf(w.state.Turn())}}, w.now, 12, findFourmation)
	up := c.up(w.now) || c.base == 0 && w.firstMoveUp()
	if up = up && !w.state.Over(); up != (err == nil) || err != nil && !errors.Is(err, ErrLog) {
		t.Fatalf("the time is up: %v; flagging: %v", up, err)
	}
}

// firstMoveUp reports whether the time for a first move without a clock may be up: the match is public or rated, between two people, and began at
// least two minutes ago, and not both sides have moved.
func (w *interleaving) firstMoveUp() bool {
	s, o := &w.state, w.log[0].Opening
	for _, seat := range s.Seats {
		if seat.Kind == storage.Free || seat.Kind == storage.Bot {
			return false
		}
	}
	return (o.Public || o.Rated) && s.Seats[0].ID != s.Seats[1].ID && len(s.Moves)-len(o.Moves) < 2 && !w.now.Before(s.Started.Add(2*time.Minute))
}

// goes sets the presence of a user who comes, goes away from the board, or leaves the club. It doesn't change the match: presence is in no log. A
// user who is gone already and goes again has given a command, which counts as a dropped connection.
func (w *interleaving) goes(u User, near atboard.Nearness, dropped bool) {
	was := w.presenceOf(u.Occupant())
	p := atboard.Presence{Near: near, Since: w.now, Dropped: dropped || near == atboard.Gone && was.Near == atboard.Gone}
	if near == atboard.Here {
		p.Since = time.Time{}
	}
	w.near[u.Key()] = p
}

// presenceOf returns the presence of a user: gone since the program started if they have not been here since.
func (w *interleaving) presenceOf(o storage.Occupant) atboard.Presence {
	if p, known := w.near[KeyOf(o)]; known {
		return p
	}
	return atboard.Presence{Near: atboard.Gone, Since: w.up, Dropped: true}
}

// presence returns the presence of both sides.
func (w *interleaving) presence() (both [2]atboard.Presence) {
	for side, o := range w.state.Seats {
		if o.Kind != storage.Free {
			both[side] = w.presenceOf(o)
		}
	}
	return both
}

// desert makes a player leave and the opponent claim the match.
func (w *interleaving) desert(t *rapid.T) {
	side := rapid.IntRange(0, 1).Draw(t, "side")
	u, other := User(w.state.Seats[side]), User(w.state.Seats[1-side])
	if w.state.Started.IsZero() {
		t.Skip("a seat is free")
	}
	w.goes(u, atboard.Gone, rapid.Bool().Draw(t, "dropped"))
	w.claimBy(t, other)
}

// claim makes a user claim the match, often at the first moment at which that may be possible or just before. It must succeed exactly when whyNot
// returns "": an absence before a return in time doesn't count.
func (w *interleaving) claim(t *rapid.T) { w.claimBy(t, w.user()) }

func (w *interleaving) claimBy(t *rapid.T, u User) {
	draw := rapid.Bool().Draw(t, "draw")
	near, s := w.presence(), w.state.Summary()
	if at := s.ClaimAt(u, near, w.down); at.After(w.now) && !w.state.Over() && rapid.IntRange(0, 2).Draw(t, "in time") > 0 {
		w.now = at.Add(rapid.SampledFrom([]time.Duration{-time.Millisecond, 0}).Draw(t, "at last"))
	}
	whyNot := w.whyNot(u)
	err := w.do(Claim(u, draw, func() ([2]atboard.Presence, time.Duration, time.Time) { return near, w.down, w.now }))
	if (err == nil) != (whyNot == "") {
		t.Fatalf("a claim by %s: %v, although %q", u.Name, err, whyNot)
	}
}

// whyNot returns why a user may not claim the match now, "" if they may. It is a second, naive implementation of the rules.
func (w *interleaving) whyNot(u User) string {
	s := &w.state
	side := slices.IndexFunc(s.Seats[:], u.Is)
	stand := 0
	for _, e := range w.log {
		switch e.Kind {
		case matches.Moved:
			stand++
		case matches.TakenBack:
			stand -= e.Plies
		}
	}
	switch {
	case s.Over():
		return "it is over"
	case side < 0:
		return "they do not play"
	case s.Started.IsZero() || stand < 2:
		return "not both have moved"
	case s.Seats[0] == s.Seats[1]:
		return "both are at one keyboard"
	}
	turn, other := int(s.Turn()), w.presence()[1-side]
	since, grace := other.Since, map[bool]time.Duration{false: 20 * time.Second, true: time.Minute}[other.Dropped]
	switch w.log[0].Opening.Clock {
	case "3d":
		return "the clock decides"
	case "":
		since, grace = w.log[len(w.log)-1].At, 72*time.Hour+w.down
		if turn == side || other.Near == atboard.Here {
			return "they don't wait for the other"
		}
	case "10+8":
		grace *= 3
		fallthrough
	default:
		if other.Near != atboard.Gone {
			return "the other is not gone"
		}
		if since.Before(s.Started) {
			since = s.Started
		}
	}
	switch {
	case w.now.Sub(since) < grace:
		return "it is too early"
	case turn == side && w.naiveClock(w.t).up(w.now):
		return "their own time is up"
	}
	return ""
}

// A naiveClock is a second, naive implementation of the clock of a match. It is zero for a match without a clock.
type naiveClock struct {
	base, increment, first time.Duration // first: for the first move of a side
	days                   bool

	left  [2]time.Duration
	moved [2]bool
	turn  int
	since time.Time // zero: it does not run

	stands [3][]span // when it stands: for the vacations of each side, and adjourned
}

// A span is a time.
type span struct{ from, to time.Time }

// stand makes the clock stand for one reason from a time on until another, and no longer for what that reason said before.
func (c *naiveClock) stand(reason int, from, to time.Time) {
	all := slices.Clone(c.stands[reason])
	for i := range all {
		if all[i].to.After(from) {
			all[i].to = from
		}
	}
	if to.After(from) {
		all = append(all, span{from, to})
	}
	c.stands[reason] = all
}

// charged returns for how long the clock ran between two times.
func (c naiveClock) charged(from, to time.Time) (ran time.Duration) {
	edges := []time.Time{from, to}
	for _, s := range slices.Concat(c.stands[:]...) {
		for _, t := range []time.Time{s.from, s.to} {
			if t.After(from) && t.Before(to) {
				edges = append(edges, t)
			}
		}
	}
	slices.SortFunc(edges, time.Time.Compare)
	for i, t := range edges[1:] {
		stood := slices.ContainsFunc(slices.Concat(c.stands[:]...), func(s span) bool { return !s.from.After(edges[i]) && !s.to.Before(t) })
		if !stood && t.After(edges[i]) {
			ran += t.Sub(edges[i])
		}
	}
	return ran
}

// after returns when the clock has run for a time.
func (c naiveClock) after(left time.Duration) time.Time {
	at := c.since.Add(left)
	for range 1000 {
		ran := c.charged(c.since, at)
		if ran >= left {
			return at
		}
		at = at.Add(left - ran)
		for _, s := range slices.Concat(c.stands[:]...) {
			if s.from.Before(at) && s.to.After(at) {
				at = s.to // it runs no further before
			}
		}
	}
	panic("the clock stands for ever")
}

// deadline returns when the time of the side to move is up; zero for never.
func (c naiveClock) deadline() time.Time {
	switch {
	case c.since.IsZero():
		return time.Time{}
	case c.moved == [2]bool{true, true}:
		return c.after(c.left[c.turn])
	}
	return c.after(c.first)
}

func (c naiveClock) up(at time.Time) bool { return !c.since.IsZero() && !at.Before(c.deadline()) }

// leftAt returns the time left to both sides at a time.
func (c naiveClock) leftAt(at time.Time) [2]time.Duration {
	left := c.left
	if !c.since.IsZero() && c.moved == [2]bool{true, true} {
		left[c.turn] = max(left[c.turn]-c.charged(c.since, at), 0)
	}
	return left
}

// naiveClock computes the clock from the log. It checks that no event but the end came after the time was up, and that flagged didn't come before.
func (w *interleaving) naiveClock(t *rapid.T) (c naiveClock) {
	const credit = 300 * time.Millisecond
	o := w.log[0].Opening
	if c.base = map[string]time.Duration{"10+8": 10 * time.Minute, "3+2": 3 * time.Minute, "3d": 72 * time.Hour}[o.Clock]; c.base == 0 {
		return c
	}
	c.increment = map[string]time.Duration{"10+8": 8 * time.Second, "3+2": 2 * time.Second}[o.Clock]
	c.first = 30 * time.Second
	if c.days = o.Clock == "3d"; c.days {
		c.first = 72 * time.Hour
	}
	c.left, c.turn = [2]time.Duration{c.base, c.base}, len(o.Moves)%2
	for i, e := range w.log {
		inTime := !c.up(e.At)
		switch running := c.moved == [2]bool{true, true}; e.Kind {
		case matches.Opened, matches.Joined:
			if e.Kind == matches.Joined || o.First.Kind != storage.Free && o.Second.Kind != storage.Free {
				c.since = e.At
			}
		case matches.Moved:
			used := max(c.charged(c.since, e.At)-min(e.Lag, credit), 0)
			inTime = !c.up(c.after(used))
			c.stand(2, e.At, e.At)
			switch {
			case c.days:
				c.left[c.turn] = c.base
			case running:
				c.left[c.turn] += c.increment - used
			}
			c.moved[c.turn] = true
			c.since, c.turn = e.At, 1-c.turn
		case matches.TakenBack:
			if c.left = c.leftAt(e.At); c.days {
				c.left = [2]time.Duration{c.base, c.base}
			}
			c.since, c.turn = e.At, int(e.Seat.Side())
		case matches.Resumed:
			inTime = true // it may have been up when the program stopped
			c.left, c.since = e.Left, e.At
		case matches.Flagged:
			want := ""
			if running {
				want = e.Seat.Side().Other().String()
			}
			if end := w.log[i+1]; inTime || int(e.Seat.Side()) != c.turn || end.Result != want {
				t.Fatalf("flagged at %v, the time is up at %v; result %q, want %q", e.At, c.deadline(), end.Result, want)
			}
			inTime = true
		case matches.Claimed:
			inTime = inTime || int(e.Seat.Side()) != c.turn
		case matches.Answered:
			inTime = inTime || !e.Yes
			if e.Yes && e.Offer == matches.OfferAdjourn {
				c.stand(2, e.At, e.At.Add(30*24*time.Hour))
			}
		case matches.Vacation:
			c.stand(int(e.Seat.Side()), e.At, e.Until)
		case matches.Continued:
			c.stand(2, e.At, e.At)
		case matches.Ended:
			c.left, c.since, inTime = c.leftAt(e.At), time.Time{}, true
		default:
			inTime = true
		}
		if !inTime {
			t.Fatalf("event %d, %s at %v, comes after %v, when the time was up", e.Seq, e.Kind, e.At, c.deadline())
		}
	}
	return c
}

// restart reads the log in two parts, as a restarted program does, and resumes the clock. All users are gone then.
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
	before := w.naiveClock(t)
	w.wait(t)
	w.up, w.down, w.near = w.now, w.down+w.now.Sub(down), make(map[Key]atboard.Presence)
	if c := s.Clock; !s.Over() && c.Interrupted(down, w.now) {
		w.do(Resume(c.AfterOutage(down, w.now, w.now)))
		want := before.leftAt(down)
		if !before.days && before.moved == [2]bool{true, true} {
			want[0], want[1] = want[0]+20*time.Second, want[1]+20*time.Second
		}
		if after := w.naiveClock(t); after.leftAt(w.now) != want {
			t.Fatalf("after %v without the program %v are left, want %v", w.now.Sub(down), after.leftAt(w.now), want)
		}
	}
}

// check folds the log again and compares the state and its record with the match.
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
		if e.Kind == matches.Ended {
			ends++
		}
	}
	if over := w.log[len(w.log)-1].Kind == matches.Ended; over != s.Over() || over && ends != 1 || !over && ends != 0 {
		t.Fatalf("%d ends, over %v", ends, s.Over())
	}
	if c := w.naiveClock(t); s.Clock.Setting.Kind != clock.None && [2]time.Duration{s.Clock.LeftAt(0, w.now), s.Clock.LeftAt(1, w.now)} != c.leftAt(w.now) {
		t.Fatalf("the clock is %+v, want %v left", s.Clock, c.leftAt(w.now))
	}
	if s.Over() && s.Offers != (matches.Offers{}) {
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

// checkRecord replays the record of the match and compares the result with the state.
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

// sameSummary compares summaries of unfinished matches. A store keeps the side to move of a clock only while the clock runs.
func sameSummary(a, b Summary) bool {
	a.Clock.Turn, b.Clock.Turn = 0, 0
	return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
}

// bytes returns a text of all that can be seen of a match and that its next events depend on.
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

// TestInterleavings: whatever happens to a match in whatever order, its log makes sense, says what the match is, and has exactly one end,
// which is the last event. A record made of it does so too. Clocks and claims are as the rules say, told once more in plain figures.
func TestInterleavings(t *testing.T) {
	met := map[string]int{}
	defer func() { t.Log("met:", met) }()
	for range 10 { // sequences are short
		rapid.Check(t, func(t *rapid.T) { interleave(t, met) })
	}
}

// interleave plays one match, and counts in met what has happened.
func interleave(t *rapid.T, met map[string]int) {
	w := &interleaving{t: t, state: New("abcdefgh"), now: time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC), near: make(map[Key]atboard.Presence)}
	w.up = w.now
	o := *opening().Opening
	o.Options = games.Options{"cols": 4, "rows": 4, "win_length": 4}
	full, err := games.Complete(w.game(), o.Options)
	if err != nil {
		t.Fatal(err)
	}
	o.Options = full
	o.Clock = rapid.SampledFrom([]string{"", "10+8", "3+2", "3d"}).Draw(t, "clock")
	kind := rapid.SampledFrom([]string{"open", "started", "under way", "under way", "under way", "rated", "kept", "one keyboard", "given"}).Draw(t, "opening")
	switch kind {
	case "started", "under way":
		o.Second = rui
	case "rated":
		o.Second, o.Rated = rui, true
	case "kept":
		o.Reserved = rui
	case "one keyboard":
		o.Second = ana
	case "given":
		o.Moves, o.Second = slices.Clone(line("a1 b2 c3")), rui
	}
	w.do(Open(o, storage.FirstSeat))
	if kind == "under way" {
		w.do(Move(User(ana), "a1", AnyPly, 0))
		w.do(Move(User(rui), "b2", AnyPly, 0))
	}
	t.Repeat(w.acts())
	if !w.state.Over() {
		w.do(rapid.SampledFrom([]Act{Leave(storage.FirstSeat), Adjudicate("")}).Draw(t, "in the end"))
	}
	if w.check(t); !w.state.Over() {
		t.Fatal("it does not end")
	}
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
