package board

import (
	"slices"
	"strings"
	"testing"
)

func TestImage(t *testing.T) {
	rows := []string{"abc", "def"}
	tests := []struct {
		s    Symmetry
		want string
	}{
		{0, "abc/def"},
		{Mirrored, "cba/fed"},
		{Flipped, "def/abc"},
		{Mirrored | Flipped, "fed/cba"},
		{Transposed, "ad/be/cf"},
		{Mirrored | Transposed, "cf/be/ad"},
		{Flipped | Transposed, "da/eb/fc"},
		{Mirrored | Flipped | Transposed, "fc/eb/da"},
	}
	for _, tt := range tests {
		if got := strings.Join(Image(rows, tt.s), "/"); got != tt.want {
			t.Errorf("Image(%v, %d) = %s, want %s", rows, tt.s, got, tt.want)
		}
	}
	if !slices.Equal(rows, []string{"abc", "def"}) || len(Image(nil, Transposed)) != 0 {
		t.Errorf("%v, %v", rows, Image(nil, Transposed))
	}
}

// TestSmallest: all images of a board that may be made have the same smallest image, and no others.
func TestSmallest(t *testing.T) {
	rows := []string{"c.b", "..a", "d.."}
	for _, ways := range []Symmetry{Mirrored, Mirrored | Flipped, Mirrored | Flipped | Transposed} {
		want := Smallest(rows, ways)
		for s := range Transposed*2 - 1 {
			got := Smallest(Image(rows, s), ways)
			if allowed := s&^ways == 0; allowed != (got == want) {
				t.Errorf("ways %d: the image by %d has %s, the board %s", ways, s, got, want)
			}
		}
	}
}
