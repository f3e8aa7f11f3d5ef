package lobbypage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// mergeRowsPlainly is a slower mergeRows that is easy to check.
func mergeRowsPlainly(old, fresh []shownRow, removal int) (rows []shownRow, anyGone bool) {
	rows = slices.Clone(fresh)
	at := 0
	for _, o := range old {
		if i := slices.IndexFunc(rows, func(r shownRow) bool { return r.key() == o.key() }); i >= 0 {
			at = i + 1
			continue
		}
		if o.id == "" || slices.ContainsFunc(fresh, func(r shownRow) bool { return r.id == o.id }) {
			continue
		}
		if anyGone = true; !o.removed {
			o.removed, o.removal = true, removal
		}
		rows = slices.Insert(rows, at, o)
		at++
	}
	return rows, anyGone
}

// TestMergeRows compares mergeRows with mergeRowsPlainly on lists where many rows come, go and move.
func TestMergeRows(t *testing.T) {
	rowsFrom := func(t *rapid.T, name string) (rows []shownRow) {
		for b := range block(blocks) {
			rows = append(rows, shownRow{row: &row{block: b, heading: true}})
			ids := rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 0, 40, rapid.ID).Draw(t, fmt.Sprint(name, b))
			if rapid.Bool().Draw(t, "sorted") {
				slices.Sort(ids)
			}
			for _, id := range ids {
				rows = append(rows, shownRow{row: &row{block: b, id: storage.MatchID(fmt.Sprint(id))}})
			}
			if len(ids) == 0 {
				rows = append(rows, shownRow{row: &row{block: b, game: "none"}})
			}
		}
		return rows
	}
	rapid.Check(t, func(t *rapid.T) {
		shown := rowsFrom(t, "first")
		for i := range rapid.IntRange(1, 4).Draw(t, "news") {
			fresh := rowsFrom(t, "next")
			got, gone := mergeRows(shown, slices.Clone(fresh), i)
			want, wantGone := mergeRowsPlainly(shown, fresh, i)
			if gone != wantGone || !slices.Equal(got, want) {
				t.Fatalf("got %v, %v\nwant %v, %v", keysOf(got), gone, keysOf(want), wantGone)
			}
			shown = dropRemoved(got, i-1, "7")
		}
	})
}

// TestPublicRowsAreShared: public rows are made once a language, and leave out the player's own offers.
func TestPublicRowsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		bia, err := club.Accounts.SignUp(t.Context(), "SHA256:bia", "bia")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := club.Seats.Open(t.Context(), bia, seats.Spec{Game: "petteia", Public: true}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		offerOf := func(who lobby.User, language string) *row {
			e := &screen.Env{Lobby: screen.Of(club), Who: who, Say: wording.In(language), Now: time.Now}
			lists := club.Lists.Now(who)
			for _, r := range rowsOf(e, screen.ListsMsg{Lists: lists, Yours: lists.Yours}) {
				if r.block == openOffers && r.id != "" {
					return r.row
				}
			}
			return nil
		}
		first := offerOf(club.Accounts.Guest("a"), "de")
		if second := offerOf(club.Accounts.Guest("b"), "de"); first == nil || first != second {
			t.Errorf("one guest sees the offer as %p, another one as %p", first, second)
		}
		if other := offerOf(club.Accounts.Guest("b"), "pt"); other == nil || other == first {
			t.Errorf("in another language the offer is %p, in the first one %p", other, first)
		}
		if own := offerOf(bia, "de"); own != nil {
			t.Errorf("bia sees her own offer: %v", own)
		}
	})
}

func keysOf(rows []shownRow) (all []rowKey) {
	for _, r := range rows {
		all = append(all, r.key())
	}
	return all
}

// TestListLines: each line leads to its row and back, with an empty one before each heading but the first.
func TestListLines(t *testing.T) {
	s := listPane{rows: rowsOf(&screen.Env{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Now: nowAtNoon}, listsOf(uitest.ManyLists()))}
	l, line := s.lines(), 0
	for i, r := range s.rows {
		if r.heading && i > 0 {
			if got := l.row(line); got != -1 {
				t.Errorf("line %d before a heading leads to row %d", line, got)
			}
			line++
		}
		if l.row(line) != i || l.line(i) != line {
			t.Errorf("line %d leads to row %d, and row %d to line %d", line, l.row(line), i, l.line(i))
		}
		line++
	}
	if l.count != line || l.row(line) != -1 {
		t.Errorf("%d lines, want %d; behind them is row %d", l.count, line, l.row(line))
	}
	if none := (listPane{}).lines(); none.count != 0 || none.row(0) != -1 {
		t.Errorf("no rows have %d lines", none.count)
	}
}

// BenchmarkMergeRows merges lists of which nothing, some or all has changed.
func BenchmarkMergeRows(b *testing.B) {
	e := &screen.Env{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Now: nowAtNoon}
	old := rowsOf(e, listsOf(uitest.ManyLists()))
	for _, gone := range []int{0, 3, 30, 60} {
		b.Run(fmt.Sprint(gone), func(b *testing.B) {
			lists, yours := uitest.ManyLists()
			lists.Offers = slices.Delete(lists.Offers, 0, gone)
			l := screen.ListsMsg{Lists: lists, Yours: yours}
			b.ReportAllocs()
			for b.Loop() {
				mergeRows(old, rowsOf(e, l), 1)
			}
		})
	}
}

