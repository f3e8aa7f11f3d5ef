package results

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/results/openings"
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

// optionsSum returns a fingerprint of options.
func optionsSum(o games.Options) string {
	sum := sha256.Sum256([]byte(o.String()))
	return string(sum[:openings.OptionsSize])
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
type OpeningCount = openings.Count

// replies count the moves after a line.
type replies = openings.Replies

// Openings are the counts of the moves after each line.
var Openings = storage.Table[openingKey, replies]{
	Name: "openings", Values: storage.JSON[openingKey, replies](1), Traits: storage.Traits{From: []string{"finished"}, Anew: true},
	Keys: storage.KeyForm[openingKey]{
		Add: func(b []byte, k openingKey) []byte {
			return append(append(append(append(b, k.game...), 0), k.options...), k.line...)
		},
		Parse: func(b []byte) (k openingKey, ok bool) {
			game, rest, ok := bytes.Cut(b, []byte{0})
			if !ok || len(rest) < openings.OptionsSize {
				return k, false
			}
			return openingKey{string(game), string(rest[:openings.OptionsSize]), string(rest[openings.OptionsSize:])}, true
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

// openingChanges are what is added to openings, or taken back.
type openingChanges map[openingKey]replies

// add adds the opening of a match, if its result is rated, and returns how many lines that concerns. f is a whole record.
func (c openingChanges) add(f Finished, number uint64) (lines int) {
	options := optionsSum(f.Options)
	if number == 0 || f.Start > 0 || f.From != "" || openingOfMoves(f.Game, options, f.Moves) == "" {
		return 0
	}
	for i, m := range f.Moves[:min(len(f.Moves), OpeningPlies)] {
		k := keyOf(f.Game, options, f.Moves[:i])
		if c[k] == nil {
			c[k] = replies{}
		}
		c[k][m] = c[k][m].Plus(endings[f.Result], 1)
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
			c := now[m].Plus(by, sign)
			now[m] = OpeningCount{First: max(c.First, 0), Draw: max(c.Draw, 0), Second: max(c.Second, 0)} // below 0 only in a line that a recount has yet to mend
			if now[m] == (OpeningCount{}) {
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
	marker, _, err := OpeningsIndex.Find(tx)
	if err != nil || !presentRules(marker) {
		return err // where they aren't counted yet, the match is counted with all others
	}
	return all.apply(tx, 1)
}

// mostRecounted is of how many matches one transaction takes the openings back. For more, all openings are counted anew.
const mostRecounted = 50

// RecountOpenings takes the openings of rated matches back because their results don't count any more, or adds them again if count is true. It is
// called with the change of the marks. Where there are many matches, RatedAs counts all openings anew after the transaction.
func RecountOpenings(tx kv.Tx, ids []storage.MatchID, count bool) error {
	marker, _, err := OpeningsIndex.Find(tx)
	if err != nil || !presentRules(marker) {
		return err // the marks are seen when the openings are counted
	}
	if len(ids) > mostRecounted {
		_, err := outdate(tx)
		return err
	}
	sign := -1
	if count {
		sign = 1
	}
	changed := openingChanges{}
	for _, id := range ids {
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

// OpeningsBuild makes the openings anew if they aren't of the present version, and goes on where a recount was interrupted.
func OpeningsBuild() storage.Index {
	return storage.Index{
		What: "openings", Table: Openings, Marker: OpeningsIndex, Version: fmt.Sprint(OpeningRules),
		Mend: func(ctx context.Context, engine kv.Store, report func(of string, n int)) error {
			_, err := MendOpenings(ctx, engine, openingsRoom, func(records int) { report("records", records) })
			return err
		},
	}
}

// unlessDamaged returns an error unless it wraps storage.ErrDamaged.
func unlessDamaged(err error) error {
	if errors.Is(err, storage.ErrDamaged) {
		return nil
	}
	return err
}

// finishOpenings counts all openings anew if RecountOpenings has left that to be done.
func (s *Store) finishOpenings(ctx context.Context) error {
	return s.alone(ctx, func() error { return OpeningsBuild().Build(ctx, s.engine, nil) })
}

// mendOpenings counts all openings anew, and returns how many lines of moves had wrong counts.
func (s *Store) mendOpenings(ctx context.Context) (mended int, err error) {
	return mended, s.alone(ctx, func() error {
		x := OpeningsBuild()
		x.Mend = func(ctx context.Context, engine kv.Store, _ func(string, int)) (err error) {
			mended, err = MendOpenings(ctx, engine, openingsRoom, func(int) {})
			return err
		}
		return x.Rebuild(ctx, s.engine, nil)
	})
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
		op.Here = op.Here.Plus(c, 1)
	}
	slices.SortFunc(op.Next, func(a, b OpeningMove) int {
		return cmp.Or(cmp.Compare(b.Matches(), a.Matches()), strings.Compare(string(a.Move), string(b.Move)))
	})
	return op
}

// # Openings counted anew
//
// A recount counts the openings of all records in memory, compares them with the stored lines, and writes only what differs. Matches go on
// meanwhile, and operators set marks, at this node and at others. Why the stored lines are right in the end:
//
//   - What is counted is always the openings of the results up to a number, without the openings of some marked matches. Results are numbered in the order
//     of their transactions, and neither a result nor what a record says of its opening changes. So it doesn't matter at which moment a record
//     is read, and catchUp brings the counts to what is true in a snapshot by the results after that number and by the marks that differ.
//   - Lines are compared, and written, only with counts that are true in the snapshot of the same transaction. As the transaction reads the end of
//     the results and all marks, it doesn't commit if another one has changed them meanwhile.
//   - A line that is right stays so: the transaction of each match that ends adds to its lines, and the one that changes up to mostRecounted marks takes
//     them back or adds them. One that changes more of them doesn't touch the lines, but puts a new marker. At the end of a recount the marker has to be
//     the one with which it began, else the lines are gone through again.
//
// While lines may be wrong the marker says so, from the first of them that is written on: a store that is opened then goes on, which is to count all
// records again and to write the lines that are still wrong.

// A recount is one count of the openings of all records.
type recount struct {
	engine kv.Store
	room   int // see openings.Counts
	report func(records int)

	marker []byte // of the index, with which the comparison began
	lines  *openings.Counts
	last   uint64                   // number of the last result whose opening is counted
	marked map[storage.MatchID]bool // matches whose openings are not
	read   int                      // records
	wrong  []string                 // lines that are to be written
	size   int                      // of their keys and values, about
	mended int                      // lines that were written
}

// What one transaction of a recount does at most, but for its last line or match.
const (
	recountLines   = 2000      // lines that it compares or writes
	recountBytes   = 512 << 10 // that it writes: a third of what etcd takes in one request
	recountMatches = 200       // matches that one which writes catches up with
)

// errBehind says that a transaction would have to catch up with more matches than it may.
var errBehind = errors.New("many results are new")

// errOtherRules says that the lines are of other rules, or were removed.
var errOtherRules = errors.New("the openings are made by other rules")

// MendOpenings compares the lines of all openings with the records and writes what is wrong. It returns how many lines that was. room is how
// much memory it takes for openings, about, in bytes; where they take more it reads the records several times. It calls report with how many it has read.
func MendOpenings(ctx context.Context, engine kv.Store, room int, report func(records int)) (mended int, err error) {
	for range replayTries {
		r := recount{engine: engine, room: room, report: report}
		done, err := r.run(ctx)
		mended += r.mended
		if errors.Is(err, errOtherRules) {
			return mended, nil // a program of another version makes the openings anew
		}
		if done || err != nil {
			return mended, err
		}
	}
	return mended, errOtherResults
}

// run goes through all lines, and reports whether they are right now.
func (r *recount) run(ctx context.Context) (done bool, err error) {
	if err := r.engine.View(ctx, func(reader kv.Reader) (err error) {
		r.marker, _, err = OpeningsIndex.Find(reader)
		return err
	}); err != nil {
		return false, err
	}
	if !presentRules(r.marker) {
		return false, errOtherRules
	}
	for after, more := "", true; more; after, more = r.lines.To, r.lines.To != "" {
		if err := r.count(ctx, after); err != nil {
			return false, err
		}
		if err := r.compare(ctx); err != nil {
			return false, err
		}
	}
	return r.finish(ctx)
}

// presentRules reports whether the marker of the index says that the lines are of the present rules, so that each match is added to them.
func presentRules(marker []byte) bool {
	x := OpeningsBuild()
	return x.Complete(marker) || x.Filling(marker)
}

// count counts the openings of all records in the lines after a key, or in as many of these as there is room for.
func (r *recount) count(ctx context.Context, after string) error {
	r.lines = openings.New(after, r.room)
	if err := r.engine.View(ctx, func(reader kv.Reader) (err error) {
		r.marked = map[storage.MatchID]bool{}
		if err := eachMark(reader, func(id storage.MatchID) { r.marked[id] = true }); err != nil {
			return err
		}
		r.last, err = storage.LastNumber(reader, Results)
		return err
	}); err != nil {
		return err
	}
	for g := Records.All().Range; g.From != nil; {
		if err := r.engine.View(ctx, func(reader kv.Reader) (err error) {
			g.From, err = r.countNext(reader, g)
			return err
		}); err != nil {
			return err
		}
		r.report(r.read)
	}
	r.lines.Sort()
	return nil
}

// countNext counts the next ReplayStep records, and returns the key from which to go on, nil after the last. A record that can't be read counts nowhere.
func (r *recount) countNext(reader kv.Reader, g kv.Range) (from []byte, err error) {
	n := 0
	for p, err := range reader.Scan(g) {
		if err != nil {
			return nil, err
		}
		if n++; n > ReplayStep {
			return bytes.Clone(p.Key), nil
		}
		r.read++
		b, err := readBeginning(p.Value)
		if err := unlessDamaged(err); err != nil {
			return nil, err
		}
		if b.number == 0 || b.number > r.last {
			continue
		}
		if id, ok := Records.Parse(p.Key); ok && !r.marked[id] {
			r.lines.Add(b.opening, b.ended, 1)
		}
	}
	return nil, nil
}

// eachMark calls each with the matches whose results don't count.
func eachMark(reader kv.Reader, each func(storage.MatchID)) error {
	for p, err := range reader.Scan(UnratedMarks.All().Range) {
		if err != nil {
			return err
		}
		if id, ok := UnratedMarks.Parse(p.Key); ok {
			each(id)
		}
	}
	return nil
}

// catchUp counts what is new in a snapshot, but no more than some matches, and reports whether there may be more. What it has read is counted whatever
// becomes of the transaction: it is durable already.
func (r *recount) catchUp(reader kv.Reader, most int) (more bool, err error) {
	now := map[storage.MatchID]bool{}
	if err := eachMark(reader, func(id storage.MatchID) { now[id] = true }); err != nil {
		return false, err
	}
	var changed []storage.MatchID // matches whose marks were set or removed
	for id := range now {
		if !r.marked[id] {
			changed = append(changed, id)
		}
	}
	for id := range r.marked {
		if !now[id] {
			changed = append(changed, id)
		}
	}
	if len(changed) > most {
		changed, more = changed[:most], true
	}
	all, err := beginnings(reader, changed)
	if err != nil {
		return false, err
	}
	for i, id := range changed {
		times := 1
		if now[id] {
			times, r.marked[id] = -1, true
		} else {
			delete(r.marked, id)
		}
		if all[i].number > 0 && all[i].number <= r.last {
			r.lines.Add(all[i].opening, all[i].ended, times)
		}
	}
	if more {
		return true, nil
	}
	last := r.last
	var ended []storage.MatchID
	for e, err := range Results.All().StartingAt(r.last + 1).Scan(reader) {
		if err != nil {
			return false, err
		}
		if more = len(changed)+len(ended) == most; more {
			break
		}
		last = e.Key
		ended = append(ended, e.Value.Match)
	}
	if all, err = beginnings(reader, ended); err != nil {
		return false, err
	}
	for i, id := range ended {
		if !r.marked[id] {
			r.lines.Add(all[i].opening, all[i].ended, 1)
		}
	}
	r.last = last
	return more, nil
}

// beginnings returns what the records of matches say of their openings, nothing of a record that can't be read.
func beginnings(reader kv.Reader, ids []storage.MatchID) ([]beginning, error) {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = Records.Key(id)
	}
	values, err := reader.GetAll(keys)
	if err != nil {
		return nil, err
	}
	all := make([]beginning, len(ids))
	for i, value := range values {
		if value == nil {
			continue
		}
		if all[i], err = readBeginning(value); unlessDamaged(err) != nil {
			return nil, err
		}
	}
	return all, nil
}

// catchUpAll counts what is new, in short steps.
func (r *recount) catchUpAll(ctx context.Context) error {
	for more := true; more; {
		if err := r.engine.View(ctx, func(reader kv.Reader) (err error) {
			more, err = r.catchUp(reader, ReplayStep)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// compare compares the stored lines with those that were counted, and writes what is wrong.
func (r *recount) compare(ctx context.Context) error {
	for place, done := r.lines.After, false; !done; {
		if err := r.engine.View(ctx, func(reader kv.Reader) error {
			more, err := r.catchUp(reader, ReplayStep)
			if err == nil && !more {
				place, done, err = r.compareNext(reader, place)
			}
			return err
		}); err != nil {
			return err
		}
		for len(r.wrong) >= recountLines || r.size >= recountBytes || done && len(r.wrong) > 0 {
			if err := r.write(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareNext compares the next lines after a key. It returns the key up to which it has come, and reports whether that is the end of the range.
func (r *recount) compareNext(reader kv.Reader, after string) (to string, done bool, err error) {
	prefix := Openings.Prefix()
	g := Openings.All().Range
	if after != "" {
		g.From = append(append(bytes.Clone(prefix), after...), 0)
	}
	var stored []kv.Pair
	to, done = r.lines.To, true
	for p, err := range reader.Scan(g) {
		if err != nil {
			return "", false, err
		}
		if p.Key = p.Key[len(prefix):]; r.lines.To != "" && string(p.Key) > r.lines.To {
			break
		}
		if stored = append(stored, p); len(stored) == recountLines {
			to, done = string(p.Key), false
			break
		}
	}
	n := 0
	for line, all := range r.lines.Lines(after) {
		if to != "" && line > to {
			break
		}
		for len(stored) > 0 && string(stored[0].Key) < line {
			r.differs(string(stored[0].Key), nil)
			stored = stored[1:]
		}
		value, err := Openings.Values.Encode(all)
		if err != nil {
			return "", false, err
		}
		is := len(stored) > 0 && string(stored[0].Key) == line
		if !is || !bytes.Equal(stored[0].Value, value) {
			r.differs(line, value)
		}
		if is {
			stored = stored[1:]
		}
		if n++; n == recountLines {
			return line, false, nil
		}
	}
	for _, p := range stored {
		r.differs(string(p.Key), nil)
	}
	return to, done, nil
}

// differs leaves a line to be written, which is value now.
func (r *recount) differs(line string, value []byte) {
	r.wrong = append(r.wrong, line)
	r.size += len(line) + len(value)
}

// write writes the first of the lines that are wrong, all of them if they fit into one transaction.
func (r *recount) write(ctx context.Context) error {
	for range replayTries {
		var n int
		var marker []byte
		err := r.engine.Update(ctx, func(tx kv.Tx) (err error) {
			if marker, err = r.mark(tx); err != nil {
				return err
			}
			more, err := r.catchUp(tx, recountMatches)
			if err != nil {
				return err
			}
			if more {
				return errBehind
			}
			n, err = r.put(tx)
			return err
		})
		if err == nil {
			r.marker, r.mended = marker, r.mended+n
			r.size -= r.size / len(r.wrong) * n
			r.wrong = r.wrong[n:]
			return nil
		}
		if !errors.Is(err, errBehind) {
			return err
		}
		if err := r.catchUpAll(ctx); err != nil {
			return err
		}
	}
	return errBehind
}

// mark has the marker say that lines may be wrong, and returns the one that has to be there at the end.
func (r *recount) mark(tx kv.Tx) (marker []byte, err error) {
	now, _, err := OpeningsIndex.Find(tx)
	switch {
	case err != nil:
		return nil, err
	case !presentRules(now):
		return nil, errOtherRules
	case OpeningsBuild().Complete(now):
		return outdate(tx)
	}
	return r.marker, nil // another one was put if many marks have changed: the lines are gone through again then
}

// outdate puts a marker of lines that may be wrong, which no transaction has put before, and returns it.
func outdate(tx kv.Tx) (marker []byte, err error) {
	marker = OpeningsBuild().FillingMarker(storage.AppendSeq(nil, uint64(tx.Revision())))
	return marker, OpeningsIndex.Put(tx, marker)
}

// put puts the first of the lines that are wrong, and returns how many.
func (r *recount) put(tx kv.Tx) (n int, err error) {
	prefix := Openings.Prefix()
	for size := 0; n < min(len(r.wrong), recountLines) && size < recountBytes; n++ {
		key := append(bytes.Clone(prefix), r.wrong[n]...)
		size += len(key)
		all := r.lines.Replies(r.wrong[n])
		if len(all) == 0 {
			tx.Delete(key)
			continue
		}
		value, err := Openings.Values.Encode(all)
		if err != nil {
			return 0, err
		}
		tx.Put(key, value)
		size += len(value)
	}
	return n, nil
}

// finish has the marker say that all lines are right, and reports whether they are. They may not be if another marker was put meanwhile.
func (r *recount) finish(ctx context.Context) (done bool, err error) {
	check := func(reader kv.Reader) (ours bool, err error) {
		now, _, err := OpeningsIndex.Find(reader)
		done = !OpeningsBuild().Filling(now)
		return !done && bytes.Equal(now, r.marker), err
	}
	ours := false
	if err := r.engine.View(ctx, func(reader kv.Reader) (err error) { ours, err = check(reader); return err }); err != nil || !ours {
		return done, err
	}
	err = r.engine.Update(ctx, func(tx kv.Tx) error {
		ours, err := check(tx)
		if err != nil || !ours {
			return err
		}
		done = true
		return OpeningsIndex.Put(tx, []byte(OpeningsBuild().Version))
	})
	return done, err
}

// openingsRoom is how much memory the openings take, about: the openings of a million matches, none of which is like another. The garbage collector lets
// the memory of the program grow to twice that.
const openingsRoom = 192 << 20

// openingOfMoves returns the opening of a match, "" if it counts nowhere.
func openingOfMoves(game, options string, moves []games.Move) openings.Opening {
	return openings.NewOpening(string(Openings.Keys.Add(nil, openingKey{game: game, options: options})), moves[:min(len(moves), OpeningPlies)])
}

// A beginning is what a record says of its opening.
type beginning struct {
	number  uint64 // of the rated result; 0 if there is none
	opening openings.Opening
	ended   OpeningCount
}

// beginningJSON is what matters to the opening of the head of a record.
type beginningJSON struct {
	Game    string        `json:"g"`
	Options games.Options `json:"o"`
	Result  string        `json:"r"`
	Number  uint64        `json:"q"`
	Start   int           `json:"a"`
	Clock   string        `json:"k"`
	From    string        `json:"x"`
}

// readBeginning reads the beginning of a record. It reads no more than the first moves, and so is several times as fast as reading the record. The
// error is ErrDamaged if that can't be read.
func readBeginning(value []byte) (b beginning, err error) {
	content, err := storage.Unseal(value, RecordVersion)
	if err != nil {
		return b, err
	}
	r := &storage.Reader{Rest: content}
	var j beginningJSON
	if err := json.Unmarshal(r.Text(), &j); err != nil {
		return b, storage.Damaged("the head of a record: %v", err)
	}
	if b.number = j.Number; j.Number == 0 || j.Start > 0 || j.From != "" {
		return b, nil
	}
	moves := make([]games.Move, 0, OpeningPlies)
	for range min(r.Uvarint(), OpeningPlies) {
		moves = append(moves, games.Move(r.Text()))
		r.Varint()
		if j.Clock != "" {
			r.Uvarint()
		}
	}
	if r.Bad {
		return b, storage.Damaged("the moves of a record")
	}
	b.opening, b.ended = openingOfMoves(j.Game, optionsSum(j.Options), moves), endings[j.Result]
	return b, nil
}

// endings are one match, by its result.
var endings = map[string]OpeningCount{"first": {First: 1}, "draw": {Draw: 1}, "second": {Second: 1}}
