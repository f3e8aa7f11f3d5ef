package storagetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/tournaments"
)

// Tournaments is the part of a Store that keeps tournaments.
type Tournaments interface {
	AppendTournament(ctx context.Context, id storage.TournamentID, entries []tournaments.Entry, m tournaments.Summary) error
	TournamentLog(ctx context.Context, id storage.TournamentID, from uint64, most int) ([]tournaments.Entry, error)
	Tournaments(ctx context.Context) ([]tournaments.Summary, error)
	PastTournaments(ctx context.Context, before time.Time, most int) ([]tournaments.Summary, error)
	TournamentByCode(ctx context.Context, code string) (storage.TournamentID, error)
	TournamentsOf(ctx context.Context, id storage.PlayerID) ([]storage.TournamentID, error)
	ForgetEntrant(ctx context.Context, id storage.PlayerID) error
	SweepTournaments(ctx context.Context, now time.Time) error
	AddSeries(ctx context.Context, series tournaments.Series) error
	RemoveSeries(ctx context.Context, id tournaments.SeriesID) error
	Series(ctx context.Context) ([]tournaments.Series, error)
}

// SampleSettings are the settings of an arena by a player.
func SampleSettings(code string, by storage.Occupant) tournaments.Settings {
	return tournaments.Settings{
		Code: code, Name: "Friday arena", Kind: tournaments.Arena, Games: []tournaments.Game{{ID: "tanks", Options: games.Options{"rows": 8, "cols": 8}}},
		Clock: "3+2", Begins: minute(60), Span: time.Hour, Least: 2, Most: 16, Seed: 7, By: by,
	}
}

// entry is entry seq of a tournament, at the minute of that number.
func entry(seq uint64, e tournaments.Entry) tournaments.Entry {
	e.Seq, e.At = seq, minute(int(seq))
	return e
}

// summaryOf is a summary of a tournament at a stage.
func summaryOf(o tournaments.Settings, stage tournaments.Stage, players int) tournaments.Summary {
	return tournaments.Summary{Settings: o, Stage: stage, Players: players, Rounds: 1}
}

// announced announces a tournament, and returns its settings.
func announced(t *testing.T, s Store, id storage.TournamentID, code string, by storage.Occupant, want error) tournaments.Settings {
	t.Helper()
	o := SampleSettings(code, by)
	err := s.AppendTournament(t.Context(), id, []tournaments.Entry{entry(1, tournaments.Entry{Kind: tournaments.Announced, Settings: &o})}, summaryOf(o, tournaments.Open, 0))
	wants(t, "announce "+string(id), err, want)
	return o
}

