package match

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// asking is a match in which random users do random acts, each of which View.May has answered before.
type asking struct {
	interleaving
	met map[string]int // the answers that were seen
}

// askedTakebacks are limits of takebacks that matches reach, the first with any offer.
var askedTakebacks = []int{0, 1}

// askers are the users of an asking: the players, a guest who may have a reserved seat, the person who opened an exhibition, and a spectator.
var askers = []User{User(ana), User(rui), {Kind: storage.Guest, ID: "g1", Name: "eva"}, {Kind: storage.Person, ID: "p3", Name: "cid"}, {Kind: storage.Guest, ID: "g2", Name: "uma"}}

// actsByKind are the acts of a user, by kind. The move and the answers are acts of the right form; whether they may be done is asked.
func actsByKind(s *State, u User, limit int) map[ActKind]Act {
	legal := games.Move("a1")
	if moves := s.Position.Legal(); len(moves) > 0 {
		legal = moves[0]
	}
	return map[ActKind]Act{
		JoinAct: Join(u), MoveAct: Move(u, legal, AnyPly, 0), ResignAct: Resign(u), AbortAct: Abort(u),
		TakebackAct: Takeback(u, limit), OfferDrawAct: OfferDraw(u),
		AcceptDrawAct: Answer(u, matches.OfferDraw, 0, true, limit), DeclineDrawAct: Answer(u, matches.OfferDraw, 0, false, limit),
		AcceptTakebackAct: Answer(u, matches.OfferTakeback, 0, true, limit), DeclineTakebackAct: Answer(u, matches.OfferTakeback, 0, false, limit),
		AdjournAct: Adjourn(u), ContinueAct: Continue(u),
		AcceptAdjournAct: Answer(u, matches.OfferAdjourn, 0, true, limit), DeclineAdjournAct: Answer(u, matches.OfferAdjourn, 0, false, limit),
		HintAct: func(s *State) ([]matches.Event, error) {
			seat, err := s.HintSeat(u)
			return []matches.Event{{Kind: matches.Helped, Seat: seat}}, err
		},
	}
}

// foldAllows are the kinds of acts whose events the fold itself refuses exactly when the act may not be done. Of other kinds the fold accepts
// more: a log with more offers than the acts allow is valid.
var foldAllows = []ActKind{MoveAct, ResignAct, AcceptDrawAct, DeclineDrawAct}

// bare returns the event of an act in foldAllows of a user, whether it may be done or not.
func bare(s *State, u User, act ActKind) matches.Event {
	seat, _ := s.seatOf(u)
	switch act {
	case MoveAct:
		return matches.Event{Kind: matches.Moved, Seat: seat, Move: s.Position.Legal()[0]}
	case ResignAct:
		return matches.Event{Kind: matches.Resigned, Seat: seat}
	}
	return matches.Event{Kind: matches.Answered, Seat: seat, Offer: matches.OfferDraw, Yes: act == AcceptDrawAct}
}

