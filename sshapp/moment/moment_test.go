package moment

import (
	"strings"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	now := time.Date(2026, 11, 27, 10, 0, 0, 1, time.UTC)
	for _, tt := range []struct {
		typed, want, zone string // want is "" for what is no time
	}{
		{"+30m", "2026-11-27T10:30:01Z", ""},
		{" +1h30m ", "2026-11-27T11:30:01Z", ""},
		{"+-1h", "", ""},
		{"-1h", "", ""},
		{"+", "", ""},
		{"2026-12-04T20:00:00Z", "2026-12-04T20:00:00Z", ""},
		{"2026-12-04T20:00Z", "2026-12-04T20:00:00Z", ""},
		{"2026-12-04 20:00 +01:00", "2026-12-04T19:00:00Z", ""},
		{"2026-12-04 20:00 +0100", "2026-12-04T19:00:00Z", ""},
		{"2026-12-04 20:00 Europe/Lisbon", "2026-12-04T20:00:00Z", "Europe/Lisbon"},
		{"2026-07-04 20:00 Europe/Lisbon", "2026-07-04T19:00:00Z", "Europe/Lisbon"},
		{"2026-07-04T20:00 America/Sao_Paulo", "2026-07-04T23:00:00Z", "America/Sao_Paulo"},
		{"2026-12-04 20:00 UTC", "2026-12-04T20:00:00Z", "UTC"},
		{"2026-03-29 01:30 Europe/Lisbon", "2026-03-29T01:30:00Z", "Europe/Lisbon"}, // the clocks leave this time out
		{"2026-12-04 20:00 europe/lisbon", "2026-12-04T20:00:00Z", "Europe/Lisbon"},
		{"2026-12-04 20:00", "", ""},
		{"20:00 Europe/Lisbon", "", ""},
		{"2026-12-04 20:00 Local", "", ""},
		{"2026-12-04 20:00 ../../etc/passwd", "", ""},
		{"2026-12-04 25:00 Europe/Lisbon", "", ""},
		{"tomorrow", "", ""},
		{"", "", ""},
		{"+" + strings.Repeat("1h", 100), "", ""},
	} {
		m, ok := Read(tt.typed, now)
		got := ""
		if ok {
			got = m.At.UTC().Format(time.RFC3339)
		}
		if got != tt.want || m.Zone != tt.zone {
			t.Errorf("Read(%q) is %q in %q, want %q in %q", tt.typed, got, m.Zone, tt.want, tt.zone)
		}
	}
}

// TestString: a time is written as it is read.
func TestString(t *testing.T) {
	at := time.Date(2026, 7, 4, 19, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{"Europe/Lisbon": "2026-07-04 20:00 Europe/Lisbon", "": "2026-07-04 19:00 UTC", "Nowhere": "2026-07-04 19:00 UTC"} {
		got := String(at, zone)
		m, ok := Read(got, time.Time{})
		if got != want || !ok || !m.At.Equal(at) {
			t.Errorf("String in %q is %q, want %q; read back %v, %v", zone, got, want, m.At, ok)
		}
	}
}

// TestZone: the names of zones may be in lower case, and none is that of the machine.
func TestZone(t *testing.T) {
	for typed, want := range map[string]string{
		"Europe/Lisbon": "Europe/Lisbon", "europe/lisbon": "Europe/Lisbon", "EUROPE/LISBON": "Europe/Lisbon", "america/port_of_spain": "America/Port_of_Spain",
		"africa/dar_es_salaam": "Africa/Dar_es_Salaam", "america/port-au-prince": "America/Port-au-Prince", "america/argentina/buenos_aires": "America/Argentina/Buenos_Aires",
		"etc/gmt+3": "", "utc": "UTC", "est5edt": "EST5EDT", "Asia/Ust-Nera": "Asia/Ust-Nera", "asia/ust-nera": "Asia/Ust-Nera",
		"": "", "local": "", "Local": "", "/": "", "é/lisbon": "", "../etc": "", "europe//lisbon": "",
	} {
		zone, err := Zone(typed)
		got := ""
		if err == nil {
			got = zone.String()
		}
		if got != want {
			t.Errorf("Zone(%q) is %q, %v; want %q", typed, got, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("2026-12-04 20:00 Europe/Lisbon")
	f.Add("+30m")
	f.Fuzz(func(t *testing.T, typed string) {
		m, ok := Read(typed, time.Unix(0, 0))
		if ok && m.At.IsZero() && m.Zone == "" && !strings.Contains(typed, "0001") {
			t.Errorf("Read(%q) is no time", typed)
		}
	})
}

func TestChosen(t *testing.T) {
	for _, tt := range []struct {
		typed, want string
		ok          bool
	}{
		{"Europe/Lisbon", "Europe/Lisbon", true}, {" Asia/Tokyo ", "Asia/Tokyo", true}, {"", "", true}, {"OFF", "", true}, {"utc", "", true},
		{"Local", "", false}, {"Europe/Nowhere", "", false}, {"../zoneinfo/Europe/Lisbon", "", false}, {strings.Repeat("x", 101), "", false},
	} {
		if got, err := Chosen(tt.typed); (err == nil) != tt.ok || tt.ok && got != tt.want {
			t.Errorf("%q is %q, %v; want %q, %v", tt.typed, got, err, tt.want, tt.ok)
		}
	}
}
