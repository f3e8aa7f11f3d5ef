package studies

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"ludoteca/games"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
	studystore "ludoteca/storage/studies"
)

// A Study is a record from elsewhere that a player keeps, as it is stored. Only that player sees it.
type Study = studystore.Study

// What a record that is imported may have at most, and how often a person may import one.
const (
	MaxText  = studystore.MaxText // bytes
	MaxPlies = 2000

	importEvery    = 20 * time.Second
	importBurst    = 3
	importTogether = 4
)

// importTries is how often an ID is chosen for a study. Hardly any is taken.
const importTries = 3

// Import keeps a record as a study of a user. What controls a terminal or the direction of a line is left out of its headers. The study is on disk
// then.
//
// The errors are refusal.ErrNeedsKey, refusal.ErrNoAccount, refusal.ErrAccountClosed, *refusal.ChattyError, a *games.RecordError that says
// where the record is wrong, refusal.ErrLongRecord, refusal.ErrManyStudies and refusal.ErrBusy.
func (s *Service) Import(ctx context.Context, u match.User, text string) (Study, error) {
	if err := s.config.Restrictions.Own(u); err != nil {
		return Study{}, err
	}
	if wait, ok := s.imports.Take(time.Now(), s.config.Origin(u.Occupant())); !ok {
		return Study{}, &refusal.ChattyError{Wait: wait}
	}
	if len(text) > MaxText {
		return Study{}, refusal.ErrLongRecord
	}
	r, _, err := games.ReadRecord(strings.NewReader(text), s.game)
	if err != nil {
		return Study{}, err
	}
	for i, h := range r.Headers {
		r.Headers[i].Value = strings.Map(visible, h.Value)
	}
	var kept strings.Builder
	if err := r.Write(&kept); err != nil {
		return Study{}, err
	}
	if len(r.Moves) > MaxPlies || kept.Len() > MaxText {
		return Study{}, refusal.ErrLongRecord
	}
	st := Study{
		Player: u.Player(), Game: r.Get(games.HeaderGame), First: r.Get(games.HeaderFirst), Second: r.Get(games.HeaderSecond), Result: r.Result,
		Plies: len(r.Moves), At: s.config.Now(), Text: kept.String(),
	}
	if g, ok := s.game(st.Game); ok { // the record may have its alias
		st.Game = g.About().ID
	}
	for range importTries {
		st.ID = codes.NewID()
		if err = s.config.Store.Import(ctx, st); !errors.Is(err, storage.ErrStale) {
			break
		}
	}
	return st, ofImport(err)
}

func (s *Service) game(id string) (games.Game, bool) { return games.Find(s.config.Games, id) }

// Record returns a study as the record of a match: its seats have names alone, and all moves were made when it was imported.
func (s *Service) Record(st Study) (results.Finished, error) {
	r, end, err := games.ReadRecord(strings.NewReader(st.Text), s.game)
	if err != nil {
		return results.Finished{}, refusal.ErrDamaged
	}
	f := results.Finished{
		ID: st.ID, Game: st.Game, Options: end.Options(), Reason: r.Get(games.HeaderReason), Plies: len(r.Moves), Started: st.At, Ended: st.At,
		First: seat(r, games.HeaderFirstKind, st.First, "first"), Second: seat(r, games.HeaderSecondKind, st.Second, "second"),
		Result: map[string]string{games.TokenFirst: "first", games.TokenSecond: "second", games.TokenDraw: "draw"}[r.Result],
		Course: results.Course{Moves: r.Moves},
	}
	f.From, _ = r.Start() // it was read with the record
	for range f.Moves {
		f.Times = append(f.Times, st.At)
	}
	return f, nil
}

