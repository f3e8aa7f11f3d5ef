//go:build linux

package abusetest

import (
	"encoding/json"
	"io"
	"net/netip"
	"strings"
	"time"
	"unicode"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/loadtest"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// announcing has accounts of a week, all of one block of addresses, announce an event each, under names that attack the screens of others too.
// Players from elsewhere, and the club, announce theirs beside them.
func announcing(w *world) {
	data := w.TempDir()
	r := w.roster(data)
	ana, rui := r.friends()
	strangers := r.members("stranger", w.of(14, 120), week, sameBlock(140))
	young := r.members("young", w.of(2, 10), 6*24*time.Hour, ownBlock(141))
	others := r.members("other", w.of(2, 10), week, ownBlock(142))
	r.close()
	c := w.startOn(data)
	n := c.meet(ana, rui, "announcing", "events", "events --json")

	var announced, wrong count
	n.beside(func(stop <-chan struct{}) {
		c.inTurns(young, func(p *person) error {
			if _, err := p.ask("event new swiss momentum --at +300h --name Cup"); !refused(err) {
				wrong.one()
				w.Errorf("a young account announces: %v", err)
			}
			return nil
		})
		c.inTurns(strangers, func(p *person) error {
			for _, name := range badTitles {
				if _, err := p.ask("event new swiss momentum --at +300h --name " + name); err == nil || strings.Contains(err.Error(), "--at takes") {
					wrong.one()
					w.Errorf("the name %q: %v", name, err)
				}
			}
			for range 2 {
				if _, err := p.ask("event new swiss momentum --at +300h --name 'My own cup'"); err == nil {
					announced.one()
				}
			}
			return nil
		})
	})
	turnedAway := 0
	c.inTurns(others, func(p *person) error {
		if _, err := p.ask("event new swiss momentum --at +200h --name Open"); err != nil {
			turnedAway++
			w.Log(err)
		}
		return nil
	})
	out := n.ana.must("events --json") + n.ana.must("events")
	if i := strings.IndexFunc(out, func(r rune) bool { return unicode.Is(unicode.C, r) && r != '\n' }); i >= 0 {
		w.Errorf("events prints %q", out[max(0, i-20):i+1])
	}
	w.figure("announcing: of %d accounts of one block %d events are announced, of %d accounts from elsewhere %d are refused", len(strangers), announced.Load(), len(others), turnedAway)
	if got := announced.Load(); got != tournaments.OfBlock || wrong.Load() > 0 || turnedAway > 0 {
		w.Errorf("of %d accounts of one block %d events are announced, want %d; %d with bad names or by young accounts; %d of %d players from elsewhere are refused",
			len(strangers), got, tournaments.OfBlock, wrong.Load(), turnedAway, len(others))
	}
}

// badTitles are names of events that would be taken for the club's own, or do something to the screens of those who read them.
var badTitles = []string{
	"'Friday\x1b[2Jcup'", "'Friday\u202ecup'", "'Friday\u200bcup'", "'Fr\u0456day'", "'official operator cup'", "'Staff meeting'",
	"'Ludoteca cup'", "'ꓮꓓꓟꓲꓠ cup'", "'" + strings.Repeat("cup ", 60) + "'", "'cup\u0332\u0331\u0330'", "'cup\r\nBcc: eve@example.com'", "'a\x00b'", "'\xff\xfe'",
}

// anEvent writes an event of ana's into the store, with entrants, and returns its code. A private one is found by its code alone.
func (r *roster) anEvent(by *member, entrants []*member, private bool, kind tournaments.Kind, begins time.Duration) string {
	r.Helper()
	o := tournaments.Settings{
		Code: "K7QM2X", Name: "Club evening", Kind: kind, Games: []tournaments.Game{{ID: "momentum", Options: complete(r, "momentum")}}, Clock: "3+2", Admission: tournaments.Admission{Private: private},
		Least: 2, Most: tournaments.MaxEntrants, Begins: storage.Stored(time.Now().Add(begins)), By: by.occupant(), Seed: 1,
	}
	switch kind {
	case tournaments.Arena:
		o.Span = time.Hour
	case tournaments.Swiss:
		o.Rounds = 5
	}
	entries := []tournaments.Entry{{Seq: 1, At: storage.Stored(time.Now()), Kind: tournaments.Announced, Settings: &o}}
	for i, m := range entrants {
		entries = append(entries, tournaments.Entry{Seq: uint64(i + 2), At: entries[0].At, Kind: tournaments.Entered, Who: m.occupant(), Rating: 1500})
	}
	if err := r.store.Tournaments.AppendTournament(r.Context(), "evening", entries, tournaments.Summary{Settings: o, Stage: tournaments.Open, Players: len(entrants)}); err != nil {
		r.Fatal(err)
	}
	return o.Code
}

func (m *member) occupant() storage.Occupant {
	return storage.Occupant{Kind: storage.Person, ID: m.id, Name: m.name}
}

// complete returns the usual options of a game.
func complete(r *roster, id string) games.Options {
	r.Helper()
	g, ok := catalog.Find(id)
	if !ok {
		r.Fatalf("there is no game %s", id)
	}
	options, err := games.Complete(g, nil)
	if err != nil {
		r.Fatal(err)
	}
	return options
}

// entering has accounts enter an event and leave it again and again, others guess the codes of private ones, and many read the page of an event
// with many entrants, or ask for it and read nothing.
func entering(w *world) {
	data := w.TempDir()
	r := w.roster(data)
	ana, rui := r.friends()
	entrants := r.members("entrant", w.of(60, 300), week, ownBlock(1))
	code := r.anEvent(ana, entrants, false, tournaments.Swiss, 24*time.Hour)
	restless := r.members("restless", w.of(4, 20), week, sameBlock(143))
	guessers := r.members("guesser", w.of(2, 12), week, sameBlock(144))
	readers := r.members("reader", w.of(6, 200), week, ownBlock(30))
	r.close()
	c := w.startOn(data)
	n := c.meet(ana, rui, "entering", "events", "event show "+code, "event show "+code+" --json")
	loops, guesses, pages := new(count), new(count), new(count)
	walkers, lookers, many := c.allHere(restless), c.allHere(guessers), c.allHere(readers)
	for i := range w.of(2, 40) {
		c.readsNothing(v4(180, i, 1), "event show "+code)
	}
	n.beside(func(stop <-chan struct{}) {
		together(len(walkers)+len(lookers)+len(many), func(i int) {
			switch {
			case i < len(walkers):
				p := walkers[i]
				p.until(stop, w.of(40, 1_000_000), func(int) {
					for _, verb := range []string{"join", "leave"} {
						if _, err := p.ask("event " + verb + " " + code); err == nil {
							loops.one()
						}
					}
				})
			case i < len(walkers)+len(lookers):
				p := lookers[i-len(walkers)]
				p.until(stop, w.of(40, 1_000_000), func(int) {
					guess := letters(6, "23456789ABCDEFGHJKMNPQRSTVWXYZ")
					if out, err := p.ask("event join " + guess); strings.Contains(out, guess) {
						guesses.one()
						if err == nil {
							w.Errorf("%s is an event", guess)
						}
					}
				})
			default:
				p := many[i-len(walkers)-len(lookers)]
				p.until(stop, w.of(4, 1_000_000), func(int) {
					if out, err := p.ask("event show " + code + " --json"); err == nil && len(out) > 1000 {
						pages.one()
					}
				})
			}
		})
	})
	var page struct{ Players int }
	out := n.ana.must("event show " + code + " --json")
	if err := json.Unmarshal([]byte(out), &page); err != nil || page.Players < len(entrants) || page.Players > len(entrants)+len(walkers) {
		w.Errorf("the event has %d players, %v", page.Players, err)
	}
	w.figure("entering: %d people enter and leave %d times in all, %d people of one block get %d guesses answered, %d readers get %d pages", len(walkers), loops.Load(), len(lookers), guesses.Load(), len(many), pages.Load())
	// Ten in a row each, and in passing hardly one more; of a block 320 in a row.
	if got := loops.Load(); got == 0 || !w.full && got > int64(13*len(walkers)) {
		w.Errorf("%d people enter and leave %d times", len(walkers), got)
	}
	if got := guesses.Load(); got == 0 || got > int64(w.of(15*len(lookers), 400)) {
		w.Errorf("%d people get %d guesses answered", len(lookers), got)
	}
	if pages.Load() == 0 {
		w.Error("no page was read: this is no attack")
	}
}

// readsNothing has a guest from an address ask for something again and again, and leave the answers unread.
func (c *club) readsNothing(from netip.Addr, line string) {
	c.Helper()
	conn, err := loadtest.Caller{From: from, SmallBuffer: true}.Call(c.addr)
	if err != nil {
		c.Fatal(err)
	}
	conn.Forever()
	c.Cleanup(func() { _ = conn.Close() })
	for range 2 {
		prompt, err := conn.Prompt()
		if err == nil {
			_, err = io.WriteString(prompt, strings.Repeat(line+"\n", 20))
		}
		if err != nil {
			c.Fatal(err)
		}
	}
	conn.LeaveUnread()
}
