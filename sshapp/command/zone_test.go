package command

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestZone: times are shown in the zone that the player has chosen, at the next command and at the prompt; JSON stays in UTC.
func TestZone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		h.as("ana", Done, "name ana")
		says := func(line, want string) {
			t.Helper()
			if got, _ := h.as("ana", Done, line); !strings.Contains(got, want) {
				t.Errorf("%s says %q without %q", line, got, want)
			}
		}
		tokyo, err := time.LoadLocation("Asia/Tokyo")
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		says("zone", now.UTC().Format("2006-01-02 15:04")+" UTC")
		says("zone --json", `{"zone":"UTC"}`)
		says("zone Asia/Tokyo", now.In(tokyo).Format("2006-01-02 15:04")+" Asia/Tokyo")
		says("zone --json", `{"zone":"Asia/Tokyo"}`)
		until := now.Add(48 * time.Hour).UTC()
		says("vacation "+until.Format("2006-01-02 15:04")+" UTC", "until "+until.In(tokyo).Format("2006-01-02 15:04")+" Asia/Tokyo")
		says("vacation --json", `"until":"`+until.Format("2006-01-02T15:04")+":00Z\"")
		says("whoami", " Asia/Tokyo")
		for _, wrong := range []string{"Asia/Nowhere", "Local", "../../etc/passwd", strings.Repeat("x", 200)} {
			if _, complaint := h.as("ana", Usage, "zone "+wrong); !strings.Contains(complaint, "is no time zone") {
				t.Errorf("zone %.20s: %q", wrong, complaint)
			}
		}
		says("zone --json", `{"zone":"Asia/Tokyo"}`)
		at := h.hear(key("ana"), false)
		at.answersTo("zone America/Lima", "America/Lima")
		at.answersTo("vacation", " America/Lima")
		at.answersTo("zone off", " UTC")
		at.leaves(false)
		says("zone --json", `{"zone":"UTC"}`)
	})
}
