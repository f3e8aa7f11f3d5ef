package lobby_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// As the registry has them.
const (
	matchCost     = 500             // what a match without moves costs in memory, in moves
	maxBotsToMove = 16              // matches loaded at a time in which computer players have to move
	retryLoad     = 5 * time.Second // until a match that could not be loaded is tried again
)

// inMemoryNow returns how many matches are in memory, and what they cost.
func (c *club) inMemoryNow() (matches, cost int) {
	n := c.Registry().Counts()
	return n.InMemory, n.Plies
}

// TestIdleMatchesLeaveMemory: a match that nobody looks at leaves memory, and is unchanged when a user comes back.
func TestIdleMatchesLeaveMemory(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		defer c.Presence.Enter(c.ana)() // the lists show matches of people who are here
		a, r := c.start(func(s *seats.Spec) { s.Public = true })
		c.play(a, r, win[:4]...)
		before := c.now(a)
		ctx, leave := context.WithCancel(t.Context())
		looking := make(chan error)
		go func() {
			_, err := r.Next(ctx, before.Seq)
			looking <- err
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		if n, cost := c.inMemoryNow(); n != 1 || cost != matchCost+4 {
			t.Errorf("a user looks at the match, and %d are in memory, which cost %d", n, cost)
		}
		leave()
		<-looking
		time.Sleep(live.IdleTime + time.Second)
		synctest.Wait()
		if n, cost := c.inMemoryNow(); n != 0 || cost != 0 {
			t.Errorf("nobody looks, and %d are in memory, which cost %d", n, cost)
		}
		if l := c.Lists.Now(c.ana); len(l.Running) != 1 || l.Running[0].Ply != 4 || len(l.Yours.Matches) != 1 || !l.Yours.Matches[0].YourTurn {
			t.Errorf("the lists: %+v", l)
		}
		after := c.now(a)
		if text(after) != text(before) || after.Seq <= before.Seq {
			t.Errorf("loaded: %d\n%s\nwas %d\n%s", after.Seq, text(after), before.Seq, text(before))
		}
		time.Sleep(2 * live.IdleTime)
		c.play(a, r, win[4:]...)
		if f, err := c.Matches.Record(t.Context(), a.ID()); err != nil || f.Result != "first" || len(f.Times) != len(win) || !f.Times[4].After(f.Times[3].Add(time.Hour)) {
			t.Errorf("the record: %+v, %v", f, err)
		}
	})
}

// TestLoadedOnce: concurrent readers of a match share one reading of its log, which goes on if one of them gives up.
func TestLoadedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start()
		c.play(a, r, win[:4]...)
		time.Sleep(2 * live.IdleTime)
		reads, release := 0, make(chan struct{})
		c.store.set(nil, nil, func() error { reads++; <-release; return nil })
		impatient, leave := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() { _, err := a.Now(impatient); gone <- err }()
		synctest.Wait()
		leave()
		wantErr(t, "one who leaves", <-gone, context.Canceled)
		const readers = 20
		seen := make(chan *lobby.View, readers)
		for range readers {
			go func() {
				v, err := r.Now(t.Context())
				if err != nil {
					t.Error(err)
				}
				seen <- v
			}()
		}
		moved := make(chan error)
		go func() { moved <- a.Move(t.Context(), win[4], 4) }()
		synctest.Wait()
		if l := c.Lists.Yours(c.ana); len(l.Matches) != 1 { // the registry is free
			t.Errorf("lists while it is loaded: %+v", l)
		}
		close(release)
		wantErr(t, "a move meanwhile", <-moved, nil)
		for range readers {
			if v := <-seen; v != nil && v.Ply() < 4 {
				t.Errorf("a view with %d moves", v.Ply())
			}
		}
		if reads != 1 {
			t.Errorf("the log was read %d times", reads)
		}
	})
}

