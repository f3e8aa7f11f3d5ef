package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

// clockMatch is a match with a clock between two players.
type clockMatch struct {
	players [2]gossh.Signer
	names   [2]string
	code    string
	at      time.Time // when it was looked at last
	left    [2]time.Duration
	running int
}

// shownClock is what show says of a clock.
type shownClock struct {
	Moves  []string
	Legal  []string
	Reason string
	Clock  struct {
		Kind    string
		Base    int    `json:"base_s"`
		First   *int64 `json:"first_ms"`
		Second  *int64 `json:"second_ms"`
		Running string
	}
}

// look notes what the clock of the match shows.
func (m *clockMatch) look(t *testing.T, addr string) shownClock {
	t.Helper()
	client := mustDial(t, addr, m.names[0], m.players[0])
	defer client.Close()
	var now shownClock
	out, err := ask(client, "show "+m.code+" --json")
	if err == nil {
		err = json.Unmarshal(out, &now)
	}
	if err != nil || now.Clock.First == nil || now.Clock.Second == nil {
		t.Fatalf("%s, %v", out, err)
	}
	m.at, m.running = time.Now(), 0
	m.left = [2]time.Duration{time.Duration(*now.Clock.First) * time.Millisecond, time.Duration(*now.Clock.Second) * time.Millisecond}
	if now.Clock.Running == "second" {
		m.running = 1
	}
	return now
}

// move makes the first legal move for a side.
func (m *clockMatch) move(t *testing.T, addr string, side int) {
	t.Helper()
	now := m.look(t, addr)
	client := mustDial(t, addr, m.names[side], m.players[side])
	defer client.Close()
	if _, err := ask(client, "move "+m.code+" "+now.Legal[0]); err != nil {
		t.Fatal(err)
	}
}

// TestClocksGoOn stops and kills the club while matches with clocks run: afterwards each side has what it had, less the time that the
// club ran, and 20 s more. A club that is killed may have lost the time since its last heartbeat; that this is a second is tested where
// time is virtual (lobby).
func TestClocksGoOn(t *testing.T) {
	const pairs, each, more = 2, 5, 20 * time.Second
	data := t.TempDir()
	club := startClub(t, data)
	var all []*clockMatch
	for i := range pairs {
		players := [2]gossh.Signer{newSigner(t), newSigner(t)}
		names := [2]string{fmt.Sprint("ana", i), fmt.Sprint("rui", i)}
		lines := [2]*gossh.Client{mustDial(t, club.addr, names[0], players[0]), mustDial(t, club.addr, names[1], players[1])}
		for j := range each {
			out, err := ask(lines[0], "new petteia --side first --clock 30+0")
			if err != nil {
				t.Fatal(err)
			}
			m := &clockMatch{players: players, names: names, code: strings.Fields(string(out))[0]}
			if _, err := ask(lines[1], "join "+m.code); err != nil {
				t.Fatal(err)
			}
			for ply := range 2 + j%2 {
				m.move(t, club.addr, ply%2)
			}
			all = append(all, m)
		}
	}
	for round, end := range []struct {
		how string
		do  func()
	}{{"SIGTERM", func() { club.stop(t) }}, {"SIGKILL", func() { club.kill() }}} {
		for _, m := range all {
			m.look(t, club.addr)
		}
		before := make([]clockMatch, len(all))
		for i, m := range all {
			before[i] = *m
		}
		ending := time.Now()
		end.do()
		ended := time.Now()
		starting, worst := time.Now(), time.Duration(0)
		club = startClub(t, data)
		for i, m := range all {
			now := m.look(t, club.addr)
			was := before[i]
			ran := ended.Sub(was.at) + m.at.Sub(starting) // no longer than that
			most, least := was.left[was.running]+more, was.left[was.running]+more-ran
			if end.how == "SIGKILL" {
				most = 30*time.Minute + time.Duration(round+1)*more
			}
			if got := m.left[m.running]; m.running != was.running || got > most || got < least {
				t.Errorf("%s: the running side has %v, want %v to %v; the club took %v to end", end.how, got, least, most, ended.Sub(ending))
			}
			worst = max(worst, m.left[m.running]-least)
			if got, want := m.left[1-m.running], was.left[1-was.running]+more; got != want {
				t.Errorf("%s: the other side has %v, want %v", end.how, got, want)
			}
			m.move(t, club.addr, m.running)
			if after := m.look(t, club.addr); len(after.Moves) != len(now.Moves)+1 || after.Clock.Kind != "fischer" || after.Clock.Base != 1800 {
				t.Errorf("%s: after a move the match is %+v", end.how, after)
			}
		}
		t.Logf("%s: ended in %v, at most %v more than if all the time had been charged", end.how, ended.Sub(ending), worst)
	}
}
