package seats

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/limits"
	"ludoteca/lobby/match"
	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// A pace limits how fast people, and the people behind blocks of addresses together, open matches and resign them: each match
// costs room on the disk. An end that comes of moves is never held up: no more of them come than were opened.
type pace struct {
	opening   *origin.Throttle
	resigning *origin.Throttle
}

func newPace(l limits.Limits) pace {
	throttle := func() *origin.Throttle {
		return origin.NewSharedThrottle(l.MatchEvery, l.MatchBurst, origin.PeoplePerAddress, maxThrottled)
	}
	return pace{throttle(), throttle()}
}

// throttled does what a user may do only so often. What fails costs nothing. The error is do's or a *refusal.TooFastError.
func (s *Service) throttled(t *origin.Throttle, u match.User, do func() error) error {
	from := s.config.Players.Origin(u.Occupant())
	if wait, ok := t.Take(time.Now(), from); !ok {
		return &refusal.TooFastError{Wait: wait}
	}
	err := do()
	if err != nil {
		t.Return(time.Now(), from)
	}
	return err
}

// Open opens a match. Against a computer player, between two of them and at one keyboard it starts at once. The errors are
// refusal.ErrNoSuchGame, refusal.ErrNoSuchLevel, a *games.OptionError, refusal.ErrEndless, refusal.ErrSpec, match.ErrRatedGuest (a guest asks
// for a rated match), refusal.ErrRated, refusal.ErrRatedStudy, a *games.PositionError, a *games.IllegalError and refusal.ErrDecided for the
// moves, those of a challenge (see challenge), those of hotseat, refusal.ErrTooMany, refusal.ErrFull, refusal.ErrDiskFull, refusal.ErrBusy,
// refusal.ErrClosed.
func (s *Service) Open(ctx context.Context, u match.User, spec Spec) (match.Ref, error) {
	return s.OpenOn(ctx, u, spec, clusterstore.Terms{})
}

// OpenOn is Open on terms, which matter only with several nodes. The error is cluster.ErrTaken if they don't hold.
func (s *Service) OpenOn(ctx context.Context, u match.User, spec Spec, terms clusterstore.Terms) (match.Ref, error) {
	o, err := s.Plan(spec)
	if err != nil {
		return match.Ref{}, err
	}
	if spec.Rated && u.Kind != storage.Person {
		return match.Ref{}, match.ErrRatedGuest
	}
	side := games.First
	if spec.Side == PlaySecond || spec.Side == RandomSide && rand.N(2) == 1 {
		side = games.Second
	}
	var seats [2]storage.Occupant
	opener, c := storage.SeatOf(side), registry.Reservation{Matches: 1}
	switch {
	case spec.Bots != [2]string{}:
		seats = [2]storage.Occupant{s.bot(spec.Bots[games.First]), s.bot(spec.Bots[games.Second])}
		opener, c = storage.Nobody, registry.Reservation{Exhibitions: 1}
	case spec.Hotseat:
		if seats, err = s.hotseat(ctx, u, spec.Names); err != nil {
			return match.Ref{}, err
		}
	case spec.Bot != "":
		seats[side], seats[side.Other()] = u.Occupant(), s.bot(spec.Bot)
	default:
		if err := s.config.Manners.MayMeet(u); err != nil {
			return match.Ref{}, err
		}
		seats[side] = u.Occupant()
		c.Offers = 1
		if spec.To != "" {
			return s.challenge(ctx, u, spec, o, side, c)
		}
	}
	o.First, o.Second = seats[games.First], seats[games.Second]
	if c.Exhibitions > 0 {
		o.By = u.Occupant()
	}
	return s.openMatch(ctx, u, o, opener, c, terms)
}

