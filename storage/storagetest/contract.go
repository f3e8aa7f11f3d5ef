// Package storagetest is the contract that every store of the club must pass.
package storagetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// A Store is what the contract is about; schema.Store says what each method does.
type Store interface {
	Append(ctx context.Context, id storage.MatchID, events []matchstore.Event, m matchstore.Summary) error
	Finish(ctx context.Context, id storage.MatchID, events []matchstore.Event, f results.Finished, also func(kv.Tx) error) (*[2]results.RatingChange, error)
	Log(ctx context.Context, id storage.MatchID, from uint64, most int) ([]matchstore.Event, error)
	Summaries(ctx context.Context) ([]matchstore.Summary, error)
	KeepSummaries(ctx context.Context, all []matchstore.Summary) error
	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
	ByCode(ctx context.Context, code string, now time.Time) (storage.MatchID, error)
	History(ctx context.Context, q results.HistoryQuery) ([]results.Finished, error)
	Openings(ctx context.Context, game string, o games.Options, moves []games.Move) ([]results.Opening, error)
	Search(ctx context.Context, q results.SearchQuery) (results.SearchPage, error)
	Sweep(ctx context.Context, now time.Time) (codesRemoved int, err error)
	ForgetCasual(ctx context.Context, before time.Time, levels []string) (forgotten int, err error)
	SaveAnalysis(ctx context.Context, id storage.MatchID, a *analysis.Analysis) error
	Analysis(ctx context.Context, id storage.MatchID) (*analysis.Analysis, error)

	SignUp(ctx context.Context, p accounts.Player, fingerprint string) (accounts.Player, error)
	AddKey(ctx context.Context, id storage.PlayerID, fingerprint string) error
	SaveSettings(ctx context.Context, id storage.PlayerID, st accounts.Settings) error
	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)
	PlayerByKey(ctx context.Context, fingerprint string) (accounts.Player, error)
	PlayerByName(ctx context.Context, nameKey string) (accounts.Player, error)
	Players(ctx context.Context, ids []storage.PlayerID) ([]accounts.Player, error)
	FreeName(ctx context.Context, name, nameKey string) error
	Keys(ctx context.Context, id storage.PlayerID) ([]string, error)

	Ratings(ctx context.Context, id storage.PlayerID, games []string, seasons ...results.Season) (results.PlayerRatings, error)
	RatingsIn(ctx context.Context, game string, ids []storage.PlayerID) (map[storage.PlayerID]results.Rating, error)
	Standings(ctx context.Context, game string) ([]results.Standing, error)
	SeasonStandings(ctx context.Context, season results.Season, game string) ([]results.SeasonStanding, error)
	Recompute(ctx context.Context) (results.RecomputeReport, error)
	RatingHistory(ctx context.Context, id storage.PlayerID, games []string, limit int) ([]results.RatingPoint, error)
	Outcomes(ctx context.Context, f results.Finished) (*results.Outcomes, error)
	Conduct(ctx context.Context, id storage.PlayerID) (results.Conduct, error)
	Tallies(ctx context.Context, id, against storage.PlayerID, games ...string) (results.PlayerTally, error)

	Operators
	Accounts
	Chat
	Studies
	Tells
	Plans
	Tournaments
	Notices
	StandingOffers
	Vacations

	Beat(ctx context.Context, at time.Time) error
	LastBeat(ctx context.Context) (time.Time, error)

	Close() error
}

// A Reopener is a store that can be closed and opened again, and must not have changed then.
type Reopener interface {
	Reopen() error
}

// Reopening opens a new store that can be closed and opened again, by open.
func Reopening(t testing.TB, open func() (*schema.Store, error)) Store {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return &reopening{Flat(s), open}
}

type reopening struct {
	Store
	open func() (*schema.Store, error)
}

// Reopen implements Reopener.
func (r *reopening) Reopen() error {
	if err := r.Close(); err != nil {
		return err
	}
	s, err := r.open()
	if err == nil {
		r.Store = Flat(s)
	}
	return err
}

// Rate is the arithmetic of ratings that the store under test must use: simple, and different for every history.
func Rate(m results.RatedMatch) [2]results.RatingChange {
	var c [2]results.RatingChange
	for i, r := range m.Before {
		c[i] = results.RatingChange{After: r, Weight: 1}
		after := &c[i].After
		if r.At.IsZero() {
			after.Rating, after.Deviation, after.Volatility = 1500, 350, 0.06
		}
		after.Deviation = 30 + after.Deviation/2
		after.At = m.At
		switch {
		case m.Whole:
		case max(m.Counted[0], m.Counted[1]) >= 3:
			c[i].Weight, c[i].Why = 0, results.DailyLimit
		case m.Again:
			c[i].Weight, c[i].Why = 0, results.SameMoves
		case m.Together > m.Met:
			c[i].Weight, c[i].Why = 0.75, results.Unsettled
		case m.Met > 0:
			c[i].Weight, c[i].Why = 1/float64(1+m.Met), results.Repeated
		case m.Young[1-i]:
			c[i].Weight, c[i].Why = 0.25, results.NewAccount
		}
	}
	change := 32*(m.Score-0.5) + (c[1].After.Rating-c[0].After.Rating)/16
	c[0].After.Rating += float64(c[0].Weight * change)
	c[1].After.Rating -= float64(c[1].Weight * change)
	return c
}

