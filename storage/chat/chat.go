// Package chat stores what people write at a match.
package chat

import (
	"bytes"
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// What people write to each other at a match is kept beside its log while it goes on: the last MaxLines lines of each room, each under
// a key of its own. The last EvidenceLines of each room stay for EvidenceLife after the end of the match, and so does what is written there
// afterwards, and the lines of a player who deletes the account: only reports to the operators show these.

// The bounds of chat.
const (
	MaxLines      = 100            // that are kept of each room
	EvidenceLines = 20             // that stay of each room for reports after the end of the match
	EvidenceLife  = 24 * time.Hour // for how long
	Runes         = 200            // of a line
	chatBytes     = Runes * utf8.UTFMax
	greetingSize  = 20 // bytes of the id of a greeting
)

// A Store keeps the lines.
type Store struct{ engine kv.Store }

// New returns the lines that an engine keeps.
func New(engine kv.Store) *Store { return &Store{engine} }

// A Room is one of the rooms of a match.
type Room uint8

// The rooms.
const (
	PlayersRoom Room = iota
	SpectatorsRoom
	Rooms int = iota
)

// String returns players or spectators.
func (r Room) String() string {
	if r == PlayersRoom {
		return "players"
	}
	return "spectators"
}

// A Line is one line that a player, guest or spectator wrote: a text, or the id of a greeting that each reader gets in their own
// language.
type Line struct {
	Room     Room
	Number   uint64 // in the room, from 1 on
	At       time.Time
	By       storage.Occupant
	Text     string
	Greeting string
	Until    time.Time // until when reports alone show it; zero: the players and spectators see it
}

// chatJSON is version 1 of a stored line. Room and number are in the key.
type chatJSON struct {
	At       int64                `json:"at"` // milliseconds
	Kind     storage.OccupantKind `json:"kind"`
	ID       string               `json:"id"`
	Name     string               `json:"name"`
	Text     string               `json:"text,omitempty"`
	Greeting string               `json:"greeting,omitempty"`
	Until    int64                `json:"until,omitempty"` // milliseconds
}

// A LineID is the place of a line: the match, the room, and the number there.
type LineID struct {
	Match  storage.MatchID
	Room   Room
	Number uint64
}

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{Lines},
	}
}

// Lines are the lines at matches that go on or have ended lately.
var Lines = storage.Table[LineID, Line]{
	Name: "chat",
	Keys: storage.Join(storage.Text[storage.MatchID](nil), storage.Join(storage.Byte(), storage.Number(),
		func(k LineID) (byte, uint64) { return byte(k.Room), k.Number },
		func(room byte, number uint64) LineID { return LineID{Room: Room(room), Number: number} }),
		func(k LineID) (storage.MatchID, LineID) { return k.Match, k },
		func(id storage.MatchID, k LineID) LineID { return LineID{id, k.Room, k.Number} }),
	Values: storage.JSONAs(1,
		func(line Line) chatJSON {
			j := chatJSON{line.At.UnixMilli(), line.By.Kind, line.By.ID, line.By.Name, line.Text, line.Greeting, 0}
			if !line.Until.IsZero() {
				j.Until = line.Until.UnixMilli()
			}
			return j
		},
		func(k LineID, j chatJSON) (Line, error) {
			line := Line{k.Room, k.Number, storage.FromMS(j.At), storage.Occupant{Kind: j.Kind, ID: j.ID, Name: j.Name}, j.Text, j.Greeting, time.Time{}}
			if j.Until != 0 {
				line.Until = storage.FromMS(j.Until)
			}
			if k.Number == 0 || checkLine(line) != nil {
				return line, storage.Damaged("a line of the chat makes no sense")
			}
			return line, nil
		}),
}

