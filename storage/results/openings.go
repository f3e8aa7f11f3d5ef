package results

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// Openings count how rated matches began: for each line of first moves, how often each next move was played, and how those matches ended. A
// line is the moves in the order in which they were made; the same position by another order of moves is another line. So openings follow from the
// records alone, without the rules of any game, and the lines of a match lie side by side in the store: their entries share pages.

// OpeningPlies is how many first moves of a match are counted. A match adds an entry of some fifty bytes for each at most.
const OpeningPlies = 12

// OpeningRules is the version of what counts. Open makes the openings anew where they are of another one.
const OpeningRules = 1

// An openingKey names a line of moves from the start of a game under some options.
type openingKey struct {
	game    string
	options string // see optionsSum
	line    string // moves apart by spaces
}

// optionsSize is the number of bytes of optionsSum.
const optionsSize = 8

// optionsSum returns a fingerprint of options.
func optionsSum(o games.Options) string {
	sum := sha256.Sum256([]byte(o.String()))
	return string(sum[:optionsSize])
}

// keyOf returns the key of a line.
func keyOf(game, options string, moves []games.Move) openingKey {
	words := make([]string, len(moves))
	for i, m := range moves {
		words[i] = string(m)
	}
	return openingKey{game, options, strings.Join(words, " ")}
}

// An OpeningCount says how many matches there were, by their results.
type OpeningCount struct {
	First  int `json:"f,omitempty"`
	Draw   int `json:"d,omitempty"`
	Second int `json:"s,omitempty"`
}

// Matches returns how many matches there were.
func (c OpeningCount) Matches() int { return c.First + c.Draw + c.Second }

// Score returns the share of the points that a side got, from 0 to 1; 0 without matches.
func (c OpeningCount) Score(of games.Side) float64 {
	won := c.First
	if of == games.Second {
		won = c.Second
	}
	return (float64(won) + float64(c.Draw)/2) / float64(max(1, c.Matches()))
}

// plus returns the count with d added a number of times.
func (c OpeningCount) plus(d OpeningCount, times int) OpeningCount {
	return OpeningCount{c.First + times*d.First, c.Draw + times*d.Draw, c.Second + times*d.Second}
}

// replies count the moves after a line.
type replies map[games.Move]OpeningCount

// Openings are the counts of the moves after each line.
var Openings = storage.Table[openingKey, replies]{
	Name: "openings", Values: storage.JSON[openingKey, replies](1), Traits: storage.Traits{From: []string{"finished"}, Anew: true},
	Keys: storage.KeyForm[openingKey]{
		Add: func(b []byte, k openingKey) []byte {
			return append(append(append(append(b, k.game...), 0), k.options...), k.line...)
		},
		Parse: func(b []byte) (k openingKey, ok bool) {
			game, rest, ok := bytes.Cut(b, []byte{0})
			if !ok || len(rest) < optionsSize {
				return k, false
			}
			return openingKey{string(game), string(rest[:optionsSize]), string(rest[optionsSize:])}, true
		},
		Valid: func(k openingKey) bool { return k.game != "" && !strings.ContainsRune(k.line, 0) },
		Shown: func(k openingKey) string { return fmt.Sprintf("%s %x %s", k.game, k.options, k.line) },
	},
	Check: func(_ openingKey, all replies) error {
		for m, c := range all {
			if min(c.First, c.Draw, c.Second) < 0 || c.Matches() == 0 || m == "" {
				return storage.Damaged("%+v matches with the move %q", c, m)
			}
		}
		if len(all) == 0 {
			return storage.Damaged("a line without moves")
		}
		return nil
	},
}

// OpeningsIndex is the marker of the index of openings.
var OpeningsIndex = storage.Cell[[]byte]{Name: "openings", Values: storage.RawBytes(func([]byte) bool { return true })}

// outdated is a marker of no version: it has the openings made anew.
const outdated = "0"

// openingChanges are what is added to openings, or taken back.
type openingChanges map[openingKey]replies

// add adds the opening of a match, if its result is rated, and returns how many lines that concerns. f is a whole record.
func (c openingChanges) add(f Finished, number uint64) (lines int) {
	if number == 0 || f.Start > 0 || f.From != "" {
		return 0
	}
	one := map[string]OpeningCount{"first": {First: 1}, "draw": {Draw: 1}, "second": {Second: 1}}[f.Result]
	options := optionsSum(f.Options)
	for i, m := range f.Moves[:min(len(f.Moves), OpeningPlies)] {
		k := keyOf(f.Game, options, f.Moves[:i])
		if c[k] == nil {
			c[k] = replies{}
		}
		c[k][m] = c[k][m].plus(one, 1)
		lines++
	}
	return lines
}

// apply adds the changes to the openings, or takes them back with a sign of -1.
func (c openingChanges) apply(tx kv.Tx, sign int) error {
	keys := slices.SortedFunc(maps.Keys(c), func(a, b openingKey) int {
		return cmp.Or(cmp.Compare(a.game, b.game), cmp.Compare(a.options, b.options), cmp.Compare(a.line, b.line))
	})
	all, _, err := Openings.FindAll(tx, keys)
	if err != nil {
		return err
	}
	for i, k := range keys {
		now := all[i]
		if now == nil {
			now = replies{}
		}
		for m, by := range c[k] {
			if now[m] = now[m].plus(by, sign); now[m] == (OpeningCount{}) {
				delete(now, m)
			}
		}
		if len(now) == 0 {
			Openings.Delete(tx, k)
		} else if err := Openings.Put(tx, k, now); err != nil {
			return err
		}
	}
	return nil
}

