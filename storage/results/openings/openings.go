// Package openings counts in memory how matches began: for each line of first moves, how often each next move was played, and how those matches ended.
package openings

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"ludoteca/games"
)

// A Count says how many matches there were, by their results.
type Count struct {
	First  int `json:"f,omitempty"`
	Draw   int `json:"d,omitempty"`
	Second int `json:"s,omitempty"`
}

// Matches returns how many matches there were.
func (c Count) Matches() int { return c.First + c.Draw + c.Second }

// Score returns the share of the points that a side got, from 0 to 1; 0 without matches.
func (c Count) Score(of games.Side) float64 {
	won := c.First
	if of == games.Second {
		won = c.Second
	}
	return (float64(won) + float64(c.Draw)/2) / float64(max(1, c.Matches()))
}

// Plus returns the count with d added a number of times.
func (c Count) Plus(d Count, times int) Count {
	return Count{c.First + times*d.First, c.Draw + times*d.Draw, c.Second + times*d.Second}
}

// Replies count the moves after a line.
type Replies map[games.Move]Count

// OptionsSize is the number of bytes of the fingerprint of options in a line.
const OptionsSize = 8

// An Opening is the first moves of a match, as a line is written: the game, a zero byte, a fingerprint of the options, and the moves apart by
// spaces. No byte of a move sorts before a space, so the openings that go through a line lie side by side when they are sorted, and the lines, each at the first opening that goes through it, are in the order of their keys.
type Opening string

// NewOpening returns the opening of a match, "" if it counts nowhere. start is the line without moves.
func NewOpening(start string, moves []games.Move) Opening {
	if len(moves) == 0 || slices.ContainsFunc(moves, notWord) {
		return ""
	}
	o := []byte(start)
	for i, m := range moves {
		if i > 0 {
			o = append(o, ' ')
		}
		o = append(o, m...)
	}
	return Opening(o)
}

// notWord reports whether a move can't be one of a line, which no game has.
func notWord(m games.Move) bool {
	return m == "" || strings.ContainsFunc(string(m), func(c rune) bool { return c <= ' ' })
}

// start returns the length of the line without moves.
func (o Opening) start() int { return strings.IndexByte(string(o), 0) + 1 + OptionsSize }

// through returns the move after a line if the opening goes through it. start is the length of the line without moves.
func (o Opening) through(line string, start int) (m games.Move, ok bool) {
	rest, ok := strings.CutPrefix(string(o), line)
	if ok && len(line) > start {
		rest, ok = strings.CutPrefix(rest, " ")
	}
	if !ok || rest == "" {
		return "", false
	}
	word, _, _ := strings.Cut(rest, " ")
	return games.Move(word), true
}

// lines yields the lines of the opening, the shortest first, and for each the opening that ends with the move after it.
func (o Opening) lines() iter.Seq2[string, Opening] {
	return func(yield func(string, Opening) bool) {
		for from, to := 0, o.start(); to < len(o); {
			from = to
			if n := strings.IndexByte(string(o[from+1:]), ' '); n >= 0 {
				to = from + 1 + n
			} else {
				to = len(o)
			}
			if !yield(string(o[:from]), o[:to]) {
				return
			}
		}
	}
}

// Counts count the lines of a range of keys in memory. They hold each different opening once, with how its matches ended: what a line has
// follows from the openings that go through it. So a match takes some 150 bytes, whatever the number of its lines.
//
// Where the openings take more room than there is, the range becomes shorter: the upper half of the openings is left for another count of all
// records. An opening beyond the range is cut after the move that leads out of it, so it counts in the lines of the range that it goes through.
type Counts struct {
	After  string // the range begins after this key
	To     string // and ends with this one; "": with the last of all
	room   int    // for openings, in bytes
	size   int    // of the openings, about
	ended  map[Opening]Count
	sorted []Opening // all of ended, once they are in order
}

// openingSize is how much an opening takes besides its text, about.
const openingSize = 80

