package lobby_test

import (
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/operators"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	operatorstore "ludoteca/storage/operators"
	"ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// An office is a lobby on a store in a file, with an operator.
type office struct {
	*lobby.Lobby
	*operators.Operator
	t        *testing.T
	path     string
	store    *schema.Store
	ana, rui lobby.User
	ended    []string     // banned, and keys: whose sessions the server was told to end
	why      []error      // for each of ended
	late     atomic.Int64 // how much later than the real time the club believes it to be, in nanoseconds
}

// EndBanned implements Sessions.
func (o *office) EndBanned() {
	o.ended, o.why = append(o.ended, "banned"), append(o.why, lobby.ErrBanned)
}

// EndKeys implements Sessions.
func (o *office) EndKeys(keys []string, why error) {
	for _, k := range keys {
		o.ended, o.why = append(o.ended, k), append(o.why, why)
	}
}

// told returns why the sessions of a key were ended last; nil if they weren't.
func (o *office) told(key string) error {
	for i, ended := range slices.Backward(o.ended) {
		if ended == key {
			return o.why[i]
		}
	}
	return nil
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, path: filepath.Join(t.TempDir(), "club.db")}
	t.Cleanup(o.shut)
	o.open()
	o.ana, o.rui = o.account("ana"), o.account("rui")
	return o
}

func (o *office) open() {
	o.t.Helper()
	var err error
	if o.store, err = storagetest.OpenFile(o.path, schema.Config{Rate: rating.Rate}); err != nil {
		o.t.Fatal(err)
	}
	if o.Lobby, err = lobby.New(o.t.Context(), lobby.StoreOf(o.store), lobby.Config{Games: []games.Game{fourmation.New()}, Levels: []lobby.Level{firstLegal}, Now: o.clock}); err != nil {
		o.t.Fatal(err)
	}
	o.Operator = o.Lobby.Operators.As("SHA256:op", o)
}

func (o *office) clock() time.Time { return time.Now().Add(time.Duration(o.late.Load())) }

func (o *office) shut() {
	if err := errors.Join(o.Lobby.Close(), o.store.Close()); err != nil {
		o.t.Error(err)
	}
}

func keyOf(name string) string { return "SHA256:" + name }

func (o *office) account(name string) lobby.User {
	o.t.Helper()
	who, err := o.Accounts.SignUp(o.t.Context(), keyOf(name), name)
	if err != nil {
		o.t.Fatal(err)
	}
	return who
}

// played returns a match between ana and rui after the first moves of win.
func (o *office) played(moves int, rated bool) *seats.Seat {
	o.t.Helper()
	ctx := o.t.Context()
	ref, err := o.Lobby.Seats.Open(ctx, o.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Rated: rated, Public: true})
	if err == nil {
		_, err = o.Seats.Join(ctx, o.rui, origin.Origin{}, ref.Code)
	}
	if err != nil {
		o.t.Fatal(err)
	}
	ana, rui := o.seat(o.ana, ref.ID), o.seat(o.rui, ref.ID)
	for i, m := range win[:moves] {
		if err := []*seats.Seat{ana, rui}[i%2].Move(ctx, m, lobby.AnyPly); err != nil {
			o.t.Fatal(err)
		}
	}
	return ana
}

// seat returns a user's handle to a match.
func (o *office) seat(who lobby.User, id storage.MatchID) *seats.Seat {
	o.t.Helper()
	s, err := o.Seats.At(o.t.Context(), who, lobby.Ref{ID: id})
	if err != nil {
		o.t.Fatal(err)
	}
	return s
}

// at returns a user's handle to the match of another one.
func (o *office) at(who lobby.User, s *seats.Seat) *seats.Seat {
	o.t.Helper()
	return o.seat(who, s.ID())
}

func (o *office) view(s *seats.Seat) *lobby.View {
	o.t.Helper()
	v, err := s.Now(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	return v
}

// must fails the test for an act that failed, and returns its entry.
func (o *office) must(e operatorstore.AuditEntry, err error) operatorstore.AuditEntry {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
	return e
}

func (o *office) relate(u lobby.User, kind relations.Kind, name string, on bool, want error) {
	o.t.Helper()
	_, err := o.Relations.Relate(o.t.Context(), u, kind, name, on)
	wantErr(o.t, name, err, want)
}

// finish plays a casual match between two users until the second one resigns.
func (o *office) finish(first, second lobby.User) storage.MatchID {
	o.t.Helper()
	ctx := o.t.Context()
	ref, err := o.Lobby.Seats.Open(ctx, first, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Public: true})
	if err == nil {
		_, err = o.Seats.Join(ctx, second, origin.Origin{}, ref.Code)
	}
	if err != nil {
		o.t.Fatal(err)
	}
	seats := []*seats.Seat{o.seat(first, ref.ID), o.seat(second, ref.ID)}
	for i, m := range win[:4] {
		if err := seats[i%2].Move(ctx, m, lobby.AnyPly); err != nil {
			o.t.Fatal(err)
		}
	}
	if err := seats[1].Resign(ctx); err != nil {
		o.t.Fatal(err)
	}
	o.late.Add(int64(time.Second)) // two that end in one millisecond are in the history by their ids
	return ref.ID
}

// kept returns the record of a finished match.
func (o *office) kept(id storage.MatchID) (f results.Finished) {
	o.t.Helper()
	f, err := o.store.Results.Finished(o.t.Context(), id)
	if err != nil {
		o.t.Fatal(err)
	}
	return f
}

func (o *office) historyOf(id storage.PlayerID) (all []storage.MatchID) {
	o.t.Helper()
	rows, err := o.store.Results.History(o.t.Context(), results.HistoryQuery{Player: id, Limit: 100})
	if err != nil {
		o.t.Fatal(err)
	}
	for _, f := range rows {
		all = append(all, f.ID)
	}
	return all
}
