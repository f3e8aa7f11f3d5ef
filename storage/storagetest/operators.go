package storagetest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/operators"
	"ludoteca/storage/results"
)

// Operators is the part of a store for operators; schema.Store documents the methods.
type Operators interface {
	Act(ctx context.Context, entry operators.AuditEntry, change operators.Change) (operators.AuditEntry, error)
	Audit(ctx context.Context, before uint64, limit int) ([]operators.AuditEntry, error)
	Restrictions(ctx context.Context) (map[storage.PlayerID]accounts.Restriction, error)
	FormerNames(ctx context.Context) (map[storage.PlayerID][]string, error)
	Bans(ctx context.Context) ([]operators.Ban, error)
	AddSigner(ctx context.Context, key []byte, now time.Time) error
	Signers(ctx context.Context) ([]operators.Signer, error)
	AddReport(ctx context.Context, r operators.Report) (operators.Report, error)
	Reports(ctx context.Context, handled bool) ([]operators.Report, error)
	Visited(ctx context.Context, id storage.PlayerID, fingerprint string, block netip.Prefix, plain bool, now time.Time) error
	LastBlocks(ctx context.Context, ids []storage.PlayerID) (map[storage.PlayerID]string, error)
	Visits(ctx context.Context, id storage.PlayerID) ([]accounts.Visit, error)
	Unrated(ctx context.Context, id storage.MatchID) (entry uint64, err error)
	Announcement(ctx context.Context) (operators.Announcement, error)
	LoungeClosed(ctx context.Context) (bool, error)
	CountedMatches(ctx context.Context, player, against storage.PlayerID, limit int) ([]storage.MatchID, error)
}

// by returns the entry of an act of an operator, n minutes after start.
func by(verb string, n int) operators.AuditEntry {
	return operators.AuditEntry{At: minute(n), By: "SHA256:op", Verb: verb, Subject: "a player", Reason: "because"}
}

// act does an act that must succeed.
func act(t *testing.T, s Store, entry operators.AuditEntry, c operators.Change) operators.AuditEntry {
	t.Helper()
	e, err := s.Act(t.Context(), entry, c)
	if err != nil {
		t.Fatalf("Act(%s): %v", entry.Verb, err)
	}
	return e
}

// takeBack undoes an act.
func takeBack(t *testing.T, s Store, e operators.AuditEntry) operators.AuditEntry {
	t.Helper()
	undo := by("undo", 1000+int(e.Number))
	undo.Undoes = e.Number
	return act(t, s, undo, operators.Change{})
}

