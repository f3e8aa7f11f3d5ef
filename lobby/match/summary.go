package match

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// A Summary is what lists, limits and lookups need of a match. It is in memory for every match that goes on, and on disk beside
// its log; the moves are in the log alone.
type Summary struct {
	Ref
	Game    games.Game
	Options games.Options // complete
	Rated   bool          // it counts for ratings; of a match that has ended, only if each side made enough moves
	Public  bool

	Seats
	Strength [2]Strength // by side
	Opening

	Events uint64         // number of the last event
	Plies  int            // moves in the line as it stands now
	Start  int            // how many of them were given by the opening: the match began after them
	Helped results.Help   // how many hints and takebacks there were
	Turn   games.Side     // whose turn it is; of no meaning when it is over or not Started
	Offers matches.Offers // the open ones between the two sides

	Opened  time.Time
	Started time.Time // when the second seat was taken; zero before
	LastAt  time.Time // of the last event
	Clock   clock.Clock
	Pauses  Pauses // what makes the clock stand, of a match with days a move

	// Planned: the side to move may have a plan, and nobody has looked yet whether it applies. The log doesn't say; callers set it. No user sees it.
	Planned bool
}

// Seats are who plays a match, by side; Free while nobody has sat down.
type Seats [2]storage.Occupant

// Holds reports whether a user sits on a side.
func (s *Seats) Holds(u User, side games.Side) bool { return u.Is(s[side]) }

// Exhibition reports whether two computer players play each other.
func (s *Seats) Exhibition() bool {
	return s[games.First].Kind == storage.Bot && s[games.Second].Kind == storage.Bot
}

// HasBot reports whether a computer player sits in the match.
func (s *Seats) HasBot() bool {
	return s[games.First].Kind == storage.Bot || s[games.Second].Kind == storage.Bot
}

// FreeSide returns the side of the free seat of an offer.
func (s *Seats) FreeSide() games.Side {
	if s[games.First].Kind == storage.Free {
		return games.First
	}
	return games.Second
}

// An Opening is what a summary has of how its match was opened.
type Opening struct {
	Agreed    bool             // it was opened as a rated one, even if it ended too soon to count
	Opener    storage.Seat     // who opened the match; Nobody for an exhibition, and of a match that was read from the records
	By        storage.Occupant // who opened an unfinished exhibition; Free for other matches, and where an old log doesn't say
	Reserved  storage.Occupant // if set, nobody else may take the free seat
	Range     [2]int           // the least and the highest rating of who may take the free seat; zero: any
	Wait      time.Duration    // for how long the free seat waits, from Opened on; 0: for as long as the club lets it
	From      string           // the start position in one line, before all moves; "" for the game's own
	RematchOf storage.MatchID

	Tournament storage.TournamentBoard // to which the match belongs; zero: none
}

// Challenge reports whether the match is or was an offer to one user and is not a rematch.
func (o *Opening) Challenge() bool { return o.Reserved.Kind != storage.Free && o.RematchOf == "" }

// InTournament reports whether the match belongs to a tournament.
func (o *Opening) InTournament() bool { return o.Tournament != (storage.TournamentBoard{}) }

// Summary returns the summary of the state, without Strength.
func (s *State) Summary() Summary {
	return Summary{
		Ref:  Ref{ID: s.ID, Code: s.Opening.Code},
		Game: s.Game, Options: s.Opening.Options, Rated: s.rated(), Public: s.Opening.Public,
		Seats: s.Seats, Opening: openingOf(s.Opening, s.Opener),
		Events: s.Seq, Plies: len(s.Moves), Start: s.Given(), Helped: s.Help, Turn: s.Turn(), Offers: s.Offers,
		Opened: s.Opened, Started: s.Started, LastAt: s.LastAt, Clock: s.Clock, Pauses: s.Pauses,
	}
}

// openingOf returns how a match was opened, and by whom.
func openingOf(o *matches.Opening, opener storage.Seat) Opening {
	return Opening{
		Agreed: o.Rated, Opener: opener, By: o.By, Reserved: o.Reserved, Range: o.Range, Wait: time.Duration(o.Wait) * time.Second, From: o.From, RematchOf: o.RematchOf,
		Tournament: o.Tournament,
	}
}

// Stored returns the summary of an unfinished match as a store keeps it.
func (s *Summary) Stored() matches.Summary {
	m := matches.Summary{
		ID: s.ID, Seq: s.Events, At: s.LastAt, Opener: s.Opener, Opened: s.Opened, Started: s.Started,
		Given: s.Start, Plies: s.Plies, Turn: storage.SeatOf(s.Turn), Helped: s.Helped, Offers: s.Offers,
		Opening: matches.Opening{
			Code: s.Code, Game: s.Game.About().ID, Options: s.Options, Rated: s.Agreed, Public: s.Public,
			First: s.Seats[games.First], Second: s.Seats[games.Second], Reserved: s.Reserved, RematchOf: s.RematchOf, By: s.By,
			Range: s.Range, Wait: int(s.Wait / time.Second), From: s.From, Tournament: s.Tournament,
		},
	}
	if s.Clock.Setting.Kind != clock.None {
		m.Opening.Clock = s.Clock.Setting.String()
		m.Clock = matches.ClockState{Left: s.Clock.Left, Since: s.Clock.Since, Moved: s.Clock.Moved, Used: s.Clock.Used}
		m.Pauses = matches.Pauses(s.Pauses)
	}
	return m
}

