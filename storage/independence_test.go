package storage_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/matches"
	"ludoteca/storage/operators"
	resultstore "ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// A blockClub is a store with old accounts of people who come from blocks of addresses.
type blockClub struct {
	*testing.T
	*fileStore
	now   time.Time
	seats map[string]storage.Occupant
	n     int // matches played
}

// newBlockClub opens a store whose arithmetic is rate.
func newBlockClub(t *testing.T, rate resultstore.Rate) *blockClub {
	s, engine, err := storagetest.OpenEngine(filepath.Join(t.TempDir(), "club.db"), schema.Config{Rate: rate}, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &blockClub{t, &fileStore{s, engine}, benchTime, map[string]storage.Occupant{}, 0}
}

// comes lets a player come from a block of addresses, and signs them up at the first time. "" is from nowhere.
func (c *blockClub) comes(name, block string) {
	c.Helper()
	if c.seats[name].ID == "" {
		p, err := c.Accounts.SignUp(c.Context(), accounts.Player{Name: name, NameKey: name, Since: c.now.AddDate(-1, 0, 0)}, "SHA256:"+name)
		if err != nil {
			c.Fatal(err)
		}
		c.seats[name] = storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name}
	}
	if block == "" {
		return
	}
	if err := c.Visits.Visited(c.Context(), storage.PlayerID(c.seats[name].ID), "", netip.MustParsePrefix(block), false, c.now); err != nil {
		c.Fatal(err)
	}
}

// beats has one player beat another in a rated match, and returns what it does.
func (c *blockClub) beats(winner, loser string) [2]resultstore.RatingChange {
	c.Helper()
	f := benchRecord(c.n)
	c.now = c.now.Add(time.Hour)
	f.Rated, f.First, f.Second, f.Result, f.Ended = true, c.seats[winner], c.seats[loser], "first", c.now
	f.Moves, f.Times, f.Plies = []games.Move{games.Move(fmt.Sprint("a", c.n))}, []time.Time{c.now}, 1
	if err := c.Matches.Append(c.Context(), benchID(c.n), []matches.Event{benchOpening(c.n)}, matches.Summary{}); err != nil {
		c.Fatal(err)
	}
	end := benchEnd(2)
	end.Result = f.Result
	changes, err := c.Matches.Finish(c.Context(), benchID(c.n), []matches.Event{end}, f, nil)
	if err != nil {
		c.Fatal(err)
	}
	c.n++
	return *changes
}

// rating returns a player's rating in the game of the matches.
func (c *blockClub) rating(name string) resultstore.Rating {
	c.Helper()
	id := storage.PlayerID(c.seats[name].ID)
	all, err := c.Results.RatingsIn(c.Context(), "tanks", []storage.PlayerID{id})
	if err != nil {
		c.Fatal(err)
	}
	return all[id]
}

// recomputes checks that all ratings follow from the results.
func (c *blockClub) recomputes(when string) {
	c.Helper()
	report, err := c.Results.Recompute(c.Context())
	if err != nil || report.Results != c.n || len(report.Differed)+report.Matches+report.Recent > 0 {
		c.Errorf("%s, recomputed: %+v, %v", when, report, err)
	}
}

