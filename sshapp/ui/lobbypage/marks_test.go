package lobbypage

import (
	"testing"
	"testing/synctest"

	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// TestOffersOfComputerAccountsAreMarked: in each language and window, the mark of a computer account that offers a match is whole.
func TestOffersOfComputerAccountsAreMarked(t *testing.T) {
	for _, language := range []string{"en", "de", "pt"} {
		for size, sees := range map[[2]int][]string{{80, 24}: {"bia (bot)", "zé (bot)"}, {200, 60}: {"bia (bot) 1610", "zé (bot) 1490?"}} {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, size[0], size[1], ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: language}})
				page, yours := uitest.SomeLists()
				for i := range page.Offers {
					page.Offers[i].By.Kind = storage.Engine
				}
				s.Lists(page, yours)
				s.Sees(sees...)
			})
		}
	}
}
