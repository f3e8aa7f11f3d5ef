package studies

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	studystore "ludoteca/storage/studies"
)

// A store keeps notes of one match by account, without bounds.
type store struct {
	kept map[storage.PlayerID][]Note
	all  []storage.PlayerID // accounts that the last note was said to be of
	err  error

	imported []Study
}

func (s *store) SetNote(ctx context.Context, id storage.PlayerID, all []storage.PlayerID, match storage.MatchID, n Note) ([]Note, error) {
	if s.err != nil {
		return nil, s.err
	}
	var err error
	s.all = all
	s.kept[id], err = studystore.With(s.kept[id], n)
	if err != nil {
		return nil, err
	}
	return s.NotesOn(ctx, all, match)
}

func (s *store) NotesOn(_ context.Context, ids []storage.PlayerID, _ storage.MatchID) (all []Note, err error) {
	for _, id := range ids {
		all = append(all, s.kept[id]...)
	}
	return all, s.err
}

func (s *store) NotesBy(_ context.Context, id storage.PlayerID) (map[storage.MatchID][]Note, error) {
	return map[storage.MatchID][]Note{"m1": s.kept[id]}, s.err
}

func (s *store) Import(_ context.Context, st Study) error {
	s.imported = append(s.imported, st)
	return s.err
}

func (s *store) Imported(context.Context, []storage.PlayerID) ([]Study, error) {
	return s.imported, s.err
}

func (s *store) ImportedAs(_ context.Context, ids []storage.PlayerID, id storage.MatchID) (Study, error) {
	for _, st := range s.imported {
		if slices.Contains(ids, st.Player) && st.ID == id {
			return st, s.err
		}
	}
	return Study{}, storage.ErrNotFound
}

func (s *store) RemoveStudy(ctx context.Context, ids []storage.PlayerID, id storage.MatchID) error {
	_, err := s.ImportedAs(ctx, ids, id)
	return err
}

// people says that p2 was merged into p1, and that p3 is closed.
type people struct{}

func (people) Own(u match.User) error {
	switch {
	case u.Kind != storage.Person:
		return refusal.ErrNeedsKey
	case u.ID == "p3":
		return refusal.ErrAccountClosed
	}
	return nil
}

func (people) AccountsOf(id storage.PlayerID) []storage.PlayerID {
	if id == "p1" {
		return []storage.PlayerID{"p1", "p2"}
	}
	return []storage.PlayerID{id}
}

var (
	ana   = match.User{Kind: storage.Person, ID: "p1", Name: "ana"}
	guest = match.User{Kind: storage.Guest, ID: "g1"}
	now   = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
)

func newService(kept *store) *Service {
	return New(Config{Store: kept, Restrictions: people{}, Now: func() time.Time { return now }, Games: catalog.All(), Origin: func(o storage.Occupant) origin.Origin {
		return origin.Origin{Person: o.ID, Addr: netip.MustParseAddr("192.0.2.1")}
	}})
}

// played is a match of two moves.
func played(over bool) *match.View {
	return &match.View{Summary: match.Summary{Ref: match.Ref{ID: "m1"}}, Moves: []games.Move{"a1", "b1"}, Over: over}
}

