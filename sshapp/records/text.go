package records

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/standings"
	"ludoteca/storage/results"
)

// A Writer writes records of matches of its games.
type Writer []games.Game

// Text returns the text of a record, which must be whole.
func (w Writer) Text(f results.Finished) ([]byte, error) {
	var text bytes.Buffer
	err := w.Of(f).Write(&text)
	return text.Bytes(), err
}

// Size returns how many bytes Text makes of a record, which needs no moves: the store knows how long they are where the first side begins.
func (w Writer) Size(r results.Record) (int, error) {
	head := r.Finished
	head.Course = results.Course{}
	record := w.Of(head)
	var text bytes.Buffer
	err := record.Write(&text)
	numbers := games.NumbersLen(r.Plies, record.Begins) - games.NumbersLen(r.Plies, games.First)
	return text.Len() - record.MovesLen() + r.Length + numbers, err
}

// Begins returns the side that made the first move of a match; the first one for a game or a position that is no longer known.
func (w Writer) Begins(f results.Finished) games.Side {
	if f.From == "" {
		return games.First
	}
	g, ok := games.Find(w, f.Game)
	if !ok {
		return games.First
	}
	side, err := games.Beginner(g, f.From)
	if err != nil {
		return games.First
	}
	return side
}

// Of makes the record of a match. Without the moves of the match it has none.
func (w Writer) Of(f results.Finished) *games.Record {
	rated := "no"
	if f.Rated {
		rated = "yes"
	}
	r := f.Notation()
	r.Begins = w.Begins(f)
	r.Set(games.HeaderGame, f.Game)
	r.Set(games.HeaderOptions, f.Options.String())
	r.Set(games.HeaderFirst, f.First.Name)
	r.Set(games.HeaderSecond, f.Second.Name)
	r.Set(games.HeaderResult, r.Result)
	r.Set(games.HeaderReason, f.Reason)
	r.Set(games.HeaderStarted, stamp(f.Started))
	r.Set(games.HeaderEnded, stamp(f.Ended))
	r.Set(games.HeaderRated, rated)
	r.Set(games.HeaderID, string(f.ID))
	r.Set(games.HeaderSite, "Ludoteca")
	if of := f.Tournament; of.ID != "" {
		r.Set(games.HeaderEvent, of.Name)
		r.Set(games.HeaderRound, strconv.Itoa(of.Round))
	}
	r.Set(games.HeaderFirstKind, string(f.First.Kind))
	r.Set(games.HeaderSecondKind, string(f.Second.Kind))
	if f.Ratings != nil {
		for side, keys := range [2][2]string{{games.HeaderFirstRating, games.HeaderFirstChange}, {games.HeaderSecondRating, games.HeaderSecondChange}} {
			before := standings.RatingBefore(f.Ratings[side])
			after := before + standings.Gain(f.Ratings[side])
			r.Set(keys[0], strconv.Itoa(int(math.Round(before))))
			r.Set(keys[1], fmt.Sprintf("%+d", int(math.Round(after)-math.Round(before))))
		}
	}
	if f.Start > 0 {
		r.Set(games.HeaderGiven, strconv.Itoa(f.Start))
	}
	if f.From != "" {
		r.Set(games.HeaderSetUp, "1")
		r.Set(games.HeaderFEN, f.From)
	}
	if f.Helped != (results.Help{}) {
		r.Set(games.HeaderHelped, helpWords(f.Helped))
	}
	if f.Clock != "" {
		r.Set(games.HeaderClock, f.Clock)
	}
	if f.Ratings != nil && (f.Ratings[0].Weight != 1 || f.Ratings[1].Weight != 1) {
		r.Set(games.HeaderCounted, countWords(f.Ratings[0])+", "+countWords(f.Ratings[1]))
	}
	return r
}

// countWords says how much a match counted for a player, and why not fully: "0.25 new_account".
func countWords(c results.RatingChange) string {
	return strings.TrimSpace(strconv.FormatFloat(c.Weight, 'g', -1, 64) + " " + string(c.Why))
}

// helpWords says what help was taken: "2 hints, 1 takeback".
func helpWords(h results.Help) string {
	var words []string
	for _, k := range []struct {
		n    int
		what string
	}{{h.Hints, "hint"}, {h.Takebacks, "takeback"}} {
		switch k.n {
		case 0:
		case 1:
			words = append(words, "1 "+k.what)
		default:
			words = append(words, fmt.Sprintf("%d %ss", k.n, k.what))
		}
	}
	return strings.Join(words, ", ")
}

// stamp returns a time as records have it, "" for one that hasn't come.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
