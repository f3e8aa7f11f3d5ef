package results

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A RecomputeReport says what Recompute found.
type RecomputeReport struct {
	Results  int          // rated matches
	Ratings  int          // players' ratings that follow from them
	Matches  int          // matches whose rating changes were stored wrong; they are right now
	Recent   int          // players, and games, of which what the weights of the next matches depend on was stored wrong; it is right now
	Openings int          `json:",omitzero"` // lines of first moves whose counts were stored wrong; they are right now
	Differed []Difference // ratings that were stored wrong, by game and player; they are right now
}

// A Difference is a rating that was not what the results say.
type Difference struct {
	Game     string
	Player   storage.PlayerID
	Stored   Rating // zero if it was missing
	Computed Rating // zero if there are no results for it
}

// String returns the difference in one line.
func (d Difference) String() string {
	return fmt.Sprintf("%s %s: stored %.2f / %.2f / %.5f after %d matches, computed %.2f / %.2f / %.5f after %d",
		d.Game, d.Player, d.Stored.Rating, d.Stored.Deviation, d.Stored.Volatility, d.Stored.Played,
		d.Computed.Rating, d.Computed.Deviation, d.Computed.Volatility, d.Computed.Played)
}

// Recompute works out all ratings from the results alone and compares them with the stored ones, to the last bit.
// Where they differ, it writes the computed ones, all in one transaction. Matches may go on meanwhile: results are
// only ever added, so it reads them in short steps, and only what has come since is left for the transaction.
// Then it counts the openings anew and compares them with the stored ones; see recount.
func (s *Store) Recompute(ctx context.Context) (RecomputeReport, error) {
	var report RecomputeReport
	err := errNoRate
	if s.arithmetic != nil {
		report, err = s.replay(ctx, nil, func(finish func(kv.Tx) error) error { return s.engine.Update(ctx, finish) })
	}
	if err == nil {
		report.Openings, err = s.mendOpenings(ctx)
	}
	if err != nil {
		return RecomputeReport{}, fmt.Errorf("storage: recompute: %w", err)
	}
	return report, nil
}

// ReplayStep is how many results one read transaction goes through.
const ReplayStep = 1000

// replayTries is how often a replay begins anew because operators at other nodes changed which results count.
const replayTries = 10

// replay works out all ratings, with changed saying which results are about to count or not. It calls update with a function that writes
// the ratings, to be called at the end of a transaction. One replay runs at a time; finish notices the replays of other nodes.
func (s *Store) replay(ctx context.Context, changed map[storage.MatchID]bool, update func(finish func(kv.Tx) error) error) (report RecomputeReport, err error) {
	err = s.alone(ctx, func() error {
		for n := 1; ; n++ {
			r := newReplay(s.arithmetic)
			r.changed = changed
			err := s.replayAll(ctx, r)
			if err == nil {
				err = update(r.finish)
			}
			if !errors.Is(err, errOtherResults) || n == replayTries {
				report = r.report
				return err
			}
		}
	})
	return report, err
}

// alone calls f when no other replay or recount of openings runs at this node: each takes much memory.
func (s *Store) alone(ctx context.Context, f func() error) error {
	select {
	case s.replaying <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.replaying }()
	return f()
}

