package chat

import (
	"context"
	"errors"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/restrictions"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	chatstore "ludoteca/storage/chat"
)

// A ServiceStore keeps chats, and the settings of players; see chat.Store and accounts.Store.
type ServiceStore interface {
	Store

	// ChatBy returns the stored lines of a player, by match.
	ChatBy(ctx context.Context, player storage.PlayerID) (map[storage.MatchID][]chatstore.Line, error)

	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)
}

// Matches are the matches of the club, running and finished.
type Matches interface {
	// Seats returns who sits in a match, running or finished. The errors are refusal.ErrNoSuchMatch, refusal.ErrDamaged, refusal.ErrBusy and
	// refusal.ErrClosed.
	Seats(ctx context.Context, id storage.MatchID) ([2]storage.Occupant, error)

	// ByCode reports whether the second player of a match came by its code: it is private, and nobody was challenged to it.
	ByCode(ctx context.Context, id storage.MatchID) (bool, error)

	// GoesOn reports whether a match has not ended.
	GoesOn(id storage.MatchID) bool
}

// Shared is the store of a club with several nodes; see chat.Store.
type Shared interface {
	FollowChat(ctx context.Context, f storage.Follower[chatstore.LineID, chatstore.LineID]) error
}

// A Config configures NewService.
type Config struct {
	Store        ServiceStore
	Matches      Matches
	Restrictions *restrictions.Service
	Node         nodes.Follower
	Shared       Shared // nil in a club with one node
	Messenger    *nodes.Messenger
	Feeds        *feed.Group
	Now          func() time.Time // the clock of events

	// Blocked reports whether by has blocked other. Origin returns the origin of a user. Neither may wait.
	Blocked func(by, other match.User) bool
	Origin  func(storage.Occupant) origin.Origin
}

// A Service is the chat of all matches. Users may write unless an operator has muted them or they have switched chat off, as often as sayEvery
// and sayBurst allow. Lines are never logged.
type Service struct {
	config   Config
	rooms    *Rooms
	throttle *origin.Throttle // lines of people
	late     nodes.Messages[lateLine]
}

// NewService returns the chat. The caller must run Run and FollowLines.
func NewService(c Config) *Service {
	s := &Service{config: c, throttle: newThrottle()}
	s.rooms = NewRooms(c.Store, c.Feeds, c.Matches.GoesOn, s.tellLine)
	s.late = nodes.NewMessages(c.Messenger, "line", func(l lateLine) { s.rooms.Receive(l.Match, l.Line) })
	return s
}

// Run drops chats without readers from memory, until ctx ends.
func (s *Service) Run(ctx context.Context) { s.rooms.Run(ctx) }

// End marks the chat of a match as over; see Rooms.End.
func (s *Service) End(id storage.MatchID, there []match.Key) { s.rooms.End(id, there) }

// Forget removes the lines of an author from all chats in memory; see Rooms.Forget.
func (s *Service) Forget(id storage.PlayerID) {
	s.rooms.Forget(match.Key{Kind: storage.Person, ID: string(id)})
}

// Latest returns the newest talk of a match that is in memory; see Rooms.Latest.
func (s *Service) Latest(id storage.MatchID) *Talk { return s.rooms.Latest(id) }

// Read returns what a user sees of the chat of a match as soon as its Seq is above after: at once if it is already. Start with 0 and go on with
// the Seq in hand. Seq also grows with lines that the user doesn't see. The errors are the same as of Matches.Seats, and ctx.Err().
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
	byCode, err := s.config.Matches.ByCode(ctx, id)
	if err != nil {
		return nil, err
	}
	r := Reader{User: u, Room: RoomOf(seats, u), Off: off, ByCode: byCode, Hidden: func(by storage.Occupant) bool { return s.unheard(u, by) }}
	lines, waiting := talk.Seen(r)
	v := &View{Seq: talk.Seq, Waiting: waiting, Room: r.Room, Over: talk.Over, Off: off}
	for _, line := range lines {
		line.By = s.config.Restrictions.Named(line.By)
		v.Lines = append(v.Lines, ViewLine{line, u.Is(line.By)})
	}
	return v, nil
}

