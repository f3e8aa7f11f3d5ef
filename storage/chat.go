package storage

import (
	"bytes"
	"context"
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
	greetingSize  = 20 // bytes of the id of a greeting
)

// A ChatStore keeps the lines.
type ChatStore struct{ engine kv.Store }

// newChatStore returns the lines that an engine keeps.
func newChatStore(engine kv.Store) *ChatStore { return &ChatStore{engine} }

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

// A LineID is the place of a line: the match, the room, and the number there.
type LineID struct {
	Match  MatchID
	Room   ChatRoom
	Number uint64
}

// chat are the lines at matches that go on or have ended lately.
var chat = Table[LineID, ChatLine]{
	Name: "chat",
	Keys: Join(Text[MatchID](nil), Join(Byte(), Number(),
		func(k LineID) (byte, uint64) { return byte(k.Room), k.Number },
		func(room byte, number uint64) LineID { return LineID{Room: ChatRoom(room), Number: number} }),
		func(k LineID) (MatchID, LineID) { return k.Match, k },
		func(id MatchID, k LineID) LineID { return LineID{id, k.Room, k.Number} }),
	Values: JSONAs(1,
		func(line ChatLine) chatJSON {
			j := chatJSON{line.At.UnixMilli(), line.By.Kind, line.By.ID, line.By.Name, line.Text, line.Greeting, 0}
			if !line.Until.IsZero() {
				j.Until = line.Until.UnixMilli()
			}
			return j
		},
		func(k LineID, j chatJSON) (ChatLine, error) {
			line := ChatLine{k.Room, k.Number, fromMS(j.At), Occupant{Kind: j.Kind, ID: j.ID, Name: j.Name}, j.Text, j.Greeting, time.Time{}}
			if j.Until != 0 {
				line.Until = fromMS(j.Until)
			}
			if k.Number == 0 || checkChat(line) != nil {
				return line, damaged("a line of the chat makes no sense")
			}
			return line, nil
		}),
}

// AddChat keeps a line of a match that goes on, and returns it with its number and as it comes back from the store. It is on disk then,
// and the oldest line of the room is gone if there are more than ChatLines. The errors are ErrNotFound for a match that there is not, or
// no more, and ErrInvalid.
func (s *ChatStore) AddChat(ctx context.Context, id MatchID, line ChatLine) (ChatLine, error) {
	line.At = stored(line.At)
	return updated(ctx, s.engine, fmt.Sprintf("chat of match %s", id), func(tx kv.Tx) (ChatLine, error) { // without the line, which is nobody else's business
		if err := checkNewLine(id, line); err != nil {
			return line, err
		}
		_, running, err := first(tx, logRange(id))
		if err != nil {
			return line, err
		}
		if !running {
			return line, ErrNotFound
		}
		line := line
		line.Until = time.Time{}
		line.Number, err = addChat(tx, id, line, ChatLines)
		return line, err
	})
}

func checkNewLine(id MatchID, line ChatLine) error {
	if err := checkKeys(string(id), line.By.ID); err != nil {
		return err
	}
	return checkChat(line)
}

// AddLateChat keeps a line that is written after the end of a match for reports, until EvidenceLife after that end, and returns it with its
// number. At most EvidenceLines of a room are kept. The errors are ErrNotFound for a match without a record or one that ended longer ago, and
// ErrInvalid.
func (s *ChatStore) AddLateChat(ctx context.Context, id MatchID, line ChatLine) (ChatLine, error) {
	line.At = stored(line.At)
	return updated(ctx, s.engine, fmt.Sprintf("late chat of match %s", id), func(tx kv.Tx) (ChatLine, error) {
		if err := checkNewLine(id, line); err != nil {
			return line, err
		}
		f, err := readFinished(tx, id, false)
		if err != nil {
			return line, err
		}
		line := line
		if line.Until = f.Ended.Add(EvidenceLife); !line.At.Before(line.Until) {
			return line, ErrNotFound
		}
		line.Number, err = addChat(tx, id, line, EvidenceLines)
		return line, err
	})
}

