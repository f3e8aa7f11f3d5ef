package lab

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"strings"

	"ludoteca/games"
)

// A trainFile is what a training is kept in. The first fields say which training it is.
type trainFile struct {
	Version int
	Game    string
	Options games.Options
	Seed    uint64
	Recipe  keptRecipe
	State   trainState
}

// keptRecipe is the part of a recipe that the rounds so far have followed from.
type keptRecipe struct {
	Weights, Games, Nodes, Openings  int
	RandomMoves, Lambda, Rate, Scale float64
	OptionSets                       string // with commas between them
}

const trainFileVersion = 1

// file returns what is kept of the training, without its state.
func (tr *trainer) file() trainFile {
	r := &tr.recipe
	return trainFile{
		Version: trainFileVersion, Game: tr.Game.About().ID, Options: tr.Options, Seed: tr.Seed,
		Recipe: keptRecipe{r.Weights, r.Games, r.Nodes, r.Openings, r.RandomMoves, r.Lambda, r.Rate, r.Scale, strings.Join(r.OptionSets, ",")},
	}
}

// keep writes the state to the file.
func (tr *trainer) keep() error {
	if tr.Resume == "" {
		return nil
	}
	f := tr.file()
	f.State = tr.state
	var content bytes.Buffer
	if err := gob.NewEncoder(&content).Encode(f); err != nil {
		return fmt.Errorf("keep the training: %w", err)
	}
	if err := ReplaceFile(tr.Resume, content.Bytes()); err != nil {
		return fmt.Errorf("keep the training: %w", err)
	}
	return nil
}

// resume reads the state from the file if there is one. All errors wrap ErrResume.
func (tr *trainer) resume() error {
	if tr.Resume == "" {
		return nil
	}
	content, err := os.ReadFile(tr.Resume)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrResume, err)
	}
	var got trainFile
	if err := gob.NewDecoder(bytes.NewReader(content)).Decode(&got); err != nil {
		return fmt.Errorf("%w from %s: it is no file of a training", ErrResume, tr.Resume)
	}
	want := tr.file()
	switch {
	case got.Version != want.Version || got.Game != want.Game || got.Seed != want.Seed || got.Recipe != want.Recipe ||
		!got.Options.Equal(want.Options):
		return fmt.Errorf("%w from %s: it is of another training", ErrResume, tr.Resume)
	case len(got.State.Weights) != len(tr.state.Weights) || len(got.State.Squares) != len(tr.state.Squares):
		return fmt.Errorf("%w from %s: it is damaged", ErrResume, tr.Resume)
	}
	tr.state = got.State
	return nil
}
