package storagetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/storage"
)

// Chat is the part of a store that keeps what people write at matches; storage.Store says what each method does.
type Chat interface {
	AddChat(ctx context.Context, id storage.MatchID, line storage.ChatLine) (storage.ChatLine, error)
	Chat(ctx context.Context, id storage.MatchID) ([]storage.ChatLine, error)
	ChatBy(ctx context.Context, player storage.PlayerID) (map[storage.MatchID][]storage.ChatLine, error)
}

// AddChat implements Chat.
func (m *Memory) AddChat(ctx context.Context, id storage.MatchID, line storage.ChatLine) (storage.ChatLine, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return storage.ChatLine{}, err
	}
	defer unlock()
	if _, over := m.finished[id]; over || len(m.logs[id]) == 0 {
		return storage.ChatLine{}, storage.ErrNotFound
	}
	line.At, line.Number = line.At.UTC().Truncate(time.Millisecond), 1
	for _, other := range m.chat[id] {
		if other.Room == line.Room {
			line.Number = other.Number + 1
		}
	}
	m.chat[id] = append(m.chat[id], line)
	return line, nil
}

// Chat implements Chat.
func (m *Memory) Chat(ctx context.Context, id storage.MatchID) (lines []storage.ChatLine, err error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, over := m.finished[id]; over {
		return nil, nil
	}
	return slices.Clone(m.chat[id]), nil
}

// ChatBy implements Chat.
func (m *Memory) ChatBy(ctx context.Context, player storage.PlayerID) (map[storage.MatchID][]storage.ChatLine, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	by := map[storage.MatchID][]storage.ChatLine{}
	for id, lines := range m.chat {
		for _, line := range lines {
			if _, over := m.finished[id]; !over && line.By.ID == string(player) {
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
	line := func(room storage.ChatRoom, by storage.Occupant, text string) storage.ChatLine {
		return storage.ChatLine{Room: room, At: minute(1), By: by, Text: text}
	}
	_, err := s.AddChat(ctx, id, line(storage.PlayersRoom, person(ann), "hello"))
	wants(t, "before the match", err, storage.ErrNotFound)
	for n, id := range []storage.MatchID{id, other} {
		if err := s.Append(ctx, id, []storage.Event{opened(fmt.Sprint("ABCDE", n), person(ann), person(bob))}, storage.Summary{}); err != nil {
			t.Fatal(err)
		}
	}
	for what, bad := range map[string]storage.ChatLine{
		"nothing":        line(storage.PlayersRoom, person(ann), ""),
		"a long line":    line(storage.PlayersRoom, person(ann), strings.Repeat("x", 801)),
		"no text":        line(storage.PlayersRoom, person(ann), "\xff"),
		"a bot":          line(storage.PlayersRoom, robot, "hello"),
		"a third room":   line(2, person(ann), "hello"),
		"text and words": {At: minute(1), By: person(ann), Text: "hello", Greeting: "hello"},
	} {
		_, err := s.AddChat(ctx, id, bad)
		wants(t, what, err, storage.ErrInvalid)
	}
	var want []storage.ChatLine
	add := func(id storage.MatchID, l storage.ChatLine, number uint64) {
		t.Helper()
		kept, err := s.AddChat(ctx, id, l)
		wants(t, "a line", err, nil)
		l.Number = number
		same(t, "a line", kept, l)
		want = append(want, l)
	}
	add(id, line(storage.PlayersRoom, person(ann), "good luck"), 1)
	add(id, storage.ChatLine{Room: storage.PlayersRoom, At: minute(2), By: person(bob), Greeting: "thanks"}, 2)
	add(id, line(storage.SpectatorsRoom, guest, strings.Repeat("€", storage.ChatRunes)), 1)
	lines, err := s.Chat(ctx, id)
	wants(t, "chat", err, nil)
	same(t, "chat", lines, want)
	for n := range 2 * storage.ChatLines {
		add(other, line(storage.SpectatorsRoom, person(ann), fmt.Sprint("line ", n)), uint64(n+1))
	}
	add(other, line(storage.PlayersRoom, person(bob), "hello"), 1)
	lines, err = s.Chat(ctx, other)
	wants(t, "a long chat", err, nil)
	if n := len(lines); n != storage.ChatLines+1 || lines[0].Text != "hello" || lines[1].Text != "line 100" || lines[n-1].Text != "line 199" {
		t.Errorf("%d lines are kept: %v", n, lines)
	}
	by, err := s.ChatBy(ctx, ann.ID)
	wants(t, "by ann", err, nil)
	if len(by) != 2 || len(by[id]) != 1 || len(by[other]) != storage.ChatLines {
		t.Errorf("ann wrote %v", by)
	}
	if _, err := s.Finish(ctx, other, []storage.Event{ended(2, "first")}, record("ABCDE1", "tanks", person(ann), person(bob), "first", 9)); err != nil {
		t.Fatal(err)
	}
	lines, err = s.Chat(ctx, other)
	wants(t, "after the end", err, nil)
	same(t, "after the end", lines, []storage.ChatLine(nil))
	_, err = s.AddChat(ctx, other, line(storage.PlayersRoom, person(ann), "well played"))
	wants(t, "a line after the end", err, storage.ErrNotFound)
	lines, err = s.Chat(ctx, id)
	wants(t, "the other match", err, nil)
	if len(lines) != 3 {
		t.Errorf("the other match has %d lines", len(lines))
	}
}

func deletedChat(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	if err := s.Append(ctx, "m1111111", []storage.Event{opened("ABCDEF", person(bob), guest)}, storage.Summary{}); err != nil {
		t.Fatal(err)
	}
	for _, by := range []storage.Player{ann, bob} {
		_, err := s.AddChat(ctx, "m1111111", storage.ChatLine{Room: storage.SpectatorsRoom, At: minute(1), By: person(by), Text: "hello"})
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
}
