package live

import (
	"errors"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/match"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// startPosition is the first position of a game.
func startPosition(t *testing.T) games.Position {
	t.Helper()
	options, err := games.Complete(fourmation.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	start, err := fourmation.New().New(options)
	if err != nil {
		t.Fatal(err)
	}
	return start
}

// TestBotDecides: what a computer player writes depends on the result of its search and on a draw offer.
func TestBotDecides(t *testing.T) {
	start := startPosition(t)
	move := start.Legal()[0]
	person, bot := storage.Occupant{Kind: storage.Person}, storage.Occupant{Kind: storage.Bot}
	for _, tt := range []struct {
		name  string
		reply botReply
		offer storage.Seat // of a draw
		want  []matches.Kind
		yes   bool
	}{
		{"a move", botReply{decision: thinking.Decision{Move: move}}, storage.Nobody, []matches.Kind{matches.Moved}, false},
		{"an illegal move", botReply{decision: thinking.Decision{Move: "z9"}}, storage.Nobody, []matches.Kind{matches.Resigned}, false},
		{"a failure", botReply{err: errors.New("panic")}, storage.Nobody, []matches.Kind{matches.Resigned}, false},
		{"a draw is welcome", botReply{decision: thinking.Decision{Move: move, Ahead: true, Value: -50}}, storage.SecondSeat, []matches.Kind{matches.Answered}, true},
		{"a draw is not", botReply{decision: thinking.Decision{Move: move, Ahead: true, Value: 500}}, storage.SecondSeat, []matches.Kind{matches.Answered, matches.Moved}, false},
	} {
		s := match.New("abcdefgh")
		s.Opening, s.Position, s.Started, s.Seats = &matches.Opening{}, start, time.Now(), [2]storage.Occupant{bot, person}
		s.Offers.Draw = tt.offer
		b := &botPlayer{config: config(), reply: tt.reply}
		var kinds []matches.Kind
		err := b.play(&s, func(events []matches.Event, _ time.Time) error {
			for _, e := range events {
				kinds = append(kinds, e.Kind)
				if e.Seat != storage.FirstSeat || e.Kind == matches.Answered && e.Yes != tt.yes {
					t.Errorf("%s: it writes %+v", tt.name, e)
				}
			}
			return nil
		})
		if err != nil || !slices.Equal(kinds, tt.want) {
			t.Errorf("%s: it writes %q, want %q: %v", tt.name, kinds, tt.want, err)
		}
	}
}