// SummaryOf returns the summary of an unfinished match from what a store keeps. The error wraps ErrLog.
func SummaryOf(m matches.Summary, find FindGame) (Summary, error) {
	g, err := find(m.Opening.Game)
	if err != nil || m.Turn == storage.Nobody {
		return Summary{}, fmt.Errorf("%w: match %s: the summary makes no sense: %w", ErrLog, m.ID, err)
	}
	o, c := m.Opening, clock.Clock{}
	if o.Clock != "" {
		setting, err := clock.Parse(o.Clock)
		if err != nil {
			return Summary{}, fmt.Errorf("%w: match %s: the summary makes no sense: %w", ErrLog, m.ID, err)
		}
		c = clock.Clock{Setting: setting, Left: m.Clock.Left, Since: m.Clock.Since, Turn: int(m.Turn.Side()), Moved: m.Clock.Moved, Used: m.Clock.Used}
		c.Until = Pauses(m.Pauses).until(c.Since)
	}
	return Summary{
		Ref:  Ref{ID: m.ID, Code: o.Code},
		Game: g, Options: o.Options, Rated: o.Rated, Public: o.Public,
		Seats: [2]storage.Occupant{o.First, o.Second}, Opening: openingOf(&o, m.Opener),
		Events: m.Seq, Plies: m.Plies, Start: m.Given, Helped: m.Helped, Turn: m.Turn.Side(), Offers: m.Offers,
		Opened: m.Opened, Started: m.Started, LastAt: m.At, Clock: c, Pauses: Pauses(m.Pauses), Planned: m.Planned,
	}, nil
}

// OpenChallenge reports whether the match is a challenge that is not taken.
func (s *Summary) OpenChallenge() bool { return s.Challenge() && s.Started.IsZero() }

// Until returns when the offer ends unless it is taken before; zero if it does not say.
func (s *Summary) Until() time.Time {
	if s.Wait == 0 || !s.Started.IsZero() {
		return time.Time{}
	}
	return s.Opened.Add(s.Wait)
}

// Side returns the side that a user plays, or the side to move if the user plays both. ok is false for a spectator.
func (s *Summary) Side(u User) (side games.Side, ok bool) {
	if s.Holds(u, s.Turn) {
		return s.Turn, true
	}
	return s.Turn.Other(), s.Holds(u, s.Turn.Other())
}

// YourTurn reports whether a user can move now, in an unfinished match.
func (s *Summary) YourTurn(u User) bool { return !s.Started.IsZero() && s.Holds(u, s.Turn) }

// Ticks reports whether the match is being played with a clock that counts seconds, not days.
func (s *Summary) Ticks() bool {
	return s.Clock.Setting.Kind == clock.Fischer && !s.Clock.Since.IsZero()
}

// FlagAt returns when the match ends unless the side to move makes a move: clock.MaxCredit after its deadline, when no move that was made in
// time can still arrive. It is zero for never.
func (s *Summary) FlagAt() time.Time {
	deadline := s.Clock.Deadline()
	if deadline.IsZero() {
		return deadline
	}
	return deadline.Add(clock.MaxCredit)
}

// FirstMove is how long a side may take for its first move while both players are here, in a match without a clock that LimitsFirstMoves.
const FirstMove = 2 * time.Minute

// LimitsFirstMoves reports whether the side to move must make its first move within FirstMove while both players are here: in a public or rated
// match of two people without a clock, until both have moved. A clock has a limit of its own, and a private casual match none.
func (s *Summary) LimitsFirstMoves() bool {
	return !s.Started.IsZero() && s.Made() < 2 && s.Clock.Setting.Kind == clock.None && (s.Public || s.Agreed) &&
		!s.HasBot() && !SameUser(s.Seats)
}

// BotToMove reports whether it is a computer player's turn.
func (s *Summary) BotToMove() bool { return !s.Started.IsZero() && s.Seats[s.Turn].Kind == storage.Bot }

// BotToAct reports whether a computer player has to move or to answer a draw offer.
func (s *Summary) BotToAct() bool {
	by := s.Offers.Draw
	return s.BotToMove() || by != storage.Nobody && s.Seats[by.Side().Other()].Kind == storage.Bot
}

// Made returns the number of moves in the line after the moves given by the opening.
func (s *Summary) Made() int { return s.Plies - s.Start }

// Initial returns the position before all moves, including the moves given by the opening.
func (s *Summary) Initial() (games.Position, error) { return games.Begin(s.Game, s.Options, s.From) }

// Studied reports whether the match began from a position other than the start of its game, or with given moves.
func (s *Summary) Studied() bool { return s.From != "" || s.Start > 0 }

// People returns the keys of the players and guests whom the match concerns, each once: the users in its seats, and the user
// for whom its free seat is reserved.
func (s *Summary) People() []Key {
	concerned := []storage.Occupant{s.Seats[games.First], s.Seats[games.Second]}
	if s.Started.IsZero() {
		concerned = append(concerned, s.Reserved)
	}
	var people []Key
	for _, o := range concerned {
		if (o.Kind.HasAccount() || o.Kind == storage.Guest) && !slices.Contains(people, KeyOf(o)) {
			people = append(people, KeyOf(o))
		}
	}
	return people
}

// ByEngine reports whether a computer account has opened the match.
func (s *Summary) ByEngine() bool {
	return s.Opener != storage.Nobody && s.Seats[s.Opener.Side()].Kind == storage.Engine
}

// ByAge compares two matches by age, the older one first.
func ByAge(a, b *Summary) int { return cmp.Or(a.Opened.Compare(b.Opened), cmp.Compare(a.ID, b.ID)) }
