package results

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// ForAll reports whether everybody may see a finished match: a public or a rated one that is in the history. A rated match is public, whatever it was
// while it went on, because ratings follow from it.
func (f Finished) ForAll() bool { return !f.Temporary && f.Result != "" && (f.Public || f.Rated) }

// An ArchivedMatch is a finished match as everybody may see it, with its moves and times. It has no codes. The seat of a guest or of a deleted player
// has no id, and the name of a deleted player is accounts.FormerPlayer.
type ArchivedMatch struct {
	Finished
	Names [2]string // the present names of the players on both sides; of other occupants the names in the record
}

// An ArchivePage is a part of the archive, which is all finished matches that everybody may see, in the order of their ids.
type ArchivePage struct {
	Club    string // names the store for ever, also after a move to another engine; "" until a first visitor has come
	Matches []ArchivedMatch
	Damaged []storage.MatchID // records that can't be read
	Last    storage.MatchID   // the last record that was looked at
	More    bool              // there are records after Last
}

// ArchiveLimit is the most records that a page of the archive goes through, and archiveMoves about the most moves that it holds.
const (
	ArchiveLimit = 1000
	archiveMoves = 50_000
)

// Archive returns the page of the archive that follows a match, "" for the first, and goes through limit records at most, 1 to ArchiveLimit. Each page
// is one short transaction.
func (s *Store) Archive(ctx context.Context, after storage.MatchID, limit int) (ArchivePage, error) {
	return storage.View(ctx, s.engine, "a page of the archive", func(r kv.Reader) (page ArchivePage, err error) {
		if limit < 1 || limit > ArchiveLimit {
			return page, fmt.Errorf("%w: a page of %d records", storage.ErrInvalid, limit)
		}
		if page.Club, err = clubOf(r); err != nil {
			return page, err
		}
		g := Records.All()
		if after != "" {
			g = g.After(after)
		}
		var numbers []uint64 // of changes of ratings
		var rated []int      // their matches in the page
		looked, moves := 0, 0
		for p, err := range r.Scan(g.Expecting(limit + 1).Range) {
			if err != nil {
				return page, err
			}
			if looked == limit || moves >= archiveMoves {
				page.More = true
				break
			}
			looked++
			id, ok := Records.Parse(p.Key)
			if !ok {
				return page, storage.Damaged("a record without a match")
			}
			page.Last = id
			f, err := Records.Values.Decode(id, p.Value)
			switch {
			case errors.Is(err, storage.ErrDamaged):
				page.Damaged = append(page.Damaged, id)
				continue
			case err != nil:
				return page, err
			case !f.ForAll():
				continue
			}
			if f.Number > 0 {
				numbers, rated = append(numbers, f.Number), append(rated, len(page.Matches))
			}
			moves += len(f.Moves)
			page.Matches = append(page.Matches, ArchivedMatch{Finished: f.Finished})
		}
		changes, err := Changes.GetAll(r, numbers)
		if err != nil {
			return page, err
		}
		for i, c := range changes {
			page.Matches[rated[i]].Ratings = c
		}
		return page, hidePrivate(r, page.Matches)
	})
}

// clubOf returns the name of a store in its archive. It tells nothing of the salt from which it follows.
func clubOf(r kv.Reader) (string, error) {
	salt, known, err := accounts.Salt.Find(r)
	if err != nil || !known {
		return "", err
	}
	sum := sha256.Sum256(append([]byte("ludoteca archive\x00"), salt...))
	return hex.EncodeToString(sum[:8]), nil
}

// hidePrivate takes out of matches what only their players may know, and gives them the present names of the players.
func hidePrivate(r kv.Reader, all []ArchivedMatch) error {
	var ids []storage.PlayerID
	seen := map[storage.PlayerID]int{} // places in ids
	for i := range all {
		for _, o := range []storage.Occupant{all[i].First, all[i].Second} {
			if _, known := seen[storage.PlayerID(o.ID)]; o.Kind.HasAccount() && !known {
				seen[storage.PlayerID(o.ID)] = len(ids)
				ids = append(ids, storage.PlayerID(o.ID))
			}
		}
	}
	players, there, err := accounts.Players.FindAll(r, ids)
	if err != nil {
		return err
	}
	for i := range all {
		m := &all[i]
		m.Code, m.Tournament.Code = "", ""
		for side, o := range []*storage.Occupant{&m.First, &m.Second} {
			m.Names[side] = o.Name
			switch n := seen[storage.PlayerID(o.ID)]; {
			case o.Kind == storage.Guest:
				o.ID = ""
			case !o.Kind.HasAccount() || !there[n]:
			case !players[n].Deleted.IsZero():
				o.ID, o.Name, m.Names[side] = "", accounts.FormerPlayer, accounts.FormerPlayer
			default:
				m.Names[side] = players[n].Name
			}
		}
	}
	return nil
}
