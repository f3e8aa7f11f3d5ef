//go:build linux

package loadtest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// soakGames are played with moves at random. Each ends within some hundred of them, so that there are always as many matches
// of every age.
var soakGames = []struct {
	name    string
	options games.Options
}{
	{"momentum", nil},
	{"petteia", games.Options{"captures_to_win": 1, "quiet_limit": 40}},
	{"fourmation", nil},
	{"flugelrad", nil},
	{"tanks", nil},
}

// play has two people play one match after the other, with the keyboard, until it is time to stop.
func (k *soak) play() error { return k.meet(k.pace, 0) }

// follow has three guests watch two people who play fast.
func (k *soak) follow() error { return k.meet(k.pace/2, 3) }

// meet has two people play and guests watch, who share a connection.
func (k *soak) meet(pace time.Duration, guests int) error {
	keys := []gossh.Signer{newKey(k.t), newKey(k.t)}
	if guests > 0 {
		keys = append(keys, nil)
	}
	var lines []*connection
	for _, key := range keys {
		l, err := k.server.call(key)
		if err != nil {
			return err
		}
		defer l.Close()
		lines = append(lines, l.forever())
	}
	for !k.over() {
		game := soakGames[rand.N(len(soakGames))]
		code, err := k.server.code(fmt.Sprint("match ", fingerprint(keys[0]), " ", fingerprint(keys[1]), " ", game.name, " ", game.options))
		if err != nil {
			return err
		}
		pos, err := start(game.name, game.options)
		if err != nil {
			return err
		}
		here, err := gather(code, lines, guests)
		if err == nil {
			err = k.playMatch(code, pos, pace, here)
		}
		for _, v := range here {
			_ = v.Close()
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", game.name, code, err)
		}
	}
	return nil
}

// gather opens a match on the screens of its two players and of the guests.
func gather(code string, lines []*connection, guests int) (here []*terminal, err error) {
	for i := range 2 + guests {
		v, err := lines[min(i, 2)].screen("watch "+code, usual)
		if err != nil {
			return here, err
		}
		here = append(here, v)
		if err := v.until(code + " · casual"); err != nil { // the board is there: what is typed before goes nowhere
			return here, err
		}
		if i >= 2 {
			v.discard()
		}
	}
	return here, nil
}

// start returns the first position of a game.
func start(game string, given games.Options) (games.Position, error) {
	for _, g := range catalog.All() {
		if g.About().ID == game {
			o, err := games.Complete(g, given)
			if err != nil {
				return nil, err
			}
			return g.New(o)
		}
	}
	return nil, fmt.Errorf("there is no %s", game)
}

// playMatch has the first two terminals play to the end of the match or of the time, and then holds the match to all moves
// that were made.
func (k *soak) playMatch(code string, pos games.Position, pace time.Duration, players []*terminal) error {
	var made []games.Move
	for !pos.Result().Over && k.pause(pace) == nil {
		legal := pos.Legal()
		m := legal[rand.N(len(legal))]
		next, err := pos.Play(m)
		if err != nil {
			return err
		}
		mover, other := players[pos.Turn()], players[pos.Turn().Other()]
		mover.forget()
		other.forget()
		if _, err := io.WriteString(mover, string(m)+"\r"); err != nil {
			return err
		}
		if err := k.made(code, len(made)+1, mover); err != nil {
			return fmt.Errorf("%s as move %d: %w: %q", m, len(made)+1, err, mover.shown())
		}
		pos, made = next, append(made, m)
		k.moves.Add(1)
		if pos.Result().Over {
			break
		}
		if err := players[pos.Turn()].until("\a"); err != nil {
			return fmt.Errorf("the bell after move %d: %w", len(made), err)
		}
	}
	var found []games.Move
	if err := k.server.ask("moves "+code, &found); err != nil {
		return err
	}
	if !slices.Equal(found, made) {
		return fmt.Errorf("made were %v, found are %v", made, found)
	}
	return nil
}

// made waits until so many moves have been made. What was typed too early, before the bell, which is also how a title ends,
// stays on the mover's line and wants another enter: if it says so, for on an empty line that would play a cell.
func (k *soak) made(code string, plies int, mover *terminal) error {
	late, again := time.After(patience), time.NewTicker(2*time.Second)
	defer again.Stop()
	for {
		now := 0
		if err := k.server.ask("plies "+code, &now); err != nil || now >= plies {
			return err
		}
		select {
		case <-late:
			return errors.New("the move is lost")
		case <-again.C:
			if shown := mover.shown(); !strings.Contains(shown, "What you type stays") && !strings.Contains(shown, "enter plays") {
				continue
			}
			if _, err := io.WriteString(mover, "\r"); err != nil {
				return err
			}
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// resize drags the corner of a window about, or moves the cursor in the lobby.
func (k *soak) resize() error {
	v, err := k.server.visit(nil, "", usual)
	if err != nil {
		return err
	}
	defer v.conn.Close()
	v.conn.forever()
	v.discard()
	for {
		if k.rude.Load() {
			err = v.resize(size{rand.N[uint32](300), rand.N[uint32](100)})
		} else {
			err = errors.Join(v.resize(usual), k.browse(v))
		}
		if err != nil || k.pause(100*time.Millisecond) != nil {
			return err
		}
	}
}

// browse moves the cursor for as long as people are polite.
func (k *soak) browse(v *terminal) error {
	for i := 0; !k.rude.Load() && k.pause(betweenKeys) == nil; i++ {
		if _, err := io.WriteString(v, []string{"\x1b[B", "\x1b[A"}[i%2]); err != nil {
			return err
		}
	}
	return nil
}

// stall opens a large lobby that changes all the time, and never reads; or browses in it.
func (k *soak) stall() error {
	for !k.over() {
		v, err := k.server.visit(nil, "", size{200, 50})
		if err != nil {
			return err
		}
		v.conn.forever()
		v.discard()
		err = k.browse(v)
		v.conn.tcp.leaveUnread()
		for i := uint32(0); k.rude.Load() && k.pause(50*time.Millisecond) == nil; i++ {
			if v.resize(size{200 + i%2, 50}) != nil {
				break // the server has hung up
			}
		}
		v.conn.cut()
		if err != nil {
			return err
		}
	}
	return nil
}

// drop comes and leaves, rudely or in good form.
func (k *soak) drop() error {
	h := &target{server: k.server, patience: patience}
	for k.pause(2*k.pace) == nil {
		visit := h.polite
		if k.rude.Load() {
			visit = func() error { return rudeWays[rand.N(len(rudeWays))].visit(k.server) }
		}
		if err := visit(); err != nil {
			return err
		}
		k.visits.Add(1)
	}
	return nil
}
