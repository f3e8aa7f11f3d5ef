// Package lessonpage has the screens on which a game is learned: the list of games, and the steps of a lesson on the board.
package lessonpage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A gameList lists the games with how far the player has come in their lessons.
type gameList struct {
	env  *screen.Env
	menu widget.Menu
	kept learning.Lessons // of the player's account
}

// lessonsMsg is how far the player has come in all lessons.
type lessonsMsg struct {
	kept learning.Lessons
	err  error
}

// NewList returns the list of games, which leads to their lessons and rules.
func NewList(e *screen.Env) screen.Screen { return gameList{env: e} }

// Init loads how far the player has come.
func (s gameList) Init() tea.Cmd {
	l, ctx, who := s.env.Lobby, s.env.Ctx, s.env.Who
	if who.Player() == "" {
		return nil
	}
	return func() tea.Msg {
		kept, err := l.Lessons(ctx, who)
		return lessonsMsg{kept, err}
	}
}

func (s gameList) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg, tea.MouseMsg:
		var chosen bool
		if s.menu, chosen = s.menu.Update(msg, len(s.env.Lobby.Games())); chosen {
			return s.choose()
		}
	case lessonsMsg:
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		s.kept = msg.kept
	case tea.KeyPressMsg:
		return screen.Press(s, &gameListKeys, msg)
	}
	return s, nil
}

var gameListKeys = widget.Actions[gameList]{
	Footer: []widget.Action[gameList]{
		widget.On("enter", text.T("learn"), gameList.choose, "enter").Doing(gameList.enterWhat),
		widget.ArrowKeys(gameList.move),
		widget.On("r", text.T("read the rules"), gameList.read, "r"),
	},
	Others: widget.JumpKeys(gameList.move),
}

func (s gameList) move(msg tea.KeyPressMsg) (gameList, tea.Cmd) {
	s.menu = s.menu.Key(msg, len(s.env.Lobby.Games()))
	return s, nil
}

// game returns the game with the cursor.
func (s gameList) game() games.Game { return s.env.Lobby.Games()[s.menu.At()] }

// choose opens the lesson where the player left it; without a lesson, the rules.
func (s gameList) choose() (gameList, tea.Cmd) {
	g := s.game()
	if page, ok := New(s.env, g, s.lesson(g)); ok {
		return s, screen.Push(page)
	}
	return s.read()
}

func (s gameList) enterWhat() string {
	if len(games.LessonOf(s.game())) == 0 {
		return text.T("read the rules")
	}
	return text.T("learn")
}

// read opens the rules.
func (s gameList) read() (gameList, tea.Cmd) {
	about := s.game().About()
	return s, screen.Push(screen.NewReader(s.env, s.env.Say.Spell(about.Name), describe.Rules(s.env, about)))
}

// lesson returns how far the player has come, in this session or before.
func (s gameList) lesson(g games.Game) learning.Lesson {
	id := g.About().ID
	return s.kept[id].Farther(s.env.Lessons[id])
}

func (s gameList) Draw(c *canvas.Canvas, area canvas.Rect) {
	all := s.env.Lobby.Games()
	s.menu.Draw(c, area, s.env.Theme, len(all), func(i int) (name, progress string) {
		return s.env.Say.Spell(all[i].About().Name), s.progress(all[i])
	}, s.env.Say.T(s.game().About().Sentence))
}

// progress says in few words how far the player has come in a lesson; "" for a game without one.
func (s gameList) progress(g games.Game) string {
	say := s.env.Say
	steps := len(games.LessonOf(g))
	switch l := s.lesson(g); {
	case steps == 0:
		return ""
	case l.Done:
		return say.T("done")
	case l.Solved > 0:
		return say.T("step %d of %d", learning.Resume(l, steps), steps)
	}
	return say.N(steps, "1 step", "%d steps")
}

func (s gameList) Help() string {
	return widget.Paragraphs(
		s.env.Say.T("Enter opens the lesson of a game, on its board, where you left it. Each step asks for one move."),
		s.env.Say.T("The key r shows the rules of a game. At a board, the key ? shows them beside it."),
	)
}

func (s gameList) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("learn the games")
}

func (s gameList) Status() string { return s.env.Who.Name }

func (s gameList) ShortHelp() []key.Binding  { return gameListKeys.ShortHelp(s) }
func (s gameList) FullHelp() [][]key.Binding { return gameListKeys.FullHelp(s) }
func (s gameList) Typing() bool              { return false }
