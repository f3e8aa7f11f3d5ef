// Package wording puts games, matches, players, presence, clocks and errors into words, for screens and commands alike.
package wording

import (
	"fmt"
	"math"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// Words are what the program says to one reader: the sentences of text.Say, and what is made of them. The zero value is English. It is a small
// value, safe for concurrent use.
type Words struct {
	text.Say
	zone *time.Location // in which the reader reads times; nil is UTC
}

// In returns the language with the given code, and English for a code that is not offered.
func In(code string) Words { return Words{Say: text.In(code)} }

// FromLocale returns the language that a client's environment asks for, as text.FromLocale does.
func FromLocale(environ []string) Words { return Words{Say: text.FromLocale(environ)} }

// In returns the language with the given code for the same club, terminal and time zone.
func (s Words) In(code string) Words { return Words{s.Say.In(code), s.zone} }

// At returns the same words for a club at the given address.
func (s Words) At(a text.Address) Words { return Words{s.Say.At(a), s.zone} }

// ForASCII returns the same words for a terminal that knows only ASCII, if ascii is true, or for one that knows UTF-8.
func (s Words) ForASCII(ascii bool) Words { return Words{s.Say.ForASCII(ascii), s.zone} }

// InZone returns the same words with times in the time zone of an IANA name; in UTC if there is none of that name.
func (s Words) InZone(name string) Words {
	s.zone = nil
	if zone, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
		s.zone = zone
	}
	return s
}

// Chosen returns what a player has chosen in place of the language and the character set of s, which are those that the client names, with times in the
// player's time zone.
func (s Words) Chosen(c accounts.Settings) Words {
	s = s.InZone(c.Zone)
	if c.Language != "" {
		s = s.In(c.Language)
	}
	if c.Charset != "" {
		s = s.ForASCII(c.Charset == accounts.CharsetASCII)
	}
	return s
}

// Name returns the name of a player for display. All players who deleted their accounts share one word of the language.
func (s Words) Name(name string) string {
	if name == accounts.FormerPlayer {
		return s.T("former player")
	}
	return text.Clean(name)
}

// YouPlay tells the reader their side: you play first.
func (s Words) YouPlay(side games.Side) string {
	if side == games.First {
		return s.T("you play first")
	}
	return s.T("you play second")
}

// Ending returns in words how a match with options o ended: "ana wins: rui resigned", "rui wins: 7 captures". result and reason are
// from a match that is over; first and second are the names of the two sides.
func (s Words) Ending(about *games.About, o games.Options, result, reason, first, second string) string {
	why := s.Reason(about, o, result, reason, first, second)
	switch result {
	case "first":
		return s.T("%s wins: %s", first, why)
	case "second":
		return s.T("%s wins: %s", second, why)
	case "draw":
		return s.T("Draw: %s", why)
	default:
		return s.T("No result: %s", why)
	}
}

// Temporary returns the sentence that tells why a match with this result is not kept, and how long it can be seen. A match without a result is
// void.
func (s Words) Temporary(result string) string {
	if result == "" {
		return s.T("This match is void: it is gone an hour after its end.")
	}
	return s.T("This match is too short to be kept: it is gone an hour after its end.")
}

// AtMove returns how far a match is: "move 12", or "no move yet".
func (s Words) AtMove(ply int) string {
	if ply == 0 {
		return s.T("no move yet")
	}
	return s.T("move %d", ply)
}

// Noted returns a note of the reader's on the position after some moves.
func (s Words) Noted(ply int, note string) string {
	if ply == 0 {
		return s.T("before the first move: %s", text.Clean(note))
	}
	return s.T("after move %d: %s", ply, text.Clean(note))
}

// Reason returns in words why a match ended: "ana resigned", "7 captures". The arguments are the same as for Ending; about is nil for a game
// that the club doesn't know.
func (s Words) Reason(about *games.About, o games.Options, result, reason, first, second string) string {
	loser := ""
	switch result {
	case "first":
		loser = second
	case "second":
		loser = first
	}
	switch reason {
	case "resigned":
		return s.T("%s resigned", loser)
	case "abandoned":
		// Translators: the player has left the match and not come back.
		return s.T("%s left", loser)
	case "claimed":
		if loser == "" {
			return s.T("one side was gone for too long")
		}
		return s.T("%s was gone for too long", loser)
	case "timeout":
		if result == "" {
			return s.T("the first move did not come in time")
		}
		return s.T("%s ran out of time", loser)
	case "aborted":
		return s.T("called off")
	case "adjudicated":
		return s.T("decided by the operator")
	case "agreement":
		return s.T("both sides agreed")
	case "length_limit":
		return s.T("the match was too long")
	}
	if about != nil && about.Reasons[reason] != "" {
		return o.FillForms(s.T(about.Reasons[reason]), s.Form)
	}
	return s.T("the match is over")
}

