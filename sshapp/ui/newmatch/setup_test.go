package newmatch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/accounts"
)

func TestSetupAsksForWhatItShows(t *testing.T) {
	momentum := games.Options{"size": 7, "marbles": 8}
	tests := []struct {
		name string
		item string
		keys []string
		want seats.Spec
	}{
		{"computer", "Play the computer", nil,
			seats.Spec{Game: "momentum", Options: momentum, Bot: "random", Public: true}},
		{"stronger computer, second", "Play the computer", []string{"down", "right", "down", "right", "right"},
			seats.Spec{Game: "momentum", Options: momentum, Bot: "greedy", Side: seats.PlaySecond, Public: true}},
		{"person", "New match...", nil,
			seats.Spec{Game: "momentum", Options: momentum, Public: true}},
		{"rated and private", "New match...", []string{"down", "down", "right", "down", "right"},
			seats.Spec{Game: "momentum", Options: momentum, Rated: true}},
		{"with a clock", "New match...", []string{"down", "down", "down", "down", "right", "right", "right"},
			seats.Spec{Game: "momentum", Options: momentum, Public: true, Clock: uitest.ClockOfTest("5+3")}},
		{"days against the computer", "Play the computer", []string{"down", "down", "down", "left", "left"},
			seats.Spec{Game: "momentum", Options: momentum, Bot: "random", Public: true, Clock: uitest.ClockOfTest("7d")}},
		{"two computers have no clock", "New match...", []string{"down", "down", "down", "down", "right", "up", "up", "up", "up", "up", "left"},
			seats.Spec{Game: "momentum", Options: momentum, Bots: [2]string{"random", "greedy"}, Public: true}},
		{"opponent changed to computers", "New match...", []string{"up", "left"},
			seats.Spec{Game: "momentum", Options: momentum, Bots: [2]string{"random", "greedy"}, Public: true}},
		{"one player, by name", "New match...", []string{"down", "down", "down", "right", "right", "down", "r", "u", "k", "i", "left", "backspace", "end", "q", "backspace"},
			seats.Spec{Game: "momentum", Options: momentum, To: "rui"}},
		{"a name that is not asked for counts for nothing", "New match...", []string{"down", "down", "down", "right", "right", "down", "r", "u", "i", "up", "right"},
			seats.Spec{Game: "momentum", Options: momentum, Public: true}},
		{"keyboard", "Two at this keyboard", nil,
			seats.Spec{Game: "momentum", Options: momentum, Hotseat: true}},
		{"a typed number", "Play the computer", []string{"end", "up", "12", "up", "9"},
			seats.Spec{Game: "momentum", Options: games.Options{"size": 9, "marbles": 12}, Bot: "random", Public: true}},
		{"a number deleted", "Play the computer", []string{"end", "up", "12", "backspace", "backspace"},
			seats.Spec{Game: "momentum", Options: momentum, Bot: "random", Public: true}},
		{"numbers by arrows stop at the ends", "Play the computer", []string{"end", "up", "left", "left", "left", "left"},
			seats.Spec{Game: "momentum", Options: games.Options{"size": 7, "marbles": 6}, Bot: "random", Public: true}},
		{"options of another game", "Play the computer", []string{"right", "right", "end", "up", "5"},
			seats.Spec{Game: "fourmation", Options: games.Options{"cols": 10, "rows": 16, "win_length": 5}, Bot: "random", Public: true}},
		{"options are kept by game", "Play the computer", []string{"end", "up", "9", "home", "right", "left"},
			seats.Spec{Game: "momentum", Options: games.Options{"size": 7, "marbles": 9}, Bot: "random", Public: true}},
		{"an option set", "Play the computer", []string{"right", "right", "down", "down", "down", "down", "right"},
			seats.Spec{Game: "fourmation", Options: games.Options{"cols": 7, "rows": 7, "win_length": 4}, Bot: "random", Public: true}},
		{"an option set, back from own options", "Play the computer", []string{"right", "right", "down", "down", "down", "down", "down", "9", "up", "left"},
			seats.Spec{Game: "fourmation", Options: games.Options{"cols": 7, "rows": 7, "win_length": 4}, Bot: "random", Public: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			club := uitest.FullLobby()
			walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
				s.GoTo(tt.item)
				s.Keys(tt.keys...)
				s.Keys("enter")
				if len(club.Opened) != 1 {
					t.Fatalf("opened %d matches, want 1:\n%s", len(club.Opened), s.Page())
				}
				if diff := cmp.Diff(tt.want, club.Opened[0]); diff != "" {
					t.Errorf("opened (-want +got):\n%s", diff)
				}
				s.AtMatch()
				s.Keys("esc")
				s.OnScreen("uitest.homePage") // the form is not in the way back
			})
		})
	}
}

