package lobby

import (
	"crypto/rand"
	"strings"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
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

func newGuesses(l Limits) *origin.Throttle {
	return origin.NewThrottle(l.GuessEvery, l.WrongGuesses, maxGuessers)
}
