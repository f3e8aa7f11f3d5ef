package ui

import (
	"testing"
	"testing/synctest"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// TestEmptyListsInSmallWindows: what is said of an empty list can be read to its end.
func TestEmptyListsInSmallWindows(t *testing.T) {
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, 40, 20, Config{Club: &fakeClub{}, Who: ana, Settings: storage.Settings{Language: l.Code}})
				s.lists(&lobby.Lists{Seq: 1, Count: 1}, lobby.Yours{})
				s.keys("tab")
				s.misses("…")
				s.keys("tab", "down", "down", "down", "down", "down", "enter")
				s.reads(s.app.env.say.T("Nobody has played a rated match yet."))
				s.misses("…")
			})
		})
	}
}