// Run runs the whole contract. open returns a new, empty store that uses Rate; the contract closes it.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, Store)
	}{
		{"a log reads back", logReadsBack},
		{"a long log in parts", longLogs},
		{"a summary goes with its match", summaries},
		{"clocks are kept", clocks},
		{"pauses are kept", pauses},
		{"the last heartbeat is kept", heartbeats},
		{"a number out of turn is stale", staleAppends},
		{"events that make no sense are refused", invalidEvents},
		{"a plan is kept until the match ends", plans},
		{"a code names one match", codesAreUnique},
		{"finishing is one step", finishing},
		{"a finish that is refused changes nothing", refusedFinishes},
		{"a void match leaves no trace but its record", voidMatches},
		{"which matches are rated", whichAreRated},
		{"how much a match counts depends on the day before", weighing},
		{"a code lives thirty days longer", codesEnd},
		{"a temporary record lives an hour longer", temporaryRecords},
		{"old casual matches are forgotten", forgetting},
		{"history in pages", historyPages},
		{"history is searched", searching},
		{"openings are counted", openings},
		{"an analysis is kept with its match", analyses},
		{"names and keys belong to one player", namesAndKeys},
		{"settings are kept", settings},
		{"standings", standings},
		{"seasons are counted", seasons},
		{"ratings follow from the results", recomputing},
		{"finished matches are counted", counting},
		{"a match that repeats another does not count", repeating},
		{"every act of an operator is kept and can be undone", auditLog},
		{"accounts are closed and merged", closedAccounts},
		{"players are renamed", renamedPlayers},
		{"keys are added by a code and removed", addedKeys},
		{"a key leaves an account without use", unusedAccounts},
		{"a recovery code lets a key in", recovery},
		{"players change their names", changedNames},
		{"players delete their accounts", deletedPlayers},
		{"computer accounts", computerAccounts},
		{"a name goes from all records", forgottenRecords},
		{"players follow and block others", relations},
		{"who has deleted an account is followed by nobody", deletedRelations},
		{"lessons are kept, and go with the account", lessons},
		{"the first try at a puzzle counts", puzzles},
		{"matches against computer players count for practice", practice},
		{"notes are kept for their author", notes},
		{"records from elsewhere are kept", importing},
		{"a tournament is a log", tournamentLogs},
		{"tournaments have bounds", tournamentBounds},
		{"tournaments of players leave room", tournamentsOfBlocks},
		{"the name of a deleted player goes from tournaments", forgottenEntrants},
		{"past tournaments are forgotten", pastTournaments},
		{"a series goes on", tournamentSeries},
		{"notes have bounds, and go with the account", deletedNotes},
		{"lines of players to each other are kept for both", toldLines},
		{"lines of players to each other are bounded", boundedTells},
		{"lines of strangers leave room for those of friends", tellsOfStrangers},
		{"lines of players to each other go with the account", deletedTells},
		{"players with tries enough are ranked in puzzles", puzzleLeaders},
		{"addresses are confirmed and stopped", addresses},
		{"codes for addresses are few", noticeCodes},
		{"codes wait until they are sent", unsentCodes},
		{"players are told a few times", toldPlayers},
		{"notices that fail make room", failingNotices},
		{"a stop takes the notices that wait", stoppedNotices},
		{"an address goes with the account", deletedNotices},
		{"standing offers have places", standingPlaces},
		{"standing offers have bounds, and go with the account", standingBounds},
		{"vacations take days of a year", vacations},
		{"a vacation goes with the account", deletedVacations},
		{"chat goes with its match", chats},
		{"chat goes with the account", deletedChat},
		{"the last lines of a match stay for reports", evidence},
		{"keys and blocks are banned", bannedSubjects},
		{"keys that sign records are kept", signers},
		{"reports are bounded and handled", openReports},
		{"reports of those with most make room", displacedReports},
		{"where players come from", whereFrom},
		{"results that don't count", unratedResults},
		{"an act that ends a match", actsThatEnd},
		{"what nobody knows is not found", nothingFound},
		{"a call with an ended context does nothing", endedContext},
		{"what goes in and out is a copy", copies},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t)
			defer closeStore(t, s)
			tt.test(t, s)
		})
	}
	t.Run("any sequence of calls", func(t *testing.T) { anySequence(t, open) })
	t.Run("any keys and codes", func(t *testing.T) { anyKeys(t, open) })
}

// tb is what helpers need of a test, which may be rapid's.
type tb interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Failed() bool
}

