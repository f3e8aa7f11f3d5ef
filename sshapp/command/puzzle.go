package command

import (
	"context"
	"math"
	"strings"

	"ludoteca/games"
	"ludoteca/games/puzzle"
	"ludoteca/lobby"
	"ludoteca/lobby/analyses"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/wording"
)

// puzzleRows are the commands about puzzles.
func puzzleRows() []*row {
	return []*row{
		{Name: "puzzle", Example: "puzzle daily", Answer: puzzleJSON{}, Summary: text.T("a position in which only one first move wins by force"), Args: []tree.Arg{
			{Name: "GAME|daily|ID", Optional: true, Sample: daily, Help: text.T("a game, daily for the puzzle of the day, or the ID of a puzzle; without it, any that suits you")},
		}, Run: showPuzzle},
		{Name: "solve", Example: "solve daily d4", Answer: solveJSON{}, Summary: text.T("answer a puzzle with the moves that you have tried so far"), Args: []tree.Arg{
			{Name: "ID", Sample: daily, Asks: text.T("Which puzzle?"), Help: text.T("the ID of the puzzle, or daily for the puzzle of the day")},
			{Name: "MOVE", Sample: "d4", Words: tree.Many, Asks: text.T("Which move?"), Help: text.T("your moves from the first one on, each one word, wrong ones too; the moves of the other side are left out")},
		}, Run: solvePuzzle},
	}
}

// daily stands for the puzzle of the day.
const daily = "daily"

// A puzzleJSON is a puzzle.
type puzzleJSON struct {
	ID       string        `json:"id" help:"the ID of the puzzle"`
	Game     string        `json:"game" help:"the id of the game"`
	Options  games.Options `json:"options" help:"the value of each option of the game, by its key"`
	Position string        `json:"position" help:"the position in one line"`
	Board    []string      `json:"board" help:"the board, one text a row"`
	Turn     string        `json:"turn" help:"the side to move, which is to win: first or second"`
	Legal    []games.Move  `json:"legal" help:"the legal moves"`
	Task     string        `json:"task" help:"what is asked, in English"`
	Plies    int           `json:"plies" help:"how many moves of both sides the win takes at most"`
	Rating   int           `json:"rating" help:"how hard the puzzle is, on the scale of ratings; 0: it is from a match of yours and has no rating"`
	Daily    string        `json:"daily" help:"the day in UTC if it is the puzzle of today, as 2026-12-01; else \"\""`
}

// A solveJSON is what came of the last move.
type solveJSON struct {
	Right    bool         `json:"right" help:"whether the last move was right"`
	Reply    games.Move   `json:"reply" help:"the answer of the other side to the last move; \"\": there is none"`
	Solved   bool         `json:"solved" help:"whether the puzzle is solved"`
	Line     []games.Move `json:"line" help:"the right moves and their answers from the position of the puzzle on; if the last move was wrong, it and its answer follow"`
	Share    string       `json:"share" help:"a line to share when the puzzle of the day is solved; else \"\""`
	Position string       `json:"position" help:"the position in one line after the moves of line"`
	Board    []string     `json:"board" help:"the board after the moves of line, one text a row"`
	Counted  bool         `json:"counted" help:"whether this is your first try at the puzzle, decided by the last move: it counts for your rating"`
}

// drawnFlag has the board drawn.
func drawnFlag(f *tree.Flags) *bool {
	return f.Bool("board", text.T("draw the board instead of describing it in sentences"))
}

