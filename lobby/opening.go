package lobby

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
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

// plan checks what a user wants and returns the opening without its seats and its code.
func (l *Lobby) plan(spec Spec) (matches.Opening, error) {
	g, err := l.Game(spec.Game)
	if err != nil {
		return matches.Opening{}, err
	}
	options, initial, err := begin(g, spec)
	if err != nil {
		return matches.Opening{}, err
	}
	if _, bounded := g.Longest(options); !bounded {
		return matches.Opening{}, ErrEndless
	}
	kinds := 0
	for _, is := range []bool{spec.Bot != "", spec.Bots != [2]string{}, spec.Hotseat} {
		if is {
			kinds++
		}
	}
	if kinds > 1 || spec.Side > PlaySecond || !spec.termsFit(kinds) {
		return matches.Opening{}, ErrSpec
	}
	var levels []string
	if spec.Bot != "" {
		levels = append(levels, spec.Bot)
	}
	if spec.Bots != [2]string{} {
		levels = append(levels, spec.Bots[:]...)
	}
	for _, id := range levels {
		if _, ok := l.catalogue.Level(id); !ok {
			return matches.Opening{}, ErrNoSuchLevel
		}
	}
	if spec.Names != [2]string{} && !spec.Hotseat {
		return matches.Opening{}, ErrSpec
	}
	if spec.Rated && kinds > 0 {
		return matches.Opening{}, ErrRated
	}
	if spec.Clock != (ClockSetting{}) && spec.Bots != [2]string{} {
		return matches.Opening{}, ErrSpec // nobody has to watch, and while nobody does they pause
	}
	if err := l.checkGiven(initial, spec); err != nil {
		return matches.Opening{}, err
	}
	from := ""
	if spec.From != "" {
		from = initial.String()
	}
	return matches.Opening{
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

// openMatch writes the first event of a new match and lets it run.
func (l *Lobby) openMatch(ctx context.Context, u User, o matches.Opening, opener storage.Seat, c registry.Reservation, terms clusterstore.Terms) (ref Ref, err error) {
	if err := l.reach.Room(ErrDiskFull); err != nil {
		return Ref{}, err
	}
	err = l.throttled(l.pace.opening, u, func() (err error) {
		ref, err = l.openNow(ctx, u, o, opener, c, terms)
		return err
	})
	return ref, err
}

func (l *Lobby) openNow(ctx context.Context, u User, o matches.Opening, opener storage.Seat, c registry.Reservation, terms clusterstore.Terms) (Ref, error) {
	c.Opened = 1
	_, away := l.Presence.Away(u.Occupant())
	for range maxCodes {
		release, err := l.reserve(ctx, u, c)
		if err != nil {
			return Ref{}, err
		}
		o.Code = newCode()
		// The reservation stands until the match itself counts, also if the user is gone by then.
		id := newID()
		err = l.Matches.Open(ctx, id, away, match.Open(o, opener), terms, release)
		if errors.Is(err, ErrClosed) {
			return Ref{}, err
		}
		if !errors.Is(err, storage.ErrCodeTaken) && !errors.Is(err, storage.ErrStale) {
			return Ref{ID: id, Code: o.Code}, err
		}
	}
	return Ref{}, fmt.Errorf("%w: no free code or id", ErrBusy)
}

// reserve keeps room for what a user is about to begin, until release is called; ErrTooMany if the user has too much already,
// ErrFull if the club has. In a full club a match is evicted, if one may go.
func (l *Lobby) reserve(ctx context.Context, u User, c registry.Reservation) (release func(), err error) {
	if err := l.Restrictions.MayPlay(u); err != nil {
		return nil, err
	}
	if u.Kind == storage.Person {
		if p, err := l.store.Player(ctx, u.Player()); err == nil && !p.Deleted.IsZero() {
			return nil, ErrNoAccount // the session ends just now
		}
	}
	limits := l.inForce.Now()
	most := min(limits.NewUnfinished, limits.Unfinished)
	if u.Kind == storage.Guest {
		most = limits.GuestUnfinished
	}
	from := l.origins.of(u.Occupant()).Addr
	release, err = l.registry.Reserve(u, from, c, most, l.now())
	if errors.Is(err, ErrTooMany) && u.Kind == storage.Person {
		if quota := l.quota(ctx, u); quota > most { // looked up only for those who need it
			return l.registry.Reserve(u, from, c, quota, l.now())
		}
	}
	return release, err
}

// quota returns how many unfinished matches a player may have: it grows from NewUnfinished to Unfinished with the days of the
// account and with the matches that it has finished, whichever are fewer. So it takes time and play to fill the club, and not
// only keys.
func (l *Lobby) quota(ctx context.Context, u User) int {
	limits := l.inForce.Now()
	first, last := min(limits.NewUnfinished, limits.Unfinished), limits.Unfinished
	p, err := l.store.Player(ctx, storage.PlayerID(u.ID))
	if err != nil {
		return first
	}
	finished, err := l.store.History(ctx, results.HistoryQuery{Player: p.ID, Limit: grownMatches})
	if err != nil {
		return first
	}
	days := min(max(0, int(l.now().Sub(p.Since)/(24*time.Hour))), grownDays)
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
