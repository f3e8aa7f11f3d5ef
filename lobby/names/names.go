// Package names checks the names of players and tells when two names are the same or look alike.
package names

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/secure/precis"
	"golang.org/x/text/width"
)

// The length of a name in screen cells, and a bound in bytes that no such name reaches.
const (
	minCells = 2
	maxCells = 20
	maxBytes = 256
)

// A Problem is a reason why a name is not allowed.
type Problem uint8

// The problems of names.
const (
	Short        Problem = iota + 1 // fewer than 2 screen cells
	Long                            // more than 20 screen cells
	Characters                      // anything but letters, digits and - _ .
	Edges                           // - _ . at the start or end, or two in a row
	Scripts                         // letters or digits of more than one script
	Marks                           // marks stacked on one letter
	Reserved                        // looks like a guest, a computer player or staff
	LongNickname                    // of a guest: more than 14 screen cells
)

// An Error says that a name is not allowed. Callers can translate Problem into another language.
type Error struct {
	Problem Problem
}

func (e *Error) Error() string {
	switch e.Problem {
	case Short:
		return "the name is too short"
	case Long:
		return "the name is too long"
	case Characters:
		return "a name is made of letters, digits, and - _ . between them"
	case Edges:
		return "in a name - _ . stand alone, between letters or digits"
	case Scripts:
		return "a name is written in one script"
	case Marks:
		return "a letter in a name has at most one mark"
	case Reserved:
		return "a name must not look like a guest, a computer player or staff"
	case LongNickname:
		return "the nickname is too long"
	}
	return "the name is not possible"
}

// Check returns a name as it is shown, and the key by which names are compared. The error is an *Error if the name is not
// allowed. Any input is safe. Check doesn't know which names are taken.
func Check(name string) (shown, key string, err error) {
	shown, key, p := normalize(name)
	if p == 0 {
		p = looksWrong(shown)
	}
	if p == 0 && (reserved(shown) || reserved(key)) {
		p = Reserved
	}
	if p != 0 {
		return "", "", &Error{p}
	}
	return shown, key, nil
}

// GuestPrefix begins the names of guests, and of nobody else.
const GuestPrefix = "guest-"

// CheckNickname is Check for a nickname, which stands behind GuestPrefix in the name of a guest: both together are no longer than a name.
func CheckNickname(name string) (shown, key string, err error) {
	if shown, key, err = Check(name); err != nil {
		return "", "", err
	}
	cells := len(GuestPrefix)
	for _, r := range shown {
		cells += cellsOf(r)
	}
	if cells > maxCells {
		return "", "", &Error{LongNickname}
	}
	return shown, key, nil
}

// The bounds of titles, in screen cells.
const (
	minTitle = 3
	maxTitle = 40
)

// CheckTitle returns the title of something that a user names in one form, whatever spaces were typed. A title is words with one space between
// them. Each word has the characters of a name, all are of one script, and none looks like staff. The error is an *Error.
func CheckTitle(title string) (shown string, err error) {
	if len(title) > maxBytes {
		return "", &Error{Long}
	}
	words := strings.Fields(title)
	cells, script := len(words)-1, ""
	for i, w := range words {
		word, key, p := normalize(w)
		if p != 0 {
			return "", &Error{p}
		}
		if p := looksWrong(word); p != 0 && p != Short {
			return "", &Error{p}
		}
		for _, r := range word {
			cells += cellsOf(r)
			if s := scriptOf(r); s != "" && r != longVowel {
				if script != "" && script != s && !(japanese(script) && japanese(s)) {
					return "", &Error{Scripts}
				}
				script = s
			}
		}
		for _, staff := range staffSkeletons {
			if strings.HasPrefix(staffSkeleton(word), staff) || strings.HasPrefix(staffSkeleton(key), staff) {
				return "", &Error{Reserved}
			}
		}
		words[i] = word
	}
	switch shown = strings.Join(words, " "); {
	case cells < minTitle:
		return "", &Error{Short}
	case cells > maxTitle:
		return "", &Error{Long}
	}
	return shown, nil
}

// japanese reports whether a script is one of those that are written together in Japanese.
func japanese(script string) bool {
	return script == "Han" || script == "Hiragana" || script == "Katakana"
}

