package live

import (
	"context"
	"fmt"
	"runtime/debug"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

// A botReply is the move that a computer player has to make. The zero value: there is none.
type botReply struct {
	status   match.Reply
	ahead    int // while Queued: how many jobs come before it, roughly
	cancel   context.CancelFunc
	updates  <-chan thinking.Update
	places   <-chan int
	ready    bool // decision or err is there, and waits for its moment
	decision thinking.Decision
	err      error
}

// drop gives the thinking up.
func (b *botReply) drop() {
	if b.cancel != nil {
		b.cancel()
	}
	*b = botReply{}
}

// startBot has the computer player whose turn it is look for a move.
func (m *Match) startBot(ctx context.Context) {
	m.bot.drop()
	s := &m.state
	if s.Over() || s.Started.IsZero() || s.Seats[s.Turn()].Kind != storage.Bot {
		return
	}
	if s.Exhibition() && !m.watchedLately() {
		m.bot.status = match.Paused
		return
	}
	level, ok := m.config.Level(s.Seats[s.Turn()].ID)
	if !ok {
		m.bot = botReply{status: match.Thinking, ready: true, err: ErrNoSuchLevel}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	j, priority := thinking.NewJob(ctx, level, s.Position, m.seeds.Uint64(), 0), thinking.ForPlayers
	if s.Exhibition() {
		priority = thinking.ForSpectators
	}
	m.bot = botReply{status: match.Queued, cancel: cancel, updates: j.Updates(), places: j.Places()}
	if m.bot.ahead = m.config.Scheduler.Submit(j, priority); m.bot.ahead == 0 {
		m.bot.status = match.Thinking
	}
}

// botUpdated takes an update from the worker that looks for the move.
func (m *Match) botUpdated(u thinking.Update) {
	switch {
	case u.Done:
		m.bot.updates, m.bot.ready, m.bot.decision, m.bot.err = nil, true, u.Decision, u.Err
	case m.bot.status == match.Queued:
		m.bot.status, m.bot.ahead, m.bot.places = match.Thinking, 0, nil
		m.publish()
	}
}

// botMovedUp notes how many jobs still come before the computer player's.
func (m *Match) botMovedUp(ahead int) {
	if m.bot.status == match.Queued && m.bot.ahead != ahead {
		m.bot.ahead = ahead
		m.publish()
	}
}

// reply plays what the computer player has chosen, or resigns. A computer player that fails, whatever the reason, resigns.
func (m *Match) reply(ctx context.Context) error {
	seat, d, err := storage.SeatOf(m.state.Turn()), m.bot.decision, m.bot.err
	if err == nil {
		err = checkMove(m.state.Position, d.Move)
	}
	switch {
	case err != nil:
		m.config.Stats.Failed.Add(1)
		m.config.Log.Error("a computer player failed", "match", m.id, "player", m.state.Seats[seat.Side()].ID, "err", err)
		fallthrough
	case m.resigns(d):
		return m.write(ctx, []storage.Event{{Kind: storage.Resigned, Seat: seat}})
	}
	if err = m.write(ctx, []storage.Event{{Kind: storage.Moved, Seat: seat, Move: d.Move}}); err == nil {
		m.loss = lossAfter(&m.state, d)
	}
	return err
}

// checkMove says what is wrong with a move; a panic of the engine is an error too.
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
// Not when it stands badly, not when it believes to lose, and never to save time: only when it has lost. All of this must
// be so:
//
//   - on two of its own turns in a row it has seen a loss against any play of its own, by a proof that was checked against
//     every one of its moves;
//   - at the second of them the end is nearer by as many moves as have been made since: the other side has found the way
//     and follows it;
//   - the end is still more than quickEnd plies away: a player who can win soon is to have the pleasure;
//   - at least shortGame moves have been made, and the opponent is not another computer player.

const (
	quickEnd  = 6  // plies
	shortGame = 10 // plies
)

// A provenLoss is a loss that a computer player has proven at its last turn. The zero value is none.
type provenLoss struct {
	ply   int // after its reply
	plies int // from its turn to the end; above 0
}

// lossAfter returns what a computer player knows about its loss after the move that it decided on.
func lossAfter(s *match.State, d thinking.Decision) provenLoss {
	if !d.Proven || d.Plies >= 0 {
		return provenLoss{}
	}
	return provenLoss{ply: len(s.Moves), plies: -d.Plies}
}

// resigns says whether the computer player whose turn it is resigns.
func (m *Match) resigns(d thinking.Decision) bool {
	s, before := &m.state, m.loss
	since := len(s.Moves) + 1 - before.ply // with its own move of then
	return d.Proven && d.Plies < -quickEnd && before.plies > 0 && since == 2 && -d.Plies <= before.plies-since &&
		s.Made() >= shortGame && !s.Exhibition()
}
