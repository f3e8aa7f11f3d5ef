package chat

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
)

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		ok               bool
	}{
		{"a line", " good luck! ", "good luck!", true},
		{"another script", "καλή τύχη", "καλή τύχη", true},
		{"200 characters", strings.Repeat("字", 200), strings.Repeat("字", 200), true},
		{"201 characters", strings.Repeat("x", 201), "", false},
		{"a very long line", strings.Repeat(" ", 1<<20), "", false},
		{"nothing", "  ", "", false},
		{"a line end", "a\nb", "", false},
		{"an escape", "\x1b[2J", "", false},
		{"a C1 control", "a\u009bb", "", false},
		{"a change of direction", "a\u202eb", "", false},
		{"a zero width space", "a\u200bb", "", false},
		{"a private character", "a\ue000b", "", false},
		{"no text", "a\xffb", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Check(tt.text)
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("%.20q: %.20q, %v; want %.20q, %v", tt.text, got, ok, tt.want, tt.ok)
			}
		})
	}
}

// The users of the tests. Two of them sit in the match; the others are spectators.
var (
	ana  = storage.Occupant{Kind: storage.Person, ID: "ana"}
	rui  = storage.Occupant{Kind: storage.Person, ID: "rui"}
	eva  = storage.Occupant{Kind: storage.Person, ID: "eva"}
	zé   = storage.Occupant{Kind: storage.Guest, ID: "zé"}
	gil  = storage.Occupant{Kind: storage.Guest, ID: "gil"}
	them = []storage.Occupant{ana, rui, eva, zé, gil}
)

// TestSeen compares what each user sees with the plainest statement of the rules, line by line.
func TestSeen(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		seats := [2]storage.Occupant{ana, rapid.SampledFrom([]storage.Occupant{rui, zé}).Draw(r, "opponent")}
		talk := &Talk{Over: rapid.Bool().Draw(r, "over")}
		at := time.UnixMilli(0)
		for range rapid.IntRange(0, 2*chatstore.MaxLines+20).Draw(r, "lines") {
			by := rapid.SampledFrom(them).Draw(r, "by")
			at = at.Add(time.Second)
			talk = talk.with(Line{Room: RoomOf(seats, match.User(by)), At: at, By: by, Text: "x"})
		}
		reader := rapid.SampledFrom(them).Draw(r, "reader")
		blocked := map[storage.Occupant]bool{rapid.SampledFrom(them).Draw(r, "blocked"): true}
		off := rapid.Bool().Draw(r, "off")
		byCode := rapid.Bool().Draw(r, "by code")
		u := match.User(reader)
		lines, waiting := talk.Seen(Reader{
			User: u, Room: RoomOf(seats, u), Off: off, ByCode: byCode, Hidden: func(by storage.Occupant) bool { return blocked[by] },
		})

		seen := map[time.Time]bool{}
		for i, line := range lines {
			if i > 0 && line.At.Before(lines[i-1].At) {
				r.Fatal("the lines are not in order")
			}
			seen[line.At] = true
		}
		plays := reader == seats[0] || reader == seats[1]
		held := 0
		for room, all := range talk.Rooms {
			if len(all) > chatstore.MaxLines {
				r.Fatalf("%d lines are kept", len(all))
			}
			ofPlayers := chatstore.Room(room) == chatstore.PlayersRoom
			answered := false
			for _, line := range all {
				answered = answered || line.By == reader
			}
			for _, line := range all {
				want := ofPlayers == plays || plays && talk.Over
				want = want && !off && (line.By == reader || !blocked[line.By])
				if want && line.By.Kind == storage.Guest && reader.Kind == storage.Person && !answered && !(byCode && ofPlayers) {
					want, held = false, held+1
				}
				if seen[line.At] != want {
					r.Fatalf("%s sees the line of %s in room %d: %v, want %v", reader.ID, line.By.ID, room, seen[line.At], want)
				}
			}
		}
		if waiting != held {
			r.Fatalf("%d lines wait, want %d", waiting, held)
		}
	})
}

func TestHasCompany(t *testing.T) {
	bot := storage.Occupant{Kind: storage.Bot, ID: "pupil"}
	for _, tt := range []struct {
		name  string
		seats [2]storage.Occupant
		want  bool
	}{
		{"two players", [2]storage.Occupant{ana, rui}, true},
		{"a guest", [2]storage.Occupant{zé, ana}, true},
		{"a computer player", [2]storage.Occupant{ana, bot}, false},
		{"one keyboard", [2]storage.Occupant{ana, ana}, false},
		{"a free seat", [2]storage.Occupant{ana, {}}, false},
	} {
		if got := HasCompany(tt.seats, match.User(ana)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
