package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/studies"
)

// anySequence makes random calls to the store and to a plain one in memory, and compares every answer, refusals
// included, and at the end everything that can be read.
func anySequence(t *testing.T, open func(t *testing.T) Store) {
	rapid.Check(t, func(r *rapid.T) {
		s := open(t)
		defer closeStore(t, s)
		m := &machine{store: s, model: NewMemory(Rate), now: start}
		r.Repeat(map[string]func(*rapid.T){
			"sign up": m.signUp, "add key": m.addKey, "settings": m.saveSettings, "open": m.open, "append": m.append,
			"finish": m.finish, "history": m.history, "code": m.code, "sweep": m.sweep, "forget": m.forget,
			"recompute": m.recompute,
			"analyse":   m.analyse, "note": m.note, "reopen": m.reopen, "": func(*rapid.T) {},
		})
		m.compareAll(r)
	})
}

// A machine drives two stores.
type machine struct {
	store   Store
	model   *Memory
	players []accounts.Player
	now     time.Time
}

// The pools are small, so that calls meet.
var (
	words   = rapid.SampledFrom([]string{"ann", "bob", "cid", "dan"})
	matches = rapid.SampledFrom([]storage.MatchID{"m2", "m22", "m3", "m4"})
	codes   = rapid.SampledFrom([]string{"AAAAAA", "BBBBBB", "CCCCCC", "DDDDDD"})
	gameIDs = rapid.SampledFrom([]string{"tank", "tanks"})
	ends    = rapid.SampledFrom([]string{"first", "second", "draw", ""})
	life    = rapid.SampledFrom([]time.Duration{results.TemporaryLife, results.CodeLife})
)

// refusals are the errors that both stores must agree about.
var refusals = []error{storage.ErrStale, storage.ErrCodeTaken, storage.ErrNameTaken, storage.ErrKeyTaken, storage.ErrNotFound, storage.ErrUnchanged, studies.ErrNoRecord}

// agree compares two answers to the same call.
func agree(r *rapid.T, call string, got any, err error, want any, wantErr error) {
	for _, refusal := range refusals {
		if errors.Is(err, refusal) != errors.Is(wantErr, refusal) {
			r.Fatalf("%s: %v, want %v", call, err, wantErr)
		}
	}
	if (err == nil) != (wantErr == nil) {
		r.Fatalf("%s: %v, want %v", call, err, wantErr)
	}
	if err == nil {
		same(r, call, got, want)
	}
}

func (m *machine) later(r *rapid.T) time.Time {
	m.now = m.now.Add(time.Duration(rapid.IntRange(0, 2).Draw(r, "ms later")) * time.Millisecond)
	return m.now
}

func (m *machine) player(r *rapid.T) storage.PlayerID {
	if len(m.players) == 0 {
		return "nobody"
	}
	return rapid.SampledFrom(m.players).Draw(r, "player").ID
}

func (m *machine) seat(r *rapid.T, label string) storage.Occupant {
	seats := []storage.Occupant{guest, robot}
	for _, p := range m.players {
		seats = append(seats, person(p), person(p)) // rather people
	}
	return rapid.SampledFrom(seats).Draw(r, label)
}

func (m *machine) signUp(r *rapid.T) {
	name, key := words.Draw(r, "name"), words.Draw(r, "key")
	p := accounts.Player{Name: name, NameKey: name, Since: m.later(r)}
	got, err := m.store.SignUp(r.Context(), p, key)
	m.model.nextID = got.ID
	want, wantErr := m.model.SignUp(r.Context(), p, key)
	agree(r, "SignUp", got, err, want, wantErr)
	if err == nil {
		m.players = append(m.players, got)
	}
}

func (m *machine) addKey(r *rapid.T) {
	id, key := m.player(r), words.Draw(r, "key")
	agree(r, "AddKey", nil, m.store.AddKey(r.Context(), id, key), nil, m.model.AddKey(r.Context(), id, key))
}

func (m *machine) saveSettings(r *rapid.T) {
	id, st := m.player(r), accounts.Settings{Theme: words.Draw(r, "theme"), Mute: rapid.Bool().Draw(r, "mute")}
	agree(r, "SaveSettings", nil, m.store.SaveSettings(r.Context(), id, st), nil, m.model.SaveSettings(r.Context(), id, st))
}

func (m *machine) open(r *rapid.T) {
	id := matches.Draw(r, "match")
	events := []matchstore.Event{opened(codes.Draw(r, "code"), m.seat(r, "first"), m.seat(r, "second"))}
	sum := matchstore.Summary{Plies: rapid.IntRange(0, 9).Draw(r, "plies")}
	agree(r, "Append", nil, m.store.Append(r.Context(), id, events, sum), nil, m.model.Append(r.Context(), id, events, sum))
}

// seq draws a number near the next one of a match, mostly that one.
func (m *machine) seq(r *rapid.T, id storage.MatchID) uint64 {
	log, _ := m.model.Log(r.Context(), id, 1, 0)
	return uint64(max(2, len(log)+rapid.SampledFrom([]int{1, 1, 1, 1, 0, 2}).Draw(r, "number")))
}

