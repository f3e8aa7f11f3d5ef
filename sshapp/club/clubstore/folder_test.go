package clubstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"ludoteca/storage"
)

// TestHelpWhenNothingOpens: who starts a club reads what to do about a damaged store, or a folder of another user.
func TestHelpWhenNothingOpens(t *testing.T) {
	other := errors.New("no room")
	for _, tt := range []struct {
		name   string
		err    error
		onEtcd bool
		want   string
	}{
		{"damaged", storage.ErrDamaged, false, "ludoteca salvage data/ludoteca.db NEW.db"},
		{"damaged on etcd", storage.ErrDamaged, true, "ludoteca move-store"},
		{"of another user", &fs.PathError{Op: "open", Path: "data/ludoteca.db", Err: syscall.EACCES}, false,
			fmt.Sprintf("chown -R %d:%d data", os.Getuid(), os.Getgid())},
		{"something else", other, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := OpenHelp(tt.err, "data", tt.onEtcd)
			if !errors.Is(got, tt.err) || !strings.Contains(got.Error(), tt.want) || tt.want == "" && got != other {
				t.Errorf("%q, want words with %q", got, tt.want)
			}
		})
	}
}

// TestOneNodeAFolder: a second node finds the data folder locked.
func TestOneNodeAFolder(t *testing.T) {
	data := t.TempDir()
	unlock, err := LockFolder(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockFolder(data); err == nil || !strings.Contains(err.Error(), "another node") {
		t.Errorf("the second: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := LockFolder(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}
