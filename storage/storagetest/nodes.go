package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/cluster"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/operators"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// RunNodes runs the contract of what nodes share through a store. open returns a new, empty store, which RunNodes closes.
func RunNodes(t *testing.T, open func(t *testing.T) *schema.Store) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, *schema.Store)
	}{
		{"heartbeats and expiry", nodeHeartbeats},
		{"outages", outages},
		{"people on nodes", presence},
		{"a nickname has one guest", nicknames},
		{"a seeker gets one match", seekers},
		{"seekers who are called", heldSeekers},
		{"a seeker that doesn't wait gets none", seekersElsewhere},
		{"a place holds one match at a time", places},
		{"attempts are limited across nodes", attempts},
		{"messages reach followers", messages},
		{"following summaries", followedSummaries},
		{"following decisions", followedDecisions},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t)
			defer s.Close()
			tt.test(t, s)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// beat writes the n-th heartbeat of a node.
func beat(t *testing.T, s *schema.Store, id cluster.NodeID, n uint64, at time.Time) cluster.Outage {
	t.Helper()
	last, err := s.Cluster.BeatNode(t.Context(), cluster.Node{ID: id, Name: "name of " + string(id), Beat: n}, func() time.Time { return at })
	must(t, err)
	return last
}

func nodeHeartbeats(t *testing.T, s *schema.Store) {
	now := start
	beat(t, s, "n1", 1, now)
	beat(t, s, "n2", 1, now.Add(time.Second))
	beat(t, s, "n1", 2, now.Add(time.Second))
	all, err := s.Cluster.Nodes(t.Context())
	must(t, err)
	want := []cluster.Node{
		{ID: "n1", Name: "name of n1", Beat: 2, At: now.Add(time.Second)}, {ID: "n2", Name: "name of n2", Beat: 1, At: now.Add(time.Second)},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		beat uint64
		gone bool
	}{{1, false}, {2, true}, {2, true}} {
		if gone, err := s.Cluster.ExpireNode(t.Context(), "n1", tt.beat); err != nil || gone != tt.gone {
			t.Errorf("expiring n1 at beat %d: gone %v, %v, want %v", tt.beat, gone, err, tt.gone)
		}
	}
	_, err = s.Cluster.BeatNode(t.Context(), cluster.Node{ID: "n1", Beat: 3}, func() time.Time { return now.Add(2 * time.Second) })
	wantError(t, "a beat of a node that is gone", err, storage.ErrNotFound)
	must(t, s.Cluster.RemoveNode(t.Context(), "n2"))
	if all, err := s.Cluster.Nodes(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("nodes %+v, %v", all, err)
	}
	at, err := s.Cluster.LastBeat(t.Context())
	if err != nil || !at.Equal(now.Add(time.Second)) {
		t.Errorf("the club was last known to run at %s, %v", at, err)
	}
}

func outages(t *testing.T, s *schema.Store) {
	now := start
	if o := beat(t, s, "n1", 1, now); o != (cluster.Outage{}) {
		t.Errorf("an outage of a new club: %+v", o)
	}
	now = now.Add(cluster.MaxSilence)
	if o := beat(t, s, "n2", 1, now); o != (cluster.Outage{}) {
		t.Errorf("an outage after %s: %+v", cluster.MaxSilence, o)
	}
	down := now
	now = now.Add(cluster.MaxSilence + time.Millisecond)
	want := cluster.Outage{Down: down, Up: now}
	for i, node := range []cluster.NodeID{"n2", "n1", "n2"} {
		if o := beat(t, s, node, uint64(2+i), now); o != want {
			t.Errorf("%s gets the outage %+v, want %+v", node, o, want)
		}
		now = now.Add(time.Second)
	}
	must(t, s.Cluster.RemoveNode(t.Context(), "n1"))
	if o := beat(t, s, "n3", 1, now); o != want {
		t.Errorf("while another node is up n3 is told of %+v, want %+v", o, want)
	}
	must(t, s.Cluster.RemoveNode(t.Context(), "n2"))
	must(t, s.Cluster.RemoveNode(t.Context(), "n3"))
	want = cluster.Outage{Down: now, Up: now.Add(time.Second)}
	if o := beat(t, s, "n4", 1, now.Add(time.Second)); o != want {
		t.Errorf("n4, which is up a second after the last node has stopped, is told of %+v, want %+v", o, want)
	}
}

