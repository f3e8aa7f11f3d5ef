package screen

import (
	"context"
	"time"

	"ludoteca/games"
	"ludoteca/games/puzzle"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/lounge"
	"ludoteca/lobby/operators"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/plans"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standingoffers"
	"ludoteca/lobby/standings"
	"ludoteca/lobby/studies"
	"ludoteca/lobby/tells"
	"ludoteca/lobby/together"
	"ludoteca/lobby/tournaments"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/lobby/vacations"
	"ludoteca/sshapp/status"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	noticestore "ludoteca/storage/notices"
	operatorstore "ludoteca/storage/operators"
	relationstore "ludoteca/storage/relations"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	tournamentstore "ludoteca/storage/tournaments"
)

// A Lobby holds the parts of the club that the screens use.
type Lobby struct {
	Directory
	People
	Sessions
	Presence
	Relations
	Learner
	Reporter
	Accounts
	Keys
	Challenges
	Seats
	Seeker
	Finder
	Practice
	Television
	Standings
	Archive
	Analyzer
	Notebook
	Catalog

	Studies    Studies
	Puzzles    Puzzles
	MissedWins MissedWins
	Together   Together // nil in some tests
	Tells      Tells    // nil in some tests
	Lounge     Lounge   // nil in some tests
	Plans      Plans    // nil in some tests
	Vacations  Vacations
	Notices    Notices // nil in some tests
	Nicknames  Nicknames
	Events     Events
	Standing   Standing // nil in some tests
}

// Of returns the parts of a club.
func Of(l *lobby.Lobby) *Lobby {
	return &Lobby{
		Directory: l.Lists, People: l.People, Sessions: l, Presence: l.Presence, Relations: l.Relations, Learner: l.Learning, Practice: l.Practice, Reporter: l.Operators, Accounts: l.Accounts, Keys: l.Keys, Challenges: l.Challenges, Seats: l.Seats, Seeker: l.Quick, Finder: l.Finder,
		Television: l.Television, Standings: l.Standings, Archive: l.Results, Analyzer: l.Analyses, Notebook: l.Studies, Catalog: l, Studies: l.Studies, Puzzles: l.Puzzles, MissedWins: l.MissedWins, Together: l.Together,
		Tells: l.Tells, Lounge: l.Lounge, Plans: l.Plans, Vacations: l.Vacations, Notices: l.Notices, Nicknames: l.Nicknames, Standing: l.Standing,
		Events: Events{l.Tournaments.Reader, l.Tournaments.Announcer, l.Tournaments.Series, l.Tournaments.Registration},
	}
}

// Vacations keep when players are on vacation; see vacations.Service.
type Vacations interface {
	Until(id storage.PlayerID) time.Time // zero: they are not on vacation
	Of(ctx context.Context, who lobby.User) (vacations.State, error)
	Begin(ctx context.Context, who lobby.User, until time.Time) (vacations.State, error)
	End(ctx context.Context, who lobby.User) (vacations.State, error)
}

// Notices keep where players want notices outside the terminal; see notices.Service.
type Notices interface {
	Sends(kind noticestore.Kind) bool
	Of(ctx context.Context, who lobby.User) (noticestore.Contact, error)
	Ask(ctx context.Context, who lobby.User, from origin.Origin, to noticestore.Destination) (noticestore.Address, error)
	Confirm(ctx context.Context, who lobby.User, code string) (noticestore.Address, error)
	End(ctx context.Context, who lobby.User) error
}

// Nicknames gives guests nicknames; see nicknames.Service.
type Nicknames interface {
	Choose(ctx context.Context, who lobby.User, nickname string) (lobby.User, error)
}

// A Directory lists matches and offers.
type Directory interface {
	Now(who lobby.User) *lists.Lists
	Next(ctx context.Context, who lobby.User, after uint64) (*lists.Lists, error)
	NextYours(ctx context.Context, who lobby.User, after uint64) (lists.Yours, uint64, error)
}

// People are the users who are here.
type People interface {
	NextWho(ctx context.Context, who lobby.User, after uint64) (*lists.Who, error)
}

// Sessions records where a session comes from.
type Sessions interface {
	Connect(who lobby.User, from origin.Origin) (disconnect func())
}

