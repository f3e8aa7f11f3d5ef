package names

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckTitle(t *testing.T) {
	for _, tt := range []struct {
		typed, want string
		problem     Problem
	}{
		{"Friday arena", "Friday arena", 0},
		{"  Friday \t arena ", "Friday arena", 0},
		{"1 + 1", "", Characters},
		{"Torneio de Ação 2", "Torneio de Ação 2", 0},
		{"Club night", "Club night", 0},
		{"五目 大会", "五目 大会", 0},
		{"ab", "", Short},
		{"", "", Short},
		{strings.Repeat("abcd ", 8) + "e", strings.Repeat("abcd ", 8) + "e", Long},
		{strings.Repeat("a", 300), "", Long},
		{"Fri\x1b[31mday", "", Characters},
		{"Fri\u202eday", "", Characters},
		{"Friday.", "", Edges},
		{"Friday арена", "", Scripts},
		{"Official arena", "", Reserved},
		{"The 0fficial arena", "", Reserved},
	} {
		got, err := CheckTitle(tt.typed)
		var wrong *Error
		switch {
		case tt.problem == 0 && (err != nil || got != tt.want):
			t.Errorf("CheckTitle(%q) = %q, %v, want %q", tt.typed, got, err, tt.want)
		case tt.problem != 0 && (!errors.As(err, &wrong) || wrong.Problem != tt.problem):
			t.Errorf("CheckTitle(%q) = %q, %v, want problem %d", tt.typed, got, err, tt.problem)
		}
	}
}
