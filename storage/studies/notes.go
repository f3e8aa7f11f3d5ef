// Package studies stores what players note on finished matches, and the records from elsewhere that they keep.
package studies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// A Store keeps the notes and the studies.
type Store struct {
	engine kv.Store
	kept   Kept
}

// Kept reports whether the record of a match is in the store.
type Kept func(r kv.Reader, match storage.MatchID) (bool, error)

// New returns the notes that an engine keeps.
func New(engine kv.Store, kept Kept) *Store { return &Store{engine, kept} }

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{Notes, Imported},
	}
}

// The bounds of notes: what one account writes takes 1.2 million characters at most.
const (
	MaxMatches = 100 // on which one account has notes
	MaxNotes   = 40  // of one account on one match
	MaxRunes   = 280 // of a note
)

// The reasons why a note is not kept.
var (
	ErrManyNotes = errors.New("too many notes")                 // the account has MaxNotes notes on the match, or notes on MaxMatches matches
	ErrNoRecord  = errors.New("no record of the match is kept") // nor is it a study of the player
)

// A Note is what a player wrote on a position of a finished match, or of a study. Only its author sees it. Its JSON form is the stored one.
type Note struct {
	Ply  int       `json:"ply"` // how many moves were made before the position
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// A NotesKey names the notes of a player on a match.
type NotesKey struct {
	Player storage.PlayerID
	Match  storage.MatchID
}

// Notes are the notes of each player on each match, by ply: one for each position.
var Notes = storage.Table[NotesKey, []Note]{
	Name: "notes",
	Keys: storage.Join(storage.Text(storage.IsPlayerID), storage.Text[storage.MatchID](nil),
		func(k NotesKey) (storage.PlayerID, storage.MatchID) { return k.Player, k.Match },
		func(player storage.PlayerID, match storage.MatchID) NotesKey { return NotesKey{player, match} }),
	Values: storage.JSON[NotesKey, []Note](1),
	Check: func(_ NotesKey, notes []Note) error {
		if len(notes) == 0 || len(notes) > MaxNotes {
			return storage.Damaged("%d notes on a match", len(notes))
		}
		for i, n := range notes {
			if check(n) != nil || i > 0 && n.Ply <= notes[i-1].Ply {
				return storage.Damaged("a note after %d moves of %d bytes", n.Ply, len(n.Text))
			}
		}
		return nil
	},
}

func byPly(a, b Note) int { return cmp.Compare(a.Ply, b.Ply) }

// check refuses a note that makes no sense.
func check(n Note) error {
	if n.Ply < 0 || n.Text == "" || !utf8.ValidString(n.Text) || utf8.RuneCountInString(n.Text) > MaxRunes {
		return fmt.Errorf("%w: a note after %d moves, of %d bytes", storage.ErrInvalid, n.Ply, len(n.Text))
	}
	return nil
}

// With returns notes with one more, in place of the one on the same position. A note without a text is none. The errors are ErrManyNotes,
// storage.ErrUnchanged if there was no note to remove, and storage.ErrInvalid.
func With(notes []Note, n Note) ([]Note, error) {
	i, there := slices.BinarySearchFunc(notes, n, byPly)
	switch {
	case n.Text == "" && !there:
		return notes, storage.ErrUnchanged
	case n.Text == "":
		return slices.Delete(slices.Clone(notes), i, i+1), nil
	case check(n) != nil:
		return notes, check(n)
	case there:
		notes = slices.Clone(notes)
		notes[i] = n
		return notes, nil
	case len(notes) >= MaxNotes:
		return notes, ErrManyNotes
	}
	return slices.Insert(slices.Clone(notes), i, n), nil
}

// SetNote sets or removes the note of a player on a position of a match, see With, and returns the player's notes on the match then, as NotesOn
// does. all are the accounts of the player, id among them: a note that another account has on the position is removed, and the new one is kept
// for id. Where the account has notes on too many matches, those on matches without a record make room.
//
// The errors are ErrNoRecord if neither a match nor a study of these accounts has the ID, the errors of With, and ErrNotFound for an unknown player.
func (s *Store) SetNote(ctx context.Context, id storage.PlayerID, all []storage.PlayerID, match storage.MatchID, n Note) ([]Note, error) {
	n.At = storage.Stored(n.At)
	return storage.Updated(ctx, s.engine, fmt.Sprintf("notes of player %s on match %s", id, match), func(tx kv.Tx) ([]Note, error) {
		if err := storage.CheckKeys(string(id), string(match)); err != nil {
			return nil, err
		}
		if _, err := accounts.ReadKnown(tx, id); err != nil {
			return nil, err
		}
		removed, err := removeOf(tx, id, all, match, n.Ply)
		if err != nil {
			return nil, err
		}
		switch err := s.set(tx, NotesKey{id, match}, all, n); {
		case removed && errors.Is(err, storage.ErrUnchanged): // the note to remove was that of another account
		case err != nil:
			return nil, err
		}
		return notesOn(tx, all, match)
	})
}

// removeOf removes the notes on a position that accounts other than id have, and reports whether there were any.
func removeOf(tx kv.Tx, id storage.PlayerID, all []storage.PlayerID, match storage.MatchID, ply int) (removed bool, err error) {
	for _, other := range all {
		key := NotesKey{other, match}
		notes, _, err := Notes.Find(tx, key)
		if err != nil {
			return removed, err
		}
		rest, err := With(notes, Note{Ply: ply})
		if other == id || err != nil { // there is none
			continue
		}
		if removed = true; len(rest) == 0 {
			Notes.Delete(tx, key)
		} else if err := Notes.Put(tx, key, rest); err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// set sets or removes one note of an account. all are the accounts of its player.
func (s *Store) set(tx kv.Tx, key NotesKey, all []storage.PlayerID, n Note) error {
	old, there, err := Notes.Find(tx, key)
	if err != nil {
		return err
	}
	notes, err := With(old, n)
	switch {
	case err != nil:
		return err
	case len(notes) == 0:
		Notes.Delete(tx, key)
		return nil
	case !there:
		if err := s.mayBegin(tx, key, all); err != nil {
			return err
		}
	}
	return Notes.Put(tx, key, notes)
}

// mayBegin returns nil if an account may have notes on one more match, or on one more study of its player.
func (s *Store) mayBegin(tx kv.Tx, key NotesKey, all []storage.PlayerID) error {
	if there, err := s.hasRecord(tx, all, key.Match); err != nil || !there {
		return cmp.Or(err, ErrNoRecord)
	}
	var have []storage.MatchID
	for e, err := range Notes.Under(string(key.Player)).Scan(tx) {
		if err != nil {
			return err
		}
		have = append(have, e.Key.Match)
	}
	if len(have) < MaxMatches {
		return nil
	}
	left := len(have)
	for _, match := range have {
		switch there, err := s.hasRecord(tx, all, match); {
		case err != nil:
			return err
		case !there:
			Notes.Delete(tx, NotesKey{key.Player, match})
			left--
		}
	}
	if left >= MaxMatches {
		return ErrManyNotes
	}
	return nil
}

// hasRecord reports whether the record of a match is in the store, or one of some accounts has a study with its ID.
func (s *Store) hasRecord(r kv.Reader, ids []storage.PlayerID, match storage.MatchID) (bool, error) {
	if kept, err := s.kept(r, match); err != nil || kept {
		return kept, err
	}
	_, _, err := findStudy(r, ids, match)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// NotesOn returns the notes of some accounts, all of one player, on a match: by ply, the notes of the first account first.
func (s *Store) NotesOn(ctx context.Context, ids []storage.PlayerID, match storage.MatchID) ([]Note, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("notes on match %s", match), func(r kv.Reader) ([]Note, error) {
		return notesOn(r, ids, match)
	})
}

func notesOn(r kv.Reader, ids []storage.PlayerID, match storage.MatchID) (all []Note, err error) {
	keys := make([]NotesKey, len(ids))
	for i, id := range ids {
		keys[i] = NotesKey{id, match}
	}
	found, _, err := Notes.FindAll(r, keys)
	for _, notes := range found {
		all = append(all, notes...)
	}
	slices.SortStableFunc(all, byPly)
	return all, err
}

// NotesBy returns all notes of a player, by match.
func (s *Store) NotesBy(ctx context.Context, id storage.PlayerID) (map[storage.MatchID][]Note, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("notes of player %s", id), func(r kv.Reader) (map[storage.MatchID][]Note, error) {
		all := map[storage.MatchID][]Note{}
		for e, err := range Notes.Under(string(id)).Scan(r) {
			if err != nil {
				return nil, err
			}
			all[e.Key.Match] = e.Value
		}
		return all, nil
	})
}

// HasAny reports whether a player has notes or studies.
func HasAny(r kv.Reader, id storage.PlayerID) (bool, error) {
	for _, prefix := range [][]byte{Notes.Prefix(string(id)), Imported.Prefix(string(id))} {
		for _, err := range r.Scan(kv.Prefix(prefix)) {
			return err == nil, err
		}
	}
	return false, nil
}

// Erase deletes the notes and studies of a player.
func Erase(tx kv.Tx, id storage.PlayerID) error {
	return errors.Join(Notes.DeleteUnder(tx, string(id)), Imported.DeleteUnder(tx, string(id)))
}
