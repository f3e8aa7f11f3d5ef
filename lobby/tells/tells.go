// Package tells passes on what players write to each other outside of matches: who may write to whom, and what waits for those who are not here.
package tells

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/restrictions"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	chatstore "ludoteca/storage/chat"
	"ludoteca/storage/results"
	tellstore "ludoteca/storage/tells"
)

// acquaintance is how many matches, of two moves a side at least, let two players write to each other.
const acquaintance = 3

// A Store keeps the lines; see tells.Store, accounts.Store and results.Store.
type Store interface {
	AddTell(ctx context.Context, from, to tellstore.Party, friend bool, text string, at time.Time) error
	Tells(ctx context.Context, player storage.PlayerID, after time.Time, evidence bool) ([]tellstore.Line, error)
	SeeTells(ctx context.Context, player storage.PlayerID, last uint64) error

	Tallies(ctx context.Context, id, against storage.PlayerID, games ...string) (results.PlayerTally, error)
}

// Chat knows who may write to others; see chat.Service.
type Chat interface {
	// Admit returns a typed line as it is shown, and counts it against what its author may write, or says why it is refused.
	Admit(ctx context.Context, u match.User, typed string) (line string, err error)
}

// Relations are whom players follow and block; see relations.Service.
type Relations interface {
	RelationTo(u match.User, id storage.PlayerID) (follows, blocks bool)
	Blocks(a, b match.User) bool
}

// A Config configures New.
type Config struct {
	Store        Store
	Chat         Chat
	Relations    Relations
	Restrictions *restrictions.Service
	Messenger    *nodes.Messenger
	Feeds        *feed.Group
	Now          func() time.Time // the clock of events

	// ByName returns the player with a name, in any letter case. The errors are refusal.ErrNoSuchPlayer and refusal.ErrBusy.
	ByName func(ctx context.Context, name string) (accounts.Player, error)
}

// A Service passes lines on. A line is on disk before it is shown, and waits there for a player who isn't here. It is safe for concurrent use.
type Service struct {
	config Config
	told   nodes.Messages[told]

	mu        sync.Mutex // guards what follows
	listening map[storage.PlayerID]*listener
}

// A listener wakes the sessions of one player.
type listener struct {
	feed     *feed.Feed[struct{}]
	sessions int
}

// New returns a service.
func New(c Config) *Service {
	s := &Service{config: c, listening: map[storage.PlayerID]*listener{}}
	s.told = nodes.NewMessages(c.Messenger, "told", func(t told) { s.wake(t.Player) })
	return s
}

// A Line is a line as one of both players sees it.
type Line struct {
	Number uint64 // in the box of the player
	At     time.Time
	By, To string           // present names
	Peer   storage.PlayerID // the other player
	Sent   bool             // the player wrote it
	Text   string
}

// Tell keeps a line to another player, for whom it waits, and returns it. The players must follow each other or have played
// acquaintance matches.
//
// The errors are refusal.ErrNeedsKey, refusal.ErrAccountClosed, refusal.ErrNoSuchPlayer, refusal.ErrOwnTell, refusal.ErrUntold for a player who
// isn't acquainted, takes no lines or has blocked the user, refusal.ErrManyTells, refusal.ErrUnansweredTells, refusal.ErrBusy, refusal.ErrClosed, and
// the errors of Chat.Admit.
func (s *Service) Tell(ctx context.Context, u match.User, name, typed string) (line Line, err error) {
	if err := s.config.Restrictions.Own(u); err != nil {
		return line, err
	}
	other, err := s.config.ByName(ctx, name)
	if err != nil {
		return line, err
	}
	to := s.config.Restrictions.MainAccount(other.ID)
	if to == u.Player() {
		return line, refusal.ErrOwnTell
	}
	friend, err := s.mayTell(ctx, u, other, to)
	if err != nil {
		return line, err
	}
	text, err := s.config.Chat.Admit(ctx, u, typed)
	if err != nil {
		return line, err
	}
	line = Line{At: storage.Stored(s.config.Now()), By: u.Name, To: other.Name, Peer: to, Sent: true, Text: text}
	err = s.config.Store.AddTell(ctx, tellstore.Party{ID: u.Player(), Name: u.Name}, tellstore.Party{ID: to, Name: other.Name}, friend, text, line.At)
	switch {
	case errors.Is(err, tellstore.ErrManyWaiting):
		return line, refusal.ErrManyTells
	case errors.Is(err, tellstore.ErrUnanswered):
		return line, refusal.ErrUnansweredTells
	case errors.Is(err, storage.ErrNotFound): // the account has just been deleted
		return line, refusal.ErrUntold
	case err != nil:
		return line, refusal.OfStore(err)
	}
	s.wake(to)
	s.told.Tell(told{to})
	return line, nil
}

