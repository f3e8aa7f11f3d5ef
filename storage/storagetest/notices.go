package storagetest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	noticestore "ludoteca/storage/notices"
)

// Notices is the part of a Store that keeps where players want notices, and the notices that wait.
type Notices interface {
	AskAddress(ctx context.Context, id storage.PlayerID, to noticestore.Destination, code noticestore.Code, now time.Time) (noticestore.Address, error)
	CodeSent(ctx context.Context, id storage.PlayerID, hash string) error
	UnsentCodes(ctx context.Context, now time.Time) ([]noticestore.UnsentCode, error)
	ConfirmAddress(ctx context.Context, id storage.PlayerID, hash string, now time.Time) (noticestore.Address, error)
	EndNotices(ctx context.Context, id storage.PlayerID) error
	StopNotices(ctx context.Context, stop string, now time.Time) ([]storage.PlayerID, error)
	Contact(ctx context.Context, id storage.PlayerID) (noticestore.Contact, error)
	Contacted(ctx context.Context) ([]noticestore.Contacted, error)

	TellTurns(ctx context.Context, id storage.PlayerID, waiting []noticestore.Turn, now time.Time) (noticestore.Tally, error)
	TellChallenges(ctx context.Context, id storage.PlayerID, open []noticestore.Challenge, now time.Time) (noticestore.Tally, error)
	TellEvent(ctx context.Context, id storage.PlayerID, e noticestore.Event, now time.Time) error
	QueuedNotices(ctx context.Context, limit int) ([]noticestore.Queued, error)
	BeginNotice(ctx context.Context, k noticestore.NoticeKey, now, next time.Time) (noticestore.Address, error)
	RemoveNotice(ctx context.Context, k noticestore.NoticeKey) error
}

// memoryNotices returns the notices of a Memory, as any store has them, on an engine that forgets everything.
func (m *Memory) memoryNotices() *noticestore.Store {
	return noticestore.New(newMemoryEngine(), func(_ kv.Reader, id storage.PlayerID) (accounts.Player, error) {
		return m.Player(context.Background(), id)
	})
}

// mail is the destination of mail to a name.
func mail(name string) noticestore.Destination {
	return noticestore.Destination{Kind: noticestore.Mail, To: name + "@example.com", Same: name + "@example.com"}
}

// signUpAt signs a player up at a time.
func signUpAt(t tb, s Store, name string, at time.Time) accounts.Player {
	t.Helper()
	p, err := s.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name, Since: at}, "SHA256:"+name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// addresses: an address is one after its code was typed, and ends when its player or its owner says so.
