package eventspage

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/tournaments"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/apptest"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	tournamentstore "ludoteca/storage/tournaments"
)

// fixedEvents are events that don't change.
type fixedEvents struct {
	screen.EventReader
	all []*tournaments.View
}

func (f fixedEvents) listing() *tournaments.Listing {
	l := &tournaments.Listing{Number: 1}
	for _, v := range f.all {
		if !v.Stage.Closed() {
			l.All = append(l.All, v)
		}
	}
	return l
}

func (f fixedEvents) List(ctx context.Context, after uint64) (*tournaments.Listing, error) {
	if after > 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return f.listing(), nil
}

func (f fixedEvents) Watch() (*tournaments.Listing, <-chan struct{}) {
	return f.listing(), make(chan struct{})
}

func (f fixedEvents) Next(ctx context.Context, id storage.TournamentID, after uint64) (*tournaments.View, error) {
	if after > 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return f.View(ctx, id)
}

func (f fixedEvents) View(_ context.Context, id storage.TournamentID) (*tournaments.View, error) {
	for _, v := range f.all {
		if v.ID == id {
			return v, nil
		}
	}
	return nil, lobby.ErrNoSuchTournament
}

func (f fixedEvents) Board(p *state.Pairing) lobby.Ref { return lobby.Ref{ID: p.Match, Code: "M7QM2X"} }

// entrantsOfTests are those who enter, by rating. Ana, who looks at the screens, is among them.
var entrantsOfTests = []struct {
	who    storage.Occupant
	rating int
}{
	{storage.Occupant{Kind: storage.Person, ID: "entrant1", Name: "inês"}, 1702},
	{storage.Occupant{Kind: storage.Person, ID: "entrant2", Name: "rui"}, 1610},
	{uitest.Ana.Occupant(), 1523},
	{storage.Occupant{Kind: storage.Person, ID: "entrant4", Name: "bartholomew-the-5th"}, 1500},
	{storage.Occupant{Kind: storage.Engine, ID: "entrant5", Name: "deepteia"}, 1490},
}

