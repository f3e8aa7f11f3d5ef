package boardview

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/terminal/canvas"
)

// TestDrawingsStayInside draws random positions in any room, with the cursor anywhere: no cell outside of the layout changes.
func TestDrawingsStayInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMatch(t)
		s := m.scene()
		st := State{
			Selection: s.Start(games.First), Yours: rapid.Bool().Draw(t, "yours"), Over: rapid.Bool().Draw(t, "over"),
			Flip: rapid.Bool().Draw(t, "flip"),
		}
		theme := &Theme{ASCII: rapid.Bool().Draw(t, "ascii")}
		left, top := rapid.IntRange(0, 5).Draw(t, "left"), rapid.IntRange(0, 5).Draw(t, "top")
		for range 6 {
			w, h := rapid.IntRange(0, 240).Draw(t, "width"), rapid.IntRange(0, 70).Draw(t, "height")
			if rapid.Bool().Draw(t, "small") {
				w, h = w/4, h/4
			}
			l := s.Fit(w, h, st)
			if l.Width > w || l.Height > h {
				t.Fatalf("%dx%d: a layout of %dx%d", w, h, l.Width, l.Height)
			}
			c := canvas.New(left+w+3, top+h+3)
			s.Draw(c, canvas.Area(left, top, w, h), theme, l, st)
			drawn := 0
			for y := range top + h + 3 {
				for x, cell := range c.Row(y) {
					inside := x >= left && x < left+l.Width && y >= top && y < top+l.Height
					if !inside && !cell.IsBlank() || cell.Columns() != 1 || theme.ASCII && cell.Rune() > '~' {
						t.Fatalf("a drawing of %dx%d at %d,%d: %q at %d,%d", l.Width, l.Height, left, top, cell.Rune(), x, y)
					}
					if !cell.IsBlank() {
						drawn++
					}
				}
			}
			if drawn == 0 && l.Width > 10 && l.Height > 3 {
				t.Fatalf("nothing is drawn in %dx%d", l.Width, l.Height)
			}
			st.Scroll = l.Scroll
			d := rapid.SampledFrom(arrows4[:]).Draw(t, "arrow")
			st.Selection = s.Step(st.Selection, d[0], d[1], st.Flip)
			if next, m, _ := s.Choose(st.Selection); m == "" && rapid.Bool().Draw(t, "enter") {
				st.Selection = next
			}
		}
	})
}

// TestCursorInView walks over boards in windows in which they don't fit: the cursor is always shown, where Point says,
// and a click there means its cell.
func TestCursorInView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom([]string{"tanks", "fourmation", "momentum"}).Draw(t, "game")
		o := games.Options{"size": 26}
		if id == "fourmation" {
			o = games.Options{"cols": 26, "rows": 26}
		}
		s := start(t, id, o).scene()
		st := State{Selection: s.Start(games.First), Yours: true, Flip: rapid.Bool().Draw(t, "flip")}
		w, h := rapid.IntRange(9, 80).Draw(t, "width"), rapid.IntRange(4, 26).Draw(t, "height")
		before := s.Fit(w, h, st)
		for range 60 {
			d := rapid.SampledFrom(arrows4[:]).Draw(t, "arrow")
			st.Selection = s.Step(st.Selection, d[0], d[1], st.Flip)
			l := s.Fit(w, h, st)
			if abs(l.Scroll.Col-before.Scroll.Col) > 1 || abs(l.Scroll.Row-before.Scroll.Row) > 1 {
				t.Fatalf("a step scrolls from %v to %v", before.Scroll, l.Scroll)
			}
			x, y := s.CursorCell(l, st)
			if got := s.Spot(l, st, x, y); got != st.Selection.Cursor {
				t.Fatalf("in %dx%d the cell at %d,%d is %v, the cursor's %v", w, h, x, y, got, st.Selection.Cursor)
			}
			st.Scroll, before = l.Scroll, l
		}
	})
}

