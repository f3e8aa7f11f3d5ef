package reply

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestRender(t *testing.T) {
	failed := errors.New("no store")
	rows := []Row{ForPeople("NAME\tRATING"), Of("ana\t1500", 1), ForScripts(2), Made(func() string { return "Joaquim\t9" }, func() any { return 3 })}
	bad := []Row{{Words: func() (string, error) { return "", failed }, Object: func() (any, error) { return nil, failed }}}
	for _, tt := range []struct {
		name, people, scripts string
		part                  Part
	}{
		{"rows as they are", "NAME\tRATING\nana\t1500\nJoaquim\t9\n", "123", Part{Rows: rows}},
		{"a table", "NAME     RATING\nana      1500\nJoaquim  9\n", "123", Part{Rows: rows, Table: true}},
		{"nothing", "", "", Part{}},
	} {
		people, err := tt.part.Render(nil)
		if err != nil || string(people) != tt.people {
			t.Errorf("%s: people read %q, %v, want %q", tt.name, people, err, tt.people)
		}
		scripts, err := tt.part.Render(json.Marshal)
		if err != nil || string(scripts) != tt.scripts {
			t.Errorf("%s: scripts read %q, %v, want %q", tt.name, scripts, err, tt.scripts)
		}
	}
	for _, encode := range []func(any) ([]byte, error){nil, json.Marshal} {
		if _, err := (Part{Rows: bad}).Render(encode); !errors.Is(err, failed) {
			t.Errorf("a row that fails: %v", err)
		}
	}
}

// TestMakesOnlyWhatIsPrinted: a row makes its words or its object, not both.
func TestMakesOnlyWhatIsPrinted(t *testing.T) {
	words, objects := 0, 0
	p := Part{Rows: []Row{Made(func() string { words++; return "" }, func() any { objects++; return 0 })}}
	if _, err := p.Render(nil); err != nil || words != 1 || objects != 0 {
		t.Errorf("for people: %d words, %d objects, %v", words, objects, err)
	}
	if _, err := p.Render(json.Marshal); err != nil || words != 1 || objects != 1 {
		t.Errorf("for scripts: %d words, %d objects, %v", words, objects, err)
	}
}

// TestLastPart: the only part of a reply is its last, so that no turn is spent to find that out.
func TestLastPart(t *testing.T) {
	for part, err := range One(ForPeople("done")) {
		if err != nil || !part.Last {
			t.Errorf("part %+v, %v", part, err)
		}
	}
}
