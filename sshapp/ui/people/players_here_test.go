package people

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
)

// crowd returns a list of people in the lobby. A star marks followed players, and a question mark guests.
func crowd(seq uint64, names ...string) *lists.Who {
	w := &lists.Who{Seq: seq, Count: len(names)}
	for _, name := range names {
		p := lists.Present{Kind: storage.Person, Name: strings.Trim(name, "*?"), Doing: lists.InLobby, Since: uitest.Noon}
		p.ID, p.Followed = p.Name, strings.HasSuffix(name, "*")
		if strings.HasSuffix(name, "?") {
			p.Kind = storage.Guest
		}
		w.Here = append(w.Here, p)
	}
	return w
}

// TestPlayersHereStays: the cursor stays on its person whatever comes, and a person who leaves stays while the cursor is on them.
func TestPlayersHereStays(t *testing.T) {
	club := uitest.FullLobby()
	club.Here = crowd(1, "bia", "eva", "rui")
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Players here")
		s.Keys("down")
		s.Sees(">   eva", "players here (3)")
		s.Answer(whoMsg{who: crowd(2, "abe", "bia", "eva", "rui")})
		s.Sees(">   eva", "    abe")
		s.Answer(whoMsg{who: crowd(3, "rui*", "abe", "eva")})
		s.Sees(">   eva", "  * rui")
		s.Misses("bia")
		s.Answer(whoMsg{who: crowd(4, "rui*", "zoe")})
		s.Sees(">   eva", "gone", "    zoe")
		s.Answer(whoMsg{who: crowd(5, "rui*", "zoe")})
		s.Sees(">   eva", "gone")
		s.Keys("up")
		s.Sees(">   zoe", "  * rui")
		s.Misses("eva")
		s.Answer(whoMsg{who: crowd(6, "rui*")})
		s.Answer(whoMsg{who: crowd(7, "rui*", "zoe")})
		s.Sees(">   zoe")
		s.Misses("gone")
		s.Answer(whoMsg{who: crowd(8, "abe", "bia", "carl", "rui*")})
		s.Keys("up")
		s.Misses("zoe")
	})
}

// TestManyPlayersHere: a long list scrolls, says how many it leaves out, and keeps the line of the cursor when others come above it.
func TestManyPlayersHere(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("p%04d", i))
	}
	club := uitest.FullLobby()
	club.Here = crowd(1, names...)
	club.Here.Count = 4000
	for _, size := range [][2]int{{80, 24}, {40, 20}, {120, 40}} {
		synctest.Test(t, func(t *testing.T) {
			s := begin(t, size[0], size[1], ui.Config{Lobby: club.Services(), Who: uitest.Ana})
			s.GoTo("Players here")
			s.Sees("3000 more are here", "↓", "players here (4000)")
			s.Keys("pgdown", "pgdown", "pgdown")
			line := func() int {
				return slices.IndexFunc(strings.Split(s.Page(), "\n"), func(l string) bool { return strings.HasPrefix(l, " > ") })
			}
			before, page := line(), s.Page()
			more := crowd(2, append([]string{"abe", "bia", "eva"}, names...)...)
			s.Answer(whoMsg{who: more})
			if after := line(); after != before {
				t.Errorf("at %dx%d the cursor is on line %d, and was on %d:\n%s\n%s", size[0], size[1], after, before, page, s.Page())
			}
			s.Keys("end")
			s.Sees(">   p0999", "↑")
		})
	}
}

// TestPlayersHereKeys: what can be done with the person under the cursor.
func TestPlayersHereKeys(t *testing.T) {
	people := crowd(1, "ana", "bia*", "joao", "guest-7K2Q?")
	people.Here[0].ID = uitest.Ana.ID
	people.Here[2].Doing, people.Here[2].Match, people.Here[2].Game = lists.Watching, "r1", "petteia"
	for _, tt := range []struct {
		name  string
		who   lobby.User
		keys  []string
		sees  []string
		lacks []string
		did   string
		on    string
	}{
		{"others first", uitest.Ana, nil, []string{"> * bia", "    ana"}, nil, "", "people.playersHere"},
		{"oneself", uitest.Ana, []string{"home"}, []string{"p profile"}, []string{"challenge", "follow", "w watch"}, "", "people.playersHere"},
		{"oneself can't be challenged", uitest.Ana, []string{"enter"}, nil, nil, "", "people.playersHere"},
		{"challenge", uitest.Ana, []string{"down", "enter"}, []string{"Ludoteca · challenge", "bia"}, nil, "", "newmatch.setup"},
		{"unfollow", uitest.Ana, []string{"down", "f"}, []string{"enter challenge · f unfollow · p profile"}, nil, fmt.Sprint("relate ", lobby.Following, " bia false"), "people.playersHere"},
		{"follow", uitest.Ana, []string{"down", "down", "f"}, []string{"f follow"}, nil, fmt.Sprint("relate ", lobby.Following, " joao true"), "people.playersHere"},
		{"profile", uitest.Ana, []string{"down", "p"}, nil, nil, "", "people.profile"},
		{"watch", uitest.Ana, []string{"down", "down", "w"}, nil, nil, "", "uitest.boardPage"},
		{"nothing to watch", uitest.Ana, []string{"down", "w"}, nil, []string{"w watch"}, "", "people.playersHere"},
		{"a guest", uitest.Ana, []string{"end"}, []string{"enter challenge"}, []string{"follow", "profile"}, "", "people.playersHere"},
		{"a guest is challenged", uitest.Ana, []string{"end", "enter"}, []string{"guest-7K2Q"}, nil, "", "newmatch.setup"},
		{"guests challenge", uitest.Guest, []string{"down", "enter"}, []string{"bia"}, nil, "", "newmatch.setup"},
		{"guests can't follow", uitest.Guest, []string{"down", "f"}, nil, []string{"follow"}, "", "people.playersHere"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			club := uitest.FullLobby()
			club.Here = people
			walk(t, ui.Config{Lobby: club.Services(), Who: tt.who}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("Players here")
				if len(tt.keys) > 0 {
					s.Keys("home")
				}
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

// TestPlayersHereRests: a screen that is covered asks for no list, and asks again when it is on top.
func TestPlayersHereRests(t *testing.T) {
	club := uitest.FullLobby()
	club.Here, club.Busy = crowd(1, "bia", "rui"), true
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		asks := func(what string, least, most int) {
			t.Helper()
			before := club.AskedWho()
			s.Live(time.Minute)
			if n := club.AskedWho() - before; n < least || n > most {
				t.Errorf("%s: asks %d times in a minute for a list, want %d to %d", what, n, least, most)
			}
		}
		s.GoTo("Players here")
		asks("on top", 58, 61)
		s.Keys("p")
		asks("covered", 0, 1)
		asks("covered for long", 0, 0)
		s.Keys("esc")
		asks("on top again", 58, 62)
		s.Keys("esc")
		asks("gone", 0, 0)
	})
}

// TestPlayersHereClocks: running clocks and the times for which players are away are redrawn as time passes.
func TestPlayersHereClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.FullLobby()
		club.Here = uitest.SomePeople()
		start := time.Now()
		s := begin(t, 80, 24, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Now: func() time.Time { return uitest.Noon.Add(time.Since(start)) }})
		s.GoTo("Players here")
		s.Sees("playing rui, 12:04 left")
		s.Live(61*time.Second + time.Millisecond)
		s.Sees("playing rui, 11:02 left", "away 4 min", "1:00")
		if ticks := s.Live(time.Minute); ticks < 59 || ticks > 61 {
			t.Errorf("a running clock is drawn %d times in a minute", ticks)
		}
	})
}