// TestWriteNote: what is no note, nobody's or on no position is refused; all else is kept as it is shown.
func TestWriteNote(t *testing.T) {
	for _, tt := range []struct {
		name  string
		who   match.User
		ply   int
		typed string
		store error
		want  error
		kept  string
	}{
		{name: "a note", who: ana, ply: 2, typed: "  here I missed b2 ", kept: "here I missed b2"},
		{name: "on the beginning", who: ana, typed: "x", kept: "x"},
		{name: "before it", who: ana, ply: -1, typed: "x", want: refusal.ErrNoPly},
		{name: "past the end", who: ana, ply: 3, typed: "x", want: refusal.ErrNoPly},
		{name: "none to remove", who: ana, ply: 1, want: refusal.ErrNoNote},
		{name: "as long as may be", who: ana, typed: strings.Repeat("é", studystore.MaxRunes), kept: strings.Repeat("é", studystore.MaxRunes)},
		{name: "too long", who: ana, typed: strings.Repeat("e", studystore.MaxRunes+1), want: refusal.ErrNote},
		{name: "much too long", who: ana, typed: strings.Repeat(" ", 1<<20), want: refusal.ErrNote},
		{name: "an escape", who: ana, typed: "a\x1b[2Jb", want: refusal.ErrNote},
		{name: "a line feed", who: ana, typed: "a\nb", want: refusal.ErrNote},
		{name: "an override", who: ana, typed: "a\u202eb", want: refusal.ErrNote},
		{name: "a zero-width space", who: ana, typed: "a\u200bb", want: refusal.ErrNote},
		{name: "no text", who: ana, typed: "a\xffb", want: refusal.ErrNote},
		{name: "a guest", who: guest, typed: "x", want: refusal.ErrNeedsKey},
		{name: "a closed account", who: match.User{Kind: storage.Person, ID: "p3"}, typed: "x", want: refusal.ErrAccountClosed},
		{name: "many", who: ana, typed: "x", store: studystore.ErrManyNotes, want: refusal.ErrManyNotes},
		{name: "no record", who: ana, typed: "x", store: studystore.ErrNoRecord, want: refusal.ErrNoRecord},
		{name: "a deleted account", who: ana, typed: "x", store: storage.ErrNotFound, want: refusal.ErrNoAccount},
		{name: "a store that fails", who: ana, typed: "x", store: errors.New("on fire"), want: refusal.ErrBusy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kept := &store{kept: map[storage.PlayerID][]Note{}, err: tt.store}
			notes, err := newService(kept).WriteNote(t.Context(), tt.who, played(true), tt.ply, tt.typed)
			if !errors.Is(err, tt.want) || err == nil && tt.want != nil {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			var want []Note
			if tt.want == nil {
				want = []Note{{Ply: tt.ply, Text: tt.kept, At: now}}
			}
			if !slices.Equal(notes, want) || !slices.Equal(kept.kept["p1"], want) {
				t.Errorf("returned %v, kept %v, want %v", notes, kept.kept, want)
			}
		})
	}
	kept := &store{kept: map[storage.PlayerID][]Note{}}
	if _, err := newService(kept).WriteNote(t.Context(), ana, played(false), 0, "x"); !errors.Is(err, refusal.ErrNotOver) || len(kept.kept) > 0 {
		t.Errorf("on a match that goes on: %v, kept %v", err, kept.kept)
	}
}

// TestNotesOfAccounts: a player has the notes of all their accounts, writes with the own one, and a guest has none.
func TestNotesOfAccounts(t *testing.T) {
	kept := &store{kept: map[storage.PlayerID][]Note{"p2": {{Ply: 1, Text: "old"}}}}
	s := newService(kept)
	if _, err := s.WriteNote(t.Context(), ana, played(true), 2, "new"); err != nil || !slices.Equal(kept.all, []storage.PlayerID{"p1", "p2"}) {
		t.Errorf("written as one of %v, %v", kept.all, err)
	}
	if notes, err := s.Notes(t.Context(), ana, "m1"); err != nil || len(notes) != 2 {
		t.Errorf("the notes are %v, %v", notes, err)
	}
	if all, err := s.AllNotes(t.Context(), ana); err != nil || len(all["m1"]) != 2 {
		t.Errorf("all notes are %v, %v", all, err)
	}
	if notes, err := s.Notes(t.Context(), guest, "m1"); err != nil || notes != nil {
		t.Errorf("the notes of a guest are %v, %v", notes, err)
	}
	if _, err := s.AllNotes(t.Context(), guest); !errors.Is(err, refusal.ErrNeedsKey) {
		t.Errorf("all notes of a guest: %v", err)
	}
}

// TestNotesAreThrottled: after noteBurst notes in a row the next one has to wait.
func TestNotesAreThrottled(t *testing.T) {
	s := newService(&store{kept: map[storage.PlayerID][]Note{}})
	for n := range noteBurst + 1 {
		_, err := s.WriteNote(t.Context(), ana, played(true), 0, strings.Repeat("x", n+1))
		if chatty := (*refusal.ChattyError)(nil); errors.As(err, &chatty) != (n == noteBurst) {
			t.Fatalf("note %d: %v", n+1, err)
		}
	}
}
