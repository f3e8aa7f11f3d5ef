package learning

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A PracticeStore keeps the results of matches against computer players; see storage/results.
type PracticeStore interface {
	// Practice returns the practice of a player with these accounts, by the ids of the games.
	Practice(ctx context.Context, ids ...storage.PlayerID) (map[string]results.Practice, error)
}

// A PracticeConfig is what the service of practice ratings needs.
type PracticeConfig struct {
	Store        PracticeStore
	Restrictions Restrictions
	Games        []games.Game
	Levels       []thinking.Level // the weakest first
	Now          func() time.Time // the clock of events
}

// A Practice knows how strong players are against the computer players of each game, on the scale on which these are measured, and which one suits
// a player. It moves no rating among people. Any goroutine may use it.
type Practice struct{ config PracticeConfig }

// NewPractice returns the service.
func NewPractice(c PracticeConfig) *Practice { return &Practice{c} }

// A PracticeStanding is how strong a player is against the computer players of one game.
type PracticeStanding struct {
	rating.Estimate                 // the deviation as of now
	Played          int             // matches that counted
	Points          []PracticePoint // the last of these, the oldest first
}

// PracticeStandings are how strong a player is, by the ids of the games in which a match has counted.
type PracticeStandings map[string]PracticeStanding

// A PracticePoint is a match that counted, with the rating before and after it.
type PracticePoint struct {
	results.PracticeResult
	Before, After float64
	First         bool // of the player in the game: Before is what is assumed of a new player
}

// Standings returns the practice ratings of a user. Guests have none.
func (s *Practice) Standings(ctx context.Context, u match.User) (PracticeStandings, error) {
	if !u.Kind.HasAccount() {
		return nil, nil
	}
	return s.StandingsOf(ctx, u.Player())
}

// StandingsOf returns the practice ratings of the player with an id: from the results with all of the player's accounts.
func (s *Practice) StandingsOf(ctx context.Context, id storage.PlayerID) (PracticeStandings, error) {
	kept, err := s.config.Store.Practice(ctx, s.config.Restrictions.AccountsOf(id)...)
	if err != nil {
		return nil, refusal.OfStore(err)
	}
	all, now := PracticeStandings{}, s.config.Now()
	for game, p := range kept {
		if len(p.Last) > 0 {
			all[game] = standingOf(p, now)
		}
	}
	return all, nil
}

// standingOf returns the standing that follows from some results.
func standingOf(p results.Practice, now time.Time) PracticeStanding {
	estimates := rating.Practise(p)
	first := len(p.Last) - len(estimates)
	last := estimates[len(estimates)-1]
	standing := PracticeStanding{rating.PracticeNow(last, p.Prior, p.Last[len(p.Last)-1].At(), now), p.Played, nil}
	before := rating.Estimate{Rating: p.Prior.Rating}
	if p.Forgotten() > 0 { // what was before the first estimate is not known
		before, estimates, first = estimates[0], estimates[1:], first+1
	}
	for i, e := range estimates {
		standing.Points = append(standing.Points, PracticePoint{p.Last[first+i], before.Rating, e.Rating, first+i == 0 && p.Forgotten() == 0})
		before = e
	}
	return standing
}

// Change returns what a match has made of the practice rating of a user. ok is false if it did not count, or is not one of the last.
func (s *Practice) Change(ctx context.Context, u match.User, game string, id storage.MatchID) (p PracticePoint, ok bool, err error) {
	all, err := s.Standings(ctx, u)
	if err != nil {
		return p, false, err
	}
	points := all[game].Points
	i := slices.IndexFunc(points, func(p PracticePoint) bool { return p.Match == id })
	if i < 0 {
		return p, false, nil
	}
	return points[i], true, nil
}

// FirstLevel is the computer player that is proposed to a player who has no practice rating.
const FirstLevel = "pupil"

// A measured level is one with a rating in a game.
type measured struct {
	id     string
	rating int
}

// ladder returns the levels that were measured in a game, the weakest first. The scale begins with the weakest level of the club, so that is measured
// if any is.
func (s *Practice) ladder(game string) (all []measured) {
	some := false
	for i, l := range s.config.Levels {
		r, ok := l.Ratings[game]
		if some = some || ok; ok || i == 0 {
			all = append(all, measured{l.ID, r})
		}
	}
	if !some {
		return nil
	}
	slices.SortStableFunc(all, func(a, b measured) int { return cmp.Compare(a.rating, b.rating) })
	return all
}

