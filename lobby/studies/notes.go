// Package studies keeps the notes of players on finished matches, and the records from elsewhere that players study.
package studies

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	studystore "ludoteca/storage/studies"
)

// A Note is what a player wrote on a position of a match, as it is stored.
type Note = studystore.Note

// A Store keeps notes; see studies.Store.
type Store interface {
	SetNote(ctx context.Context, id storage.PlayerID, all []storage.PlayerID, match storage.MatchID, n Note) ([]Note, error)
	NotesOn(ctx context.Context, ids []storage.PlayerID, match storage.MatchID) ([]Note, error)
	NotesBy(ctx context.Context, id storage.PlayerID) (map[storage.MatchID][]Note, error)

	Import(ctx context.Context, st Study) error
	Imported(ctx context.Context, ids []storage.PlayerID) ([]Study, error)
	ImportedAs(ctx context.Context, ids []storage.PlayerID, id storage.MatchID) (Study, error)
	RemoveStudy(ctx context.Context, ids []storage.PlayerID, id storage.MatchID) error
}

// Restrictions knows who may keep something, and the accounts of players; see restrictions.Service.
type Restrictions interface {
	Own(u match.User) error
	AccountsOf(id storage.PlayerID) []storage.PlayerID // the player's own and those merged into it
}

// A Config configures New.
type Config struct {
	Store        Store
	Restrictions Restrictions
	Now          func() time.Time // the clock of events

	Games []games.Game // that records may be of

	Origin func(storage.Occupant) origin.Origin // of a user; it must not wait
}

// A Service has the notes of players. Only their author sees them: they are never logged, and no operator reads them. The notes of an account that
// was merged into another one are also notes of that one. Any goroutine may use a Service.
type Service struct {
	config   Config
	throttle *origin.Throttle // notes of people
	imports  *origin.Throttle // records that people import
}

// New returns a service.
func New(c Config) *Service {
	return &Service{
		config: c, throttle: origin.NewSharedThrottle(noteEvery, noteBurst, noteTogether, authors),
		imports: origin.NewSharedThrottle(importEvery, importBurst, importTogether, authors),
	}
}

// How often a person may write a note. A block of addresses may write as often as noteTogether people for each unit of its weight.
const (
	noteEvery    = 3 * time.Second
	noteBurst    = 20 // in a row
	noteTogether = 4
	authors      = 1 << 12 // people that are remembered
)

// checkText returns a typed note as it is stored, without spaces around it. ok is false for more than studies.MaxRunes characters, for text that is
// not UTF-8, and for characters that control a terminal or the direction of a line.
func checkText(typed string) (note string, ok bool) {
	if len(typed) > 4*studystore.MaxRunes*utf8.UTFMax { // spaces and all
		return "", false
	}
	note = strings.TrimSpace(typed)
	ok = utf8.ValidString(note) && utf8.RuneCountInString(note) <= studystore.MaxRunes &&
		!strings.ContainsFunc(note, func(r rune) bool { return unicode.Is(unicode.C, r) })
	return note, ok
}

// WriteNote sets the note of a user on the position after ply moves of a match that the user may see, and returns the user's notes on the match. A
// note without a text removes the one on that position. The note is on disk then.
//
// The errors are refusal.ErrNeedsKey, refusal.ErrNoAccount, refusal.ErrAccountClosed, refusal.ErrNotOver, refusal.ErrNoPly, refusal.ErrNote,
// refusal.ErrManyNotes, refusal.ErrNoRecord, refusal.ErrNoNote, *refusal.ChattyError and refusal.ErrBusy.
func (s *Service) WriteNote(ctx context.Context, u match.User, v *match.View, ply int, typed string) ([]Note, error) {
	if err := s.config.Restrictions.Own(u); err != nil {
		return nil, err
	}
	note, ok := checkText(typed)
	switch {
	case !ok:
		return nil, refusal.ErrNote
	case !v.Over:
		return nil, refusal.ErrNotOver
	case ply < 0 || ply > v.Ply():
		return nil, refusal.ErrNoPly
	}
	if wait, ok := s.throttle.Take(time.Now(), s.config.Origin(u.Occupant())); !ok {
		return nil, &refusal.ChattyError{Wait: wait}
	}
	notes, err := s.config.Store.SetNote(ctx, u.Player(), s.config.Restrictions.AccountsOf(u.Player()), v.ID, Note{Ply: ply, Text: note, At: s.config.Now()})
	switch {
	case errors.Is(err, studystore.ErrManyNotes):
		return nil, refusal.ErrManyNotes
	case errors.Is(err, studystore.ErrNoRecord):
		return nil, refusal.ErrNoRecord
	case errors.Is(err, storage.ErrUnchanged):
		return nil, refusal.ErrNoNote
	case errors.Is(err, storage.ErrNotFound):
		return nil, refusal.ErrNoAccount
	}
	return notes, refusal.OfStore(err)
}

// Notes returns the notes of a user on a match, by ply; none for a guest. The error is refusal.ErrBusy.
func (s *Service) Notes(ctx context.Context, u match.User, id storage.MatchID) ([]Note, error) {
	if !u.Kind.HasAccount() {
		return nil, nil
	}
	notes, err := s.config.Store.NotesOn(ctx, s.config.Restrictions.AccountsOf(u.Player()), id)
	return notes, refusal.OfStore(err)
}

// AllNotes returns all notes of a user, by match. The errors are refusal.ErrNeedsKey and refusal.ErrBusy.
func (s *Service) AllNotes(ctx context.Context, u match.User) (map[storage.MatchID][]Note, error) {
	if !u.Kind.HasAccount() {
		return nil, refusal.ErrNeedsKey
	}
	all := map[storage.MatchID][]Note{}
	for _, id := range s.config.Restrictions.AccountsOf(u.Player()) {
		notes, err := s.config.Store.NotesBy(ctx, id)
		if err != nil {
			return nil, refusal.OfStore(err)
		}
		for match, on := range notes {
			all[match] = append(all[match], on...)
		}
	}
	return all, nil
}