// hotseat returns both seats of a match at one keyboard, under the names that the players give themselves. Nobody takes the name of another
// player, or one like it: history shows it to everybody. The errors are a *names.Error, refusal.ErrNameTaken, refusal.ErrNameAlike,
// refusal.ErrBusy.
func (s *Service) hotseat(ctx context.Context, u match.User, typed [2]string) (seats [2]storage.Occupant, err error) {
	ownKey, _ := names.Key(u.Name)
	for side, name := range typed {
		seats[side] = u.Occupant()
		if name == "" {
			continue
		}
		shown, key, err := names.Check(name)
		if err == nil && key != ownKey {
			err = freeName(s.config.Store.FreeName(ctx, shown, key))
		}
		if err != nil {
			return seats, err
		}
		seats[side].Name = shown
	}
	return seats, nil
}

// bot returns a level as it sits in a seat.
func (s *Service) bot(id string) storage.Occupant {
	v, _ := s.config.Catalogue.Level(id)
	return storage.Occupant{Kind: storage.Bot, ID: v.ID, Name: v.Name}
}

// freeName returns an error of the store's FreeName as callers know it.
func freeName(err error) error {
	switch {
	case errors.Is(err, storage.ErrNameTaken):
		return refusal.ErrNameTaken
	case errors.Is(err, storage.ErrNameAlike):
		return refusal.ErrNameAlike
	}
	return refusal.OfStore(err)
}

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

// A Spec says what match a user wants. At most one of Bot, Bots and Hotseat is used; without any the match waits for
// another person.
type Spec struct {
	Game    string        // id or alias
	Options games.Options // what is missing is the default
	Side    Choice
	Rated   bool          // only between two players with keys
	Clock   clock.Setting // the zero value is none. Exhibitions have none
	Public  bool          // listed in the lobby, while it waits and while it runs

	// Of a match that waits for another person.
	Range [2]int // the least and the highest rating of who may join, see RangeError; zero: any
	To    string // a challenge: the name of the only one who may join; "": anybody may. Not for a public match, nor with a Range

	Bot     string    // id of the level to play against
	Bots    [2]string // an exhibition: ids of two levels that play each other, by side; Side has no meaning
	Hotseat bool      // both sides are played at one keyboard
	Names   [2]string // of those who play at one keyboard, by side, in this match alone; "" is the user's own name

	// From is the position in which the match begins, as one line that the game reads; "" is its start position. The game is not
	// over in it. Its options are those of the match: Options are empty, or the same when completed. Moves, if any, are given: the
	// match begins after them. They are legal and don't end the game. Both only for a casual match with a person, against a level
	// or at one keyboard.
	From  string
	Moves []games.Move
}

// maxCodes is how many codes, and ids with them, are tried for a match. With a million matches, one code in seven hundred is taken.
const maxCodes = 10

