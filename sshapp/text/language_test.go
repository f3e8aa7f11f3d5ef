package text

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"github.com/leonelquinteros/gotext"
	"golang.org/x/text/feature/plural"
	xlanguage "golang.org/x/text/language"
)

// shipped are the languages that stay complete, besides English.
var shipped = []string{"de", "pt"}

// TestTranslations checks every file of a language, and that the languages that ship have every sentence.
func TestTranslations(t *testing.T) {
	names, err := fs.Glob(localeFiles, "locales/*.po")
	if err != nil || len(names) < len(shipped) {
		t.Fatalf("the languages are %v, %v", names, err)
	}
	for _, name := range names {
		code := strings.TrimSuffix(path.Base(name), ".po")
		for _, problem := range problems(localeFiles, name, slices.Contains(shipped, code)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// A said is a sentence of the program, or its translation.
type said struct {
	one, many string         // many is "" if there is one form
	forms     map[int]string // translations
}

// entries returns what a file says, by context and sentence.
func entries(d *gotext.Domain) map[string]said {
	all := make(map[string]said)
	add := func(context, id string, t *gotext.Translation) {
		if id != "" {
			all[context+id] = said{one: id, many: t.PluralID, forms: t.Trs}
		}
	}
	for id, t := range d.GetTranslations() {
		add("", id, t)
	}
	for context, some := range d.GetCtxTranslations() {
		for id, t := range some {
			add(context+contextEnd, id, t)
		}
	}
	return all
}

// problems lists what is wrong with the file of a language. A complete one lacks no sentence.
func problems(files fs.FS, name string, complete bool) []string {
	var all []string
	wrong := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	known, err := parse(files, template)
	if err != nil {
		return []string{err.Error()}
	}
	domain, err := parse(files, name)
	if err != nil {
		return []string{err.Error()}
	}
	raw, _ := fs.ReadFile(files, name)
	for i, line := range strings.Split(string(raw), "\n") {
		if strings.HasPrefix(line, "#,") && strings.Contains(line, "fuzzy") {
			wrong("line %d is marked as fuzzy", i+1)
		}
		if at := strings.IndexByte(line, '"'); at >= 0 && !strings.HasPrefix(line, "#") {
			if _, err := strconv.Unquote(line[at:]); err != nil {
				wrong("line %d can't be read: %s", i+1, line)
			}
		}
	}
	forms, rule, err := pluralForms(domain.PluralForms)
	if err != nil {
		return append(all, err.Error())
	}
	tag, err := xlanguage.Parse(domain.Language)
	if err != nil {
		return append(all, fmt.Sprintf("the language %q is unknown", domain.Language))
	}
	for n := range 1000 { // two numbers have the same form here if they have the same in Unicode's rules
		first := slices.IndexFunc(numbers, func(m int) bool { return plurally(tag, m) == plurally(tag, n) })
		if first >= 0 && rule.Eval(uint32(first)) != rule.Eval(uint32(n)) {
			wrong("%d has not the form of %d", n, first)
			break
		}
	}
	said := entries(domain)
	for key, want := range entries(known) {
		got, ok := said[key]
		delete(said, key)
		if !ok || got.forms[0] == "" && len(slices.Collect(maps.Values(got.forms))) <= 1 {
			if complete {
				wrong("%q is missing", want.one)
			}
			continue
		}
		if got.many != want.many {
			wrong("%q has the plural %q, want %q", want.one, got.many, want.many)
			continue
		}
		if want.many == "" {
			wordProblems(wrong, want.one, want.one, got.forms[0])
			fieldProblems(wrong, want.one, got.forms[0], forms)
			continue
		}
		if empty := slices.Contains(slices.Collect(maps.Values(got.forms)), ""); empty || len(got.forms) != forms {
			if filled := strings.Join(slices.Collect(maps.Values(got.forms)), ""); filled != "" || complete {
				wrong("%q has not the %d plurals of the language", want.one, forms)
			}
			continue
		}
		for i := range forms {
			of := want.many
			if single(rule.Eval, i) && Verbs(got.forms[i]) == Verbs(of)-1 {
				of = strings.Replace(of, "%d", "1", 1)
			}
			wordProblems(wrong, want.one, of, got.forms[i])
		}
	}
	for key := range said {
		wrong("%q is said nowhere", key)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var numbers = func() (all []int) {
	for n := range 1000 {
		all = append(all, n)
	}
	return all
}()

// plurally returns the form of n things by Unicode's rules.
func plurally(tag xlanguage.Tag, n int) plural.Form {
	return plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)
}

// single reports whether only one number takes a form.
func single(rule func(uint32) int, form int) bool {
	n := 0
	for i := range uint32(1000) {
		if rule(i) == form {
			n++
		}
	}
	return n == 1
}

// wordProblems compares one form of a translation with the English sentence.
func wordProblems(wrong func(string, ...any), key, english, words string) {
	if want, got := verbs(english), verbs(words); !slices.Equal(want, got) {
		wrong("%q has the verbs %v, but %q has %v", key, want, words, got)
	}
	for _, r := range words {
		if unicode.Is(unicode.C, r) && r != '\n' {
			wrong("%q has the character %U", key, r)
		}
	}
	if got, want := strings.TrimSpace(words), strings.TrimSpace(english); len(words)-len(got) != len(english)-len(want) {
		wrong("%q does not begin and end like %q", words, key)
	}
	if !strings.Contains(english, "\n") && strings.Contains(words, "\n") {
		wrong("%q has several lines", words)
	}
	if !strings.Contains(english, "\n\n") { // no page
		return
	}
	if want, got := outline(english), outline(words); !slices.Equal(want, got) {
		wrong("%.40q has the outline\n%q, want\n%q", key, got, want)
	}
	for line := range strings.SplitSeq(words, "\n") {
		if utf8.RuneCountInString(line) > 72 {
			wrong("%q has more than 72 columns", line)
		}
	}
}

var field = regexp.MustCompile(`\{([^|}]*)(\|[^}]*)?\}`)

// fieldProblems compares the options of a game that a sentence and its translation name, such as {captures|capture|captures}. Behind
// the name of an option stand the words that go with its value, as many as the language has plural forms.
func fieldProblems(wrong func(string, ...any), english, words string, forms int) {
	named := func(sentence string) (keys []string) {
		for _, f := range field.FindAllStringSubmatch(sentence, -1) {
			keys = append(keys, f[1])
		}
		slices.Sort(keys)
		return keys
	}
	if want, got := named(english), named(words); !slices.Equal(want, got) {
		wrong("%q names the options %q, but %q has %q", english, want, words, got)
	}
	for _, f := range field.FindAllStringSubmatch(words, -1) {
		if n := strings.Count(f[2], "|"); n != 0 && n != forms {
			wrong("%q has not the %d plurals of the language", f[0], forms)
		}
	}
}

var verb = regexp.MustCompile(`%[-+# 0]*(?:\[(\d+)\])?[\d.]*([a-zA-Z%])`)

// verbs returns the verbs of a format with the arguments that they take, by argument: 1s, 2d. A format may take them in another order.
func verbs(format string) []string {
	all := []string{}
	next := 1
	for _, v := range verb.FindAllStringSubmatch(format, -1) {
		if v[2] == "%" {
			all = append(all, "%")
			continue
		}
		if v[1] != "" {
			next, _ = strconv.Atoi(v[1]) // digits
		}
		all = append(all, fmt.Sprint(next, v[2]))
		next++
	}
	slices.Sort(all)
	return all
}

// outline returns what makes up a page, without its words: headings, paragraphs, items and drawings.
func outline(page string) []string {
	var parts []string
	add := func(part string) {
		if len(parts) == 0 || parts[len(parts)-1] != part || part == "heading" || part == "item" {
			parts = append(parts, part)
		}
	}
	for line := range strings.SplitSeq(strings.TrimRight(page, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "# "):
			add("heading")
		case strings.HasPrefix(line, "- "):
			add("item")
		case strings.HasPrefix(line, " ") && len(parts) > 0 && parts[len(parts)-1] == "item":
			// it goes on
		case strings.HasPrefix(line, " "):
			add("drawing")
		case line == "":
			add("gap")
		default:
			add("words")
		}
	}
	return parts
}

// header begins a file of a language of tests.
func header(language, plurals string) string {
	return "msgid \"\"\nmsgstr \"\"\n\"Language: " + language + "\\n\"\n\"X-Language-Name: " + language + "\\n\"\n\"Plural-Forms: " + plurals + "\\n\"\n\n"
}

const twoForms = "nplurals=2; plural=(n != 1);"

// locales are the files of a program with a few sentences, and of one language.
func locales(sentences, translations string) fstest.MapFS {
	return fstest.MapFS{
		template:        {Data: []byte(header("en", twoForms) + sentences)},
		"locales/xx.po": {Data: []byte(translations)},
	}
}

// entry returns an entry of a file. Several translations are the forms of a plural.
func entry(id, many string, translations ...string) string {
	s := "msgid " + strconv.Quote(id) + "\n"
	if many != "" {
		s += "msgid_plural " + strconv.Quote(many) + "\n"
		for i, tr := range translations {
			s += fmt.Sprintf("msgstr[%d] %s\n", i, strconv.Quote(tr))
		}
		return s + "\n"
	}
	return s + "msgstr " + strconv.Quote(strings.Join(translations, "")) + "\n\n"
}

// TestProblems makes sure that the check of translations finds each of what it looks for, and allows the rest.
func TestProblems(t *testing.T) {
	page := "To win.\n\n# A turn\n  X O\n"
	of := entry("a %d of %s", "") + entry("none", "") + entry("1 move", "%d moves", "", "") + entry("%d of %s", "%d of %s", "", "") + entry(page, "") +
		entry("{goal|goal|goals} of {all}", "")
	for _, tt := range []struct {
		name         string
		translations string
		want         []string
	}{
		{"all in order", header("de", twoForms) + entry("a %d of %s", "", "%[2]s: %[1]d") + entry("none", "", "keine") +
			entry("1 move", "%d moves", "ein Zug", "%d Züge") + entry("%d of %s", "%d of %s", "eins von %s", "%d von %s") +
			entry(page, "", "Gewinn.\n\n# Ein Zug\n  X O\n") + entry("{goal|goal|goals} of {all}", "", "von {all}: {goal|Tor|Tore}"), nil},
		{"options of a game", header("de", twoForms) + entry("{goal|goal|goals} of {all}", "", "{goals|Tor|Tore} von {all|allen}"), []string{
			`"{all|allen}" has not the 2 plurals of the language`,
			`"{goal|goal|goals} of {all}" names the options ["all" "goal"], but "{goals|Tor|Tore} von {all|allen}" has ["all" "goals"]`}},
		{"verbs", header("de", twoForms) + entry("a %d of %s", "", "%s %d") + entry("none", "", "uma %s") + entry("1 move", "%d moves", "%d %s", "Züge"), []string{
			`"1 move" has the verbs [1d], but "%d %s" has [1d 2s]`, `"1 move" has the verbs [1d], but "Züge" has []`,
			`"a %d of %s" has the verbs [1d 2s], but "%s %d" has [1s 2d]`, `"none" has the verbs [], but "uma %s" has [1s]`}},
		{"characters", header("de", twoForms) + entry("none", "", "a\u202eb\x1b\u200dc"), []string{
			`"none" has the character U+001B`, `"none" has the character U+200D`, `"none" has the character U+202E`}},
		{"space", header("de", twoForms) + entry("none", "", " keine"), []string{`" keine" does not begin and end like "none"`}},
		{"lines", header("de", twoForms) + entry("none", "", "kei\nne"), []string{`"kei\nne" has several lines`}},
		{"a missing plural", header("de", twoForms) + entry("1 move", "%d moves", "ein Zug", ""), []string{`"1 move" has not the 2 plurals of the language`}},
		{"too many plurals", header("de", twoForms) + entry("1 move", "%d moves", "a", "%d b", "%d c"), []string{`"1 move" has not the 2 plurals of the language`}},
		{"another plural", header("de", twoForms) + entry("1 move", "%d turns", "ein Zug", "%d Züge"), []string{`"1 move" has the plural "%d turns", want "%d moves"`}},
		{"a number left out that is not always one", header("fr", "nplurals=2; plural=(n > 1);") + entry("1 move", "%d moves", "un coup", "%d coups"), []string{
			`"1 move" has the verbs [1d], but "un coup" has []`}},
		{"a mark", header("de", twoForms) + "#, c-format, fuzzy\n" + entry("none", "", "keine"), []string{"line 7 is marked as fuzzy"}},
		{"left over", header("de", twoForms) + entry("old", "", "alt"), []string{`"old" is said nowhere`}},
		{"quotes", header("de", twoForms) + "msgid \"none\"\nmsgstr \"ke\\ine\"\n", []string{`line 8 can't be read: msgstr "ke\ine"`}},
		{"a rule of another language", header("de", "nplurals=2; plural=(n > 1);") + entry("none", "", "keine"), []string{"2 has not the form of 0"}},
		{"a rule that can't be read", header("de", "two") + entry("none", "", "keine"), []string{`plural forms "two" can't be read`}},
		{"a form that is not there", header("de", "nplurals=1; plural=(n != 1);") + entry("none", "", "keine"), []string{
			`plural forms "nplurals=1; plural=(n != 1);": 0 has the form 1`}},
		{"an outline", header("de", twoForms) + entry(page, "", "Gewinn.\n\n  X O\n"), []string{
			"\"To win.\\n\\n# A turn\\n  X O\\n\" has the outline\n[\"words\" \"gap\" \"drawing\"], want\n[\"words\" \"gap\" \"heading\" \"drawing\"]"}},
	} {
		if got := problems(locales(of, tt.translations), "locales/xx.po", false); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
	got := problems(locales(of, header("de", twoForms)+entry("none", "", "keine")), "locales/xx.po", true)
	if len(got) != 5 || !slices.Contains(got, `"1 move" is missing`) {
		t.Errorf("a complete language may lack %q", got)
	}
}

// TestOffered: a language is offered from its share of all sentences on, and falls back to English by the sentence.
func TestOffered(t *testing.T) {
	var sentences, nine, eight string
	for i := range 9 {
		id := fmt.Sprintf("sentence %d", i)
		sentences += entry(id, "")
		nine += entry(id, "", id+" auf Deutsch")
		if i < 8 {
			eight += entry(id, "", id+" auf Deutsch")
		}
	}
	sentences += entry("1 move", "%d moves", "", "")
	for _, tt := range []struct {
		translations string
		from         float64
		want         int
	}{{nine, 0.9, 2}, {nine, 0.91, 1}, {eight, 0.9, 1}, {eight, 0.8, 2}, {eight + entry("sentence 8", "", ""), 0.9, 1}, {"", 0, 2},
		{eight + entry("1 move", "%d moves", "ein Zug", ""), 0.9, 1}} {
		all, err := offer(locales(sentences, header("de", twoForms)+tt.translations), tt.from)
		if err != nil || len(all) != tt.want || all[0].name != "English" {
			t.Errorf("%d bytes from %v: %d languages, %v, want %d", len(tt.translations), tt.from, len(all), err, tt.want)
			continue
		}
		if tt.want == 2 && tt.translations != "" {
			say := Say{language: all[1]}
			if got := []string{say.T("sentence 7"), say.T("sentence 10"), say.N(1, "1 move", "%d moves"), say.N(3, "1 move", "%d moves")}; !slices.Equal(got,
				[]string{"sentence 7 auf Deutsch", "sentence 10", "1 move", "3 moves"}) {
				t.Errorf("it says %q", got)
			}
		}
	}
	if _, err := offer(locales(sentences, "msgid \"\"\nmsgstr \"\"\n"), 0); err == nil {
		t.Error("a file without plural forms is read")
	}
	for there, want := range map[int]int{89: 1, 90: 2} { // of a hundred, with the threshold of the program
		var all, some string
		for i := range 100 {
			id := fmt.Sprintf("sentence %d", i)
			all += entry(id, "")
			if i < there {
				some += entry(id, "", "x")
			}
		}
		if got, err := offer(locales(all, header("de", twoForms)+some), offeredFrom); err != nil || len(got) != want {
			t.Errorf("with %d %% of a language, %d are offered (%v), want %d", there, len(got), err, want)
		}
	}
}

// TestEveryFileCanBeOffered: at a lower threshold every file of a language is in the list of languages, under its name in the language itself.
func TestEveryFileCanBeOffered(t *testing.T) {
	all, err := offer(localeFiles, 0.005)
	if err != nil {
		t.Fatal(err)
	}
	names, _ := fs.Glob(localeFiles, "locales/*.po") // a good pattern
	for _, name := range names {
		i := slices.IndexFunc(all, func(l *language) bool { return l.code+".po" == path.Base(name) })
		if i < 0 || all[i].name == all[i].code || all[i].name == "" {
			t.Errorf("%s is not in the list of languages", name)
			continue
		}
		say := Say{language: all[i]}
		if got := say.T("a sentence of no file"); got != "a sentence of no file" {
			t.Errorf("%s says %q", name, got)
		}
	}
	for _, code := range shipped {
		if In(code).Code() != code {
			t.Errorf("%s is not offered", code)
		}
	}
}

// TestPlurals: the form of a number follows the rules of the language, and may leave the number out where it is a single one.
func TestPlurals(t *testing.T) {
	polish := "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
	all, err := offer(locales(entry("1 move", "%d moves", "", "")+entry("%d of %s", "%d of %s", "", ""), header("pl", polish)+
		entry("1 move", "%d moves", "jeden ruch", "%d ruchy", "%d ruchów")+entry("%d of %s", "%d of %s", "jeden z %s", "%[2]s: %[1]d", "%d z %s")), 0.9)
	if err != nil {
		t.Fatal(err)
	}
	say := Say{language: all[1]}
	for n, want := range map[int][3]string{
		0: {"0 moves", "0 ruchów", "0 z ana"}, 1: {"1 move", "jeden ruch", "jeden z ana"}, 2: {"2 moves", "2 ruchy", "ana: 2"},
		5: {"5 moves", "5 ruchów", "5 z ana"}, 22: {"22 moves", "22 ruchy", "ana: 22"}, 112: {"112 moves", "112 ruchów", "112 z ana"}, -1: {"-1 moves", "jeden ruch", "jeden z ana"},
	} {
		got := [3]string{Say{}.N(n, "1 move", "%d moves"), say.N(n, "1 move", "%d moves"), say.N(n, "%d of %s", "%d of %s", n, "ana")}
		if got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := []int{say.Form(1), say.Form(2), say.Form(5), Say{}.Form(1), Say{}.Form(0), In("en").Form(1)}; !slices.Equal(got, []int{0, 1, 2, 0, 1, 0}) {
		t.Errorf("the forms are %v", got)
	}
	args := []any{"ana", 1}
	if got := (Say{}).N(1, "%s wins in one move", "%s wins in %d moves", args...); got != "ana wins in one move" || args[1] != 1 {
		t.Errorf("%q, and the arguments are %v", got, args)
	}
}

// TestContexts: a context has a translation of its own, and the sentence without it another one.
func TestContexts(t *testing.T) {
	words := func(draw, offer string) string {
		return entry("draw", "", draw) + "msgctxt \"offer\"\n" + entry("draw", "", offer)
	}
	all, err := offer(locales(words("", ""), header("de", twoForms)+words("remis", "Remis")), 0.9)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	say := Say{language: all[1]}
	if got := []string{say.T("draw"), say.C("offer", "draw"), say.C("result", "draw"), Say{}.C("offer", "draw")}; !slices.Equal(got,
		[]string{"remis", "Remis", "draw", "draw"}) {
		t.Errorf("it says %q", got)
	}
}

// TestPseudo: the language for tests has all sentences, each longer than in English and with the same verbs, and no player can choose it.
func TestPseudo(t *testing.T) {
	if slices.ContainsFunc(Languages(), func(l Language) bool { return l.Code == Pseudo }) || FromLocale([]string{"LANG=" + Pseudo}).Code() == Pseudo {
		t.Error("a player can choose the language for tests")
	}
	say := In(Pseudo)
	known, err := parse(localeFiles, template)
	if err != nil {
		t.Fatal(err)
	}
	english, pseudo := 0, 0
	for _, s := range entries(known) {
		words := say.T(s.one)
		if !slices.Equal(verbs(s.one), verbs(words)) {
			t.Errorf("%q becomes %q", s.one, words)
		}
		english += len(s.one)
		pseudo += len(words)
	}
	if pseudo < english*5/4 {
		t.Errorf("%d letters become only %d", english, pseudo)
	}
	if got := say.N(2, "1 move", "%d moves"); got == "2 moves" || !strings.HasPrefix(got, "2 ") {
		t.Errorf("a plural is %q", got)
	}
}

// TestConcurrentUse is for the race detector: sessions read the languages at the same time.
func TestConcurrentUse(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for _, code := range []string{"de", "pt", Pseudo, "en"} {
				say := In(code)
				if say.T("Your move") == "" || say.N(i, "1 move", "%d moves") == "" || say.C("nothing", "Your move") != "Your move" {
					t.Errorf("%s says nothing", code)
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkT is the cost of a sentence on a screen.
func BenchmarkT(b *testing.B) {
	say := In("de")
	b.ReportAllocs()
	for b.Loop() {
		_ = say.T("Play the computer")
	}
}

// BenchmarkN is the cost of a sentence with a number.
func BenchmarkN(b *testing.B) {
	say := In("de")
	b.ReportAllocs()
	for b.Loop() {
		_ = say.N(7, "1 move", "%d moves")
	}
}

// BenchmarkLoad is what the languages cost once, when the program starts.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := offer(localeFiles, offeredFrom); err != nil {
			b.Fatal(err)
		}
	}
}
