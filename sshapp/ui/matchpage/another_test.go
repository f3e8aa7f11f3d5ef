package matchpage

import (
	"testing"
	"testing/synctest"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// TestNewOpponent: after a match the key n looks for another one with the same game, options, clock and rating mode. After a match against
// the computer or at one keyboard, clock and rating mode come from the player's last quick match.
func TestNewOpponent(t *testing.T) {
	decisive, _ := uitest.GameOf(t, "petteia").About().OptionSet("decisive")
	last := accounts.Settings{QuickGame: "momentum", QuickClock: "3+2"}
	none, fiveThree, threeTwo := lobby.ClockSetting{}, uitest.ClockOfTest("5+3"), uitest.ClockOfTest("3+2")
	for _, tt := range []struct {
		name     string
		spec     seats.Spec
		settings accounts.Settings
		want     seats.Spec
	}{
		{"rated, with a clock and an option set", seats.Spec{Game: "petteia", Options: decisive.Options, Rated: true, Clock: fiveThree}, last,
			seats.Spec{Game: "petteia", Options: decisive.Options, Rated: true, Clock: fiveThree}},
		{"casual, without a clock", seats.Spec{Game: "petteia"}, last, seats.Spec{Game: "petteia", Clock: none}},
		{"a size of its own", seats.Spec{Game: "fourmation", Options: games.Options{"cols": 9, "rows": 8}}, last,
			seats.Spec{Game: "fourmation", Options: games.Options{"cols": 9, "rows": 8}}},
		{"against the computer", seats.Spec{Game: "petteia", Options: decisive.Options, Bot: "random"}, last,
			seats.Spec{Game: "petteia", Options: decisive.Options, Rated: true, Clock: threeTwo}},
		{"at one keyboard", seats.Spec{Game: "petteia", Hotseat: true}, last, seats.Spec{Game: "petteia", Rated: true, Clock: threeTwo}},
		{"against the computer, and no quick match yet", seats.Spec{Game: "petteia", Bot: "random", Clock: fiveThree}, accounts.Settings{},
			seats.Spec{Game: "petteia", Clock: fiveThree}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := uitest.NewMatch(t, "fourmation", nil, true)
				tt.spec.Side = seats.PlayFirst
				var err error
				b.Ref, err = b.Club.Seats.Open(t.Context(), b.Ana, tt.spec)
				if err == nil && tt.spec.Bot == "" && !tt.spec.Hotseat {
					_, err = b.Club.Seats.Join(t.Context(), b.Rui, origin.Origin{}, b.Ref.Code)
				}
				if err == nil {
					err = b.Seat(b.Ana).Resign(t.Context())
				}
				if err != nil {
					t.Fatal(err)
				}
				s := open(b, b.Ana, 80, 24, tt.settings)
				s.Keys("n")
				s.Sees("Your offer is in the")
				offers := b.Club.Lists.Offers(lobby.User{}, "")
				if len(offers) != 1 {
					t.Fatalf("%d offers:\n%s", len(offers), s.Page())
				}
				want, err := games.Complete(uitest.GameOf(t, tt.want.Game), tt.want.Options)
				if err != nil {
					t.Fatal(err)
				}
				if o := offers[0]; o.Game != tt.want.Game || o.Options.String() != want.String() || o.Rated != tt.want.Rated || o.Clock != tt.want.Clock {
					t.Errorf("offers %s %v, rated %v, clock %v; want %+v", o.Game, o.Options, o.Rated, o.Clock, tt.want)
				}
			})
		})
	}
}
