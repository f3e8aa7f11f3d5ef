package cli

import (
	"strings"
	"testing"

	"ludoteca/sshapp/sqlexport"
)

// TestExportSQLRefuses: what export-sql says before it asks a database or a club.
func TestExportSQLRefuses(t *testing.T) {
	const secret = "hunter2"
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, statusUsage, "--to is missing"},
		{[]string{"--to", "etcd://a:1"}, statusUsage, "begins with postgres://"},
		{[]string{"--to", "postgres://ana:" + secret + "@db.example.com/club"}, statusUsage, "PGPASSWORD"},
		{[]string{"--to", "postgres://ana@db.example.com/club", "--schema", "A"}, statusUsage, "no name for the schema"},
		{[]string{"--to", "postgres://ana@db.example.com/club", "--store", "etcd://a"}, statusUsage, "HOST:PORT"},
		{[]string{"--to", "postgres://ana@db.example.com/club", "more"}, statusUsage, `unknown word "more"`},
		{[]string{"--to", "postgres://ana@db.example.com/club"}, statusRefused, "there is no store at"},
	} {
		h := &here{args: append([]string{"export-sql", "--data", t.TempDir()}, tt.args...)}
		status := h.run(t)
		if got := h.errs.String(); status != tt.status || h.out.Len() > 0 || strings.Count(got, "\n") != 1 || !strings.Contains(got, tt.want) || strings.Contains(got, secret) {
			t.Errorf("%q: status %d, it says %q %q; want %d and %q", tt.args, status, h.out.String(), got, tt.status, tt.want)
		}
	}
}

// TestExportProgress: a long export says now and then how far it is.
func TestExportProgress(t *testing.T) {
	var out strings.Builder
	tell := progress(&out)
	for n := 0; n <= 120_000; n += 250 {
		tell(sqlexport.Report{Matches: n})
	}
	if want := "ludoteca: 50000 matches so far\nludoteca: 100000 matches so far\n"; out.String() != want {
		t.Errorf("it says %q, want %q", out.String(), want)
	}
}
