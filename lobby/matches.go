package lobby

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
)

// A Choice is the side that a user wants to play.
type Choice uint8

// The choices. The zero value lets chance decide, when the match is opened.
const (
	RandomSide Choice = iota
	PlayFirst
	PlaySecond
)

// ParseChoice reads first, second or random, the words of the command line; "" is random.
func ParseChoice(s string) (c Choice, ok bool) {
	switch s {
	case "", "random":
		return RandomSide, true
	case "first":
		return PlayFirst, true
	case "second":
		return PlaySecond, true
	}
	return 0, false
}

// An exhibition is a match between two computer players. It pauses while nobody watches it (nobody waits in Seat.Next), and is
// aborted when nobody has for Limits.Unwatched or when the user who opened it says so. Its computer players think after those
// that people wait for.

// A Spec says what match a user wants. At most one of Bot, Bots and Hotseat is used; without any the match waits for
// another person.
type Spec struct {
	Game    string        // id or alias
	Options games.Options // what is missing is the default
	Side    Choice
	Rated   bool         // only between two players with keys
	Clock   ClockSetting // the zero value is none. Exhibitions have none
	Public  bool         // listed in the lobby, while it waits and while it runs

	// Of a match that waits for another person.
	Range [2]int // the least and the highest rating of who may join, see RangeError; zero: any
	To    string // a challenge: the name of the only one who may join; "": anybody may. Not for a public match, nor with a Range

	Bot     string    // id of the level to play against
	Bots    [2]string // an exhibition: ids of two levels that play each other, by side; Side has no meaning
	Hotseat bool      // both sides are played at one keyboard

	// From is the position in which the match begins, as one line that the game reads; "" is its start position. The game is not
	// over in it. Its options are those of the match: Options are empty, or the same when completed. Moves, if any, are given: the
	// match begins after them. They are legal and don't end the game. Both only for a casual match with a person, against a level
	// or at one keyboard.
	From  string
	Moves []games.Move
}

// maxCodes is how many codes, and ids with them, are tried for a match. With a million matches, one code in seven hundred is taken.
const maxCodes = 10

// Open opens a match. Against a computer player, between two of them and at one keyboard it starts at once.
// The errors are ErrNoSuchGame, ErrNoSuchLevel, a *games.OptionError, ErrEndless, ErrSpec, ErrRatedGuest (a guest asks for
// a rated match), ErrRated, ErrRatedStudy, a *games.PositionError, a *games.IllegalError and ErrDecided for the moves, those of a
// challenge (see challenge), ErrTooMany, ErrFull, ErrDiskFull, ErrBusy, ErrClosed.
func (l *Lobby) Open(ctx context.Context, u User, spec Spec) (Ref, error) {
	o, err := l.plan(spec)
	if err != nil {
		return Ref{}, err
	}
	if spec.Rated && u.Kind != storage.Person {
		return Ref{}, ErrRatedGuest
	}
	side := games.First
	if spec.Side == PlaySecond || spec.Side == RandomSide && randomSeed()%2 == 1 {
		side = games.Second
	}
	var seats [2]storage.Occupant
	opener, c := storage.SeatOf(side), pending{matches: 1}
	switch {
	case spec.Bots != [2]string{}:
		seats = [2]storage.Occupant{l.bot(spec.Bots[games.First]), l.bot(spec.Bots[games.Second])}
		opener, c = storage.Nobody, pending{exhibitions: 1}
	case spec.Hotseat:
		seats = [2]storage.Occupant{u.Occupant(), u.Occupant()}
	case spec.Bot != "":
		seats[side], seats[side.Other()] = u.Occupant(), l.bot(spec.Bot)
	default:
		if err := l.mayMeet(u); err != nil {
			return Ref{}, err
		}
		seats[side] = u.Occupant()
		c.offers = 1
		if spec.To != "" {
			return l.challenge(ctx, u, spec, o, side, c)
		}
	}
	o.First, o.Second = seats[games.First], seats[games.Second]
	if c.exhibitions > 0 {
		o.By = u.Occupant()
	}
	return l.openMatch(ctx, u, o, opener, c)
}