// showPuzzle prints a puzzle, or has a user of the line mode be at it.
func showPuzzle(f *tree.Flags) run {
	drawn := drawnFlag(f)
	mine := f.Bool("mine", text.T("a win that you missed in one of your last 20 matches, as far as they are analysed; of a game if one is named"))
	return func(c *call) (reply.Reply, error) {
		who, err := c.visitor()
		if err != nil {
			return nil, err
		}
		posed, g, err := choosePuzzle(c, who, *mine)
		if err != nil {
			return nil, err
		}
		if c.tells() {
			s := &solving{posed: posed, lobby: c.lobby(), who: who, game: g, tells: c.caller.current.Manner}
			s.attempt = posed.puzzle.Begin()
			c.caller.current.Begin(s)
			return answer(s.asked()), nil
		}
		return reply.One(reply.Made(func() string { return posed.words(c, *drawn) }, func() any { return posed.object() })), nil
	}
}

// choosePuzzle returns the puzzle that the word of a command names, or one that suits the caller, or else one from the caller's own matches. g is
// the game of which the caller wants puzzles; nil: any.
func choosePuzzle(c *call, who lobby.User, mine bool) (p posed, g games.Game, err error) {
	if len(c.words) > 0 {
		if g, err = c.lobby().Game(c.words[0]); err != nil && !mine {
			p, err = puzzleNamed(c, who, c.words[0])
			return p, nil, err
		}
	}
	switch {
	case err != nil:
	case mine:
		p, err = poseMissed(c.ctx, c.say, c.lobby(), who, g, "")
	default:
		var shipped *puzzle.Puzzle
		if shipped, err = c.lobby().Puzzles.Next(c.ctx, who, g, nil); err == nil {
			p, err = pose(c.ctx, c.say, c.lobby().Puzzles, shipped)
		}
	}
	return p, g, err
}

// puzzleNamed returns the puzzle of an ID, or of the day.
func puzzleNamed(c *call, who lobby.User, id string) (posed, error) {
	var p *puzzle.Puzzle
	var err error
	switch {
	case analyses.IsMissed(id):
		w, err := c.lobby().MissedWins.Find(c.ctx, who, id)
		if err != nil {
			return posed{}, err
		}
		return posed{say: c.say, puzzle: w.Puzzle, missed: w}, nil
	case strings.EqualFold(id, daily):
		p, _, err = c.lobby().Puzzles.Daily()
	default:
		p, err = c.lobby().Puzzles.Find(id)
	}
	if err != nil {
		return posed{}, err
	}
	return pose(c.ctx, c.say, c.lobby().Puzzles, p)
}

// A posed is a puzzle in the words of one reader.
type posed struct {
	say    wording.Words
	puzzle *puzzle.Puzzle
	day    string // "" if it is not the puzzle of today
	rating int
	missed *lobby.MissedWin // that it is about; nil: the game comes with the puzzle
}

// poseMissed returns the missed win of a reader after the one with an ID: of a game, or of any if g is nil.
func poseMissed(ctx context.Context, say wording.Words, l *lobby.Lobby, who lobby.User, g games.Game, after string) (posed, error) {
	w, err := l.MissedWins.Next(ctx, who, g, after)
	if err != nil {
		return posed{}, err
	}
	return posed{say: say, puzzle: w.Puzzle, missed: w}, nil
}

// pose returns a puzzle for a reader.
func pose(ctx context.Context, say wording.Words, puzzles *learning.Puzzles, p *puzzle.Puzzle) (posed, error) {
	rating, err := puzzles.Rating(ctx, p)
	if err != nil {
		return posed{}, err
	}
	posed := posed{say: say, puzzle: p, rating: int(math.Round(rating))}
	if today, day, err := puzzles.Daily(); err == nil && today == p {
		posed.day = day
	}
	return posed, nil
}

// head names the puzzle.
func (p posed) head() string {
	game := p.say.Spell(p.puzzle.Game.About().Name)
	if p.missed != nil {
		// Translators: a game, the name of a player, the number of a move.
		return p.say.T("%s, from your match against %s, move %d.", game, p.say.Name(p.missed.Opponent), p.missed.Number)
	}
	if p.day != "" {
		return p.say.T("The puzzle of the day, %s: %s, puzzle %s, rating %d.", p.day, game, p.puzzle.ID, p.rating)
	}
	return p.say.T("%s, puzzle %s, rating %d.", game, p.puzzle.ID, p.rating)
}

