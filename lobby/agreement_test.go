package lobby_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// TestDrawOffer: a draw is offered, declined, lapses, and is agreed; the answer is on every board, after a restart too.
func TestDrawOffer(t *testing.T) {
	c := newClub(t)
	a, r := c.start(func(s *seats.Spec) { s.Rated = true })
	watcher := c.seat(c.guest, a.ID())
	c.play(a, r, "a1")
	wantErr(t, "before both have moved", a.OfferDraw(t.Context()), lobby.ErrTooEarly)
	c.play(r, a, "b2")
	wantErr(t, "by a spectator", watcher.OfferDraw(t.Context()), lobby.ErrNotSeated)
	wantErr(t, "offered", a.OfferDraw(t.Context()), nil)
	wantErr(t, "offered twice", a.OfferDraw(t.Context()), nil)
	v := c.now(r)
	want := []lobby.OpenOffer{{Number: v.Events, Kind: matches.OfferDraw, By: games.First, At: v.LastAt}}
	if open := v.OffersTo(c.rui); !slices.Equal(open, want) {
		t.Errorf("rui sees %+v, want %+v", open, want)
	}
	if open := v.OffersTo(c.ana); len(open) > 0 {
		t.Errorf("ana can answer %+v", open)
	}
	if open := v.OffersOf(c.ana); !slices.Equal(open, want) {
		t.Errorf("ana sees %+v, want %+v", open, want)
	}
	wantErr(t, "one's own offer", a.Answer(t.Context(), matches.OfferDraw, 0, true), lobby.ErrNoOffer)
	wantErr(t, "another offer", r.Answer(t.Context(), matches.OfferTakeback, 0, true), lobby.ErrNoOffer)
	wantErr(t, "answered by a spectator", watcher.Answer(t.Context(), matches.OfferDraw, 0, true), lobby.ErrNotSeated)

	c.Close()
	c = reopen(t, c.store)
	a, r, watcher = c.seat(c.ana, a.ID()), c.seat(c.rui, r.ID()), c.seat(c.guest, r.ID())
	if v := c.now(a); v.Offers.Draw != storage.FirstSeat || !slices.Equal(v.OpenOffers(), want) {
		t.Errorf("after a restart the offers are %+v, %+v, want %+v", v.Offers, v.OpenOffers(), want)
	}
	wantErr(t, "declined", r.Decline(t.Context(), lobby.OfferRef{}), nil)
	if v := c.now(a); v.Offers != (matches.Offers{}) || v.Over {
		t.Errorf("declined: %+v", v.Offers)
	}
	wantErr(t, "declined twice", r.Decline(t.Context(), lobby.OfferRef{}), lobby.ErrNoOffer)
	var wait *lobby.OfferWaitError
	if err := a.OfferDraw(t.Context()); !errors.As(err, &wait) || wait.Moves != 5 {
		t.Errorf("offered again: %v", err)
	}
	wantErr(t, "by the other side", r.OfferDraw(t.Context()), nil)
	c.play(a, r, "c3")
	wantErr(t, "lapsed", a.Answer(t.Context(), matches.OfferDraw, 0, true), lobby.ErrNoOffer)
	c.play(r, a, "d4", "e5", "f6", "g7", "g6", "f5", "e4", "d3")
	wantErr(t, "offered again", a.OfferDraw(t.Context()), nil)
	wantErr(t, "both have offered", r.OfferDraw(t.Context()), nil)
	v = c.now(watcher)
	if !v.Over || v.Result != "draw" || v.Reason != "agreement" || v.EndedBy != storage.Nobody || v.Offers != (matches.Offers{}) || v.Ratings == nil {
		t.Errorf("the end is %s", text(v))
	}
	wantErr(t, "after the end", a.OfferDraw(t.Context()), lobby.ErrOver)
	wantErr(t, "accepted after the end", a.Answer(t.Context(), matches.OfferDraw, 0, true), lobby.ErrOver)
	f, err := a.Record(t.Context())
	if err != nil || f.Result != "draw" || f.Reason != "agreement" {
		t.Errorf("the record: %+v, %v", f, err)
	}
}

