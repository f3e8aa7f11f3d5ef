package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
)

// promptRows are the commands of the line mode: they begin something there, lead through it, or change how it is told.
func promptRows() []*row {
	return group(text.T("In the line mode"),
		&row{Name: "play", Example: "play petteia pupil", Answer: openedJSON{}, Summary: text.T("play a game against the computer; you move first"), Args: []tree.Arg{gameArg(), {
			Name: "LEVEL", Sample: "first", Optional: true, Help: text.T("the computer player; games lists them; without it one that suits you"),
		}}, Run: plain(playComputer)},
		&row{Name: "review", Prompt: true, Answer: answerJSON{}, Summary: text.T("look through a finished match, without a word your last one: next, back and goto move, questions ask"), Args: []tree.Arg{optional(matchArg())}, Run: plain(review)},
		&row{Name: "next", Prompt: true, Answer: answerJSON{}, Summary: text.T("the next move of the match under review, the next step of a lesson, or another puzzle"), Run: plain(step(1))},
		&row{Name: "back", Prompt: true, Answer: answerJSON{}, Summary: text.T("back by one move, or one step of a lesson"), Run: plain(step(-1))},
		&row{Name: "goto", Prompt: true, Example: "goto 12", Answer: answerJSON{}, Summary: text.T("the position after a move of the match under review, or a step of a lesson"), Args: []tree.Arg{{
			Name: "NUMBER", Sample: "12", Asks: text.T("After which move?"), Help: text.T("how many moves have been made, 0 for the beginning; or the number of a step"),
		}}, Run: plain(goTo)},
		premoveRow(),
		togetherRow(),
		&row{Name: "lobby", Prompt: true, Answer: answerJSON{}, Summary: text.T("leave the board; the match goes on"), Run: plain(leaveBoard)},
		&row{Name: "why", Prompt: true, Answer: answerJSON{}, Summary: text.T("which rule forbade the move that you tried last"), Run: plain(why)},
		&row{Name: "settings", Prompt: true, Answer: answerJSON{}, Summary: text.T("your settings of the line mode"), Run: plain(settings)},
		&row{Name: "set", Prompt: true, Example: "set board on", Answer: answerJSON{}, Summary: text.T("change a setting: set verbose, set brief, set board on|off, set bell on|off, set language CODE, set screen on|off"),
			Usage: "verbose | brief | board on|off | bell on|off | language CODE | screen on|off", Args: []tree.Arg{
				{Name: "SETTING", Sample: "board", Asks: text.T("Which setting?"), Help: text.T("what to change")},
				{Name: "VALUE", Sample: "on", Optional: true, Help: text.T("on or off, or the code of a language")},
			}, Run: plain(set)},
	)
}

// settingNames are what set takes first.
var settingNames = []string{"verbose", "brief", "board", "bell", "language", "screen"}

// playComputer opens a match against the computer.
func playComputer(c *call) (reply.Reply, error) {
	g, err := c.game(c.words[0])
	if err != nil {
		return nil, err
	}
	who, err := c.player()
	if err != nil {
		return nil, err
	}
	_, settings, err := c.account()
	if err != nil {
		return nil, err
	}
	practised, err := c.lobby().Practice.Standings(c.ctx, who)
	if err != nil {
		return nil, err
	}
	levels := lobby.LevelsOf(c.lobby().Levels(), g.About().ID)
	if len(levels) == 0 {
		return nil, refusal{codeNotFound, c.say.T("There is no computer player for %s here just now.", g.About().Name)}
	}
	known := func(id string) bool {
		return slices.ContainsFunc(levels, func(l lobby.Level) bool { return l.ID == id })
	}
	level := levels[0].ID
	choices := []string{learning.FirstLevel, settings.Opponent} // the last one that there is
	if _, rated := practised[g.About().ID]; rated {
		suits, _ := c.lobby().Practice.Proposed(practised, g.About().ID)
		choices = append(choices, suits)
	}
	for _, id := range choices {
		if known(id) {
			level = id
		}
	}
	if len(c.words) > 1 {
		if level = strings.ToLower(c.words[1]); !known(level) {
			return nil, refusal{codeNotFound, c.say.T("There is no computer player %s here. There are: %s.", tree.Quoted(c.words[1]), levelNames(c, g.About().ID))}
		}
	}
	ref, err := c.lobby().Seats.Open(c.ctx, who, seats.Spec{Game: g.About().ID, Options: games.OptionsOf(g), Side: seats.PlayFirst, Bot: level})
	if err != nil {
		return nil, err
	}
	if settings.Opponent != level {
		settings.Opponent = level
		remember(c, who, settings)
	}
	return opened(c, who, ref, "")
}

