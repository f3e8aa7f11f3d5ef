package picture_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/charmbracelet/colorprofile"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/apptest"
	"ludoteca/sshapp/ui/cast"
	"ludoteca/sshapp/ui/pages"
	"ludoteca/sshapp/ui/picture"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/accounts"
)

// folder holds the pictures of the README.
const folder = "../../../docs/pictures"

var write = flag.Bool("pictures", false, "write the pictures of the README anew")

// A theme is one of the two looks of each picture.
type theme struct {
	name    string
	setting string
	colours picture.Colours
}

var themes = []theme{{"dark", widget.ThemeDark, picture.Dark}, {"light", widget.ThemeLight, picture.Light}}

// A scene is a screen of the club in the middle of something. It runs in a bubble.
type scene struct {
	name  string
	title string
	show  func(t *testing.T, settings accounts.Settings) (frames []picture.Frame, mask func(string) string)
}

var scenes = []scene{
	{"lobby", "The lobby: the menu, your matches, open offers and what is played now", showLobby},
	{"momentum", "A match of Momentum", board("momentum", 16)},
	{"petteia", "A match of Petteia", board("petteia", 32)},
	{"fourmation", "A match of 4Mation", board("fourmation", 18)},
	{"flugelrad", "A match of Flügelrad", board("flugelrad", 20)},
	{"tanks", "A match of Breakthrough Tanks", board("tanks", 26)},
	{"review", "A review: where a match was won and lost", showReview},
	{"replay", "A match of Momentum, move by move", showReplay},
}

// movesOf returns the moves of a game between two computer players, Champion and Club, with 20,000 and 3,000 positions a move.
func movesOf(t *testing.T, game string) (moves []games.Move) {
	text, err := os.ReadFile(filepath.Join("testdata", game+".moves"))
	if err != nil {
		t.Fatal(err)
	}
	for m := range strings.FieldsSeq(string(text)) {
		moves = append(moves, games.Move(m))
	}
	return moves
}

var colourful = []string{"COLORTERM=truecolor", "LANG=en_GB.UTF-8"}

const term = "xterm-256color"

func unmasked(s string) string { return s }

func still(s *uitest.Session) []picture.Frame {
	return []picture.Frame{{Canvas: s.Canvas(), Lasts: time.Second}}
}

// showLobby shows the scene "lobby" of the golden screens.
func showLobby(t *testing.T, settings accounts.Settings) ([]picture.Frame, func(string) string) {
	s := apptest.Begin(t, 80, 24, ui.Config{Pages: pages.All(), Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Settings: settings, Term: term, Environ: colourful})
	s.Lists(uitest.SomeLists())
	s.Keys("down", "down")
	return still(s), unmasked
}

// playing returns a match after some of its moves, with both players at the board, and the club in which analyses come from the test.
func playing(t *testing.T, game string, plies int) (*uitest.Match, *uitest.FakeAnalyzer, func(lobby.User, accounts.Settings) *uitest.Session) {
	b := uitest.NewMatch(t, game, nil, true)
	b.Play(movesOf(t, game)[:plies]...)
	analyzer := uitest.NewFakeAnalyzer(b.Club)
	return b, analyzer, func(who lobby.User, settings accounts.Settings) *uitest.Session {
		return apptest.Begin(t, 80, 24, ui.Config{Pages: pages.All(), Lobby: analyzer.Services(), Who: who, Start: ui.StartWatch, Code: b.Ref.Code,
			Settings: settings, Term: term, Environ: colourful, Now: time.Now})
	}
}

// board shows a match after some moves, with both players there, as the player to move sees it after some keys.
func board(game string, plies int, keys ...string) func(*testing.T, accounts.Settings) ([]picture.Frame, func(string) string) {
	return func(t *testing.T, settings accounts.Settings) ([]picture.Frame, func(string) string) {
		b, _, open := playing(t, game, plies)
		who, other := b.Ana, b.Rui
		if b.View().Turn == games.Second {
			who, other = other, who
		}
		opposite := open(other, settings)
		s := open(who, settings)
		opposite.Keys("ctrl+l") // from here on both are seen at the board
		s.Settle()
		s.Keys(keys...)
		return still(s), b.Mask
	}
}

// showReview shows the review of a finished match at the last blunder, with a real analysis.
func showReview(t *testing.T, settings accounts.Settings) ([]picture.Frame, func(string) string) {
	all := movesOf(t, "petteia")
	b, analyzer, open := playing(t, "petteia", len(all))
	v := b.View()
	if !v.Over {
		if err := b.Seat(b.Rui).Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	start, err := v.Initial()
	if err != nil {
		t.Fatal(err)
	}
	found, err := analysis.Analyse(context.Background(), v.Game, start, v.Moves, analysis.Budget(len(v.Moves))/8, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := open(b.Ana, settings)
	s.Keys("v")
	analyzer.Publish(lobby.AnalysisProgress{Stage: lobby.AnalysisReady, Analysis: found}, nil)
	s.Settle()
	s.Keys("p")
	return still(s), b.Mask
}

// showReplay shows a whole match as record --cast does.
func showReplay(t *testing.T, settings accounts.Settings) (frames []picture.Frame, mask func(string) string) {
	b, _, _ := playing(t, "momentum", len(movesOf(t, "momentum")))
	m, err := cast.New(wording.Words{}, widget.NewTheme(settings.Theme, colorprofile.TrueColor, false), b.View())
	if err != nil {
		t.Fatal(err)
	}
	for ply := range m.Plies() + 1 {
		c := canvas.New(cast.DefaultSize.Width, cast.DefaultSize.Height)
		m.Draw(c, ply)
		frames = append(frames, picture.Frame{Canvas: c, Lasts: m.Wait(ply)})
	}
	frames[len(frames)-1].Lasts = 4 * time.Second
	return frames, b.Mask
}

// TestPictures compares the pictures of the README with the screens of today. With the flag -pictures it writes them.
func TestPictures(t *testing.T) {
	for _, sc := range scenes {
		for _, th := range themes {
			name := sc.name + "-" + th.name + ".svg"
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					frames, mask := sc.show(t, accounts.Settings{Theme: th.setting})
					var out bytes.Buffer
					if err := picture.Write(&out, sc.title, th.colours, frames...); err != nil {
						t.Fatal(err)
					}
					now, path := mask(out.String()), filepath.Join(folder, name)
					if *write {
						if err := os.MkdirAll(folder, 0o755); err != nil {
							t.Fatal(err)
						}
						if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
							t.Fatal(err)
						}
						return
					}
					kept, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(string(kept), now); diff != "" {
						t.Errorf("%s shows another screen than today's (-kept +now): write it with -pictures, and look at it\n%.4000s", name, diff)
					}
				})
			})
		}
	}
}
