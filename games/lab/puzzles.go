package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/puzzle"
	"ludoteca/games/puzzle/generator"
)

// PuzzleMaking is what Puzzles is asked to make.
type PuzzleMaking struct {
	Game    games.Game
	Options games.Options // complete; nil: each option set of the game in turn
	Seed    uint64        // of the games that are played
	Count   int           // the number of puzzles in the file that ends it; 0 sets no limit
	Time    time.Duration // no other game is begun after it; 0 sets no limit
	Plies   int           // of the longest solution that is looked for; 0: as many as suit where the position stands in its game
	Records io.Reader     // records of finished matches, one after the other; nil: games of the levels are played
	File    string        // that the puzzles are added to; it is made if there is none
}

// The players of the games that puzzles are looked for in: quick ones, that leave something to be found.
var puzzlePlayers = []string{"greedy", "pupil:1000", "club:2000", "expert:1000", "expert:4000"}

// The games that puzzles are looked for in.
const (
	mostOpeningPlies = 8   // that are random, before the players take over
	mostGamePlies    = 400 // after which a game is cut off
	puzzlesOfGame    = 4   // taken from one game at most
	pliesApart       = 3   // between two of these at least
	strayPlies       = 24  // so near the end, positions that a random move leads to are looked at, too
	strays           = 6   // random moves in each of these
)

// lookPlies returns how long a win is looked for in a position that is some plies before the end of its game.
func lookPlies(before int) int {
	switch {
	case before <= 8:
		return 7
	case before <= 30:
		return 5
	}
	return 3
}

// A puzzleLine is what Puzzles writes about a puzzle as JSON.
type puzzleLine struct {
	ID       string        `json:"id"`
	Game     string        `json:"game"`
	Options  games.Options `json:"options"`
	Position string        `json:"position"`
	Plies    int           `json:"plies"`
	Beyond   int           `json:"beyond"`
	Missed   int           `json:"missed"` // of the levels
	Rating   int           `json:"rating"`
	Line     []games.Move  `json:"line"`
}

// A puzzleCount is what Puzzles writes at the end as JSON.
type puzzleCount struct {
	Game      string  `json:"game"`
	Puzzles   int     `json:"puzzles"`   // in the file
	Made      int     `json:"made"`      // of them, those that are new
	Positions int     `json:"positions"` // searched for all of them
	Games     int     `json:"games"`     // in which these positions came up
	Bytes     int     `json:"bytes"`     // of the file
	Seconds   float64 `json:"seconds"`
}

// Puzzles makes puzzles from games of the levels, or from the records that it is given, adds them to a file, and writes a line about
// each. The same seed and file give the same puzzles. An error that wraps ErrUsage is about the numbers; if it is stopped by ctx, the
// puzzles that were made are kept.
func Puzzles(ctx context.Context, w, progress io.Writer, in PuzzleMaking, asJSON bool) error {
	switch {
	case in.Count < 0 || in.Time < 0:
		return fmt.Errorf("%w: a number of puzzles and a time can't be negative", ErrUsage)
	case in.Plies != 0 && (in.Plies < puzzle.MinPlies || in.Plies > puzzle.MaxPlies):
		return fmt.Errorf("%w: a solution of %d plies; it must be from %d to %d", ErrUsage, in.Plies, puzzle.MinPlies, puzzle.MaxPlies)
	}
	m := &puzzleMaker{PuzzleMaking: in, w: w, asJSON: asJSON, began: time.Now(), random: games.NewRandom(in.Seed), show: &progressLine{w: progress}}
	if err := m.open(); err != nil {
		return err
	}
	err := m.run(ctx)
	m.show.clear()
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	c := puzzleCount{
		Game: in.Game.About().ID, Puzzles: len(m.set.Puzzles), Made: m.made, Positions: m.set.Positions, Games: m.set.Games,
		Bytes: len(m.set.String()), Seconds: time.Since(m.began).Seconds(),
	}
	if err := m.save(); err != nil {
		return err
	}
	return cmp.Or(m.write(c, fmt.Sprintf("%s: %d puzzles, %d of them new, from %d positions of %d games, %d bytes, in %.0f s\n",
		in.Game.About().Name, c.Puzzles, c.Made, c.Positions, c.Games, c.Bytes, c.Seconds)), err)
}

