package text

import "testing"

// TestHiddenCharacters: the first and the last of each run of characters that show nothing are taken out, and what stands next to them stays.
func TestHiddenCharacters(t *testing.T) {
	for _, r := range []rune{0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0, 0x17B4, 0x17B5, 0x180B, 0x180F, 0xFE00, 0xFE0F, 0xE0100, 0xE01EF, 0x1F3FB, 0x1F3FF} {
		if got := Clean("a" + string(r) + "b"); got != "ab" {
			t.Errorf("U+%04X stays: %q", r, got)
		}
	}
	for _, r := range []rune{0x1F3FA, 0x1F400, 0x1810, 0xFDFA} {
		if want := "a" + string(r) + "b"; Clean(want) != want {
			t.Errorf("U+%04X doesn't stay: %q", r, Clean(want))
		}
	}
}
