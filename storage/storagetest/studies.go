package storagetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/storage"
	"ludoteca/storage/studies"
)

// Studies is the part of a Store that keeps the notes of players.
type Studies interface {
	SetNote(ctx context.Context, id storage.PlayerID, all []storage.PlayerID, match storage.MatchID, n studies.Note) ([]studies.Note, error)
	NotesOn(ctx context.Context, ids []storage.PlayerID, match storage.MatchID) ([]studies.Note, error)
	NotesBy(ctx context.Context, id storage.PlayerID) (map[storage.MatchID][]studies.Note, error)
	Import(ctx context.Context, st studies.Study) error
	Imported(ctx context.Context, ids []storage.PlayerID) ([]studies.Study, error)
	ImportedAs(ctx context.Context, ids []storage.PlayerID, id storage.MatchID) (studies.Study, error)
	RemoveStudy(ctx context.Context, ids []storage.PlayerID, id storage.MatchID) error
}

// note is a note after ply moves, written in the minute of that number.
func note(ply int, text string) studies.Note {
	return studies.Note{Ply: ply, Text: text, At: minute(ply)}
}

// finishedMatch plays a match between two players, rated if rated is true, and returns its id, which follows from n.
func finishedMatch(t tb, s Store, n int, first, second storage.Occupant, rated bool) storage.MatchID {
	t.Helper()
	id := storage.MatchID(fmt.Sprintf("m%07d", n))
	f := record(fmt.Sprintf("N%05d", n), "tanks", first, second, "first", n)
	f.Rated = rated
	play(t, s, id, f)
	return id
}

func notes(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	m1, m2 := finishedMatch(t, s, 1, person(ann), person(bob), true), finishedMatch(t, s, 2, person(ann), person(bob), true)
	both := []storage.PlayerID{ann.ID, bob.ID}
	set := func(what string, id storage.PlayerID, match storage.MatchID, n studies.Note, want error) {
		t.Helper()
		_, err := s.SetNote(ctx, id, []storage.PlayerID{id}, match, n)
		wants(t, what, err, want)
	}
	on := func(what string, want []studies.Note, ids ...storage.PlayerID) {
		t.Helper()
		got, err := s.NotesOn(ctx, ids, m1)
		wants(t, what, err, nil)
		same(t, what, got, want)
	}
	on("nothing", nil, ann.ID)
	set("a note", ann.ID, m1, note(7, "here I missed c4"), nil)
	set("an earlier one", ann.ID, m1, note(2, "good"), nil)
	set("on another match", ann.ID, m2, note(0, "slow"), nil)
	set("of another player", bob.ID, m1, note(3, "luck"), nil)
	on("by ply", []studies.Note{note(2, "good"), note(7, "here I missed c4")}, ann.ID)
	on("of two accounts", []studies.Note{note(2, "good"), note(3, "luck"), note(7, "here I missed c4")}, both...)
	set("another text", ann.ID, m1, note(7, "c4!"), nil)
	set("none to remove", ann.ID, m1, note(8, ""), storage.ErrUnchanged)
	set("one to remove", ann.ID, m1, note(2, ""), nil)
	on("after that", []studies.Note{note(7, "c4!")}, ann.ID)
	set("a stranger's", "2222222222222222", m1, note(1, "x"), storage.ErrNotFound)
	set("on no match", ann.ID, "m9999999", note(1, "x"), studies.ErrNoRecord)
	set("too long", ann.ID, m1, note(1, strings.Repeat("é", studies.MaxRunes+1)), storage.ErrInvalid)
	set("long", ann.ID, m1, note(1, strings.Repeat("é", studies.MaxRunes)), nil)
	set("no text", ann.ID, m1, note(1, "\xff"), storage.ErrInvalid)
	set("before the start", ann.ID, m1, note(-1, "x"), storage.ErrInvalid)
	by, err := s.NotesBy(ctx, bob.ID)
	wants(t, "all of a player", err, nil)
	same(t, "all of a player", by, map[storage.MatchID][]studies.Note{m1: {note(3, "luck")}})
	for ply := range studies.MaxNotes {
		set("as many as there may be", bob.ID, m2, note(ply, "x"), nil)
	}
	set("one too many", bob.ID, m2, note(studies.MaxNotes, "x"), studies.ErrManyNotes)
	set("in place of another", bob.ID, m2, note(5, "y"), nil)

	// Two accounts of one player.
	set("to remove", ann.ID, m1, note(1, ""), nil)
	got, err := s.SetNote(ctx, ann.ID, both, m1, note(3, "skill"))
	wants(t, "in place of that of the other account", err, nil)
	same(t, "in place of that of the other account", got, []studies.Note{note(3, "skill"), note(7, "c4!")})
	on("of the other account then", nil, bob.ID)
	set("one that no text replaces", bob.ID, m1, note(4, "why"), nil)
	got, err = s.SetNote(ctx, ann.ID, both, m1, note(4, ""))
	wants(t, "remove that of the other account", err, nil)
	same(t, "remove that of the other account", got, []studies.Note{note(3, "skill"), note(7, "c4!")})
	_, err = s.SetNote(ctx, ann.ID, both, m1, note(4, ""))
	wants(t, "remove it again", err, storage.ErrUnchanged)
}