func auditLog(t *testing.T, s Store) {
	ann := signUp(t, s, "ann")
	mute := operators.Change{Mute: &operators.MuteChange{Player: ann.ID, Until: minute(90)}}
	first := act(t, s, by("mute", 1), mute)
	second := act(t, s, by("announce", 2), operators.Change{Announce: &operators.Announcement{Text: "tea", At: minute(2)}})
	if first.Number != 1 || second.Number != 2 || first.Undo == nil {
		t.Errorf("entries %+v, %+v", first, second)
	}
	for _, tt := range []struct {
		name   string
		entry  operators.AuditEntry
		change operators.Change
		want   error
	}{
		{"nobody", operators.AuditEntry{At: start, Verb: "mute", Reason: "x"}, mute, storage.ErrInvalid},
		{"no reason", operators.AuditEntry{At: start, By: "x", Verb: "mute"}, mute, storage.ErrInvalid},
		{"the same again", by("mute", 3), mute, storage.ErrUnchanged},
		{"an unknown player", by("mute", 3), operators.Change{Mute: &operators.MuteChange{Player: "nobody"}}, storage.ErrNotFound},
		{"undo of nothing", operators.AuditEntry{At: start, By: "x", Verb: "undo", Reason: "x", Undoes: 7}, operators.Change{}, storage.ErrNotFound},
	} {
		if _, err := s.Act(t.Context(), tt.entry, tt.change); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	undo := takeBack(t, s, first)
	again := by("undo", 4)
	again.Undoes = first.Number
	if _, err := s.Act(t.Context(), again, operators.Change{}); !errors.Is(err, operators.ErrNoUndo) {
		t.Errorf("undo twice: %v", err)
	}
	first.UndoneBy = undo.Number
	got, err := s.Audit(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "audit", got, []operators.AuditEntry{undo, second, first})
	got, err = s.Audit(t.Context(), 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "one before 3", got, []operators.AuditEntry{second})
	all, err := s.Restrictions(t.Context())
	if err != nil || len(all) != 0 {
		t.Errorf("restrictions after undo: %v, %v", all, err)
	}
	redone := takeBack(t, s, undo)
	all, err = s.Restrictions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "after undo of the undo", all, map[storage.PlayerID]accounts.Restriction{ann.ID: {Muted: minute(90)}})
	if redone.Undo == nil {
		t.Error("an undo of an undo can't be undone")
	}
	a, err := s.Announcement(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "announcement", a, operators.Announcement{Text: "tea", At: minute(2)})
	closed := act(t, s, by("lounge close", 5), operators.Change{Lounge: &operators.LoungeChange{Closed: true}})
	if is, err := s.LoungeClosed(t.Context()); err != nil || !is {
		t.Errorf("the lounge is closed: %v, %v", is, err)
	}
	if _, err := s.Act(t.Context(), by("lounge close", 6), operators.Change{Lounge: &operators.LoungeChange{Closed: true}}); !errors.Is(err, storage.ErrUnchanged) {
		t.Errorf("closed twice: %v", err)
	}
	takeBack(t, s, closed)
	if is, err := s.LoungeClosed(t.Context()); err != nil || is {
		t.Errorf("the lounge is closed after undo: %v, %v", is, err)
	}
}

