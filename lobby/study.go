package lobby

import "ludoteca/games/analysis"

// A Study is how far the analysis of a finished match is. It is immutable and shared.
type Study struct {
	Seq   uint64 // what Lobby.Study takes: it grows with every change
	Stage Stage
	Ahead int // while Waiting: how many other matches come before this one

	// Done is how many of Total positions have been looked at.
	Done, Total int

	Analysis *analysis.Analysis // when Ready
}

// A Stage is a stage of an analysis.
type Stage uint8

// The stages.
const (
	Waiting Stage = iota // others come first
	Working
	Ready
)