// anEvent returns an event with its entrants, which begins some time from noon. Its rounds go by as far as play says: it gives the result of each
// match of a round, by its board, first, second or draw, with a ! for one that was not begun, or "" for one that goes on. Some more players enter it.
func anEvent(t *testing.T, id storage.TournamentID, set tournamentstore.Settings, in time.Duration, play func(round, board int) string, more ...string) *tournaments.View {
	t.Helper()
	set.Code, set.Begins, set.Seed, set.Clock = "K7QM2X", uitest.Noon.Add(in).UTC(), 7, "5+3"
	if len(set.Games) == 0 {
		set.Games = []tournamentstore.Game{{ID: "petteia", Options: games.Options{}}}
	}
	s, now := state.New(id), min(uitest.Noon.Add(-time.Hour).Unix(), set.Begins.Unix()-3600)
	at := time.Unix(now, 0).UTC()
	matches := 0
	newID := func() storage.MatchID {
		matches++
		return storage.MatchID(fmt.Sprintf("match-%d", matches))
	}
	extend := func(entries ...tournamentstore.Entry) {
		next, _, err := s.Extend(entries, at)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	extend(tournamentstore.Entry{Kind: tournamentstore.Announced, Settings: &set})
	for _, e := range entrantsOfTests {
		extend(tournamentstore.Entry{Kind: tournamentstore.Entered, Who: e.who, Rating: e.rating})
	}
	for i, name := range more {
		extend(tournamentstore.Entry{Kind: tournamentstore.Entered, Who: storage.Occupant{Kind: storage.Person, ID: "more-" + name, Name: name}, Rating: 1400 - 10*i})
	}
	for range 200 {
		if at = at.Add(30 * time.Second); play == nil || at.After(uitest.Noon) || s.Stage.Closed() {
			break
		}
		due, err := s.Next(at, newID)
		if err != nil {
			t.Fatal(err)
		}
		if len(due) > 0 {
			extend(due...)
			continue
		}
		for _, p := range s.Playing() {
			result := play(p.Round, p.Board)
			if result == "" {
				continue
			}
			reason := tournamentstore.Played
			if strings.HasSuffix(result, "!") {
				reason = tournamentstore.Unbegun
			}
			extend(tournamentstore.Entry{Kind: tournamentstore.Result, Match: p.Match, Result: strings.TrimSuffix(result, "!"), Reason: reason})
		}
	}
	return &tournaments.View{State: s, Number: 1}
}

// someEvents are events as they are at noon: one in which Ana plays round 3, one that is over, an arena that goes on, and two that begin.
func someEvents(t *testing.T) fixedEvents {
	rui := entrantsOfTests[1].who
	swiss := anEvent(t, "swiss", tournamentstore.Settings{Kind: tournamentstore.Swiss, Name: "Friday Swiss", Rounds: 4, Least: 4, Most: 16, By: rui}, -20*time.Minute,
		func(round, board int) string {
			switch {
			case round > 2:
				return ""
			case board == 2:
				return "first!"
			case round == 1:
				return "draw"
			}
			return "second"
		})
	robin := anEvent(t, "robin", tournamentstore.Settings{Kind: tournamentstore.Robin, Name: "All against all", Least: 3, Most: 16, Rated: true, By: rui}, -90*time.Minute,
		func(round, board int) string { return []string{"first", "draw", "second"}[(round+board)%3] })
	arena := anEvent(t, "arena", tournamentstore.Settings{Kind: tournamentstore.Arena, Name: "Lunch arena", Span: time.Hour, Least: 2, Most: 512, By: rui}, -40*time.Minute,
		func(_, board int) string {
			if board > 7 {
				return ""
			}
			return []string{"first", "first", "draw"}[board%3]
		})
	own := anEvent(t, "own", tournamentstore.Settings{Kind: tournamentstore.Medley, Base: tournamentstore.Swiss, Name: "Tea at five", Rounds: 5, Least: 4, Most: 16, By: uitest.Ana.Occupant(),
		Games: []tournamentstore.Game{{ID: "tanks", Options: games.Options{}}, {ID: "petteia", Options: games.Options{}}}}, 40*time.Minute, nil)
	later := anEvent(t, "later", tournamentstore.Settings{Kind: tournamentstore.Knockout, Name: "The long name of a knockout on Sunday", Least: 4, Most: 16, Admission: tournamentstore.Admission{Range: [2]int{1400, 1800}}, By: rui}, 50*time.Hour, nil)
	return fixedEvents{all: []*tournaments.View{swiss, robin, arena, own, later}}
}

// TestEventPictures keeps the list of events and the page of one, in the windows, letters and languages that they have the least room in.
func TestEventPictures(t *testing.T) {
	scenes := []struct {
		name  string
		event storage.TournamentID // "": the list
		keys  []string
		sizes [][2]int
	}{
		{"list", "", nil, [][2]int{{80, 24}, {40, 20}}},
		{"open", "own", nil, [][2]int{{80, 24}, {40, 20}}},
		{"standing", "swiss", nil, [][2]int{{80, 24}, {40, 20}}},
		{"boards", "swiss", []string{"tab"}, [][2]int{{80, 24}, {40, 20}}},
		{"cross", "robin", []string{"tab", "tab"}, [][2]int{{80, 24}, {40, 20}}},
		{"arena", "arena", nil, [][2]int{{80, 24}, {40, 20}}},
	}
	for _, lang := range []struct{ folder, locale string }{
		{"ascii/", "LC_ALL=en_GB.ISO-8859-1"}, {"de/", "LC_ALL=de_DE.UTF-8"}, {"pt/", "LC_ALL=pt_PT.UTF-8"},
	} {
		for _, sc := range scenes {
			for _, size := range sc.sizes {
				if lang.folder != "ascii/" && sc.name == "arena" {
					continue // it has no words of its own
				}
				name := fmt.Sprintf("%s%s-%dx%d", lang.folder, sc.name, size[0], size[1])
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						services := uitest.FullLobby().Services()
						services.Events.Reader = someEvents(t)
						open := NewList
						if sc.event != "" {
							open = func(e *screen.Env) screen.Screen {
								return NewEvent(e, tournaments.Ref{ID: sc.event, Code: "K7QM2X"})
							}
						}
						s := apptest.Begin(t, size[0], size[1], ui.Config{Lobby: services, Who: uitest.Ana, Environ: []string{lang.locale},
							Pages: apptest.Home(uitest.HomeItem{Words: "Events", Open: open})})
						s.GoTo("Events")
						s.Settle()
						s.Keys("right") // a note of the app is gone
						s.Keys(sc.keys...)
						for _, r := range s.Page() {
							if lang.folder == "ascii/" && r > '~' {
								t.Errorf("%q is not ASCII", r)
							}
						}
						uitest.Golden(t, name, s.Page())
					})
				})
			}
		}
	}
}
