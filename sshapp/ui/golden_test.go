package ui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/accounts"
)

// TestOtherLanguages keeps a few screens in every language: the first that a newcomer sees, and a full form in a narrow window.
func TestOtherLanguages(t *testing.T) {
	kept := map[string][2]int{"sign-up": {40, 20}, "lobby": {80, 24}, "settings": {80, 24}, "new": {40, 20}, "account": {40, 20}, "lobby-recovery": {40, 20}}
	for _, l := range text.Languages()[1:] {
		for _, sc := range scenes() {
			size, ok := kept[sc.name]
			if !ok {
				continue
			}
			name := fmt.Sprintf("%s/%s-%dx%d", l.Code, sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := sc.at(t, size[0], size[1], accounts.Settings{}, "LANG="+l.Code+"_XX.UTF-8")
					uitest.Golden(t, name, s.Page())
				})
			})
		}
	}
}

// pictures maps the scenes with golden files to their sizes. Each size shows something that no other picture shows.
var pictures = map[string][][2]int{
	"sign-up":          {{80, 24}, {40, 20}, {200, 60}},
	"sign-up-greeting": {{80, 24}},
	"lobby-greeting":   {{80, 24}, {200, 60}},
	"sign-up-refused":  {{80, 24}},
	"lobby-empty":      {{80, 24}, {200, 60}},
	"lobby":            {{80, 24}, {40, 20}},
	"lobby-lists":      {{80, 24}, {120, 40}, {40, 20}, {200, 60}},
	"lobby-many":       {{80, 24}, {40, 20}, {200, 60}},
	"lobby-guest":      {{40, 20}},
	"lobby-help":       {{80, 24}, {120, 40}},
	"computer":         {{80, 24}},
	"quick":            {{80, 24}, {200, 60}},
	"quick-looking":    {{80, 24}, {40, 20}},
	"challenge":        {{80, 24}, {40, 20}, {120, 40}},
	"new":              {{80, 24}, {40, 20}, {200, 60}},
	"new-bad":          {{80, 24}},
	"join":             {{80, 24}},
	"here":             {{80, 24}, {40, 20}, {200, 60}},
	"relations":        {{80, 24}, {200, 60}},
	"leaderboard":      {{80, 24}, {40, 20}, {200, 60}},
	"profile":          {{80, 24}, {200, 60}},
	"watch":            {{80, 24}},
	"watch-many":       {{120, 40}, {200, 60}},
	"history":          {{80, 24}, {40, 20}, {200, 60}},
	"learn":            {{80, 24}},
	"rules":            {{80, 24}, {40, 20}, {200, 60}},
	"settings":         {{80, 24}, {200, 60}},
	"settings-notices": {{80, 24}, {40, 20}},
	"notices":          {{80, 24}, {40, 20}},
	"guest-matches":    {{40, 20}},
	"nickname":         {{80, 24}},
	"account":          {{80, 24}, {200, 60}},
	"account-delete":   {{40, 20}},
	"claim":            {{40, 20}},
	"lobby-recovery":   {{80, 24}, {40, 20}, {200, 60}},
}

func TestScreensPlain(t *testing.T) {
	for _, sc := range scenes() {
		for _, size := range pictures[sc.name] {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					uitest.Golden(t, "utf-8/"+name, sc.at(t, size[0], size[1], accounts.Settings{}).Page())
				})
			})
		}
	}
}

// TestScreensASCII shows every screen to terminals that know ASCII alone. Of some a picture is kept.
func TestScreensASCII(t *testing.T) {
	kept := []string{"lobby-lists-80x24", "computer-40x20", "rules-80x24"}
	for _, sc := range scenes() {
		for _, size := range [][2]int{{80, 24}, {40, 20}} {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := sc.at(t, size[0], size[1], accounts.Settings{}, "LC_ALL=en_GB.ISO-8859-1")
					for i, r := range s.App.View().Content {
						if r > '~' {
							t.Errorf("%q at byte %d is not ASCII", r, i)
						}
					}
					if slices.Contains(kept, name) {
						uitest.Golden(t, "ascii/"+name, s.Page())
					}
				})
			})
		}
	}
}

// TestGermanInASCII: where there is only ASCII, umlauts and ß are spelled with two letters, and no column gets out of line.
func TestGermanInASCII(t *testing.T) {
	kept := []string{"lobby-lists-80x24", "rules-40x20"}
	marked := regexp.MustCompile(`\pL*[äöüßÄÖÜ]\pL*`)
	for _, sc := range scenes() {
		for _, size := range [][2]int{{80, 24}, {40, 20}} {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				var full, page string
				synctest.Test(t, func(t *testing.T) {
					full = sc.at(t, size[0], size[1], accounts.Settings{}, "LC_ALL=de_DE.UTF-8").Page()
				})
				synctest.Test(t, func(t *testing.T) {
					page = sc.at(t, size[0], size[1], accounts.Settings{}, "LC_ALL=de_DE.ISO-8859-1").Page()
				})
				for _, word := range marked.FindAllString(full, -1) {
					if bare := text.ASCII(word); regexp.MustCompile(`\b`+bare+`\b`).MatchString(page) && !regexp.MustCompile(`\b`+bare+`\b`).MatchString(full) {
						t.Errorf("%q has become %q in\n%s", word, bare, page)
					}
				}
				if slices.Contains(kept, name) {
					uitest.Golden(t, "ascii/de-"+name, page)
				}
			})
		}
	}
}

