package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// MaxArenaPlies is the number of plies after which a game of the arena is cut off and counts as a draw, if its
// options set no such limit themselves.
const MaxArenaPlies = 10_000

// The largest numbers that a Meeting takes.
const (
	MaxArenaGames    = 10_000_000
	MaxArenaOpenings = 100
	MaxArenaWorkers  = 256

	MaxArenaPositions = 100_000
)

// A Meeting is what the arena is asked to play.
type Meeting struct {
	Game    games.Game
	Options games.Options // complete
	Players [2]string     // levels as findPlayer takes them, or programs; the first begins in the games with even numbers
	Games   int           // 1 to MaxArenaGames; even if there are openings or positions
	Seed    uint64        // the same seed gives the same games, unless a clock limits the thinking

	// Openings is how many plies are played at random before the players take over, 0 to MaxArenaOpenings. Each
	// opening is then played twice, once from each side.
	Openings int

	// Positions are where the games begin, one pair of games after the other, as Position.String writes them and with the same
	// options; at the start of the game if there are none. Each is played from both sides.
	Positions []string

	// MoveTime limits the thinking about each move, besides the budget of the level; 0 is no limit, else it is a
	// millisecond or more.
	MoveTime time.Duration

	// Clock is what each player has for a whole game; the zero value is no clock. If there is a MoveTime as well, the clock
	// is for the first player alone and the MoveTime for the second.
	Clock Clock

	SPRT    SPRT // ends the meeting as soon as it has decided; the zero value does not
	Workers int  // how many games are played at the same time, 1 to MaxArenaWorkers; 0 means 1

	// Resume is the path of a file that keeps the finished games; empty for none. Games that it has already are not
	// played again. It is made if there is none, and refused with ErrResume if it is of another meeting.
	Resume string

	// Faults gets a line about each game that a program loses by a fault of its own; nil for nowhere.
	Faults io.Writer
}

// paired reports whether games are played in pairs from the same position.
func (m *Meeting) paired() bool { return m.Openings > 0 || len(m.Positions) > 0 }

// A match is a meeting with its players found and its start position set up. It never changes.
type match struct {
	Meeting
	players [2]bot.Player // nil for programs
	start   games.Position
	starts  []games.Position // of Positions

	programs [2]*program // of one worker; nil for levels
}

// newMatch checks a meeting.
func newMatch(m Meeting) (*match, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	m.Workers = max(m.Workers, 1)
	full := &match{Meeting: m}
	for i, spec := range m.Players {
		if _, ok := programOf(spec); ok {
			continue // each worker starts its own
		}
		level, err := findPlayer(m.Game, spec)
		if err != nil {
			return nil, err
		}
		full.players[i] = level.Player
	}
	var err error
	if full.start, err = m.Game.New(m.Options); err != nil {
		return nil, err
	}
	for i, text := range m.Positions {
		p, err := games.Begin(m.Game, m.Options, text)
		if err != nil {
			return nil, fmt.Errorf("%w: position %d: %w", ErrUsage, i+1, err)
		}
		full.starts = append(full.starts, p)
	}
	return full, nil
}

// begins returns the position from which a game begins, and its text, "" for the start of the game.
func (m *match) begins(index int) (p games.Position, from string) {
	if len(m.starts) == 0 {
		return m.start, ""
	}
	i := index / 2 % len(m.starts)
	return m.starts[i], m.Positions[i]
}