func addresses(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	young := signUpAt(t, s, "eva", start)
	ask := func(what string, id storage.PlayerID, to noticestore.Destination, at time.Time, want error) noticestore.Address {
		t.Helper()
		a, err := s.AskAddress(ctx, id, to, noticestore.Code{Hash: "hash of " + to.To}, at)
		wants(t, what, err, want)
		return a
	}
	confirm := func(what string, id storage.PlayerID, hash string, at time.Time, want error) {
		t.Helper()
		_, err := s.ConfirmAddress(ctx, id, hash, at)
		wants(t, what, err, want)
	}
	contacted := func(what string, want ...storage.PlayerID) {
		t.Helper()
		all, err := s.Contacted(ctx)
		wants(t, what, err, nil)
		var ids []storage.PlayerID
		for _, c := range all {
			if ids = append(ids, c.Player); c.Kind != noticestore.Mail {
				t.Errorf("%s: %s has the kind %q", what, c.Player, c.Kind)
			}
		}
		same(t, what, ids, want)
	}
	ask("a stranger asks", "2222222222222222", mail("x"), start, storage.ErrNotFound)
	ask("a young account", young.ID, mail("eva"), start.Add(noticestore.MinAge-time.Millisecond), noticestore.ErrYoung)
	ask("a day old", young.ID, mail("eva"), start.Add(noticestore.MinAge), nil)
	confirm("a code that nobody waits for", ann.ID, "hash of ann@example.com", start, storage.ErrNotFound)
	a := ask("ask", ann.ID, mail("ann"), start, nil)
	contacted("before the code")
	confirm("another code", ann.ID, "hash of bob@example.com", start, noticestore.ErrWrongCode)
	confirm("the code, too late", ann.ID, "hash of ann@example.com", start.Add(noticestore.CodeLife), storage.ErrNotFound)
	confirm("the code of another player", bob.ID, "hash of ann@example.com", start, storage.ErrNotFound)
	confirm("the code", ann.ID, "hash of ann@example.com", start.Add(time.Minute), nil)
	confirm("the code again", ann.ID, "hash of ann@example.com", start.Add(time.Minute), storage.ErrNotFound)
	contacted("after the code", ann.ID)
	c, err := s.Contact(ctx, ann.ID)
	wants(t, "contact", err, nil)
	a.Since = start.Add(time.Minute)
	same(t, "contact", c, noticestore.Contact{Confirmed: &a, Codes: []time.Time{start}})
	ask("the same address", ann.ID, mail("ann"), start.AddDate(0, 0, 2), storage.ErrUnchanged)

	// Another address takes the place of the first one only with its code.
	topic := noticestore.Destination{Kind: noticestore.Ntfy, To: "abcdefghijklmnop", Same: "abcdefghijklmnop"}
	b := ask("another address", ann.ID, topic, start.AddDate(0, 0, 2), nil)
	if c, _ := s.Contact(ctx, ann.ID); c.Confirmed == nil || *c.Confirmed != a || c.Pending == nil || c.Pending.Address != b || a.Stop == b.Stop {
		t.Errorf("with another address that waits: %+v", c)
	}
	for range noticestore.MaxTries {
		confirm("a wrong code", ann.ID, "x", start.AddDate(0, 0, 2), noticestore.ErrWrongCode)
	}
	confirm("the code after too many tries", ann.ID, "hash of "+topic.To, start.AddDate(0, 0, 2), storage.ErrNotFound)
	contacted("after too many tries", ann.ID)

	// The owner of an address stops notices for everybody.
	ask("of the same address", bob.ID, mail("ann"), start.AddDate(0, 0, 3), nil)
	confirm("its code", bob.ID, "hash of ann@example.com", start.AddDate(0, 0, 3), nil)
	_, err = s.StopNotices(ctx, b.Stop[1:]+"a", start)
	wants(t, "a code of no address", err, storage.ErrNotFound)
	for range 2 {
		_, err = s.StopNotices(ctx, a.Stop, start.AddDate(0, 0, 4))
		wants(t, "stop", err, nil)
	}
	contacted("after the stop")
	ask("a stopped address", bob.ID, mail("ann"), start.AddDate(9, 0, 0), noticestore.ErrNoCodes)
	wants(t, "end without an address", s.EndNotices(ctx, ann.ID), storage.ErrUnchanged)
	ask("an address for the end", bob.ID, mail("bob"), start.AddDate(1, 0, 0), nil)
	confirm("its code", bob.ID, "hash of bob@example.com", start.AddDate(1, 0, 0), nil)
	wants(t, "end", s.EndNotices(ctx, bob.ID), nil)
	contacted("after the end")
}

