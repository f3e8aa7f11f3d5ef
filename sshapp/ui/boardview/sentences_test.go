package boardview

import (
	"slices"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/text"
)

// TestFacts: what the rules depend on and a plain board doesn't show stands below it in a line each.
func TestFacts(t *testing.T) {
	for _, tt := range []struct {
		name, game string
		options    []string
		moves      []games.Move
		want       []string // among others
	}{
		{"marbles in hand", "momentum", nil, []games.Move{"d4"}, []string{"ana: in hand 7", "rui: in hand 8", "rui may swap: take over the first marble."}},
		{"captures and the quiet counter", "petteia", nil, []games.Move{"a1-a2"}, []string{"ana: captures 0 of 7", "rui: captures 0 of 7", "One turn without a capture; 100 are a draw."}},
		{"where to drop", "fourmation", nil, []games.Move{"d4"}, []string{"4 in a line win.", "Play beside d4."}},
		{"the barred wheel", "flugelrad", nil, []games.Move{"0:3"}, []string{"Wheel 0 was turned just now.", "rui: linked 1 of 6", "Turn 2 of 200; then it is a draw."}},
		{"tanks", "tanks", nil, nil, []string{"M medium, T heavy, D destroyer."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, _ := catalog.Find(tt.game)
			o, err := games.ParseOptionsOf(g, "", tt.options)
			if err != nil {
				t.Fatal(err)
			}
			p, err := g.New(o)
			for _, m := range tt.moves {
				if err == nil {
					p, err = p.Play(m)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			got := Facts(text.Say{}, [2]string{"ana", "rui"}, p)
			for _, want := range tt.want {
				if !slices.Contains(got, want) {
					t.Errorf("%q is not among %q", want, got)
				}
			}
		})
	}
}

// TestNotesOfBothSides: what matters for the next move is said to each side in words of its own.
func TestNotesOfBothSides(t *testing.T) {
	g, _ := catalog.Find("momentum")
	for _, tt := range []struct {
		name, position string
		side           games.Side
		want           string
	}{
		{"the side to move", "ply=37 turn=O ......O/..X.O../.X..O../.OOX.../....X.X/.O.X.X./.......", games.Second,
			"rui has one marble left: push one off with e1, f3, f4."},
		{"the other side", "ply=37 turn=O ......O/..X.O../.X..O../.OOX.../....X.X/.O.X.X./.......", games.First,
			"You have one marble left: rui must push one off with e1, f3, f4."},
	} {
		p, err := games.Study(g, tt.position)
		if err != nil {
			t.Fatal(err)
		}
		names := [2]string{"rui", "rui"}
		names[tt.side] = "You"
		if got := (Narrator{Names: names, Plays: true, Side: tt.side}).urgent(p); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%s is told %q, want %q", tt.name, got, tt.want)
		}
	}
}