func tournamentLogs(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	o := announced(t, s, "t1", "AAAAAA", person(ann), nil)
	_, err := s.TournamentLog(ctx, "t2", 1, 0)
	wants(t, "the log of no tournament", err, storage.ErrNotFound)
	log := []tournaments.Entry{entry(1, tournaments.Entry{Kind: tournaments.Announced, Settings: &o})}
	add := func(what string, want error, stage tournaments.Stage, entries ...tournaments.Entry) {
		t.Helper()
		err := s.AppendTournament(ctx, "t1", entries, summaryOf(o, stage, 2))
		wants(t, what, err, want)
		if err == nil {
			log = append(log, entries...)
		}
		got, err := s.TournamentLog(ctx, "t1", 1, 0)
		wants(t, "the log after "+what, err, nil)
		same(t, "the log after "+what, got, log)
	}
	entered := func(seq uint64, p accounts.Player) tournaments.Entry {
		return entry(seq, tournaments.Entry{Kind: tournaments.Entered, Who: person(p), Rating: 1500})
	}
	paired := func(seq uint64, match storage.MatchID, board int) tournaments.Entry {
		return entry(seq, tournaments.Entry{Kind: tournaments.Paired, Round: 1, Pairs: []tournaments.Pair{{Board: board, Match: match, First: 1, Second: 2}}})
	}
	add("a gap", storage.ErrStale, tournaments.Open, entered(3, ann))
	add("a second beginning", storage.ErrStale, tournaments.Open, log[0])
	add("two entrants", nil, tournaments.Open, entered(2, ann), entered(3, bob))
	add("a number that is taken", storage.ErrStale, tournaments.Open, entered(3, ann))
	add("what its kind doesn't have", storage.ErrInvalid, tournaments.Open, entry(4, tournaments.Entry{Kind: tournaments.Ended, Round: 3}))
	add("what comes after the end", storage.ErrInvalid, tournaments.Over, entry(4, tournaments.Entry{Kind: tournaments.Ended}), entered(5, ann))
	add("a round", nil, tournaments.Running, entry(4, tournaments.Entry{Kind: tournaments.Round, Round: 1}), paired(5, "m1", 1))
	play(t, s, "m7", record("M00007", "tanks", person(ann), person(bob), "first", 7))
	add("a match that is there", storage.ErrCodeTaken, tournaments.Running, paired(6, "m7", 2))
	add("a result", nil, tournaments.Running, entry(6, tournaments.Entry{Kind: tournaments.Result, Match: "m1", Result: "draw"}))
	part, err := s.TournamentLog(ctx, "t1", 4, 2)
	wants(t, "a part of the log", err, nil)
	same(t, "a part of the log", part, log[3:5])
	rest, err := s.TournamentLog(ctx, "t1", 7, 0)
	wants(t, "after the end of the log", err, nil)
	same(t, "after the end of the log", rest, []tournaments.Entry(nil))

	lists := func(what string, open, past []tournaments.Summary) {
		t.Helper()
		got, err := s.Tournaments(ctx)
		wants(t, what, err, nil)
		same(t, what+": open", got, open)
		got, err = s.PastTournaments(ctx, time.Time{}, 10)
		wants(t, what, err, nil)
		same(t, what+": past", got, past)
	}
	now := summaryOf(o, tournaments.Running, 2)
	now.ID, now.Seq, now.At = "t1", 6, minute(6)
	lists("running", []tournaments.Summary{now}, nil)
	add("the end", nil, tournaments.Over, entry(7, tournaments.Entry{Kind: tournaments.Ended}))
	now.Stage, now.Seq, now.At = tournaments.Over, 7, minute(7)
	lists("over", nil, []tournaments.Summary{now})
	add("after the end", storage.ErrStale, tournaments.Over, entered(8, ann))
	id, err := s.TournamentByCode(ctx, "AAAAAA")
	wants(t, "by code", err, nil)
	same(t, "by code", id, storage.TournamentID("t1"))
	_, err = s.TournamentByCode(ctx, "BBBBBB")
	wants(t, "by another code", err, storage.ErrNotFound)
	of, err := s.TournamentsOf(ctx, bob.ID)
	wants(t, "of a player", err, nil)
	same(t, "of a player", of, []storage.TournamentID{"t1"})
}

// tournamentsOfBlocks: players from one block of addresses announce few tournaments, and all players leave places to the club.
func tournamentsOfBlocks(t *testing.T, s Store) {
	open := 0
	var first, second storage.PlayerID // of block 1
	announce := func(from byte, want error) {
		t.Helper()
		p := signUp(t, s, fmt.Sprint("p", open, "-", from))
		if from > 0 {
			if from == 1 {
				first, second = second, p.ID
			}
			block := netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, from, 0}), 24)
			wants(t, "a visit", s.Visited(t.Context(), p.ID, "", block, false, start), nil)
		}
		announced(t, s, storage.TournamentID(fmt.Sprint("t", open)), fmt.Sprintf("T%05d", open), person(p), want)
		if want == nil {
			open++
		}
	}
	for range tournaments.OfBlock {
		announce(1, nil)
	}
	announce(1, tournaments.ErrMany)
	announce(2, nil)
	blocks, err := s.LastBlocks(t.Context(), []storage.PlayerID{first, second, "2222222222222222"})
	wants(t, "blocks", err, nil)
	if len(blocks) != 2 || blocks[first] == "" || blocks[first] != blocks[second] {
		t.Errorf("two players of one block come from %q", blocks)
	}
	for open < tournaments.MaxOpen-tournaments.ForClub {
		announce(0, nil)
	}
	announce(0, tournaments.ErrMany)
	announce(3, tournaments.ErrMany)
	o := SampleSettings("OOOOOO", person(signUp(t, s, "operator")))
	o.ByOperator = true
	err = s.AppendTournament(t.Context(), "operators", []tournaments.Entry{entry(1, tournaments.Entry{Kind: tournaments.Announced, Settings: &o})}, summaryOf(o, tournaments.Open, 0))
	wants(t, "an operator announces", err, nil)
	for n := range tournaments.ForClub - 1 {
		announced(t, s, storage.TournamentID(fmt.Sprintf("u%d", n)), fmt.Sprintf("U%05d", n), storage.Occupant{}, nil)
	}
	announced(t, s, "more", "MORE00", storage.Occupant{}, tournaments.ErrMany)
}