// TestSpots finds every cell of a board from its middle, in all sizes, both ways round, and nothing on the lines.
func TestSpots(t *testing.T) {
	s := start(t, "petteia", nil).scene()
	for _, room := range [][2]int{{173, 56}, {120, 40}, {60, 20}, {30, 10}} {
		for _, flip := range []bool{false, true} {
			st := State{Flip: flip}
			l := s.Fit(room[0], room[1], st)
			count := map[Spot]int{}
			for y := -1; y <= l.Height; y++ {
				for x := -1; x <= l.Width; x++ {
					count[s.Spot(l, st, x, y)]++
				}
			}
			z := gridSizes[l.size]
			each := z.dx * z.dy
			if z.lines {
				each = (z.dx - 1) * (z.dy - 1)
			}
			if len(count) != 12*8+1 {
				t.Errorf("in %v %d spots can be clicked, want 96 and nothing", room, len(count))
			}
			for at, n := range count {
				if at != Nowhere && n != each {
					t.Errorf("in %v spot %d has %d cells, want %d", room, at, n, each)
				}
			}
		}
	}
}

// TestSizes says which size is taken in how much room.
func TestSizes(t *testing.T) {
	tests := []struct {
		name, game string
		o          games.Options
		w, h, size int
		width      int
	}{
		{"huge", "momentum", nil, 89, 45, 0, 89},
		{"not quite huge", "momentum", nil, 89, 44, 1, 61},
		{"large", "momentum", nil, 76, 36, 1, 61},
		{"boxed", "momentum", nil, 53, 20, 2, 33},
		{"without lines", "momentum", nil, 40, 12, 3, 17},
		{"huge and wide", "petteia", nil, 173, 56, 0, 149},
		{"wide and low", "petteia", nil, 80, 12, 3, 27},
		{"scrolled", "tanks", games.Options{"size": 26}, 40, 12, 3, 39},
		{"scrolled marbles", "momentum", games.Options{"size": 26}, 40, 12, 3, 39},
		{"scrolled pieces", "fourmation", games.Options{"cols": 26, "rows": 26}, 40, 12, 3, 39},
		{"huge wheels", "flugelrad", nil, 103, 39, 0, 103},
		{"large wheels", "flugelrad", nil, 52, 20, 1, 51},
		{"standard wheels", "flugelrad", nil, 52, 18, 2, 51},
		{"small wheels", "flugelrad", nil, 50, 20, 3, 25},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, tt.game, tt.o).scene()
			l := s.Fit(tt.w, tt.h, State{Selection: s.Start(games.First)})
			if l.size != tt.size || l.Width != tt.width {
				t.Errorf("in %dx%d size %d of width %d, want %d of %d", tt.w, tt.h, l.size, l.Width, tt.size, tt.width)
			}
		})
	}
}

// TestArrowsFollowTheScreen presses each arrow in the middle of boards, either way round: the cursor goes where it points.
func TestArrowsFollowTheScreen(t *testing.T) {
	for _, id := range []string{"petteia", "tanks", "flugelrad"} {
		s := start(t, id, nil).scene()
		for _, flip := range []bool{false, true} {
			if can, _ := s.Turns(); flip && !can {
				continue
			}
			st := State{Selection: Selection{middleWheel, Nowhere}, Flip: flip}
			if g, ok := s.board.(pieceGrid); ok {
				st.Selection.Cursor = g.at(4, 4)
			}
			l := s.Fit(100, 40, st)
			x, y := s.CursorCell(l, st)
			for _, d := range arrows4 {
				next := st
				next.Selection = s.Step(st.Selection, d[0], d[1], flip)
				nx, ny := s.CursorCell(l, next)
				// Wheels stand in rows that are set off by half, so up and down go aside as well.
				if d[0] != 0 && (sign(nx-x) != d[0] || ny != y) || d[1] != 0 && sign(ny-y) != d[1] {
					t.Errorf("%s, turned %v: the arrow %v goes from %d,%d to %d,%d", id, flip, d, x, y, nx, ny)
				}
			}
		}
	}
}