// Say writes a line in a user's room of a match, and returns when it is on disk. After the end of the match only its players write, and users
// for whom Rooms.WasThere is true. text is a typed line and greeting the id of a greeting; one of them is "".
//
// The errors are refusal.ErrLine, refusal.ErrGreeting, refusal.ErrAccountClosed, *refusal.MutedError, refusal.ErrChatOff, refusal.ErrNoCompany,
// refusal.ErrNotThere, refusal.ErrNeedsKey for a user without an id, *refusal.ChattyError, and the errors of Read.
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

// Admit returns a line that a user has typed to other people elsewhere than at a match, as it is shown. It counts against the lines that the user
// may write. The errors are refusal.ErrLine, refusal.ErrAccountClosed, *refusal.MutedError, refusal.ErrChatOff, refusal.ErrNeedsKey for a user
// without an id, *refusal.ChattyError and refusal.ErrBusy.
func (s *Service) Admit(ctx context.Context, u match.User, typed string) (string, error) {
	line, ok := Check(typed)
	if !ok {
		return "", refusal.ErrLine
	}
	if err := s.mayWrite(ctx, u); err != nil {
		return "", err
	}
	if wait, ok := s.throttle.Take(time.Now(), s.config.Origin(u.Occupant())); !ok {
		return "", &refusal.ChattyError{Wait: wait}
	}
	return line, nil
}

// How often a person may write a line. A block of addresses may write as often as sayTogether people for each unit of its weight.
const (
	sayEvery    = 3 * time.Second
	sayBurst    = 5 // lines in a row
	sayTogether = 4
	talkers     = 1 << 14 // people that are remembered
)

func newThrottle() *origin.Throttle {
	return origin.NewSharedThrottle(sayEvery, sayBurst, sayTogether, talkers)
}

// A View is what one user sees of the chat of a match.
type View struct {
	Seq     uint64
	Lines   []ViewLine     // by time
	Waiting int            // lines of guests that are shown once the user has written a line
	Room    chatstore.Room // where the user writes
	Over    bool           // the match has ended: the store keeps only the last lines, for reports
	Off     bool           // the user has switched chat off
}

// A ViewLine is a line that a user sees.
type ViewLine struct {
	chatstore.Line      // By has the present name
	Own            bool // the user wrote it
}

// chatOff reports whether a user has switched chat off.
func (s *Service) chatOff(ctx context.Context, u match.User) (bool, error) {
	if !u.Kind.HasAccount() {
		return false, nil
	}
	p, err := s.config.Store.Player(ctx, u.Player())
	if errors.Is(err, storage.ErrNotFound) {
		return true, nil // the account has just been deleted
	}
	return p.Settings.ChatOff, refusal.OfStore(err)
}

// unheard reports whether a user sees no lines of a player, because the user has blocked them or their account is closed.
func (s *Service) unheard(u match.User, by storage.Occupant) bool {
	return by.Kind.HasAccount() && (s.config.Restrictions.Closed(storage.PlayerID(by.ID)) || s.config.Blocked(u, match.User(by)))
}

// maySay returns nil if a user may write at a match with these seats, else the reason why not.
func (s *Service) maySay(ctx context.Context, u match.User, seats [2]storage.Occupant) error {
	if err := s.mayWrite(ctx, u); err != nil {
		return err
	}
	if RoomOf(seats, u) == chatstore.PlayersRoom && !HasCompany(seats, u) {
		return refusal.ErrNoCompany
	}
	return nil
}

// mayWrite returns nil if a user may write to other people, else the reason why not.
func (s *Service) mayWrite(ctx context.Context, u match.User) error {
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
	}
	return nil
}

// By returns the stored lines of a player, by match. The errors are refusal.ErrNeedsKey and refusal.ErrBusy.
func (s *Service) By(ctx context.Context, u match.User) (map[storage.MatchID][]chatstore.Line, error) {
	if !u.Kind.HasAccount() {
		return nil, refusal.ErrNeedsKey
	}
	lines, err := s.config.Store.ChatBy(ctx, u.Player())
	return lines, refusal.OfStore(err)
}

// chatError translates an error of Rooms for callers of the club.
func chatError(err error) error {
	if errors.Is(err, refusal.ErrClosed) {
		return err
	}
	return refusal.OfStore(err)
}
