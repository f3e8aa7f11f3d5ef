package news_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/match"
	"ludoteca/lobby/news"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

var (
	noon = time.UnixMilli(1_700_000_000_000)
	ana  = match.User{Kind: storage.Person, ID: "ana", Name: "ana"}
	rui  = storage.Occupant{Kind: storage.Person, ID: "rui", Name: "rui"}
	bot  = storage.Occupant{Kind: storage.Bot, ID: "first", Name: "First"}
)

func ref(id string) match.Ref { return match.Ref{ID: storage.MatchID(id), Code: strings.ToUpper(id)} }

// mine returns a running match of ana against rui, in which ana has the first side and rui is to move.
func mine(id string, changes ...func(*lists.Mine)) lists.Mine {
	m := lists.Mine{Ref: ref(id), Opponent: rui, Own: true, Opened: noon, Started: noon.Add(time.Minute), LastAt: noon.Add(time.Hour), Ply: 3}
	for _, change := range changes {
		change(&m)
	}
	return m
}

func open(m *lists.Mine) {
	m.Started, m.Opponent, m.Ply, m.LastAt = time.Time{}, storage.Occupant{}, 0, noon
}
func turn(m *lists.Mine)  { m.YourTurn = true }
func fresh(m *lists.Mine) { m.Ply, m.LastAt = 0, m.Started }
func both(m *lists.Mine)  { m.Both, m.YourTurn = true, true }
func other(m *lists.Mine) { m.Own = false }
func paired(m *lists.Mine) {
	m.Tournament = storage.TournamentBoard{ID: "t1", Code: "T1", Name: "Friday", Round: 1, Board: 1}
}
func ofBot(m *lists.Mine) { m.Opponent = bot }

func ply(n int) func(*lists.Mine) { return func(m *lists.Mine) { m.Ply = n } }

func offers(draw, takeback storage.Seat) func(*lists.Mine) {
	return func(m *lists.Mine) { m.Offers = matches.Offers{Draw: draw, Takeback: takeback} }
}

func yours(all ...lists.Mine) lists.Yours { return lists.Yours{Matches: all} }

// invited adds invitations to some lists.
func invited(y lists.Yours, ids ...string) lists.Yours {
	for _, id := range ids {
		o := lists.Offer{Ref: ref(id), By: rui, Since: noon}
		if strings.HasPrefix(id, "re") {
			o.RematchOf = "old"
		}
		y.Invitations = append(y.Invitations, o)
	}
	return y
}

// told returns kinds and ids of items in short: "begins m1, offer draw m2".
func told(items []news.Item) string {
	var words []string
	for _, i := range items {
		word := string(i.Kind)
		if i.Kind == news.Offered || i.Kind == news.Declined {
			word += " " + i.Offer
		}
		if i.Own {
			word += " own"
		}
		if i.Kind == news.Ended && i.Invited {
			word += " invited"
		}
		words = append(words, word+" "+string(i.Match.ID))
	}
	return strings.Join(words, ", ")
}

