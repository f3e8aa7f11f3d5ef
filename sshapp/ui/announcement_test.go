package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/bulletin"
	"ludoteca/lobby/feed"
	"ludoteca/sshapp/ui/uitest"
)

// announcing returns the configuration of a session that hears announcements.
func announcing() (Config, *feed.Feed[bulletin.Bulletin]) {
	f := feed.New[bulletin.Bulletin](feed.NewGroup())
	return Config{Lobby: (&uitest.FakeLobby{}).Services(), Who: uitest.Ana, Bulletin: f.Next}, f
}

// TestAnnouncement: a line stands above the footer until the player hides it, its time is over, or the operator takes it away.
func TestAnnouncement(t *testing.T) {
	const words = "We close at noon for ten minutes."
	later := uitest.Noon.Add(10 * time.Minute)
	tests := []struct {
		name string
		ends func(s *uitest.Session, f *feed.Feed[bulletin.Bulletin])
	}{
		{"esc", func(s *uitest.Session, _ *feed.Feed[bulletin.Bulletin]) { s.Keys("esc") }},
		{"time", func(s *uitest.Session, _ *feed.Feed[bulletin.Bulletin]) { s.Pass(10 * time.Minute) }},
		{"cleared", func(s *uitest.Session, f *feed.Feed[bulletin.Bulletin]) { f.Publish(bulletin.Bulletin{}); s.Settle() }},
		{"another", func(s *uitest.Session, f *feed.Feed[bulletin.Bulletin]) {
			f.Publish(bulletin.Bulletin{Text: "Another one.", Until: later})
			s.Settle()
			s.Sees("From the operator: Another one.")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg, f := announcing()
				s := begin(t, 80, 24, cfg)
				before := s.Page()
				f.Publish(bulletin.Bulletin{Text: "We \x1b[31mclose\a at noon for\nten minutes.", Until: later})
				s.Settle()
				lines := strings.Split(s.Page(), "\n")
				if got := lines[len(lines)-2]; !strings.HasPrefix(got, " From the operator: We ") || strings.ContainsAny(got, "\x1b\a") {
					t.Fatalf("above the footer stands %q", got)
				}
				if footer := lines[len(lines)-1]; !strings.HasPrefix(strings.TrimSpace(footer), "esc hide the message") {
					t.Errorf("the footer is %q", footer)
				}
				f.Publish(bulletin.Bulletin{Text: words, Until: later})
				s.Settle()
				s.Sees("From the operator: " + words)
				s.Pass(10*time.Minute - time.Second)
				s.Sees(words)
				if tt.name == "time" {
					s.Pass(time.Second)
				} else {
					tt.ends(s, f)
				}
				s.Misses(words)
				if tt.name != "another" && s.Page() != before {
					t.Errorf("the page after it is\n%s\nand before it was\n%s", s.Page(), before)
				}
			})
		})
	}
}

// TestAnnouncementIsCut: it never takes more than one line, also in a narrow window.
func TestAnnouncementIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, f := announcing()
		s := begin(t, 80, 24, cfg)
		f.Publish(bulletin.Bulletin{Text: strings.Repeat("long ", 50), Until: uitest.Noon.Add(time.Minute)})
		s.Settle()
		s.Send(tea.WindowSizeMsg{Width: 40, Height: 20})
		uitest.Golden(t, "utf-8/announcement-40x20", s.Page())
		if n := strings.Count(s.Page(), "long"); n > 8 {
			t.Errorf("%d words of 5 cells in a line of 40:\n%s", n, s.Page())
		}
		s.Keys("?") // a page on top of the lobby
		s.Sees("From the operator")
		s.Keys("esc")
		s.Misses("From the operator")
		s.OnScreen("screen.Reader")
	})
}

// TestOldAnnouncement: an announcement that expired before the session began isn't shown.
func TestOldAnnouncement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, f := announcing()
		f.Publish(bulletin.Bulletin{Text: "an old one", Until: uitest.Noon})
		begin(t, 80, 24, cfg).Misses("an old one")
	})
}

// TestCutOff: while the node is cut off from the store a line says so, beside the operator's announcement. The player can't hide it.
func TestCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, f := announcing()
		s := begin(t, 80, 24, cfg)
		before := s.Page()
		tea5 := bulletin.Bulletin{Text: "Tea at five.", Until: uitest.Noon.Add(time.Hour)}
		f.Publish(tea5)
		s.Settle()
		cutOff := tea5
		cutOff.CutOff = uitest.Noon
		f.Publish(cutOff)
		s.Settle()
		s.Sees("Out of touch with the club.")
		s.Sees("Tea at five.")
		s.Keys("esc")
		s.Sees("Out of touch with the club.")
		s.Misses("Tea at five.")
		full := cutOff
		full.StoreFull = true
		for language, words := range map[string]string{"en": "The club's store is full: matches and clocks stand still", "pt": "O armazenamento do clube está cheio", "de": "Der Speicher des Clubs ist voll"} {
			cfg, f := announcing()
			cfg.Settings.Language = language
			other := begin(t, 80, 24, cfg)
			f.Publish(cutOff)
			other.Settle()
			f.Publish(full)
			other.Settle()
			other.Sees(words)
			f.Publish(bulletin.Bulletin{})
			other.Settle()
			other.Misses(words)
		}
		f.Publish(full)
		s.Settle()
		s.Sees("The club's store is full")
		s.Misses("Out of touch")
		f.Publish(tea5)
		s.Settle()
		if after := s.Page(); after != before {
			t.Errorf("once the node is back the page is\n%s\nwant\n%s", after, before)
		}
	})
}
