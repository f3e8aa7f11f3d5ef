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

// OfferDraw offers the other side a draw. If the other side has offered one, OfferDraw agrees to it, which ends the match. A computer player
// answers when it has searched the position. A user who holds both seats agrees at once. The errors are match.ErrOver, match.ErrNotSeated,
// match.ErrNotStarted, match.ErrTooEarly (not both sides have moved), match.ErrManyOffers, a *match.OfferWaitError, match.ErrTimeUp,
// refusal.ErrBusy and refusal.ErrClosed.
func (s *Seat) OfferDraw(ctx context.Context) error {
	return s.in.config.Matches.Do(ctx, s.id, match.OfferDraw(s.user))
}

// Takeback takes back the user's last move. Against a computer player it also takes back the reply, or stops the search for it, and returns when
// that is on disk. It may be repeated, back to the first move. Between two users it asks the other side to agree, and View.Offers has the
// question until there is an answer. The errors are match.ErrOver, match.ErrNotSeated, match.ErrNotStarted, match.ErrRatedTakeback, match.ErrNoEventHelp,
// match.ErrNothingBack, match.ErrTakebacks, match.ErrOfferOpen (the other side asks for a takeback too), match.ErrManyOffers, a
// *match.OfferWaitError, refusal.ErrBusy and refusal.ErrClosed.
func (s *Seat) Takeback(ctx context.Context) error {
	return s.in.config.Matches.Do(ctx, s.id, match.Takeback(s.user, s.in.config.MaxTakebacks))
}

// Adjourn asks the other side to adjourn the match, or agrees if it has asked. It returns match.ErrNoAdjourn, match.ErrAdjournEarly and the errors of
// OfferDraw.
func (s *Seat) Adjourn(ctx context.Context) error {
	return s.in.config.Matches.Do(ctx, s.id, match.Adjourn(s.user))
}

// Continue goes on with an adjourned match. It returns match.ErrNotAdjourned, and the errors of Answer.
func (s *Seat) Continue(ctx context.Context) error {
	return s.in.config.Matches.Do(ctx, s.id, match.Continue(s.user))
}

// Answer accepts or declines an offer of the other side; kind is matches.OfferDraw or matches.OfferTakeback. If number is not 0, it answers only
// the offer with that number. The errors are match.ErrOver, match.ErrNotSeated, match.ErrNotStarted, match.ErrNoOffer (no offer of the kind
// is open), match.ErrOfferChanged (the offer with the number isn't open any more), match.ErrTakebacks, match.ErrTimeUp, refusal.ErrBusy and
// refusal.ErrClosed.
func (s *Seat) Answer(ctx context.Context, kind string, number uint64, yes bool) error {
	return s.in.config.Matches.Do(ctx, s.id, match.Answer(s.user, kind, number, yes, s.in.config.MaxTakebacks))
}

// Accept accepts an offer to the user: a challenge before the match has started, a draw or a takeback while it is played, a rematch when it is
// over. which chooses the offer, and Accept accepts no other one, even if one is made meanwhile. ref is the match to go on with: the
// rematch, or this match. It returns the errors of Answer, Rematch and Join, match.ErrNoOffer if no offer is open, and match.ErrWhichOffer if
// which fits several.
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

// Decline declines the offer that Accept would accept. It returns the errors of Answer and Abort, match.ErrNoOffer and match.ErrWhichOffer.
func (s *Seat) Decline(ctx context.Context, which match.OfferRef) error {
	v, o, err := s.chosen(ctx, which)
	switch {
	case err != nil:
		return err
	case o.Kind == match.OfferChallenge:
		return s.Abort(ctx)
	case o.Kind == match.OfferRematch:
		return goneOffer(s.in.config.Matches.Do(ctx, v.Rematch.ID, match.Abort(s.user)))
	}
	return s.Answer(ctx, o.Kind, o.Number, false)
}

// chosen returns the open offer to the user that which chooses, and the view that has it.
func (s *Seat) chosen(ctx context.Context, which match.OfferRef) (v *match.View, o match.OpenOffer, err error) {
	if v, err = s.Now(ctx); err == nil {
		o, err = which.Choose(v.OffersTo(s.user))
	}
	return v, o, err
}

// goneOffer maps an error of answering a rematch: match.ErrOver becomes match.ErrOfferChanged.
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

// Say writes a line to the user's room of the match; see chat.Service.Say.
func (s *Seat) Say(ctx context.Context, text, greeting string) error {
	return s.in.config.Chat.Say(ctx, s.user, s.id, text, greeting)
}

// IsPlaying reports whether a user sits in a match in progress with another person, or in one whose clock runs.
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
	code string               // of the match, if the user knows it
	lag  func() time.Duration // of the user's connection; nil: not measured
}

// At returns a user's handle to a match. The match may have ended long ago; its views come from the records then. Finder.Find returns ref. A user
// who doesn't belong to an unfinished private match gets a handle only if ref has its code. Such a user sees the code of any match only if
// ref has it. The errors are refusal.ErrNoSuchMatch, refusal.ErrDamaged and refusal.ErrBusy.
func (s *Service) At(ctx context.Context, u match.User, ref match.Ref) (*Seat, error) {
	if err := s.config.Finder.look(ctx, u, ref); err != nil {
		return nil, err
	}
	return &Seat{in: s, user: u, id: ref.ID, code: ref.Code}, nil
}