// codes: what bounds the codes that players can have sent.
func noticeCodes(t *testing.T, s Store) {
	ctx := t.Context()
	ask := func(what string, p accounts.Player, to string, at time.Time, want error) {
		t.Helper()
		_, err := s.AskAddress(ctx, p.ID, mail(to), noticestore.Code{Hash: "hash"}, at)
		wants(t, what, err, want)
	}
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	day := func(n int) time.Time { return start.AddDate(0, 0, n) }
	// Three a day of a player.
	for n := range noticestore.DayCodes {
		ask("of a player", ann, fmt.Sprint("a", n), start.Add(time.Duration(n)*time.Hour), nil)
	}
	ask("one too many", ann, "a9", day(1).Add(-time.Millisecond), noticestore.ErrManyCodes)
	_, err := s.AskAddress(ctx, ann.ID, mail("a9"), noticestore.Code{Hash: "hash"}, start.Add(23*time.Hour))
	if w := (*noticestore.WaitError)(nil); !errors.As(err, &w) || w.Wait != time.Hour {
		t.Errorf("the wait is %v", err)
	}
	ask("after a day", ann, "a9", day(1), nil)
	ask("no more than that", ann, "a8", day(1), noticestore.ErrManyCodes)

	// One a day of an address, and three ever.
	ask("of the address of another player", bob, "a9", day(2).Add(-time.Millisecond), noticestore.ErrNoCodes)
	ask("a day later", bob, "a9", day(2), nil)
	ask("the third", bob, "a9", day(3), nil)
	ask("the fourth", bob, "a9", day(1000), noticestore.ErrNoCodes)

	// Twenty an hour of the club.
	at := day(2000)
	for n := range noticestore.MaxHourCodes {
		ask("of the club", signUp(t, s, fmt.Sprintf("m%c", 'a'+n)), fmt.Sprint("b", n), at.Add(time.Duration(n)*time.Second), nil)
	}
	ask("too many of the club", ann, "c1", at.Add(time.Hour-time.Millisecond), noticestore.ErrManyCodes)
	ask("after an hour", ann, "c1", at.Add(time.Hour), nil)
	ask("no more than that", bob, "c2", at.Add(time.Hour), noticestore.ErrManyCodes)

	// Five an hour of a block of addresses: others have their codes beside it.
	at = day(3000)
	from := func(name string, block byte) accounts.Player {
		p := signUp(t, s, name)
		_ = s.Visited(ctx, p.ID, "", netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, block, 0}), 24), false, at) // a Memory has no visits here
		return p
	}
	for n := range noticestore.MaxBlockCodes {
		ask("of a block", from(fmt.Sprintf("n%c", 'a'+n), 1), fmt.Sprint("d", n), at.Add(time.Duration(n)*time.Second), nil)
	}
	one := from("one", 1)
	ask("too many of a block", one, "e1", at.Add(time.Hour-time.Millisecond), noticestore.ErrManyCodes)
	ask("of another block", from("other", 2), "e2", at.Add(time.Minute), nil)
	ask("of the block after an hour", one, "e1", at.Add(time.Hour), nil)

	// A sweep takes what has expired, and no count that holds.
	ask("of ann", ann, "c3", at, nil)
	at = at.Add(time.Hour)
	_, err = s.Sweep(ctx, at.Add(2*noticestore.CodeLife))
	wants(t, "sweep", err, nil)
	if c, err := s.Contact(ctx, ann.ID); err != nil || c.Pending != nil || c.Codes != nil {
		t.Errorf("after a sweep: %+v, %v", c, err)
	}
	ask("after a sweep", ann, "a9", day(9000), noticestore.ErrNoCodes)
}

// unsentCodes: the text of a code is kept until the code has been sent, is replaced or expires, or the account goes.
func unsentCodes(t *testing.T, s Store) {
	ctx := t.Context()
	waiting := func(what string, at time.Time, want ...string) {
		t.Helper()
		all, err := s.UnsentCodes(ctx, at)
		wants(t, what, err, nil)
		var got []string
		for _, c := range all {
			got = append(got, c.To.To+" "+c.Code.Text+" "+c.Code.Hash)
		}
		slices.Sort(got)
		same(t, what, got, want)
	}
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	for n, p := range []accounts.Player{ann, bob} {
		_, err := s.AskAddress(ctx, p.ID, mail(p.Name), noticestore.Code{Text: fmt.Sprint("code", n), Hash: fmt.Sprint("hash", n)}, start)
		wants(t, "ask", err, nil)
	}
	waiting("two", start, "ann@example.com code0 hash0", "bob@example.com code1 hash1")
	wants(t, "another is sent", s.CodeSent(ctx, ann.ID, "hash1"), nil)
	wants(t, "of nobody", s.CodeSent(ctx, "2222222222222222", "hash1"), nil)
	waiting("after another one was sent", start, "ann@example.com code0 hash0", "bob@example.com code1 hash1")
	wants(t, "sent", s.CodeSent(ctx, ann.ID, "hash0"), nil)
	waiting("after the first was sent", start, "bob@example.com code1 hash1")
	waiting("after the life of the second", start.Add(noticestore.CodeLife))
	_, err := s.ConfirmAddress(ctx, ann.ID, "hash0", start)
	wants(t, "a code that was sent", err, nil)
	_, err = s.DeletePlayer(ctx, bob.ID, minute(10))
	wants(t, "delete", err, nil)
	waiting("after the account of the second is gone", start)
}

// confirmed gives a player a confirmed address, and returns it.
func confirmed(t tb, s Store, p accounts.Player, at time.Time) noticestore.Address {
	t.Helper()
	_, err := s.AskAddress(t.Context(), p.ID, mail(p.Name), noticestore.Code{Hash: "hash"}, at)
	wants(t, "ask", err, nil)
	a, err := s.ConfirmAddress(t.Context(), p.ID, "hash", at)
	wants(t, "confirm", err, nil)
	return a
}