// TestLoadingFails: a match whose log can't be read for now is there again later, and one that is damaged is taken out.
func TestLoadingFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, _ := c.start()
		g := c.Accounts.Guest("connection 2")
		leave := c.Presence.Enter(g)
		other := c.open(c.ana, seats.Spec{Game: "fourmation"})
		if _, err := c.Seats.Take(t.Context(), g, other.ID); err == nil {
			t.Fatal("a private offer was taken without its code")
		}
		if _, err := c.Seats.Join(t.Context(), g, origin.Origin{}, other.Code); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * live.IdleTime)
		c.store.set(nil, nil, func() error { return errors.New("input/output error") })
		_, err := a.Now(t.Context())
		wantErr(t, "unreadable", err, lobby.ErrBusy)
		leave() // the guest's match is due while it can't be read
		time.Sleep(c.AtStart().AwayGuest + 12*time.Second)
		c.store.set(nil, nil, nil)
		if v := c.now(a); v.Over {
			t.Error("readable again, and over")
		}
		time.Sleep(retryLoad)
		synctest.Wait()
		if v := c.now(c.seat(c.ana, other.ID)); !v.Over || v.Reason != "aborted" {
			t.Errorf("the guest has left: over %v, %q", v.Over, v.Reason)
		}
		time.Sleep(2 * live.IdleTime)
		c.store.set(nil, nil, func() error { return storage.ErrDamaged })
		_, err = a.Now(t.Context())
		wantErr(t, "damaged", err, lobby.ErrDamaged)
		_, err = c.Seats.At(t.Context(), c.ana, lobby.Ref{ID: a.ID()})
		wantErr(t, "damaged, again", err, lobby.ErrDamaged)
		if n := len(c.Lists.Yours(c.ana).Matches); n != 0 {
			t.Errorf("%d matches are listed", n)
		}
	})
}

// TestMemoryIsBounded: a match that is loaded evicts the least recently used one from memory. A match that a user looks at stays. While users look
// at all of them, no other match can be loaded.
func TestMemoryIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const room = 4
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.LivePlies, cfg.Bounds.Idle = room*(matchCost+10), time.Hour })
		var seats []*seats.Seat
		for range 2 * room {
			a, r := c.start()
			c.play(a, r, win[:2]...)
			seats = append(seats, a)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		check := func(when string, want ...int) {
			t.Helper()
			synctest.Wait()
			if n, cost := c.inMemoryNow(); n != len(want) || cost > c.AtStart().LivePlies {
				t.Errorf("%s: %d matches in memory, which cost %d of %d", when, n, cost, c.AtStart().LivePlies)
			}
			for _, i := range want {
				if c.Registry().Find(seats[i].ID()).Match == nil {
					t.Errorf("%s: match %d is not in memory", when, i)
				}
			}
		}
		check("many were opened", 4, 5, 6, 7)
		c.now(seats[0])
		c.now(seats[4])
		c.now(seats[1])
		check("some were used", 0, 1, 4, 7)
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan bool)
		for _, i := range []int{0, 1, 4, 7} {
			v := c.now(seats[i])
			go func() { seats[i].Next(ctx, v.Seq); gone <- true }()
		}
		synctest.Wait()
		_, err := seats[2].Now(t.Context())
		wantErr(t, "one more, while users look at all in memory", err, lobby.ErrFull)
		wantErr(t, "a move in it", seats[2].Move(t.Context(), win[2], 2), lobby.ErrFull)
		wantErr(t, "a move in one of them", seats[4].Move(t.Context(), win[2], 2), nil)
		<-gone
		leave()
		for range 3 {
			<-gone
		}
		wantErr(t, "a move in it, later", seats[2].Move(t.Context(), win[2], 2), nil)
	})
}

// TestRoomForAllThatAreDue: matches that have something to do at the same moment do it then, though there is room in memory for a few of them:
// each that has been loaded makes room for the next.
func TestRoomForAllThatAreDue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const matches = 20
		c := newClub(t, func(cfg *lobby.Config) { cfg.Limits.LivePlies, cfg.Bounds.Idle = 3*matchCost+10, 50*time.Millisecond })
		var ids []storage.MatchID
		for range matches {
			a, r := c.start(with(oneMinute))
			c.play(a, r, win[:2]...)
			ids = append(ids, a.ID())
		}
		ends := time.Now().Add(time.Minute + clock.MaxCredit)
		time.Sleep(time.Until(ends) + time.Hour)
		synctest.Wait()
		for i, id := range ids {
			f, err := c.store.Memory.Finished(t.Context(), id)
			if err != nil || f.Reason != "timeout" || !f.Ended.Equal(ends) {
				t.Errorf("match %d ends %q at %v, %v after it was due, %v", i, f.Reason, f.Ended, f.Ended.Sub(ends), err)
			}
		}
	})
}

