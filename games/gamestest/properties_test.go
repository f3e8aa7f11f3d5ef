package gamestest

import (
	"strings"
	"testing"

	"ludoteca/games"
)

// TestPropertiesOfASoundGame has a game have all the properties.
func TestPropertiesOfASoundGame(t *testing.T) {
	g := nim{}
	Properties(t, g, Kit[*heap]{Game: g}.Sets(t, "", "pile=3", "pile=20"), 3)
	AllocatesNothing(t, Kit[*heap]{Game: g}.Start(t, "pile=20"))
}

// TestPropertiesCatch has games break one property each.
func TestPropertiesCatch(t *testing.T) {
	for _, tt := range []struct{ fault, want string }{
		{"unsorted", "legal moves are not sorted"},
		{"missing", "moves of the state"},
		{"after the end", "over true, with the legal moves"},
		{"reason", "the result is"},
		{"greedy", "greedy would play 4"},
		{"changed", "changed the position"},
		{"wordless", "no error about an illegal move"},
		{"lenient", "the state says"},
		{"two rules", "leads the state to"},
		{"unread", "reading 1 gives"},
		{"options", "with the options"},
		{"another", "own text is read as"},
		{"longest", "still running after"},
		{"endless", "the state is"},
		{"undo", "taken back"},
		{"clone", "changed a clone"},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			g := nim{tt.fault}
			o := Kit[*heap]{Game: g}.Options(t, "pile=19")
			var err error
			for seed := uint64(0); seed < 20 && err == nil; seed++ {
				err = randomGame(g, o, games.NewRandom(seed))
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the properties say %v, want an error saying %q", err, tt.want)
			}
		})
	}
}

func TestRereadCatches(t *testing.T) {
	const text = " pile=12   turn=O oooo." // not as String writes it
	for fault, want := range map[string]string{"": "", "another": "own text is read as turn=X", "hidden": "another position"} {
		p, err := nim{}.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if fault == "hidden" {
			if p, err = (nim{fault}).Parse(text); err != nil {
				t.Fatal(err)
			}
		}
		err = reread(nim{fault}, p)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error saying %q", fault, err, want)
		}
	}
}

// piles is nim once more, with a fault if no player may take three.
type piles struct {
	left, most int
	turn       games.Side
}

func (p *piles) Legal() []games.Move {
	all := []games.Move{"1", "2", "3"}
	return all[:min(p.most, p.left)]
}

func (p *piles) Play(m games.Move) {
	p.left -= int(m[0] - '0')
	p.turn = p.turn.Other()
}

func (p *piles) Rows() []string { return []string{strings.Repeat("o", p.left) + "."} }

func (p *piles) Result() games.Result {
	if p.left > 0 {
		return games.Result{}
	}
	return games.Won(p.turn.Other(), "last")
}

func TestFollow(t *testing.T) {
	o := Kit[*heap]{Game: nim{}}.Options(t, "")
	for most, want := range map[int]string{3: "", 2: "legal moves are"} {
		plain := func(o games.Options) Reference { return &piles{left: o["pile"], most: most} }
		last, err := FollowGame(nim{}, o, plain, Uniformly(games.NewRandom(1)), 0)
		switch {
		case want == "" && (err != nil || !last.Result().Over):
			t.Errorf("the same game leads to %v, %v", last, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("another game leads to %v, %v, want an error saying %q", last, err, want)
		}
	}
}

func FuzzNim(f *testing.F) {
	FuzzGame(f, nim{}, Kit[*heap]{Game: nim{}}.Sets(f, "", "pile=20"), func(o games.Options) Reference {
		return &piles{left: o["pile"], most: 3}
	}, "1 2 3 4 3 3 3")
}