// leaveBoard makes no match the current one.
func leaveBoard(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	if !c.caller.current.Leave() {
		return answer([]string{c.say.T("You are in the lobby.")}), nil
	}
	c.visit.at("")
	return answer([]string{c.say.T("You are in the lobby. matches lists your matches.")}), nil
}

// why says which rule forbade the last move.
func why(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	err := c.caller.current.Refused()
	if err == nil {
		return answer([]string{c.say.T("No move of yours was refused.")}), nil
	}
	lines := []string{text.Sentence(c.say.Error(err))}
	if illegal, ok := errors.AsType[*games.IllegalError](err); ok {
		lines = []string{c.say.T("%s was refused: %s.", illegal.Quoted(), c.say.T(illegal.Format, illegal.Args...))}
	}
	return answer(append(lines, c.say.T("All rules: rules %s. The legal moves: moves.", c.caller.current.Name()))), nil
}

// settings prints the settings of the line mode.
func settings(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	_, s, err := c.account()
	if err != nil {
		return nil, err
	}
	return answer(settingLines(c, c.caller.current.Manner(), !s.LineMode)), nil
}

func settingLines(c *call, m prompt.Manner, screen bool) []string {
	onOff := map[bool]string{false: "off", true: "on"} // as they are typed
	words := c.say.T("verbose: everything is told")
	if m.Brief {
		words = c.say.T("brief: only what the rules don't make plain is told")
	}
	lines := []string{text.Sentence(words)}
	lines = append(lines, c.say.T("board %s. When it is on, the board is drawn in letters after each move.", onOff[m.Drawn]))
	lines = append(lines, c.say.T("bell %s. When it is on, the terminal's bell rings when it is your move.", onOff[m.Bell]))
	lines = append(lines, c.say.T("language %s.", c.say.Code()))
	return append(lines, c.say.T("screen %s. When it is off, a terminal that can draw gets the line mode too.", onOff[screen]))
}

// set changes a setting of the line mode, for now and, for a player, for the next visits.
func set(c *call) (reply.Reply, error) {
	if err := atPrompt(c); err != nil {
		return nil, err
	}
	who, s, err := c.account()
	if err != nil {
		return nil, err
	}
	m, value := c.caller.current.Manner(), ""
	if len(c.words) > 1 {
		value = strings.ToLower(c.words[1])
	}
	name := strings.ToLower(c.words[0])
	on := value == "on"
	switch {
	case name == "verbose" && value == "":
		m.Brief, s.Brief = false, false
	case name == "brief" && value == "":
		m.Brief, s.Brief = true, true
	case name == "board" && (on || value == "off"):
		m.Drawn, s.Drawn = on, on
	case name == "bell" && (on || value == "off"):
		m.Bell, s.Mute = on, !on
	case name == "screen" && (on || value == "off"):
		s.LineMode = !on
	case name == "language" && slices.ContainsFunc(text.Languages(), func(l text.Language) bool { return l.Code == value }):
		s.Language = value
		c.caller.current.Speak(value)
		c.say = c.say.In(value)
	case name == "language":
		var codes []string
		for _, l := range text.Languages() {
			codes = append(codes, fmt.Sprintf("%s (%s)", l.Code, l.Name))
		}
		return nil, usageError{words: c.say.T("The languages are: %s.", strings.Join(codes, ", "))}
	default:
		return nil, usageError{words: c.say.T("%s is no setting.", tree.Quoted(strings.Join(c.words, " ")))}
	}
	c.caller.current.SetManner(m)
	lines := settingLines(c, m, !s.LineMode)
	if who.Kind.HasAccount() {
		if err := c.lobby().Accounts.SaveSettings(c.ctx, who, s); err != nil {
			return nil, err
		}
	} else {
		lines = append(lines, c.say.T("Without an account this holds until you leave."))
	}
	return answer(lines), nil
}
