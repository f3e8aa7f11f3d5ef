package live

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// A botPlayer plays for the computer player whose turn it is: it submits a search for a move, waits for the moment to play it, and decides which
// events to write. Only the match's goroutine uses it.
type botPlayer struct {
	config *Config
	seeds  *games.Random
	reply  botReply
	loss   provenLoss
	dead   deadPosition
}

// A botReply is the move that a computer player has to make. The zero value: there is none.
type botReply struct {
	status   match.Reply
	since    time.Time // when it began
	ahead    int       // while Queued: about how many jobs come before it
	cancel   context.CancelFunc
	updates  <-chan thinking.Update
	places   <-chan int
	ready    bool // decision or err is set, and waits for replyAt
	decision thinking.Decision
	err      error
}

// botToMove reports whether it is a computer player's turn.
func botToMove(s *match.State) bool {
	return !s.Over() && !s.Started.IsZero() && s.Seats[s.Turn()].Kind == storage.Bot
}

// drop cancels the search and forgets the reply.
func (b *botPlayer) drop() {
	if b.reply.cancel != nil {
		b.reply.cancel()
	}
	b.reply = botReply{}
}

// begun reports whether a search runs, has finished, or waits for a reader to come.
func (b *botPlayer) begun() bool { return b.reply.ready || b.reply.status != match.NoReply }

// searches reports whether a search waits for a worker or runs.
func (b *botPlayer) searches() bool {
	return b.reply.status == match.Queued || b.reply.status == match.Thinking
}

// paused reports whether the players of an exhibition wait for a reader.
func (b *botPlayer) paused() bool { return b.reply.status == match.Paused }

