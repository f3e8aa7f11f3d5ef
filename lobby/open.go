package lobby

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ludoteca/games"
	"ludoteca/storage"
)

// A Choice is the side that somebody wants to play.
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

// Exhibitions: a match between two computer players is there to be watched. It pauses while nobody does (nobody waits in
// Seat.Next), goes on when somebody does, and is aborted when nobody has for Limits.Unwatched or when the one who opened it
// says so. Thinking for it comes after thinking for people.

// A Spec says what match somebody wants. At most one of Bot, Bots and Hotseat is used; without any the match waits for
// another person.
type Spec struct {
	Game    string        // id or alias
	Options games.Options // what is missing is the default
	Side    Choice
	Rated   bool // only between two players with keys
	Public  bool // listed in the lobby, while it waits and while it runs

	Bot     string    // id of the level to play against
	Bots    [2]string // ids of two levels that play each other, by side; Side has no meaning. See Exhibitions
	Hotseat bool      // both sides are played at one keyboard

	// Moves, if any, are made before the players take over, who then play on from there: a casual match with a person,
	// against a level or at one keyboard. They are legal, and the game is not over after them.
	Moves []games.Move
}

// maxCodes is how many codes are tried before the club gives up: with a million matches the chance that one is taken is
// one in seven hundred.
const maxCodes = 10

// Open opens a match. Against a computer player, between two of them and at one keyboard it starts at once.
// The errors are ErrNoSuchGame, ErrNoSuchLevel, a *games.OptionError, ErrEndless, ErrSpec, ErrRatedGuest (a guest asks for
// a rated match), ErrRated, a *games.IllegalError and ErrDecided for the moves, ErrTooMany, ErrBusy, ErrClosed.
func (l *Lobby) Open(ctx context.Context, who Who, spec Spec) (Ref, error) {
	o, err := l.plan(spec)
	if err != nil {
		return Ref{}, err
	}
	if spec.Rated && who.Kind != storage.Person {
		return Ref{}, ErrRatedGuest
	}
	side := games.First
	if spec.Side == PlaySecond || spec.Side == RandomSide && randomSeed()%2 == 1 {
		side = games.Second
	}
	var seats [2]storage.Occupant
	opener, c := storage.SeatOf(side), claim{matches: 1}
	switch {
	case spec.Bots != [2]string{}:
		seats = [2]storage.Occupant{l.bot(spec.Bots[games.First]), l.bot(spec.Bots[games.Second])}
		opener, c = storage.Nobody, claim{shows: 1}
	case spec.Hotseat:
		seats = [2]storage.Occupant{who.Occupant(), who.Occupant()}
	case spec.Bot != "":
		seats[side], seats[side.Other()] = who.Occupant(), l.bot(spec.Bot)
	default:
		seats[side] = who.Occupant()
		c.offers = 1
	}
	o.First, o.Second = seats[games.First], seats[games.Second]
	return l.openMatch(ctx, who, o, opener, c)
}

