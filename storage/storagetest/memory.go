package storagetest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/chat"
	"ludoteca/storage/kv"
	"ludoteca/storage/learning"
	matchstore "ludoteca/storage/matches"
	noticestore "ludoteca/storage/notices"
	relationstore "ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/studies"
	"ludoteca/storage/tells"
)

// A Memory is a store that forgets everything: the contract in its plainest form, to compare others with. It
// believes that events and records make sense.
type Memory struct {
	*noticestore.Store
	*standingStore
	*vacationStore
	rate results.Rate

	mu       sync.Mutex
	nextID   storage.PlayerID // of the next player, if a test wants to say so
	players  map[storage.PlayerID]accounts.Player
	keys     map[string]storage.PlayerID
	logs     map[storage.MatchID][]matchstore.Event
	sums     map[storage.MatchID]matchstore.Summary
	finished map[storage.MatchID]results.Finished
	analyses map[storage.MatchID]*analysis.Analysis
	codes    map[string]memoryCode
	ratings  map[memoryRating]results.Rating
	results  int
	rated    map[string][]results.Finished // of each player, in their order
	counted  map[string][]results.Finished // matches that counted
	met      map[memoryRating][]memoryOpponent
	playing  map[string][]memoryPlaying // by game, in the order of their first results that counted
	beat     time.Time
	related  map[storage.PlayerID]relationstore.Lists
	lessons  map[storage.PlayerID]learning.Lessons
	puzzles  memoryPuzzles
	practice map[storage.PlayerID]map[string]results.Practice
	chat     map[storage.MatchID][]chat.Line
	notes    map[studies.NotesKey][]studies.Note
	imported []studies.Study
	tells    map[storage.PlayerID][]tells.Line
	plans    map[matchstore.PlanKey]matchstore.Plan
	events   memoryTournaments
	blocks   map[storage.PlayerID]accounts.Visit // the last of each player

	openings map[storage.MatchID]results.Finished // the matches that Openings goes by; nil: all
}

type memoryCode struct {
	id   storage.MatchID
	ends time.Time // zero while the match goes on
}

type memoryRating struct {
	game   string
	player storage.PlayerID
}

// A memoryOpponent is one by whom a player has a rank.
type memoryOpponent struct {
	id    storage.PlayerID
	block int
}

// A memoryPlaying is a player of a game.
type memoryPlaying struct {
	id    storage.PlayerID
	since time.Time // when the account was made
	last  time.Time // end of the last rated match that counted
}

// NewMemory returns an empty store.
func NewMemory(rate results.Rate) *Memory {
	m := &Memory{
		rate: rate, players: map[storage.PlayerID]accounts.Player{}, keys: map[string]storage.PlayerID{},
		logs: map[storage.MatchID][]matchstore.Event{}, sums: map[storage.MatchID]matchstore.Summary{}, finished: map[storage.MatchID]results.Finished{},
		analyses: map[storage.MatchID]*analysis.Analysis{}, related: map[storage.PlayerID]relationstore.Lists{}, lessons: map[storage.PlayerID]learning.Lessons{},
		puzzles: memoryPuzzles{map[storage.PlayerID]learning.PuzzleStandings{}, map[learning.PuzzleTryKey]learning.PuzzleTry{}, map[string]learning.Strength{}, map[string]map[storage.PlayerID]learning.PuzzleStanding{}}, chat: map[storage.MatchID][]chat.Line{},
		notes: map[studies.NotesKey][]studies.Note{}, tells: map[storage.PlayerID][]tells.Line{}, plans: map[matchstore.PlanKey]matchstore.Plan{},
		codes: map[string]memoryCode{}, blocks: map[storage.PlayerID]accounts.Visit{}, ratings: map[memoryRating]results.Rating{}, met: map[memoryRating][]memoryOpponent{},
		practice: map[storage.PlayerID]map[string]results.Practice{}, rated: map[string][]results.Finished{}, counted: map[string][]results.Finished{}, playing: map[string][]memoryPlaying{},
	}
	m.Store, m.standingStore, m.vacationStore = m.memoryNotices(), m.memoryStanding(), m.memoryVacations()
	return m
}

// lock starts a call: the returned function ends it.
func (m *Memory) lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	return m.mu.Unlock, nil
}

