package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/games/ugi"
	"ludoteca/games/ugi/gui"
)

// programPrefix is what stands before the command of a program in the place of a level.
const programPrefix = "ugi:"

// programOf returns the line of the shell that starts a program, if spec names one.
func programOf(spec string) (shell string, ok bool) { return strings.CutPrefix(spec, programPrefix) }

// The times of programs.
const (
	readyTime      = 10 * time.Second // to start, and to be ready for a game
	usualMoveTime  = time.Second      // for a move, if the meeting sets no time
	overMoveTime   = 5 * time.Second  // that a move may take longer than it should, where no clock runs
	seedOfPrograms = "Seed"           // the option that gets the seed of each game
	mostSeedOfThem = 1 << 31          // seeds are below
	faulty         = "fault"          // the reason of a game that a program has lost by a fault of its own
)

// A faultError is what a program has done that loses it the game.
type faultError struct {
	program string
	err     error
}

func (f *faultError) Error() string { return fmt.Sprintf("%s%s: %v", programPrefix, f.program, f.err) }

// Unwrap returns what the program has done.
func (f *faultError) Unwrap() error { return f.err }

// A program is a player that is a program of its own, started by one worker.
type program struct {
	meeting *Meeting
	shell   string
	engine  *gui.Engine // nil while it does not run
	seeded  bool        // it takes seeds
}

// withPrograms returns the match with programs that belong to one worker, and what ends them.
func (m *match) withPrograms() (own *match, end func()) {
	copied := *m
	for i, spec := range m.Players {
		if shell, ok := programOf(spec); ok {
			copied.programs[i] = &program{meeting: &copied.Meeting, shell: shell}
		}
	}
	return &copied, func() {
		for _, p := range copied.programs {
			p.end()
		}
	}
}

// end ends the program, if it runs.
func (p *program) end() {
	if p != nil && p.engine != nil {
		p.engine.Close()
		p.engine = nil
	}
}

// begin makes the program ready for a game. It is started if it does not run, and once more if it has ended since the last game.
func (p *program) begin(ctx context.Context, seed uint64) error {
	again := p.engine != nil
	err := p.ready(ctx, seed)
	if err != nil && again && ctx.Err() == nil {
		p.end()
		err = p.ready(ctx, seed)
	}
	if err != nil {
		p.end()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s%s is not ready for a game: %w", programPrefix, p.shell, err)
	}
	return nil
}

// ready starts the program if it does not run, and tells it that a game begins.
func (p *program) ready(ctx context.Context, seed uint64) error {
	if p.engine == nil {
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	ctx, stop := context.WithTimeout(ctx, readyTime)
	defer stop()
	if p.seeded {
		if err := p.engine.Set(ctx, seedOfPrograms, strconv.FormatUint(seed%mostSeedOfThem, 10)); err != nil {
			return err
		}
	}
	return p.engine.NewGame(ctx)
}

// start starts the program and sets its options.
func (p *program) start(ctx context.Context) (err error) {
	if p.engine, err = gui.Start(p.shell); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, readyTime)
	defer stop()
	id, err := p.engine.Hello(ctx)
	if err != nil {
		return err
	}
	for _, o := range p.meeting.Game.About().Options {
		if _, has := id.Option(o.Key); has {
			if err := p.engine.Set(ctx, o.Key, strconv.Itoa(p.meeting.Options[o.Key])); err != nil {
				return err
			}
		}
	}
	_, p.seeded = id.Option(seedOfPrograms)
	return nil
}

// A turn is what a program is asked about.
type turn struct {
	from  string // the position in which the game began; "" for the start of the game
	moves []games.Move
	now   games.Position
	left  [2]*time.Duration // on the clocks of the sides; nil for a side without a clock
}

// move asks the program for a move, which is legal if there is no error. The error is errTimeUp if its clock has run out, and a *faultError
// if it loses the game by a fault.
func (p *program) move(ctx context.Context, t turn) (games.Move, error) {
	limits, most := p.limits(t)
	limited, stop := context.WithTimeout(ctx, most)
	defer stop()
	left, began := t.left[t.now.Turn()], time.Now()
	move, err := p.engine.Move(limited, t.position(), limits, nil)
	if took := time.Since(began); left != nil && ctx.Err() == nil {
		if *left -= took; *left <= 0 {
			p.end() // it may still think
			return "", errTimeUp
		}
		*left += p.meeting.Clock.Increment
	}
	if err == nil {
		if _, err = t.now.Play(move); err == nil {
			return move, nil
		}
	}
	p.end()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return "", &faultError{p.shell, err}
}

// limits returns what the program is told about its time, and how long it is waited for.
func (p *program) limits(t turn) (ugi.Go, time.Duration) {
	side := t.now.Turn()
	if t.left[side] == nil {
		g := ugi.Go{MoveTime: usualMoveTime}
		if p.meeting.MoveTime > 0 {
			g.MoveTime = p.meeting.MoveTime
		}
		return g, g.MoveTime + overMoveTime
	}
	var g ugi.Go
	for i, left := range t.left {
		if left != nil {
			g.Clocks[i] = &ugi.Clock{Left: *left, Increment: p.meeting.Clock.Increment}
		}
	}
	return g, *t.left[side]
}

// position returns the position with all moves that led there; the position alone if its line would be too long.
func (t *turn) position() ugi.SetPosition {
	all := ugi.SetPosition{From: t.from, Moves: t.moves}
	if len(all.String()) >= ugi.MaxLine {
		return ugi.SetPosition{From: t.now.String()}
	}
	return all
}

// maxPositionsText is how many bytes ReadPositions reads.
const maxPositionsText = 64 << 20

// ReadPositions reads positions, one a line. Empty lines and those that begin with # are passed over. The error wraps ErrUsage, or comes from the
// reader.
func ReadPositions(from io.Reader) ([]string, error) {
	var positions []string
	limited := &io.LimitedReader{R: from, N: maxPositionsText + 1}
	lines := bufio.NewScanner(limited)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
			positions = append(positions, line)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%w: position %d is too long", ErrUsage, len(positions)+1)
	case err != nil:
		return nil, err
	case limited.N == 0:
		return nil, fmt.Errorf("%w: there are more than %d MiB of positions", ErrUsage, maxPositionsText>>20)
	case len(positions) == 0:
		return nil, fmt.Errorf("%w: there are no positions", ErrUsage)
	}
	return positions, nil
}