func presence(t *testing.T, s *schema.Store) {
	ann, guest := storage.Occupant{Kind: storage.Person, ID: "ann", Name: "Ann"}, storage.Occupant{Kind: storage.Guest, ID: "g1", Name: "guest-1"}
	rows := []cluster.Present{
		{Who: ann, Came: start, Sessions: []cluster.AtBoard{{Match: "abcdefgh", Since: start}, {Idle: true, Since: start}}},
		{Who: guest, Left: cluster.Departure{At: start, Dropped: true, Command: true}},
	}
	wantError(t, "people on a node that is not up", s.Cluster.ShowPresent(t.Context(), "n1", rows), storage.ErrNotFound)
	beat(t, s, "n1", 1, start)
	beat(t, s, "n2", 1, start)
	must(t, s.Cluster.ShowPresent(t.Context(), "n1", rows))
	must(t, s.Cluster.ShowPresent(t.Context(), "n2", rows[:1]))
	seen := make(map[string]cluster.Present)
	var mu sync.Mutex
	stop := startFollowing(t, func(ctx context.Context) error {
		return s.Cluster.FollowPresent(ctx, storage.Follower[cluster.PresentID, cluster.Present]{
			All: func(all []cluster.Present) {
				mu.Lock()
				defer mu.Unlock()
				for _, row := range all {
					seen[string(row.Node)+row.Who.ID] = row
				}
			},
			Put:  func(row cluster.Present) { mu.Lock(); defer mu.Unlock(); seen[string(row.Node)+row.Who.ID] = row },
			Gone: func(id cluster.PresentID) { mu.Lock(); defer mu.Unlock(); delete(seen, string(id.Node)+id.ID) },
		})
	})
	defer stop()
	shows := func(what string, want map[string]cluster.Present) {
		t.Helper()
		eventually(t, what, func() bool { mu.Lock(); defer mu.Unlock(); return cmp.Equal(want, seen) })
	}
	at := func(node cluster.NodeID, row cluster.Present) cluster.Present { row.Node = node; return row }
	shows("at first", map[string]cluster.Present{"n1ann": at("n1", rows[0]), "n1g1": at("n1", rows[1]), "n2ann": at("n2", rows[0])})
	must(t, s.Cluster.ShowPresent(t.Context(), "n1", []cluster.Present{{Who: guest}}))
	shows("without the guest", map[string]cluster.Present{"n1ann": at("n1", rows[0]), "n2ann": at("n2", rows[0])})
	_, err := s.Cluster.ExpireNode(t.Context(), "n1", 1)
	must(t, err)
	shows("without a node", map[string]cluster.Present{"n2ann": at("n2", rows[0])})
}

// startFollowing runs follow until stop is called.
func startFollowing(t *testing.T, follow func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- follow(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("following ended with %v", err)
		}
	}
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for range 10_000 {
		if is() {
			return
		}
		<-ticker.C
	}
	t.Fatalf("%s: never happened", what)
}

// newMatch returns the first event of a match, and its summary.
func newMatch(n int) (storage.MatchID, []matchstore.Event, matchstore.Summary) {
	id := storage.MatchID(fmt.Sprintf("match%03d", n))
	o := &matchstore.Opening{Code: fmt.Sprintf("AAA%03d", n), Game: "tanks", First: storage.Occupant{Kind: storage.Person, ID: "ann", Name: "Ann"}}
	return id, []matchstore.Event{{Seq: 1, Version: matchstore.EventVersion, Kind: matchstore.Opened, Seat: storage.FirstSeat, At: start, Opening: o}},
		matchstore.Summary{Opening: *o, Opened: start, Opener: storage.FirstSeat, Turn: storage.FirstSeat}
}

