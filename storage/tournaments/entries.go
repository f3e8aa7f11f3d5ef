package tournaments

import (
	"fmt"
	"math"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
)

// A Kind is a kind of tournament.
type Kind string

// The kinds of tournaments.
const (
	Arena    Kind = "arena"    // a time span in which those who wait are paired again and again
	Swiss    Kind = "swiss"    // rounds, each against an opponent with as many points
	Robin    Kind = "robin"    // everybody plays everybody
	Knockout Kind = "knockout" // the winner of a pair goes on
	Medley   Kind = "medley"   // one of the first three with another game each round
	Simul    Kind = "simul"    // one player against many at the same time
)

// Kinds returns all kinds of tournaments.
func Kinds() []Kind { return []Kind{Arena, Swiss, Robin, Knockout, Medley, Simul} }

// A Game is what is played in a round.
type Game struct {
	ID      string        `json:"game"`
	Options games.Options `json:"options"` // complete
}

// Settings are what a tournament is from its announcement on.
type Settings struct {
	Code  string `json:"code"` // in the form of the codes of matches
	Name  string `json:"name"`
	Kind  Kind   `json:"kind"`
	Base  Kind   `json:"base,omitempty"` // of a medley: Arena, Swiss or Robin
	Games []Game `json:"games"`          // one; of a medley at least two, which are played in turn
	Clock string `json:"clock"`          // 5+3; of a round robin also 3d
	Rated bool   `json:"rated,omitempty"`
	Admission
	Begins time.Time     `json:"begins"`           // UTC, whole milliseconds
	Span   time.Duration `json:"span,omitempty"`   // of an arena
	Rounds int           `json:"rounds,omitempty"` // of a Swiss
	Twice  bool          `json:"twice,omitempty"`  // of a round robin: each pair plays twice
	Least  int           `json:"least"`            // with fewer entrants the tournament is called off
	Most   int           `json:"most"`             // entrants
	Filling
	Side   string           `json:"side,omitempty"` // of a simultaneous exhibition, the side of the one: first, second; "" for both in turn
	Seed   uint64           `json:"seed"`           // of all that is decided by lot
	By     storage.Occupant `json:"by,omitzero"`    // the announcer; free for one of a series
	Series SeriesID         `json:"series,omitempty"`

	ByOperator bool `json:"by_operator,omitempty"` // the announcer ran the club
}

// An Admission says who may enter a tournament.
type Admission struct {
	Private bool   `json:"private,omitempty"` // found by its code alone
	Range   [2]int `json:"range,omitzero"`    // the least and the highest rating of an entrant; zero: any
	Engines bool   `json:"engines,omitempty"` // computer accounts may enter
}

// A Filling says which computer players enter a tournament that has few entrants.
type Filling struct {
	Fill   int              `json:"fill,omitempty"`  // they enter until there are as many entrants
	Filler storage.Occupant `json:"filler,omitzero"` // the computer player that does
}

// OfClub reports whether the tournament is one of an operator or a series.
func (s *Settings) OfClub() bool { return s.ByOperator || !s.By.Kind.HasAccount() }

// Plan returns how rounds are paired: the kind, or what a medley is based on.
func (s *Settings) Plan() Kind {
	if s.Kind == Medley {
		return s.Base
	}
	return s.Kind
}

// An EntryKind says what an entry of a log is.
type EntryKind string

// The kinds of entries.
const (
	Announced EntryKind = "announced"  // Settings: always the first entry, and only that
	Entered   EntryKind = "entered"    // Who, Rating: a new entrant, or one who comes back
	Withdrawn EntryKind = "withdrawn"  // Entrant, Reason
	Paused    EntryKind = "paused"     // Entrant: it takes no part in the next rounds
	Resumed   EntryKind = "resumed"    // Entrant: it takes part again
	Round     EntryKind = "round"      // Round: it begins; the first one begins the tournament
	Paired    EntryKind = "paired"     // Round, Pairs
	Result    EntryKind = "result"     // Match, Result, Reason
	Ended     EntryKind = "ended"      // always the last entry, or CalledOff
	CalledOff EntryKind = "called_off" // Reason
)

// EntryVersion is the version of all entries.
const EntryVersion = 1

// The reasons of entries.
const (
	ByEntrant   = "left"     // Withdrawn: the entrant has left
	ByAbsence   = "absent"   // Withdrawn: the entrant has not begun two matches in time
	ByAccount   = "account"  // Withdrawn: the account is closed or deleted
	ByFew       = "few"      // CalledOff: there were too few entrants
	ByAnnouncer = "by"       // CalledOff: the announcer has
	ByOperator  = "operator" // CalledOff: an operator has

	Played  = ""        // Result: by the match
	Unbegun = "unbegun" // Result: the side that lost made no move in time
	Void    = "void"    // Result: the match has none
	Missing = "missing" // Result: there is no record of the match
)