// TestBotsAreOwedTheirMovesAfterARestart: the computer players whose turn it was go on by themselves, a few at a time.
func TestBotsAreOwedTheirMovesAfterARestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const matches = 60
		never := func(cfg *lobby.Config) { cfg.BotDelay = 24 * time.Hour }
		c := newClub(t, never)
		for range matches {
			s := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first"}).ID)
			c.play(s, s, "d4")
		}
		c.Close()
		c = reopen(t, c.store, func(cfg *lobby.Config) { cfg.BotDelay = time.Second })
		synctest.Wait()
		if n, _ := c.inMemoryNow(); n < maxBotsToMove || n > maxBotsToMove+4 { // some are on their way when the last one fits
			t.Errorf("%d matches in memory", n)
		}
		time.Sleep((matches/maxBotsToMove + 2) * time.Second)
		synctest.Wait()
		for i, m := range c.Lists.Yours(c.ana).Matches {
			if m.Ply != 2 {
				t.Errorf("match %d: %d moves", i, m.Ply)
			}
		}
	})
}

// A twoClubs does the same in two clubs, and what comes of it must be the same.
type twoClubs struct {
	t       *rapid.T
	lazy    *club // whose matches go out of memory all the time
	eager   *club // whose matches never do
	matches [][2]storage.MatchID
}

// TestUnloadingChangesNothing: what people do in a club whose matches go out of memory at any moment, and that restarts now and then, has
// the same outcome as in one whose matches stay.
func TestUnloadingChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var failed any // rapid stops a run by a panic, which must not leave the bubble in its own goroutine
		bubble(t, func(t *testing.T) {
			defer func() { failed = recover() }()
			open := func(idle time.Duration, room int) *club {
				store := newFaulty()
				l, err := lobby.New(t.Context(), store, twoClubsConfig(idle, room))
				if err != nil {
					rt.Fatal(err)
				}
				c := &club{Lobby: l, t: t, store: store, guest: lobby.User{Kind: storage.Guest, ID: "g1", Name: "guest-1"}}
				c.ana, c.rui = c.account("ana"), c.account("rui")
				return c
			}
			w := &twoClubs{t: rt, lazy: open(50*time.Millisecond, 3*matchCost), eager: open(1000*time.Hour, 1_000_000)}
			defer func() { w.lazy.Close(); w.eager.Close() }()
			rt.Repeat(map[string]func(*rapid.T){
				"open": w.open, "join": w.join, "move": w.move, "move too": w.move, "move again": w.move, "takeback": w.takeback,
				"resign": w.end, "hint": w.hint, "wait": w.wait, "come and go": w.comeAndGo, "restart": w.restart, "": w.check,
			})
		})
		if failed != nil {
			panic(failed)
		}
	})
}

func twoClubsConfig(idle time.Duration, room int) lobby.Config {
	return lobby.Config{
		Games: []games.Game{fourmation.New(), petteia.New()}, Levels: []lobby.Level{firstLegal}, Workers: 1, Seed: func() uint64 { return 1 },
		Bounds: lobby.Bounds{Idle: idle}, Limits: lobby.Limits{LivePlies: room, Unfinished: 1000, NewUnfinished: 1000, GuestUnfinished: 1000, OpenOffers: 1000, Exhibitions: 1000},
	}
}

// both does something in both clubs.
func (w *twoClubs) both(what string, do func(c *club, i int) error) {
	a, b := do(w.lazy, 0), do(w.eager, 1)
	synctest.Wait()
	if fmt.Sprint(a) != fmt.Sprint(b) {
		w.t.Fatalf("%s: %v; without unloading %v", what, a, b)
	}
}

func (w *twoClubs) who(c *club, n int) lobby.User { return []lobby.User{c.ana, c.rui, c.guest}[n] }

func (w *twoClubs) person() int { return rapid.IntRange(0, 2).Draw(w.t, "person") }

