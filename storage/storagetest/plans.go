package storagetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
)

// Plans is the part of a Store that keeps what players have prepared.
type Plans interface {
	SetPlan(ctx context.Context, k matchstore.PlanKey, seq uint64, p matchstore.Plan) error
	Plan(ctx context.Context, k matchstore.PlanKey) (matchstore.Plan, error)
	DropPlan(ctx context.Context, k matchstore.PlanKey) error
}

// plans checks that the plan of a seat belongs to the match as it stands, that a summary reports whether the side to move has one, and that plans
// go with their match.
func plans(t *testing.T, s Store) {
	const id = "m2222222"
	ctx := t.Context()
	ann := person(signUp(t, s, "ann"))
	bob := person(signUp(t, s, "bob"))
	first := opened("ABCDEF", ann, bob)
	first.Opening.Clock = "3d"
	sum := matchstore.Summary{
		ID: id, Opening: *first.Opening, Opener: storage.FirstSeat, Opened: start, Started: start, Turn: storage.FirstSeat,
		Clock: matchstore.ClockState{Left: [2]time.Duration{time.Hour, time.Hour}, Since: start},
	}
	append := func(e matchstore.Event, turn storage.Seat, planned bool) {
		t.Helper()
		sum.Turn, sum.Planned = turn, !planned // which follows from the plans
		if err := s.Append(ctx, id, []matchstore.Event{e}, sum); err != nil {
			t.Fatal(err)
		}
		all, err := s.Summaries(ctx)
		if err != nil || len(all) != 1 || all[0].Planned != planned {
			t.Errorf("event %d: the summary says planned %v, %v, want %v", e.Seq, len(all) == 1 && all[0].Planned, err, planned)
		}
	}
	mine, theirs := matchstore.PlanKey{Match: id, Seat: storage.SecondSeat}, matchstore.PlanKey{Match: id, Seat: storage.FirstSeat}
	plan := matchstore.Plan{At: minute(1), Moves: []matchstore.PlannedMove{{Move: "c2-c5"}, {After: 1, Move: "f7-f5"}, {Move: "c2-c4"}, {After: 3, Move: "f7-f6"}}}
	has := func(what string, k matchstore.PlanKey, want matchstore.Plan) {
		t.Helper()
		got, err := s.Plan(ctx, k)
		wants(t, what, err, nil)
		same(t, what, got, want)
	}
	set := func(what string, k matchstore.PlanKey, seq uint64, p matchstore.Plan, want error) {
		t.Helper()
		wants(t, what, s.SetPlan(ctx, k, seq, p), want)
	}
	none := func(what string, k matchstore.PlanKey) {
		t.Helper()
		_, err := s.Plan(ctx, k)
		wants(t, what, err, storage.ErrNotFound)
	}
	set("for no match", mine, 1, plan, storage.ErrStale)
	append(first, storage.FirstSeat, false)
	none("nothing", mine)
	set("a plan", mine, 1, plan, nil)
	set("after an event that is not there yet", mine, 2, plan, storage.ErrStale)
	has("a plan", mine, plan)
	none("of the other seat", theirs)
	append(moved(2, "c2-c5"), storage.SecondSeat, true)
	set("after an older event", mine, 1, plan, storage.ErrStale)
	reply := moved(3, "f7-f5")
	reply.Seat, reply.Planned = storage.SecondSeat, true
	append(reply, storage.FirstSeat, false)
	log, err := s.Log(ctx, id, 3, 0)
	wants(t, "the log", err, nil)
	same(t, "the log", log, []matchstore.Event{reply})
	later := plan
	later.Ply, later.Takebacks, later.Moves = 2, 1, plan.Moves[:2]
	set("another one", mine, 3, later, nil)
	has("another one", mine, later)

	for what, spoil := range map[string]func(p *matchstore.Plan){
		"no moves":          func(p *matchstore.Plan) { p.Moves = nil },
		"too many moves":    func(p *matchstore.Plan) { p.Moves = slices.Repeat(p.Moves[:1], matchstore.MaxPlanned+1) },
		"a long move":       func(p *matchstore.Plan) { p.Moves[0].Move = games.Move(strings.Repeat("a", 65)) },
		"a move after none": func(p *matchstore.Plan) { p.Moves[0].After = 1 },
		"not text":          func(p *matchstore.Plan) { p.Moves[0].Move = "\xff" },
		"an empty move":     func(p *matchstore.Plan) { p.Moves[1].Move = "" },
		"before the start":  func(p *matchstore.Plan) { p.Ply = -1 },
	} {
		bad := later
		bad.Moves = slices.Clone(later.Moves)
		spoil(&bad)
		if _, memory := s.(*Memory); !memory { // which believes that plans make sense
			set(what, mine, 3, bad, storage.ErrInvalid)
		}
	}
	whole := later
	whole.Moves = slices.Repeat([]matchstore.PlannedMove{{Move: games.Move(strings.Repeat("a", 64))}}, matchstore.MaxPlanned)
	set("the longest", theirs, 3, whole, nil)
	has("the longest", theirs, whole)
	wants(t, "dropped", s.DropPlan(ctx, mine), nil)
	wants(t, "dropped twice", s.DropPlan(ctx, mine), nil)
	none("dropped", mine)
	f := record("ABCDEF", "tanks", ann, bob, "second", 5)
	f.Clock, f.Left = "3d", make([]time.Duration, len(f.Moves))
	_, err = s.Finish(ctx, id, []matchstore.Event{ended(4, "second")}, f, nil)
	wants(t, "the end", err, nil)
	none("after the end", theirs)
	set("after the end", theirs, 4, whole, storage.ErrStale)
}