// start submits the search for a move if it is a computer player's turn.
func (b *botPlayer) start(ctx context.Context, s *match.State, r *readers) {
	b.drop()
	if !botToMove(s) {
		return
	}
	if s.Exhibition() && !r.lately() {
		b.reply.status = match.Paused
		return
	}
	level, ok := b.config.Catalogue.Level(s.Opening.Game, s.Seats[s.Turn()].ID)
	if !ok {
		b.reply = botReply{status: match.Thinking, since: time.Now(), ready: true, err: refusal.ErrNoSuchLevel}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	j, priority := thinking.NewJob(ctx, level, s.Position, b.seeds.Uint64(), 0).OnClock(b.clock(s)).After(s.Initial, s.Moves), thinking.ForPlayers
	by := s.Seats[s.Turn().Other()]
	switch {
	case s.Exhibition():
		priority, by = thinking.ForSpectators, s.Opening.By
	case r.unwatched.Load():
		priority = thinking.ForAbsent
	}
	b.reply = botReply{status: match.Queued, since: time.Now(), cancel: cancel, updates: j.Updates(), places: j.Places()}
	if b.reply.ahead = b.config.Scheduler.Submit(j, priority, b.config.Players.Origin(by)); b.reply.ahead == 0 {
		b.reply.status = match.Thinking
	}
}

// clock returns the clock of the computer player whose turn it is, without the reserve. It is the zero value for a correspondence clock, for one
// that stands, and without a clock.
func (b *botPlayer) clock(s *match.State) bot.Clock {
	end := b.config.hurryAt(s)
	if end.IsZero() || s.Clock.StandsAt(b.config.Now()) {
		return bot.Clock{}
	}
	return bot.Clock{End: end, Increment: s.Clock.Setting.Increment, Ply: len(s.Moves)}
}

// updated handles an update from the worker that searches, and reports whether the view has changed.
func (b *botPlayer) updated(u thinking.Update) (changed bool) {
	r := &b.reply
	switch {
	case u.Done:
		r.updates, r.ready, r.decision, r.err = nil, true, u.Decision, u.Err
	case r.status == match.Queued:
		r.status, r.ahead, r.places = match.Thinking, 0, nil
		return true
	}
	return false
}

// movedUp sets how many jobs come before the computer player's, and reports whether the view has changed.
func (b *botPlayer) movedUp(ahead int) (changed bool) {
	if b.reply.status != match.Queued || b.reply.ahead == ahead {
		return false
	}
	b.reply.ahead = ahead
	return true
}

// replyAt returns when a computer player plays the move that it has found: at once if its clock runs, else after Config.BotDelay. It is zero if
// there is no move yet.
func (b *botPlayer) replyAt(s *match.State) time.Time {
	if !b.reply.ready {
		return time.Time{}
	}
	if summary := s.Summary(); summary.Ticks() {
		return b.reply.since
	}
	return b.reply.since.Add(b.config.BotDelay)
}

// hurry ends the search and picks a random legal move, unless a move has been found.
func (b *botPlayer) hurry(s *match.State) {
	if b.reply.ready {
		return
	}
	b.drop()
	moves := s.Position.Legal()
	b.reply.ready = true
	b.reply.decision.Move = moves[b.seeds.Uint64()%uint64(len(moves))]
}

// A botTurn is what a computer player writes on its turn.
type botTurn struct {
	events   []matches.Event
	at       time.Time
	moves    bool // one of events is a move
	decision thinking.Decision
	dead     deadPosition // after that move
}

// decide returns what the computer player does after its search: it moves, resigns, or agrees to a draw. If the search failed, it resigns.
func (b *botPlayer) decide(s *match.State) botTurn {
	seat, d, err := storage.SeatOf(s.Turn()), b.reply.decision, b.reply.err
	if err == nil {
		err = checkMove(s.Position, d.Move)
	}
	resigns := []matches.Event{{Kind: matches.Resigned, Seat: seat}}
	var events []matches.Event
	switch {
	case err != nil:
		b.config.Stats.Failed.Add(1)
		b.config.Log.Error("a computer player failed", "match", s.ID, "player", s.Seats[seat.Side()].ID, "err", err)
		return botTurn{events: resigns, at: b.config.Now()}
	case drawOffered(s) && agreesToDraw(d):
		return botTurn{events: []matches.Event{drawAnswered(s, true)}, at: b.config.botMovedAt(s)}
	case b.loss.resigns(s, d):
		return botTurn{events: resigns, at: b.config.Now()}
	case drawOffered(s):
		events = append(events, drawAnswered(s, false))
	}
	events = append(events, matches.Event{Kind: matches.Moved, Seat: seat, Move: d.Move})
	dead := b.dead.after(s, d)
	if b.offersDraw(s, seat, d.Move, dead) {
		events = append(events, matches.Event{Kind: matches.Offered, Seat: seat, Offer: matches.OfferDraw})
		dead = deadPosition{}
	}
	return botTurn{events, b.config.botMovedAt(s), true, d, dead}
}

// play passes the events that decide returns to write, which changes the state s.
func (b *botPlayer) play(s *match.State, write func(events []matches.Event, at time.Time) error) error {
	t := b.decide(s)
	err := write(t.events, t.at)
	if err == nil && t.moves {
		b.loss, b.dead = lossAfter(s, t.decision), t.dead
	}
	return err
}

// checkMove returns an error if a move is illegal or the engine panics.
func checkMove(p games.Position, move games.Move) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	_, err = p.Play(move)
	return err
}

// # When a computer player resigns
//
// A computer player resigns only a lost game: not a bad position, and never to save time. All of these must hold:
//
//   - on two of its own turns in a row it has proven a loss against all of its moves;
//   - at the second turn the end is nearer by the plies made since the first one: the other side has found the winning line;
//   - the end is still more than quickEnd plies away: a player who can win soon may enjoy that;
//   - at least shortGame plies have been made, and the opponent is not another computer player.

const (
	quickEnd  = 6  // plies
	shortGame = 10 // plies
)

// A provenLoss is a loss that a computer player proved at its last turn. The zero value is none.
type provenLoss struct {
	ply   int // after its move of that turn
	plies int // from its turn to the end; above 0
}

// lossAfter returns the loss that a computer player has proven in d, after it has made the move of d.
func lossAfter(s *match.State, d thinking.Decision) provenLoss {
	if !d.Proven || d.Plies >= 0 {
		return provenLoss{}
	}
	return provenLoss{ply: len(s.Moves), plies: -d.Plies}
}

// resigns reports whether the computer player whose turn it is resigns. d is its decision now, and before the loss that it proved at its last
// turn.
func (before provenLoss) resigns(s *match.State, d thinking.Decision) bool {
	since := len(s.Moves) + 1 - before.ply // plies, including its own move of that turn
	return d.Proven && d.Plies < -quickEnd && before.plies > 0 && since == 2 && -d.Plies <= before.plies-since &&
		s.Made() >= shortGame && !s.Exhibition()
}