// TestAnswerNamesItsOffer: an answer is for one offer, and for no other one that is open by then.
func TestAnswerNamesItsOffer(t *testing.T) {
	c := newClub(t)
	a, r := c.start(func(*seats.Spec) {})
	c.play(a, r, "a1", "b2", "a2")
	wantErr(t, "a takeback is asked for", a.Takeback(t.Context()), nil)
	takeback := c.now(r).OffersTo(c.rui)[0]
	wantErr(t, "and a draw offered", a.OfferDraw(t.Context()), nil)
	open := c.now(r).OffersTo(c.rui)
	if len(open) != 2 || open[0] != takeback || open[1].Kind != matches.OfferDraw || open[1].Number <= takeback.Number {
		t.Fatalf("rui can answer %+v", open)
	}
	_, err := r.Accept(t.Context(), lobby.OfferRef{})
	wantErr(t, "which one", err, lobby.ErrWhichOffer)
	wantErr(t, "declines which one", r.Decline(t.Context(), lobby.OfferRef{}), lobby.ErrWhichOffer)
	_, err = r.Accept(t.Context(), lobby.OfferRef{Kind: lobby.OfferRematch})
	wantErr(t, "no such kind", err, lobby.ErrNoOffer)
	_, err = r.Accept(t.Context(), lobby.OfferRef{Kind: matches.OfferDraw, Number: takeback.Number})
	wantErr(t, "the number of another one", err, lobby.ErrOfferChanged)
	wantErr(t, "declined by number", r.Decline(t.Context(), lobby.OfferRef{Number: takeback.Number}), nil)
	_, err = r.Accept(t.Context(), takeback.Ref())
	wantErr(t, "it is not open any more", err, lobby.ErrOfferChanged)
	wantErr(t, "nor for an answer straight to the match", r.Answer(t.Context(), matches.OfferDraw, takeback.Number, true), lobby.ErrOfferChanged)
	if v := c.now(r); v.Over || v.Ply() != 3 || !slices.Equal(v.OffersTo(c.rui), open[1:]) {
		t.Fatalf("over %v, ply %d, open %+v", v.Over, v.Ply(), v.OffersTo(c.rui))
	}

	c.play(r, a, "b1") // the draw lapses
	wantErr(t, "a draw by the other side", r.OfferDraw(t.Context()), nil)
	wantErr(t, "the number of the one before", a.Answer(t.Context(), matches.OfferDraw, open[1].Number, true), lobby.ErrOfferChanged)
	_, err = a.Accept(t.Context(), c.now(a).OffersTo(c.ana)[0].Ref())
	wantErr(t, "the new one", err, nil)
	if v := c.now(a); !v.Over || v.Reason != "agreement" {
		t.Errorf("over %v, %q", v.Over, v.Reason)
	}

	_, err = a.Rematch(t.Context())
	wantErr(t, "a rematch is asked for", err, nil)
	first := c.now(r).OffersTo(c.rui)[0]
	wantErr(t, "and declined", r.Decline(t.Context(), first.Ref()), nil)
	_, err = r.Accept(t.Context(), first.Ref())
	wantErr(t, "and accepted afterwards", err, lobby.ErrOfferChanged)
}

// TestRematchOfAnOffer: a match that ended before a second player came has no rematch.
func TestRematchOfAnOffer(t *testing.T) {
	c := newClub(t)
	a := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation"}).ID)
	_, err := a.Rematch(t.Context())
	wantErr(t, "while it is open", err, lobby.ErrNotOver)
	wantErr(t, "withdrawn", a.Abort(t.Context()), nil)
	_, err = a.Rematch(t.Context())
	wantErr(t, "afterwards", err, lobby.ErrNoOpponent)
}

// TestTakebackByAgreement: between two users the other side has to agree.
func TestTakebackByAgreement(t *testing.T) {
	c := newClub(t)
	a, r := c.start()
	wantErr(t, "before the first move", a.Takeback(t.Context()), lobby.ErrNothingBack)
	c.play(a, r, "a1", "b2", "c3")
	wantErr(t, "asked", r.Takeback(t.Context()), nil)
	if v := c.now(a); v.Offers.Takeback != storage.SecondSeat || v.Ply() != 3 {
		t.Errorf("offers %+v, ply %d", v.Offers, v.Ply())
	}
	wantErr(t, "asked by the other side too", a.Takeback(t.Context()), lobby.ErrOfferOpen)
	if _, err := a.Accept(t.Context(), lobby.OfferRef{}); err != nil {
		t.Fatal(err)
	}
	v := c.now(r)
	if !slices.Equal(v.Moves, line("a1")) || v.Turn != games.Second || v.Helped != (results.Help{}) || v.Offers != (matches.Offers{}) {
		t.Errorf("taken back: %s", text(v))
	}
	c.play(r, a, "b1")
	wantErr(t, "asked again after consent", r.Takeback(t.Context()), nil)
	wantErr(t, "declined", a.Decline(t.Context(), lobby.OfferRef{}), nil)
	var wait *lobby.OfferWaitError
	if err := r.Takeback(t.Context()); !errors.As(err, &wait) {
		t.Errorf("asked again after that: %v", err)
	}
	if v := c.now(a); v.Ply() != 2 {
		t.Errorf("declined, and ply %d", v.Ply())
	}
}

