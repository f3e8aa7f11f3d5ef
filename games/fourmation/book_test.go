package fourmation

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"ludoteca/games"
)

// bookOf returns a book of these entries.
func bookOf(entries ...uint64) string {
	made := []byte(bookMagic)
	for _, w := range entries {
		made = binary.BigEndian.AppendUint64(made, w)
	}
	return string(made)
}

func TestBookIsWellFormed(t *testing.T) {
	if book[:len(bookMagic)] != bookMagic || (len(book)-len(bookMagic))%entryBytes != 0 || len(book) > 1<<20 {
		t.Fatalf("the book begins with %q and has %d bytes", book[:len(bookMagic)], len(book))
	}
	for i, before := 0, uint64(0); i < (len(book)-len(bookMagic))/entryBytes; i++ {
		w := entryAt(book, i)
		if w <= before || w&0xff >= gridSide*gridSide {
			t.Fatalf("entry %d is %x, after %x", i, w, before)
		}
		before = w
	}
}

func TestLookUp(t *testing.T) {
	full := bookOf(0x100, 0x205, 0x206, 0x23f, 0x300)
	tests := []struct {
		name string
		book string
		key  uint64
		want []int
	}{
		{"empty book", bookOf(), 0x100, nil},
		{"first entry", full, 0x100, []int{0}},
		{"several", full, 0x200, []int{5, 6, 63}},
		{"last entry", full, 0x300, []int{0}},
		{"none before", full, 0, nil},
		{"none after", full, 0x400, nil},
		{"none between", bookOf(0x100, 0x300), 0x200, nil},
	}
	for _, tt := range tests {
		if got := lookUp(tt.book, tt.key); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestBookFitsEverySide makes a book of one move and asks it for the position from all sides of the board: the moves
// must lead to positions with the same canonical form.
func TestBookFitsEverySide(t *testing.T) {
	r := games.NewRandom(12)
	for _, b := range []struct{ cols, rows int }{{7, 7}, {8, 8}, {4, 4}, {7, 5}, {5, 7}, {3, 8}, {8, 7}} {
		for range 50 {
			s, running := wander(b.cols, b.rows, 3, r.N(6), r)
			if !running {
				continue
			}
			g, f, tall := landscape(s)
			least, ways := f.canonical(g)
			moves := s.Moves(nil)
			c := cells(1) << gridCell(cell(moves[r.N(len(moves))]))
			if tall {
				c = transpose(c)
			}
			made := bookOf(bookKey(g, least) | uint64(turn(g, c, ways[0]).first()))
			want := f.play(g, c.first())
			for way := range allWays {
				if way&transposed != 0 && g.cols != g.rows {
					continue
				}
				seen := bookPosition{turn(g, f.first, way), turn(g, f.second, way), f.last}
				if f.last != none {
					seen.last = turn(g, 1<<f.last, way).first()
				}
				for _, turned := range []*State{seen.state(g), seen.transposedState(g)} {
					got := bookMoves(made, turned)
					if len(got) == 0 {
						t.Fatalf("no move for %s, which looks like %s", turned.Clone().Freeze(), s.Clone().Freeze())
					}
					for _, c := range got {
						turned.Play(codeOf(c))
						g, after, _ := landscape(turned)
						if after, _ = after.canonical(g); after != want {
							t.Fatalf("after %s of %v: %s", cell(codeOf(c)), got, turned.Clone().Freeze())
						}
						break
					}
				}
			}
		}
	}
}

// transposedState returns the position with columns and rows transposed.
func (f bookPosition) transposedState(g *grid) *State {
	f.first, f.second = transpose(f.first), transpose(f.second)
	if f.last != none {
		f.last = transpose(1 << f.last).first()
	}
	return f.state(newGrid(g.rows, g.cols, g.win))
}

// TestBookCovers goes through all positions that the plans ask for. Each must have a move, unless a line can be closed at
// once or the position is lost, and all moves must be legal. No more positions may be without a move than were found lost when
// the book was made; some of them are solved again.
func TestBookCovers(t *testing.T) {
	const lost, someOf = 320, 20
	missing := 0
	for _, plan := range (game{}).BookPlans() {
		m, err := newBookMaker(plan)
		if err != nil {
			t.Fatal(err)
		}
		asked, covered := 0, 0
		for openings := m.nextOpenings(); len(openings) > 0; openings = m.nextOpenings() {
			for _, o := range openings {
				own, other, reach := o.sides(m.grid)
				if m.grid.completing(own)&reach != 0 {
					continue
				}
				asked++
				moves := lookUp(book, bookKey(m.grid, o.bookPosition))
				if len(moves) == 0 {
					if missing++; missing%someOf != 0 {
						continue
					}
					s := solver{grid: m.grid, table: newTable(1<<19, maxTable), limit: 1 << 19, stop: unstopped}
					if s.attack(own, other, reach, false) == fails {
						t.Errorf("%s: ply %d: no move for %+v", plan.Options, m.Ply(), o.bookPosition)
					}
					continue
				}
				covered++
				for _, c := range moves {
					if reach&(1<<c) == 0 {
						t.Errorf("%s: %+v: the move to %d is not legal", plan.Options, o.bookPosition, c)
					}
				}
				if err := m.add(o, games.BookChoice{Found: true, Move: moves[0]}); err != nil {
					t.Error(err)
				}
			}
		}
		t.Logf("%s: %d of %d positions", plan.Options, covered, asked)
	}
	if missing > lost {
		t.Errorf("%d positions have no move, more than the %d that are lost", missing, lost)
	}
}

// TestBookIsSound proves again for moves with a short proof that they can't be answered by a forced line.
func TestBookIsSound(t *testing.T) {
	proven := 0
	for _, plan := range (game{}).BookPlans() {
		m, err := newBookMaker(plan)
		if err != nil {
			t.Fatal(err)
		}
		for openings := m.nextOpenings(); len(openings) > 0; openings = m.nextOpenings() {
			for i, o := range openings {
				moves := lookUp(book, bookKey(m.grid, o.bookPosition))
				if len(moves) == 0 {
					continue
				}
				if err := m.add(o, games.BookChoice{Found: true, Move: moves[0]}); err != nil {
					t.Error(err)
				}
				if i%(len(openings)/20+1) != 0 {
					continue
				}
				s := solver{grid: m.grid, table: newTable(10_000, maxTable), limit: 10_000, stop: unstopped}
				own, other, _ := o.sides(m.grid)
				c := moves[0]
				switch s.attack(other, own|1<<c, m.grid.around[c]&^(own|other), true) {
				case succeeds:
					t.Errorf("%s: %+v: the move to %d loses", plan.Options, o.bookPosition, c)
				case fails:
					proven++
				}
			}
		}
	}
	if proven < 30 {
		t.Errorf("only %d moves were proven again", proven)
	}
}

// TestBookMaker makes the book of a small board and compares its moves with minimax.
func TestBookMaker(t *testing.T) {
	m, err := newBookMaker(games.BookPlan{Options: games.Options{optCols: 3, optRows: 3, optWin: 3}, Full: 3, Follow: 6, Nodes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	known := map[bookPosition]int{}
	found, lost, entries := 0, 0, map[bookPosition]int{}
	for openings := m.nextOpenings(); len(openings) > 0; openings = m.nextOpenings() {
		for _, o := range openings {
			c := m.choose(o, unstopped)
			s := o.state(m.grid)
			v := minimax(s, known)
			switch {
			case c.Found && valueAfter(s, codeOf(c.Move), known) < 0:
				t.Errorf("%s: the move to %d loses", s.Clone().Freeze(), c.Move)
			case c.Lost != (v < 0):
				t.Errorf("%s: %+v, but the position is worth %d", s.Clone().Freeze(), c, v)
			case c.Found:
				found++
				entries[o.bookPosition] = c.Move
			case c.Lost:
				lost++
			}
			if err := m.add(o, c); err != nil {
				t.Error(err)
			}
		}
	}
	if found < 20 || lost == 0 {
		t.Errorf("%d positions have a move, %d are lost", found, lost)
	}
	made := string(game{}.MergeBooks([]games.BookMaker{m, m}))
	if want := len(bookMagic) + found*entryBytes; len(made) != want {
		t.Errorf("the book has %d bytes, want %d", len(made), want)
	}
	for f, c := range entries {
		if got := lookUp(made, bookKey(m.grid, f)); !slices.Equal(got, []int{c}) {
			t.Errorf("%+v: the book has %v, want %d", f, got, c)
		}
	}
}

func TestBookMakerRefuses(t *testing.T) {
	options := games.Options{optCols: 4, optRows: 4, optWin: 3}
	for _, plan := range []games.BookPlan{
		{Options: games.Options{optCols: 9, optRows: 4, optWin: 3}, Full: 1, Follow: 1, Nodes: 1},
		{Options: games.Options{optCols: 4, optRows: 9, optWin: 3}, Full: 1, Follow: 1, Nodes: 1},
		{Options: options, Full: -1, Follow: 1, Nodes: 1}, {Options: options, Full: 2, Follow: 1, Nodes: 1}, {Options: options, Full: 1, Follow: 1, Nodes: 0},
	} {
		if _, err := newBookMaker(plan); !errors.Is(err, ErrBook) {
			t.Errorf("%+v: %v", plan, err)
		}
	}
	m, err := newBookMaker(games.BookPlan{Options: options, Full: 1, Follow: 1, Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	o := m.nextOpenings()[0]
	if err := m.add(o, games.BookChoice{Found: true}); err != nil {
		t.Error(err)
	}
	if err := m.add(o, games.BookChoice{Found: true}); !errors.Is(err, ErrBook) {
		t.Errorf("the same position twice: %v", err)
	}
}
