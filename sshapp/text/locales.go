package text

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/leonelquinteros/gotext"
	"github.com/leonelquinteros/gotext/plurals"
)

// A language is what a file in locales says: English sentences and their translations.
type language struct {
	code    string              // as in a locale: pt
	name    string              // in the language itself: Português
	words   map[string]string   // by the English sentence, with its context in front if it has one
	plurals map[string][]string // by the English sentence for a single thing
	rule    plurals.Expression  // which of the forms a number takes; nil for English
}

// contextEnd stands between a context and a sentence in the keys of words, as in compiled catalogues of gettext.
const contextEnd = "\x04"

//go:embed locales
var localeFiles embed.FS

// template is the file of all sentences, without translations.
const template = "locales/ludoteca.pot"

// offeredFrom is the share of all sentences that a language needs to be offered to players.
const offeredFrom = 0.9

// languages are all that are offered, English first. They are read once, when the program starts.
var languages = mustOffer(localeFiles, offeredFrom)

func mustOffer(files fs.FS, from float64) []*language {
	all, err := offer(files, from)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return all
}

// offer reads all languages, and returns English and those that have a share of all sentences.
func offer(files fs.FS, from float64) ([]*language, error) {
	all, err := readLanguage(files, template)
	if err != nil {
		return nil, err
	}
	needed := float64(all.sentences()) * from
	offered := []*language{{code: "en", name: "English"}}
	names, err := fs.Glob(files, "locales/*.po")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		l, err := readLanguage(files, name)
		if err != nil {
			return nil, err
		}
		if float64(l.translated()) >= needed {
			offered = append(offered, l)
		}
	}
	slices.SortFunc(offered[1:], func(a, b *language) int {
		return cmp.Or(cmp.Compare(place(a.code), place(b.code)), cmp.Compare(a.name, b.name))
	})
	return offered, nil
}

// place returns where a language stands in the list: the oldest keep their places, and all others follow by their names.
func place(code string) int {
	oldest := []string{"pt", "de"}
	if i := slices.Index(oldest, code); i >= 0 {
		return i
	}
	return len(oldest)
}

// readLanguage reads a file of translations, whose name is the code of the language.
func readLanguage(files fs.FS, name string) (*language, error) {
	d, err := parse(files, name)
	if err != nil {
		return nil, err
	}
	l := &language{code: strings.TrimSuffix(path.Base(name), path.Ext(name)), words: map[string]string{}, plurals: map[string][]string{}}
	l.name = cmp.Or(d.Headers.Get("X-Language-Name"), l.code)
	forms, rule, err := pluralForms(d.PluralForms)
	if err != nil {
		return nil, fmt.Errorf("text: %s: %w", name, err)
	}
	l.rule = rule
	for key, t := range d.GetTranslations() {
		l.add(key, t, forms)
	}
	for context, all := range d.GetCtxTranslations() {
		for key, t := range all {
			if key != "" { // left over from reading the context
				l.add(context+contextEnd+key, t, forms)
			}
		}
	}
	delete(l.words, "") // the header
	return l, nil
}

// parse returns the entries of a file.
func parse(files fs.FS, name string) (*gotext.Domain, error) {
	file, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	po := gotext.NewPo()
	po.Parse(file)
	return po.GetDomain(), nil
}

// add adds an entry of a file. Nothing is empty: an entry that lacks a form is not translated.
func (l *language) add(key string, t *gotext.Translation, forms int) {
	if t.PluralID == "" {
		l.words[key] = t.Trs[0]
		return
	}
	all := make([]string, forms)
	for i := range all {
		if all[i] = t.Trs[i]; all[i] == "" {
			all = nil
			break
		}
	}
	l.plurals[key] = all
}

// sentences returns the number of sentences in the file of a language, translated or not.
func (l *language) sentences() int { return len(l.words) + len(l.plurals) }

// translated returns the number of sentences that have a translation.
func (l *language) translated() (n int) {
	for _, words := range l.words {
		if words != "" {
			n++
		}
	}
	for _, forms := range l.plurals {
		if forms != nil {
			n++
		}
	}
	return n
}

// pluralLine matches the line Plural-Forms of a file: nplurals=2; plural=(n != 1);
var pluralLine = regexp.MustCompile(`^nplurals=([1-9]); *plural=([^;]+);?$`)

// pluralForms returns how many forms a language has, and the rule that chooses one.
func pluralForms(line string) (forms int, rule plurals.Expression, err error) {
	found := pluralLine.FindStringSubmatch(line)
	if found == nil {
		return 0, nil, fmt.Errorf("plural forms %q can't be read", line)
	}
	forms = int(found[1][0] - '0')
	if rule, err = plurals.Compile(found[2]); err != nil {
		return 0, nil, fmt.Errorf("plural forms %q: %w", line, err)
	}
	for n := range uint32(1000) {
		if i := rule.Eval(n); i < 0 || i >= forms {
			return 0, nil, fmt.Errorf("plural forms %q: %d has the form %d", line, n, i)
		}
	}
	return forms, rule, nil
}
