package seats

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/lobby/attempts"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A Finder finds matches by code or id and decides who may see them.
//
// All users may see public matches and finished ones, because history lists both; it lists private ones too. Only the users whom it concerns and
// users who know its code may see an unfinished private match. For other users its id is unknown: the answer and the cost in guesses
// are the same as for an id that doesn't exist. The code of a match opens its free seat, so the club shows it only to the users whom the
// match concerns. Other users can only get it from them.
type Finder struct{ config FinderConfig }

// A FinderConfig configures NewFinder.
type FinderConfig struct {
	Store    FinderStore
	Matches  *matches.Service
	Registry *registry.Registry
	Guesses  attempts.Attempts // limits wrong codes and ids
	Now      func() time.Time  // the clock of events
}

// A FinderStore finds matches by code, and finished ones by id; see matches.Store and results.Store.
type FinderStore interface {
	// ByCode returns the match that the code, in upper case, names at the time now. The error is storage.ErrNotFound if there is none.
	ByCode(ctx context.Context, code string, now time.Time) (storage.MatchID, error)

	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
}

// NewFinder returns a Finder.
func NewFinder(c FinderConfig) *Finder { return &Finder{c} }

// guess looks a code up. It takes one wrong guess from the user and from each block of their address before the lookup, and refunds it
// if the code was right, so that parallel guesses can't evade the limit. Without guesses left, right codes are refused too: else the refusal
// would tell them apart. The code of a match of the user's own costs nothing, so that one visitor's wrong guesses don't keep others behind
// the same address from their matches.
func (f *Finder) guess(ctx context.Context, u match.User, from origin.Origin, code string) (storage.MatchID, error) {
	own := f.config.Registry.Of(u.Key())
	if i := slices.IndexFunc(own, func(v *match.Summary) bool { return code != "" && v.Code == code }); i >= 0 {
		return own[i].ID, nil
	}
	back, err := f.config.Guesses.Take(ctx, Guesser(u, from))
	if err != nil {
		return "", err
	}
	id, err := f.byCode(ctx, code)
	if !errors.Is(err, refusal.ErrNoSuchMatch) {
		back()
	}
	return id, err
}

// Guesser returns the origin against which wrong guesses of u count: from, with the person of u if u is set.
func Guesser(u match.User, from origin.Origin) origin.Origin {
	if u.ID != "" {
		from.Person = match.PersonOf(u.Occupant())
	}
	return from
}

// byCode returns the match that a code names. It waits a short time for this node to know the match. The errors are refusal.ErrNoSuchMatch
// and refusal.ErrBusy.
func (f *Finder) byCode(ctx context.Context, code string) (storage.MatchID, error) {
	if code == "" {
		return "", refusal.ErrNoSuchMatch
	}
	id, err := f.config.Store.ByCode(ctx, code, f.config.Now())
	if errors.Is(err, storage.ErrNotFound) {
		return "", refusal.ErrNoSuchMatch
	}
	if err == nil {
		f.config.Matches.UntilKnown(ctx, id)
	}
	return id, refusal.OfStore(err)
}

// look returns nil if a user may see a match. It doesn't load an unfinished match. ref has the code if the user knows it. look asks
// the store also for a match that the user may not see, so that the answer takes as long as for an unknown id. It returns the errors of
// matches.Service.Feed.
func (f *Finder) look(ctx context.Context, u match.User, ref match.Ref) error {
	s := f.config.Registry.Find(ref.ID).Summary
	switch {
	case s == nil:
		_, err := f.config.Matches.Feed(ctx, ref.ID)
		return err
	case s.Public || s.KnowsCode(u, ref.Code):
		return nil
	}
	_, err := f.config.Store.Finished(ctx, ref.ID) // it may have ended just now
	if errors.Is(err, storage.ErrNotFound) {
		return refusal.ErrNoSuchMatch
	}
	return refusal.OfStore(err)
}

// Find returns the match that a code or an id names, in any letter case, and its code if that was given. Wrong codes and ids count as in
// Service.Join. The codes of the user's own unfinished matches are not guesses. The id of a match that the user may see is no secret and
// works even without guesses left. u may be zero. The errors are refusal.ErrNoSuchMatch, a *refusal.ThrottledError, refusal.ErrDamaged and
// refusal.ErrBusy.
func (f *Finder) Find(ctx context.Context, u match.User, from origin.Origin, codeOrID string) (match.Ref, error) {
	if id := codes.ReadID(codeOrID); id != "" {
		err := f.look(ctx, u, match.Ref{ID: id})
		if errors.Is(err, refusal.ErrNoSuchMatch) {
			if _, limited := f.config.Guesses.Take(ctx, Guesser(u, from)); limited != nil {
				err = limited
			}
		}
		return match.Ref{ID: id}, err
	}
	code := codes.Read(codeOrID)
	id, err := f.guess(ctx, u, from, code)
	return match.Ref{ID: id, Code: code}, err
}

// Reveal is Find for operators, who may see every match and its code. No guesses are counted.
func (f *Finder) Reveal(ctx context.Context, codeOrID string) (match.Ref, error) {
	id := codes.ReadID(codeOrID)
	if id == "" {
		var err error
		if id, err = f.byCode(ctx, codes.Read(codeOrID)); err != nil {
			return match.Ref{}, err
		}
	}
	if s := f.config.Registry.Find(id).Summary; s != nil {
		return s.Ref, nil
	}
	v, err := f.config.Matches.View(ctx, id)
	if err != nil {
		return match.Ref{}, err
	}
	return v.Ref, nil
}