// ask checks what View.May answers to each user for each kind of act against the acts and against the fold.
func (a *asking) ask(t *rapid.T) {
	s := &a.state
	v := s.View()
	v.Presence = a.presence()
	for _, u := range askers {
		for kind, act := range actsByKind(s, u, MaxTakebacks) {
			may := v.May(u, kind)
			a.compare(t, fmt.Sprintf("%s, act %d", u.Name, kind), may, kind, act)
			for _, limit := range askedTakebacks {
				if kind != TakebackAct && kind != AcceptTakebackAct {
					break
				}
				limited := s.may(u, kind, limit)
				a.compare(t, fmt.Sprintf("%s, act %d, few takebacks", u.Name, kind), limited, kind, actsByKind(s, u, limit)[kind])
				if limited == nil && s.takebacks >= limit {
					t.Fatalf("%s, act %d may be done after %d takebacks, with a limit of %d", u.Name, kind, s.takebacks, limit)
				}
			}
			if slices.Contains(foldAllows, kind) && !s.rules().Over {
				_, _, err := s.Extend([]matches.Event{bare(s, u, kind)}, a.now, 12, findFourmation)
				if (err == nil) != (may == nil) && !errors.Is(err, ErrTimeUp) {
					t.Fatalf("%s, act %d: May says %v, the fold %v", u.Name, kind, may, err)
				}
			}
		}
		if yours := v.May(u, MoveAct) == nil; yours != v.YourTurn(u) {
			t.Fatalf("%s may move: %v, and it is their turn: %v", u.Name, yours, v.YourTurn(u))
		}
		_, err := Claim(u, false, func() ([2]atboard.Presence, time.Duration, time.Time) { return v.Presence, a.down, a.now })(s)
		if may := v.MayClaim(u, a.down, a.now); !reflect.DeepEqual(may, err) {
			t.Fatalf("%s may claim: %v, the claim says %v", u.Name, may, err)
		}
		for kind, acts := range map[string]ActKind{matches.OfferDraw: AcceptDrawAct, matches.OfferTakeback: AcceptTakebackAct, matches.OfferAdjourn: AcceptAdjournAct} {
			if may, want := v.MayAnswer(u, OfferRef{Kind: kind}), v.May(u, acts); (may == nil) != (want == nil) {
				t.Fatalf("%s may answer a %s: %v, want %v", u.Name, kind, may, want)
			}
		}
	}
	for _, side := range []games.Side{games.First, games.Second} { // replayed, not counted
		if _, err := s.pliesBack(storage.SeatOf(side)); (err == nil) != (s.standing[side] > 0) {
			t.Fatalf("%v has %d moves in the line; taking one back: %v", side, s.standing[side], err)
		}
	}
}

// compare checks an answer of May against the act.
func (a *asking) compare(t *rapid.T, what string, may error, kind ActKind, act Act) {
	events, err := act(&a.state)
	switch {
	case err != nil && !reflect.DeepEqual(may, err):
		t.Fatalf("%s: May says %v, the act says %v", what, may, err)
	case err == nil && len(events) == 0 && !errors.Is(may, ErrDone), err == nil && len(events) > 0 && may != nil:
		t.Fatalf("%s: May says %v, the act writes %v", what, may, events)
	case err == nil && len(events) > 0 && !(kind == HintAct && a.state.Hinted):
		if _, _, err := a.state.Extend(events, a.now, 12, findFourmation); err != nil && !errors.Is(err, ErrTimeUp) {
			t.Fatalf("%s: May allows %v, and the fold says %v", what, events, err)
		}
	}
	a.met[fmt.Sprint(kind, " ", may)]++
}

// TestMay: View.May answers what the acts answer, and allows what the fold of the log accepts, for all users and acts, in random matches.
func TestMay(t *testing.T) {
	met := map[string]int{}
	for n := 0; n < 4 || n < 40 && !testing.Short() && len(notMet(met)) > 0; n++ { // sequences are short, and some answers are rare
		rapid.Check(t, func(t *rapid.T) { askAlong(t, met) })
	}
	t.Log("met:", met)
	if testing.Short() {
		return // fewer matches: not every answer is met
	}
	for _, answer := range notMet(met) {
		t.Errorf("no match had the answer %s", answer)
	}
}

