package command

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFilesReferDown: each file of this package uses only files that stand below it in the list of the package's documentation.
func TestFilesReferDown(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := gotoken.NewFileSet()
	var files []*ast.File
	var order []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		if path == "command.go" {
			order = regexp.MustCompile(`[a-z_]+\.go`).FindAllString(f.Doc.Text(), -1)
		}
	}
	references, problems := refersUp(set, files, order)
	for _, p := range problems {
		t.Error(p)
	}
	if references < 1000 {
		t.Errorf("only %d references", references)
	}
}

// refersUp returns the references from files to files above them, and how many references there are.
func refersUp(set *gotoken.FileSet, files []*ast.File, order []string) (references int, problems []string) {
	fileOf := func(p gotoken.Pos) string { return filepath.Base(set.Position(p).Filename) }
	for _, f := range files {
		if !slices.Contains(order, fileOf(f.Pos())) {
			problems = append(problems, fileOf(f.Pos())+" is not in the list")
		}
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}} // what other packages have is of no interest
	pkg, _ := conf.Check("command", set, files, info)
	for id, used := range info.Uses {
		if used.Pkg() != pkg || used.Parent() != nil && used.Parent() != pkg.Scope() { // methods and fields have no parent
			continue
		}
		references++
		from, to := fileOf(id.Pos()), fileOf(used.Pos())
		if from != to && slices.Index(order, from) > slices.Index(order, to) {
			problems = append(problems, fmt.Sprintf("%s uses %s of %s, which stands above it", from, used.Name(), to))
		}
	}
	slices.Sort(problems)
	return references, slices.Compact(problems)
}

// noImports finds no package.
type noImports struct{}

// Import implements types.Importer.
func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

// TestRefersUp makes sure that the test above would find something.
func TestRefersUp(t *testing.T) {
	set := gotoken.NewFileSet()
	var files []*ast.File
	for name, source := range map[string]string{
		"a.go": "package p\nfunc f() { x := g(); x.m(); _ = x.field }",
		"b.go": "package p\nimport \"other\"\ntype s struct{ field other.T }\nfunc (s) m() { f() }\nfunc g() s { return s{} }",
		"c.go": "package p",
	} {
		f, err := parser.ParseFile(set, name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	_, problems := refersUp(set, files, []string{"a.go", "b.go"})
	if want := []string{"b.go uses f of a.go, which stands above it", "c.go is not in the list"}; !slices.Equal(problems, want) {
		t.Errorf("found %q, want %q", problems, want)
	}
	if _, problems := refersUp(set, files, []string{"b.go", "a.go", "c.go"}); len(problems) != 3 { // g, m and field
		t.Errorf("found %q", problems)
	}
}