// plan checks what somebody wants and returns the opening without its seats and its code.
func (l *Lobby) plan(spec Spec) (storage.Opening, error) {
	g, err := l.Game(spec.Game)
	if err != nil {
		return storage.Opening{}, err
	}
	options, err := games.Complete(g, spec.Options)
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
	if kinds > 1 || spec.Side > PlaySecond {
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
	if err := l.checkGiven(g, options, spec); err != nil {
		return storage.Opening{}, err
	}
	return storage.Opening{
		Game: g.About().ID, Options: options, Rated: spec.Rated, Public: spec.Public, Moves: slices.Clone(spec.Moves),
	}, nil
}

// checkGiven refuses moves that no match can begin after.
func (l *Lobby) checkGiven(g games.Game, o games.Options, spec Spec) error {
	switch {
	case len(spec.Moves) == 0:
		return nil
	case spec.Rated, spec.Bots != [2]string{}, len(spec.Moves) >= l.limits.Plies:
		return ErrSpec
	}
	p, err := games.Replay(g, o, spec.Moves)
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

func (l *Lobby) claim(who Who, c claim) (release func(), err error) {
	return l.matches.claim(who, l.limits, c, l.now().Add(-l.limits.GiveWay))
}

// openMatch writes the first event of a new match and lets it run.
func (l *Lobby) openMatch(ctx context.Context, who Who, o storage.Opening, opener storage.Seat, c claim) (Ref, error) {
	c.opened = 1
	for range maxCodes {
		release, err := l.claim(who, c)
		if err != nil {
			return Ref{}, err
		}
		o.Code = newCode()
		m := newMatch(&l.house, newID(), l.seed())
		if c.shows > 0 {
			m.opener = who.key()
		}
		// The room is kept until the match takes it itself, also if the one who asked is gone by then.
		first := newCommand(func(*state) ([]storage.Event, error) {
			return []storage.Event{{Kind: storage.Opened, Seat: opener, Opening: &o}}, nil
		}, release)
		err = l.start(func(ctx, writes context.Context) {
			m.run(ctx, writes, func(writes context.Context) { m.do(writes, first) })
		})
		if err != nil {
			release()
			return Ref{}, err
		}
		if err = first.wait(ctx); !errors.Is(err, storage.ErrCodeTaken) {
			return Ref{ID: m.id, Code: o.Code}, err
		}
	}
	return Ref{}, fmt.Errorf("%w: no free code", ErrBusy)
}

// Join takes the free seat of the match with this code, in any letter case. origin is the address that the guess comes
// from, or "" if it has none to be held to. Who has joined already just gets the match, and guesses nothing.
// The errors are ErrNoSuchMatch, a *ThrottledError, ErrOver, ErrSeatTaken, ErrReserved, ErrOwnOffer, ErrRatedGuest,
// ErrTooMany, ErrBusy, ErrClosed. The Ref is good whenever the match exists, so that one can watch it instead.
func (l *Lobby) Join(ctx context.Context, who Who, origin, code string) (Ref, error) {
	id, err := l.guess(ctx, who, readCode(code), origin, string(who.Kind)+" "+who.ID)
	if err != nil {
		return Ref{}, err
	}
	m, damaged := l.matches.match(id)
	switch {
	case damaged:
		return Ref{ID: id, Code: readCode(code)}, ErrDamaged
	case m == nil:
		return Ref{ID: id, Code: readCode(code)}, ErrOver
	}
	return m.board.view().Ref, l.sit(ctx, who, m)
}

// Take takes the free seat of an offer in the lists. The errors are those of Join; a private match that is not kept for
// who is ErrNoSuchMatch.
func (l *Lobby) Take(ctx context.Context, who Who, id storage.MatchID) (Ref, error) {
	m, _ := l.matches.match(id)
	if m == nil {
		b, err := l.board(ctx, id)
		if err != nil {
			return Ref{}, err
		}
		return b.view().Ref, ErrOver
	}
	v := m.board.view()
	if _, seated := v.Side(who); !seated && !v.Public && !who.is(v.Reserved) {
		return Ref{}, ErrNoSuchMatch
	}
	return v.Ref, l.sit(ctx, who, m)
}

// sit has somebody take the free seat of a match.
func (l *Lobby) sit(ctx context.Context, who Who, m *match) error {
	if _, seated := m.board.view().Side(who); seated {
		return m.ask(ctx, sit(who))
	}
	release, err := l.claim(who, claim{matches: 1})
	if err != nil {
		return err
	}
	return m.send(ctx, newCommand(sit(who), release))
}

// Quick takes the oldest open public offer of somebody else that who may take, one with default options before
// others, or else opens a casual one; asked again while that waits, it returns it. People are served one after the
// other: two who come at the same moment meet, and don't both wait.
// The errors are those of Open.
func (l *Lobby) Quick(ctx context.Context, who Who, game string) (Ref, error) {
	o, err := l.plan(Spec{Game: game, Public: true})
	if err != nil {
		return Ref{}, err
	}
	select {
	case l.pairing <- struct{}{}:
		defer func() { <-l.pairing }()
	case <-ctx.Done():
		return Ref{}, ctx.Err()
	case <-l.closing:
		return Ref{}, ErrClosed
	}
	var fitting []*View
	for _, v := range l.matches.open() {
		_, own := v.Side(who)
		switch {
		case v.Game.About().ID != o.Game || v.Rated && who.Kind != storage.Person:
		case v.Start > 0: // for those who want just that position
		case own && !v.Rated && v.Options.Equal(o.Options):
			return v.Ref, nil
		case !own:
			fitting = append(fitting, v)
		}
	}
	slices.SortFunc(fitting, func(a, b *View) int {
		switch mine, his := a.Options.Equal(o.Options), b.Options.Equal(o.Options); {
		case mine && !his:
			return -1
		case his && !mine:
			return 1
		}
		return byAge(a, b)
	})
	for _, v := range fitting {
		ref, err := l.Take(ctx, who, v.ID)
		switch {
		case err == nil:
			return ref, nil
		case errors.Is(err, ErrTooMany), errors.Is(err, ErrClosed), ctx.Err() != nil:
			return Ref{}, err
		}
	}
	return l.Open(ctx, who, Spec{Game: game, Public: true})
}

// At returns the handle of one person to one match, of a spectator if he holds no seat. The match may be over, for any
// time: its whole view comes from the records then. The errors are ErrNoSuchMatch, ErrDamaged, ErrBusy.
func (l *Lobby) At(ctx context.Context, who Who, id storage.MatchID) (*Seat, error) {
	if _, err := l.board(ctx, id); err != nil {
		return nil, err
	}
	return &Seat{lobby: l, who: who, id: id}, nil
}
