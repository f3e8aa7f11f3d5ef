package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"ludoteca/lobby/names"
)

// TestNobodyIsCalledLikeALevel holds that a player can't take the name of a computer player.
func TestNobodyIsCalledLikeALevel(t *testing.T) {
	all := levels()
	if len(all) < 2 {
		t.Fatalf("only %d levels", len(all))
	}
	for _, l := range all {
		for _, name := range []string{l.ID, l.Name} {
			var wrong *names.Error
			if _, _, err := names.Check(name); !errors.As(err, &wrong) || wrong.Problem != names.Reserved {
				t.Errorf("a player could be called %s: %v", name, err)
			}
		}
	}
}

// TestStoppedWhileOpening: a signal that comes before the club is open ends it as cleanly as any other.
func TestStoppedWhileOpening(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errs bytes.Buffer
	status := run(ctx, process{
		args:  []string{"serve", "--listen", "127.0.0.1:0", "--data", t.TempDir()},
		stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
		env:  func(string) (string, bool) { return "", false },
		exit: func(status int) { t.Errorf("it ends with %d", status) },
	})
	if status != statusDone || out.Len() > 0 {
		t.Errorf("status %d, it says %q\n%s", status, out.String(), errs.String())
	}
}