// nicknames: of guests who choose the same nickname at the same moment, or names that look alike, one gets it. It is free again when the guest
// or the node is gone.
func nicknames(t *testing.T, s *schema.Store) {
	named := func(node cluster.NodeID, guest, name string, looks ...string) cluster.Nickname {
		return cluster.Nickname{ID: cluster.NicknameID{Node: node, Guest: guest}, Name: name, Key: name, Looks: append(looks, "look of "+name)}
	}
	claim := func(n cluster.Nickname) error { return s.Cluster.ClaimNickname(t.Context(), n) }
	wantError(t, "a node that is not up", claim(named("n1", "g1", "otter")), storage.ErrNotFound)
	beat(t, s, "n1", 1, start)
	beat(t, s, "n2", 1, start)
	errs := make([]error, 6)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			errs[i] = claim(named([]cluster.NodeID{"n1", "n2"}[i%2], fmt.Sprint("g", i), "otter"))
		})
	}
	all.Wait()
	holder := -1
	for i, err := range errs {
		switch {
		case err != nil:
			wantError(t, "a guest who is too late", err, storage.ErrNameTaken)
		case holder >= 0:
			t.Errorf("guests %d and %d have the same nickname", holder, i)
		default:
			holder = i
		}
	}
	if holder < 0 {
		t.Fatal("no guest has the nickname")
	}
	node, guest := []cluster.NodeID{"n1", "n2"}[holder%2], fmt.Sprint("g", holder)
	wantError(t, "a name that looks like it", claim(named("n1", "h", "0tter", "look of otter")), storage.ErrNameAlike)
	must(t, claim(named(node, guest, "otter"))) // the guest has it
	must(t, claim(named("n2", "h", "badger")))
	wantError(t, "the name of another guest in place of the own one", claim(named(node, guest, "badger")), storage.ErrNameTaken)
	must(t, claim(named(node, guest, "beaver")))
	must(t, claim(named("n2", "i", "otter"))) // it is free again
	must(t, s.Cluster.ReleaseNickname(t.Context(), cluster.NicknameID{Node: "n2", Guest: "i"}))
	must(t, s.Cluster.ReleaseNickname(t.Context(), cluster.NicknameID{Node: "n2", Guest: "i"}))
	must(t, claim(named("n1", "j", "otter")))
	must(t, s.Cluster.RemoveNode(t.Context(), "n2"))
	wantError(t, "a name at the node that goes on", claim(named("n1", "k", "otter")), storage.ErrNameTaken)
	must(t, claim(named("n1", "k", "badger")))
}

