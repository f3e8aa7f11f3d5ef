package boardview

import (
	"slices"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/sshapp/text"
)

// A Narrator puts the positions of one game into whole sentences for one reader: what a move does, and the answers to questions about a
// position. Its sentences have no drawing in them, for a screen reader or a terminal that only scrolls. What it knows of a game comes from the
// game's board view; see narration.
type Narrator struct {
	Say    text.Say
	Game   games.Game
	Names  [2]string                     // the players
	Plays  bool                          // the reader plays Side; otherwise they watch
	Side   games.Side                    // of a reader who plays
	Brief  bool                          // leave out what the rules make plain
	Ending func(p games.Position) string // how a game that is over has ended, as a sentence; nil: say nothing of it
}

// A narration is an optional ability of facts: what a game says in whole sentences. A game without it is told by its moves and the letters of its
// board text.
type narration interface {
	// piece returns what a piece of a side is called, in the nominative: your man, rui's man. letter is the letter that the board shows.
	piece(n Narrator, side games.Side, letter rune) string

	// pieces returns what all pieces of a side are called: your men, rui's men.
	pieces(n Narrator, side games.Side) string

	// called returns the words for a piece and for pieces of the game: man, men. They are marked for translation.
	called() []string

	// happens returns the sentences for a legal move of the side to move: what moves, and what it captures, pushes or turns.
	happens(n Narrator, m games.Move) []string

	// place returns what else is known of a place, in sentences.
	place(n Narrator, at Spot) []string

	// threat says in few words what a legal move would take or complete; "" for nothing.
	threat(say text.Say, m games.Move) string
}

// completer is an optional ability of a narration, of a game in which a threat is a place rather than a move: it returns the places on which a side
// would complete what it needs.
type completer interface{ completes(side games.Side) []Spot }

// inWords is an optional ability of a narration whose facts beside the board name pieces by their letters: the same facts in words.
type inWords interface {
	standingInWords(say text.Say, side games.Side) string
	remarksInWords(n Narrator) []string
}

// kinds is an optional ability of a narration, of a game with pieces of several kinds.
type kinds interface{ kinds() []pieceKind }

// A pieceKind is one kind of pieces. The words are marked for translation.
type pieceKind struct {
	letters       string   // of both sides on the board, the first side's first
	words         []string // that readers type, the shortest first
	yours, others string   // pieces of this kind; in others the verb is the name of their player
}

// called reports whether a word stands for pieces of the kind.
func (k pieceKind) called(say text.Say, word string) bool {
	return isWord(say, word, k.words...) || strings.EqualFold(word, k.letters[:1])
}

// isWord reports whether a reader has typed one of some words that are marked for translation: in English or in their language, in any letter case,
// and with or without the marks on its letters.
func isWord(say text.Say, typed string, words ...string) bool {
	typed = text.ASCII(strings.ToLower(typed))
	return slices.ContainsFunc(words, func(w string) bool { return typed == w || typed == text.ASCII(strings.ToLower(say.T(w))) })
}

// A NoPlaceError says in words that a question names no place of the board.
type NoPlaceError struct{ Words string }

// Error implements error.
func (e *NoPlaceError) Error() string { return e.Words }

// you reports whether the reader plays a side.
func (n Narrator) you(side games.Side) bool { return n.Plays && n.Side == side }

// tell returns a sentence about a side: yours to a player of that side, else other, whose first verb is the name of the player. Both are marked for
// translation.
func (n Narrator) tell(side games.Side, yours, other string, args ...any) string {
	if n.you(side) {
		return n.Say.T(yours, args...)
	}
	return n.Say.T(other, append([]any{n.Names[side]}, args...)...)
}

// sentence ends words, and has them begin with a capital letter unless a player's name is their beginning.
func (n Narrator) sentence(words string) string {
	for side, name := range n.Names {
		if !n.you(games.Side(side)) && strings.HasPrefix(words, name) {
			return words + "."
		}
	}
	return text.Sentence(words)
}

// scene prepares a position without its past.
func (n Narrator) scene(p games.Position) *Scene { return New(p, nil, "") }

