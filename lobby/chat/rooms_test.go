package chat

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fakeStore is the store of the chat of one match. A test can end the match.
type fakeStore struct {
	lines []Line
	over  atomic.Bool
	fail  error // returned for the next line, which is stored all the same
}

func (s *fakeStore) AddChat(_ context.Context, _ storage.MatchID, line Line) (Line, error) {
	if s.over.Load() {
		return Line{}, storage.ErrNotFound
	}
	line.Number = uint64(len(s.lines) + 1)
	s.lines = append(s.lines, line)
	err := s.fail
	s.fail = nil
	return line, err
}

func (s *fakeStore) AddLateChat(_ context.Context, _ storage.MatchID, line Line) (Line, error) {
	line.Number = uint64(len(s.lines) + 1)
	s.lines = append(s.lines, line)
	return line, nil
}

func (s *fakeStore) Chat(context.Context, storage.MatchID) ([]Line, error) {
	if s.over.Load() {
		return nil, nil
	}
	return append([]Line(nil), s.lines...), nil
}

func newRooms(s *fakeStore) *Rooms {
	return NewRooms(s, feed.NewGroup(), func(storage.MatchID) bool { return !s.over.Load() }, func(storage.MatchID, Line) {})
}

// texts returns what is written in both rooms.
func texts(talk *Talk) (all []string) {
	for _, room := range talk.Rooms {
		for _, line := range room {
			all = append(all, line.Text)
		}
	}
	return all
}

func wantTexts(t *testing.T, r *Rooms, what string, want ...string) {
	t.Helper()
	talk, err := r.Next(t.Context(), "m", 0)
	if err != nil {
		t.Fatal(err)
	}
	got := texts(talk)
	if len(got) != len(want) {
		t.Fatalf("%s: %q, want %q", what, got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

func say(t *testing.T, r *Rooms, text string) {
	t.Helper()
	if err := r.Say(t.Context(), "m", Line{By: ana, Text: text}); err != nil {
		t.Fatal(err)
	}
}

func TestRooms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeStore{lines: []Line{{Number: 1, By: ana, Text: "from before"}}}
		r := newRooms(s)
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		wantTexts(t, r, "at first", "from before")
		first, _ := r.Next(ctx, "m", 0)
		newer := make(chan *Talk, 1)
		go func() {
			talk, _ := r.Next(ctx, "m", first.Seq)
			newer <- talk
		}()
		synctest.Wait()
		say(t, r, "hello")
		if talk := <-newer; talk == nil || len(texts(talk)) != 2 {
			t.Error("a reader does not get the new line")
		}
		s.fail = errors.New("the disk is gone")
		if err := r.Say(ctx, "m", Line{By: ana, Text: "perhaps"}); err == nil {
			t.Error("no error for a line that may not be on disk")
		}
		say(t, r, "again")
		wantTexts(t, r, "after an uncertain line", "from before", "hello", "perhaps", "again")

		time.Sleep(2 * time.Minute)
		if r.Len() != 0 {
			t.Error("a chat without readers stays in memory")
		}
		wantTexts(t, r, "read again", "from before", "hello", "perhaps", "again")
		s.over.Store(true)
		r.End("m", nil)
		say(t, r, "well played")
		if last := s.lines[len(s.lines)-1]; last.Text != "well played" {
			t.Errorf("the last line on disk is %+v", last)
		}
		wantTexts(t, r, "after the end", "from before", "hello", "perhaps", "again", "well played")
		time.Sleep(5 * time.Minute)
		wantTexts(t, r, "five minutes later", "from before", "hello", "perhaps", "again", "well played")
		time.Sleep(12 * time.Minute)
		wantTexts(t, r, "after ten minutes without readers")
		cancel()
	})
}

