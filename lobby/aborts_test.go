package lobby

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"ludoteca/lobby/origin"
)

// TestAbortsCount: who calls off matches with people too often waits before the next one, however it would begin, and nobody else does.
func TestAbortsCount(t *testing.T) {
	for name, who := range map[string]func(*club) User{"player": ana, "guest": guest} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t, func(cfg *Config) { cfg.Limits.Aborts, cfg.Limits.AbortEvery = 2, 10*time.Minute })
				u := who(c)
				at := origin.Origin{Person: u.ID, Addr: netip.MustParseAddr("192.0.2.7")}
				defer c.Connect(u, at)()
				begin := func() *Seat {
					t.Helper()
					ref := c.open(c.rui, Spec{Game: "fourmation", Side: PlayFirst})
					if _, err := c.Join(t.Context(), u, origin.Origin{}, ref.Code); err != nil {
						t.Fatal(err)
					}
					return c.seat(u, ref.ID)
				}
				wantErr(t, "an offer of one's own costs nothing", c.seat(u, c.open(u, Spec{Game: "fourmation"}).ID).Abort(t.Context()), nil)
				bot := c.seat(u, c.open(u, Spec{Game: "fourmation", Bot: "first", Side: PlayFirst}).ID)
				wantErr(t, "against a computer player neither", bot.Abort(t.Context()), nil)
				for range 2 {
					wantErr(t, "called off", begin().Abort(t.Context()), nil)
				}
				refused := func(what string, err error) {
					t.Helper()
					var wait *AbortsError
					if !errors.As(err, &wait) || wait.Wait != 10*time.Minute {
						t.Errorf("%s: %v, want an AbortsError of 10 min", what, err)
					}
				}
				ref := c.open(c.rui, Spec{Game: "fourmation", Side: PlayFirst, Public: true})
				_, err := c.Join(t.Context(), u, origin.Origin{}, ref.Code)
				refused("joining", err)
				_, err = c.Take(t.Context(), u, ref.ID)
				refused("taking", err)
				_, err = c.Open(t.Context(), u, Spec{Game: "fourmation"})
				refused("opening", err)
				_, err = c.Quick(t.Context(), u, Spec{Game: "fourmation"})
				refused("a quick match", err)
				c.open(u, Spec{Game: "fourmation", Bot: "first"})
				c.open(u, Spec{Game: "fourmation", Hotseat: true})
				c.open(c.rui, Spec{Game: "fourmation"})
				time.Sleep(10 * time.Minute)
				wantErr(t, "after the wait", begin().Abort(t.Context()), nil)
				_, err = c.Open(t.Context(), u, Spec{Game: "fourmation"})
				refused("opening after one more", err)
			})
		})
	}
}
