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
// a key of its own. It goes in the transaction that ends the match.

// The bounds of chat.
const (
	ChatLines    = 100 // that are kept of each room
	ChatRunes    = 200 // of a line
	chatBytes    = ChatRunes * utf8.UTFMax
	chatVersion  = 1
	greetingSize = 20 // bytes of the id of a greeting
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
}

// chatJSON is version 1 of a stored line. Room and number are in the key.
type chatJSON struct {
	At       int64        `json:"at"` // milliseconds
	Kind     OccupantKind `json:"kind"`
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	Text     string       `json:"text,omitempty"`
	Greeting string       `json:"greeting,omitempty"`
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
			g := kv.Range{From: chatKey(id, line.Room, 0), To: chatKey(id, line.Room+1, 0), Reverse: true}
			last, any, err := first(tx, g)
			if err != nil {
				return err
			}
			line.Number = 1
			if any {
				_, _, number, ok := splitChatKey(chat.rest(last.Key))
				if !ok {
					return fmt.Errorf("%w: a line of the chat without a number", ErrDamaged)
				}
				line.Number = number + 1
			}
			if line.Number > ChatLines {
				tx.Delete(chatKey(id, line.Room, line.Number-ChatLines))
			}
			value, err := sealJSON(chatVersion, chatJSON{line.At.UnixMilli(), line.By.Kind, line.By.ID, line.By.Name, line.Text, line.Greeting})
			if err == nil {
				tx.Put(chatKey(id, line.Room, line.Number), value)
			}
			return err
		})
	}
	if err != nil {
		return ChatLine{}, fmt.Errorf("storage: chat of match %s: %w", id, err) // without the line, which is nobody else's business
	}
	return line, nil
}

func checkChat(line ChatLine) error {
	if int(line.Room) >= ChatRooms || line.By.Kind != Person && line.By.Kind != Guest || (line.Text == "") == (line.Greeting == "") ||
		len(line.Text) > chatBytes || len(line.Greeting) > greetingSize {
		return fmt.Errorf("%w: a line of the chat makes no sense", ErrInvalid)
	}
	return checkText(line.By.Name, line.Text, line.Greeting)
}

// Chat returns the lines that are kept of a match, room by room, the oldest first: none once it has ended.
func (s *Store) Chat(ctx context.Context, id MatchID) (lines []ChatLine, err error) {
	err = checkKeys(string(id))
	if err == nil {
		err = s.engine.View(ctx, func(r kv.Reader) error {
			lines = nil
			return eachChat(r, kv.Prefix(chat.key(string(id), "")), func(_ MatchID, line ChatLine) { lines = append(lines, line) })
		})
	}
	if err != nil {
		return nil, fmt.Errorf("storage: chat of match %s: %w", id, err)
	}
	return lines, nil
}

// ChatBy returns what a player has written at the matches that go on.
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
	line = ChatLine{room, number, fromMS(j.At), Occupant{Kind: j.Kind, ID: j.ID, Name: j.Name}, j.Text, j.Greeting}
	if err == nil && (!ok || number == 0 || checkChat(line) != nil) {
		err = fmt.Errorf("%w: a line of the chat makes no sense", ErrDamaged)
	}
	return id, line, err
}

// forgetChat deletes what a player has written at the matches that go on, in short transactions.
func (s *Store) forgetChat(ctx context.Context, player PlayerID) error {
	lines, err := s.ChatBy(ctx, player)
	for id, own := range lines {
		if err != nil {
			break
		}
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			for _, line := range own {
				tx.Delete(chatKey(id, line.Room, line.Number))
			}
			return nil
		})
	}
	return err
}
