package history

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/storage"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A world simulates a small correct club, in which clients act one after the other.
type world struct {
	t       *rapid.T
	now     time.Time
	matches Matches
	clients map[string]*Recorder
	streams map[string]int // of each client, in the present match
}

func (w *world) client(name string) *Recorder {
	if w.clients[name] == nil {
		w.clients[name] = NewRecorder(name)
	}
	return w.clients[name]
}

func (w *world) later(ms int) time.Time {
	w.now = w.now.Add(time.Duration(ms) * time.Millisecond)
	return w.now
}

// show shows the current state of a match to a client.
func (w *world) show(name string, m *Match, stream int, asked time.Time) {
	v := View{Match: m.ID, Stream: stream, Asked: asked, At: w.now}
	if m.Over() {
		v.Result, v.Reason = m.Result, m.Reason
	}
	w.client(name).View(v, m.Moves)
}

// follow has a client begin to watch a match.
func (w *world) follow(name string, m *Match) {
	asked := w.now
	w.later(1)
	w.streams[name] = w.client(name).Stream()
	w.show(name, m, w.streams[name], asked)
}

// left returns the time left to a side.
func left(m *Match, side games.Side) time.Duration {
	for ply := len(m.Moves) - 1; ply >= 0; ply-- {
		if m.Sides[ply] == side {
			return m.Left[ply]
		}
	}
	return m.Base
}

// move has a player send a move, which arrives or not. All watching clients see it.
func (w *world) move(m *Match, move games.Move, outcome Outcome, arrives bool) {
	ply := len(m.Moves)
	side := games.Side(ply % 2)
	name := m.Seats[side].Name
	invoked := w.later(rapid.IntRange(5, 3000).Draw(w.t, "thinks"))
	at := w.later(1)
	if arrives {
		if m.Base > 0 {
			now := left(m, side)
			if ply >= 2 {
				now += m.Step - at.Sub(m.Times[ply-1])
			}
			m.Left = append(m.Left, now)
		}
		m.Moves, m.Sides, m.Times = append(m.Moves, move), append(m.Sides, side), append(m.Times, at)
	}
	if m.Seats[side].Kind == storage.Person {
		w.client(name).Act(Act{Kind: Move, Match: m.ID, Ply: ply, Move: move, Invoked: invoked, Answered: w.later(1), Outcome: outcome})
		if outcome == Done {
			w.show(name, m, w.client(name).Stream(), invoked)
		}
	}
	w.all(m)
}

// all shows a match to all clients that watch it.
func (w *world) all(m *Match) {
	for _, name := range []string{"eva", m.Seats[0].Name, m.Seats[1].Name} {
		if stream := w.streams[name]; stream > 0 {
			w.later(1)
			w.show(name, m, stream, start)
		}
	}
}

