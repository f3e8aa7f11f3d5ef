package sqlexport

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ludoteca/sshapp/records/recordstest"
)

// guide returns deploy/SQL.md.
func guide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "SQL.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestGuideColumns: the guide has the columns of each table with matches as the database has them, types and comments included.
func TestGuideColumns(t *testing.T) {
	at, w := database(t), newWorld(t)
	if _, err := Run(t.Context(), w, config(at, DefaultSchema)); err != nil {
		t.Fatal(err)
	}
	for _, name := range filled {
		_, section, found := strings.Cut(guide(t), "\n### "+name+"\n")
		section, _, _ = strings.Cut(section, "\n### ")
		var documented []string
		for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([a-z ]+) \\| (.*) \\|$").FindAllStringSubmatch(section, -1) {
			documented = append(documented, strings.Join(m[1:], " | "))
		}
		made := query(t, at, `SELECT concat_ws(' | ', attname, replace(format_type(atttypid, atttypmod), 'timestamp with time zone', 'timestamptz'), col_description(attrelid, attnum))
			FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`, "ludoteca."+name)
		if !found || len(made) < 5 || !slices.Equal(documented, made) {
			t.Errorf("%s: the guide has\n%s\nand the database\n%s", name, strings.Join(documented, "\n"), strings.Join(made, "\n"))
		}
		comment := query(t, at, "SELECT obj_description($1::regclass, 'pg_class')", "ludoteca."+name)[0]
		if !strings.Contains(section, comment) {
			t.Errorf("%s: the guide has not %q", name, comment)
		}
	}
}

// TestGuideExamples: the examples of the guide find something in a club.
func TestGuideExamples(t *testing.T) {
	at, club := database(t), recordstest.New(t, 400, 2)
	if _, err := Run(t.Context(), club.Results, config(at, DefaultSchema)); err != nil {
		t.Fatal(err)
	}
	execute(t, at, fmt.Sprintf("ALTER DATABASE %s SET search_path TO ludoteca", query(t, at, "SELECT current_database()")[0]))
	examples := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(guide(t), -1)
	if len(examples) != 5 {
		t.Errorf("the guide has %d examples", len(examples))
	}
	for _, e := range examples {
		rows := query(t, at, e[1])
		if len(rows) == 0 {
			t.Errorf("nothing is found by\n%s", e[1])
		}
		for _, row := range rows {
			if strings.Contains(row, "<nil>") {
				t.Errorf("%q is found by\n%s", row, e[1])
			}
		}
	}
}
