package text

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A badWord is a word that a language doesn't use, and what it says instead: one word for one thing, in the terms of the field.
type badWord struct{ pattern, instead string }

// badWords are by code of language. A pattern is a regular expression. In English they are looked for in the sentences of the sources.
var badWords = map[string][]badWord{
	"en": {
		{`\bwatch(es)?:`, `watching:`},
		{`goes into no history`, `this match is too short to be kept`},
		{`either side`, `random`},
		{`at no move|at %s`, `no move yet, or move 12`},
		{`is too much\b`, `is one word too many`},
		{`you play %s`, `you play first, you play second`},
		{`ADDRESS`, `the address of the club`},
		{`^none yet$`, `nothing, or what the list lacks`},
	},
	"pt": {
		{`\bjust[oa]s?\b`, `equilibrado`},
		{`\bda posição\b.*\bcomeç|\bcomeç\pL+ da posição`, `de uma posição`},
		{`\b[Vv]isitantes?\b|\b[Hh]óspedes?\b`, `convidado`},
		{`\b[Pp]ontuaç(ão|ões)\b|\bpontos de classificação\b`, `rating`},
		{`(?i)(^|\b(a|as|uma|por|cada|primeira|última|à|da|na|nenhuma|próxima) )jogadas?$|(?i)\b(uma|por|cada|primeira|última|nenhuma|próxima) jogadas?\b`, `lance`},
		{`\b[Ff]ilas?\b`, `linha`},
		{`quando alguém servir|assim que alguém|quanto mais longe`, `assim que houver adversário; mais se alarga a procura`},
		{`(?i)\bacaba %d`, `termina %d%%`},
		{`\b(acabou|terminou|acaba) a (tua )?visita|a visita acabou|clube terminou a visita`, `terminou a sessão`},
		{`sem voz`, `silenciado`},
		{`\bjunta (a|com) |^junta$|junt(ou-se|ada) (a|com) outra`, `fundida com`},
		{`\banul\.|\bdesist\.|\bcontrib\.`, `the whole word`},
		{`Enter outra vez faz|Enter outra vez fá-lo`, `executa`},
		{`^1 ganham|^1 a ganhar`, `1 ganha`},
		{`^%d (ganhas|empatadas|perdidas|jogadas)$`, `%d vitórias, in the plural forms`},
		{`^a %s$`, `com %s, as in fundida com`},
		{`adversário mais equilibrado`, `a partida mais equilibrada`},
		{`provis\.`, `the whole word`},
		{`o teu interruptor`, `desliga, liga`},
		{`jogas como %s|jogas em %s|jog(as|ar) (primeiro|segundo)|^(primeiro|segundo), `, `jogas em primeiro, em segundo`},
	},
	"de": {
		{`\bTat(en)?\b`, `Maßnahme`},
		{`\bremis (an|ab)(bieten|nehmen|lehnen|zubieten)\b|\bbiete(s?t)? remis\b`, `Remis anbieten`},
		{`(?i)beanspruch`, `reklamieren`},
		{`\b[Dd]iese[rsmn]? Spielers?\b`, `diese Person`},
		{`Zurücknahme.*Zurücknahme`, `Zurücknahme once`},
		{`werden gespielt`, `%d laufen`},
		{`du spielst (als )?(zweite|erste|%s)|\bziehst als (zweite|erste)|^(Erster|Zweiter)( Spieler)?$|der (Erste|Zweite) gewinn|kann der Erste`, `du ziehst an, du ziehst nach; anziehend, nachziehend; Anziehender, Nachziehender`},
		{`(?i)gefangen|\bfang(en|e|t)?\b|\bfäng(t|st)\b`, `schlagen`},
		{`^ohne$|[Oo]hne Ergebnis`, `nichtig`},
		{`(^|[.:;!] )(Schreibe|Versuche|Drücke|Wähle|Suche|Melde|Spiele|Zeige|Setze|Schaue|Frage|Sage|Mache|Lasse|Stelle|Prüfe|Ziehe|Nutze|Benutze|Tippe|Reklamiere) (?:\pL+ )*?(es|ihn|sie|dich|du|noch|einmal|deine?n?|einen?)\b`, `the short form: Versuch, Schreib, Wähl`},
	},
}

// TestChosenWords looks for words that a language doesn't use in all that it says, the pages of rules included.
func TestChosenWords(t *testing.T) {
	all, err := offer(localeFiles, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		said := map[string]string{} // by the English sentence
		if l.code == "en" {
			known, err := parse(localeFiles, template)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range entries(known) {
				lines(said, s.one, s.one)
				lines(said, s.one, s.many)
			}
		}
		for key, words := range l.words {
			lines(said, key, words)
		}
		for key, forms := range l.plurals {
			for _, form := range forms {
				lines(said, key, form)
			}
		}
		for _, bad := range badWords[l.code] {
			pattern := regexp.MustCompile(bad.pattern)
			for at, words := range said {
				if pattern.MatchString(words) {
					t.Errorf("%s: %q (%q) has %q; say: %s", l.name, words, at, pattern.FindString(words), bad.instead)
				}
			}
		}
	}
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ReplaceAll(string(page), "\n", " "), "every move ever") {
		t.Error("the README promises every move ever made; not every match is kept")
	}
}

// lines adds the lines of a sentence or a page.
func lines(said map[string]string, key, words string) {
	for line := range strings.SplitSeq(words, "\n") {
		said[key+": "+line] = line
	}
}

// TestPlaceholders: usage lines are the same in all languages, so a sentence that names an argument names it as they do.
func TestPlaceholders(t *testing.T) {
	placeholder := regexp.MustCompile(`\b[A-Z]+\b`)
	known := make(map[string]bool) // in a usage line
	for _, usage := range usages(t) {
		for _, word := range placeholder.FindAllString(usage, -1) {
			known[word] = true
		}
	}
	if !known["NAME"] || !known["TEXT"] || !known["CODE"] {
		t.Fatalf("the usage lines have the placeholders %v", known)
	}
	named := func(sentence string) (words []string) {
		for _, word := range placeholder.FindAllString(sentence, -1) {
			if known[word] && len(word) > 1 && word != "ID" { // A is a word too, and ID a German noun
				words = append(words, word)
			}
		}
		slices.Sort(words)
		return words
	}
	for _, l := range languages {
		for key, words := range l.words {
			if strings.ToUpper(key) == key || strings.Contains(key, "\n") { // a heading, or a page
				continue
			}
			if want, got := named(key), named(words); !slices.Equal(got, want) {
				t.Errorf("%s: %q names the arguments %v, want %v as in %q", l.name, words, got, want, key)
			}
		}
	}
}

// usages returns the arguments of all commands, as their tables have them.
func usages(t *testing.T) (args []string) {
	t.Helper()
	files, err := filepath.Glob("../command/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr: // of a row, or an argument of one
				if name, ok := n.Key.(*ast.Ident); ok && (name.Name == "Usage" || name.Name == "Name") {
					if usage, ok := literal(n.Value); ok {
						args = append(args, usage)
					}
				}
			case *ast.CallExpr: // f.String(name, value, ...) declares a flag
				if _, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 2 {
					if value, ok := literal(n.Args[1]); ok {
						args = append(args, value)
					}
				}
			}
			return true
		})
	}
	return args
}

// literal returns the string that an expression is.
func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
