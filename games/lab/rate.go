package lab

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// A Ladder is what Rate is asked to measure: levels of games, each of which meets its neighbours.
type Ladder struct {
	Games    []games.Game
	Levels   []string // as findPlayer takes them, the weakest first; none means all that a game has, as levelsOf lists them
	PerStep  int      // games between two neighbours, as Meeting.Games
	Seed     uint64
	Openings int
	MoveTime time.Duration
	Workers  int
	Folder   string // keeps the finished games, a file for each step, and is made if there is none; empty for none
	Write    string // a folder in which GAME/ratings.txt gets the ratings of each game; empty for none
}

// A ratedLevel is a level of a ladder with its rating. The fields after Rating are of the meeting with the level below, and
// empty for the first level.
type ratedLevel struct {
	Game   string   `json:"game"`
	Level  string   `json:"level"`
	Rating float64  `json:"rating"` // the first level of the ladder is 0
	Error  *float64 `json:"error"`  // half the width of the interval that has Rating with 95 %; null if it is open
	Games  int      `json:"games"`
	Wins   int      `json:"wins"`
	Draws  int      `json:"draws"`
	Losses int      `json:"losses"`
	Score  float64  `json:"score"` // the share of the points

	// Swept reports that in this meeting or one further down one side made all the points, or almost all, so that the difference
	// has no upper bound. Rating counts the smallest difference then that the interval has.
	Swept bool `json:"swept"`

	// More reports that Rating is too low because of that: it was the stronger side each time.
	More bool `json:"more"`
}

// Rate lets neighbouring levels meet, from the weakest to the strongest, and writes their ratings on one scale for each
// game, under the options of its profile's set: aligned text for people, or one JSON object for each level. progress is a terminal as for
// Arena, or nil. Rate returns the errors of Arena.
func Rate(ctx context.Context, w, progress io.Writer, l Ladder, asJSON bool) error {
	for _, g := range l.Games {
		var all []ratedLevel
		write := func(r ratedLevel) error {
			all = append(all, r)
			if asJSON {
				return newEncoder(w).Encode(r)
			}
			return r.writeText(w, g.About().Name)
		}
		if err := l.measure(ctx, progress, g, write); err != nil {
			return err
		}
		if err := l.save(g, all); err != nil {
			return err
		}
	}
	return nil
}

