//go:build linux

package compare

import (
	"context"
	"net"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"charm.land/wish/v2"
	"charm.land/wish/v2/bubbletea"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/lobby"
	"ludoteca/sshapp/loadtest"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/pages"
	"ludoteca/sshapp/ui/screen"
)

// serveStock serves the same screens as the stock middleware's own examples do.
func serveStock(ctx context.Context, l net.Listener, key gossh.Signer, club *lobby.Lobby) error {
	server, err := wish.NewServer(
		func(s *ssh.Server) error { s.AddHostKey(key); return nil },
		wish.WithPublicKeyAuth(func(ssh.Context, ssh.PublicKey) bool { return true }),
		wish.WithKeyboardInteractiveAuth(func(ssh.Context, gossh.KeyboardInteractiveChallenge) bool { return true }),
		wish.WithMiddleware(bubbletea.Middleware(func(s ssh.Session) (tea.Model, []tea.ProgramOption) {
			return ui.NewApp(s.Context(), visitorOf(s, club)), nil
		}), loadtest.PanicOnPurpose),
	)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	parting, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return server.Shutdown(parting)
}

// visitorOf returns the ui.Config that sshapp.Club would make for a session.
func visitorOf(s ssh.Session, club *lobby.Lobby) ui.Config {
	pty, _, _ := s.Pty()
	cfg := ui.Config{Lobby: screen.Of(club), Pages: pages.All(), Term: pty.Term, Environ: s.Environ(), Bell: func() tea.Msg { return tea.Raw("\a")() }}
	if words := s.Command(); len(words) == 2 && words[0] == "watch" {
		cfg.Start, cfg.Code = ui.StartWatch, words[1]
	}
	cfg.Who = club.Accounts.Guest(s.Context().SessionID())
	if key := s.PublicKey(); key != nil {
		if who, settings, err := club.Accounts.SignIn(s.Context(), gossh.FingerprintSHA256(key)); err == nil {
			cfg.Who, cfg.Settings = who, settings
		}
	}
	return cfg
}
