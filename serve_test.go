package main

import (
	"errors"
	"testing"

	"ludoteca/lobby"
)

// TestNobodyIsCalledLikeALevel holds that a player can't take the name of a computer player.
func TestNobodyIsCalledLikeALevel(t *testing.T) {
	all := levels()
	if len(all) < 2 {
		t.Fatalf("only %d levels", len(all))
	}
	for _, l := range all {
		for _, name := range []string{l.ID, l.Name} {
			var wrong *lobby.NameError
			if _, _, err := lobby.CheckName(name); !errors.As(err, &wrong) || wrong.Problem != lobby.NameReserved {
				t.Errorf("a player could be called %s: %v", name, err)
			}
		}
	}
}