// New returns counts of the lines after a key, with room for openings, in bytes.
func New(after string, room int) *Counts {
	return &Counts{After: after, room: room, ended: map[Opening]Count{}}
}

// Add counts an opening a number of times: 1, or -1 to take it back.
func (l *Counts) Add(o Opening, c Count, times int) {
	if o = l.cut(o); o == "" {
		return
	}
	was, known := l.ended[o]
	l.ended[o] = was.Plus(c, times)
	switch {
	case known:
	case l.sorted != nil:
		i, _ := slices.BinarySearch(l.sorted, o)
		l.sorted = slices.Insert(l.sorted, i, o)
	default:
		if l.size += len(o) + openingSize; l.size > l.room {
			l.shrink()
		}
	}
}

// cut returns an opening as it is counted: only up to the first move beyond the range, "" if no line of it is in the range.
func (l *Counts) cut(o Opening) Opening {
	if string(o) <= l.After { // and so are its lines
		return ""
	}
	if l.To == "" || string(o) <= l.To {
		return o
	}
	short := Opening("")
	for line, next := range o.lines() {
		if line > l.To {
			break
		}
		short = next
	}
	return short
}

// shrink leaves the upper half of the openings out of the range.
func (l *Counts) shrink() {
	all := slices.Sorted(maps.Keys(l.ended))
	if l.To != "" {
		i, _ := slices.BinarySearch(all, Opening(l.To)+"\x00")
		all = all[:i] // without those that are cut
	}
	if len(all) < 2 {
		l.room *= 2 // the range can't be shorter: what it has is a few moves after one line
		return
	}
	l.To = string(all[len(all)/2-1])
	cut := map[Opening]Count{}
	l.size = 0
	maps.DeleteFunc(l.ended, func(o Opening, c Count) bool {
		short := l.cut(o)
		if short != o {
			cut[short] = cut[short].Plus(c, 1)
			return true
		}
		l.size += len(o) + openingSize
		return false
	})
	delete(cut, "")
	for o, c := range cut {
		if _, known := l.ended[o]; !known {
			l.size += len(o) + openingSize
		}
		l.ended[o] = l.ended[o].Plus(c, 1)
	}
}

// Sort puts the openings in order. What is added later is put in its place.
func (l *Counts) Sort() {
	l.sorted = slices.AppendSeq(make([]Opening, 0, len(l.ended)), maps.Keys(l.ended))
	slices.Sort(l.sorted)
}

// Lines yields the lines of the range that come after a key, in the order of their keys, with their replies, which are valid until the next line.
func (l *Counts) Lines(after string) iter.Seq2[string, Replies] {
	return func(yield func(string, Replies) bool) {
		all := Replies{}
		i, found := slices.BinarySearch(l.sorted, Opening(after)) // the lines of an opening come before it
		if found {
			i++
		}
		for ; i < len(l.sorted); i++ {
			o := l.sorted[i]
			start := o.start()
			for line := range o.lines() {
				if line <= after {
					continue
				}
				if i > 0 {
					if _, ok := l.sorted[i-1].through(line, start); ok {
						continue // it has been
					}
				}
				if l.read(line, i, all); len(all) > 0 && !yield(line, all) {
					return
				}
			}
		}
	}
}

// Replies returns what a line has.
func (l *Counts) Replies(line string) Replies {
	all := Replies{}
	i, found := slices.BinarySearch(l.sorted, Opening(line))
	if found {
		i++
	}
	l.read(line, i, all)
	return all
}

// read sets all to what a line has, of which i is the place of the first opening that goes through it.
func (l *Counts) read(line string, i int, all Replies) {
	clear(all)
	for start := Opening(line).start(); i < len(l.sorted); i++ {
		m, ok := l.sorted[i].through(line, start)
		if !ok {
			return
		}
		if c := l.ended[l.sorted[i]]; c != (Count{}) {
			all[m] = all[m].Plus(c, 1)
		}
	}
}
