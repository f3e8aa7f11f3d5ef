package live

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
)

// TestClockAt: the clock of a match has something to do when the time of the side to move is up, sooner for a computer player, and at once after
// the program was down.
func TestClockAt(t *testing.T) {
	fischer, err := clock.Parse("5+3")
	if err != nil {
		t.Fatal(err)
	}
	position := startPosition(t)
	person, bot := storage.Occupant{Kind: storage.Person, ID: "p1"}, storage.Occupant{Kind: storage.Bot, ID: "b1"}
	for _, tt := range []struct {
		name string
		turn storage.Occupant
		down bool
		at   func(deadline time.Time) time.Time
	}{
		{"a person", person, false, func(d time.Time) time.Time { return d.Add(clock.MaxCredit) }},
		{"a computer player", bot, false, func(d time.Time) time.Time { return d.Add(-hurryReserve) }},
		{"after an outage", person, true, func(time.Time) time.Time { return time.Now() }},
	} {
		synctest.Test(t, func(t *testing.T) {
			now := time.Now()
			s := match.New("abcdefgh")
			s.Opening, s.Started, s.Position = &matches.Opening{}, now, position
			s.Seats = [2]storage.Occupant{tt.turn, {Kind: storage.Person, ID: "p2"}}
			s.Clock = clock.New(fischer).Start(now, 0)
			time.Sleep(time.Second)
			c := &fakeClub{}
			if tt.down {
				c.outage = cluster.Outage{Down: now.Add(time.Millisecond), Up: time.Now()}
			}
			timers := &timers{config: configOf(c)}
			if got, want := timers.clockAt(&s), tt.at(s.Clock.Deadline()); !got.Equal(want) {
				t.Errorf("%s: at %v, want %v", tt.name, got, want)
			}
		})
	}
}
