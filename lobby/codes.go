package lobby

import (
	"crypto/rand"
	"strings"

	"ludoteca/storage"
)

// The letters of codes and ids: without 0, O, 1, I, L and U, which people mistake for each other or for words.
const (
	codeLetters = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
	codeLength  = 6
	idLength    = 8
)

// newCode returns a code that nobody can guess.
func newCode() string { return randomLetters(codeLength) }

// newID returns the id of a new match.
func newID() storage.MatchID { return storage.MatchID(strings.ToLower(randomLetters(idLength))) }

// randomLetters returns n letters from crypto/rand, each of the 30 equally likely.
func randomLetters(n int) string {
	out := make([]byte, 0, n)
	for len(out) < n {
		var raw [16]byte
		rand.Read(raw[:]) // never fails: it would crash the program instead
		for _, b := range raw {
			if b &= 31; int(b) < len(codeLetters) && len(out) < n {
				out = append(out, codeLetters[b])
			}
		}
	}
	return string(out)
}

// isCode says whether s has the form of a code, as it is stored.
func isCode(s string) bool { return len(s) == codeLength && onlyLetters(s) }

func onlyLetters(s string) bool {
	for i := range len(s) {
		if strings.IndexByte(codeLetters, s[i]) < 0 {
			return false
		}
	}
	return true
}

// readCode returns what somebody typed as a code, or "" if it can't be one.
func readCode(typed string) string {
	if len(typed) > 4*codeLength { // nobody types that many blanks
		return ""
	}
	if s := strings.ToUpper(strings.TrimSpace(typed)); isCode(s) {
		return s
	}
	return ""
}

// readID returns what somebody typed as the id of a match, or "" if it can't be one.
func readID(typed string) storage.MatchID {
	if len(typed) > 4*idLength {
		return ""
	}
	if s := strings.ToUpper(strings.TrimSpace(typed)); len(s) == idLength && onlyLetters(s) {
		return storage.MatchID(strings.ToLower(s))
	}
	return ""
}
