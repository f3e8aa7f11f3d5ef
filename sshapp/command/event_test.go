package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/tournaments"
)

// newEventClub is a club whose accounts of ana, rui, eva and zoe are old enough to announce events. It must be made in a bubble of synctest.
func newEventClub(t *testing.T) *fixture {
	h := newFixture(t)
	for _, name := range []string{"ana", "rui", "eva", "zoe"} {
		h.as(name, Done, "name "+name)
	}
	<-time.After(tournaments.MinAge)
	return h
}

// asOperator runs a command line for a caller who is an operator.
func (h *fixture) asOperator(name string, want int, line string) (out, complaints string) {
	h.t.Helper()
	who := key(name)
	who.Operator = true
	var o, c bytes.Buffer
	if got := h.run.Run(h.t.Context(), who, line, &o, &c); got != want {
		h.t.Fatalf("%s: %s: status %d, want %d\n%s%s", name, line, got, want, o.String(), c.String())
	}
	return o.String(), c.String()
}

// TestEventByCommands: an event is announced, entered, played and looked at by commands alone.
func TestEventByCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newEventClub(t)
		made := h.object("ana", "event new swiss 4mation --at +30m --rounds 1 --minimum 2 --name 'Tea at five' --json")
		code := made["code"].(string)
		if made["state"] != "open" || made["name"] != "Tea at five" || made["by"] != "ana" || made["entered"] != false || made["clock"] != "5+3" {
			t.Fatalf("announced %v", made)
		}
		for _, name := range []string{"ana", "rui"} {
			out, _ := h.as(name, Done, "event join "+strings.ToLower(code))
			if !strings.Contains(out, "You take part in Tea at five, which begins") {
				t.Errorf("join says %q", out)
			}
		}
		list, _ := h.as("rui", Done, "events")
		if !strings.Contains(list, code) || !strings.Contains(list, "begins in") || !strings.Contains(list, "2 players") || !strings.Contains(list, "you are in") {
			t.Errorf("events says %q", list)
		}
		<-time.After(30*time.Minute + time.Second)
		synctest.Wait()
		page := h.object("guest", "event show "+code+" --json")
		pairing := page["pairings"].([]any)[0].(map[string]any)
		if page["state"] != "running" || page["round"] != 1.0 || pairing["code"] == "" || pairing["result"] != "" {
			t.Fatalf("it runs as %v", page)
		}
		match := pairing["code"].(string)
		if out, _ := h.as("rui", Done, "event show "+code); !strings.Contains(out, "in match "+match) || !strings.Contains(out, "watch "+match) {
			t.Errorf("rui reads %q", out)
		}
		first, second := pairing["first"].(string), pairing["second"].(string)
		h.as(first, Done, "move "+match+" a1")
		h.as(second, Done, "move "+match+" b2")
		h.as(first, Done, "move "+match+" b1")
		h.as(second, Done, "move "+match+" c2")
		if _, said := h.as(first, Refused, "abort "+match); !strings.Contains(said, "resign instead") {
			t.Errorf("abort says %q", said)
		}
		h.as(first, Done, "resign "+match)
		synctest.Wait()
		<-time.After(time.Minute)
		page = h.object("guest", "event show "+code+" --json")
		place := page["standing"].([]any)[0].(map[string]any)
		if page["state"] != "over" || page["winner"] != second || place["name"] != second || place["points"] != 1.0 || page["pairings"].([]any)[0].(map[string]any)["result"] != "second" {
			t.Errorf("it ended as %v", page)
		}
		out, _ := h.as("guest", Done, "event show "+code)
		for _, want := range []string{"Tea at five (" + code + ")", "won by " + second, "round 1", "0-1", "2+", "1-"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		}
		if past, _ := h.as("guest", Done, "events --past"); !strings.Contains(past, "won by "+second) {
			t.Errorf("past says %q", past)
		}
		if record, _ := h.as("guest", Done, "record "+pairing["match"].(string)); !strings.Contains(record, `[Event "Tea at five"]`) || !strings.Contains(record, `[Round "1"]`) {
			t.Errorf("the record has no event:\n%s", record)
		}
	})
}

