package seats

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// OfferDraw offers the other side a draw, or agrees to the one that it offers, which ends the match. A computer player answers when it has
// looked at the position. A user who holds both seats agrees at once. The errors are match.ErrOver, match.ErrNotSeated, match.ErrNotStarted,
// match.ErrTooEarly (not both sides have moved), match.ErrManyOffers, an *match.OfferWaitError, match.ErrTimeUp, refusal.ErrBusy,
// refusal.ErrClosed.
func (s *Seat) OfferDraw(ctx context.Context) error {
	return s.in.config.Matches.Do(ctx, s.id, match.OfferDraw(s.user), func() {})
}

// Takeback undoes the user's last move, and what has been played since: the computer player's reply, or nothing while it still thinks, which
// then stops. It returns when that is on disk, and may be asked again, back to the first move. Between two users it asks the other side to
// agree: View.Offers says so until there is an answer. The errors are match.ErrOver, match.ErrNotSeated, match.ErrNotStarted,
// match.ErrRatedTakeback, match.ErrNothingBack, match.ErrTakebacks, match.ErrOfferOpen (the other side asks for a takeback too),
// match.ErrManyOffers, an *match.OfferWaitError, refusal.ErrBusy, refusal.ErrClosed.
func (s *Seat) Takeback(ctx context.Context) error {
	return s.in.config.Matches.Do(ctx, s.id, match.Takeback(s.user, s.in.config.MaxTakebacks), func() {})
}

// Answer accepts or declines what the other side offers in the match: matches.OfferDraw or matches.OfferTakeback. If number is not 0, it
// answers the offer with that number and no other one. The errors are match.ErrOver, match.ErrNotSeated, match.ErrNotStarted, match.ErrNoOffer
// (none of the kind is open), match.ErrOfferChanged (the one with the number isn't open any more), match.ErrTakebacks, match.ErrTimeUp,
// refusal.ErrBusy, refusal.ErrClosed.
func (s *Seat) Answer(ctx context.Context, kind string, number uint64, yes bool) error {
	return s.in.config.Matches.Do(ctx, s.id, match.Answer(s.user, kind, number, yes, s.in.config.MaxTakebacks), func() {})
}

// Accept accepts what the other side offers the user: a draw or a takeback while the match is played, a rematch when it is over, and before it
// has started the match itself, if it is reserved for the user. which says which offer is meant; that one is accepted and no other one,
// whatever is offered meanwhile. ref is the match that goes on, with its code. The errors are those of Answer, Rematch and Join;
// match.ErrNoOffer if there is nothing to accept, match.ErrWhichOffer if several offers may be meant.
func (s *Seat) Accept(ctx context.Context, which match.OfferRef) (ref match.Ref, err error) {
	v, o, err := s.chosen(ctx, which)
	switch {
	case err != nil:
		return match.Ref{}, err
	case o.Kind == match.OfferChallenge:
		return v.Ref, s.Join(ctx)
	case o.Kind == match.OfferRematch:
		ref, err = s.in.joinRematch(ctx, s.user, v.Rematch)
		return ref, goneOffer(err)
	}
	return v.Ref, s.Answer(ctx, o.Kind, o.Number, true)
}

// Decline declines what Accept would accept. The errors are those of Answer and Abort, match.ErrNoOffer if there is nothing to decline, and
// match.ErrWhichOffer.
func (s *Seat) Decline(ctx context.Context, which match.OfferRef) error {
	v, o, err := s.chosen(ctx, which)
	switch {
	case err != nil:
		return err
	case o.Kind == match.OfferChallenge:
		return s.Abort(ctx)
	case o.Kind == match.OfferRematch:
		return goneOffer(s.in.config.Matches.Do(ctx, v.Rematch.ID, match.Abort(s.user), func() {}))
	}
	return s.Answer(ctx, o.Kind, o.Number, false)
}

// chosen returns the open offer to the user that which means, and the view that it is in.
func (s *Seat) chosen(ctx context.Context, which match.OfferRef) (v *match.View, o match.OpenOffer, err error) {
	if v, err = s.Now(ctx); err == nil {
		o, err = which.Choose(v.OffersTo(s.user))
	}
	return v, o, err
}

