// Package tournaments stores tournaments, each as a log of numbered entries with a summary and a code.
package tournaments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// A Store keeps tournaments.
type Store struct{ engine kv.Store }

// New returns the tournaments that an engine keeps.
func New(engine kv.Store) *Store { return &Store{engine} }

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{Summaries, Past, Logs, Codes, Parts, AllSeries},
	}
}

// The bounds of tournaments.
const (
	MaxOpen = 100  // open or running in the club
	ForClub = 20   // of these, that are kept for operators and series
	OfBlock = 8    // that players from one block of addresses may have open or running, the /24 or /48 from which they came last
	MaxPast = 2000 // that are kept after their end

	// PastLife is how long a tournament is kept after its end, its log included. One that was called off, which nobody has played in, is kept
	// for OffLife.
	PastLife = 365 * 24 * time.Hour
	OffLife  = 7 * 24 * time.Hour
)

// The errors of Append about a new tournament.
var (
	ErrMany  = errors.New("too many tournaments are announced")
	ErrOther = errors.New("another tournament of the player is announced") // or of the series for the same time, or a later one
)

// Codes are the tournaments by code.
var Codes = storage.Table[string, storage.TournamentID]{
	Name: "tournament_codes", Traits: storage.Traits{Secret: true},
	Keys:   storage.Text(func(code string) bool { return code != "" }),
	Values: storage.Plain[string](func(id storage.TournamentID) bool { return id != "" }),
}

// A PartKey names the part that a player has in a tournament.
type PartKey struct {
	Player     storage.PlayerID
	Tournament storage.TournamentID
}

// A Part is the numbers of the entries that name a player. Its JSON form is the stored one.
type Part struct {
	Entries []uint64 `json:"entries"`
}

// Parts are the parts of players in tournaments.
var Parts = storage.Table[PartKey, Part]{
	Name: "tournament_parts",
	Keys: storage.Join(storage.Text(storage.IsPlayerID), storage.Text[storage.TournamentID](nil),
		func(k PartKey) (storage.PlayerID, storage.TournamentID) { return k.Player, k.Tournament },
		func(id storage.PlayerID, of storage.TournamentID) PartKey { return PartKey{id, of} }),
	Values: storage.JSON[PartKey, Part](1),
	Check: func(_ PartKey, p Part) error {
		if len(p.Entries) == 0 {
			return storage.Damaged("a player with no part in a tournament")
		}
		return nil
	},
}

// AppendTournament adds entries to the log of a tournament and returns when they are on disk, all or none, with the summary after them. They have
// consecutive numbers; the first number must be the next one of the log, else the error is ErrStale. The first entry, Announced, registers the
// code: the error is ErrCodeTaken if another tournament or a match has it, ErrMany if there is no room among MaxOpen, ForClub and OfBlock, and
// ErrOther if the announcer has one that is open or running, or the series has had one since. A pair of Paired has the id of a match that isn't
// there, else the error is ErrCodeTaken too. ID, Seq and At of the summary are not looked at. ctx and ErrCommit are as for matches.Store.Append.
func (s *Store) AppendTournament(ctx context.Context, id storage.TournamentID, entries []Entry, m Summary) error {
	if err := checkEntries(id, entries); err != nil {
		return fmt.Errorf("storage: append to tournament %s: %w", id, err)
	}
	last := entries[len(entries)-1]
	m.ID, m.Seq, m.At = id, last.Seq, last.At
	if err := checkSummary(m); err != nil {
		return fmt.Errorf("storage: append to tournament %s: %w", id, err)
	}
	return storage.Update(ctx, s.engine, fmt.Sprintf("append to tournament %s", id), func(tx kv.Tx) error {
		if err := checkNext(tx, id, entries[0].Seq); err != nil {
			return err
		}
		if o := entries[0].Settings; o != nil {
			if err := announce(tx, id, o); err != nil {
				return err
			}
		}
		for _, e := range entries {
			if err := add(tx, id, e); err != nil {
				return err
			}
		}
		if last.Kind == Ended || last.Kind == CalledOff {
			Summaries.Delete(tx, id)
			return Past.Put(tx, PastKey{last.At, id}, m)
		}
		return Summaries.Put(tx, id, m)
	})
}

