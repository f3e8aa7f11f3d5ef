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
// When its search says that it stands no better, and never when it sees a win. A computer player that does not search declines. On its
// own turn it answers when it has decided on its move, with that move if it declines; its thinking goes on undisturbed. On the other
// side's turn it looks at the position for a moment, in its turn among all who wait for a worker; a move lets the offer lapse meanwhile.
//
// It offers a draw itself in a dead position: after deadTurns of its own turns in a row on which neither side stood better, late in
// the match, with its move, and twice at most.

const (
	drawTime = 400 * time.Millisecond // how long it looks at the position on the other side's turn, if no job waits for its worker

	even       = 30 // up to here neither side stands better; a man is some 100. Contempt for draws stays within it
	deadTurns  = 15
	deadGame   = 60 // plies
	drawOffers = 2
)

// A drawReplies answers the draws that are offered to a computer player on the other side's turn. Only the match's goroutine uses it.
type drawReplies struct {
	config *Config
	seeds  *games.Random
	answer drawAnswer
}

// A drawAnswer is what a computer player says to a draw that is offered on the other side's turn. The zero value: nothing is asked.
type drawAnswer struct {
	cancel  context.CancelFunc
	updates <-chan thinking.Update
	asked   bool // it looks at the position, or has
	ready   bool // agrees is there
	agrees  bool
}

// drop gives the answer up.
func (r *drawReplies) drop() {
	if r.answer.cancel != nil {
		r.answer.cancel()
	}
	r.answer = drawAnswer{}
}

// pending reports whether the position is looked at, or the answer has to be written.
func (r *drawReplies) pending() bool { return r.answer.updates != nil || r.answer.ready }

// agreesToDraw reports whether a computer player that knows d of the position, from its own point of view, agrees to a draw.
func agreesToDraw(d thinking.Decision) bool {
	switch {
	case !d.Ahead:
		return false
	case d.Plies != 0:
		return d.Plies < 0
	}
	return d.Drawn || d.Value <= even
}

// otherSide returns what is known of a position from the point of view of the other side.
func otherSide(d thinking.Decision) thinking.Decision {
	d.Value, d.Plies = -d.Value, -d.Plies
	return d
}

// drawOffered reports whether a draw is offered to a computer player.
func drawOffered(s *match.State) bool {
	by := s.Offers.Draw
	return by != storage.Nobody && s.Seats[by.Side().Other()].Kind == storage.Bot
}

// consider has a computer player answer a draw that is offered to it on the other side's turn, unless it does so already. It gives an answer up
// that is not asked for any more, or that another node owes.
func (r *drawReplies) consider(ctx context.Context, s *match.State, owned bool) {
	if !owned || !drawOffered(s) || s.Over() || botToMove(s) {
		r.drop()
		return
	}
	if r.answer.asked {
		return
	}
	by := s.Seats[s.Offers.Draw.Side()]
	level, ok := r.config.Catalogue.Level(s.Seats[s.Offers.Draw.Side().Other()].ID)
	if !ok || level.Think == nil {
		r.answer = drawAnswer{asked: true, ready: true}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	j := thinking.NewJob(ctx, level, s.Position, r.seeds.Uint64(), drawTime)
	r.answer = drawAnswer{asked: true, cancel: cancel, updates: j.Updates()}
	r.config.Scheduler.Submit(j, thinking.ForPlayers, r.config.Players.Origin(by))
}

// updated takes an update from the worker that looks at the position.
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

// reply has write write the answer of a computer player on the other side's turn. An offer that comes too late is left to the clock. s is the
// state of the match, which write changes.
func (r *drawReplies) reply(s *match.State, write func(events []matches.Event, at time.Time) error) error {
	r.answer.ready = false
	err := write([]matches.Event{drawAnswered(s, r.answer.agrees)}, r.config.Now())
	if errors.Is(err, match.ErrTimeUp) {
		return nil
	}
	if err != nil && drawOffered(s) {
		r.answer.ready = true // to be tried again
	}
	return err
}

// drawAnswered is the event by which a computer player answers a draw that is offered to it.
func drawAnswered(s *match.State, yes bool) matches.Event {
	seat := storage.SeatOf(s.Offers.Draw.Side().Other())
	return matches.Event{Kind: matches.Answered, Seat: seat, Offer: matches.OfferDraw, Yes: yes}
}

// A deadPosition counts the turns of a computer player in a row on which neither side stood better.
type deadPosition struct {
	ply   int // how many moves there were at the last of them
	turns int
}

// after returns the count after a move that the computer player decided on.
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

// offersDraw reports whether a computer player offers a draw with the move that it has decided on, count being its turns in a dead
// position.
func (b *botPlayer) offersDraw(s *match.State, seat storage.Seat, move games.Move, count deadPosition) bool {
	if count.turns < deadTurns || s.Made() < deadGame || s.Exhibition() || s.OffersMade(seat, matches.OfferDraw) >= drawOffers ||
		!s.MayOffer(seat, matches.OfferDraw) || len(s.Moves)+1 >= b.config.MaxPlies {
		return false
	}
	next, err := s.Position.Play(move)
	return err == nil && !next.Result().Over
}