// Move returns the sentences for a legal move in a position: what it does, and afterwards what matters for the next move, or how the game has
// ended.
func (n Narrator) Move(before games.Position, m games.Move) []string {
	side := before.Turn()
	after, err := before.Play(m)
	if err != nil {
		return nil
	}
	s := n.scene(before)
	all := []string{n.tell(side, text.T("You play %s."), text.T("%s plays %s."), string(m))}
	if f, ok := s.facts.(narration); ok {
		all = f.happens(n, m)
	}
	if after.Result().Over {
		if n.Ending != nil {
			all = append(all, n.Ending(after))
		}
		return all
	}
	if !n.Brief {
		all = append(all, n.urgent(after)...)
	}
	return all
}

// urgent returns what matters for the very next move.
func (n Narrator) urgent(p games.Position) (all []string) {
	for _, note := range n.scene(p).Notes(n.Say, n.Names) {
		if note.Urgent {
			all = append(all, n.note(p, note))
		}
	}
	return all
}

func (n Narrator) note(p games.Position, note Note) string {
	switch turn := p.Turn(); {
	case note.You != "" && n.you(turn):
		return note.You
	case note.Other != "" && n.you(turn.Other()):
		return note.Other
	}
	return note.Words
}

// Opening returns the sentences that begin a game or show a position to a reader who comes to it: where the pieces of both sides are, and how
// things stand.
func (n Narrator) Opening(p games.Position) []string {
	var all []string
	for _, side := range n.sides() {
		all = append(all, n.Pieces(p, side)...)
	}
	return append(all, n.remarks(p)...)
}

// sides returns both sides, that of the reader first.
func (n Narrator) sides() [2]games.Side {
	if n.Plays {
		return [2]games.Side{n.Side, n.Side.Other()}
	}
	return [2]games.Side{games.First, games.Second}
}

func (n Narrator) remarks(p games.Position) (all []string) {
	s := n.scene(p)
	if f, ok := s.facts.(inWords); ok && !p.Result().Over {
		return f.remarksInWords(n)
	}
	for _, note := range s.Notes(n.Say, n.Names) {
		all = append(all, n.note(p, note))
	}
	return all
}

// piece returns what stands on a place, in the nominative; "empty" if nothing does.
func (n Narrator) piece(s *Scene, at Spot) string {
	side, letter, held := s.board.places().pieceAt(at)
	if !held {
		// Translators: a place of the board without a piece.
		return n.Say.T("empty")
	}
	if f, ok := s.facts.(narration); ok {
		return f.piece(n, side, letter)
	}
	return string(letter)
}

// Pieces returns where the pieces of a side are, and how the side stands.
func (n Narrator) Pieces(p games.Position, side games.Side) []string {
	s := n.scene(p)
	words := n.tell(side, text.T("Your pieces"), text.T("Pieces of %s"))
	if f, ok := s.facts.(narration); ok {
		words = f.pieces(n, side)
	}
	where := s.board.pieces(side)
	if len(where) == 0 {
		return []string{n.Say.T("%s: none on the board.", words)}
	}
	if k, ok := s.facts.(kinds); ok {
		var all []string
		for _, kind := range k.kinds() {
			all = append(all, n.ofKind(s, side, kind)...)
		}
		return all
	}
	return []string{words + ": " + strings.Join(where, ", ") + "."}
}

// Count returns how many pieces each side has on the board, how the sides stand, and the counters that end the game.
func (n Narrator) Count(p games.Position) (all []string) {
	s := n.scene(p)
	for _, side := range n.sides() {
		words := n.tell(side, text.T("Your pieces"), text.T("Pieces of %s"))
		if f, ok := s.facts.(narration); ok {
			words = f.pieces(n, side)
		}
		line := n.Say.T("%s: %d on the board", words, len(s.board.pieces(side)))
		standing := s.Standing(n.Say, side)
		if f, ok := s.facts.(inWords); ok {
			standing = f.standingInWords(n.Say, side)
		}
		if standing != "" {
			line += "; " + standing
		}
		all = append(all, line+".")
	}
	if c, ok := s.facts.(counters); ok && !p.Result().Over {
		all = append(all, c.low(n.Say)...)
	}
	return append(all, n.remarks(p)...)
}

// What returns what stands on a place, and what can be done there.
func (n Narrator) What(p games.Position, place string) ([]string, error) {
	s := n.scene(p)
	at, err := n.spot(s, place)
	if err != nil {
		return nil, err
	}
	all := []string{s.board.places().spotName(at) + ": " + n.piece(s, at) + "."}
	if f, ok := s.facts.(narration); ok {
		all = append(all, f.place(n, at)...)
	}
	return []string{strings.Join(append(all, n.possible(s, at)...), " ")}, nil
}