// addChat writes a line under the next number of its room, which it returns, and deletes the line that was written most lines before.
func addChat(tx kv.Tx, id MatchID, line ChatLine, most uint64) (number uint64, err error) {
	room := chat.Before(chat.StartingAt(chat.Under(string(id)), LineID{id, line.Room, 0}), LineID{id, line.Room + 1, 0})
	room.Reverse = true
	last, found, err := first(tx, room)
	if err != nil {
		return 0, err
	}
	if found { // whatever is in the line
		k, ok := chat.parse(last.Key)
		if !ok {
			return 0, damaged("a line of the chat without a number")
		}
		number = k.Number
	}
	if number++; number > most {
		chat.Delete(tx, LineID{id, line.Room, number - most})
	}
	line.Number = number
	return number, putChat(tx, id, line)
}

func putChat(tx kv.Tx, id MatchID, line ChatLine) error {
	return chat.Put(tx, LineID{id, line.Room, line.Number}, line)
}

// keepEvidence keeps the last lines of a match that ended at a time for reports, and deletes the others. One that can't be read goes: it must
// not hold up the end of the match.
func keepEvidence(tx kv.Tx, id MatchID, ended time.Time) error {
	var rooms [ChatRooms][]ChatLine
	var old [][]byte
	for p, err := range tx.Scan(chat.Under(string(id))) {
		if err != nil {
			return err
		}
		if e, err := chat.entry(p.Key, p.Value); err == nil {
			rooms[e.Key.Room] = append(rooms[e.Key.Room], e.Value)
		} else {
			old = append(old, bytes.Clone(p.Key))
		}
	}
	for _, lines := range rooms {
		for i, line := range lines {
			switch {
			case len(lines)-i > EvidenceLines:
				old = append(old, chat.key(LineID{id, line.Room, line.Number}))
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

// Sweep forgets the lines that only reports show when their time is over.
func (s *ChatStore) Sweep(ctx context.Context, now time.Time) error {
	return chat.sweep(ctx, s.engine, func(_ kv.Reader, e Entry[LineID, ChatLine]) (bool, error) {
		return !e.Value.Until.IsZero() && !now.Before(e.Value.Until), nil
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
func (s *ChatStore) Chat(ctx context.Context, id MatchID) ([]ChatLine, error) {
	return s.chatOf(ctx, id, func(line ChatLine) bool { return line.Until.IsZero() })
}

// Evidence returns all lines that are kept of a match at the time now, room by room, the oldest first: those that only reports show too.
func (s *ChatStore) Evidence(ctx context.Context, id MatchID, now time.Time) ([]ChatLine, error) {
	return s.chatOf(ctx, id, func(line ChatLine) bool { return line.Until.IsZero() || now.Before(line.Until) })
}

// chatOf returns the lines of a match that are wanted.
func (s *ChatStore) chatOf(ctx context.Context, id MatchID, wanted func(ChatLine) bool) ([]ChatLine, error) {
	return view(ctx, s.engine, fmt.Sprintf("chat of match %s", id), func(r kv.Reader) (lines []ChatLine, err error) {
		if err := checkKeys(string(id)); err != nil {
			return nil, err
		}
		for e, err := range chat.Scan(r, chat.Under(string(id))) {
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

// ChatBy returns what is kept of what a player has written, by match.
func (s *ChatStore) ChatBy(ctx context.Context, player PlayerID) (map[MatchID][]ChatLine, error) {
	return view(ctx, s.engine, fmt.Sprintf("chat of player %s", player), func(r kv.Reader) (map[MatchID][]ChatLine, error) {
		lines := map[MatchID][]ChatLine{}
		for e, err := range chat.Scan(r, chat.Under()) {
			if err != nil {
				return nil, err
			}
			if e.Value.By.Kind == Person && e.Value.By.ID == string(player) {
				lines[e.Key.Match] = append(lines[e.Key.Match], e.Value)
			}
		}
		return lines, nil
	})
}

// Forget leaves what a player has written at the matches that go on to reports alone, until EvidenceLife after a time, in short
// transactions.
func (s *ChatStore) Forget(ctx context.Context, player PlayerID, deleted time.Time) error {
	lines, err := s.ChatBy(ctx, player)
	for id, own := range lines {
		if err != nil {
			break
		}
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			for _, line := range own {
				there, err := chat.Has(tx, LineID{id, line.Room, line.Number})
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
