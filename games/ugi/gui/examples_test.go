package gui_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/ugi"
)

// runners say by the end of a file's name what runs it.
var runners = map[string]string{".sh": "sh", ".awk": "awk -f", ".py": "python3"}

// maxExampleLines is how short an example is.
const maxExampleLines = 59

// TestExamples has each example play itself, on boards of several sizes, from the start and from positions. The referee knows the rules.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/fourmation.*")
	if err != nil || len(files) != len(runners) {
		t.Fatalf("examples are %v, %v", files, err)
	}
	g, _ := games.Find(catalog.All(), "fourmation")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			runner := runners[filepath.Ext(file)]
			if _, err := exec.LookPath(strings.Fields(runner)[0]); err != nil {
				t.Skip(err)
			}
			text, err := os.ReadFile(file)
			if lines := bytes.Count(text, []byte("\n")); err != nil || lines > maxExampleLines {
				t.Errorf("%d lines, %v; it must be %d at most", lines, err, maxExampleLines)
			}
			e := run(t, runner+" "+file)
			if _, err := e.Hello(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, words := range []string{"cols=7 rows=7", "cols=4 rows=5", "cols=12 rows=11", "cols=26 rows=26"} {
				o, err := games.ParseOptions(g, strings.Fields(words))
				if err != nil {
					t.Fatal(err)
				}
				for _, key := range []string{"cols", "rows"} {
					if err := e.Set(t.Context(), key, strings.TrimPrefix(strings.Fields(words)[map[string]int{"cols": 0, "rows": 1}[key]], key+"=")); err != nil {
						t.Fatal(err)
					}
				}
				if err := e.NewGame(t.Context()); err != nil {
					t.Fatal(err)
				}
				for i := range 2 {
					now, err := g.New(o)
					if err != nil {
						t.Fatal(err)
					}
					at := ugi.SetPosition{}
					for ply := 0; ply < 16 && !now.Result().Over; ply++ {
						if i == 1 { // from the position alone
							at = ugi.SetPosition{From: now.String()}
						}
						m, err := e.Move(t.Context(), at, ugi.Go{Depth: 1}, nil)
						if err != nil {
							t.Fatalf("%s: %v", at, err)
						}
						if now, err = now.Play(m); err != nil {
							t.Fatalf("%s, %s: %v", words, at, err)
						}
						at.Moves = append(at.Moves, m)
					}
				}
			}
		})
	}
}