func (m *Meeting) check() error {
	switch {
	case m.Games < 1 || m.Games > MaxArenaGames:
		return fmt.Errorf("%w: the number of games is %d; it must be from 1 to %d", ErrUsage, m.Games, MaxArenaGames)
	case m.Openings < 0 || m.Openings > MaxArenaOpenings:
		return fmt.Errorf("%w: an opening has %d plies; it must be from 0 to %d", ErrUsage, m.Openings, MaxArenaOpenings)
	case m.Openings > 0 && m.Games%2 != 0:
		return fmt.Errorf("%w: %d games are not even, and each opening is played from both sides", ErrUsage, m.Games)
	case m.paired() && m.Games%2 != 0:
		return fmt.Errorf("%w: %d games are not even, and each position is played from both sides", ErrUsage, m.Games)
	case len(m.Positions) > MaxArenaPositions:
		return fmt.Errorf("%w: there are %d positions; it must be %d at most", ErrUsage, len(m.Positions), MaxArenaPositions)
	case m.MoveTime != 0 && m.MoveTime < time.Millisecond:
		return fmt.Errorf("%w: %v is too short for a move; it must be 1ms or more", ErrUsage, m.MoveTime)
	case m.Clock != Clock{} && !m.Clock.sound():
		return fmt.Errorf("%w: %v is no clock for games; a player needs 1ms or more", ErrUsage, m.Clock)
	case m.Workers < 0 || m.Workers > MaxArenaWorkers:
		return fmt.Errorf("%w: the number of workers is %d; it must be from 1 to %d", ErrUsage, m.Workers, MaxArenaWorkers)
	case m.SPRT != SPRT{} && !m.SPRT.sound():
		return fmt.Errorf("%w: a test from %v to %v Elo", ErrUsage, m.SPRT.Elo0, m.SPRT.Elo1)
	}
	return nil
}

// limit returns the number of plies after which a game is cut off, or 0 if the rules end every game.
func (m *Meeting) limit() int {
	if plies, bounded := m.Game.Longest(m.Options); bounded && plies > 0 {
		return 0
	}
	return MaxArenaPlies
}

// batch returns how many games are counted at once: the two of a pair, or one.
func (m *Meeting) batch() int {
	if m.paired() {
		return 2
	}
	return 1
}

// A task is a game to be played.
type task struct {
	index         int
	opening, seed uint64 // of the random sources
}

// tasks is the list of all games of a meeting, in order. Every game has random numbers of its own, so what happens in one
// depends on nothing but the meeting and its place in it.
type tasks struct {
	seeds    *games.Random
	paired   bool
	opening  uint64 // of the present pair
	next     int
	finished []bool // by number; these are left out
}

func newTasks(m *Meeting, finished []bool) *tasks {
	return &tasks{seeds: games.NewRandom(m.Seed), paired: m.paired(), finished: finished}
}

// draw returns the next game that has not been finished yet; ok is false after the last.
func (t *tasks) draw() (drawn task, ok bool) {
	for t.next < len(t.finished) {
		index := t.next
		t.next++
		if t.paired && index%2 == 0 {
			t.opening = t.seeds.Uint64()
		}
		seed := t.seeds.Uint64()
		if !t.finished[index] {
			return task{index, t.opening, seed}, true
		}
	}
	return task{}, false
}

// A game is a game that has been played. Its result isn't over if it was cut off.
type game struct {
	index  int
	moves  []games.Move
	result games.Result
	fault  string // of a program, by which it has lost
}

// play plays one game. The first player of the meeting begins in those with even numbers.
func (m *match) play(ctx context.Context, t task) (game, error) {
	g := game{index: t.index}
	start, from := m.begins(t.index)
	p := start
	if m.Openings > 0 {
		var err error
		if p, g.moves, err = opening(start, m.Openings, games.NewRandom(t.opening)); err != nil {
			return game{}, err
		}
	}
	for _, program := range m.programs {
		if program == nil {
			continue
		}
		if err := program.begin(ctx, t.seed); err != nil {
			return game{}, err
		}
	}
	limit, r := m.limit(), games.NewRandom(t.seed)
	left := m.clocks(t.index)
	for !p.Result().Over && (limit == 0 || len(g.moves) < limit) {
		side := p.Turn()
		player := (int(side) + t.index) % 2
		var move games.Move
		var err error
		if program := m.programs[player]; program != nil {
			move, err = program.move(ctx, turn{from, g.moves, p, left})
		} else {
			move, err = m.ask(ctx, m.players[player], left[side], len(g.moves), p, r)
		}
		if fault, ok := errors.AsType[*faultError](err); ok {
			g.result, g.fault = games.Won(side.Other(), faulty), fault.Error()
			return g, nil
		}
		if errors.Is(err, errTimeUp) {
			g.result = games.Won(side.Other(), timeUp)
			return g, nil
		}
		if err != nil {
			return game{}, err
		}
		if p, err = p.Play(move); err != nil {
			return game{}, fmt.Errorf("a computer player broke the rules: %w", err)
		}
		g.moves = append(g.moves, move)
	}
	g.result = p.Result()
	return g, nil
}