// Append implements Store.
func (m *Memory) Append(ctx context.Context, id storage.MatchID, events []matchstore.Event, sum matchstore.Summary) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := m.next(id, events); err != nil {
		return err
	}
	if o := events[0].Opening; o != nil {
		if _, ok := m.codes[o.Code]; ok {
			return storage.ErrCodeTaken
		}
		m.codes[o.Code] = memoryCode{id: id}
	}
	for _, e := range events {
		m.logs[id] = append(m.logs[id], copyOf(e))
	}
	last := events[len(events)-1]
	sum.ID, sum.Seq, sum.At = id, last.Seq, last.At
	_, sum.Planned = m.plans[matchstore.PlanKey{Match: id, Seat: sum.Turn}]
	sum.Planned = sum.Planned && strings.HasSuffix(sum.Opening.Clock, "d")
	m.sums[id] = copyOf(sum)
	return nil
}

func (m *Memory) next(id storage.MatchID, events []matchstore.Event) error {
	_, over := m.finished[id]
	if over || events[0].Seq != uint64(len(m.logs[id])+1) {
		return storage.ErrStale
	}
	return nil
}

// Finish implements Store.
func (m *Memory) Finish(ctx context.Context, id storage.MatchID, events []matchstore.Event, f results.Finished, _ func(kv.Tx) error) (*[2]results.RatingChange, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := m.next(id, events); err != nil {
		return nil, err
	}
	practice := f.Practice
	f = copyOf(f)
	f.ID, f.Ratings = id, nil
	f.Temporary = f.Temporary || f.Result == ""
	if f.Rated && f.Result != "" && m.isPlayer(f.First) && m.isPlayer(f.Second) && f.First.ID != f.Second.ID {
		var met [2][]memoryOpponent
		f.Ratings, met = m.rateMatch(f)
		m.results++
		for i, id := range []string{f.First.ID, f.Second.ID} {
			if c := f.Ratings[i]; c.Weight > 0 {
				m.ratings[memoryRating{f.Game, storage.PlayerID(id)}] = c.After
				m.met[memoryRating{f.Game, storage.PlayerID(id)}] = met[i]
				m.counted[id] = append(m.counted[id], f)
				m.play(f.Game, storage.PlayerID(id), f.Ended)
			}
			m.rated[id] = append(m.rated[id], f)
		}
	}
	m.practise(f, practice)
	m.finished[id] = f
	life := results.CodeLife
	if f.Temporary {
		life = results.TemporaryLife
	}
	m.codes[f.Code] = memoryCode{id, f.Ended.Add(life)}
	delete(m.logs, id)
	delete(m.sums, id)
	maps.DeleteFunc(m.plans, func(k matchstore.PlanKey, _ matchstore.Plan) bool { return k.Match == id })
	return copyOf(f.Ratings), nil
}

func (m *Memory) isPlayer(o storage.Occupant) bool {
	_, known := m.players[storage.PlayerID(o.ID)]
	return o.Kind.HasAccount() && known
}

// rateMatch returns what a match does to ratings, and the opponents that the two have met with it.
func (m *Memory) rateMatch(f results.Finished) (*[2]results.RatingChange, [2][]memoryOpponent) {
	rated := results.RatedMatch{Score: map[string]float64{"first": 1, "draw": 0.5}[f.Result], At: f.Ended}
	ids := [2]storage.PlayerID{storage.PlayerID(f.First.ID), storage.PlayerID(f.Second.ID)}
	for i, id := range ids {
		rated.Before[i] = m.ratings[memoryRating{f.Game, id}]
		rated.Age[i] = f.Ended.Sub(m.players[id].Since)
		rated.Young[i] = rated.Age[i] < results.Day
	}
	for i, id := range ids {
		for _, old := range m.counted[string(id)] {
			if f.Ended.Sub(old.Ended) >= results.Day {
				continue
			}
			if rated.Counted[i]++; i == 0 && seated(ids[1], old) {
				rated.Together++
				if old.Game == f.Game {
					rated.Met++
				}
			}
		}
	}
	rated.Again = m.again(f)
	rated.Known = &[2]results.Opponent{m.opponent(f, ids[0], ids[1]), m.opponent(f, ids[1], ids[0])}
	for of, r := range m.ratings {
		if of.game == f.Game && r.Settled && f.Ended.Sub(r.At) <= results.SettledFor {
			rated.Settled = min(rated.Settled+1, results.EnoughSettled)
		}
	}
	changes := m.rate(rated)
	var met [2][]memoryOpponent
	for i, score := range []float64{rated.Score, 1 - rated.Score} {
		changes[i].Before = rated.Before[i]
		met[i] = slices.Clone(m.met[memoryRating{f.Game, ids[i]}])
		if changes[i].Independent && changes[i].Weight > 0 {
			met[i] = meetInMemory(met[i], memoryOpponent{ids[1-i], rated.Known[i].Block})
		}
		changes[i].Independent = false
		if changes[i].Weight == 0 {
			changes[i].After = rated.Before[i]
			continue
		}
		r := &changes[i].After
		r.Opponents, r.Blocks = min(len(met[i]), 5), min(blocksInMemory(met[i]), 3)
		r.Played++
		switch score {
		case 1:
			r.Won++
		case 0:
			r.Lost++
		default:
			r.Drawn++
		}
	}
	return &changes, met
}