// plan checks what a user wants and returns the opening without its seats and its code.
func (l *Lobby) plan(spec Spec) (storage.Opening, error) {
	g, err := l.Game(spec.Game)
	if err != nil {
		return storage.Opening{}, err
	}
	options, initial, err := begin(g, spec)
	if err != nil {
		return storage.Opening{}, err
	}
	if _, bounded := g.Longest(options); !bounded {
		return storage.Opening{}, ErrEndless
	}
	kinds := 0
	for _, is := range []bool{spec.Bot != "", spec.Bots != [2]string{}, spec.Hotseat} {
		if is {
			kinds++
		}
	}
	if kinds > 1 || spec.Side > PlaySecond || !spec.termsFit(kinds) {
		return storage.Opening{}, ErrSpec
	}
	var levels []string
	if spec.Bot != "" {
		levels = append(levels, spec.Bot)
	}
	if spec.Bots != [2]string{} {
		levels = append(levels, spec.Bots[:]...)
	}
	for _, id := range levels {
		if _, ok := l.level(id); !ok {
			return storage.Opening{}, ErrNoSuchLevel
		}
	}
	if spec.Rated && kinds > 0 {
		return storage.Opening{}, ErrRated
	}
	if spec.Clock != (ClockSetting{}) && spec.Bots != [2]string{} {
		return storage.Opening{}, ErrSpec // nobody has to watch, and while nobody does they pause
	}
	if err := l.checkGiven(initial, spec); err != nil {
		return storage.Opening{}, err
	}
	from := ""
	if spec.From != "" {
		from = initial.String()
	}
	return storage.Opening{
		Game: g.About().ID, Options: options, Rated: spec.Rated, Public: spec.Public, Moves: slices.Clone(spec.Moves),
		Clock: storedClock(spec.Clock), From: from, Range: spec.Range,
	}, nil
}

// begin returns the complete options of a match that a user wants, and the position before its first move.
func begin(g games.Game, spec Spec) (games.Options, games.Position, error) {
	options := spec.Options
	if spec.From != "" && len(options) == 0 {
		p, err := games.Study(g, spec.From)
		if err != nil {
			return nil, nil, err
		}
		return p.Options(), p, nil
	}
	options, err := games.Complete(g, options)
	if err != nil {
		return nil, nil, err
	}
	initial, err := games.Begin(g, options, spec.From)
	return options, initial, err
}

// storedClock returns the clock of a match as its opening keeps it.
func storedClock(c ClockSetting) string {
	if c == (ClockSetting{}) {
		return ""
	}
	return c.String()
}

// checkGiven refuses a position and moves that no match can begin with.
func (l *Lobby) checkGiven(initial games.Position, spec Spec) error {
	switch {
	case len(spec.Moves) == 0 && spec.From == "":
		return nil
	case spec.Rated:
		return ErrRatedStudy
	case spec.Bots != [2]string{}, len(spec.Moves) >= l.limits.Plies:
		return ErrSpec
	}
	p, err := games.ReplayFrom(initial, spec.Moves)
	switch {
	case err != nil:
		return err
	case p.Result().Over:
		return ErrDecided
	}
	return nil
}

// bot returns a level as it sits in a seat.
func (l *Lobby) bot(id string) storage.Occupant {
	v, _ := l.level(id)
	return storage.Occupant{Kind: storage.Bot, ID: v.ID, Name: v.Name}
}

// openMatch writes the first event of a new match and lets it run.
func (l *Lobby) openMatch(ctx context.Context, u User, o storage.Opening, opener storage.Seat, c pending) (ref Ref, err error) {
	if l.full() {
		return Ref{}, ErrDiskFull
	}
	err = l.throttled(l.pace.opening, u, func() (err error) {
		ref, err = l.openNow(ctx, u, o, opener, c)
		return err
	})
	return ref, err
}

func (l *Lobby) openNow(ctx context.Context, u User, o storage.Opening, opener storage.Seat, c pending) (Ref, error) {
	c.opened = 1
	_, away := l.away(u.Occupant())
	for range maxCodes {
		release, err := l.reserve(ctx, u, c)
		if err != nil {
			return Ref{}, err
		}
		o.Code = newCode()
		// The reservation stands until the match itself counts, also if the user is gone by then.
		m, opened := live.Open(&l.live, newID(), !away, match.Open(o, opener), release)
		err = l.start(func(ctx, writes context.Context) { m.Run(ctx, writes, func() {}) })
		if err != nil {
			release()
			return Ref{}, err
		}
		if err = opened(ctx); !errors.Is(err, storage.ErrCodeTaken) && !errors.Is(err, storage.ErrStale) {
			return Ref{ID: m.ID(), Code: o.Code}, err
		}
	}
	return Ref{}, fmt.Errorf("%w: no free code or id", ErrBusy)
}

