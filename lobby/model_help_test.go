package lobby

import (
	"context"
	"slices"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/storage"
)

// mine is the ply of the last move of a person, which he could take back; -1 if there is none.
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

func (w *town) Takeback(t *rapid.T) {
	p, m := w.helped(t)
	want := w.refuses(p, m)
	if want == nil && m.help.Takebacks == modelTakebacks {
		want = ErrTakebacks
	}
	if want == nil {
		if ply := m.mine(p); ply < 0 {
			want = ErrNothingBack
		} else {
			m.pos, _ = games.Replay(fourmation.New(), m.options(), m.moves[:ply])
			m.moves, m.hinted = slices.Clone(m.moves[:ply]), false
			m.help.Takebacks++
		}
	}
	w.expect("takeback", w.seat(p, m).Takeback(context.Background()), want)
}

func (w *town) Hint(t *rapid.T) {
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

// helped is somebody who asks for help, mostly in a match of his against the computer.
func (w *town) helped(t *rapid.T) (p int, m *model) {
	p, m = w.person(), w.match()
	if m.bot && rapid.IntRange(0, 4).Draw(t, "his own") > 0 {
		p = min(m.seats[0], m.seats[1])
	}
	w.settled(t, m)
	return p, m
}

// refuses is why somebody is not helped in a match.
func (w *town) refuses(p int, m *model) error {
	switch {
	case m.over:
		return ErrOver
	case !m.holds(p):
		return ErrNotSeated
	case !m.started():
		return ErrNotStarted
	case !m.bot:
		return ErrNoHelp
	}
	return nil
}

// settled waits until the computer player has replied.
func (w *town) settled(t *rapid.T, m *model) *View {
	s := w.seat(0, m)
	v, err := s.Now(context.Background())
	for err == nil && m.bot && !v.Over && v.Seats[v.Turn].Kind == storage.Bot {
		v, err = s.Next(context.Background(), v.Seq)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}
