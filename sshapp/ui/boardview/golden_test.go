package boardview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/goldentest"
	"ludoteca/sshapp/wording"
)

// A boardCase is a position and what is chosen on it.
type boardCase struct {
	name  string
	match func(t *testing.T) match
	keys  string // h j k l as arrows, space as enter
	side  games.Side
	over  bool
	waits bool // the other side is to move
}

// parsed is a position in one line and a move from there.
func parsed(id, position string, moves ...games.Move) func(t *testing.T) match {
	return func(t *testing.T) match {
		m := start(t, id, nil)
		p, err := m.game.Parse(position)
		if err != nil {
			t.Fatal(err)
		}
		m.pos = p
		return m.play(t, moves...)
	}
}

func played(id string, o games.Options, moves ...games.Move) func(t *testing.T) match {
	return func(t *testing.T) match { return start(t, id, o).play(t, moves...) }
}

var boardCases = []boardCase{
	{name: "momentum", match: played("momentum", nil, "d4", "c3", "f6", "d5")},
	{name: "momentum-swap", match: played("momentum", nil, "d4"), keys: "h", side: games.Second},
	{name: "momentum-pushes", match: parsed("momentum", "ply=8 turn=X ......./......./..XOX../..O.X../..OXO../......./.......", "d4"), keys: "hh"},
	{name: "momentum-forced", match: parsed("momentum", "ply=15 turn=O .X...../O....O./...X.../..X..XO/.X..X../O.X...O/O......")},
	{name: "momentum-won", match: parsed("momentum", "ply=24 turn=X ......./XOOOO.O/......./X.O.OX./......./.X.XXX./.......", "f7"), over: true},
	{name: "petteia", match: played("petteia", nil, "a1-a5", "d8-d3"), keys: " kk"},
	{name: "petteia-captures", match: parsed("petteia", "turn=X captured=0,0 OO........../............/............/.....XO...../......O...../......X...../............/.......X....", "h1-h5")},
	{name: "fourmation", match: played("fourmation", nil, "d4", "e5", "d5", "c6"), keys: "jl"},
	{name: "fourmation-waits", match: played("fourmation", nil, "d4"), waits: true},
	{name: "fourmation-won", match: played("fourmation", nil, "a1", "b2", "b1", "c2", "c1", "d2", "d1"), over: true},
	{name: "flugelrad", match: played("flugelrad", nil), keys: "l"},
	{name: "flugelrad-held", match: played("flugelrad", nil, "0:1"), keys: "l hh", side: games.Second},
	{name: "flugelrad-won", match: parsed("flugelrad", "turn=X last=4 turns=30 XOX..O.O....X..OXXXXOO..XOOX.O", "1:2"), over: true},
	{name: "tanks", match: played("tanks", nil, "e2-d3", "e7-d6", "d3-e4", "d6-d5"), keys: "hlkk "},
	{name: "tanks-captured", match: played("tanks", nil, "e2-d3", "e7-d6", "d3-d4", "d6-d5", "d4xd5"), side: games.Second},
	{name: "tanks-26", match: played("tanks", games.Options{"size": 26}, "e2-d3", "e25-d24"), keys: " kk"},
}

func (p boardCase) scene(t *testing.T) (*Scene, State) {
	s := p.match(t).scene()
	st := State{Selection: s.Start(p.side), Yours: !p.over && !p.waits, Over: p.over}
	for _, key := range p.keys {
		switch key {
		case ' ':
			st.Selection, _, _ = s.Choose(st.Selection)
		default:
			d := map[rune][2]int{'h': {-1, 0}, 'j': {0, 1}, 'k': {0, -1}, 'l': {1, 0}}[key]
			st.Selection = s.Step(st.Selection, d[0], d[1], false)
		}
	}
	return s, st
}