// checkEntries refuses entries that don't belong together, or that would not come back as they are.
func checkEntries(id storage.TournamentID, entries []Entry) error {
	if err := storage.CheckKeys(string(id)); err != nil {
		return err
	}
	if len(entries) == 0 {
		return fmt.Errorf("%w: no entries", storage.ErrInvalid)
	}
	for i, e := range entries {
		if want := entries[0].Seq + uint64(i); e.Seq != want {
			return fmt.Errorf("%w: entry %d where %d should be", storage.ErrInvalid, e.Seq, want)
		}
		if (e.Kind == Ended || e.Kind == CalledOff) && i < len(entries)-1 {
			return fmt.Errorf("%w: entry %d comes after the end", storage.ErrInvalid, e.Seq+1)
		}
		if err := checkEntry(e); err != nil {
			return err
		}
	}
	return nil
}

// checkNext returns ErrStale if seq is not the next number in the log of a tournament. A tournament that has ended has no next number.
func checkNext(r kv.Reader, id storage.TournamentID, seq uint64) error {
	last, there, err := Logs.Under(string(id)).Last(r)
	switch {
	case err != nil:
		return err
	case there && (last.Value.Kind == Ended || last.Value.Kind == CalledOff), last.Key.Seq+1 != seq:
		return storage.ErrStale
	}
	return nil
}

// announce registers the code of a new tournament, if there may be one.
func announce(tx kv.Tx, id storage.TournamentID, o *Settings) error {
	taken, err := Codes.Has(tx, o.Code)
	if err == nil && !taken {
		taken, err = matches.Codes.Has(tx, o.Code)
	}
	switch {
	case err != nil:
		return err
	case taken:
		return storage.ErrCodeTaken
	}
	open, err := Summaries.All().Values(tx)
	if err != nil {
		return err
	}
	if len(open) >= MaxOpen {
		return ErrMany
	}
	if !o.OfClub() {
		if err := checkPlayers(tx, open, o); err != nil {
			return err
		}
	}
	if o.By.Kind.HasAccount() && slices.ContainsFunc(open, func(m Summary) bool {
		return m.Settings.By.Kind.HasAccount() && m.Settings.By.ID == o.By.ID && m.Settings.Series == ""
	}) {
		return ErrOther
	}
	if o.Series != "" {
		if err := continueSeries(tx, o.Series, o.Begins); err != nil {
			return err
		}
	}
	return Codes.Put(tx, o.Code, id)
}

// checkPlayers returns ErrMany if players, or those from the block of addresses of the announcer, have as many tournaments as they may.
func checkPlayers(r kv.Reader, open []Summary, o *Settings) error {
	block, err := accounts.LastBlock(r, storage.PlayerID(o.By.ID))
	if err != nil {
		return err
	}
	all, same := 0, 0
	for _, m := range open {
		if m.Settings.OfClub() {
			continue
		}
		all++
		if block == "" {
			continue
		}
		from, err := accounts.LastBlock(r, storage.PlayerID(m.Settings.By.ID))
		if err != nil {
			return err
		}
		if from == block {
			same++
		}
	}
	if all >= MaxOpen-ForClub || same >= OfBlock {
		return ErrMany
	}
	return nil
}

// add adds one entry to a log.
func add(tx kv.Tx, id storage.TournamentID, e Entry) error {
	var names []storage.Occupant
	switch e.Kind {
	case Announced:
		names = append(names, e.Settings.By)
	case Entered:
		names = append(names, e.Who)
	case Paired:
		if err := checkFree(tx, e.Pairs); err != nil {
			return err
		}
	}
	for _, o := range names {
		if !o.Kind.HasAccount() {
			continue
		}
		k := PartKey{storage.PlayerID(o.ID), id}
		p, _, err := Parts.Find(tx, k)
		if err != nil {
			return err
		}
		p.Entries = append(p.Entries, e.Seq)
		if err := Parts.Put(tx, k, p); err != nil {
			return err
		}
	}
	return Logs.Put(tx, LogKey{id, e.Seq}, e)
}

