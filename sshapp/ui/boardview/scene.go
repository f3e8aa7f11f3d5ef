package boardview

import (
	"errors"
	"strings"

	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// A Spot is a place that can be chosen: a cell of a square board, counted row by row from a1, or a wheel of Flügelrad. Once a wheel is
// chosen, a Spot is how far to turn it.
type Spot int

// Nowhere is no spot.
const Nowhere Spot = -1

// A Selection holds a player's choice on the board.
type Selection struct {
	Cursor Spot
	From   Spot // what has been chosen first, a piece or a wheel, or Nowhere
}

// A Scene is one position, ready to be shown. It is immutable.
type Scene struct {
	pos     games.Position
	choices []choice
	board   boardKind
	facts   facts
}

// A boardKind is how a kind of board is drawn and chosen on: square cells, or wheels.
type boardKind interface {
	// start returns where the cursor of a player of a side stands at first.
	start(side games.Side) Spot

	// lastMove returns the place where the last move went, or start.
	lastMove() Spot

	// valid reports whether a selection is one of this board.
	valid(sel Selection) bool

	// arrow moves the cursor by one step, in directions of the screen.
	arrow(sel Selection, dx, dy int, flip bool) Selection

	// pick returns the selection with what is under the cursor chosen first, release with nothing chosen.
	pick(sel Selection) Selection
	release(sel Selection) Selection

	// attempt returns the text of the move that the selection stands for, legal or not.
	attempt(sel Selection) string

	// refuse says why nothing can be chosen first at a spot; nil leaves that to the rules of the game.
	refuse(at Spot, turn games.Side) error

	// fit chooses the size of the drawing, draw draws it, and spot returns the place at a cell of it.
	fit(w, h int, st State) Layout
	draw(d drawing, s *Scene, l Layout, st State)
	spot(l Layout, st State, x, y int) Spot

	// smallest is fit with the smallest cells.
	smallest(w, h int, st State) Layout

	// plainLayout returns the layout for plain text.
	plainLayout() Layout

	// cursorCell returns the cell where the terminal's own cursor belongs.
	cursorCell(l Layout, st State) (x, y int)

	// pieces lists the places of a side's pieces in words.
	pieces(side games.Side) []string

	// turns reports whether the board can be turned round, and sided whether each side plays from its own edge.
	turns() (can, sided bool)

	// places returns the places of the board, for sentences.
	places() places
}

// places are the places of a board as sentences name them.
type places interface {
	// all returns the places, row by row from the bottom or, of wheels, in the order of their numbers.
	all() []Spot

	// spotName returns the name of a place, spotOf the place with a name in lower case, and names says which names there are.
	spotName(at Spot) string
	spotOf(name string) (at Spot, ok bool)
	names(say text.Say) string

	// pieceAt returns what stands on a place.
	pieceAt(at Spot) (side games.Side, letter rune, held bool)

	// row, column and wheel return the places of a line; none if the board has no such line. rowNames are the names of the rows, the top one first, and
	// wheelNames the names of the wheels.
	row(name string) []Spot
	column(name string) []Spot
	wheel(name string) []Spot
	rowNames() []string
	wheelNames() []string

	// next returns the places next to a place.
	next(at Spot) []Spot
}

// facts are the texts that a game has beside its board.
type facts interface {
	// standing returns in few words how a side stands, for the line below the player's name; "" for nothing.
	standing(say text.Say, side games.Side) string

	// notes says how things stand, what matters most first. names are the players.
	notes(say text.Say, names [2]string) []Note

	// effect says in few words what else a legal move would do; "" for nothing.
	effect(say text.Say, m games.Move) string
}

// pieceKinds is an optional ability of facts, for games with pieces of several kinds: their letters.
type pieceKinds interface{ kindLetters(side games.Side) string }

// legend is an optional ability of facts: what the signs on the board mean.
type legend interface {
	legend(say text.Say, ascii bool) string
}

// reserves is an optional ability of facts, for games with pieces in hand: how many a side has.
type reserves interface{ Hand(side games.Side) int }

// A Note is a sentence about how things stand.
type Note struct {
	Words  string
	Urgent bool   // it matters for the very next move
	You    string // the words for the side to move, if they are others
	Other  string // the words for the other side, if they are others
}

// Position returns the position of the scene.
func (s *Scene) Position() games.Position { return s.pos }

// AtLastMove returns the selection with the cursor where the last move went.
func (s *Scene) AtLastMove() Selection { return Selection{s.board.lastMove(), Nowhere} }

// Ahead returns the selection of a move that may be legal later, after a move of the other side: its first place is chosen, and the cursor is at its
// last. ok is false if the move doesn't name places.
func (s *Scene) Ahead(m games.Move) (sel Selection, ok bool) {
	names := strings.FieldsFunc(string(m), func(r rune) bool { return r == '-' || r == 'x' })
	if len(names) == 0 {
		return Selection{}, false
	}
	spots := s.board.places()
	first, ok := spots.spotOf(names[0])
	last, named := spots.spotOf(names[len(names)-1])
	if !ok || !named {
		return Selection{}, false
	}
	if len(names) == 1 {
		first = Nowhere
	}
	return Selection{last, first}, true
}

// Start returns the selection with which a player of a side, or a spectator, comes to the board.
func (s *Scene) Start(side games.Side) Selection { return Selection{s.board.start(side), Nowhere} }

// Turns reports whether the board can be turned round, and whether each side plays from its own edge, which players should
// see at the bottom.
func (s *Scene) Turns() (can, sided bool) { return s.board.turns() }

// MovesPiece reports whether a selection is a piece to move, which belongs to one side, rather than a cell or a wheel, which both sides may
// choose.
func (s *Scene) MovesPiece(sel Selection) bool {
	can, _ := s.Turns()
	return can && sel.From != Nowhere
}

// counters are facts about games that some counter ends. low says how far the counters are that are too low to be among the notes.
type counters interface{ low(say text.Say) []string }

// Standing returns in few words how a side stands: "in hand 4"; "" for nothing.
func (s *Scene) Standing(say text.Say, side games.Side) string { return s.facts.standing(say, side) }

// Reserve returns a token for each piece that a side has in hand; "" in games without such pieces.
func (s *Scene) Reserve(side games.Side, ascii bool) string {
	if h, ok := s.facts.(reserves); ok {
		return strings.Repeat(string(token(side, ascii)), h.Hand(side))
	}
	return ""
}

// Legend explains the signs on the board; "" if there are none.
func (s *Scene) Legend(say text.Say, ascii bool) string {
	if f, ok := s.facts.(legend); ok {
		return f.legend(say, ascii)
	}
	return ""
}

// Notes says how things stand, what matters most first. names are the players.
func (s *Scene) Notes(say text.Say, names [2]string) []Note { return s.facts.notes(say, names) }

// Effect returns in few words the further effects of a legal move: "captures d4"; "" for none.
func (s *Scene) Effect(say text.Say, m games.Move) string {
	if m == "" {
		return ""
	}
	return s.facts.effect(say, m)
}

// Token returns the sign for the pieces of a side, a few cells wide.
func (s *Scene) Token(side games.Side, ascii bool) string {
	if k, ok := s.facts.(pieceKinds); ok {
		return k.kindLetters(side)
	}
	return string(token(side, ascii))
}

// Spots of a wheel that is chosen: how far it is turned, in steps to the left. Wheels themselves are 0 to 6, and no cell of a
// grid has such a number.
const (
	unturned  Spot = 1000 // to 1005, which is five steps
	turnLeft  Spot = 2000 // clicks beside the middle of the wheel
	turnRight Spot = 2001
	turnDone  Spot = 2002 // and in it
)

// A State holds everything except the position that a drawing depends on.
type State struct {
	Selection Selection
	Yours     bool   // the player can choose now: the cursor is shown
	Over      bool   // nothing can be played any more, whatever the rules of the game say
	Flip      bool   // the board is turned round
	Scroll    Scroll // of a board that doesn't fit: where the last drawing stood
}

// A Scroll holds the first visible column and row of a board that doesn't fit, in directions of the screen.
type Scroll struct{ Col, Row int }

// A Layout holds the places of things in a drawing. It is valid for the State that it was made for.
type Layout struct {
	Width, Height int
	Scroll        Scroll // for the next State

	size       int // which of the sizes of its kind of board
	left, top  int // the first line of the first cell
	cols, rows int // how many are shown
}

// Fit chooses the largest drawing that fits into w x h cells. If the smallest one doesn't fit, it is scrolled so
// that the cursor is in view.
func (s *Scene) Fit(w, h int, st State) Layout { return s.board.fit(w, h, st) }

// Spot returns the spot at a cell of the drawing, for Click, or Nowhere if there is none.
func (s *Scene) Spot(l Layout, st State, x, y int) Spot {
	if x < 0 || y < 0 || x >= l.Width || y >= l.Height {
		return Nowhere
	}
	return s.board.spot(l, st, x, y)
}

// CursorCell returns the cell of the drawing for the terminal's own cursor.
func (s *Scene) CursorCell(l Layout, st State) (x, y int) { return s.board.cursorCell(l, st) }

// Draw draws the scene at the upper left corner of an area. It fills the Width and Height of its layout.
func (s *Scene) Draw(c *canvas.Canvas, area canvas.Rect, theme *Theme, l Layout, st State) {
	inside := canvas.Area(area.Min.X, area.Min.Y, l.Width, l.Height).Intersect(area)
	s.board.draw(drawing{c.Sub(inside), area.Min.X, area.Min.Y, theme}, s, l, st)
}

// Why something can't be chosen. Choose returns these or an *games.IllegalError.
var (
	ErrNotYours = errors.New("nothing of yours to move there")
	ErrStuck    = errors.New("this piece can't move now")
	ErrUnturned = errors.New("the wheel is not turned yet")
)

// A choice is a legal move as the places that are chosen for it.
type choice struct {
	move games.Move
	from Spot // Nowhere if only one place is chosen
	to   Spot
}

// Adjust returns the selection adjusted to a new position: a piece that can't move any more is no longer chosen.
func (s *Scene) Adjust(sel Selection) Selection {
	if sel.From != Nowhere && !s.startsAt(sel.From) {
		sel = s.board.release(sel)
	}
	if !s.board.valid(sel) {
		return s.Start(s.pos.Turn())
	}
	return sel
}

// Step moves the cursor, or turns the wheel that is chosen, by one step of the screen.
func (s *Scene) Step(sel Selection, dx, dy int, flip bool) Selection {
	return s.board.arrow(sel, dx, dy, flip)
}

// Release returns the selection without a chosen piece or wheel.
func (s *Scene) Release(sel Selection) Selection { return s.board.release(sel) }

// SelectedMove returns the legal move that the selection stands for; "" for none.
func (s *Scene) SelectedMove(sel Selection) games.Move {
	for _, c := range s.choices {
		if c.from == sel.From && c.to == sel.Cursor {
			return c.move
		}
	}
	return ""
}

// Choose handles the key enter: it chooses the place under the cursor, releases it, or makes the move. If only the selection has
// changed, the move is "" and the error nil.
func (s *Scene) Choose(sel Selection) (Selection, games.Move, error) {
	if m := s.SelectedMove(sel); m != "" {
		return s.board.release(sel), m, nil
	}
	switch {
	case sel.From == sel.Cursor:
		return s.board.release(sel), "", nil
	case s.startsAt(sel.Cursor):
		return s.board.pick(sel), "", nil
	}
	if sel.From == Nowhere {
		if err := s.board.refuse(sel.Cursor, s.pos.Turn()); err != nil {
			return sel, "", err
		}
	}
	return sel, "", s.why(sel)
}

// why asks the rules why the selection stands for no legal move.
func (s *Scene) why(sel Selection) error {
	if sel.From != Nowhere && sel.Cursor == unturned {
		return ErrUnturned
	}
	m, err := s.pos.Read(s.board.attempt(sel))
	if err == nil {
		_, err = s.pos.Play(m)
	}
	return err
}

// Click handles a click on a spot as Choose does with the cursor there.
func (s *Scene) Click(sel Selection, at Spot) (Selection, games.Move, error) {
	switch at {
	case turnLeft:
		return s.board.arrow(sel, -1, 0, false), "", nil
	case turnRight:
		return s.board.arrow(sel, 1, 0, false), "", nil
	case turnDone:
		return s.Choose(sel)
	case Nowhere:
		return s.board.release(sel), "", nil
	}
	if sel.From >= 0 && at != sel.From && sel.Cursor >= unturned {
		sel = s.board.release(sel) // another wheel
	}
	return s.Choose(Selection{at, sel.From})
}

func (s *Scene) startsAt(at Spot) bool {
	if at == Nowhere {
		return false
	}
	for _, c := range s.choices {
		if c.from == at {
			return true
		}
	}
	return false
}

// Typed returns the legal moves that begin with the typed text, and the selection that the same choice by keys would make. Letter case
// and the signs between cells and numbers make no difference.
func (s *Scene) Typed(typed string, sel Selection) ([]games.Move, Selection) {
	start := normalize(typed)
	if start == "" {
		return nil, sel
	}
	sel = s.board.release(sel)
	var moves []games.Move
	from, to, one := Nowhere, Nowhere, true // one: all of them begin at the same place
	exact := Nowhere
	for _, c := range s.choices {
		text := normalize(string(c.move))
		short := withoutCaptureMark(text)
		if !strings.HasPrefix(text, start) && !strings.HasPrefix(short, start) {
			continue
		}
		moves = append(moves, c.move)
		one = one && (len(moves) == 1 || c.from == from)
		from, to = c.from, c.to
		switch {
		case text == start, short == start:
			return []games.Move{c.move}, Selection{c.to, c.from}
		case c.from != Nowhere && strings.EqualFold(s.chosenFirst(c.from), strings.TrimSpace(typed)):
			exact = c.from
		}
	}
	switch {
	case len(moves) == 1:
		return moves, Selection{to, from}
	case exact != Nowhere:
		return moves, s.board.pick(Selection{exact, Nowhere})
	case len(moves) > 0 && one && from != Nowhere:
		return moves, s.board.pick(Selection{from, Nowhere})
	}
	return moves, sel
}

// chosenFirst returns the notation of a place that is chosen first.
func (s *Scene) chosenFirst(at Spot) string {
	name, _, _ := strings.Cut(s.board.attempt(Selection{at, Nowhere}), ":")
	return name
}

// normalize leaves letters, in lower case, and digits of what is typed.
func normalize(typed string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, typed)
}

// withoutCaptureMark returns a normalized move without the mark of a capture, which need not be typed: an x between a number
// and a letter.
func withoutCaptureMark(squeezed string) string {
	for i := 1; i < len(squeezed)-1; i++ {
		if squeezed[i] == 'x' && squeezed[i-1] <= '9' && squeezed[i+1] > '9' {
			return squeezed[:i] + squeezed[i+1:]
		}
	}
	return squeezed
}

// ends says how a move ends the game; "" if it doesn't.
func ends(say text.Say, p games.Position, m games.Move) string {
	next, err := p.Play(m)
	if err != nil {
		return ""
	}
	switch r := next.Result(); {
	case !r.Over:
		return ""
	case r.Draw:
		return say.T("ends in a draw")
	case r.Winner == p.Turn():
		return say.T("wins")
	}
	return say.T("loses")
}
