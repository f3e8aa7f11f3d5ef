// Package generator finds puzzles among the positions of games: first by a quick look at each, then, where exactly one first move
// wins, by a tree of answers that package puzzle checks.
package generator

import (
	"context"
	"errors"
	"math"
	"slices"

	"ludoteca/games"
	"ludoteca/games/proof"
	"ludoteca/games/puzzle"
)

// The bounds of a search, in positions.
const (
	// How many positions may be looked at to find out who wins within three plies, five, or more.
	budgetOfThree = 20_000
	budgetOfFive  = 80_000
	budgetOfMore  = 60_000

	// budgetOfReply is for a reply that wins, of which a wrong move can do without.
	budgetOfReply = 3_000

	// budgetBeyond is how many positions are looked at to find out that no other first move wins two plies later.
	budgetBeyond = 600_000

	// usualCheck is how many positions the check of a puzzle may take.
	usualCheck = 1_200_000

	// shortCheck is how many positions the check may take for the other first moves to be looked at still farther ahead.
	shortCheck = 300_000

	// tableMemory is the bytes of the table of each search.
	tableMemory = 48 << 20
)

// mostBeyond is how many plies longer than the solution the other first moves are looked at, at most.
const mostBeyond = 6

// sensibleMoves is how many other first moves must not lose at once.
const sensibleMoves = 2

// mostRight is how many moves may win at a later move of the main line.
const mostRight = 3

// The sizes that a puzzle may have.
const (
	mostSteps = 300
	mostText  = 6000 // bytes
)

// Errors about a position that is no puzzle. They say why.
var (
	errNone    = errors.New("no win in more than one move")
	errSecond  = errors.New("a second move wins")
	errUnknown = errors.New("it takes too many positions to find out")
	errDull    = errors.New("the other moves lose at once")
	errLarge   = errors.New("the answers are too many")
	errFork    = errors.New("too many moves win later in the main line")
)

// A Generator finds puzzles of one game. The same calls find the same puzzles.
type Generator struct {
	game     games.Game
	memory   int                       // bytes of the table of each decider
	deciders map[string]*proof.Decider // by options
	seen     map[string]bool           // canonical texts of puzzles
	ids      map[string]bool
}

// New returns a generator that does not find the puzzles again that there are already.
func New(g games.Game, known []*puzzle.Puzzle) *Generator {
	n := &Generator{game: g, memory: tableMemory, deciders: map[string]*proof.Decider{}, seen: map[string]bool{}, ids: map[string]bool{}}
	for _, p := range known {
		n.add(p)
	}
	return n
}

func (n *Generator) add(p *puzzle.Puzzle) {
	n.seen[puzzle.Canonical(n.game, p.Start)] = true
	n.ids[p.ID] = true
}

// decider returns what decides about positions with these options.
func (n *Generator) decider(ctx context.Context, o games.Options) *proof.Decider {
	key := o.String()
	if n.deciders[key] == nil {
		n.deciders[key] = proof.NewDecider(ctx, n.memory)
	}
	return n.deciders[key]
}

// budget returns how many positions may be looked at for a win in some plies.
func budget(plies int) int {
	switch {
	case plies <= 3:
		return budgetOfThree
	case plies <= 5:
		return budgetOfFive
	}
	return budgetOfMore
}

// A Find is a position in which one first move wins, as far as a quick look tells.
type Find struct {
	Start games.Position
	Plies int
	Move  games.Move

	code games.Code
}

// Look reports whether a position may be a puzzle of at most some plies, by a quick look. Earlier positions of its game don't count.
func (n *Generator) Look(ctx context.Context, p games.Position, plies int) (Find, bool) {
	start, err := games.Study(n.game, p.String())
	if err != nil || n.seen[puzzle.Canonical(n.game, start)] {
		return Find{}, false
	}
	f, err := n.look(ctx, start, plies)
	return f, err == nil
}

func (n *Generator) look(ctx context.Context, start games.Position, most int) (Find, error) {
	b, err := newBuilder(ctx, n, start)
	if err != nil {
		return Find{}, err
	}
	for plies := 1; plies <= most; plies += 2 {
		wins, known := b.decider.Wins(b.pos, b.side, plies, b.budget(plies))
		switch {
		case !known:
			return Find{}, errUnknown
		case wins && plies == 1:
			return Find{}, errNone
		case wins:
			code, err := b.only(plies)
			if err != nil {
				return Find{}, err
			}
			if b.sensible(code) < sensibleMoves {
				return Find{}, errDull
			}
			return Find{Start: start, Plies: plies, Move: b.state.Move(code), code: code}, nil
		}
	}
	return Find{}, errNone
}