func (m *machine) append(r *rapid.T) {
	id := matches.Draw(r, "match")
	seq := m.seq(r, id)
	var events []matchstore.Event
	for i := range rapid.Uint64Range(1, 3).Draw(r, "events") {
		events = append(events, moved(seq+i, "a1-a5"))
	}
	sum := matchstore.Summary{Plies: rapid.IntRange(0, 9).Draw(r, "plies")}
	agree(r, "Append", nil, m.store.Append(r.Context(), id, events, sum), nil, m.model.Append(r.Context(), id, events, sum))
}

func (m *machine) finish(r *rapid.T) {
	id := matches.Draw(r, "match")
	log, err := m.model.Log(r.Context(), id, 1, 0)
	if err != nil {
		return
	}
	o := log[0].Opening
	f := record(o.Code, gameIDs.Draw(r, "game"), o.First, o.Second, ends.Draw(r, "result"), 0)
	f.Ended = m.later(r)
	if f.Temporary = rapid.Bool().Draw(r, "temporary"); f.Temporary {
		f.Rated = false
	}
	if rapid.Bool().Draw(r, "another move") {
		f.Moves[1] = "h7xh6"
	}
	f.Reason = rapid.SampledFrom([]string{"goal", "abandoned", "timeout"}).Draw(r, "reason")
	events := []matchstore.Event{ended(m.seq(r, id), f.Result)}
	got, err := m.store.Finish(r.Context(), id, events, f, nil)
	want, wantErr := m.model.Finish(r.Context(), id, events, f, nil)
	agree(r, "Finish", got, err, want, wantErr)
}

func (m *machine) history(r *rapid.T) {
	q := results.HistoryQuery{Limit: rapid.IntRange(1, 3).Draw(r, "limit")}
	if rapid.Bool().Draw(r, "one game") {
		q.Game = gameIDs.Draw(r, "game")
	}
	if rapid.Bool().Draw(r, "one player") {
		q.Player = m.player(r)
	}
	comparePages(r, m.store, m.model, q)
}

func (m *machine) code(r *rapid.T) {
	code, now := codes.Draw(r, "code"), m.later(r).Add(life.Draw(r, "life")-time.Millisecond)
	got, err := m.store.ByCode(r.Context(), code, now)
	want, wantErr := m.model.ByCode(r.Context(), code, now)
	agree(r, "ByCode", got, err, want, wantErr)
}

func (m *machine) sweep(r *rapid.T) {
	now := m.later(r).Add(life.Draw(r, "life") - time.Millisecond)
	got, err := m.store.Sweep(r.Context(), now)
	want, wantErr := m.model.Sweep(r.Context(), now)
	agree(r, "Sweep", got, err, want, wantErr)
}

func (m *machine) forget(r *rapid.T) {
	levels := rapid.SampledFrom([][]string{{"random"}, {"random", "greedy"}}).Draw(r, "levels")
	got, err := m.store.ForgetCasual(r.Context(), m.now, levels)
	want, wantErr := m.model.ForgetCasual(r.Context(), m.now, levels)
	agree(r, "ForgetCasual", got, err, want, wantErr)
}

func (m *machine) recompute(r *rapid.T) {
	got, err := m.store.Recompute(r.Context())
	want, wantErr := m.model.Recompute(r.Context())
	agree(r, "Recompute", got, err, want, wantErr)
}

func (m *machine) reopen(r *rapid.T) {
	if s, ok := m.store.(Reopener); ok {
		if err := s.Reopen(); err != nil {
			r.Fatal(err)
		}
	}
}

// compareAll compares everything that can be read.
func (m *machine) compareAll(r *rapid.T) {
	ids := []storage.MatchID{"m2", "m22", "m3", "m4"}
	players := []storage.PlayerID{"nobody"}
	for _, p := range m.players {
		players = append(players, p.ID)
	}
	codes := []string{"AAAAAA", "BBBBBB", "CCCCCC", "DDDDDD"}
	got := snapshot(r, m.store, ids, players, codes)
	want := snapshot(r, m.model, ids, players, codes)
	for key, value := range want {
		if _, failed := value.(string); failed {
			want[key], got[key] = fmt.Sprintf("%T", value), fmt.Sprintf("%T", got[key]) // the words may differ
		}
	}
	same(r, "everything", got, want)
	for _, id := range players {
		for _, against := range players {
			got, err := m.store.Tallies(r.Context(), id, against, "tank", "tanks")
			want, wantErr := m.model.Tallies(r.Context(), id, against, "tank", "tanks")
			agree(r, "Tallies", got, err, want, wantErr)
		}
	}
	for _, game := range []string{"tank", "tanks"} {
		got, err := m.store.Standings(r.Context(), game)
		want, wantErr := m.model.Standings(r.Context(), game)
		agree(r, "Standings", slices.Clone(got), err, want, wantErr)
		for _, id := range players {
			for _, limit := range []int{2, 1000} {
				got, err := m.store.RatingHistory(r.Context(), id, []string{"petteia", game}, limit)
				want, wantErr := m.model.RatingHistory(r.Context(), id, []string{"petteia", game}, limit)
				agree(r, "RatingHistory", got, err, want, wantErr)
			}
		}
		ratings, err := m.store.RatingsIn(r.Context(), game, players[:len(players)-1])
		wantRatings, wantErr := m.model.RatingsIn(r.Context(), game, players[:len(players)-1])
		agree(r, "RatingsIn", ratings, err, wantRatings, wantErr)
	}
}
