package live

import (
	"testing"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// TestAgreesToDraw: a computer player agrees to a draw when its search says that it stands no better, and never when it sees a win.
func TestAgreesToDraw(t *testing.T) {
	for _, tt := range []struct {
		name string
		d    thinking.Decision
		want bool
	}{
		{"it has not searched", thinking.Decision{Value: -500}, false},
		{"even", thinking.Decision{Ahead: true}, true},
		{"worse", thinking.Decision{Ahead: true, Value: -80}, true},
		{"better", thinking.Decision{Ahead: true, Value: 80}, false},
		{"a proven win that looks bad", thinking.Decision{Ahead: true, Value: -80, Plies: 9, Proven: true}, false},
		{"a believed win", thinking.Decision{Ahead: true, Plies: 9}, false},
		{"a loss that looks good", thinking.Decision{Ahead: true, Value: 80, Plies: -9}, true},
		{"a proven draw", thinking.Decision{Ahead: true, Drawn: true, Proven: true}, true},
	} {
		if got := agreesToDraw(tt.d); got != tt.want {
			t.Errorf("%s: agrees %v, want %v", tt.name, got, tt.want)
		}
		if other := agreesToDraw(otherSide(otherSide(tt.d))); other != tt.want {
			t.Errorf("%s: seen twice from the other side: %v", tt.name, other)
		}
	}
}

// TestDeadPosition counts the turns in a row on which neither side stood better.
func TestDeadPosition(t *testing.T) {
	var s match.State
	var count deadPosition
	at := func(ply int, d thinking.Decision) int {
		s.Moves = make([]games.Move, ply)
		count = count.after(&s, d)
		return count.turns
	}
	dead := thinking.Decision{Ahead: true, Value: -25}
	for i, tt := range []struct {
		ply  int
		d    thinking.Decision
		want int
	}{
		{10, dead, 1},
		{12, dead, 2},
		{14, thinking.Decision{Ahead: true, Drawn: true, Proven: true}, 3},
		{14, dead, 1}, // after a takeback
		{16, thinking.Decision{Ahead: true, Value: 40}, 0},
		{18, dead, 1},
		{20, thinking.Decision{Ahead: true, Plies: -8}, 0},
		{22, thinking.Decision{}, 0}, // it does not search
	} {
		if got := at(tt.ply, tt.d); got != tt.want {
			t.Errorf("turn %d: %d in a row, want %d", i, got, tt.want)
		}
	}
}

// TestNoDrawOffer: a computer player offers no draw early in a match, to another computer player, or before the position was dead for deadTurns.
func TestNoDrawOffer(t *testing.T) {
	bot, person := storage.Occupant{Kind: storage.Bot}, storage.Occupant{Kind: storage.Person}
	long := deadPosition{turns: deadTurns}
	for _, tt := range []struct {
		name  string
		other storage.Occupant
		moves int
		count deadPosition
	}{
		{"early", person, deadGame - 2, long},
		{"not for long", person, deadGame, deadPosition{turns: deadTurns - 1}},
		{"to a computer player", bot, deadGame, long},
		{"in the last move that there may be", person, 199, long},
	} {
		b := &botPlayer{config: &Config{MaxPlies: 200}}
		var s match.State
		s.Opening, s.Moves, s.Seats = &matches.Opening{}, make([]games.Move, tt.moves), [2]storage.Occupant{tt.other, bot}
		if b.offersDraw(&s, storage.SecondSeat, "a1", tt.count) {
			t.Errorf("%s: it offers a draw", tt.name)
		}
	}
}
