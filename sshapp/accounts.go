package sshapp

import (
	"context"
	"net/netip"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/throttle"
)

// accounts bounds how many accounts are made from one address.
type accounts struct {
	limits *Limits
	rate   *throttle.Throttle[netip.Addr]
}

func newAccounts(l *Limits) *accounts {
	return &accounts{
		limits: l, rate: throttle.New[netip.Addr](l.NewAccountsWindow/time.Duration(l.NewAccounts), l.NewAccounts, maxThrottled),
	}
}

// begin takes one account of an address, or says that it has had enough. undo gives it back when none was made.
func (a *accounts) begin(from netip.Addr) (undo func(), ok bool) {
	if a.limits.spares(from) {
		return func() {}, true
	}
	key := addressKey(from)
	if _, ok := a.rate.Take(time.Now(), key); !ok {
		return nil, false
	}
	return func() { a.rate.Return(time.Now(), key) }, true
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