func seekers(t *testing.T, s *schema.Store) {
	ids := []cluster.SeekerID{{Node: "n1", Ticket: "a"}, {Node: "n2", Ticket: "b"}, {Node: "n2", Ticket: "c"}}
	row := func(id cluster.SeekerID) cluster.Seeker {
		return cluster.Seeker{ID: id, Who: storage.Occupant{Kind: storage.Person, ID: id.Ticket, Name: id.Ticket}, Wish: cluster.Wish{Game: "tanks", Rating: 1500, Deviation: 60}, More: []cluster.Wish{{Game: "petteia", Clock: "blitz"}}, Since: start}
	}
	wantError(t, "a seeker on a node that is not up", s.Cluster.AddSeeker(t.Context(), row(ids[0])), storage.ErrNotFound)
	beat(t, s, "n1", 1, start)
	beat(t, s, "n2", 1, start)
	for _, id := range ids {
		must(t, s.Cluster.AddSeeker(t.Context(), row(id)))
	}
	// Many pairs are opened at the same moment, and no player is in two matches.
	pairs := [][]cluster.SeekerID{{ids[0], ids[1]}, {ids[1], ids[2]}, {ids[2], ids[0]}, {ids[0], ids[1]}, {ids[0]}, {ids[2]}}
	errs := make([]error, len(pairs))
	var all sync.WaitGroup
	for i, pair := range pairs {
		all.Go(func() {
			id, events, m := newMatch(i)
			errs[i] = s.Cluster.OpenMatch(t.Context(), id, events, m, cluster.Terms{Seekers: pair})
		})
	}
	all.Wait()
	in := make(map[cluster.SeekerID]storage.MatchID)
	for i, err := range errs {
		id, _, _ := newMatch(i)
		if err != nil {
			wantError(t, "a pair that is too late", err, cluster.ErrTaken)
			if _, err := s.Matches.Log(t.Context(), id, 1, 0); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("the match of pair %d was opened all the same: %v", i, err)
			}
			continue
		}
		for _, seeker := range pairs[i] {
			if in[seeker] != "" {
				t.Errorf("%v is in %s and %s", seeker, in[seeker], id)
			}
			in[seeker] = id
		}
	}
	if len(in) == 0 {
		t.Error("no pair has a match")
	}
	for id, match := range in {
		must(t, s.Cluster.AddSeeker(t.Context(), row(id))) // it is there
		wantError(t, "changing a search that has a match", s.Cluster.ChangeSeeker(t.Context(), id, func(who *cluster.Seeker) { who.Match = "" }), storage.ErrNotFound)
		if last, err := s.Cluster.Place(t.Context(), cluster.PlaceOf(id)); err != nil || last != match {
			t.Errorf("%v has found %q, %v, want %s", id, last, err, match)
		}
	}
	for _, id := range ids {
		was, err := s.Cluster.RemoveSeeker(t.Context(), id)
		if err != nil || was.Match != in[id] || (was.Code != "") != (in[id] != "") {
			t.Errorf("%v: %+v, %v, want match %q", id, was, err, in[id])
		}
		_, err = s.Cluster.RemoveSeeker(t.Context(), id)
		wantError(t, "removed twice", err, storage.ErrNotFound)
	}
}

// seekersElsewhere: no match is opened for a search that an offer is taken for, that was refused, or that is over.
func seekersElsewhere(t *testing.T, s *schema.Store) {
	id := cluster.SeekerID{Node: "n1", Ticket: "a"}
	beat(t, s, "n1", 1, start)
	n := 0
	open := func() error {
		match, events, m := newMatch(n)
		n++
		return s.Cluster.OpenMatch(t.Context(), match, events, m, cluster.Terms{Seekers: []cluster.SeekerID{id}})
	}
	change := func(f func(*cluster.Seeker)) { t.Helper(); must(t, s.Cluster.ChangeSeeker(t.Context(), id, f)) }
	wantError(t, "changing no search", s.Cluster.ChangeSeeker(t.Context(), id, func(*cluster.Seeker) {}), storage.ErrNotFound)
	must(t, s.Cluster.AddSeeker(t.Context(), cluster.Seeker{ID: id, Who: storage.Occupant{Kind: storage.Person, ID: "a", Name: "a"}, Wish: cluster.Wish{Game: "tanks"}, Since: start}))
	change(func(who *cluster.Seeker) { who.Offer, who.Tried = "offer", append(who.Tried, who.Who) })
	wantError(t, "for a search that takes an offer", open(), cluster.ErrTaken)
	change(func(who *cluster.Seeker) {
		who.Offer, who.Refused = "", &cluster.Refusal{Reason: "full", Wait: time.Second}
	})
	wantError(t, "for a search that was refused", open(), cluster.ErrTaken)
	change(func(who *cluster.Seeker) { who.Refused = nil })
	must(t, open())
	must(t, ignore(s.Cluster.RemoveSeeker(t.Context(), id)))
	must(t, s.Cluster.AddSeeker(t.Context(), cluster.Seeker{ID: id, Who: storage.Occupant{Kind: storage.Person, ID: "a", Name: "a"}, Wish: cluster.Wish{Game: "tanks"}, Since: start}))
	change(func(who *cluster.Seeker) { who.Over = true })
	wantError(t, "for a search that is over", open(), cluster.ErrTaken)
	wantError(t, "changing a search that is over", s.Cluster.ChangeSeeker(t.Context(), id, func(*cluster.Seeker) {}), storage.ErrNotFound)
}