// The least values of positions that are called better and much better. A man, marble or the like is some 100.
const (
	better     = 40
	muchBetter = 150
)

// Hint returns a hint in words: the move, and what is known or believed about it.
func (s Words) Hint(h lobby.Hint) string {
	move := string(h.Move)
	switch {
	case h.Proven && h.Plies == 1:
		return s.T("A hint: %s wins at once.", move)
	case h.Proven && h.Plies > 0:
		return s.N(h.Plies, "A hint: %s wins in one move at most.", "A hint: %s wins in %d moves at most.", move, h.Plies)
	case h.Proven && h.Plies < 0:
		return s.T("A hint: %s. The other side wins all the same, but this is the longest way.", move)
	case !h.Ahead:
		return s.T("A hint: %s.", move)
	case h.Value >= muchBetter:
		return s.T("A hint: %s. You stand much better.", move)
	case h.Value >= better:
		return s.T("A hint: %s. You stand better.", move)
	case h.Value > -better:
		return s.T("A hint: %s. Both sides stand about equal.", move)
	case h.Value > -muchBetter:
		return s.T("A hint: %s. The other side stands better.", move)
	}
	return s.T("A hint: %s. The other side stands much better.", move)
}

// levelWords say how strong a computer player is, from up to which share of the way from the weakest one to the strongest of a game. None is like
// the name of a computer player: Club may be moderate, and Beginner easy.
var levelWords = [...]struct {
	upTo  float64
	words string
}{
	{0.25, text.T("very easy")}, {0.5, text.T("easy")}, {0.7, text.T("moderate")}, {0.87, text.T("fairly strong")}, {0.95, text.T("strong")}, {1, text.T("very strong")},
}

// LevelStrength returns in a word or two how strong level i is in a game, as measured in that game: a level of the same name may be easier to
// beat in one game than in another. It returns "" if the levels were not measured in the game.
func (s Words) LevelStrength(levels []lobby.Level, i int, game string) string {
	strongest := 0
	for _, l := range levels {
		strongest = max(strongest, l.Ratings[game])
	}
	if strongest == 0 {
		return ""
	}
	share := float64(levels[i].Ratings[game]) / float64(strongest)
	for _, w := range levelWords {
		if share <= w.upTo {
			return s.T(w.words)
		}
	}
	return ""
}

// LevelMeasure is LevelStrength with the rating of the level, which tells it from others in the same words: "easy, 941 points".
func (s Words) LevelMeasure(levels []lobby.Level, i int, game string) string {
	words, points := s.LevelStrength(levels, i, game), levels[i].Ratings[game]
	switch {
	case points == 0 || words == "":
		return words
	case levels[i].Above[game]:
		// Translators: how strong a computer player is in a word or two, and by how many rating points at least it is above the weakest one.
		return s.N(points, "%s, over %d point", "%s, over %d points", words, points)
	}
	// Translators: how strong a computer player is in a word or two, and by how many rating points it is above the weakest one.
	return s.N(points, "%s, %d point", "%s, %d points", words, points)
}

// Chance returns how likely one is to win against a computer player, from 0 to 1. Nobody is told that a result is certain.
func (s Words) Chance(chance float64) string {
	return s.T("your chance: %d%%", max(1, min(int(math.Round(100*chance)), 99)))
}

// Offers returns the sentence that the player by offers the other side of a match a draw, a takeback, to adjourn it, or a rematch.
func (s Words) Offers(kind, by string) string {
	by = s.Name(by)
	switch kind {
	case matches.OfferDraw:
		return s.T("%s offers a draw.", by)
	case matches.OfferTakeback:
		return s.T("%s asks to take a move back.", by)
	case matches.OfferAdjourn:
		return s.T("%s asks to adjourn the match: its clock would stand.", by)
	}
	return s.T("%s would like a rematch.", by)
}

