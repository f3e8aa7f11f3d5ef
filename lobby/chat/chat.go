package chat

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	chatstore "ludoteca/storage/chat"
	"ludoteca/storage/cluster"
)

// A ServiceStore keeps the chat and who has switched it off; see chat.Store and accounts.Store.
type ServiceStore interface {
	Store

	// ChatBy returns what is kept of what a player has written, by match.
	ChatBy(ctx context.Context, player storage.PlayerID) (map[storage.MatchID][]chatstore.Line, error)

	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)
}

// Matches say who sits in a match.
type Matches interface {
	// Seats returns who sits in a match, running or finished. The errors are refusal.ErrNoSuchMatch, refusal.ErrDamaged, refusal.ErrBusy and
	// refusal.ErrClosed.
	Seats(ctx context.Context, id storage.MatchID) ([2]storage.Occupant, error)

	// GoesOn reports whether a match goes on.
	GoesOn(id storage.MatchID) bool
}

// A Node is this one: *nodes.Nodes or *nodes.Alone.
type Node interface {
	nodes.Follower
	Own(id cluster.NodeID) bool
	Tell(ctx context.Context, kind string, what any) error
}

// Shared is the store of a club with several nodes; see chat.Store and cluster.Store.
type Shared interface {
	FollowChat(ctx context.Context, f storage.Follower[chatstore.LineID, chatstore.LineID]) error
	FollowNotices(ctx context.Context, told func(cluster.Notice), bad func(key string, err error)) error
}

// A Config configures NewService.
type Config struct {
	Store        ServiceStore
	Matches      Matches
	Restrictions *restrictions.Service
	Node         Node
	Shared       Shared // nil in a club with one node
	Feeds        *feed.Group
	Tasks        *tasks.Group
	Now          func() time.Time // the clock of events
	Log          *slog.Logger

	// Blocked reports whether a user has blocked another one. Origin returns where somebody comes from. Neither blocks.
	Blocked func(by, other match.User) bool
	Origin  func(storage.Occupant) origin.Origin
}

// A Service is the chat of all matches. Who may write are people whom no operator has muted and who have not switched chat off, no more often
// than the rates below allow. Lines are never logged.
type Service struct {
	config   Config
	rooms    *Rooms
	throttle *origin.Throttle // lines of people
}

// NewService returns the chat. The caller must run Run, FollowLines and FollowNotices.
func NewService(c Config) *Service {
	s := &Service{config: c, throttle: newThrottle()}
	s.rooms = NewRooms(c.Store, c.Feeds, c.Matches.GoesOn, s.tellLine)
	return s
}

// Run drops what nobody reads until ctx ends.
func (s *Service) Run(ctx context.Context) { s.rooms.Run(ctx) }

// End says that a match is over, and who was at its board; see Rooms.End.
func (s *Service) End(id storage.MatchID, there []match.Key) { s.rooms.End(id, there) }

// Forget takes all lines of somebody out of what is shown; see Rooms.Forget.
func (s *Service) Forget(by match.Key) { s.rooms.Forget(by) }

// Latest returns the newest talk of a match that is in memory; see Rooms.Latest.
func (s *Service) Latest(id storage.MatchID) *Talk { return s.rooms.Latest(id) }

// Read returns what a user sees of the chat of a match as soon as its Seq is above after: at once if it is already. Start with 0 and go on with
// the Seq in hand; a line that the user doesn't see counts too. The errors are those of Matches.Seats and that of ctx.
func (s *Service) Read(ctx context.Context, u match.User, id storage.MatchID, after uint64) (*View, error) {
	talk, err := s.rooms.Next(ctx, id, after)
	if err != nil {
		return nil, chatError(err)
	}
	seats, err := s.config.Matches.Seats(ctx, id)
	if err != nil {
		return nil, err
	}
	off, err := s.chatOff(ctx, u)
	if err != nil {
		return nil, err
	}
	r := Reader{User: u, Room: RoomOf(seats, u), Off: off, Hidden: func(by storage.Occupant) bool { return s.unheard(u, by) }}
	lines, waiting := talk.Seen(r)
	v := &View{Seq: talk.Seq, Waiting: waiting, Room: r.Room, Over: talk.Over, Off: off}
	for _, line := range lines {
		line.By = s.config.Restrictions.Named(line.By)
		v.Lines = append(v.Lines, ViewLine{line, u.Is(line.By)})
	}
	return v, nil
}

