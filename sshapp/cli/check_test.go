package cli

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludoteca/sshapp/club"
	"ludoteca/sshapp/club/clubstore"
	"ludoteca/sshapp/flagset"
	"ludoteca/storage/schema"
)

// TestUnknownVariables: a misspelt variable is reported with the nearest existing one. Variables of container platforms and of other programs
// aren't reported.
func TestUnknownVariables(t *testing.T) {
	s := club.DefaultConfig()
	flags := flagsOf(&s)
	declareRetired(flags)
	for name, nearest := range map[string]string{
		"LUDOTECA_MAX_SESSION=5": "LUDOTECA_MAX_SESSIONS", "LUDOTECA_STORE_PASSWORT=x": "LUDOTECA_STORE_PASSWORD", "LUDOTECA_METRIC=": "LUDOTECA_METRICS",
		"LUDOTECA_PORT=2222": "LUDOTECA_NODE", "LUDOTECA_=": "LUDOTECA_DATA",
		"LUDOTECA_DATA=x": "", "LUDOTECA_STORE_PASSWORD=x": "", "LUDOTECA_KEEPER=x": "", "LUDOTEC=x": "", "PATH=LUDOTECA_X": "",
		"LUDOTECA_SERVICE_HOST=10.0.0.1": "", "LUDOTECA_SERVICE_PORT_SSH=22": "", "LUDOTECA_PORT=tcp://10.0.0.1:22": "",
		"LUDOTECA_PORT_22_TCP_ADDR=10.0.0.1": "", "LUDOTECA_SSH_PORT_22_TCP=tcp://10.0.0.1:22": "", "LUDOTECA_SSH_SERVICE_PORT=22": "",
	} {
		var got string
		for _, u := range unknownVariables([]string{name}, flagset.Variables(flags)) {
			got = u.nearest
		}
		if got != nearest {
			t.Errorf("%s: %q is the nearest, want %q", name, got, nearest)
		}
	}
}

// keptStore puts the store of an older version, schema 3, into a new data folder.
func keptStore(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	if err := os.Chmod(data, 0o700); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join("..", "..", "storage", "testdata", "club.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, clubstore.FileName), file, 0o600); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCheck: serve --check lists the settings in force with their sources and the changes that a start would make, and changes nothing.
func TestCheck(t *testing.T) {
	kept, now := keptStore(t), schema.Schema()
	empty := t.TempDir()
	tests := []struct {
		name   string
		args   []string
		env    map[string]string
		status int
		out    []string // lines, with single spaces
		errs   string
	}{
		{"an older store", []string{"--data", kept, "--max-offers", "7"}, map[string]string{"LUDOTECA_NO_GUESTS": "true"}, statusDone,
			[]string{"data " + kept + " command line", "max-offers 7 command line", "no-guests true LUDOTECA_NO_GUESTS", "keep-casual 8760h0m0s default",
				fmt.Sprintf("store: %s/ludoteca.db has schema 3; a start copies it to a file in %[1]s if there is room, and migrates it to %[2]d, after which older versions refuse it", kept, now)}, ""},
		{"without a copy", []string{"--data", kept, "--no-migration-copy"}, nil, statusDone,
			[]string{fmt.Sprintf("store: %s/ludoteca.db has schema 3; a start migrates it to %d, after which older versions refuse it", kept, now)}, ""},
		{"no store", []string{"--data", filepath.Join(empty, "new")}, nil, statusDone,
			[]string{"store: there is none at " + empty + "/new/ludoteca.db; the first start makes it"}, ""},
		{"an unknown variable", []string{"--data", kept}, map[string]string{"LUDOTECA_MAX_SESSION": "5"}, statusRefused,
			[]string{"max-sessions 1000 default"}, "name=LUDOTECA_MAX_SESSION nearest=LUDOTECA_MAX_SESSIONS\n"},
		{"a wrong setting", []string{"--data", kept, "--operator", "me"}, nil, statusUsage, nil, "--operator"},
		{"no folder", []string{"--data", filepath.Join(kept, clubstore.FileName)}, nil, statusRefused, nil, "ludoteca.db"},
	}
	before, err := os.ReadFile(filepath.Join(kept, clubstore.FileName))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &here{args: append([]string{"serve", "--check"}, tt.args...), env: tt.env}
			if status := h.run(t); status != tt.status || !strings.Contains(h.errs.String(), tt.errs) || tt.errs == "" && h.errs.Len() > 0 {
				t.Errorf("status %d, %q; want %d and words with %q", status, h.errs.String(), tt.status, tt.errs)
			}
			var lines []string
			for line := range strings.Lines(h.out.String()) {
				lines = append(lines, strings.Join(strings.Fields(line), " "))
			}
			for _, want := range tt.out {
				if !slices.Contains(lines, want) {
					t.Errorf("no line %q in\n%s", want, h.out.String())
				}
			}
		})
	}
	if after, err := os.ReadFile(filepath.Join(kept, clubstore.FileName)); err != nil || string(after) != string(before) {
		t.Errorf("the store has changed: %v", err)
	}
	if files, err := os.ReadDir(empty); err != nil || len(files) > 0 {
		t.Errorf("a check leaves %v, %v", files, err)
	}
}
