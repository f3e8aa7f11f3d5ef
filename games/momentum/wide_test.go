package momentum

import (
	"maps"
	"testing"

	"ludoteca/games"
)

// TestBothKindsAgree plays random games on a State and on a wideState with the same options: moves, their ranks, the noisy ones,
// evaluations and ends are the same, forwards and backwards.
func TestBothKindsAgree(t *testing.T) {
	noisy := 0
	for _, o := range optionSets(t, []int{7, 9, 13}, []int{6, 8, 12}) {
		weights := games.ValuesOf(ownWeights[:])
		for seed := range uint64(8) {
			usual := (&State{rules: newRules(o)}).SearchWith(weights).(*Search)
			wide := newWideState(o).SearchWith(weights).(*wideSearch)
			r := games.NewRandom(seed)
			for ply := 0; ; ply++ {
				noisy += agree(t, usual, wide)
				if over, _ := usual.Over(); over {
					break
				}
				if usual.Pass() != wide.Pass() {
					t.Fatalf("%s: only one kind passes", usual.Clone().Freeze())
				}
				if len(usual.past) > ply {
					agree(t, usual, wide)
					usual.Undo()
					wide.Undo()
				}
				play(usual, wide, r)
				if r.N(4) == 0 {
					usual.Undo()
					wide.Undo()
					agree(t, usual, wide)
					ply--
				}
			}
			for len(usual.past) > 0 {
				usual.Undo()
				wide.Undo()
				agree(t, usual, wide)
			}
		}
	}
	if noisy == 0 {
		t.Error("nothing was ever pushed off")
	}
}

// play makes the same random move in both.
func play(usual *Search, wide *wideSearch, r *games.Random) {
	all := usual.State.Moves(nil)
	m := usual.Move(all[r.N(len(all))])
	c, _ := usual.Code(m)
	usual.Play(c)
	c, _ = wide.Code(m)
	wide.Play(c)
}

// agree compares two searches of one position, and returns how many noisy moves it has.
func agree(t *testing.T, usual *Search, wide *wideSearch) int {
	t.Helper()
	ranks := func(s games.State, moves []games.Ranked) map[games.Move]int32 {
		all := map[games.Move]int32{}
		for _, m := range moves {
			all[s.Move(m.Code)] = m.Rank
		}
		return all
	}
	at := usual.Clone().Freeze()
	if got := wide.Clone().Freeze(); got.String() != at.String() || got.Result() != at.Result() {
		t.Fatalf("%s, %+v became %s, %+v", at, at.Result(), got, got.Result())
	}
	if want, got := ranks(&usual.State, usual.Moves(nil)), ranks(&wide.wideState, wide.Moves(nil)); !maps.Equal(got, want) {
		t.Fatalf("%s: the moves are %v, want %v", at, got, want)
	}
	moves, must := usual.Noisy(nil)
	wideMoves, wideMust := wide.Noisy(nil)
	want, got := ranks(&usual.State, moves), ranks(&wide.wideState, wideMoves)
	if !maps.Equal(got, want) || must != wideMust {
		t.Fatalf("%s: the noisy moves are %v, %v, want %v, %v", at, got, wideMust, want, must)
	}
	if usual.Running() && usual.Evaluate() != wide.Evaluate() {
		t.Fatalf("%s is worth %d, want %d", at, wide.Evaluate(), usual.Evaluate())
	}
	for _, side := range []games.Side{games.First, games.Second} {
		if got, want := wide.onRim(side), usual.onRim(side); got != want {
			t.Fatalf("%s: %d marbles of %s on the rim, want %d", at, got, side, want)
		}
	}
	return len(moves)
}

// TestSwapOnEveryBoard takes the first marble over on boards of both kinds, and takes that back.
func TestSwapOnEveryBoard(t *testing.T) {
	for _, words := range []string{"", "size=14", "marbles=26", "size=26 marbles=26"} {
		p := kit.Play(t, kit.Start(t, words), "c3")
		s := p.State()
		c, err := s.Code(swapText)
		if err != nil {
			t.Fatal(err)
		}
		s.Play(c)
		if got, want := s.Clone().Freeze().String(), kit.Play(t, p, "swap").String(); got != want || got == p.String() {
			t.Errorf("%s: the swap leads to %s, want %s", words, got, want)
		}
		s.Undo()
		if got := s.Freeze().String(); got != p.String() {
			t.Errorf("%s: taken back, the swap leaves %s, want %s", words, got, p)
		}
	}
}