// Make makes the puzzle of a find, checks it, and remembers it, so that it is not found again. The error says why there is none, or
// is that of ctx.
func (n *Generator) Make(ctx context.Context, f Find) (*puzzle.Puzzle, error) {
	canonical := puzzle.Canonical(n.game, f.Start)
	p := &puzzle.Puzzle{ID: puzzle.IDOf(canonical), Game: n.game, Start: f.Start, Plies: f.Plies}
	if n.seen[canonical] || n.ids[p.ID] {
		return nil, errSecond
	}
	b, err := newBuilder(ctx, n, f.Start)
	if err != nil {
		return nil, err
	}
	if p.Solution, err = b.step(f.code, f.Plies-1, true); err != nil {
		return nil, err
	}
	if b.steps > mostSteps || len(p.Solution.String()) > mostText {
		return nil, errLarge
	}
	if err := n.finish(ctx, b, p, f.code); err != nil {
		return nil, err
	}
	n.add(p)
	return p, nil
}

// finish finds the replies to wrong moves, checks the puzzle, and looks how far beyond the solution the other first moves can be
// proven not to win either.
func (n *Generator) finish(ctx context.Context, b *builder, p *puzzle.Puzzle, right games.Code) error {
	p.Beyond = p.Plies
	if err := b.others(right, p.Plies+2, budgetBeyond); err != nil && !errors.Is(err, errUnknown) {
		return err
	}
	if err := b.replies(p, false); err != nil {
		return err
	}
	report, err := p.Check(ctx, usualCheck)
	for err == nil && report.Checked+report.Nodes <= shortCheck && p.Beyond < p.Plies+mostBeyond {
		farther := *p
		farther.Beyond += 2
		if err = b.others(right, farther.Beyond, budgetBeyond); err == nil {
			err = b.replies(&farther, false)
		}
		if err == nil {
			report, err = farther.Check(ctx, usualCheck)
		}
		switch {
		case errors.Is(err, errUnknown) || errors.Is(err, puzzle.ErrBound):
			return nil
		case err == nil:
			*p = farther
		}
	}
	return err
}

// A builder looks at one position and those that follow.
type builder struct {
	decider *proof.Decider
	side    games.Side // that wins
	state   games.State
	pos     games.Search
	steps   int // that the solution has so far
	most    int // moves that may win at a later move of the main line
	end     int // how many positions the decider looks at in all
}

func newBuilder(ctx context.Context, n *Generator, start games.Position) (*builder, error) {
	searchable, ok := start.State().(games.Searchable)
	if !ok {
		return nil, proof.ErrNoSearch
	}
	return &builder{
		decider: n.decider(ctx, start.Options()), side: start.Turn(), state: start.State(), pos: searchable.Search(),
		most: mostRight, end: math.MaxInt,
	}, nil
}

// budget returns how many positions may be looked at for a win in some plies.
func (b *builder) budget(plies int) int { return max(0, min(budget(plies), b.end-b.decider.Nodes())) }

func (b *builder) play(c games.Code) {
	b.state.Play(c)
	b.pos.Play(c)
}

func (b *builder) undo() {
	b.pos.Undo()
	b.state.Undo()
}

// won reports whether the game is over, and whether the side has won it.
func (b *builder) won() (over, won bool) {
	r := b.state.Result()
	return r.Over, r.For(b.side) == 1
}

// wins reports whether a move of the side wins within some plies, itself included.
func (b *builder) wins(c games.Code, plies, nodes int) (bool, error) {
	b.play(c)
	defer b.undo()
	if over, won := b.won(); over {
		return won, nil
	}
	wins, known := b.decider.Wins(b.pos, b.side, plies-1, nodes)
	if !known {
		return false, errUnknown
	}
	return wins, nil
}

// only returns the one move that wins within some plies.
func (b *builder) only(plies int) (only games.Code, err error) {
	switch all, err := b.winners(plies, 1); {
	case err != nil:
		return 0, err
	case len(all) == 0:
		return 0, errNone
	case len(all) > 1:
		return 0, errSecond
	default:
		return all[0], nil
	}
}