// play keeps that a player has played a rated match that counted.
func (m *Memory) play(game string, id storage.PlayerID, at time.Time) {
	for i, p := range m.playing[game] {
		if p.id == id {
			m.playing[game][i].last = at
			return
		}
	}
	m.playing[game] = append(m.playing[game], memoryPlaying{id, m.players[id].Since, at})
}

// isSenior reports whether an account is among the ten oldest that have played a game within ninety days.
func (m *Memory) isSenior(game string, id storage.PlayerID, at time.Time) bool {
	playing := slices.DeleteFunc(slices.Clone(m.playing[game]), func(p memoryPlaying) bool { return at.Sub(p.last) > results.SettledFor })
	slices.SortStableFunc(playing, func(a, b memoryPlaying) int { return a.since.Compare(b.since) })
	return slices.ContainsFunc(playing[:min(len(playing), 10)], func(p memoryPlaying) bool { return p.id == id })
}

// opponent returns what is known of the opponent of a player before a match.
func (m *Memory) opponent(f results.Finished, player, opponent storage.PlayerID) (o results.Opponent) {
	near := func(a, b storage.PlayerID) bool {
		x, y := m.blocks[a], m.blocks[b]
		return x.Public && x.From == y.From && f.Ended.Sub(x.Last) < accounts.VisitLife && f.Ended.Sub(y.Last) < accounts.VisitLife
	}
	o.SameBlock = near(player, opponent)
	others := map[string]bool{}
	for _, old := range slices.Backward(m.rated[string(opponent)]) {
		to := winner(old)
		if to == "" || to == string(opponent) {
			continue
		}
		if o.Lost++; to == string(player) {
			o.LostTo++
		} else {
			others[to] = true
		}
		if o.Lost == 20 {
			break
		}
	}
	o.LostToOthers, o.Senior = len(others), m.isSenior(f.Game, opponent, f.Ended)
	met := m.met[memoryRating{f.Game, player}]
	switch v := m.blocks[opponent]; {
	case !v.Public || f.Ended.Sub(v.Last) >= accounts.VisitLife:
	case len(met) >= 5 && blocksInMemory(met) >= 3:
	default:
		for _, old := range met {
			if old.block > 0 && near(old.id, opponent) {
				o.Block = old.block
				return o
			}
			o.Block = max(o.Block, old.block)
		}
		o.Block++
	}
	return o
}

// meetInMemory adds an opponent, if a rank needs it.
func meetInMemory(met []memoryOpponent, o memoryOpponent) []memoryOpponent {
	blocks := blocksInMemory(met)
	more := append(met, o)
	if slices.ContainsFunc(met, func(old memoryOpponent) bool { return old.id == o.id }) || len(met) >= 5 && (blocks >= 3 || blocksInMemory(more) == blocks) {
		return met
	}
	return more
}

func blocksInMemory(met []memoryOpponent) int {
	unknown, known := 0, map[int]bool{}
	for _, o := range met {
		if o.block == 0 {
			unknown++
		} else {
			known[o.block] = true
		}
	}
	return unknown + len(known)
}

// again reports whether one of the last two rated matches of the same two players in the game had the winner and the first twenty moves
// of another one.
func (m *Memory) again(f results.Finished) bool {
	met := 0
	for _, old := range slices.Backward(m.rated[f.First.ID]) {
		if old.Game != f.Game || !seated(storage.PlayerID(f.Second.ID), old) {
			continue
		}
		moves := old.Moves[:min(20, len(old.Moves))]
		if slices.Equal(moves, f.Moves[:min(20, len(f.Moves))]) && winner(old) == winner(f) {
			return true
		}
		if met++; met == 2 {
			break
		}
	}
	return false
}