func closedAccounts(t *testing.T, s Store) {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	if err := s.AddKey(t.Context(), ann.ID, "SHA256:ann2"); err != nil {
		t.Fatal(err)
	}
	check := func(when string, want map[storage.PlayerID]accounts.Restriction, annKeys, bobKeys []string) {
		t.Helper()
		all, err := s.Restrictions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		same(t, when+": restrictions", all, want)
		for id, want := range map[storage.PlayerID][]string{ann.ID: annKeys, bob.ID: bobKeys} {
			got, err := s.Keys(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			same(t, when+": keys", got, want)
			for _, k := range want {
				if p, err := s.PlayerByKey(t.Context(), k); err != nil || p.ID != id {
					t.Errorf("%s: %s is the key of %s, %v", when, k, p.ID, err)
				}
			}
		}
	}
	closed := act(t, s, by("close", 1), operators.Change{Closing: &operators.ClosedChange{Player: ann.ID, Closed: true}})
	check("closed", map[storage.PlayerID]accounts.Restriction{ann.ID: {Closed: true}}, []string{"SHA256:ann", "SHA256:ann2"}, []string{"SHA256:bob"})
	takeBack(t, s, closed)
	merged := act(t, s, by("merge", 2), operators.Change{
		Keys:    &operators.KeysChange{From: ann.ID, To: bob.ID},
		Closing: &operators.ClosedChange{Player: ann.ID, Closed: true, Into: bob.ID},
	})
	check("merged", map[storage.PlayerID]accounts.Restriction{ann.ID: {Closed: true, Into: bob.ID}}, nil,
		[]string{"SHA256:ann", "SHA256:ann2", "SHA256:bob"})
	takeBack(t, s, merged)
	check("taken apart", nil, []string{"SHA256:ann", "SHA256:ann2"}, []string{"SHA256:bob"})
	if _, err := s.Act(t.Context(), by("merge", 3), operators.Change{
		Keys:    &operators.KeysChange{From: ann.ID, To: bob.ID},
		Closing: &operators.ClosedChange{Player: "nobody", Closed: true},
	}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("half a merge: %v", err)
	}
	check("after half a merge", nil, []string{"SHA256:ann", "SHA256:ann2"}, []string{"SHA256:bob"})
}

func renamedPlayers(t *testing.T, s Store) {
	ann := signUp(t, s, "ann")
	signUp(t, s, "bob")
	rename := func(to string) operators.Change {
		return operators.Change{Rename: &operators.RenameChange{Player: ann.ID, Name: to, NameKey: to}}
	}
	if _, err := s.Act(t.Context(), by("rename", 1), rename("bob")); !errors.Is(err, storage.ErrNameTaken) {
		t.Errorf("to a taken name: %v", err)
	}
	e := act(t, s, by("rename", 2), rename("eve"))
	if p, err := s.PlayerByName(t.Context(), "eve"); err != nil || p.Name != "eve" || p.ID != ann.ID {
		t.Errorf("the new name: %+v, %v", p, err)
	}
	if p, err := s.PlayerByName(t.Context(), "ann"); err != nil || p.Name != "eve" || p.ID != ann.ID {
		t.Errorf("the old name: %+v, %v", p, err)
	}
	former, err := s.FormerNames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "former names", former, map[storage.PlayerID][]string{ann.ID: {"ann"}})
	taken := func(when string, want error) {
		t.Helper()
		if err := s.FreeName(t.Context(), "ann", "ann"); !errors.Is(err, want) {
			t.Errorf("%s, the old name is %v, want %v", when, err, want)
		}
	}
	sweep := func(at time.Time) {
		t.Helper()
		if _, err := s.Sweep(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	sweep(minute(2).Add(accounts.NameKept - time.Minute))
	taken("within its time", storage.ErrNameTaken)
	takeBack(t, s, e)
	if p, err := s.PlayerByName(t.Context(), "ann"); err != nil || p.ID != ann.ID {
		t.Errorf("back again: %+v, %v", p, err)
	}
	act(t, s, by("rename", 3), rename("eve"))
	sweep(minute(3).Add(accounts.NameKept))
	taken("after its time", nil)
	if err := s.FreeName(t.Context(), "eve", "eve"); !errors.Is(err, storage.ErrNameTaken) {
		t.Errorf("the new name is free: %v", err)
	}
}

func bannedSubjects(t *testing.T, s Store) {
	ban := func(subject string, until time.Time) operators.Change {
		return operators.Change{Ban: &operators.BanChange{Subject: subject, Ban: &operators.Ban{Until: until}}}
	}
	for _, bad := range []string{"", "a name", "192.0.2.1/24", "192.0.2.1"} {
		if _, err := s.Act(t.Context(), by("ban", 1), ban(bad, time.Time{})); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("ban of %q: %v", bad, err)
		}
	}
	key := act(t, s, by("ban", 1), ban("SHA256:bad", time.Time{}))
	block := act(t, s, by("ban", 2), ban("192.0.2.0/24", minute(60)))
	check := func(when string, want ...operators.Ban) {
		t.Helper()
		got, err := s.Bans(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		same(t, when, got, want)
	}
	first := operators.Ban{Subject: "SHA256:bad", At: minute(1), Reason: "because", Entry: key.Number}
	second := operators.Ban{Subject: "192.0.2.0/24", At: minute(2), Until: minute(60), Reason: "because", Entry: block.Number}
	check("two bans", second, first)
	longer := act(t, s, by("ban", 3), ban("192.0.2.0/24", minute(90)))
	takeBack(t, s, longer)
	check("a longer one taken back", second, first)
	lifted := act(t, s, by("unban", 4), operators.Change{Ban: &operators.BanChange{Subject: "SHA256:bad"}})
	check("lifted", second)
	if _, err := s.Act(t.Context(), by("unban", 5), operators.Change{Ban: &operators.BanChange{Subject: "SHA256:bad"}}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("lifted twice: %v", err)
	}
	takeBack(t, s, lifted)
	check("back", second, first)
	if _, err := s.Sweep(t.Context(), minute(60)); err != nil {
		t.Fatal(err)
	}
	check("swept", first)
}

func signers(t *testing.T, s Store) {
	check := func(when string, want ...operators.Signer) {
		t.Helper()
		got, err := s.Signers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		same(t, when, got, want)
	}
	check("before any")
	keys := [][]byte{[]byte("the first key"), []byte("the second key")}
	rows := make([]operators.Signer, 2)
	for i, key := range keys {
		sum := sha256.Sum256(key)
		rows[i] = operators.Signer{Fingerprint: "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:]), Key: key, Since: minute(i)}
		for again := range 2 { // the first time counts
			if err := s.AddSigner(t.Context(), key, minute(i+10*again)); err != nil {
				t.Fatal(err)
			}
		}
	}
	inOrder := func() []operators.Signer {
		return slices.SortedFunc(slices.Values(rows), func(a, b operators.Signer) int { return strings.Compare(a.Fingerprint, b.Fingerprint) })
	}
	check("two keys", inOrder()...)
	trust := func(fingerprint string, trusted bool) operators.Change {
		return operators.Change{Signer: &operators.SignerChange{Fingerprint: fingerprint, Trusted: trusted}}
	}
	e := act(t, s, by("distrust", 5), trust(rows[0].Fingerprint, false))
	was := rows[0]
	rows[0].Distrusted, rows[0].Entry = minute(5), e.Number
	check("one distrusted", inOrder()...)
	if err := s.AddSigner(t.Context(), keys[0], minute(6)); err != nil {
		t.Fatal(err)
	}
	check("one distrusted and served", inOrder()...)
	for _, tt := range []struct {
		fingerprint string
		want        error
	}{{rows[0].Fingerprint, storage.ErrUnchanged}, {"SHA256:none", storage.ErrNotFound}} {
		if _, err := s.Act(t.Context(), by("distrust", 7), trust(tt.fingerprint, false)); !errors.Is(err, tt.want) {
			t.Errorf("distrust %s: %v, want %v", tt.fingerprint, err, tt.want)
		}
	}
	takeBack(t, s, e)
	rows[0] = was
	check("trusted again", inOrder()...)
}

func openReports(t *testing.T, s Store) {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	report := func(by storage.PlayerID, about, reason string) (operators.Report, error) {
		return s.AddReport(t.Context(), operators.Report{
			At: start, By: by, ByName: "ann", About: storage.PlayerID(about), AboutName: "bob", Match: "m1", Reason: reason,
		})
	}
	first, err := report(ann.ID, string(bob.ID), "rude")
	if err != nil || first.Number != 1 {
		t.Fatal(first, err)
	}
	again, err := report(ann.ID, string(bob.ID), "very rude")
	if err != nil || again.Number != 1 {
		t.Errorf("a second report about the same player: %+v, %v", again, err)
	}
	for i := 1; i < operators.MaxReportsBy; i++ {
		if _, err := report(ann.ID, fmt.Sprint("p", i), "rude"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := report(ann.ID, "one more", "rude"); !errors.Is(err, operators.ErrManyReports) {
		t.Errorf("too many of one player: %v", err)
	}
	if _, err := report(bob.ID, string(ann.ID), ""); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("no reason: %v", err)
	}
	handled := act(t, s, by("report", 5), operators.Change{Report: &operators.ReportChange{Number: 1, Handled: true}})
	count := func(when string, wantOpen, wantAll int) {
		t.Helper()
		open, err := s.Reports(t.Context(), false)
		all, err2 := s.Reports(t.Context(), true)
		if err != nil || err2 != nil || len(open) != wantOpen || len(all) != wantAll {
			t.Errorf("%s: %d open of %d, want %d of %d: %v, %v", when, len(open), len(all), wantOpen, wantAll, err, err2)
		}
	}
	count("one handled", operators.MaxReportsBy-1, operators.MaxReportsBy)
	takeBack(t, s, handled)
	count("open again", operators.MaxReportsBy, operators.MaxReportsBy)
	act(t, s, by("report", 6), operators.Change{Report: &operators.ReportChange{Number: 1, Handled: true}})
	if _, err := s.Sweep(t.Context(), minute(6).Add(operators.ReportLife)); err != nil {
		t.Fatal(err)
	}
	count("the handled one is forgotten", operators.MaxReportsBy-1, operators.MaxReportsBy-1)
	for i := operators.MaxReportsBy - 1; i < operators.MaxReports; i++ {
		if _, err := report(storage.PlayerID(fmt.Sprint("by", i)), "bob", "rude"); err != nil {
			t.Fatal(err)
		}
	}
	of := func(id storage.PlayerID) (numbers []uint64) {
		t.Helper()
		open, err := s.Reports(t.Context(), false)
		if err != nil || len(open) != operators.MaxReports {
			t.Errorf("%d open, %v", len(open), err)
		}
		for _, r := range open {
			if r.By == id {
				numbers = append(numbers, r.Number)
			}
		}
		return numbers
	}
	add := func(by storage.PlayerID, young bool, want error) {
		t.Helper()
		_, err := s.AddReport(t.Context(), operators.Report{
			At: start, By: by, ByName: "x", About: "someone", AboutName: "someone", Reason: "rude", Young: young,
		})
		if !errors.Is(err, want) {
			t.Errorf("a report by %s, which is young: %v: %v, want %v", by, young, err, want)
		}
	}
	anns := of(ann.ID)
	add(bob.ID, false, nil) // displaces the oldest of ann, who has most
	if got := of(ann.ID); !slices.Equal(got, anns[1:]) {
		t.Errorf("ann, who has most: %v, want %v", got, anns[1:])
	}
	add("new", true, operators.ErrManyReports) // nothing of an older account goes for a new one
	if len(of("new"))+len(of(bob.ID)) != 1 {
		t.Error("a new account's report is there, or bob's is gone")
	}
	numbers := append(of(ann.ID), of(bob.ID)...)
	done := act(t, s, by("report", 7), operators.Change{Report: &operators.ReportChange{Numbers: numbers, Handled: true}})
	for range numbers[1:] {
		add(storage.PlayerID(fmt.Sprint("new", numbers[0])), true, nil)
		numbers[0]++
	}
	add("last", true, nil)
	add("even later", false, nil) // displaces a new account's
	if len(of("even later"))+len(of("last")) != 2 {
		t.Error("the report of the older account or the newest of a new one is missing")
	}
	takeBack(t, s, done)
	if open, err := s.Reports(t.Context(), false); err != nil || len(open) != operators.MaxReports+len(anns) {
		t.Errorf("%d open, %v", len(open), err)
	}
}

// displacedReports has people of one block of addresses fill the reports: theirs go first.
func displacedReports(t *testing.T, s Store) {
	block := func(n byte) netip.Prefix { return netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, n, 0}), 24) }
	var last storage.PlayerID
	person := func(name string, from byte) storage.PlayerID {
		t.Helper()
		p := signUp(t, s, name)
		if err := s.Visited(t.Context(), p.ID, "", block(from), false, start); err != nil {
			t.Fatal(err)
		}
		return p.ID
	}
	report := func(by storage.PlayerID, about string, want error) {
		t.Helper()
		_, err := s.AddReport(t.Context(), operators.Report{
			At: start, By: by, ByName: "x", About: storage.PlayerID(about), AboutName: about, Reason: "rude",
		})
		if !errors.Is(err, want) {
			t.Fatalf("a report by %s: %v, want %v", by, err, want)
		}
	}
	const ofPerson = 5 // reports of each of them, fewer than one who comes from elsewhere has
	alone := person("alone", 1)
	for i := range ofPerson + 1 {
		report(alone, fmt.Sprint("someone", i), nil)
	}
	for i := ofPerson + 1; i < operators.MaxReports; i++ {
		if last == "" || i%ofPerson == 0 {
			last = person(fmt.Sprint("crowd", i), 2)
		}
		report(last, fmt.Sprint("p", i), nil)
	}
	for i := range 20 {
		report(person(fmt.Sprint("later", i), byte(10+i)), "someone", nil)
	}
	report(last, "one more", nil) // in the place of one of their own
	open, err := s.Reports(t.Context(), false)
	if err != nil || len(open) != operators.MaxReports || open[0].Number != 1 {
		t.Fatalf("%d open, the first %+v: %v", len(open), open[0], err)
	}
	honest := 0
	for _, r := range open {
		if strings.HasPrefix(string(r.About), "someone") {
			honest++
		}
	}
	if want := ofPerson + 1 + 20; honest != want {
		t.Errorf("%d of %d reports of others are there", honest, want)
	}
}

func whereFrom(t *testing.T, s Store) {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	block := func(n int) netip.Prefix { return netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, byte(n), 0}), 24) }
	come := func(id storage.PlayerID, n int, plain bool, at time.Time) {
		t.Helper()
		if err := s.Visited(t.Context(), id, "SHA256:"+string(id), block(n), plain, at); err != nil {
			t.Fatal(err)
		}
	}
	visits := func(id storage.PlayerID) (keys, blocks []accounts.Visit) {
		t.Helper()
		all, err := s.Visits(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range all {
			if v.IsKey() {
				keys = append(keys, v)
			} else {
				blocks = append(blocks, v)
			}
		}
		return keys, blocks
	}
	come(ann.ID, 1, false, start)
	come(bob.ID, 1, false, start)
	come(ann.ID, 1, false, minute(5)) // the same day: nothing is written
	keys, blocks := visits(ann.ID)
	same(t, "keys", keys, []accounts.Visit{{From: "SHA256:" + string(ann.ID), Last: start}})
	_, of := visits(bob.ID)
	if len(blocks) != 1 || len(of) != 1 || blocks[0] != of[0] || blocks[0].From == block(1).String() {
		t.Errorf("the same block of two players: %v, %v", blocks, of)
	}
	come(bob.ID, 2, true, start)
	if _, of := visits(bob.ID); len(of) != 2 || of[0].From != "192.0.2.0/24" && of[1].From != "192.0.2.0/24" {
		t.Errorf("a block in plain text: %v", of)
	}
	cid := signUp(t, s, "cid")
	if err := s.Visited(t.Context(), cid.ID, "", netip.MustParsePrefix("2001:db8::/48"), false, start); err != nil {
		t.Fatal(err)
	}
	if _, six := visits(cid.ID); len(six) != 1 || !six[0].IsHashOfIPv6() || blocks[0].IsHashOfIPv6() {
		t.Errorf("a block of IPv6 is kept as %v, one of IPv4 as %v", six, blocks)
	}
	for i := range accounts.MaxBlocks + 5 {
		come(ann.ID, 10+i, true, minute(10+i))
	}
	_, blocks = visits(ann.ID)
	if len(blocks) != accounts.MaxBlocks || blocks[0].From != block(10+accounts.MaxBlocks+4).String() {
		t.Errorf("%d blocks, the newest %v", len(blocks), blocks[0])
	}
	if _, err := s.Sweep(t.Context(), minute(30).Add(accounts.VisitLife)); err != nil {
		t.Fatal(err)
	}
	keys, blocks = visits(ann.ID)
	if len(keys) != 1 || len(blocks) != 4 {
		t.Errorf("after the sweep: %d keys and %d blocks", len(keys), len(blocks))
	}
	if err := s.Visited(t.Context(), "nobody", "", block(1), false, start); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a visit of nobody: %v", err)
	}
}