// checkFree returns ErrCodeTaken if one of the matches of some pairs is there already.
func checkFree(r kv.Reader, pairs []Pair) error {
	var ids []storage.MatchID
	for _, p := range pairs {
		if p.Match != "" {
			if slices.Contains(ids, p.Match) {
				return fmt.Errorf("%w: two pairs with the match %s", storage.ErrInvalid, p.Match)
			}
			ids = append(ids, p.Match)
		}
	}
	keys := make([][]byte, 0, 2*len(ids))
	for _, id := range ids {
		keys = append(keys, matches.Summaries.Key(id), results.Records.Key(id))
	}
	values, err := r.GetAll(keys)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(values, func(v []byte) bool { return v != nil }) {
		return storage.ErrCodeTaken
	}
	return nil
}

// TournamentLog returns entries of a tournament from a number on: at most some if most is above 0, else all. The error is ErrNotFound if there
// is no such tournament.
func (s *Store) TournamentLog(ctx context.Context, id storage.TournamentID, from uint64, most int) ([]Entry, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("log of tournament %s", id), func(r kv.Reader) (all []Entry, err error) {
		from := max(from, 1)
		next := from
		for e, err := range Logs.Under(string(id)).StartingAt(LogKey{id, from}).Scan(r) {
			if err != nil {
				return nil, err
			}
			if e.Key.Seq != next {
				return nil, storage.Damaged("entry %d is missing", next)
			}
			all = append(all, e.Value)
			if next++; most > 0 && len(all) == most {
				break
			}
		}
		if len(all) > 0 {
			return all, nil
		}
		there, err := Logs.Has(r, LogKey{id, 1})
		if err == nil && !there {
			err = storage.ErrNotFound
		}
		return nil, err
	})
}

// TournamentByCode returns the tournament that a code in upper case names. The error is ErrNotFound if there is none.
func (s *Store) TournamentByCode(ctx context.Context, code string) (storage.TournamentID, error) {
	return storage.View(ctx, s.engine, "tournament by code", func(r kv.Reader) (storage.TournamentID, error) { return Codes.Get(r, code) })
}

// TournamentsOf returns the tournaments that a player has announced or entered, by id.
func (s *Store) TournamentsOf(ctx context.Context, id storage.PlayerID) (all []storage.TournamentID, err error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("tournaments of player %s", id), func(r kv.Reader) ([]storage.TournamentID, error) {
		return readPartsOf(r, id)
	})
}

func readPartsOf(r kv.Reader, id storage.PlayerID) (all []storage.TournamentID, err error) {
	for e, err := range Parts.Under(string(id)).Scan(r) {
		if err != nil {
			return nil, err
		}
		all = append(all, e.Key.Tournament)
	}
	return all, nil
}

// Named reports whether a tournament names a player.
func Named(r kv.Reader, id storage.PlayerID) (bool, error) {
	_, there, err := Parts.Under(string(id)).First(r)
	return there, err
}

// A Participation is what an account's export says of one tournament.
type Participation struct {
	Code, Name string
	Begins     time.Time
	Announced  bool // by the player
	Entered    bool
}

// Participations returns what an export says of the tournaments of a player, by the time at which they begin.
func Participations(r kv.Reader, id storage.PlayerID) (all []Participation, err error) {
	for e, err := range Parts.Under(string(id)).Scan(r) {
		if err != nil {
			return nil, err
		}
		first, there, err := Logs.Find(r, LogKey{e.Key.Tournament, 1})
		if err != nil {
			return nil, err
		}
		if there {
			o, by := first.Settings, e.Value.Entries[0] == 1
			all = append(all, Participation{o.Code, o.Name, o.Begins, by, !by || len(e.Value.Entries) > 1})
		}
	}
	slices.SortStableFunc(all, func(a, b Participation) int { return a.Begins.Compare(b.Begins) })
	return all, nil
}

// forgetStep is how many tournaments of a deleted player one transaction looks at.
const forgetStep = 50