// Plan checks what a user wants and returns the opening without its seats and its code.
func (s *Service) Plan(spec Spec) (matches.Opening, error) {
	g, err := s.config.Catalogue.Game(spec.Game)
	if err != nil {
		return matches.Opening{}, err
	}
	options, initial, err := begin(g, spec)
	if err != nil {
		return matches.Opening{}, err
	}
	if _, bounded := g.Longest(options); !bounded {
		return matches.Opening{}, refusal.ErrEndless
	}
	kinds := 0
	for _, is := range []bool{spec.Bot != "", spec.Bots != [2]string{}, spec.Hotseat} {
		if is {
			kinds++
		}
	}
	if kinds > 1 || spec.Side > PlaySecond || !spec.termsFit(kinds) {
		return matches.Opening{}, refusal.ErrSpec
	}
	var levels []string
	if spec.Bot != "" {
		levels = append(levels, spec.Bot)
	}
	if spec.Bots != [2]string{} {
		levels = append(levels, spec.Bots[:]...)
	}
	for _, id := range levels {
		if _, ok := s.config.Catalogue.Level(id); !ok {
			return matches.Opening{}, refusal.ErrNoSuchLevel
		}
	}
	if spec.Names != [2]string{} && !spec.Hotseat {
		return matches.Opening{}, refusal.ErrSpec
	}
	if spec.Rated && kinds > 0 {
		return matches.Opening{}, refusal.ErrRated
	}
	if spec.Clock != (clock.Setting{}) && spec.Bots != [2]string{} {
		return matches.Opening{}, refusal.ErrSpec // nobody has to watch, and while nobody does they pause
	}
	if err := s.checkGiven(initial, spec); err != nil {
		return matches.Opening{}, err
	}
	from := ""
	if spec.From != "" {
		from = initial.String()
	}
	return matches.Opening{
		Game: g.About().ID, Options: options, Rated: spec.Rated, Public: spec.Public, Moves: slices.Clone(spec.Moves),
		Clock: StoredClock(spec.Clock), From: from, Range: spec.Range,
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

// StoredClock returns the clock of a match as its opening keeps it.
func StoredClock(c clock.Setting) string {
	if c == (clock.Setting{}) {
		return ""
	}
	return c.String()
}

// checkGiven refuses a position and moves that no match can begin with.
func (s *Service) checkGiven(initial games.Position, spec Spec) error {
	switch {
	case len(spec.Moves) == 0 && spec.From == "":
		return nil
	case spec.Rated:
		return refusal.ErrRatedStudy
	case spec.Bots != [2]string{}, len(spec.Moves) >= s.config.MaxPlies:
		return refusal.ErrSpec
	}
	p, err := games.ReplayFrom(initial, spec.Moves)
	switch {
	case err != nil:
		return err
	case p.Result().Over:
		return refusal.ErrDecided
	}
	return nil
}

// openMatch writes the first event of a new match and lets it run.
func (s *Service) openMatch(ctx context.Context, u match.User, o matches.Opening, opener storage.Seat, c registry.Reservation, terms clusterstore.Terms) (ref match.Ref, err error) {
	if err := s.config.Reach.Room(refusal.ErrDiskFull); err != nil {
		return match.Ref{}, err
	}
	err = s.throttled(s.pace.opening, u, func() (err error) {
		ref, err = s.openNow(ctx, u, o, opener, c, terms)
		return err
	})
	return ref, err
}

func (s *Service) openNow(ctx context.Context, u match.User, o matches.Opening, opener storage.Seat, c registry.Reservation, terms clusterstore.Terms) (match.Ref, error) {
	c.Opened = 1
	_, away := s.config.Presence.Away(u.Occupant())
	for range maxCodes {
		release, err := s.reserve(ctx, u, c)
		if err != nil {
			return match.Ref{}, err
		}
		o.Code = codes.New()
		// The reservation stands until the match itself counts, also if the user is gone by then.
		id := codes.NewID()
		err = s.config.Matches.Open(ctx, id, away, match.Open(o, opener), terms, release)
		if errors.Is(err, refusal.ErrClosed) {
			return match.Ref{}, err
		}
		if !errors.Is(err, storage.ErrCodeTaken) && !errors.Is(err, storage.ErrStale) {
			return match.Ref{ID: id, Code: o.Code}, err
		}
	}
	return match.Ref{}, fmt.Errorf("%w: no free code or id", refusal.ErrBusy)
}

// reserve keeps room for what a user is about to begin, until release is called; refusal.ErrTooMany if the user has too much already,
// refusal.ErrFull if the club has. In a full club a match is evicted, if one may go.
func (s *Service) reserve(ctx context.Context, u match.User, c registry.Reservation) (release func(), err error) {
	if err := s.config.Restrictions.MayPlay(u); err != nil {
		return nil, err
	}
	if u.Kind == storage.Person {
		if p, err := s.config.Store.Player(ctx, u.Player()); err == nil && !p.Deleted.IsZero() {
			return nil, refusal.ErrNoAccount // the session ends just now
		}
	}
	limits := s.config.Limits.Now()
	most := min(limits.NewUnfinished, limits.Unfinished)
	if u.Kind == storage.Guest {
		most = limits.GuestUnfinished
	}
	from := s.config.Players.Origin(u.Occupant()).Addr
	release, err = s.config.Registry.Reserve(u, from, c, most, s.config.Now())
	if errors.Is(err, refusal.ErrTooMany) && u.Kind == storage.Person {
		if quota := s.quota(ctx, u); quota > most { // looked up only for those who need it
			return s.config.Registry.Reserve(u, from, c, quota, s.config.Now())
		}
	}
	return release, err
}

// quota returns how many unfinished matches a player may have: it grows from NewUnfinished to Unfinished with the days of the
// account and with the matches that it has finished, whichever are fewer. So it takes time and play to fill the club, and not
// only keys.
func (s *Service) quota(ctx context.Context, u match.User) int {
	limits := s.config.Limits.Now()
	first, last := min(limits.NewUnfinished, limits.Unfinished), limits.Unfinished
	p, err := s.config.Store.Player(ctx, storage.PlayerID(u.ID))
	if err != nil {
		return first
	}
	finished, err := s.config.Store.History(ctx, results.HistoryQuery{Player: p.ID, Limit: grownMatches})
	if err != nil {
		return first
	}
	days := min(max(0, int(s.config.Now().Sub(p.Since)/(24*time.Hour))), grownDays)
	return first + (last-first)*min(days*grownMatches, len(finished)*grownDays)/(grownDays*grownMatches)
}

// termsFit reports whether a match of one of so many other kinds can have the range and the opponent that s names.
func (s *Spec) termsFit(kinds int) bool {
	r := s.Range
	switch {
	case r == [2]int{} && s.To == "":
		return true
	case kinds > 0, s.To != "" && (s.Public || r != [2]int{}):
		return false
	}
	return r == [2]int{} || 0 <= r[0] && r[0] <= r[1] && r[1] <= MaxRating
}

// MaxRating is the highest rating of a range.
const MaxRating = 4000

// ParseRange reads a range of ratings, the lower one first: 1400-1600.
func ParseRange(text string) (r [2]int, ok bool) {
	least, highest, ok := strings.Cut(text, "-")
	for i, part := range []string{least, highest} {
		n, err := strconv.ParseUint(part, 10, 16)
		r[i], ok = int(n), ok && err == nil
	}
	if !ok || r[1] < r[0] || r[1] > MaxRating {
		return [2]int{}, false
	}
	return r, true
}

// An account may have Limits.NewUnfinished matches at first, and Limits.Unfinished once it is so old and has finished so many.
const (
	grownDays    = 30
	grownMatches = 20
)

// OpenBetween opens a match between two users, which begins at once. whose says which of them the error is about: 0, 1, or -1 for neither.
func (s *Service) OpenBetween(ctx context.Context, a, b match.User, spec Spec, terms clusterstore.Terms) (ref match.Ref, whose int, err error) {
	o, err := s.Plan(spec)
	if err != nil {
		return match.Ref{}, -1, err
	}
	side := games.Side(rand.N(2))
	seats := [2]storage.Occupant{b.Occupant(), b.Occupant()}
	seats[side] = a.Occupant()
	o.First, o.Second = seats[games.First], seats[games.Second]
	release, err := s.reserve(ctx, b, registry.Reservation{Matches: 1})
	if err != nil {
		return match.Ref{}, aboutWhom(err, 1), err
	}
	defer release()
	whose = 1
	err = s.throttled(s.pace.opening, b, func() (err error) {
		whose = 0
		ref, err = s.openMatch(ctx, a, o, storage.SeatOf(side), registry.Reservation{Matches: 1}, terms)
		return err
	})
	return ref, aboutWhom(err, whose), err
}

// aboutWhom returns the user whom an error is about, 0 or 1; -1 if it is about neither.
func aboutWhom(err error, whose int) int {
	if OwnFault(err) {
		return whose
	}
	return -1
}

// OwnFault reports whether an error is about the user who wants a match, and not about that match.
func OwnFault(err error) bool {
	return errors.Is(err, refusal.ErrTooMany) || errors.Is(err, refusal.ErrTooFast) || errors.Is(err, refusal.ErrAccountClosed) || errors.Is(err, refusal.ErrNoAccount)
}

// HasRoom returns nil if a user may have one more match now, else why not.
func (s *Service) HasRoom(ctx context.Context, u match.User) error {
	release, err := s.reserve(ctx, u, registry.Reservation{Matches: 1})
	if err == nil {
		release()
	}
	return err
}
