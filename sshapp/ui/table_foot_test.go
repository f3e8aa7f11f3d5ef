package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// TestRefusalsAreWhole types nonsense and commands at the first board of each game, in each language, in the smallest window
// and the usual one: what is said of it can be read to its end, before enter and after.
func TestRefusalsAreWhole(t *testing.T) {
	for _, g := range catalog.All() {
		for _, l := range text.Languages() {
			t.Run(g.About().ID+" "+l.Code, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newTestMatch(t, g.About().ID, nil, true)
					for _, size := range [][2]int{{40, 20}, {80, 24}} {
						s := b.open(b.ana, size[0], size[1], storage.Settings{Language: l.Code})
						for _, typed := range []string{"zz", "/"} {
							s.keys("ctrl+u", typed)
							s.reads(s.board().meaning())
							s.keys("enter")
							s.reads(s.board().problem)
							s.keys("backspace", "backspace")
						}
					}
				})
			})
		}
	}
}

// TestPromptsAreWhole: what the hand means can be read to its end in the smallest window, and so can what matters.
func TestPromptsAreWhole(t *testing.T) {
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestMatch(t, "momentum", nil, true)
				b.play("a1")
				s := b.open(b.rui, 40, 20, storage.Settings{Language: l.Code})
				s.keys("left", "left", "left", "down", "down", "down")
				p := s.board().prompt()
				if text.Width(p) <= 38 || s.board().alert() == "" {
					t.Errorf("%q fits into a line, or nothing else matters: the test tests nothing", p)
				}
				s.reads(p)
				s.reads(s.board().alert())
			})
		})
	}
}

// reads fails the test unless the page shows the words, in as many lines as they need.
func (s *session) reads(words string) {
	s.t.Helper()
	plain := func(words string) string { return strings.Join(strings.Fields(words), " ") }
	if !strings.Contains(plain(s.page()), plain(words)) {
		s.t.Errorf("%q can't be read on the page:\n%s", words, s.page())
	}
}
