package board

import "testing"

// TestFold: moves typed with the dashes of phones, or in full-width letters, are read like any other.
func TestFold(t *testing.T) {
	for typed, want := range map[string]string{"f1\u2013f4": "f1f4", "f1\u2014f4": "f1f4", "f1 \u2212 f4": "f1f4", "\uff26\uff11\uff0d\uff26\uff14": "f1f4", "\u3000f1\u3000f4": "f1f4"} {
		if from, to, ok := Pair(typed); !ok || from+to != want {
			t.Errorf("%q is read as %q %q", typed, from, to)
		}
	}
	for typed, want := range map[string]string{"\uff24\uff14": "d4", "d\u20134": "d4", "d4": "d4", "\u00e9": "\u00e9"} {
		if got := One(typed); got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}