// Say writes a line in a user's room of a match, and returns when it is on disk. After the end of the match only those write who sat at it or were
// at its board then. text is what was typed, greeting the id of a greeting; one of them is "". The errors are refusal.ErrLine,
// refusal.ErrGreeting, refusal.ErrAccountClosed, a *refusal.MutedError, refusal.ErrChatOff, refusal.ErrNoCompany, refusal.ErrNotThere,
// refusal.ErrNeedsKey for a user without a name, a *refusal.ChattyError, and those of Read.
func (s *Service) Say(ctx context.Context, u match.User, id storage.MatchID, text, greeting string) error {
	line := chatstore.Line{At: s.config.Now(), By: u.Occupant(), Greeting: greeting}
	switch ok := true; {
	case greeting != "" && (text != "" || !IsGreeting(greeting)):
		return refusal.ErrGreeting
	case greeting == "":
		if line.Text, ok = Check(text); !ok {
			return refusal.ErrLine
		}
	}
	seats, err := s.config.Matches.Seats(ctx, id)
	if err == nil {
		err = s.maySay(ctx, u, seats)
	}
	if err != nil {
		return err
	}
	line.Room = RoomOf(seats, u)
	if line.Room != chatstore.PlayersRoom && !s.config.Matches.GoesOn(id) && !s.rooms.WasThere(id, u.Key()) {
		return refusal.ErrNotThere
	}
	if wait, ok := s.throttle.Take(time.Now(), s.config.Origin(u.Occupant())); !ok {
		return &refusal.ChattyError{Wait: wait}
	}
	return chatError(s.rooms.Say(ctx, id, line))
}

// How often one person writes a line, after a few at once; the people at one address as often as four, and blocks by their weight.
const (
	sayEvery    = 3 * time.Second
	sayBurst    = 5
	sayTogether = 4
	talkers     = 1 << 14 // people that are remembered
)

func newThrottle() *origin.Throttle {
	return origin.NewSharedThrottle(sayEvery, sayBurst, sayTogether, talkers)
}

// A Chat is what one user sees of the chat of a match.
type View struct {
	Seq     uint64
	Lines   []ViewLine     // by time
	Waiting int            // lines of guests that are shown when the user has written something
	Room    chatstore.Room // where the user writes
	Over    bool           // the match is: the disk keeps the last lines for reports alone
	Off     bool           // the user has switched chat off
}

// A ChatLine is a line that a user sees.
type ViewLine struct {
	chatstore.Line      // By has the present name
	Own            bool // the user wrote it
}

// chatOff reports whether a user has switched chat off.
func (s *Service) chatOff(ctx context.Context, u match.User) (bool, error) {
	if u.Kind != storage.Person {
		return false, nil
	}
	p, err := s.config.Store.Player(ctx, u.Player())
	if errors.Is(err, storage.ErrNotFound) {
		return true, nil // the account has just been deleted
	}
	return p.Settings.ChatOff, refusal.OfStore(err)
}

// unheard reports whether a user sees nothing that somebody writes: blocked by the user, or closed.
func (s *Service) unheard(u match.User, by storage.Occupant) bool {
	return by.Kind == storage.Person && (s.config.Restrictions.Closed(storage.PlayerID(by.ID)) || s.config.Blocked(u, match.User(by)))
}

// maySay says why a user can't write at a match with these seats.
func (s *Service) maySay(ctx context.Context, u match.User, seats [2]storage.Occupant) error {
	if u.ID == "" {
		return refusal.ErrNeedsKey
	}
	if err := s.config.Restrictions.MayPlay(u); err != nil {
		return err
	}
	if until := s.config.Restrictions.MutedUntil(u); until.After(s.config.Now()) {
		return &refusal.MutedError{Until: until}
	}
	off, err := s.chatOff(ctx, u)
	switch {
	case err != nil:
		return err
	case off:
		return refusal.ErrChatOff
	case RoomOf(seats, u) == chatstore.PlayersRoom && !HasCompany(seats, u):
		return refusal.ErrNoCompany
	}
	return nil
}

// By returns what is kept of what a player has written, by match; refusal.ErrNeedsKey, refusal.ErrBusy.
func (s *Service) By(ctx context.Context, u match.User) (map[storage.MatchID][]chatstore.Line, error) {
	if u.Kind != storage.Person {
		return nil, refusal.ErrNeedsKey
	}
	lines, err := s.config.Store.ChatBy(ctx, u.Player())
	return lines, refusal.OfStore(err)
}

// chatError returns an error of the chat's as callers know it.
func chatError(err error) error {
	if errors.Is(err, refusal.ErrClosed) {
		return err
	}
	return refusal.OfStore(err)
}
