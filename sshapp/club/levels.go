package club

import (
	"context"
	"slices"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/lobby"
	"ludoteca/lobby/thinking"
)

// levels returns the computer players of all games, each once, the weakest first. They share one memory.
func levels(of []games.Game) []lobby.Level {
	var all []lobby.Level
	memory := new(bot.Memory)
	for _, g := range of {
		id := g.About().ID
		for _, l := range memory.Levels(g) {
			i := slices.IndexFunc(all, func(known lobby.Level) bool { return known.ID == l.ID })
			if i < 0 {
				i = len(all)
				all = append(all, lobby.Level{
					ID: l.ID, Name: l.Name, Sentence: l.Sentence,
					Ratings: make(map[string]int), Above: make(map[string]bool), Games: make(map[string]lobby.LevelPlayer),
				})
			}
			all[i].Games[id] = player(l)
			if l.Rating != 0 {
				all[i].Ratings[id], all[i].Above[id] = l.Rating, l.More
			}
		}
	}
	order := bot.IDs()
	slices.SortFunc(all, func(a, b lobby.Level) int { return slices.Index(order, a.ID) - slices.Index(order, b.ID) })
	return all
}

// player returns how a computer player plays its game.
func player(l bot.Level) lobby.LevelPlayer {
	v := lobby.LevelPlayer{Move: l.Player.Move}
	if t, ok := l.Player.(bot.Thinker); ok {
		v.Think = func(ctx context.Context, c bot.Clock, p games.Position, r *games.Random) (lobby.Decision, error) {
			found, err := t.ThinkWithin(ctx, c, p, r)
			return thinking.DecisionOf(found), err
		}
	}
	return v
}
