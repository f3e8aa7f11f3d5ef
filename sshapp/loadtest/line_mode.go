//go:build linux

package loadtest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

// The names of the figures of CompareLineMode.
const (
	boardMemory = "memory a session at a board, MiB"
	lobbyIdle   = "idle CPU a session in the lobby, ms/s"
	boardIdle   = "idle CPU a session at a board, ms/s"
	newsCPU     = "CPU a session told of a move, ms"
)

// inLines opens sessions of the line mode: as guests in the lobby, or where players have keys at the boards whose codes are given.
func inLines(s *server, keys []gossh.Signer, codes []string) ([]*Terminal, error) {
	all := make([]*Terminal, len(codes))
	return all, InTurn(len(codes), callers, func(i int) error {
		l, err := s.call(keys[i])
		if err != nil {
			return err
		}
		t, err := l.Forever().Prompt()
		if err != nil {
			return err
		}
		all[i] = t
		if err := t.Until("> "); err != nil || codes[i] == "" {
			return err
		}
		if err := t.Press("watch " + codes[i] + "\n"); err != nil {
			return err
		}
		return t.Until("> ")
	})
}

// onScreens opens as many screens at the same places.
func onScreens(s *server, keys []gossh.Signer, codes []string) ([]*Terminal, error) {
	all := make([]*Terminal, len(codes))
	return all, InTurn(len(codes), callers, func(i int) error {
		command := ""
		if codes[i] != "" {
			command = "watch " + codes[i]
		}
		v, err := s.visit(keys[i], command, Usual)
		if err != nil {
			return err
		}
		v.conn.Forever()
		all[i] = v
		return v.Until(footer)
	})
}

// CompareLineMode logs what sessions of the line mode cost beside as many screens at the same places. It fails if they cost more, unless
// the effort is less than Full.
func CompareLineMode(t *testing.T, e Effort) {
	kinds := []struct {
		name string
		open func(*server, []gossh.Signer, []string) ([]*Terminal, error)
	}{{"screen", onScreens}, {"lines", inLines}}
	figures := map[string]map[string][]float64{}
	for range e.Rounds {
		for _, k := range kinds {
			s := startServer(t, Ours, fmt.Sprint(mostHere, "=", 4*max(e.Idle, e.Memory)))
			for _, f := range measureSessions(t, s, e, k.open) {
				if figures[f.name] == nil {
					figures[f.name] = map[string][]float64{}
				}
				figures[f.name][k.name] = append(figures[f.name][k.name], f.value)
			}
			s.stop()
		}
	}
	for _, name := range []string{boardMemory, lobbyIdle, boardIdle, newsCPU} {
		median := map[string]float64{}
		for _, k := range kinds {
			all := figures[name][k.name]
			slices.Sort(all)
			median[k.name] = all[len(all)/2]
			t.Logf("%-40s %-6s %9.3f   (%.3f to %.3f)", name, k.name, median[k.name], all[0], all[len(all)-1])
		}
		if e.Screens >= Full.Screens && median["lines"] > median["screen"] {
			t.Errorf("%s: %.3f in the line mode, %.3f on a screen", name, median["lines"], median["screen"])
		}
	}
}

// measureSessions takes the figures of CompareLineMode for sessions that are opened so.
func measureSessions(t *testing.T, s *server, e Effort, open func(*server, []gossh.Signer, []string) ([]*Terminal, error)) (all []figure) {
	t.Helper()
	at := func(keys []gossh.Signer, codes []string) []*Terminal {
		here, err := open(s, keys, codes)
		if err != nil {
			t.Fatal(err)
		}
		return here
	}
	idle := func() float64 {
		Pause(e.Settle)
		before := s.cpu()
		Pause(e.IdleTime)
		return (s.cpu() - before).Seconds() * 1000 / e.IdleTime.Seconds()
	}
	keys, codes := make([]gossh.Signer, e.Memory), make([]string, e.Memory)
	for i := range keys {
		keys[i] = NewKey(t)
		codes[i] = s.board(keys[i], "momentum")
	}
	first := make([]gossh.Signer, callers) // what is made once is there already
	leave(at(first, codes[:callers]))
	s.mustState()
	before := s.Memory("VmRSS")
	here := at(keys, codes)
	Pause(e.Settle)
	s.mustState()
	grown := float64(s.Memory("VmRSS")-before) / (1 << 20)
	all = append(all, figure{boardMemory, max(0, grown) / float64(e.Memory)})
	all = append(all, figure{boardIdle, idle() / float64(e.Memory)})
	leave(here)

	here = at(make([]gossh.Signer, e.Idle), make([]string, e.Idle))
	all = append(all, figure{lobbyIdle, idle() / float64(e.Idle)})
	leave(here)
	return append(all, figure{newsCPU, measureTold(t, s, e, at)})
}

// measureTold has many guests watch one match in which a move is played now and then, and returns the processor time that one of them costs
// for one move, in milliseconds.
func measureTold(t *testing.T, s *server, e Effort, at func([]gossh.Signer, []string) []*Terminal) float64 {
	t.Helper()
	player := NewKey(t)
	code := s.board(player, "momentum")
	here := at(make([]gossh.Signer, e.Watchers), slices.Repeat([]string{code}, e.Watchers))
	l, err := s.call(player)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, v := range here {
		v.Discard()
	}
	moves := []string{"a1", "g7", "g1", "a7", "d4", "c2", "e6", "b5"}
	Pause(e.Settle)
	before := s.cpu()
	for i, move := range moves {
		var told sync.WaitGroup
		for _, v := range here {
			heard := make(chan struct{})
			v.answered(func(time.Duration) { close(heard) })
			v.Expect()
			told.Go(func() { <-heard })
		}
		out, status, err := l.Run("move " + code + " " + move)
		if err != nil || status != 0 {
			t.Fatalf("move %d: %q, status %d, %v", i+1, out, status, err)
		}
		told.Wait()
	}
	used := (s.cpu() - before).Seconds() * 1000
	leave(here)
	return used / float64(len(moves)*e.Watchers)
}
