package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// model is what a match should be, said in the plainest way.
type model struct {
	ref       lobby.Ref
	seats     [2]int // index of a person, -1 is free
	keptFor   int    // -1: nobody
	rated     bool
	public    bool
	bot       bool // the other seat is a computer player's, who plays the first legal move
	given     int  // moves that were made before the players took over
	moves     []games.Move
	pos       games.Position
	help      results.Help
	hinted    bool // in this position
	takebacks int  // those that are no help included
	made      [2]int
	offers    map[string]int // the person who makes the open offer of a kind
	offered   map[string]*modelOffers
	over      bool
	result    string
	reason    string
}

// modelOffers are the offers of one kind by one side.
type modelOffers struct{ times, next int }

func (m *model) started() bool { return m.seats[0] >= 0 && m.seats[1] >= 0 }

// theBot stands for the computer player among the persons in seats.
const theBot = 99

// play makes a legal move, and the computer player's replies.
func (m *model) play(move games.Move) {
	for {
		m.made[m.pos.Turn()]++
		m.pos, _ = m.pos.Play(move)
		m.moves, m.hinted, m.offers = append(m.moves, move), false, map[string]int{}
		if r := m.pos.Result(); r.Over {
			m.end(r.String(), r.Reason)
			return
		}
		if m.seats[m.pos.Turn()] != theBot {
			return
		}
		move = m.pos.Legal()[0]
	}
}

// begin sets up the start, after some given moves, and lets a computer player begin if it is its turn.
func (m *model) begin(o games.Options, given []games.Move) {
	full, _ := games.Complete(fourmation.New(), o)
	m.pos, _ = games.Replay(fourmation.New(), full, given)
	m.moves, m.given = given, len(given)
	m.offers, m.offered = map[string]int{}, map[string]*modelOffers{}
	if m.seats[m.pos.Turn()] == theBot {
		m.play(m.pos.Legal()[0])
	}
}

func (m *model) holds(p int) bool { return m.seats[0] == p || m.seats[1] == p }

func (m *model) end(result, reason string) {
	m.over, m.result, m.reason, m.offers = true, result, reason, nil
}

// modelTakebacks is how many takebacks a match may have.
const modelTakebacks = 3

// simulation is a club with some people and the model of all its matches.
type simulation struct {
	t       *rapid.T
	store   *faulty
	lobby   *lobby.Lobby
	people  []lobby.User
	matches []*model
}

