package storagetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/chat"
	matchstore "ludoteca/storage/matches"
)

// Chat is the part of a store that keeps the chat of matches; schema.Store documents the methods.
type Chat interface {
	AddChat(ctx context.Context, id storage.MatchID, line chat.Line) (chat.Line, error)
	Chat(ctx context.Context, id storage.MatchID) ([]chat.Line, error)
	ChatBy(ctx context.Context, player storage.PlayerID) (map[storage.MatchID][]chat.Line, error)
	AddLateChat(ctx context.Context, id storage.MatchID, line chat.Line) (chat.Line, error)
	Evidence(ctx context.Context, id storage.MatchID, now time.Time) ([]chat.Line, error)
}

// AddChat implements Chat.
func (m *Memory) AddChat(ctx context.Context, id storage.MatchID, line chat.Line) (chat.Line, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return chat.Line{}, err
	}
	defer unlock()
	if _, over := m.finished[id]; over || len(m.logs[id]) == 0 {
		return chat.Line{}, storage.ErrNotFound
	}
	line.Until = time.Time{}
	return m.addChat(id, line), nil
}

// addChat adds a line under the next number of its room. The caller holds the lock.
func (m *Memory) addChat(id storage.MatchID, line chat.Line) chat.Line {
	line.At, line.Number = line.At.UTC().Truncate(time.Millisecond), 1
	for _, other := range m.chat[id] {
		if other.Room == line.Room {
			line.Number = other.Number + 1
		}
	}
	m.chat[id] = append(m.chat[id], line)
	return line
}

// AddLateChat implements Chat.
func (m *Memory) AddLateChat(ctx context.Context, id storage.MatchID, line chat.Line) (chat.Line, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return chat.Line{}, err
	}
	defer unlock()
	f, over := m.finished[id]
	if line.Until = f.Ended.Add(chat.EvidenceLife); !over || !line.At.Before(line.Until) {
		return chat.Line{}, storage.ErrNotFound
	}
	return m.addChat(id, line), nil
}

// Chat implements Chat.
func (m *Memory) Chat(ctx context.Context, id storage.MatchID) (lines []chat.Line, err error) {
	lines, err = m.Evidence(ctx, id, time.Time{})
	return slices.DeleteFunc(lines, func(l chat.Line) bool { return !l.Until.IsZero() }), err
}

// Evidence implements Chat.
func (m *Memory) Evidence(ctx context.Context, id storage.MatchID, now time.Time) (lines []chat.Line, err error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, line := range m.chat[id] {
		if f, over := m.finished[id]; over && line.Until.IsZero() {
			line.Until = f.Ended.Add(chat.EvidenceLife)
		}
		if line.Until.IsZero() || now.Before(line.Until) {
			lines = append(lines, line)
		}
	}
	slices.SortStableFunc(lines, func(a, b chat.Line) int { return int(a.Room) - int(b.Room) })
	return lines, nil
}

// ChatBy implements Chat.
func (m *Memory) ChatBy(ctx context.Context, player storage.PlayerID) (map[storage.MatchID][]chat.Line, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	by := map[storage.MatchID][]chat.Line{}
	for id, lines := range m.chat {
		for _, line := range lines {
			if line.By.ID == string(player) {
				by[id] = append(by[id], line)
			}
		}
	}
	return by, nil
}

