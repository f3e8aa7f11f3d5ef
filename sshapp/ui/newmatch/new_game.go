package newmatch

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/ui/lessonpage"
	"ludoteca/sshapp/ui/screen"
)

// unknownMsg holds the games that are new to the player: no lesson was begun, and no match has finished.
type unknownMsg map[string]bool

// loadUnknown finds out which games are new to the player. To a guest all are whose lesson was not begun in this session.
func (s terms) loadUnknown() tea.Cmd {
	l, ctx, who, begun := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Lessons
	if s.fixed {
		return nil
	}
	return func() tea.Msg {
		kept, err := l.Lessons(ctx, who)
		if err != nil {
			return nil // then nothing is offered
		}
		unknown := unknownMsg{}
		for _, g := range l.Games() {
			id := g.About().ID
			if len(games.LessonOf(g)) == 0 || kept[id].Solved > 0 || begun[id].Solved > 0 {
				continue
			}
			if who.Player() != "" {
				played, _, err := l.History(ctx, standings.HistoryQuery{Name: who.Name, Game: id, Limit: 1})
				if err != nil || len(played) > 0 {
					continue
				}
			}
			unknown[id] = true
		}
		return unknown
	}
}

// isNew reports whether the cursor is on a game that is new to the player, so that its lesson is offered.
func (s setup) isNew() bool { return s.form.At() == keyGame && s.unknown[s.about().ID] }

// learn opens the lesson of the game.
func (s setup) learn() (setup, tea.Cmd) {
	g := s.env.Lobby.Games()[s.game]
	page, ok := lessonpage.New(s.env, g, s.env.Lessons[g.About().ID])
	if !ok {
		return s, nil
	}
	return s, screen.Push(page)
}
