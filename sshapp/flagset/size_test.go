package flagset

import (
	"strings"
	"testing"
)

func TestByteSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "1000": 1000, "256MiB": 256 << 20, "256mib": 256 << 20, "2g": 2 << 30, "3K": 3 << 10, "1TiB": 1 << 40,
	} {
		var b Size
		if err := b.Set(text); err != nil || b != want {
			t.Errorf("Set(%q) = %d, %v, want %d", text, b, err, want)
		}
		var again Size
		if err := again.Set(b.String()); err != nil || again != b {
			t.Errorf("%d is written %q and read as %d, %v", b, b.String(), again, err)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5G", "1 MiB", "x", "9223372036854775807", "99999999TiB", "1MB"} {
		b := Size(7)
		if err := b.Set(text); err == nil || !strings.Contains(err.Error(), "256MiB") || b != 7 {
			t.Errorf("Set(%q) = %d, %v", text, b, err)
		}
	}
}
