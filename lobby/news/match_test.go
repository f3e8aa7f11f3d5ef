package news_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/bulletin"
	"ludoteca/lobby/match"
	"ludoteca/lobby/news"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// view returns a running match of ana, who has the first side, against rui, after moves.
func view(t *testing.T, moves string, changes ...func(*match.View)) *match.View {
	t.Helper()
	g := fourmation.New()
	v := &match.View{}
	v.Ref, v.Game = ref("m"), g
	v.Seats = [2]storage.Occupant{ana.Occupant(), rui}
	v.Opened, v.Started, v.LastAt = noon, noon, noon.Add(time.Minute)
	v.Presence = [2]atboard.Presence{{Near: atboard.Here}, {Near: atboard.Here}}
	options, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v.Position, err = games.Begin(g, options, ""); err != nil {
		t.Fatal(err)
	}
	for m := range strings.FieldsSeq(moves) {
		v.Moves = append(v.Moves, games.Move(m))
		if v.Position, err = v.Position.Play(games.Move(m)); err != nil {
			t.Fatal(err)
		}
	}
	v.Turn = v.Position.Turn()
	v.Plies = len(v.Moves)
	for _, change := range changes {
		change(v)
	}
	return v
}

func waiting(v *match.View) {
	v.Started, v.Seats[1], v.Presence[1] = time.Time{}, storage.Occupant{}, atboard.Presence{}
}

func over(by storage.Seat, reason string) func(*match.View) {
	return func(v *match.View) { v.Over, v.EndedBy, v.Reason, v.Ended = true, by, reason, noon.Add(time.Hour) }
}

func reserved(o storage.Occupant) func(*match.View) {
	return func(v *match.View) { v.Reserved, v.Opener = o, storage.FirstSeat }
}

func between(kind string, by games.Side) func(*match.View) {
	return func(v *match.View) {
		v.Between = append(v.Between, match.OpenOffer{Number: uint64(len(v.Between) + 1), Kind: kind, By: by, At: noon})
	}
}

func gone(side games.Side) func(*match.View) {
	return func(v *match.View) { v.Presence[side] = atboard.Presence{Near: atboard.Gone} }
}

const day = 24 * time.Hour

func onVacation(side games.Side, until time.Time) func(*match.View) {
	return func(v *match.View) { v.Pauses.Vacation[side] = until }
}

func adjourned(until time.Time) func(*match.View) {
	return func(v *match.View) { v.Pauses.Adjourned = until }
}

func wentOn(by storage.Seat) func(*match.View) {
	return func(v *match.View) { v.ContinuedBy = by }
}

func again(by match.User) func(*match.View) {
	return func(v *match.View) { v.Rematch = &match.Rematch{Ref: ref("again"), By: by.Occupant(), At: noon} }
}

