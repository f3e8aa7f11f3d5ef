package lab

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// A Ladder is what Rate is asked to measure: levels of games, each of which meets its neighbours.
type Ladder struct {
	Games    []games.Game
	Levels   []string // as bot.Find takes them, the weakest first; none means all that a game has
	PerStep  int      // games between two neighbours, as Meeting.Games
	Seed     uint64
	Openings int
	MoveTime time.Duration
	Workers  int
	Folder   string // keeps the finished games, a file for each step, and is made if there is none; empty for none
}

// A Form is how Rate writes its table.
type Form int

// The forms: aligned text for people, one JSON object for each level, or the Go source of the table that the computer
// players take their ratings from.
const (
	AsText Form = iota
	AsJSON
	AsGo
)

// A rung is a level of a ladder with its rating. What stands behind Rating is of the meeting with the level below and
// empty for the first.
type rung struct {
	Game   string   `json:"game"`
	Level  string   `json:"level"`
	Rating float64  `json:"rating"` // the first level of the ladder is 0
	Error  *float64 `json:"error"`  // half the width of the interval that has Rating with 95 %; null if there is none
	Games  int      `json:"games"`
	Wins   int      `json:"wins"`
	Draws  int      `json:"draws"`
	Losses int      `json:"losses"`
	Score  float64  `json:"score"` // the share of the points

	// Swept says that in this meeting or one further down one side made all the points. Half a point was taken from it
	// then to have a number at all, so that the true difference is likely to be larger.
	Swept bool `json:"swept"`
}

// Rate lets neighbouring levels meet, from the weakest to the strongest, and writes their ratings on one scale for each
// game, under its usual options. Progress goes to a terminal as with Arena; the errors are those of Arena.
func Rate(ctx context.Context, w, progress io.Writer, l Ladder, as Form) error {
	tables := map[string][]rung{}
	for _, g := range l.Games {
		write := func(r rung) error {
			tables[r.Game] = append(tables[r.Game], r)
			return nil
		}
		switch as {
		case AsText:
			write = func(r rung) error { return r.writeText(w, g.About().Name) }
		case AsJSON:
			write = func(r rung) error { return newEncoder(w).Encode(r) }
		}
		if err := l.climb(ctx, progress, g, write); err != nil {
			return err
		}
	}
	if as != AsGo {
		return nil
	}
	if _, err := io.WriteString(w, goSource(l.command(), tables)); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// climb measures the levels of one game and writes each as soon as it is measured.
func (l *Ladder) climb(ctx context.Context, progress io.Writer, g games.Game, write func(rung) error) error {
	levels := l.Levels
	if len(levels) == 0 {
		for _, level := range bot.Levels(g) {
			levels = append(levels, level.ID)
		}
	}
	for _, spec := range levels { // before hours are spent on the others
		if _, err := bot.Find(g, spec); err != nil {
			return err
		}
	}
	none := 0.0
	r := rung{Game: g.About().ID, Level: levels[0], Error: &none}
	for i := range levels {
		if i > 0 {
			s, err := l.step(ctx, progress, g, [2]string{levels[i], levels[i-1]})
			if err != nil {
				return err
			}
			r = r.above(levels[i], s)
		}
		if err := write(r); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}

// step lets two neighbours meet, the stronger as the first player.
func (l *Ladder) step(ctx context.Context, progress io.Writer, g games.Game, players [2]string) (*score, error) {
	o, err := games.Complete(g, nil)
	if err != nil {
		return nil, err
	}
	m := Meeting{
		Game: g, Options: o, Players: players, Games: l.PerStep, Seed: l.Seed,
		Openings: l.Openings, MoveTime: l.MoveTime, Workers: l.Workers,
	}
	if m.Resume, err = l.file(&m); err != nil {
		return nil, err
	}
	full, err := newMatch(m)
	if err != nil {
		return nil, err
	}
	return full.run(ctx, progress)
}

// file returns the path of the file for a meeting.
func (l *Ladder) file(m *Meeting) (string, error) {
	if l.Folder == "" {
		return "", nil
	}
	if err := os.MkdirAll(l.Folder, 0o755); err != nil {
		return "", fmt.Errorf("%w: %w", ErrResume, err)
	}
	name := strings.Join([]string{m.Game.About().ID, m.Players[0], m.Players[1]}, "-")
	return filepath.Join(l.Folder, strings.ReplaceAll(name, ":", "_")+".jsonl"), nil
}

// above returns the next level, which made this score against r.
func (r rung) above(level string, s *score) rung {
	next := rung{
		Game: r.Game, Level: level, Games: s.Games, Wins: s.Wins, Draws: s.Draws, Losses: s.Losses, Score: s.Score,
		Swept: r.Swept,
	}
	if s.Elo != nil {
		next.Rating = r.Rating + *s.Elo
		if r.Error != nil {
			both := math.Hypot(*r.Error, *s.Error)
			next.Error = &both
		}
		return next
	}
	half := 0.5 / float64(s.Games)
	next.Rating, next.Swept = r.Rating+eloOf(min(max(s.Score, half), 1-half)), true
	return next
}

// writeText writes the line of a level for people, and above the first one the heading.
func (r rung) writeText(w io.Writer, game string) error {
	text := r.text()
	if r.Games == 0 {
		text = fmt.Sprintf("%s\n%-16s %7s %6s %6s %6s %6s %6s %7s\n%s",
			game, "level", "rating", "error", "games", "won", "drawn", "lost", "points", text)
	}
	_, err := io.WriteString(w, text)
	return err
}

func (r rung) text() string {
	fault := "-"
	if r.Error != nil {
		fault = strconv.FormatFloat(*r.Error, 'f', 0, 64)
	}
	line := fmt.Sprintf("%-16s %7d %6s", r.Level, int(math.Round(r.Rating)), fault)
	if r.Games > 0 {
		line += fmt.Sprintf(" %6d %6d %6d %6d %5.1f %%", r.Games, r.Wins, r.Draws, r.Losses, 100*r.Score)
	}
	if r.Swept {
		line += "  (one side made all the points)"
	}
	return line + "\n"
}

// command is what measures this ladder again, as people type it.
func (l *Ladder) command() string {
	s := fmt.Sprintf("ludoteca rate --go --games %d --openings %d --seed %d", l.PerStep, l.Openings, l.Seed)
	if l.MoveTime > 0 {
		s += " --movetime " + l.MoveTime.String()
	}
	if len(l.Levels) > 0 {
		s += " --levels " + strings.Join(l.Levels, ",")
	}
	return s
}

// goSource is the table of ratings in the package of the computer players, in the form of gofmt. A level that was measured
// with a budget of its own has the rating for it.
func goSource(command string, tables map[string][]rung) string {
	var s strings.Builder
	s.WriteString("package bot\n\n" +
		"// ratings are the ratings of the levels by game, as measured by matches between neighbours with\n//\n" +
		"//\t" + command + "\n" +
		"var ratings = map[string]map[string]int{\n")
	for _, id := range slices.Sorted(maps.Keys(tables)) {
		fmt.Fprintf(&s, "\t%q: {\n", id)
		width := 0
		for _, r := range tables[id] {
			width = max(width, len(levelOf(r.Level)))
		}
		for _, r := range tables[id] {
			fmt.Fprintf(&s, "\t\t%-*s %d,\n", width+3, strconv.Quote(levelOf(r.Level))+":", int(math.Round(r.Rating)))
		}
		s.WriteString("\t},\n")
	}
	s.WriteString("}\n")
	return s.String()
}

// levelOf returns the level without its budget.
func levelOf(spec string) string {
	id, _, _ := strings.Cut(spec, ":")
	return id
}