func (w *twoClubs) match() [2]storage.MatchID {
	if len(w.matches) == 0 {
		w.t.Skip("no match yet")
	}
	return rapid.SampledFrom(w.matches).Draw(w.t, "match")
}

func (w *twoClubs) open(t *rapid.T) {
	p, side := w.person(), seats.Choice(rapid.IntRange(1, 2).Draw(t, "side"))
	spec := seats.Spec{Game: rapid.SampledFrom([]string{"fourmation", "petteia"}).Draw(t, "game"), Side: side}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		spec.Bot = firstLegal.ID
	case 1:
		spec.Hotseat = true
	case 2:
		spec.Public = true
	case 3:
		spec.Bots = [2]string{firstLegal.ID, firstLegal.ID}
	}
	if spec.Bots == [2]string{} {
		spec.Clock = rapid.SampledFrom([]lobby.ClockSetting{{}, {}, oneMinute, fivePlus3, clock.NewCorrespondence(1)}).Draw(t, "clock")
	}
	var ids [2]storage.MatchID
	w.both("open", func(c *club, i int) error {
		ref, err := c.Seats.Open(context.Background(), w.who(c, p), spec)
		ids[i] = ref.ID
		return err
	})
	w.matches = append(w.matches, ids)
}

// seat returns a seat at a match, or a spectator's place, whatever the person may see.
func (w *twoClubs) seat(c *club, who lobby.User, id storage.MatchID) (*seats.Seat, error) {
	ref := lobby.Ref{ID: id}
	if s := c.Registry().Find(id).Summary; s != nil {
		ref = s.Ref
	}
	return c.Seats.At(context.Background(), who, ref)
}

func (w *twoClubs) join(*rapid.T) {
	p, m := w.person(), w.match()
	w.both("join", func(c *club, i int) error {
		s := c.Registry().Find(m[i]).Summary
		if s == nil {
			return lobby.ErrOver
		}
		_, err := c.Seats.Join(context.Background(), w.who(c, p), origin.Origin{}, s.Code)
		return err
	})
}

func (w *twoClubs) move(t *rapid.T) {
	p, m, n := w.person(), w.match(), rapid.IntRange(0, 1000).Draw(t, "move")
	w.both("move", func(c *club, i int) error {
		s, err := w.seat(c, w.who(c, p), m[i])
		if err != nil {
			return err
		}
		v, err := s.Now(context.Background())
		if err != nil {
			return err
		}
		legal := v.Position.Legal()
		if len(legal) == 0 {
			return nil
		}
		return s.Move(context.Background(), legal[n%len(legal)], v.Ply())
	})
}

func (w *twoClubs) takeback(*rapid.T) {
	p, m := w.person(), w.match()
	w.both("takeback", func(c *club, i int) error {
		s, err := w.seat(c, w.who(c, p), m[i])
		if err != nil {
			return err
		}
		return s.Takeback(context.Background())
	})
}

func (w *twoClubs) hint(*rapid.T) {
	p, m := w.person(), w.match()
	w.both("hint", func(c *club, i int) error {
		s, err := w.seat(c, w.who(c, p), m[i])
		if err == nil {
			_, err = s.Hint(context.Background())
		}
		return err
	})
}

func (w *twoClubs) end(*rapid.T) {
	p, m := w.person(), w.match()
	w.both("end", func(c *club, i int) error {
		s, err := w.seat(c, w.who(c, p), m[i])
		if err != nil {
			return err
		}
		return errors.Join(s.Abort(context.Background()), s.Resign(context.Background()))
	})
}

func (w *twoClubs) wait(t *rapid.T) {
	time.Sleep(time.Duration(rapid.SampledFrom([]int{1, 60, 1000, 100_000, 400_000}).Draw(t, "ms")) * time.Millisecond)
	synctest.Wait()
}

func (w *twoClubs) comeAndGo(t *rapid.T) {
	p, long := w.person(), rapid.Bool().Draw(t, "long")
	w.both("come", func(c *club, _ int) error {
		leave := c.Presence.Enter(w.who(c, p))
		if long {
			go func() { time.Sleep(time.Minute); leave() }()
		} else {
			leave()
		}
		return nil
	})
	if long {
		time.Sleep(2 * time.Minute)
		synctest.Wait()
	}
}

