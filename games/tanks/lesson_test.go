package tanks

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// destroys returns the goal of a step that asks for the capture of one of some kinds of tanks of the second player.
func destroys(kinds string) gamestest.Goal {
	return func(before games.Position, _ games.Move, after games.Position) bool {
		return gamestest.Count(after, kinds) < gamestest.Count(before, kinds)
	}
}

// TestLesson: each step of the lesson asks for what the rules say of it.
func TestLesson(t *testing.T) {
	gamestest.Lesson(t, New(), map[string]gamestest.Goal{
		"Only forward": func(_ games.Position, m games.Move, _ games.Position) bool {
			return strings.HasPrefix(string(m), "e2")
		},
		"The medium tank": destroys("t"),
		"The heavy tank":  gamestest.Plays("e4xg6"),
		"The destroyer":   destroys("mtd"),
		"A safe capture": func(before games.Position, m games.Move, after games.Position) bool {
			return destroys("mtd")(before, m, after) && gamestest.EveryReply(func(before games.Position, _ games.Move, after games.Position) bool {
				return gamestest.Count(after, "MTD") == gamestest.Count(before, "MTD")
			})(before, m, after)
		},
		"The far row": gamestest.Wins,
		"Stop a breakthrough": gamestest.EveryReply(func(before games.Position, m games.Move, after games.Position) bool {
			return !gamestest.Wins(before, m, after)
		}),
		"Find the gap": gamestest.EveryReply(func(_ games.Position, _ games.Move, after games.Position) bool {
			for _, m := range after.Legal() {
				if next, err := after.Play(m); err == nil && gamestest.Wins(after, m, next) {
					return true
				}
			}
			return false
		}),
		"The last tank": gamestest.Wins,
	})
}

// TestLessonCoversExamples: every example of the rule sheet has a step, or a reason why it has none.
func TestLessonCoversExamples(t *testing.T) {
	const (
		level   = "it is about a computer player"
		options = "the rules are the same on other boards"
		other   = "the learner has the first side; the other one is its mirror image"
	)
	gamestest.Examples(t, New(), "RULES.md", []gamestest.Example{
		{About: "The start", Step: "Only forward"},
		{About: "Smallest board", Not: options},
		{About: "Larger boards", Not: options},
		{About: "Medium", Step: "The medium tank"},
		{About: "Heavy", Step: "The heavy tank"},
		{About: "Own pieces are shot over", Step: "The heavy tank"},
		{About: "No step of two", Step: "The heavy tank"},
		{About: "Destroyer: never", Step: "The destroyer"},
		{About: "A destroyer behind", Step: "The destroyer"},
		{About: "Two enemies in a column", Step: "The destroyer"},
		{About: "The second player", Not: other},
		{About: "Edges", Not: "no board game wraps, and who tries it is refused"},
		{About: "Four ways to win", Step: "The far row"},
		{About: "A win by a move", Step: "The far row"},
		{About: "A win by a move", Step: "The far row"},
		{About: "Nobody has to win", Step: "The far row"},
		{About: "Row 2 is not yet", Step: "Stop a breakthrough"},
		{About: "The last enemy piece falls.", Step: "The last tank"},
		{About: "The same for the second player", Not: other},
		{About: "The last enemy piece falls on", Not: "either reason wins"},
		{About: "A piece without a move", Not: "it can't happen that no tank moves, and a tank that can't is refused"},
		{About: "So a piece on the far row counts", Not: level},
		{About: "Two captures of equal value", Not: level},
		{About: "A win passed over", Not: level},
	})
}