// TestOneBlock: a result of two players of one block of public addresses counts an eighth, and makes neither rating firm, however often they meet.
// Blocks that aren't public tell nothing.
func TestOneBlock(t *testing.T) {
	for _, tt := range []struct {
		name, winner, loser string
		same                bool
	}{
		{"one block", "203.0.113.0/24", "203.0.113.0/24", true},
		{"one block of IPv6", "2001:db8:1::/48", "2001:db8:1::/48", true},
		{"two blocks", "203.0.113.0/24", "198.51.100.0/24", false},
		{"one is not known", "203.0.113.0/24", "", false},
		{"one relay", "203.0.113.7/32", "203.0.113.7/32", true},
		{"one relay that is not public", "127.0.0.1/32", "127.0.0.1/32", true},
		{"a relay and its neighbour", "203.0.113.7/32", "203.0.113.0/24", false},
		{"private", "192.168.1.0/24", "192.168.1.0/24", false},
		{"loopback", "127.0.0.0/24", "127.0.0.0/24", false},
		{"shared by a carrier", "100.64.7.0/24", "100.64.7.0/24", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newBlockClub(t, rating.Rate)
			for i := range 30 { // each day, so that nothing else makes them count less
				c.comes("ana", tt.winner)
				c.comes("bob", tt.loser)
				for side, change := range c.beats("ana", "bob") {
					switch low := change.Weight <= 1./8 && change.Why == resultstore.Dependent; {
					case tt.same && (!low || change.After.Deviation < 200):
						t.Fatalf("match %d counts %v %q for side %d, and leaves %+v", i, change.Weight, change.Why, side, change.After)
					case !tt.same && i == 0 && change.Weight != 1:
						t.Fatalf("the first match counts %v %q for side %d", change.Weight, change.Why, side)
					}
				}
				c.now = c.now.AddDate(0, 0, 1)
			}
			if r := c.rating("ana"); r.Opponents > 0 {
				t.Errorf("ana has independent opponents: %+v", r)
			}
			c.recomputes("at the end")
		})
	}
	t.Run("moved away", func(t *testing.T) {
		c := newBlockClub(t, rating.Rate)
		c.comes("ana", "203.0.113.0/24")
		c.comes("bob", "203.0.113.0/24")
		c.now = c.now.Add(accounts.VisitLife)
		if change := c.beats("ana", "bob"); change[0].Weight != 1 {
			t.Errorf("a month after, a match counts %v %q", change[0].Weight, change[0].Why)
		}
	})
}

// anyOpponent is an arithmetic in which each opponent counts for a rank.
func anyOpponent(seen *[]resultstore.RatedMatch) resultstore.Rate {
	return func(m resultstore.RatedMatch) [2]resultstore.RatingChange {
		if seen != nil {
			*seen = append(*seen, m)
		}
		c := storagetest.Rate(m)
		for i := range c {
			c[i].Independent, c[i].After.NeedsOpponents = true, true
		}
		return c
	}
}

// TestBlockNumbers: a result numbers the block of an opponent among the blocks of the player's other opponents in the game.
func TestBlockNumbers(t *testing.T) {
	var seen []resultstore.RatedMatch
	c := newBlockClub(t, anyOpponent(&seen))
	const x, y, z = "203.0.113.0/24", "198.51.100.0/24", "192.0.2.0/24"
	for name, block := range map[string]string{"ana": z, "bob": x, "cid": y, "dan": x, "eva": "", "fay": y, "gus": "10.0.0.0/24"} {
		c.comes(name, block)
	}
	for _, tt := range []struct {
		winner, loser string
		want          [2]int
	}{
		{"ana", "bob", [2]int{1, 1}},
		{"ana", "cid", [2]int{2, 1}},
		{"dan", "ana", [2]int{1, 1}}, // dan's first opponent, from bob's block
		{"ana", "eva", [2]int{0, 1}},
		{"gus", "ana", [2]int{1, 0}},
		{"fay", "cid", [2]int{1, 2}}, // that block of both is number 2 among ana's
		{"fay", "bob", [2]int{2, 2}},
		{"ana", "fay", [2]int{0, 3}}, // ana has opponents enough
	} {
		c.beats(tt.winner, tt.loser)
		known := seen[len(seen)-1].Known
		if got := [2]int{known[0].Block, known[1].Block}; got != tt.want {
			t.Errorf("%s and %s: blocks %v, want %v", tt.winner, tt.loser, got, tt.want)
		}
		c.now = c.now.AddDate(0, 0, 1)
	}
	if r := c.rating("ana"); r.Opponents != 5 || r.Blocks != 3 {
		t.Errorf("ana has %d opponents of %d blocks", r.Opponents, r.Blocks)
	}
	c.recomputes("at the end")
}