func chats(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	const id, other = "m1111111", "m1111112"
	line := func(room chat.Room, by storage.Occupant, text string) chat.Line {
		return chat.Line{Room: room, At: minute(1), By: by, Text: text}
	}
	_, err := s.AddChat(ctx, id, line(chat.PlayersRoom, person(ann), "hello"))
	wants(t, "before the match", err, storage.ErrNotFound)
	for n, id := range []storage.MatchID{id, other} {
		if err := s.Append(ctx, id, []matchstore.Event{opened(fmt.Sprint("ABCDE", n), person(ann), person(bob))}, matchstore.Summary{}); err != nil {
			t.Fatal(err)
		}
	}
	for what, bad := range map[string]chat.Line{
		"nothing":        line(chat.PlayersRoom, person(ann), ""),
		"a long line":    line(chat.PlayersRoom, person(ann), strings.Repeat("x", 801)),
		"no text":        line(chat.PlayersRoom, person(ann), "\xff"),
		"a bot":          line(chat.PlayersRoom, robot, "hello"),
		"a third room":   line(2, person(ann), "hello"),
		"text and words": {At: minute(1), By: person(ann), Text: "hello", Greeting: "hello"},
	} {
		_, err := s.AddChat(ctx, id, bad)
		wants(t, what, err, storage.ErrInvalid)
	}
	var want []chat.Line
	add := func(id storage.MatchID, l chat.Line, number uint64) {
		t.Helper()
		kept, err := s.AddChat(ctx, id, l)
		wants(t, "a line", err, nil)
		l.Number = number
		same(t, "a line", kept, l)
		want = append(want, l)
	}
	add(id, line(chat.PlayersRoom, person(ann), "good luck"), 1)
	add(id, chat.Line{Room: chat.PlayersRoom, At: minute(2), By: person(bob), Greeting: "thanks"}, 2)
	add(id, line(chat.SpectatorsRoom, guest, strings.Repeat("€", chat.Runes)), 1)
	lines, err := s.Chat(ctx, id)
	wants(t, "chat", err, nil)
	same(t, "chat", lines, want)
	for n := range 2 * chat.MaxLines {
		add(other, line(chat.SpectatorsRoom, person(ann), fmt.Sprint("line ", n)), uint64(n+1))
	}
	add(other, line(chat.PlayersRoom, person(bob), "hello"), 1)
	lines, err = s.Chat(ctx, other)
	wants(t, "a long chat", err, nil)
	if n := len(lines); n != chat.MaxLines+1 || lines[0].Text != "hello" || lines[1].Text != "line 100" || lines[n-1].Text != "line 199" {
		t.Errorf("%d lines are kept: %v", n, lines)
	}
	by, err := s.ChatBy(ctx, ann.ID)
	wants(t, "by ann", err, nil)
	if len(by) != 2 || len(by[id]) != 1 || len(by[other]) != chat.MaxLines {
		t.Errorf("ann wrote %v", by)
	}
	if _, err := s.Finish(ctx, other, []matchstore.Event{ended(2, "first")}, record("ABCDE1", "tanks", person(ann), person(bob), "first", 9), nil); err != nil {
		t.Fatal(err)
	}
	lines, err = s.Chat(ctx, other)
	wants(t, "after the end", err, nil)
	same(t, "after the end", lines, []chat.Line(nil))
	_, err = s.AddChat(ctx, other, line(chat.PlayersRoom, person(ann), "well played"))
	wants(t, "a line after the end", err, storage.ErrNotFound)
	lines, err = s.Chat(ctx, id)
	wants(t, "the other match", err, nil)
	if len(lines) != 3 {
		t.Errorf("the other match has %d lines", len(lines))
	}
}