// TestFold: each change of the lists is the news that it stands for, and what the user does is none.
func TestFold(t *testing.T) {
	const first, second = storage.FirstSeat, storage.SecondSeat
	for _, tt := range []struct {
		name     string
		old, now lists.Yours
		want     string
	}{
		{"nothing", yours(mine("m", turn)), yours(mine("m", turn)), ""},
		{"a pairing", yours(), yours(mine("m", fresh, other, paired)), "paired m"},
		{"a pairing with the first move", yours(), yours(mine("m", fresh, other, paired, turn)), "paired m"},
		{"a pairing goes on", yours(mine("m", fresh, other, paired)), yours(mine("m", other, paired, turn, ply(1))), "your_move m"},
		{"the opponent moves", yours(mine("m")), yours(mine("m", turn, ply(4))), "your_move m"},
		{"the user moves", yours(mine("m", turn)), yours(mine("m", ply(4))), ""},
		{"both move between two lists", yours(mine("m", turn)), yours(mine("m", turn, ply(5))), "your_move m"},
		{"the user's takeback against a computer player", yours(mine("m", turn, ofBot)), yours(mine("m", turn, ofBot, ply(1))), ""},
		{"the opponent grants a takeback", yours(mine("m")), yours(mine("m", turn, ply(2))), "your_move m"},
		{"both seats are the user's", yours(mine("m", both)), yours(mine("m", both, ply(4))), ""},
		{"an opponent sits down", yours(mine("m", open)), yours(mine("m", fresh)), "begins m"},
		{"an opponent sits down, and the user is to move", yours(mine("m", open)), yours(mine("m", fresh, turn)), "begins m"},
		{"an opponent sits down and moves", yours(mine("m", open)), yours(mine("m", turn, ply(1))), "begins m"},
		{"the user opens an offer", yours(), yours(mine("m", open)), ""},
		{"the user joins a match", yours(), yours(mine("m", fresh, other, turn)), ""},
		{"the user joins a match, and the opponent moves", yours(), yours(mine("m", other, turn, ply(1))), "your_move m"},
		{"a match ends", yours(mine("m"), mine("n")), yours(mine("n")), "ended m"},
		{"an offer ends", yours(mine("m", open)), yours(), "ended m"},
		{"a challenge", yours(), invited(yours(), "c"), "challenge c"},
		{"the same challenge", invited(yours(), "c"), invited(yours(), "c"), ""},
		{"a second challenge", invited(yours(), "c"), invited(yours(), "c", "d"), "challenge d"},
		{"a rematch", yours(), invited(yours(), "re"), "rematch re"},
		{"a challenge ends", invited(yours(), "c"), yours(), "ended invited c"},
		{"a challenge is taken, and the user is to move", invited(yours(), "c"), yours(mine("c", fresh, other, turn)), "your_move own c"},
		{"a challenge is taken, and the opponent has moved", invited(yours(), "c"), yours(mine("c", other, turn, ply(1))), "your_move c"},
		{"a challenge is taken, and the opponent is to move", invited(yours(), "c"), yours(mine("c", fresh, other)), ""},
		{"a draw offer", yours(mine("m")), yours(mine("m", offers(second, 0))), "offer draw m"},
		{"the user's own draw offer", yours(mine("m")), yours(mine("m", offers(first, 0))), ""},
		{"a draw offer stays", yours(mine("m", offers(second, 0))), yours(mine("m", offers(second, 0))), ""},
		{"the opponent asks to adjourn", yours(mine("m")), yours(mine("m", func(m *lists.Mine) { m.Offers.Adjourn = second })), "offer adjourn m"},
		{"a takeback beside a draw", yours(mine("m", offers(second, 0))), yours(mine("m", offers(second, second))), "offer takeback m"},
		{"a move and then an offer", yours(mine("m")), yours(mine("m", turn, ply(4), offers(second, 0))), "your_move m, offer draw m"},
		{"several", invited(yours(mine("m"), mine("n", open)), "c"), invited(yours(mine("n", fresh), mine("m", turn, ply(4))), "re"),
			"your_move m, begins n, ended invited c, rematch re"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f news.Fold
			if items := f.Take(tt.old); len(items) > 0 {
				t.Errorf("the first lists are news: %s", told(items))
			}
			if got := told(f.Take(tt.now)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if again := f.Take(tt.now); len(again) > 0 {
				t.Errorf("told again: %s", told(again))
			}
		})
	}
}

// TestStanding: what there is for a user, the oldest first, with the time since when.
func TestStanding(t *testing.T) {
	at := func(m lists.Mine, minutes int) lists.Mine {
		m.LastAt = noon.Add(time.Duration(minutes) * time.Minute)
		return m
	}
	all := invited(yours(
		at(mine("late", turn), 50), at(mine("early", turn), -50), mine("theirs"), mine("open", open), mine("both", both), mine("begun", fresh),
		at(mine("joined", turn, other, ply(0)), 7), at(mine("bot", turn, ofBot, ply(0)), 8), at(mine("asked", offers(storage.SecondSeat, storage.SecondSeat)), 60),
	), "c", "re")
	const want = "your_move early, challenge c, rematch re, begins begun, your_move own joined, your_move own bot, your_move late, offer draw asked, offer takeback asked"
	items := news.Standing(all)
	if got := told(items); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for i, minutes := range []int{-50, 0, 0, 1, 7, 8, 50, 60, 60} {
		if want := noon.Add(time.Duration(minutes) * time.Minute); !items[i].At.Equal(want) {
			t.Errorf("%s: since %v, want %v", told(items[i:i+1]), items[i].At, want)
		}
	}
	if items := news.Standing(lists.Yours{}); len(items) > 0 {
		t.Errorf("without matches: %s", told(items))
	}
}

// A history is random lists of one user in order, and what a reader of all of them must be told in any case.
type history struct {
	states []lists.Yours
	done   []string // by state: the items that it is the first to have, one a line
}

// drawHistory draws matches that are opened, taken, played and ended, with invitations among them.
func drawHistory(t *rapid.T) (h history) {
	type game struct {
		m       lists.Mine
		invited bool
	}
	var all []*game
	for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
		var done []string
		does := rapid.IntRange(0, 9).Draw(t, "does")
		at := rapid.IntRange(0, max(len(all)-1, 0)).Draw(t, "match")
		now := noon.Add(time.Duration(i) * time.Second)
		if len(all) == 0 || does == 0 || does == 1 {
			g := &game{m: lists.Mine{Ref: ref(fmt.Sprint("m", i)), Own: true, Opened: now, LastAt: now, Side: games.First}, invited: does == 1}
			if g.invited {
				done = append(done, "challenge "+string(g.m.ID))
			}
			all = append(all, g)
		} else {
			switch g := all[at]; {
			case does == 2: // it ends
				all = append(all[:at:at], all[at+1:]...)
				done = append(done, "ended "+string(g.m.ID))
			case g.invited: // the user takes the seat; the opponent is to move
				g.invited, g.m.Own, g.m.Opponent, g.m.Started, g.m.LastAt = false, false, rui, now, now
			case g.m.Started.IsZero():
				g.m.Opponent, g.m.Started, g.m.LastAt = rui, now, now
				done = append(done, "begins "+string(g.m.ID))
			default: // a move of either side
				g.m.Ply++
				g.m.LastAt, g.m.YourTurn = now, !g.m.YourTurn
				if g.m.YourTurn {
					done = append(done, fmt.Sprintf("your_move %s %d", g.m.ID, g.m.Ply))
				}
			}
		}
		var y lists.Yours
		for _, g := range all {
			if g.invited {
				y.Invitations = append(y.Invitations, lists.Offer{Ref: g.m.Ref, By: rui, Since: g.m.Opened})
			} else {
				y.Matches = append(y.Matches, g.m)
			}
		}
		h.states, h.done = append(h.states, y), append(h.done, strings.Join(done, "\n"))
	}
	return h
}

