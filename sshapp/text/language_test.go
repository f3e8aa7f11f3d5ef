package text

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
)

// TestOfferedLanguagesAreComplete checks that every language that players can choose has every sentence of the program.
func TestOfferedLanguagesAreComplete(t *testing.T) {
	keys := sourceKeys(t)
	if len(keys) < 100 || !slices.Contains(keys, "Play the computer") || !slices.Contains(keys, "%s wins: %s") {
		t.Fatalf("only %d sentences found in the sources: %q", len(keys), keys)
	}
	keys = append(keys, gameKeys()...)
	refusals := refusalKeys(t)
	for _, want := range []string{"cell taken", "not a move (write it like a1-a5)", "%s %d isn't allowed: %s"} {
		if !slices.Contains(refusals, want) {
			t.Fatalf("%q is not among the refusals found in the games: %q", want, refusals)
		}
	}
	keys = append(keys, refusals...)
	for _, l := range languages {
		if l == english {
			continue
		}
		for _, problem := range problems(l, keys) {
			t.Errorf("%s: %s", l.name, problem)
		}
	}
}

// TestProblems makes sure that the check above would find something.
func TestProblems(t *testing.T) {
	words := map[string]string{"a %d of %s": "%d de %s", "swapped %d %s": "%s %d", "none": "uma %s", "old": "velho", "empty": ""}
	got := problems(&language{code: "pt", words: words}, []string{"a %d of %s", "swapped %d %s", "none", "missing", "empty"})
	want := []string{
		`"empty" is missing`,
		`"missing" is missing`,
		`"none" has the verbs [], but "uma %s" has [%s]`,
		`"old" is said nowhere`,
		`"swapped %d %s" has the verbs [%d %s], but "%s %d" has [%s %d]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var verb = regexp.MustCompile(`%(%|[-+# 0-9.\[\]]*[a-zA-Z])`)

// problems lists what is wrong with the table of a language: sentences missing, left over, or with other verbs.
func problems(l *language, keys []string) []string {
	var all []string
	for _, key := range keys {
		w := l.words[key]
		if w == "" {
			all = append(all, fmt.Sprintf("%q is missing", key))
			continue
		}
		if want, got := verb.FindAllString(key, -1), verb.FindAllString(w, -1); !slices.Equal(want, got) {
			all = append(all, fmt.Sprintf("%q has the verbs %v, but %q has %v", key, want, w, got))
		}
	}
	for key := range maps.Keys(l.words) {
		if !slices.Contains(keys, key) {
			all = append(all, fmt.Sprintf("%q is said nowhere", key))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sourceKeys are the sentences in all calls of T in the folders that speak to people.
func sourceKeys(t *testing.T) []string {
	t.Helper()
	keys := make(map[string]bool)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isT(call.Fun) && len(call.Args) > 0 {
				if key, ok := literal(call.Args[0]); ok {
					keys[key] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(keys))
}

// isT reports whether a function is T or a method of that name.
func isT(f ast.Expr) bool {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name == "T"
	case *ast.SelectorExpr:
		return f.Sel.Name == "T"
	}
	return false
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// gameKeys are the sentences that games and computer players bring along, but for the pages of rules.
func gameKeys() []string {
	keys := make(map[string]bool)
	for _, g := range catalog.All() {
		about := g.About()
		keys[about.Sentence] = true
		for _, line := range about.Brief {
			keys[line] = true
		}
		for _, o := range about.Options {
			keys[o.Label], keys[o.Help] = true, true
			if o.Key != "cols" && o.Key != "rows" && o.Key != "size" { // which are said as the size of the board
				keys[o.Words()] = true
			}
		}
		for _, f := range fields(g) {
			keys[f.Label] = true
		}
		for _, set := range about.OptionSets() {
			keys[set.Name] = true
		}
		for _, reason := range about.Reasons {
			keys[reason] = true
		}
		for _, side := range about.Sides {
			keys[side] = true
		}
		for _, level := range bot.Levels(g) {
			keys[level.Sentence] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// fields returns the fields that positions of a game have besides their boards.
func fields(g games.Game) []games.Field {
	if e, ok := g.(games.Editable); ok {
		return e.Fields(nil)
	}
	return nil
}

// refusalKeys are the formats with which the games refuse moves and options.
func refusalKeys(t *testing.T) []string {
	t.Helper()
	keys := make(map[string]bool)
	err := filepath.WalkDir("../../games", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err != nil {
			return err
		}
		refusalsOf(t, files, keys)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(keys))
}

// refusalsOf adds the formats of one package. Some have a name, since they are used twice.
func refusalsOf(t *testing.T, files []string, keys map[string]bool) {
	t.Helper()
	named := make(map[string]string)
	var formats []ast.Expr
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i := range min(len(n.Names), len(n.Values)) {
					if s, ok := literal(n.Values[i]); ok {
						named[n.Names[i].Name] = s
					}
				}
			case *ast.CallExpr:
				if at := formatAt(n.Fun); at >= 0 && at < len(n.Args) {
					formats = append(formats, n.Args[at])
				}
			}
			return true
		})
	}
	for _, e := range formats {
		key, ok := literal(e)
		if name, is := e.(*ast.Ident); is && !ok {
			key, ok = named[name.Name]
		}
		if !ok {
			t.Errorf("a refusal in %s is not a string that can be found: %#v", files[0], e)
			continue
		}
		keys[key] = true
	}
}

// formatAt is which argument of a function is the format of a refusal, -1 if none is.
func formatAt(f ast.Expr) int {
	name := ""
	switch f := f.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	switch name {
	case "Illegal":
		return 1
	case "BadOption", "NoPosition", "malformed", "say":
		return 0
	}
	return -1
}
