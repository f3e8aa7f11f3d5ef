package uitest

import (
	"context"
	"slices"
	"strings"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	noticestore "ludoteca/storage/notices"
)

// NoticeCode is the code that confirms an address in a FakeLobby.
const NoticeCode = "K7QM2XPD"

// fakeNotices are the notices of a FakeLobby, to one player.
type fakeNotices struct{ *FakeLobby }

func (c fakeNotices) Sends(kind noticestore.Kind) bool {
	return slices.Contains(c.FakeLobby.Sends, kind)
}

func (c fakeNotices) Of(context.Context, lobby.User) (noticestore.Contact, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Contact, nil
}

func (c fakeNotices) Ask(_ context.Context, _ lobby.User, _ origin.Origin, to noticestore.Destination) (noticestore.Address, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	a := noticestore.Address{Kind: to.Kind, To: to.To}
	c.Contact.Pending = &noticestore.Pending{Address: a}
	return a, nil
}

func (c fakeNotices) Confirm(_ context.Context, _ lobby.User, code string) (noticestore.Address, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.Contact.Pending == nil || strings.ToUpper(code) != NoticeCode {
		return noticestore.Address{}, lobby.ErrNoticeCode
	}
	a := c.Contact.Pending.Address
	c.Contact = noticestore.Contact{Confirmed: &a}
	return a, nil
}

func (c fakeNotices) End(context.Context, lobby.User) error {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Contact = noticestore.Contact{}
	return nil
}
