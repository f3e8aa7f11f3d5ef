package studies

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// The bounds of imported records.
const (
	MaxStudies = 50       // of one account
	MaxText    = 64 << 10 // bytes of a record
)

// ErrManyStudies says that an account has MaxStudies studies.
var ErrManyStudies = errors.New("too many studies")

// A Study is a record from elsewhere that a player keeps. Only that player sees it. Its JSON form is the stored one.
type Study struct {
	ID     storage.MatchID  `json:"-"`
	Player storage.PlayerID `json:"-"`

	Game   string    `json:"game"`
	First  string    `json:"first"` // names, as the record says
	Second string    `json:"second"`
	Result string    `json:"result"` // a result token
	Plies  int       `json:"plies"`
	At     time.Time `json:"at"`   // when it was imported
	Text   string    `json:"text"` // the record
}

// Imported are the studies of each player.
var Imported = storage.Table[NotesKey, Study]{
	Name: "studies", Keys: Notes.Keys, Values: storage.JSON[NotesKey, Study](1), Traits: storage.Traits{Subject: "player"},
	Check: func(_ NotesKey, st Study) error {
		if checkStudy(st) != nil {
			return storage.Damaged("a study of %d bytes", len(st.Text))
		}
		return nil
	},
}

func checkStudy(st Study) error {
	if st.Text == "" || len(st.Text) > MaxText || st.Plies < 0 || st.Game == "" {
		return fmt.Errorf("%w: a study of %d bytes", storage.ErrInvalid, len(st.Text))
	}
	return storage.CheckText(st.Game, st.First, st.Second, st.Result, st.Text)
}

// Import keeps a study of a player, whose ID no match and no other study has. The errors are ErrManyStudies, storage.ErrStale for an ID that is
// taken, storage.ErrNotFound for an unknown player, and storage.ErrInvalid.
func (s *Store) Import(ctx context.Context, st Study) error {
	st.At = storage.Stored(st.At)
	_, err := storage.Updated(ctx, s.engine, fmt.Sprintf("study of player %s", st.Player), func(tx kv.Tx) (none struct{}, err error) {
		if err := errors.Join(storage.CheckKeys(string(st.Player), string(st.ID)), checkStudy(st)); err != nil {
			return none, err
		}
		if _, err := accounts.ReadKnown(tx, st.Player); err != nil {
			return none, err
		}
		if kept, err := s.kept(tx, st.ID); err != nil || kept {
			return none, errors.Join(err, storage.ErrStale)
		}
		have := 0
		for p, err := range tx.Scan(kv.Prefix(Imported.Prefix(string(st.Player)))) {
			if err != nil {
				return none, err
			}
			if k, ok := Imported.Parse(p.Key); ok && k.Match == st.ID {
				return none, storage.ErrStale
			}
			have++
		}
		if have >= MaxStudies {
			return none, ErrManyStudies
		}
		return none, Imported.Put(tx, NotesKey{st.Player, st.ID}, st)
	})
	return err
}

// Imported returns the studies of some accounts, all of one player, the newest first.
func (s *Store) Imported(ctx context.Context, ids []storage.PlayerID) ([]Study, error) {
	return storage.View(ctx, s.engine, "studies", func(r kv.Reader) (all []Study, err error) {
		for _, id := range ids {
			for e, err := range Imported.Under(string(id)).Scan(r) {
				if err != nil {
					return nil, err
				}
				all = append(all, named(e.Key, e.Value))
			}
		}
		slices.SortStableFunc(all, func(a, b Study) int { return b.At.Compare(a.At) })
		return all, nil
	})
}

// ImportedAs returns a study of one of some accounts. The error is storage.ErrNotFound if they have none with the ID.
func (s *Store) ImportedAs(ctx context.Context, ids []storage.PlayerID, id storage.MatchID) (Study, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("study %s", id), func(r kv.Reader) (Study, error) {
		k, st, err := findStudy(r, ids, id)
		return named(k, st), err
	})
}

// RemoveStudy removes a study of one of some accounts, with their notes on it. The error is storage.ErrNotFound if they have none with the ID.
func (s *Store) RemoveStudy(ctx context.Context, ids []storage.PlayerID, id storage.MatchID) error {
	_, err := storage.Updated(ctx, s.engine, fmt.Sprintf("study %s", id), func(tx kv.Tx) (none struct{}, err error) {
		k, _, err := findStudy(tx, ids, id)
		if err != nil {
			return none, err
		}
		Imported.Delete(tx, k)
		for _, of := range ids {
			Notes.Delete(tx, NotesKey{of, id})
		}
		return none, nil
	})
	return err
}

func findStudy(r kv.Reader, ids []storage.PlayerID, id storage.MatchID) (k NotesKey, st Study, err error) {
	for _, of := range ids {
		k = NotesKey{of, id}
		if st, there, err := Imported.Find(r, k); err != nil || there {
			return k, st, err
		}
	}
	return k, st, storage.ErrNotFound
}

// named returns a study with what its key says.
func named(k NotesKey, st Study) Study {
	st.Player, st.ID = k.Player, k.Match
	return st
}
