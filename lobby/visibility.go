package lobby

import (
	"context"
	"errors"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// # Who sees what
//
// Everybody may look at public matches, and at finished ones: history lists them, private ones too. An unfinished private match
// is there for those whom it concerns and for those who know its code; to everybody else its id names nothing, in the same
// words and for the same wrong guess as an id that nobody has. The code of a match opens its free seat, so that only those whom
// the match concerns are shown it; a user who came by the code has it from elsewhere.

// concerned reports whether a match concerns a user: they sit in it, its free seat is kept for them, or they opened an exhibition.
func concerned(s *match.Summary, u User) bool {
	_, seated := s.Side(u)
	return seated || s.Started.IsZero() && u.Is(s.Reserved) || u.Is(s.By)
}

// knowsCode reports whether a user who has typed a code, "" for none, is shown that of a match.
func knowsCode(s *match.Summary, u User, code string) bool {
	return concerned(s, u) || code != "" && code == s.Code
}

// look returns no error if a user may look at a match, which isn't loaded for that. ref holds the code if the user knows it. For a
// match that the user may not see, the store is asked all the same, so that it takes no less time than for an unknown id.
// The errors are those of views.
func (l *Lobby) look(ctx context.Context, u User, ref Ref) error {
	s := l.registry.Find(ref.ID).Summary
	switch {
	case s == nil:
		_, err := l.Matches.Views(ctx, ref.ID)
		return err
	case s.Public || knowsCode(s, u, ref.Code):
		return nil
	}
	_, err := l.store.Finished(ctx, ref.ID) // it may have ended just now
	if errors.Is(err, storage.ErrNotFound) {
		return ErrNoSuchMatch
	}
	return refusal.OfStore(err)
}

// Find returns the match that a code or an id names, in any letter case, and its code if that was given. Wrong guesses of
// either count as in Join; the codes of one's own unfinished matches are not guesses, and the id of a match that the user may see
// is found even without guesses left, since it is no secret. u may be zero. The errors are ErrNoSuchMatch, a
// *ThrottledError, ErrDamaged, ErrBusy.
func (l *Lobby) Find(ctx context.Context, u User, from origin.Origin, codeOrID string) (Ref, error) {
	if id := readID(codeOrID); id != "" {
		err := l.look(ctx, u, Ref{ID: id})
		if errors.Is(err, ErrNoSuchMatch) {
			if _, limited := (*l.guesses.Load()).Take(ctx, guesser(u, from)); limited != nil {
				err = limited
			}
		}
		return Ref{ID: id}, err
	}
	code := readCode(codeOrID)
	id, err := l.guess(ctx, u, from, code)
	return Ref{ID: id, Code: code}, err
}

// Reveal is Find for operators: they see every match and its code, and guess nothing.
func (l *Lobby) Reveal(ctx context.Context, codeOrID string) (Ref, error) {
	id := readID(codeOrID)
	if id == "" {
		var err error
		if id, err = l.byCode(ctx, readCode(codeOrID)); err != nil {
			return Ref{}, err
		}
	}
	if s := l.registry.Find(id).Summary; s != nil {
		return s.Ref, nil
	}
	v, err := l.Matches.View(ctx, id)
	if err != nil {
		return Ref{}, err
	}
	return v.Ref, nil
}

// shown returns a view as a user sees it who has typed a code, "" for none. The rematch of a match is a private one of its players.
func shown(v *View, u User, code string) *View {
	known := knowsCode(&v.Summary, u, code)
	_, seated := v.Side(u)
	if known && (seated || v.Rematch == nil) {
		return v
	}
	hidden := *v
	if !known {
		hidden.Code = ""
	}
	if !seated {
		hidden.Rematch = nil
	}
	return &hidden
}
