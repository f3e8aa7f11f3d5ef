package match

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// slowly returns the view of a match with three days a move after some moves, and its state.
func slowly(t *testing.T, text string, then ...matches.Event) (*View, State) {
	t.Helper()
	events := append([]matches.Event{opening(func(o *matches.Opening) { o.Clock = "3d" }), joins(storage.SecondSeat, rui)}, moves(text)...)
	s, err := Fold("m", findFourmation, logOf(append(events, then...)...))
	if err != nil {
		t.Fatal(err)
	}
	kept := s
	return kept.View(), s
}

func TestNewPlan(t *testing.T) {
	afterOne, _ := slowly(t, "a1")
	untimed, err := Fold("m", findFourmation, played("a1"))
	if err != nil {
		t.Fatal(err)
	}
	var many [][]games.Move // all moves of the other side, four times in a row
	var extend func(p games.Position, line []games.Move)
	extend = func(p games.Position, line []games.Move) {
		if len(line) == 8 || p.Result().Over {
			many = append(many, slices.Clone(line))
			return
		}
		legal := p.Legal()
		if p.Turn() == games.First {
			legal = legal[:1]
		}
		for _, m := range legal {
			next, _ := p.Play(m)
			extend(next, append(line, m))
		}
	}
	extend(afterOne.Position, nil)
	for _, tt := range []struct {
		name  string
		view  *View
		who   storage.Occupant
		lines [][]games.Move
		moves int
		want  error
	}{
		{"one answer", afterOne, ana, [][]games.Move{line("b2 b1")}, 2, nil},
		{"typed otherwise", afterOne, ana, [][]games.Move{line("B2 B1")}, 2, nil},
		{"the same twice", afterOne, ana, [][]games.Move{line("b2 b1"), line("b2 b1")}, 2, nil},
		{"lines with a common beginning", afterOne, ana, [][]games.Move{line("b2 b1 c2 c1"), line("b2 b1 c1 d1")}, 6, nil},
		{"an end of the other side's", afterOne, ana, [][]games.Move{line("b2 b1 c2")}, 2, nil},
		{"two answers", afterOne, ana, [][]games.Move{line("b2 b1"), line("b2 c1")}, 0, ErrTwoAnswers},
		{"the other side's moves alone", afterOne, ana, [][]games.Move{line("b2")}, 0, ErrPlanLine},
		{"nothing", afterOne, ana, nil, 0, ErrPlanLine},
		{"an empty line", afterOne, ana, [][]games.Move{{}}, 0, ErrPlanLine},
		{"an illegal answer", afterOne, ana, [][]games.Move{line("b2 a1")}, 0, games.ErrIllegal},
		{"no move", afterOne, ana, [][]games.Move{line("b2 \x1b[2J")}, 0, games.ErrIllegal},
		{"on one's own turn", afterOne, rui, [][]games.Move{line("b2 b1")}, 0, ErrPlanTurn},
		{"a spectator", afterOne, storage.Occupant{Kind: storage.Person, ID: "p3", Name: "eva"}, [][]games.Move{line("b2 b1")}, 0, ErrNotSeated},
		{"no clock", untimed.View(), ana, [][]games.Move{line("b2 b1")}, 0, ErrNoPlans},
		{"too many moves", afterOne, ana, many, 0, ErrLongPlan},
		{"a line that is too long", afterOne, ana, [][]games.Move{slices.Repeat(line("b2"), 500)}, 0, ErrLongPlan},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := tt.view.NewPlan(User(tt.who), tt.lines, time.Now())
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || err == nil && len(p.Moves) != tt.moves {
				t.Errorf("%d moves, error %v, want %d and %v", len(p.Moves), err, tt.moves, tt.want)
			}
		})
	}
}