// evidence: the last lines of a match stay for reports for a day after its end, with what is written then, and no player or spectator sees them.
func evidence(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	const id = "m1111111"
	line := func(room chat.Room, at int, text string) chat.Line {
		return chat.Line{Room: room, At: minute(at), By: person(ann), Text: text}
	}
	_, err := s.AddLateChat(ctx, id, line(chat.PlayersRoom, 1, "hello"))
	wants(t, "before the match", err, storage.ErrNotFound)
	if err := s.Append(ctx, id, []matchstore.Event{opened("ABCDEF", person(ann), person(bob))}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	_, err = s.AddLateChat(ctx, id, line(chat.PlayersRoom, 1, "hello"))
	wants(t, "before the end", err, storage.ErrNotFound)
	for n := range chat.EvidenceLines + 5 {
		for room := range chat.Rooms {
			_, err := s.AddChat(ctx, id, line(chat.Room(room), 1, fmt.Sprint("line ", n+1)))
			wants(t, "a line", err, nil)
		}
	}
	f := record("ABCDEF", "tanks", person(ann), person(bob), "first", 9)
	if _, err := s.Finish(ctx, id, []matchstore.Event{ended(2, "first")}, f, nil); err != nil {
		t.Fatal(err)
	}
	kept := func(what string, now time.Time) (rooms [chat.Rooms][]chat.Line) {
		t.Helper()
		lines, err := s.Evidence(ctx, id, now)
		wants(t, what, err, nil)
		for _, l := range lines {
			rooms[l.Room] = append(rooms[l.Room], l)
		}
		lines, err = s.Chat(ctx, id)
		wants(t, what, err, nil)
		same(t, what+": those at the board see", len(lines), 0)
		return rooms
	}
	over := f.Ended.Add(chat.EvidenceLife)
	for room, lines := range kept("after the end", f.Ended) {
		if n := len(lines); n < chat.EvidenceLines || lines[n-1].Text != "line 25" || lines[n-chat.EvidenceLines].Text != "line 6" || !lines[0].Until.Equal(over) {
			t.Errorf("room %d has %v", room, lines)
		}
	}
	late := chat.Line{Room: chat.PlayersRoom, At: f.Ended.Add(time.Hour), By: person(bob), Text: "you cheat"}
	got, err := s.AddLateChat(ctx, id, late)
	wants(t, "a late line", err, nil)
	late.Number, late.Until = chat.EvidenceLines+6, over
	same(t, "a late line", got, late)
	players := kept("later", over.Add(-1))[chat.PlayersRoom]
	same(t, "a late line in the store", players[len(players)-1], late)
	by, err := s.ChatBy(ctx, bob.ID)
	wants(t, "by bob", err, nil)
	same(t, "by bob", by, map[storage.MatchID][]chat.Line{id: {late}})
	late.At = over
	_, err = s.AddLateChat(ctx, id, late)
	wants(t, "a day later", err, storage.ErrNotFound)
	for room, lines := range kept("a day later", over) {
		same(t, fmt.Sprint("lines a day later in room ", room), len(lines), 0)
	}
	_, err = s.Sweep(ctx, over)
	wants(t, "sweep", err, nil)
	for room, lines := range kept("swept", f.Ended) {
		same(t, fmt.Sprint("lines after the sweep in room ", room), len(lines), 0)
	}
}

func deletedChat(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	if err := s.Append(ctx, "m1111111", []matchstore.Event{opened("ABCDEF", person(bob), guest)}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	for _, by := range []accounts.Player{ann, bob} {
		_, err := s.AddChat(ctx, "m1111111", chat.Line{Room: chat.SpectatorsRoom, At: minute(1), By: person(by), Text: "hello"})
		wants(t, "a line", err, nil)
	}
	_, err := s.DeletePlayer(ctx, ann.ID, minute(2))
	wants(t, "delete", err, nil)
	wants(t, "forget", s.ForgetName(ctx, ann.ID), nil)
	lines, err := s.Chat(ctx, "m1111111")
	wants(t, "chat", err, nil)
	if len(lines) != 1 || lines[0].By.Name != "bob" {
		t.Errorf("what is left: %v", lines)
	}
	until := minute(2).Add(chat.EvidenceLife)
	lines, err = s.Evidence(ctx, "m1111111", until.Add(-1))
	wants(t, "evidence", err, nil)
	if len(lines) != 2 || lines[0].By != person(ann) || lines[0].Text != "hello" {
		t.Errorf("what reports show: %v", lines)
	}
	_, err = s.Sweep(ctx, until)
	wants(t, "sweep", err, nil)
	lines, err = s.Evidence(ctx, "m1111111", minute(3))
	wants(t, "evidence a day later", err, nil)
	if len(lines) != 1 || lines[0].By.Name != "bob" {
		t.Errorf("what reports show a day later: %v", lines)
	}
}