// Presence records where the user is.
type Presence interface {
	Visit(who lobby.User, keys bool) *presence.Session // nil in tests
}

// Learner keeps how far players have come in lessons.
type Learner interface {
	Lessons(ctx context.Context, who lobby.User) (learning.Lessons, error)
	Solved(ctx context.Context, who lobby.User, game string, n int, done bool) error
}

// Puzzles gives puzzles, and keeps how players do in them.
type Puzzles interface {
	Daily() (p *puzzle.Puzzle, day string, err error)
	Next(ctx context.Context, who lobby.User, g games.Game, skip *puzzle.Puzzle) (*puzzle.Puzzle, error) // of any game if g is nil
	Rating(ctx context.Context, p *puzzle.Puzzle) (float64, error)
	Standings(ctx context.Context, who lobby.User) (learning.PuzzleStandings, error)
	Leaders(ctx context.Context, game string) ([]learning.PuzzleLeader, error)
	Tried(ctx context.Context, who lobby.User, p *puzzle.Puzzle, solved bool) (standing learning.PuzzleStanding, counted bool, err error)
}

// MissedWins gives puzzles from the user's own matches; see analyses.MissedWins.
type MissedWins interface {
	Next(ctx context.Context, who lobby.User, g games.Game, after string) (*lobby.MissedWin, error) // of any game if g is nil
}

// A Practice knows how strong a player is against the computer players.
type Practice interface {
	Standings(ctx context.Context, who lobby.User) (learning.PracticeStandings, error)
	StandingsOf(ctx context.Context, id storage.PlayerID) (learning.PracticeStandings, error)
	Change(ctx context.Context, who lobby.User, game string, id storage.MatchID) (learning.PracticePoint, bool, error)

	// Proposed returns the level of a game that a player would beat about half the time, and Chance the expected score against a level.
	Proposed(all learning.PracticeStandings, game string) (level string, ok bool)
	Chance(all learning.PracticeStandings, game, level string) (chance float64, known bool)
}

// Relations keeps the players that a player follows and blocks.
type Relations interface {
	Relate(ctx context.Context, who lobby.User, kind relationstore.Kind, name string, on bool) (shown string, err error)
	Related(ctx context.Context, who lobby.User, kind relationstore.Kind) ([]relations.Related, error)
	RelationTo(who lobby.User, id storage.PlayerID) (follows, blocks bool)

	// Arrivals returns the arrivals of players that the user follows, or nil if the user can't follow any.
	Arrivals(who lobby.User) (news *relations.Arrivals, leave func())
}

// A Reporter takes reports about other players.
type Reporter interface {
	Report(ctx context.Context, who lobby.User, from origin.Origin, name, codeOrID, reason string) (operatorstore.Report, error)
	ReportSide(ctx context.Context, who lobby.User, from origin.Origin, codeOrID string, side games.Side, reason string) (operatorstore.Report, error)
}

// Accounts keep names and settings.
type Accounts interface {
	SignUp(ctx context.Context, fingerprint, name string) (lobby.User, error)
	SaveSettings(ctx context.Context, who lobby.User, s accounts.Settings) error
	SignIn(ctx context.Context, fingerprint string) (lobby.User, accounts.Settings, error)

	Account(ctx context.Context, who lobby.User) (schema.Account, error)
	ChangeName(ctx context.Context, who lobby.User, name string) (lobby.User, error)
	DeleteAccount(ctx context.Context, who lobby.User, sessions lobby.Sessions) error
}

// Keys gives keys, and the matches of guests, to accounts by codes.
type Keys interface {
	NewRecovery(ctx context.Context, who lobby.User) (code string, err error)
	OfferKey(ctx context.Context, who lobby.User) (code string, until time.Time, err error)
	RemoveKey(ctx context.Context, who lobby.User, fingerprint string, sessions lobby.Sessions) error

	// OfferMatches returns a code that gives a guest's finished matches to a key.
	OfferMatches(ctx context.Context, who lobby.User, from origin.Origin) (code string, until time.Time, err error)

	// ClaimKey and Recover are for a key without an account.
	ClaimKey(ctx context.Context, fingerprint string, from origin.Origin, code string, sessions lobby.Sessions) (lobby.User, error)
	Recover(ctx context.Context, fingerprint string, from origin.Origin, name, code string, sessions lobby.Sessions) (who lobby.User, next string, err error)
}