// mayTell returns nil if a user may write to a player, whose main account is to, and whether the player follows the user. Whatever stands against it
// is the same error.
func (s *Service) mayTell(ctx context.Context, u match.User, other accounts.Player, to storage.PlayerID) (friend bool, err error) {
	peer := match.User{Kind: storage.Person, ID: string(to), Name: other.Name}
	if other.Settings.ChatOff || other.Kind() != storage.Person || s.config.Restrictions.Closed(to) || s.config.Relations.Blocks(u, peer) {
		return false, refusal.ErrUntold
	}
	friend, _ = s.config.Relations.RelationTo(peer, u.Player())
	follows, _ := s.config.Relations.RelationTo(u, to)
	if friend && follows {
		return true, nil
	}
	played := 0
	for _, own := range s.config.Restrictions.AccountsOf(u.Player()) {
		for _, theirs := range s.config.Restrictions.AccountsOf(to) {
			t, err := s.config.Store.Tallies(ctx, own, theirs)
			if err != nil {
				return false, refusal.OfStore(err)
			}
			played += t.Against.Won + t.Against.Drawn + t.Against.Lost
		}
	}
	if played < acquaintance {
		return false, refusal.ErrUntold
	}
	return friend, nil
}

// All returns the lines to and from a player that are kept, the oldest first. Those that waited don't wait any more. The errors are
// refusal.ErrNeedsKey and refusal.ErrBusy.
func (s *Service) All(ctx context.Context, u match.User) ([]Line, error) {
	kept, err := s.kept(ctx, u)
	if err != nil {
		return nil, err
	}
	for _, l := range slices.Backward(kept) {
		if l.Waiting {
			if err := s.config.Store.SeeTells(ctx, u.Player(), l.Number); err != nil {
				return nil, refusal.OfStore(err)
			}
			break
		}
	}
	return s.seenBy(u, kept), nil
}

// Kept is All for a player who doesn't read the lines now: they still wait afterwards.
func (s *Service) Kept(ctx context.Context, u match.User) ([]Line, error) {
	kept, err := s.kept(ctx, u)
	return s.seenBy(u, kept), err
}

// kept returns the lines of the box of a player.
func (s *Service) kept(ctx context.Context, u match.User) ([]tellstore.Line, error) {
	if !u.Kind.HasAccount() {
		return nil, refusal.ErrNeedsKey
	}
	kept, err := s.config.Store.Tells(ctx, u.Player(), s.config.Now().Add(-tellstore.Life), false)
	return kept, refusal.OfStore(err)
}

// seenBy returns lines of the box of a player as the player sees them: without lines of other players whom this one blocks or whose accounts are
// closed.
func (s *Service) seenBy(u match.User, kept []tellstore.Line) (lines []Line) {
	own := s.config.Restrictions.Named(u.Occupant()).Name
	for _, l := range kept {
		peer := s.config.Restrictions.Named(storage.Occupant{Kind: storage.Person, ID: string(l.Peer), Name: l.Name})
		if !l.Sent {
			_, blocks := s.config.Relations.RelationTo(u, l.Peer)
			if blocks || s.config.Restrictions.Closed(l.Peer) {
				continue
			}
		}
		line := Line{Number: l.Number, At: l.At, By: peer.Name, To: own, Peer: l.Peer, Sent: l.Sent, Text: l.Text}
		if l.Sent {
			line.By, line.To = own, peer.Name
		}
		lines = append(lines, line)
	}
	return lines
}

