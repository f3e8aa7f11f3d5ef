package puzzlepage

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/screen"
)

// ownPuzzles loads the wins that the player missed in their own matches. Of the zero value none are wanted.
type ownPuzzles struct {
	load func(after string) (*lobby.MissedWin, error)
	stop context.CancelFunc
}

func newOwnPuzzles(e *screen.Env) ownPuzzles {
	ctx, stop := context.WithCancel(e.Ctx)
	return ownPuzzles{func(after string) (*lobby.MissedWin, error) { return e.Lobby.MissedWins.Next(ctx, e.Who, nil, after) }, stop}
}

func (o ownPuzzles) wanted() bool { return o.load != nil }

// close ends the wait for a win, which may have to be proven first.
func (o ownPuzzles) close() {
	if o.stop != nil {
		o.stop()
	}
}

// next loads the win after the one that the player has.
func (o ownPuzzles) next(has posed) tea.Cmd {
	after := ""
	if has.puzzle != nil {
		after = has.puzzle.ID
	}
	return func() tea.Msg {
		w, err := o.load(after)
		if err != nil {
			return posedMsg{err: err}
		}
		return posedMsg{posed: posed{puzzle: w.Puzzle, missed: w}}
	}
}
