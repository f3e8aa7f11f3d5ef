// Package thinking lets computer players choose their moves on a bounded number of workers.
package thinking

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/lobby/origin"
)

// A Level is a computer player.
type Level struct {
	ID       string         // "random", "greedy": for programs and logs
	Name     string         // for users
	Sentence string         // its strength in words, with a full stop; may be empty
	Ratings  map[string]int // its measured strength, by id of the game; games in which it was not measured are missing

	// Above holds the ids of the games in which it is stronger than Ratings says, by how much is not known.
	Above map[string]bool

	// Games is how it plays, by the id of the game. A game that is missing has no such level. nil: Move and Think play all games.
	Games map[string]Player

	// Move chooses a move. It is pure but for the random source, returns soon after ctx ends, and is called by one
	// goroutine at a time with the same source.
	Move func(ctx context.Context, p games.Position, r *games.Random) (games.Move, error)

	// Think chooses a move and returns the result of its search; nil for a level that does not search. At the deadline of ctx it
	// returns the best move found until then. With a clock it plans its own time; the zero Clock means no clock.
	Think func(ctx context.Context, c bot.Clock, p games.Position, r *games.Random) (Decision, error)

	game string // the id that In was given
}

// A Player is how a computer player chooses its moves in one game: the functions of a Level.
type Player struct {
	Move  func(ctx context.Context, p games.Position, r *games.Random) (games.Move, error)
	Think func(ctx context.Context, c bot.Clock, p games.Position, r *games.Random) (Decision, error)
}

// In returns the level as it plays the game with an id; ok is false if the game has no such level.
func (l Level) In(game string) (level Level, ok bool) {
	l.game = game
	if l.Games == nil {
		return l, true
	}
	p, ok := l.Games[game]
	l.Move, l.Think = p.Move, p.Think
	return l, ok
}

// LevelsOf returns the levels of the game with an id, in the same order.
func LevelsOf(levels []Level, game string) []Level {
	var of []Level
	for _, l := range levels {
		if l, ok := l.In(game); ok {
			of = append(of, l)
		}
	}
	return of
}

// A Decision is the move that a computer player has chosen, and the result of its search, from the point of view of the side to
// move.
type Decision struct {
	Move   games.Move
	Line   []games.Move // the principal variation, Move first
	Ahead  bool         // it has searched: the fields below are set
	Value  int          // of the position; a man, marble or the like is about 100
	Plies  int          // to the end if the game is decided: above 0 for a win, below 0 for a loss, else 0
	Proven bool         // the win, the loss or the draw is proven
	Drawn  bool         // no side can win against the best play of the other
}

// DecisionOf returns the decision that comes of a search.
func DecisionOf(t bot.Thought) Decision {
	return Decision{Move: t.Move, Line: t.Line, Ahead: true, Value: t.Value, Plies: t.Plies, Proven: t.Proven, Drawn: t.Drawn}
}

func (l Level) decide(ctx context.Context, c bot.Clock, p games.Position, r *games.Random) (Decision, error) {
	if l.Think != nil {
		return l.Think(ctx, c, p, r)
	}
	m, err := l.Move(ctx, p, r)
	return Decision{Move: m}, err
}

// A Job is one move to be found.
type Job struct {
	ctx      context.Context // ends when the move is no longer wanted
	level    Level
	position games.Position
	seed     uint64
	limit    time.Duration
	clock    bot.Clock
	start    games.Position // of the match; nil: only this machine can think about the position
	moves    []games.Move   // from start to position
	updates  chan Update
	places   chan int

	// The scheduler's mutex guards what follows.
	by        origin.Origin // the person for whom it is done
	priority  Priority
	number    int64 // in the order of Submit
	submitted time.Time
	slice     time.Duration // time slice that it was given
	shown     int           // last value sent to places
	returned  bool          // another machine had it and gave no usable answer
}

// An Update says that a worker has begun a job or finished it.
type Update struct {
	Done     bool
	Decision Decision // if Done and Err is nil
	Err      error
}

// NewJob returns the job to find a move with a random source of this seed, until ctx ends. If limit is not 0, the job takes at
// most limit.
func NewJob(ctx context.Context, level Level, p games.Position, seed uint64, limit time.Duration) *Job {
	return &Job{
		ctx: ctx, level: level, position: p, seed: seed, limit: limit,
		updates: make(chan Update, 2), // begun and done: a worker never waits for a reader
		places:  make(chan int, 1),
	}
}

// OnClock sets the clock of a job that has not been submitted yet, and returns the job. The level plans its time when a worker
// begins the job, so the time in the queue counts.
func (j *Job) OnClock(c bot.Clock) *Job {
	j.clock = c
	return j
}

// After tells how a job that has not been submitted yet came to its position, and returns the job. Without that, no other machine can do
// the job: the text of a position doesn't say how often it was there before.
func (j *Job) After(start games.Position, moves []games.Move) *Job {
	j.start, j.moves = start, slices.Clone(moves)
	return j
}

// Updates returns a channel that gets an Update when a worker begins the job and another when it is done.
func (j *Job) Updates() <-chan Update { return j.updates }

// Places returns a channel that gets the number of jobs before this one when it changes, rounded as by Scheduler.Submit. It holds
// only the newest number.
func (j *Job) Places() <-chan int { return j.places }

func (j *Job) wanted() bool { return j.ctx.Err() == nil }

// think finds the move, in at most atMost unless the level ignores deadlines. A panic of the level is returned as Update.Err.
func (j *Job) think(atMost time.Duration) (u Update) {
	defer func() {
		if p := recover(); p != nil {
			u = Update{Done: true, Err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	if j.limit > 0 {
		atMost = min(atMost, j.limit)
	}
	within, stop := context.WithTimeout(j.ctx, atMost)
	defer stop()
	d, err := j.level.decide(within, j.clock, j.position, games.NewRandom(j.seed))
	if errors.Is(err, context.DeadlineExceeded) && j.ctx.Err() == nil {
		d, err = j.level.decide(j.ctx, j.clock, j.position, games.NewRandom(j.seed)) // the level returns no move at a deadline
	}
	return Update{Done: true, Decision: d, Err: err}
}