// deletedNotes: the matches on which a player has notes are bounded. Matches that are no longer kept make room, and the notes of a player go with
// the account.
func deletedNotes(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	set := func(what string, match storage.MatchID, text string, want error) {
		t.Helper()
		_, err := s.SetNote(ctx, ann.ID, []storage.PlayerID{ann.ID}, match, note(1, text))
		wants(t, what, err, want)
	}
	casual := finishedMatch(t, s, 1, person(ann), guest, false)
	set("on a casual match", casual, "x", nil)
	var all []storage.MatchID
	for n := range studies.MaxMatches + 1 {
		all = append(all, finishedMatch(t, s, n+2, person(ann), person(bob), true))
	}
	for _, match := range all[:studies.MaxMatches-1] {
		set("a note", match, "x", nil)
	}
	last := all[studies.MaxMatches-1:]
	set("on one match too many", last[0], "x", studies.ErrManyNotes)
	set("on one of the others", all[7], "y", nil)
	_, err := s.ForgetCasual(ctx, minute(1000), nil)
	wants(t, "forget the casual match", err, nil)
	set("in its place", last[0], "x", nil)
	set("on one match too many again", last[1], "x", studies.ErrManyNotes)
	set("remove one", all[7], "", nil)
	set("in the free place", last[1], "x", nil)
	by, err := s.NotesBy(ctx, ann.ID)
	wants(t, "all", err, nil)
	if _, there := by[casual]; there || len(by) != studies.MaxMatches {
		t.Errorf("notes on %d matches, on one that was forgotten: %v", len(by), there)
	}
	_, err = s.DeletePlayer(ctx, ann.ID, minute(1001))
	wants(t, "delete", err, nil)
	by, err = s.NotesBy(ctx, ann.ID)
	wants(t, "after that", err, nil)
	same(t, "after that", by, map[storage.MatchID][]studies.Note{})
}

// SetNote implements Studies.
func (m *Memory) SetNote(ctx context.Context, id storage.PlayerID, all []storage.PlayerID, match storage.MatchID, n studies.Note) ([]studies.Note, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, known := m.players[id]; !known {
		return nil, storage.ErrNotFound
	}
	n.At = storage.Stored(n.At)
	next, on := map[studies.NotesKey][]studies.Note{}, 0
	for k, notes := range m.notes {
		if k.Match == match && k.Player != id && slices.Contains(all, k.Player) {
			notes = slices.DeleteFunc(slices.Clone(notes), func(o studies.Note) bool { return o.Ply == n.Ply })
		}
		if next[k] = notes; k.Player == id {
			on++
		}
	}
	key := studies.NotesKey{Player: id, Match: match}
	own, err := studies.With(next[key], n)
	elsewhere := len(notesInMemory(next, all, match)) < len(notesInMemory(m.notes, all, match))
	if err != nil && !(elsewhere && errors.Is(err, storage.ErrUnchanged)) {
		return nil, err
	}
	if _, there := m.notes[key]; !there && len(own) > 0 {
		if !m.hasRecord(all, match) {
			return nil, studies.ErrNoRecord
		}
		if on >= studies.MaxMatches {
			maps.DeleteFunc(next, func(k studies.NotesKey, _ []studies.Note) bool {
				return k.Player == id && !m.hasRecord(all, k.Match)
			})
			if len(next) == len(m.notes) {
				return nil, studies.ErrManyNotes
			}
		}
	}
	next[key] = own
	maps.DeleteFunc(next, func(_ studies.NotesKey, notes []studies.Note) bool { return len(notes) == 0 })
	m.notes = next
	return notesInMemory(next, all, match), nil
}