// WithLag returns a copy of the handle for a connection with a delay, part of which is not charged to the user's clock. lag returns the last
// measured delay and must be safe for concurrent use; nil means that the delay isn't measured.
func (s *Seat) WithLag(lag func() time.Duration) *Seat {
	with := *s
	with.lag = lag
	return &with
}

// ID returns the id of the match.
func (s *Seat) ID() storage.MatchID { return s.id }

// Summary returns what this node knows of the match while it goes on, and asks nobody: other nodes may know of more. It is nil if the match is
// over. It has the code, also for a user who doesn't know it.
func (s *Seat) Summary() *match.Summary { return s.in.config.Registry.Find(s.id).Summary }

// User returns the user whose handle this is.
func (s *Seat) User() match.User { return s.user }

// Next returns the newest view as soon as its Seq is above after. Start with 0 and go on with the Seq of the last view. A slow reader skips views
// and gets the newest. The errors are ctx.Err(), refusal.ErrClosed, refusal.ErrBusy and refusal.ErrDamaged.
func (s *Seat) Next(ctx context.Context, after uint64) (*match.View, error) {
	v, err := s.in.config.Matches.Next(ctx, s.id, after)
	if err != nil {
		return nil, err
	}
	return v.SeenBy(s.user, s.code), nil
}

// Follow is Next for a reader with no other way to learn that this node is cut off: it then returns refusal.ErrCutOff at once.
func (s *Seat) Follow(ctx context.Context, after uint64) (*match.View, error) {
	return nodes.UntilCutOff(ctx, s.in.config.Reach, func(ctx context.Context) (*match.View, error) { return s.Next(ctx, after) })
}

// Record returns the record of the match with its moves and their times, without its code. While the match goes on, Result and Reason are empty
// and Ended is zero. It returns the errors of Now.
func (s *Seat) Record(ctx context.Context) (results.Finished, error) {
	f, err := s.in.config.Matches.Record(ctx, s.id)
	f.Code = "" // no record shows it
	return f, err
}

// Join takes the free seat. It returns the errors of Service.Join.
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

// Now returns the present view, with presence as of the call. It returns the errors of Next, and refusal.ErrCutOff if this node may have missed
// events.
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

// Move plays a move, given in canonical text, for the side to move. ply is the number of moves that the player has seen, or match.AnyPly. Move
// returns when the move is on disk. If ctx ends earlier, the move may still be made. The errors are match.ErrOver, match.ErrNotSeated,
// match.ErrNotStarted, match.ErrLate, match.ErrNotYourTurn, match.ErrTimeUp, a *games.IllegalError, refusal.ErrBusy (read the view again: the
// move may or may not have been made) and refusal.ErrClosed.
func (s *Seat) Move(ctx context.Context, m games.Move, ply int) error {
	var lag time.Duration
	if s.lag != nil {
		lag = s.lag()
	}
	return s.in.config.Matches.Do(ctx, s.id, match.Move(s.user, m, ply, lag))
}

// Resign resigns the match. A user who holds both seats resigns for the side to move. It returns the errors of Move and a *refusal.TooFastError;
// on match.ErrNotStarted the caller may Abort instead.
func (s *Seat) Resign(ctx context.Context) error {
	return s.in.pace.throttled(s.in.pace.resigning, s.user, func() error {
		return s.in.config.Matches.Do(ctx, s.id, match.Resign(s.user))
	})
}

// Abort ends a match without a result before both sides have moved. It also withdraws an untaken offer of the user, with the standing offer to which
// it belongs, declines an offer that is reserved for the user, and ends an exhibition of the user at any time. The error is match.ErrTooLate if both
// sides have moved, else one of Move.
func (s *Seat) Abort(ctx context.Context) error { return s.withdraw(ctx, match.Abort(s.user)) }

// Withdraw ends an offer of the user, and the standing offer to which it belongs. The errors are match.ErrOver, match.ErrNotSeated,
// match.ErrSeatTaken, refusal.ErrBusy and refusal.ErrClosed.
func (s *Seat) Withdraw(ctx context.Context) error {
	return s.withdraw(ctx, func(state *match.State) ([]matches.Event, error) {
		if summary := state.Summary(); !s.user.Is(summary.Seats[games.First]) && !s.user.Is(summary.Seats[games.Second]) {
			return nil, match.ErrNotSeated
		}
		return match.Withdraw()(state)
	})
}

// withdraw ends the standing offer to which the match belongs, if it is an untaken one of the user, and then the match.
func (s *Seat) withdraw(ctx context.Context, act match.Act) error {
	standing, err := s.in.config.Standing.Withdrawn(ctx, s.user, s.id)
	if err != nil {
		return err
	}
	err = s.in.config.Matches.Do(ctx, s.id, act)
	if standing && errors.Is(err, match.ErrOver) { // the standing offer has withdrawn it first
		return nil
	}
	return err
}