func tournamentBounds(t *testing.T, s Store) {
	ann := signUp(t, s, "ann")
	announced(t, s, "t1", "AAAAAA", person(ann), nil)
	announced(t, s, "t2", "BBBBBB", person(ann), tournaments.ErrOther)
	announced(t, s, "t2", "AAAAAA", storage.Occupant{}, storage.ErrCodeTaken)
	play(t, s, "m7", record("M00007", "tanks", person(ann), guest, "", 7))
	announced(t, s, "t2", "M00007", storage.Occupant{}, storage.ErrCodeTaken)
	if err := s.Append(t.Context(), "m8", []matchstore.Event{opened("AAAAAA", guest, robot)}, matchstore.Summary{}); !errors.Is(err, storage.ErrCodeTaken) {
		t.Errorf("a match with the code of a tournament: %v, want ErrCodeTaken", err)
	}
	for n := range tournaments.MaxOpen - 1 {
		announced(t, s, storage.TournamentID(fmt.Sprintf("u%d", n)), fmt.Sprintf("U%05d", n), storage.Occupant{}, nil)
	}
	announced(t, s, "t2", "BBBBBB", storage.Occupant{}, tournaments.ErrMany)
	err := s.AppendTournament(t.Context(), "t1", []tournaments.Entry{entry(2, tournaments.Entry{Kind: tournaments.CalledOff, Reason: tournaments.ByAnnouncer})},
		summaryOf(SampleSettings("AAAAAA", person(ann)), tournaments.Off, 0))
	wants(t, "call it off", err, nil)
	announced(t, s, "t2", "BBBBBB", person(ann), nil)
}

func forgottenEntrants(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	o := announced(t, s, "t1", "AAAAAA", person(ann), nil)
	enter := func(id storage.TournamentID, o tournaments.Settings, p accounts.Player, seq uint64) {
		t.Helper()
		wants(t, "enter", s.AppendTournament(ctx, id, []tournaments.Entry{entry(seq, tournaments.Entry{Kind: tournaments.Entered, Who: person(p)})}, summaryOf(o, tournaments.Open, 1)), nil)
	}
	enter("t1", o, ann, 2)
	enter("t1", o, bob, 3)
	p := announced(t, s, "t2", "BBBBBB", person(bob), nil)
	enter("t2", p, ann, 2)
	last := summaryOf(p, tournaments.Over, 1)
	last.Winner = ann.Name
	wants(t, "end", s.AppendTournament(ctx, "t2", []tournaments.Entry{entry(3, tournaments.Entry{Kind: tournaments.Ended})}, last), nil)
	_, err := s.DeletePlayer(ctx, ann.ID, minute(10))
	wants(t, "delete", err, nil)
	for range 2 {
		wants(t, "forget", s.ForgetEntrant(ctx, ann.ID), nil)
	}
	for _, id := range []storage.TournamentID{"t1", "t2"} {
		log, err := s.TournamentLog(ctx, id, 1, 0)
		wants(t, "the log", err, nil)
		for _, e := range log {
			who := e.Who
			if e.Settings != nil {
				who = e.Settings.By
			}
			if want := map[string]string{string(ann.ID): accounts.FormerPlayer, string(bob.ID): "bob", "": ""}[who.ID]; who.Name != want {
				t.Errorf("entry %d of %s names %q, want %q", e.Seq, id, who.Name, want)
			}
		}
	}
	open, err := s.Tournaments(ctx)
	wants(t, "open", err, nil)
	past, err := s.PastTournaments(ctx, time.Time{}, 10)
	wants(t, "past", err, nil)
	if open[0].Settings.By.Name != accounts.FormerPlayer || past[0].Winner != accounts.FormerPlayer || past[0].Settings.By.Name != "bob" {
		t.Errorf("lists show %q, %q and %q", open[0].Settings.By.Name, past[0].Winner, past[0].Settings.By.Name)
	}
}

