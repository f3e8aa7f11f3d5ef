package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/goldentest"
	"ludoteca/storage"
)

// golden compares a page with the one that is kept, in which the escape character is written as ␛.
func golden(t *testing.T, name, page string) {
	t.Helper()
	goldentest.Compare(t, name, strings.ReplaceAll(page, "\x1b", "␛")+"\n")
}

func TestScreensPlain(t *testing.T) {
	for _, sc := range scenes() {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 20}} {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					golden(t, "utf-8/"+name, sc.at(t, size[0], size[1], storage.Settings{}).page())
				})
			})
		}
	}
}

func TestScreensASCII(t *testing.T) {
	for _, sc := range scenes() {
		for _, size := range [][2]int{{80, 24}, {40, 20}} {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := sc.at(t, size[0], size[1], storage.Settings{}, "LC_ALL=en_GB.ISO-8859-1")
					for i, r := range s.app.View().Content {
						if r > '~' {
							t.Errorf("%q at byte %d is not ASCII", r, i)
						}
					}
					golden(t, "ascii/"+name, s.page())
				})
			})
		}
	}
}

func TestScreensColoured(t *testing.T) {
	themes := []struct {
		name     string
		settings storage.Settings
		term     string
		environ  []string
	}{
		{"true", storage.Settings{}, "xterm-256color", []string{"COLORTERM=truecolor"}},
		{"256", storage.Settings{}, "xterm-256color", nil},
		{"16", storage.Settings{}, "linux", nil},
		{"none", storage.Settings{}, "xterm-256color", []string{"NO_COLOR=yes"}},
		{"dark", storage.Settings{Theme: themeDark}, "xterm-256color", nil},
		{"light", storage.Settings{Theme: themeLight}, "xterm-256color", nil},
		{"plain", storage.Settings{Theme: themePlain}, "xterm-256color", nil},
	}
	for _, th := range themes {
		for _, sc := range scenes() {
			if sc.name != "lobby-lists" && sc.name != "settings" && sc.name != "new-bad" {
				continue
			}
			t.Run(th.name+"/"+sc.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					sc.cfg.Term = th.term
					page := sc.at(t, 80, 24, th.settings, th.environ...).app.View().Content
					if colours := strings.Contains(page, "[38;") || strings.Contains(page, ";3") || strings.Contains(page, "[3") || strings.Contains(page, "[9"); colours == (th.name == "none" || th.name == "plain") {
						t.Errorf("colours on the page: %v", colours)
					}
					golden(t, "colour/"+sc.name+"-"+th.name, page)
				})
			})
		}
	}
}

// TestScreensStayInside resizes every screen at random: no line may be wider than the window, and no page higher.
func TestScreensStayInside(t *testing.T) {
	sizes := [][2]int{{1, 1}, {40, 20}, {240, 70}, {39, 20}, {40, 19}, {0, 0}}
	keys := []string{"up", "down", "tab", "pgdown", "end", "right"}
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			var app *App
			synctest.Test(t, func(t *testing.T) { app = sc.at(t, 80, 24, storage.Settings{}).app })
			for _, size := range sizes {
				staysInside(t, app, size[0], size[1])
			}
			rapid.Check(t, func(t *rapid.T) {
				staysInside(t, app, rapid.IntRange(1, 240).Draw(t, "width"), rapid.IntRange(1, 70).Draw(t, "height"))
				app.Update(tea.KeyPressMsg(named[rapid.SampledFrom(keys).Draw(t, "key")]))
			})
		})
	}
}

func staysInside(t interface{ Fatalf(string, ...any) }, app *App, w, h int) {
	app.Update(tea.WindowSizeMsg{Width: w, Height: h})
	lines := strings.Split(app.View().Content, "\n")
	if len(lines) > max(h, 1) {
		t.Fatalf("%d lines in a window of %dx%d", len(lines), w, h)
	}
	for _, line := range lines {
		if n := text.Width(line); n > w {
			t.Fatalf("a line of %d cells in a window of %dx%d: %q", n, w, h, line)
		}
	}
}

// TestHintsAreWhole makes sure that the line of hints is cut between hints only.
func TestHintsAreWhole(t *testing.T) {
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sc.at(t, 80, 24, storage.Settings{})
				for w := minWidth; w <= 120; w++ {
					s.send(tea.WindowSizeMsg{Width: w, Height: 24})
					lines := strings.Split(s.page(), "\n")
					var all []string
					for _, k := range s.app.keys().ShortHelp() {
						all = append(all, k.Help().Key+" "+k.Help().Desc)
					}
					got := strings.TrimSpace(lines[len(lines)-1])
					if want := strings.Join(all, " · "); got == "" || !strings.HasPrefix(want+" · ", got+" · ") {
						t.Fatalf("at %d cells: %q is not the start of %q", w, got, want)
					}
				}
			})
		})
	}
}