// TestClockChoices: every clock that the form offers is one, and the form begins with the one chosen last.
func TestClockChoices(t *testing.T) {
	for i, c := range clockChoices {
		next := clockChoices[(i+1)%len(clockChoices)]
		if got, class := (terms{clock: uitest.ClockOfTest(c)}).nextClock("right"); got != uitest.ClockOfTest(next) || class != clock.NoClass {
			t.Errorf("after %s comes %v, want %s", c, got, next)
		}
	}
	quickly := terms{against: quickOpponent, clock: uitest.ClockOfTest("14d")}
	for _, want := range clock.Classes {
		if quickly.clock, quickly.class = quickly.nextClock("right"); quickly.class != want {
			t.Errorf("next comes %v, %q, want any of %s", quickly.clock, quickly.class, want)
		}
	}
	if c, class := quickly.nextClock("right"); c != (lobby.ClockSetting{}) || class != clock.NoClass {
		t.Errorf("after the classes comes %v, %q", c, class)
	}
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("New match...")
		s.Keys("down", "down", "down", "down", "left", "enter")
		s.AtMatch()
		s.Keys("esc")
		s.GoTo("Play the computer")
		s.Sees("14 days a move")
		s.Keys("enter")
		if len(club.Opened) != 2 || club.Opened[1].Clock != uitest.ClockOfTest("14d") {
			t.Errorf("opened %+v", club.Opened)
		}
	})
}

// TestSetupNamesOptionsAlike: what an option set changes has the names of the fields below it.
func TestSetupNamesOptionsAlike(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Play the computer")
		s.Keys("right", "right", "right", "down", "down", "down", "down", "right")
		s.Sees("Good players draw less")
		if page := s.Page(); strings.Count(page, "Balls to link") != 2 || strings.Contains(page, "connect 5") {
			t.Errorf("the form names an option in two ways:\n%s", page)
		}
	})
}

// TestAgainstComputer: the form begins with the game that is asked for, and with the first one where the club doesn't have it.
func TestAgainstComputer(t *testing.T) {
	for _, tt := range []struct {
		all  bool
		want string
	}{{true, "tanks"}, {false, (&uitest.FakeLobby{}).Games()[0].About().ID}} {
		club := &uitest.FakeLobby{AllGames: tt.all}
		walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
			tanks := catalog.All()[len(catalog.All())-1]
			if form := NewAgainstComputer(s.App.Env(), tanks).(setup); form.about().ID != tt.want || form.against != AgainstComputer {
				t.Errorf("with all games %v: the form is for %s", tt.all, form.about().ID)
			}
		})
	}
}

func TestSetupRefusesWhatDoesNotWork(t *testing.T) {
	tests := []struct {
		name string
		item string
		keys []string
		sees string
	}{
		{"no name", "New match...", []string{"down", "down", "down", "right", "right"}, "Whom do you challenge?"},
		{"too many", "Play the computer", []string{"end", "up", "99"}, "Marbles each can't be 99. From 6 to 26."},
		{"too few", "Play the computer", []string{"end", "up", "1"}, "Marbles each can't be 1."},
		{"between options", "Play the computer", []string{"right", "right", "down", "down", "down", "down", "down", "3", "down", "3", "down", "9"}, "These options don't go together"},
		{"endless", "Play the computer", []string{"right", "end", "up", "0", "up", "0"}, "With these options a game might never end."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			club := uitest.FullLobby()
			walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
				s.GoTo(tt.item)
				s.Keys(tt.keys...)
				s.Sees(tt.sees) // before anything is asked
				s.Keys("enter")
				s.Sees(tt.sees)
				if len(club.Opened) > 0 {
					t.Errorf("opened %+v", club.Opened)
				}
			})
		})
	}
}

