package newmatch

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/learning"
)

// practisedMsg is the practice ratings of the player, by game.
type practisedMsg learning.PracticeStandings

// loadPractice loads the player's practice ratings. Without them the form proposes the computer player chosen last.
func (s terms) loadPractice() tea.Cmd {
	l, ctx, who := s.env.Lobby, s.env.Ctx, s.env.Who
	if who.Player() == "" || s.named || s.against == quickOpponent {
		return nil
	}
	return func() tea.Msg {
		all, err := l.Practice.Standings(ctx, who)
		if err != nil {
			return nil
		}
		return practisedMsg(all)
	}
}

// propose returns the terms with the computer player that suits the player in the chosen game, unless one was chosen by hand: the one that the
// player would beat about half the time, or the usual one without a practice rating there.
func (s terms) propose() terms {
	if s.picked {
		return s
	}
	s.levels = defaultLevels(s.env)
	if _, rated := s.practised[s.about().ID]; !rated {
		return s
	}
	levels := s.env.Lobby.Levels()
	if level, ok := s.env.Lobby.Practice.Proposed(learning.PracticeStandings(s.practised), s.about().ID); ok {
		if at := slices.IndexFunc(levels, func(l lobby.Level) bool { return l.ID == level }); at >= 0 {
			s.levels = withNext(at, len(levels))
		}
	}
	return s
}

// withNext returns a level and the next one above, if there is one.
func withNext(at, levels int) [2]int { return [2]int{at, min(at+1, levels-1)} }

// chance says how likely the player is to win against a level in the chosen game; "" if that isn't known.
func (s terms) chance(level string) string {
	game := s.about().ID
	if _, rated := s.practised[game]; !rated || s.against == TwoComputers {
		return ""
	}
	chance, known := s.env.Lobby.Practice.Chance(learning.PracticeStandings(s.practised), game, level)
	if !known {
		return ""
	}
	return s.env.Say.Chance(chance)
}
