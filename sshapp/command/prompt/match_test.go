package prompt

import (
	"testing"

	"ludoteca/lobby"
	"ludoteca/lobby/news"
	"ludoteca/sshapp/wording"
)

// TestTells: the lists don't tell what the current match tells, nor that a match is over whose end it told before the user went on to the next one.
func TestTells(t *testing.T) {
	first, second := lobby.Ref{ID: "m1"}, lobby.Ref{ID: "m2"}
	m := NewMatch(wording.In("en"))
	n := News{Say: m.Say, Match: m, Tell: func(words string) { t.Errorf("told %q", words) }}
	m.ref = first
	n.tellAll(t.Context(), []news.Item{{Kind: news.Ended, Match: first}, {Kind: news.YourMove, Match: first}})
	m.end(first.ID)
	m.ref = second
	n.tellAll(t.Context(), []news.Item{{Kind: news.Ended, Match: first}})
	if m.tells("m3") {
		t.Error("a match that was never the current one is told nowhere")
	}
}
