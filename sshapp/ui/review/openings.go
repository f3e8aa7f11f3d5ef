package review

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage/results"
)

// An openingPane says how other matches went on from the first positions of the match.
type openingPane struct{ all []results.Opening } // from the start, and after each of the first moves

// openingsMsg is what is known of the opening; nothing after an error.
type openingsMsg []results.Opening

// read asks how matches went on from the positions of a finished match. Openings are counted from the start of a game alone.
func (openingPane) read(e *screen.Env, v *lobby.View) tea.Cmd {
	if !v.Over || v.Studied() {
		return nil
	}
	ctx, club, g, options, moves := e.Ctx, e.Lobby, v.Game, v.Options, v.Moves
	return func() tea.Msg {
		all, err := club.Openings(ctx, g, options, moves)
		if err != nil {
			return openingsMsg(nil) // the review does without
		}
		return openingsMsg(all)
	}
}

// fewOpenings is how many matches must have come to a position before the panel says so: one is the match itself.
const fewOpenings = 2

// add adds to the panel how many matches came to a position, and how most of them went on.
func (p openingPane) add(e *screen.Env, ply int, turn games.Side, on *boardpage.Panel) {
	if ply < len(p.all) && p.all[ply].Here.Matches() >= fewOpenings {
		on.Wrap(e.Theme.Dim, 0, e.Say.Opening(p.all[ply], turn))
	}
}
