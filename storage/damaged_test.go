package storage_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	chatstore "ludoteca/storage/chat"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/learning"
	"ludoteca/storage/matches"
	"ludoteca/storage/notices"
	"ludoteca/storage/operators"
	relationstore "ludoteca/storage/relations"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/standingoffers"
	"ludoteca/storage/storagetest"
	"ludoteca/storage/studies"
	"ludoteca/storage/tells"
	"ludoteca/storage/tournaments"
)

// every returns the step of a long sweep: 1, or places with -short.
func every(places int) int {
	if testing.Short() {
		return places
	}
	return 1
}

// small returns the bytes of a store that has something of everything, and what reading it says.
func small(t testing.TB) (file []byte, says map[string]string) {
	t.Helper()
	ctx := context.Background()
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "club.db"), bolt.Options{})
	defer s.Close()
	var seats []storage.Occupant
	for _, name := range []string{"ann", "bob", "cid"} {
		p, err := s.Accounts.SignUp(ctx, accounts.Player{Name: name, NameKey: name, Since: benchTime}, "SHA256:"+name)
		if err != nil {
			t.Fatal(err)
		}
		seats = append(seats, storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name})
	}
	for m := range 40 {
		first := benchOpening(m)
		events := []matches.Event{first, benchMove(2), benchMove(3)}
		if err := s.Matches.Append(ctx, benchID(m), events, matches.Summary{}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Chat.AddChat(ctx, benchID(m), chatstore.Line{At: benchTime, By: seats[0], Text: "hello"}); err != nil {
			t.Fatal(err)
		}
		if m%4 == 0 {
			var more []matches.Event // three blocks in all
			for seq := uint64(4); seq <= 150; seq++ {
				more = append(more, benchMove(seq))
			}
			if err := s.Matches.Append(ctx, benchID(m), more, matches.Summary{}); err != nil {
				t.Fatal(err)
			}
			plan := matches.Plan{Ply: 149, At: benchTime, Moves: []matches.PlannedMove{{Move: "e2xe4"}, {After: 1, Move: "a1-a2"}}}
			if err := s.Matches.SetPlan(ctx, matches.PlanKey{Match: benchID(m), Seat: storage.SecondSeat}, 150, plan); err != nil {
				t.Fatal(err)
			}
			continue
		}
		at := benchTime.Add(time.Duration(m) * time.Hour)
		f := resultstore.Finished{
			Code: first.Opening.Code, Game: "tanks", Options: first.Opening.Options, First: seats[m%3], Second: seats[(m+1)%3],
			Result: "first", Rated: true, Plies: 300, Ended: at, Started: benchTime,
			Effect: resultstore.Effect{Practice: &resultstore.PracticeMatch{Player: storage.PlayerID(seats[m%3].ID), Prior: resultstore.PracticePrior{Rating: 1000, Deviation: 500}, Level: "club", Rating: 1500, Score: 1}},
			Course: resultstore.Course{Moves: slices.Repeat([]games.Move{"e2xe4"}, 300), Times: slices.Repeat([]time.Time{at}, 300)},
		}
		end := matches.Event{Seq: 4, Version: matches.EventVersion, Kind: matches.Ended, At: at, Result: "first"}
		if _, err := s.Matches.Finish(ctx, benchID(m), []matches.Event{end}, f, nil); err != nil {
			t.Fatal(err)
		}
		if m%8 != 1 {
			continue
		}
		a := &analysis.Analysis{Version: 1, Nodes: m, Points: slices.Repeat([]analysis.Point{{Chance: 0.5}}, 301)}
		if err := s.Analyses.SaveAnalysis(ctx, benchID(m), a); err != nil {
			t.Fatal(err)
		}
	}
	operate(t, s.Store)
	path := filepath.Join(dir, "backup.db")
	if _, err := s.engine.Backup(ctx, path); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file, readAll(t, s.Store)
}