func TestNoComputerPlayers(t *testing.T) {
	walk(t, ui.Config{Lobby: withLevels(uitest.FullLobby()), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Play the computer")
		s.Keys("down", "right", "enter")
		s.Sees("There is no computer player here")
		s.OnScreen("newmatch.setup")
	})
}

// levels are the computer players of a catalogue.
type levels struct {
	screen.Catalog
	all []lobby.Level
}

func (l levels) Levels() []lobby.Level { return l.all }

// withLevels returns a club with other computer players.
func withLevels(c *uitest.FakeLobby, all ...lobby.Level) *screen.Lobby {
	l := c.Services()
	l.Catalog = levels{c, all}
	return l
}

func TestSetupOffersEveryOption(t *testing.T) {
	club := &uitest.FakeLobby{AllGames: true}
	for i, g := range club.Games() {
		t.Run(g.About().ID, func(t *testing.T) {
			walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("New match...")
				for range i {
					s.Keys("right")
				}
				s.Sees(g.About().Name)
				for _, o := range g.About().Options {
					s.Sees(o.Label)
					set := s.App.Top().(setup)
					set.terms, set.form = set.set(o.Key, o.Min), set.form.Focus(o.Key)
					for v := o.Min; ; v = set.value(o.Key) {
						if !o.Allows(v) {
							t.Fatalf("%s reaches %d", o.Key, v)
						}
						if v == o.Max {
							break
						}
						if set = set.change("right"); set.value(o.Key) <= v {
							t.Fatalf("%s stops at %d, before %d", o.Key, v, o.Max)
						}
					}
				}
			})
		})
	}
}

func TestGuestCannotAskForARatedMatch(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Guest}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("New match...")
		s.Keys("down", "down", "right")
		s.Sees("Rated matches need a key", "casual")
		s.Keys("enter")
		if club.Opened[0].Rated {
			t.Error("a guest asked for a rated match")
		}
	})
}

func TestSetupMouse(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Play the computer")
		s.Click("Board size")
		s.Sees("> Board size")
		s.Click("›")
		s.Sees("8")
		s.Click("[ Play ]")
		if len(club.Opened) != 1 || club.Opened[0].Options["size"] != 8 {
			t.Errorf("opened %+v, want a board of size 8", club.Opened)
		}
	})
}

func TestOpenRefused(t *testing.T) {
	walk(t, ui.Config{Lobby: (&uitest.FakeLobby{Err: lobby.ErrTooMany}).Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("New match...")
		s.Keys("enter")
		s.Sees("too many matches at once")
		s.OnScreen("newmatch.setup")
	})
}

// TestValuesStandBelowEachOther: in the smallest window, long labels move the values of all options alike, and clicks find
// them there.
func TestValuesStandBelowEachOther(t *testing.T) {
	for _, l := range text.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, 40, 20, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: l.Code}})
				s.Keys("enter", "right") // Petteia against the computer
				column, fields := 0, s.App.Top().(setup).fields()
				for i, f := range fields {
					if f.Button || !strings.Contains(s.Page(), f.Label) || i < 5 {
						continue
					}
					before, value, _ := strings.Cut(s.Page(), f.Label)
					line := text.Width(before[strings.LastIndexByte(before, '\n')+1:]) + text.Width(f.Label)
					at := line + len(value) - len(strings.TrimLeft(value, " "))
					if column == 0 {
						column = at
					}
					if at != column {
						t.Errorf("the value of %q starts at column %d, others at %d:\n%s", f.Label, at, column, s.Page())
					}
				}
				const usual = widget.MenuColumn + 17 + 2 // where values start in a window of 40 columns if labels are short
				if column <= usual {
					t.Errorf("no label is longer than usual: values at %d", column)
				}
				s.Keys("down", "down", "down", "down", "down")
				before := s.App.Top().(setup).value("captures_to_win")
				s.Send(tea.MouseClickMsg{X: column, Y: uitest.HeaderLines + widget.FirstLine + 6, Button: tea.MouseLeft})
				if got := s.App.Top().(setup).value("captures_to_win"); got != before+1 {
					t.Errorf("a click on the value made it %d, want %d:\n%s", got, before+1, s.Page())
				}
			})
		})
	}
}

