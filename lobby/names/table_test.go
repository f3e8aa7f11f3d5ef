package names

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
	"unicode"
)

// Skeletons are stored, and new names are compared with stored ones. A newer module with another table of the standard changes some
// skeletons: that change raises SkeletonsVersion, and then brings these tests up to date.
const changed = "skeletons are stored: raise SkeletonsVersion"

func TestSkeletonsOfASample(t *testing.T) {
	if SkeletonsVersion != 2 {
		t.Fatalf("SkeletonsVersion is %d; this sample was taken with version 2", SkeletonsVersion)
	}
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"ana", []string{"ana"}},
		{"Ana-Rui_7", []string{"anarui7"}},
		{"alice", []string{"alice"}},
		{"aIice", []string{"alice", "aiice"}},
		{"modern", []string{"rnodern"}},
		{"m0dern", []string{"rnodern"}},
		{"wanda", []string{"wanda"}},
		{"vvanda", []string{"wanda"}},
		{"zé", []string{"ze\u0301"}},
		{"joão", []string{"joa\u0303o"}},
		{"straße", []string{"strasse"}},
		{"İpek", []string{"lpek", "ipek"}},
		{"ǆungla", []string{"dz\u0306ungla"}},
		{"kılıç-ɖøŋ", []string{"kilic\u0326d\u0328o\u0338n\u0329"}},
		{"ᴀʟɪce", []string{"alice"}},
		{"αlice", []string{"alice"}},
		{"ВоЬ", []string{"bob", "bo\u0185"}},
		{"Ольга", []string{"o\u043b\u0185ra"}},
		{"Ελένη", []string{"eλ\ua793\u0301vn\u0329", "\ua793λ\ua793\u0301vn\u0329"}},
		{"ꓟꓮꓣꓲꓮ", []string{"rnarla", "rnaria"}},
		{"שלום", []string{"ש\u05dcl\u05dd"}},
		{"علي٣", []string{"على٣"}},
		{"हिन्दी", []string{"हিन्दी"}},
		{"小明", []string{"小明"}},
		{"コーヒー", []string{"コーヒー"}},
	} {
		if got := Skeletons(tt.name); !slices.Equal(got, tt.want) {
			t.Errorf("Skeletons(%q) = %+q, want %+q: %s", tt.name, got, tt.want, changed)
		}
	}
}

// TestSkeletonsOfEveryLetter compares the skeletons of all letters, digits and marks with the skeletons of version 2, by their sum.
func TestSkeletonsOfEveryLetter(t *testing.T) {
	if testing.Short() {
		t.Skip("140,385 characters")
	}
	sum := sha256.New()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.In(r, unicode.L, unicode.N, unicode.M) {
			fmt.Fprintf(sum, "%U %q %q\n", r, Skeletons(string(r)), staffSkeleton(string(r)))
		}
	}
	if got, want := hex.EncodeToString(sum.Sum(nil)[:8]), "454bf8d2f8b54e96"; got != want {
		t.Errorf("the sum is %s, want %s: %s", got, want, changed)
	}
}
