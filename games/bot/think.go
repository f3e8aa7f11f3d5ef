package bot

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
)

// A Thought is what a player who looks ahead has found out about a position.
type Thought struct {
	Move  games.Move
	Value int          // what the position is worth to the side to move; a man, marble or the like is some 100
	Plies int          // the plies to the end if the game is decided: above 0 for a win, below 0 for a loss, else 0
	Line  []games.Move // the moves that both sides are expected to make, Move first
	Drawn bool         // no side can win against the best play of the other

	// Proven says that Plies is beyond doubt: a strategy wins in at most so many plies, and has been played against every
	// defence by the whole rules.
	Proven bool

	Depth int // how many plies ahead every move was looked at
	Nodes int // how many positions were looked at
}

// A Thinker is a Player who looks ahead.
type Thinker interface {
	Player

	// Think returns what Move would play, and why. A deadline of ctx limits the thinking like a budget: what has been
	// found until then is the answer. If ctx is cancelled the error is that of ctx.
	Think(ctx context.Context, p games.Position, r *games.Random) (Thought, error)
}

// ErrBlind is returned where a game can't be looked ahead in.
var ErrBlind = errors.New("the game has no search")

// A verdict is the result of a search in the game's own codes.
type verdict struct {
	code  games.Code
	value int
	line  []games.Code
	depth int
	nodes int

	proven bool // no evaluation had a part in the value
}

// A seeker is a Player who looks ahead in one game.
type seeker struct {
	profile *games.Profile // of the game
	rung    int            // 0 for the weakest
	nodes   int            // instead of those of the rung; 0: those of the rung
	atMost  time.Duration  // for one move; 0: as long as it takes
	memory  *Memory        // shared with others; nil: new for each move
}

// Move returns the move of Think.
func (s seeker) Move(ctx context.Context, p games.Position, r *games.Random) (games.Move, error) {
	t, err := s.Think(ctx, p, r)
	return t.Move, err
}

// Think searches for the best move.
func (s seeker) Think(ctx context.Context, p games.Position, r *games.Random) (Thought, error) {
	if err := ctx.Err(); err != nil {
		return Thought{}, err
	}
	if p.Result().Over {
		return Thought{}, ErrOver
	}
	searchable, ok := p.State().(games.Searchable)
	if !ok {
		return Thought{}, ErrBlind
	}
	limited, stop := ctx, context.CancelFunc(func() {})
	if s.atMost > 0 {
		limited, stop = context.WithTimeout(ctx, s.atMost)
	}
	defer stop()
	pos := searchable.Search()
	d := s.memory.lend() // and lost if the rules panic
	t := s.reason(limited, d, p, pos, s.budget(), r)
	s.memory.keep(d)
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return Thought{}, err
	}
	return t, nil
}

// budget is how many positions may be looked at for a move.
func (s seeker) budget() int {
	if s.nodes > 0 {
		return s.nodes
	}
	return s.profile.Presets[s.rung].Nodes
}

// search runs the method that suits the game, at a desk.
func (s seeker) search(ctx context.Context, d *desk, pos games.Search, nodes int, r *games.Random) verdict {
	a := d.alphaBeta(ctx, pos, nodes)
	a.contempt, a.repeats, a.noisy = s.profile.Contempt, s.profile.Repeats, s.profile.NoisyPlies
	if s.rung >= firstAdvised {
		a.advise(ctx)
	}
	return a.think(s.profile.Presets[s.rung].Spread, maxPly/2, r)
}

// thought puts a verdict into words.
func (v *verdict) thought(p games.Position) Thought {
	state := p.State()
	t := Thought{Move: state.Move(v.code), Value: v.value, Depth: v.depth, Nodes: v.nodes}
	if v.value >= decided {
		t.Plies = victory - v.value
	} else if v.value <= -decided {
		t.Plies = -victory - v.value
	}
	if v.proven && t.Plies == 0 {
		t.Value, t.Drawn = 0, true
	}
	for _, c := range v.line {
		t.Line = append(t.Line, state.Move(c))
		state.Play(c)
	}
	return t
}
