package lobby

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"ludoteca/lobby/chat"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
	clusterstore "ludoteca/storage/cluster"
)

// # Chat
//
// Package chat says who sees what. Here is who may write: people whom no operator has muted and who have not switched chat off, no more
// often than the rates below allow. Lines are never logged.

// The rooms of a match; see chat.Room.
const (
	PlayersRoom    = chatstore.PlayersRoom
	SpectatorsRoom = chatstore.SpectatorsRoom
)

// How often one person writes a line, after a few at once; the people at one address as often as four, and blocks by their weight.
const (
	sayEvery    = 3 * time.Second
	sayBurst    = 5
	sayTogether = 4
	talkers     = 1 << 14 // people that are remembered
)

func newChatting() *origin.Throttle {
	return origin.NewSharedThrottle(sayEvery, sayBurst, sayTogether, talkers)
}

// A Chat is what one user sees of the chat of a match.
type Chat struct {
	Seq     uint64
	Lines   []ChatLine     // by time
	Waiting int            // lines of guests that are shown when the user has written something
	Room    chatstore.Room // where the user writes
	Over    bool           // the match is: the disk keeps the last lines for reports alone
	Off     bool           // the user has switched chat off
}

// A ChatLine is a line that a user sees.
type ChatLine struct {
	chatstore.Line      // By has the present name
	Own            bool // the user wrote it
}

// Greetings returns the ids of the greetings that need no typing, in the order in which they are offered.
func Greetings() []string { return chat.Greetings() }

// chatOff reports whether a user has switched chat off.
func (l *Lobby) chatOff(ctx context.Context, u User) (bool, error) {
	if u.Kind != storage.Person {
		return false, nil
	}
	p, err := l.store.Player(ctx, u.Player())
	if errors.Is(err, storage.ErrNotFound) {
		return true, nil // the account has just been deleted
	}
	return p.Settings.ChatOff, refusal.OfStore(err)
}

// Chat returns what the user sees of the chat of the match as soon as its Seq is above after: at once if it is already. Start with 0 and
// go on with the Seq in hand; a line that the user doesn't see counts too. The errors are those of Next.
func (s *Seat) Chat(ctx context.Context, after uint64) (*Chat, error) {
	l := s.lobby
	talk, err := l.chats.Next(ctx, s.id, after)
	if err != nil {
		return nil, chatError(err)
	}
	seats, err := l.Matches.Seats(ctx, s.id)
	if err != nil {
		return nil, err
	}
	off, err := l.chatOff(ctx, s.user)
	if err != nil {
		return nil, err
	}
	r := chat.Reader{User: s.user, Room: chat.RoomOf(seats, s.user), Off: off, Hidden: func(by storage.Occupant) bool { return l.unheard(s.user, by) }}
	lines, waiting := talk.Seen(r)
	c := &Chat{Seq: talk.Seq, Waiting: waiting, Room: r.Room, Over: talk.Over, Off: off}
	for _, line := range lines {
		line.By = l.seated.Named(line.By)
		c.Lines = append(c.Lines, ChatLine{line, s.user.Is(line.By)})
	}
	return c, nil
}

// unheard reports whether a user sees nothing that somebody writes: blocked by the user, or closed.
func (l *Lobby) unheard(u User, by storage.Occupant) bool {
	return by.Kind == storage.Person && (l.Restrictions.Closed(storage.PlayerID(by.ID)) || l.hasBlocked(u, User(by)))
}

// Say writes a line in the user's room of the match, and returns when it is on disk. After the end of the match only those write who sat at it
// or were at its board then. text is what was typed, greeting the id of a greeting; one of them is "". The errors are ErrLine, ErrGreeting,
// ErrAccountClosed, a *MutedError, ErrChatOff, ErrNoCompany, ErrNotThere, ErrNeedsKey for a user without a name, a *ChattyError, and those of
// Next.
func (s *Seat) Say(ctx context.Context, text, greeting string) error {
	l := s.lobby
	line := chatstore.Line{At: l.now(), By: s.user.Occupant(), Greeting: greeting}
	switch ok := true; {
	case greeting != "" && (text != "" || !chat.IsGreeting(greeting)):
		return ErrGreeting
	case greeting == "":
		if line.Text, ok = chat.Check(text); !ok {
			return ErrLine
		}
	}
	seats, err := l.Matches.Seats(ctx, s.id)
	if err == nil {
		err = l.maySay(ctx, s.user, seats)
	}
	if err != nil {
		return err
	}
	line.Room = chat.RoomOf(seats, s.user)
	if line.Room != chatstore.PlayersRoom && !l.Matches.GoesOn(s.id) && !l.chats.WasThere(s.id, s.user.Key()) {
		return ErrNotThere
	}
	if wait, ok := l.chatting.Take(time.Now(), l.origins.of(s.user.Occupant())); !ok {
		return &ChattyError{Wait: wait}
	}
	return chatError(l.chats.Say(ctx, s.id, line))
}

