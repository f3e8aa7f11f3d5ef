package ui

import (
	"fmt"
	"testing"
	"testing/synctest"

	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// TestOtherLanguages keeps a few screens in every language: the first that a newcomer sees, and a full form in a narrow window.
func TestOtherLanguages(t *testing.T) {
	kept := map[string][2]int{"visit": {40, 20}, "lobby": {80, 24}, "settings": {80, 24}, "new": {40, 20}}
	for _, l := range text.Languages()[1:] {
		for _, sc := range scenes() {
			size, ok := kept[sc.name]
			if !ok {
				continue
			}
			name := fmt.Sprintf("%s/%s-%dx%d", l.Code, sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := sc.at(t, size[0], size[1], storage.Settings{}, "LANG="+l.Code+"_XX.UTF-8")
					golden(t, name, s.page())
				})
			})
		}
	}
}

// TestChoosingALanguage: it comes from the client's locale, the form changes it for good, and a setting beats the locale.
func TestChoosingALanguage(t *testing.T) {
	portuguese := "LANG=pt_PT.UTF-8"
	t.Run("in the form", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			club := &fakeClub{}
			s := begin(t, 80, 24, Config{Club: club, Fingerprint: "SHA256:x", Suggested: "ana", Environ: []string{portuguese}})
			s.sees("O teu nome", "Português")
			s.keys("down", "right")
			s.sees("Dein Name", "Deutsch")
			s.keys("enter")
			s.sees("Gegen den Computer")
			if len(club.saved) != 1 || club.saved[0].Language != "de" {
				t.Errorf("saved %+v, want German once", club.saved)
			}
		})
	})
	t.Run("under settings", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			club := &fakeClub{}
			s := begin(t, 80, 24, Config{Club: club, Who: ana, Environ: []string{portuguese}, Settings: storage.Settings{Language: "en"}})
			s.sees("Play the computer")
			s.keys("end", "enter", "end", "left")
			s.sees("Sprache", "Deutsch")
			s.keys("left")
			s.sees("Língua", "Português")
			s.keys("esc")
			s.sees("Contra o computador")
			if n := len(club.saved); n == 0 || club.saved[n-1].Language != "pt" {
				t.Errorf("saved %+v, want Portuguese last", club.saved)
			}
		})
	})
}