func (w *twoClubs) restart(*rapid.T) {
	w.both("restart", func(c *club, i int) error {
		idle, room := c.Bounds().Idle, c.AtStart().LivePlies
		if err := c.Close(); err != nil {
			return err
		}
		l, err := lobby.New(context.Background(), c.store, twoClubsConfig(idle, room))
		c.Lobby = l
		return err
	})
}

// check compares what can be seen of each match, and of the lists.
func (w *twoClubs) check(*rapid.T) {
	synctest.Wait()
	if n, cost := w.lazy.inMemoryNow(); cost > w.lazy.AtStart().LivePlies+4*matchCost {
		w.t.Fatalf("%d matches in memory, which cost %d", n, cost)
	}
	for _, m := range w.matches {
		w.both("view", func(c *club, i int) error {
			v, err := c.Matches.View(context.Background(), m[i])
			if err != nil {
				return err
			}
			return fmt.Errorf("%v %v %d %d %v %v %v %s %q %q %d %v %v %v", v.Seats, v.Opener, v.Start, v.Events, v.Helped, v.Started, v.Moves,
				v.Position, v.Result, v.Reason, v.EndedBy, v.LastAt, v.Clock, v.Left)
		})
	}
	for p := range 3 {
		w.both("lists", func(c *club, _ int) error {
			yours := c.Lists.Yours(w.who(c, p))
			var waiting, turns, plies int
			for _, m := range yours.Matches {
				plies += m.Ply
				if m.YourTurn {
					turns++
				}
				if m.Started.IsZero() {
					waiting++
				}
			}
			return fmt.Errorf("%d matches, %d moves, %d turns, %d waiting, %d invitations", len(yours.Matches), plies, turns, waiting, len(yours.Invitations))
		})
	}
}