// operate leaves something of all that operators do, and players with their accounts, in a store.
func operate(t testing.TB, s *schema.Store) {
	t.Helper()
	ctx := context.Background()
	cid, err := s.Accounts.PlayerByName(ctx, "cid")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []operators.Change{
		{Mute: &operators.MuteChange{Player: cid.ID, Until: benchTime.AddDate(1, 0, 0)}},
		{Rename: &operators.RenameChange{Player: cid.ID, Name: "eva", NameKey: "eva"}},
		{Rename: &operators.RenameChange{Player: cid.ID, Name: "cid", NameKey: "cid"}},
		{Ban: &operators.BanChange{Subject: "192.0.2.0/24", Ban: &operators.Ban{}}},
		{Result: &operators.ResultChange{Match: benchID(1)}},
		{Announce: &operators.Announcement{Text: "tea", At: benchTime}},
	} {
		if _, err := s.Operators.Act(ctx, operators.AuditEntry{At: benchTime, By: "SHA256:op", Verb: "act", Reason: "because"}, c); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Operators.AddReport(ctx, operators.Report{At: benchTime, By: cid.ID, About: cid.ID, Reason: "rude"}); err != nil {
		t.Fatal(err)
	}
	block := netip.MustParsePrefix("192.0.2.0/24")
	dan, err := s.Accounts.SignUp(ctx, accounts.Player{Name: "dan", NameKey: "dan", Since: benchTime}, "SHA256:dan")
	if err == nil {
		_, err = s.Accounts.DeletePlayer(ctx, dan.ID, benchTime)
	}
	if err == nil {
		ann, _ := s.Accounts.PlayerByName(ctx, "ann")
		_, err = s.Relations.Relate(ctx, cid.ID, relationstore.Blocked, ann.ID, true, benchTime)
	}
	if err := errors.Join(err, s.Visits.Visited(ctx, cid.ID, "SHA256:cid", block, false, benchTime),
		s.Accounts.SetRecovery(ctx, cid.ID, "recovery", benchTime), s.Accounts.OfferKey(ctx, cid.ID, "key", benchTime),
		s.Guests.OfferMatches(ctx, "guest", "matches", benchTime), s.Learning.Learn(ctx, cid.ID, "tanks", 3, false, benchTime), solve(ctx, s, cid.ID), annotate(ctx, s, cid.ID),
		tellAnn(ctx, s, cid.ID), standingOffer(ctx, s, cid.ID), hold(ctx, s, cid),
		s.Operators.AddSigner(ctx, []byte("a key"), benchTime), address(ctx, s, cid.ID), rest(ctx, s, cid.ID)); err != nil {
		t.Fatal(err)
	}
}

// standingOffer has a player keep an offer open.
func standingOffer(ctx context.Context, s *schema.Store, id storage.PlayerID) error {
	who, kind := storage.Occupant{Kind: storage.Person, ID: string(id), Name: "cid"}, standingoffers.Kind{Game: "tanks", Options: games.Options{"size": 6}, Clock: "3d"}
	_, err := s.Standing.AddStandingOffer(ctx, who, kind, 2, benchID(2), benchTime)
	return err
}

// tellAnn has a player write a line to ann.
func tellAnn(ctx context.Context, s *schema.Store, id storage.PlayerID) error {
	ann, err := s.Accounts.PlayerByName(ctx, "ann")
	if err == nil {
		err = s.Tells.AddTell(ctx, tells.Party{ID: id, Name: "cid"}, tells.Party{ID: ann.ID, Name: "ann"}, true, "tea?", benchTime)
	}
	return err
}

// hold has a player announce and enter two tournaments, of which one is over, and the club have a series.
func hold(ctx context.Context, s *schema.Store, by accounts.Player) error {
	who := storage.Occupant{Kind: storage.Person, ID: string(by.ID), Name: by.Name}
	for n, code := range []string{"TTTTT2", "TTTTT3"} {
		o := storagetest.SampleSettings(code, who)
		m := tournaments.Summary{Settings: o, Stage: tournaments.Open, Players: 1}
		entries := []tournaments.Entry{
			{Seq: 1, At: benchTime, Kind: tournaments.Announced, Settings: &o}, {Seq: 2, At: benchTime, Kind: tournaments.Entered, Who: who, Rating: 1500},
		}
		if n == 0 {
			m.Stage, entries = tournaments.Over, append(entries, tournaments.Entry{Seq: 3, At: benchTime, Kind: tournaments.Ended})
		}
		if err := s.Tournaments.AppendTournament(ctx, storage.TournamentID(fmt.Sprintf("t%d", n)), entries, m); err != nil {
			return err
		}
	}
	return s.Tournaments.AddSeries(ctx, tournaments.Series{ID: "s1", Settings: storagetest.SampleSettings("", storage.Occupant{}), Day: time.Friday, Zone: "Europe/Lisbon"})
}

// rest has a player begin a second vacation, in the turn of the year.
func rest(ctx context.Context, s *schema.Store, id storage.PlayerID) error {
	at := time.Date(2026, 12, 28, 12, 0, 0, 0, time.UTC)
	_, err := s.Vacations.BeginVacation(ctx, id, at.Add(time.Hour), at)
	if err == nil {
		_, err = s.Vacations.BeginVacation(ctx, id, at.AddDate(0, 0, 9), at.Add(24*time.Hour))
	}
	return err
}

// address gives a player an address for notices, and queues one.
func address(ctx context.Context, s *schema.Store, id storage.PlayerID) error {
	at := benchTime.AddDate(1, 0, 0)
	to := notices.Destination{Kind: notices.Mail, To: "cid@example.com", Same: "cid@example.com"}
	_, err := s.Notices.AskAddress(ctx, id, to, notices.Code{Hash: "hash"}, at)
	if err == nil {
		_, err = s.Notices.ConfirmAddress(ctx, id, "hash", at)
	}
	if err == nil {
		_, err = s.Notices.TellTurns(ctx, id, []notices.Turn{{Match: benchID(1), Ply: 2}}, at)
	}
	return err
}

// annotate has a player write two notes, and import a record.
func annotate(ctx context.Context, s *schema.Store, id storage.PlayerID) error {
	_, err := s.Studies.SetNote(ctx, id, []storage.PlayerID{id}, benchID(1), studies.Note{Ply: 2, Text: "here I missed e2xe4", At: benchTime})
	if err == nil {
		_, err = s.Studies.SetNote(ctx, id, []storage.PlayerID{id}, benchID(1), studies.Note{Ply: 7, Text: "good", At: benchTime})
	}
	if err == nil {
		err = s.Studies.Import(ctx, studies.Study{ID: "s2345678", Player: id, Game: "tanks", First: "x", Result: "*", At: benchTime, Text: "[Game \"tanks\"]\n\n*\n"})
	}
	return err
}

// solve has a player solve as many puzzles as a rank needs.
func solve(ctx context.Context, s *schema.Store, id storage.PlayerID) (err error) {
	for n := 0; n < learning.LeaderTries && err == nil; n++ {
		_, err = s.Learning.TryPuzzle(ctx, id, []storage.PlayerID{id}, "tanks", fmt.Sprint(n), true, benchTime, func(r learning.PuzzleResult) (player, puzzle learning.Strength) {
			rated := learning.Strength{Rating: 1500, Deviation: 80, Volatility: 0.06, At: r.At}
			return rated, r.Puzzle
		})
	}
	if err == nil {
		_, err = s.Learning.TryPuzzle(ctx, id, []storage.PlayerID{id}, "tanks", "wxtch", true, benchTime, func(r learning.PuzzleResult) (player, puzzle learning.Strength) {
			rated := learning.Strength{Rating: 1500, Deviation: 80, Volatility: 0.06, At: r.At}
			return rated, rated
		})
	}
	return err
}

// readAll reads what there is in a store from small, the contents and the errors as text.
func readAll(t testing.TB, s *schema.Store) map[string]string {
	ctx := context.Background()
	says := map[string]string{}
	put := func(key string, value any, err error) {
		says[key] = fmt.Sprintf("%+v", value)
		if err != nil {
			says[key] = "error"
			if !errors.Is(err, storage.ErrDamaged) && !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("%s: %v", key, err)
			}
		}
	}
	for m := range 40 {
		log, err := s.Matches.Log(ctx, benchID(m), 1, 0)
		for i := range log {
			log[i].Opening = nil // a pointer
		}
		put("log "+string(benchID(m)), log, err)
		f, err := s.Results.Finished(ctx, benchID(m))
		f.Ratings = nil
		put("finished "+string(benchID(m)), f, err)
		a, err := s.Analyses.Analysis(ctx, benchID(m))
		put("analysis "+string(benchID(m)), a, err)
		lines, err := s.Chat.Chat(ctx, benchID(m))
		put("chat "+string(benchID(m)), lines, err)
		plan, err := s.Matches.Plan(ctx, matches.PlanKey{Match: benchID(m), Seat: storage.SecondSeat})
		put("plan "+string(benchID(m)), plan, err)
		id, err := s.Matches.ByCode(ctx, benchOpening(m).Opening.Code, benchTime)
		put("code "+string(benchID(m)), id, err)
	}
	for _, name := range []string{"ann", "bob", "cid"} {
		p, err := s.Accounts.PlayerByName(ctx, name)
		put("name "+name, p, err)
		p, err = s.Accounts.PlayerByKey(ctx, "SHA256:"+name)
		put("key "+name, p, err)
		keys, err := s.Accounts.Keys(ctx, p.ID)
		put("keys of "+name, keys, err)
		r, err := s.Results.Ratings(ctx, p.ID, []string{"tanks", "petteia", "momentum", "fourmation", "flugelrad"})
		put("ratings of "+name, r.Now, err)
		practice, err := s.Results.Practice(ctx, p.ID)
		put("practice of "+name, practice, err)
		notes, err := s.Studies.NotesBy(ctx, p.ID)
		put("notes of "+name, notes, err)
		imported, err := s.Studies.Imported(ctx, []storage.PlayerID{p.ID})
		put("studies of "+name, imported, err)
		if p.ID != "" { // else the player can't be read
			told, err := s.Tells.Tells(ctx, p.ID, time.Time{}, true)
			put("tells of "+name, told, err)
		}
		held, err := s.Tournaments.TournamentsOf(ctx, p.ID)
		put("tournaments of "+name, held, err)
		contact, err := s.Notices.Contact(ctx, p.ID)
		put("address of "+name, fmt.Sprint(contact.Confirmed), err)
		away, err := s.Vacations.Vacation(ctx, p.ID)
		put("vacation of "+name, away, err)
		if p.ID != "" { // else the player can't be read
			standing, err := s.Standing.StandingOffersOf(ctx, p.ID)
			put("standing offers of "+name, standing, err)
		}
	}
	related, err := s.Relations.Relations(ctx)
	put("relations", related, err)
	queued, err := s.Notices.QueuedNotices(ctx, 9)
	put("notices", queued, err)
	rows, err := s.Results.History(ctx, resultstore.HistoryQuery{Limit: 100})
	for i := range rows {
		rows[i].Ratings = nil
	}
	put("history", rows, err)
	for _, code := range []string{"TTTTT2", "TTTTT3"} {
		id, err := s.Tournaments.TournamentByCode(ctx, code)
		put("tournament "+code, id, err)
		log, err := s.Tournaments.TournamentLog(ctx, id, 1, 0)
		text, _ := json.Marshal(log) // its settings are behind a pointer
		put("log of tournament "+code, string(text), err)
	}
	held, err := s.Tournaments.Tournaments(ctx)
	put("tournaments", held, err)
	past, err := s.Tournaments.PastTournaments(ctx, time.Time{}, 10)
	put("past tournaments", past, err)
	series, err := s.Tournaments.Series(ctx)
	put("series", series, err)
	rank, err := s.Results.Standings(ctx, "tanks")
	put("standings", rank, err)
	sums, err := s.Matches.Summaries(ctx)
	ids := make([]storage.MatchID, 0, len(sums))
	for _, m := range sums {
		ids = append(ids, m.ID)
	}
	put("unfinished", ids, err)
	return says
}