// TestRankWantsOpponents: a rank wants five opponents, of three blocks where addresses tell.
func TestRankWantsOpponents(t *testing.T) {
	for _, tt := range []struct {
		name   string
		blocks string // of the opponents, a digit each; - is not known
		want   bool
	}{
		{"five of three blocks", "11123", true},
		{"five of two blocks", "11122", false},
		{"five of one block", "11111", false},
		{"ten of two blocks", "1212121212", false},
		{"four of four blocks", "1234", false},
		{"six, the last of the third block", "112213", true},
		{"five of whom nothing is known", "-----", true},
		{"three of one block and two of whom nothing is known", "111--", true},
		{"four of one block and one of whom nothing is known", "1111-", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newBlockClub(t, anyOpponent(nil))
			c.comes("ana", "203.0.113.0/24")
			for i, block := range strings.Split(tt.blocks, "") {
				from := ""
				if block != "-" {
					from = "198.51." + block + ".0/24"
				}
				name := fmt.Sprint("other", i)
				c.comes(name, from)
				for range 2 { // the same one again adds nothing
					c.beats("ana", name)
					c.now = c.now.AddDate(0, 0, 1)
				}
			}
			if r := c.rating("ana"); r.HasOpponents() != tt.want {
				t.Errorf("%d opponents of %d blocks are enough: %v", r.Opponents, r.Blocks, r.HasOpponents())
			}
			c.recomputes("at the end")
		})
	}
}

// TestBlocksAreForgotten: when the hashes of blocks are gone, nothing in the store says where players came from, and the ratings are
// still what follows from the results, to the last digit.
func TestBlocksAreForgotten(t *testing.T) {
	c := newBlockClub(t, rating.Rate)
	names := []string{"ana", "bob", "cid", "dan", "eva", "fay", "gus", "hal"}
	var hashes []string
	for i, name := range names {
		c.comes(name, fmt.Sprintf("198.51.%d.0/24", i/2))
		visits, err := c.Visits.Visits(t.Context(), storage.PlayerID(c.seats[name].ID))
		if err != nil || len(visits) != 1 {
			t.Fatalf("visits of %s: %v, %v", name, visits, err)
		}
		hashes = append(hashes, visits[0].From)
	}
	whys := map[resultstore.Discount]int{}
	for round := range 60 {
		for i := range 4 {
			for _, change := range c.beats(names[(i+round)%8], names[(i+round*3+1+2*(round%3))%8]) {
				whys[change.Why]++
			}
		}
	}
	if whys[resultstore.Dependent] == 0 || whys[""] == 0 {
		t.Fatalf("reasons %v", whys)
	}
	ratings := func() map[string]resultstore.Rating {
		all := map[string]resultstore.Rating{}
		for _, name := range names {
			all[name] = c.rating(name)
		}
		return all
	}
	before := ratings()
	c.recomputes("while the blocks are known")
	if _, err := c.Sweep(t.Context(), c.now.Add(accounts.VisitLife)); err != nil {
		t.Fatal(err)
	}
	if err := c.engine.View(t.Context(), func(r kv.Reader) error {
		for p, err := range r.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			for _, hash := range hashes {
				if bytes.Contains(p.Key, []byte(hash)) || bytes.Contains(p.Value, []byte(hash)) {
					t.Errorf("%q has a hash of a block still", p.Key)
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	c.recomputes("when the blocks are forgotten")
	if diff := cmp.Diff(before, ratings()); diff != "" {
		t.Errorf("other ratings:\n%s", diff)
	}
}

// TestOpponentsTakenOut: a player who loses one of the first opponents, because the result no longer counts, keeps the rank by later ones.
func TestOpponentsTakenOut(t *testing.T) {
	c := newBlockClub(t, anyOpponent(nil))
	c.comes("ana", "203.0.113.0/24")
	for i, block := range strings.Split("1112345", "") {
		name := fmt.Sprint("other", i)
		c.comes(name, "198.51."+block+".0/24")
		c.beats("ana", name)
		c.now = c.now.AddDate(0, 0, 1)
	}
	for _, match := range []int{4, 3} { // the matches against the third and the second block
		if _, err := c.Operators.Act(t.Context(), operators.AuditEntry{At: c.now, By: "operator", Verb: "unrate", Reason: "a test"},
			operators.Change{Result: &operators.ResultChange{Match: benchID(match)}}); err != nil {
			t.Fatal(err)
		}
		if r := c.rating("ana"); !r.HasOpponents() {
			t.Errorf("without match %d there are %d opponents of %d blocks", match, r.Opponents, r.Blocks)
		}
	}
	c.recomputes("at the end")
}
