//go:build linux

package abusetest

import (
	"fmt"
	"strings"
	"time"

	"ludoteca/storage/notices"
)

// asking has accounts of a day ask for codes to the addresses of others, in all the ways in which an address can be written, guess codes and stop
// codes, while the mail server is slow for some and refuses others. Nobody is sent anything but a code; other players get theirs.
func asking(w *world) {
	data := w.TempDir()
	server, flag := serveMail(w)
	r := w.roster(data)
	ana, rui := r.friends()
	kim := r.member("kim", week, v4(3, 0, 1))
	strangers := r.members("stranger", w.of(12, 120), 25*time.Hour, sameBlock(150))
	spread := r.members("spread", w.of(4, 20), 25*time.Hour, ownBlock(60))
	young := r.members("young", 2, 23*time.Hour, ownBlock(90))
	r.close()
	c := w.startOn(data, append([]string{flag}, loose...)...)
	n := c.meet(ana, rui, "asking", "notify", "events", "lounge", "tells")

	var sent, wrong, guessed count
	ask := func(p *person, address string) error {
		_, err := p.ask("notify mail " + address)
		switch {
		case err == nil:
			sent.one()
		case !refused(err) && !strings.Contains(err.Error(), "status 2"):
			w.Error(err)
		}
		return err
	}
	stalled := new(count) // in passing there are tries left for others, who would else wait until the first ones have ended
	server.Treat(func(to string) bool { return strings.HasPrefix(to, "stall") && stalled.Add(1) <= int64(w.of(2, 1000)) }, func(to string) bool { return strings.HasPrefix(to, "later") })
	var ofBlock int64
	n.beside(func(stop <-chan struct{}) {
		c.inTurns(young, func(p *person) error {
			if ask(p, "young@example.com") == nil {
				wrong.one()
			}
			return nil
		})
		c.inTurns(strangers[:1], func(p *person) error { // one mailbox is one, however it is written
			got := 0
			for _, address := range []string{"owner@example.com", "Owner@Example.com", "owner+a@example.com", "OWNER+b@EXAMPLE.COM", "owner+a+b@example.com"} {
				if ask(p, address) == nil {
					got++
				}
			}
			if got != 1 {
				w.Errorf("%d codes go to one mailbox", got)
			}
			for _, address := range badAddresses {
				if ask(p, address) == nil {
					w.Errorf("a code goes to %q", address)
				}
			}
			return nil
		})
		c.inTurns(strangers[1:], func(p *person) error {
			for _, kind := range []string{"stall", "later", "spam"} {
				_ = ask(p, fmt.Sprintf("%s-%s@example.net", kind, p.name))
			}
			for range 2 * notices.MaxTries {
				if _, err := p.ask("notify confirm " + letters(8, "23456789ABCDEFGHJKMNPQRSTVWXYZ")); err == nil {
					wrong.one()
				}
				if out, err := p.ask("notify stop " + letters(16, "abcdefghijklmnopqrstuvwxyz234567")); err == nil {
					wrong.one()
				} else if !strings.Contains(out, "Wait") {
					guessed.one()
				}
			}
			return nil
		})
		ofBlock = sent.Load()
	})
	if ofBlock > notices.MaxBlockCodes {
		w.Errorf("%d codes go out at the wish of one block of addresses, want at most %d", ofBlock, notices.MaxBlockCodes)
	}

	// A player from elsewhere has a code, and what comes after it.
	k := c.here(kim)
	asked := time.Now()
	k.must("notify mail kim@example.com")
	code := mailedCode(w, server, "kim@example.com")
	if waited := time.Since(asked); w.full && waited > 2*time.Minute {
		w.Errorf("a code comes after %v", waited)
	}
	k.must("notify confirm " + code)
	if _, err := k.ask("notify confirm AAAAAAAA"); !refused(err) {
		w.Errorf("a code is confirmed twice: %v", err)
	}
	c.inTurns(spread, func(p *person) error { // further blocks use up what is left of the hour, not more
		for i := range 4 {
			_ = ask(p, fmt.Sprintf("x%d-%s@example.net", i, p.name))
		}
		return nil
	})
	if all := sent.Load() + 1; all > notices.MaxHourCodes {
		w.Errorf("%d codes go out in an hour, want at most %d", all, notices.MaxHourCodes)
	}

	// Matches wait for moves of all of them, and nobody but kim is told.
	for _, m := range []*member{kim, strangers[0], spread[0]} {
		p := c.here(m)
		offer := n.ana.mustMatch("new momentum --side second --clock 3d")
		p.must("join " + offer.Code)
		_ = p.Close()
	}
	_ = k.Close()
	if w.full { // two minutes after a player has gone they are told
		waitForMail(w, server, "kim@example.com", 2)
	}
	each := map[string]int{}
	for _, l := range server.Letters() {
		if each[l.To]++; !strings.Contains(l.Text, "notify confirm") && l.To != "kim@example.com" {
			w.Errorf("%s, who has not confirmed, is sent %q", l.To, l.Text)
		}
		if n := each[l.To]; l.To != "kim@example.com" && n > 1 {
			w.Errorf("%s is sent %d letters", l.To, n)
		}
		head, _, _ := strings.Cut(l.Text, "\r\n\r\n")
		if strings.Contains(strings.ToLower(head), "\nbcc:") || strings.Count(head, "\nTo:") != 1 {
			w.Errorf("a letter to %s has the head %q", l.To, head)
		}
	}
	w.figure("asking: %d codes go out at the wish of %d accounts of one block, %d in all; %d letters come to %d addresses; %d guesses of stop codes are answered",
		ofBlock, len(strangers), sent.Load()+1, len(server.Letters()), len(each), guessed.Load())
	if wrong.Load() > 0 || sent.Load() == 0 || len(each) == 0 {
		w.Errorf("%d guesses are right or young accounts are sent codes; %d codes, %d addresses", wrong.Load(), sent.Load(), len(each))
	}
	if most := int64(w.of(120, 400)); guessed.Load() > most || guessed.Load() == 0 {
		w.Errorf("%d guesses of stop codes are answered, want at most %d", guessed.Load(), most)
	}
}

// badAddresses are what is no single address of mail, or asks a mail server for something else.
var badAddresses = []string{
	"owner@example.com\r\nBcc:eve@example.com", "owner@example.com,eve@example.com", "owner@example.com;eve@example.com", "Owner<owner2@example.com>",
	"<owner2@example.com>", "owner2@exämple.com", "öwner@example.com", "owner2@[127.0.0.1]", "eve%example.com@relay.example.com", "relay!eve@example.com",
	"owner2@example.com\x00", "o\u200bwner@example.com", strings.Repeat("a", 65) + "@example.com", "a@" + strings.Repeat("a.", 130) + "com", "@example.com",
	"group:owner2@example.com;", `"owner 2"@example.com`,
}
