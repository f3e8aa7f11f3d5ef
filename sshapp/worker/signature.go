package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// What a signature looks at, of each game.
const (
	signedSearches    = 3   // positions that each level searches
	signedNodes       = 300 // with this budget
	signedEvaluations = 400 // positions that are evaluated
	signedPlies       = 12  // random moves before a position that is searched
)

// Signature returns a short text that is the same for programs whose computer players find the same moves in the same games: a hash of how
// each game is searched, of what each level finds in a few positions, and of what the game's tables say of some hundred. Two programs that
// search otherwise, or have other tables, have different ones.
func Signature(all []games.Game) string {
	sum := sha256.New()
	memory := new(bot.Memory)
	for _, g := range all {
		p := games.ProfileOf(g)
		fmt.Fprintln(sum, g.About().ID, p.Contempt, p.Repeats, p.NoisyPlies, p.ProofShare, p.Length, p.Scale, p.Presets)
		signEvaluations(sum, g)
		for _, l := range memory.Levels(g) {
			if _, searches := l.Player.(bot.Thinker); searches {
				signSearches(sum, memory, g, l.ID)
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// signEvaluations writes what positions of random games are worth.
func signEvaluations(to io.Writer, g games.Game) {
	r := games.NewRandom(1)
	p := beginning(g)
	for range signedEvaluations {
		if p == nil {
			return
		}
		if s, ok := p.State().(games.Searchable); ok {
			fmt.Fprint(to, s.Search().Evaluate(), " ")
		}
		if p = randomMove(p, r); p == nil {
			p = beginning(g)
		}
	}
}

// signSearches writes what a level finds.
func signSearches(to io.Writer, memory *bot.Memory, g games.Game, level string) {
	l, err := memory.Find(g, fmt.Sprint(level, ":", signedNodes))
	if err != nil {
		fmt.Fprintln(to, level, err)
		return
	}
	r, p := games.NewRandom(2), beginning(g)
	for i := range signedSearches {
		if p == nil {
			return
		}
		t, err := l.Player.(bot.Thinker).Think(context.Background(), p, games.NewRandom(uint64(i)))
		fmt.Fprintln(to, level, t, err)
		for range signedPlies {
			next := randomMove(p, r)
			if next == nil {
				break
			}
			p = next
		}
	}
}

// beginning returns the position from which a match against the computer begins; nil if there is none.
func beginning(g games.Game) games.Position {
	p, err := g.New(games.OptionsOf(g))
	if err != nil {
		return nil
	}
	return p
}

// randomMove returns the position after a random move, or nil if the game is over then.
func randomMove(p games.Position, r *games.Random) games.Position {
	moves := p.Legal()
	if len(moves) == 0 {
		return nil
	}
	next, err := p.Play(moves[r.N(len(moves))])
	if err != nil || next.Result().Over {
		return nil
	}
	return next
}
