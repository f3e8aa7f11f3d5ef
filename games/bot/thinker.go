package bot

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/games/deadline"
	"ludoteca/games/proof"
)

// A Thought is what a player that searches has found out about a position.
type Thought struct {
	Move  games.Move
	Value int          // what the position is worth to the side to move; a man, marble or the like is some 100
	Plies int          // the plies to the end if the game is decided: above 0 for a win, below 0 for a loss, else 0
	Line  []games.Move // the moves that both sides are expected to make, Move first
	Drawn bool         // neither side can win against the best play of the other
	Held  bool         // Move is proven not to lose, whatever Value and Plies say

	// Proven reports that Plies is beyond doubt: a strategy wins in no more plies, and has been played against every
	// defence by the whole rules.
	Proven bool

	Depth int // how many plies ahead every move was searched
	Nodes int // how many positions were looked at
}

// MaxValue is the largest Value of a Thought; the least is -MaxValue.
const MaxValue = victory

// A Thinker is a Player that searches.
type Thinker interface {
	Player

	// Think returns what Move would play, and why. A deadline of ctx limits the thinking like a budget: when it passes,
	// Think returns the best that it has found. If ctx is cancelled, Think returns the error of ctx.
	Think(ctx context.Context, p games.Position, r *games.Random) (Thought, error)

	// ThinkWithin is Think under a clock: it takes as much of the time as suits the game and the position, and never all.
	// Without a clock it is Think.
	ThinkWithin(ctx context.Context, c Clock, p games.Position, r *games.Random) (Thought, error)
}

// ErrNoSearch is returned for a game that can't be searched.
var ErrNoSearch = errors.New("the game has no search")

// The bytes for the positions that a proof remembers: at most, and for each microsecond it has, in which it looks at three
// positions or fewer. To clear more would take time that is missing for the proof.
const (
	proofMemory = 8 << 20
	proofRate   = 192
)

// A thinker is a Player that searches one game.
type thinker struct {
	profile *games.Profile // of the game
	preset  int            // the index in the profile, 0 for the weakest
	nodes   int            // the budget for one move; 0: the preset's
	maxTime time.Duration  // for one move; 0: as long as it takes
	memory  *Memory        // shared with others; nil: new for each move

	evaluation Evaluation // by which it searches

	plan *timePlan // of the present move; nil: there is no clock

	depth   int                 // plies ahead at which the search ends, without proofs and advice; 0: no limit
	endless bool                // nothing but its caller ends the search
	report  func(*searchResult) // gets what was found at each depth; nil: nobody asks
}

// Move returns the move of Think.
func (s thinker) Move(ctx context.Context, p games.Position, r *games.Random) (games.Move, error) {
	t, err := s.Think(ctx, p, r)
	return t.Move, err
}

// clockTimes is how many times as long as its maxTime a player under a clock may think about one move.
const clockTimes = 2

// ThinkWithin searches for the best move under a clock. The only legal move is played at once.
func (s thinker) ThinkWithin(ctx context.Context, c Clock, p games.Position, r *games.Random) (Thought, error) {
	if c == (Clock{}) {
		return s.Think(ctx, p, r)
	}
	now := time.Now()
	target, most := c.Plan(now, s.profile.Length)
	if s.maxTime > 0 {
		target, most = min(target, s.maxTime), min(most, s.maxTime*clockTimes)
	}
	if len(p.State().Moves(nil)) == 1 {
		target, most = 0, 0
	}
	s.plan = &timePlan{begun: now, target: target, most: most, scale: int(s.profile.Scale)}
	s.maxTime = max(most, 1)
	return s.Think(ctx, p, r)
}

// usual returns the context for work besides the search: under a clock it ends when the usual time for the move is up.
func (s thinker) usual(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.plan == nil {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, s.plan.begun.Add(s.plan.target))
}

// Think searches for the best move.
func (s thinker) Think(ctx context.Context, p games.Position, r *games.Random) (Thought, error) {
	if err := ctx.Err(); err != nil && !stopped(ctx) {
		return Thought{}, err
	}
	if p.Result().Over {
		return Thought{}, ErrOver
	}
	pos := s.evaluation.search(p.State())
	if pos == nil {
		return Thought{}, ErrNoSearch
	}
	limited, stop := ctx, context.CancelFunc(func() {})
	if s.maxTime > 0 {
		limited, stop = context.WithTimeout(ctx, s.maxTime)
	}
	defer stop()
	w := s.memory.get() // and lost if the rules panic
	t := s.think(limited, w, p, pos, s.budget(), r)
	s.memory.put(w)
	if err := ctx.Err(); errors.Is(err, context.Canceled) && !stopped(ctx) {
		return Thought{}, err
	}
	return t, nil
}

// budget returns how many positions may be looked at for a move.
func (s thinker) budget() int {
	if s.nodes > 0 {
		return s.nodes
	}
	return s.can().Nodes
}