// mustRefuse opens a damaged store and wants one clear line, and the file untouched.
func mustRefuse(t *testing.T, path string, want error) {
	t.Helper()
	before, readErr := os.ReadFile(path)
	// A process that another test is just starting may hold the file until it runs its program.
	s, _, err := storagetest.OpenEngine(path, schema.Config{}, bolt.Options{LockTimeout: time.Minute})
	if err == nil {
		s.Close()
		t.Error("it opens")
		return
	}
	if !errors.Is(err, want) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "storage: open "+path+": ") {
		t.Errorf("Open = %v, want one line that wraps %v", err, want)
	}
	if after, err := os.ReadFile(path); readErr == nil && (err != nil || !bytes.Equal(before, after)) {
		t.Error("Open changed the file")
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("Open left %v behind", left)
	}
}

func TestNotAStore(t *testing.T) {
	good, says := small(t)
	text := bytes.Repeat([]byte("once upon a time "), 2000)
	noise := make([]byte, 50_000)
	for i := range noise {
		noise[i] = byte(rand.N(256))
	}
	foreign := func(change func(*bbolt.Tx) error) []byte {
		path := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Update(change), db.Close()); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	schema := func(value string) []byte {
		return foreign(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("schema"), []byte(value)) })
	}
	var present int
	foreign(func(tx *bbolt.Tx) (err error) {
		present, err = strconv.Atoi(string(tx.Bucket([]byte("meta")).Get([]byte("schema"))))
		return err
	})
	for _, tt := range []struct {
		name  string
		file  []byte
		want  error
		saved float64 // at least this share of it; -1: Salvage has nothing to save
	}{
		{"empty", nil, storage.ErrDamaged, -1},
		{"one byte", []byte{0}, storage.ErrDamaged, -1},
		{"text", text, storage.ErrDamaged, -1},
		{"noise", noise, storage.ErrDamaged, -1},
		{"zeros", make([]byte, 100_000), storage.ErrDamaged, -1},
		{"a later schema", schema(strconv.Itoa(present + 1)), storage.ErrNewer, -1},
		{"a much later schema", schema("4000000"), storage.ErrNewer, -1},
		{"a schema that is no number", schema("new"), storage.ErrDamaged, 0.5},
		{"a schema of nothing", schema("0"), storage.ErrDamaged, 0.5},
		{"a bucket missing", foreign(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("codes")) }), storage.ErrDamaged, 0.5},
		{"another program's and empty", foreign(func(tx *bbolt.Tx) error {
			for _, name := range strings.Fields("meta players names keys player_keys logs finished history codes code_ends results changes ratings") {
				if err := tx.DeleteBucket([]byte(name)); err != nil {
					return err
				}
			}
			return nil
		}), storage.ErrDamaged, 0},
		{"another program's", foreign(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("meta")) }), storage.ErrDamaged, 0.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "club.db")
			if err := os.WriteFile(path, tt.file, 0o600); err != nil {
				t.Fatal(err)
			}
			mustRefuse(t, path, tt.want)
			s, report, err := salvage(t, tt.file)
			switch {
			case err != nil && (errors.Is(err, storage.ErrDamaged) || errors.Is(err, storage.ErrNewer)) && tt.saved < 0:
			case err != nil || tt.saved < 0:
				t.Errorf("Salvage = %v; want %v of it saved", err, tt.saved)
			default:
				if same := mustAgree(t, tt.name, s, report, says); float64(same) < tt.saved*float64(len(says)) {
					t.Errorf("%d of %d entries are saved", same, len(says))
				}
			}
		})
	}
}