// OwnOffer is Offers for the player who has made the offer.
func (s Words) OwnOffer(kind string) string {
	switch kind {
	case matches.OfferDraw:
		return s.T("You offer a draw.")
	case matches.OfferTakeback:
		return s.T("You ask to take a move back.")
	case matches.OfferAdjourn:
		return s.T("You ask to adjourn the match.")
	}
	return s.T("You ask for a rematch.")
}

// Declines returns the sentence that the player by declines an offer of the other side of a match: a draw, a takeback, a rematch or the match
// itself.
func (s Words) Declines(kind, by string) string {
	switch kind {
	case matches.OfferDraw:
		return s.T("%s declines the draw.", by)
	case matches.OfferTakeback:
		return s.T("%s declines the takeback.", by)
	case matches.OfferAdjourn:
		return s.T("%s declines to adjourn the match.", by)
	case OfRematch:
		return s.T("%s declines the rematch.", by)
	}
	return s.T("%s declines the challenge.", by)
}

// The kinds of offers of Offers and Declines, besides a draw and a takeback.
const (
	OfRematch   = "rematch"
	OfChallenge = "challenge"
)

// Helped returns which help was taken in a match, or "" if none was.
func (s Words) Helped(h results.Help) string {
	var words []string
	if h.Hints > 0 {
		words = append(words, s.N(h.Hints, "one hint", "%d hints"))
	}
	if h.Takebacks > 0 {
		words = append(words, s.N(h.Takebacks, "one takeback", "%d takebacks"))
	}
	if len(words) == 0 {
		return ""
	}
	return s.T("With help: %s.", strings.Join(words, ", "))
}

// CutOff returns the sentence that the session's node is cut off from the store or, if cutOff is false, has reached it again. full tells that the
// cause is, or was, a full store.
func (s Words) CutOff(cutOff, full bool) string {
	switch {
	case cutOff && full:
		return s.T("The club's store is full: matches and clocks stand still until its operator makes room. Nothing is lost.")
	case cutOff:
		return s.T("Out of touch with the club. The clocks here stand still; nothing is lost. Wait, or connect again.")
	case full:
		return s.T("There is room in the club's store again. You can go on.")
	}
	return s.T("In touch with the club again. You can go on.")
}

// RecoveryCode returns what to do with a new recovery code.
func (s Words) RecoveryCode(code string) string {
	return s.T("Your recovery code is %s. Write it down: it lets a new key in when you lose yours, and is shown only this once.", code)
}

// Discounts returns the reasons why a rated match counted less than fully, or not at all. There are none if it counted fully for both sides.
func (s Words) Discounts(changes [2]results.RatingChange, seats [2]storage.Occupant) []string {
	switch first, second := changes[0], changes[1]; {
	case first.Why == results.Unrated:
		return []string{s.T("It doesn't count: the operator has decided so.")}
	case first.Why == results.DailyLimit:
		return []string{s.T("It doesn't count: no more than %d rated matches of a player count in 24 hours.", results.DailyMatches)}
	case first.Why == results.SameMoves:
		return []string{s.T("It doesn't count: the two have played the same moves to the same end before.")}
	case first.Why == results.Unsettled:
		return []string{s.T("It doesn't count: while a rating is provisional, ten matches of the same two players count in 24 hours.")}
	case first.Why == results.Repeated && first.Weight == 0:
		return []string{s.T("It doesn't count: the two have played this game too often in 24 hours.")}
	case first.Why == results.Repeated && second.Why == results.Repeated:
		return []string{s.T("It counts %s: the two have played this game several times in 24 hours.", part(first.Weight))}
	case first.Why == results.NewAccount && second.Why == results.NewAccount:
		return []string{s.T("It counts %s: both accounts are less than a day old.", part(first.Weight))}
	}
	var sentences []string
	for side, c := range changes {
		name := text.Clean(seats[side].Name)
		switch c.Why {
		case results.Repeated:
			sentences = append(sentences, s.T("For %s it counts %s: the two have played this game several times in 24 hours.", name, part(c.Weight)))
		case results.NewAccount:
			sentences = append(sentences, s.T("For %s it counts %s: the other account is less than a day old.", name, part(c.Weight)))
		case results.Dependent:
			sentences = append(sentences, s.T("For %s it counts %s: the opponent has hardly lost to anybody else, or plays from the same network.", name, part(c.Weight)))
		case results.Unproven:
			sentences = append(sentences, s.T("For %s it counts %s: the opponent has no rank yet.", name, part(c.Weight)))
		}
	}
	return sentences
}