// Hint asks the strongest computer player for a move for the user, whose turn it must be. When Hint returns, the journal says that the user was
// helped. The hint itself is stored nowhere and shown only to the user. In the same position the match returns the same hint again. Only one
// search runs at a time. If ctx ends earlier, the search goes on. The errors are match.ErrOver, match.ErrNotSeated, match.ErrNotStarted,
// match.ErrNoHelp (a rated match, or one between two users), match.ErrNoEventHelp, match.ErrNotYourTurn, match.ErrLate (the match has moved on),
// refusal.ErrHinting (a search runs already), refusal.ErrNoSuchLevel (there is no level to ask), refusal.ErrBusy and refusal.ErrClosed.
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

// Rematch asks for the same match with sides swapped, when this one is over. The first call opens a private match whose other seat is reserved for
// the opponent, who sees it in View.Rematch. The opponent's call joins it. Against a computer player and at one keyboard the rematch starts at
// once. A second call by the same user returns the same match. Rematch returns the errors of Open, Join and MayRematch,
// a *refusal.TooFastError and refusal.ErrUnavailable.
func (s *Seat) Rematch(ctx context.Context) (match.Ref, error) {
	l := s.in
	v, err := s.Now(ctx)
	if err != nil {
		return match.Ref{}, err
	}
	if err := MayRematch(v, s.user); err != nil {
		return match.Ref{}, err
	}
	side, _ := v.Side(s.user)
	for {
		r, first := l.config.Rematches.reserve(v.ID)
		if first {
			ref, err := s.reservedRematch(ctx, side, v, r)
			if errors.Is(err, clusterstore.ErrTaken) { // the other side was faster, on another node
				l.config.Challenges.Refund(s.user, v.Seats[side.Other()])
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

// MayRematch returns nil if a user may ask for a rematch of the match of a view, else refusal.ErrNotOver, match.ErrNotSeated, refusal.ErrNoOpponent
// for an offer that nobody took, or refusal.ErrNoRematch for a match of a tournament, which says itself who plays whom next.
func MayRematch(v *match.View, u match.User) error {
	side, seated := v.Side(u)
	switch {
	case !v.Over:
		return refusal.ErrNotOver
	case !seated:
		return match.ErrNotSeated
	case v.Seats[side.Other()].Kind == storage.Free:
		return refusal.ErrNoOpponent
	case v.InTournament():
		return refusal.ErrNoRematch
	}
	return nil
}

// reservedRematch opens the rematch of v after the user has reserved it as r.
func (s *Seat) reservedRematch(ctx context.Context, side games.Side, v *match.View, r *reservation) (match.Ref, error) {
	defer s.in.config.Rematches.settle(v.ID, r)
	return s.in.openRematch(ctx, s.user, side, v)
}

// takeRematch joins the rematch of v that was opened on another node, as soon as this node knows it. It waits at most nodes.AwaitFor; the
// error is refusal.ErrBusy then.
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

// Claim ends a match whose opponent has gone with the user's win, or with a draw if draw is true. It returns when that is on disk. If the opponent
// comes back before the match checks the claim, nothing changes. The errors are match.ErrOver, match.ErrNotSeated, match.ErrNotStarted,
// match.ErrNoClaim (the opponent is here, only the clock decides, or not both sides have moved), a *match.ClaimEarlyError, match.ErrTimeUp (it
// is the user's turn), refusal.ErrBusy and refusal.ErrClosed.
func (s *Seat) Claim(ctx context.Context, draw bool) error {
	l := s.in
	now := l.config.Now() // not after the time of the event
	return l.config.Matches.Do(ctx, s.id, func(state *match.State) ([]matches.Event, error) {
		return match.Claim(s.user, draw, func() ([2]atboard.Presence, time.Duration, time.Time) {
			near := l.config.Presence.Near(s.id, state.Seats)
			return near, l.config.Matches.Outages.Downtime(state.LastAt), now
		})(state)
	})
}

// ClaimAt is Service.ClaimAt for the user whose handle this is.
func (s *Seat) ClaimAt(v *match.View) time.Time { return s.in.ClaimAt(s.user, v) }

// MayClaim returns nil if the user may claim the match of a view now, else the error of Claim.
func (s *Seat) MayClaim(v *match.View) error {
	return v.MayClaim(s.user, s.in.config.Matches.Outages.Downtime(v.LastAt), s.in.config.Now())
}

// ClaimAt returns when a user may first claim the match of a view if the opponent stays away and nothing else happens; zero for never.
func (s *Service) ClaimAt(u match.User, v *match.View) time.Time {
	if v.Over {
		return time.Time{}
	}
	return v.ClaimAt(u, v.Presence, s.config.Matches.Outages.Downtime(v.LastAt))
}

// Stake is Service.Stake for the user whose handle this is.
func (s *Seat) Stake(ctx context.Context, v *match.View) (*standings.Stake, error) {
	return s.in.Stake(ctx, s.user, v)
}
