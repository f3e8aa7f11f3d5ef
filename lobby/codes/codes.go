// Package codes makes the codes and ids of matches, and other codes that people type, and reads what they have typed.
package codes

import (
	"crypto/rand"
	"strings"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// idLength is the number of letters of the id of a match. The letters are match.CodeLetters in lower case.
const idLength = 8

// New returns a random code for a new match. It can't be guessed.
func New() string { return Letters(match.CodeLength) }

// NewID returns the id of a new match.
func NewID() storage.MatchID { return storage.MatchID(strings.ToLower(Letters(idLength))) }

// Letters returns n letters from crypto/rand, each of the 30 of match.CodeLetters equally likely.
func Letters(n int) string {
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

// Read returns typed as the code of a match, in upper case, or "" if it can't be one.
func Read(typed string) string { return readLetters(typed, match.CodeLength) }

// IsID reports whether typed has the form of the id of a match, in any letter case. A code is shorter.
func IsID(typed string) bool { return ReadID(typed) != "" }

// ReadID returns typed as the id of a match, in lower case, or "" if it can't be one.
func ReadID(typed string) storage.MatchID {
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