// winners returns the moves that win within some plies: all of them, or one more than most.
func (b *builder) winners(plies, most int) (all []games.Code, err error) {
	for _, c := range b.state.Moves(nil) {
		wins, err := b.wins(c, plies, b.budget(plies))
		if err != nil {
			return nil, err
		}
		if wins {
			all = append(all, c)
		}
		if len(all) > most {
			break
		}
	}
	return all, nil
}

// others looks whether another move than the right one wins within some plies, in the given number of positions altogether.
func (b *builder) others(right games.Code, plies, nodes int) error {
	end := b.decider.Nodes() + nodes
	for _, c := range b.state.Moves(nil) {
		if c == right {
			continue
		}
		wins, err := b.wins(c, plies, end-b.decider.Nodes())
		switch {
		case err != nil:
			return err
		case wins:
			return errSecond
		}
	}
	return nil
}

// sensible returns how many other moves than the right one don't lose at once.
func (b *builder) sensible(right games.Code) (n int) {
	for _, c := range b.state.Moves(nil) {
		if c == right {
			continue
		}
		b.play(c)
		over, _ := b.won()
		if _, lost := b.winsAtOnce(); !over && !lost {
			n++
		}
		b.undo()
	}
	return n
}

// winsAtOnce returns a move by which the other side, which is to move, wins at once.
func (b *builder) winsAtOnce() (games.Code, bool) {
	for _, c := range b.state.Moves(nil) {
		b.state.Play(c)
		lost := b.state.Result().For(b.side) == -1
		b.state.Undo()
		if lost {
			return c, true
		}
	}
	return 0, false
}

// step returns the step of a move of the side after which it wins within the plies that are left. main says that the step is of
// the main line.
func (b *builder) step(c games.Code, left int, main bool) (*puzzle.Step, error) {
	if b.steps++; b.steps > mostSteps {
		return nil, errLarge
	}
	step := &puzzle.Step{Move: b.state.Move(c)}
	b.play(c)
	defer b.undo()
	switch over, won := b.won(); {
	case won:
		return step, nil
	case over || left < 2:
		return nil, errNone
	}
	defences := b.state.Moves(nil)
	if main {
		longest, answer, err := b.longest(defences, left)
		if err != nil {
			return nil, err
		}
		move := b.state.Move(longest)
		b.play(longest)
		next, err := b.step(answer, left-2, true)
		b.undo()
		if err != nil {
			return nil, err
		}
		step.Answers = append(step.Answers, puzzle.Answer{Defences: []games.Move{move}, Step: next})
		defences = slices.DeleteFunc(defences, func(d games.Code) bool { return d == longest })
	}
	for _, d := range defences {
		if err := b.answer(step, d, left); err != nil {
			return nil, err
		}
	}
	generalise(step, main)
	return step, nil
}

// longest returns a defence that holds out longest, and a move that wins in time after it. Of several such defences it is the first
// that leaves the fewest moves.
func (b *builder) longest(defences []games.Code, left int) (longest, answer games.Code, err error) {
	err = errNone
	fewest := b.most + 1
	if left == 2 {
		fewest = math.MaxInt // the last move may be any that wins
	}
	for _, d := range defences {
		c, n, failed := b.right(d, left)
		switch {
		case failed != nil:
			return 0, 0, failed
		case n > 0 && n < fewest:
			longest, answer, fewest, err = d, c, n, nil
		case n > 0 && err != nil:
			err = errFork
		}
		if fewest == 1 {
			return longest, answer, nil
		}
	}
	return longest, answer, err
}

// right returns how many moves win in time after a defence, and the first of them. n is 0 if the side wins faster.
func (b *builder) right(d games.Code, left int) (first games.Code, n int, err error) {
	if left == 2 {
		first, n = b.lastMoves(d)
		return first, n, nil
	}
	b.play(d)
	defer b.undo()
	if over, _ := b.won(); over {
		return 0, 0, nil
	}
	switch faster, known := b.decider.Wins(b.pos, b.side, left-3, b.budget(left)); {
	case !known:
		return 0, 0, errUnknown
	case faster:
		return 0, 0, nil
	}
	all, err := b.winners(left-1, b.most)
	if err != nil || len(all) == 0 {
		return 0, 0, err
	}
	return all[0], len(all), nil
}