// Key returns the key by which names are compared. ok is false if no name has ever had this form. Key also accepts names that
// are not allowed today: an old account may have one.
func Key(name string) (key string, ok bool) {
	_, key, p := normalize(name)
	return key, p == 0
}

// normalize returns a name as it is shown, and its key. It checks only what no name has ever been allowed to have.
func normalize(name string) (shown, key string, p Problem) {
	switch {
	case len(name) > maxBytes:
		return "", "", Long
	case name == "":
		return "", "", Short
	case !utf8.ValidString(name):
		return "", "", Characters
	}
	// PRECIS maps widths, composes, refuses what no identifier has, and checks right-to-left order.
	shown, err := precis.UsernameCasePreserved.String(name)
	if err != nil {
		return "", "", Characters
	}
	if key, err = precis.UsernameCaseMapped.String(name); err != nil {
		return "", "", Characters
	}
	return shown, key, 0
}

// The classes of characters in a name.
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

// longVowel is the kana sign for a long vowel, used in both scripts.
const longVowel = 'ー'

// looksWrong returns the problem of a normalized name; 0 if it has none.
func looksWrong(name string) Problem {
	cells, script, before := 0, "", separator
	for _, r := range name {
		class := classOf(r)
		switch {
		case class == other, class == mark && before == separator:
			return Characters
		case class == separator && before == separator:
			return Edges
		case class == mark && before == mark:
			return Marks
		}
		before = class
		cells += cellsOf(r)
		s := scriptOf(r)
		if r == longVowel && (script == "Katakana" || script == "Hiragana") {
			s = script
		}
		if s != "" && script != "" && s != script {
			return Scripts
		}
		if s != "" {
			script = s
		}
	}
	switch {
	case before == separator:
		return Edges
	case cells < minCells:
		return Short
	case cells > maxCells:
		return Long
	}
	return 0
}

// cellsOf returns how many screen cells a character takes.
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

// scriptOf returns the script of a character; "" for characters that all scripts share: separators, the digits 0 to 9,
// and marks, which belong to the script of their letter.
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

// reservedWords are not allowed as names, nor as parts of names between separators and digits: words for staff, the club and
// computer players.
var reservedWords = []string{
	"admin", "administrator", "club", "daemon", "guest", "help", "host", "house", "keeper", "lobby", "ludoteca", "mod",
	"moderator", "nobody", "official", "operator", "owner", "referee", "root", "server", "service", "staff", "support",
	"sysop", "system", "you",
	"advanced", "beginner", "champion", "computer", "contender", "cpu", "elite", "engine", "expert", "greedy", "improver", "learner", "master",
	"newcomer", "novice", "pupil", "random", "regular", "robot",
}

// staffWords must not begin or end a name either. They are long enough to be in few other words.
var staffWords = []string{
	"admin", "administrator", "ludoteca", "moderator", "official", "operator", "referee", "staff", "support", "sysop", "system",
}

// The skeletons of reserved words. They are computed once, which takes a millisecond.
var (
	reservedSkeletons = skeletonsOf(reservedWords, "", "the")
	staffSkeletons    = skeletonsOf(staffWords, "")
)

// skeletonsOf returns the skeletons of words with each of some prefixes.
func skeletonsOf(words []string, before ...string) (all []string) {
	for _, w := range words {
		for _, b := range before {
			all = append(all, staffSkeleton(b+w))
		}
	}
	return all
}

// reserved reports whether a name looks like the name of a guest, a computer player or staff.
func reserved(name string) bool {
	whole := staffSkeleton(name)
	if strings.HasPrefix(whole, "guest") || strings.HasSuffix(whole, "bot") {
		return true
	}
	for _, w := range staffSkeletons {
		if strings.HasPrefix(whole, w) || strings.HasSuffix(strings.TrimRight(whole, "0123456789"), w) {
			return true
		}
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return classOf(r) == separator })
	parts = append(parts, strings.FieldsFunc(name, func(r rune) bool { return classOf(r) == separator || unicode.IsDigit(r) })...)
	for _, part := range append(parts, name, strings.TrimRight(name, "0123456789-_.")) {
		if slices.Contains(reservedSkeletons, staffSkeleton(part)) {
			return true
		}
	}
	return false
}