// Join takes the free seat of the match with this code, in any letter case. Wrong guesses count against the
// user and where they come from. A user who has joined already just gets the match, and guesses
// nothing. The errors are ErrNoSuchMatch, a *ThrottledError, ErrOver, ErrSeatTaken, ErrReserved, ErrOwnOffer, ErrRatedGuest, a *RangeError,
// ErrBlocked, ErrTooMany, ErrBusy, ErrClosed. The Ref is good whenever the match exists, so that one can watch it instead.
func (l *Lobby) Join(ctx context.Context, u User, from origin.Origin, code string) (Ref, error) {
	id, err := l.guess(ctx, u, from, readCode(code))
	if err != nil {
		return Ref{}, err
	}
	s, quarantined := l.index.find(id)
	switch {
	case quarantined:
		return Ref{ID: id, Code: readCode(code)}, ErrDamaged
	case s == nil:
		return Ref{ID: id, Code: readCode(code)}, ErrOver
	}
	return s.Ref, l.sit(ctx, u, s)
}

// Take takes the free seat of an offer in the lists. The errors are those of Join; a private match that is not reserved for
// the user is ErrNoSuchMatch. The Ref has the code if the user sits in the match now.
func (l *Lobby) Take(ctx context.Context, u User, id storage.MatchID) (Ref, error) {
	if err := l.look(ctx, u, Ref{ID: id}); err != nil {
		return Ref{}, err
	}
	s, _ := l.index.find(id)
	if s == nil {
		return Ref{ID: id}, ErrOver
	}
	if err := l.sit(ctx, u, s); err != nil {
		return Ref{ID: id}, err
	}
	return s.Ref, nil
}

// sit has a user take the free seat of a match.
func (l *Lobby) sit(ctx context.Context, u User, s *match.Summary) error {
	release := func() {}
	if _, seated := s.Side(u); !seated {
		err := l.mayMeet(u)
		if err == nil {
			err = l.mayTake(ctx, u, s)
		}
		if err != nil {
			return err
		}
		if release, err = l.reserve(ctx, u, pending{matches: 1}); err != nil {
			return err
		}
	}
	return l.do(ctx, s.ID, match.Join(u), release)
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// running returns an unfinished match; ErrOver if it has ended, and the errors of views.
func (l *Lobby) running(ctx context.Context, id storage.MatchID) (*live.Match, error) {
	m, err := l.inMemory(ctx, id)
	if m != nil || err != nil {
		return m, err
	}
	if _, err := l.views(ctx, id); err != nil {
		return nil, err
	}
	return nil, ErrOver
}

// do has an unfinished match do an act. release is called once, when it is known what has come of it, before do returns unless
// ctx ends first.
func (l *Lobby) do(ctx context.Context, id storage.MatchID, act match.Act, release func()) error {
	for {
		m, err := l.running(ctx, id)
		if err != nil {
			release()
			return err
		}
		if err := m.Do(ctx, act, release); !errors.Is(err, live.ErrUnloaded) {
			return err
		}
	}
}

// guess looks a code up. It costs the user and the blocks of their address one of their wrong guesses each, which is taken
// before the lookup and returned if the code was right, so many guesses at once are no way around the limit.
// Without guesses left, right codes are refused too: else the refusal would tell them apart. A code of one's own match
// costs nothing: one visitor's wrong guesses must not keep others behind the same address from their matches.
func (l *Lobby) guess(ctx context.Context, u User, from origin.Origin, code string) (storage.MatchID, error) {
	own := l.index.of(u.Key())
	if i := slices.IndexFunc(own, func(v *match.Summary) bool { return code != "" && v.Code == code }); i >= 0 {
		return own[i].ID, nil
	}
	from = guesser(u, from)
	guesses := l.guesses.Load()
	if wait, ok := guesses.Take(time.Now(), from); !ok {
		return "", &ThrottledError{wait}
	}
	id, err := l.byCode(ctx, code)
	if !errors.Is(err, ErrNoSuchMatch) {
		guesses.Return(time.Now(), from)
	}
	return id, err
}

// guesser is whom wrong guesses count against.
func guesser(u User, from origin.Origin) origin.Origin {
	if u.ID != "" {
		from.Person = personOf(u.Occupant())
	}
	return from
}

// byCode returns the match that a code names; ErrNoSuchMatch, ErrBusy.
func (l *Lobby) byCode(ctx context.Context, code string) (storage.MatchID, error) {
	if code == "" {
		return "", ErrNoSuchMatch
	}
	id, err := l.store.ByCode(ctx, code, l.now())
	if errors.Is(err, storage.ErrNotFound) {
		return "", ErrNoSuchMatch
	}
	return id, storeError(err)
}