// ForgetEntrant writes FormerPlayer into the logs that name a deleted player, in short transactions. It may be repeated.
func (s *Store) ForgetEntrant(ctx context.Context, id storage.PlayerID) error {
	var parts []storage.Entry[PartKey, Part]
	err := s.engine.View(ctx, func(r kv.Reader) (err error) {
		parts, err = Parts.Under(string(id)).Entries(r)
		return err
	})
	for step := range slices.Chunk(parts, forgetStep) {
		if err == nil {
			err = s.engine.Update(ctx, func(tx kv.Tx) error {
				for _, p := range step {
					if err := forgetName(tx, p); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	if err != nil {
		return fmt.Errorf("storage: forget the name of player %s: %w", id, err)
	}
	return nil
}

// forgetName takes the name of a player out of the log and the summary of one tournament. What can't be read stays.
func forgetName(tx kv.Tx, p storage.Entry[PartKey, Part]) error {
	id := string(p.Key.Player)
	former := func(o *storage.Occupant) {
		if o.Kind.HasAccount() && o.ID == id {
			o.Name = accounts.FormerPlayer
		}
	}
	var before string // the name in the log
	var at time.Time  // of the last entry
	for _, seq := range p.Value.Entries {
		k := LogKey{p.Key.Tournament, seq}
		e, there, err := Logs.Find(tx, k)
		if err != nil || !there {
			if errors.Is(err, storage.ErrDamaged) {
				err = nil
			}
			return err
		}
		if e.Settings != nil {
			o := *e.Settings
			e.Settings = &o
			before = o.By.Name
			former(&e.Settings.By)
		} else {
			before = e.Who.Name
			former(&e.Who)
		}
		if err := Logs.Put(tx, k, e); err != nil {
			return err
		}
	}
	if m, there, err := Summaries.Find(tx, p.Key.Tournament); err != nil || there {
		former(&m.Settings.By)
		return cmp.Or(err, Summaries.Put(tx, p.Key.Tournament, m))
	}
	last, there, err := Logs.Under(string(p.Key.Tournament)).Last(tx)
	if err != nil || !there {
		return err
	}
	at = last.Value.At
	m, there, err := Past.Find(tx, PastKey{at, p.Key.Tournament})
	if err != nil || !there {
		return err
	}
	former(&m.Settings.By)
	if m.Winner == before {
		m.Winner = accounts.FormerPlayer
	}
	return Past.Put(tx, PastKey{at, p.Key.Tournament}, m)
}

// SweepTournaments forgets past tournaments: those that ended PastLife before now, those that were called off OffLife before, and the oldest above
// MaxPast.
func (s *Store) SweepTournaments(ctx context.Context, now time.Time) error {
	var old []PastKey
	err := s.engine.View(ctx, func(r kv.Reader) error {
		old = nil
		kept := 0
		for e, err := range Past.All().Reversed().Scan(r) {
			if err != nil {
				return err
			}
			life := PastLife
			if e.Value.Stage == Off {
				life = OffLife
			}
			if kept == MaxPast || !now.Before(e.Key.At.Add(life)) {
				old = append(old, e.Key)
			} else {
				kept++
			}
		}
		return nil
	})
	for _, k := range old {
		if err == nil {
			err = s.forget(ctx, k)
		}
	}
	if err != nil {
		return fmt.Errorf("storage: sweep tournaments: %w", err)
	}
	return nil
}

// forget removes a past tournament.
func (s *Store) forget(ctx context.Context, k PastKey) error {
	log, err := s.TournamentLog(ctx, k.ID, 1, 0)
	if err != nil && !errors.Is(err, storage.ErrNotFound) && !errors.Is(err, storage.ErrDamaged) {
		return err
	}
	return s.engine.Update(ctx, func(tx kv.Tx) error {
		for _, e := range log {
			who := e.Who
			if e.Settings != nil {
				who = e.Settings.By
				Codes.Delete(tx, e.Settings.Code)
			}
			if who.Kind.HasAccount() {
				Parts.Delete(tx, PartKey{storage.PlayerID(who.ID), k.ID})
			}
		}
		Past.Delete(tx, k)
		return Logs.DeleteUnder(tx, string(k.ID))
	})
}