// TestRoomsEndWhileLoading: a chat is marked as over, whether its match ends before or after the lines are loaded.
func TestRoomsEndWhileLoading(t *testing.T) {
	s := &fakeStore{}
	s.over.Store(true)
	r := newRooms(s)
	talk, err := r.Next(t.Context(), "m", 0)
	if err != nil || !talk.Over {
		t.Errorf("a match that was over before: over %v, %v", talk.Over, err)
	}
	s = &fakeStore{}
	r = newRooms(s)
	say(t, r, "hello")
	s.over.Store(true)
	r.End("m", nil)
	r.End("m", nil)
	talk, err = r.Next(t.Context(), "m", 0)
	if err != nil || !talk.Over || len(texts(talk)) != 1 {
		t.Errorf("a match that ends: over %v, %q, %v", talk.Over, texts(talk), err)
	}
}

// TestRoomsFollow: a line of another node is shown, even if this node adds a later line before it learns of the first.
func TestRoomsFollow(t *testing.T) {
	s := &fakeStore{}
	r := newRooms(s)
	wantTexts(t, r, "at first")
	s.lines = append(s.lines, Line{Number: 1, By: ana, Text: "of another node"})
	say(t, r, "of this one")
	for added := range s.lines {
		r.Follow(t.Context(), "m", chatstore.PlayersRoom, uint64(added+1))
	}
	wantTexts(t, r, "after both", "of another node", "of this one")
}

// TestRoomsHearEarly: a line from after the end of a match stays, even if it arrives from another node before this node knows of the end.
func TestRoomsHearEarly(t *testing.T) {
	s := &fakeStore{lines: []Line{{Number: 1, By: ana, Text: "hello"}}}
	r := newRooms(s)
	wantTexts(t, r, "at first", "hello")
	r.Receive("m", Line{By: ana, Text: "well played"})
	s.over.Store(true)
	r.End("m", nil)
	wantTexts(t, r, "after the end", "hello", "well played")
}

// TestRoomsAreBounded: chats without readers are dropped when there are many, and a chat with a reader stays.
func TestRoomsAreBounded(t *testing.T) {
	s := &fakeStore{}
	r := newRooms(s)
	_, leave := r.attend("read")
	defer leave()
	for i := range 3 * maxUnread {
		if _, err := r.Next(t.Context(), storage.MatchID(rune('Ā'+i)), 0); err != nil {
			t.Fatal(err)
		}
		if r.Len() > maxUnread+1 {
			t.Fatalf("%d chats are in memory", r.Len())
		}
	}
	if r.Latest("read") != nil {
		t.Error("a chat is loaded though Next was not called for it")
	}
	if _, ok := r.all["read"]; !ok {
		t.Error("a chat with a reader is gone")
	}
}

// TestRoomsKeepLines: reading the empty chats of many finished matches drops no chat that has lines.
func TestRoomsKeepLines(t *testing.T) {
	s := &fakeStore{}
	r := newRooms(s)
	say(t, r, "hello")
	s.over.Store(true)
	r.End("m", nil)
	say(t, r, "well played")
	for i := range 3 * maxUnread {
		if _, err := r.Next(t.Context(), storage.MatchID(rune('Ā'+i)), 0); err != nil {
			t.Fatal(err)
		}
	}
	if talk := r.Latest("m"); talk == nil || len(texts(talk)) != 2 {
		t.Errorf("the chat of the match is %v, want two lines", talk)
	}
}

// TestRoomsWasThere: WasThere is true of users who were at the board when the match ended, and of users who have written.
func TestRoomsWasThere(t *testing.T) {
	s := &fakeStore{}
	r := newRooms(s)
	if r.WasThere("m", match.KeyOf(ana)) {
		t.Error("ana was at a match whose chat is not in memory")
	}
	say(t, r, "hello")
	s.over.Store(true)
	r.End("m", []match.Key{match.KeyOf(eva)})
	for who, want := range map[storage.Occupant]bool{ana: true, eva: true, gil: false} {
		if got := r.WasThere("m", match.KeyOf(who)); got != want {
			t.Errorf("%s was there: %v, want %v", who.ID, got, want)
		}
	}
}
