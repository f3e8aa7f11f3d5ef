package results

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// A Rating is a player's standing in one game, on Glicko-2's 1500 scale, with the rated results.
type Rating struct {
	Rating     float64
	Deviation  float64
	Volatility float64
	At         time.Time // the end of the last rated match; the deviation is as of then. Zero: never played
	Played     int
	Won        int
	Drawn      int
	Lost       int

	// Against how many independent opponents, and of how many blocks, counted as far as a rank needs it: RankOpponents and RankBlocks.
	Opponents int `json:",omitzero"`
	Blocks    int `json:",omitzero"`

	// What the arithmetic says of the rating after the last rated match. NeedsOpponents is false if the results were rated by versions
	// that asked for no opponents.
	NeedsOpponents bool `json:",omitzero"`
	Settled        bool `json:",omitzero"` // the player has been here for long and had a rank
}

// HasOpponents reports whether a rating rests on results against opponents enough for a rank.
func (r Rating) HasOpponents() bool {
	return !r.NeedsOpponents || r.Opponents >= RankOpponents && r.Blocks >= RankBlocks
}

// A RatedMatch is one rated match, with all that the new ratings may depend on.
type RatedMatch struct {
	Before [2]Rating        // of the first and the second player
	Score  float64          // the first player's: 1, 0.5 or 0
	At     time.Time        // its end
	Young  [2]bool          // the player's account was younger than a Day
	Age    [2]time.Duration // of the player's account

	// What was known of each player's opponent, and how many settled players the game had, at most EnoughSettled. Known is nil for a match
	// that was rated by a version that did not ask for it.
	Known   *[2]Opponent
	Settled int

	// Of the Day before, by the results that were rated before this one:
	Counted [2]int // matches of each player that counted, in any game
	Met     int    // how many of these the two played against each other in this game

	Together int  // of those, matches that the two played against each other in any game
	Again    bool // the winner and the first SamePlies moves are as in one of the last two rated matches of the two in this game

	Whole bool // rated by a version that counted every match fully: so it stays
}

// A Rate computes new ratings after one rated match: of each RatingChange all but Before and the counts of After. It must be
// pure and give the same bits on every processor. A Rating whose At is zero is a newcomer's, whatever its other fields.
// If the weight of one player is 0, so is the other's, and neither rating changes.
type Rate func(m RatedMatch) [2]RatingChange

// A RatingChange is one player's rating before and after a rated match.
type RatingChange struct {
	Before Rating
	After  Rating
	Weight float64  // how much the match counted for the player: 1 fully, 0 not at all
	Why    Discount // why the weight is below 1, else ""

	// Independent says that the opponent counts as one of the opponents that a rank needs. It is not kept.
	Independent bool `json:"-"`
}

// A Discount is a reason for which a rated match counts less, or not at all.
type Discount string

// The discounts.
const (
	Repeated   Discount = "repeated"    // the two have played each other several times in a Day
	NewAccount Discount = "new_account" // the opponent's account was younger than a Day
	DailyLimit Discount = "daily_limit" // DailyMatches of one of them have counted in a Day
	SameMoves  Discount = "same_moves"  // the two have played the same moves to the same end before
	Unsettled  Discount = "unsettled"   // one rating is provisional, and the two have met ten times in a Day
	Dependent  Discount = "dependent"   // the opponent comes from the same block of addresses, or has hardly lost to any other player
	Unproven   Discount = "unproven"    // the opponent has no rank, in a game with settled players
	Unrated    Discount = "unrated"     // an operator has taken the result out (unrated.go)
)

// A Store keeps the records of finished matches, the results of the rated ones, and what follows from them: ratings, openings, seasons and tallies.
type Store struct {
	RecordStore
	arithmetic Rate          // nil refuses rated matches and Recompute
	replaying  chan struct{} // held by the replay of results, or the recount of openings, that runs
}

// New returns the results that an engine keeps. rate is the arithmetic of ratings; nil refuses rated matches.
func New(engine kv.Store, rate Rate) *Store {
	return &Store{RecordStore{engine}, rate, make(chan struct{}, 1)}
}

// A Standing is one player's line in the ratings of a game.
type Standing struct {
	Player storage.PlayerID
	Name   string
	Engine bool `json:",omitzero"` // it is a computer account
	Rating Rating
}

