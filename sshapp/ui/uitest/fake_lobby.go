package uitest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/puzzle"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standingoffers"
	"ludoteca/lobby/standings"
	"ludoteca/lobby/studies"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	noticestore "ludoteca/storage/notices"
	"ludoteca/storage/operators"
	relationstore "ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// Noon is the time at which tests begin.
var Noon = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

var (
	Ana   = lobby.User{Kind: storage.Person, ID: "p1", Name: "ana"}
	Guest = lobby.User{Kind: storage.Guest, ID: "g1", Name: "guest-otter"}
)

// A FakeLobby returns values that a test has set, and records the calls.
type FakeLobby struct {
	FakeSought
	FakeSeason
	screen.Finder // a test that goes to a match needs a real club

	Mu       sync.Mutex
	AllGames bool
	Closed   bool // Next returns ErrClosed
	Opened   []seats.Spec
	Signed   []string
	Saved    []accounts.Settings
	Joined   []string
	Taken    []storage.MatchID
	Staked   []storage.MatchID
	Stake    *standings.Stake
	Err      error // what calls return
	Lines    []standings.Line
	Own      *standings.Line // of the user who asks; nil: none
	Player   standings.Profile
	Past     standings.Career
	Finished []results.Finished
	Began    []results.Opening // how matches went on from the positions of each match
	Cursor   results.Cursor    // of the next answer of History
	Queries  []standings.HistoryQuery
	Kept     schema.Account
	Recovery string   // of the sign-up, and each that is asked for
	Did      []string // of the account
	Yours    lists.Yours
	Sought   []quick.Wanted  // quick matches
	Here     *lists.Who      // nil: no list comes
	Busy     bool            // there is always a newer list of who is here
	whoCalls int             // of NextWho
	Rival    seats.Opponent  // who is challenged, by whatever name
	Asked    []string        // names of opponents
	Looking  []quick.Looking // how far each search for one comes

	Relations map[relationstore.Kind][]relations.Related
	Learned   learning.Lessons // that are kept
	Practised learning.PracticeStandings
	ToSolve   []*puzzle.Puzzle // the first one is that of the day
	Puzzled   learning.PuzzleStandings
	Solvers   []learning.PuzzleLeader
	Missed    []*lobby.MissedWin
	Noted     []studies.Note  // that are kept, of every match
	Records   []studies.Study // of the user

	Sends   []noticestore.Kind // the notices that the operator has turned on
	Contact noticestore.Contact
	Away    map[storage.PlayerID]time.Time // until when players are on vacation
}

// The parts of a FakeLobby whose methods have names that others have too: keys of accounts, ratings, practice ratings, puzzles, missed wins, notes,
// studies, analyses.
type (
	fakePractice  struct{ *FakeLobby }
	fakeKeys      struct{ *FakeLobby }
	fakeStandings struct{ *FakeLobby }
	fakePuzzles   struct{ *FakeLobby }
	fakeMissed    struct{ *FakeLobby }
	fakeNotes     struct{ *FakeLobby }
	fakeStudies   struct{ *FakeLobby }
	fakeAnalyzer  struct{ *FakeLobby }
	fakeArchive   struct{ *FakeLobby }
)

// Services returns the fake as screens ask for it.
func (c *FakeLobby) Services() *screen.Lobby {
	return &screen.Lobby{
		Directory: c, People: c, Sessions: c, Presence: c, Relations: c, Learner: c, Practice: fakePractice{c}, Reporter: c, Accounts: c, Keys: fakeKeys{c}, Challenges: c, Seats: c, Seeker: c, Finder: c,
		Television: c, Standings: fakeStandings{c}, Archive: fakeArchive{c}, Analyzer: fakeAnalyzer{c}, Notebook: fakeNotes{c}, Catalog: c, Studies: fakeStudies{c}, Puzzles: fakePuzzles{c}, MissedWins: fakeMissed{c}, Vacations: fakeVacations{c}, Nicknames: fakeNicknames{c},
		Standing: c, Notices: fakeNotices{c},
	}
}

