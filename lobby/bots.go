package lobby

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

// lookedLately is how long after its last reader a match between two computer players still counts as watched: readers
// come and go between one view and the next.
const lookedLately = 10 * time.Second

// thought is what a match knows about the move that a computer player has to make. The zero value: there is none.
type thought struct {
	reply    Reply
	ahead    int // while Queued: how many come before it, roughly
	cancel   context.CancelFunc
	news     <-chan thinking.Update
	places   <-chan int // news of ahead
	ready    bool       // decision or err is there, and waits for its moment
	decision Decision
	err      error
}

// drop gives the thinking up.
func (t *thought) drop() {
	if t.cancel != nil {
		t.cancel()
	}
	*t = thought{}
}

// think has the computer player whose turn it is look for a move.
func (m *match) think(ctx context.Context) {
	m.bot.drop()
	s := &m.state
	if s.over() || s.started.IsZero() || s.seats[s.turn()].Kind != storage.Bot {
		return
	}
	if s.exhibition() && !m.watchedLately() {
		m.bot.reply = Paused
		return
	}
	level, ok := m.house.level(s.seats[s.turn()].ID)
	if !ok {
		m.bot = thought{reply: Thinking, ready: true, err: ErrNoSuchLevel}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	j, priority := thinking.NewJob(ctx, level, s.pos, m.seeds.Uint64(), 0), thinking.ForPlayers
	if s.exhibition() {
		priority = thinking.ForSpectators
	}
	m.bot = thought{reply: Queued, cancel: cancel, news: j.Updates(), places: j.Places()}
	if m.bot.ahead = m.house.scheduler.Submit(j, priority); m.bot.ahead == 0 {
		m.bot.reply = Thinking
	}
}

func (m *match) watchedLately() bool {
	now, last := m.board.watched()
	return now || time.Since(last) < lookedLately
}

// hear takes news from the worker that thinks.
func (m *match) hear(n thinking.Update) {
	switch {
	case n.Done:
		m.bot.news, m.bot.ready, m.bot.decision, m.bot.err = nil, true, n.Decision, n.Err
	case m.bot.reply == Queued:
		m.bot.reply, m.bot.ahead, m.bot.places = Thinking, 0, nil
		m.tell()
	}
}

// wait takes in how many come before the match in the line for a worker.
func (m *match) wait(ahead int) {
	if m.bot.reply == Queued && m.bot.ahead != ahead {
		m.bot.ahead = ahead
		m.tell()
	}
}

// reply plays what the computer player has chosen, or resigns. One that fails, by its own fault or ours, resigns.
func (m *match) reply(ctx context.Context) error {
	seat, d, err := storage.SeatOf(m.state.turn()), m.bot.decision, m.bot.err
	if err == nil {
		err = playable(m.state.pos, d.Move)
	}
	if err == nil && m.despairs(d) {
		return m.write(ctx, []storage.Event{{Kind: storage.Resigned, Seat: seat}})
	}
	if err == nil {
		if err = m.write(ctx, []storage.Event{{Kind: storage.Moved, Seat: seat, Move: d.Move}}); err == nil {
			m.lost = lostAfter(m.state, d)
		}
		return err
	}
	m.house.stats.Failed.Add(1)
	m.house.log.Error("a computer player failed", "match", m.id, "player", m.state.seats[seat.Side()].ID, "err", err)
	return m.write(ctx, []storage.Event{{Kind: storage.Resigned, Seat: seat}})
}

// # When a computer player resigns
//
// Not when it stands badly, not when it believes to lose, and never to save anybody's time: only when it has lost. All of
// this must be so:
//
//   - it has seen on two of its own turns in a row that it loses against any play of its own, by a proof that was checked
//     against every one of its moves;
//   - at the second of them the end is nearer by as many moves as have been made since: the other side has found the
//     way, and follows it;
//   - the end is still more than prettyEnd plies away, for who can win in short is to have the pleasure;
//   - so many moves have been made that there has been a game, and it is a person's, not another computer player's.

const (
	prettyEnd  = 6  // plies
	shortGames = 10 // plies
)

// loss is a loss that a computer player has proven at its last turn. The zero value is none.
type loss struct {
	ply   int // after its reply
	plies int // from its turn to the end; above 0
}

// lostAfter returns what a computer player knows about its loss when it has made the move that it decided on.
func lostAfter(s state, d Decision) loss {
	if !d.Proven || d.Plies >= 0 {
		return loss{}
	}
	return loss{ply: len(s.moves), plies: -d.Plies}
}

// despairs says whether the computer player whose turn it is resigns.
func (m *match) despairs(d Decision) bool {
	s, before := &m.state, m.lost
	since := len(s.moves) + 1 - before.ply // with its own move of then
	return d.Proven && d.Plies < -prettyEnd && before.plies > 0 && since == 2 && -d.Plies <= before.plies-since &&
		s.made() >= shortGames && !s.exhibition()
}

// playable says what is wrong with a move; a panic of the engine is an error too.
func playable(p games.Position, move games.Move) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	_, err = p.Play(move)
	return err
}
