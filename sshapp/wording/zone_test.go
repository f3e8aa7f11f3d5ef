package wording

import (
	"testing"
	"time"

	"ludoteca/sshapp/text"
	"ludoteca/storage/accounts"
)

// TestTimesInZone: times are in the zone of the reader, whatever else they choose, and in UTC without one.
func TestTimesInZone(t *testing.T) {
	at := time.Date(2026, 8, 1, 23, 30, 0, 0, time.UTC)
	lisbon := Words{}.InZone("Europe/Lisbon")
	for name, tt := range map[string]struct {
		say          Words
		minute, date string
	}{
		"nothing chosen": {Words{}, "2026-08-01 23:30 UTC", "2026-08-01"},
		"summer":         {lisbon, "2026-08-02 00:30 Europe/Lisbon", "2026-08-02"},
		"in German":      {lisbon.In("de"), "2026-08-02 00:30 Europe/Lisbon", "2026-08-02"},
		"in ASCII":       {lisbon.ForASCII(true), "2026-08-02 00:30 Europe/Lisbon", "2026-08-02"},
		"elsewhere":      {lisbon.At(text.Address{Host: "example.com"}), "2026-08-02 00:30 Europe/Lisbon", "2026-08-02"},
		"settings":       {Words{}.Chosen(accounts.Settings{Zone: "America/Lima", Language: "pt"}), "2026-08-01 18:30 America/Lima", "2026-08-01"},
		"none any more":  {lisbon.Chosen(accounts.Settings{}), "2026-08-01 23:30 UTC", "2026-08-01"},
		"no zone":        {lisbon.InZone("Europe/Nowhere"), "2026-08-01 23:30 UTC", "2026-08-01"},
		"the machine's":  {Words{}.InZone("Local"), "2026-08-01 23:30 UTC", "2026-08-01"},
	} {
		if minute, date := tt.say.Minute(at), tt.say.Date(at); minute != tt.minute || date != tt.date {
			t.Errorf("%s: %q and %q, want %q and %q", name, minute, date, tt.minute, tt.date)
		}
	}
	if winter := lisbon.Minute(at.AddDate(0, 4, 0)); winter != "2026-12-01 23:30 Europe/Lisbon" {
		t.Errorf("in winter it is %q", winter)
	}
}