func (c *FakeLobby) Next(ctx context.Context, _ lobby.User, _ uint64) (*lists.Lists, error) {
	if c.Closed {
		return nil, lobby.ErrClosed
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// NextWho returns the list of users that a test has set, once, and then waits.
func (c *FakeLobby) NextWho(ctx context.Context, _ lobby.User, after uint64) (*lists.Who, error) {
	c.Mu.Lock()
	c.whoCalls++
	c.Mu.Unlock()
	if c.Here != nil && (c.Here.Seq > after || c.Busy) {
		now := *c.Here
		now.Seq = max(now.Seq, after+1)
		return &now, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// Lessons returns the lessons that are kept.
func (c *FakeLobby) Lessons(context.Context, lobby.User) (learning.Lessons, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Learned, c.Err
}

// Solved keeps how far the player has come.
func (c *FakeLobby) Solved(_ context.Context, _ lobby.User, game string, n int, done bool) error {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.Err == nil {
		c.Learned = c.Learned.With(game, learning.Lesson{Solved: n, Done: done})
	}
	return c.Err
}

func (c fakePuzzles) Daily() (*puzzle.Puzzle, string, error) {
	if len(c.ToSolve) == 0 {
		return nil, "", lobby.ErrNoPuzzle
	}
	return c.ToSolve[0], "2026-08-01", nil
}

// Next returns the first puzzle of the game that is not to be skipped.
func (c fakePuzzles) Next(_ context.Context, _ lobby.User, g games.Game, skip *puzzle.Puzzle) (*puzzle.Puzzle, error) {
	for _, p := range c.ToSolve {
		if p != skip && (g == nil || p.Game.About().ID == g.About().ID) {
			return p, c.Err
		}
	}
	return nil, lobby.ErrNoPuzzle
}

func (c fakePuzzles) Rating(_ context.Context, p *puzzle.Puzzle) (float64, error) {
	return float64(p.Rating()), c.Err
}

func (c fakePuzzles) Standings(context.Context, lobby.User) (learning.PuzzleStandings, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return maps.Clone(c.Puzzled), c.Err
}

func (c fakePuzzles) Leaders(context.Context, string) ([]learning.PuzzleLeader, error) {
	return c.Solvers, c.Err
}

// Tried counts the first try of a person: the rating rises or falls by 10.
func (c fakePuzzles) Tried(_ context.Context, who lobby.User, p *puzzle.Puzzle, solved bool) (standing learning.PuzzleStanding, counted bool, err error) {
	c.did(fmt.Sprintf("puzzle %s solved %v", p.ID, solved))
	if !who.Kind.HasAccount() || c.Err != nil {
		return standing, false, c.Err
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	game := p.Game.About().ID
	standing = c.Puzzled[game]
	if standing.Tried == 0 {
		standing.Rating = 1500
	}
	standing.Tried++
	if solved {
		standing.Rating += 10
		standing.Solved++
		standing.Streak++
	} else {
		standing.Rating -= 10
		standing.Streak = 0
	}
	if c.Puzzled == nil {
		c.Puzzled = learning.PuzzleStandings{}
	}
	c.Puzzled[game] = standing
	return standing, true, nil
}

// Next returns the missed win after another one.
func (c fakeMissed) Next(_ context.Context, _ lobby.User, _ games.Game, after string) (*lobby.MissedWin, error) {
	if len(c.Missed) == 0 {
		return nil, lobby.ErrNoMissedWin
	}
	next := slices.IndexFunc(c.Missed, func(w *lobby.MissedWin) bool { return w.Puzzle.ID == after }) + 1
	return c.Missed[next%len(c.Missed)], c.Err
}

// Notes returns the notes that are kept.
func (c fakeNotes) Notes(context.Context, lobby.User, storage.MatchID) ([]studies.Note, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return slices.Clone(c.Noted), c.Err
}

// WriteNote keeps a note behind the others.
func (c fakeNotes) WriteNote(_ context.Context, _ lobby.User, _ *lobby.View, ply int, text string) ([]studies.Note, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.Err == nil {
		c.Noted = append(c.Noted, studies.Note{Ply: ply, Text: text, At: Noon})
	}
	return slices.Clone(c.Noted), c.Err
}

// Imported returns the studies of the user.
func (c fakeStudies) Imported(context.Context, lobby.User) ([]studies.Study, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return slices.Clone(c.Records), c.Err
}

// Study finds nothing: a test that looks through a study needs a real club.
func (c fakeStudies) Study(context.Context, lobby.User, string) (studies.Study, error) {
	return studies.Study{}, lobby.ErrNoSuchMatch
}

func (c fakeStudies) View(studies.Study) (*lobby.View, error) { return nil, lobby.ErrNoSuchMatch }

// AskedWho returns how often NextWho was called.
func (c *FakeLobby) AskedWho() int {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.whoCalls
}

// Opponent returns the opponent that a test has set.
func (c *FakeLobby) Opponent(_ context.Context, _ lobby.User, name string) (seats.Opponent, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Asked = append(c.Asked, name)
	return c.Rival, c.Err
}

// NextYours returns the Yours that a test has set, once, and then waits.
func (c *FakeLobby) NextYours(ctx context.Context, _ lobby.User, after uint64) (lists.Yours, uint64, error) {
	if c.Closed {
		return lists.Yours{}, 0, lobby.ErrClosed
	}
	if after < 1 {
		return c.Yours, 1, nil
	}
	<-ctx.Done()
	return lists.Yours{}, 0, ctx.Err()
}
func (c *FakeLobby) Visit(lobby.User, bool) *presence.Session { return nil }
func (c *FakeLobby) Connect(lobby.User, origin.Origin) func() { return func() {} }

func (c *FakeLobby) Arrivals(lobby.User) (*relations.Arrivals, func()) { return nil, func() {} }

func (c *FakeLobby) Relate(_ context.Context, _ lobby.User, kind relationstore.Kind, name string, on bool) (string, error) {
	c.did(fmt.Sprint("relate ", kind, " ", name, " ", on))
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if !on {
		c.Relations[kind] = slices.DeleteFunc(slices.Clone(c.Relations[kind]), func(r relations.Related) bool { return r.Name == name })
	}
	return name, c.Err
}

// Related returns the list that a test has set.
func (c *FakeLobby) Related(_ context.Context, _ lobby.User, kind relationstore.Kind) ([]relations.Related, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return slices.Clone(c.Relations[kind]), c.Err
}

func (c *FakeLobby) RelationTo(lobby.User, storage.PlayerID) (follows, blocks bool) {
	return false, false
}

func (c *FakeLobby) Report(_ context.Context, _ lobby.User, _ origin.Origin, name, match, reason string) (operators.Report, error) {
	c.did(fmt.Sprintf("report %s %q: %s", name, match, reason))
	return operators.Report{AboutName: name}, c.Err
}

func (c *FakeLobby) ReportSide(_ context.Context, _ lobby.User, _ origin.Origin, match string, side games.Side, reason string) (operators.Report, error) {
	c.did(fmt.Sprintf("report %s of %q: %s", side, match, reason))
	return operators.Report{AboutName: side.String()}, c.Err
}

func (c *FakeLobby) SignUp(_ context.Context, _, name string) (lobby.User, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Signed = append(c.Signed, name)
	return lobby.User{Kind: storage.Person, ID: "p2", Name: name}, c.Err
}

// SignIn fails, because a FakeLobby knows no accounts before they sign up.
func (c *FakeLobby) SignIn(context.Context, string) (lobby.User, accounts.Settings, error) {
	return lobby.User{}, accounts.Settings{}, lobby.ErrNoAccount
}

func (c *FakeLobby) Account(context.Context, lobby.User) (schema.Account, error) {
	return c.Kept, nil
}

func (c *FakeLobby) ChangeName(_ context.Context, who lobby.User, name string) (lobby.User, error) {
	c.did("rename " + name)
	who.Name = name
	return who, c.Err
}

// did notes a change of the account.
func (c *FakeLobby) did(what string) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Did = append(c.Did, what)
}

func (c fakeKeys) NewRecovery(context.Context, lobby.User) (string, error) {
	return c.Recovery, c.Err
}

func (c fakeKeys) OfferKey(context.Context, lobby.User) (string, time.Time, error) {
	c.did("add")
	return "K7QM-2XPD-9RTV", time.Time{}, c.Err
}

func (c fakeKeys) OfferMatches(context.Context, lobby.User, origin.Origin) (string, time.Time, error) {
	c.did("offer matches")
	return "K7QM-2XPD-9RTV", time.Time{}, c.Err
}

func (c fakeKeys) RemoveKey(_ context.Context, _ lobby.User, fingerprint string, _ lobby.Sessions) error {
	c.did("remove " + fingerprint)
	return c.Err
}

func (c *FakeLobby) DeleteAccount(context.Context, lobby.User, lobby.Sessions) error {
	c.did("delete")
	return c.Err
}

func (c fakeKeys) ClaimKey(_ context.Context, fingerprint string, _ origin.Origin, code string, _ lobby.Sessions) (lobby.User, error) {
	c.did("claim " + fingerprint + " " + code)
	return lobby.User{}, lobby.ErrNoKeyCode
}

func (c fakeKeys) Recover(_ context.Context, fingerprint string, _ origin.Origin, name, code string, _ lobby.Sessions) (lobby.User, string, error) {
	c.did("recover " + fingerprint + " " + name + " " + code)
	return lobby.User{}, "", lobby.ErrRecovery
}

func (c *FakeLobby) SaveSettings(_ context.Context, _ lobby.User, s accounts.Settings) error {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Saved = append(c.Saved, s)
	return c.Err
}

func (c *FakeLobby) Open(_ context.Context, _ lobby.User, spec seats.Spec) (lobby.Ref, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Opened = append(c.Opened, spec)
	return lobby.Ref{ID: "m1", Code: "K7QM2X"}, c.Err
}

// Keep records a standing offer, and opens its first match.
func (c *FakeLobby) Keep(ctx context.Context, who lobby.User, spec seats.Spec, places int) (standingoffers.Kept, error) {
	c.did(fmt.Sprint("keep ", spec.Game, " open, ", places, " at a time"))
	ref, err := c.Open(ctx, who, spec)
	return standingoffers.Kept{Number: 1, Ref: ref}, err
}

func (c *FakeLobby) Quick(ctx context.Context, who lobby.User, w quick.Wanted) (lobby.Ref, error) {
	return c.Open(ctx, who, seats.Spec{Game: w.Games[0].Game, Options: w.Games[0].Options, Rated: w.Rated, Public: true})
}

// A FakeSought is what others look for.
type FakeSought struct{ Others []lists.Sought }

// Now returns lists with that alone.
func (s FakeSought) Now(lobby.User) *lists.Lists { return &lists.Lists{Sought: s.Others} }

// Seek records what is wanted. The search gets as far as the test allows.
func (c *FakeLobby) Seek(_ context.Context, _ lobby.User, w quick.Wanted) (quick.Search, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Sought = append(c.Sought, w)
	return &fakeSearch{steps: c.Looking, changed: make(chan struct{}, 1)}, c.Err
}

// A fakeSearch is how far a search comes, one after the other. It comes to a call of the player when they are away, and from a call to the match when
// they are there again.
type fakeSearch struct {
	steps   []quick.Looking
	away    atomic.Bool
	changed chan struct{} // holds one: away may have changed
}

func (s *fakeSearch) Next(ctx context.Context, after uint64) (quick.Looking, uint64, error) {
	for after < uint64(len(s.steps)) {
		next := s.steps[after]
		called := after > 0 && s.steps[after-1].Call.You && next.Match.ID != ""
		if away := s.away.Load(); !(next.Call.You && !away || called && away) {
			return next, after + 1, nil
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return quick.Looking{}, 0, ctx.Err()
		}
	}
	<-ctx.Done()
	return quick.Looking{}, 0, ctx.Err()
}

func (s *fakeSearch) SetAway(away bool) {
	s.away.Store(away)
	if !slices.ContainsFunc(s.steps, func(l quick.Looking) bool { return l.Call.You }) {
		return // nobody waits, and tests may be out of their bubble
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (c *FakeLobby) LastQuick(s accounts.Settings) (quick.Wanted, bool) {
	return quick.LastQuick(c.Games(), s)
}

func (c *FakeLobby) RememberQuick(s accounts.Settings, w quick.Wanted) accounts.Settings {
	return quick.RememberQuick(c.Games(), s, w)
}

func (c *FakeLobby) Join(_ context.Context, _ lobby.User, _ origin.Origin, code string) (lobby.Ref, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Joined = append(c.Joined, code)
	return lobby.Ref{ID: "m1", Code: code}, c.Err
}

func (c *FakeLobby) Take(_ context.Context, _ lobby.User, id storage.MatchID) (lobby.Ref, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Taken = append(c.Taken, id)
	return lobby.Ref{ID: id}, c.Err
}

// OfferStake returns the stake that a test has set for any offer, and records the call.
func (c *FakeLobby) OfferStake(_ context.Context, _ lobby.User, id storage.MatchID) (*standings.Stake, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Staked = append(c.Staked, id)
	return c.Stake, c.Err
}

func (c *FakeLobby) Find(context.Context, lobby.User, origin.Origin, string) (lobby.Ref, error) {
	return lobby.Ref{ID: "m1"}, c.Err
}

func (c *FakeLobby) At(context.Context, lobby.User, lobby.Ref) (*seats.Seat, error) {
	return nil, lobby.ErrNoSuchMatch
}

// TelevisionInLobby has nothing on.
func (c *FakeLobby) TelevisionInLobby(ctx context.Context, _ lobby.User, _ *lobby.View) (*lobby.View, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (c *FakeLobby) LastMatch(context.Context) (*lists.Replay, error) { return nil, c.Err }

// A FakeSeason is what the leaderboard of every season shows.
type FakeSeason struct{ SeasonLines []standings.Line }

// Season returns the lines of the season that a test has set.
func (c fakeStandings) Season(context.Context, string, results.Season) ([]standings.Line, error) {
	return c.SeasonLines, c.Err
}

func (c fakeStandings) Leaderboard(context.Context, string) ([]standings.Line, error) {
	return c.Lines, c.Err
}

func (c fakeStandings) OwnLine(context.Context, lobby.User, string) (standings.Line, bool, error) {
	if c.Own == nil {
		return standings.Line{}, false, c.Err
	}
	return *c.Own, true, c.Err
}

func (c fakeStandings) Career(context.Context, lobby.User, standings.Profile, int) (standings.Career, error) {
	return c.Past, c.Err
}

func (c fakeStandings) Profile(context.Context, lobby.User, string) (standings.Profile, error) {
	return c.Player, c.Err
}

// Standings returns the practice ratings that a test has set.
func (c fakePractice) Standings(context.Context, lobby.User) (learning.PracticeStandings, error) {
	return c.Practised, c.Err
}

// StandingsOf returns the practice ratings that a test has set.
func (c fakePractice) StandingsOf(context.Context, storage.PlayerID) (learning.PracticeStandings, error) {
	return c.Practised, c.Err
}

// Change finds a match in the practice ratings that a test has set.
func (c fakePractice) Change(_ context.Context, _ lobby.User, game string, id storage.MatchID) (learning.PracticePoint, bool, error) {
	for _, p := range c.Practised[game].Points {
		if p.Match == id {
			return p, true, c.Err
		}
	}
	return learning.PracticePoint{}, false, c.Err
}

// Proposed proposes the last computer player.
func (c fakePractice) Proposed(learning.PracticeStandings, string) (string, bool) {
	levels := c.Levels()
	return levels[len(levels)-1].ID, true
}

// Chance is the same against all computer players.
func (c fakePractice) Chance(learning.PracticeStandings, string, string) (float64, bool) {
	return 0.4, true
}

func (c *FakeLobby) History(_ context.Context, q standings.HistoryQuery) ([]results.Finished, results.Cursor, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Queries = append(c.Queries, q)
	return slices.Clone(c.Finished), c.Cursor, c.Err
}

// Openings returns Began, whatever the match.
func (c fakeArchive) Openings(context.Context, games.Game, games.Options, []games.Move) ([]results.Opening, error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return slices.Clone(c.Began), c.Err
}

func (c fakeAnalyzer) Analysis(context.Context, lobby.User, storage.MatchID, uint64) (*lobby.AnalysisProgress, error) {
	return nil, lobby.ErrNoSuchMatch
}

func (c fakeAnalyzer) Study(context.Context, lobby.User, *lobby.View, uint64) (*lobby.AnalysisProgress, error) {
	return nil, lobby.ErrNoSuchMatch
}

// Games returns four games of the catalogue, so that golden files don't change with a new game, or all games if a test wants them.
func (c *FakeLobby) Games() []games.Game {
	if c.AllGames {
		return catalog.All()
	}
	var shown []games.Game
	for _, id := range []string{"momentum", "petteia", "fourmation", "flugelrad"} {
		if g, ok := catalog.Find(id); ok {
			shown = append(shown, g)
		}
	}
	return shown
}

func (c *FakeLobby) Game(name string) (games.Game, error) {
	if g, ok := catalog.Find(name); ok {
		return g, nil
	}
	return nil, lobby.ErrNoSuchGame
}

func (c *FakeLobby) Levels() []lobby.Level {
	return []lobby.Level{{ID: "random", Name: "Random"}, {ID: "greedy", Name: "Greedy"}}
}
