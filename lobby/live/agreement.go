package live

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// # When a computer player agrees to a draw
//
// A computer player agrees when its search says that it stands no better, and never when it sees a win. One that does not search declines. On
// its own turn it answers after its search, together with its move if it declines; the offer doesn't disturb the search. On the other side's
// turn it searches the position for drawTime, as one job among others. If the other side moves before the answer, the offer lapses.
//
// A computer player offers a draw in a dead position: together with its move, after deadTurns of its own turns in a row on which neither side
// stood better, from ply deadGame on, and at most drawOffers times.

const (
	drawTime = 400 * time.Millisecond // of the search on the other side's turn, if no other job waits for its worker

	even       = 30 // values from -even to even: neither side stands better. A man is about 100. Contempt for draws is below it
	deadTurns  = 15
	deadGame   = 60 // plies
	drawOffers = 2
)

// drawReplies answers draw offers to a computer player on the other side's turn. Only the match's goroutine uses it.
type drawReplies struct {
	config *Config
	seeds  *games.Random
	answer drawAnswer
}

// A drawAnswer is the answer of a computer player to a draw offer on the other side's turn. It is zero if there is no such offer.
type drawAnswer struct {
	cancel  context.CancelFunc
	updates <-chan thinking.Update
	asked   bool // the search runs or has finished
	ready   bool // agrees is set
	agrees  bool
}

// drop cancels the search and forgets the answer.
func (r *drawReplies) drop() {
	if r.answer.cancel != nil {
		r.answer.cancel()
	}
	r.answer = drawAnswer{}
}

// pending reports whether the search runs, or the answer has to be written.
func (r *drawReplies) pending() bool { return r.answer.updates != nil || r.answer.ready }

// agreesToDraw reports whether a computer player agrees to a draw in a position. d is the result of its search, from its own point of view.
func agreesToDraw(d thinking.Decision) bool {
	switch {
	case !d.Ahead:
		return false
	case d.Plies != 0:
		return d.Plies < 0
	}
	return d.Drawn || d.Value <= even
}

// otherSide returns a decision from the point of view of the other side.
func otherSide(d thinking.Decision) thinking.Decision {
	d.Value, d.Plies = -d.Value, -d.Plies
	return d
}

// drawOffered reports whether a draw is offered to a computer player.
func drawOffered(s *match.State) bool {
	by := s.Offers.Draw
	return by != storage.Nobody && s.Seats[by.Side().Other()].Kind == storage.Bot
}

// consider starts the search for an answer if a draw is offered to a computer player on the other side's turn. It drops the answer if the offer is
// gone or another node owns the match.
func (r *drawReplies) consider(ctx context.Context, s *match.State, owned bool) {
	if !owned || !drawOffered(s) || s.Over() || botToMove(s) {
		r.drop()
		return
	}
	if r.answer.asked {
		return
	}
	by := s.Seats[s.Offers.Draw.Side()]
	level, ok := r.config.Catalogue.Level(s.Opening.Game, s.Seats[s.Offers.Draw.Side().Other()].ID)
	if !ok || level.Think == nil {
		r.answer = drawAnswer{asked: true, ready: true}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	j := thinking.NewJob(ctx, level, s.Position, r.seeds.Uint64(), drawTime)
	r.answer = drawAnswer{asked: true, cancel: cancel, updates: j.Updates()}
	r.config.Scheduler.Submit(j, thinking.ForPlayers, r.config.Players.Origin(by))
}

// updated handles an update from the worker that searches the position.
func (r *drawReplies) updated(id storage.MatchID, u thinking.Update) {
	if !u.Done {
		return
	}
	if u.Err != nil {
		r.config.Stats.Failed.Add(1)
		r.config.Log.Error("a computer player failed", "match", id, "draw", true, "err", u.Err)
	}
	r.answer.updates, r.answer.ready = nil, true
	r.answer.agrees = u.Err == nil && agreesToDraw(otherSide(u.Decision))
}

// reply passes the answer of a computer player to write, which changes the state s. If the time of the other side is up, there is no answer: the
// match ends on time.
func (r *drawReplies) reply(s *match.State, write func(events []matches.Event, at time.Time) error) error {
	r.answer.ready = false
	err := write([]matches.Event{drawAnswered(s, r.answer.agrees)}, r.config.Now())
	if errors.Is(err, match.ErrTimeUp) {
		return nil
	}
	if err != nil && drawOffered(s) {
		r.answer.ready = true // runTimers tries again
	}
	return err
}

// drawAnswered returns the event with the answer of a computer player to a draw offer.
func drawAnswered(s *match.State, yes bool) matches.Event {
	seat := storage.SeatOf(s.Offers.Draw.Side().Other())
	return matches.Event{Kind: matches.Answered, Seat: seat, Offer: matches.OfferDraw, Yes: yes}
}

// A deadPosition counts turns of a computer player in a row on which neither side stood better.
type deadPosition struct {
	ply   int // at the last of the turns
	turns int
}

// after returns the count after the computer player has decided on d.
func (p deadPosition) after(s *match.State, d thinking.Decision) deadPosition {
	ply := len(s.Moves)
	switch {
	case !d.Ahead || d.Plies != 0 || !d.Drawn && (d.Value > even || d.Value < -even):
		return deadPosition{}
	case p.turns > 0 && p.ply == ply-2:
		return deadPosition{ply, p.turns + 1}
	}
	return deadPosition{ply, 1}
}

// offersDraw reports whether a computer player offers a draw with its move. count is the count of its turns after that move.
func (b *botPlayer) offersDraw(s *match.State, seat storage.Seat, move games.Move, count deadPosition) bool {
	if count.turns < deadTurns || s.Made() < deadGame || s.Exhibition() || s.OffersMade(seat, matches.OfferDraw) >= drawOffers ||
		!s.MayOffer(seat, matches.OfferDraw) || len(s.Moves)+1 >= b.config.MaxPlies {
		return false
	}
	next, err := s.Position.Play(move)
	return err == nil && !next.Result().Over
}
