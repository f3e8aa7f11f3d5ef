// Package lounge is the room in which all who are here write to each other: who may write, who sees which line, and the last lines, in memory.
//
// The last lines are in the memory of each node alone, as talk in a room is: they are gone when the node starts again. Lines that nobody sees any more,
// because MaxLines newer ones have come or an operator has closed the lounge, are kept for reports, for EvidenceLife and no more than MaxEvidence of
// them. A report has a copy of the lines that its node knows of the player whom it is about, in the store with the report: these stay for as long as
// the report does.
package lounge

import (
	"cmp"
	"context"
	"errors"
	"slices"
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

// The bounds of the lounge.
const (
	MaxLines = 200       // that are kept, the last ones
	YoungFor = time.Hour // how long a new account reads only

	EvidenceLife = 24 * time.Hour // how long reports have lines that are shown no more
	MaxEvidence  = 2000           // such lines, the last ones: more than are written in three minutes of the worst flood

	// How often a person may write, and the people of a block of addresses as often as its weight of persons: all who are here read each line.
	sayEvery = 3 * time.Second
	sayBurst = 5
	talkers  = 1 << 14 // people that are remembered
)

// A Store keeps players; see accounts.Store.
type Store interface {
	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)
}

// Chat knows who may write to others; see chat.Service.
type Chat interface {
	// Admit returns a typed line as it is shown, and counts it against what its author may write, or says why it is refused.
	Admit(ctx context.Context, u match.User, typed string) (line string, err error)
}

// A Config configures New.
type Config struct {
	Store        Store
	Chat         Chat
	Restrictions *restrictions.Service
	Messenger    *nodes.Messenger
	Feeds        *feed.Group
	Now          func() time.Time // the clock of events

	// Origin returns the origin of a user. It must not wait.
	Origin func(storage.Occupant) origin.Origin

	// Blocks reports whether one of two users has blocked the other. It must not wait.
	Blocks func(a, b match.User) bool
}

// A Service is the lounge. Lines are never logged and never stored: a node that starts knows none of before. It is safe for concurrent use.
type Service struct {
	config   Config
	feed     *feed.Feed[*talk]
	throttle *origin.Throttle
	others   nodes.Messages[line] // lines that were written at other nodes
}

// New returns a lounge without lines, which is open.
func New(c Config) *Service {
	s := &Service{config: c, feed: feed.New[*talk](c.Feeds), throttle: origin.NewThrottle(sayEvery, sayBurst, talkers)}
	s.feed.Publish(&talk{}) // there is always a value
	s.others = nodes.NewMessages(c.Messenger, "lounge", func(l line) { s.add(l) })
	return s
}

// A talk is the lounge at one moment. It is never changed.
type talk struct {
	closed bool
	last   uint64 // the number of the last line
	lines  []line
	past   []line // shown no more, the last MaxEvidence: reports alone have them
}

// without returns the talk with its first n lines shown no more since a time.
func (t talk) without(n int, since time.Time) *talk {
	for _, l := range t.lines[:n] {
		l.removed = since
		t.past = append(t.past, l) // behind the lines of all older talks, which don't read it
	}
	t.past = t.past[max(0, len(t.past)-MaxEvidence):]
	t.lines = t.lines[n:]
	return &t
}

// A line is a line as it was written.
type line struct {
	Number uint64           `json:"-"` // at this node, from 1 on
	At     time.Time        `json:"at"`
	By     storage.Occupant `json:"by"`
	Text   string           `json:"text"`

	hidden  bool      // its author has deleted the account: reports alone show it
	removed time.Time // since when it is shown no more, by the clock of events
}

// A View is what one user sees of the lounge.
type View struct {
	Seq    uint64
	Lines  []Line // by time
	Closed bool   // an operator has closed it
	Off    bool   // the user has switched chat off
}

// A Line is a line that a user sees.
type Line struct {
	Number uint64 // at this node, from 1 on
	At     time.Time
	By     storage.Occupant // under the present name
	Text   string
	Own    bool // the user wrote it
}

// Wait waits until the Seq of what users see of the lounge is above after. It returns the errors of Next.
func (s *Service) Wait(ctx context.Context, after uint64) error {
	_, _, err := s.feed.Next(ctx, after)
	return err
}

// Next returns what a user sees of the lounge as soon as its Seq is above after: at once if it is already. Start with 0. Seq also grows with lines
// that the user doesn't see. The errors are ctx.Err(), refusal.ErrBusy and the error of the closed club.
func (s *Service) Next(ctx context.Context, u match.User, after uint64) (*View, error) {
	return s.NextSince(ctx, u, after, 0)
}

// NextSince is Next with the lines alone that come after the one with a number, for a reader who keeps no others.
func (s *Service) NextSince(ctx context.Context, u match.User, after, shown uint64) (*View, error) {
	now, seq, err := s.feed.Next(ctx, after)
	if err != nil {
		return nil, err
	}
	v := &View{Seq: seq, Closed: now.closed}
	if u.Kind.HasAccount() {
		p, err := s.config.Store.Player(ctx, u.Player())
		switch {
		case errors.Is(err, storage.ErrNotFound):
			v.Off = true // the account has just been deleted
		case err != nil:
			return nil, refusal.OfStore(err)
		default:
			v.Off = p.Settings.ChatOff
		}
	}
	if v.Off || v.Closed {
		return v, nil
	}
	first, _ := slices.BinarySearchFunc(now.lines, shown+1, func(l line, n uint64) int { return cmp.Compare(l.Number, n) })
	for _, l := range now.lines[first:] {
		if l.hidden || !u.Is(l.By) && (s.config.Restrictions.Closed(storage.PlayerID(l.By.ID)) || s.config.Blocks(u, match.User(l.By))) {
			continue
		}
		v.Lines = append(v.Lines, Line{l.Number, l.At, s.config.Restrictions.Named(l.By), l.Text, u.Is(l.By)})
	}
	return v, nil
}

