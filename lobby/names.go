package lobby

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/secure/precis"
	"golang.org/x/text/width"
)

// The length of a name in cells of a screen, and what is more than any such name can take in bytes.
const (
	minNameCells = 2
	maxNameCells = 20
	maxNameBytes = 256
)

// A NameProblem says what is wrong with a name.
type NameProblem uint8

// What can be wrong with a name.
const (
	NameShort      NameProblem = iota + 1 // fewer than 2 screen cells
	NameLong                              // more than 20 screen cells
	NameCharacters                        // something else than letters, digits and - _ .
	NameEdges                             // - _ . at the start or end, or two in a row
	NameScripts                           // letters or digits of more than one script
	NameMarks                             // marks stacked on one letter
	NameReserved                          // looks like a guest, a computer player or staff
)

// A NameError says in words what is wrong with a name. Problem is apart so that the words can be given in another language.
type NameError struct {
	Problem NameProblem
}

func (e *NameError) Error() string {
	switch e.Problem {
	case NameShort:
		return "the name is too short"
	case NameLong:
		return "the name is too long"
	case NameCharacters:
		return "a name is made of letters, digits, and - _ . between them"
	case NameEdges:
		return "in a name - _ . stand alone, between letters or digits"
	case NameScripts:
		return "a name is written in one script"
	case NameMarks:
		return "a letter in a name has at most one mark"
	case NameReserved:
		return "a name must not look like a guest, a computer player or staff"
	}
	return "the name is not possible"
}

// CheckName checks whether somebody may be called name, and returns it in the form in which it is shown, and the key by
// which names are compared. The error is a *NameError. Any input is safe; whether the name is taken is another question.
func CheckName(name string) (shown, key string, err error) {
	shown, key, p := forms(name)
	if p == 0 {
		p = looksWrong(shown)
	}
	if p == 0 && reserved(key) {
		p = NameReserved
	}
	if p != 0 {
		return "", "", &NameError{p}
	}
	return shown, key, nil
}

// forms returns a name as it is shown and as names are compared, without a judgement on who may be called so.
func forms(name string) (shown, key string, p NameProblem) {
	switch {
	case len(name) > maxNameBytes:
		return "", "", NameLong
	case name == "":
		return "", "", NameShort
	case !utf8.ValidString(name):
		return "", "", NameCharacters
	}
	// PRECIS maps widths, composes, refuses what no identifier has, and checks right-to-left order.
	shown, err := precis.UsernameCasePreserved.String(name)
	if err != nil {
		return "", "", NameCharacters
	}
	if key, err = precis.UsernameCaseMapped.String(name); err != nil {
		return "", "", NameCharacters
	}
	return shown, key, 0
}

// What the characters of a name are.
const (
	other = iota
	separator
	letter // or digit
	mark
)

func classOf(r rune) int {
	switch {
	case strings.ContainsRune("-_.", r):
		return separator
	case unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return other
	case unicode.IsMark(r):
		return mark
	case unicode.IsLetter(r), unicode.Is(unicode.Nd, r):
		return letter
	}
	return other
}

// longVowel is what kana write a long vowel with, in both of their scripts.
const longVowel = 'ー'

// looksWrong returns the problem of a name whose characters PRECIS has let through; 0 if it has none.
func looksWrong(name string) NameProblem {
	cells, script, before := 0, "", separator
	for _, r := range name {
		class := classOf(r)
		switch {
		case class == other, class == mark && before == separator:
			return NameCharacters
		case class == separator && before == separator:
			return NameEdges
		case class == mark && before == mark:
			return NameMarks
		}
		before = class
		cells += cellsOf(r)
		s := scriptOf(r)
		if r == longVowel && (script == "Katakana" || script == "Hiragana") {
			s = script
		}
		if s != "" && script != "" && s != script {
			return NameScripts
		}
		if s != "" {
			script = s
		}
	}
	switch {
	case before == separator:
		return NameEdges
	case cells < minNameCells:
		return NameShort
	case cells > maxNameCells:
		return NameLong
	}
	return 0
}

// cellsOf returns how many cells of a screen a character takes.
func cellsOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// scriptOf returns the script of a character; "" for what all scripts share: separators, the digits 0 to 9, and marks that
// take the script of their letter.
func scriptOf(r rune) string {
	if r < utf8.RuneSelf && !unicode.IsLetter(r) {
		return ""
	}
	if unicode.Is(unicode.Latin, r) {
		return "Latin"
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			if name == "Inherited" {
				return ""
			}
			return name
		}
	}
	return "unknown"
}

// reservedWords are what nobody may be called: staff and the house, and what computer players are called.
var reservedWords = []string{
	"admin", "administrator", "club", "daemon", "guest", "help", "host", "house", "keeper", "lobby", "ludoteca", "mod",
	"moderator", "nobody", "official", "operator", "owner", "referee", "root", "server", "service", "staff", "support",
	"sysop", "system", "you",
	"champion", "computer", "cpu", "engine", "expert", "greedy", "master", "pupil", "random", "robot",
}

// reserved says whether a name, in the form in which names are compared, looks like a guest, a computer player or staff.
func reserved(key string) bool {
	for _, s := range []string{skeleton(key), skeleton(strings.TrimRight(key, "0123456789-_."))} {
		if strings.HasPrefix(s, skeleton("guest")) || strings.HasSuffix(s, skeleton("bot")) {
			return true
		}
		for _, w := range reservedWords {
			if s == skeleton(w) {
				return true
			}
		}
	}
	return false
}
