package describe

import (
	"testing"
)

func TestPairsFit(t *testing.T) {
	tests := []struct {
		name, first, second string
		cells               int
		want                string
	}{
		{"room enough", "ana", "rui", 23, "ana 1500? - rui 1500?"},
		{"just enough", "ana", "rui", 21, "ana 1500? - rui 1500?"},
		{"without ratings", "ana", "rui", 20, "ana - rui"},
		{"a long first one", "guest-otter", "rui", 16, "guest-ott… - rui"},
		{"a long second one", "ana", "Champion (bot)", 16, "ana - Champion …"},
		{"two long ones", "guest-otter", "Champion (bot)", 17, "guest-… - Champi…"},
		{"no room at all", "ana", "rui", 2, " - "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPair([2]string{tt.first, tt.second}, [2]string{tt.first + " 1500?", tt.second + " 1500?"})
			if got := p.In(tt.cells); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
