package boardpage

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/wording"
)

// sceneOf is a game at its start.
func sceneOf(t *testing.T, game string) *boardview.Scene {
	t.Helper()
	g, ok := catalog.Find(game)
	if !ok {
		t.Fatalf("there is no game %q", game)
	}
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return boardview.New(p, nil, "")
}

// pressed returns an arrow key or backspace, or the keys that type a text.
func pressed(name string) []tea.KeyPressMsg {
	named := map[string]rune{"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "backspace": tea.KeyBackspace}
	if code, ok := named[name]; ok {
		return []tea.KeyPressMsg{{Code: code}}
	}
	var all []tea.KeyPressMsg
	for _, r := range name {
		all = append(all, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return all
}

// typeInto presses keys: arrows move the cursor, enter makes a choice, all else is typed. It returns the moves that were made.
func typeInto(in MoveInput, scene *boardview.Scene, keys ...string) (MoveInput, []games.Move) {
	var made []games.Move
	for _, key := range keys {
		if key == "enter" {
			var m games.Move
			if in, m = in.Enter(wording.Words{}, scene); m != "" {
				made = append(made, m)
			}
			continue
		}
		if key == "esc" {
			in = in.Cancel(scene)
			continue
		}
		if next, ok := in.Arrow(scene, key, false, true); ok {
			in = next
			continue
		}
		for _, msg := range pressed(key) {
			in = in.Insert(msg)
		}
	}
	return in, made
}

func TestMoveInput(t *testing.T) {
	for _, tt := range []struct {
		name, game string
		keys       []string
		made       games.Move
		typed      string
		held       bool   // a piece or a wheel is chosen
		problem    string // part of it
	}{
		{"type a move", "fourmation", []string{"d4", "enter"}, "d4", "", false, ""},
		{"type a bad move", "fourmation", []string{"z9", "enter"}, "", "z9", false, "z9 can't be played"},
		{"a problem goes with the text", "fourmation", []string{"z9", "enter", "backspace"}, "", "z", false, ""},
		{"esc clears the text", "fourmation", []string{"z9", "enter", "esc"}, "", "", false, ""},
		{"choose a cell", "fourmation", []string{"up", "enter"}, "d5", "", false, ""},
		{"choose a piece", "tanks", []string{"enter"}, "", "", true, ""},
		{"and where it goes", "tanks", []string{"enter", "up", "enter"}, "e2-e3", "", false, ""},
		{"esc lets go", "tanks", []string{"enter", "up", "esc"}, "", "", false, ""},
		{"choose nothing of yours", "petteia", []string{"up", "up", "enter"}, "", "", false, "Choose one of your own pieces first."},
		{"a problem goes with the cursor", "petteia", []string{"up", "up", "enter", "up"}, "", "", false, ""},
		{"a typed piece goes on by arrows", "tanks", []string{"e2", "up", "enter"}, "e2-e3", "", false, ""},
		{"left and right are for the text", "fourmation", []string{"c", "left", "e"}, "", "ec", false, ""},
		{"a slash begins a command", "tanks", []string{"e2", "/fl"}, "", "/fl", false, ""},
		{"arrows leave a command alone", "tanks", []string{"/fl", "up", "left", "x"}, "", "/fxl", false, ""},
		{"turn a wheel", "flugelrad", []string{"left", "enter", "left", "enter"}, "2:1", "", false, ""},
		{"turn no wheel", "flugelrad", []string{"left", "enter", "left", "right", "enter"}, "", "", true, "Turn the wheel first"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			scene := sceneOf(t, tt.game)
			in, made := typeInto(MoveInput{Sel: scene.Start(games.First)}, scene, tt.keys...)
			if held := in.Sel.From != boardview.Nowhere; held != tt.held || in.Typed.Text != tt.typed || !strings.Contains(in.Problem, tt.problem) || tt.problem == "" && in.Problem != "" {
				t.Errorf("typed %q, held %v, problem %q; want %q, %v, %q", in.Typed.Text, held, in.Problem, tt.typed, tt.held, tt.problem)
			}
			if tt.made == "" && len(made) > 0 || tt.made != "" && (len(made) != 1 || made[0] != tt.made) {
				t.Errorf("made %v, want %q", made, tt.made)
			}
			if in.Cancels() != (tt.typed != "" || tt.held) {
				t.Errorf("cancels is %v", in.Cancels())
			}
		})
	}
}

// TestMoveInputWheel moves the cursor, and turns the wheel that is chosen, but leaves a command alone.
func TestMoveInputWheel(t *testing.T) {
	scene := sceneOf(t, "fourmation")
	in := MoveInput{Sel: scene.Start(games.First)}
	if got := in.Wheel(scene, -1, false); scene.SelectedMove(got.Sel) != "d5" {
		t.Errorf("one up from d4 is %s", scene.SelectedMove(got.Sel))
	}
	command := in.Paste("/flip")
	if got := command.Wheel(scene, -1, false); got != command {
		t.Errorf("beside a command the wheel made %+v of %+v", got, command)
	}
	scene = sceneOf(t, "flugelrad")
	in, _ = typeInto(MoveInput{Sel: scene.Start(games.First)}, scene, "left", "enter")
	if got := in.Wheel(scene, -1, false); scene.SelectedMove(got.Sel) != "2:1" {
		t.Errorf("the wheel stands for %q, want 2:1", scene.SelectedMove(got.Sel))
	}
}

func TestCompletion(t *testing.T) {
	known := []string{"resign", "takeback", "flip", "rematch", "review"}
	names := []string{"resign", "rematch", "review", "flip"}
	for _, tt := range []struct {
		typed, completed string
		command          string
		problem          string
	}{
		{"/", "/", "", "Which one: /resign /rematch /review /flip?"},
		{"/r", "/re", "", "Which one: /resign /rematch /review?"},
		{"/res", "/resign", "resign", ""},
		{"/FL", "/flip", "flip", ""},
		{"/resign ", "/resign ", "resign", ""},
		{"/takeback", "/takeback", "takeback", ""}, // it exists, though not now
		{"/take", "/take", "", "There is no command /take here."},
		{"re", "re", "", ""},
	} {
		in := MoveInput{}.Paste(tt.typed)
		if got := in.Complete(names).Typed.Text; got != tt.completed {
			t.Errorf("%q is completed to %q, want %q", tt.typed, got, tt.completed)
		}
		if !in.IsCommand() {
			continue
		}
		got, c := in.Command(wording.Words{}, known, names)
		if c != tt.command || !strings.Contains(got.Problem, tt.problem) || (c != "") != got.Empty() {
			t.Errorf("%q is %q, problem %q, and leaves %q; want %q, %q", tt.typed, c, got.Problem, got.Typed.Text, tt.command, tt.problem)
		}
	}
}

// TestMoveInputMeaning says what enter would do.
func TestMoveInputMeaning(t *testing.T) {
	for _, tt := range []struct {
		game, typed, turn, want string
	}{
		{"tanks", "e2e3", "", "enter plays e2-e3"},
		{"tanks", "e2d", "", "keep typing: e2-d3"},
		{"tanks", "e2", "", "choose: e2-d3 e2-e3 e2-f3"},
		{"tanks", "q", "", "can't be played"},
		{"tanks", "e2e3", "rui", "It is rui's turn."}, // e2 is rui's
		{"tanks", "e7e6", "rui", "It is rui's turn."},
		{"tanks", "e7", "rui", "It is rui's turn."},
		{"petteia", "f1f4", "", "enter plays f1-f4"},
		{"petteia", "F1 F4", "", "enter plays f1-f4"},
		{"petteia", "e8-e4", "", "no man of yours on e8"},
		{"petteia", "e8-e4", "rui", "It is rui's turn."},
		{"petteia", "e1-e4", "rui", "It is rui's turn."},
		{"fourmation", "d4", "rui", "d4, when it is your turn"},
		{"momentum", "d4", "rui", "d4, when it is your turn"},
		{"momentum", "z9", "rui", "It is rui's turn."},
		{"flugelrad", "21", "", "enter plays 2:1"},
		{"flugelrad", "2:1", "rui", "2:1, when it is your turn"},
	} {
		if got := (MoveInput{}).Paste(tt.typed).Meaning(wording.Words{}, sceneOf(t, tt.game), tt.turn); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, turn %q: %q, want %q", tt.game, tt.typed, tt.turn, got, tt.want)
		}
	}
	scene := sceneOf(t, "tanks")
	in := MoveInput{Sel: scene.Start(games.First)}
	for _, want := range []string{"", "Choose where it goes, esc lets go.", "enter plays e2-e3"} {
		if got := in.Prompt(wording.Words{}, scene); got != want {
			t.Errorf("the prompt is %q, want %q", got, want)
		}
		if want == "" {
			in, _ = typeInto(in, scene, "enter")
		} else {
			in, _ = typeInto(in, scene, "up")
		}
	}
}
