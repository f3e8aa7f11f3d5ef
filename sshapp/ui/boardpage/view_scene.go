package boardpage

import (
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
)

// SceneOf makes the scene of a view. old is the view before it, and scene the scene of old; both are nil for the first view. SceneOf may replay
// the match, so it belongs into a Cmd.
func SceneOf(view, old *lobby.View, scene *boardview.Scene) (*boardview.Scene, error) {
	switch {
	case old != nil && view.Continues(old) && view.Ply() == old.Ply() && scene != nil:
		return scene, nil
	case old != nil && view.Continues(old) && view.Ply() == old.Ply()+1:
		return boardview.New(view.Position, old.Position, view.Moves[old.Ply()]), nil
	case view.Ply() == 0:
		return boardview.New(view.Position, nil, ""), nil
	}
	before, err := view.After(view.Ply() - 1)
	if err != nil {
		return nil, err
	}
	return boardview.New(view.Position, before, view.Moves[view.Ply()-1]), nil
}