func TestPictures(t *testing.T) {
	for _, p := range boardCases {
		t.Run(p.name, func(t *testing.T) {
			s, st := p.scene(t)
			var b strings.Builder
			for _, room := range [][2]int{{76, 38}, {56, 20}, {40, 14}, {24, 7}} {
				for _, theme := range []*Theme{{}, {ASCII: true}} {
					l := s.Fit(room[0], room[1], st)
					fmt.Fprintf(&b, "%dx%d\n%s\n\n", room[0], room[1], drawn(s, theme, l, st))
				}
			}
			if can, _ := s.Turns(); can {
				st.Flip = true
				l := s.Fit(40, 14, st)
				fmt.Fprintf(&b, "turned round\n%s\n\n", drawn(s, &Theme{}, l, st))
			}
			goldentest.Compare(t, p.name, b.String())
		})
	}
}

// TestHugePictures keeps boards in a window of 200x60, in UTF-8 and ASCII.
func TestHugePictures(t *testing.T) {
	kept := []string{"momentum", "petteia-captures", "fourmation-won", "flugelrad-held", "flugelrad-won", "tanks"}
	for _, p := range boardCases {
		if !slices.Contains(kept, p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			s, st := p.scene(t)
			var b strings.Builder
			for _, theme := range []*Theme{{}, {ASCII: true}} {
				fmt.Fprintf(&b, "%s\n\n", drawn(s, theme, s.Fit(173, 56, st), st))
			}
			goldentest.Compare(t, "huge/"+p.name, b.String())
		})
	}
}

// inkNames let a picture show its inks.
var roleNames = [Roles]string{
	Line: "line", Label: "label", CursorLabel: "here", First: "first", Second: "second", Legal: "legal", Forced: "must", Idle: "idle",
	Last: "last", Taken: "taken", Target: "target", Cursor: "cursor", Selected: "held", Win: "win",
}

// drawn returns a drawing as lines, exactly as wide as its layout. A cell whose style has a palette colour is the text between
// the marks of the role of that number: <first>●</first>.
func drawn(s *Scene, theme *Theme, l Layout, st State) string {
	c := canvas.New(l.Width, l.Height)
	s.Draw(c, c.Bounds(), theme, l, st)
	var b strings.Builder
	for y := range l.Height {
		role := Plain
		change := func(to Role) {
			if role != Plain && role != to {
				b.WriteString("</" + roleNames[role] + ">")
			}
			if to != Plain && role != to {
				b.WriteString("<" + roleNames[to] + ">")
			}
			role = to
		}
		for _, cell := range c.Row(y) {
			n, _ := cell.Style().Fg.Index()
			change(Role(n))
			b.WriteRune(cell.Rune())
		}
		change(Plain)
		if y < l.Height-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// rolesKept are the cases in which each role comes up.
var rolesKept = []string{"momentum-pushes", "momentum-forced", "momentum-won", "petteia", "petteia-captures",
	"fourmation-waits", "flugelrad-held", "flugelrad-won", "tanks"}

// TestRoles keeps which role is where. Lines and labels are left out.
func TestRoles(t *testing.T) {
	theme := &Theme{}
	for role := CursorLabel; role < Roles; role++ {
		theme.Styles[role] = canvas.Style{Fg: canvas.Indexed(uint8(role))}
	}
	for _, p := range boardCases {
		if !slices.Contains(rolesKept, p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			s, st := p.scene(t)
			goldentest.Compare(t, "roles/"+p.name, drawn(s, theme, s.Fit(52, 18, st), st)+"\n")
		})
	}
}

// wordsKept are the cases in which each kind of sentence comes up.
var wordsKept = []string{"momentum-swap", "momentum-forced", "momentum-won", "petteia-captures", "fourmation", "flugelrad-held", "flugelrad-won", "tanks"}

// TestWords keeps what is said about positions: plain boards, sentences, what stands beside the board.
func TestWords(t *testing.T) {
	say := text.Say{}
	for _, p := range boardCases {
		if !slices.Contains(wordsKept, p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			m := p.match(t)
			var b strings.Builder
			line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
			for _, row := range Text(m.pos) {
				if strings.TrimRight(row, " ") != row {
					t.Errorf("trailing spaces: %q", row)
				}
				line("%s", row)
			}
			line("")
			for _, sentence := range Sentences(say, wording.Words{}.Ending, m.game.About(), m.pos) {
				line("%s", sentence)
			}
			line("")
			s := m.scene()
			for _, side := range []games.Side{games.First, games.Second} {
				line("%s %s", s.Token(side, false), s.Standing(say, side)+" "+s.Reserve(side, false))
			}
			for _, n := range s.Notes(say, [2]string{"ana", "rui"}) {
				line("%v %s", map[bool]string{true: "!", false: "-"}[n.Urgent], n.Words)
			}
			goldentest.Compare(t, "words/"+p.name, b.String())
		})
	}
}