// draw draws a correct run.
func draw(t *rapid.T) Run {
	w := &world{t: t, now: start, matches: make(Matches), clients: make(map[string]*Recorder)}
	r := Run{OneNode: true, ResumeWithin: 10 * time.Second, ClockTolerance: 2 * time.Second}
	n := rapid.IntRange(1, 3).Draw(t, "matches")
	for i := range n {
		w.streams = make(map[string]int)
		m := &Match{ID: storage.MatchID(fmt.Sprint("match", i)), Game: "momentum", Started: w.later(10)}
		m.Seats = [2]storage.Occupant{{Kind: storage.Person, Name: "ana"}, {Kind: storage.Person, Name: "rui"}}
		if rapid.IntRange(0, 4).Draw(t, "against a computer player") == 0 {
			m.Seats[1] = storage.Occupant{Kind: storage.Bot, Name: "Greedy"}
		}
		if i == 0 || rapid.Bool().Draw(t, "clock") {
			m.Clock, m.Base, m.Step = "5+3", 5*time.Minute, 3*time.Second
		}
		w.matches[m.ID] = m
		open := Act{Kind: Open, Match: m.ID, Invoked: w.now, Answered: w.later(1), Outcome: Done}
		if i > 0 && rapid.Bool().Draw(t, "nobody knows whether it is open") {
			open.Match, open.Outcome = "", Unknown
		}
		w.client("ana").Act(open)
		for _, o := range m.Seats {
			if o.Kind == storage.Person {
				w.follow(o.Name, m)
			}
		}
		w.follow("eva", m)
		plies := rapid.IntRange(6, 14).Draw(t, "plies")
		faultAt := rapid.IntRange(4, plies-1).Draw(t, "fault")
		for ply := 0; ply < plies; ply++ {
			if ply == faultAt {
				held := &Snapshot{w.now, w.copied()}
				f := Fault{What: "kill", Start: w.later(1), From: w.later(500), End: w.later(1000), Held: held}
				r.Faults = append(r.Faults, f)
				for _, name := range []string{"ana", "rui", "eva"} {
					if w.streams[name] > 0 {
						w.follow(name, m)
					}
				}
			}
			move := games.Move(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "move"))
			if m.Seats[ply%2].Kind == storage.Person && ply > 3 {
				switch rapid.IntRange(0, 9).Draw(t, "fate") {
				case 0:
					w.move(m, move, Unknown, false)
				case 1:
					w.move(m, move, Unknown, true)
					continue
				case 2:
					w.move(m, "x", Refused, false)
				}
			}
			w.move(m, move, Done, true)
		}
		if i == 0 || i < n-1 || rapid.Bool().Draw(t, "resigns") {
			m.Ended, m.Ends, m.Result, m.Reason = w.later(5), 1, "second", "resigned"
			w.client("ana").Act(Act{Kind: Resign, Match: m.ID, Invoked: m.Ended, Answered: w.later(1), Outcome: Done})
			w.all(m)
		}
	}
	r.Matches, r.Stopped = w.matches, w.later(1000)
	for _, name := range []string{"ana", "rui", "eva"} {
		r.Clients = append(r.Clients, w.client(name).Client())
	}
	return r
}

func (w *world) copied() Matches {
	all := make(Matches)
	for id, m := range w.matches {
		c := *m
		c.Moves, c.Sides, c.Times, c.Left = slices.Clone(m.Moves), slices.Clone(m.Sides), slices.Clone(m.Times), slices.Clone(m.Left)
		all[id] = &c
	}
	return all
}

// list returns the violations of a run, one a line.
func list(r Report) string {
	var all []string
	for _, v := range r.Violations {
		all = append(all, v.String())
	}
	return strings.Join(all, "\n")
}

// TestNothingWrong: a correct run has no violations, and is measured.
func TestNothingWrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := draw(t)
		r := Check(run)
		if len(r.Violations) > 0 {
			text, _ := json.MarshalIndent(run, "", " ")
			t.Fatalf("%s\n%s", list(r), text)
		}
		quiet := acknowledged(run, 0).Answered.Add(2 * time.Second).Before(run.Faults[0].Start)
		if r.Outcomes[Done] == 0 || r.Views == 0 || quiet && len(r.Acknowledged) == 0 || len(r.Gaps) != len(run.Faults) || r.ClockMoves == 0 && clocked(run) {
			t.Fatalf("the report is %+v", r)
		}
	})
}

// clocked reports whether a match of a run has a clock.
func clocked(run Run) bool {
	for _, m := range run.Matches {
		if m.Base > 0 {
			return true
		}
	}
	return false
}

// the first match, which has a clock and an end.
const first = storage.MatchID("match0")

// act returns the first act in the first match that fits, or nil.
func act(run Run, fits func(a Act) bool) *Act {
	for i := range run.Clients {
		for j := range run.Clients[i].Acts {
			if a := &run.Clients[i].Acts[j]; a.Match == first && fits(*a) {
				return a
			}
		}
	}
	return nil
}

// acknowledged returns ana's first acknowledged move of the first match at a ply or later.
func acknowledged(run Run, ply int) *Act {
	return act(run, func(a Act) bool { return a.Kind == Move && a.Outcome == Done && a.Ply >= ply })
}

// view returns the spectator eva's first view of the first match that fits, or nil.
func view(run *Run, fits func(v View) bool) *View {
	eva := &run.Clients[2]
	for i := range eva.Views {
		if v := &eva.Views[i]; v.Match == first && fits(*v) {
			return v
		}
	}
	return nil
}

