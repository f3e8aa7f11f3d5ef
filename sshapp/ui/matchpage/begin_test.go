package matchpage

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/accountpage"
	"ludoteca/sshapp/ui/apptest"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/lobbypage"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/matches"
)

// begin starts a session in a window of the given size. It must be called in a bubble.
func begin(t testing.TB, w, h int, cfg ui.Config) *uitest.Session {
	t.Helper()
	cfg.Pages = screen.Pages{SignUp: accountpage.NewSignUp, Lobby: lobbypage.New, DeepLink: newmatch.NewDeepLink, Match: New}
	return apptest.Begin(t, w, h, cfg)
}

// open opens the match screen of a player or spectator.
func open(b *uitest.Match, who lobby.User, w, h int, settings accounts.Settings, environ ...string) *uitest.Session {
	b.T.Helper()
	return begin(b.T, w, h, ui.Config{Lobby: uitest.NewFakeAnalyzer(b.Club).Services(), Who: who, Start: ui.StartWatch, Code: b.Ref.Code, Now: time.Now,
		Settings: settings, Environ: environ})
}

// boardOf returns the match screen on top of a session.
func boardOf(s *uitest.Session) matchScreen {
	s.T.Helper()
	top, ok := s.App.Top().(matchScreen)
	if !ok {
		s.T.Fatalf("a %T is on top:\n%s", s.App.Top(), s.Page())
	}
	return top
}

// playing returns a match screen in the middle of a match.
func playing(b testing.TB, g games.Game, w, h int) matchScreen {
	b.Helper()
	o, err := games.Complete(g, nil)
	if err != nil {
		b.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		b.Fatal(err)
	}
	log := []matches.Event{{Kind: matches.Opened, Seat: storage.FirstSeat, Opening: &matches.Opening{
		Code: "K7QM2X", Game: g.About().ID, Options: o, First: uitest.Ana.Occupant(), Second: uitest.Person("p6", "rui"),
	}}}
	r := games.NewRandom(2)
	var before games.Position
	for range 8 {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		before = p
		log = append(log, matches.Event{Kind: matches.Moved, Seat: storage.SeatOf(p.Turn()), Move: m})
		if p, err = p.Play(m); err != nil {
			b.Fatal(err)
		}
	}
	v := viewOf(b, g, log)
	v.Strength = [2]lobby.Strength{uitest.Known(1523), uitest.Known(1490)}
	v.Presence = [2]lobby.Presence{{Near: lobby.Here}, {Near: lobby.Here}}
	a := ui.NewApp(b.Context(), ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Term: "xterm-256color", Environ: []string{"COLORTERM=truecolor"}})
	s := New(a.Env(), lobby.Ref{ID: "m1"}).(matchScreen)
	s.Size = tea.WindowSizeMsg{Width: w, Height: h}
	s.view, s.Scene = v, boardview.New(p, before, v.Moves[len(v.Moves)-1])
	s.Input.Sel = s.Scene.Start(games.First)
	return s
}

// viewOf returns the view of a match after the events of a log, which gets its numbers and times here.
func viewOf(tb testing.TB, g games.Game, log []matches.Event) *lobby.View {
	tb.Helper()
	for i := range log {
		log[i].Seq, log[i].Version, log[i].At = uint64(i+1), matches.EventVersion, uitest.Noon.UTC()
	}
	s, err := match.Fold("m1", func(string) (games.Game, error) { return g, nil }, log)
	if err != nil {
		tb.Fatal(err)
	}
	return s.View()
}