// A puzzleMaker is one call of Puzzles.
type puzzleMaker struct {
	PuzzleMaking
	w      io.Writer
	asJSON bool
	began  time.Time
	random *games.Random
	show   *progressLine

	set       puzzle.Set
	made      int
	generator *generator.Generator
	players   []bot.Player // of the games
	judges    []bot.Player // that are asked for the first move
	starts    []games.Position
}

// open reads the file and finds the players.
func (m *puzzleMaker) open() error {
	text, err := os.ReadFile(m.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m.set, err = puzzle.Read(m.Game, string(text)); err != nil {
		return fmt.Errorf("%s: %w", m.File, err)
	}
	m.generator = generator.New(m.Game, m.set.Puzzles)
	for _, spec := range puzzlePlayers {
		if level, err := bot.Find(m.Game, spec); err == nil {
			m.players = append(m.players, level.Player)
		}
	}
	if len(m.players) == 0 {
		return bot.ErrNoSearch
	}
	m.judges = judges(m.Game)
	sets := []games.Options{m.Options}
	if m.Options == nil {
		sets = nil
		for _, s := range m.Game.About().OptionSets() {
			sets = append(sets, s.Options)
		}
	}
	for _, o := range sets {
		start, err := m.Game.New(o)
		if err != nil {
			return err
		}
		m.starts = append(m.starts, start)
	}
	return nil
}

// judges returns the levels that are asked for the first move of a puzzle: all but the weakest, which finds everything by chance,
// and the strongest, which takes a second.
func judges(g games.Game) (players []bot.Player) {
	levels := bot.Levels(g)
	for _, l := range levels[min(1, len(levels)):max(1, len(levels)-1)] {
		players = append(players, l.Player)
	}
	return players
}

// done reports whether nothing more is to be made.
func (m *puzzleMaker) done() bool {
	return m.Count > 0 && len(m.set.Puzzles) >= m.Count || m.Time > 0 && time.Since(m.began) >= m.Time
}

// run makes puzzles of one game after the other.
func (m *puzzleMaker) run(ctx context.Context) error {
	if m.Records != nil {
		return m.runRecords(ctx)
	}
	for !m.done() {
		positions, err := m.play(ctx)
		if err != nil {
			return err
		}
		if err := m.harvest(ctx, positions); err != nil {
			return err
		}
	}
	return nil
}

// runRecords makes puzzles of the matches in the records, as far as they are of the game.
func (m *puzzleMaker) runRecords(ctx context.Context) error {
	text, err := io.ReadAll(m.Records)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	known := catalogOf(m.Game)
	for i, one := range splitRecords(string(text)) {
		if m.done() {
			return nil
		}
		record, last, err := games.ReadRecord(strings.NewReader(one), known)
		if err != nil {
			return fmt.Errorf("record %d: %w", i+1, err)
		}
		positions, err := positionsOf(m.Game, record, last.Options())
		if err != nil {
			return fmt.Errorf("record %d: %w", i+1, err)
		}
		if err := m.harvest(ctx, positions); err != nil {
			return err
		}
	}
	return nil
}

// catalogOf returns what finds one game.
func catalogOf(g games.Game) func(id string) (games.Game, bool) {
	return func(id string) (games.Game, bool) { return games.Find([]games.Game{g}, id) }
}

// play plays a game between two players after a random opening, and returns its positions.
func (m *puzzleMaker) play(ctx context.Context) ([]games.Position, error) {
	p := m.starts[m.random.N(len(m.starts))]
	seats := [2]bot.Player{m.players[m.random.N(len(m.players))], m.players[m.random.N(len(m.players))]}
	opening := m.random.N(mostOpeningPlies + 1)
	positions := []games.Position{p}
	for !p.Result().Over && len(positions) <= mostGamePlies {
		var move games.Move
		var err error
		if len(positions) <= opening {
			legal := p.Legal()
			move = legal[m.random.N(len(legal))]
		} else if move, err = seats[p.Turn()].Move(ctx, p, m.random); err != nil {
			return nil, err
		}
		if p, err = p.Play(move); err != nil {
			return nil, err
		}
		positions = append(positions, p)
	}
	return positions, nil
}

// A candidate is a position that may be a puzzle.
type candidate struct {
	position games.Position
	ply      int // of its game
	plies    int // within which a win is looked for
}

// candidates are the positions of a game, and those to which one random move leads that was not played.
func (m *puzzleMaker) candidates(positions []games.Position) (all []candidate, err error) {
	for ply, p := range positions {
		before := len(positions) - 1 - ply
		all = append(all, candidate{p, ply, lookPlies(before)})
		legal := p.Legal()
		if before > strayPlies || len(legal) == 0 {
			continue
		}
		for range strays {
			next, err := p.Play(legal[m.random.N(len(legal))])
			if err != nil {
				return nil, err
			}
			all = append(all, candidate{next, ply + 1, min(lookPlies(before), strayLook)})
		}
	}
	if m.Plies > 0 {
		for i := range all {
			all[i].plies = min(all[i].plies, m.Plies)
		}
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return c.position.Result().Over }), nil
}