// measure measures the levels of one game and writes each as soon as it is measured.
func (l *Ladder) measure(ctx context.Context, progress io.Writer, g games.Game, write func(ratedLevel) error) error {
	levels := l.Levels
	if len(levels) == 0 {
		levels = levelsOf(g)
	}
	for _, spec := range levels { // before hours are spent on the others
		if _, err := findPlayer(g, spec); err != nil {
			return err
		}
	}
	none := 0.0
	r := ratedLevel{Game: g.About().ID, Level: levels[0], Error: &none}
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

// levelsOf returns all levels of a game as bot.Find takes them, the weakest first. The strongest one gets the budget that the
// game's profile names for it.
func levelsOf(g games.Game) []string {
	levels := bot.Levels(g)
	specs := make([]string, len(levels))
	for i, l := range levels {
		specs[i] = l.ID
	}
	last := len(levels) - 1
	if _, searches := levels[last].Player.(bot.Thinker); searches {
		if nodes := games.ProfileOf(g).RateNodes; nodes > 0 {
			specs[last] = fmt.Sprintf("%s:%d", specs[last], nodes)
		}
	}
	return specs
}

// step lets two neighbours meet, the stronger as the first player.
func (l *Ladder) step(ctx context.Context, progress io.Writer, g games.Game, players [2]string) (*score, error) {
	m := Meeting{
		Game: g, Options: games.OptionsOf(g), Players: players, Games: l.PerStep, Seed: l.Seed,
		Openings: l.Openings, MoveTime: l.MoveTime, Workers: l.Workers,
	}
	var err error
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
	return filepath.Join(l.Folder, strings.NewReplacer(":", "_", "/", "_").Replace(name)+".jsonl"), nil
}

// above returns the next level, which made this score against r.
func (r ratedLevel) above(level string, s *score) ratedLevel {
	next := ratedLevel{
		Game: r.Game, Level: level, Games: s.Games, Wins: s.Wins, Draws: s.Draws, Losses: s.Losses, Score: s.Score,
		Swept: r.Swept, More: r.More,
	}
	if bound, open := s.sample().open(); open {
		next.Rating, next.Swept, next.More = r.Rating+bound, true, bound > 0
		return next
	}
	if s.Elo != nil {
		next.Rating = r.Rating + *s.Elo
		if r.Error != nil {
			both := math.Hypot(*r.Error, *s.Error)
			next.Error = &both
		}
	}
	return next
}

// writeText writes the line of a level for people, and above the first one the heading.
func (r ratedLevel) writeText(w io.Writer, game string) error {
	text := r.text()
	if r.Games == 0 {
		text = fmt.Sprintf("%s\n%-16s %7s %6s %6s %6s %6s %6s %7s\n%s",
			game, "level", "rating", "error", "games", "won", "drawn", "lost", "points", text)
	}
	_, err := io.WriteString(w, text)
	return err
}

func (r ratedLevel) text() string {
	fault := "-"
	if r.Error != nil {
		fault = strconv.FormatFloat(*r.Error, 'f', 0, 64)
	}
	line := fmt.Sprintf("%-16s %7s %6s", r.Level, r.points(), fault)
	if r.Games > 0 {
		line += fmt.Sprintf(" %6d %6d %6d %6d %5.1f %%", r.Games, r.Wins, r.Draws, r.Losses, 100*r.Score)
	}
	if r.Swept {
		line += "  (one side made all the points, or almost)"
	}
	return line + "\n"
}

// points returns the rating as games.ParseRatings reads it.
func (r ratedLevel) points() string {
	number := strconv.Itoa(int(math.Round(r.Rating)))
	if r.More {
		return ">" + number
	}
	return number
}

// save writes the ratings of a game to the file from which its profile reads them.
func (l *Ladder) save(g games.Game, all []ratedLevel) error {
	if l.Write == "" {
		return nil
	}
	folder := filepath.Join(l.Write, g.About().ID)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write the ratings: %w", err)
	}
	if err := ReplaceFile(filepath.Join(folder, "ratings.txt"), []byte(ratingsText(l.command(g), all))); err != nil {
		return fmt.Errorf("write the ratings: %w", err)
	}
	return nil
}

// command is what measures a game again, as people type it.
func (l *Ladder) command(g games.Game) string {
	s := fmt.Sprintf("ludoteca rate %s --games %d --openings %d --seed %d", g.About().ID, l.PerStep, l.Openings, l.Seed)
	if l.MoveTime > 0 {
		s += " --movetime " + l.MoveTime.String()
	}
	if len(l.Levels) > 0 {
		s += " --levels " + strings.Join(l.Levels, ",")
	}
	return s
}

// ratingsText returns ratings in the form that games.ParseRatings reads. A level that was measured with a budget of its own
// has the rating for it.
func ratingsText(command string, all []ratedLevel) string {
	var s strings.Builder
	s.WriteString("# Ratings of the computer players, measured by matches between neighbours:\n#\n#     " + command + "\n#\n")
	width := 0
	for _, r := range all {
		width = max(width, len(levelOf(r.Level)))
	}
	for _, r := range all {
		fmt.Fprintf(&s, "%-*s %s\n", width, levelOf(r.Level), r.points())
	}
	return s.String()
}

// levelOf returns the level without its budget and its evaluation.
func levelOf(spec string) string {
	id, _, _ := strings.Cut(spec, "@")
	id, _, _ = strings.Cut(id, ":")
	return id
}