// Versions of the stored forms.
const (
	ResultVersion = 5
	ratingVersion = 2
	changeVersion = 3
)

// Rules by which a result counts. A result keeps the rules by which its match was rated, so ratings follow from the results for ever.
const (
	WholeRules    = 1 // every match counts fully
	weightRules   = 2 // matches have weights
	togetherRules = 3 // these depend on how often two players meet in all games
	KnownRules    = 4 // and on what was known of the opponents
)

// A Result is what ratings are computed from: one rated match, in the order in which they were rated.
type Result struct {
	Match  storage.MatchID  `json:"m"`
	Game   string           `json:"g"`
	First  storage.PlayerID `json:"f"`
	Second storage.PlayerID `json:"s"`
	Result string           `json:"r"` // first, second or draw
	Ended  int64            `json:"t"` // milliseconds

	// When the two signed up, in milliseconds. Under WholeRules it isn't known, and matters to nothing.
	Since [2]int64 `json:"a,omitzero"`

	// Moves is a fingerprint of the first moves. Under older rules than togetherRules it isn't known.
	Moves string `json:"l,omitempty"`

	// What was known of each player's opponent, and how many settled players the game had. Under older rules than KnownRules nothing was.
	Known   *[2]Opponent `json:"k,omitempty"`
	Settled int          `json:"e,omitempty"`

	Rules int `json:"u"`
}

// Players returns the two players, the first one first.
func (r Result) Players() [2]storage.PlayerID { return [2]storage.PlayerID{r.First, r.Second} }

// Results are the rated results, in the order of rating.
var Results = storage.Table[uint64, Result]{
	Name: "results", Keys: storage.Number(), Traits: storage.Traits{From: []string{"finished"}},
	Values: storage.Codec[uint64, Result]{
		Encode: func(r Result) ([]byte, error) { return storage.SealJSON(ResultVersion, r) },
		Decode: func(number uint64, value []byte) (Result, error) {
			var r Result
			content, err := storage.Unseal(value, ResultVersion)
			if err == nil {
				err = storage.ParseJSON(content, &r)
			}
			if err == nil && (!storage.Decided(r.Result) || r.Rules < WholeRules || r.Rules > KnownRules) {
				err = storage.Damaged("the result %q by rules %d", r.Result, r.Rules)
			}
			if err != nil {
				return Result{}, fmt.Errorf("result %d: %w", number, err)
			}
			return r, nil
		},
	},
}

// Changes are both players' ratings before and after each rated result, by its number.
var Changes = storage.Table[uint64, *[2]RatingChange]{
	Name: "changes", Keys: storage.Number(), Traits: storage.Traits{From: []string{"results"}},
	Values: storage.Codec[uint64, *[2]RatingChange]{
		Encode: func(c *[2]RatingChange) ([]byte, error) { return encodeChanges(*c), nil },
		Decode: func(number uint64, value []byte) (*[2]RatingChange, error) {
			c, err := decodeChanges(value)
			if err != nil {
				return nil, fmt.Errorf("change %d: %w", number, err)
			}
			return c, nil
		},
	},
}

// A RatingKey names a rating: whose, in which game.
type RatingKey struct {
	Game   string
	Player storage.PlayerID
}

// Ratings are the ratings of each player with a rated result in a game.
var Ratings = storage.Table[RatingKey, Rating]{
	Name: "ratings", Traits: storage.Traits{From: []string{"results"}},
	Keys: storage.Join(storage.Text[string](nil), storage.Text(storage.IsPlayerID),
		func(k RatingKey) (string, storage.PlayerID) { return k.Game, k.Player },
		func(game string, id storage.PlayerID) RatingKey { return RatingKey{game, id} }),
	Values: storage.Codec[RatingKey, Rating]{
		Encode: func(r Rating) ([]byte, error) { return encodeRating(r), nil },
		Decode: func(_ RatingKey, value []byte) (Rating, error) { return decodeRating(value) },
	},
}