// replayAll reads all results that there are, in short steps.
func (s *Store) replayAll(ctx context.Context, r *replay) error {
	if err := s.engine.View(ctx, func(reader kv.Reader) (err error) {
		r.marked, err = r.marks(reader)
		return err
	}); err != nil {
		return err
	}
	for more := true; more; {
		err := s.engine.View(ctx, func(reader kv.Reader) (err error) {
			more, err = r.read(reader, ReplayStep)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// errOtherResults says that other results count now than when a replay began.
var errOtherResults = errors.New("which results count was changed meanwhile")

// marks returns the matches whose results don't count, but for those whose results are about to be changed.
func (r *replay) marks(reader kv.Reader) (map[storage.MatchID]bool, error) {
	all := map[storage.MatchID]bool{}
	for e, err := range UnratedMarks.All().Scan(reader) {
		if err != nil {
			return nil, err
		}
		if _, changes := r.changed[e.Key]; !changes {
			all[e.Key] = true
		}
	}
	return all, nil
}

// finish reads the results that have come since, and writes what is wrong. The error is errOtherResults if a replay has to begin anew.
func (r *replay) finish(tx kv.Tx) error {
	now, err := r.marks(tx)
	if err != nil {
		return err
	}
	if !maps.Equal(now, r.marked) {
		return errOtherResults
	}
	for more := true; more; {
		var err error
		if more, err = r.read(tx, ReplayStep); err != nil {
			return err
		}
	}
	return r.write(tx)
}

// A replay is the ratings as they follow from the results read so far. Reading is idempotent: each result is
// applied once, whichever transaction it is read in.
type replay struct {
	changed map[storage.MatchID]bool // results that are about to count, or not to
	marked  map[storage.MatchID]bool // other matches whose results don't count

	rate   Rate
	last   uint64 // number of the last result read
	count  int
	now    map[RatingKey]Rating
	form   map[storage.PlayerID]Form
	games  map[string]gamePlayers  // by game, if a result of it counted and says what was known
	met    map[meetingKey]meetings // the last results of two players in a game
	ids    map[string]uint32       // numbers of games and players in the keys of met
	wrong  map[uint64][]byte       // changes to be written, by number of the result
	report RecomputeReport

	seasons map[SeasonKey]SeasonRecord
}

func newReplay(rate Rate) *replay {
	return &replay{rate: rate, now: map[RatingKey]Rating{}, form: map[storage.PlayerID]Form{}, games: map[string]gamePlayers{}, met: map[meetingKey]meetings{}, ids: map[string]uint32{}, wrong: map[uint64][]byte{}, seasons: map[SeasonKey]SeasonRecord{}}
}

// read applies up to n results and reports whether there may be more.
func (r *replay) read(reader kv.Reader, n int) (more bool, err error) {
	for e, err := range Results.All().StartingAt(r.last + 1).Scan(reader) {
		if err != nil {
			return false, err
		}
		if n--; n < 0 {
			return true, nil
		}
		change, err := reader.Get(Changes.Key(e.Key))
		if err != nil {
			return false, err
		}
		r.apply(e.Key, e.Value, change)
		r.last = e.Key
		r.count++
	}
	return false, nil
}

// apply adds one result and compares the change that it makes with the stored one.
func (r *replay) apply(number uint64, res Result, change []byte) {
	pair := r.meetingKey(res)
	met := r.met[pair]
	p := past{game: r.games[res.Game], meetings: met.last[:met.n]}
	for i, id := range res.Players() {
		p.before[i], p.form[i] = r.now[RatingKey{res.Game, id}], r.form[id]
	}
	var rated [2]RatingChange
	for i, before := range p.before {
		rated[i] = RatingChange{Before: before, After: before, Why: Unrated}
	}
	if res.Rules >= KnownRules && res.Known == nil { // it was salvaged from a record, which doesn't say
		res = res.knownFrom(p)
	}
	if r.counts(res.Match) {
		var after aftermath
		rated, after = rateResult(r.rate, res, p)
		for i, id := range res.Players() {
			if res.Known != nil || len(after.form[i].Day) > 0 {
				r.form[id] = after.form[i]
			}
		}
		if res.Known != nil && rated[0].Weight > 0 {
			r.games[res.Game] = after.game
		}
	}
	r.met[pair] = met.with(res.meeting())
	for i, id := range res.Players() {
		if rated[i].Weight > 0 {
			r.now[RatingKey{res.Game, id}] = rated[i].After
		}
	}
	season := seasonChanges{}
	season.add(res, rated)
	for k, changes := range season {
		r.seasons[k] = r.seasons[k].with(changes[0])
	}
	if right := encodeChanges(rated); !bytes.Equal(right, change) {
		r.wrong[number] = right
	}
}

// A meetingKey names two players and a game by numbers, and meetings are their last lastMeetings results, the oldest first. Nearly each of a million
// results may be of two players who never met in its game before: so they are small, and have no pointers.
type (
	meetingKey struct{ game, one, other uint32 }
	meetings   struct {
		last [lastMeetings]meeting
		n    int8
	}
)

func (r *replay) meetingKey(res Result) meetingKey {
	pair := res.pair()
	return meetingKey{r.id(pair.game), r.id(string(pair.one)), r.id(string(pair.other))}
}

// id returns the number of a game or a player.
func (r *replay) id(of string) uint32 {
	n, known := r.ids[of]
	if !known {
		n = uint32(len(r.ids))
		r.ids[strings.Clone(of)] = n
	}
	return n
}

// with returns the meetings with one more.
func (m meetings) with(next meeting) meetings {
	if int(m.n) == len(m.last) {
		copy(m.last[:], m.last[1:])
		m.n--
	}
	m.last[m.n] = next
	m.n++
	return m
}

// counts reports whether the result of a match counts.
func (r *replay) counts(id storage.MatchID) bool {
	if counts, changes := r.changed[id]; changes {
		return counts
	}
	return !r.marked[id]
}

// write compares all ratings, and writes what is wrong. It may be repeated.
func (r *replay) write(tx kv.Tx) error {
	differed, err := r.compare(tx)
	if err != nil {
		return err
	}
	mended, err := r.writeRecent(tx)
	if err != nil {
		return err
	}
	if err := r.writeSeasons(tx); err != nil {
		return err
	}
	r.report = RecomputeReport{
		Results: r.count, Ratings: len(r.now), Matches: len(r.wrong), Recent: mended, Differed: differed,
	}
	for number, change := range r.wrong {
		tx.Put(Changes.Key(number), change)
	}
	for _, d := range differed {
		k := RatingKey{d.Game, d.Player}
		if d.Computed == (Rating{}) {
			Ratings.Delete(tx, k)
		} else if err := Ratings.Put(tx, k, d.Computed); err != nil {
			return err
		}
	}
	return nil
}

// writeRecent writes what the weights of the next matches depend on where it is wrong, and returns of how many players and games it was.
func (r *replay) writeRecent(tx kv.Tx) (mended int, err error) {
	right := make(map[string][]byte, len(r.form)+len(r.games))
	for id, f := range r.form {
		if right[string(RecentMatches.Key(id))], err = RecentMatches.Values.Encode(f); err != nil {
			return 0, err
		}
	}
	for game, g := range r.games {
		if right[string(Settled.Key(game))], err = Settled.Values.Encode(g); err != nil {
			return 0, err
		}
	}
	var extra [][]byte
	for _, stored := range []kv.Range{RecentMatches.All().Range, Settled.All().Range} {
		for p, err := range tx.Scan(stored) {
			if err != nil {
				return 0, err
			}
			key := string(p.Key)
			value, ok := right[key]
			switch {
			case !ok:
				extra = append(extra, []byte(key))
			case bytes.Equal(value, p.Value):
				delete(right, key)
			}
		}
	}
	for _, key := range extra {
		tx.Delete(key)
	}
	for key, value := range right {
		tx.Put([]byte(key), value)
	}
	return len(extra) + len(right), nil
}

// compare returns the ratings that are not as stored, those missing on either side included, sorted.
func (r *replay) compare(reader kv.Reader) ([]Difference, error) {
	var differed []Difference
	seen := make(map[RatingKey]bool, len(r.now))
	for p, err := range reader.Scan(Ratings.All().Range) {
		if err != nil {
			return nil, err
		}
		key, ok := Ratings.Parse(p.Key)
		if !ok {
			return nil, storage.Damaged("a rating without a player")
		}
		seen[key] = true
		if now, ok := r.now[key]; !ok || !bytes.Equal(encodeRating(now), p.Value) {
			was, _ := decodeRating(p.Value) // a damaged one counts as zero, and is about to be mended
			differed = append(differed, Difference{key.Game, key.Player, was, now})
		}
	}
	for key, now := range r.now {
		if !seen[key] {
			differed = append(differed, Difference{key.Game, key.Player, Rating{}, now})
		}
	}
	slices.SortFunc(differed, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Game, b.Game), cmp.Compare(a.Player, b.Player))
	})
	return differed, nil
}
