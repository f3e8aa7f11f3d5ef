package ui

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// TestOtherLanguages keeps a few screens in every language: the first ones that a newcomer sees, and the fullest.
func TestOtherLanguages(t *testing.T) {
	seen := []string{"visit", "lobby", "rules", "settings"}
	for _, l := range text.Languages()[1:] {
		for _, size := range [][2]int{{80, 24}, {40, 20}} {
			w, h, environ := size[0], size[1], "LANG="+l.Code+"_XX.UTF-8"
			for _, sc := range scenes() {
				if !slices.Contains(seen, sc.name) {
					continue
				}
				name := fmt.Sprintf("%s/%s-%dx%d", l.Code, sc.name, w, h)
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						golden(t, name, sc.at(t, w, h, storage.Settings{}, environ).page())
					})
				})
			}
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