// TestLevelsInTheForm shows the sentence of a computer player, and its measured strength if there is one.
func TestLevelsInTheForm(t *testing.T) {
	c := withLevels(&uitest.FakeLobby{}, lobby.Level{ID: "random", Name: "Random"}, lobby.Level{ID: "master", Name: "Master", Ratings: map[string]int{"momentum": 2140},
		Sentence: "The best player here; thinks for about a second a move."})
	s := New(&screen.Env{Lobby: c}, AgainstComputer).(setup)
	s.levels[0] = 1
	level := func() widget.Field { return s.levelField(keyLevel, "Computer player", 0) }
	if got := level(); got.Value != "Master (bot)" || got.Aside != "very strong" {
		t.Errorf("in the first game it is %+v", got)
	}
	if got := s.levelHelp(0); !strings.HasPrefix(got, "The best player here") || !strings.HasSuffix(got, " In this game it is 2140 rating points above Random.") {
		t.Errorf("it says %q", got)
	}
	c.Levels()[1].Above = map[string]bool{"momentum": true}
	if got := s.levelHelp(0); !strings.HasSuffix(got, " In this game it is more than 2140 rating points above Random.") {
		t.Errorf("where no step has an upper bound it says %q", got)
	}
	s.game = 1
	if got := level().Aside + s.levelHelp(0); strings.Contains(got, "strong") || strings.Contains(got, "points") {
		t.Errorf("in the second game it is %q", got)
	}
}

// TestLevelsOfTheGame: only the computer players of the chosen game can be chosen, and one that the game doesn't have gives way to the next
// stronger one until a game with it is chosen.
func TestLevelsOfTheGame(t *testing.T) {
	club := &uitest.FakeLobby{AllGames: true}
	has := func(games ...string) map[string]lobby.LevelPlayer {
		m := make(map[string]lobby.LevelPlayer)
		for _, id := range games {
			m[id] = lobby.LevelPlayer{}
		}
		return m
	}
	c := withLevels(club, lobby.Level{ID: "random", Name: "Random", Games: has("momentum", "petteia")}, lobby.Level{ID: "novice", Name: "Novice", Games: has("petteia")},
		lobby.Level{ID: "pupil", Name: "Pupil", Games: has("momentum", "petteia")}, lobby.Level{ID: "advanced", Name: "Advanced", Games: has("petteia")})
	s := New(&screen.Env{Lobby: c}, AgainstComputer).(setup)
	s.form = s.form.Focus(keyLevel)
	chosen := func(s setup) (seen []string) {
		for range 5 {
			seen = append(seen, s.spec().Bot)
			s = s.change("right")
		}
		return seen
	}
	tests := []struct {
		game, first int
		want        []string
	}{
		{0, 0, []string{"random", "pupil", "random", "pupil", "random"}},
		{0, 1, []string{"pupil", "random", "pupil", "random", "pupil"}},
		{0, 3, []string{"pupil", "random", "pupil", "random", "pupil"}},
		{1, 0, []string{"random", "novice", "pupil", "advanced", "random"}},
		{1, 3, []string{"advanced", "random", "novice", "pupil", "advanced"}},
	}
	for _, tt := range tests {
		s.game, s.levels[0] = tt.game, tt.first
		if got := chosen(s); !slices.Equal(got, tt.want) {
			t.Errorf("in game %d from level %d on %v can be chosen, want %v", tt.game, tt.first, got, tt.want)
		}
		if help := s.levelHelp(0); !strings.Contains(help, fmt.Sprintf("of %d, the weakest first", map[int]int{0: 2, 1: 4}[tt.game])) {
			t.Errorf("in game %d it says %q", tt.game, help)
		}
	}
	s.game = 2 // no computer player plays it
	if got := s.problem(); !strings.Contains(got, "no computer player") {
		t.Errorf("a game without levels: %q", got)
	}
}

