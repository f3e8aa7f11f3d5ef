package accountpage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/moment"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/accounts"
)

// zoneCells is the longest text that is typed as a time zone, in cells.
const zoneCells = 32

// A zone screen lets a player choose the time zone in which they read times.
type zone struct {
	textScreen
	chosen string // the name of the zone; "" for UTC
}

func newZone(e *screen.Env) screen.Screen {
	return zone{textScreen: textScreen{env: e, limit: zoneCells}, chosen: e.Settings.Zone}
}

func (s zone) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	if msg, ok := msg.(tea.KeyPressMsg); ok {
		if run, ok := zoneKeys.Find(s, msg.String()); ok {
			return run(s, msg)
		}
	}
	s.textScreen = s.take(msg)
	return s, nil
}

var zoneKeys = widget.Actions[zone]{Footer: []widget.Action[zone]{
	widget.Typed[zone](text.T("letters"), text.T("the time zone")),
	widget.On("enter", text.T("choose"), zone.choose, "enter"),
}}

// choose takes the zone that is typed; nothing is UTC.
func (s zone) choose() (zone, tea.Cmd) {
	name, err := moment.Chosen(s.typed.Text)
	if s.problem = err != nil; s.problem {
		s.words = s.env.Say.T("%s is no time zone. Write its name as in Europe/Lisbon.", text.Clean(s.typed.Text))
		return s, nil
	}
	s.chosen, s.words, s.typed = name, "", widget.Entry{}
	return s, nil
}

// Settings returns the player's settings with the zone.
func (s zone) Settings() accounts.Settings {
	now := s.env.Settings
	now.Zone = s.chosen
	return now
}

func (s zone) Draw(c *canvas.Canvas, area canvas.Rect) {
	say := s.env.Say
	s.draw(c, area, say.T("In which time zone do you read times?"), say.T("You read times like this: %s.", say.Minute(s.env.Now())))
}

func (s zone) Help() string {
	return s.env.Say.T("Type the name of your time zone, such as Europe/Lisbon or America/Sao_Paulo, or nothing for UTC. Times on screen and in what commands say to you are in it; what they print with --json stays in UTC.")
}

func (s zone) Title() string             { return s.title(s.env.Say.T("time zone")) }
func (s zone) ShortHelp() []key.Binding  { return zoneKeys.ShortHelp(s) }
func (s zone) FullHelp() [][]key.Binding { return zoneKeys.FullHelp(s) }