func (w *simulation) open() {
	l, err := lobby.New(context.Background(), w.store, lobby.Config{
		Games: []games.Game{fourmation.New()}, Levels: []lobby.Level{firstLegal}, Bounds: lobby.Bounds{Takebacks: modelTakebacks}, Limits: lobby.Limits{Aborts: 1000},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.lobby = l
	w.people = w.people[:0]
	for i := range 3 {
		who, _, err := l.Accounts.SignIn(context.Background(), fmt.Sprint(i))
		if errors.Is(err, lobby.ErrNoAccount) {
			who, err = l.Accounts.SignUp(context.Background(), fmt.Sprint(i), fmt.Sprintf("person%d", i))
		}
		if err != nil {
			w.t.Fatal(err)
		}
		w.people = append(w.people, who)
	}
}

func (w *simulation) person() int { return rapid.IntRange(0, len(w.people)-1).Draw(w.t, "person") }

func (w *simulation) match() *model {
	if len(w.matches) == 0 {
		w.t.Skip("no match yet")
	}
	return w.matches[rapid.IntRange(0, len(w.matches)-1).Draw(w.t, "match")]
}

func (w *simulation) seat(p int, m *model) *seats.Seat {
	s, err := w.lobby.Seats.At(context.Background(), w.people[p], m.ref)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *simulation) expect(what string, got, want error) {
	if !errors.Is(got, want) || (got == nil) != (want == nil) {
		w.t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

func (w *simulation) Open(t *rapid.T) {
	p, side := w.person(), rapid.IntRange(0, 1).Draw(t, "side")
	m := &model{seats: [2]int{-1, -1}, keptFor: -1, rated: rapid.Bool().Draw(t, "rated"), public: rapid.Bool().Draw(t, "public")}
	m.seats[side] = p
	spec := seats.Spec{Game: "fourmation", Side: seats.Choice(side + 1), Rated: m.rated, Public: m.public}
	if !m.rated && rapid.IntRange(0, 4).Draw(t, "hotseat") == 0 {
		spec.Hotseat, m.seats = true, [2]int{p, p}
	}
	if !m.rated && !spec.Hotseat && rapid.Bool().Draw(t, "against the computer") {
		spec.Bot, m.bot, m.seats[1-side] = firstLegal.ID, true, theBot
	}
	spec.Options = games.Options{"cols": 4, "rows": 4, "win_length": 4}
	if !m.rated {
		spec.Moves = rapid.SampledFrom([][]games.Move{nil, nil, line("a1"), line("a1 b2"), line("a1 b2 c3 d4 c4")}).Draw(t, "given")
	}
	var err error
	m.ref, err = w.lobby.Seats.Open(context.Background(), w.people[p], spec)
	w.expect("open", err, nil)
	m.begin(spec.Options, spec.Moves)
	w.matches = append(w.matches, m)
}

func (w *simulation) Join(t *rapid.T) {
	p, m := w.person(), w.match()
	var want error
	switch {
	case m.over:
		want = lobby.ErrOver
	case m.holds(p) && !m.started():
		want = lobby.ErrOwnOffer
	case m.holds(p):
	case m.started():
		want = lobby.ErrSeatTaken
	case m.keptFor >= 0 && m.keptFor != p:
		want = lobby.ErrReserved
	default:
		for i := range m.seats {
			if m.seats[i] < 0 {
				m.seats[i] = p
			}
		}
	}
	_, err := w.lobby.Seats.Join(context.Background(), w.people[p], origin.Origin{}, m.ref.Code)
	w.expect("join", err, want)
}

func (w *simulation) Move(t *rapid.T) {
	p, m := w.person(), w.match()
	w.settled(t, m)
	if rapid.Bool().Draw(t, "of those who play") && m.started() && !m.over {
		p = m.seats[m.pos.Turn()]
	}
	legal := m.pos.Legal()
	move := games.Move("a1")
	if len(legal) > 0 && rapid.IntRange(0, 9).Draw(t, "sense") > 0 {
		move = rapid.SampledFrom(legal).Draw(t, "move")
	}
	ply := rapid.SampledFrom([]int{lobby.AnyPly, len(m.moves), len(m.moves) - 1, len(m.moves) + 1}).Draw(t, "ply")
	_, illegal := m.pos.Play(move)
	var want error
	switch {
	case m.over:
		want = lobby.ErrOver
	case !m.holds(p):
		want = lobby.ErrNotSeated
	case !m.started():
		want = lobby.ErrNotStarted
	case ply != lobby.AnyPly && ply != len(m.moves):
		want = lobby.ErrLate
	case m.seats[m.pos.Turn()] != p:
		want = lobby.ErrNotYourTurn
	case illegal != nil:
		want = games.ErrIllegal
	default:
		m.play(move)
	}
	w.expect("move", w.seat(p, m).Move(context.Background(), move, ply), want)
}

func (w *simulation) Resign(t *rapid.T) {
	p, m := w.person(), w.match()
	w.settled(t, m)
	var want error
	switch {
	case m.over:
		want = lobby.ErrOver
	case !m.holds(p):
		want = lobby.ErrNotSeated
	case !m.started():
		want = lobby.ErrNotStarted
	default:
		loser := m.pos.Turn()
		if m.seats[loser] != p {
			loser = loser.Other()
		}
		m.end(loser.Other().String(), "resigned")
	}
	w.expect("resign", w.seat(p, m).Resign(context.Background()), want)
}

func (w *simulation) Abort(t *rapid.T) {
	p, m := w.person(), w.match()
	w.settled(t, m)
	var want error
	switch {
	case m.over:
		want = lobby.ErrOver
	case !m.holds(p) && (m.started() || m.keptFor != p):
		want = lobby.ErrNotSeated
	case len(m.moves)-m.given >= 2:
		want = lobby.ErrTooLate
	default:
		m.end("", "aborted")
	}
	w.expect("abort", w.seat(p, m).Abort(context.Background()), want)
}

// Restart closes the club and opens it again on the same store.
func (w *simulation) Restart(*rapid.T) {
	if err := w.lobby.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
}

// FailedCommit makes one move whose commit fails, before or after it was written.
func (w *simulation) FailedCommit(t *rapid.T) {
	m := w.match()
	if m.over || !m.started() || m.bot { // whose reply would fail as well
		t.Skip("nothing to move")
	}
	move := m.pos.Legal()[0]
	fail := func([]matches.Event) error { return storage.ErrCommit }
	written := rapid.Bool().Draw(t, "written")
	want := lobby.ErrBusy
	if written {
		w.store.set(nil, fail, nil)
		want = nil
	} else {
		w.store.set(fail, nil, nil)
	}
	err := w.seat(m.seats[m.pos.Turn()], m).Move(context.Background(), move, lobby.AnyPly)
	if written {
		m.play(move)
	}
	w.store.set(nil, nil, nil)
	w.expect("a move whose commit fails", err, want)
}

// Check compares every match with its model, as a random person sees it.
func (w *simulation) Check(t *rapid.T) {
	unfinished := map[int]int{}
	for i, m := range w.matches {
		w.settled(t, m)
		v, err := w.seat(i%len(w.people), m).Now(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if v.Start != m.given || v.Helped != m.help {
			t.Fatalf("match %d: %d given moves, help %+v, want %d, %+v", i, v.Start, v.Helped, m.given, m.help)
		}
		if v.Over != m.over || v.Result != m.result || v.Reason != m.reason || !slices.Equal(v.Moves, m.moves) || v.Position.String() != m.pos.String() {
			t.Fatalf("match %d: %s\nwant %v %q %q %v", i, text(v), m.over, m.result, m.reason, m.moves)
		}
		for side, p := range m.seats {
			want := storage.Occupant{}
			if p == theBot {
				want = storage.Occupant{Kind: storage.Bot, ID: firstLegal.ID, Name: firstLegal.Name}
			} else if p >= 0 {
				want = w.people[p].Occupant()
			}
			if v.Seats[side] != want {
				t.Fatalf("match %d: seats %+v, want %v", i, v.Seats, m.seats)
			}
		}
		for kind, by := range map[string]storage.Seat{matches.OfferDraw: v.Offers.Draw, matches.OfferTakeback: v.Offers.Takeback} {
			p, open := m.offers[kind]
			if open != (by != storage.Nobody) || open && m.seats[by.Side()] != p {
				t.Fatalf("match %d: offers %+v, want %v", i, v.Offers, m.offers)
			}
		}
		rated := m.rated && (!m.over || len(m.moves) >= 4) // two moves of each side
		if v.Rated != rated || (v.Ratings != nil) != (rated && m.over && m.result != "") {
			t.Fatalf("match %d: rated %v, ratings %v", i, v.Rated, v.Ratings)
		}
		for p := range w.people {
			if !m.over && m.holds(p) {
				unfinished[p]++
			}
		}
	}
	for p, who := range w.people {
		if got := len(w.lobby.Lists.Yours(who).Matches); got != unfinished[p] {
			t.Fatalf("person %d has %d matches, want %d", p, got, unfinished[p])
		}
	}
}

// Random commands of three people, failing commits and restarts leave every match as the model says. There are many of
// them and the sequences are short, so it takes a few rounds to meet each pair.
func TestModel(t *testing.T) {
	for round := range 10 {
		t.Run(fmt.Sprint("round ", round), func(t *testing.T) { rapid.Check(t, randomSimulation) })
	}
}

func randomSimulation(t *rapid.T) {
	w := &simulation{t: t, store: newFaulty()}
	w.open()
	defer func() { w.lobby.Close() }()
	t.Repeat(map[string]func(*rapid.T){
		"open": w.Open, "join": w.Join, "join too": w.Join, "move": w.Move, "move too": w.Move, "move again": w.Move,
		"resign": w.Resign, "abort": w.Abort, "takeback": w.Takeback, "takeback too": w.Takeback, "hint": w.Hint,
		"hint too": w.Hint, "draw": w.Draw, "answer": w.Answer, "answer too": w.Answer, "restart": w.Restart, "failed commit": w.FailedCommit, "": w.Check,
	})
}

// mine is the ply of the last move of a person, which could be taken back; -1 if there is none.
func (m *model) mine(p int) int {
	full := m.options()
	for ply := len(m.moves) - 1; ply >= m.given; ply-- {
		before, _ := games.Replay(fourmation.New(), full, m.moves[:ply])
		if m.seats[before.Turn()] == p {
			return ply
		}
	}
	return -1
}

func (m *model) options() games.Options { return m.pos.Options() }

func (w *simulation) Takeback(t *rapid.T) {
	p, m := w.helped(t)
	want := w.refuses(p, m)
	switch {
	case want != nil && !errors.Is(want, lobby.ErrNoHelp):
	case m.rated:
		want = lobby.ErrRatedTakeback
	case m.takebacks == modelTakebacks:
		want = lobby.ErrTakebacks
	case m.mine(p) < 0:
		want = lobby.ErrNothingBack
	case m.bot || m.seats[0] == m.seats[1]: // nobody else has to agree
		want = nil
		m.takeBack(p)
	default:
		want = m.offer(p, matches.OfferTakeback)
	}
	w.expect("takeback", w.seat(p, m).Takeback(context.Background()), want)
}

// takeBack undoes the last move of a person and what came after.
func (m *model) takeBack(p int) {
	ply := m.mine(p)
	m.pos, _ = games.Replay(fourmation.New(), m.options(), m.moves[:ply])
	m.moves, m.hinted, m.offers = slices.Clone(m.moves[:ply]), false, map[string]int{}
	m.takebacks++
	if m.bot {
		m.help.Takebacks++
	}
}

// offer has a person offer something, or says why they may not.
func (m *model) offer(p int, kind string) error {
	side := slices.Index(m.seats[:], p)
	before := m.offered[fmt.Sprint(kind, side)]
	if before == nil {
		before = new(modelOffers)
		m.offered[fmt.Sprint(kind, side)] = before
	}
	by, open := m.offers[kind]
	switch {
	case open && by == p:
		return nil
	case open:
		return lobby.ErrOfferOpen
	case before.times == 10:
		return lobby.ErrManyOffers
	case before.times > 0 && m.made[side] < before.next:
		return lobby.ErrOfferWait
	}
	before.times++
	before.next = m.made[side] + 5
	m.offers[kind] = p
	return nil
}

func (w *simulation) Draw(t *rapid.T) {
	p, m := w.person(), w.match()
	w.settled(t, m)
	want := w.refuses(p, m)
	by, open := m.offers[matches.OfferDraw]
	switch {
	case want != nil && !errors.Is(want, lobby.ErrNoHelp):
	case open && by != p:
		want = nil
		m.end("draw", "agreement")
	case len(m.moves)-m.given < 2:
		want = lobby.ErrTooEarly
	case m.seats[0] == m.seats[1]:
		want = nil
		m.end("draw", "agreement")
	default:
		want = m.offer(p, matches.OfferDraw)
		if m.bot {
			delete(m.offers, matches.OfferDraw) // it doesn't look ahead, and declines
		}
	}
	w.expect("draw", w.seat(p, m).OfferDraw(context.Background()), want)
}

func (w *simulation) Answer(t *rapid.T) {
	p, m := w.person(), w.match()
	kind, yes := rapid.SampledFrom([]string{matches.OfferDraw, matches.OfferTakeback}).Draw(t, "kind"), rapid.Bool().Draw(t, "yes")
	w.settled(t, m)
	by, open := m.offers[kind]
	if open && rapid.Bool().Draw(t, "by the other side") {
		p = m.seats[0] + m.seats[1] - by
	}
	want := w.refuses(p, m)
	switch {
	case want != nil && !errors.Is(want, lobby.ErrNoHelp):
	case !open || by == p:
		want = lobby.ErrNoOffer
	case !yes:
		want = nil
		delete(m.offers, kind)
	case kind == matches.OfferDraw:
		want = nil
		m.end("draw", "agreement")
	case m.takebacks == modelTakebacks:
		want = lobby.ErrTakebacks
	default:
		want = nil
		m.takeBack(by)
		m.offered[fmt.Sprint(kind, slices.Index(m.seats[:], by))].next = 0
	}
	w.expect("answer", w.seat(p, m).Answer(context.Background(), kind, 0, yes), want)
}

func (w *simulation) Hint(t *rapid.T) {
	p, m := w.helped(t)
	want := w.refuses(p, m)
	if want == nil && !m.hinted {
		m.hinted = true
		m.help.Hints++
	}
	h, err := w.seat(p, m).Hint(context.Background())
	w.expect("hint", err, want)
	if want == nil && h.Move != m.pos.Legal()[0] {
		t.Fatalf("the hint is %s", h.Move)
	}
}

// helped is a person who asks for help, mostly in their own match against the computer.
func (w *simulation) helped(t *rapid.T) (p int, m *model) {
	p, m = w.person(), w.match()
	if m.bot && rapid.IntRange(0, 4).Draw(t, "own") > 0 {
		p = min(m.seats[0], m.seats[1])
	}
	w.settled(t, m)
	return p, m
}

// refuses returns the error with which a match refuses help to p; nil if it gives help.
func (w *simulation) refuses(p int, m *model) error {
	switch {
	case m.over:
		return lobby.ErrOver
	case !m.holds(p):
		return lobby.ErrNotSeated
	case !m.started():
		return lobby.ErrNotStarted
	case !m.bot:
		return lobby.ErrNoHelp
	}
	return nil
}

// settled waits until the computer player has replied.
func (w *simulation) settled(t *rapid.T, m *model) *lobby.View {
	s := w.seat(0, m)
	v, err := s.Now(context.Background())
	for err == nil && m.bot && !v.Over && (v.Seats[v.Turn].Kind == storage.Bot || v.Offers.Draw != storage.Nobody) {
		v, err = s.Next(context.Background(), v.Seq)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}