// TestOptionsAgainstTheComputer: a match against the computer begins with the options that its players were measured in, one between people with
// the options of the rule sheet, and what was chosen stays.
func TestOptionsAgainstTheComputer(t *testing.T) {
	c := (&uitest.FakeLobby{AllGames: true}).Services()
	s := New(&screen.Env{Lobby: c}, AgainstPerson).(setup)
	for i, g := range c.Games() {
		s.game = i
		usual, err := games.Complete(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		for against, want := range map[opponent]games.Options{
			AgainstComputer: games.OptionsOf(g), AgainstPerson: usual, TwoComputers: usual, AtOneKeyboard: usual,
		} {
			s.against = against
			if got := s.spec().Options; !got.Equal(want) {
				t.Errorf("%s against %d: %v, want %v", g.About().ID, against, got, want)
			}
		}
		s.against = AgainstComputer
		s.terms = s.choose(games.OptionSet{Options: usual})
		if got := s.spec().Options; !got.Equal(usual) {
			t.Errorf("%s as chosen: %v, want %v", g.About().ID, got, usual)
		}
	}
}

// TestQuickMatch: the first quick match is casual, with a clock, and before the second one the player is asked once. With a last choice the search
// begins at once, in this session and in later ones.
func TestQuickMatch(t *testing.T) {
	club := uitest.FullLobby()
	options := func(game, set string) games.Options {
		g, err := club.Game(game)
		if err != nil {
			t.Fatal(err)
		}
		found, ok := g.About().OptionSet(set)
		if !ok {
			t.Fatalf("%s has no option set %s", game, set)
		}
		return found.Options
	}
	usual, decisive := options("petteia", games.Classic), options("petteia", games.Decisive)
	fivePlus3 := uitest.ClockOfTest("5+3")
	of := func(rated bool, c ...quick.Choice) quick.Wanted {
		return quick.Wanted{Games: c, Clock: fivePlus3, Rated: rated}
	}
	want := []quick.Wanted{
		of(false, quick.Choice{Game: "momentum", Options: options("momentum", games.Classic)}),
		of(true, quick.Choice{Game: "momentum"}),
		of(false, quick.Choice{Game: "petteia", Options: usual}),
		of(false, quick.Choice{Game: "petteia"}),
		of(true, quick.Choice{Game: "petteia", Options: decisive}),
		of(true, quick.Choice{Game: "petteia", Options: decisive}),
	}
	search := func(s *uitest.Session) {
		t.Helper()
		s.Sees("nobody else is looking")
		s.Keys("esc")
		s.OnScreen("uitest.homePage")
	}
	club.Looking = []quick.Looking{{}}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Quick match")
		s.Keys("enter")
		search(s)
		s.GoTo("Quick match")
		s.Sees("Should the next ones count")
		s.Keys("r")
		s.Sees("Momentum · 5+3 · rated")
		s.Keys("c", "right", "down", "down", "down", "down", "right", "enter")
		search(s)
	})
	last := club.Saved[len(club.Saved)-1]
	if want := (accounts.Settings{QuickGame: "petteia", QuickCasual: true, QuickClock: "5+3", QuickAsked: true}); last != want {
		t.Errorf("saved %+v, want %+v", last, want)
	}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: last}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Quick match")
		s.Sees("Petteia · 5+3 · casual")
		s.Keys("c", "left", "esc") // looked at, and not chosen
		s.GoTo("Quick match")
		s.Keys("c", "down", "down", "down", "down", "left", "down", "down", "right", "enter")
		search(s)
	})
	last = club.Saved[len(club.Saved)-1]
	if want := (accounts.Settings{QuickGame: "petteia", QuickSet: games.Decisive, QuickClock: "5+3", QuickAsked: true}); last != want {
		t.Errorf("saved %+v, want %+v", last, want)
	}
	club.Looking = []quick.Looking{{}, {Match: lobby.Ref{ID: "m1", Code: "K7QM2X"}}}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: last}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Quick match")
		s.AtMatch()
	})
	club.Looking = []quick.Looking{{}}
	want = append(want[:4:4], append([]quick.Wanted{want[3]}, want[4:]...)...) // the one that was left for the form
	if diff := cmp.Diff(want, club.Sought[:len(want)]); diff != "" {
		t.Errorf("looked for (-want +got):\n%s", diff)
	}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Guest, Settings: accounts.Settings{QuickGame: "gone", QuickSet: "gone"}}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Quick match")
		s.Keys("down", "down", "down", "down", "right")
		s.Sees("Rated matches need a key.")
		s.Keys("enter")
		if last := club.Sought[len(club.Sought)-1]; last.Rated || last.Games[0].Game != "momentum" {
			t.Errorf("a guest looks for %+v", last)
		}
	})
}