// Challenges finds players that the user can challenge.
type Challenges interface {
	Opponent(ctx context.Context, who lobby.User, name string) (seats.Opponent, error)
}

// Seats opens matches and takes free seats in them.
type Seats interface {
	Open(ctx context.Context, who lobby.User, spec seats.Spec) (lobby.Ref, error)
	Join(ctx context.Context, who lobby.User, from origin.Origin, code string) (lobby.Ref, error)
	Take(ctx context.Context, who lobby.User, id storage.MatchID) (lobby.Ref, error)
	OfferStake(ctx context.Context, who lobby.User, id storage.MatchID) (*standings.Stake, error)
	At(ctx context.Context, who lobby.User, ref lobby.Ref) (*seats.Seat, error)
}

// Standing keeps offers of players open.
type Standing interface {
	Keep(ctx context.Context, who lobby.User, spec seats.Spec, places int) (standingoffers.Kept, error)
}

// A Seeker finds opponents for quick matches.
type Seeker interface {
	Quick(ctx context.Context, who lobby.User, w quick.Wanted) (lobby.Ref, error)
	Seek(ctx context.Context, who lobby.User, w quick.Wanted) (quick.Search, error)

	LastQuick(s accounts.Settings) (quick.Wanted, bool)
	RememberQuick(s accounts.Settings, w quick.Wanted) accounts.Settings
}

// A Finder finds existing matches.
type Finder interface {
	Find(ctx context.Context, who lobby.User, from origin.Origin, codeOrID string) (lobby.Ref, error)
}

// A Television shows the best running match, and the last finished one.
type Television interface {
	TelevisionInLobby(ctx context.Context, who lobby.User, after *lobby.View) (*lobby.View, error)
	LastMatch(ctx context.Context) (*lists.Replay, error) // nil: there is none
}

// Standings returns ratings and statistics of finished matches.
type Standings interface {
	Leaderboard(ctx context.Context, game string) ([]standings.Line, error)
	Season(ctx context.Context, game string, season results.Season) ([]standings.Line, error)
	OwnLine(ctx context.Context, who lobby.User, game string) (standings.Line, bool, error)
	Profile(ctx context.Context, who lobby.User, name string) (standings.Profile, error)
	Career(ctx context.Context, who lobby.User, p standings.Profile, points int) (standings.Career, error)
}

// An Archive holds finished matches.
type Archive interface {
	History(ctx context.Context, q standings.HistoryQuery) ([]results.Finished, results.Cursor, error)

	// Openings returns how the rated matches of a game under complete options went on, from the start and after each of some first moves.
	Openings(ctx context.Context, g games.Game, o games.Options, moves []games.Move) ([]results.Opening, error)
}

// An Analyzer looks for the mistakes in finished matches.
type Analyzer interface {
	// Analysis returns the state of a match's analysis as soon as it is newer than after, which is 0 at first. The analysis
	// goes on while any session waits for it.
	Analysis(ctx context.Context, who lobby.User, id storage.MatchID, after uint64) (*lobby.AnalysisProgress, error)

	// Study is Analysis for a study of the user, as a view of a finished match.
	Study(ctx context.Context, who lobby.User, v *lobby.View, after uint64) (*lobby.AnalysisProgress, error)
}

// Studies has the records from elsewhere that the user keeps; see studies.Service.
type Studies interface {
	Imported(ctx context.Context, who lobby.User) ([]studies.Study, error) // the newest first
	Study(ctx context.Context, who lobby.User, typed string) (studies.Study, error)
	View(st studies.Study) (*lobby.View, error) // as a finished match
}

// A Notebook keeps the user's own notes on finished matches and studies.
type Notebook interface {
	// Notes returns the notes on a match, by ply. WriteNote sets the note on the position after ply moves, or removes it if it has no text.
	Notes(ctx context.Context, who lobby.User, id storage.MatchID) ([]studies.Note, error)
	WriteNote(ctx context.Context, who lobby.User, v *lobby.View, ply int, text string) ([]studies.Note, error)
}