// hasRecord reports whether a match is finished, or one of some accounts has a study with its ID. The caller holds the lock.
func (m *Memory) hasRecord(ids []storage.PlayerID, match storage.MatchID) bool {
	_, finished := m.finished[match]
	return finished || slices.ContainsFunc(m.imported, func(st studies.Study) bool { return st.ID == match && slices.Contains(ids, st.Player) })
}

// note has a player with one or two accounts write or remove a note.
func (m *machine) note(r *rapid.T) {
	id, match := m.player(r), matches.Draw(r, "match")
	all := slices.Compact([]storage.PlayerID{id, m.player(r)})
	n := studies.Note{Ply: rapid.IntRange(0, 2).Draw(r, "ply"), Text: rapid.SampledFrom([]string{"", "good", "bad"}).Draw(r, "text"), At: m.later(r)}
	got, err := m.store.SetNote(r.Context(), id, all, match, n)
	want, wantErr := m.model.SetNote(r.Context(), id, all, match, n)
	agree(r, "SetNote", got, err, want, wantErr)
}

// notesInMemory returns the notes of some accounts on a match.
func notesInMemory(kept map[studies.NotesKey][]studies.Note, ids []storage.PlayerID, match storage.MatchID) (all []studies.Note) {
	for _, id := range ids {
		all = append(all, kept[studies.NotesKey{Player: id, Match: match}]...)
	}
	slices.SortStableFunc(all, func(a, b studies.Note) int { return a.Ply - b.Ply })
	return all
}

// NotesOn implements Studies.
func (m *Memory) NotesOn(ctx context.Context, ids []storage.PlayerID, match storage.MatchID) ([]studies.Note, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return notesInMemory(m.notes, ids, match), nil
}

// NotesBy implements Studies.
func (m *Memory) NotesBy(ctx context.Context, id storage.PlayerID) (map[storage.MatchID][]studies.Note, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	all := map[storage.MatchID][]studies.Note{}
	for k, notes := range m.notes {
		if k.Player == id {
			all[k.Match] = slices.Clone(notes)
		}
	}
	return all, nil
}

