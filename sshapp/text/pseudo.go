package text

import (
	"strings"
	"sync"
	"unicode"
)

// Pseudo is the code of a language for tests. It has all sentences of the template, each a third longer than in English. No player can choose it.
const Pseudo = "qps"

var pseudo = sync.OnceValue(func() *language {
	all, err := parse(localeFiles, template)
	if err != nil {
		panic(err) // the files are part of the program
	}
	_, rule, err := pluralForms(all.PluralForms)
	if err != nil {
		panic(err)
	}
	l := &language{code: Pseudo, name: Pseudo, words: map[string]string{}, plurals: map[string][]string{}, rule: rule}
	for one, t := range all.GetTranslations() {
		if t.PluralID != "" {
			l.plurals[one] = []string{lengthen(one), lengthen(t.PluralID)}
		} else if one != "" { // the header
			l.words[one] = lengthen(one)
		}
	}
	for context, entries := range all.GetCtxTranslations() {
		for sentence := range entries {
			if sentence == "" {
				continue
			}
			l.words[context+contextEnd+sentence] = lengthen(sentence)
		}
	}
	return l
})

// lengthen doubles every second letter of a sentence, which makes it a third longer with its spaces and verbs. Verbs of the format, drawings, and
// words in capitals are left alone.
func lengthen(sentence string) string {
	lines := strings.Split(sentence, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  ") { // a drawing
			continue
		}
		words := strings.Split(line, " ")
		letters := 0
		for j, word := range words {
			if strings.ContainsAny(word, "%{<>`") || strings.ToUpper(word) == word || strings.HasPrefix(word, "/") {
				continue
			}
			var b strings.Builder
			for _, r := range word {
				b.WriteRune(r)
				if unicode.IsLetter(r) {
					if letters++; letters%2 == 0 {
						b.WriteRune(r)
					}
				}
			}
			words[j] = b.String()
		}
		lines[i] = strings.Join(words, " ")
	}
	return strings.Join(lines, "\n")
}