// TestScreensColoured shows every screen in every kind of colours: there are some unless the terminal or the player wants none.
func TestScreensColoured(t *testing.T) {
	themes := []struct {
		name     string
		settings accounts.Settings
		term     string
		environ  []string
		colours  bool
		picture  string // the scene of which one is kept
	}{
		{"true", accounts.Settings{}, "xterm-256color", []string{"COLORTERM=truecolor"}, true, "lobby-lists"},
		{"256", accounts.Settings{}, "xterm-256color", nil, true, "new-bad"},
		{"16", accounts.Settings{}, "linux", nil, true, "lobby-lists"},
		{"none", accounts.Settings{}, "xterm-256color", []string{"NO_COLOR=yes"}, false, "lobby-lists"},
		{"dark", accounts.Settings{Theme: widget.ThemeDark}, "xterm-256color", nil, true, "settings"},
		{"light", accounts.Settings{Theme: widget.ThemeLight}, "xterm-256color", nil, true, "settings"},
		{"plain", accounts.Settings{Theme: widget.ThemePlain}, "xterm-256color", nil, false, "settings"},
	}
	for _, th := range themes {
		for _, sc := range scenes() {
			t.Run(th.name+"/"+sc.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					sc.cfg.Term = th.term
					s := sc.at(t, 80, 24, th.settings, th.environ...)
					c, colours := s.Canvas(), false
					for y := range 24 {
						for _, cell := range c.Row(y) {
							colours = colours || cell.Style().Fg != 0 || cell.Style().Bg != 0
						}
					}
					if colours != th.colours {
						t.Errorf("colours on the page: %v, want %v", colours, th.colours)
					}
					if sc.name == th.picture {
						uitest.Golden(t, "colour/"+sc.name+"-"+th.name, c.String())
					}
				})
			})
		}
	}
}

// TestScreensStayInside resizes every screen at random.
func TestScreensStayInside(t *testing.T) {
	sizes := [][2]int{{1, 1}, {40, 20}, {240, 70}, {39, 20}, {40, 19}, {0, 0}}
	keys := []string{"up", "down", "tab", "pgdown", "end", "right"}
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			var app uitest.Model
			synctest.Test(t, func(t *testing.T) { app = sc.at(t, 80, 24, accounts.Settings{}).App })
			for _, size := range sizes {
				uitest.StaysInside(t, app, size[0], size[1])
			}
			rapid.Check(t, func(t *rapid.T) {
				uitest.StaysInside(t, app, rapid.IntRange(1, 240).Draw(t, "width"), rapid.IntRange(1, 70).Draw(t, "height"))
				app.Update(tea.KeyPressMsg(uitest.Named[rapid.SampledFrom(keys).Draw(t, "key")]))
			})
		})
	}
}

// TestFootersAreCutBetweenKeys shows every footer at every width: a key that does not fit whole is left out.
func TestFootersAreCutBetweenKeys(t *testing.T) {
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := sc.at(t, 80, 24, accounts.Settings{})
				for w := minWidth; w <= 120; w++ {
					s.Send(tea.WindowSizeMsg{Width: w, Height: 24})
					lines := strings.Split(s.Page(), "\n")
					var all []string
					for _, k := range s.App.(*App).keys().ShortHelp() {
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

// facts are what a screen must not cut to make room for longer sentences: names, codes and clocks; in windows of 80 columns ratings, too.
var facts, ratings = regexp.MustCompile(`\b(ana|rui|bia|[A-Z]\d[A-Z0-9]{4}|\d+:\d\d)\b`), regexp.MustCompile(`\b1[4-9]\d\d\b`)

// tight are facts that longer sentences may cut: there is less room for them than a window of 80 columns mostly has.
var tight = map[string]string{"here-80x24": "1:00"} // behind a name of 20 letters

// TestLongerSentences shows each screen with every sentence a third longer than in English. Nothing is wider than the window, and no fact is cut.
func TestLongerSentences(t *testing.T) {
	for _, sc := range scenes() {
		for _, size := range pictures[sc.name] {
			name := fmt.Sprintf("%s-%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					english := sc.at(t, size[0], size[1], accounts.Settings{}).Page()
					longer := sc.at(t, size[0], size[1], accounts.Settings{Language: text.Pseudo}).Page()
					if longer == english {
						t.Errorf("the sentences are not longer:\n%s", longer)
					}
					for line := range strings.SplitSeq(longer, "\n") {
						if text.Width(line) > size[0] {
							t.Errorf("%q is wider than the window", line)
						}
					}
					all := facts.FindAllString(english, -1)
					if size[0] >= 80 {
						all = append(all, ratings.FindAllString(english, -1)...)
					}
					for _, fact := range all {
						if !strings.Contains(longer, fact) && tight[name] != fact {
							t.Errorf("%s is cut:\n%s", fact, longer)
						}
					}
				})
			})
		}
	}
}