// goneOffer returns the error of an answer to a rematch: match.ErrOfferChanged if that is over.
func goneOffer(err error) error {
	if errors.Is(err, match.ErrOver) {
		return match.ErrOfferChanged
	}
	return err
}

// Chat returns what the user sees of the chat of the match; see chat.Service.Read.
func (s *Seat) Chat(ctx context.Context, after uint64) (*chat.View, error) {
	return s.in.config.Chat.Read(ctx, s.user, s.id, after)
}

// Say writes a line in the user's room of the match; see chat.Service.Say.
func (s *Seat) Say(ctx context.Context, text, greeting string) error {
	return s.in.config.Chat.Say(ctx, s.user, s.id, text, greeting)
}

// IsPlaying reports whether somebody sits in a match that goes on with another person, or whose clock runs.
func (s *Service) IsPlaying(u match.User) bool {
	for _, m := range s.config.Registry.Of(u.Key()) {
		first, second := m.Seats[games.First], m.Seats[games.Second]
		alone := first.Kind == storage.Bot || second.Kind == storage.Bot || match.KeyOf(first) == match.KeyOf(second)
		sits := match.KeyOf(first) == u.Key() || match.KeyOf(second) == u.Key()
		if sits && !m.Started.IsZero() && (!alone || m.Ticks()) {
			return true
		}
	}
	return false
}

// A Seat is one user's handle to one match, as a player or a spectator. Service.At makes it. It needs no closing, and any
// goroutine may use it.
type Seat struct {
	in   *Service
	user match.User
	id   storage.MatchID
	code string               // if the user knows it
	lag  func() time.Duration // nil: it is not measured
}

// At returns a user's handle to a match. The match may be over, for any time: its view comes from the records then. The errors are
// refusal.ErrNoSuchMatch, refusal.ErrDamaged, refusal.ErrBusy. Others see an unfinished private match only if ref, which Find returns, has its
// code, and the code of no match otherwise.
func (s *Service) At(ctx context.Context, u match.User, ref match.Ref) (*Seat, error) {
	if err := s.config.Finder.look(ctx, u, ref); err != nil {
		return nil, err
	}
	return &Seat{in: s, user: u, id: ref.ID, code: ref.Code}, nil
}

// WithLag returns the same handle for a user whose line has a delay, which lag returns as it was measured last: part of it is not charged
// to the user's clock. Any goroutine may call lag; nil is for a line that nobody measures.
func (s *Seat) WithLag(lag func() time.Duration) *Seat {
	with := *s
	with.lag = lag
	return &with
}

// ID returns the id of the match.
func (s *Seat) ID() storage.MatchID { return s.id }

// User returns the user whose handle this is.
func (s *Seat) User() match.User { return s.user }

// Next returns the present view as soon as its Seq is above after: at once if it is already, else when there is a newer
// one. Start with 0 and go on with the Seq of the view in hand. A slow reader misses views and gets the newest.
// The errors are that of ctx, refusal.ErrClosed, refusal.ErrBusy, refusal.ErrDamaged.
func (s *Seat) Next(ctx context.Context, after uint64) (*match.View, error) {
	v, err := s.in.config.Matches.Next(ctx, s.id, after)
	if err != nil {
		return nil, err
	}
	return v.SeenBy(s.user, s.code), nil
}

// Follow is Next for a reader who has no other sign that this node is cut off: refusal.ErrCutOff then, at once.
func (s *Seat) Follow(ctx context.Context, after uint64) (*match.View, error) {
	return nodes.UntilCutOff(ctx, s.in.config.Reach, func(ctx context.Context) (*match.View, error) { return s.Next(ctx, after) })
}

// Record returns the whole of the match, its moves and their times included; Result and Reason are empty and Ended is zero
// while it goes on. The errors are those of Next.
func (s *Seat) Record(ctx context.Context) (results.Finished, error) {
	f, err := s.in.config.Matches.Record(ctx, s.id)
	f.Code = "" // it is in no record
	return f, err
}