// lastMoves returns the first of the moves that win at once after a defence, and how many there are.
func (b *builder) lastMoves(d games.Code) (first games.Code, n int) {
	b.play(d)
	defer b.undo()
	for _, c := range b.state.Moves(nil) {
		b.state.Play(c)
		_, won := b.won()
		b.state.Undo()
		if won {
			if n++; n == 1 {
				first = c
			}
		}
	}
	return first, n
}

// answer adds the answer to a defence to a step: one of those that it has, or a new one.
func (b *builder) answer(step *puzzle.Step, d games.Code, left int) error {
	defence := b.state.Move(d)
	b.play(d)
	defer b.undo()
	switch over, won := b.won(); {
	case won:
		return nil // the defence loses by itself
	case over:
		return errNone
	}
	for i := range step.Answers {
		if b.works(step.Answers[i].Step, left-1) {
			step.Answers[i].Defences = append(step.Answers[i].Defences, defence)
			return nil
		}
	}
	c, err := b.winning(step, left-1)
	if err != nil {
		return err
	}
	next, err := b.step(c, left-2, false)
	if err != nil {
		return err
	}
	step.Answers = append(step.Answers, puzzle.Answer{Defences: []games.Move{defence}, Step: next})
	return nil
}

// winning returns a move that wins within some plies, one of those that answer other defences if it can.
func (b *builder) winning(step *puzzle.Step, plies int) (games.Code, error) {
	for i := range step.Answers {
		c, err := b.state.Code(step.Answers[i].Step.Move)
		if err != nil {
			continue
		}
		if wins, err := b.wins(c, plies, b.budget(plies)); err == nil && wins {
			return c, nil
		}
	}
	wins, known := b.decider.Wins(b.pos, b.side, plies, b.budget(plies))
	if !known {
		return 0, errUnknown
	}
	if !wins {
		return 0, errNone
	}
	c, ok := b.decider.Strategy(b.budget(plies)).Choose(b.pos, nil, plies)
	if !ok || !slices.Contains(b.state.Moves(nil), c) {
		return 0, errUnknown
	}
	return c, nil
}

// works reports whether a step wins within the plies that are left against every defence.
func (b *builder) works(step *puzzle.Step, left int) bool {
	c, err := b.state.Code(step.Move)
	if err != nil || left < 1 {
		return false
	}
	b.play(c)
	defer b.undo()
	if over, won := b.won(); over {
		return won
	}
	if len(step.Answers) == 0 || left < 3 {
		return false
	}
	for _, d := range b.state.Moves(nil) {
		next := step.After(b.state.Move(d))
		b.play(d)
		over, good := b.won()
		if !over {
			good = next != nil && b.works(next, left-2)
		}
		b.undo()
		if !good {
			return false
		}
	}
	return true
}

// generalise makes the answer to the most defences the one to all others. The first defence of the main line is still named.
func generalise(step *puzzle.Step, main bool) {
	most := -1
	for i := range step.Answers {
		if most < 0 || len(step.Answers[i].Defences) > len(step.Answers[most].Defences) {
			most = i
		}
	}
	if most < 0 {
		return
	}
	kept := 0
	if main && most == 0 {
		kept = 1
	}
	a := step.Answers[most]
	a.Defences, a.Others = a.Defences[:kept:kept], true
	step.Answers[most] = a
	if kept == 0 { // what goes for all others stands last
		step.Answers = append(append(step.Answers[:most:most], step.Answers[most+1:]...), a)
	}
}

// replies finds the replies to the wrong moves of the main line. several says that several first moves may win.
func (b *builder) replies(p *puzzle.Puzzle, several bool) error {
	p.Wrong = nil
	line := p.Line()
	played := 0
	defer func() {
		for range played {
			b.undo()
		}
	}()
	for i := 0; i < len(line); i++ {
		if i%2 == 0 {
			within := p.Plies - i
			if i == 0 {
				within = p.Beyond
			}
			replies, err := b.repliesTo(line[i], within, several || i > 0)
			if err != nil {
				return err
			}
			p.Wrong = append(p.Wrong, replies)
		}
		c, err := b.state.Code(line[i])
		if err != nil {
			return err
		}
		b.play(c)
		played++
	}
	return nil
}