// Whatever is cut off or overwritten with zeros, either Open refuses or nothing is lost.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	good, says := small(t)
	page := os.Getpagesize()
	cut := func(at int) []byte { return good[:at] }
	zeroed := func(at, n int) []byte {
		b := bytes.Clone(good)
		clear(b[at:min(at+n, len(b))])
		return b
	}
	refused := 0
	check := func(name string, file []byte) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "club.db")
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := storagetest.OpenFile(path, schema.Config{Rate: storagetest.Rate})
			if err != nil {
				refused++
				mustRefuse(t, path, storage.ErrDamaged)
				return
			}
			defer s.Close()
			for key, value := range readAll(t, s) {
				if value != says[key] && value != "error" {
					t.Errorf("%s was\n%s\nand is\n%s", key, says[key], value)
				}
			}
		})
	}
	tried := 0
	for at := 0; at < len(good); at += page * every(5) {
		tried++
		check(fmt.Sprintf("cut at %d", at), cut(at))
		check(fmt.Sprintf("cut at %d", at+page/2), cut(at+page/2))
		check(fmt.Sprintf("zeros at %d", at), zeroed(at, page))
		check(fmt.Sprintf("zeros from %d", at), zeroed(at, len(good)))
	}
	if refused < 3*tried {
		t.Errorf("only %d of %d damaged files were refused", refused, 4*tried)
	}
}

