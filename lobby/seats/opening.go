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
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
)

// A pace limits how fast people, and all people of a block of addresses together, open and resign matches, because each match takes
// disk space. Ends by moves need no limit: there can't be more of them than matches opened.
type pace struct {
	players   live.Players
	opening   *origin.Throttle
	resigning *origin.Throttle
}

func newPace(l limits.Limits, players live.Players) pace {
	throttle := func() *origin.Throttle {
		return origin.NewSharedThrottle(l.MatchEvery, l.MatchBurst, origin.PeoplePerAddress, maxThrottled)
	}
	return pace{players, throttle(), throttle()}
}

// throttled calls do unless the user has used up t, one of the throttles of p. A failed do costs nothing. throttled returns the error of do, or a
// *refusal.TooFastError.
func (p pace) throttled(t *origin.Throttle, u match.User, do func() error) error {
	from := p.players.Origin(u.Occupant())
	if wait, ok := t.Take(time.Now(), from); !ok {
		return &refusal.TooFastError{Wait: wait}
	}
	err := do()
	if err != nil {
		t.Return(time.Now(), from)
	}
	return err
}

// Open opens a match. A match with a computer player, between two of them or at one keyboard starts at once. The errors are
// refusal.ErrNoSuchGame, refusal.ErrNoSuchLevel, a *games.OptionError, refusal.ErrEndless, refusal.ErrSpec, match.ErrRatedGuest (a guest asks
// for a rated match), refusal.ErrRated, refusal.ErrRatedStudy, a *games.PositionError, a *games.IllegalError or refusal.ErrDecided for the
// given moves, refusal.ErrTooMany, refusal.ErrFull, refusal.ErrDiskFull, a *refusal.TooFastError, refusal.ErrBusy and refusal.ErrClosed. A
// match with another person also returns the error of Manners.MayMeet. A challenge also returns the errors of Challenges.Opponent,
// refusal.ErrChallenged and refusal.ErrUnavailable. A match at one keyboard also returns a *names.Error, refusal.ErrNameTaken and
// refusal.ErrNameAlike. For closed and deleted accounts the errors are refusal.ErrAccountClosed and refusal.ErrNoAccount.
func (s *Service) Open(ctx context.Context, u match.User, spec Spec) (match.Ref, error) {
	return s.OpenOn(ctx, u, spec, clusterstore.Terms{})
}