// Proposed returns the level of a game that a player would beat about half the time, and for a player without a rating the first one. ok is
// false if the levels of the game were not measured.
func (s *Practice) Proposed(all PracticeStandings, game string) (level string, ok bool) {
	ladder := s.ladder(game)
	if ladder == nil {
		return "", false
	}
	standing, rated := all[game]
	if !rated {
		return ladder[first(ladder)].id, true
	}
	return nearestLevel(ladder, standing.Rating).id, true
}

// nearestLevel returns the level against which the expected score of a player is nearest to a half.
func nearestLevel(ladder []measured, strength float64) measured {
	return slices.MinFunc(ladder, func(a, b measured) int {
		return cmp.Compare(math.Abs(float64(a.rating)-strength), math.Abs(float64(b.rating)-strength))
	})
}

// first returns the place of the level that a new player meets first: FirstLevel, or else the one above the weakest.
func first(ladder []measured) int {
	if i := slices.IndexFunc(ladder, func(l measured) bool { return l.id == FirstLevel }); i >= 0 {
		return i
	}
	return min(1, len(ladder)-1)
}

// Chance returns the expected score of a player against a level of a game, from 0 to 1: the chance to win, where draws count half. known is false
// if the player has no practice rating there, or the level was not measured.
func (s *Practice) Chance(all PracticeStandings, game, level string) (chance float64, known bool) {
	standing, rated := all[game]
	ladder := s.ladder(game)
	i := slices.IndexFunc(ladder, func(l measured) bool { return l.id == level })
	if !rated || i < 0 {
		return 0, false
	}
	return rating.Chance(standing.Rating, float64(ladder[i].rating)), true
}

const (
	beyond      = 200 // how far below the second weakest level and above the strongest a new player may well be, in points
	leastSpread = 400 // the least deviation of what is assumed of a new player
)

// prior returns what is assumed of a new player of a game: anywhere between the second weakest level and the strongest, or a little beyond. The
// weakest level plays without any sense, so it says little about people.
func prior(ladder []measured) results.PracticePrior {
	low, high := float64(ladder[min(1, len(ladder)-1)].rating), float64(ladder[len(ladder)-1].rating)
	return results.PracticePrior{Rating: (low + high) / 2, Deviation: max(((high-low)/2+beyond)/rating.PriorShape, leastSpread)}
}

// reasonAdjudicated is the reason of a match that an operator has ended.
const reasonAdjudicated = "adjudicated"

// Match returns how a finished match counts for the practice rating of its player: nil if it doesn't. It counts if a player with an account played
// it to an end against a level that was measured in the game, from the start position, with the options with which the levels are measured
// (games.OptionsOf), without hints and takebacks; with a clock or without, for the levels were measured by the positions that they search.
// The store sees to it that each side has made two moves.
func (s *Practice) Match(f results.Finished) *results.PracticeMatch {
	player, level, score := f.First, f.Second, map[string]float64{"first": 1, "draw": 0.5}[f.Result]
	if player.Kind == storage.Bot {
		player, level, score = level, player, 1-score
	}
	switch {
	case f.Result == "", f.Reason == reasonAdjudicated, !player.Kind.HasAccount(), level.Kind != storage.Bot:
		return nil
	case f.Start > 0, f.From != "", f.Helped != results.Help{}, !s.usual(f.Game, f.Options):
		return nil
	}
	ladder := s.ladder(f.Game)
	i := slices.IndexFunc(ladder, func(l measured) bool { return l.id == level.ID })
	if i < 0 {
		return nil
	}
	return &results.PracticeMatch{
		Player: storage.PlayerID(player.ID), Prior: prior(ladder), Level: level.ID, Rating: ladder[i].rating, Score: score,
	}
}

// usual reports whether options are those with which the levels of a game are measured.
func (s *Practice) usual(game string, o games.Options) bool {
	g, ok := games.Find(s.config.Games, game)
	return ok && games.OptionsOf(g).Equal(o)
}