// strayLook is how long a win is looked for after a random move.
const strayLook = 5

// harvest takes the puzzles out of a game: the longest first, and no two that are near each other.
func (m *puzzleMaker) harvest(ctx context.Context, positions []games.Position) error {
	m.set.Games++
	type found struct {
		generator.Find
		ply int
	}
	candidates, err := m.candidates(positions)
	if err != nil {
		return err
	}
	var all []found
	for _, c := range candidates {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.set.Positions++
		if f, ok := m.generator.Look(ctx, c.position, c.plies); ok {
			all = append(all, found{f, c.ply})
		}
		m.show.show(func() string {
			return fmt.Sprintf("%d puzzles, %d positions of %d games", len(m.set.Puzzles), m.set.Positions, m.set.Games)
		})
	}
	slices.SortStableFunc(all, func(x, y found) int { return y.Plies - x.Plies })
	var taken []int
	for _, f := range all {
		near := slices.ContainsFunc(taken, func(ply int) bool { return max(ply-f.ply, f.ply-ply) < pliesApart })
		if near || len(taken) == puzzlesOfGame {
			continue
		}
		p, err := m.generator.Make(ctx, f.Find)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			continue
		}
		if p.Missed, err = m.missed(ctx, p); err != nil {
			return err
		}
		taken = append(taken, f.ply)
		m.set.Puzzles = append(m.set.Puzzles, p)
		m.made++
		if err := m.write(lineOf(p), fmt.Sprintf("%s: %d moves, rating %d, from %s\n", p.ID, p.Moves(), p.Rating(), p.Start)); err != nil {
			return err
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return m.save()
}

// missed returns how many of the judges choose another first move.
func (m *puzzleMaker) missed(ctx context.Context, p *puzzle.Puzzle) (n int, err error) {
	for _, j := range m.judges {
		move, err := j.Move(ctx, p.Start, games.NewRandom(m.Seed))
		if err != nil {
			return 0, err
		}
		if move != p.Solution.Move {
			n++
		}
	}
	return n, nil
}

// save writes the file.
func (m *puzzleMaker) save() error { return ReplaceFile(m.File, []byte(m.set.String())) }

// write writes a line: an object, or words.
func (m *puzzleMaker) write(object any, words string) (err error) {
	m.show.clear()
	return writeLine(m.w, object, words, m.asJSON)
}

func writeLine(w io.Writer, object any, words string, asJSON bool) (err error) {
	if asJSON {
		err = newEncoder(w).Encode(object)
	} else {
		_, err = io.WriteString(w, words)
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func lineOf(p *puzzle.Puzzle) puzzleLine {
	return puzzleLine{
		ID: p.ID, Game: p.Game.About().ID, Options: p.Start.Options(), Position: p.Start.String(), Plies: p.Plies, Beyond: p.Beyond,
		Missed: p.Missed, Rating: p.Rating(), Line: p.Line(),
	}
}

// splitRecords takes records apart that stand one after the other: each begins with its headers.
func splitRecords(text string) (records []string) {
	moves := true // what stood before were moves
	for line := range strings.Lines(text) {
		header := strings.HasPrefix(line, "[")
		if header && moves {
			records = append(records, "")
		}
		if strings.TrimSpace(line) != "" {
			moves = !header
		}
		if len(records) > 0 {
			records[len(records)-1] += line
		}
	}
	return records
}

// positionsOf returns the positions of a match.
func positionsOf(g games.Game, r *games.Record, o games.Options) ([]games.Position, error) {
	from, err := r.Start()
	if err != nil {
		return nil, err
	}
	p, err := games.Begin(g, o, from)
	if err != nil {
		return nil, err
	}
	positions := []games.Position{p}
	for _, move := range r.Moves {
		if p, err = p.Play(move); err != nil {
			return nil, err
		}
		positions = append(positions, p)
	}
	return positions, nil
}

// A checkedLine is what CheckPuzzles writes about a puzzle as JSON.
type checkedLine struct {
	ID      string  `json:"id"`
	Game    string  `json:"game"`
	Plies   int     `json:"plies"`
	Beyond  int     `json:"beyond"`
	Proven  bool    `json:"proven"`
	Error   string  `json:"error"`
	Nodes   int     `json:"nodes"`   // positions that the search for replies looked at
	Checked int     `json:"checked"` // positions in which the checker played
	Seconds float64 `json:"seconds"`
}

// ErrUnproven is wrapped by the error that says how many puzzles could not be proven again.
var ErrUnproven = errors.New("not all puzzles are proven")

// CheckPuzzles proves the puzzles again that games come with, and writes a line about each with JSON, else one for each game and for
// each puzzle that is refused. The error wraps ErrUnproven if there is one.
func CheckPuzzles(ctx context.Context, w, progress io.Writer, all []games.Game, asJSON bool) error {
	var sets []puzzle.Set
	for _, g := range all {
		set, err := puzzle.Of(g)
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	return checkSets(ctx, w, progress, sets, asJSON)
}

// CheckPuzzleFile is CheckPuzzles for the puzzles of a game that a file holds.
func CheckPuzzleFile(ctx context.Context, w, progress io.Writer, g games.Game, file string, asJSON bool) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	set, err := puzzle.Read(g, string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return checkSets(ctx, w, progress, []puzzle.Set{set}, asJSON)
}

// checkSets proves the puzzles of some sets.
func checkSets(ctx context.Context, w, progress io.Writer, sets []puzzle.Set, asJSON bool) error {
	refused, total := 0, 0
	show := &progressLine{w: progress}
	defer show.clear()
	for _, set := range sets {
		g := set.Game
		began, checked := time.Now(), 0
		for i, p := range set.Puzzles {
			show.show(func() string { return fmt.Sprintf("%s: %d of %d", g.About().Name, i, len(set.Puzzles)) })
			start := time.Now()
			report, err := p.Check(ctx, puzzle.UsualNodes)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			total++
			checked += report.Checked
			line := checkedLine{
				ID: p.ID, Game: g.About().ID, Plies: p.Plies, Beyond: p.Beyond, Proven: err == nil, Nodes: report.Nodes, Checked: report.Checked,
				Seconds: time.Since(start).Seconds(),
			}
			words := ""
			if err != nil {
				refused++
				line.Error = err.Error()
				words = fmt.Sprintf("%s: %v\n", p.ID, err)
			}
			show.clear()
			if err := writeLine(w, line, words, asJSON); err != nil {
				return err
			}
		}
		show.clear()
		if !asJSON {
			words := fmt.Sprintf("%s: %d puzzles looked at, %d positions checked, in %.0f s\n", g.About().Name, len(set.Puzzles), checked, time.Since(began).Seconds())
			if err := writeLine(w, nil, words, false); err != nil {
				return err
			}
		}
	}
	if refused > 0 {
		return fmt.Errorf("%w: %d of %d", ErrUnproven, refused, total)
	}
	return nil
}