// TestEventRefusals: what is refused says why, for people and for scripts.
func TestEventRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newEventClub(t)
		code := h.object("ana", "event new arena tanks --at +1h --rating 0-1400 --json")["code"].(string)
		open := h.object("rui", "event new robin 4mation --at +2h --clock 3d --json")["code"].(string)
		h.as("eva", Done, "event join "+open)
		h.as("new", Done, "name novo")
		for _, tt := range []struct {
			name, line string
			status     int
			code       string
			words      string
		}{
			{"eva", "event show ZZZZZZ", Refused, "not_found", "events lists those"},
			{"eva", "event join " + code, Refused, "unavailable", "from 0 to 1400"},
			{"eva", "event join " + open, Refused, "conflict", "already"},
			{"eva", "event leave " + code, Refused, "not_yours", "no part"},
			{"eva", "event pause " + open, Refused, "not_open", "can't pause"},
			{"eva", "event off " + open, Refused, "not_yours", "Another player"},
			{"ana", "event new swiss tanks --at +1h", Refused, "conflict", "when it is over"},
			{"guest", "event join " + open, Refused, "guest", "key"},
			{"new", "event new swiss tanks --at +1h", Refused, "not_open", "eighth day"},
			{"zoe", "event new swiss tanks --at +10s", Refused, "illegal", "at least a minute"},
			{"zoe", "event new swiss tanks --at +2000h", Refused, "illegal", "60 days"},
			{"zoe", "event new swiss tanks --at 2100-01-01 20:00", Usage, "usage", "with its zone"},
			{"zoe", "event new jam tanks --at +1h", Usage, "usage", "The kinds are"},
			{"zoe", "event new swiss chess --at +1h", Refused, "not_found", "no game"},
			{"zoe", "event new medley tanks --at +1h", Usage, "usage", "two games"},
			{"zoe", "event new swiss tanks --at +1h --clock 3d", Refused, "illegal", "don't go together"},
			{"zoe", "event new swiss tanks --at +1h --rated --private", Refused, "illegal", "public event"},
			{"zoe", "event new swiss tanks --at +1h --name x", Refused, "bad_name", ""},
			{"zoe", "event new swiss tanks --at 2026-12-04 20:00 Europe/Lisbon --every week", Refused, "not_yours", "Only an operator"},
			{"zoe", "event new swiss tanks --at +1h --every day", Usage, "usage", "only be week"},
		} {
			var out, said bytes.Buffer
			status := h.run.Run(t.Context(), key(tt.name), tt.line+" --json", &out, &said)
			var j refusalJSON
			if err := json.Unmarshal(out.Bytes(), &j); err != nil {
				t.Errorf("%s: %q is no object", tt.line, out.String())
				continue
			}
			if status != tt.status || string(j.Error.Code) != tt.code || !strings.Contains(said.String(), tt.words) {
				t.Errorf("%s: status %d, code %s, %q; want %d, %s, %q", tt.line, status, j.Error.Code, said.String(), tt.status, tt.code, tt.words)
			}
		}
		h.as("ana", Done, "event off "+code)
		if _, said := h.as("ana", Refused, "event off "+code); said != "This event is over.\n" {
			t.Errorf("off again says %q", said)
		}
	})
}

// TestEventSeries: an operator makes a series and ends it, and the club announces its events.
func TestEventSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newEventClub(t)
		out, _ := h.asOperator("ana", Done, "event new arena tanks --every week --at 2000-01-07 20:00 Europe/Lisbon --name 'Friday arena' --json")
		made := decode(t, out)
		if made["state"] != "announced" || made["series"] == "" || made["code"] != "" {
			t.Fatalf("made %v", made)
		}
		<-time.After(2 * 24 * time.Hour)
		synctest.Wait()
		var found bool
		list, _ := h.as("guest", Done, "events --json")
		for line := range strings.Lines(list) {
			e := decode(t, line)
			begins, err := time.Parse(time.RFC3339, e["begins"].(string))
			lisbon, lost := time.LoadLocation("Europe/Lisbon")
			if err != nil || lost != nil {
				t.Fatal(err, lost)
			}
			found = found || e["series"] == made["series"] && e["by"] == "" && begins.In(lisbon).Format("Mon 15:04") == "Fri 20:00"
		}
		if !found {
			t.Errorf("no event of the series in %q", list)
		}
		if rows, _ := h.as("guest", Done, "events --series"); !strings.Contains(rows, "Europe/Lisbon") {
			t.Errorf("the series are %q", rows)
		}
		h.as("eva", Refused, fmt.Sprintf("event off %s", made["series"]))
		h.asOperator("ana", Usage, fmt.Sprintf("event off %s", made["series"]))
		h.asOperator("ana", Done, fmt.Sprintf("event off %s --reason nobody comes", made["series"]))
		var off string
		for line := range strings.Lines(list) {
			if e := decode(t, line); e["series"] == made["series"] {
				off = e["code"].(string)
			}
		}
		h.asOperator("ana", Done, "event off "+off+" --reason 'the club is closed'")
		_, said := h.asOperator("ana", Refused, "event off "+off+" --reason again")
		if said != "This event is over.\n" {
			t.Errorf("off again says %q", said)
		}
		log, err := h.run.lobby.Operators.As("test", lobby.NoSessions{}).Audit(t.Context(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		var acts []string
		for _, e := range log {
			acts = append(acts, fmt.Sprint(e.Verb, ", ", e.Subject, ", ", e.Reason))
		}
		want := []string{
			"event off, " + off + " Friday arena, the club is closed",
			fmt.Sprintf("event off, %s Friday arena, nobody comes", made["series"]),
		}
		if !slices.Equal(acts, want) {
			t.Errorf("the audit log has %q, want %q", acts, want)
		}
		if rows, _ := h.as("guest", Done, "events --series"); rows != "The club has no series of events.\n" {
			t.Errorf("the series are %q", rows)
		}
	})
}

