package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestComments looks in all comments for words that don't say who or what is meant.
func TestComments(t *testing.T) {
	vague := []struct{ words, instead string }{
		{`\bso many\b`, "the name of the parameter"},
		{`\b(some|any)body\b|\bwhoever\b`, "user, player, caller, reader ..."},
		{`\bthose of\b`, "the thing by its name"},
		{`\bsays (whether|if)\b`, "reports whether"},
		{`\bha(s|ve|d) had (its|their) time\b`, "has expired"},
	}
	files := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, c := range f.Comments {
			text := strings.Join(strings.Fields(c.Text()), " ")
			for _, v := range vague {
				if at := regexp.MustCompile("(?i)" + v.words).FindStringIndex(text); at != nil {
					t.Errorf("%s: %q: say %s", path, text[max(0, at[0]-30):min(len(text), at[1]+30)], v.instead)
				}
			}
		}
		return nil
	})
	if err != nil || files < 500 {
		t.Errorf("%d files are read, %v", files, err)
	}
}