// unratedResults takes a result out of the ratings: they must be as in a store in which it was never rated, and after undo as before.
func unratedResults(t *testing.T, s Store) {
	var seats []storage.Occupant
	for _, name := range []string{"ann", "bob", "cid"} {
		seats = append(seats, person(signUp(t, s, name)))
	}
	model := NewMemory(Rate)
	for _, p := range seats {
		model.players[storage.PlayerID(p.ID)] = accounts.Player{ID: storage.PlayerID(p.ID), Name: p.Name, NameKey: p.Name}
	}
	const left = 4 // the match that is taken out
	for i := range 9 {
		f := record(fmt.Sprintf("CODE%02d", i), "tanks", seats[i%3], seats[(i+1)%3], []string{"first", "draw", "second", "first"}[i%4], i)
		play(t, s, storage.MatchID(fmt.Sprintf("m%d", i)), f)
		f.Rated = i != left
		play(t, model, storage.MatchID(fmt.Sprintf("m%d", i)), f)
	}
	standings := func(s Store) []results.Standing {
		t.Helper()
		all, err := s.Standings(t.Context(), "tanks")
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	recompute := func(when string) {
		t.Helper()
		report, err := s.Recompute(t.Context())
		if err != nil || len(report.Differed) > 0 || report.Matches > 0 || report.Recent > 0 {
			t.Errorf("%s: recompute: %+v, %v", when, report, err)
		}
	}
	before := standings(s)
	e := act(t, s, by("unrate", 20), operators.Change{Result: &operators.ResultChange{Match: "m4"}})
	same(t, "without the result", standings(s), standings(model))
	recompute("unrated")
	if n, err := s.Unrated(t.Context(), "m4"); err != nil || n != e.Number {
		t.Errorf("unrated by %d, %v, want %d", n, err, e.Number)
	}
	if f, err := s.Finished(t.Context(), "m4"); err != nil || f.Ratings == nil || f.Ratings[0].Before != f.Ratings[0].After || f.Ratings[1].Weight != 0 || f.Ratings[1].Why != results.Unrated {
		t.Errorf("the record: %+v, %v", f.Ratings, err)
	}
	for what, c := range map[string]operators.ResultChange{"twice": {Match: "m4"}, "of a result that counts": {Match: "m5", Counts: true}} {
		if _, err := s.Act(t.Context(), by("unrate", 21), operators.Change{Result: &c}); !errors.Is(err, storage.ErrUnchanged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := s.Act(t.Context(), by("unrate", 21), operators.Change{Result: &operators.ResultChange{Match: "m99"}}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("of nothing: %v", err)
	}
	takeBack(t, s, e)
	same(t, "after undo", standings(s), before)
	recompute("rated again")

	ann, bob := storage.PlayerID(seats[0].ID), storage.PlayerID(seats[1].ID)
	counted := func(against storage.PlayerID, limit int, want ...storage.MatchID) {
		t.Helper()
		ids, err := s.CountedMatches(t.Context(), ann, against, limit)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "matches that count", ids, want)
	}
	counted("", 100, "m8", "m6", "m5", "m3", "m2", "m0")
	counted("", 2, "m8", "m6")
	counted(bob, 100, "m6", "m3", "m0")
	counted(ann, 100) // no player has played against themself
	e = act(t, s, by("unrate", 22), operators.Change{Results: &operators.ResultsChange{Matches: []storage.MatchID{"m6", "m3", "m0"}}})
	recompute("several unrated")
	counted(bob, 100)
	counted("", 100, "m8", "m5", "m2")
	if _, err := s.Act(t.Context(), by("unrate", 23), operators.Change{Results: &operators.ResultsChange{Matches: []storage.MatchID{"m3"}}}); !errors.Is(err, storage.ErrUnchanged) {
		t.Errorf("several, twice: %v", err)
	}
	takeBack(t, s, e)
	same(t, "after undo of several", standings(s), before)
	recompute("several rated again")
}

// actsThatEnd: the audit entry of an act that ends a match comes with its record.
func actsThatEnd(t *testing.T, s Store) {
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	f := record("ABCDEF", "tanks", person(ann), person(bob), "first", 5)
	entry := by("end", 5)
	if err := s.Append(t.Context(), "m1", []matchstore.Event{opened(f.Code, f.First, f.Second)}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(t.Context(), "m1", []matchstore.Event{ended(2, f.Result)}, f, operators.Kept(&entry)); err != nil {
		t.Fatal(err)
	}
	got, err := s.Audit(t.Context(), 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	entry.Number = 1
	same(t, "audit", got, []operators.AuditEntry{entry})
}