// task says what the puzzle asks.
func (p posed) task() string {
	side := p.say.T(p.puzzle.Game.About().Sides[p.puzzle.Side()])
	if p.missed != nil {
		return p.say.MissedTask(side, p.missed)
	}
	return p.say.PuzzleTask(side, p.puzzle)
}

// words describe the puzzle.
func (p posed) words(c *call, drawn bool) string {
	lines := append([]string{p.head()}, boardLines(c, p.puzzle.Game.About(), p.puzzle.Start, drawn)...)
	return strings.Join(append(lines, p.task(), p.say.T("Answer with a move: solve %s MOVE", p.puzzle.ID)), "\n")
}

// object returns the puzzle for scripts.
func (p posed) object() puzzleJSON {
	start := p.puzzle.Start
	return puzzleJSON{
		ID: p.puzzle.ID, Game: p.puzzle.Game.About().ID, Options: start.Options(), Position: start.String(), Board: start.Rows(), Turn: start.Turn().String(),
		Legal: start.Legal(), Task: posed{puzzle: p.puzzle, missed: p.missed}.task(), Plies: p.puzzle.Plies, Rating: p.rating, Daily: p.day,
	}
}

// narrator returns what tells the puzzle to its reader.
func (p posed) narrator(brief bool) boardview.Narrator {
	n := boardview.Narrator{Say: p.say.Say, Game: p.puzzle.Game, Plays: true, Side: p.puzzle.Side(), Brief: brief}
	n.Names[n.Side], n.Names[n.Side.Other()] = p.say.T("you"), teacher
	return n
}

// told tells what came of a move in a position.
func (p posed) told(n boardview.Narrator, before games.Position, m games.Move, o puzzle.Outcome) []string {
	lines := []string{inSentences(n.Move(before, m))}
	if o.Reply != "" {
		lines = append(lines, inSentences(n.Move(o.Moved, o.Reply)))
	}
	switch o.Verdict {
	case puzzle.Wrong:
		lines = append([]string{p.say.T("%s is wrong. This is what comes of it:", string(m))}, lines...)
		return append(lines, p.say.T("The board is as it was before. Try another move."))
	case puzzle.Solved:
		return append(lines, p.say.T("%s is right. The puzzle is solved.", string(m)))
	}
	return append([]string{p.say.T("%s is right.", string(m))}, lines...)
}

// inSentences joins sentences, each with a capital letter: a side may be called by words that begin without one.
func inSentences(all []string) string {
	for i := range all {
		all[i] = text.Sentence(all[i])
	}
	return strings.Join(all, " ")
}

// share returns the line to share about the puzzle of the day, "" for other puzzles and before it is solved.
func (p posed) share(a puzzle.Attempt) string { return p.say.ShareOfPuzzle(p.day, a) }

// firstTry notes the first try of a user at a puzzle as soon as it is decided: by a wrong move, or by the solution. It returns how the user stands
// then; nil: this was no first try, or it isn't decided.
func firstTry(ctx context.Context, puzzles *learning.Puzzles, who lobby.User, a puzzle.Attempt) (*learning.PuzzleStanding, error) {
	if !a.Failed() && !a.Solved() {
		return nil, nil
	}
	standing, first, err := puzzles.Tried(ctx, who, a.Puzzle(), !a.Failed())
	if err != nil || !first {
		return nil, err
	}
	return &standing, nil
}

// countedWords say what a first try has changed.
func (p posed) countedWords(to *learning.PuzzleStanding) []string {
	if to == nil {
		return nil
	}
	game := p.say.Spell(p.puzzle.Game.About().Name)
	return []string{p.say.T("Your rating in puzzles of %s: %d. Solved one after the other: %d.", game, int(math.Round(to.Rating)), to.Streak)}
}