// addOpenings counts the opening of a rated match that ends. f is a whole record, number that of its result.
func addOpenings(tx kv.Tx, f Finished, number uint64) error {
	all := openingChanges{}
	if all.add(f, number) == 0 {
		return nil
	}
	now, err := storage.Indexed(tx, OpeningsIndex, Records.Key(f.ID))
	if err != nil || !now {
		return err
	}
	return all.apply(tx, 1)
}

// mostRecounted is of how many matches one transaction takes the openings back. For more, all openings are made anew in steps.
const mostRecounted = 50

// RecountOpenings takes the openings of rated matches back because their results don't count any more, or adds them again if count is true. It is
// called with the change of the marks. Where there are many matches, RatedAs makes all openings anew after the transaction.
func RecountOpenings(tx kv.Tx, ids []storage.MatchID, count bool) error {
	if len(ids) > mostRecounted {
		return OpeningsIndex.Put(tx, []byte(outdated))
	}
	sign := -1
	if count {
		sign = 1
	}
	changed := openingChanges{}
	for _, id := range ids {
		now, err := storage.Indexed(tx, OpeningsIndex, Records.Key(id))
		if err != nil {
			return err
		}
		if !now {
			continue // the index has yet to come to the match, and sees the new mark then
		}
		f, err := Records.Get(tx, id)
		if errors.Is(err, storage.ErrDamaged) {
			continue // it has never counted
		}
		if err != nil {
			return err
		}
		changed.add(f.Finished, f.Number)
	}
	return changed.apply(tx, sign)
}

// OpeningsBuild makes the openings anew if they aren't of the present version.
func OpeningsBuild() storage.Index {
	return storage.Index{
		What: "openings", Table: Openings, Marker: OpeningsIndex, Version: fmt.Sprint(OpeningRules), Step: countAllOpenings,
	}
}

// countAllOpenings counts the openings of the next records. A record that can't be read counts nowhere.
func countAllOpenings(tx kv.Tx, after []byte) (last []byte, err error) {
	all := openingChanges{}
	last, err = storage.Step(tx, []kv.Range{Records.All().Range}, after, func(p kv.Pair) (int, error) {
		head, err := RecordHeads.Entry(p.Key, p.Value)
		if err != nil || head.Value.Number == 0 {
			return 0, unlessDamaged(err)
		}
		marked, err := UnratedMarks.Has(tx, head.Key)
		if err != nil || marked {
			return 1, err
		}
		whole, err := Records.Entry(p.Key, p.Value)
		if err != nil {
			return 1, unlessDamaged(err)
		}
		return 1 + all.add(whole.Value.Finished, whole.Value.Number), nil
	})
	if err != nil {
		return nil, err
	}
	return last, all.apply(tx, 1)
}

// unlessDamaged returns an error unless it wraps storage.ErrDamaged.
func unlessDamaged(err error) error {
	if errors.Is(err, storage.ErrDamaged) {
		return nil
	}
	return err
}

// mendOpenings makes the openings anew if RecountOpenings has left that to be done.
func (s *Store) mendOpenings(ctx context.Context) error {
	return OpeningsBuild().Build(ctx, s.engine, nil)
}

// recountOpenings makes the openings anew, in short steps. A call that is cut off is gone on with when the store is opened.
func (s *Store) recountOpenings(ctx context.Context) error {
	err := s.engine.Update(ctx, func(tx kv.Tx) error { return OpeningsIndex.Put(tx, []byte(outdated)) })
	if err != nil {
		return err
	}
	return s.mendOpenings(ctx)
}

// An Opening says how the rated matches went on that began with the same moves.
type Opening struct {
	Here OpeningCount  // matches that came here; of the start of the game, those in which a move was made
	Next []OpeningMove // the moves that were played, by how many matches
}

// An OpeningMove is a move, and the matches in which it was played.
type OpeningMove struct {
	Move games.Move
	OpeningCount
}

// Openings returns how the rated matches of a game under complete options went on: from the start, and after each of some moves, up to
// OpeningPlies of them. It costs one read, whatever the number of matches.
func (s *Store) Openings(ctx context.Context, game string, o games.Options, moves []games.Move) ([]Opening, error) {
	return storage.View(ctx, s.engine, "openings", func(r kv.Reader) ([]Opening, error) {
		if err := storage.CheckKeys(game); err != nil {
			return nil, err
		}
		options, moves := optionsSum(o), moves[:min(len(moves), OpeningPlies)]
		keys := make([]openingKey, len(moves)+1)
		for n := range keys {
			keys[n] = keyOf(game, options, moves[:n])
		}
		counts, _, err := Openings.FindAll(r, keys)
		if err != nil {
			return nil, err
		}
		all := make([]Opening, len(keys))
		for n := range all {
			if all[n] = openingOf(counts[n]); n > 0 {
				all[n].Here = counts[n-1][moves[n-1]]
			}
		}
		return all, nil
	})
}

// openingOf returns the opening that has some replies. Here counts the matches in which one of them was played.
func openingOf(all replies) (op Opening) {
	for m, c := range all {
		op.Next = append(op.Next, OpeningMove{m, c})
		op.Here = op.Here.plus(c, 1)
	}
	slices.SortFunc(op.Next, func(a, b OpeningMove) int {
		return cmp.Or(cmp.Compare(b.Matches(), a.Matches()), strings.Compare(string(a.Move), string(b.Move)))
	})
	return op
}