// A Pair is two entrants who play, by their numbers.
type Pair struct {
	Board  int             `json:"b"`
	Match  storage.MatchID `json:"m,omitempty"` // "" without a match: a bye, or a pair that is decided at once
	First  int             `json:"f"`
	Second int             `json:"s,omitempty"` // 0: a bye
	Result string          `json:"r,omitempty"` // of a pair without a match: first, second, draw, or "" for a bye
	Game   int             `json:"g,omitempty"` // index in Settings.Games
	Clock  string          `json:"c,omitempty"` // "" for that of the tournament
}

// An Entry is one entry in the log of a tournament. Fields that its kind doesn't use are zero.
type Entry struct {
	Seq      uint64    // from 1, without gaps
	Kind     EntryKind //
	At       time.Time // UTC, whole milliseconds, never before the entry before
	Settings *Settings // never changed once written
	Who      storage.Occupant
	Rating   int // in whole points
	Entrant  int // its number, from 1 in the order of entry
	Round    int // from 1
	Pairs    []Pair
	Match    storage.MatchID
	Result   string // first, second or draw; "" if the match is void
	Reason   string
}

// entryJSON is a stored entry. Its number follows from the key.
type entryJSON struct {
	Kind     EntryKind        `json:"k"`
	At       int64            `json:"t"` // milliseconds since 1970
	Settings *Settings        `json:"o,omitempty"`
	Who      storage.Occupant `json:"w,omitzero"`
	Rating   int              `json:"g,omitempty"`
	Entrant  int              `json:"n,omitempty"`
	Round    int              `json:"d,omitempty"`
	Pairs    []Pair           `json:"p,omitempty"`
	Match    storage.MatchID  `json:"m,omitempty"`
	Result   string           `json:"r,omitempty"`
	Reason   string           `json:"e,omitempty"`
}

// A LogKey names an entry of the log of a tournament.
type LogKey struct {
	Tournament storage.TournamentID
	Seq        uint64
}

// Logs are the entries of the logs of all tournaments.
var Logs = storage.Table[LogKey, Entry]{
	Name: "tournament_logs",
	Keys: storage.Join(storage.Text[storage.TournamentID](nil), storage.Number(),
		func(k LogKey) (storage.TournamentID, uint64) { return k.Tournament, k.Seq },
		func(id storage.TournamentID, seq uint64) LogKey { return LogKey{id, seq} }).
		ShownAs(func(k LogKey) string {
			return fmt.Sprintf("%s entry %d", storage.Printable([]byte(k.Tournament)), k.Seq)
		}),
	Values: storage.JSONAs(EntryVersion, func(e Entry) entryJSON {
		return entryJSON{e.Kind, e.At.UnixMilli(), e.Settings, e.Who, e.Rating, e.Entrant, e.Round, e.Pairs, e.Match, e.Result, e.Reason}
	}, func(k LogKey, j entryJSON) (Entry, error) {
		e := Entry{k.Seq, j.Kind, storage.FromMS(j.At), j.Settings, j.Who, j.Rating, j.Entrant, j.Round, j.Pairs, j.Match, j.Result, j.Reason}
		if err := checkEntry(e); err != nil {
			return Entry{}, storage.Damaged("entry %d of a tournament makes no sense", k.Seq)
		}
		return e, nil
	}),
}

// What a log may hold.
const (
	MaxEntrants = 512
	MaxPairs    = MaxEntrants // of one entry
	MaxEntries  = 20_000      // of one log; a tournament in which more would be written pairs no more
	maxGames    = 16
)

