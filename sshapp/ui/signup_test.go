package ui

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby"
	"ludoteca/lobby/names"
	"ludoteca/sshapp/ui/uitest"
)

func TestSignUp(t *testing.T) {
	tests := []struct {
		name      string
		suggested string
		keys      []string
		err       error
		signs     []string
		sees      string
	}{
		{"typed over", "ana", []string{"ctrl+u", "zoe", "enter"}, nil, []string{"zoe"}, "Play the computer"},
		{"letters that are keys elsewhere", "", []string{"hjklq?", "enter"}, nil, []string{"hjklq?"}, "Play the computer"},
		{"taken", "ana", []string{"enter"}, lobby.ErrNameTaken, []string{"ana"}, "Somebody has this name already"},
		{"again after taken", "ana", []string{"enter", "2", "enter"}, lobby.ErrNameTaken, []string{"ana", "ana2"}, "ana2"},
		{"bad", "x", []string{"enter"}, &names.Error{Problem: names.Short}, []string{"x"}, "too short"},
		{"never a Go error", "ana", []string{"enter"}, errors.New("bbolt: disk on fire"), []string{"ana"}, "nothing is lost"},
		{"suggestion with escapes", "a\x1b[2J\u202en\aa", []string{"enter"}, nil, []string{"a[2Jna"}, "Play the computer"},
		{"from the button", "ana", []string{"down", "enter"}, nil, []string{"ana"}, "Play the computer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			club := &uitest.FakeLobby{Err: tt.err}
			walk(t, Config{Lobby: club.Services(), Fingerprint: "SHA256:x", Suggested: tt.suggested}, func(t *testing.T, s *uitest.Session) {
				s.Keys(tt.keys...)
				if diff := cmp.Diff(tt.signs, club.Signed); diff != "" {
					t.Errorf("signed up (-want +got):\n%s", diff)
				}
				s.Sees(tt.sees)
				s.Misses("bbolt")
			})
		})
	}
}