// can returns what the player may do.
func (s thinker) can() *games.Preset { return &s.profile.Presets[s.preset] }

// think searches with a budget of nodes, and proves what it can if the preset makes proofs. Where the search calls the game
// decided, the rest of the budget goes into a proof, because the search rests on a table and only a proof is beyond doubt. A
// game may have a share of the budget spent on a proof before the search (see games.Profile.ProofShare).
func (s thinker) think(ctx context.Context, w *workspace, p games.Position, pos games.Search, nodes int, r *games.Random) Thought {
	if !s.can().Proves || s.depth > 0 {
		found := s.search(ctx, w, pos, nodes, r)
		return found.thought(p)
	}
	usual, stop := s.usual(ctx)
	defer stop()
	first := s.proveFirst(usual, w, p, s.shared(nodes))
	if first.Proven {
		return first
	}
	found := s.search(ctx, w, pos, nodes-first.Nodes, r)
	t := found.thought(p)
	t.Nodes += first.Nodes
	if t.Plies == 0 || t.Nodes >= nodes || deadline.Of(usual).Passed() {
		return t
	}
	limits := proof.Limits{Nodes: s.shared(nodes - t.Nodes), Plies: t.Plies, Of: []proof.Result{proof.Won}}
	if t.Plies < 0 {
		limits.Plies, limits.Of = -t.Plies, []proof.Result{proof.Lost}
	}
	last := prove(usual, w, p, limits)
	last.Nodes += t.Nodes
	if last.Proven {
		return last
	}
	t.Nodes = last.Nodes
	return t
}

// search searches with a budget of nodes.
func (s thinker) search(ctx context.Context, w *workspace, pos games.Search, nodes int, r *games.Random) searchResult {
	preset, depth := s.can(), maxPly/2
	if preset.Overlooks > 0 {
		pos = &oversight{Search: pos, seed: r.Uint64(), root: preset.Misses, share: preset.Overlooks}
	}
	engine := w.newSearch(ctx, pos, nodes)
	engine.contempt, engine.repeats, engine.noisyPlies = s.profile.Contempt, s.profile.Repeats, s.profile.NoisyPlies
	if preset.Overlooks > 0 {
		engine.rootInexact = inexact // a reply that is not seen may be better
	}
	if preset.Depth > 0 {
		depth = preset.Depth
		engine.noisyPlies = min(engine.noisyPlies, preset.Depth)
	}
	if s.depth > 0 {
		depth = min(depth, s.depth)
	}
	if preset.Advised && s.depth == 0 {
		usual, stop := s.usual(ctx)
		defer stop()
		engine.advise(usual, s.shared(nodes))
	}
	engine.report = s.report
	if engine.plan = s.plan; s.plan != nil {
		s.plan.depthBegun = time.Now()
	}
	found := engine.run(preset.Spread, depth, r)
	found.held = engine.held
	return found
}

// proveFirst tries a proof where the game wants one tried before the search.
func (s thinker) proveFirst(ctx context.Context, w *workspace, p games.Position, nodes int) Thought {
	share := s.profile.ProofShare
	if share == 0 || nodes < share {
		return Thought{}
	}
	if end, ok := ctx.Deadline(); ok { // the same share of the time as of the nodes
		early, stop := context.WithTimeout(ctx, time.Until(end)/time.Duration(share))
		defer stop()
		ctx = early
	}
	return prove(ctx, w, p, proof.Limits{Nodes: nodes / share, Of: []proof.Result{proof.Won, proof.Lost}})
}

// prove returns the thought that a proof of a win or a loss amounts to. If there is none, only Nodes is set.
func prove(ctx context.Context, w *workspace, p games.Position, limits proof.Limits) Thought {
	limits.Memory = int(min(max(1, deadline.Of(ctx).Left().Microseconds()*proofRate), proofMemory))
	got, err := w.prover.Prove(ctx, p, limits)
	t := Thought{Nodes: got.Nodes + got.Checked}
	if err != nil || got.Result != proof.Won && got.Result != proof.Lost || len(got.Line) == 0 {
		return t
	}
	t.Proven, t.Move, t.Line, t.Depth = true, got.Line[0], got.Line, got.Plies
	t.Plies, t.Value = got.Plies, victory-got.Plies
	if got.Result == proof.Lost {
		t.Plies, t.Value = -t.Plies, -t.Value
	}
	return t
}

// thought returns what a search has found as the moves of the game.
func (found *searchResult) thought(p games.Position) Thought {
	state := p.State()
	t := Thought{Move: state.Move(found.code), Value: found.value, Depth: found.depth, Nodes: found.nodes, Held: found.held}
	if found.value >= decided {
		t.Plies = victory - found.value
	} else if found.value <= -decided {
		t.Plies = -victory - found.value
	}
	if found.proven && t.Plies == 0 {
		t.Value, t.Drawn = 0, true
	}
	for _, c := range found.line {
		t.Line = append(t.Line, state.Move(c))
		state.Play(c)
	}
	return t
}
