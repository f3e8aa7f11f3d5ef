package notices

import (
	"strings"
	"testing"
	"time"

	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/notices"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	noticestore "ludoteca/storage/notices"
)

var rui = storage.Occupant{Kind: storage.Person, ID: "r", Name: "rui"}

// TestWords: a letter says what waits and what to type, in the language of the player, and holds no words of others but names.
func TestWords(t *testing.T) {
	match := notices.Match{Code: "K7QM2X", Game: fourmation.New(), Opponent: rui, Clock: clock.NewCorrespondence(3), Until: time.Date(2026, 1, 2, 15, 4, 0, 0, time.UTC)}
	open := match
	open.Until, open.Rated = time.Time{}, true
	say := func(language string) wording.Words {
		return wording.In(language).At(text.Address{Host: "play.example.com", Port: 22})
	}
	for _, tt := range []struct {
		language    string
		letter      notices.Letter
		title, text string
	}{
		{"", notices.Letter{Kind: notices.CodeAsked, Player: "ana", Code: "ABCDEFGH"}, "Your code for notices of Café Club",
			"ana wants notices of Café Club, a board-game club, at this address. If that is you, say within a day:\n\n    ssh play.example.com notify confirm ABCDEFGH\n\nIf it isn't, do nothing: then nothing else is sent here.\n"},
		{"en", notices.Letter{Kind: noticestore.YourMove, Matches: []notices.Match{match}}, "A match waits for your move",
			"4Mation, against rui: it is your move, until 2026-01-02 15:04 UTC.\n    ssh -t play.example.com join K7QM2X\n"},
		{"de", notices.Letter{Kind: noticestore.YourMove, Matches: []notices.Match{match, open}}, "2 Partien warten auf deinen Zug",
			"4Mation, gegen rui: Du bist am Zug, bis 2026-01-02 15:04 UTC.\n    ssh -t play.example.com join K7QM2X\n\n4Mation, gegen rui: Du bist am Zug.\n    ssh -t play.example.com join K7QM2X\n"},
		{"pt", notices.Letter{Kind: noticestore.Challenged, Matches: []notices.Match{open}}, "rui desafia-te",
			"rui desafia-te: 4Mation, 3 dias por lance, oficial.\n    ssh -t play.example.com join K7QM2X\n    ssh play.example.com decline K7QM2X\n"},
		{"", notices.Letter{Kind: noticestore.EventBegins, Event: noticestore.Event{Code: "ABCDEF", Name: "friday\r\n\x1b[2J", Begins: match.Until}}, "The event friday  [2J begins",
			"The event friday  [2J begins: 2026-01-02 15:04 UTC.\n    ssh -t play.example.com event show ABCDEF\n"},
	} {
		title, words := Words(say(tt.language), "Café Club", tt.letter)
		if title != tt.title || words != tt.text {
			t.Errorf("in %q:\n%s\n%s\nwant\n%s\n%s", tt.language, title, words, tt.title, tt.text)
		}
	}
	many := notices.Letter{Kind: noticestore.YourMove}
	for range 40 {
		many.Matches = append(many.Matches, match)
	}
	if _, words := Words(say(""), "Café Club", many); strings.Count(words, "join") != maxMatches || !strings.HasSuffix(words, "And 30 more matches.\n") {
		t.Errorf("forty matches:\n%s", words)
	}
}

// FuzzWords: no name adds a line to a letter, or moves a cursor.
func FuzzWords(f *testing.F) {
	f.Add("rui", "friday")
	f.Add("rui\r\nBcc: eve@example.com", "x\n\n\u2028\x1b[2J")
	f.Fuzz(func(t *testing.T, name, event string) {
		lines := func(name, event string) int {
			n := 0
			for _, kind := range []noticestore.NoticeKind{notices.CodeAsked, noticestore.YourMove, noticestore.Challenged, noticestore.EventBegins} {
				title, words := Words(wording.In(""), "Café Club", notices.Letter{
					Kind: kind, Player: name, Code: "ABCDEFGH", Event: noticestore.Event{Code: "ABCDEF", Name: event},
					Matches: []notices.Match{{Code: "K7QM2X", Game: fourmation.New(), Opponent: lobby.User{Kind: storage.Person, ID: "r", Name: name}.Occupant()}},
				})
				if strings.ContainsAny(title, "\r\n\x1b\u2028\u0085") || strings.ContainsAny(words, "\r\x1b\u2028\u0085") {
					t.Fatalf("%q and %q are said as %q and %q", name, event, title, words)
				}
				n += strings.Count(words, "\n")
			}
			return n
		}
		if lines(name, event) != lines("rui", "friday") {
			t.Fatalf("%q and %q change the lines", name, event)
		}
	})
}