// AddChat keeps a line of a match that goes on, and returns it with its number and as it comes back from the store. The line is on disk
// then, and the oldest line of the room is gone if there are more than MaxLines. The errors are ErrNotFound for a match that doesn't
// exist or has ended, and ErrInvalid.
func (s *Store) AddChat(ctx context.Context, id storage.MatchID, line Line) (Line, error) {
	line.At = storage.Stored(line.At)
	return storage.Updated(ctx, s.engine, fmt.Sprintf("chat of match %s", id), func(tx kv.Tx) (Line, error) { // the error must not show the line, which is private
		if err := checkNewLine(id, line); err != nil {
			return line, err
		}
		_, running, err := storage.First(tx, matches.LogRange(id))
		if err != nil {
			return line, err
		}
		if !running {
			return line, storage.ErrNotFound
		}
		line := line
		line.Until = time.Time{}
		line.Number, err = addChat(tx, id, line, MaxLines)
		return line, err
	})
}

func checkNewLine(id storage.MatchID, line Line) error {
	if err := storage.CheckKeys(string(id), line.By.ID); err != nil {
		return err
	}
	return checkLine(line)
}

// AddLateChat keeps a line that was written after the end of a match for reports, until EvidenceLife after that end, and returns it with
// its number. At most EvidenceLines of a room are kept. The errors are ErrNotFound for a match that has no record or ended longer ago,
// and ErrInvalid.
func (s *Store) AddLateChat(ctx context.Context, id storage.MatchID, line Line) (Line, error) {
	line.At = storage.Stored(line.At)
	return storage.Updated(ctx, s.engine, fmt.Sprintf("late chat of match %s", id), func(tx kv.Tx) (Line, error) {
		if err := checkNewLine(id, line); err != nil {
			return line, err
		}
		f, err := results.ReadFinished(tx, id, false)
		if err != nil {
			return line, err
		}
		line := line
		if line.Until = f.Ended.Add(EvidenceLife); !line.At.Before(line.Until) {
			return line, storage.ErrNotFound
		}
		line.Number, err = addChat(tx, id, line, EvidenceLines)
		return line, err
	})
}

// addChat writes a line under the next number of its room, which it returns, and deletes the line that was written most lines before.
func addChat(tx kv.Tx, id storage.MatchID, line Line, most uint64) (number uint64, err error) {
	room := Lines.All().StartingAt(LineID{id, line.Room, 0}).Before(LineID{id, line.Room + 1, 0}).Reversed()
	last, found, err := storage.First(tx, room.Range)
	if err != nil {
		return 0, err
	}
	if found { // whatever is in the line
		k, ok := Lines.Parse(last.Key)
		if !ok {
			return 0, storage.Damaged("a line of the chat without a number")
		}
		number = k.Number
	}
	if number++; number > most {
		Lines.Delete(tx, LineID{id, line.Room, number - most})
	}
	line.Number = number
	return number, putChat(tx, id, line)
}

func putChat(tx kv.Tx, id storage.MatchID, line Line) error {
	return Lines.Put(tx, LineID{id, line.Room, line.Number}, line)
}

// End keeps the last lines of a match that ended at a time for reports, and deletes the others. It deletes a line that can't be read:
// that must not hold up the end of the match.
func End(tx kv.Tx, id storage.MatchID, ended time.Time) error {
	var rooms [Rooms][]Line
	var old [][]byte
	for p, err := range tx.Scan(Lines.Under(string(id)).Range) {
		if err != nil {
			return err
		}
		if e, err := Lines.Entry(p.Key, p.Value); err == nil {
			rooms[e.Key.Room] = append(rooms[e.Key.Room], e.Value)
		} else {
			old = append(old, bytes.Clone(p.Key))
		}
	}
	for _, lines := range rooms {
		for i, line := range lines {
			switch {
			case len(lines)-i > EvidenceLines:
				old = append(old, Lines.Key(LineID{id, line.Room, line.Number}))
			case line.Until.IsZero():
				line.Until = ended.Add(EvidenceLife)
				if err := putChat(tx, id, line); err != nil {
					return err
				}
			}
		}
	}
	for _, key := range old {
		tx.Delete(key)
	}
	return nil
}