// heldSeekers: two searches are held for each other together or not at all. Their match is opened when both players are there, and with nobody else.
func heldSeekers(t *testing.T, s *schema.Store) {
	ids := []cluster.SeekerID{{Node: "n1", Ticket: "a"}, {Node: "n1", Ticket: "b"}, {Node: "n1", Ticket: "c"}}
	beat(t, s, "n1", 1, start)
	for _, id := range ids {
		who := storage.Occupant{Kind: storage.Person, ID: id.Ticket, Name: id.Ticket}
		must(t, s.Cluster.AddSeeker(t.Context(), cluster.Seeker{ID: id, Who: who, Wish: cluster.Wish{Game: "tanks"}, Since: start}))
	}
	n := 100
	open := func(of ...cluster.SeekerID) error {
		match, events, m := newMatch(n)
		n++
		return s.Cluster.OpenMatch(t.Context(), match, events, m, cluster.Terms{Seekers: of})
	}
	away := func(id cluster.SeekerID, is bool) {
		t.Helper()
		must(t, s.Cluster.ChangeSeeker(t.Context(), id, func(who *cluster.Seeker) { who.Away = is }))
	}
	wish, until := cluster.Wish{Game: "tanks", Clock: "5+3"}, start.Add(10*time.Second)
	hold := func(a, b cluster.SeekerID) error {
		return s.Cluster.HoldSeekers(t.Context(), [2]cluster.SeekerID{a, b}, wish, until)
	}
	away(ids[0], true)
	wantError(t, "a match of a player who is away", open(ids[0], ids[1]), cluster.ErrTaken)
	wantError(t, "holding a search that is gone", hold(ids[1], cluster.SeekerID{Node: "n1", Ticket: "z"}), cluster.ErrTaken)
	must(t, hold(ids[0], ids[1]))
	wantError(t, "holding a search twice", hold(ids[2], ids[1]), cluster.ErrTaken)
	wantError(t, "a match with another one", open(ids[1], ids[2]), cluster.ErrTaken)
	wantError(t, "a match before both are there", open(ids[0], ids[1]), cluster.ErrTaken)
	away(ids[0], false)
	var read [2]cluster.Seeker
	for i := range read {
		must(t, s.Cluster.ChangeSeeker(t.Context(), ids[i], func(who *cluster.Seeker) { read[i] = *who }))
		other := ids[1-i]
		if h := read[i].Held; h == nil || h.With != other || h.By.ID != other.Ticket || h.Wish != wish || !h.Until.Equal(until) {
			t.Errorf("%v is held for %+v", ids[i], h)
		}
	}
	if len(read[0].Missed) > 0 || read[0].Waits() || !read[0].IsHeld() {
		t.Errorf("a search that is held: %+v", read[0])
	}
	must(t, open(ids[0], ids[1]))
	wantError(t, "a second match", open(ids[0], ids[1]), cluster.ErrTaken)
	must(t, open(ids[2]))
}

func ignore[T any](_ T, err error) error { return err }