// Stake returns the possible changes of a player's rating by a rated match, in three parts: "win +9", "draw +1", "loss -7".
func (s Words) Stake(of standings.Stake) []string {
	return []string{s.T("win %s", Points(of.Win)), s.T("draw %s", Points(of.Draw)), s.T("loss %s", Points(of.Loss))}
}

// Score returns a score in words: "3 won, 1 drawn, 0 lost".
func (s Words) Score(of results.Score) string {
	return s.N(of.Won, "%d won", "%d won") + ", " + s.N(of.Drawn, "%d drawn", "%d drawn") + ", " + s.N(of.Lost, "%d lost", "%d lost")
}

// GuestMatches returns the sentence that a player has taken over n matches of a guest with a code. If n is 0 the code stays valid.
func (s Words) GuestMatches(n int, player string) string {
	if n == 0 {
		return s.T("The guest has finished no match yet that is kept. The code still works.")
	}
	return s.N(n, "The guest's match belongs to %s now.", "%d matches of the guest belong to %s now.", n, player)
}

// Opening says how many rated matches came to a position, and what the move that most of them went on with scored for the side to move: "12
// matches came here; d4 scored 58%". It is "" if there was none.
func (s Words) Opening(op results.Opening, turn games.Side) string {
	n := op.Here.Matches()
	switch {
	case n == 0:
		return ""
	case len(op.Next) == 0:
		return s.N(n, "%d match came here", "%d matches came here")
	}
	most := op.Next[0]
	// Translators: how many rated matches came to a position, the move that most of them went on with, and the share of the points that it got.
	return s.N(n, "%d match came here; %s scored %d%%", "%d matches came here; %s scored %d%%", n, string(most.Move), percent(most.Score(turn)))
}

// Percent returns a share from 0 to 1 in percent.
func (s Words) Percent(share float64) string { return s.T("%d%%", percent(share)) }

func percent(share float64) int { return int(math.Round(100 * share)) }

// Finished returns the sentence that a player has finished a share, 0 to 1, of the matches that they started.
func (s Words) Finished(share float64) string { return s.T("Finishes %d%% of matches", int(100*share)) }

// FinishesShort is Finished in few words.
func (s Words) FinishesShort(share float64) string { return s.T("finishes %d%%", int(100*share)) }

// Points returns a change of a rating in whole points: "+9", "-7", "0".
func Points(gain float64) string {
	if math.Abs(gain) < 0.5 {
		return "0"
	}
	return fmt.Sprintf("%+.0f", gain)
}

// part returns a weight below 1 as a fraction: "1/4".
func part(weight float64) string { return fmt.Sprintf("1/%.0f", 1/weight) }

const day = 24 * time.Hour

// Span returns a length of time in at most two short words: "2 d 3 h", "5 min". Less than a minute is "now".
func (s Words) Span(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return s.T("now")
	case d < time.Hour:
		return s.T("%d min", int(d/time.Minute))
	case d < 10*time.Hour && d%time.Hour >= time.Minute:
		return s.T("%d h %d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
	case d < day:
		return s.T("%d h", int(d/time.Hour))
	case d < 10*day && d%day >= time.Hour:
		// Translators: days and hours, as short as can be.
		return s.T("%d d %d h", int(d/day), int(d%day/time.Hour))
	default:
		return s.T("%d d", int(d/day))
	}
}

// Minute returns t to the minute, with the reader's time zone: 2006-01-02 15:04 Europe/Lisbon. It is UTC if they have chosen none.
func (s Words) Minute(t time.Time) string {
	at := s.local(t)
	return at.Format("2006-01-02 15:04 ") + at.Location().String()
}

// Date returns the day of t in the reader's time zone as 2006-01-02, which is read alike everywhere.
func (s Words) Date(t time.Time) string { return s.local(t).Format(time.DateOnly) }

// local returns t in the reader's time zone.
func (s Words) local(t time.Time) time.Time {
	if s.zone == nil {
		return t.UTC()
	}
	return t.In(s.zone)
}

// HowTo returns the page of rules of a game.
func (s Words) HowTo(about *games.About) string { return s.T(about.HowTo) }
