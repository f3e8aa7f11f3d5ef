package people

import (
	"testing"
	"testing/synctest"

	"ludoteca/lobby/lists"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// TestComputerAccountsAreMarked: in each language and window, the mark of a computer account who is here is whole, and a long name is cut in front of
// it.
func TestComputerAccountsAreMarked(t *testing.T) {
	for _, language := range []string{"en", "de", "pt"} {
		for width, names := range map[int][]string{80: {"blue (bot)", "a-rather-long… (bot)"}, 40: {"blue (bot)", "a-ra… (bot)"}} {
			synctest.Test(t, func(t *testing.T) {
				club := uitest.FullLobby()
				club.Here = crowd(1, "rui", "blue", "a-rather-long-name-20")
				for i := range club.Here.Here[1:] {
					club.Here.Here[1+i].Kind, club.Here.Here[1+i].Doing = storage.Engine, lists.Playing
				}
				s := begin(t, width, 20, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: language}})
				s.GoTo("Players here")
				s.Sees(names...)
			})
		}
	}
}