// ask lets a player choose a move, within a time if the player thinks. left is the player's clock, which ask moves on, or nil.
func (m *Meeting) ask(ctx context.Context, player bot.Player, left *time.Duration, ply int, p games.Position, r *games.Random) (games.Move, error) {
	thinker, thinks := player.(bot.Thinker)
	switch {
	case thinks && left != nil:
		return m.askWithin(ctx, thinker, left, ply, p, r)
	case !thinks || m.MoveTime == 0:
		return player.Move(ctx, p, r)
	}
	for {
		limited, stop := context.WithTimeout(ctx, m.MoveTime)
		move, err := player.Move(limited, p, r)
		stop()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			continue // a busy machine: the time was over before the thinking began
		}
		return move, err
	}
}

// askWithin lets a player choose a move under a clock. The error is errTimeUp if that takes all that is left.
func (m *Meeting) askWithin(ctx context.Context, player bot.Thinker, left *time.Duration, ply int, p games.Position, r *games.Random) (games.Move, error) {
	began := time.Now()
	found, err := player.ThinkWithin(ctx, bot.Clock{End: began.Add(*left), Increment: m.Clock.Increment, Ply: ply}, p, r)
	if err != nil {
		return "", err
	}
	if *left -= time.Since(began); *left <= 0 {
		return "", errTimeUp
	}
	*left += m.Clock.Increment
	return found.Move, nil
}

// maxOpeningTries is how many openings that ended the game are drawn before opening gives up.
const maxOpeningTries = 1000