// faults are things that a program might do wrong. spoil changes a run accordingly, or returns false if the run has no place for the fault.
var faults = map[string]struct {
	breach Breach
	spoil  func(run *Run) bool
}{
	"the last moves are gone": {Lost, func(run *Run) bool {
		a, m := acknowledged(*run, 0), run.Matches[first]
		m.Moves, m.Sides, m.Times, m.Left = m.Moves[:a.Ply], m.Sides[:a.Ply], m.Times[:a.Ply], m.Left[:a.Ply]
		return true
	}},
	"another move is in the log": {Lost, func(run *Run) bool {
		run.Matches[first].Moves[acknowledged(*run, 0).Ply] = "y"
		return true
	}},
	"a move is there twice": {Unsent, func(run *Run) bool {
		m := run.Matches[first]
		again := acknowledged(*run, 0).Move
		if len(m.Moves)%2 != 0 || act(*run, func(a Act) bool { return a.Move == again && a.Outcome == Unknown }) != nil { // not ana's turn, or it came late
			return false
		}
		m.Moves, m.Sides = append(m.Moves, again), append(m.Sides, games.First)
		m.Times, m.Left = append(m.Times, m.Ended), append(m.Left, 0)
		return true
	}},
	"the match is gone": {Lost, func(run *Run) bool { delete(run.Matches, first); return true }},
	"two moves at one place": {Twice, func(run *Run) bool {
		run.Clients[0].Acts = append(run.Clients[0].Acts, *acknowledged(*run, 0))
		return true
	}},
	"acknowledged before the move before it": {Disorder, func(run *Run) bool {
		a := acknowledged(*run, 2)
		b := act(*run, func(b Act) bool { return b.Kind == Move && b.Outcome == Done && b.Ply == a.Ply+1 })
		if b == nil {
			return false
		}
		b.Answered = a.Invoked.Add(-time.Millisecond)
		return true
	}},
	"a move that nobody sent": {Unsent, func(run *Run) bool {
		m := run.Matches[first]
		if len(m.Moves)%2 != 0 { // not ana's turn
			return false
		}
		m.Moves, m.Sides = append(m.Moves, "z"), append(m.Sides, games.First)
		m.Times, m.Left = append(m.Times, m.Ended), append(m.Left, 0)
		return true
	}},
	"a move that was refused": {Denied, func(run *Run) bool {
		acknowledged(*run, 0).Outcome = Refused
		return true
	}},
	"a resignation that nobody sent": {Unsent, func(run *Run) bool {
		a := act(*run, func(a Act) bool { return a.Kind == Resign })
		a.Kind = Join
		return true
	}},
	"a resignation that had no effect": {Lost, func(run *Run) bool {
		m := run.Matches[first]
		m.Ends, m.Result, m.Reason = 0, "", ""
		return true
	}},
	"a match that nobody opened": {Unsent, func(run *Run) bool {
		for i := range run.Clients[0].Acts {
			if a := &run.Clients[0].Acts[i]; a.Kind == Open {
				a.Outcome = Refused
			}
		}
		return true
	}},
	"a match that was called off": {Unsent, func(run *Run) bool { run.Matches[first].Reason = "aborted"; return true }},
	"a view of another move": {Phantom, func(run *Run) bool {
		v := view(run, func(v View) bool { return len(v.Moves) > 0 })
		v.Moves[0] = "y"
		return true
	}},
	"a view of a move before it is in the log": {Phantom, func(run *Run) bool {
		run.Clients[2].Views = append(run.Clients[2].Views, View{Match: first, Stream: 99, At: run.Stopped, Asked: run.Stopped, Moves: []games.Move{"a", "b", "q"}})
		return true
	}},
	"a view of another end": {Phantom, func(run *Run) bool {
		view(run, func(v View) bool { return v.Result != "" }).Result = "first"
		return true
	}},
	"a stream goes back": {Backwards, func(run *Run) bool {
		v := *view(run, func(v View) bool { return v.Result != "" })
		v.Keep, v.Result, v.Reason, v.Moves = 2, "", "", nil
		run.Clients[2].Views = append(run.Clients[2].Views, v)
		return true
	}},
	"less after coming back": {Stale, func(run *Run) bool {
		run.Clients[2].Views = append(run.Clients[2].Views, View{Match: first, Stream: 99, At: run.Stopped, Asked: run.Stopped, Keep: 0})
		run.OneNode = false
		return true
	}},
	"less than others have seen": {Stale, func(run *Run) bool {
		run.Clients = append(run.Clients, Client{Name: "max", Views: []View{{Match: first, Stream: 1, At: run.Stopped, Asked: run.Stopped}}})
		return true
	}},
	"a log and a record":  {Ends, func(run *Run) bool { run.Matches[first].Ends = 2; return true }},
	"a number is missing": {Damaged, func(run *Run) bool { run.Matches[first].Damage = "event 3 is missing"; return true }},
	"time goes back": {Damaged, func(run *Run) bool {
		m := run.Matches[first]
		m.Times[3] = m.Times[2].Add(-time.Second)
		return true
	}},
	"a move before it was sent": {Damaged, func(run *Run) bool {
		m, a := run.Matches[first], acknowledged(*run, 0)
		m.Times[a.Ply] = a.Invoked.Add(-time.Second)
		return true
	}},
	"the store forgets a seen move at a crash": {Lost, func(run *Run) bool {
		m := run.Faults[0].Held.Matches[first]
		m.Moves = m.Moves[:len(m.Moves)-1]
		return true
	}},
	"the store forgets what it held": {Rewritten, func(run *Run) bool {
		m := run.Faults[0].Held.Matches[first]
		m.Moves = append(m.Moves, "y")
		return true
	}},
	"the store changes an end": {Rewritten, func(run *Run) bool {
		m := *run.Matches[first]
		m.Result = "first"
		run.Faults[0].Held = &Snapshot{run.Stopped, Matches{first: &m}}
		for i := range run.Clients { // no view is of this snapshot's past
			run.Clients[i].Views = slices.DeleteFunc(run.Clients[i].Views, func(v View) bool { return v.Match != first })
		}
		return true
	}},
	"ratings":                      {Ratings, func(run *Run) bool { run.Ratings = []string{"momentum ana: 1500, computed 1512"}; return true }},
	"a move is charged twice":      {Clocks, func(run *Run) bool { return charge(run, 3*time.Second) }},
	"a move is charged not at all": {Clocks, func(run *Run) bool { return charge(run, -4*time.Second) }},
	"a clock runs out too soon": {Clocks, func(run *Run) bool {
		m := run.Matches[first]
		m.Reason = "timeout"
		return true
	}},
	"a match stands still": {Stalled, func(run *Run) bool {
		m := run.Matches[first]
		for i, at := range m.Times {
			if at.After(run.Faults[0].From) {
				m.Times[i] = at.Add(11 * time.Second)
			}
		}
		run.Faults = run.Faults[:1]
		run.Stopped = run.Stopped.Add(time.Minute)
		return true
	}},
}