// fill adds unfinished matches of petteia to a store, between 200 players, each after a number of moves.
func fill(t *testing.T, store *schema.Store, matches, moves int) {
	t.Helper()
	g := petteia.New()
	options, err := games.Complete(g, games.Options{"quiet_limit": 0})
	if err != nil {
		t.Fatal(err)
	}
	start, err := g.New(options)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().UTC().Truncate(time.Millisecond)
	log := []matchstore.Event{{Seq: 1, Version: matchstore.EventVersion, Kind: matchstore.Opened, Seat: storage.FirstSeat, At: at}}
	r := games.NewRandom(1)
	for p := start; len(log) <= moves; { // one random line without an end for all of them
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		next, err := p.Play(m)
		if err != nil {
			t.Fatal(err)
		}
		if !next.Result().Over {
			at = at.Add(time.Second)
			log = append(log, matchstore.Event{
				Seq: uint64(len(log) + 1), Version: matchstore.EventVersion, Kind: matchstore.Moved, Seat: storage.SeatOf(p.Turn()), At: at, Move: m,
			})
			p = next
		}
	}
	var filling sync.WaitGroup
	const writers = 50
	for w := range writers {
		filling.Go(func() {
			for n := w; n < matches; n += writers {
				player := func(n int) storage.Occupant {
					return storage.Occupant{Kind: storage.Person, ID: fmt.Sprintf("p%019d", n%200), Name: fmt.Sprintf("player-%d", n%200)}
				}
				events := slices.Clone(log)
				events[0].Opening = &matchstore.Opening{
					Code: codeOf(n), Game: "petteia", Options: options, Public: n%2 == 0, First: player(n), Second: player(n/200 + n + 1),
				}
				id := storage.MatchID("m" + strings.ToLower(codeOf(n)) + "2")
				s, err := match.Fold(id, func(string) (games.Game, error) { return g, nil }, events)
				if err == nil {
					sum := s.Summary()
					err = store.Matches.Append(context.Background(), id, events, sum.Stored())
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	filling.Wait()
}

// codeOf returns the n-th code.
func codeOf(n int) string {
	code := make([]byte, match.CodeLength)
	for i := range code {
		code[i] = match.CodeLetters[n%len(match.CodeLetters)]
		n /= len(match.CodeLetters)
	}
	return string(code)
}

// TestStartWithManyMatches opens a club on a store with many unfinished matches, which must not be read: what one takes in memory does
// not depend on its moves. By hand, with LUDOTECA_START=20000x1000:/tmp/start.db, it fills the file if there is none, and says how
// long opening takes; under /usr/bin/time -v it says how much memory.
func TestStartWithManyMatches(t *testing.T) {
	matches, moves, path := 500, 200, filepath.Join(t.TempDir(), "club.db")
	if by := os.Getenv("LUDOTECA_START"); by != "" {
		if _, err := fmt.Sscanf(by, "%dx%d:%s", &matches, &moves, &path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		store, err := storagetest.OpenFile(path, schema.Config{Rate: rating.Rate})
		if err != nil {
			t.Fatal(err)
		}
		fill(t, store, matches, moves)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	heap := func() int64 {
		var m runtime.MemStats
		for range 3 { // what pools and finalizers hold goes with the second
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	began := time.Now()
	store, err := storagetest.OpenFile(path, schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	opened, before := time.Since(began), heap()
	began = time.Now()
	l, err := lobby.New(t.Context(), lobby.StoreOf(store), lobby.Config{Games: []games.Game{petteia.New()}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	took, each := time.Since(began), (heap()-before)/int64(matches)
	t.Logf("%d matches of %d moves: the file is checked and opened in %v, the club in %v; %d bytes of memory a match", matches, moves,
		opened.Round(time.Millisecond), took.Round(time.Millisecond), each)
	if n := l.Load().Matches; n != matches {
		t.Errorf("%d matches, want %d", n, matches)
	}
	if each > 6000 { // 200 moves in memory take twice as much
		t.Errorf("a match that nobody looks at takes %d bytes of memory", each)
	}
	for _, s := range l.Registry().Running()[:1] {
		id, began := s.ID, time.Now()
		v, err := l.Matches.View(t.Context(), id)
		if err != nil || v.Ply() != moves {
			t.Fatalf("a match has %d moves, %v", v.Ply(), err)
		}
		t.Logf("one is loaded in %v", time.Since(began).Round(time.Microsecond))
	}
}

// TestStoreOfAnEarlierVersion: the summaries of a store that has none are made of the logs, once, and the logs say what they said.
func TestStoreOfAnEarlierVersion(t *testing.T) {
	packed, err := os.Open(filepath.Join("..", "storage", "testdata", "club.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "club.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := storagetest.OpenFile(path, schema.Config{Rate: rating.Rate})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	read := func() (all []matchstore.Summary, logs map[storage.MatchID][]matchstore.Event) {
		t.Helper()
		all, err := store.Matches.Summaries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		logs = make(map[storage.MatchID][]matchstore.Event)
		for _, m := range all {
			if logs[m.ID], err = store.Matches.Log(t.Context(), m.ID, 1, 0); err != nil {
				t.Fatal(err)
			}
		}
		return all, logs
	}
	before, was := read()
	for _, m := range before {
		if m.Seq != 0 {
			t.Errorf("match %s has a summary already", m.ID)
		}
	}
	for _, when := range []string{"first", "again"} {
		l, err := lobby.New(t.Context(), lobby.StoreOf(store), lobby.Config{Games: catalog.All(), Levels: []lobby.Level{firstLegal}, BotDelay: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		after, is := read()
		if len(after) != len(before) || len(after) < 3 || !reflect.DeepEqual(was, is) {
			t.Errorf("%s: %d matches, %d before; same logs: %v", when, len(after), len(before), reflect.DeepEqual(was, is))
		}
		for _, m := range after {
			s, err := match.Fold(m.ID, l.Game, is[m.ID])
			if err != nil {
				t.Fatal(err)
			}
			sum := s.Summary()
			if want := sum.Stored(); !reflect.DeepEqual(m, want) {
				t.Errorf("%s: the summary of %s is\n%+v\nwant\n%+v", when, m.ID, m, want)
			}
			listed := l.Registry().Find(m.ID).Summary
			if v, err := l.Matches.View(t.Context(), m.ID); err != nil || listed == nil || listed.Plies != v.Ply() || listed.Code != v.Code || listed.Seats != v.Seats {
				t.Errorf("%s: match %s: %v", when, m.ID, err)
			}
		}
		l.Close()
	}
}
