package flugelrad

import (
	"slices"
	"testing"

	"ludoteca/games"
)

// TestGeometry checks what the rule sheet says of its layout table: how links and wheels lie in it.
func TestGeometry(t *testing.T) {
	linked := map[[2]int]bool{}
	for p, q := range Links() {
		linked[[2]int{p, q}], linked[[2]int{q, p}] = true, true
	}
	if len(linked) != 2*42 {
		t.Errorf("%d links, want 42", len(linked)/2)
	}
	none := [][2]int{{2, 7}, {25, 30}, {6, 12}, {9, 20}, {15, 27}, {22, 28}}
	for p := 1; p <= Points; p++ {
		for q := 1; q <= Points; q++ {
			pr, pc := PointPlace(p)
			qr, qc := PointPlace(q)
			beside := qr == pr && max(qc-pc, pc-qc) == 2 || max(qr-pr, pr-qr) == 1 && max(qc-pc, pc-qc) == 1
			want := beside && !slices.Contains(none, [2]int{min(p, q), max(p, q)})
			if linked[[2]int{p, q}] != want {
				t.Errorf("%d and %d linked: %v, want %v", p, q, !want, want)
			}
			if near := table.near(table.bit[p])&table.bit[q] != 0; near != want {
				t.Errorf("%d is near %d in the grid: %v, want %v", p, q, near, want)
			}
		}
	}
	around := [6][2]int{{-1, -1}, {-1, 1}, {0, 2}, {1, 1}, {1, -1}, {0, -2}}
	for w := range Wheels {
		row, col := WheelPlace(w)
		for i, p := range WheelPoints(w) {
			if r, c := PointPlace(p); r != row+around[i][0] || c != col+around[i][1] {
				t.Errorf("point %d is at %d, %d, which is not place %d of wheel %d", p, r, c, i, w)
			}
		}
	}
}

func TestPoints(t *testing.T) {
	p := kit.Play(t, kit.Start(t, ""), "0:1") // O...OXXOX..X..XO...OXO..OXOXOX
	tests := []struct {
		point int
		side  games.Side
		held  bool
	}{{1, games.Second, true}, {2, games.First, false}, {6, games.First, true}, {29, games.Second, true}, {30, games.First, true}}
	for _, tt := range tests {
		if side, held := p.At(tt.point); side != tt.side || held != tt.held {
			t.Errorf("At(%d) = %v, %v, want %v, %v", tt.point, side, held, tt.side, tt.held)
		}
	}
}

func TestWheels(t *testing.T) {
	fresh := kit.Start(t, "")
	p := kit.Play(t, fresh, "0:1")
	if p.Turns() != 1 || p.Limit() != 200 {
		t.Errorf("turns %d, limit %d", p.Turns(), p.Limit())
	}
	full := kit.Parse(t, "turn=X connect=7 XXXXXXO.O..O...O...OO...OXOXOX")
	for _, tt := range []struct {
		name  string
		p     *Position
		wheel int
		want  Bar
	}{
		{"turned", p, 0, JustTurned}, {"empty", p, 3, NoBalls}, {"free", p, 1, Free}, {"full", full, 0, SameBalls},
		{"rule off", kit.Play(t, kit.Start(t, "fresh_wheel=0"), "0:1"), 0, Free},
	} {
		if got := tt.p.Barred(tt.wheel); got != tt.want {
			t.Errorf("%s: Barred(%d) = %d, want %d", tt.name, tt.wheel, got, tt.want)
		}
	}
}

func TestPreview(t *testing.T) {
	p := kit.Start(t, "")
	for _, m := range p.Legal() {
		wheel, steps, _ := split(string(m))
		want := kit.Play(t, p, string(m)).Rows()[0]
		for _, n := range []int{steps, steps - 6, steps + 6} {
			if got := p.Preview(wheel, n); got != want {
				t.Errorf("Preview(%d, %d) = %s, want %s", wheel, n, got, want)
			}
		}
	}
	if got := p.Preview(3, 6); got != startRow {
		t.Errorf("a whole turn gives %s", got)
	}
}

func TestGroups(t *testing.T) {
	// A group of O that branches: 2, 7-8 and 11-17 all hang on 3. Its longest chain is 8-7-3-11-17. 14-27 is a
	// pair apart.
	const before = "XOO.X.OO..OXXOX.X..XO.....OXOX"
	const group = " XOO.X.OO..OXXOX.O...X.X...OXOX"
	p := kit.Parse(t, "turn=X"+group)
	if got, want := p.Linked(games.Second), []int{2, 3, 7, 8, 11, 14, 17, 27}; !slices.Equal(got, want) {
		t.Errorf("Linked = %v, want %v", got, want)
	}
	if got, want := p.Winning(), []int{2, 3, 7, 8, 11, 17}; !slices.Equal(got, want) {
		t.Errorf("Winning = %v, want %v", got, want)
	}
	if n := p.Largest(games.Second); n != 6 || p.Needed() != 6 {
		t.Errorf("largest group %d of %d, want 6 of 6", n, p.Needed())
	}
	chain := kit.Parse(t, "turn=X chain=1"+group)
	if n := chain.Largest(games.Second); n != 5 || chain.Winning() != nil {
		t.Errorf("longest chain %d, winning %v, want 5 and none", n, chain.Winning())
	}
	five := kit.Parse(t, "turn=X chain=1 connect=5"+group)
	if got, want := five.Winning(), []int{3, 7, 8, 11, 17}; !slices.Equal(got, want) {
		t.Errorf("the winning chain is %v, want %v", got, want)
	}
	if got := kit.Parse(t, "turn=O last=3 "+before).Winning(); got != nil {
		t.Errorf("Winning = %v in a running game", got)
	}
}

func TestRepeated(t *testing.T) {
	p := kit.Start(t, "")
	if p.Repeated() != 1 || p.Allowed() != 3 {
		t.Errorf("the start has come up %d of %d times", p.Repeated(), p.Allowed())
	}
	if n := kit.Play(t, p, "0:1 5:1 0:5 5:5").Repeated(); n != 2 {
		t.Errorf("the start has come up %d times, want 2", n)
	}
	off := kit.Start(t, "repetition=0")
	if n := kit.Play(t, off, "0:1 5:1 0:5 5:5").Repeated(); n != 1 || off.Allowed() != 0 {
		t.Errorf("without the rule: %d of %d", n, off.Allowed())
	}
}