// importing: an account keeps studies up to a bound, finds, lists and removes its own alone, with the notes on them; a study goes with the account.
func importing(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	one := finishedMatch(t, s, 1, person(ann), person(bob), true)
	study := func(of storage.PlayerID, id storage.MatchID, n int) studies.Study {
		return studies.Study{ID: id, Player: of, Game: "tanks", First: "x", Second: "李", Result: "1-0", Plies: n, At: minute(n), Text: strings.Repeat("é", n+1)}
	}
	keep := func(what string, st studies.Study, want error) {
		t.Helper()
		wants(t, what, s.Import(ctx, st), want)
	}
	keep("one", study(ann.ID, "s1", 1), nil)
	keep("another", study(ann.ID, "s2", 2), nil)
	keep("of another player", study(bob.ID, "s3", 3), nil)
	keep("with an id that is taken", study(ann.ID, "s1", 1), storage.ErrStale)
	keep("with the id of a match", study(ann.ID, one, 1), storage.ErrStale)
	keep("of nobody", study("p99", "s4", 1), storage.ErrNotFound)
	note := func(what string, of storage.PlayerID, all []storage.PlayerID, id storage.MatchID, want error) {
		t.Helper()
		_, err := s.SetNote(ctx, of, all, id, note(1, "x"))
		wants(t, what, err, want)
	}
	note("a note on a study", ann.ID, []storage.PlayerID{ann.ID}, "s1", nil)
	note("on the study of the other account", ann.ID, []storage.PlayerID{ann.ID, bob.ID}, "s3", nil)
	note("on the study of another player", bob.ID, []storage.PlayerID{bob.ID}, "s2", studies.ErrNoRecord)
	keep("too long", study(ann.ID, "s4", studies.MaxText/2), storage.ErrInvalid)
	keep("without text", studies.Study{ID: "s4", Player: ann.ID, Game: "tanks"}, storage.ErrInvalid)
	list := func(what string, want []studies.Study, ids ...storage.PlayerID) {
		t.Helper()
		got, err := s.Imported(ctx, ids)
		wants(t, what, err, nil)
		same(t, what, got, want)
	}
	list("the studies of one", []studies.Study{study(ann.ID, "s2", 2), study(ann.ID, "s1", 1)}, ann.ID)
	list("the studies of two accounts", []studies.Study{study(bob.ID, "s3", 3), study(ann.ID, "s2", 2), study(ann.ID, "s1", 1)}, ann.ID, bob.ID)
	got, err := s.ImportedAs(ctx, []storage.PlayerID{bob.ID, ann.ID}, "s1")
	wants(t, "a study", err, nil)
	same(t, "a study", got, study(ann.ID, "s1", 1))
	_, err = s.ImportedAs(ctx, []storage.PlayerID{bob.ID}, "s1")
	wants(t, "the study of another player", err, storage.ErrNotFound)
	wants(t, "remove that of another player", s.RemoveStudy(ctx, []storage.PlayerID{bob.ID}, "s1"), storage.ErrNotFound)
	wants(t, "remove", s.RemoveStudy(ctx, []storage.PlayerID{bob.ID, ann.ID}, "s1"), nil)
	notes, err := s.NotesOn(ctx, []storage.PlayerID{ann.ID}, "s1")
	wants(t, "the notes on a study that is removed", err, nil)
	same(t, "the notes on a study that is removed", notes, []studies.Note(nil))
	wants(t, "remove twice", s.RemoveStudy(ctx, []storage.PlayerID{ann.ID}, "s1"), storage.ErrNotFound)
	list("after that", []studies.Study{study(ann.ID, "s2", 2)}, ann.ID)
	for n := range studies.MaxStudies - 1 {
		keep("up to the bound", study(ann.ID, storage.MatchID(fmt.Sprintf("t%d", n)), n), nil)
	}
	keep("one too many", study(ann.ID, "s5", 5), studies.ErrManyStudies)
	_, err = s.DeletePlayer(ctx, ann.ID, minute(100))
	wants(t, "delete the account", err, nil)
	list("of a deleted account", nil, ann.ID)
	list("of the other player", []studies.Study{study(bob.ID, "s3", 3)}, bob.ID)
}

// Import implements Studies.
func (m *Memory) Import(ctx context.Context, st studies.Study) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	m.imported = append(m.imported, st)
	return nil
}

// Imported implements Studies.
func (m *Memory) Imported(ctx context.Context, ids []storage.PlayerID) (all []studies.Study, err error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, st := range slices.Backward(m.imported) {
		if slices.Contains(ids, st.Player) {
			all = append(all, st)
		}
	}
	return all, nil
}

// ImportedAs implements Studies.
func (m *Memory) ImportedAs(ctx context.Context, ids []storage.PlayerID, id storage.MatchID) (studies.Study, error) {
	all, err := m.Imported(ctx, ids)
	if i := slices.IndexFunc(all, func(st studies.Study) bool { return st.ID == id }); err == nil && i >= 0 {
		return all[i], nil
	}
	return studies.Study{}, errors.Join(err, storage.ErrNotFound)
}

// RemoveStudy implements Studies.
func (m *Memory) RemoveStudy(ctx context.Context, ids []storage.PlayerID, id storage.MatchID) error {
	st, err := m.ImportedAs(ctx, ids, id)
	if err != nil {
		return err
	}
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	m.imported = slices.DeleteFunc(m.imported, func(o studies.Study) bool { return o.ID == st.ID && o.Player == st.Player })
	return nil
}