// Say writes a line, and returns it as its author sees it. Guests and accounts younger than YoungFor read only.
//
// The errors are refusal.ErrNeedsKey for a guest, refusal.ErrEngine for a computer account, refusal.ErrNewcomer for a young account,
// refusal.ErrLoungeClosed, refusal.ErrBusy, refusal.ErrClosed, *refusal.ChattyError, and the errors of Chat.Admit.
func (s *Service) Say(ctx context.Context, u match.User, typed string) (Line, error) {
	if err := s.mayWrite(ctx, u); err != nil {
		return Line{}, err
	}
	from := s.config.Origin(u.Occupant())
	if wait, ok := s.throttle.Take(time.Now(), from); !ok {
		return Line{}, &refusal.ChattyError{Wait: wait}
	}
	words, err := s.config.Chat.Admit(ctx, u, typed)
	if err != nil {
		s.throttle.Return(time.Now(), from)
		return Line{}, err
	}
	l := line{At: storage.Stored(s.config.Now()), By: u.Occupant(), Text: words}
	number, ok := s.add(l)
	if !ok {
		if err := s.config.Feeds.Err(); err != nil {
			return Line{}, err
		}
		return Line{}, refusal.ErrLoungeClosed
	}
	s.others.Tell(l)
	return Line{number, l.At, s.config.Restrictions.Named(l.By), l.Text, true}, nil
}

func (s *Service) mayWrite(ctx context.Context, u match.User) error {
	if err := s.config.Restrictions.Own(u); err != nil {
		return err
	}
	if now, _ := s.feed.Latest(); now.closed {
		return refusal.ErrLoungeClosed
	}
	p, err := s.config.Store.Player(ctx, u.Player())
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return refusal.ErrNeedsKey // the account has just been deleted
	case err != nil:
		return refusal.OfStore(err)
	case p.Kind() != storage.Person:
		return refusal.ErrEngine
	case s.config.Now().Sub(p.Since) < YoungFor:
		return refusal.ErrNewcomer
	}
	return nil
}

// add shows a line, and returns its number. It returns false if the lounge is closed.
func (s *Service) add(l line) (number uint64, ok bool) {
	ok = s.feed.Update(func(old *talk, _ uint64) (*talk, bool) {
		if old.closed {
			return old, false
		}
		number = old.last + 1
		l.Number = number
		next := talk{last: l.Number, lines: append(old.lines, l), past: old.past}
		return next.without(max(0, len(next.lines)-MaxLines), l.At), true
	}) != 0
	return number, ok
}

// Close closes the lounge, which removes its lines, or opens it.
func (s *Service) Close(closed bool) {
	now := s.config.Now()
	s.feed.Update(func(old *talk, _ uint64) (*talk, bool) {
		if old.closed == closed {
			return old, false
		}
		next := *old
		next.closed = closed
		return next.without(len(next.lines), now), true
	})
}

// sweepEvery is how often lines are looked for that were removed EvidenceLife ago.
const sweepEvery = time.Hour

// Run forgets the lines that are shown no more in time, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.sweep(s.config.Now())
		case <-ctx.Done():
			return
		}
	}
}

// expired reports whether a line has been shown no more for so long that reports don't have it any more.
func (l *line) expired(now time.Time) bool {
	return !l.removed.IsZero() && now.Sub(l.removed) >= EvidenceLife
}

// sweep forgets the lines that have expired.
func (s *Service) sweep(now time.Time) {
	if t, _ := s.feed.Latest(); !slices.ContainsFunc(t.past, func(l line) bool { return l.expired(now) }) {
		return
	}
	s.feed.Update(func(old *talk, _ uint64) (*talk, bool) {
		next := *old
		next.past = slices.DeleteFunc(slices.Clone(old.past), func(l line) bool { return l.expired(now) })
		return &next, true
	})
}

// Forget hides the lines of an author who has deleted the account.
func (s *Service) Forget(id storage.PlayerID) {
	by := match.Key{Kind: storage.Person, ID: string(id)}
	s.feed.Update(func(old *talk, _ uint64) (*talk, bool) {
		changed := false
		next := &talk{closed: old.closed, last: old.last, lines: make([]line, len(old.lines)), past: old.past}
		for i, l := range old.lines {
			if match.KeyOf(l.By) == by && !l.hidden {
				l.hidden, changed = true, true
			}
			next.lines[i] = l
		}
		return next, changed
	})
}

// Said returns the lines of a player that are kept, the oldest first, for a report.
func (s *Service) Said(by match.Key) (lines []chatstore.Line) {
	talk, _ := s.feed.Latest()
	now := s.config.Now()
	for _, l := range slices.Concat(talk.past, talk.lines) {
		if match.KeyOf(l.By) == by && !l.expired(now) {
			lines = append(lines, chatstore.Line{Number: l.Number, At: l.At, By: l.By, Text: l.Text})
		}
	}
	return lines
}
