package results

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// What a rated match counts depends on how independent of the player the opponent is, and how settled. What is known of that when a match is
// rated is stored in its result. So ratings follow from the results alone, also when the blocks of addresses are long forgotten, and
// nothing that is kept for good says where a player came from.

const (
	// KnownLosses is how many of a player's last lost rated matches, in all games, are kept with the opponent.
	KnownLosses = 20

	// RankOpponents and RankBlocks are against how many independent opponents, and opponents of how many blocks of addresses, a player
	// must have played a game before the rating has a rank. Opponents whose addresses tell nothing count as a block each.
	RankOpponents = 5
	RankBlocks    = 3

	// EnoughSettled is how many settled players make a game one in which newcomers become known by playing against known players.
	EnoughSettled = 5

	// SettledFor is how long after their last rated match of a game a settled player counts as one who plays it.
	SettledFor = 90 * Day

	// keptSettled is how many settled players of a game are kept, the last to play.
	keptSettled = 2 * EnoughSettled

	// Seniors is how many of a game's players, by the age of their accounts, count as known while the game has no settled players yet. New
	// accounts can be made in any number, but none is older than the accounts that were there before.
	Seniors = 10
)

// It depends also on the matches of its players that counted lately. They are kept by player, with what else the weights of results depend on, and
// follow from the results.

const (
	// Day is the time in which rated matches are counted, and that makes an account an old one.
	Day = 24 * time.Hour

	// DailyMatches is how many rated matches of one player count in a Day, in all games.
	DailyMatches = 40
)

// A RecentMatch is a rated match that counted.
type RecentMatch struct {
	Ended   int64            `json:"t"` // milliseconds
	Game    string           `json:"g"`
	Against storage.PlayerID `json:"p"`
}

// lately returns the matches that ended within a Day before a time in milliseconds.
func lately(all []RecentMatch, ms int64) []RecentMatch {
	kept := make([]RecentMatch, 0, len(all)+1)
	for _, m := range all {
		if ms-m.Ended < Day.Milliseconds() {
			kept = append(kept, m)
		}
	}
	return kept
}

// RecentMatches are what is kept of each player for the results to come.
var RecentMatches = storage.Table[storage.PlayerID, Form]{
	Name: "recent_matches", Keys: storage.Text(storage.IsPlayerID), Traits: storage.Traits{From: []string{"results"}, Anew: true},
	Values: storage.JSON[storage.PlayerID, Form](2),
}

// An Opponent is what was known of a player's opponent when a match was rated, by what was there before.
type Opponent struct {
	SameBlock    bool `json:"b,omitempty"` // both came from one block of public addresses within VisitLife
	Block        int  `json:"n,omitempty"` // number of the opponent's block among the player's opponents', from 1; 0: it isn't known, or the player had opponents enough
	Lost         int  `json:"l,omitempty"` // rated matches that the opponent had lost, of the last KnownLosses in all games
	LostTo       int  `json:"t,omitempty"` // how many of these were lost to the player
	LostToOthers int  `json:"o,omitempty"` // to how many other players the opponent had lost
	Senior       bool `json:"s,omitempty"` // the opponent's account was one of the Seniors oldest accounts that played the game
}

// A MetOpponent is one of the opponents by which a player has a rank.
type MetOpponent struct {
	Player storage.PlayerID `json:"p"`
	Block  int              `json:"n,omitempty"` // as in Opponent
}

// blocksOf counts the blocks that opponents come from.
func blocksOf(met []MetOpponent) (n int) {
	seen := map[int]bool{}
	for _, o := range met {
		if o.Block == 0 || !seen[o.Block] {
			n++
		}
		seen[o.Block] = true
	}
	return n
}

func enough(met []MetOpponent) bool { return len(met) >= RankOpponents && blocksOf(met) >= RankBlocks }

// meet returns the opponents by which a player has a rank with one more. Those beyond RankOpponents are kept only if they add a block.
func meet(met []MetOpponent, o MetOpponent) []MetOpponent {
	more := append(slices.Clone(met), o)
	switch {
	case enough(met), slices.ContainsFunc(met, func(old MetOpponent) bool { return old.Player == o.Player }):
		return met
	case len(met) >= RankOpponents && blocksOf(more) == blocksOf(met):
		return met
	}
	return more
}

// A Form is what is kept of a player for rating later results. It follows from the results. It is a value: its maps and slices don't
// change.
type Form struct {
	Day  []RecentMatch            `json:"day,omitempty"`  // rated matches that counted within a Day
	Lost []storage.PlayerID       `json:"lost,omitempty"` // to whom the player lost the last KnownLosses rated matches, the newest last
	Met  map[string][]MetOpponent `json:"met,omitempty"`  // by game
}

// After returns the form of a player after a result. independent reports whether the opponent counts for a rank.
func (f Form) After(r Result, player storage.PlayerID, o MetOpponent, independent bool) Form {
	if w := r.winner(); w != "" && w != player {
		f.Lost = append(slices.Clone(f.Lost), o.Player)
		f.Lost = f.Lost[max(0, len(f.Lost)-KnownLosses):]
	}
	if independent {
		met := maps.Clone(f.Met)
		if met == nil {
			met = map[string][]MetOpponent{}
		}
		met[r.Game] = meet(met[r.Game], o)
		f.Met = met
	}
	return f
}

