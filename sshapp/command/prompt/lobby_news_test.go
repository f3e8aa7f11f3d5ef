package prompt

import (
	"fmt"
	"testing"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/news"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// TestAcceptedElsewhere: a caller who accepts a challenge in another session is told when it is their move, also if the match and the
// opponent's first move come as one piece of news.
func TestAcceptedElsewhere(t *testing.T) {
	ref := lobby.Ref{ID: "m1", Code: "K7QM2X"}
	before := lists.Yours{Invitations: []lists.Offer{{Ref: ref, Game: "petteia"}}}
	for _, tt := range []struct {
		name     string
		yourTurn bool
		want     string
	}{
		{"the opponent has not moved", false, "[]"},
		{"the opponent has moved", true, "[It is your move in match K7QM2X, against ana.]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var told []string
			n := News{Say: func() wording.Words { return wording.In("en") }, Match: NewMatch(wording.In("en")), Tell: func(words string) { told = append(told, words) }}
			var fold news.Fold
			fold.Take(before)
			n.tellAll(t.Context(), fold.Take(lists.Yours{Matches: []lists.Mine{{
				Ref: ref, Game: "petteia", YourTurn: tt.yourTurn, Started: time.UnixMilli(1), Opponent: storage.Occupant{Kind: storage.Person, Name: "ana"},
			}}}))
			if got := fmt.Sprint(told); got != tt.want {
				t.Errorf("told %s, want %s", got, tt.want)
			}
		})
	}
}