// Join takes the free seat. The errors are those of Service.Join.
func (s *Seat) Join(ctx context.Context) error {
	found := s.in.config.Registry.Find(s.id)
	switch {
	case found.Quarantined:
		return refusal.ErrDamaged
	case found.Summary == nil:
		return match.ErrOver
	}
	return s.in.sit(ctx, s.user, found.Summary)
}

// Now returns the present view; who is there is as of this very moment. The errors are those of Next, and refusal.ErrCutOff: this node may not
// know what has happened.
func (s *Seat) Now(ctx context.Context) (*match.View, error) {
	if err := s.in.config.Matches.Refresh(ctx, s.id); err != nil {
		return nil, err
	}
	v, err := s.Next(ctx, 0)
	if err != nil {
		return nil, err
	}
	return s.in.config.Presence.Now(v), nil
}

// Move plays a move, given in canonical text, for the side to move. ply is the number of moves that the player has seen, or AnyPly. It returns
// when the move is on disk; if ctx ends before, the move goes on without its caller. The errors are match.ErrOver, match.ErrNotSeated,
// match.ErrNotStarted, match.ErrLate, match.ErrNotYourTurn, match.ErrTimeUp, a *games.IllegalError, refusal.ErrBusy (read the view again: the
// move may or may not have been made), refusal.ErrClosed.
func (s *Seat) Move(ctx context.Context, m games.Move, ply int) error {
	var lag time.Duration
	if s.lag != nil {
		lag = s.lag()
	}
	return s.in.config.Matches.Do(ctx, s.id, match.Move(s.user, m, ply, lag), func() {})
}

// Resign gives the match to the other side; a user who holds both seats resigns for the side to move.
// The errors are those of Move; match.ErrNotStarted means: Abort instead;
// and a *refusal.TooFastError.
func (s *Seat) Resign(ctx context.Context) error {
	return s.in.throttled(s.in.pace.resigning, s.user, func() error {
		return s.in.config.Matches.Do(ctx, s.id, match.Resign(s.user), func() {})
	})
}

// Abort ends a match without a result before both sides have moved. It also withdraws one's own untaken offer, declines one
// that is reserved for the user, and ends an exhibition at any time for the user who opened it. match.ErrTooLate if both sides
// have moved; else the errors of Move.
func (s *Seat) Abort(ctx context.Context) error {
	act := match.Abort(s.user)
	if m := s.in.config.Registry.Find(s.id).Summary; m != nil && s.user.Is(m.By) {
		act = match.Leave(storage.Nobody)
	}
	return s.in.config.Matches.Do(ctx, s.id, act, func() {})
}

// Hint asks the strongest computer player for a move, for the user whose turn it is. It is on disk that the user has been helped when it
// returns; the hint itself is in no log and for nobody else. Asked again in the same position, the match gives the same hint. One search runs
// at a time; if ctx ends before, it goes on without its caller. The errors are match.ErrOver, match.ErrNotSeated, match.ErrNotStarted,
// match.ErrNoHelp (a rated match, or one between two users), refusal.ErrBusy, refusal.ErrClosed, match.ErrNotYourTurn, refusal.ErrHinting (a
// search runs already), match.ErrLate (the match has moved on meanwhile), refusal.ErrNoSuchLevel (there is no level to ask).
func (s *Seat) Hint(ctx context.Context) (live.Hint, error) {
	for {
		m, err := s.in.config.Matches.Live(ctx, s.id)
		if err != nil {
			return live.Hint{}, err
		}
		if h, err := m.Hint(ctx, s.user); !errors.Is(err, live.ErrUnloaded) {
			return h, err
		}
	}
}