// know adds to a new result what is known of the opponents, by what was there before.
func know(reader kv.Reader, r Result, p past) (Result, error) {
	var blocks [2][]string
	for i, id := range r.Players() {
		var err error
		if blocks[i], err = publicBlocks(reader, id, r.Ended); err != nil {
			return r, err
		}
	}
	r = r.knownFrom(p)
	same := share(blocks[0], blocks[1])
	for i := range r.Known {
		var err error
		r.Known[i].SameBlock = same
		if r.Known[i].Block, err = blockNumber(reader, p.form[i].Met[r.Game], blocks[1-i], r.Ended); err != nil {
			return r, err
		}
	}
	return r, nil
}

// knownFrom returns a result with what earlier results say of the opponents: all but where they come from.
func (r Result) knownFrom(p past) Result {
	r.Known = new([2]Opponent)
	for i, player := range r.Players() {
		o := &r.Known[i]
		others := map[storage.PlayerID]bool{}
		for _, to := range p.form[1-i].Lost {
			if o.Lost++; to == player {
				o.LostTo++
			} else {
				others[to] = true
			}
		}
		o.LostToOthers = len(others)
		o.Senior = p.game.isSenior(r.Players()[1-i], r.Ended)
	}
	r.Settled = min(EnoughSettled, p.game.settledNow(r.Ended))
	return r
}

// blockNumber returns the number of an opponent's block among the blocks of the opponents met before. The opponent comes from blocks.
func blockNumber(reader kv.Reader, met []MetOpponent, blocks []string, ms int64) (int, error) {
	if len(blocks) == 0 || enough(met) {
		return 0, nil
	}
	last := 0
	for _, old := range met {
		if old.Block == 0 {
			continue
		}
		theirs, err := publicBlocks(reader, old.Player, ms)
		if err != nil {
			return 0, err
		}
		if share(theirs, blocks) {
			return old.Block, nil
		}
		last = max(last, old.Block)
	}
	return last + 1, nil
}

// publicBlocks returns the blocks of public addresses from which a player has come within VisitLife, as they are kept: mostly as hashes.
func publicBlocks(reader kv.Reader, id storage.PlayerID, ms int64) (blocks []string, err error) {
	all, err := accounts.VisitsOf(reader, id)
	for _, v := range all {
		if v.Public && ms-v.Last.UnixMilli() < accounts.VisitLife.Milliseconds() {
			blocks = append(blocks, v.From)
		}
	}
	return blocks, err
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(block string) bool { return slices.Contains(b, block) })
}

// A gamePlayer is a player of a game with the end of the last rated match that counted, in milliseconds.
type gamePlayer struct {
	Player storage.PlayerID `json:"p"`
	Last   int64            `json:"t"`
	Since  int64            `json:"a"` // when the player signed up, in milliseconds
}

func (p gamePlayer) plays(ms int64) bool { return ms-p.Last <= SettledFor.Milliseconds() }

// gamePlayers are the players of a game by whom others become known. They follow from the results. It is a value: its slices don't change.
type gamePlayers struct {
	Settled []gamePlayer `json:"settled,omitempty"` // Rating.Settled, the last to play first; at most keptSettled
	Senior  []gamePlayer `json:"senior,omitempty"`  // the oldest accounts, the oldest first; at most Seniors
}

// Settled are the players of each game by whom others become known.
var Settled = storage.Table[string, gamePlayers]{
	Name: "settled", Keys: storage.Text[string](nil), Values: storage.JSON[string, gamePlayers](1), Traits: storage.Traits{From: []string{"results"}, Anew: true},
}

// settledNow returns how many settled players have played a rated match within SettledFor before a time in milliseconds.
func (g gamePlayers) settledNow(ms int64) (n int) {
	for _, p := range g.Settled {
		if p.plays(ms) {
			n++
		}
	}
	return n
}

// isSenior reports whether a player is among the oldest accounts at a time in milliseconds.
func (g gamePlayers) isSenior(id storage.PlayerID, ms int64) bool {
	return slices.ContainsFunc(g.Senior, func(p gamePlayer) bool { return p.Player == id && p.plays(ms) })
}

// After returns the players of a game after a result that counted.
func (g gamePlayers) after(r Result, rated [2]RatingChange) gamePlayers {
	g = gamePlayers{slices.Clone(g.Settled), slices.Clone(g.Senior)}
	g.Senior = slices.DeleteFunc(g.Senior, func(p gamePlayer) bool { return !p.plays(r.Ended) })
	for i, id := range r.Players() {
		now := gamePlayer{Player: id, Last: r.Ended, Since: r.Since[i]}
		is := func(p gamePlayer) bool { return p.Player == id }
		g.Settled = slices.DeleteFunc(g.Settled, is)
		if rated[i].After.Settled {
			g.Settled = slices.Insert(g.Settled, 0, now)
		}
		if at := slices.IndexFunc(g.Senior, is); at >= 0 {
			g.Senior[at] = now
		} else {
			g.Senior = append(g.Senior, now)
		}
	}
	slices.SortStableFunc(g.Senior, func(a, b gamePlayer) int { return cmp.Compare(a.Since, b.Since) })
	g.Settled, g.Senior = g.Settled[:min(len(g.Settled), keptSettled)], g.Senior[:min(len(g.Senior), Seniors)]
	return g
}

// age returns how old the account of a player was at the end of a result.
func (r Result) age(player int) time.Duration {
	return time.Duration(r.Ended-r.Since[player]) * time.Millisecond
}