// notMet returns the answers that random matches must have and that are not in met.
func notMet(met map[string]int) (answers []string) {
	for _, want := range []string{
		fmt.Sprint(JoinAct, " ", error(nil)), fmt.Sprint(JoinAct, " ", ErrReserved), fmt.Sprint(JoinAct, " ", ErrRatedGuest), fmt.Sprint(JoinAct, " ", ErrSeated),
		fmt.Sprint(AbortAct, " ", error(nil)), fmt.Sprint(AbortAct, " ", ErrTooLate),
		fmt.Sprint(TakebackAct, " ", error(nil)), fmt.Sprint(TakebackAct, " ", ErrNothingBack), fmt.Sprint(TakebackAct, " ", ErrTakebacks),
		fmt.Sprint(TakebackAct, " ", ErrUnanswered), fmt.Sprint(TakebackAct, " ", ErrOfferOpen), fmt.Sprint(TakebackAct, " ", ErrRatedTakeback),
		fmt.Sprint(OfferDrawAct, " ", error(nil)), fmt.Sprint(OfferDrawAct, " ", ErrTooEarly),
		fmt.Sprint(AcceptDrawAct, " ", error(nil)), fmt.Sprint(AcceptTakebackAct, " ", error(nil)), fmt.Sprint(AcceptTakebackAct, " ", ErrTakebacks),
		fmt.Sprint(AdjournAct, " ", error(nil)), fmt.Sprint(AdjournAct, " ", ErrNoAdjourn), fmt.Sprint(AdjournAct, " ", ErrAdjournEarly), fmt.Sprint(AcceptAdjournAct, " ", error(nil)),
		fmt.Sprint(ContinueAct, " ", error(nil)), fmt.Sprint(ContinueAct, " ", ErrNotAdjourned),
		fmt.Sprint(HintAct, " ", error(nil)), fmt.Sprint(HintAct, " ", ErrNoHelp), fmt.Sprint(HintAct, " ", ErrNotYourTurn),
		fmt.Sprint(MoveAct, " ", ErrNotYourTurn), fmt.Sprint(ResignAct, " ", ErrOver), fmt.Sprint(ResignAct, " ", ErrNotStarted), fmt.Sprint(ResignAct, " ", ErrNotSeated),
	} {
		if met[want] == 0 {
			answers = append(answers, want)
		}
	}
	return answers
}

// askAlong plays one match, and asks after each act.
func askAlong(t *rapid.T, met map[string]int) {
	a := &asking{met: met}
	w := &a.interleaving
	w.t, w.state, w.now, w.near = t, New("abcdefgh"), time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC), make(map[Key]atboard.Presence)
	w.up = w.now
	o := *opening().Opening
	full, err := games.Complete(w.game(), games.Options{"cols": 4, "rows": 4, "win_length": 4})
	if err != nil {
		t.Fatal(err)
	}
	o.Options, o.Clock = full, rapid.SampledFrom([]string{"", "10+8", "3+2", "3d"}).Draw(t, "clock")
	seat := storage.FirstSeat
	switch kind := rapid.SampledFrom([]string{
		"open", "open and rated", "kept", "kept for a guest", "started", "rated", "one keyboard", "given", "computer", "computer first", "exhibition",
	}).Draw(t, "opening"); kind {
	case "open and rated":
		o.Rated = true
	case "kept":
		o.Reserved = rui
	case "kept for a guest":
		o.Reserved = askers[2].Occupant()
	case "started", "rated":
		o.Second, o.Rated = rui, kind == "rated"
	case "one keyboard":
		o.Second = ana
	case "given":
		o.Moves, o.Second = slices.Clone(line("a1 b2 c3")), rui
	case "computer":
		o.Second, o.Clock = bot, ""
	case "computer first":
		o.First, o.Second, o.Clock, seat = bot, ana, "", storage.SecondSeat
	case "exhibition":
		o.First, o.Second, o.By, o.Clock, seat = bot, bot, askers[3].Occupant(), "", storage.Nobody
	}
	w.do(Open(o, seat))
	acts := w.acts()
	maps := map[string]func(*rapid.T){"": a.ask, "asked for": a.doAsked, "asked for too": a.doAsked}
	for _, name := range []string{"join", "move", "move too", "move again", "draw", "takeback", "answer", "agree", "come", "away", "go", "time passes", "restart"} {
		maps[name] = acts[name]
	}
	t.Repeat(maps)
}

// doAsked does one of the acts that may be done, seldom one that ends the match.
func (a *asking) doAsked(t *rapid.T) {
	u := rapid.SampledFrom(askers).Draw(t, "user")
	kind := ActKind(rapid.IntRange(int(JoinAct), int(HintAct)).Draw(t, "act"))
	if (kind == ResignAct || kind == AbortAct || kind == AcceptDrawAct) && rapid.IntRange(0, 9).Draw(t, "seldom") != 5 {
		t.Skip("not now")
	}
	if kind == HintAct && a.state.Hinted {
		t.Skip("the hint is there already")
	}
	if err := a.do(actsByKind(&a.state, u, interleavedTakebacks)[kind]); err == nil && kind == MoveAct {
		a.near[u.Key()] = atboard.Presence{Near: atboard.Here}
	}
}