// TestEventAtThePrompt: the line mode counts down, brings the user to the board of each round, and tells how the event has ended.
func TestEventAtThePrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newEventClub(t)
		code := h.object("eva", "event new swiss 4mation --at +30m --rounds 1 --minimum 2 --name 'Tea at five' --json")["code"].(string)
		for _, name := range []string{"ana", "rui"} {
			h.as(name, Done, "event join "+code)
		}
		ana := h.hear(key("ana"), true)
		defer ana.leaves(false)
		ana.hears("ana")
		ana.types("play 4mation first\n")
		ana.types("a1\n")
		ana.told.take()
		<-time.After(19*time.Minute + 58*time.Second)
		ana.hears("ana", "Tea at five begins in 10 min.")
		<-time.After(9 * time.Minute)
		ana.hears("ana", "Tea at five begins in 1 min.")
		ana.types("b") // half a move
		<-time.After(58 * time.Second)
		synctest.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		told := ana.told.take()
		if !strings.Contains(told, "Tea at five: you play ") && !strings.Contains(told, "Round 1 of Tea at five: you play ") || !strings.Contains(told, "goes to its board.") {
			t.Fatalf("ana is told %q", told)
		}
		page := h.object("guest", "event show "+code+" --json")
		pairing := page["pairings"].([]any)[0].(map[string]any)
		ana.types("\x15") // takes the half typed line back
		ana.types("show " + pairing["code"].(string) + "\nresign\n")
		synctest.Wait()
		<-time.After(time.Minute)
		if told := ana.told.take(); !strings.Contains(told, "Tea at five is over. Your place: 2 of 2.") {
			t.Errorf("ana is told %q", told)
		}
	})
}

// TestEventBringsToTheBoard: a user with nothing half typed is at the board as soon as the match begins, also from another one.
func TestEventBringsToTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newEventClub(t)
		code := h.object("eva", "event new swiss tanks --at +5m --rounds 1 --minimum 2 --json")["code"].(string)
		for _, name := range []string{"ana", "rui"} {
			h.as(name, Done, "event join "+code)
		}
		ana := h.hear(key("ana"), true)
		defer ana.leaves(false)
		ana.types("new 4mation\n")
		<-time.After(5*time.Minute + 2*time.Second)
		synctest.Wait()
		if told := ana.told.take(); !strings.Contains(told, "against rui. You are at its board now.") || !strings.Contains(told, "tanks> ") {
			t.Errorf("ana is told %q", told)
		}
	})
}

// TestWaitForEvents: wait ends when an event wants the player.
func TestWaitForEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newEventClub(t)
		code := h.object("eva", "event new arena tanks --at +5m --minimum 2 --json")["code"].(string)
		for _, name := range []string{"ana", "rui"} {
			h.as(name, Done, "event join "+code)
		}
		if soon := h.object("ana", "wait --for event --json"); soon["kind"] != "event_soon" || soon["event"] != code {
			t.Errorf("ana waited for %v", soon)
		}
		if round := h.object("ana", "wait --for event --json"); round["kind"] != "paired" || round["event"] != code || round["by"] != "rui" || round["code"] == "" {
			t.Errorf("ana waited for %v", round)
		}
	})
}
