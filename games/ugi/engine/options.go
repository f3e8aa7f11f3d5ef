package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/ugi"
)

// The names of the options of the engine. The options of the game have the keys that they have everywhere.
const (
	hashOption  = "Hash"
	levelOption = "Level"
	seedOption  = "Seed"
)

// mebibyte is the power of two of the unit of Hash.
const mebibyte = 20

// The bounds of options.
const (
	minHash = 1
	maxHash = bot.MaxTable >> mebibyte
	maxSeed = 1<<31 - 1
)

// A setup is the options of the game: those that were set, and those by which the present game is played.
type setup struct {
	game  games.Game
	given games.Options // complete, but not always sound together
	now   games.Options // nil: there is no game
}

// begin takes over the options that were set. If they don't go together there is no game.
func (s *setup) begin() error {
	var err error
	s.now, err = games.Complete(s.game, s.given)
	return err
}

// next returns the start of the game that begin would begin.
func (s *setup) next() (games.Position, error) {
	o, err := games.Complete(s.game, s.given)
	if err != nil {
		return nil, err
	}
	return s.game.New(o)
}

// position returns the position that a text says, or the start of the present game. A text has options of its own.
func (s *setup) position(text string) (games.Position, error) {
	switch {
	case text != "":
		return s.game.Parse(text)
	case s.now == nil:
		return nil, fmt.Errorf("no game was begun")
	}
	return s.game.New(s.now)
}

// set sets an option of the game, of any letter case. ok is false if it has none of that name.
func (s *setup) set(name, value string) (ok bool, err error) {
	i := slices.IndexFunc(s.game.About().Options, func(o games.Option) bool { return strings.EqualFold(o.Key, name) })
	if i < 0 {
		return false, nil
	}
	o := s.game.About().Options[i]
	n, err := strconv.Atoi(value)
	if err != nil || !o.Allows(n) {
		return true, fmt.Errorf("%s is %s, not %.40q", o.Key, o, value)
	}
	s.given = maps.Clone(s.given)
	s.given[o.Key] = n
	return true, nil
}

// introduce says who the engine is, and which options it has.
func (e *engine) introduce() error {
	about := e.setup.game.About()
	lines := []ugi.Reply{ugi.ID{Key: "name", Text: strings.TrimSpace("Ludoteca " + about.Name + " " + e.version)}, ugi.ID{Key: "author", Text: "Ludoteca"}}
	lines = append(lines,
		ugi.Option{Name: hashOption, Type: ugi.Spin, Default: strconv.Itoa(bot.UsualTable >> mebibyte), Min: minHash, Max: maxHash},
		e.levels(),
		ugi.Option{Name: seedOption, Type: ugi.Spin, Default: strconv.FormatUint(min(e.seed, maxSeed), 10), Max: maxSeed})
	for _, o := range about.Options {
		spin := ugi.Option{Name: o.Key, Type: ugi.Spin, Default: strconv.Itoa(e.setup.given[o.Key]), Min: o.Min, Max: o.Max}
		if o.Zero {
			spin.Min = 0
		}
		lines = append(lines, spin)
	}
	for _, l := range append(lines, ugi.HelloOK{}) {
		if err := e.send(l); err != nil {
			return err
		}
	}
	return nil
}

// levels returns the option that names the levels of the game, from the weakest on.
func (e *engine) levels() ugi.Option {
	o := ugi.Option{Name: levelOption, Type: ugi.Combo, Default: e.level}
	for _, l := range bot.Levels(e.setup.game) {
		o.Values = append(o.Values, l.ID)
	}
	return o
}

// setOption changes an option, or says why not.
func (e *engine) setOption(c ugi.SetOption) error {
	var err error
	switch {
	case strings.EqualFold(c.Name, hashOption):
		err = e.setHash(c.Value)
	case strings.EqualFold(c.Name, levelOption):
		if _, _, err = findLevel(e.setup.game, c.Value, e.hash); err == nil {
			e.level = c.Value
		}
	case strings.EqualFold(c.Name, seedOption):
		n, bad := strconv.ParseUint(c.Value, 10, 64)
		if bad != nil || n > maxSeed {
			return e.say("%s is 0 to %d, not %.40q", seedOption, maxSeed, c.Value)
		}
		e.seed = n
		if e.random != nil {
			e.random = games.NewRandom(n)
		}
	default:
		var known bool
		if known, err = e.setup.set(c.Name, c.Value); !known {
			return e.say("there is no option %.40q", c.Name)
		}
	}
	if err != nil {
		return e.say("%v", err)
	}
	return nil
}

// setHash changes the memory for searches.
func (e *engine) setHash(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < minHash || n > maxHash {
		return fmt.Errorf("%s is %d to %d MiB, not %.40q", hashOption, minHash, maxHash, value)
	}
	if n != e.hash {
		e.hash, e.memory = n, bot.NewMemory(n<<mebibyte)
	}
	return nil
}

// findLevel returns the full name of a level, the strongest for "", and memory for its searches with hash MiB. It returns the errors of
// bot.Find.
func findLevel(g games.Game, spec string, hash int) (string, *bot.Memory, error) {
	if levels := bot.Levels(g); spec == "" {
		spec = levels[len(levels)-1].ID
	}
	_, err := bot.Find(g, spec)
	return spec, bot.NewMemory(hash << mebibyte), err
}