func pastTournaments(t *testing.T, s Store) {
	ctx := t.Context()
	ann := signUp(t, s, "ann")
	for n, end := range []tournaments.Entry{
		{Kind: tournaments.Ended}, {Kind: tournaments.CalledOff, Reason: tournaments.ByFew}, {Kind: tournaments.Ended},
	} {
		id := storage.TournamentID(fmt.Sprintf("t%d", n))
		o := announced(t, s, id, strings.Repeat(string(rune('A'+n)), 6), person(ann), nil)
		end.Seq, end.At = 2, minute(10+n)
		stage := tournaments.Over
		if end.Kind == tournaments.CalledOff {
			stage = tournaments.Off
		}
		wants(t, "end", s.AppendTournament(ctx, id, []tournaments.Entry{end}, summaryOf(o, stage, 0)), nil)
	}
	shows := func(what string, before time.Time, most int, want ...storage.TournamentID) {
		t.Helper()
		got, err := s.PastTournaments(ctx, before, most)
		wants(t, what, err, nil)
		var ids []storage.TournamentID
		for _, m := range got {
			ids = append(ids, m.ID)
		}
		same(t, what, ids, want)
	}
	shows("all", time.Time{}, 10, "t2", "t1", "t0")
	shows("one", time.Time{}, 1, "t2")
	shows("before it", minute(12), 10, "t1", "t0")
	wants(t, "sweep", s.SweepTournaments(ctx, minute(11).Add(tournaments.OffLife)), nil)
	shows("after a week", time.Time{}, 10, "t2", "t0")
	wants(t, "sweep", s.SweepTournaments(ctx, minute(10).Add(tournaments.PastLife)), nil)
	shows("after a year", time.Time{}, 10, "t2")
	for _, code := range []string{"AAAAAA", "BBBBBB"} {
		_, err := s.TournamentByCode(ctx, code)
		wants(t, code, err, storage.ErrNotFound)
	}
	_, err := s.TournamentLog(ctx, "t0", 1, 0)
	wants(t, "its log", err, storage.ErrNotFound)
	of, err := s.TournamentsOf(ctx, ann.ID)
	wants(t, "of a player", err, nil)
	same(t, "of a player", of, []storage.TournamentID{"t2"})
}

func tournamentSeries(t *testing.T, s Store) {
	ctx := t.Context()
	series := tournaments.Series{ID: "s1", Settings: SampleSettings("", storage.Occupant{}), Day: time.Friday, Hour: 20, Zone: "Europe/Lisbon"}
	series.Settings.Begins, series.Settings.Series = time.Time{}, "s1"
	wants(t, "add", s.AddSeries(ctx, series), nil)
	wants(t, "an hour that no day has", s.AddSeries(ctx, tournaments.Series{ID: "s2", Settings: series.Settings, Hour: 24, Zone: "UTC"}), storage.ErrInvalid)
	one := func(id storage.TournamentID, code string, begins time.Time, want error) {
		t.Helper()
		o := series.Settings
		o.Code, o.Begins = code, begins
		err := s.AppendTournament(ctx, id, []tournaments.Entry{entry(1, tournaments.Entry{Kind: tournaments.Announced, Settings: &o})}, summaryOf(o, tournaments.Open, 0))
		wants(t, "announce "+string(id), err, want)
	}
	one("t1", "AAAAAA", minute(60), nil)
	one("t2", "BBBBBB", minute(60), tournaments.ErrOther)
	one("t2", "BBBBBB", minute(120), nil)
	got, err := s.Series(ctx)
	wants(t, "all", err, nil)
	series.Last = minute(120)
	same(t, "all", got, []tournaments.Series{series})
	wants(t, "remove", s.RemoveSeries(ctx, "s1"), nil)
	wants(t, "remove twice", s.RemoveSeries(ctx, "s1"), storage.ErrNotFound)
	one("t3", "CCCCCC", minute(180), tournaments.ErrOther)
	for n := range tournaments.MaxSeries {
		series.ID = tournaments.SeriesID(fmt.Sprintf("s%d", n))
		wants(t, "add", s.AddSeries(ctx, series), nil)
	}
	series.ID = "more"
	wants(t, "one too many", s.AddSeries(ctx, series), tournaments.ErrManySeries)
}