// Sweep removes expired lines, which only reports show.
func (s *Store) Sweep(ctx context.Context, now time.Time) error {
	return Lines.All().Sweep(ctx, s.engine, func(_ kv.Reader, e storage.Entry[LineID, Line]) (bool, error) {
		return !e.Value.Until.IsZero() && !now.Before(e.Value.Until), nil
	})
}

func checkLine(line Line) error {
	if int(line.Room) >= Rooms || !line.By.Kind.HasAccount() && line.By.Kind != storage.Guest || (line.Text == "") == (line.Greeting == "") ||
		len(line.Text) > chatBytes || len(line.Greeting) > greetingSize {
		return fmt.Errorf("%w: a line of the chat makes no sense", storage.ErrInvalid)
	}
	return storage.CheckText(line.By.Name, line.Text, line.Greeting)
}

// Chat returns the lines of a match that players and spectators see, room by room, the oldest first: none once the match has ended.
func (s *Store) Chat(ctx context.Context, id storage.MatchID) ([]Line, error) {
	return s.chatOf(ctx, id, func(line Line) bool { return line.Until.IsZero() })
}

// Evidence returns all lines that are kept of a match at the time now, room by room, the oldest first, with the lines that only reports
// show.
func (s *Store) Evidence(ctx context.Context, id storage.MatchID, now time.Time) ([]Line, error) {
	return s.chatOf(ctx, id, func(line Line) bool { return line.Until.IsZero() || now.Before(line.Until) })
}

// chatOf returns the lines of a match that are wanted.
func (s *Store) chatOf(ctx context.Context, id storage.MatchID, wanted func(Line) bool) ([]Line, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("chat of match %s", id), func(r kv.Reader) (lines []Line, err error) {
		if err := storage.CheckKeys(string(id)); err != nil {
			return nil, err
		}
		for e, err := range Lines.Under(string(id)).Scan(r) {
			if err != nil {
				return nil, err
			}
			if wanted(e.Value) {
				lines = append(lines, e.Value)
			}
		}
		return lines, nil
	})
}

// ChatBy returns the lines by a player that are kept, by match.
func (s *Store) ChatBy(ctx context.Context, player storage.PlayerID) (map[storage.MatchID][]Line, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("chat of player %s", player), func(r kv.Reader) (map[storage.MatchID][]Line, error) {
		lines := map[storage.MatchID][]Line{}
		for e, err := range Lines.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			if e.Value.By.Kind.HasAccount() && e.Value.By.ID == string(player) {
				lines[e.Key.Match] = append(lines[e.Key.Match], e.Value)
			}
		}
		return lines, nil
	})
}

// Forget hides the lines by a deleted player at matches that go on, in short transactions. Reports alone show them, until EvidenceLife
// after the time deleted.
func (s *Store) Forget(ctx context.Context, player storage.PlayerID, deleted time.Time) error {
	lines, err := s.ChatBy(ctx, player)
	for id, own := range lines {
		if err != nil {
			break
		}
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			for _, line := range own {
				there, err := Lines.Has(tx, LineID{id, line.Room, line.Number})
				if err == nil && there && line.Until.IsZero() {
					line.Until = deleted.Add(EvidenceLife)
					err = putChat(tx, id, line)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("storage: forget the chat of player %s: %w", player, err)
	}
	return nil
}

// FollowChat follows the places of the chat lines of all unfinished matches until ctx ends; see Follower.
func (s *Store) FollowChat(ctx context.Context, f storage.Follower[LineID, LineID]) error {
	return storage.FollowPrefix(ctx, s.engine, Lines.Prefix(), func(key, value []byte) (storage.Entry[LineID, LineID], error) {
		line, err := Lines.Entry(key, value)
		return storage.Entry[LineID, LineID]{Key: line.Key, Value: line.Key}, err
	}, f)
}