// TestDoes says beforehand what a move would do.
func TestDoes(t *testing.T) {
	tests := []struct {
		name  string
		match func(t *testing.T) match
		move  games.Move
		want  string
	}{
		{"nothing special", played("momentum", nil, "d4"), "a1", ""},
		{"swap", played("momentum", nil, "d4"), "swap", "takes the marble's place"},
		{"pushes", played("momentum", nil, "d4"), "c3", "pushes 1"},
		{"pushes off", played("momentum", nil, "a1"), "b1", "pushes 1 off"},
		{"pushes some off", parsed("momentum", "ply=8 turn=X ......./......./......./......./..O..../O....../.X....."), "b2", "pushes 3, 2 of them off"},
		{"wins", parsed("momentum", "ply=24 turn=X ......./XOOOO.O/......./X.O.OX./......./.X.XXX./......."), "f7", "wins"},
		{"captures", parsed("petteia", "turn=X captured=0,0 OO........../............/............/......OX..../.....X....../............/............/............"), "f4-f5", "captures g5"},
		{"takes a tank", played("tanks", nil, "e2-d3", "e7-d6", "d3-d4", "d6-d5"), "d4xd5", "takes a medium tank"},
		{"a draw", played("fourmation", games.Options{"cols": 3, "rows": 3, "win_length": 3},
			"a1", "a2", "b1", "c1", "c2", "b2", "a3", "b3"), "c3", "ends in a draw"},
		{"an illegal one", played("fourmation", nil, "d4"), "d4", ""},
		{"none", played("flugelrad", nil), "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.match(t).scene().Effect(text.Say{}, tt.move); got != tt.want {
				t.Errorf("Does(%s) = %q, want %q", tt.move, got, tt.want)
			}
		})
	}
}

// TestNoteOnRepetition: where the second time is a draw already, a new position is no warning; where the third is, the second one warns.
func TestNoteOnRepetition(t *testing.T) {
	there, back := []games.Move{"a1-a2", "a8-a7"}, []games.Move{"a2-a1", "a7-a8"}
	for _, tt := range []struct {
		times int
		moves []games.Move
		want  bool
	}{
		{2, there, false},
		{3, there, false},
		{3, slices.Concat(there, back), true},
		{5, there, false},
		{5, slices.Concat(there, back), true}, // counted, though far from a draw
	} {
		m := start(t, "petteia", games.Options{"repetition": tt.times}).play(t, tt.moves...)
		got := strings.Contains(strings.Join(Sentences(text.Say{}, wording.Words{}.Ending, m.game.About(), m.pos), " "), "has come up")
		if got != tt.want {
			t.Errorf("repetition=%d after %v: warned %v, want %v", tt.times, tt.moves, got, tt.want)
		}
	}
}

// TestUnknownGame draws a game that has no view of its own.
func TestUnknownGame(t *testing.T) {
	m := start(t, "fourmation", nil).play(t, "d4", "c3")
	s := plainScene(m.pos)
	st := State{Selection: s.Start(0)}
	if got := drawn(s, &Theme{}, s.Fit(20, 10, st), st); !strings.Contains(got, "●") || !strings.Contains(got, "○") {
		t.Errorf("the pieces are not drawn:\n%s", got)
	}
	if moves, _ := s.Typed("c4", s.Start(0)); len(moves) != 1 {
		t.Errorf("c4 means %v", moves)
	}
	unknown := struct{ games.Position }{m.pos}
	got := Sentences(text.Say{}, wording.Words{}.Ending, m.game.About(), unknown)
	if want := []string{"O c3, X d4.", "X is to move."}; !slices.Equal(got, want) { // the owners of the pieces are unknown
		t.Errorf("the board in words is %q, want %q", got, want)
	}
}