// View returns a study as a view of a finished match. The error is refusal.ErrDamaged if the program doesn't take it for one.
func (s *Service) View(st Study) (*match.View, error) {
	f, err := s.Record(st)
	if err != nil {
		return nil, err
	}
	said, end := f.Reason, s.end(f)
	f.Code, f.Reason = strings.Repeat(match.CodeLetters[:1], match.CodeLength), reasonAny // a match of the club has a code, and ends for few reasons
	if end.Over {
		f.Result, f.Reason = end.String(), end.Reason
	}
	state, err := match.Replay(f, func(id string) (games.Game, error) {
		g, ok := s.game(id)
		if !ok {
			return nil, refusal.ErrNoSuchGame
		}
		return g, nil
	})
	if err != nil {
		return nil, refusal.ErrDamaged
	}
	v := state.View()
	v.Code, v.Reason = "", cmp.Or(said, end.Reason)
	return v, nil
}

// reasonAny is a reason for which a match may end with any result.
const reasonAny = "adjudicated"

// end returns how a game ended by its rules; the zero value if it didn't.
func (s *Service) end(f results.Finished) games.Result {
	g, ok := s.game(f.Game)
	if !ok {
		return games.Result{}
	}
	start, err := g.New(f.Options)
	if f.From != "" {
		start, err = games.Study(g, f.From)
	}
	if err != nil {
		return games.Result{}
	}
	end, err := games.ReplayFrom(start, f.Moves)
	if err != nil {
		return games.Result{}
	}
	return end.Result()
}

// seat returns the occupant of a seat by its headers. A record names nobody by an id of the club.
func seat(r *games.Record, kind, name, side string) storage.Occupant {
	return storage.Occupant{Kind: kindOf(r.Get(kind)), ID: "study " + side, Name: cmp.Or(name, "?")}
}

// kindOf returns the kind of a seat that a record says: a person unless it names another one.
func kindOf(kind string) storage.OccupantKind {
	for _, k := range []storage.OccupantKind{storage.Bot, storage.Guest} {
		if kind == string(k) {
			return k
		}
	}
	return storage.Person
}

// visible drops what controls a terminal or the direction of a line.
func visible(r rune) rune {
	if unicode.Is(unicode.C, r) {
		return -1
	}
	return r
}

func ofImport(err error) error {
	switch {
	case errors.Is(err, studystore.ErrManyStudies):
		return refusal.ErrManyStudies
	case errors.Is(err, storage.ErrNotFound):
		return refusal.ErrNoAccount
	}
	return refusal.OfStore(err)
}

// Imported returns the studies of a user, the newest first. The errors are refusal.ErrNeedsKey and refusal.ErrBusy.
func (s *Service) Imported(ctx context.Context, u match.User) ([]Study, error) {
	if !u.Kind.HasAccount() {
		return nil, refusal.ErrNeedsKey
	}
	all, err := s.config.Store.Imported(ctx, s.config.Restrictions.AccountsOf(u.Player()))
	return all, refusal.OfStore(err)
}

// Study returns the study of a user that an id names, in any letter case. The errors are refusal.ErrNoSuchMatch, also for the study of another
// player, and refusal.ErrBusy.
func (s *Service) Study(ctx context.Context, u match.User, typed string) (Study, error) {
	id := codes.ReadID(typed)
	if !u.Kind.HasAccount() || id == "" {
		return Study{}, refusal.ErrNoSuchMatch
	}
	st, err := s.config.Store.ImportedAs(ctx, s.config.Restrictions.AccountsOf(u.Player()), id)
	if errors.Is(err, storage.ErrNotFound) {
		return Study{}, refusal.ErrNoSuchMatch
	}
	return st, refusal.OfStore(err)
}

// RemoveStudy removes the study of a user that an id names, with the notes on it. The errors are refusal.ErrNeedsKey, refusal.ErrNoSuchMatch, also
// for the study of another player, and refusal.ErrBusy.
func (s *Service) RemoveStudy(ctx context.Context, u match.User, typed string) error {
	id := codes.ReadID(typed)
	switch {
	case !u.Kind.HasAccount():
		return refusal.ErrNeedsKey
	case id == "":
		return refusal.ErrNoSuchMatch
	}
	err := s.config.Store.RemoveStudy(ctx, s.config.Restrictions.AccountsOf(u.Player()), id)
	if errors.Is(err, storage.ErrNotFound) {
		return refusal.ErrNoSuchMatch
	}
	return refusal.OfStore(err)
}