// opening plays random moves after which the game goes on.
func opening(start games.Position, plies int, r *games.Random) (games.Position, []games.Move, error) {
	for range maxOpeningTries {
		p, moves := start, make([]games.Move, 0, 4*plies)
		for len(moves) < plies && !p.Result().Over {
			legal := p.Legal()
			move := legal[r.N(len(legal))]
			next, err := p.Play(move)
			if err != nil {
				return nil, nil, fmt.Errorf("a legal move is refused: %w", err)
			}
			p, moves = next, append(moves, move)
		}
		if !p.Result().Over {
			return p, moves, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: no opening of %d plies leaves a game to play", ErrUsage, plies)
}

// Arena plays a meeting of two computer players, who take turns to begin, and writes its score. Games
// whose options set no largest number of plies are cut off after MaxArenaPlies. progress is a terminal that shows how far
// the meeting is, or nil.
//
// An unknown level gives bot.ErrLevel, numbers out of range ErrUsage, a file of another meeting ErrResume. If it is
// stopped by ctx nothing is written; with a file to resume from no finished game is lost.
func Arena(ctx context.Context, w, progress io.Writer, meeting Meeting, asJSON bool) error {
	m, err := newMatch(meeting)
	if err != nil {
		return err
	}
	s, err := m.run(ctx, progress)
	if err != nil {
		return err
	}
	if asJSON {
		err = newEncoder(w).Encode(s)
	} else {
		_, err = io.WriteString(w, s.text(m.Game.About()))
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// run plays the games that are still to be played and returns the score of all.
func (m *match) run(ctx context.Context, progress io.Writer) (*score, error) {
	began := time.Now()
	counted := newTally(&m.Meeting)
	keep := func(game) error { return nil }
	if m.Resume != "" {
		file, finished, err := openJournal(m.Resume, &m.Meeting)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		for _, g := range finished {
			counted.add(g)
		}
		keep = file.append
	}
	show, before := &progressLine{w: progress}, counted.finished
	defer show.clear()
	err := m.playAll(ctx, counted, func(g game) error {
		if err := keep(g); err != nil {
			return err
		}
		counted.add(g)
		if g.fault != "" {
			counted.score.Faults++
			m.reportFault(show, g)
		}
		show.show(func() string {
			return counted.line(float64(counted.finished-before) / time.Since(began).Seconds())
		})
		return nil
	})
	if err != nil {
		return nil, m.stopped(err, counted)
	}
	counted.score.Seconds = time.Since(began).Seconds()
	counted.score.rate()
	return counted.score, nil
}

// reportFault says by which fault a program has lost a game. Errors of the writer are ignored, as of the progress line.
func (m *match) reportFault(show *progressLine, g game) {
	if m.Faults == nil {
		return
	}
	show.clear()
	_, _ = fmt.Fprintf(m.Faults, "game %d is lost by a fault: %s\n", g.index, g.fault)
}

// stopped says how far an interrupted meeting has come.
func (m *match) stopped(err error, counted *tally) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	kept := "which are lost; --resume keeps them"
	if m.Resume != "" {
		kept = "which are kept: the same command goes on from there"
	}
	return fmt.Errorf("stopped after %d of %d games, %s: %w", counted.finished, m.Games, kept, err)
}

// playAll lets the workers play whatever is not yet in the tally, until all is played or the test has decided, and
// hands each game over to done as soon as it is finished, in any order, one at a time.
func (m *match) playAll(ctx context.Context, counted *tally, done func(game) error) error {
	left := m.Games - counted.finished
	if left == 0 || counted.closed {
		return nil
	}
	list := newTasks(&m.Meeting, counted.known())
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()

	var drawing sync.Mutex
	draw := func() (task, bool) {
		drawing.Lock()
		defer drawing.Unlock()
		return list.draw()
	}
	finished := make(chan played)
	for range min(m.Workers, left) {
		workers.Go(func() { m.work(ctx, draw, finished) })
	}
	for ; left > 0 && !counted.closed; left-- {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-finished:
			if p.err != nil {
				return p.err
			}
			if err := done(p.game); err != nil {
				return err
			}
		}
	}
	return nil
}

// played is what a worker hands over: a game, or why there is none.
type played struct {
	game
	err error
}

// work plays one game after the other until there are none left or ctx is done.
func (m *match) work(ctx context.Context, draw func() (task, bool), finished chan<- played) {
	m, end := m.withPrograms()
	defer end()
	for {
		t, ok := draw()
		if !ok {
			return
		}
		g, err := m.play(ctx, t)
		select {
		case finished <- played{g, err}:
		case <-ctx.Done():
			return
		}
	}
}

// A tally counts finished games. They may come in any order, but are counted in the order of their numbers, whole pairs at
// a time: so the score, and the game at which a test has decided, are the same however many games are played at
// once.
type tally struct {
	score    *score
	outcomes []outcome // by number
	batch    int
	counted  int  // all games before this one are in the score
	finished int  // games that are known, counted or not
	closed   bool // the test has decided: nothing more is counted
}

func newTally(m *Meeting) *tally {
	return &tally{score: newScore(m), outcomes: make([]outcome, m.Games), batch: m.batch()}
}

// add enters a game, and counts what can be counted now.
func (l *tally) add(g game) {
	if l.outcomes[g.index] == unknown {
		l.finished++
	}
	l.outcomes[g.index] = outcomeOf(g)
	for !l.closed && l.counted+l.batch <= len(l.outcomes) {
		next := l.outcomes[l.counted : l.counted+l.batch]
		for _, o := range next {
			if o == unknown {
				return
			}
		}
		l.score.count(next)
		l.counted += l.batch
		l.closed = l.score.SPRT != nil && l.score.SPRT.Accepts != ""
	}
}

// known returns, by number, which games have been entered.
func (l *tally) known() []bool {
	had := make([]bool, len(l.outcomes))
	for i, o := range l.outcomes {
		had[i] = o != unknown
	}
	return had
}

// line returns the score so far for the progress line.
func (l *tally) line(perSecond float64) string {
	s := *l.score
	s.rate()
	line := fmt.Sprintf("%d of %d, %.2f/s", l.finished, len(l.outcomes), perSecond)
	if s.Games > 0 {
		line += fmt.Sprintf(", %.1f %%", 100*s.Score)
	}
	if s.Elo != nil {
		line += fmt.Sprintf(", Elo %+.0f +-%.0f", *s.Elo, *s.Error)
	}
	if s.SPRT != nil {
		line += fmt.Sprintf(", LLR %+.2f of %.2f", s.SPRT.Ratio, s.SPRT.Upper)
	}
	return line
}