// Outcomes implements Store.
func (m *Memory) Outcomes(ctx context.Context, f results.Finished) (*results.Outcomes, error) {
	return find(m, ctx, func() (*results.Outcomes, bool) {
		if !f.Rated || !m.isPlayer(f.First) || !m.isPlayer(f.Second) || f.First.ID == f.Second.ID {
			return nil, true
		}
		var o results.Outcomes
		for result, changes := range map[string]*[2]results.RatingChange{"first": &o.First, "draw": &o.Draw, "second": &o.Second} {
			f.Result = result
			rated, _ := m.rateMatch(f)
			*changes = *rated
		}
		return &o, true
	})
}

func winner(f results.Finished) string {
	switch f.Result {
	case "first":
		return f.First.ID
	case "second":
		return f.Second.ID
	}
	return ""
}

// Log implements Store.
func (m *Memory) Log(ctx context.Context, id storage.MatchID, from uint64, most int) ([]matchstore.Event, error) {
	return find(m, ctx, func() ([]matchstore.Event, bool) {
		log, ok := m.logs[id]
		log = log[min(max(from, 1)-1, uint64(len(log))):]
		if most > 0 {
			log = log[:min(most, len(log))]
		}
		return log, ok
	})
}

// Summaries implements Store.
func (m *Memory) Summaries(ctx context.Context) ([]matchstore.Summary, error) {
	return find(m, ctx, func() ([]matchstore.Summary, bool) {
		all := make([]matchstore.Summary, 0, len(m.sums))
		for _, id := range slices.Sorted(maps.Keys(m.sums)) {
			all = append(all, m.sums[id])
		}
		return all, true
	})
}

// KeepSummaries implements Store.
func (m *Memory) KeepSummaries(ctx context.Context, all []matchstore.Summary) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for _, sum := range all {
		if sum.Seq != uint64(len(m.logs[sum.ID])) {
			return storage.ErrStale
		}
	}
	for _, sum := range all {
		m.sums[sum.ID] = copyOf(sum)
	}
	return nil
}

// Finished implements Store.
func (m *Memory) Finished(ctx context.Context, id storage.MatchID) (results.Finished, error) {
	return find(m, ctx, func() (results.Finished, bool) { f, ok := m.finished[id]; return f, ok })
}

// ByCode implements Store.
func (m *Memory) ByCode(ctx context.Context, code string, now time.Time) (storage.MatchID, error) {
	return find(m, ctx, func() (storage.MatchID, bool) {
		c, ok := m.codes[code]
		return c.id, ok && (c.ends.IsZero() || now.Before(c.ends))
	})
}

// History implements Store.
func (m *Memory) History(ctx context.Context, q results.HistoryQuery) ([]results.Finished, error) {
	return find(m, ctx, func() ([]results.Finished, bool) {
		var rows []results.Finished
		for _, f := range m.finished {
			place := results.Finished{ID: q.Before.ID, Ended: q.Before.Ended}
			if f.Temporary || q.Game != "" && q.Game != f.Game || q.Player != "" && !seated(q.Player, f) ||
				q.Before != (results.Cursor{}) && newestFirst(place, f) >= 0 {
				continue
			}
			f.Moves, f.Times = nil, nil
			rows = append(rows, f)
		}
		slices.SortFunc(rows, newestFirst)
		return rows[:min(q.Limit, len(rows))], true
	})
}

// Openings implements Store.
func (m *Memory) Openings(ctx context.Context, game string, o games.Options, moves []games.Move) ([]results.Opening, error) {
	return find(m, ctx, func() (all []results.Opening, ok bool) {
		for n := range min(len(moves), results.OpeningPlies) + 1 {
			all = append(all, m.opening(game, o, moves[:n]))
		}
		return all, true
	})
}