// TestQuickGames: the form of a quick match takes several games and any clock of a class, and remembers them.
func TestQuickGames(t *testing.T) {
	club := uitest.FullLobby()
	club.Looking = []quick.Looking{{}}
	last := accounts.Settings{QuickGame: "momentum", QuickClock: "14d", QuickAsked: true, QuickCasual: true}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: last}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Quick match")
		s.Keys("c", "down", "right", "down", "down", "right", "down", "down", "right", "right")
		s.Sees("any blitz clock")
		s.Keys("up", "up", "right", "right", "enter") // one of the games is taken back, and comes again
		s.Sees("any blitz clock · casual")
		s.Keys("esc")
		s.GoTo("Quick match")
		s.Sees("any blitz clock · casual")
		s.Keys("c")
		s.Sees("any blitz clock")
	})
	games := club.Games()
	got := club.Sought[len(club.Sought)-1]
	if got.Class != clock.Blitz || got.Rated || len(got.Games) != 3 || got.Games[0].Game != "momentum" || got.Games[1].Game != games[1].About().ID || got.Games[2].Game != games[3].About().ID {
		t.Errorf("looked for %+v", got)
	}
	want := accounts.Settings{QuickGame: "momentum," + games[1].About().ID + "," + games[3].About().ID, QuickClock: "blitz", QuickCasual: true, QuickAsked: true}
	if saved := club.Saved[len(club.Saved)-1]; saved != want {
		t.Errorf("saved %+v, want %+v", saved, want)
	}
}

// TestQuickSought: the form of a quick match says what others look for in the game under the cursor.
func TestQuickSought(t *testing.T) {
	club := uitest.FullLobby()
	other := club.Games()[1].About()
	club.Others = []lists.Sought{{Games: []string{other.ID}, Class: clock.Blitz, People: make([]lobby.User, 2)}}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Quick match")
		if strings.Contains(s.Page(), "2 look for") {
			t.Errorf("nobody looks for the first game:\n%s", s.Page())
		}
		s.Keys("down")
		s.Sees("2 look for " + other.Name)
	})
}

// TestDefaultOpponent is Pupil, then the computer player chosen last, in this session and in the next ones.
func TestDefaultOpponent(t *testing.T) {
	club := uitest.FullLobby()
	four := withLevels(club, lobby.Level{ID: "random", Name: "Random"}, lobby.Level{ID: "greedy", Name: "Greedy"}, lobby.Level{ID: "pupil", Name: "Pupil"}, lobby.Level{ID: "club", Name: "Club"})
	walk(t, ui.Config{Lobby: four, Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Play the computer")
		s.Sees("Pupil (bot)")
		s.Keys("down", "right", "enter")
		s.AtMatch()
		s.Keys("esc")
		s.GoTo("Play the computer")
		s.Sees("Club (bot)")
		want := []accounts.Settings{{Opponent: "club"}}
		if diff := cmp.Diff(want, club.Saved); diff != "" {
			t.Errorf("settings saved (-want +got):\n%s", diff)
		}
		from, _ := NewFrom(s.App.Env(), uitest.GameOf(t, "momentum"), uitest.OptionsOf(t, "momentum"), "", nil, seats.PlayFirst)
		if got := from.spec().Bot; got != "club" {
			t.Errorf("playing on from a move is offered against %q, want club", got)
		}
	})
	walk(t, ui.Config{Lobby: four, Who: uitest.Ana, Settings: accounts.Settings{Opponent: "greedy"}}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Play the computer")
		s.Sees("Greedy (bot)")
	})
	walk(t, ui.Config{Lobby: four, Who: uitest.Ana, Settings: accounts.Settings{Opponent: "gone"}}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Play the computer")
		s.Sees("Pupil (bot)")
	})
	two := New(&screen.Env{Lobby: four}, TwoComputers).(setup)
	if got := two.spec().Bots; got != [2]string{"pupil", "club"} {
		t.Errorf("two computers: %v", got)
	}
}

