// Package puzzlepage has the screens of puzzles: the choice of a game, and the puzzle on its board.
package puzzlepage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/learning"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// A puzzleList offers the puzzle of the day, puzzles from the player's own matches, and puzzles by games with how the player does in them.
type puzzleList struct {
	env       *screen.Env
	menu      widget.Menu
	standings learning.PuzzleStandings
}

// standingsMsg is how the player does in puzzles.
type standingsMsg struct {
	standings learning.PuzzleStandings
	err       error
}

// NewList returns the choice of puzzles.
func NewList(e *screen.Env) screen.Screen { return puzzleList{env: e} }

// Init loads how the player does.
func (s puzzleList) Init() tea.Cmd { return s.load() }

func (s puzzleList) load() tea.Cmd {
	l, ctx, who := s.env.Lobby, s.env.Ctx, s.env.Who
	if who.Player() == "" {
		return nil
	}
	return func() tea.Msg {
		standings, err := l.Puzzles.Standings(ctx, who)
		return standingsMsg{standings, err}
	}
}

func (s puzzleList) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg, tea.MouseMsg:
		var chosen bool
		if s.menu, chosen = s.menu.Update(msg, s.count()); chosen {
			return s.choose()
		}
	case screen.ResumedMsg:
		return s, s.load()
	case standingsMsg:
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		s.standings = msg.standings
	case tea.KeyPressMsg:
		return screen.Press(s, &puzzleListKeys, msg)
	}
	return s, nil
}

var puzzleListKeys = widget.Actions[puzzleList]{
	Footer: []widget.Action[puzzleList]{
		widget.On("enter", text.T("solve"), puzzleList.choose, "enter"),
		widget.ArrowKeys(puzzleList.move),
	},
	Others: widget.JumpKeys(puzzleList.move),
}

func (s puzzleList) move(msg tea.KeyPressMsg) (puzzleList, tea.Cmd) {
	s.menu = s.menu.Key(msg, s.count())
	return s, nil
}

// count returns how many lines there are: the puzzle of the day, any game, own matches, and each game.
func (s puzzleList) count() int { return firstGame + len(s.env.Lobby.Games()) }

// firstGame is the number of lines above that of the first game.
const firstGame = 3

// choose opens a puzzle.
func (s puzzleList) choose() (puzzleList, tea.Cmd) {
	switch at := s.menu.At(); at {
	case 0:
		return s, screen.Push(NewDaily(s.env))
	case 1:
		return s, screen.Push(New(s.env, nil))
	case 2:
		return s, screen.Push(NewMine(s.env))
	default:
		return s, screen.Push(New(s.env, s.env.Lobby.Games()[at-firstGame]))
	}
}

func (s puzzleList) Draw(c *canvas.Canvas, area canvas.Rect) {
	s.menu.Draw(c, area, s.env.Theme, s.count(), s.line, s.about())
}

// line returns what a line offers, and how the player does there.
func (s puzzleList) line(i int) (name, standing string) {
	say := s.env.Say
	switch i {
	case 0:
		return say.T("Puzzle of the day"), ""
	case 1:
		return say.T("Any game"), ""
	case 2:
		return say.T("Your puzzles"), say.T("missed wins")
	}
	about := s.env.Lobby.Games()[i-firstGame].About()
	if own, ok := s.standings[about.ID]; ok {
		// Translators: a rating, and how many puzzles were solved of those that were tried.
		standing = say.T("%s, %d of %d solved", describe.Rated(own.Rating, false), own.Solved, own.Tried)
	}
	return say.Spell(about.Name), standing
}

// about says in few words what puzzles are.
func (s puzzleList) about() string {
	say := s.env.Say
	words := say.T("A position in which only one first move wins by force: find it.")
	if s.env.Who.Kind == storage.Guest {
		words += " " + say.T("Guests solve without a rating.")
	}
	return words
}

func (s puzzleList) Help() string {
	return widget.Paragraphs(
		s.env.Say.T("The puzzle of the day is the same for all. Puzzles of a game are about as hard as your rating in its puzzles, and none that you have tried comes again before all others have."),
		s.env.Say.T("Only the first try at a puzzle counts for your rating."),
		s.env.Say.T("Your puzzles are wins that you missed in your last 20 matches, as far as they are analysed: look through a finished match, and it is. They have no rating."),
	)
}

func (s puzzleList) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("puzzles")
}

func (s puzzleList) Status() string { return s.env.Who.Name }

func (s puzzleList) ShortHelp() []key.Binding  { return puzzleListKeys.ShortHelp(s) }
func (s puzzleList) FullHelp() [][]key.Binding { return puzzleListKeys.FullHelp(s) }
func (s puzzleList) Typing() bool              { return false }
