package gamestest

import (
	"slices"
	"testing"

	"ludoteca/games"
)

// Drafts takes the positions of a random game under each of some complete option sets apart and puts them together again, and
// changes copies of them at random: the text of a draft is a position that says the same, or is refused in words.
func Drafts(t *testing.T, g games.Editable, sets []games.Options) {
	t.Helper()
	for _, o := range sets {
		t.Run(o.String(), func(t *testing.T) {
			r := games.NewRandom(1)
			p, err := g.New(o)
			if err != nil {
				t.Fatal(err)
			}
			read := 0
			for ply := 0; ply < 60 && !p.Result().Over; ply++ {
				if got, want := g.Text(g.Draft(p)), p.String(); got != want {
					t.Fatalf("ply %d: the draft is %s, the position %s", ply, got, want)
				}
				if got := g.Text(g.Settle(g.Draft(p), -1)); got != p.String() {
					t.Fatalf("ply %d: settled, %s becomes %s", ply, p, got)
				}
				read += changeDraft(t, g, g.Draft(p), r)
				legal := p.Legal()
				if p, err = p.Play(legal[r.N(len(legal))]); err != nil {
					t.Fatal(err)
				}
			}
			if read == 0 {
				t.Error("no changed draft is a position")
			}
		})
	}
}

// changeDraft makes some changes, and returns after how many of them the draft was a position.
func changeDraft(t *testing.T, g games.Editable, d games.Draft, r *games.Random) (read int) {
	t.Helper()
	fields, letters := g.Fields(d.Options), "."+g.Pieces()
	for range 10 {
		switch at := r.N(d.Cells()); {
		case r.N(3) > 0:
			d = g.Settle(d.Put(at, letters[r.N(len(letters))]), at)
		case len(fields) == 0 || r.N(2) > 0: // two cells change places: that keeps what is counted
			other := r.N(d.Cells())
			a, b := d.At(at), d.At(other)
			d = g.Settle(d.Put(at, b).Put(other, a), -1)
		default:
			f := fields[r.N(len(fields))]
			d = g.Settle(d.Set(f.Key, f.Min+r.N(f.Max-f.Min+1)), -1)
		}
		p, err := g.Parse(g.Text(d))
		if err != nil {
			continue
		}
		read++
		again := g.Draft(p)
		if p.String() != g.Text(d) || !slices.Equal(again.Rows, d.Rows) {
			t.Fatalf("%s is read as %s", g.Text(d), p)
		}
		for _, f := range fields {
			if again.Fields[f.Key] != d.Fields[f.Key] {
				t.Fatalf("%s: %s is %d, read as %d", g.Text(d), f.Key, d.Fields[f.Key], again.Fields[f.Key])
			}
		}
	}
	return read
}