// OpenOn is Open on terms, which matter only with several nodes. The error is cluster.ErrTaken if the terms don't hold.
func (s *Service) OpenOn(ctx context.Context, u match.User, spec Spec, terms clusterstore.Terms) (match.Ref, error) {
	o, err := s.Plan(spec)
	if err != nil {
		return match.Ref{}, err
	}
	if spec.Rated && !u.Kind.HasAccount() {
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
		seats = [2]storage.Occupant{s.bot(o.Game, spec.Bots[games.First]), s.bot(o.Game, spec.Bots[games.Second])}
		opener, c = storage.Nobody, registry.Reservation{Exhibitions: 1}
	case spec.Hotseat:
		if seats, err = s.hotseat(ctx, u, spec.Names); err != nil {
			return match.Ref{}, err
		}
	case spec.Bot != "":
		seats[side], seats[side.Other()] = u.Occupant(), s.bot(o.Game, spec.Bot)
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

// hotseat returns both seats of a match at one keyboard, under the names typed. A name must not be the one of another player, or like it,
// because all users see it in history. The errors are a *names.Error, refusal.ErrNameTaken, refusal.ErrNameAlike and refusal.ErrBusy.
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

// bot returns the occupant for a level of a game.
func (s *Service) bot(game, id string) storage.Occupant {
	v, _ := s.config.Catalogue.Level(game, id)
	return storage.Occupant{Kind: storage.Bot, ID: v.ID, Name: v.Name}
}

// freeName maps an error of Store.FreeName to one of package refusal.
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

// The choices. RandomSide is decided when the match is opened.
const (
	RandomSide Choice = iota
	PlayFirst
	PlaySecond
)

// ParseChoice parses first, second or random, the words of the command line; "" is random.
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

// A Spec describes the match that a user wants. At most one of Bot, Bots and Hotseat may be set. Without any of them the match waits for
// another person.
type Spec struct {
	Game    string        // id or alias
	Options games.Options // missing ones have their defaults
	Side    Choice
	Rated   bool          // only between two players with keys
	Clock   clock.Setting // zero: none. Exhibitions have none
	Public  bool          // listed in the lobby while it waits and while it runs

	// Range and To are for a match that waits for another person.
	Range [2]int // the lowest and the highest rating that may join, see refusal.RangeError; zero: any
	To    string // the name of the person challenged, who alone may join; "": no challenge. Not with Public or Range

	Bot     string    // id of the level to play against
	Bots    [2]string // an exhibition: ids of two levels that play each other, by side; Side is ignored
	Hotseat bool      // both sides play at one keyboard
	Names   [2]string // of the players at one keyboard, by side, in this match only; "" is the user's name

	// From is the position in which the match begins, as one line that the game parses; "" is the start position of the game. The game
	// must not be over in it. Its options are the options of the match: Options must be empty, or equal to them when completed.
	// The match begins after Moves, which must be legal and must not end the game. From and Moves are only for a casual match with a
	// person, against a level or at one keyboard.
	From  string
	Moves []games.Move
}

// maxCodes is how many pairs of a code and an id are tried for a match. With a million matches, one code in seven hundred is taken.
const maxCodes = 10

// Plan checks a spec and returns its opening without seats and code. It returns the errors of Open about the spec.
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
		if _, ok := s.config.Catalogue.Level(g.About().ID, id); !ok {
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
	if err := checkGiven(initial, spec, s.config.MaxPlies); err != nil {
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

// begin returns the complete options of a match and its position before the first move.
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

// StoredClock returns the text of a clock that a match's opening stores; "" for none.
func StoredClock(c clock.Setting) string {
	if c == (clock.Setting{}) {
		return ""
	}
	return c.String()
}

// checkGiven checks the From and Moves of a spec for a match of at most maxPlies moves. The errors are refusal.ErrRatedStudy, refusal.ErrSpec,
// a *games.IllegalError and refusal.ErrDecided.
func checkGiven(initial games.Position, spec Spec, maxPlies int) error {
	switch {
	case len(spec.Moves) == 0 && spec.From == "":
		return nil
	case spec.Rated:
		return refusal.ErrRatedStudy
	case spec.Bots != [2]string{}, len(spec.Moves) >= maxPlies:
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

// openMatch writes the first event of a new match and starts it. It returns refusal.ErrDiskFull, a *refusal.TooFastError and the errors of openNow.
func (s *Service) openMatch(ctx context.Context, u match.User, o matches.Opening, opener storage.Seat, c registry.Reservation, terms clusterstore.Terms) (ref match.Ref, err error) {
	if err := s.config.Reach.Room(refusal.ErrDiskFull); err != nil {
		return match.Ref{}, err
	}
	err = s.pace.throttled(s.pace.opening, u, func() (err error) {
		ref, err = s.openNow(ctx, u, o, opener, c, terms)
		return err
	})
	return ref, err
}

// openNow is openMatch without limits on disk space and pace. It tries codes and ids until one of each is free.
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

// reserve reserves room for a match that a user is about to begin, until release is called. In a full club it evicts a match if one may go. The
// error is refusal.ErrTooMany if the user has too many matches, refusal.ErrFull if the club has.
func (s *Service) reserve(ctx context.Context, u match.User, c registry.Reservation) (release func(), err error) {
	if err := s.config.Restrictions.MayPlay(u); err != nil {
		return nil, err
	}
	if u.Kind == storage.Engine && !s.programs {
		return nil, refusal.ErrEngine
	}
	if u.Kind.HasAccount() {
		if p, err := s.config.Store.Player(ctx, u.Player()); err == nil && (!p.Deleted.IsZero() || p.Kind() != u.Kind) {
			return nil, refusal.ErrNoAccount // the session is about to end
		}
	}
	most := s.quotas.first(u)
	from := s.config.Players.Origin(u.Occupant()).Addr
	release, err = s.config.Registry.Reserve(u, from, c, most, s.config.Now())
	if errors.Is(err, refusal.ErrTooMany) && u.Kind.HasAccount() {
		if quota := s.quotas.of(ctx, u); quota > most { // looked up only if needed
			return s.config.Registry.Reserve(u, from, c, quota, s.config.Now())
		}
	}
	return release, err
}

// termsFit reports whether Range and To of s are valid. kinds is how many of Bot, Bots and Hotseat are set; neither field may be set with them.
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

// MaxRating is the highest rating in a range.
const MaxRating = 4000

// ParseRange parses a range of ratings, the lower one first: 1400-1600.
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

// OpenBetween opens a match between two users, which begins at once. whose is the user whom the error is about: 0 for a, 1 for b, -1 for neither.
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
	err = s.pace.throttled(s.pace.opening, b, func() (err error) {
		whose = 0
		ref, err = s.openMatch(ctx, a, o, storage.SeatOf(side), registry.Reservation{Matches: 1}, terms)
		return err
	})
	return ref, aboutWhom(err, whose), err
}

// aboutWhom returns whose if an error is about that user; -1 if it is about neither.
func aboutWhom(err error, whose int) int {
	if OwnFault(err) {
		return whose
	}
	return -1
}

// OwnFault reports whether an error is about the user who wants a match, and not about the match.
func OwnFault(err error) bool {
	return errors.Is(err, refusal.ErrTooMany) || errors.Is(err, refusal.ErrTooFast) || errors.Is(err, refusal.ErrAccountClosed) || errors.Is(err, refusal.ErrNoAccount)
}

// HasRoom returns nil if a user may have one more match now, else an error of Open such as refusal.ErrTooMany or refusal.ErrFull.
func (s *Service) HasRoom(ctx context.Context, u match.User) error {
	release, err := s.reserve(ctx, u, registry.Reservation{Matches: 1})
	if err == nil {
		release()
	}
	return err
}