// TestBetween: what a player and a spectator are told between two views. What they do themselves is not news.
func TestBetween(t *testing.T) {
	const draw, back = matches.OfferDraw, matches.OfferTakeback
	other, zoe := match.User(rui), match.User{Kind: storage.Person, ID: "zoe", Name: "zoe"}
	for _, tt := range []struct {
		name           string
		old, v         *match.View
		ana, rui, zoe_ string
	}{
		{"nothing", view(t, "a1"), view(t, "a1"), "", "", ""},
		{"ana moves", view(t, ""), view(t, "a1"), "", "moved a1, your_move", "moved a1"},
		{"rui moves", view(t, "a1"), view(t, "a1 b2"), "moved b2, your_move", "", "moved b2"},
		{"both move", view(t, "a1"), view(t, "a1 b2 b1"), "moved b2", "moved b1, your_move", "moved b2, moved b1"},
		{"a takeback that ana grants", view(t, "a1 b2", between(back, 1)), view(t, "a1"), "", "taken_back, your_move", "taken_back"},
		{"it begins", view(t, "", waiting), view(t, ""), "begins, your_move", "", "begins"},
		{"rui offers a draw", view(t, "a1 b2"), view(t, "a1 b2", between(draw, 1)), "offer draw", "", "offer draw"},
		{"rui moves and offers", view(t, "a1"), view(t, "a1 b2", between(draw, 1)), "moved b2, your_move, offer draw", "", "moved b2, offer draw"},
		{"rui declines", view(t, "a1 b2", between(draw, 0)), view(t, "a1 b2"), "declined draw", "", ""},
		{"rui goes", view(t, "a1"), view(t, "a1", gone(1)), "left", "", ""},
		{"rui comes back", view(t, "a1", gone(1)), view(t, "a1"), "returned", "", ""},
		{"rui goes on vacation", view(t, "a1 b2"), view(t, "a1 b2", onVacation(1, noon.Add(day))), "paused vacation", "", "paused vacation"},
		{"rui is back", view(t, "a1 b2", onVacation(1, noon.Add(day))), view(t, "a1 b2", onVacation(1, time.Time{})), "resumed vacation", "", "resumed vacation"},
		{"rui moves on vacation", view(t, "a1", onVacation(1, noon.Add(day))), view(t, "a1 b2", onVacation(1, noon.Add(day))), "moved b2, your_move", "", "moved b2"},
		{"ana agrees to adjourn", view(t, "a1 b2", between(matches.OfferAdjourn, 1)), view(t, "a1 b2", adjourned(noon.Add(day))), "", "paused adjourned", "paused adjourned"},
		{"ana goes on", view(t, "a1 b2", adjourned(noon.Add(day))), view(t, "a1 b2", wentOn(storage.FirstSeat)), "", "resumed adjourned", "resumed adjourned"},
		{"ana moves, adjourned", view(t, "a1 b2", adjourned(noon.Add(day))), view(t, "a1 b2 b1"), "", "moved b1, your_move, resumed adjourned", "moved b1, resumed adjourned"},
		{"rui resigns", view(t, "a1"), view(t, "a1", over(storage.SecondSeat, "resigned")), "over", "", "over"},
		{"rui's time is up", view(t, "a1"), view(t, "a1", over(storage.SecondSeat, "timeout")), "over", "over", "over"},
		{"ana agrees to a draw", view(t, "a1", between(draw, 1)), view(t, "a1", over(storage.Nobody, "agreement")), "", "over", "over"},
		{"an operator ends it", view(t, "a1"), view(t, "a1", over(storage.Nobody, "adjudicated")), "over", "over", "over"},
		{"rui asks for a rematch", view(t, "a1", over(storage.FirstSeat, "resigned")), view(t, "a1", over(storage.FirstSeat, "resigned"), again(other)), "rematch", "", ""},
		{"a rematch stays", view(t, "a1", over(0, ""), again(other)), view(t, "a1", over(0, ""), again(other)), "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for who, want := range map[match.User]string{ana: tt.ana, other: tt.rui, zoe: tt.zoe_} {
				var got []string
				for _, i := range news.Between(tt.old, tt.v, who) {
					word := string(i.Kind)
					switch i.Kind {
					case news.Moved:
						word += " " + string(i.Move)
					case news.Offered, news.Declined:
						word += " " + i.Offer
					case news.Paused, news.Resumed:
						word += " " + string(i.Pause.Kind)
						if !i.Pause.Until.Equal(noon.Add(day)) {
							t.Errorf("%s until %v", word, i.Pause.Until)
						}
					}
					got = append(got, word)
					if who != zoe && i.By.Kind != storage.Free && who.Is(i.By) && i.Kind != news.Begins {
						t.Errorf("%s is told of themselves: %v", who.Name, i.Kind)
					}
				}
				if got := strings.Join(got, ", "); got != want {
					t.Errorf("%s is told %q, want %q", who.Name, got, want)
				}
			}
		})
	}
}

