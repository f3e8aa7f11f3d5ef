package tournaments

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// What an announcement may say.
const (
	MinAge    = 7 * 24 * time.Hour  // of the account of an announcer
	MaxAhead  = 60 * 24 * time.Hour // until a tournament begins
	MinAhead  = time.Minute
	MinSpan   = 10 * time.Minute // of an arena
	MaxSpan   = 12 * time.Hour
	MaxRounds = 30        // of a Swiss
	MaxBase   = time.Hour // on the clock of each side, but for days a move

	// Defaults of an announcement that doesn't say otherwise.
	DefaultSpan   = time.Hour
	DefaultRounds = 5
	DefaultLeast  = 4
)

// A Game is a game that an announcement names.
type Game struct {
	ID      string        // id or alias
	Options games.Options // missing ones have their defaults
}

// A Spec describes the tournament that a user wants. Zero fields stand for what their comments say.
type Spec struct {
	Kind    tournaments.Kind
	Base    tournaments.Kind // of a medley; "": Swiss
	Games   []Game           // one; of a medley 2 to 16
	Name    string           // words, see names.CheckTitle
	Clock   clock.Setting    // a Fischer clock; a round robin may have days a move
	Rated   bool             // only if public, and without computer players
	Private bool             // found by its code alone
	Range   [2]int           // of ratings; zero: any
	Engines bool             // computer accounts may enter
	Begins  time.Time
	Span    time.Duration // of an arena; 0: DefaultSpan
	Rounds  int           // of a Swiss; 0: DefaultRounds
	Twice   bool          // of a round robin
	Least   int           // entrants; 0: DefaultLeast, and 2 for a simultaneous exhibition
	Most    int           // entrants; 0: as many as the kind allows
	Fill    int           // computer players enter until there are as many entrants; 0: none do
	Level   string        // id of the computer player that does
	Side    string        // first, second or "": of the announcer of a simultaneous exhibition; "" is both in turn

	ByOperator bool // the announcer runs the club: the account may be younger than MinAge, and there are places that players don't get
}

// How often people may announce tournaments. A block of addresses may do so as often as origin.PeoplePerAddress people for each unit of its weight.
const (
	announceEvery = 4 * time.Hour
	announceBurst = 3
)

// An Announcer announces tournaments, and calls them off. Any goroutine may use it.
type Announcer struct {
	config     *Config
	unfinished *Unfinished
	reader     *Reader
	acts       *acts
	limiter    limiter
}

func newAnnouncer(c *Config, unfinished *Unfinished, reader *Reader, acts *acts) *Announcer {
	limit := origin.NewSharedThrottle(announceEvery, announceBurst, origin.PeoplePerAddress, remembered)
	return &Announcer{c, unfinished, reader, acts, limiter{c.Players, limit}}
}

// Announce announces a tournament. The announcer of a simultaneous exhibition enters it at once. The errors are refusal.ErrNeedsKey,
// refusal.ErrEngine, refusal.ErrAccountClosed, a *refusal.MutedError, refusal.ErrYoungAccount, the errors of Plan, refusal.ErrOtherTournament if
// another tournament of the user is open or runs, refusal.ErrManyTournaments if the club has too many, refusal.ErrDiskFull, a *refusal.TooFastError,
// refusal.ErrCutOff, refusal.ErrBusy and refusal.ErrClosed.
func (a *Announcer) Announce(ctx context.Context, u match.User, spec Spec) (Ref, error) {
	if err := a.unfinished.untilStarted(ctx); err != nil {
		return Ref{}, err
	}
	if err := a.mayAnnounce(ctx, u, spec.ByOperator); err != nil {
		return Ref{}, err
	}
	settings, err := a.Plan(spec)
	if err != nil {
		return Ref{}, err
	}
	settings.By, settings.ByOperator = u.Occupant(), spec.ByOperator
	var ref Ref
	err = a.limiter.do(u, func() (err error) {
		ref, err = a.announce(ctx, u, settings)
		return err
	})
	return ref, err
}

// MayAnnounce returns the reason why a user may announce no tournament now, before anything is said about it: an error of Announce that depends on
// the user alone, or nil. Announce asks again.
func (a *Announcer) MayAnnounce(ctx context.Context, u match.User, byOperator bool) error {
	if err := a.unfinished.untilStarted(ctx); err != nil {
		return err
	}
	if err := a.mayAnnounce(ctx, u, byOperator); err != nil {
		return err
	}
	if slices.ContainsFunc(a.reader.Now().All, func(v *View) bool { return u.Is(v.Settings.By) }) {
		return refusal.ErrOtherTournament
	}
	return nil
}