func (m *Memory) opening(game string, o games.Options, moves []games.Move) (op results.Opening) {
	counted := m.openings
	if counted == nil {
		counted = m.finished
	}
	next := map[games.Move]results.OpeningCount{}
	for _, f := range counted {
		n := len(moves)
		if f.Game != game || !f.Options.Equal(o) || !f.Rated || f.Result == "" || f.Start > 0 || f.Plies < n || !slices.Equal(f.Moves[:n], moves) {
			continue
		}
		plus := func(c results.OpeningCount) results.OpeningCount {
			switch f.Result {
			case "first":
				c.First++
			case "draw":
				c.Draw++
			default:
				c.Second++
			}
			return c
		}
		if n > 0 || f.Plies > 0 {
			op.Here = plus(op.Here)
		}
		if n < min(f.Plies, results.OpeningPlies) {
			next[f.Moves[n]] = plus(next[f.Moves[n]])
		}
	}
	for move, c := range next {
		op.Next = append(op.Next, results.OpeningMove{Move: move, OpeningCount: c})
	}
	slices.SortFunc(op.Next, func(a, b results.OpeningMove) int {
		return cmp.Or(cmp.Compare(b.Matches(), a.Matches()), strings.Compare(string(a.Move), string(b.Move)))
	})
	return op
}

// Search implements Store. A step looks at three matches.
func (m *Memory) Search(ctx context.Context, q results.SearchQuery) (page results.SearchPage, err error) {
	rows, err := m.History(ctx, results.HistoryQuery{Player: q.Player, Game: q.Game, Before: q.Before, Limit: 4})
	for i, f := range rows {
		whole, err := m.Finished(ctx, f.ID)
		switch {
		case err != nil:
			return page, err
		case f.Ended.Before(q.Since):
			page.Next = results.Cursor{}
			return page, nil
		case i == 3 || len(page.Found) == q.Limit:
			return page, nil
		case searched(q, whole):
			page.Found = append(page.Found, f)
		default:
			page.Skipped++
		}
		page.Next = results.Cursor{Ended: f.Ended, ID: f.ID}
	}
	page.Next = results.Cursor{}
	return page, err
}

// searched reports whether a query looks for a match.
func searched(q results.SearchQuery, f results.Finished) bool {
	outcomes := map[results.Outcome]bool{"": true, results.Outcome(f.Result): true}
	if q.Player != "" && f.Result != "" && f.Result != string(results.Drawn) {
		firstWon, first := f.Result == "first", f.First.Kind.HasAccount() && f.First.ID == string(q.Player)
		outcomes[results.Won], outcomes[results.Lost] = firstWon == first, firstWon != first
	}
	seats := []storage.Occupant{f.First, f.Second}
	if i := slices.IndexFunc(seats, func(o storage.Occupant) bool { return o.Kind.HasAccount() && o.ID == string(q.Player) }); i >= 0 {
		seats = slices.Delete(seats, i, i+1)
	}
	with := slices.ContainsFunc(seats, func(o storage.Occupant) bool { return o.Kind.HasAccount() && o.ID == string(q.With) })
	text := func(moves []games.Move) string { return fmt.Sprintf("%q", moves) }
	begins := strings.HasPrefix(text(f.Moves), strings.TrimSuffix(text(q.Opening), "]"))
	return outcomes[q.Outcome] && (q.With == "" || with) && (len(q.Opening) == 0 || begins && f.From == "")
}

func seated(id storage.PlayerID, f results.Finished) bool {
	is := func(o storage.Occupant) bool { return o.Kind.HasAccount() && o.ID == string(id) }
	return is(f.First) || is(f.Second)
}

func newestFirst(a, b results.Finished) int {
	return cmp.Or(b.Ended.Compare(a.Ended), strings.Compare(string(b.ID), string(a.ID)))
}

// Sweep implements Store.
func (m *Memory) Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error) {
	return find(m, ctx, func() (int, bool) {
		before := len(m.codes)
		maps.DeleteFunc(m.finished, func(id storage.MatchID, f results.Finished) bool {
			old := f.Temporary && !now.Before(f.CodeEnds())
			if old {
				delete(m.analyses, id)
			}
			return old
		})
		maps.DeleteFunc(m.codes, func(_ string, c memoryCode) bool { return !c.ends.IsZero() && !now.Before(c.ends) })
		return before - len(m.codes), true
	})
}

// ForgetCasual implements Store.
func (m *Memory) ForgetCasual(ctx context.Context, before time.Time, levels []string) (forgotten int, err error) {
	return find(m, ctx, func() (int, bool) {
		n := len(m.finished)
		maps.DeleteFunc(m.finished, func(id storage.MatchID, f results.Finished) bool {
			guest := f.First.Kind == storage.Guest || f.Second.Kind == storage.Guest
			weak := f.First.Kind == storage.Bot && slices.Contains(levels, f.First.ID) ||
				f.Second.Kind == storage.Bot && slices.Contains(levels, f.Second.ID)
			nobody := !f.First.Kind.HasAccount() && !f.Second.Kind.HasAccount()
			old := !f.Temporary && f.Ratings == nil && f.Ended.Before(before) && (guest || weak || nobody)
			if old {
				delete(m.analyses, id)
			}
			return old
		})
		return n - len(m.finished), true
	})
}