// memoryTournaments are the tournaments of a Memory.
type memoryTournaments struct {
	logs   map[storage.TournamentID][]tournaments.Entry
	sums   map[storage.TournamentID]tournaments.Summary
	series map[tournaments.SeriesID]tournaments.Series
}

// AppendTournament implements Tournaments.
func (m *Memory) AppendTournament(ctx context.Context, id storage.TournamentID, entries []tournaments.Entry, sum tournaments.Summary) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	all := &m.events
	if all.logs == nil {
		*all = memoryTournaments{map[storage.TournamentID][]tournaments.Entry{}, map[storage.TournamentID]tournaments.Summary{}, map[tournaments.SeriesID]tournaments.Series{}}
	}
	for i, e := range entries {
		if e.Kind == tournaments.Ended && (e.Round != 0 || i < len(entries)-1) {
			return storage.ErrInvalid
		}
	}
	log := all.logs[id]
	if uint64(len(log))+1 != entries[0].Seq || all.sums[id].Stage.Closed() {
		return storage.ErrStale
	}
	if o := entries[0].Settings; o != nil {
		open, players, same, other := 0, 0, 0, false
		block := func(o *tournaments.Settings) string { return m.blocks[storage.PlayerID(o.By.ID)].From }
		for _, one := range all.sums {
			if one.Settings.Code == o.Code {
				return storage.ErrCodeTaken
			}
			if !one.Stage.Closed() {
				open++
				if !one.Settings.OfClub() {
					players++
					if from := block(o); from != "" && block(&one.Settings) == from {
						same++
					}
				}
				other = other || o.By.ID != "" && one.Settings.By.ID == o.By.ID
			}
		}
		series, there := all.series[o.Series]
		switch _, taken := m.codes[o.Code]; {
		case taken:
			return storage.ErrCodeTaken
		case open >= tournaments.MaxOpen, !o.OfClub() && (players >= tournaments.MaxOpen-tournaments.ForClub || same >= tournaments.OfBlock):
			return tournaments.ErrMany
		case other, o.Series != "" && (!there || !series.Last.Before(o.Begins)):
			return tournaments.ErrOther
		}
		if o.Series != "" {
			series.Last = o.Begins
			all.series[o.Series] = series
		}
	}
	for _, e := range entries {
		for _, p := range e.Pairs {
			if _, over := m.finished[p.Match]; over || m.logs[p.Match] != nil {
				return storage.ErrCodeTaken
			}
		}
	}
	sum.ID, sum.Seq, sum.At = id, entries[len(entries)-1].Seq, entries[len(entries)-1].At
	all.logs[id], all.sums[id] = append(slices.Clip(log), entries...), sum
	return nil
}

// TournamentLog implements Tournaments.
func (m *Memory) TournamentLog(ctx context.Context, id storage.TournamentID, from uint64, most int) ([]tournaments.Entry, error) {
	return find(m, ctx, func() ([]tournaments.Entry, bool) {
		log := m.events.logs[id]
		rest := log[min(len(log), int(max(from, 1)-1)):]
		if most > 0 {
			rest = rest[:min(len(rest), most)]
		}
		return slices.Clone(rest), log != nil
	})
}

// Tournaments implements Tournaments.
func (m *Memory) Tournaments(ctx context.Context) ([]tournaments.Summary, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return m.tournaments(func(sum tournaments.Summary) bool { return !sum.Stage.Closed() }), nil
}