func places(t *testing.T, s *schema.Store) {
	open := func(n int, terms cluster.Terms) error {
		id, events, m := newMatch(n)
		return s.Cluster.OpenMatch(t.Context(), id, events, m, terms)
	}
	id := func(n int) storage.MatchID { id, _, _ := newMatch(n); return id }
	must(t, open(0, cluster.Terms{Place: "p"}))
	wantError(t, "a place that is taken", open(1, cluster.Terms{Place: "p"}), cluster.ErrTaken)
	must(t, open(2, cluster.Terms{Place: "q"}))
	must(t, open(3, cluster.Terms{Place: "p", Last: id(0)}))
	wantError(t, "a place that another has taken since", open(4, cluster.Terms{Place: "p", Last: id(0)}), cluster.ErrTaken)
	if last, err := s.Cluster.Place(t.Context(), "p"); err != nil || last != id(3) {
		t.Errorf("the last match is %s, %v", last, err)
	}
	end := matchstore.Event{Seq: 2, Version: matchstore.EventVersion, Kind: matchstore.Ended, At: start, Reason: "aborted"}
	f := results.Finished{Code: "AAA003", Game: "tanks", First: storage.Occupant{Kind: storage.Person, ID: "ann", Name: "Ann"}, Reason: "aborted", Started: start, Ended: start}
	_, err := s.Matches.Finish(t.Context(), id(3), []matchstore.Event{end}, f, nil)
	must(t, err)
	must(t, open(5, cluster.Terms{Place: "p"}))
	_, err = s.Sweep(t.Context(), start.Add(time.Hour))
	must(t, err)
	if last, err := s.Cluster.Place(t.Context(), "p"); err != nil || last != id(5) {
		t.Errorf("after sweeping the last match is %s, %v", last, err)
	}
}

func attempts(t *testing.T, s *schema.Store) {
	of := []accounts.Attempt{{Who: "ann", Every: time.Minute, Burst: 3}, {Who: "192.0.2.0/24", Every: time.Second, Burst: 100}}
	now := start
	take := func(what string, of []accounts.Attempt, want time.Duration) {
		t.Helper()
		if wait, ok, err := s.Attempts.TakeAttempts(t.Context(), what, of, now); err != nil || ok != (want == 0) || wait != want {
			t.Errorf("wait %s, %v, %v, want %s", wait, ok, err, want)
		}
	}
	// Many at once take no more than three.
	var mu sync.Mutex
	taken := 0
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, ok, err := s.Attempts.TakeAttempts(t.Context(), "codes", of, now)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if ok {
				taken++
			}
		})
	}
	all.Wait()
	if taken != 3 {
		t.Errorf("%d attempts of 3", taken)
	}
	take("codes", of, time.Minute)
	take("accounts", of, 0)
	take("codes", of[1:], 0) // a refused attempt costs the other bucket nothing
	must(t, s.Attempts.ReturnAttempts(t.Context(), "codes", of, now))
	take("codes", of, 0)
	now = now.Add(30 * time.Second)
	take("codes", of, 30*time.Second)
	now = now.Add(30 * time.Second)
	take("codes", of, 0)
	_, err := s.Sweep(t.Context(), now.Add(time.Hour))
	must(t, err)
	now = now.Add(time.Hour)
	for range 3 {
		take("codes", of, 0)
	}
	take("codes", of, time.Minute)
}

func messages(t *testing.T, s *schema.Store) {
	n := cluster.Message{Node: "n1", Kind: "k", Body: []byte(`{"n":0}`)}
	wantError(t, "a message of a node that is not up", s.Cluster.Tell(t.Context(), n, 0), storage.ErrNotFound)
	beat(t, s, "n1", 1, start)
	must(t, s.Cluster.Tell(t.Context(), n, 0))
	var mu sync.Mutex
	var got []string
	stop := startFollowing(t, func(ctx context.Context) error {
		return s.Cluster.FollowMessages(ctx, func(n cluster.Message) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, string(n.Node)+n.Kind+string(n.Body))
		}, func(key string, err error) { t.Errorf("%q: %v", key, err) })
	})
	defer stop()
	// The follower begins at an unknown moment. It gets no earlier message, and after its first one it misses none.
	eventually(t, "following", func() bool {
		must(t, s.Cluster.Tell(t.Context(), cluster.Message{Node: "n1", Kind: "hello", Body: []byte(`1`)}, 1))
		mu.Lock()
		defer mu.Unlock()
		return len(got) > 0
	})
	mu.Lock()
	first := got[0]
	mu.Unlock()
	if first != "n1hello1" {
		t.Errorf("the first message is %q", first)
	}
	var want []string
	for i := range 300 {
		n.Body = fmt.Appendf(nil, `{"n":%d}`, i)
		want = append(want, "n1k"+string(n.Body))
		must(t, s.Cluster.Tell(t.Context(), n, uint64(2+i)))
	}
	eventually(t, "all messages", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(got) >= len(want) && cmp.Equal(want, got[len(got)-len(want):])
	})
}