// TestPairedMatches: the matches of an event have no client who opened them.
func TestPairedMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := draw(t)
		faults["a match that nobody opened"].spoil(&run)
		run.Paired = make(map[storage.MatchID]bool)
		for id := range run.Matches {
			run.Paired[id] = true
		}
		for _, v := range Check(run).Violations {
			if v.Breach == Unsent {
				t.Errorf("a paired match: %s", v)
			}
		}
	})
}

// charge adds more to the time that one move was charged.
func charge(run *Run, more time.Duration) bool {
	m := run.Matches[first]
	for ply := 2; ply < len(m.Moves); ply++ {
		own := m.Times[ply-2].Add(-2 * time.Second)
		disturbed := slices.ContainsFunc(run.Faults, func(f Fault) bool { return f.overlaps(own, m.Times[ply].Add(time.Second)) })
		if m.Seats[m.Sides[ply]].Kind == storage.Person && !disturbed {
			m.Left[ply] -= more
			return true
		}
	}
	return false
}

// TestFaultsAreFound: each fault is found in every run that has a place for it.
func TestFaultsAreFound(t *testing.T) {
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			tried := 0
			rapid.Check(t, func(t *rapid.T) {
				run := draw(t)
				if !f.spoil(&run) {
					return
				}
				tried++
				r := Check(run)
				if !slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Breach == f.breach }) {
					text, _ := json.MarshalIndent(run, "", " ")
					t.Fatalf("not found: %s; found:\n%s\n%s", f.breach, list(r), text)
				}
			})
			if tried == 0 {
				t.Error("no run had a place for it")
			}
		})
	}
}