// toBeRated returns the result of a finished match if it is rated; else ok is false.
func toBeRated(reader kv.Reader, f Finished) (r Result, ok bool, err error) {
	r = Result{
		Match: f.ID, Game: f.Game, First: storage.PlayerID(f.First.ID), Second: storage.PlayerID(f.Second.ID),
		Result: f.Result, Ended: f.Ended.UnixMilli(), Moves: FirstMoves(f.Moves), Rules: KnownRules,
	}
	if !f.Rated || f.Result == "" || r.First == r.Second || !f.First.Kind.HasAccount() || !f.Second.Kind.HasAccount() {
		return Result{}, false, nil
	}
	for i, id := range r.Players() {
		p, known, err := accounts.Players.Find(reader, id)
		if err != nil || !known {
			return Result{}, false, err
		}
		r.Since[i] = p.Since.UnixMilli()
	}
	return r, true, nil
}

// Rate writes a result and the ratings that follow from it, and returns its number.
func (s *Store) Rate(tx kv.Tx, r Result) (uint64, *[2]RatingChange, error) {
	if s.arithmetic == nil {
		return 0, nil, errNoRate
	}
	p, err := pastOf(tx, r)
	if err == nil {
		r, err = know(tx, r, p)
	}
	if err != nil {
		return 0, nil, err
	}
	rated, after := rateResult(s.arithmetic, r, p)
	number, err := storage.LastNumber(tx, Results)
	if err != nil {
		return 0, nil, err
	}
	number++
	err = errors.Join(Results.Put(tx, number, r), Changes.Put(tx, number, &rated))
	PutResultIndex(tx, number, r)
	for i, id := range r.Players() {
		if rated[i].Weight > 0 {
			err = errors.Join(err, Ratings.Put(tx, RatingKey{r.Game, id}, rated[i].After))
		}
		err = errors.Join(err, RecentMatches.Put(tx, id, after.form[i]))
	}
	if rated[0].Weight > 0 {
		err = errors.Join(err, Settled.Put(tx, r.Game, after.game))
	}
	if season := (seasonChanges{}); season.add(r, rated) > 0 {
		err = errors.Join(err, season.apply(tx))
	}
	return number, &rated, err
}

// pastOf reads what the earlier results say of the two players of a result. The result itself does not matter for that.
func pastOf(reader kv.Reader, r Result) (p past, err error) {
	for i, id := range r.Players() {
		if p.before[i], _, err = Ratings.Find(reader, RatingKey{r.Game, id}); err != nil {
			return p, err
		}
		if p.form[i], _, err = RecentMatches.Find(reader, id); err != nil {
			return p, err
		}
	}
	if p.game, _, err = Settled.Find(reader, r.Game); err != nil {
		return p, err
	}
	met, err := readMeetings(reader, r)
	for _, was := range met {
		p.meetings = append(p.meetings, was.meeting())
	}
	return p, err
}

var errNoRate = fmt.Errorf("%w: this store was opened without the arithmetic of ratings", storage.ErrInvalid)

// A past is what the earlier results say of the two players of a new one, and of its game.
type past struct {
	before   [2]Rating
	form     [2]Form
	game     gamePlayers
	meetings []meeting // the last rated matches of the two in the game
}

// An aftermath is what a result leaves for later results.
type aftermath struct {
	form [2]Form
	game gamePlayers
}

