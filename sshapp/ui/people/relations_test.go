package people

import (
	"fmt"
	"strings"
	"testing"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	relationstore "ludoteca/storage/relations"
)

// TestRelations: the acts on followed and blocked players.
func TestRelations(t *testing.T) {
	for _, tt := range []struct {
		name  string
		who   lobby.User
		keys  []string
		sees  []string
		lacks []string
		did   string
		on    string
	}{
		{"who is here comes first", uitest.Ana, nil, []string{"you follow (3)", "you block (1)", "> bia                  here", "  rui "}, []string{"eva"}, "", "people.relations"},
		{"unfollow", uitest.Ana, []string{"down", "f"}, []string{"You no longer follow rui.", "you follow (2)", "> zacharias"}, []string{"  rui "}, fmt.Sprint("relate ", lobby.Following, " rui false"), "people.relations"},
		{"b is for blocked players", uitest.Ana, []string{"b"}, nil, []string{"unblock"}, "", "people.relations"},
		{"unblock the only one", uitest.Ana, []string{"tab", "b"}, []string{"You no longer block eva.", "You block nobody. B on a profile"}, []string{"unblock", "enter profile"}, fmt.Sprint("relate ", lobby.Blocked, " eva false"), "people.relations"},
		{"a blocked player can't be challenged", uitest.Ana, []string{"tab", "c", "f"}, []string{"> eva", "b unblock"}, []string{"challenge", "unfollow"}, "", "people.relations"},
		{"challenge", uitest.Ana, []string{"c"}, []string{"Ludoteca · challenge", "bia"}, nil, "", "newmatch.setup"},
		{"profile", uitest.Ana, []string{"tab", "enter"}, nil, nil, "", "people.profile"},
		{"back", uitest.Ana, []string{"esc"}, nil, nil, "", "people.playersHere"},
		{"a guest", uitest.Guest, []string{"tab", "f", "b", "c", "enter"}, []string{"Guests follow and block nobody. With a key"}, []string{"unfollow"}, "", "people.relations"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			club := uitest.FullLobby()
			walk(t, ui.Config{Lobby: club.Services(), Who: tt.who}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("Players here")
				s.Keys("y")
				s.Keys(tt.keys...)
				s.OnScreen(tt.on)
				s.Sees(tt.sees...)
				s.Misses(tt.lacks...)
				if did := strings.Join(club.Did, ", "); did != tt.did {
					t.Errorf("did %q, want %q", did, tt.did)
				}
			})
		})
	}
}

// TestRelationsAreRead: the lists are read again while they are looked at, and the cursor stays on its player.
func TestRelationsAreRead(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Players here")
		s.Keys("y", "down")
		s.Sees("> rui ")
		club.Mu.Lock()
		club.Relations[lobby.Following] = append([]lobby.Related{{Name: "joao", Since: uitest.Noon, Online: true}}, club.Relations[lobby.Following]...)
		club.Mu.Unlock()
		s.Live(2 * awayTick)
		s.Sees("> rui ", "joao                 here")
	})
}

// TestFullRelations: as many as there may be scroll in the smallest window.
func TestFullRelations(t *testing.T) {
	club := uitest.FullLobby()
	var all []lobby.Related
	for i := range relationstore.MaxRelations {
		all = append(all, lobby.Related{Name: fmt.Sprintf("p%03d", i), Since: uitest.Noon})
	}
	club.Relations[lobby.Following] = all
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Players here")
		s.Keys("y", "end")
		s.Sees("> p199", "↑")
		uitest.StaysInside(t, s.App, 40, 20)
		s.Sees("> p199")
	})
}
