package sshapp

import (
	"context"
	"errors"
	"strings"
	"time"

	"charm.land/ssh"
	"charm.land/wish/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/records/files"
	"ludoteca/sshapp/records/sftpserver"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// SFTP is the subsystem that a club serves.
const SFTP = "sftp"

// The rate of requests for files: fileBurst at once, then one each fileInterval. Each brings at most 32 KiB or a hundred entries of a list.
const (
	fileInterval = 2 * time.Millisecond
	fileBurst    = 1000
)

func newFileRate() *origin.Throttle { return origin.NewThrottle(fileInterval, fileBurst, maxThrottled) }

// serveFiles serves the records of the club as files, by SFTP.
func (c *Club) serveFiles(next ssh.Handler) ssh.Handler {
	return func(s ssh.Session) {
		switch say := wording.FromLocale(s.Environ()).At(c.address); {
		case kindOf(s) == metrics.Command && strings.HasPrefix(s.RawCommand(), "scp "):
			wish.Errorln(s, say.T("Files are here by SFTP alone, which scp speaks since OpenSSH 9: leave out -O, or use sftp."))
			_ = s.Exit(command.Refused)
		case kindOf(s) != metrics.Files:
			next(s)
		case c.tree == nil:
			wish.Errorln(s, say.T("This club serves no files."))
			_ = s.Exit(command.Refused)
		default:
			c.sftp(s, say)
		}
	}
}

// sftp serves one session.
func (c *Club) sftp(s ssh.Session, say wording.Words) {
	viewer := storage.PlayerID("")
	if id := IdentityOf(s); !id.Guest {
		who, _, err := c.lobby.Accounts.SignIn(s.Context(), id.Fingerprint)
		if err != nil && !errors.Is(err, lobby.ErrNoAccount) {
			wish.Errorln(s, say.Error(err))
			_ = s.Exit(command.Refused)
			return
		}
		viewer = who.Player()
	}
	from := c.origin(s)
	view := c.tree.As(viewer, func(ctx context.Context, work func() error) error { return c.gate.Step(ctx, from.Person, work) })
	err := sftpserver.Serve(s.Context(), s, view, sftpserver.Options{
		Idle:    c.limits.Load().IdleLobby,
		Wait:    func(ctx context.Context) error { return waitFor(ctx, c.fileRate, from) },
		Refusal: func(err error) string { return refusedFile(say, err) },
		OnError: func(err error) {
			c.log.Error("a file can't be served", "connection", IdentityOf(s).ConnectionID, "err", err)
		},
		OnPanic: func(value any, stack []byte) {
			c.metrics.Panicked()
			c.log.Error("panic in a session", "err", value, "stack", string(stack))
		},
	})
	if err != nil {
		_ = s.Exit(command.Refused) // the client is gone, or has broken the protocol
	}
}

// refusedFile returns words for an error after which a client may try again.
func refusedFile(say wording.Words, err error) string {
	switch {
	case errors.Is(err, files.ErrFull):
		return say.T("Too many large files are open here. Please try again later.")
	case errors.Is(err, lobby.ErrBusy):
		return say.Error(err)
	}
	return ""
}

// waitFor waits until a throttle allows another request.
func waitFor(ctx context.Context, t *origin.Throttle, from origin.Origin) error {
	for {
		wait, ok := t.Take(time.Now(), from)
		if ok {
			return nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}