// possible says which moves go from or to a place.
func (n Narrator) possible(s *Scene, at Spot) []string {
	if s.pos.Result().Over {
		return nil
	}
	if w, ok := s.board.(*wheels); ok {
		return w.possible(n, s, at)
	}
	turn := s.pos.Turn()
	var to, from []string
	for _, c := range s.choices {
		switch {
		case c.from == at:
			to = append(to, n.withEffect(s, s.board.places().spotName(c.to), c.move))
		case c.to == at && c.from == Nowhere:
			from = append(from, n.withEffect(s, string(c.move), c.move))
		case c.to == at:
			from = append(from, n.withEffect(s, s.board.places().spotName(c.from), c.move))
		}
	}
	side, _, held := s.board.places().pieceAt(at)
	switch {
	case len(to) > 0:
		return []string{n.tell(turn, text.T("You can move it to %s."), text.T("%s can move it to %s."), strings.Join(to, ", "))}
	case len(from) > 0 && !s.movesPieces():
		return []string{n.tell(turn, text.T("You can play %s."), text.T("%s can play %s."), strings.Join(from, ", "))}
	case len(from) > 0:
		return []string{n.tell(turn, text.T("You can move there from %s."), text.T("%s can move there from %s."), strings.Join(from, ", "))}
	case held && side == turn && s.movesPieces():
		return []string{n.Say.T("It can't move now.")}
	case !held && !s.movesPieces():
		return []string{n.tell(turn, text.T("You can't play there now."), text.T("%s can't play there now."))}
	}
	return nil
}

// movesPieces reports whether moves take a piece from place to place.
func (s *Scene) movesPieces() bool {
	return slices.ContainsFunc(s.choices, func(c choice) bool { return c.from != Nowhere })
}

// withEffect returns words with the further effects of a move behind them.
func (n Narrator) withEffect(s *Scene, words string, m games.Move) string {
	if effect := s.Effect(n.Say, m); effect != "" {
		return words + " (" + effect + ")"
	}
	return words
}

// spot returns the place that a word names.
func (n Narrator) spot(s *Scene, word string) (Spot, error) {
	at, ok := s.board.places().spotOf(strings.ToLower(strings.TrimSpace(word)))
	if !ok {
		return Nowhere, &NoPlaceError{n.Say.T("There is no place %s on this board. %s", quoted(word), s.board.places().names(n.Say))}
	}
	return at, nil
}

// quoted makes a word that was typed safe and short enough to be repeated.
func quoted(word string) string { return strconv.Quote(text.Cut(text.Clean(word), 20)) }

// Row returns what stands on the places of a row.
func (n Narrator) Row(p games.Position, word string) ([]string, error) {
	s := n.scene(p)
	return n.line(s, word, s.board.places().row, text.T("Row %s: %s."), text.T("There is no row %s on this board. %s"))
}

// Column returns what stands on the places of a column.
func (n Narrator) Column(p games.Position, word string) ([]string, error) {
	s := n.scene(p)
	return n.line(s, word, s.board.places().column, text.T("Column %s: %s."), text.T("There is no column %s on this board. %s"))
}

// Wheel returns what stands on the places of a wheel, clockwise from its upper left.
func (n Narrator) Wheel(p games.Position, word string) ([]string, error) {
	s := n.scene(p)
	return n.line(s, word, s.board.places().wheel, text.T("Wheel %s, clockwise from its upper left: %s."), text.T("There is no wheel %s on this board. %s"))
}

// line answers a question about places in a line: which of them are named by a word. found and none are formats marked for translation.
func (n Narrator) line(s *Scene, word string, places func(string) []Spot, found, none string) ([]string, error) {
	word = strings.ToLower(strings.TrimSpace(word))
	spots := places(word)
	if len(spots) == 0 {
		return nil, &NoPlaceError{n.Say.T(none, quoted(word), s.board.places().names(n.Say))}
	}
	return []string{n.Say.T(found, word, n.contents(s, spots))}, nil
}