// TestAcceptWhatIsReserved: accept and decline answer a rematch too, by the code of either match.
func TestAcceptWhatIsReserved(t *testing.T) {
	for name, byOld := range map[string]bool{"the match that is over": true, "the rematch": false} {
		t.Run(name, func(t *testing.T) {
			c := newClub(t)
			a, r := c.start()
			c.play(a, r, win...)
			wantErr(t, "nothing is offered", r.Decline(t.Context(), lobby.OfferRef{}), lobby.ErrNoOffer)
			for _, accept := range []bool{false, true} {
				again, err := a.Rematch(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				at := c.seat(c.rui, again.ID)
				if byOld {
					at = r
				}
				wantErr(t, "one's own", c.seat(c.ana, at.ID()).Decline(t.Context(), lobby.OfferRef{}), lobby.ErrNoOffer)
				if !accept {
					wantErr(t, "declined", at.Decline(t.Context(), lobby.OfferRef{}), nil)
					if v := c.now(a); v.Rematch != nil {
						t.Errorf("declined, and the old match shows %+v", v.Rematch)
					}
					continue
				}
				ref, err := at.Accept(t.Context(), lobby.OfferRef{})
				if err != nil || ref.ID != again.ID {
					t.Fatalf("accepted: %v, %v", ref, err)
				}
				if v := c.now(c.seat(c.rui, again.ID)); v.Started.IsZero() || v.Seats[games.First] != c.rui.Occupant() {
					t.Errorf("the rematch: %s", text(v))
				}
			}
		})
	}
}

// A judge is a computer player that plays the first legal move and thinks of a position what the test tells it, when the test says so.
type judge struct {
	begun chan struct{}
	says  chan lobby.Decision
}

func newJudge() *judge { return &judge{begun: make(chan struct{}), says: make(chan lobby.Decision)} }

func (j *judge) level() lobby.Level {
	return lobby.Level{ID: "judge", Name: "Iudex", Think: func(ctx context.Context, _ bot.Clock, p games.Position, _ *games.Random) (lobby.Decision, error) {
		select {
		case j.begun <- struct{}{}:
		case <-ctx.Done():
			return lobby.Decision{}, context.Canceled
		}
		select {
		case d := <-j.says:
			d.Move, d.Ahead = p.Legal()[0], true
			return d, nil
		case <-ctx.Done():
			return lobby.Decision{}, context.Canceled
		}
	}}
}

// settled returns the view of a match in which a computer player sits once it has no more to do.
func settled(t *testing.T, s *seats.Seat) *lobby.View {
	t.Helper()
	v, err := s.Now(t.Context())
	for err == nil && !v.Over && v.BotToAct() {
		v, err = s.Next(t.Context(), v.Seq)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestDrawWithComputer: a computer player answers by what it thinks of the position: on its own turn with its move, and its thinking goes on
// undisturbed; on the other side's turn it looks at the position once.
func TestDrawWithComputer(t *testing.T) {
	for _, tt := range []struct {
		name   string
		own    bool // offered on the computer player's turn
		value  int  // for the side to move
		agreed bool
	}{
		{"its turn, and it stands worse", true, -70, true},
		{"its turn, and it stands better", true, 70, false},
		{"my turn, and it stands worse", false, 70, true},
		{"my turn, and it stands better", false, -70, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := newJudge()
			c := newClub(t, func(cfg *lobby.Config) { cfg.Levels = []lobby.Level{j.level()} })
			a := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "judge"}).ID)
			move := func() {
				t.Helper()
				v := c.now(a)
				if err := a.Move(t.Context(), v.Position.Legal()[0], v.Ply()); err != nil {
					t.Fatal(err)
				}
				<-j.begun
			}
			move()
			j.says <- lobby.Decision{}
			settled(t, a)
			if tt.own {
				move()
			}
			plies := c.now(a).Ply()
			wantErr(t, "offered", a.OfferDraw(t.Context()), nil)
			if !tt.own {
				<-j.begun // else it has begun already, and does not begin again
			}
			v := c.now(a)
			if v.Offers.Draw != storage.FirstSeat || v.Over {
				t.Fatalf("while it thinks: %s", text(v))
			}
			j.says <- lobby.Decision{Value: tt.value}
			v = settled(t, a)
			if v.Over != tt.agreed || tt.agreed && v.Reason != "agreement" || v.Offers != (matches.Offers{}) {
				t.Errorf("the answer: %s", text(v))
			}
			want := plies
			if tt.own && !tt.agreed {
				want++
			}
			if v.Ply() != want {
				t.Errorf("%d moves after it, want %d", v.Ply(), want)
			}
		})
	}
}

// TestComputerAnswersAfterRestart: an offer that is open when the club ends is answered when it is there again, also if nobody looks.
func TestComputerAnswersAfterRestart(t *testing.T) {
	j := newJudge()
	c := newClub(t, func(cfg *lobby.Config) { cfg.Levels = []lobby.Level{j.level()} })
	a := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "judge"}).ID)
	c.play(a, a, "a1")
	<-j.begun
	j.says <- lobby.Decision{}
	settled(t, a)
	wantErr(t, "offered", a.OfferDraw(t.Context()), nil)
	<-j.begun
	c.Close()
	c = reopen(t, c.store, func(cfg *lobby.Config) { cfg.Levels = []lobby.Level{j.level()} })
	<-j.begun // nobody looks
	j.says <- lobby.Decision{Value: -70}
	if v := settled(t, c.seat(c.ana, a.ID())); v.Over || v.Offers != (matches.Offers{}) || v.Ply() != 2 {
		t.Errorf("declined: %s", text(v))
	}
}
