package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/flugelrad"
	"ludoteca/games/momentum"
)

// quickTraining is one that takes a second.
func quickTraining(t *testing.T) Training {
	t.Helper()
	g := flugelrad.New()
	return Training{
		Game: g, Options: complete(t, g, "connect=4", "move_limit=60"), Seed: 7, Workers: 2, Rounds: 3, Games: 12, Nodes: 40,
		Write: filepath.Join(t.TempDir(), "tables.bin"),
	}
}

func complete(t *testing.T, g games.Game, options ...string) games.Options {
	t.Helper()
	o, err := games.ParseOptions(g, options)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// trained runs a training and returns the tables.
func trained(t *testing.T, in Training) []byte {
	t.Helper()
	if err := Train(t.Context(), io.Discard, nil, in, false); err != nil {
		t.Fatal(err)
	}
	tables, err := os.ReadFile(in.Write)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// TestTrainingRepeats has the same seed give the same tables on any number of workers, and after an interruption; another seed gives
// others.
func TestTrainingRepeats(t *testing.T) {
	want := trained(t, quickTraining(t))
	t.Run("workers", func(t *testing.T) {
		in := quickTraining(t)
		in.Workers = 1
		if !bytes.Equal(trained(t, in), want) {
			t.Error("one worker trained other tables than two")
		}
	})
	t.Run("resumed", func(t *testing.T) {
		in := quickTraining(t)
		in.Resume = filepath.Join(t.TempDir(), "training")
		in.Rounds = 1
		trained(t, in)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		in.Rounds = 3
		if err := Train(ctx, io.Discard, nil, in, false); !errors.Is(err, context.Canceled) {
			t.Fatalf("a training with no time ended with %v", err)
		} else if !strings.Contains(err.Error(), "stopped after 1 of 3 rounds") {
			t.Errorf("it said %q", err)
		}
		if !bytes.Equal(trained(t, in), want) {
			t.Error("a training that went on from a file made other tables")
		}
	})
	t.Run("seed", func(t *testing.T) {
		in := quickTraining(t)
		in.Seed++
		if bytes.Equal(trained(t, in), want) {
			t.Error("another seed made the same tables")
		}
	})
}

// TestTrainingLearns measures how well the tables foretell games that they have not seen, against tables of nothing.
func TestTrainingLearns(t *testing.T) {
	in := quickTraining(t)
	in.Games, in.Rounds = 150, 2
	tr, err := newTrainer(in)
	if err != nil {
		t.Fatal(err)
	}
	for range in.Rounds {
		if _, err := tr.round(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	tr.state.Round = 100 // other games
	unseen, err := tr.playRound(t.Context(), nil, tr.evaluation())
	if err != nil {
		t.Fatal(err)
	}
	blank, err := newTrainer(in)
	if err != nil {
		t.Fatal(err)
	}
	learned, nothing := meanEntropy(tr, unseen), meanEntropy(blank, unseen)
	if learned > nothing-0.004 {
		t.Errorf("the entropy is %.4f bits, and %.4f with tables of nothing", learned, nothing)
	}
}

// meanEntropy returns the mean entropy of the results of games against what the weights foretell, in bits.
func meanEntropy(tr *trainer, played []trainGame) float64 {
	sum, n := 0.0, 0
	for i := range played {
		for k := range played[i].Plies {
			played[i].Plies[k].Random = false
		}
		tr.recipe.Lambda = 1 // the targets are the results
		lessons, _ := tr.study(nil, nil, &played[i])
		for _, l := range lessons {
			v := float64(l.base)
			for _, f := range l.features {
				v += float64(f.Times) * float64(tr.state.Weights[f.Weight])
			}
			p := 1 / (1 + math.Exp(-v))
			sum -= float64(l.target)*math.Log2(p) + float64(1-l.target)*math.Log2(1-p)
			n++
		}
	}
	return sum / float64(n)
}

// TestTargets works out the targets of a game by hand.
func TestTargets(t *testing.T) {
	tr := &trainer{recipe: games.Learning{Lambda: 0.5}}
	for _, test := range []struct {
		name string
		game trainGame
		want []float32
	}{
		{"the result counts half of the last value, a quarter of the one before", trainGame{
			Plies: []trainPly{{Value: 0.5}, {Value: 0.5}, {Value: 1}}, Points: 1,
		}, []float32{0.625, 0.75, 1}},
		{"nothing passes a random move", trainGame{
			Plies: []trainPly{{Value: 0.25}, {Value: 0.75, Random: true}, {Value: 0.5}}, Points: 0,
		}, []float32{0.5, 0.75, 0.25}},
		{"a draw", trainGame{Plies: []trainPly{{Value: 0.5}}, Points: 0.5}, []float32{0.5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := tr.targets(&test.game); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestStepGoesTowardsTarget makes steps for one lesson until its evaluation says what it should.
func TestStepGoesTowardsTarget(t *testing.T) {
	tr := &trainer{recipe: games.Learning{Rate: 0.05}, state: trainState{Weights: make([]float32, 3), Squares: make([]float32, 3)}}
	l := lesson{features: []games.Feature{{Weight: 0, Times: 1}, {Weight: 2, Times: -1}}, base: -1, target: 0.8}
	for range 3000 {
		tr.step(&l)
	}
	w := tr.state.Weights
	if got := 1 / (1 + math.Exp(-float64(l.base+w[0]-w[2]))); math.Abs(got-0.8) > 0.01 {
		t.Errorf("after many steps the points expected are %.3f", got)
	}
	if w[0] <= 0 || w[2] >= 0 || w[1] != 0 {
		t.Errorf("the weights are %v", w)
	}
}

// TestTrainingSaysWhatIsWrong has each kind of nonsense refused in words.
func TestTrainingSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Training)
		want   string
	}{
		{"no rounds", func(in *Training) { in.Rounds = -1 }, ""},
		{"too many rounds", func(in *Training) { in.Rounds = MaxTrainRounds + 1 }, "1001 rounds"},
		{"too many games", func(in *Training) { in.Games = MaxTrainGames + 1 }, "100001 games a round"},
		{"rate", func(in *Training) { in.Rate = 2 }, "learning rate is 2"},
		{"odd matches", func(in *Training) { in.Matches = 3 }, "matches of 3 games"},
		{"workers", func(in *Training) { in.Workers = -1 }, "workers is -1"},
		{"a game that learns nothing", func(in *Training) { in.Game = plain{in.Game} }, "no evaluation that learns"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := quickTraining(t)
			test.change(&in)
			if test.want == "" {
				in.Rounds = 0 // stands for the recipe's
				if tr, err := newTrainer(in); err != nil || tr.recipe.Rounds < 1 {
					t.Errorf("the recipe's rounds are not taken: %v", err)
				}
				return
			}
			err := Train(t.Context(), io.Discard, nil, in, false)
			if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("another training's file", func(t *testing.T) {
		in := quickTraining(t)
		in.Rounds, in.Games, in.Resume = 1, 2, filepath.Join(t.TempDir(), "training")
		trained(t, in)
		in.Seed++
		if err := Train(t.Context(), io.Discard, nil, in, false); !errors.Is(err, ErrResume) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no training's file", func(t *testing.T) {
		in := quickTraining(t)
		in.Resume = filepath.Join(t.TempDir(), "training")
		if err := os.WriteFile(in.Resume, []byte("something else"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Train(t.Context(), io.Discard, nil, in, false); !errors.Is(err, ErrResume) {
			t.Errorf("got %v", err)
		}
	})
}

// TestTrainingSaysHowItGoes reads the line about a round.
func TestTrainingSaysHowItGoes(t *testing.T) {
	in := quickTraining(t)
	in.Rounds, in.Games, in.Matches = 1, 4, 4
	var out bytes.Buffer
	if err := Train(t.Context(), &out, nil, in, true); err != nil {
		t.Fatal(err)
	}
	var r trainedRound
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Game != "flugelrad" || r.Round != 1 || r.Games != 4 || r.Positions == 0 || r.Before == nil || r.ByHand == nil {
		t.Errorf("got %s", &out)
	}
}

// TestPlayersByTables finds players with another evaluation, and refuses what is none.
func TestPlayersByTables(t *testing.T) {
	folder, g := t.TempDir(), flugelrad.New()
	tables := filepath.Join(folder, "tables.bin")
	in := quickTraining(t)
	in.Rounds, in.Games, in.Write = 1, 1, tables
	trained(t, in)
	torn := filepath.Join(folder, "torn.bin")
	content, err := os.ReadFile(tables)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(torn, content[:len(content)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, spec, wrong string
		game              games.Game
	}{
		{"by hand", "master:50@hand", "", g},
		{"by tables", "club@" + tables, "", g},
		{"torn", "club@" + torn, "no usable tables", g},
		{"of another game", "club@" + tables, "no usable tables", momentum.New()},
		{"of a game that learns nothing", "random@" + tables, "no evaluation that learns", plain{g}},
		{"no file", "club@" + folder + "/none", "no such file", g},
		{"a level that evaluates nothing", "greedy@hand", "evaluates nothing", g},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := findPlayer(test.game, test.spec)
			switch {
			case test.wrong == "" && err != nil:
				t.Error(err)
			case test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestTrainingOptionSets begins games from the option sets of the recipe where the options are the game's own, and else from the
// options alone.
func TestTrainingOptionSets(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []string
		want    int
	}{
		{"the game's own options", nil, 2},
		{"others", []string{"connect=7"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := quickTraining(t)
			in.Options, in.Games, in.Nodes = complete(t, in.Game, test.options...), 16, 10
			tr, err := newTrainer(in)
			if err != nil {
				t.Fatal(err)
			}
			played, err := tr.playRound(t.Context(), nil, tr.evaluation())
			if err != nil {
				t.Fatal(err)
			}
			begun := map[int]bool{}
			for _, g := range played {
				begun[g.Start] = true
			}
			if len(begun) != test.want || len(tr.starts) != test.want {
				t.Errorf("games began from %d of %d positions, want %d", len(begun), len(tr.starts), test.want)
			}
			if !tr.starts[0].Options().Equal(in.Options) {
				t.Errorf("the first begins with %s", tr.starts[0].Options())
			}
		})
	}
}