// flakyLists hands out the states of a history, some of which it skips. Now and then it fails, and begins to count anew.
type flakyLists struct {
	t      *rapid.T
	h      history
	at     int // the state that was handed out last
	number uint64
}

var (
	errOver = errors.New("the history is over")
	errGone = errors.New("the feed is gone")
)

func (l *flakyLists) NextYours(context.Context, match.User, uint64) (lists.Yours, uint64, error) {
	if rapid.IntRange(0, 4).Draw(l.t, "fails") == 0 {
		l.number = 0
		return lists.Yours{}, 0, errGone
	}
	if l.at == len(l.h.states)-1 {
		return lists.Yours{}, 0, errOver
	}
	if rapid.Bool().Draw(l.t, "the same again") && l.at >= 0 { // a feed that was replaced hands out what is there
		l.number++
		return l.h.states[l.at], l.number, nil
	}
	l.at += rapid.IntRange(1, min(4, len(l.h.states)-1-l.at)).Draw(l.t, "skips")
	l.number++
	return l.h.states[l.at], l.number, nil
}

// TestReaderProperty: a reader that misses lists, and whose feed breaks off and begins anew, is told each item once, none that has not
// happened, and each that is still true when it reads on.
func TestReaderProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		source := &flakyLists{t: t, h: h, at: -1}
		reader, seen := news.NewReader(source, ana), map[string]int{}
		before := -1 // the state that was read last
		for {
			_, items, err := reader.Next(t.Context())
			if errors.Is(err, errOver) {
				break
			}
			if err != nil {
				continue
			}
			happened := strings.Split(strings.Join(h.done[before+1:source.at+1], "\n"), "\n")
			is := map[string]bool{}
			for _, what := range happened {
				is[what] = true
			}
			got := map[string]bool{}
			for _, i := range items {
				word := fmt.Sprintf("%s %s", i.Kind, i.Match.ID)
				if i.Kind == news.YourMove {
					word += fmt.Sprintf(" %d", i.Mine.Ply)
				}
				if seen[word]++; seen[word] > 1 {
					t.Fatalf("%s is told %d times", word, seen[word])
				}
				if !is[word] {
					t.Fatalf("%s has not happened since state %d", word, before)
				}
				got[word] = true
			}
			if before < 0 {
				if len(items) > 0 {
					t.Fatalf("the first lists are news: %s", told(items))
				}
				before = source.at
				continue
			}
			for _, want := range stillTrue(h.states[before], h.states[source.at]) {
				if !got[want] {
					t.Fatalf("%s is lost between the states %d and %d: told %v", want, before, source.at, items)
				}
			}
			before = source.at
		}
	})
}

// stillTrue returns the items that two states show by themselves, by another way than the fold: a match that stands in one of both, or has
// begun, or waits after more moves.
func stillTrue(old, now lists.Yours) (want []string) {
	find := func(y lists.Yours, id storage.MatchID) (m lists.Mine, invitation, ok bool) {
		for _, m := range y.Matches {
			if m.ID == id {
				return m, false, true
			}
		}
		for _, o := range y.Invitations {
			if o.ID == id {
				return lists.Mine{Ref: o.Ref}, true, true
			}
		}
		return lists.Mine{}, false, false
	}
	for _, o := range now.Invitations {
		if _, _, ok := find(old, o.ID); !ok {
			want = append(want, "challenge "+string(o.ID))
		}
	}
	for _, m := range now.Matches {
		was, invitation, ok := find(old, m.ID)
		switch {
		case ok && !invitation && was.Started.IsZero() && !m.Started.IsZero():
			want = append(want, "begins "+string(m.ID))
		case m.YourTurn && m.Ply > was.Ply:
			want = append(want, fmt.Sprintf("your_move %s %d", m.ID, m.Ply))
		}
	}
	for _, m := range old.Matches {
		if _, _, ok := find(now, m.ID); !ok {
			want = append(want, "ended "+string(m.ID))
		}
	}
	for _, o := range old.Invitations {
		if _, _, ok := find(now, o.ID); !ok {
			want = append(want, "ended "+string(o.ID))
		}
	}
	return want
}