// mayAnnounce refuses users who may not announce a tournament; operators may with a new account too.
func (a *Announcer) mayAnnounce(ctx context.Context, u match.User, operator bool) error {
	if err := a.config.mayTakePart(u); err != nil {
		return err
	}
	if u.Kind == storage.Engine {
		return refusal.ErrEngine
	}
	if until := a.config.Restrictions.MutedUntil(u); a.config.Now().Before(until) {
		return &refusal.MutedError{Until: until}
	}
	p, err := a.config.Store.Player(ctx, u.Player())
	switch {
	case errors.Is(err, storage.ErrNotFound), err == nil && !p.Deleted.IsZero():
		return refusal.ErrNoAccount
	case err != nil:
		return refusal.OfStore(err)
	case !operator && a.config.Now().Sub(p.Since) < MinAge:
		return refusal.ErrYoungAccount
	}
	return a.config.Reach.Room(refusal.ErrDiskFull)
}

// announce writes the first entries of a tournament and runs it.
func (a *Announcer) announce(ctx context.Context, u match.User, settings tournaments.Settings) (Ref, error) {
	var strength match.Strength
	if settings.Kind == tournaments.Simul {
		strength = a.config.Players.Strength(ctx, u.Occupant(), settings.Games[0].ID).OrNewcomer()
	}
	for range maxCodes {
		settings.Code, settings.Seed = codes.New(), rand.Uint64()
		id := storage.TournamentID(codes.NewID())
		first := settings
		entries := []tournaments.Entry{{Kind: tournaments.Announced, Settings: &first}}
		if settings.Kind == tournaments.Simul {
			entries = append(entries, tournaments.Entry{Kind: tournaments.Entered, Who: u.Occupant(), Rating: max(int(strength.Rating+0.5), 0)})
		}
		next, added, err := state.New(id).Extend(entries, a.config.Now())
		if err != nil {
			return Ref{}, err
		}
		err = a.config.Store.AppendTournament(ctx, id, added, next.Summary())
		if errors.Is(err, storage.ErrCommit) {
			if log, again := a.config.Store.TournamentLog(ctx, id, 1, 1); again == nil && len(log) == 1 {
				err = nil // it was written after all
			}
		}
		if errors.Is(err, storage.ErrCodeTaken) || errors.Is(err, storage.ErrStale) {
			continue
		}
		if err != nil {
			return Ref{}, ofAnnouncing(err)
		}
		a.unfinished.add(id).announced(next)
		return Ref{id, settings.Code}, nil
	}
	return Ref{}, fmt.Errorf("%w: no free code or id", refusal.ErrBusy)
}

// Plan checks a spec and returns the settings of its tournament without announcer, code and seed. The errors are refusal.ErrNoSuchGame, a
// *games.OptionError, refusal.ErrEndless, refusal.ErrNoSuchLevel, a *names.Error for the name, refusal.ErrTournamentTime if it begins too soon
// or too late, refusal.ErrRatedTournament, and refusal.ErrSpec.
func (a *Announcer) Plan(spec Spec) (tournaments.Settings, error) {
	set := tournaments.Settings{
		Kind: spec.Kind, Rated: spec.Rated, Begins: storage.Stored(spec.Begins),
		Twice: spec.Twice, Side: spec.Side, Clock: spec.Clock.String(), Filling: tournaments.Filling{Fill: spec.Fill},
		Admission: tournaments.Admission{Private: spec.Private, Range: spec.Range, Engines: spec.Engines},
	}
	if now := a.config.Now(); set.Begins.Before(now.Add(MinAhead)) || set.Begins.After(now.Add(MaxAhead)) {
		return set, refusal.ErrTournamentTime
	}
	if err := planKind(spec, &set); err != nil {
		return set, err
	}
	for _, g := range spec.Games {
		game, err := a.config.Catalogue.Game(g.ID)
		if err != nil {
			return set, err
		}
		options, err := games.Complete(game, g.Options)
		if err != nil {
			return set, err
		}
		if _, bounded := game.Longest(options); !bounded {
			return set, refusal.ErrEndless
		}
		set.Games = append(set.Games, tournaments.Game{ID: game.About().ID, Options: options})
	}
	if spec.Fill > 0 {
		level, ok := a.config.Catalogue.Level(set.Games[0].ID, spec.Level)
		if !ok {
			return set, refusal.ErrNoSuchLevel
		}
		set.Filler = storage.Occupant{Kind: storage.Bot, ID: level.ID, Name: level.Name}
	}
	name, err := names.CheckTitle(strings.TrimSpace(spec.Name))
	if err != nil {
		return set, err
	}
	set.Name = name
	check := set
	check.Code = "222222"
	if tournaments.CheckSettings(check) != nil {
		return set, refusal.ErrSpec
	}
	return set, nil
}