// BenchmarkSharedRows makes the rows of the longest public lists: what each session would hold of its own if they weren't shared.
func BenchmarkSharedRows(b *testing.B) {
	const listed = lists.MaxListed
	e := &screen.Env{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Now: nowAtNoon}
	few, _ := uitest.SomeLists()
	lists := &lists.Lists{}
	for range listed {
		lists.Offers = append(lists.Offers, few.Offers[0])
		lists.Running = append(lists.Running, few.Running[0])
	}
	b.ReportAllocs()
	for b.Loop() {
		newSharedRows(e, lists)
	}
}

func nowAtNoon() time.Time { return uitest.Noon }

func listsOf(lists *lists.Lists, yours lists.Yours) screen.ListsMsg {
	return screen.ListsMsg{Lists: lists, Yours: yours}
}

// TestOfferOfAPosition tells an offer that begins in the middle from others.
func TestOfferOfAPosition(t *testing.T) {
	o := uitest.Offer("o1", "fourmation", games.Options{"cols": 7, "rows": 7, "win_length": 4})
	e := &screen.Env{Lobby: (&uitest.FakeLobby{}).Services()}
	if got := offerRow(e, o).cells[0]; strings.Contains(got, "move") {
		t.Errorf("from the beginning it is %q", got)
	}
	o.From = "last=- turn=X"
	if row := offerRow(e, o); row.cells[0] != "from a position" || !slices.Contains(row.terms, "from a position") {
		t.Errorf("from a position it is %+v", row)
	}
	o.Ply = 12
	if got := offerRow(e, o).cells[0]; got != "from move 12" {
		t.Errorf("after moves it is %q", got)
	}
}

// TestAges: the time since a match began to wait fits its column in every language.
// TestRatingRangeOfAnOffer: who may take an offer is in its row in every width, the size of the board where there is room.
func TestRatingRangeOfAnOffer(t *testing.T) {
	e := ui.NewApp(t.Context(), ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}).Env()
	o := uitest.Offer("o1", "fourmation", games.Options{"cols": 7, "rows": 7, "win_length": 4})
	o.Range, o.Clock = [2]int{1400, 1600}, uitest.ClockOfTest("10+5")
	r := offerRow(e, o)
	for cells, want := range map[int]string{30: "10+5 7x7 1400-1600", 18: "10+5 7x7 1400-1600", 17: "10+5 1400-1600", 13: "1400-1600", 8: "1400-16…"} {
		if got := r.first(cells); got != want {
			t.Errorf("%d cells: %q, want %q", cells, got, want)
		}
	}
}

func TestAges(t *testing.T) {
	for _, l := range text.Languages() {
		for _, d := range []time.Duration{0, 59 * time.Minute, 70 * time.Minute, 9*time.Hour + 59*time.Minute, 23*time.Hour + 59*time.Minute,
			239 * time.Hour, 365 * 24 * time.Hour} {
			e := &screen.Env{Say: wording.In(l.Code), Now: func() time.Time { return uitest.Noon }}
			if words := age(e, uitest.Noon.Add(-d)); words == "" || text.Width(words) > 8 {
				t.Errorf("%s: after %v it says %q, which has no room in the lists", l.Name, d, words)
			}
		}
	}
}

// TestPausedMatch: a match whose clock stands says so in the list, with the mark of one that waits for the player, and no longer when the pause is
// over.
func TestPausedMatch(t *testing.T) {
	for _, width := range []int{80, 40} {
		synctest.Test(t, func(t *testing.T) {
			club := uitest.FullLobby()
			s := begin(t, width, 24, ui.Config{Lobby: club.Services(), Who: uitest.Ana})
			l, yours := uitest.SomeLists()
			yours.Matches[0].Stands, yours.Matches[1].Stands = uitest.Noon.Add(-time.Minute), uitest.Noon.Add(1000*time.Hour)
			s.Lists(l, yours)
			if width < 80 {
				s.Keys("tab")
			}
			page := s.Page()
			if strings.Count(page, "paused") != 1 || !strings.Contains(page, "your move") || strings.Contains(page, "waiting") {
				t.Errorf("at %d cells:\n%s", width, page)
			}
		})
	}
}

// TestPausedMatchOfOthers: a match of others whose clock stands says so among those that are played, until the pause is over.
func TestPausedMatchOfOthers(t *testing.T) {
	for _, width := range []int{80, 40} {
		synctest.Test(t, func(t *testing.T) {
			now := uitest.Noon
			s := begin(t, width, 24, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Now: func() time.Time { return now }})
			l, yours := uitest.SomeLists()
			l.Running[0].Stands = uitest.Noon.Add(time.Hour)
			s.Lists(l, yours)
			if width < 80 {
				s.Keys("tab")
			}
			s.Sees("paused")
			s.Misses("move 23")
			now = now.Add(time.Hour)
			s.Keys("down")
			s.Sees("move 23")
			s.Misses("paused")
		})
	}
}