// rateResult is the arithmetic of one result: the caller's numbers, our counts.
func rateResult(rate Rate, r Result, p past) ([2]RatingChange, aftermath) {
	before, after := p.before, aftermath{p.form, p.game}
	score := scores[r.Result]
	m := RatedMatch{Before: before, Score: score, At: storage.FromMS(r.Ended), Whole: r.Rules < weightRules, Known: r.Known, Settled: r.Settled}
	players := r.Players()
	if !m.Whole {
		for i := range players {
			after.form[i].Day = lately(p.form[i].Day, r.Ended)
			m.Counted[i] = len(after.form[i].Day)
			m.Age[i] = r.age(i)
			m.Young[i] = m.Age[i] < Day
		}
		for _, was := range after.form[0].Day {
			if was.Against != r.Second {
				continue
			}
			if was.Game == r.Game {
				m.Met++
			}
			if r.Rules >= togetherRules {
				m.Together++
			}
		}
		m.Again = r.repeats(p.meetings)
	}
	rated := rate(m)
	for i, score := range []float64{score, 1 - score} {
		c, f := &rated[i], &after.form[i]
		c.Before = before[i]
		opponent := MetOpponent{Player: players[1-i]}
		if r.Known != nil {
			opponent.Block = r.Known[i].Block
			*f = f.After(r, players[i], opponent, c.Independent && c.Weight > 0)
		}
		c.Independent = false
		if c.Weight == 0 {
			c.After = before[i]
			if r.Known == nil {
				*f = p.form[i]
			}
			continue
		}
		c.After = counted(before[i], c.After, score)
		c.After.Opponents, c.After.Blocks = min(RankOpponents, len(f.Met[r.Game])), min(RankBlocks, blocksOf(f.Met[r.Game]))
		if !m.Whole {
			f.Day = append(f.Day, RecentMatch{r.Ended, r.Game, players[1-i]})
			f.Day = f.Day[max(0, len(f.Day)-DailyMatches):] // a bound, whatever the arithmetic says
		}
	}
	if r.Known != nil && rated[0].Weight > 0 {
		after.game = p.game.after(r, rated)
	}
	return rated, after
}

// counted returns the new rating of a player with the counts after one more match.
func counted(before, after Rating, score float64) Rating {
	after.At = storage.Stored(after.At)
	after.Played, after.Won, after.Drawn, after.Lost = before.Played+1, before.Won, before.Drawn, before.Lost
	switch score {
	case 1:
		after.Won++
	case 0:
		after.Lost++
	default:
		after.Drawn++
	}
	return after
}

// PlayerRatings are what is kept of a player's strength.
type PlayerRatings struct {
	Now     map[string]Rating // by game
	Seasons map[SeasonKey]SeasonRecord
}

// Ratings returns a player's ratings in some games and in some seasons of these; what isn't there is left out. It makes one request. An unknown
// player has none.
func (s *Store) Ratings(ctx context.Context, id storage.PlayerID, games []string, seasons ...Season) (PlayerRatings, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("ratings of player %s", id), func(r kv.Reader) (PlayerRatings, error) {
		var now []RatingKey
		var then []SeasonKey
		for _, game := range games {
			now = append(now, RatingKey{game, id})
			for _, season := range seasons {
				then = append(then, SeasonKey{season, game, id})
			}
		}
		var b storage.Batch
		ratings, records := Ratings.In(&b, now...), Seasons.In(&b, then...)
		if err := b.Read(r); err != nil {
			return PlayerRatings{}, err
		}
		found := PlayerRatings{map[string]Rating{}, map[SeasonKey]SeasonRecord{}}
		for i, k := range now {
			if ratings.There[i] {
				found.Now[k.Game] = ratings.Values[i]
			}
		}
		for i, k := range then {
			if records.There[i] {
				found.Seasons[k] = records.Values[i]
			}
		}
		return found, nil
	})
}

// RatingsIn returns the ratings that some players have in a game.
func (s *Store) RatingsIn(ctx context.Context, game string, ids []storage.PlayerID) (map[storage.PlayerID]Rating, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("ratings of players of %s", game), func(r kv.Reader) (map[storage.PlayerID]Rating, error) {
		keys := make([]RatingKey, len(ids))
		for i, id := range ids {
			keys[i] = RatingKey{game, id}
		}
		all, there, err := Ratings.FindAll(r, keys)
		if err != nil {
			return nil, err
		}
		found := map[storage.PlayerID]Rating{}
		for i, id := range ids {
			if there[i] {
				found[id] = all[i]
			}
		}
		return found, nil
	})
}

// Standings returns all players with a rated result in a game who are not deleted, the highest rating first, equal ones by id.
func (s *Store) Standings(ctx context.Context, game string) ([]Standing, error) {
	rows, err := storage.View(ctx, s.engine, fmt.Sprintf("standings of %s", game), func(r kv.Reader) (rows []Standing, err error) {
		rated, err := Ratings.Under(game).Entries(r)
		if err != nil {
			return nil, err
		}
		ids := make([]storage.PlayerID, len(rated))
		for i, e := range rated {
			ids[i] = e.Key.Player
		}
		known, there, err := accounts.Players.FindAll(r, ids)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", storage.ErrDamaged, err)
		}
		for i, e := range rated {
			if !there[i] {
				return nil, fmt.Errorf("%w: player %s: %w", storage.ErrDamaged, ids[i], storage.ErrNotFound)
			}
			if known[i].Deleted.IsZero() {
				rows = append(rows, Standing{Player: ids[i], Name: known[i].Name, Engine: known[i].Kind() == storage.Engine, Rating: e.Value})
			}
		}
		return rows, nil
	})
	slices.SortFunc(rows, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Rating.Rating, a.Rating.Rating), cmp.Compare(a.Player, b.Player))
	})
	return rows, err
}

