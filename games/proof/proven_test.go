package proof_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// TestGamesKnowTheList: what games say is proven is what PROVEN.md lists, line by line.
func TestGamesKnowTheList(t *testing.T) {
	text, err := os.ReadFile("PROVEN.md")
	if err != nil {
		t.Fatal(err)
	}
	listed, _, _ := strings.Cut(string(text), "Nothing was proven")
	var want []string
	all := catalog.All()
	for line := range strings.Lines(listed) {
		cells := strings.Split(strings.ReplaceAll(line, "`", ""), "|")
		if len(cells) < 8 || strings.Contains(cells[1], "---") || strings.TrimSpace(cells[1]) == "game" {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		at := slices.IndexFunc(all, func(g games.Game) bool { return g.About().Name == cells[1] })
		if at < 0 {
			t.Fatalf("no game is called %q", cells[1])
		}
		result := map[string]string{"draw": "draw", "first side wins": "first"}[cells[4]]
		for _, o := range listedOptions(cells[2]) {
			want = append(want, proven(t, all[at], o, strings.TrimPrefix(cells[3], "the start"), result, cells[5]))
		}
	}
	var got []string
	for _, g := range all {
		if p, ok := g.(games.ProvenGame); ok {
			for _, k := range p.Proven() {
				var after []string
				for _, m := range k.After {
					after = append(after, string(m))
				}
				got = append(got, proven(t, g, k.Options, strings.Join(after, " "), k.Result.String(), strings.TrimPrefix(fmt.Sprint(k.Plies), "0")))
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("the games know\n%s\nand PROVEN.md has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// proven writes a line of what is proven in one form.
func proven(t *testing.T, g games.Game, o games.Options, after, result, plies string) string {
	t.Helper()
	whole, err := games.Complete(g, o)
	if err != nil {
		t.Fatalf("%s %v: %v", g.About().ID, o, err)
	}
	return strings.Join([]string{g.About().ID, whole.String(), after, result, plies}, "; ")
}

// listedOptions returns the sets of options that a cell of the table names: several sizes of board, or several values of the option before.
func listedOptions(cell string) []games.Options {
	all := []games.Options{{}}
	last := ""
	several := func(key string, values map[string]int) {
		for i, o := range all {
			more := games.Options{}
			for k, v := range o {
				more[k] = v
			}
			for k, v := range values {
				more[k] = v
			}
			if _, has := o[key]; !has {
				all[i] = more
				continue
			}
			if !slices.ContainsFunc(all, func(p games.Options) bool { return p.String() == more.String() }) {
				all = append(all, more)
			}
		}
	}
	for word := range strings.FieldsSeq(strings.NewReplacer(",", " ", " and ", " ", " or ", " ").Replace(cell)) {
		var cols, rows, value int
		if key, number, ok := strings.Cut(word, "="); ok {
			fmt.Sscan(number, &value)
			last = key
			several(key, map[string]int{key: value})
		} else if n, _ := fmt.Sscanf(word, "%dx%d", &cols, &rows); n == 2 {
			several("cols", map[string]int{"cols": cols, "rows": rows})
		} else if n, _ := fmt.Sscan(word, &value); n == 1 {
			several(last, map[string]int{last: value})
		}
	}
	return all
}
