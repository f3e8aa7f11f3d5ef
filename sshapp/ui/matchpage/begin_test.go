package matchpage

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
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
	v := &lobby.View{Summary: lobby.Summary{Game: g, Options: o, Seats: [2]storage.Occupant{uitest.Ana.Occupant(), uitest.Person("p6", "rui")},
		Strength: [2]lobby.Strength{uitest.Known(1523), uitest.Known(1490)}, Opened: uitest.Noon, Started: uitest.Noon},
		Presence: [2]lobby.Presence{{Near: lobby.Here}, {Near: lobby.Here}}}
	v.Code = "K7QM2X"
	r := games.NewRandom(2)
	var before games.Position
	for range 8 {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		before = p
		v.Moves = append(v.Moves, m)
		if p, err = p.Play(m); err != nil {
			b.Fatal(err)
		}
	}
	v.Position, v.Turn = p, p.Turn()
	a := ui.NewApp(b.Context(), ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Term: "xterm-256color", Environ: []string{"COLORTERM=truecolor"}})
	s := New(a.Env(), lobby.Ref{ID: "m1"}).(matchScreen)
	s.size = tea.WindowSizeMsg{Width: w, Height: h}
	s.view, s.scene = v, boardview.New(p, before, v.Moves[len(v.Moves)-1])
	s.input.Sel = s.scene.Start(games.First)
	return s
}