// A solved is how far a caller has come in a puzzle by the moves of a command.
type solved struct {
	posed
	attempt puzzle.Attempt
	before  games.Position // before the last move
	last    games.Move
	outcome puzzle.Outcome // of the last move
	line    []games.Move
	counted *learning.PuzzleStanding
}

// solvePuzzle makes the caller's moves in a puzzle.
func solvePuzzle(f *tree.Flags) run {
	drawn := drawnFlag(f)
	return func(c *call) (reply.Reply, error) {
		who, err := c.visitor()
		if err != nil {
			return nil, err
		}
		posed, err := puzzleNamed(c, who, c.words[0])
		if err != nil {
			return nil, err
		}
		s := solved{posed: posed, attempt: posed.puzzle.Begin(), line: []games.Move{}}
		for _, typed := range c.words[1:] {
			if err := s.try(typed); err != nil {
				return nil, err
			}
		}
		if s.counted, err = firstTry(c.ctx, c.lobby().Puzzles, who, s.attempt); err != nil {
			return nil, err
		}
		return reply.One(reply.Made(func() string { return s.words(c, *drawn) }, func() any { return s.object() })), nil
	}
}

// try makes a move. One that the rules forbid is refused with their reason.
func (s *solved) try(typed string) error {
	if s.attempt.Solved() {
		return usageError{words: s.say.T("The puzzle is solved before %s.", tree.Quoted(typed))}
	}
	m, err := s.attempt.Position().Read(typed)
	if err != nil {
		return err
	}
	s.before, s.last = s.attempt.Position(), m
	if s.attempt, s.outcome = s.attempt.Try(m); s.outcome.Verdict == puzzle.Illegal {
		return s.outcome.Illegal
	}
	if s.outcome.Verdict != puzzle.Wrong {
		s.line = movesOf(s.line, m, s.outcome)
	}
	return nil
}

// movesOf appends a move and the answer of the other side to a line.
func movesOf(line []games.Move, m games.Move, o puzzle.Outcome) []games.Move {
	if line = append(line, m); o.Reply != "" {
		line = append(line, o.Reply)
	}
	return line
}

// words say what came of the last move.
func (s *solved) words(c *call, drawn bool) string {
	lines := s.told(s.narrator(false), s.before, s.last, s.outcome)
	if s.outcome.Verdict != puzzle.Solved {
		lines = append(lines, boardLines(c, s.puzzle.Game.About(), s.attempt.Position(), drawn)...)
	}
	lines = append(lines, s.countedWords(s.counted)...)
	if share := s.share(s.attempt); share != "" {
		lines = append(lines, share)
	}
	return strings.Join(lines, "\n")
}

// object returns what came of the last move, for scripts.
func (s *solved) object() solveJSON {
	j := solveJSON{
		Right: s.outcome.Verdict != puzzle.Wrong, Reply: s.outcome.Reply, Solved: s.attempt.Solved(), Line: s.line, Share: s.share(s.attempt), Counted: s.counted != nil,
		Position: s.outcome.After.String(), Board: s.outcome.After.Rows(),
	}
	if !j.Right {
		j.Line = movesOf(j.Line, s.last, s.outcome)
	}
	return j
}

// A solving is a puzzle that a user of the line mode solves. Only the user's commands use it.
type solving struct {
	posed
	lobby   *lobby.Lobby
	who     lobby.User
	game    games.Game // of which the user wants puzzles; nil: any
	tells   func() prompt.Manner
	attempt puzzle.Attempt
	gaveUp  bool
	before  games.Position // before the last move; nil: there was none
	last    games.Move
}

func (s *solving) Name() string { return s.puzzle.Game.About().ID }
func (s *solving) Code() string { return prompt.Here }

func (s *solving) Look() prompt.Look {
	return prompt.Look{Narrator: s.narrator(s.tells().Brief), Position: s.attempt.Position(), Before: s.before, Last: s.last}
}

