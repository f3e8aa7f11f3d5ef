package flugelrad

import (
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
)

// TestCanonical turns and mirrors positions of random games: their canonical texts are one, and so are those after any turn of a wheel
// and the same turn of its image.
func TestCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, err := games.Complete(game{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := game{}.New(o)
		if err != nil {
			t.Fatal(err)
		}
		number := rapid.IntRange(0, 11).Draw(t, "symmetry")
		symmetry := symmetries()[number]
		q := turned(t, p, symmetry)
		for range rapid.IntRange(0, 10).Draw(t, "plies") {
			if p.Result().Over {
				break
			}
			if got, want := (game{}).Canonical(q), (game{}).Canonical(p); got != want {
				t.Fatalf("%s has %s, %s has %s", p, want, q, got)
			}
			m := rapid.SampledFrom(p.Legal()).Draw(t, "move")
			wheel, steps := int(m[0]-'0'), m[2]-'0'
			if number >= 6 {
				steps = 6 - steps
			}
			image := games.Move([]byte{'0' + byte(imageOfWheel(symmetry, wheel)), ':', '0' + steps})
			if p, err = p.Play(m); err != nil {
				t.Fatal(err)
			}
			if q, err = q.Play(image); err != nil {
				t.Fatalf("%s is legal, its image %s is not: %v", m, image, err)
			}
		}
	})
}

// turned returns the start with a symmetry.
func turned(t *rapid.T, p games.Position, symmetry [Points + 1]int) games.Position {
	var balls [2]grid
	for side, all := range p.(*Position).s.balls() {
		for _, point := range points(all) {
			balls[side] |= table.bit[symmetry[point]]
		}
	}
	q, err := game{}.Parse("turn=X turns=0 " + textOf(balls))
	if err != nil {
		t.Fatal(err)
	}
	return q
}
