// Package chat is the chat of matches: who may write, who sees which line, and the rooms in memory.
//
// Each match has two rooms, one for its players and one for spectators. Spectators never see the players' room, and players see the spectators'
// room once the match is over. The rules are pure functions (rules.go); Rooms holds the lines (rooms.go).
package chat

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
)

// A Line is one line of a chat, as it is stored.
type Line = chatstore.Line

// greetings are the ids of the greetings that need no typing, in the order in which they are offered.
var greetings = [...]string{"hello", "luck", "thanks", "wait", "nice", "played", "game", "bye"}

// Greetings returns the ids of the greetings that need no typing, in the order in which they are offered. A line keeps the id, and each
// reader gets the words in their own language.
func Greetings() []string { return slices.Clone(greetings[:]) }

// IsGreeting reports whether there is a greeting with this id.
func IsGreeting(id string) bool { return slices.Contains(greetings[:], id) }

// Check returns a typed line as it is stored, without spaces around it. ok is false for an empty line, for more than chat.Runes characters,
// for text that is not UTF-8, and for characters that control a terminal or the direction of a line.
func Check(text string) (line string, ok bool) {
	if len(text) > 4*chatstore.Runes*utf8.UTFMax { // spaces and all
		return "", false
	}
	line = strings.TrimSpace(text)
	ok = line != "" && utf8.ValidString(line) && utf8.RuneCountInString(line) <= chatstore.Runes &&
		!strings.ContainsFunc(line, func(r rune) bool { return unicode.Is(unicode.C, r) })
	return line, ok
}

// RoomOf returns the room in which a user writes at a match with these seats.
func RoomOf(seats [2]storage.Occupant, u match.User) chatstore.Room {
	if u.Is(seats[0]) || u.Is(seats[1]) {
		return chatstore.PlayersRoom
	}
	return chatstore.SpectatorsRoom
}

// HasCompany reports whether a player or guest other than the user sits in a match with these seats, and so reads the players' room.
func HasCompany(seats [2]storage.Occupant, u match.User) bool {
	for _, o := range seats {
		if (o.Kind.HasAccount() || o.Kind == storage.Guest) && !u.Is(o) {
			return true
		}
	}
	return false
}

// A Talk is the chat of a match at one moment. It is never changed.
type Talk struct {
	Seq   uint64
	Over  bool // the match has ended
	Rooms [chatstore.Rooms][]Line
}

// A Reader is a user who reads a chat.
type Reader struct {
	User match.User
	Room chatstore.Room // where the user writes
	Off  bool           // the user has switched chat off

	// ByCode reports whether the players know each other, because one came by the code of the other.
	ByCode bool

	// Hidden reports whether the lines of an author are hidden from the user, for instance because the user has blocked them. nil: none are.
	Hidden func(by storage.Occupant) bool
}

// Seen returns the lines that a reader sees, sorted by time, and the number of lines that wait. Lines of guests in a room wait until the reader,
// if they have an account, has written in that room: one of the lines in it must be theirs. In the players' room of a match to which one came by the
// code of the other they don't wait.
func (t *Talk) Seen(r Reader) (lines []Line, waiting int) {
	if r.Off {
		return nil, 0
	}
	rooms := []chatstore.Room{r.Room}
	if r.Room == chatstore.PlayersRoom && t.Over {
		rooms = append(rooms, chatstore.SpectatorsRoom)
	}
	for _, of := range rooms {
		room := t.Rooms[of]
		answered := r.User.Kind == storage.Guest || r.ByCode && of == chatstore.PlayersRoom
		for _, line := range room {
			answered = answered || r.User.Is(line.By)
		}
		for _, line := range room {
			switch {
			case !r.User.Is(line.By) && r.Hidden != nil && r.Hidden(line.By):
			case line.By.Kind == storage.Guest && !answered:
				waiting++
			default:
				lines = append(lines, line)
			}
		}
	}
	// Lines of one room keep their order.
	slices.SortStableFunc(lines, func(a, b Line) int { return a.At.Compare(b.At) })
	return lines, waiting
}

// TalkOf returns a chat of lines, sorted by time in each room, and of the lines that only shown has. shown may be nil. over is true if the match
// has ended.
func TalkOf(lines []Line, shown *Talk, over bool) *Talk {
	talk := &Talk{Over: over}
	type place struct {
		room chatstore.Room
		at   int64
		by   match.Key
		text string
	}
	there := map[place]bool{}
	add := func(l Line) {
		p := place{l.Room, l.At.UnixMilli(), match.KeyOf(l.By), l.Text + l.Greeting}
		if !there[p] {
			there[p] = true
			talk.Rooms[l.Room] = append(talk.Rooms[l.Room], l)
		}
	}
	for _, l := range lines {
		add(l)
	}
	if shown != nil {
		for _, room := range shown.Rooms {
			for _, l := range room {
				add(l)
			}
		}
	}
	for _, room := range talk.Rooms {
		slices.SortStableFunc(room, func(a, b Line) int { return a.At.Compare(b.At) })
	}
	return talk
}

// with returns the chat with one more line. A room drops its oldest line beyond chat.MaxLines.
func (t *Talk) with(line Line) *Talk {
	more := *t
	room := more.Rooms[line.Room]
	room = append(room[:len(room):len(room)], line)
	more.Rooms[line.Room] = room[max(0, len(room)-chatstore.MaxLines):]
	return &more
}

// without returns the chat without the lines of an author.
func (t *Talk) without(by match.Key) *Talk {
	less := *t
	for i, room := range t.Rooms {
		less.Rooms[i] = nil
		for _, line := range room {
			if match.KeyOf(line.By) != by {
				less.Rooms[i] = append(less.Rooms[i], line)
			}
		}
	}
	return &less
}
