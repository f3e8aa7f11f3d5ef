package openings

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
)

// naiveLines are the lines of openings by their keys, counted one by one.
func naiveLines(all map[Opening]Count) map[string]Replies {
	lines := map[string]Replies{}
	for o, c := range all {
		if c == (Count{}) {
			continue
		}
		start, line := string(o[:o.start()]), string(o[o.start():])
		moves := strings.Split(line, " ")
		for i, m := range moves {
			key := start + strings.Join(moves[:i], " ")
			if lines[key] == nil {
				lines[key] = Replies{}
			}
			lines[key][games.Move(m)] = lines[key][games.Move(m)].Plus(c, 1)
		}
	}
	return lines
}

// TestLines: the lines of openings come in the order of their keys and are counted as one by one, in one range or in many, and also after
// openings were added and taken back once they were in order.
func TestLines(t *testing.T) {
	words := []string{"a", "aa", "a!", "b1", "b10", "b1-c2", "z", "é"}
	random := func(r *rand.Rand) Opening {
		options := []string{"\x00\x00 \x00\xff  \x00", "\x00\x00 \x00\xff  \x01", "12345678"}[r.IntN(3)]
		moves := make([]games.Move, 1+r.IntN(15))
		for i := range moves {
			moves[i] = games.Move(words[r.IntN(1+r.IntN(len(words)))])
		}
		return NewOpening([]string{"go", "goban"}[r.IntN(2)]+"\x00"+options, moves)
	}
	for _, room := range []int{200, 2000, 20_000, 1 << 30} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(room), 1))
			all := map[Opening]Count{}
			for range 3000 {
				c := []Count{{First: 1}, {Draw: 1}, {Second: 1}}[r.IntN(3)]
				o := random(r)
				all[o] = all[o].Plus(c, 1)
			}
			late := map[Opening]int{}
			for i := range 200 {
				if late[random(r)]++; i%3 == 0 {
					for o, c := range all {
						if c.Draw > 0 && late[o] == 0 {
							late[o]--
							break
						}
					}
				}
			}
			got, keys, ranges := map[string]Replies{}, []string(nil), 0
			for after, more := "", true; more; ranges++ {
				l := New(after, room)
				for o, c := range all {
					l.Add(o, c, 1)
				}
				l.Sort()
				for o, n := range late {
					l.Add(o, Count{Draw: 1}, n)
				}
				for key, counts := range l.Lines(after) {
					got[key] = maps.Clone(counts)
					keys = append(keys, key)
					if again := l.Replies(key); !maps.Equal(again, counts) {
						t.Fatalf("%q has %v, and asked alone %v", key, counts, again)
					}
				}
				if len(keys) > 10 { // from any key on they are the same
					from := len(keys) - 1 - r.IntN(10)
					if keys[from] > after {
						rest := []string{}
						for key := range l.Lines(keys[from]) {
							rest = append(rest, key)
						}
						if !slices.Equal(rest, keys[from+1:]) {
							t.Fatalf("after %q there are %d lines, want %d", keys[from], len(rest), len(keys)-from-1)
						}
					}
				}
				after, more = l.To, l.To != ""
			}
			for o, n := range late {
				all[o] = all[o].Plus(Count{Draw: 1}, n)
			}
			want := naiveLines(all)
			if !slices.IsSorted(keys) || len(keys) != len(want) {
				t.Errorf("%d lines, sorted: %t, want %d", len(keys), slices.IsSorted(keys), len(want))
			}
			for key, counts := range want {
				if !maps.Equal(got[key], counts) {
					t.Fatalf("%q has %v, want %v", key, got[key], counts)
				}
			}
			if room < 20_000 && ranges < 3 || room > 1<<20 && ranges > 1 {
				t.Errorf("%d ranges", ranges)
			}
		})
	}
}
