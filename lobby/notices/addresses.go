package notices

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/mail"
	"strings"

	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/notices"
)

const (
	maxMail      = 254 // bytes of an email address (RFC 5321)
	maxLocalPart = 64
	minTopic     = 16
	maxTopic     = 64
	codeLetters  = 8 // of the code that confirms an address: 39 bits, for MaxTries guesses
)

// ParseMail reads an email address: a plain addr-spec in ASCII, without quotes, comments, display name, route or list. The error is
// refusal.ErrAddress.
func ParseMail(address string) (notices.Destination, error) {
	local, domain, ok := strings.Cut(address, "@")
	if !ok || len(address) > maxMail || len(local) > maxLocalPart || strings.ContainsFunc(address, notInMail) || strings.Contains(domain, "@") {
		return notices.Destination{}, refusal.ErrAddress
	}
	a, err := mail.ParseAddress(address)
	if err != nil || a.Name != "" || a.Address != address {
		return notices.Destination{}, refusal.ErrAddress
	}
	base, _, _ := strings.Cut(local, "+") // what follows is a mailbox of the same owner
	if base == "" {
		base = local
	}
	return notices.Destination{Kind: notices.Mail, To: address, Same: strings.ToLower(base + "@" + domain)}, nil
}

// notInMail reports whether a character is none of the plain addresses that ParseMail reads. % and ! ask old servers to send the mail on.
func notInMail(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),:;<>[\]%!`, r)
}

// ParseTopic reads a topic of ntfy. The error is refusal.ErrTopic.
func ParseTopic(topic string) (notices.Destination, error) {
	if len(topic) < minTopic || len(topic) > maxTopic || strings.ContainsFunc(topic, notInTopic) {
		return notices.Destination{}, refusal.ErrTopic
	}
	return notices.Destination{Kind: notices.Ntfy, To: topic, Same: topic}, nil
}

func notInTopic(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// errorOf translates an error of the store. missing is what storage.ErrNotFound means.
func errorOf(err, missing error) error {
	if err == nil {
		return nil
	}
	var wait *notices.WaitError
	if errors.As(err, &wait) {
		reason := refusal.ErrManyCodes
		if errors.Is(wait.Reason, notices.ErrYoung) {
			reason = refusal.ErrYoung
		}
		return &refusal.CodeWaitError{Reason: reason, Wait: wait.Wait}
	}
	for _, known := range []struct{ from, to error }{
		{storage.ErrNotFound, missing}, {storage.ErrUnchanged, refusal.ErrUnchanged}, {notices.ErrNoCodes, refusal.ErrNoCodes},
		{notices.ErrWrongCode, refusal.ErrNoticeCode},
	} {
		if errors.Is(err, known.from) {
			return known.to
		}
	}
	return refusal.OfStore(err)
}

// mayHave returns nil for a person with an account, who may have notices. The errors are refusal.ErrNeedsKey, refusal.ErrAccountClosed and
// refusal.ErrEngine.
func (s *Service) mayHave(u match.User) error {
	if u.Kind == storage.Engine {
		return refusal.ErrEngine
	}
	return s.config.Restrictions.Own(u)
}

// Ask sends a code to an address where a player wants notices. The address counts only once the player has typed the code (Confirm); until then an
// older address stays. The errors are refusal.ErrNeedsKey, refusal.ErrEngine, refusal.ErrAccountClosed, refusal.ErrNoSender, refusal.ErrYoung and
// refusal.ErrManyCodes as a *refusal.CodeWaitError, refusal.ErrNoCodes, refusal.ErrUnchanged, refusal.ErrNoAccount and refusal.ErrBusy.
func (s *Service) Ask(ctx context.Context, u match.User, from origin.Origin, to notices.Destination) (notices.Address, error) {
	if err := s.mayHave(u); err != nil {
		return notices.Address{}, err
	}
	if !s.Sends(to.Kind) {
		return notices.Address{}, refusal.ErrNoSender
	}
	refund, err := s.asking.Take(ctx, from)
	var throttled *refusal.ThrottledError
	switch {
	case errors.As(err, &throttled):
		return notices.Address{}, &refusal.CodeWaitError{Reason: refusal.ErrManyCodes, Wait: throttled.Wait}
	case err != nil:
		return notices.Address{}, err
	}
	id, text := u.Player(), codes.Letters(codeLetters)
	code := notices.Code{Text: text, Hash: hashCode(id, text)}
	a, err := s.config.Store.AskAddress(ctx, id, to, code, s.config.Now())
	if err != nil {
		if refund(); errors.Is(err, storage.ErrNotFound) {
			return a, refusal.ErrNoAccount
		}
		return a, errorOf(err, refusal.ErrNoAccount)
	}
	s.queue.addCode(notices.UnsentCode{Player: id, To: a, Code: code})
	s.soon()
	return a, nil
}

// hashCode returns the hash of a code of a player as it is stored. Letter case, spaces and hyphens don't count.
func hashCode(id storage.PlayerID, code string) string {
	code = strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
	sum := sha256.Sum256([]byte("ludoteca notice code " + string(id) + " " + code))
	return hex.EncodeToString(sum[:])
}

// Confirm makes the address to which a code was sent the player's, from now on. The errors are refusal.ErrNeedsKey, refusal.ErrEngine,
// refusal.ErrAccountClosed, refusal.ErrNoticeCode and refusal.ErrBusy.
func (s *Service) Confirm(ctx context.Context, u match.User, code string) (notices.Address, error) {
	if err := s.mayHave(u); err != nil {
		return notices.Address{}, err
	}
	a, err := s.config.Store.ConfirmAddress(ctx, u.Player(), hashCode(u.Player(), code), s.config.Now())
	if err != nil {
		return a, errorOf(err, refusal.ErrNoticeCode)
	}
	s.contact(u.Player(), a.Kind)
	return a, nil
}

// Of returns where a player wants notices, and the address that waits for its code. Either may be missing. The errors are refusal.ErrNeedsKey and
// refusal.ErrBusy.
func (s *Service) Of(ctx context.Context, u match.User) (notices.Contact, error) {
	if !u.Kind.HasAccount() {
		return notices.Contact{}, refusal.ErrNeedsKey
	}
	c, err := s.config.Store.Contact(ctx, u.Player())
	if c.Pending != nil && !s.config.Now().Before(c.Pending.Until) {
		c.Pending = nil
	}
	return c, refusal.OfStore(err)
}

// End ends the notices to a player, at their wish. The errors are refusal.ErrNeedsKey, refusal.ErrUnchanged and refusal.ErrBusy.
func (s *Service) End(ctx context.Context, u match.User) error {
	if !u.Kind.HasAccount() {
		return refusal.ErrNeedsKey
	}
	if err := s.config.Store.EndNotices(ctx, u.Player()); err != nil {
		return errorOf(err, refusal.ErrUnchanged)
	}
	s.Forget(u.Player())
	return nil
}

// Stop ends all notices to the address in whose notices a stop code stands, for ever. Any user may ask. A wrong code counts as one of a match. The
// errors are refusal.ErrStopCode, *refusal.ThrottledError and refusal.ErrBusy.
func (s *Service) Stop(ctx context.Context, from origin.Origin, typed string) error {
	refund, err := s.config.Guesses.Take(ctx, from)
	if err != nil {
		return err
	}
	code, ok := notices.ReadStopCode(typed)
	if !ok {
		return refusal.ErrStopCode
	}
	players, err := s.config.Store.StopNotices(ctx, code, s.config.Now())
	if err = errorOf(err, refusal.ErrStopCode); !errors.Is(err, refusal.ErrStopCode) {
		refund()
	}
	if err != nil {
		return err
	}
	for _, id := range players {
		c, err := s.config.Store.Contact(ctx, id) // the stopped address may have been one that waited for its code
		if err == nil && c.Confirmed == nil {
			s.Forget(id)
		}
	}
	return nil
}