// A stored rating is the bits of its three numbers, so it comes back to the last digit, then varints.

func encodeRating(r Rating) []byte {
	return storage.Seal(ratingVersion, appendOpponents(appendRating(nil, r), r))
}

func encodeChanges(c [2]RatingChange) []byte {
	var b []byte
	for _, rc := range c {
		b = appendRating(appendRating(b, rc.Before), rc.After)
	}
	for _, rc := range c {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(rc.Weight))
		b = append(binary.AppendUvarint(b, uint64(len(rc.Why))), rc.Why...)
	}
	for _, rc := range c {
		b = appendOpponents(appendOpponents(b, rc.Before), rc.After)
	}
	return storage.Seal(changeVersion, b)
}

func appendRating(b []byte, r Rating) []byte {
	for _, f := range []float64{r.Rating, r.Deviation, r.Volatility} {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(f))
	}
	b = binary.AppendVarint(b, r.At.UnixMilli())
	for _, n := range []int{r.Played, r.Won, r.Drawn, r.Lost} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// Flags of a rating.
const (
	flagSettled = 1 << iota
	flagNeedsOpponents
)

// appendOpponents appends what a rating says of the opponents that a rank needs.
func appendOpponents(b []byte, r Rating) []byte {
	var flags byte
	if r.Settled {
		flags |= flagSettled
	}
	if r.NeedsOpponents {
		flags |= flagNeedsOpponents
	}
	return append(binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.Opponents)), uint64(r.Blocks)), flags)
}

func readOpponents(in *storage.Reader, r *Rating) {
	for _, n := range []*int{&r.Opponents, &r.Blocks} {
		v := in.Uvarint()
		in.Bad = in.Bad || v > math.MaxInt32
		*n = int(v)
	}
	flags := in.Uvarint()
	in.Bad = in.Bad || flags > flagSettled|flagNeedsOpponents
	r.Settled, r.NeedsOpponents = flags&flagSettled != 0, flags&flagNeedsOpponents != 0
}

func decodeRating(value []byte) (Rating, error) {
	content, err := storage.Unseal(value, ratingVersion)
	if err != nil {
		return Rating{}, err
	}
	in := &storage.Reader{Rest: content}
	r := readRatingFrom(in)
	readOpponents(in, &r)
	return r, in.Wholly()
}

func decodeChanges(value []byte) (*[2]RatingChange, error) {
	content, err := storage.Unseal(value, changeVersion)
	if err != nil {
		return nil, err
	}
	in := &storage.Reader{Rest: content}
	var c [2]RatingChange
	for i := range c {
		c[i] = RatingChange{Before: readRatingFrom(in), After: readRatingFrom(in)}
	}
	for i := range c {
		c[i].Weight = in.Float()
		c[i].Why = Discount(in.Bytes(in.Uvarint()))
		in.Bad = in.Bad || !(c[i].Weight >= 0 && c[i].Weight <= 1)
	}
	for i := range c {
		readOpponents(in, &c[i].Before)
		readOpponents(in, &c[i].After)
	}
	return &c, in.Wholly()
}

func readRatingFrom(in *storage.Reader) Rating {
	var r Rating
	for _, f := range []*float64{&r.Rating, &r.Deviation, &r.Volatility} {
		*f = in.Float()
	}
	if ms := in.Varint(); ms != (time.Time{}).UnixMilli() {
		r.At = storage.FromMS(ms)
	}
	for _, n := range []*int{&r.Played, &r.Won, &r.Drawn, &r.Lost} {
		v := in.Uvarint()
		in.Bad = in.Bad || v > math.MaxInt32
		*n = int(v)
	}
	return r
}
