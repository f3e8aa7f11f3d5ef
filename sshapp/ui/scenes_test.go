package ui

import (
	"fmt"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/quick"
	"ludoteca/sshapp/greeting"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	noticestore "ludoteca/storage/notices"
)

// A scene is a screen in some state, reached as a player would.
type scene struct {
	name string
	cfg  Config
	play func(*uitest.Session)
}

func scenes() []scene {
	member := Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}
	visitor := Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Guest}
	item := func(words string, then ...string) func(*uitest.Session) {
		return func(s *uitest.Session) {
			s.Lists(uitest.SomeLists())
			s.GoTo(s.App.Env().Say.T(words))
			s.Keys(then...)
		}
	}
	hello, _ := greeting.New("Clube da Lousã", "testdata/welcome.txt") // the pictures show whether it was read
	return []scene{
		{"sign-up-greeting", Config{Lobby: uitest.FullLobby().Services(), Fingerprint: "SHA256:x", Greeting: hello}, func(*uitest.Session) {}},
		{"lobby-greeting", Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Greeting: hello}, func(s *uitest.Session) { s.Lists(uitest.SomeLists()) }},
		{"sign-up", Config{Lobby: uitest.FullLobby().Services(), Fingerprint: "SHA256:x", Suggested: "ana"}, func(*uitest.Session) {}},
		{"sign-up-refused", Config{Lobby: (&uitest.FakeLobby{Err: lobby.ErrNameTaken}).Services(), Fingerprint: "SHA256:x", Suggested: "ana"},
			func(s *uitest.Session) { s.Keys("enter") }},
		{"lobby-empty", member, func(s *uitest.Session) { s.Lists(&lists.Lists{Seq: 1, Count: 1}, lists.Yours{}) }},
		{"lobby", member, func(s *uitest.Session) { s.Lists(uitest.SomeLists()) }},
		{"lobby-lists", member, func(s *uitest.Session) { s.Lists(uitest.SomeLists()); s.Keys("tab", "down", "down", "down") }},
		{"lobby-many", member, func(s *uitest.Session) { s.Lists(uitest.ManyLists()); s.Keys("tab", "pgdown") }},
		{"lobby-guest", visitor, func(s *uitest.Session) { s.Lists(uitest.SomeLists()) }},
		{"lobby-help", member, func(s *uitest.Session) { s.Lists(uitest.SomeLists()); s.Keys("?") }},
		{"computer", member, item("Play the computer")},
		{"quick", member, item("Quick match")},
		{"quick-looking", Config{Lobby: seeking().Services(), Who: uitest.Ana}, item("Quick match", "enter")},
		{"challenge", Config{Lobby: challenged().Services(), Who: uitest.Ana}, func(s *uitest.Session) { s.Lists(uitest.SomeLists()) }},
		{"new", member, item("New match...", "right", "down", "down")},
		{"new-bad", member, item("New match...", "end", "up", "1")},
		{"join", member, item("Join by code...", "k7q")},
		{"keyboard", member, item("Two at this keyboard")},
		{"here", member, item("Players here", "down", "down")},
		{"relations", member, item("Players here", "y", "down")},
		{"relations-guest", visitor, item("Players here", "y")},
		{"leaderboard", member, item("Leaderboard")},
		{"profile", member, item("Leaderboard", "enter")},
		{"watch", member, item("Watch a match")},
		{"watch-many", member, func(s *uitest.Session) {
			l, yours := uitest.SomeLists()
			for i := range 80 {
				r := l.Running[i%len(l.Running)]
				r.ID = storage.MatchID(fmt.Sprint("w", i))
				l.Running = append(l.Running, r)
			}
			s.Lists(l, yours)
			s.GoTo(s.App.Env().Say.T("Watch a match"))
			s.Keys("end", "up")
		}},
		{"history", member, item("History", "pgdown")},
		{"learn", member, item("Learn the games")},
		{"rules", member, item("Learn the games", "r")},
		{"lesson", member, item("Learn the games", "enter")},
		{"settings", member, item("Settings")},
		{"settings-notices", Config{Lobby: noticed().Services(), Who: uitest.Ana}, item("Settings", "end", "up", "up")},
		{"notices", Config{Lobby: noticed().Services(), Who: uitest.Ana}, item("Settings", "end", "up", "up", "enter")},
		{"nickname", visitor, func(s *uitest.Session) { item("Settings", "end", "up", "enter")(s); s.Keys("otter") }},
		{"guest-matches", visitor, item("Settings", "end", "enter")},
		{"account", Config{Lobby: keyed().Services(), Who: uitest.Ana, Fingerprint: "SHA256:one"}, func(s *uitest.Session) { item("Settings")(s); s.Keys("end", "enter", "down", "down") }},
		{"account-delete", Config{Lobby: keyed().Services(), Who: uitest.Ana, Fingerprint: "SHA256:one"}, func(s *uitest.Session) {
			item("Settings")(s)
			s.Keys("end", "enter", "end", "enter", "ana", "enter")
		}},
		{"claim", Config{Lobby: uitest.FullLobby().Services(), Fingerprint: "SHA256:x", Suggested: "ana"}, func(s *uitest.Session) { s.Keys("down", "down", "down", "enter", "k7qm-2xpd") }},
		{"lobby-recovery", Config{Lobby: (&uitest.FakeLobby{Recovery: "K7QM-2XPD-9RTV-AAAA-BBBB-CCCC"}).Services(), Fingerprint: "SHA256:x", Suggested: "ana"},
			func(s *uitest.Session) { s.Keys("enter") }},
	}
}

// noticed is a club that sends mail and ntfy. The player gets notices by mail, and another address waits for its code.
func noticed() *uitest.FakeLobby {
	c := uitest.FullLobby()
	c.Sends = []noticestore.Kind{noticestore.Mail, noticestore.Ntfy}
	c.Contact = noticestore.Contact{
		Confirmed: &noticestore.Address{Kind: noticestore.Mail, To: "ana@example.com"},
		Pending:   &noticestore.Pending{Address: noticestore.Address{Kind: noticestore.Ntfy, To: "ana-and-sixteen-more"}},
	}
	return c
}

// seeking is a club in which a search for a quick match goes on.
func seeking() *uitest.FakeLobby {
	c := uitest.FullLobby()
	c.Looking = []quick.Looking{{Looking: pairing.Looking{From: 1420, To: 1630, Waited: 12 * time.Second, Others: 3}}}
	return c
}

// challenged is a club in which rui challenges the player to a rated match.
func challenged() *uitest.FakeLobby {
	c := uitest.FullLobby()
	o := uitest.Offer("c1", "petteia", nil)
	o.By, o.To, o.Until, o.Clock = uitest.Person("p6", "rui"), uitest.Ana.Occupant(), uitest.Noon.Add(time.Minute), uitest.ClockOfTest("5+3")
	c.Yours.Invitations = []lists.Offer{o}
	return c
}

// at runs a scene in a window of the given size.
func (sc scene) at(t testing.TB, w, h int, settings accounts.Settings, environ ...string) *uitest.Session {
	t.Helper()
	cfg := sc.cfg
	cfg.Settings, cfg.Environ = settings, environ
	s := begin(t, w, h, cfg)
	sc.play(s)
	return s
}
