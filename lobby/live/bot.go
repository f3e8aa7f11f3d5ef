package live

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/thinking"
)

// A botReply is the move that a computer player has to make. The zero value: there is none.
type botReply struct {
	status   match.Reply
	since    time.Time // when it began
	ahead    int       // while Queued: how many jobs come before it, roughly
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

// resigns reports whether the computer player whose turn it is resigns, having decided on d. before is what it had proven at
// its last turn.
func (before provenLoss) resigns(s *match.State, d thinking.Decision) bool {
	since := len(s.Moves) + 1 - before.ply // plies, its own of then included
	return d.Proven && d.Plies < -quickEnd && before.plies > 0 && since == 2 && -d.Plies <= before.plies-since &&
		s.Made() >= shortGame && !s.Exhibition()
}
