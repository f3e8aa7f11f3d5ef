package storage_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// firstLetter takes names with the same first letter to look alike.
func firstLetter(name string) []string { return []string{strings.ToLower(name[:1])} }

// TestLookalikes: a name that looks like another player's is refused, names from before the rule stay, and another version of it makes the
// index anew.
func TestLookalikes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "club.db")
	var s *schema.Store
	open := func(l accounts.LookalikeRules) {
		t.Helper()
		var err error
		if s != nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if s, err = storagetest.OpenFile(path, schema.Config{Lookalikes: l}); err != nil {
			t.Fatal(err)
		}
	}
	signUp := func(name string, want error) {
		t.Helper()
		if err := s.Accounts.FreeName(t.Context(), name, name); !errors.Is(err, want) {
			t.Errorf("FreeName(%s) = %v, want %v", name, err, want)
		}
		p, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name, Since: time.Unix(1, 0)}, fmt.Sprint("SHA256:", name, want))
		if !errors.Is(err, want) || (err == nil) != (p.ID != "") {
			t.Errorf("SignUp(%s) = %v, %v, want %v", name, p.ID, err, want)
		}
		if _, err := s.Accounts.PlayerByName(context.Background(), name); (err == nil) != (want == nil || errors.Is(want, storage.ErrNameTaken)) {
			t.Errorf("after SignUp(%s): %v", name, err)
		}
	}
	open(accounts.LookalikeRules{})
	signUp("ana", nil)
	signUp("anb", nil) // alike, but there is no rule yet
	open(accounts.LookalikeRules{Of: firstLetter, Version: 1})
	signUp("alice", storage.ErrNameAlike)
	signUp("ana", storage.ErrNameTaken)
	signUp("bia", nil)
	signUp("bob", storage.ErrNameAlike)
	open(accounts.LookalikeRules{Of: func(name string) []string { return []string{name[len(name)-1:], "same"}[:1] }, Version: 2})
	signUp("cara", storage.ErrNameAlike) // as ana and bia
	signUp("bob", storage.ErrNameAlike)  // as anb
	signUp("rui", nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