// contents lists what stands on places, and leaves out the empty ones.
func (n Narrator) contents(s *Scene, spots []Spot) string {
	var words []string
	held := 0
	for i := 0; i < len(spots); {
		side, letter, ok := s.board.places().pieceAt(spots[i])
		end := i + 1
		for end < len(spots) {
			of, next, held := s.board.places().pieceAt(spots[end])
			if held != ok || of != side || next != letter {
				break
			}
			end++
		}
		switch first, last := s.board.places().spotName(spots[i]), s.board.places().spotName(spots[end-1]); {
		case ok && end-i > 2:
			// Translators: several places in a row, and what stands on each of them: a1 to l1 each your man.
			words = append(words, n.Say.T("%s to %s each %s", first, last, n.piece(s, spots[i])))
		case ok:
			for _, at := range spots[i:end] {
				words = append(words, s.board.places().spotName(at)+" "+n.piece(s, at))
			}
		}
		if ok {
			held += end - i
		}
		i = end
	}
	switch {
	case len(words) == 0:
		return n.Say.T("empty")
	case held < len(spots):
		// Translators: the other places of a row or column have no piece.
		words = append(words, n.Say.T("the rest is empty"))
	}
	return strings.Join(words, ", ")
}

// Around returns what stands on the places next to a place.
func (n Narrator) Around(p games.Position, place string) ([]string, error) {
	s := n.scene(p)
	at, err := n.spot(s, place)
	if err != nil {
		return nil, err
	}
	var words []string
	for _, next := range s.board.places().next(at) {
		words = append(words, s.board.places().spotName(next)+" "+n.piece(s, next))
	}
	return []string{n.Say.T("Around %s: %s.", s.board.places().spotName(at), strings.Join(words, ", "))}, nil
}

// Board returns what stands on each row, the top one first.
func (n Narrator) Board(p games.Position) (all []string) {
	s := n.scene(p)
	for _, word := range s.board.places().rowNames() {
		all = append(all, n.Say.T("Row %s: %s.", word, n.contents(s, s.board.places().row(word))))
	}
	return all
}

// Moves returns the legal moves, those from or to a place if one is named.
func (n Narrator) Moves(p games.Position, place string) ([]string, error) {
	s := n.scene(p)
	if p.Result().Over {
		return []string{n.Say.T("The game is over: there are no more moves.")}, nil
	}
	if place != "" {
		return n.movesOf(s, place)
	}
	var words []string
	for _, m := range p.Legal() {
		words = append(words, n.withEffect(s, string(m), m))
	}
	return []string{n.tellN(p.Turn(), len(words)) + " " + strings.Join(words, ", ") + "."}, nil
}

func (n Narrator) tellN(turn games.Side, moves int) string {
	if n.you(turn) {
		return n.Say.N(moves, "You have one move:", "You have %d moves:", moves)
	}
	return n.Say.N(moves, "%s has one move:", "%s has %d moves:", n.Names[turn], moves)
}

// movesOf returns the legal moves from or to a place or, on a board with wheels, of a wheel.
func (n Narrator) movesOf(s *Scene, place string) ([]string, error) {
	if len(s.board.places().wheel(place)) > 0 {
		return n.turns(s, place), nil
	}
	return n.reach(s, place)
}

// reach returns the legal moves from or to a place.
func (n Narrator) reach(s *Scene, place string) ([]string, error) {
	at, err := n.spot(s, place)
	if err != nil {
		return nil, err
	}
	if all := n.possible(s, at); len(all) > 0 {
		return all, nil
	}
	return []string{n.Say.T("No move begins or ends on %s now.", s.board.places().spotName(at))}, nil
}

// Where returns, for a place, which moves begin or end there; for a kind of piece, where the pieces of that kind are; for the word for all pieces, or
// for no word, where all pieces are; and for the word for wheels, what is on each wheel.
func (n Narrator) Where(p games.Position, word string) ([]string, error) {
	s := n.scene(p)
	word = strings.TrimSpace(word)
	switch wheels := s.board.places().wheelNames(); {
	case word == "" || n.meansPieces(s, word):
		return slices.Concat(n.Pieces(p, n.sides()[0]), n.Pieces(p, n.sides()[1])), nil
	case len(wheels) > 0 && isWord(n.Say, word, text.T("wheel"), text.T("wheels")):
		return n.wheels(p, wheels)
	}
	k, ok := s.facts.(kinds)
	if !ok {
		return n.reach(s, word)
	}
	at := slices.IndexFunc(k.kinds(), func(kind pieceKind) bool { return kind.called(n.Say, word) })
	if at < 0 {
		all, err := n.reach(s, word)
		if err != nil {
			var words []string
			for _, kind := range k.kinds() {
				words = append(words, n.Say.T(kind.words[0]))
			}
			err = &NoPlaceError{err.Error() + " " + n.Say.T("The pieces are: %s.", strings.Join(words, ", "))}
		}
		return all, err
	}
	var all []string
	for _, side := range n.sides() {
		all = append(all, n.ofKind(s, side, k.kinds()[at])...)
	}
	if len(all) == 0 {
		all = []string{n.Say.T("There are none on the board.")}
	}
	return all, nil
}