// Rematch asks for the same match with sides swapped, when this one is over. The first to ask opens a private match whose
// other seat is reserved for the opponent, who sees it in View.Rematch; the second joins it. Against a computer player and
// at one keyboard it starts at once. Asking twice returns the same match.
// The errors are refusal.ErrNotOver, match.ErrNotSeated, a *refusal.TooFastError, refusal.ErrUnavailable, and those of Open and Join.
func (s *Seat) Rematch(ctx context.Context) (match.Ref, error) {
	l := s.in
	v, err := s.Now(ctx)
	if err != nil {
		return match.Ref{}, err
	}
	side, seated := v.Side(s.user)
	switch {
	case !v.Over:
		return match.Ref{}, refusal.ErrNotOver
	case !seated:
		return match.Ref{}, match.ErrNotSeated
	case v.Seats[side.Other()].Kind == storage.Free:
		return match.Ref{}, refusal.ErrSpec // an offer that nobody took: there is no opponent
	}
	for {
		r, first := l.config.Rematches.reserve(v.ID)
		if first {
			ref, err := s.reservedRematch(ctx, side, v, r)
			if errors.Is(err, clusterstore.ErrTaken) { // the other side was faster, on another node
				l.config.Challenges.GiveBack(s.user, v.Seats[side.Other()])
				return s.takeRematch(ctx, v)
			}
			return ref, err
		}
		select {
		case <-r.opened:
		case <-ctx.Done():
			return match.Ref{}, ctx.Err()
		}
		if r := l.config.Rematches.of(v.ID); r != nil {
			return l.joinRematch(ctx, s.user, r)
		}
	}
}

// reservedRematch opens the rematch of v, which the user has reserved.
func (s *Seat) reservedRematch(ctx context.Context, side games.Side, v *match.View, r *reservation) (match.Ref, error) {
	defer s.in.config.Rematches.settle(v.ID, r)
	return s.in.openRematch(ctx, s.user, side, v)
}

// takeRematch joins the rematch of v that was opened on another node, as soon as it has arrived here.
func (s *Seat) takeRematch(ctx context.Context, v *match.View) (match.Ref, error) {
	l := s.in
	waiting, cancel := context.WithTimeout(ctx, nodes.AwaitFor)
	defer cancel()
	for {
		if r := l.config.Rematches.of(v.ID); r != nil {
			return l.joinRematch(ctx, s.user, r)
		}
		next, err := l.config.Matches.Next(waiting, v.ID, v.Seq)
		if waiting.Err() != nil && ctx.Err() == nil {
			return match.Ref{}, refusal.ErrBusy
		}
		if err != nil {
			return match.Ref{}, err
		}
		v = next
	}
}

// Claim ends a match whose opponent has gone: with the user's win, or with a draw. It returns when that is on disk. If the opponent comes back
// before the match checks it, nothing happens. The errors are match.ErrOver, match.ErrNotSeated, match.ErrNotStarted, match.ErrNoClaim (the
// opponent is here, only the clock decides, or not both have moved), a *match.ClaimEarlyError, match.ErrTimeUp (it is the user's turn),
// refusal.ErrBusy, refusal.ErrClosed.
func (s *Seat) Claim(ctx context.Context, draw bool) error {
	l := s.in
	now := l.config.Now() // of the event too, or earlier
	return l.config.Matches.Do(ctx, s.id, func(state *match.State) ([]matches.Event, error) {
		return match.Claim(s.user, draw, func() ([2]atboard.Presence, time.Duration, time.Time) {
			near := l.config.Presence.Near(s.id, state.Seats)
			return near, l.config.Matches.Outages.Downtime(state.LastAt), now
		})(state)
	}, func() {})
}

// ClaimAt is Service.ClaimAt for the user whose handle this is.
func (s *Seat) ClaimAt(v *match.View) time.Time { return s.in.ClaimAt(s.user, v) }

// ClaimAt returns from when on a user may claim the match of a view, if the opponent stays away and nothing else happens; zero for never.
func (s *Service) ClaimAt(u match.User, v *match.View) time.Time {
	if v.Over {
		return time.Time{}
	}
	return v.ClaimAt(u, v.Presence, s.config.Matches.Outages.Downtime(v.LastAt))
}

// Stake returns what the match would do to the rating of who sits in the seat, as Service.Stake does for a view of it.
func (s *Seat) Stake(ctx context.Context, v *match.View) (*standings.Stake, error) {
	return s.in.Stake(ctx, s.user, v)
}