// SaveAnalysis implements Store.
func (m *Memory) SaveAnalysis(ctx context.Context, id storage.MatchID, a *analysis.Analysis) error {
	if _, err := a.Encode(); err != nil {
		return fmt.Errorf("%w: %w", storage.ErrInvalid, err)
	}
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	f, ok := m.finished[id]
	switch {
	case !ok:
		return storage.ErrNotFound
	case f.Plies+1 != len(a.Points):
		return storage.ErrInvalid
	}
	m.analyses[id] = copyOf(a)
	return nil
}

// Analysis implements Store.
func (m *Memory) Analysis(ctx context.Context, id storage.MatchID) (*analysis.Analysis, error) {
	return find(m, ctx, func() (*analysis.Analysis, bool) { a, ok := m.analyses[id]; return a, ok })
}

// SignUp implements Store.
func (m *Memory) SignUp(ctx context.Context, p accounts.Player, fingerprint string) (accounts.Player, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return accounts.Player{}, err
	}
	defer unlock()
	if _, ok := m.keys[fingerprint]; ok {
		return accounts.Player{}, storage.ErrKeyTaken
	}
	for _, other := range m.players {
		if other.NameKey == p.NameKey {
			return accounts.Player{}, storage.ErrNameTaken
		}
	}
	p.ID = cmp.Or(m.nextID, storage.PlayerID(fmt.Sprintf("player-%d", len(m.players)+1)))
	m.players[p.ID], m.keys[fingerprint], m.nextID = p, p.ID, ""
	return p, nil
}

// AddKey implements Store.
func (m *Memory) AddKey(ctx context.Context, id storage.PlayerID, fingerprint string) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, ok := m.players[id]; !ok {
		return storage.ErrNotFound
	}
	if owner, ok := m.keys[fingerprint]; ok && owner != id {
		return storage.ErrKeyTaken
	}
	m.keys[fingerprint] = id
	return nil
}

// SaveSettings implements Store.
func (m *Memory) SaveSettings(ctx context.Context, id storage.PlayerID, st accounts.Settings) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	p, ok := m.players[id]
	if !ok {
		return storage.ErrNotFound
	}
	p.Settings = st
	m.players[id] = p
	return nil
}

// Player implements Store.
func (m *Memory) Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error) {
	return find(m, ctx, func() (accounts.Player, bool) { p, ok := m.players[id]; return p, ok })
}

// Players implements Store.
func (m *Memory) Players(ctx context.Context, ids []storage.PlayerID) ([]accounts.Player, error) {
	return find(m, ctx, func() (all []accounts.Player, ok bool) {
		for _, id := range ids {
			p, ok := m.players[id]
			if !ok {
				return nil, false
			}
			all = append(all, p)
		}
		return all, true
	})
}

// PlayerByKey implements Store.
func (m *Memory) PlayerByKey(ctx context.Context, fingerprint string) (accounts.Player, error) {
	return find(m, ctx, func() (accounts.Player, bool) { p, ok := m.players[m.keys[fingerprint]]; return p, ok })
}

// FreeName implements Store. No two names look alike.
func (m *Memory) FreeName(ctx context.Context, _, nameKey string) error {
	_, err := m.PlayerByName(ctx, nameKey)
	switch {
	case err == nil:
		return storage.ErrNameTaken
	case errors.Is(err, storage.ErrNotFound):
		return nil
	}
	return err
}

// PlayerByName implements Store.
func (m *Memory) PlayerByName(ctx context.Context, nameKey string) (accounts.Player, error) {
	return find(m, ctx, func() (accounts.Player, bool) {
		for _, p := range m.players {
			if p.NameKey == nameKey {
				return p, true
			}
		}
		return accounts.Player{}, false
	})
}

// Keys implements Store.
func (m *Memory) Keys(ctx context.Context, id storage.PlayerID) ([]string, error) {
	return find(m, ctx, func() ([]string, bool) {
		_, ok := m.players[id]
		keys := slices.Sorted(maps.Keys(m.keys))
		return slices.DeleteFunc(keys, func(k string) bool { return m.keys[k] != id }), ok
	})
}

