package lobby

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"ludoteca/lobby/attempts"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// idLength is the number of letters of the id of a match: those of codes, in lower case.
const idLength = 8

// maxGuessers is how many people, and as many blocks of addresses of each size, with wrong guesses are remembered.
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

// IsID reports whether typed is written as the id of a match, in any letter case; a code is shorter.
func IsID(typed string) bool { return readID(typed) != "" }

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

func newGuesses(by attempts.Limiter, l Limits) *attempts.Attempts {
	guesses := by.Attempts("code", l.GuessEvery, l.WrongGuesses, maxGuessers)
	return &guesses
}

// guess looks a code up. It costs the user and the blocks of their address one of their wrong guesses each, which is taken
// before the lookup and returned if the code was right, so many guesses at once are no way around the limit.
// Without guesses left, right codes are refused too: else the refusal would tell them apart. A code of one's own match
// costs nothing: one visitor's wrong guesses must not keep others behind the same address from their matches.
func (l *Lobby) guess(ctx context.Context, u User, from origin.Origin, code string) (storage.MatchID, error) {
	own := l.registry.Of(u.Key())
	if i := slices.IndexFunc(own, func(v *match.Summary) bool { return code != "" && v.Code == code }); i >= 0 {
		return own[i].ID, nil
	}
	back, err := (*l.guesses.Load()).Take(ctx, guesser(u, from))
	if err != nil {
		return "", err
	}
	id, err := l.byCode(ctx, code)
	if !errors.Is(err, ErrNoSuchMatch) {
		back()
	}
	return id, err
}

// guesser is whom wrong guesses count against.
func guesser(u User, from origin.Origin) origin.Origin {
	if u.ID != "" {
		from.Person = personOf(u.Occupant())
	}
	return from
}

// byCode returns the match that a code names, when this node has heard of it; ErrNoSuchMatch, ErrBusy.
func (l *Lobby) byCode(ctx context.Context, code string) (storage.MatchID, error) {
	if code == "" {
		return "", ErrNoSuchMatch
	}
	id, err := l.store.ByCode(ctx, code, l.now())
	if errors.Is(err, storage.ErrNotFound) {
		return "", ErrNoSuchMatch
	}
	if err == nil {
		l.untilKnown(ctx, id)
	}
	return id, refusal.OfStore(err)
}

func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}
