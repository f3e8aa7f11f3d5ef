package gamestest

import (
	"fmt"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/games/board"
)

// nim is a small game: a player takes up to three from a pile, and the last one taken wins. fault names the property of games
// that it lacks; "" if it has them all.
type nim struct{ fault string }

func (nim) About() *games.About { return &aboutNim }

var aboutNim = games.About{
	ID: "nim", Name: "Nim", Options: []games.Option{{Key: "pile", Min: 3, Max: 20, Default: 10}},
	Sides: [2]string{"X", "O"}, Reasons: map[string]string{"last": "took the last one"},
}

func (nim) Check(games.Options) error { return nil }

func (g nim) Longest(o games.Options) (plies int, bounded bool) {
	if g.fault == "longest" {
		return o["pile"] / 4, true
	}
	return o["pile"], true
}

func (g nim) New(o games.Options) (games.Position, error) {
	o, err := games.Complete(g, o)
	if err != nil {
		return nil, err
	}
	return &heap{game: g, options: o, left: o["pile"]}, nil
}

func (g nim) Parse(text string) (games.Position, error) {
	t, err := board.Split(text, "turn")
	if err != nil {
		return nil, err
	}
	o, err := games.ParseOptions(g, t.Options)
	if err != nil {
		return nil, err
	}
	h := &heap{game: g, options: o, left: len(t.Rows[0]) - 1}
	if t.Fields["turn"] == "O" {
		h.turn = games.Second
	}
	if g.fault == "another" {
		h.turn = games.First
	}
	if g.fault == "hidden" {
		h.hidden = text
	}
	return h, nil
}

// heap is a position of nim and its state as well.
type heap struct {
	game    nim
	options games.Options
	left    int
	turn    games.Side
	hidden  string
}

func (h *heap) Turn() games.Side       { return h.turn }
func (h *heap) Options() games.Options { return h.options }
func (h *heap) Rows() []string         { return []string{strings.Repeat("o", h.left) + "."} }
func (h *heap) State() games.State     { return &state{heap: *h} }

func (h *heap) Result() games.Result {
	switch {
	case h.left > 0:
		return games.Result{}
	case h.game.fault == "reason":
		return games.Won(h.turn.Other(), "")
	}
	return games.Won(h.turn.Other(), "last")
}

func (h *heap) Legal() []games.Move {
	moves := games.LegalMoves(&state{heap: *h})
	switch {
	case h.game.fault == "unsorted" && len(moves) > 1:
		moves[0], moves[1] = moves[1], moves[0]
	case h.game.fault == "missing" && len(moves) > 2:
		moves = moves[1:]
	case h.game.fault == "after the end" && len(moves) == 0:
		moves = []games.Move{"1"}
	}
	return moves
}

func (h *heap) Greedy() []games.Move {
	if legal := h.Legal(); h.game.fault != "greedy" || len(legal) == 0 {
		return legal
	}
	return []games.Move{"4"}
}

func (h *heap) Play(m games.Move) (games.Position, error) {
	c, err := (&state{heap: *h}).Code(m)
	switch {
	case err != nil && h.game.fault == "changed":
		h.turn = h.turn.Other()
	case err != nil && h.game.fault == "lenient":
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	s := &state{heap: *h}
	s.Play(c)
	if h.game.fault == "two rules" {
		s.turn = h.turn
	}
	return &s.heap, nil
}

func (h *heap) Read(typed string) (games.Move, error) {
	if n, ok := board.Number(strings.TrimSpace(typed), 3); ok && h.game.fault != "unread" {
		return games.Move(strconv.Itoa(n)), nil
	}
	return "", games.Illegal(typed, "a number from 1 to 3")
}

func (h *heap) String() string {
	header := []string{"turn=" + "XO"[h.turn:h.turn+1]}
	if h.game.fault != "options" {
		header = append(header, aboutNim.Changed(h.options)...)
	}
	return board.Join(header, h.Rows())
}

// state is a heap that changes.
type state struct {
	heap
	past []int // what was left before each move
}

func (s *state) Moves(dst []games.Code) []games.Code {
	for n := 1; n <= min(3, s.left); n++ {
		dst = append(dst, games.Code(n))
	}
	return dst
}

func (s *state) Play(c games.Code) {
	s.past = append(s.past, s.left)
	if s.left -= int(c); s.game.fault == "endless" && len(s.past) > 3 && s.left == 0 {
		s.left = 1
	}
	s.turn = s.turn.Other()
}

func (s *state) Undo() {
	last := len(s.past) - 1
	s.left, s.past = s.past[last], s.past[:last]
	if s.game.fault != "undo" || len(s.past) != 2 {
		s.turn = s.turn.Other()
	}
}

func (s *state) Clone() games.State {
	if s.game.fault == "clone" {
		return s
	}
	return &state{heap: s.heap}
}

func (s *state) Move(c games.Code) games.Move { return games.Move(strconv.Itoa(int(c))) }

func (s *state) Code(m games.Move) (games.Code, error) {
	n, ok := board.Number(string(m), min(3, s.left))
	switch legal := ok && n > 0 && string(m) == strconv.Itoa(n); {
	case legal:
		return games.Code(n), nil
	case s.game.fault == "wordless":
		return 0, fmt.Errorf("no")
	}
	return 0, games.Illegal(m, "take 1 to %d", min(3, s.left))
}

func (s *state) Freeze() games.Position { return &s.heap }