// repliesTo returns the replies to all moves but the right one, each of which keeps the side from winning within some plies. several
// says that other moves may win, too.
func (b *builder) repliesTo(right games.Move, within int, several bool) ([]puzzle.Reply, error) {
	var replies []puzzle.Reply
	var winning []games.Move
	for _, c := range b.state.Moves(nil) {
		wrong := b.state.Move(c)
		if wrong == right {
			continue
		}
		b.play(c)
		over, _ := b.won()
		reply, err, wins := games.Move(""), error(nil), false
		if several && within >= puzzle.MinPlies && !over {
			wins, _ = b.decider.Wins(b.pos, b.side, within-1, b.budget(within))
		}
		if !over && !wins {
			reply, err = b.reply(replies, within)
		}
		b.undo()
		if err != nil {
			return nil, err
		}
		if wins {
			winning = append(winning, wrong)
		}
		if over || wins {
			continue
		}
		at := slices.IndexFunc(replies, func(r puzzle.Reply) bool { return r.Reply == reply })
		if at < 0 {
			at = len(replies)
			replies = append(replies, puzzle.Reply{Reply: reply})
		}
		replies[at].Moves = append(replies[at].Moves, wrong)
	}
	if len(replies) == 0 {
		return nil, errDull
	}
	slices.SortStableFunc(replies, func(x, y puzzle.Reply) int { return len(x.Moves) - len(y.Moves) })
	last := &replies[len(replies)-1]
	last.Moves, last.Others = nil, true
	if len(winning) > 0 {
		replies = append([]puzzle.Reply{{Moves: winning, Wins: true}}, replies...)
	}
	return replies, nil
}

// reply returns the reply to a wrong move: one that wins at once, one that wins by force, or one that prevents a win, if possible one
// of those that there are.
func (b *builder) reply(known []puzzle.Reply, within int) (games.Move, error) {
	other := b.side.Other()
	for plies := 1; plies <= 3; plies += 2 {
		if wins, _ := b.decider.Wins(b.pos, other, plies, budgetOfReply); wins {
			for _, r := range known {
				if c, err := b.state.Code(r.Reply); err == nil && b.winsAgainst(c, plies) {
					return r.Reply, nil
				}
			}
			b.decider.Wins(b.pos, other, plies, budgetOfReply)
			if c, ok := b.decider.Strategy(budgetOfReply).Choose(b.pos, nil, plies); ok && b.winsAgainst(c, plies) {
				return b.state.Move(c), nil
			}
		}
	}
	c, err := b.preventing(known, max(within, puzzle.MinPlies)-1)
	switch {
	case err == nil:
		return b.state.Move(c), nil
	case within >= puzzle.MinPlies:
		return "", err
	}
	return b.state.Move(b.state.Moves(nil)[0]), nil // the side wins anyway, though too late
}

// winsAgainst reports whether a move of the other side wins within some plies, itself included.
func (b *builder) winsAgainst(c games.Code, plies int) bool {
	b.play(c)
	defer b.undo()
	if r := b.state.Result(); r.Over {
		return r.For(b.side) == -1
	}
	wins, known := b.decider.Wins(b.pos, b.side.Other(), plies-1, budgetOfReply)
	return known && wins
}

// preventing returns a move of the other side that keeps the side from winning within some plies, itself included.
func (b *builder) preventing(known []puzzle.Reply, plies int) (games.Code, error) {
	for _, r := range known {
		c, err := b.state.Code(r.Reply)
		if err != nil {
			continue
		}
		if good, err := b.prevents(c, plies); err == nil && good {
			return c, nil
		}
	}
	wins, decided := b.decider.Wins(b.pos, b.side, plies, b.budget(plies)*4)
	switch {
	case !decided:
		return 0, errUnknown
	case wins:
		return 0, errNone
	}
	c, ok := b.decider.Strategy(b.budget(plies)*4).Choose(b.pos, nil, plies)
	if !ok || !slices.Contains(b.state.Moves(nil), c) {
		return 0, errUnknown
	}
	return c, nil
}

// prevents reports whether a move of the other side keeps the side from winning within some plies, itself included.
func (b *builder) prevents(c games.Code, plies int) (bool, error) {
	b.play(c)
	defer b.undo()
	if over, won := b.won(); over {
		return !won, nil
	}
	wins, known := b.decider.Wins(b.pos, b.side, plies-1, b.budget(plies)*4)
	if !known {
		return false, errUnknown
	}
	return !wins, nil
}