// Ratings implements Store.
func (m *Memory) Ratings(ctx context.Context, id storage.PlayerID, games []string, seasons ...results.Season) (results.PlayerRatings, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return results.PlayerRatings{}, err
	}
	defer unlock()
	found := results.PlayerRatings{Now: map[string]results.Rating{}, Seasons: map[results.SeasonKey]results.SeasonRecord{}}
	for k, r := range m.ratings {
		if k.player == id && slices.Contains(games, k.game) {
			found.Now[k.game] = r
		}
	}
	if len(seasons) == 0 {
		return found, nil
	}
	for k, r := range m.seasons() {
		if k.Player == id && slices.Contains(games, k.Game) && slices.Contains(seasons, k.Season) {
			found.Seasons[k] = r
		}
	}
	return found, nil
}

// RatingsIn implements Store.
func (m *Memory) RatingsIn(ctx context.Context, game string, ids []storage.PlayerID) (map[storage.PlayerID]results.Rating, error) {
	return find(m, ctx, func() (map[storage.PlayerID]results.Rating, bool) {
		found := map[storage.PlayerID]results.Rating{}
		for k, r := range m.ratings {
			if k.game == game && slices.Contains(ids, k.player) {
				found[k.player] = r
			}
		}
		return found, true
	})
}

// RatingHistory implements Store.
func (m *Memory) RatingHistory(ctx context.Context, id storage.PlayerID, games []string, limit int) ([]results.RatingPoint, error) {
	return find(m, ctx, func() (all []results.RatingPoint, ok bool) {
		for _, game := range games {
			all = append(all, m.pointsOf(id, game, limit)...)
		}
		return all, true
	})
}

// pointsOf returns the rating history of a player in a game. The caller holds the lock.
func (m *Memory) pointsOf(id storage.PlayerID, game string, limit int) (points []results.RatingPoint) {
	for _, f := range slices.Backward(m.rated[string(id)]) {
		if f.Game != game {
			continue
		}
		if limit--; limit < 0 {
			break
		}
		c := f.Ratings[0]
		if f.Second.ID == string(id) {
			c = f.Ratings[1]
		}
		if c.Weight > 0 {
			points = append(points, results.RatingPoint{At: f.Ended, Game: game, Rating: c.After.Rating})
		}
	}
	slices.Reverse(points)
	return points
}

// Standings implements Store.
func (m *Memory) Standings(ctx context.Context, game string) ([]results.Standing, error) {
	return find(m, ctx, func() ([]results.Standing, bool) {
		var rows []results.Standing
		for k, r := range m.ratings {
			if k.game == game {
				rows = append(rows, results.Standing{Player: k.player, Name: m.players[k.player].Name, Rating: r})
			}
		}
		slices.SortFunc(rows, func(a, b results.Standing) int {
			return cmp.Or(cmp.Compare(b.Rating.Rating, a.Rating.Rating), cmp.Compare(a.Player, b.Player))
		})
		return rows, true
	})
}

// Recompute implements Store. Ratings in memory are never wrong.
func (m *Memory) Recompute(ctx context.Context) (results.RecomputeReport, error) {
	return find(m, ctx, func() (results.RecomputeReport, bool) {
		return results.RecomputeReport{Results: m.results, Ratings: len(m.ratings)}, true
	})
}

// Close implements Store.
func (m *Memory) Close() error { return nil }

// find answers a question with a copy, or ErrNotFound.
func find[T any](m *Memory, ctx context.Context, answer func() (T, bool)) (none T, err error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return none, err
	}
	defer unlock()
	v, ok := answer()
	if !ok {
		return none, storage.ErrNotFound
	}
	return copyOf(v), nil
}

// copyOf returns a deep copy.
func copyOf[T any](v T) T {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // rows are plain data
	}
	var c T
	if err := json.Unmarshal(b, &c); err != nil {
		panic(err)
	}
	return c
}

// Beat implements Store.
func (m *Memory) Beat(ctx context.Context, at time.Time) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	m.beat = at.UTC().Truncate(time.Millisecond)
	return nil
}

// LastBeat implements Store.
func (m *Memory) LastBeat(ctx context.Context) (time.Time, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return time.Time{}, err
	}
	defer unlock()
	return m.beat, nil
}
