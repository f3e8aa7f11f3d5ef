// Package tells stores the lines that players write to each other outside of matches.
package tells

import (
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

// A line is kept twice, in the box of the player who wrote it and in that of the other, each with a number of its own. So each of them has what
// concerns them, and deletes it with the account.

// The bounds of boxes.
const (
	MaxKept       = 200                 // lines in the box of one player; the oldest that has been read makes room, first of those to whom the player doesn't write
	MaxWaiting    = 20                  // lines that wait for one player
	ForFriends    = 10                  // of these, how many are kept for players whom this one follows
	MaxUnanswered = 5                   // lines of one player to another who has not answered since
	MaxRunes      = 200                 // of a line
	Life          = 30 * 24 * time.Hour // how long a line is kept
	EvidenceLife  = 24 * time.Hour      // how long reports show the lines of a player who has deleted the account
)

// The reasons why a line is not kept.
var (
	ErrManyWaiting = errors.New("too many lines wait for the player")
	ErrUnanswered  = errors.New("the player has not answered the last lines")
)

// A Store keeps the boxes.
type Store struct{ engine kv.Store }

// New returns the boxes that an engine keeps.
func New(engine kv.Store) *Store { return &Store{engine} }

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{Tables: []storage.AnyTable{Boxes}}
}

// A Line is a line in the box of a player.
type Line struct {
	Number  uint64 // in the box, from 1 on
	At      time.Time
	Peer    storage.PlayerID // the other player
	Name    string           // of the other player, when the line was written
	Sent    bool             // the player whose box it is wrote it; else the other did
	Text    string
	Waiting bool      // the player has not seen it yet
	Until   time.Time // until when reports alone show it, because its author has deleted the account; zero: the player sees it
}

// lineJSON is version 1 of a stored line. The number is in the key.
type lineJSON struct {
	At      int64            `json:"at"` // milliseconds
	Peer    storage.PlayerID `json:"peer"`
	Name    string           `json:"name"`
	Sent    bool             `json:"sent,omitempty"`
	Text    string           `json:"text"`
	Waiting bool             `json:"waiting,omitempty"`
	Until   int64            `json:"until,omitempty"` // milliseconds
}

// A LineKey is the place of a line: whose box it is in, and the number there.
type LineKey struct {
	Player storage.PlayerID
	Number uint64
}

// Boxes are the lines of each player.
var Boxes = storage.Table[LineKey, Line]{
	Name: "tells", Traits: storage.Traits{Subject: "player"},
	Keys: storage.Join(storage.Text(storage.IsPlayerID), storage.Number(),
		func(k LineKey) (storage.PlayerID, uint64) { return k.Player, k.Number },
		func(player storage.PlayerID, number uint64) LineKey { return LineKey{player, number} }),
	Values: storage.JSONAs(1,
		func(l Line) lineJSON {
			j := lineJSON{At: l.At.UnixMilli(), Peer: l.Peer, Name: l.Name, Sent: l.Sent, Text: l.Text, Waiting: l.Waiting}
			if !l.Until.IsZero() {
				j.Until = l.Until.UnixMilli()
			}
			return j
		},
		func(k LineKey, j lineJSON) (Line, error) {
			l := Line{Number: k.Number, At: storage.FromMS(j.At), Peer: j.Peer, Name: j.Name, Sent: j.Sent, Text: j.Text, Waiting: j.Waiting}
			if j.Until != 0 {
				l.Until = storage.FromMS(j.Until)
			}
			if k.Number == 0 || check(l) != nil {
				return l, storage.Damaged("a line to a player makes no sense")
			}
			return l, nil
		}),
}

func check(l Line) error {
	if l.Peer == "" || l.Text == "" || len(l.Text) > MaxRunes*utf8.UTFMax || l.Sent && l.Waiting {
		return fmt.Errorf("%w: a line to a player makes no sense", storage.ErrInvalid)
	}
	return storage.CheckText(l.Name, l.Text)
}

// A Party is one of the two players.
type Party struct {
	ID   storage.PlayerID
	Name string
}

