package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// mostMethods is how many methods a type of sshapp may declare. One with more is several types.
const mostMethods = 40

// sentences is the type that puts all of the club into words, with a method for each kind of sentence.
const sentences = "sshapp/wording.Words"

// TestMethods counts the methods that each type of sshapp declares, interfaces too and tests aside. A method of an embedded type counts for that
// type alone.
func TestMethods(t *testing.T) {
	declared := map[string]int{} // by folder and name of the type
	err := filepath.WalkDir("sshapp", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path)) + "."
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					declared[folder+receiver(n.Recv.List[0].Type)]++
				}
			case *ast.TypeSpec:
				if i, ok := n.Type.(*ast.InterfaceType); ok {
					for _, m := range i.Methods.List {
						declared[folder+n.Name.Name] += len(m.Names) // none of an embedded interface
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || len(declared) < 200 {
		t.Errorf("%d types have methods, %v", len(declared), err)
	}
	if declared[sentences] <= mostMethods {
		t.Errorf("%s has %d methods: it needs no exception", sentences, declared[sentences])
	}
	delete(declared, sentences)
	for name, n := range declared {
		if n > mostMethods {
			t.Errorf("%s has %d methods, want at most %d", name, n, mostMethods)
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	for {
		switch of := e.(type) {
		case *ast.StarExpr:
			e = of.X
		case *ast.IndexExpr: // of a generic type
			e = of.X
		case *ast.IndexListExpr:
			e = of.X
		case *ast.ParenExpr:
			e = of.X
		default:
			return e.(*ast.Ident).Name
		}
	}
}
