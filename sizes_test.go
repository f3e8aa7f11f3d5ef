package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a type and a package of lobby and storage may have, tests aside.
const (
	mostServiceMethods = 25
	mostFields         = 20
	mostFiles          = 20
)

// What is larger than that, because it is one thing.
var (
	manyMethods = []string{
		"lobby/match.State", // the fold of a log: each event applies to all of it
		"lobby/seats.Seat",  // what a user can do in one match
	}
	manyFields = []string{"lobby/match.State"}
)

// TestSizes counts the methods and fields that each type of lobby and storage declares, and the files of each of their packages, but for the engines
// of a store and its twin for tests. What is embedded counts as one field, and its methods count for its own type.
func TestSizes(t *testing.T) {
	methods, fields, files := map[string]int{}, map[string]int{}, map[string]int{}
	for _, root := range []string{"lobby", "storage"} {
		err := filepath.WalkDir(root, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			folder := path.Dir(filepath.ToSlash(file))
			if folder == "storage/storagetest" || path.Dir(folder) == "storage/kv" {
				return nil
			}
			files[folder]++
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if n.Recv != nil {
						methods[folder+"."+receiver(n.Recv.List[0].Type)]++
					}
				case *ast.TypeSpec:
					switch of := n.Type.(type) {
					case *ast.InterfaceType:
						for _, m := range of.Methods.List {
							methods[folder+"."+n.Name.Name] += len(m.Names)
						}
					case *ast.StructType:
						for _, f := range of.Fields.List {
							fields[folder+"."+n.Name.Name] += max(len(f.Names), 1)
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(methods) < 300 || len(fields) < 300 || len(files) < 60 {
		t.Errorf("found %d types with methods, %d with fields, %d packages", len(methods), len(fields), len(files))
	}
	for _, c := range []struct {
		what   string
		counts map[string]int
		most   int
		larger []string
	}{
		{"methods", methods, mostServiceMethods, manyMethods},
		{"fields", fields, mostFields, manyFields},
		{"files", files, mostFiles, nil},
	} {
		for _, name := range slices.Sorted(maps.Keys(c.counts)) {
			if n := c.counts[name]; n > c.most && !slices.Contains(c.larger, name) {
				t.Errorf("%s has %d %s, want at most %d", name, n, c.what, c.most)
			}
		}
		for _, name := range c.larger {
			if n := c.counts[name]; n <= c.most {
				t.Errorf("%s has %d %s: it needs no exception", name, n, c.what)
			}
		}
	}
}