// meansPieces reports whether a word stands for all pieces of the game.
func (n Narrator) meansPieces(s *Scene, word string) bool {
	if isWord(n.Say, word, text.T("piece"), text.T("pieces")) {
		return true
	}
	f, ok := s.facts.(narration)
	return ok && isWord(n.Say, word, f.called()...)
}

// wheels returns what is on each of some wheels.
func (n Narrator) wheels(p games.Position, names []string) (all []string, err error) {
	for _, name := range names {
		lines, err := n.Wheel(p, name)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

// ofKind returns where the pieces of a side are that are of a kind; nothing if there are none.
func (n Narrator) ofKind(s *Scene, side games.Side, kind pieceKind) []string {
	var where []string
	for _, at := range s.board.places().all() {
		if of, letter, held := s.board.places().pieceAt(at); held && of == side && strings.ContainsRune(kind.letters, letter) {
			where = append(where, s.board.places().spotName(at))
		}
	}
	if len(where) == 0 {
		return nil
	}
	return []string{n.tell(side, kind.yours, kind.others) + ": " + strings.Join(where, ", ") + "."}
}

// Threats returns what each side could capture or complete with its next move. For the side that is not to move it looks at the same position with
// the turn passed.
func (n Narrator) Threats(p games.Position) (all []string) {
	if p.Result().Over {
		return []string{n.Say.T("The game is over: there are no more moves.")}
	}
	for _, side := range n.sides() {
		words := n.threats(p, side)
		if len(words) == 0 {
			all = append(all, n.tell(side, text.T("You threaten nothing."), text.T("%s threatens nothing.")))
			continue
		}
		all = append(all, n.tell(side, text.T("You could play %s."), text.T("%s could play %s."), strings.Join(words, ", ")))
	}
	return all
}

// threats returns the moves with which a side could capture or complete something, each with what that is. Moves in a row that come to the same
// share it: a1, a2, b1 (wins).
func (n Narrator) threats(p games.Position, side games.Side) (words []string) {
	s := n.scene(p)
	if c, ok := s.facts.(completer); ok {
		for _, at := range c.completes(side) {
			words = append(words, s.board.places().spotName(at))
		}
		if len(words) > 0 {
			words[len(words)-1] += " (" + n.Say.T("wins") + ")"
		}
		return words
	}
	if p.Turn() != side {
		passed := n.passed(p)
		if passed == nil {
			return nil
		}
		s = n.scene(passed)
	}
	f, ok := s.facts.(narration)
	if !ok {
		return nil
	}
	last := ""
	for _, m := range s.pos.Legal() {
		what := f.threat(n.Say, m)
		if what == "" {
			continue
		}
		if last != "" && what != last {
			words[len(words)-1] += " (" + last + ")"
		}
		words, last = append(words, string(m)), what
	}
	if last != "" {
		words[len(words)-1] += " (" + last + ")"
	}
	return words
}

// passed returns a position with the other side to move; nil where the game has no such position.
func (n Narrator) passed(p games.Position) games.Position {
	g, ok := n.Game.(games.Editable)
	if !ok {
		return nil
	}
	d := g.Draft(p)
	for _, field := range g.Fields(d.Options) {
		switch field.Kind {
		case games.ToMove:
			d = d.Set(field.Key, int(p.Turn().Other()))
		case games.Plies:
			d = d.Set(field.Key, d.Fields[field.Key]+1)
		}
	}
	other, err := g.Parse(g.Text(d))
	if err != nil || other.Turn() == p.Turn() || other.Result().Over {
		return nil
	}
	return other
}