// tournaments returns the summaries that are shown, by id.
func (m *Memory) tournaments(shown func(tournaments.Summary) bool) (all []tournaments.Summary) {
	for _, sum := range m.events.sums {
		if shown(sum) {
			sum.Settings = copyOf(sum.Settings)
			all = append(all, sum)
		}
	}
	slices.SortFunc(all, func(a, b tournaments.Summary) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// PastTournaments implements Tournaments.
func (m *Memory) PastTournaments(ctx context.Context, before time.Time, most int) ([]tournaments.Summary, error) {
	return find(m, ctx, func() ([]tournaments.Summary, bool) {
		all := m.tournaments(func(sum tournaments.Summary) bool {
			return sum.Stage.Closed() && (before.IsZero() || sum.At.Before(before))
		})
		slices.SortStableFunc(all, func(a, b tournaments.Summary) int { return b.At.Compare(a.At) })
		return all[:min(len(all), most)], true
	})
}

// TournamentByCode implements Tournaments.
func (m *Memory) TournamentByCode(ctx context.Context, code string) (storage.TournamentID, error) {
	return find(m, ctx, func() (storage.TournamentID, bool) {
		for id, sum := range m.events.sums {
			if sum.Settings.Code == code {
				return id, true
			}
		}
		return "", false
	})
}

// TournamentsOf implements Tournaments.
func (m *Memory) TournamentsOf(ctx context.Context, id storage.PlayerID) ([]storage.TournamentID, error) {
	return find(m, ctx, func() (all []storage.TournamentID, ok bool) {
		for of, log := range m.events.logs {
			if slices.ContainsFunc(log, func(e tournaments.Entry) bool {
				return e.Who.ID == string(id) || e.Settings != nil && e.Settings.By.ID == string(id)
			}) {
				all = append(all, of)
			}
		}
		slices.Sort(all)
		return all, true
	})
}

// ForgetEntrant implements Tournaments.
func (m *Memory) ForgetEntrant(ctx context.Context, id storage.PlayerID) error {
	_, err := find(m, ctx, func() (none struct{}, ok bool) {
		for of, log := range m.events.logs {
			log, before := slices.Clone(log), ""
			for i, e := range log {
				if e.Settings != nil && e.Settings.By.ID == string(id) {
					o := *e.Settings
					before, o.By.Name = o.By.Name, accounts.FormerPlayer
					log[i].Settings = &o
				}
				if e.Who.ID == string(id) {
					before, log[i].Who.Name = e.Who.Name, accounts.FormerPlayer
				}
			}
			sum := m.events.sums[of]
			if sum.Settings.By.ID == string(id) {
				sum.Settings.By.Name = accounts.FormerPlayer
			}
			if before != "" && sum.Winner == before {
				sum.Winner = accounts.FormerPlayer
			}
			m.events.logs[of], m.events.sums[of] = log, sum
		}
		return none, true
	})
	return err
}

// SweepTournaments implements Tournaments.
func (m *Memory) SweepTournaments(ctx context.Context, now time.Time) error {
	_, err := find(m, ctx, func() (none struct{}, ok bool) {
		for id, sum := range m.events.sums {
			life := map[tournaments.Stage]time.Duration{tournaments.Over: tournaments.PastLife, tournaments.Off: tournaments.OffLife}[sum.Stage]
			if life > 0 && !now.Before(sum.At.Add(life)) {
				delete(m.events.sums, id)
				delete(m.events.logs, id)
			}
		}
		return none, true
	})
	return err
}

// AddSeries implements Tournaments.
func (m *Memory) AddSeries(ctx context.Context, series tournaments.Series) error {
	if series.Hour > 23 {
		return storage.ErrInvalid
	}
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	switch {
	case m.events.series == nil:
		m.events = memoryTournaments{map[storage.TournamentID][]tournaments.Entry{}, map[storage.TournamentID]tournaments.Summary{}, map[tournaments.SeriesID]tournaments.Series{}}
	case len(m.events.series) >= tournaments.MaxSeries:
		return tournaments.ErrManySeries
	}
	m.events.series[series.ID] = series
	return nil
}

// RemoveSeries implements Tournaments.
func (m *Memory) RemoveSeries(ctx context.Context, id tournaments.SeriesID) error {
	_, err := find(m, ctx, func() (none struct{}, ok bool) {
		_, ok = m.events.series[id]
		delete(m.events.series, id)
		return none, ok
	})
	return err
}

// Series implements Tournaments.
func (m *Memory) Series(ctx context.Context) ([]tournaments.Series, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	all := slices.Collect(maps.Values(m.events.series))
	slices.SortFunc(all, func(a, b tournaments.Series) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}