// failingNotices: of the notices to a player that have failed few wait, and new ones come first.
func failingNotices(t *testing.T, s Store) {
	ctx := t.Context()
	ann := signUp(t, s, "ann")
	confirmed(t, s, ann, start)
	_, err := s.TellTurns(ctx, ann.ID, []noticestore.Turn{{Match: "m1", Ply: 2}}, start)
	wants(t, "a move", err, nil)
	for n := range noticestore.MaxEvents {
		id := string(rune('a' + n))
		wants(t, "event", s.TellEvent(ctx, ann.ID, noticestore.Event{ID: id, Code: "ABCDEF", Name: "friday", Begins: minute(60)}, start), nil)
	}
	try := func(at int) (left int) {
		t.Helper()
		all, err := s.QueuedNotices(ctx, 100)
		wants(t, "queue", err, nil)
		for _, q := range all {
			switch _, err := s.BeginNotice(ctx, q.Key, minute(at), minute(at+1)); {
			case errors.Is(err, storage.ErrNotFound):
				wants(t, "remove", s.RemoveNotice(ctx, q.Key), nil)
			default:
				wants(t, "begin", err, nil)
				left++
			}
		}
		return left
	}
	same(t, "the first tries", try(1), 1+noticestore.MaxEvents)
	same(t, "the second tries", try(2), noticestore.MaxFailing)
	_, err = s.TellChallenges(ctx, ann.ID, []noticestore.Challenge{{Match: "m2", By: "rui"}}, minute(3))
	wants(t, "a challenge", err, nil)
	same(t, "with one that is new", try(3), noticestore.MaxFailing+1)
	same(t, "when that has failed too", try(4), noticestore.MaxFailing)
}

// told: what bounds the notices of a player, and how they wait.
func toldPlayers(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	waiting := func(what string, want ...string) {
		t.Helper()
		all, err := s.QueuedNotices(ctx, 100)
		wants(t, what, err, nil)
		var names []string
		for _, q := range all {
			if q.Key.Player != ann.ID {
				t.Errorf("%s: a notice waits for %s", what, q.Key.Player)
			}
			names = append(names, q.Key.Name)
		}
		same(t, what, names, want)
	}
	sent := func() {
		t.Helper()
		all, err := s.QueuedNotices(ctx, 100)
		wants(t, "queue", err, nil)
		for _, q := range all {
			wants(t, "remove", s.RemoveNotice(ctx, q.Key), nil)
		}
	}
	turns := func(id storage.PlayerID, at time.Time, waiting ...noticestore.Turn) {
		t.Helper()
		_, err := s.TellTurns(ctx, id, waiting, at)
		wants(t, "turns", err, nil)
	}
	m1, m2 := noticestore.Turn{Match: "m1", Ply: 2}, noticestore.Turn{Match: "m2", Ply: 0}
	turns(bob.ID, start, m1)
	waiting("without an address")
	a := confirmed(t, s, ann, start)
	turns(ann.ID, start, m1)
	waiting("a move", "move")
	sent()
	turns(ann.ID, start.AddDate(0, 0, 1), m1)
	waiting("the same move")
	turns(ann.ID, start.Add(noticestore.TurnsEvery-time.Millisecond), m1, m2)
	waiting("another match within six hours")
	turns(ann.ID, start.Add(noticestore.TurnsEvery), m1, m2)
	waiting("after six hours", "move")
	sent()
	m1.Ply += 2
	turns(ann.ID, start.AddDate(0, 0, 2), m1, m2)
	waiting("after the next moves", "move")
	sent()

	challenge := func(match, by string) noticestore.Challenge {
		return noticestore.Challenge{Match: storage.MatchID(match), By: by}
	}
	challenges := func(at time.Time, open ...noticestore.Challenge) {
		t.Helper()
		_, err := s.TellChallenges(ctx, ann.ID, open, at)
		wants(t, "challenges", err, nil)
	}
	c1, c2, c3, c4 := challenge("c1", "x"), challenge("c2", "x"), challenge("c3", "y"), challenge("c4", "z")
	challenges(start, c1)
	waiting("a challenge", "challenge c1")
	sent()
	challenges(start.Add(time.Hour), c2)
	waiting("of the same challenger")
	challenges(start.Add(2*time.Hour), c1, c2, c3, c4)
	waiting("of others", "challenge c3", "challenge c4")
	sent()
	challenges(start.Add(3*time.Hour), challenge("c5", "w"))
	waiting("more than three in a day")
	challenges(start.Add(25*time.Hour), c1, challenge("c5", "w"))
	waiting("a day later", "challenge c5")
	sent()

	event := func(id string, at time.Time) {
		t.Helper()
		wants(t, "event", s.TellEvent(ctx, ann.ID, noticestore.Event{ID: id, Code: "ABCDEF", Name: "friday", Begins: at.Add(time.Hour)}, at), nil)
	}
	event("e1", start)
	event("e1", start.AddDate(0, 0, 3))
	waiting("an event", "event e1")
	sent()
	for n := range noticestore.MaxEvents + 1 {
		event(fmt.Sprint("f", n), start)
	}
	waiting("events", "event f0", "event f1", "event f2", "event f3")
	sent()
	wants(t, "an event without a name", s.TellEvent(ctx, ann.ID, noticestore.Event{ID: "e"}, start), storage.ErrInvalid)

	// A try is begun once.
	at := start.AddDate(0, 1, 0)
	m1.Ply += 2
	turns(ann.ID, at, m1)
	k := noticestore.NoticeKey{Player: ann.ID, Name: "move"}
	to, err := s.BeginNotice(ctx, k, at, at.Add(time.Minute))
	wants(t, "begin", err, nil)
	same(t, "the address", to, a)
	_, err = s.BeginNotice(ctx, k, at.Add(time.Minute-time.Millisecond), at.Add(time.Hour))
	wants(t, "begin too early", err, storage.ErrStale)
	_, err = s.BeginNotice(ctx, k, at.Add(time.Minute), at.Add(time.Hour))
	wants(t, "begin again", err, nil)
	all, err := s.QueuedNotices(ctx, 1)
	wants(t, "tries", err, nil)
	same(t, "tries", all, []noticestore.Queued{{Key: k, Notice: noticestore.Notice{Kind: noticestore.YourMove}, Made: at, Next: at.Add(time.Hour), Tries: 2}})
	wants(t, "end", s.EndNotices(ctx, ann.ID), nil)
	waiting("after the end")
	_, err = s.BeginNotice(ctx, k, at.Add(time.Hour), at.Add(2*time.Hour))
	wants(t, "begin after the end", err, storage.ErrNotFound)
}