// maySay says why a user can't write at a match with these seats.
func (l *Lobby) maySay(ctx context.Context, u User, seats [2]storage.Occupant) error {
	if u.ID == "" {
		return ErrNeedsKey
	}
	if err := l.Restrictions.MayPlay(u); err != nil {
		return err
	}
	if until := l.Restrictions.MutedUntil(u); until.After(l.now()) {
		return &MutedError{Until: until}
	}
	off, err := l.chatOff(ctx, u)
	switch {
	case err != nil:
		return err
	case off:
		return ErrChatOff
	case chat.RoomOf(seats, u) == chatstore.PlayersRoom && !chat.HasCompany(seats, u):
		return ErrNoCompany
	}
	return nil
}

// ChatBy returns what is kept of what a player has written, by match; ErrNeedsKey, ErrBusy.
func (l *Lobby) ChatBy(ctx context.Context, u User) (map[storage.MatchID][]chatstore.Line, error) {
	if u.Kind != storage.Person {
		return nil, ErrNeedsKey
	}
	lines, err := l.store.ChatBy(ctx, u.Player())
	return lines, refusal.OfStore(err)
}

// chatError returns an error of the chat's as callers know it.
func chatError(err error) error {
	if errors.Is(err, ErrClosed) {
		return err
	}
	return refusal.OfStore(err)
}

// followChat follows the chat lines of unfinished matches until ctx ends.
func (l *Lobby) followChat(ctx context.Context) {
	l.node.Follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowChat(ctx, storage.Follower[chatstore.LineID, chatstore.LineID]{
			All: func([]chatstore.LineID) { l.chats.FollowAll(ctx) },
			Put: func(line chatstore.LineID) { l.chats.Follow(ctx, line.Match, line.Room, line.Number) },
			Bad: l.unreadable,
		})
	})
}

// # Notices

// noticeLine is the kind of notices that are a toldLine.
const noticeLine = "line"

// A toldLine is a line of the chat of a match that is over.
type toldLine struct {
	Match storage.MatchID `json:"match"`
	Line  chatstore.Line  `json:"line"`
}

// tellLine is the callback of chat.NewRooms. It sends a chat line of a finished match to the other nodes.
func (l *Lobby) tellLine(id storage.MatchID, line chatstore.Line) {
	l.tell(noticeLine, toldLine{id, line})
}

// tell sends a notice to the other nodes, in a goroutine of its own. Delivery is best effort: a failed notice is not sent again.
func (l *Lobby) tell(kind string, what any) {
	_ = l.tasks.Go(func(ctx, _ context.Context) { // the error: the club closes
		if err := l.node.Tell(ctx, kind, what); err != nil && ctx.Err() == nil {
			l.log.Warn("other nodes are not told", "notice", kind, "err", err)
		}
	})
}

// followNotices handles the notices of other nodes until ctx ends.
func (l *Lobby) followNotices(ctx context.Context) {
	l.node.Follow(ctx, func(ctx context.Context) error { return l.shared.FollowNotices(ctx, l.hear, l.unreadable) })
}

// hear handles a notice.
func (l *Lobby) hear(n clusterstore.Notice) {
	if l.node.Own(n.Node) {
		return
	}
	var told toldLine
	switch err := json.Unmarshal(n.Body, &told); {
	case n.Kind != noticeLine: // of a newer program
	case err != nil:
		l.unreadable(n.Kind, err)
	default:
		l.chats.Hear(told.Match, told.Line)
	}
}
