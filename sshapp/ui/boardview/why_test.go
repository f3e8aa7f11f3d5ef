package boardview

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/flugelrad"
	"ludoteca/games/fourmation"
	"ludoteca/games/momentum"
	"ludoteca/games/petteia"
	"ludoteca/games/tanks"
	"ludoteca/sshapp/text"
)

// TestWhy has a sentence for every kind of claims, for one thing and for several, in every language.
func TestWhy(t *testing.T) {
	one, three := []string{"a1"}, []string{"a1", "b2", "c3"}
	for _, tt := range []struct {
		claim games.Claim
		want  string
	}{
		{games.Claim{Kind: games.WouldWin, Move: "e4", Count: 1}, "misses e4, which wins at once"},
		{games.Claim{Kind: games.WouldWin, Move: "e4", Count: 3}, "e4 would have won within 3 own moves"},
		{games.Claim{Kind: games.LetsWin, Move: "e4", Count: 1}, "lets rui win at once with e4"},
		{games.Claim{Kind: games.LetsWin, Move: "e4", Count: 2}, "lets rui win within 2 own moves, beginning with e4"},
		{games.Claim{Kind: momentum.OwnPushed, Cells: one, Count: 1}, "pushes one of ana's marbles off the board (a1)"},
		{games.Claim{Kind: momentum.OwnPushed, Cells: three, Count: 3}, "pushes 3 of ana's marbles off the board (a1, b2 and c3)"},
		{games.Claim{Kind: momentum.PushMissed, Move: "d4", Cells: one, Count: 1}, "d4 would have pushed one of rui's marbles off the board (a1)"},
		{games.Claim{Kind: momentum.PushMissed, Move: "d4", Cells: three, Count: 3}, "d4 would have pushed 3 of rui's marbles off the board (a1, b2 and c3)"},
		{games.Claim{Kind: momentum.OnlyPush, Move: "d4", Cells: one, Count: 1}, "gives up the only push: d4 would have sent one of rui's marbles off the board (a1)"},
		{games.Claim{Kind: momentum.OnlyPush, Move: "d4", Cells: three, Count: 3}, "gives up the only push: d4 would have sent 3 of rui's marbles off the board (a1, b2 and c3)"},
		{games.Claim{Kind: momentum.PushLet, Move: "d4", Cells: one, Count: 1}, "lets rui push a marble off the board with d4 (a1)"},
		{games.Claim{Kind: momentum.PushLet, Move: "d4", Cells: three, Count: 3}, "lets rui push 3 marbles off the board with d4 (a1, b2 and c3)"},
		{games.Claim{Kind: petteia.MenMissed, Move: "a1-a5", Cells: one, Count: 1}, "a1-a5 would have captured a man (a1)"},
		{games.Claim{Kind: petteia.MenMissed, Move: "a1-a5", Cells: three, Count: 3}, "a1-a5 would have captured 3 men (a1, b2 and c3)"},
		{games.Claim{Kind: petteia.MenLost, Move: "a1-a5", Cells: one, Count: 1}, "lets rui capture a man with a1-a5 (a1)"},
		{games.Claim{Kind: petteia.MenLost, Move: "a1-a5", Cells: three, Count: 3}, "lets rui capture 3 men with a1-a5 (a1, b2 and c3)"},
		{games.Claim{Kind: petteia.ManWalksIn, Cells: one, Count: 1}, "loses the man on a1, which stops between two enemies"},
		{games.Claim{Kind: fourmation.LineOpen, Move: "a1", Cells: one, Count: 4}, "leaves a1 open, where one more piece completes a line for rui"},
		{games.Claim{Kind: fourmation.LineMissed, Move: "d4", Cells: one, Count: 4}, "d4 would have left only one piece missing from a line (a1)"},
		{games.Claim{Kind: flugelrad.GroupBroken, Count: 5}, "breaks up ana's group of 5 balls"},
		{games.Claim{Kind: flugelrad.GroupLent, Count: 5}, "links 5 of rui's balls"},
		{games.Claim{Kind: flugelrad.GroupLet, Move: "0:1", Count: 5}, "lets rui link 5 balls with 0:1"},
		{games.Claim{Kind: flugelrad.GroupLeft, Move: "0:1", Count: 5}, "0:1 would have broken up rui's group of 5 balls"},
		{games.Claim{Kind: flugelrad.GroupMissed, Move: "0:1", Count: 5}, "0:1 would have linked 5 of ana's balls"},
		{games.Claim{Kind: tanks.HeavyLost, Move: "d6xe4", Cells: one, Count: 1}, "lets rui take the heavy tank on a1 with d6xe4"},
		{games.Claim{Kind: tanks.DestroyerLost, Move: "d6xe4", Cells: one, Count: 1}, "lets rui take the destroyer on a1 with d6xe4"},
		{games.Claim{Kind: tanks.MediumLost, Move: "d6xe4", Cells: one, Count: 1}, "lets rui take the medium tank on a1 with d6xe4"},
		{games.Claim{Kind: tanks.HeavyMissed, Move: "d6xe4", Cells: one, Count: 1}, "d6xe4 would have taken a heavy tank"},
		{games.Claim{Kind: tanks.DestroyerMissed, Move: "d6xe4", Cells: one, Count: 1}, "d6xe4 would have taken a destroyer"},
		{games.Claim{Kind: tanks.MediumMissed, Move: "d6xe4", Cells: one, Count: 1}, "d6xe4 would have taken a medium tank"},
		{games.Claim{Kind: "of a game without sentences", Count: 1}, ""},
		{games.Claim{}, ""},
	} {
		if got := Why(text.Say{}, tt.claim, [2]string{"ana", "rui"}, games.First); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.claim, got, tt.want)
		}
		for _, lang := range text.Languages()[1:] {
			got := Why(text.In(lang.Code), tt.claim, [2]string{"ana", "rui"}, games.First)
			same := got == tt.want && tt.want != ""
			for _, part := range []string{"ana", "rui", string(tt.claim.Move), "%"} {
				same = same || strings.Contains(got, part) != strings.Contains(tt.want, part)
			}
			if same {
				t.Errorf("%s: %+v: %q, in English %q", lang.Code, tt.claim, got, tt.want)
			}
		}
	}
	if got := Why(text.Say{}, games.Claim{Kind: games.LetsWin, Move: "e4", Count: 1}, [2]string{"ana", "rui"}, games.Second); got != "lets ana win at once with e4" {
		t.Errorf("of the second side: %q", got)
	}
}