// TestAddLine: a new line replaces an answer of the plan before, and what came after that; the rest stays.
func TestAddLine(t *testing.T) {
	v, _ := slowly(t, "a1")
	u := User(ana)
	before, err := v.NewPlan(u, [][]games.Move{line("b2 b1 c2 c1"), line("a2 b1")}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	after, err := v.AddLine(u, before, line("b2 c1"), time.Now())
	if want := "[[b2 c1] [a2 b1]]"; err != nil || fmt.Sprint(v.PlannedLines(after)) != want {
		t.Errorf("the plan has %v, %v, want %s", v.PlannedLines(after), err, want)
	}
	longer, err := v.AddLine(u, before, line("b2 b1 a2 a3"), time.Now())
	if want := "[[b2 b1 a2 a3] [b2 b1 c2 c1] [a2 b1]]"; err != nil || fmt.Sprint(v.PlannedLines(longer)) != want {
		t.Errorf("the plan has %v, %v, want %s", v.PlannedLines(longer), err, want)
	}
}

// TestPlannedMove: a planned move costs no time, however late it is played, and only a clock that counts days allows it.
func TestPlannedMove(t *testing.T) {
	_, s := slowly(t, "a1 b2 b1")
	planned := []matches.Event{{Kind: matches.Moved, Seat: storage.SecondSeat, Move: "c2", Planned: true}}
	next, added, err := s.Extend(planned, s.LastAt.Add(30*24*time.Hour), MaxPlies, findFourmation)
	if err != nil || len(added) != 1 || !added[0].Planned || next.Left[3] != 72*time.Hour || !next.Clock.Since.Equal(next.LastAt) || next.Clock.Left[1] != 72*time.Hour {
		t.Errorf("%v: events %+v, left %v, clock %+v", err, added, next.Left, next.Clock)
	}
	if _, _, err := s.Extend([]matches.Event{{Kind: matches.Moved, Seat: storage.SecondSeat, Move: "c2"}}, s.LastAt.Add(30*24*time.Hour), MaxPlies, findFourmation); !errors.Is(err, ErrTimeUp) {
		t.Errorf("another move as late: %v, want ErrTimeUp", err)
	}
	untimed, err := Fold("m", findFourmation, played("a1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := untimed.Extend([]matches.Event{{Kind: matches.Moved, Seat: storage.SecondSeat, Move: "b2", Planned: true}}, untimed.LastAt, MaxPlies, findFourmation); !errors.Is(err, ErrLog) {
		t.Errorf("without a clock: %v, want ErrLog", err)
	}
}

// TestPlanWaitsForAnswer: while the other side's offer is open, the plan waits.
func TestPlanWaitsForAnswer(t *testing.T) {
	v, _ := slowly(t, "a1 b2 b1")
	p, err := v.NewPlan(User(ana), [][]games.Move{line("c2 c1")}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		then []matches.Event
		move games.Move
		want PlanState
	}{
		{"before the move", nil, "", PlanWaits},
		{"after it", moves("c2"), "c1", PlanPlays},
		{"another move", moves("c1"), "", PlanGone},
		{"the other side offers a draw", append(moves("c2"), offers(storage.SecondSeat, "draw")), "", PlanWaits},
		{"it was declined", append(moves("c2"), offers(storage.SecondSeat, "draw"), answers(storage.FirstSeat, "draw", false)), "c1", PlanPlays},
		{"the player's own offer", append(moves("c2"), offers(storage.FirstSeat, "draw")), "c1", PlanPlays},
		{"a move was taken back, and made again", append(append(moves("c2"), offers(storage.SecondSeat, "takeback"), answers(storage.FirstSeat, "takeback", true), back(storage.SecondSeat, 1)), moves("c2")...), "", PlanGone},
		{"resigned", append(moves("c2"), matches.Event{Kind: matches.Resigned, Seat: storage.SecondSeat}, ends(0, "first", "resigned")), "", PlanGone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			then := slices.Clone(tt.then)
			for i := range then {
				if then[i].Kind == matches.Moved {
					then[i].Seat = storage.SecondSeat
				}
			}
			_, s := slowly(t, "a1 b2 b1", then...)
			if m, got := s.Planned(storage.FirstSeat, p); got != tt.want || m != tt.move {
				t.Errorf("%q, state %d, want %q and %d", m, got, tt.move, tt.want)
			}
		})
	}
}

// TestPlanByLines compares plans with lists of lines, along random continuations of random games.
func TestPlanByLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		played := []matches.Event{opening(func(o *matches.Opening) { o.Clock = "3d" }), joins(storage.SecondSeat, rui)}
		s, err := Fold("m", findFourmation, logOf(played...))
		if err != nil {
			t.Fatal(err)
		}
		play := func(s State, m games.Move) State {
			next, _, err := s.Extend([]matches.Event{{Kind: matches.Moved, Seat: storage.SeatOf(s.Turn()), Move: m}}, s.LastAt.Add(time.Second), MaxPlies, findFourmation)
			if err != nil {
				t.Fatal(err)
			}
			next.Moves = slices.Clone(next.Moves) // several continuations share the line
			return next
		}
		few := func(p games.Position) games.Move { // few, so that lines have common beginnings
			legal := p.Legal()
			return rapid.SampledFrom(legal[:min(len(legal), 2)]).Draw(t, "move")
		}
		for range rapid.IntRange(0, 4).Draw(t, "moves before") {
			s = play(s, few(s.Position))
		}
		side := s.Turn().Other()
		who := []storage.Occupant{ana, rui}[side]
		view := s.View()
		var lines [][]games.Move
		answers := map[string]games.Move{} // by the moves before
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			var line []games.Move
			p := s.Position
			for range 2 * rapid.IntRange(1, 3).Draw(t, "pairs") {
				if p.Result().Over {
					break
				}
				m := few(p)
				if p.Turn() == side {
					before := fmt.Sprint(line)
					if other, ok := answers[before]; ok {
						m = other
					}
					answers[before] = m
				}
				line = append(line, m)
				p, _ = p.Play(m)
			}
			if len(line)%2 == 1 {
				line = line[:len(line)-1]
			}
			if len(line) > 0 {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			t.Skip("the game is over too soon")
		}
		plan, err := view.NewPlan(User(who), lines, time.Now())
		if err != nil {
			t.Fatalf("lines %v: %v", lines, err)
		}
		var since []games.Move
		for !s.Over() && len(since) < 8 {
			wantMove, want := games.Move(""), PlanGone
			var rest []string
			for _, l := range lines {
				if len(l) <= len(since) || !slices.Equal(l[:len(since)], since) {
					continue
				}
				if want = PlanWaits; s.Turn() == side {
					wantMove, want = l[len(since)], PlanPlays
				}
				if line := fmt.Sprint(l[len(since):]); !slices.Contains(rest, line) {
					rest = append(rest, line)
				}
			}
			m, got := s.Planned(storage.SeatOf(side), plan)
			if m != wantMove || got != want {
				t.Fatalf("lines %v after %v: %q, state %d, want %q, %d", lines, since, m, got, wantMove, want)
			}
			kept := s
			for _, l := range kept.View().PlannedLines(plan) {
				if !slices.Contains(rest, fmt.Sprint(l)) {
					t.Fatalf("lines %v after %v: it still has %v", lines, since, l)
				}
			}
			next := m
			if next == "" {
				next = few(s.Position)
			}
			s, since = play(s, next), append(since, next)
		}
	})
}
