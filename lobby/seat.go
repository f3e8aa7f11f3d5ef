package lobby

import (
	"context"

	"ludoteca/games"
	"ludoteca/storage"
)

// AnyPly is what Seat.Move takes when its caller does not care how many moves have been made.
const AnyPly = -1

// A Seat is one person's handle to one match, whether he plays or watches. It is made by Lobby.At, needs no closing and
// may be used by several goroutines.
type Seat struct {
	lobby *Lobby
	who   Who
	id    storage.MatchID
}

// Next returns the present view as soon as its Seq is above after: at once if it is already, else when there is a newer
// one. Start with 0 and go on with the Seq of the view in hand. A reader that comes late gets one big step.
// The errors are that of ctx, ErrClosed, ErrBusy, ErrDamaged.
func (s *Seat) Next(ctx context.Context, after uint64) (*View, error) {
	for {
		b, err := s.lobby.board(ctx, s.id)
		if err != nil {
			return nil, err
		}
		if v, ok, err := b.next(ctx, s.lobby.closing, after); ok {
			return v, err
		}
	}
}

// Now returns the present view. The errors are those of Next.
func (s *Seat) Now(ctx context.Context) (*View, error) { return s.Next(ctx, 0) }

// ID returns the id of the match.
func (s *Seat) ID() storage.MatchID { return s.id }

// Who returns whose handle this is.
func (s *Seat) Who() Who { return s.who }

// Move plays a move, given in canonical text, for the side to move. ply is the number of moves that the player had seen,
// or AnyPly. It returns when the move is on disk; if ctx ends before, the move goes on without the caller.
// The errors are ErrOver, ErrNotSeated, ErrNotStarted, ErrLate, ErrNotYourTurn, a *games.IllegalError, ErrBusy (read the
// view again: the move may or may not have been made), ErrClosed.
func (s *Seat) Move(ctx context.Context, m games.Move, ply int) error {
	return s.lobby.ask(ctx, s.id, move(s.who, m, ply))
}

// Resign gives the match to the other side; who holds both seats resigns for the side to move.
// The errors are those of Move; ErrNotStarted means: Abort instead.
func (s *Seat) Resign(ctx context.Context) error { return s.lobby.ask(ctx, s.id, resign(s.who)) }

// Abort ends a match without a result before both sides have moved; it also takes back one's own untaken offer, declines
// one that is kept for the caller, and ends a match between two computer players for the one who opened it, at any
// time. ErrTooLate if both sides have moved; else the errors of Move.
func (s *Seat) Abort(ctx context.Context) error {
	a := abort(s.who)
	if m, _ := s.lobby.matches.match(s.id); m != nil && m.opener != (key{}) && m.opener == s.who.key() {
		a = stop
	}
	return s.lobby.ask(ctx, s.id, a)
}

// Side returns the side of the person; see View.Side.
func (s *Seat) Side(ctx context.Context) (side games.Side, ok bool, err error) {
	v, err := s.Now(ctx)
	if err != nil {
		return 0, false, err
	}
	side, ok = v.Side(s.who)
	return side, ok, nil
}

// ask has a match do something; ErrOver if it has ended.
func (l *Lobby) ask(ctx context.Context, id storage.MatchID, a act) error {
	m, damaged := l.matches.match(id)
	switch {
	case m != nil:
		return m.ask(ctx, a)
	case damaged:
		return ErrDamaged
	}
	if _, err := l.board(ctx, id); err != nil {
		return err
	}
	return ErrOver
}