// checkEntry refuses an entry that breaks what its type promises.
func checkEntry(e Entry) error {
	bare := Entry{Seq: e.Seq, Kind: e.Kind, At: e.At}
	fits := true
	switch e.Kind {
	case Announced:
		bare.Settings = e.Settings
		fits = e.Settings != nil
	case Entered:
		bare.Who, bare.Rating = e.Who, e.Rating
		fits = e.Who.ID != "" && e.Who.Name != "" && e.Rating >= 0
	case Withdrawn:
		bare.Entrant, bare.Reason = e.Entrant, e.Reason
		fits = e.Entrant > 0
	case Paused, Resumed:
		bare.Entrant = e.Entrant
		fits = e.Entrant > 0
	case Round:
		bare.Round = e.Round
		fits = e.Round > 0
	case Paired:
		bare.Round, bare.Pairs = e.Round, e.Pairs
		fits = e.Round > 0 && len(e.Pairs) > 0 && len(e.Pairs) <= MaxPairs
	case Result:
		bare.Match, bare.Result, bare.Reason = e.Match, e.Result, e.Reason
		fits = e.Match != "" && (e.Result == "" || storage.Decided(e.Result))
	case Ended:
	case CalledOff:
		bare.Reason = e.Reason
	default:
		return fmt.Errorf("%w: entry %d is of kind %q", storage.ErrInvalid, e.Seq, e.Kind)
	}
	switch {
	case e.Seq == 0 || (e.Kind == Announced) != (e.Seq == 1) || !fits || !sameEntry(e, bare):
		return fmt.Errorf("%w: entry %d, %s, doesn't have what its kind has", storage.ErrInvalid, e.Seq, e.Kind)
	case !storage.FromMS(e.At.UnixMilli()).Equal(e.At):
		return fmt.Errorf("%w: entry %d has a time that is not in whole milliseconds", storage.ErrInvalid, e.Seq)
	}
	for _, p := range e.Pairs {
		if p.Board < 1 || p.First < 1 || p.Second < 0 || p.First == p.Second || p.Second == 0 && (p.Match != "" || p.Result != "") ||
			p.Second > 0 && (p.Match == "") != (p.Result != "") || p.Result != "" && !storage.Decided(p.Result) || p.Game < 0 || p.Game >= maxGames {
			return fmt.Errorf("%w: entry %d has the pair %+v", storage.ErrInvalid, e.Seq, p)
		}
		if err := storage.CheckText(string(p.Match), p.Clock); err != nil {
			return err
		}
	}
	if e.Settings != nil {
		if err := CheckSettings(*e.Settings); err != nil {
			return err
		}
	}
	if err := storage.CheckOccupants(e.Who); err != nil {
		return err
	}
	return storage.CheckText(string(e.Match), e.Reason)
}

// sameEntry reports whether two entries with the same settings and pairs are the same.
func sameEntry(a, b Entry) bool {
	return a.Settings == b.Settings && a.Who == b.Who && a.Rating == b.Rating && a.Entrant == b.Entrant && a.Round == b.Round &&
		len(a.Pairs) == len(b.Pairs) && a.Match == b.Match && a.Result == b.Result && a.Reason == b.Reason
}

// CheckSettings refuses settings that would not come back as they are, or that no tournament has.
func CheckSettings(s Settings) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: a tournament with %s", storage.ErrInvalid, fmt.Sprintf(format, args...))
	}
	plan := s.Plan()
	switch {
	case !slices.Contains(Kinds(), s.Kind) || (s.Kind == Medley) != (s.Base != ""):
		return wrong("the kind %q of %q", s.Kind, s.Base)
	case s.Kind == Medley && plan != Arena && plan != Swiss && plan != Robin:
		return wrong("a medley of %q", plan)
	case len(s.Games) == 0 || len(s.Games) > maxGames || (s.Kind == Medley) != (len(s.Games) > 1):
		return wrong("%d games", len(s.Games))
	case (plan == Arena) != (s.Span > 0) || s.Span < 0 || s.Span%time.Millisecond != 0:
		return wrong("a span of %v", s.Span)
	case (plan == Swiss) != (s.Rounds > 0) || s.Rounds < 0 || s.Rounds > math.MaxInt16:
		return wrong("%d rounds", s.Rounds)
	case s.Twice && plan != Robin || s.Side != "" && (plan != Simul || s.Side != "first" && s.Side != "second"):
		return wrong("settings of another kind")
	case s.Least < 2 || s.Most < s.Least || s.Most > MaxEntrants || s.Fill < 0 || s.Fill > s.Most:
		return wrong("%d to %d entrants, filled up to %d", s.Least, s.Most, s.Fill)
	case (s.Fill > 0) != (s.Filler.Kind == storage.Bot) || s.Fill > 0 && s.Rated:
		return wrong("the computer player %q", s.Filler.ID)
	case s.Rated && s.Private:
		return wrong("ratings that is private")
	case s.Range[0] < 0 || s.Range[1] < s.Range[0]:
		return wrong("the range %v", s.Range)
	case s.Begins.IsZero() || !storage.FromMS(s.Begins.UnixMilli()).Equal(s.Begins) || s.Begins.Location() != time.UTC:
		return wrong("the time %v", s.Begins)
	case s.Clock == "":
		return wrong("no clock")
	}
	for _, g := range s.Games {
		if err := storage.CheckKeys(g.ID); err != nil {
			return err
		}
		if err := storage.CheckOptions(g.Options); err != nil {
			return err
		}
	}
	if err := storage.CheckOccupants(s.Filler, s.By); err != nil {
		return err
	}
	if err := storage.CheckKeys(s.Code, s.Name); err != nil {
		return err
	}
	return storage.CheckText(s.Clock, string(s.Series))
}
