// Package text holds the sentences that people read, in each language, and makes text typed by strangers safe to show.
//
// Sentences stand where they are used, in English: say.T("Your move"), say.T("%s wins", name), say.N(n, "1 move", "%d moves"). The English
// sentence is the key of the other languages, which are files in locales; a sentence without a translation is shown in English. go generate
// writes the template for translators from the sources.
package text

import (
	"fmt"
	"slices"
	"strings"
)

//go:generate go run ./template -sources ../.. -locales locales

// A Say formats sentences in one language. The zero value is English. It is a small value, safe for concurrent use.
type Say struct {
	language *language
	address  *Address // of the club; nil: it isn't known
	ascii    bool     // for a terminal that knows ASCII alone
}

// A Language is a language that a player can choose.
type Language struct {
	Code string // en
	Name string // English
}

// Languages returns the languages that a player can choose, English first.
func Languages() []Language {
	all := make([]Language, len(languages))
	for i, l := range languages {
		all[i] = Language{l.code, l.name}
	}
	return all
}

// In returns the language with the given code, and English for a code that is not offered. The code Pseudo is known too.
func In(code string) Say {
	for _, l := range languages {
		if l.code == code {
			return Say{language: l}
		}
	}
	if code == Pseudo {
		return Say{language: pseudo()}
	}
	return Say{}
}

// In returns the language with the given code, as the function In does, for the same club.
func (s Say) In(code string) Say {
	in := In(code)
	in.address, in.ascii = s.address, s.ascii
	return in
}

// ForASCII returns the same language for a terminal that knows only ASCII, if ascii is true, or for one that knows UTF-8.
func (s Say) ForASCII(ascii bool) Say {
	s.ascii = ascii
	return s
}

// Spell returns words as the terminal of s can show them: with ae for ä if the terminal knows only ASCII. This makes words wider, so spell them
// before they are laid out. Names of people are not spelled: two of them could become one, and a name has at most 20 letters. Their letters
// lose their marks when ASCII folds the whole page.
func (s Say) Spell(words string) string {
	if !s.ascii {
		return words
	}
	return spell(words)
}

// OnlyASCII reports whether the terminal of s knows only ASCII.
func (s Say) OnlyASCII() bool { return s.ascii }

// Code returns the code of the language: en, pt, de.
func (s Say) Code() string {
	if s.language == nil {
		return "en"
	}
	return s.language.code
}

// T returns an English sentence in the language of s, with the verbs of the format filled in. Without arguments a
// percent sign is only that.
func (s Say) T(sentence string, args ...any) string {
	if s.language != nil {
		if w := s.language.words[sentence]; w != "" {
			sentence = w
		}
	}
	return s.fill(sentence, args)
}

// C is T for a sentence that has several meanings in English. The context tells translators which one is meant, and has a translation of its own.
func (s Say) C(context, sentence string, args ...any) string {
	if s.language != nil {
		if w := s.language.words[context+contextEnd+sentence]; w != "" {
			sentence = w
		}
	}
	return s.fill(sentence, args)
}

// N returns what is said of n things: one for a single thing and many for any other number in English, and the form that the rules of the
// language of s ask for. args are the arguments of many; without them n is its only argument. A form for a single thing may leave n out.
func (s Say) N(n int, one, many string, args ...any) string {
	form := many
	if n == 1 {
		form = one
	}
	if s.language != nil {
		if forms := s.language.plurals[one]; forms != nil {
			form = forms[s.Form(n)]
		}
	}
	if len(args) == 0 {
		args = []any{n}
	}
	if Verbs(form) < len(args) { // the number is left out
		if i := slices.Index(args, any(n)); i >= 0 {
			args = slices.Delete(slices.Clone(args), i, i+1)
		}
	}
	return s.fill(form, args)
}

// Form returns which of the plural forms of the language n things take, counted from 0.
func (s Say) Form(n int) int {
	if s.language == nil || s.language.rule == nil { // English
		if n == 1 {
			return 0
		}
		return 1
	}
	return s.language.rule.Eval(uint32(min(max(n, -n), 1<<31-1)))
}

// fill spells a sentence for the terminal and fills its verbs in.
func (s Say) fill(sentence string, args []any) string {
	sentence = s.Spell(sentence)
	if len(args) == 0 {
		return sentence
	}
	return fmt.Sprintf(sentence, args...)
}

// Verbs counts the verbs of a format.
func Verbs(format string) (n int) {
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 || i+1 == len(format) {
			return n
		}
		if format[i+1] != '%' {
			n++
		}
		format = format[i+2:]
	}
}

// T marks a sentence that is looked up later, so that the test of the tables finds it.
func T(sentence string) string { return sentence }

// FromLocale returns the language that a client's environment of KEY=value pairs asks for. LC_ALL, LC_MESSAGES and LANG count, in this order.
// LANGUAGE, a list of languages by preference, comes before them unless they ask for C or POSIX. FromLocale returns English if none of the
// languages is offered.
func FromLocale(environ []string) Say {
	locale := first(environ, "LC_ALL", "LC_MESSAGES", "LANG")
	code := languageOf(locale)
	if code != "c" && code != "posix" {
		for preferred := range strings.SplitSeq(first(environ, "LANGUAGE"), ":") {
			if offered(languageOf(preferred)) {
				return In(languageOf(preferred))
			}
		}
	}
	if !offered(code) {
		return Say{}
	}
	return In(code)
}

// languageOf returns the language of a locale: pt of pt_BR.UTF-8 or pt@euro.
func languageOf(locale string) string {
	if end := strings.IndexAny(locale, "_.@"); end >= 0 {
		locale = locale[:end]
	}
	return strings.ToLower(locale)
}

// offered reports whether there is a language with a code.
func offered(code string) bool {
	return slices.ContainsFunc(languages, func(l *language) bool { return l.code == code })
}

// IsASCII reports whether a client's environment or terminal names a character set other than UTF-8. Many clients name
// none, and nearly all of these clients can show UTF-8.
func IsASCII(environ []string, term string) bool {
	if strings.HasPrefix(term, "vt") {
		return true // hardware terminals and their emulations: vt100, vt220
	}
	switch locale := first(environ, "LC_ALL", "LC_CTYPE", "LANG"); locale {
	case "C", "POSIX":
		return true
	default:
		_, charset, named := strings.Cut(locale, ".")
		charset, _, _ = strings.Cut(charset, "@")
		charset = strings.ToLower(strings.ReplaceAll(charset, "-", ""))
		return named && charset != "utf8"
	}
}

// first returns the value of the first of keys that is set to something. The last setting of a key counts.
func first(environ []string, keys ...string) string {
	for _, key := range keys {
		for i := len(environ) - 1; i >= 0; i-- {
			if v, ok := strings.CutPrefix(environ[i], key+"="); ok {
				if v != "" {
					return v
				}
				break
			}
		}
	}
	return ""
}
