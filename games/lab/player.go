package lab

import (
	"fmt"
	"os"
	"strings"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// byHand is what stands for the evaluation by hand after the @ of a player.
const byHand = "hand"

// findPlayer returns the level that spec names, as bot.Find reads it. For a level that searches, spec may end in "@hand" or "@FILE":
// the level then evaluates by hand or by the tables in the file. findPlayer returns the errors of bot.Find, and errors that wrap
// ErrUsage.
func findPlayer(g games.Game, spec string) (bot.Level, error) {
	id, by, chosen := strings.Cut(spec, "@")
	level, err := bot.Find(g, id)
	if err != nil || !chosen {
		return level, err
	}
	evaluation := bot.ByHand()
	if by != byHand {
		t, err := readTables(g, by)
		if err != nil {
			return bot.Level{}, fmt.Errorf("%w: %w", ErrUsage, err)
		}
		evaluation = bot.ByTables(t)
	}
	return level.Evaluating(evaluation)
}

// readTables reads a file of tables for a game.
func readTables(g games.Game, file string) (games.Tables, error) {
	o, err := games.Complete(g, nil)
	if err != nil {
		return nil, err
	}
	start, err := g.New(o)
	if err != nil {
		return nil, err
	}
	learnable, ok := start.State().(games.Learnable)
	if !ok {
		return nil, fmt.Errorf("%s has no evaluation that learns", g.About().Name)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return games.DecodeTables(g.About().ID, learnable.Learning().Tables, content)
}