// TestTakebacks: clients may see moves come and be taken back, in the order of the log.
func TestTakebacks(t *testing.T) {
	a, b := []games.Move{"a"}, []games.Move{"b"}
	m := &Match{
		ID: first, Seats: [2]storage.Occupant{{Kind: storage.Person, Name: "ana"}, {Kind: storage.Bot}}, Started: start, Moves: b, Sides: []games.Side{games.First},
		Times: []time.Time{start.Add(time.Second)}, Lines: [][]games.Move{nil, a, nil, b},
	}
	for name, tt := range map[string]struct {
		shown [][]games.Move
		want  Breach
	}{
		"as it was":     {[][]games.Move{nil, a, nil, b}, ""},
		"bigger steps":  {[][]games.Move{a, b}, ""},
		"going back":    {[][]games.Move{b, a}, Backwards},
		"what was not":  {[][]games.Move{{"c"}}, Phantom},
		"a repetition":  {[][]games.Move{nil, a, a, nil, nil, b, b}, ""},
		"back and back": {[][]games.Move{a, nil, a}, Backwards},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewRecorder("ana")
			r.Act(Act{Kind: Open, Match: first, Outcome: Done})
			r.Act(Act{Kind: Move, Match: first, Move: "b", Invoked: start, Answered: start.Add(2 * time.Second), Outcome: Done})
			for i, moves := range tt.shown {
				r.View(View{Match: first, Stream: 1, Asked: start, At: start.Add(time.Duration(i) * time.Second)}, moves)
			}
			got := Check(Run{Clients: []Client{r.Client()}, Matches: Matches{first: m}})
			if len(got.Violations) != min(len(tt.want), 1) || tt.want != "" && got.Violations[0].Breach != tt.want {
				t.Errorf("found %q, want %q", list(got), tt.want)
			}
		})
	}
}

// TestUnansweredOpening: a match whose opening was never answered may stand still.
func TestUnansweredOpening(t *testing.T) {
	m := &Match{ID: first, Seats: [2]storage.Occupant{{Kind: storage.Person, Name: "ana"}, {Kind: storage.Bot}}, Started: start}
	ana := NewRecorder("ana")
	ana.Act(Act{Kind: Open, Outcome: Unknown})
	f := Fault{What: "kill", Start: start.Add(time.Minute), From: start.Add(time.Minute), End: start.Add(time.Minute)}
	run := Run{Matches: Matches{first: m}, Faults: []Fault{f}, Stopped: start.Add(time.Hour), ResumeWithin: 10 * time.Second}
	run.Clients = []Client{ana.Client()}
	if r := Check(run); len(r.Violations) > 0 {
		t.Error(list(r))
	}
	ana.View(View{Match: first, Stream: 1, Asked: start, At: start}, nil)
	run.Clients = []Client{ana.Client()}
	if r := Check(run); len(r.Violations) != 1 || r.Violations[0].Breach != Stalled {
		t.Errorf("ana plays it, and found is %q", list(r))
	}
}

// TestFirstMove: the first move after a fault is the first that was acknowledged to any client.
func TestFirstMove(t *testing.T) {
	f := Fault{What: "kill", Start: start, From: start.Add(time.Minute), End: start.Add(2 * time.Minute)}
	run := Run{Faults: []Fault{f}, Stopped: start.Add(time.Hour)}
	for name, acts := range map[string][]Act{
		"ana": {{Kind: Move, Answered: f.From.Add(-time.Second), Outcome: Done}, {Kind: Move, Answered: f.From.Add(4 * time.Second), Outcome: Done}},
		"rui": {{Kind: Move, Answered: f.From.Add(time.Second), Outcome: Unknown}, {Kind: Move, Answered: f.From.Add(3 * time.Second), Outcome: Done}},
		"eva": {{Kind: Resign, Answered: f.From.Add(2 * time.Second), Outcome: Done}},
	} {
		run.Clients = append(run.Clients, Client{Name: name, Acts: acts})
	}
	if got := Check(run).Gaps[0].First; got != 3*time.Second {
		t.Errorf("the first move was acknowledged after %v, want 3 s", got)
	}
}