func followedSummaries(t *testing.T, s *schema.Store) {
	var mu sync.Mutex
	var says []string
	stop := startFollowing(t, func(ctx context.Context) error {
		say := func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			says = append(says, fmt.Sprintf(format, args...))
		}
		return s.Matches.FollowSummaries(ctx, storage.Follower[storage.MatchID, matchstore.Summary]{
			All:  func(rows []matchstore.Summary) { say("all %d", len(rows)) },
			Put:  func(row matchstore.Summary) { say("%s at %d", row.ID, row.Seq) },
			Gone: func(id storage.MatchID) { say("%s gone", id) },
			Bad:  func(key string, err error) { say("bad %s", key) },
		})
	})
	defer stop()
	wait := func(want ...string) {
		t.Helper()
		eventually(t, fmt.Sprint(want), func() bool { mu.Lock(); defer mu.Unlock(); return cmp.Equal(want, says) })
	}
	wait("all 0")
	id, events, m := newMatch(0)
	must(t, s.Matches.Append(t.Context(), id, events, m))
	end := matchstore.Event{Seq: 2, Version: matchstore.EventVersion, Kind: matchstore.Ended, At: start, Reason: "aborted"}
	f := results.Finished{Code: "AAA000", Game: "tanks", First: storage.Occupant{Kind: storage.Person, ID: "ann", Name: "Ann"}, Reason: "aborted", Started: start, Ended: start}
	_, err := s.Matches.Finish(t.Context(), id, []matchstore.Event{end}, f, nil)
	must(t, err)
	wait("all 0", "match000 at 1", "match000 gone")
}

func followedDecisions(t *testing.T, s *schema.Store) {
	p, err := s.Accounts.SignUp(t.Context(), accounts.Player{Name: "Ann", NameKey: "ann", Since: start}, "SHA256:a")
	must(t, err)
	var mu sync.Mutex
	n := 0
	stop := startFollowing(t, func(ctx context.Context) error {
		return s.Operators.FollowDecisions(ctx, func() { mu.Lock(); defer mu.Unlock(); n++ })
	})
	defer stop()
	eventually(t, "at first", func() bool { mu.Lock(); defer mu.Unlock(); return n >= 5 })
	for _, tt := range []struct {
		name   string
		change operators.Change
	}{
		{"mute", operators.Change{Mute: &operators.MuteChange{Player: p.ID, Until: start.Add(time.Hour)}}},
		{"rename", operators.Change{Rename: &operators.RenameChange{Player: p.ID, Name: "Anna", NameKey: "anna"}}},
		{"ban", operators.Change{Ban: &operators.BanChange{Subject: "192.0.2.0/24", Ban: &operators.Ban{}}}},
	} {
		mu.Lock()
		before := n
		mu.Unlock()
		_, err := s.Operators.Act(t.Context(), operators.AuditEntry{At: start, By: "test", Verb: tt.name, Subject: "x", Reason: "test"}, tt.change)
		must(t, err)
		eventually(t, tt.name, func() bool { mu.Lock(); defer mu.Unlock(); return n > before })
	}
}
