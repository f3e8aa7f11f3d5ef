package sshapp

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"ludoteca/lobby"
)

// accounts bounds how many accounts are made from one address.
type accounts struct {
	limits *Limits

	mu   sync.Mutex // guards what follows
	pace pace
}

func newAccounts(l *Limits) *accounts {
	return &accounts{limits: l, pace: newPace(l.NewAccountsWindow/time.Duration(l.NewAccounts), l.NewAccounts)}
}

// begin takes one account of an address, or says that it has had enough. undo gives it back when none was made.
func (a *accounts) begin(from netip.Addr) (undo func(), ok bool) {
	if a.limits.spares(from) {
		return func() {}, true
	}
	key := addressKey(from)
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.pace.allow(key, time.Now()) {
		return nil, false
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.pace.undo(key)
	}, true
}

// A desk is the lobby as one visitor meets it: it makes accounts at the pace of his address.
type desk struct {
	*lobby.Lobby
	club *Club
	from netip.AddrPort
}

// SignUp makes an account for a new key. The error is one of lobby.SignUp, or lobby.ErrManyAccounts.
func (d desk) SignUp(ctx context.Context, fingerprint, name string) (lobby.Who, error) {
	undo, ok := d.club.accounts.begin(d.from.Addr())
	if !ok {
		d.club.metrics.Refused(string(tooManyAccounts))
		d.club.log.Warn("refused", "reason", tooManyAccounts, "remote", d.from)
		return lobby.Who{}, lobby.ErrManyAccounts
	}
	who, err := d.Lobby.SignUp(ctx, fingerprint, name)
	if err != nil {
		undo()
	}
	return who, err
}