// planKind checks what depends on the kind of a tournament, and sets what the spec leaves open.
func planKind(spec Spec, set *tournaments.Settings) error {
	if spec.Kind == tournaments.Medley {
		if set.Base = spec.Base; set.Base == "" {
			set.Base = tournaments.Swiss
		}
	} else if spec.Base != "" {
		return refusal.ErrSpec
	}
	plan := set.Plan()
	var most int
	set.Least, most = Sizes(plan)
	switch plan {
	case tournaments.Arena:
		if set.Span = spec.Span; set.Span == 0 {
			set.Span = DefaultSpan
		}
		if set.Span < MinSpan || set.Span > MaxSpan {
			return refusal.ErrSpec
		}
		set.Span = set.Span.Truncate(time.Minute)
	case tournaments.Swiss:
		if set.Rounds = spec.Rounds; set.Rounds == 0 {
			set.Rounds = DefaultRounds
		}
		if set.Rounds < 1 || set.Rounds > MaxRounds {
			return refusal.ErrSpec
		}
	case tournaments.Robin, tournaments.Simul, tournaments.Knockout:
	default:
		return refusal.ErrSpec
	}
	if spec.Span != 0 && plan != tournaments.Arena || spec.Rounds != 0 && plan != tournaments.Swiss {
		return refusal.ErrSpec
	}
	if spec.Least != 0 {
		set.Least = spec.Least
	}
	if set.Most = spec.Most; set.Most == 0 {
		set.Most = most
	}
	c := spec.Clock
	switch {
	case set.Most > most, spec.Fill > min(set.Most, MaxFill):
		return refusal.ErrSpec
	case c.Kind != clock.Fischer && (c.Kind != clock.Correspondence || plan != tournaments.Robin):
		return refusal.ErrSpec
	case c.Kind == clock.Fischer && c.Base > MaxBase:
		return refusal.ErrSpec
	case spec.Rated && (spec.Private || spec.Fill > 0):
		return refusal.ErrRatedTournament
	}
	return nil
}

// Sizes returns how many entrants a tournament has at least unless its announcement says otherwise, and how many it may have, by how its rounds are
// paired.
func Sizes(plan tournaments.Kind) (least, most int) {
	switch plan {
	case tournaments.Robin:
		return 3, state.MaxRobin
	case tournaments.Simul:
		return 2, state.MaxSimul + 1
	}
	return DefaultLeast, tournaments.MaxEntrants
}

// MaxFill is how many entrants a tournament may be filled up to with computer players, which think on the machine of the club.
const MaxFill = 16

// CallOff calls off a tournament that a user has announced, before it begins. The errors are refusal.ErrNotAnnouncer, refusal.ErrBegun,
// refusal.ErrEnded, and the errors of acts.by.
func (a *Announcer) CallOff(ctx context.Context, u match.User, id storage.TournamentID) error {
	return a.acts.by(ctx, u, id, func(t *state.State) ([]tournaments.Entry, error) {
		switch {
		case t.Stage.Closed():
			return nil, refusal.ErrEnded
		case !t.Settings.By.Kind.HasAccount() || !u.Is(t.Settings.By):
			return nil, refusal.ErrNotAnnouncer
		case t.Stage != tournaments.Open:
			return nil, refusal.ErrBegun
		}
		return []tournaments.Entry{{Kind: tournaments.CalledOff, Reason: tournaments.ByAnnouncer}}, nil
	})
}

// End calls a tournament off for an operator, at any time. Matches that go on stay, and count for ratings alone. The errors are refusal.ErrEnded and
// the errors of acts.byOperator.
func (a *Announcer) End(ctx context.Context, id storage.TournamentID) error {
	return a.acts.byOperator(ctx, id, func(t *state.State) ([]tournaments.Entry, error) {
		if t.Stage.Closed() {
			return nil, refusal.ErrEnded
		}
		return []tournaments.Entry{{Kind: tournaments.CalledOff, Reason: tournaments.ByOperator}}, nil
	})
}

// ofAnnouncing returns an error of the store about a new tournament as one for people.
func ofAnnouncing(err error) error {
	switch {
	case errors.Is(err, tournaments.ErrMany):
		return refusal.ErrManyTournaments
	case errors.Is(err, tournaments.ErrOther):
		return refusal.ErrOtherTournament
	}
	return refusal.OfStore(err)
}