// TestChoicesAreWhole: in the smallest window, each choice of the first lines of the form stands between its two marks, in every
// language.
func TestChoicesAreWhole(t *testing.T) {
	for _, l := range text.Languages() {
		synctest.Test(t, func(t *testing.T) {
			s := begin(t, 40, 20, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: l.Code}})
			s.Keys("down", "down", "enter", "home")
			for range 5 {
				for range 8 {
					s.Keys("right")
					if page := s.Page(); strings.Contains(page, "‹") && !strings.Contains(page, "›") {
						t.Fatalf("%s: a choice is cut off:\n%s", l.Code, page)
					}
				}
				s.Keys("down")
			}
		})
	}
}

// TestButtonStaysInSight: in the smallest window the form of every game shows its button and the line with the cursor, wherever that is,
// and a click on the button opens the match.
func TestButtonStaysInSight(t *testing.T) {
	for _, l := range text.Languages() {
		synctest.Test(t, func(t *testing.T) {
			club := uitest.FullLobby()
			club.AllGames = true
			s := begin(t, 40, 20, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: l.Code}})
			s.GoTo("New match...")
			for range club.Games() {
				s.Keys("home", "down", "right")
				for range s.App.Top().(setup).fields() {
					s.Sees("[ "+wording.In(l.Code).T("Open the match")+" ]", "> ")
					s.Keys("down")
				}
			}
			s.Keys("home")
			s.Click("[ " + wording.In(l.Code).T("Open the match"))
			if len(club.Opened) != 1 {
				t.Errorf("%s: %d matches opened by a click on the button, want 1", l.Code, len(club.Opened))
			}
		})
	}
}

// TestNamesAtOneKeyboard: two at one keyboard may give themselves names, which are names.
func TestNamesAtOneKeyboard(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Two at this keyboard")
		s.Keys("down", "zé", "down", "bia\u202e-")
		s.Sees("First player", "zé", "Second player", "bia-")
		s.Keys("enter")
		if len(club.Opened) != 0 {
			t.Fatalf("opened %+v", club.Opened)
		}
		s.Keys("backspace", "enter")
		if len(club.Opened) != 1 || club.Opened[0].Names != [2]string{"zé", "bia"} || !club.Opened[0].Hotseat || club.Opened[0].Rated || club.Opened[0].Public {
			t.Fatalf("opened %+v", club.Opened)
		}
		s.AtMatch()
		s.Keys("esc")
		s.GoTo("Two at this keyboard")
		s.Misses("bia") // they are for one match
	})
}

// TestClockAtOneKeyboard: the clock of the last match with others is none of a match at one keyboard, nor the other way round.
func TestClockAtOneKeyboard(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: accounts.Settings{Clock: "5+3"}}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Two at this keyboard")
		s.Keys("end", "enter")
		if len(club.Opened) != 1 || !club.Opened[0].Hotseat || club.Opened[0].Clock != (lobby.ClockSetting{}) {
			t.Fatalf("opened %+v", club.Opened)
		}
		for _, saved := range club.Saved {
			if saved.Clock != "5+3" {
				t.Errorf("the clock of the next form is %q", saved.Clock)
			}
		}
	})
}

// allLevels returns the computer players, each of them with a strength in every game.
func allLevels() []lobby.Level {
	var all []lobby.Level
	for _, g := range catalog.All() {
		id := g.About().ID
		for _, l := range bot.Levels(g) {
			i := slices.IndexFunc(all, func(known lobby.Level) bool { return known.ID == l.ID })
			if i < 0 {
				i = len(all)
				all = append(all, lobby.Level{ID: l.ID, Name: l.Name, Sentence: l.Sentence, Ratings: map[string]int{}, Above: map[string]bool{}, Games: map[string]lobby.LevelPlayer{}})
			}
			all[i].Ratings[id], all[i].Above[id], all[i].Games[id] = l.Rating, l.More, lobby.LevelPlayer{Move: l.Player.Move}
		}
	}
	return all
}