func closeStore(t tb, s Store) {
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// start is a time that a store can keep.
var start = time.UnixMilli(1_760_000_000_123).UTC()

// joined is when players signed up: long before start.
var joined = start.AddDate(-1, 0, 0)

// minute returns the time n minutes after start.
func minute(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }

// person returns a seat for a player.
func person(p accounts.Player) storage.Occupant {
	return storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: p.Name}
}

var (
	guest = storage.Occupant{Kind: storage.Guest, ID: "g1", Name: "guest-ab"}
	robot = storage.Occupant{Kind: storage.Bot, ID: "random", Name: "Random"}
)

// opened returns the first event of a match.
func opened(code string, first, second storage.Occupant) matchstore.Event {
	return matchstore.Event{
		Seq: 1, Version: matchstore.EventVersion, Kind: matchstore.Opened, Seat: storage.FirstSeat, At: start,
		Opening: &matchstore.Opening{
			Code: code, Game: "tanks", Options: games.Options{"rows": 8, "cols": 8}, Rated: true, First: first, Second: second,
		},
	}
}

// moved returns event seq of a match: the move m.
func moved(seq uint64, m games.Move) matchstore.Event {
	return matchstore.Event{
		Seq: seq, Version: matchstore.EventVersion, Kind: matchstore.Moved, Seat: storage.FirstSeat + storage.Seat(seq%2),
		At: minute(int(seq)), Lag: 15 * time.Millisecond, Move: m,
	}
}

// ended returns event seq of a match: its last.
func ended(seq uint64, result string) matchstore.Event {
	return matchstore.Event{
		Seq: seq, Version: matchstore.EventVersion, Kind: matchstore.Ended, At: minute(int(seq)), Result: result, Reason: "goal",
	}
}

// record returns what is left of a match between two seats that ended n minutes after start.
func record(code, game string, first, second storage.Occupant, result string, n int) results.Finished {
	return results.Finished{
		Code: code, Game: game, Options: games.Options{"rows": 8, "cols": 8}, First: first, Second: second,
		Result: result, Reason: "goal", Plies: 2, Rated: true, Public: n%2 == 0, Started: minute(n - 3), Ended: minute(n),
		Start: n % 3, Helped: results.Help{Hints: n % 2, Takebacks: n % 4},
		Course: results.Course{Moves: []games.Move{"a2-a3", games.Move(fmt.Sprintf("h7xg%d", n))}, Times: []time.Time{minute(n - 2), minute(n - 1)}},
	}
}

// signUp makes a player whose name and key follow from one word.
func signUp(t tb, s Store, name string) accounts.Player {
	t.Helper()
	p, err := s.SignUp(t.Context(), accounts.Player{Name: name, NameKey: name, Since: joined}, "SHA256:"+name)
	if err != nil {
		t.Fatalf("SignUp(%s): %v", name, err)
	}
	return p
}

// play opens a match and finishes it as the record says.
func play(t tb, s Store, id storage.MatchID, f results.Finished) *[2]results.RatingChange {
	t.Helper()
	if err := s.Append(t.Context(), id, []matchstore.Event{opened(f.Code, f.First, f.Second)}, matchstore.Summary{}); err != nil {
		t.Fatal(err)
	}
	changes, err := s.Finish(t.Context(), id, []matchstore.Event{ended(2, f.Result)}, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// same compares what came back with what should have, where empty is as good as nil.
func same(t tb, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// everyGame is the games of all matches here.
var everyGame = []string{"fourmation", "petteia", "tank", "tanks"}

// snapshot is all that can be read about some matches, players and codes.
func snapshot(t tb, s Store, ids []storage.MatchID, players []storage.PlayerID, codes []string) map[string]any {
	t.Helper()
	ctx := t.Context()
	all := map[string]any{}
	put := func(key string, value any, err error) {
		all[key] = value
		if err != nil {
			all[key] = fmt.Sprint(err)
		}
	}
	for _, id := range ids {
		log, err := s.Log(ctx, id, 1, 0)
		put("log "+string(id), log, err)
		f, err := s.Finished(ctx, id)
		put("finished "+string(id), f, err)
		a, err := s.Analysis(ctx, id)
		put("analysis "+string(id), a, err)
	}
	for _, id := range players {
		p, err := s.Player(ctx, id)
		put("player "+string(id), p, err)
		twice, err := s.Players(ctx, []storage.PlayerID{id, id})
		put("players "+string(id), twice, err)
		keys, err := s.Keys(ctx, id)
		put("keys "+string(id), keys, err)
		r, err := s.Ratings(ctx, id, everyGame)
		put("ratings "+string(id), r.Now, err)
		notes, err := s.NotesBy(ctx, id)
		put("notes "+string(id), notes, err)
	}
	for _, code := range codes {
		id, err := s.ByCode(ctx, code, start)
		put("code "+code, id, err)
	}
	open, err := s.Summaries(ctx)
	put("summaries", open, err)
	rows, err := s.History(ctx, results.HistoryQuery{Limit: 1000})
	put("history", rows, err)
	return all
}
