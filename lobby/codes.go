package lobby

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/throttle"
	"ludoteca/storage"
)

// idLength is the number of letters of the id of a match: those of codes, in lower case.
const idLength = 8

// maxGuessers is how many people and addresses with wrong guesses are remembered.
const maxGuessers = 10_000

// newCode returns a code that nobody can guess.
func newCode() string { return randomLetters(match.CodeLength) }

// newID returns the id of a new match.
func newID() storage.MatchID { return storage.MatchID(strings.ToLower(randomLetters(idLength))) }

// randomLetters returns n letters from crypto/rand, each of the 30 equally likely.
func randomLetters(n int) string {
	out := make([]byte, 0, n)
	for len(out) < n {
		var raw [16]byte
		rand.Read(raw[:]) // never fails: it would crash the program instead
		for _, b := range raw {
			if b &= 31; int(b) < len(match.CodeLetters) && len(out) < n {
				out = append(out, match.CodeLetters[b])
			}
		}
	}
	return string(out)
}

// readCode returns typed as a code in upper case, or "" if it can't be one.
func readCode(typed string) string { return readLetters(typed, match.CodeLength) }

// readID returns typed as the id of a match, or "" if it can't be one.
func readID(typed string) storage.MatchID {
	return storage.MatchID(strings.ToLower(readLetters(typed, idLength)))
}

func readLetters(typed string, n int) string {
	if len(typed) > 4*n { // mostly blanks
		return ""
	}
	s := strings.ToUpper(strings.TrimSpace(typed))
	if len(s) != n || strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune(match.CodeLetters, r) }) {
		return ""
	}
	return s
}

// Find returns the id of the match that a code or an id names, in any letter case. Wrong guesses count against origin, as
// in Join; the codes of one's own unfinished matches are not guesses. u may be zero.
// The errors are ErrNoSuchMatch, a *ThrottledError, ErrBusy.
func (l *Lobby) Find(ctx context.Context, u User, origin, codeOrID string) (storage.MatchID, error) {
	if id := readID(codeOrID); id != "" {
		_, err := l.views(ctx, id)
		return id, err
	}
	return l.guess(ctx, u, readCode(codeOrID), origin)
}

// guess looks a code up. It costs each of guessers (an address, a person; "" is nobody) one of their wrong guesses, which
// is taken before the lookup and returned if the code was right, so many guesses at once are no way around the limit.
// Without guesses left, right codes are refused too: else the refusal would tell them apart. A code of one's own match
// costs nothing: one visitor's wrong guesses must not keep others behind the same address from their matches.
func (l *Lobby) guess(ctx context.Context, u User, code string, guessers ...string) (storage.MatchID, error) {
	own := l.index.of(u.Key())
	if i := slices.IndexFunc(own, func(v *View) bool { return code != "" && v.Code == code }); i >= 0 {
		return own[i].ID, nil
	}
	guessers = slices.DeleteFunc(guessers, func(g string) bool { return g == "" })
	if wait, ok := l.guesses.Take(time.Now(), guessers...); !ok {
		return "", &ThrottledError{wait}
	}
	if code == "" {
		return "", ErrNoSuchMatch
	}
	id, err := l.store.ByCode(ctx, code, l.now())
	if errors.Is(err, storage.ErrNotFound) {
		return "", ErrNoSuchMatch
	}
	l.guesses.Return(time.Now(), guessers...)
	return id, storeError(err)
}

func newGuesses(l Limits) *throttle.Throttle[string] {
	return throttle.New[string](l.GuessEvery, l.WrongGuesses, maxGuessers)
}
