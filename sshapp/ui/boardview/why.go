package boardview

import (
	"strings"

	"ludoteca/games"
	"ludoteca/games/flugelrad"
	"ludoteca/games/fourmation"
	"ludoteca/games/momentum"
	"ludoteca/games/petteia"
	"ludoteca/games/tanks"
	"ludoteca/sshapp/text"
)

// Why says why a move of a side was a mistake, after the name of the move: "lets rui win within 2 own moves, beginning with e4". names are the
// players. It is "" for a kind of claims without a sentence.
func Why(say text.Say, c games.Claim, names [2]string, by games.Side) string {
	own, other, m := names[by], names[by.Other()], string(c.Move)
	switch c.Kind {
	case games.WouldWin:
		if c.Count == 1 {
			return say.T("misses %s, which wins at once", m)
		}
		return say.N(c.Count, "%s would have won within one own move", "%s would have won within %d own moves", m, c.Count)
	case games.LetsWin:
		if c.Count == 1 {
			return say.T("lets %s win at once with %s", other, m)
		}
		return say.N(c.Count, "lets %s win within one own move, beginning with %s", "lets %s win within %d own moves, beginning with %s", other, c.Count, m)
	}
	for _, words := range [...]func(say text.Say, c games.Claim, own, other string) string{whyMomentum, whyPetteia, whyFourmation, whyFlugelrad, whyTanks} {
		if sentence := words(say, c, own, other); sentence != "" {
			return sentence
		}
	}
	return ""
}

// cellsOf returns the cells of a claim as people read them.
func cellsOf(say text.Say, c games.Claim) string {
	last := len(c.Cells) - 1
	if last < 1 {
		return strings.Join(c.Cells, "")
	}
	// Translators: cells of a board: "a1, b2 and c3".
	return say.T("%s and %s", strings.Join(c.Cells[:last], ", "), c.Cells[last])
}

func whyMomentum(say text.Say, c games.Claim, own, other string) string {
	cells, m := cellsOf(say, c), string(c.Move)
	switch c.Kind {
	case momentum.OwnPushed:
		return say.N(c.Count, "pushes one of %s's marbles off the board (%s)", "pushes %d of %s's marbles off the board (%s)", c.Count, own, cells)
	case momentum.PushMissed:
		return say.N(c.Count, "%s would have pushed one of %s's marbles off the board (%s)", "%s would have pushed %d of %s's marbles off the board (%s)", m, c.Count, other, cells)
	case momentum.OnlyPush:
		return say.N(c.Count, "gives up the only push: %s would have sent one of %s's marbles off the board (%s)", "gives up the only push: %s would have sent %d of %s's marbles off the board (%s)", m, c.Count, other, cells)
	case momentum.PushLet:
		return say.N(c.Count, "lets %s push a marble off the board with %s (%s)", "lets %s push %d marbles off the board with %s (%s)", other, c.Count, m, cells)
	}
	return ""
}

func whyPetteia(say text.Say, c games.Claim, _, other string) string {
	cells, m := cellsOf(say, c), string(c.Move)
	switch c.Kind {
	case petteia.MenMissed:
		return say.N(c.Count, "%s would have captured a man (%s)", "%s would have captured %d men (%s)", m, c.Count, cells)
	case petteia.MenLost:
		return say.N(c.Count, "lets %s capture a man with %s (%s)", "lets %s capture %d men with %s (%s)", other, c.Count, m, cells)
	case petteia.ManWalksIn:
		return say.T("loses the man on %s, which stops between two enemies", cells)
	}
	return ""
}

func whyFourmation(say text.Say, c games.Claim, _, other string) string {
	switch cells := cellsOf(say, c); c.Kind {
	case fourmation.LineOpen:
		return say.T("leaves %s open, where one more piece completes a line for %s", cells, other)
	case fourmation.LineMissed:
		return say.T("%s would have left only one piece missing from a line (%s)", string(c.Move), cells)
	}
	return ""
}

func whyFlugelrad(say text.Say, c games.Claim, own, other string) string {
	switch m := string(c.Move); c.Kind {
	case flugelrad.GroupBroken:
		return say.N(c.Count, "breaks up %s's group of one ball", "breaks up %s's group of %d balls", own, c.Count)
	case flugelrad.GroupLent:
		return say.N(c.Count, "links one of %s's balls", "links %d of %s's balls", c.Count, other)
	case flugelrad.GroupLet:
		return say.N(c.Count, "lets %s link one ball with %s", "lets %s link %d balls with %s", other, c.Count, m)
	case flugelrad.GroupLeft:
		return say.N(c.Count, "%s would have broken up %s's group of one ball", "%s would have broken up %s's group of %d balls", m, other, c.Count)
	case flugelrad.GroupMissed:
		return say.N(c.Count, "%s would have linked one of %s's balls", "%s would have linked %d of %s's balls", m, c.Count, own)
	}
	return ""
}

func whyTanks(say text.Say, c games.Claim, _, other string) string {
	cell, m := cellsOf(say, c), string(c.Move)
	switch c.Kind {
	case tanks.HeavyLost:
		return say.T("lets %s take the heavy tank on %s with %s", other, cell, m)
	case tanks.DestroyerLost:
		return say.T("lets %s take the destroyer on %s with %s", other, cell, m)
	case tanks.MediumLost:
		return say.T("lets %s take the medium tank on %s with %s", other, cell, m)
	case tanks.HeavyMissed:
		return say.T("%s would have taken a heavy tank", m)
	case tanks.DestroyerMissed:
		return say.T("%s would have taken a destroyer", m)
	case tanks.MediumMissed:
		return say.T("%s would have taken a medium tank", m)
	}
	return ""
}