// TestEnd: what the end of a match, or of an offer, means to each side; "-" is nothing.
func TestEnd(t *testing.T) {
	other := match.User(rui)
	const first, second = storage.FirstSeat, storage.SecondSeat
	for _, tt := range []struct {
		name     string
		v        *match.View
		ana, rui string
	}{
		{"ana resigns", view(t, "a1", over(first, "resigned")), "-", "over ana"},
		{"the last move is rui's", view(t, "a1", over(second, "line")), "over rui", "-"},
		{"ana's time is up", view(t, "a1", over(first, "timeout")), "over rui", "over ana"},
		{"nobody takes an offer", view(t, "", waiting, over(0, "aborted")), "untaken ", "untaken "},
		{"ana withdraws an offer", view(t, "", waiting, over(first, "aborted")), "-", "untaken "},
		{"rui declines a challenge", view(t, "", waiting, reserved(rui), over(second, "aborted")), "declined rui", "-"},
		{"ana withdraws a challenge", view(t, "", waiting, reserved(rui), over(first, "aborted")), "-", "withdrawn ana"},
		{"rui doesn't answer", view(t, "", waiting, reserved(rui), over(0, "aborted")), "lapsed rui", "lapsed ana"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for who, want := range map[match.User]string{ana: tt.ana, other: tt.rui} {
				i, ok := news.End(tt.v, who)
				got := fmt.Sprint(i.Kind, " ", i.By.Name)
				if !ok {
					got = "-"
				}
				if got != want {
					t.Errorf("to %s it is %q, want %q", who.Name, got, want)
				}
				if ok && !i.At.Equal(noon.Add(time.Hour)) {
					t.Errorf("at %v", i.At)
				}
			}
		})
	}
}

// lateSeat is a seat at a match whose views show its end after some others.
type lateSeat struct {
	views []*match.View
	err   error
}

func (s *lateSeat) User() match.User                             { return ana }
func (s *lateSeat) Now(ctx context.Context) (*match.View, error) { return s.Next(ctx, 0) }
func (s *lateSeat) Next(context.Context, uint64) (*match.View, error) {
	if len(s.views) == 0 {
		return nil, s.err
	}
	v := s.views[0]
	s.views = s.views[1:]
	return v, nil
}

// TestResolve waits for the view with the end.
func TestResolve(t *testing.T) {
	end := view(t, "a1", over(storage.SecondSeat, "resigned"))
	if i, ok := news.Resolve(t.Context(), &lateSeat{views: []*match.View{view(t, ""), view(t, "a1"), end}}); !ok || i.Kind != news.Over || i.View != end {
		t.Errorf("got %v, %v", i.Kind, ok)
	}
	if i, ok := news.Resolve(t.Context(), &lateSeat{views: []*match.View{view(t, "")}, err: errors.New("gone")}); ok {
		t.Errorf("of a match that can't be read: %v", i.Kind)
	}
}

// TestBulletin: what is new in a bulletin.
func TestBulletin(t *testing.T) {
	tea := bulletin.Bulletin{Text: "Tea at five.", Until: noon.Add(time.Hour)}
	cut, full := bulletin.Bulletin{CutOff: noon}, bulletin.Bulletin{CutOff: noon, StoreFull: true}
	teaCut := tea
	teaCut.CutOff = noon
	for _, tt := range []struct {
		name   string
		old, b bulletin.Bulletin
		want   string
	}{
		{"none", bulletin.Bulletin{}, bulletin.Bulletin{}, ""},
		{"an announcement", bulletin.Bulletin{}, tea, "announced Tea at five."},
		{"the same", tea, tea, ""},
		{"the same text again", tea, bulletin.Bulletin{Text: tea.Text, Until: tea.Until.Add(time.Hour)}, "announced Tea at five."},
		{"one that has expired", bulletin.Bulletin{}, bulletin.Bulletin{Text: "Lunch.", Until: noon}, ""},
		{"one is taken away", tea, bulletin.Bulletin{}, ""},
		{"cut off", tea, teaCut, "cut_off"},
		{"cut off, and an announcement", bulletin.Bulletin{}, teaCut, "cut_off, announced Tea at five."},
		{"still cut off", cut, cut, ""},
		{"the store is full", cut, full, "cut_off full"},
		{"back", cut, bulletin.Bulletin{}, "reached"},
		{"no longer full", full, bulletin.Bulletin{}, "reached full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, i := range news.Bulletin(tt.old, tt.b, noon) {
				word := strings.TrimSpace(string(i.Kind) + " " + i.Text)
				if i.Full {
					word += " full"
				}
				got = append(got, word)
			}
			if got := strings.Join(got, ", "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