// Evidence returns the lines between a player and others that reports show, the oldest first. It ignores blocks: a player may block another one
// before reporting them. The error is refusal.ErrBusy.
func (s *Service) Evidence(ctx context.Context, u match.User) (lines []chatstore.Line, with []storage.PlayerID, err error) {
	kept, err := s.config.Store.Tells(ctx, u.Player(), s.config.Now().Add(-tellstore.Life), true)
	if err != nil {
		return nil, nil, refusal.OfStore(err)
	}
	for _, l := range kept {
		by := storage.Occupant{Kind: storage.Person, ID: string(l.Peer), Name: l.Name}
		if l.Sent {
			by = u.Occupant()
		}
		lines, with = append(lines, chatstore.Line{Number: l.Number, At: l.At, By: by, Text: l.Text}), append(with, l.Peer)
	}
	return lines, with, nil
}

// Incoming are the lines that others write to a user, for one session. One goroutine at a time may use it.
type Incoming struct {
	service *Service
	user    match.User
	feed    *feed.Feed[struct{}] // nil for a guest, to whom nobody writes
	after   uint64               // the number of the last value of the feed
	last    uint64               // of the lines that were returned
	began   bool                 // last is known
	seen    uint64               // up to which the store knows that they were seen
}

// Listen returns the lines to a user from now on, and first those that wait, until leave is called.
func (s *Service) Listen(u match.User) (i *Incoming, leave func()) {
	if !u.Kind.HasAccount() {
		return &Incoming{service: s, user: u}, func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := u.Player()
	l := s.listening[id]
	if l == nil {
		l = &listener{feed: feed.New[struct{}](s.config.Feeds)}
		l.feed.Publish(struct{}{}) // there is always a value: the first Next reads what waits
		s.listening[id] = l
	}
	l.sessions++
	return &Incoming{service: s, user: u, feed: l.feed}, sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if l.sessions--; l.sessions == 0 {
			delete(s.listening, id)
		}
	})
}

// Next returns the lines since the last call: at once if there are any, else when there is one. The lines of the call before have been seen by then.
// The errors are ctx.Err(), refusal.ErrBusy and the error of the closed club.
func (i *Incoming) Next(ctx context.Context) ([]Line, error) {
	s := i.service
	if i.feed == nil {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.config.Feeds.Closed():
			return nil, s.config.Feeds.Err()
		}
	}
	if i.last > i.seen {
		if err := s.config.Store.SeeTells(ctx, i.user.Player(), i.last); err != nil {
			return nil, refusal.OfStore(err)
		}
		i.seen = i.last
	}
	for {
		_, after, err := i.feed.Next(ctx, i.after)
		if err != nil {
			return nil, err
		}
		i.after = after
		kept, err := s.config.Store.Tells(ctx, i.user.Player(), time.Time{}, false)
		if err != nil {
			return nil, refusal.OfStore(err)
		}
		if fresh := s.seenBy(i.user, i.fresh(kept)); len(fresh) > 0 {
			return fresh, nil
		}
	}
}

// fresh returns the lines of the box that the session has not had yet: at first those that wait.
func (i *Incoming) fresh(kept []tellstore.Line) (lines []tellstore.Line) {
	for _, l := range kept {
		if !l.Sent && (i.began && l.Number > i.last || !i.began && l.Waiting) {
			lines = append(lines, l)
		}
	}
	i.began = true
	if len(kept) > 0 {
		i.last = max(i.last, kept[len(kept)-1].Number)
	}
	return lines
}

// wake has the sessions of a player at this node read what is new.
func (s *Service) wake(id storage.PlayerID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.listening[id]; l != nil {
		l.feed.Publish(struct{}{})
	}
}

// A told is a message to the other nodes: a line was written to a player, whose sessions there read what is new. What it says is in the store, where
// it waits for the player if the message is lost.
type told struct {
	Player storage.PlayerID `json:"player"`
}
