package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"
	"unicode/utf8"

	"ludoteca/storage/kv"
)

// What people write to each other at a match is kept beside its log while it goes on: the last ChatLines lines of each room, each under
// a key of its own. The last EvidenceLines of each room stay for EvidenceLife after the end of the match, and so does what is written there
// afterwards, and the lines of a player who deletes the account: only reports to the operators show these.

// The bounds of chat.
const (
	ChatLines     = 100            // that are kept of each room
	EvidenceLines = 20             // that stay of each room for reports after the end of the match
	EvidenceLife  = 24 * time.Hour // for how long
	ChatRunes     = 200            // of a line
	chatBytes     = ChatRunes * utf8.UTFMax
	chatVersion   = 1
	greetingSize  = 20 // bytes of the id of a greeting
)

// A ChatRoom is one of the rooms of a match.
type ChatRoom uint8

// The rooms.
const (
	PlayersRoom ChatRoom = iota
	SpectatorsRoom
	ChatRooms int = iota
)

// String returns players or spectators.
func (r ChatRoom) String() string {
	if r == PlayersRoom {
		return "players"
	}
	return "spectators"
}

// A ChatLine is what somebody has written: a text, or the id of a greeting that each reader gets in their own language.
type ChatLine struct {
	Room     ChatRoom
	Number   uint64 // in the room, from 1 on
	At       time.Time
	By       Occupant
	Text     string
	Greeting string
	Until    time.Time // until when only reports show it, and then nobody; zero: those at the board see it
}

// chatJSON is version 1 of a stored line. Room and number are in the key.
type chatJSON struct {
	At       int64        `json:"at"` // milliseconds
	Kind     OccupantKind `json:"kind"`
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	Text     string       `json:"text,omitempty"`
	Greeting string       `json:"greeting,omitempty"`
	Until    int64        `json:"until,omitempty"` // milliseconds
}

func chatKey(id MatchID, room ChatRoom, number uint64) []byte {
	return binary.BigEndian.AppendUint64(append(chat.key(string(id), ""), byte(room)), number)
}

// splitChatKey takes a key of the chat apart.
func splitChatKey(key []byte) (id MatchID, room ChatRoom, number uint64, ok bool) {
	before, rest, ok := bytes.Cut(key, []byte{0})
	if !ok || len(before) == 0 || len(rest) != 9 || int(rest[0]) >= ChatRooms {
		return "", 0, 0, false
	}
	return MatchID(before), ChatRoom(rest[0]), binary.BigEndian.Uint64(rest[1:]), true
}

// AddChat keeps a line of a match that goes on, and returns it with its number and as it comes back from the store. It is on disk then,
// and the oldest line of the room is gone if there are more than ChatLines. The errors are ErrNotFound for a match that there is not, or
// no more, and ErrInvalid.
func (s *Store) AddChat(ctx context.Context, id MatchID, line ChatLine) (ChatLine, error) {
	line.At = stored(line.At)
	err := checkKeys(string(id), line.By.ID)
	if err == nil {
		err = checkChat(line)
	}
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			_, running, err := first(tx, logRange(id))
			if err != nil {
				return err
			}
			if !running {
				return ErrNotFound
			}
			line.Until = time.Time{}
			line.Number, err = addChat(tx, id, line, ChatLines)
			return err
		})
	}
	if err != nil {
		return ChatLine{}, fmt.Errorf("storage: chat of match %s: %w", id, err) // without the line, which is nobody else's business
	}
	return line, nil
}

// AddLateChat keeps a line that is written after the end of a match for reports, until EvidenceLife after that end, and returns it with its
// number. At most EvidenceLines of a room are kept. The errors are ErrNotFound for a match without a record or one that ended longer ago, and
// ErrInvalid.
func (s *Store) AddLateChat(ctx context.Context, id MatchID, line ChatLine) (ChatLine, error) {
	line.At = stored(line.At)
	err := checkKeys(string(id), line.By.ID)
	if err == nil {
		err = checkChat(line)
	}
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			f, err := readFinished(tx, id, false)
			if err != nil {
				return err
			}
			if line.Until = f.Ended.Add(EvidenceLife); !line.At.Before(line.Until) {
				return ErrNotFound
			}
			line.Number, err = addChat(tx, id, line, EvidenceLines)
			return err
		})
	}
	if err != nil {
		return ChatLine{}, fmt.Errorf("storage: late chat of match %s: %w", id, err)
	}
	return line, nil
}

// addChat writes a line under the next number of its room, which it returns, and deletes the one that was written so many lines before.
func addChat(tx kv.Tx, id MatchID, line ChatLine, most uint64) (number uint64, err error) {
	last, any, err := first(tx, kv.Range{From: chatKey(id, line.Room, 0), To: chatKey(id, line.Room+1, 0), Reverse: true})
	if err != nil {
		return 0, err
	}
	if any {
		var ok bool
		if _, _, number, ok = splitChatKey(chat.rest(last.Key)); !ok {
			return 0, fmt.Errorf("%w: a line of the chat without a number", ErrDamaged)
		}
	}
	if number++; number > most {
		tx.Delete(chatKey(id, line.Room, number-most))
	}
	line.Number = number
	return number, putChat(tx, id, line)
}

