package sqlexport

import (
	"fmt"
	"strconv"
	"testing"

	"ludoteca/sshapp/records/recordstest"
)

// BenchmarkExport measures the first export of a club and one that finds nothing to do. On two cores that other programs and the server use too, 45,000
// matches, two million rows, took the program 41 s and then 6 s.
func BenchmarkExport(b *testing.B) {
	const matches = 5000
	club := recordstest.New(b, matches, 5)
	at := database(b)
	rows := 0
	for _, name := range []string{"first", "again"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if name == "first" {
					b.StopTimer()
					execute(b, at, "DROP SCHEMA IF EXISTS ludoteca CASCADE")
					b.StartTimer()
				}
				report, err := Run(b.Context(), club.Results, config(at, DefaultSchema))
				if err != nil || (report.Added == 0) == (name == "first") {
					b.Fatalf("%+v, %v", report, err)
				}
			}
			rows = 0
			for _, table := range filled {
				n, err := strconv.Atoi(query(b, at, fmt.Sprintf("SELECT count(*) FROM ludoteca.%s", table))[0])
				if err != nil {
					b.Fatal(err)
				}
				rows += n
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(matches*float64(b.N)/b.Elapsed().Seconds(), "matches/s")
		})
	}
}