// AddTell keeps a line from one player to another, for whom it waits. friend says that the other follows the one. The errors are ErrManyWaiting,
// ErrUnanswered, storage.ErrNotFound for an unknown player, and storage.ErrInvalid.
func (s *Store) AddTell(ctx context.Context, from, to Party, friend bool, text string, at time.Time) error {
	_, err := storage.Updated(ctx, s.engine, "line to a player", func(tx kv.Tx) (none struct{}, err error) {
		received := Line{At: storage.Stored(at), Peer: from.ID, Name: from.Name, Text: text, Waiting: true}
		sent := Line{At: received.At, Peer: to.ID, Name: to.Name, Text: text, Sent: true}
		if err := errors.Join(storage.CheckKeys(string(from.ID), string(to.ID)), check(received), check(sent)); err != nil || from.ID == to.ID {
			return none, errors.Join(err, storage.ErrInvalid)
		}
		for _, id := range []storage.PlayerID{from.ID, to.ID} {
			if _, err := accounts.ReadKnown(tx, id); err != nil {
				return none, err
			}
		}
		box, err := Boxes.Under(string(to.ID)).Values(tx)
		if err != nil {
			return none, err
		}
		waiting, unanswered, most := 0, 0, MaxWaiting
		if !friend {
			most -= ForFriends
		}
		for _, l := range box {
			switch {
			case !l.Until.IsZero():
			case l.Peer == from.ID && l.Sent:
				unanswered = 0
			case l.Peer == from.ID:
				unanswered++
			}
			if l.Waiting {
				waiting++
			}
		}
		switch {
		case unanswered >= MaxUnanswered:
			return none, ErrUnanswered
		case waiting >= most:
			return none, ErrManyWaiting
		}
		if err := add(tx, to.ID, box, received); err != nil {
			return none, err
		}
		own, err := Boxes.Under(string(from.ID)).Values(tx)
		if err != nil {
			return none, err
		}
		return none, add(tx, from.ID, own, sent)
	})
	return err
}

// add adds a line to the box of a player, which has these lines.
func add(tx kv.Tx, player storage.PlayerID, box []Line, l Line) error {
	l.Number = 1
	if len(box) > 0 {
		l.Number = box[len(box)-1].Number + 1
	}
	if len(box) >= MaxKept {
		if i := makesRoom(box); i >= 0 {
			Boxes.Delete(tx, LineKey{player, box[i].Number})
		}
	}
	return Boxes.Put(tx, LineKey{player, l.Number}, l)
}

// makesRoom returns the index of the line of a full box that goes, or -1. Players to whom this one doesn't write can't displace the lines of those to
// whom this one does, as long as they have any.
func makesRoom(box []Line) int {
	written := make(map[storage.PlayerID]bool)
	for _, l := range box {
		if l.Sent {
			written[l.Peer] = true
		}
	}
	if i := slices.IndexFunc(box, func(l Line) bool { return !l.Waiting && !written[l.Peer] }); i >= 0 {
		return i
	}
	return slices.IndexFunc(box, func(l Line) bool { return !l.Waiting })
}

// Tells returns the lines in the box of a player that were written after a time, the oldest first. evidence includes lines that reports alone show.
func (s *Store) Tells(ctx context.Context, player storage.PlayerID, after time.Time, evidence bool) ([]Line, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("lines to player %s", player), func(r kv.Reader) (lines []Line, err error) {
		for e, err := range Boxes.Under(string(player)).Scan(r) {
			if err != nil {
				return nil, err
			}
			if e.Value.At.After(after) && (evidence || e.Value.Until.IsZero()) {
				lines = append(lines, e.Value)
			}
		}
		return lines, nil
	})
}

// SeeTells keeps that a player has seen the lines of their box up to a number. It writes nothing if none of them waits.
func (s *Store) SeeTells(ctx context.Context, player storage.PlayerID, last uint64) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("lines seen by player %s", player), func(tx kv.Tx) error {
		if err := storage.CheckKeys(string(player)); err != nil {
			return err
		}
		box, err := Boxes.Under(string(player)).Values(tx)
		if err != nil {
			return err
		}
		for _, l := range box {
			if l.Waiting && l.Number <= last {
				l.Waiting = false
				if err := Boxes.Put(tx, LineKey{player, l.Number}, l); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Sweep removes what has been kept for Life, and what was kept for reports long enough.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	return Boxes.All().Sweep(ctx, s.engine, func(_ kv.Reader, e storage.Entry[LineKey, Line]) (bool, error) {
		return now.Sub(e.Value.At) >= Life || !e.Value.Until.IsZero() && !now.Before(e.Value.Until), nil
	})
}

// Forget removes a player who has deleted the account from the boxes of others, in short transactions: the lines to the player are deleted, and
// the player's own are shown to reports alone, until EvidenceLife after the time deleted.
func (s *Store) Forget(ctx context.Context, player storage.PlayerID, deleted time.Time) error {
	return Boxes.All().SweepWith(ctx, s.engine, func(_ kv.Reader, e storage.Entry[LineKey, Line]) (bool, error) {
		return e.Value.Peer == player && e.Value.Until.IsZero(), nil
	}, func(tx kv.Tx, e storage.Entry[LineKey, Line]) error {
		if e.Value.Sent {
			Boxes.Delete(tx, e.Key)
			return nil
		}
		e.Value.Until, e.Value.Waiting = deleted.Add(EvidenceLife), false
		return Boxes.Put(tx, e.Key, e.Value)
	})
}

// HasAny reports whether a player has any line.
func HasAny(r kv.Reader, id storage.PlayerID) (bool, error) {
	_, found, err := storage.First(r, Boxes.Under(string(id)).Range)
	return found, err
}

// Erase deletes the box of a player.
func Erase(tx kv.Tx, id storage.PlayerID) error { return Boxes.DeleteUnder(tx, string(id)) }
