package ui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/feed"
)

// A said is an announcement of a test.
type said struct {
	words string
	until time.Time
}

// announcing returns the configuration of a session that hears announcements.
func announcing() (Config, *feed.Feed[said]) {
	f := feed.New[said](feed.NewGroup())
	return Config{Lobby: &fakeLobby{}, Who: ana, Announcement: func(ctx context.Context, after uint64) (string, time.Time, uint64, error) {
		v, number, err := f.Next(ctx, after)
		return v.words, v.until, number, err
	}}, f
}

// TestAnnouncement: a line stands above the footer until the player hides it, its time is over, or the operator takes it away.
func TestAnnouncement(t *testing.T) {
	const words = "We close at noon for ten minutes."
	later := noon.Add(10 * time.Minute)
	tests := []struct {
		name string
		ends func(s *session, f *feed.Feed[said])
	}{
		{"esc", func(s *session, _ *feed.Feed[said]) { s.keys("esc") }},
		{"time", func(s *session, _ *feed.Feed[said]) { s.pass(10 * time.Minute) }},
		{"cleared", func(s *session, f *feed.Feed[said]) { f.Publish(said{}); s.settle() }},
		{"another", func(s *session, f *feed.Feed[said]) {
			f.Publish(said{"Another one.", later})
			s.settle()
			s.sees("From the operator: Another one.")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg, f := announcing()
				s := begin(t, 80, 24, cfg)
				before := s.page()
				f.Publish(said{"We \x1b[31mclose\a at noon for\nten minutes.", later})
				s.settle()
				lines := strings.Split(s.page(), "\n")
				if got := lines[len(lines)-2]; !strings.HasPrefix(got, " From the operator: We ") || strings.ContainsAny(got, "\x1b\a") {
					t.Fatalf("above the footer stands %q", got)
				}
				if footer := lines[len(lines)-1]; !strings.HasPrefix(strings.TrimSpace(footer), "esc hide the message") {
					t.Errorf("the footer is %q", footer)
				}
				f.Publish(said{words, later})
				s.settle()
				s.sees("From the operator: " + words)
				s.pass(10*time.Minute - time.Second)
				s.sees(words)
				if tt.name == "time" {
					s.pass(time.Second)
				} else {
					tt.ends(s, f)
				}
				s.misses(words)
				if tt.name != "another" && s.page() != before {
					t.Errorf("the page after it is\n%s\nand before it was\n%s", s.page(), before)
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
		f.Publish(said{strings.Repeat("long ", 50), noon.Add(time.Minute)})
		s.settle()
		s.send(tea.WindowSizeMsg{Width: 40, Height: 20})
		golden(t, "utf-8/announcement-40x20", s.page())
		if n := strings.Count(s.page(), "long"); n > 8 {
			t.Errorf("%d words of 5 cells in a line of 40:\n%s", n, s.page())
		}
		s.keys("?") // a page on top of the lobby
		s.sees("From the operator")
		s.keys("esc")
		s.misses("From the operator")
		s.onScreen(reader{})
	})
}

// TestOldAnnouncement: one whose time was over before the session began isn't shown.
func TestOldAnnouncement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, f := announcing()
		f.Publish(said{"an old one", noon})
		begin(t, 80, 24, cfg).misses("an old one")
	})
}