// Plans keeps what the user has prepared for the other side's next moves; see plans.Service.
type Plans interface {
	Of(ctx context.Context, who lobby.User, id storage.MatchID) (plans.Prepared, error)
	Add(ctx context.Context, who lobby.User, id storage.MatchID, ply int, line []games.Move) (plans.Prepared, error)
	Clear(ctx context.Context, who lobby.User, id storage.MatchID) (plans.Prepared, error)
}

// Together lets two people look at one review; see together.Service.
type Together interface {
	Listen(who lobby.User) (i *together.Invitations, leave func())
	Lead(ctx context.Context, who, other lobby.User, ref lobby.Ref) (*together.Seat, error)
	Join(ctx context.Context, who lobby.User) (*together.Seat, error)
	Decline(who lobby.User)
}

// A Lounge is the room for all who are here; see lounge.Service.
type Lounge interface {
	Next(ctx context.Context, who lobby.User, after uint64) (*lounge.View, error)
	Say(ctx context.Context, who lobby.User, typed string) (lounge.Line, error)
}

// Tells are what players write to each other outside of matches; see tells.Service.
type Tells interface {
	Listen(who lobby.User) (i *tells.Incoming, leave func())
	Tell(ctx context.Context, who lobby.User, name, typed string) (tells.Line, error)
	All(ctx context.Context, who lobby.User) ([]tells.Line, error)
}

// Events are the services over the events of a club; see tournaments.Service. In some tests they are nil, each or all.
type Events struct {
	Reader       EventReader
	Announcer    Announcer
	Series       Series
	Registration Registration
}

// An EventReader shows events; see tournaments.Reader.
type EventReader interface {
	List(ctx context.Context, after uint64) (*tournaments.Listing, error)
	Watch() (l *tournaments.Listing, newer <-chan struct{})
	Past(ctx context.Context, who lobby.User, before time.Time, most int) (all []tournamentstore.Summary, next time.Time, err error)
	Next(ctx context.Context, id storage.TournamentID, after uint64) (*tournaments.View, error)
	View(ctx context.Context, id storage.TournamentID) (*tournaments.View, error)
	Board(p *state.Pairing) lobby.Ref
}

// Registration enters players in events; see tournaments.Registration.
type Registration interface {
	Enter(ctx context.Context, who lobby.User, ref tournaments.Ref) error
	Withdraw(ctx context.Context, who lobby.User, id storage.TournamentID) error
	Pause(ctx context.Context, who lobby.User, id storage.TournamentID, on bool) error
}

// An Announcer announces events; see tournaments.Announcer.
type Announcer interface {
	CallOff(ctx context.Context, who lobby.User, id storage.TournamentID) error
	MayAnnounce(ctx context.Context, who lobby.User, byOperator bool) error
	Announce(ctx context.Context, who lobby.User, spec tournaments.Spec) (tournaments.Ref, error)
}

// Series are the events that come again every week; see tournaments.Calendar.
type Series interface {
	Add(ctx context.Context, spec tournaments.Spec, when tournaments.Weekly) (tournamentstore.Series, error) // for operators
}

// A Catalog holds the games and the computer players.
type Catalog interface {
	Games() []games.Game
	Game(name string) (games.Game, error)
	Levels() []lobby.Level
}

// An Operator does what the operators' page asks for.
type Operator interface {
	Status() status.Status
	Reports(ctx context.Context, handled bool) ([]operatorstore.Report, error)
	Audit(ctx context.Context, before uint64, limit int) ([]operatorstore.AuditEntry, error)

	Mute(ctx context.Context, name string, until time.Time, reason string) (operatorstore.AuditEntry, error)
	Close(ctx context.Context, name, reason string) (operatorstore.AuditEntry, error)
	Handle(ctx context.Context, report uint64, reason string) (operatorstore.AuditEntry, error)
	Dossier(ctx context.Context, name string) (operators.Dossier, error)
	Ban(ctx context.Context, subject string, until time.Time, reason string) (operatorstore.AuditEntry, error)
	Undo(ctx context.Context, number uint64, reason string) (operatorstore.AuditEntry, error)
}