// stoppedNotices: a stop takes what waits, and nothing goes to the address from then on.
func stoppedNotices(t *testing.T, s Store) {
	ctx := t.Context()
	ann := signUp(t, s, "ann")
	a := confirmed(t, s, ann, start)
	_, err := s.TellTurns(ctx, ann.ID, []noticestore.Turn{{Match: "m1"}}, start)
	wants(t, "turns", err, nil)
	players, err := s.StopNotices(ctx, a.Stop, start)
	wants(t, "stop", err, nil)
	same(t, "stop", players, []storage.PlayerID{ann.ID})
	if all, err := s.QueuedNotices(ctx, 9); err != nil || len(all) > 0 {
		t.Errorf("after the stop %v wait, %v", all, err)
	}
}

// deletedNotices: an account takes its address along. Only counts stay, and they don't name it.
func deletedNotices(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob := signUp(t, s, "ann"), signUp(t, s, "bob")
	a := confirmed(t, s, ann, start)
	_, err := s.TellTurns(ctx, ann.ID, []noticestore.Turn{{Match: "m1"}}, start)
	wants(t, "turns", err, nil)
	_, err = s.DeletePlayer(ctx, ann.ID, start)
	wants(t, "delete", err, nil)
	if c, err := s.Contact(ctx, ann.ID); err != nil || c.Confirmed != nil || c.Codes != nil {
		t.Errorf("the address is still there: %+v, %v", c, err)
	}
	if all, err := s.QueuedNotices(ctx, 9); err != nil || len(all) > 0 {
		t.Errorf("%v wait, %v", all, err)
	}
	_, err = s.AskAddress(ctx, bob.ID, mail("ann"), noticestore.Code{Hash: "hash"}, start.Add(time.Hour))
	wants(t, "the count of the address", err, noticestore.ErrNoCodes)
	players, err := s.StopNotices(ctx, a.Stop, start.Add(time.Hour))
	wants(t, "stop", err, nil)
	same(t, "stop", players, []storage.PlayerID(nil))
}