func putChat(tx kv.Tx, id MatchID, line ChatLine) error {
	j := chatJSON{line.At.UnixMilli(), line.By.Kind, line.By.ID, line.By.Name, line.Text, line.Greeting, 0}
	if !line.Until.IsZero() {
		j.Until = line.Until.UnixMilli()
	}
	value, err := sealJSON(chatVersion, j)
	if err == nil {
		tx.Put(chatKey(id, line.Room, line.Number), value)
	}
	return err
}

// keepEvidence keeps the last lines of a match that ended at a time for reports, and deletes the others. One that can't be read goes: it must
// not hold up the end of the match.
func keepEvidence(tx kv.Tx, id MatchID, ended time.Time) error {
	var rooms [ChatRooms][]ChatLine
	var old [][]byte
	for p, err := range tx.Scan(kv.Prefix(chat.key(string(id), ""))) {
		if err != nil {
			return err
		}
		if _, line, err := decodeChat(chat.rest(p.Key), p.Value); err == nil {
			rooms[line.Room] = append(rooms[line.Room], line)
		} else {
			old = append(old, bytes.Clone(p.Key))
		}
	}
	for _, lines := range rooms {
		for i, line := range lines {
			switch {
			case len(lines)-i > EvidenceLines:
				old = append(old, chatKey(id, line.Room, line.Number))
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

// sweepChat forgets the lines that only reports show when their time is over.
func (s *Store) sweepChat(ctx context.Context, now time.Time) error {
	return s.sweepOver(ctx, chat.all(), func(_ kv.Reader, key, value []byte) (bool, error) {
		_, line, err := decodeChat(chat.rest(key), value)
		return !line.Until.IsZero() && !now.Before(line.Until), err
	})
}

func checkChat(line ChatLine) error {
	if int(line.Room) >= ChatRooms || line.By.Kind != Person && line.By.Kind != Guest || (line.Text == "") == (line.Greeting == "") ||
		len(line.Text) > chatBytes || len(line.Greeting) > greetingSize {
		return fmt.Errorf("%w: a line of the chat makes no sense", ErrInvalid)
	}
	return checkText(line.By.Name, line.Text, line.Greeting)
}

// Chat returns the lines of a match that those at the board see, room by room, the oldest first: none once it has ended.
func (s *Store) Chat(ctx context.Context, id MatchID) ([]ChatLine, error) {
	return s.chatOf(ctx, id, func(line ChatLine) bool { return line.Until.IsZero() })
}

// Evidence returns all lines that are kept of a match at the time now, room by room, the oldest first: those that only reports show too.
func (s *Store) Evidence(ctx context.Context, id MatchID, now time.Time) ([]ChatLine, error) {
	return s.chatOf(ctx, id, func(line ChatLine) bool { return line.Until.IsZero() || now.Before(line.Until) })
}

// chatOf returns the lines of a match that are wanted.
func (s *Store) chatOf(ctx context.Context, id MatchID, wanted func(ChatLine) bool) (lines []ChatLine, err error) {
	err = checkKeys(string(id))
	if err == nil {
		err = s.engine.View(ctx, func(r kv.Reader) error {
			lines = nil
			return eachChat(r, kv.Prefix(chat.key(string(id), "")), func(_ MatchID, line ChatLine) {
				if wanted(line) {
					lines = append(lines, line)
				}
			})
		})
	}
	if err != nil {
		return nil, fmt.Errorf("storage: chat of match %s: %w", id, err)
	}
	return lines, nil
}

// ChatBy returns what is kept of what a player has written, by match.
func (s *Store) ChatBy(ctx context.Context, player PlayerID) (lines map[MatchID][]ChatLine, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) error {
		lines = map[MatchID][]ChatLine{}
		return eachChat(r, chat.all(), func(id MatchID, line ChatLine) {
			if line.By.Kind == Person && line.By.ID == string(player) {
				lines[id] = append(lines[id], line)
			}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("storage: chat of player %s: %w", player, err)
	}
	return lines, nil
}

// eachChat reads the lines in a range.
func eachChat(r kv.Reader, g kv.Range, do func(MatchID, ChatLine)) error {
	for p, err := range r.Scan(g) {
		if err != nil {
			return err
		}
		id, line, err := decodeChat(chat.rest(p.Key), p.Value)
		if err != nil {
			return err
		}
		do(id, line)
	}
	return nil
}

// decodeChat reads a line. key is what follows the section.
func decodeChat(key, value []byte) (id MatchID, line ChatLine, err error) {
	id, room, number, ok := splitChatKey(key)
	_, content, err := unseal(value, chatVersion)
	var j chatJSON
	if err == nil {
		err = parseJSON(content, &j)
	}
	line = ChatLine{room, number, fromMS(j.At), Occupant{Kind: j.Kind, ID: j.ID, Name: j.Name}, j.Text, j.Greeting, time.Time{}}
	if j.Until != 0 {
		line.Until = fromMS(j.Until)
	}
	if err == nil && (!ok || number == 0 || checkChat(line) != nil) {
		err = fmt.Errorf("%w: a line of the chat makes no sense", ErrDamaged)
	}
	return id, line, err
}

// forgetChat leaves what a player has written at the matches that go on to reports alone, until EvidenceLife after a time, in short
// transactions.
func (s *Store) forgetChat(ctx context.Context, player PlayerID, deleted time.Time) error {
	lines, err := s.ChatBy(ctx, player)
	for id, own := range lines {
		if err != nil {
			break
		}
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			for _, line := range own {
				there, err := has(tx, chatKey(id, line.Room, line.Number))
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
	return err
}
