package command

import (
	"bytes"
	"io"
	"log/slog"
	"testing"

	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/records/recordstest"
)

// BenchmarkDatabase reads the records of 50,000 matches, of which four of five are rated, through the gate, as a client does: 12,000
// records a second on two cores of an EPYC, on bolt.
func BenchmarkDatabase(b *testing.B) {
	c := recordstest.New(b, 50_000, 10)
	club, err := lobby.New(b.Context(), lobby.StoreOf(c.Store), lobby.Config{Games: catalog.All()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = club.Close() })
	run := New(club, slog.New(slog.DiscardHandler), Options{Gate: gate.New(gate.DefaultRate, gate.DefaultBurst), Database: c.Results})
	for b.Loop() {
		var counted recordCounter
		if status := run.Run(b.Context(), key("guest"), "database", &counted, io.Discard); status != Done || counted.records != 40_000 {
			b.Fatalf("status %d, %d records", status, counted.records)
		}
		b.SetBytes(int64(counted.bytes))
	}
	b.ReportMetric(40_000*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// A recordCounter counts the records that are written to it.
type recordCounter struct{ records, bytes int }

func (c *recordCounter) Write(p []byte) (int, error) {
	c.records += bytes.Count(p, []byte("[Game "))
	c.bytes += len(p)
	return len(p), nil
}