// TestScrollMarks stand at the ends of letters and numbers, beside no letter of a column and in no row of the board.
func TestScrollMarks(t *testing.T) {
	s := start(t, "tanks", games.Options{"size": 26}).scene()
	for _, at := range []Spot{0, 25, 26 * 25, 26*26 - 1, 26*13 + 13} {
		st := State{Selection: Selection{at, Nowhere}, Yours: true}
		l := s.Fit(24, 12, st)
		lines := strings.Split(drawn(s, &Theme{}, l, st), "\n")
		marks := ""
		for y, line := range lines[:l.Height] {
			if y > 0 && y < l.Height-1 {
				if strings.ContainsAny(line, "‹›↑↓") {
					t.Errorf("a mark in a row of the board: %q", line)
				}
				continue
			}
			for _, r := range "↑↓" {
				before, behind, found := strings.Cut(line, string(r))
				if found && (strings.TrimRight(before, " ") == before && before != "" || behind != "" && behind[0] != ' ' && !strings.HasPrefix(behind, "‹")) {
					t.Errorf("%c stands beside a letter: %q", r, line)
				}
			}
			marks += line
		}
		col, row := at%26, at/26
		for _, want := range []struct {
			mark string
			more bool
		}{{"‹", col > 0}, {"›", col < 25}, {"↓", row > 0}, {"↑", row < 25}} {
			if strings.Contains(marks, want.mark) != want.more {
				t.Errorf("cursor at %d, %d: mark %s %v, want %v:\n%s", col, row, want.mark, !want.more, want.more, strings.Join(lines, "\n"))
			}
		}
	}
}

// TestCursorBesideAMark: where the columns of two cells touch, both pairs of signs are seen to be whole.
func TestCursorBesideAMark(t *testing.T) {
	s := start(t, "fourmation", games.Options{"cols": 16, "rows": 16}).play(t, "h8").scene()
	g := s.board.(*grid)
	for _, tt := range []struct {
		cursor       games.Move
		flip         bool
		ascii        bool
		want, unwant string
	}{
		{"i8", false, false, "(●│•]", "["},
		{"g8", false, false, "[•│●)", "("},
		{"i8", true, false, "[•│●)", "("},
		{"i8", false, true, "(X|*]", "["},
		{"h8", false, false, "[●]", "("},
		{"j8", false, false, "(●)•[·]", "│"},
		{"h9", false, false, "[•]", "│"},
	} {
		st := State{Selection: Selection{g.named(tt.cursor), Nowhere}, Yours: true, Flip: tt.flip}
		picture := drawn(s, &Theme{ASCII: tt.ascii}, s.Fit(37, 18, st), st)
		if !strings.Contains(picture, tt.want) || strings.Contains(picture, tt.unwant) {
			t.Errorf("cursor at %s: want %q and no %q:\n%s", tt.cursor, tt.want, tt.unwant, picture)
		}
	}
}

// TestDraftsCanBeReached: arrows lead from the start of a board that is being set up to all of its cells, and a click on the place of
// a cell chooses it, in each size.
func TestDraftsCanBeReached(t *testing.T) {
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			o, err := games.Complete(g, nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := g.New(o)
			if err != nil {
				t.Fatal(err)
			}
			e, editable := g.(games.Editable)
			if !editable {
				t.Skip("positions of this game can't be set up by hand")
			}
			d := e.Draft(p)
			s := NewDraft(p, d, e.Fields(o))
			seen := map[Spot]bool{}
			for next := []Spot{s.Start(games.First).Cursor}; len(next) > 0; next = next[1:] {
				if seen[next[0]] {
					continue
				}
				seen[next[0]] = true
				for _, to := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
					next = append(next, s.Step(Selection{next[0], Nowhere}, to[0], to[1], false).Cursor)
				}
			}
			if len(seen) != d.Cells() {
				t.Errorf("%d of %d cells can be reached", len(seen), d.Cells())
			}
			for _, size := range [][2]int{{173, 56}, {120, 40}, {58, 18}, {38, 15}} {
				for at := range Spot(d.Cells()) {
					st := State{Selection: Selection{at, Nowhere}, Yours: true}
					l := s.Fit(size[0], size[1], st)
					x, y := s.CursorCell(l, st)
					if got := s.Spot(l, st, x, y); got != at {
						t.Fatalf("%v: a click on cell %d chooses %d", size, at, got)
					}
				}
			}
		})
	}
}
