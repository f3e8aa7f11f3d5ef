package ui

import "strings"

// Help of the screens that have more to say than their keys.

func (s lobbyScreen) Help() string {
	say := s.env.say
	return paragraphs(
		say.T("The menu is at the left, what is going on at the right; in a narrow window the key tab goes from one to the other."),
		"# "+say.T("Your matches"),
		say.T("Matches go on when you leave, for as long as you both like. One with a ! waits for you: enter goes to its board."),
		"# "+say.T("Open offers"),
		say.T("Enter takes the free seat, and the match starts. A rating with a ? is provisional: few matches stand behind it."),
		"# "+say.T("Now playing"),
		say.T("Enter watches. Players marked (bot) are computer players."),
	)
}

func (s setup) Help() string {
	say := s.env.say
	return paragraphs(
		say.T("Up and down go from line to line, left and right change a value, and a number can be typed as well."),
		say.T("Enter starts the match from any line: what you don't touch is as usual for the game."),
	)
}

func (s gameList) Help() string {
	if s.quick {
		return s.env.say.T("A quick match takes the oldest open offer of the game that you may take. If there is none, it opens a casual match and waits with you.")
	}
	return s.env.say.T("Enter shows the rules of a game. At a board, the key ? shows them beside it.")
}

func (s watch) Help() string {
	return s.env.say.T("Every public match that is being played is listed, the newest first. Enter goes to its board.")
}

func (s leaderboard) Help() string {
	say := s.env.say
	return paragraphs(
		say.T("Each game has its own ratings, by Glicko-2; everybody starts at 1500. Only rated matches between people with keys count."),
		say.T("Ratings with a ? are provisional, and stand below the others without a rank, until enough matches are played. Enter shows the player."),
	)
}

func (s profile) Help() string {
	return s.env.say.T("Enter shows the finished matches of this player.")
}

func (s history) Help() string {
	say := s.env.say
	return paragraphs(
		say.T("Finished matches, the newest first. Left and right choose a game, tab goes between one player and everybody."),
		say.T("Enter steps through a match, move by move."),
	)
}

func (s settings) Help() string {
	return s.env.say.T("What you choose holds at once, and is kept for your key.")
}

// paragraphs puts an empty line between paragraphs, but none below a heading.
func paragraphs(all ...string) string {
	var b strings.Builder
	for i, p := range all {
		p = strings.TrimSpace(p)
		switch {
		case i == 0:
		case strings.HasPrefix(all[i-1], "# "):
			b.WriteByte('\n')
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(p)
	}
	return b.String()
}