// Random damage: whatever Open says, nothing may panic, fault or hang, and a file that is refused stays as it is.
func FuzzOpen(f *testing.F) {
	good, _ := small(f)
	f.Add(uint32(0), []byte("x"))
	f.Add(uint32(4096*4), []byte{0xff, 0xff})
	f.Fuzz(func(t *testing.T, at uint32, wrong []byte) {
		file := bytes.Clone(good)
		copy(file[int(at)%len(file):], wrong)
		path := filepath.Join(t.TempDir(), "club.db")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := storagetest.OpenFile(path, schema.Config{Rate: storagetest.Rate})
		if err != nil {
			mustRefuse(t, path, storage.ErrDamaged)
			return
		}
		defer s.Close()
		readAll(t, s)
		s.Results.Recompute(t.Context())
		s.Matches.Append(t.Context(), benchID(99), []matches.Event{benchOpening(99)}, matches.Summary{})
		s.Sweep(t.Context(), benchTime.AddDate(9, 0, 0))
	})
}

// The same without a fuzzer, in every run: single bytes all over the file.
func TestDamagedBytes(t *testing.T) {
	t.Parallel()
	good, _ := small(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 / every(5) {
		file := bytes.Clone(good)
		at := random.IntN(len(file))
		file[at] ^= byte(1 + random.IntN(255))
		path := filepath.Join(t.TempDir(), "club.db")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := storagetest.OpenFile(path, schema.Config{Rate: storagetest.Rate})
		if err != nil {
			mustRefuse(t, path, storage.ErrDamaged)
			continue
		}
		readAll(t, s)
		s.Matches.Append(t.Context(), benchID(99), []matches.Event{benchOpening(99)}, matches.Summary{}) // may fail, must answer
		if err := s.Close(); err != nil {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}
