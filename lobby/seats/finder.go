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

// A Finder finds the match that somebody names.
//
// Everybody may look at public matches, and at finished ones: history lists them, private ones too. An unfinished private match is there for those
// whom it concerns and for those who know its code; to everybody else its id names nothing, in the same words and for the same wrong guess as an
// id that nobody has. The code of a match opens its free seat, so that only those whom the match concerns are shown it; a user who came by the
// code has it from elsewhere.
type Finder struct{ config FinderConfig }

// A FinderConfig configures NewFinder.
type FinderConfig struct {
	Store    FinderStore
	Matches  *matches.Service
	Registry *registry.Registry
	Guesses  attempts.Attempts // of wrong codes and ids
	Now      func() time.Time  // the clock of events
}

// A FinderStore keeps matches by code and finished ones; see matches.Store and results.Store.
type FinderStore interface {
	// ByCode returns the match that the code, in upper case, names at the time now; storage.ErrNotFound.
	ByCode(ctx context.Context, code string, now time.Time) (storage.MatchID, error)

	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
}

// NewFinder returns a finder.
func NewFinder(c FinderConfig) *Finder { return &Finder{c} }

// guess looks a code up. It costs the user and the blocks of their address one of their wrong guesses each, which is taken
// before the lookup and returned if the code was right, so many guesses at once are no way around the limit.
// Without guesses left, right codes are refused too: else the refusal would tell them apart. A code of one's own match
// costs nothing: one visitor's wrong guesses must not keep others behind the same address from their matches.
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

// Guesser is whom wrong guesses count against.
func Guesser(u match.User, from origin.Origin) origin.Origin {
	if u.ID != "" {
		from.Person = match.PersonOf(u.Occupant())
	}
	return from
}

// byCode returns the match that a code names, when this node has heard of it; refusal.ErrNoSuchMatch, refusal.ErrBusy.
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

// look returns no error if a user may look at a match, which isn't loaded for that. ref holds the code if the user knows it. For a
// match that the user may not see, the store is asked all the same, so that it takes no less time than for an unknown id.
// The errors are those of views.
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

// Find returns the match that a code or an id names, in any letter case, and its code if that was given. Wrong guesses of
// either count as in Join; the codes of one's own unfinished matches are not guesses, and the id of a match that the user may see
// is found even without guesses left, since it is no secret. u may be zero. The errors are refusal.ErrNoSuchMatch, a
// *refusal.ThrottledError, refusal.ErrDamaged, refusal.ErrBusy.
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

// Reveal is Find for operators: they see every match and its code, and guess nothing.
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