// TestFormsSayAll: each choice of each form is said whole in every language, on its line or below the form, and so are its help and all labels.
func TestFormsSayAll(t *testing.T) {
	for _, l := range text.Languages() {
		for _, size := range [][2]int{{40, 20}, {80, 24}} {
			for _, form := range menu()[:6] {
				t.Run(fmt.Sprintf("%s/%s/%dx%d", l.Code, form.Words, size[0], size[1]), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						club := uitest.FullLobby()
						club.AllGames = true
						s := begin(t, size[0], size[1], ui.Config{Lobby: withLevels(club, allLevels()...), Who: uitest.Ana, Settings: accounts.Settings{Language: l.Code}})
						s.GoTo(form.Words)
						first, ok := s.App.Top().(setup)
						if !ok {
							return // it asks for a code
						}
						for against := range max(first.opponents(), 1) {
							for game := range club.Games() {
								f := first
								if f.whole {
									f.against = opponent(against)
								}
								f.game = game
								saysAll(t, f, size[0], size[1])
							}
						}
					})
				})
			}
		}
	}
}

// saysAll goes through the values of a form as the arrow keys do.
func saysAll(t *testing.T, s setup, w, h int) {
	t.Helper()
	body := tea.WindowSizeMsg{Width: w, Height: h - 3} // without header and footer
	s.form = s.form.Resize(body)
	for i := range len(s.fields()) {
		seen := make(map[string]bool)
		for range 30 {
			fields := s.fields()
			s.form = s.form.Focus(fields[min(i, len(fields)-1)].Key)
			f := s.fields()[s.form.Index(s.fields())]
			if seen[f.Value] {
				break
			}
			seen[f.Value] = true
			page := uitest.Drawn(s, w, body.Height)
			said := strings.Join(strings.Fields(page), " ")
			for _, words := range []string{f.Label, f.Value, f.Aside, f.Help} {
				if words = strings.Join(strings.Fields(words), " "); !strings.Contains(said, words) && s.problem() == "" {
					t.Errorf("%q is not said whole:\n%s", words, page)
				}
			}
			s = s.change("right")
		}
	}
}

// TestClockHelp: the sentence below a clock says what the clock means.
func TestClockHelp(t *testing.T) {
	for text, want := range map[string]string{
		"none": "Both sides take the time they like.",
		"5+0":  "5:00 for each side. Until both have moved, each has 30 s.",
		"5+3":  "5:00 for each side at the start, and 3 s more after each move. Until both have moved, each has 30 s.",
		"3d":   "Play when you like: each move may take so many days.",
	} {
		setting, err := lobby.ParseClock(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := clockHelp(wording.Words{}, setting, clock.NoClass); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestLongNames: of a typed name that is longer than its line the end is seen, with the cursor behind it, and its start from another field.
func TestLongNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, 40, 20, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana})
		s.GoTo("Two at this keyboard")
		s.Keys("down", "abcdefghijklmnopqrstuvwxyz")
		s.Sees("> First player     fghijklmnopqrstuvwx")
		x, y, shown := s.App.Top().(setup).Cursor()
		if line := strings.Split(s.Page(), "\n")[y+uitest.HeaderLines]; !shown || x != text.Width(strings.TrimRight(line, " ")) {
			t.Errorf("the cursor is in column %d, shown %v, of %q", x, shown, line)
		}
		s.Keys("down")
		s.Sees("  First player     abcdefghijklmnopqrs…")
	})
}

// TestAnySetup sends keys, clicks and sizes to the forms: the cursor stays among their fields, and nothing panics.
func TestAnySetup(t *testing.T) {
	env := &screen.Env{Ctx: t.Context(), Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Theme: widget.NewTheme(widget.ThemePlain, colorprofile.NoTTY, false)}
	from, _ := NewFrom(env, uitest.GameOf(t, "petteia"), uitest.OptionsOf(t, "petteia"), "", nil, seats.PlayFirst)
	for name, form := range map[string]screen.Screen{
		"new match": New(env, AgainstPerson), "play the computer": New(env, AgainstComputer), "two at this keyboard": New(env, AtOneKeyboard), "two computers": New(env, TwoComputers),
		"quick match": newQuickForm(env), "challenge": NewChallenge(env, "rui"), "from a position": from,
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				uitest.AnyForm(t, form, func(s screen.Screen) (at string, fields []widget.Field) {
					return s.(setup).form.At(), s.(setup).fields()
				})
			})
		})
	}
}