// asked tells the puzzle and what stands on its board.
func (s *solving) asked() []string {
	look := s.Look()
	lines := []string{s.head(), inSentences(look.Narrator.Opening(look.Position))}
	return append(append(lines, drawing(s.tells(), look.Position)...), s.task())
}

// Play tries a move. After a right one the puzzle goes on with the longest defence.
func (s *solving) Play(ctx context.Context, m games.Move) ([]string, error) {
	if err := s.over(); err != nil {
		return nil, err
	}
	look := s.Look()
	attempt, o := s.attempt.Try(m)
	if o.Verdict == puzzle.Illegal {
		return nil, o.Illegal
	}
	counted, err := firstTry(ctx, s.lobby.Puzzles, s.who, attempt)
	if err != nil {
		return nil, err
	}
	s.attempt = attempt
	lines := append(s.told(look.Narrator, look.Position, m, o), s.countedWords(counted)...)
	switch {
	case o.Verdict == puzzle.Wrong:
		return lines, nil
	case o.Reply != "":
		s.before, s.last = o.Moved, o.Reply
	default:
		s.before, s.last = look.Position, m
	}
	lines = append(lines, drawing(s.tells(), s.attempt.Position())...)
	if !s.attempt.Solved() {
		return lines, nil
	}
	if share := s.share(s.attempt); share != "" {
		lines = append(lines, share)
	}
	return append(lines, s.say.T("next takes another puzzle.")), nil
}

// over returns the error about a puzzle that is solved, or whose solution is known; nil if it still is to be solved.
func (s *solving) over() error {
	switch {
	case s.attempt.Solved():
		return refusal{codeOver, s.say.T("The puzzle is solved. next takes another one.")}
	case s.gaveUp:
		return refusal{codeOver, s.say.T("You know the solution. next takes another puzzle.")}
	}
	return nil
}

// Hint gives the puzzle up, and tells the solution.
func (s *solving) Hint(ctx context.Context) ([]string, error) {
	if err := s.over(); err != nil {
		return nil, err
	}
	standing, first, err := s.lobby.Puzzles.Tried(ctx, s.who, s.puzzle, false)
	if err != nil {
		return nil, err
	}
	s.gaveUp = true
	var moves, lines []string
	at, narrator := s.puzzle.Start, s.Look().Narrator
	for _, m := range s.puzzle.Line() {
		moves = append(moves, string(m))
		lines = append(lines, strings.Join(narrator.Move(at, m), " "))
		if at, err = at.Play(m); err != nil { // a puzzle is read only if its line is legal
			return nil, err
		}
	}
	lines = append([]string{s.say.T("The solution: %s", strings.Join(moves, " "))}, lines...)
	if first {
		lines = append(lines, s.countedWords(&standing)...)
	}
	return append(lines, s.say.T("next takes another puzzle.")), nil
}

// By takes another puzzle.
func (s *solving) By(ctx context.Context, steps int) ([]string, error) {
	if steps < 0 {
		return s.GoTo(steps)
	}
	next, err := s.next(ctx)
	if err != nil {
		return nil, err
	}
	s.posed, s.attempt, s.gaveUp, s.before, s.last = next, next.puzzle.Begin(), false, nil, ""
	return s.asked(), nil
}

// next returns another puzzle, of the same kind.
func (s *solving) next(ctx context.Context) (posed, error) {
	if s.missed != nil {
		return poseMissed(ctx, s.say, s.lobby, s.who, s.game, s.puzzle.ID)
	}
	p, err := s.lobby.Puzzles.Next(ctx, s.who, s.game, s.puzzle)
	if err != nil {
		return posed{}, err
	}
	return pose(ctx, s.say, s.lobby.Puzzles, p)
}

func (s *solving) GoTo(int) ([]string, error) {
	return nil, refusal{codeNotOpen, s.say.T("A puzzle has no way back. next takes another one.")}
}
