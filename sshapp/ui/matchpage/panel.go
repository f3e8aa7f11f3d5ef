package matchpage

import (
	"cmp"
	"strings"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage"
)

// A panel is what stands beside or below the board: the players, who watches, the state of the match, its newest chat line, and the moves.
type panel struct {
	situation
	scene  *boardview.Scene
	chat   chatPane
	plan   boardpage.Plan
	stake  *standings.Stake
	names  [2]string
	notes  []boardview.Note
	beside bool
	yours  bool // the player can move now
	urgent bool // the first urgent note stands below the board
}

// rulesPlies is for how many plies the rules stand beside a board.
const rulesPlies = 8

// boardWithPlayers is the number of lines that a panel must have for the players to stay above an open chat.
const boardWithPlayers = 8

// fewAhead is up to how many in the queue are counted exactly; see lobby.View.Ahead.
const fewAhead = 5

// fill fills the panel beside or below the board.
func (p panel) fill(on *boardpage.Panel) {
	turn := -1
	if p.running() {
		turn = int(p.view.Turn)
	}
	if p.chat.open && on.Room() < boardWithPlayers {
		p.chat.fill(p.situation, on, on.Room())
		return
	}
	on.AddPlayers(p.env.Theme, p.env.Say, p.scene, p.players(), turn, p.beside)
	if p.chat.open {
		on.Gap()
		p.chat.fill(p.situation, on, on.Room())
		return
	}
	if p.beside {
		p.addStake(on)
	}
	p.addSpectators(on)
	if !p.beside && p.chat.unread { // before all that can be read elsewhere
		p.chat.addNewest(p.situation, on)
	}
	switch {
	case p.waiting():
		p.addWaiting(on)
	case p.view.Over:
		on.Gap()
		on.Wrap(p.env.Theme.Accent, 0, describe.Ending(p.env, p.view, p.names))
		if !p.neverStarted() {
			on.AddHelp(p.env.Theme, p.env.Say, p.view)
		}
	case p.view.Ply()-p.view.Start < rulesPlies && p.plays() && p.beside:
		p.addRules(on)
	}
	if p.running() && !p.beside {
		p.plan.Add(p.env, on, false)
	}
	if p.running() {
		p.addFirstMove(on)
		p.addNotes(on)
	}
	if p.beside && !p.view.Over {
		p.plan.Add(p.env, on, true)
	}
	if !p.beside { // what helps to move comes first where there is little room
		p.addStake(on)
	}
	if p.beside || on.Room() > 2 && !p.chat.unread {
		p.chat.addNewest(p.situation, on)
	}
	on.AddMoves(p.env.Theme, boardpage.NewMoveList(p.view.Moves), p.beside)
}

// addStake says what a rated match that begins would do to the user's rating.
func (p panel) addStake(on *boardpage.Panel) {
	if p.stake == nil {
		return
	}
	t, parts := p.env.Theme, p.env.Say.Stake(*p.stake)
	if p.beside && !on.Wide() { // else a figure may stand in another line than its word
		on.Line(boardpage.Run{Style: t.Dim, Text: strings.Join(parts[:2], t.Dot)})
		parts = parts[2:]
	}
	on.Line(boardpage.Run{Style: t.Dim, Text: strings.Join(parts, t.Dot)})
}

// addFirstMove says how long the first move may take, which no clock shows.
func (p panel) addFirstMove(on *boardpage.Panel) {
	left, ok := boardpage.FirstMoveLeft(p.view, p.env.Now())
	if !ok {
		return
	}
	say, y := p.env.Say, p.env.Theme.Dim
	words := say.T("First move of %s: %s left.", p.names[p.view.Turn], say.TimeLeft(left))
	if p.yours && !p.bothSeats() {
		words, y = say.T("Your first move: %s left.", say.TimeLeft(left)), p.env.Theme.Accent
	}
	on.Gap()
	on.Wrap(y, 0, words)
}

// addRules says the rules in three lines, or as running text where there is no room for these.
func (p panel) addRules(on *boardpage.Panel) {
	on.Gap()
	lines := p.view.Game.About().Brief
	words := make([]string, len(lines))
	for i, line := range lines {
		words[i] = p.env.Say.T(line)
	}
	if !on.Wide() {
		words = []string{strings.Join(words, " ")}
	}
	for _, line := range words {
		on.Wrap(p.env.Theme.Dim, 0, line)
	}
}

// addNotes says how things stand.
func (p panel) addNotes(on *boardpage.Panel) {
	t := p.env.Theme
	on.Gap()
	urgent := p.urgent
	for _, n := range p.notes {
		if n.Urgent && urgent {
			urgent = false
			continue
		}
		on.Wrap(t.Dim, 0, noteText(p.situation, n))
	}
	if words := p.thinking(); words != "" {
		on.Wrap(t.Dim, 0, words)
	}
	on.AddHelp(p.env.Theme, p.env.Say, p.view)
}

// noteText returns a note, in the words for the player's side if there are any.
func noteText(m situation, n boardview.Note) string {
	if !m.plays() || m.bothSeats() {
		return n.Words
	}
	if m.view.Holds(m.env.Who, m.view.Turn) {
		return cmp.Or(n.You, n.Words)
	}
	return cmp.Or(n.Other, n.Words)
}

// thinking says how far a computer player is.
func (p panel) thinking() string {
	say, name := p.env.Say, text.Clean(p.view.Seats[p.view.Turn].Name)
	switch p.view.Reply {
	case lobby.Thinking:
		return say.T("%s is thinking ...", name)
	case lobby.Queued:
		return p.queued(name)
	case lobby.Paused:
		return say.T("%s is waiting for somebody to watch.", name)
	}
	return ""
}

// queued says how many come before a computer player.
func (p panel) queued(name string) string {
	say, n := p.env.Say, p.view.Ahead
	if n <= fewAhead {
		return say.N(n, "%s is waiting to think: one ahead of it.", "%s is waiting to think: %d ahead of it.", name, n)
	}
	return say.T("%s is waiting to think: some %d ahead of it. While so many play, all think for less time.", name, n)
}

// addWaiting says what a match waits for, with the code to pass on.
func (p panel) addWaiting(on *boardpage.Panel) {
	t, say := p.env.Theme, p.env.Say
	on.Gap()
	switch {
	case p.view.Challenges(p.env.Who):
		on.Wrap(t.Plain, 0, say.T("This seat is kept for you: enter takes it."))
	case p.view.May(p.env.Who, match.JoinAct) == nil:
		on.Wrap(t.Plain, 0, say.T("The seat is free: enter takes it."))
	case !p.plays():
		on.Wrap(t.Plain, 0, say.T("Nobody has taken the second seat yet."))
	case p.view.OpenChallenge():
		on.Wrap(t.Plain, 0, say.ToAnswer(p.view, p.env.Now()))
	case p.view.Reserved.Kind != storage.Free:
		on.Wrap(t.Plain, 0, say.T("Waiting for %s to accept.", describe.Occupant(p.env, p.view.Reserved)))
	case p.view.Public:
		on.Wrap(t.Plain, 0, say.T("Your offer is in the lobby. The match starts when somebody takes it, or a friend joins with the code"))
		p.addCode(on)
	default:
		on.Wrap(t.Plain, 0, say.T("Tell your friend the code"))
		p.addCode(on)
	}
	if r := p.view.Range; r != [2]int{} {
		on.Wrap(t.Dim, 0, say.T("For ratings from %d to %d.", r[0], r[1]))
	}
}

// addCode adds the code with air around it.
func (p panel) addCode(on *boardpage.Panel) {
	on.Gap()
	on.Line(boardpage.Run{Style: p.env.Theme.Accent, Text: "  " + strings.Join(strings.Split(p.view.Code, ""), " ")})
	on.Gap()
}

// players returns the lines of both players.
func (p panel) players() (lines [2]boardpage.PlayerLine) {
	e, now := p.env, p.env.Now()
	ratings, clocks := describe.Strengths(e, p.view), boardpage.ShownClocks(e, p.view, now)
	for side, name := range p.names {
		lines[side] = boardpage.PlayerLine{Name: name, Rating: ratings[side], Clock: clocks[side]}
		if o := p.view.Seats[side]; p.showsPresence() && isPerson(o) {
			near := p.view.Presence[side]
			if e.Is(o) {
				near = lobby.Presence{Near: lobby.Here} // whatever the others have seen yet
			}
			lines[side].Mark, lines[side].Absent = nearness(e, near, now)
		}
	}
	return lines
}

// showsPresence reports whether the names have presence marks. They do while the match goes on, and at its end for its players, who may want
// another match. A user who plays alone needs no marks.
func (p panel) showsPresence() bool {
	if !p.plays() {
		return !p.view.Over
	}
	return !p.bothSeats() && isPerson(p.opponent())
}

// nearness returns the mark for a player's presence and, if they aren't here, long and short words for it.
func nearness(e *screen.Env, p lobby.Presence, now time.Time) (mark boardpage.Run, absent [2]string) {
	t, say := e.Theme, e.Say
	if p.Near == lobby.Here {
		return boardpage.Run{Style: t.Accent, Text: t.Here}, absent
	}
	mark, absent[0] = boardpage.Run{Style: t.Dim, Text: t.Away}, say.Presence().Nearness(p, now)
	if p.Near == lobby.Gone {
		if !p.Command || now.Sub(p.Since) >= presence.IdleAfter { // who has just given a command isn't gone
			mark = boardpage.Run{Style: t.Bold, Text: t.Gone}
		}
		if gone := now.Sub(p.Since); gone >= time.Minute {
			absent[1] = say.Span(gone)
		}
	}
	return mark, absent
}

// addSpectators says how many watch, and who. Below a board the line stands in the place of the empty one, where there is room for more.
func (p panel) addSpectators(on *boardpage.Panel) {
	words := p.env.Say.Presence().Spectators(p.view.Spectators, on.Width())
	if words == "" || !p.beside && on.Room() < 2 {
		return
	}
	on.Line(boardpage.Run{Style: p.env.Theme.Dim, Text: words})
	if !p.beside {
		on.SkipGap()
	}
}

func isPerson(o storage.Occupant) bool { return o.Kind.HasAccount() || o.Kind == storage.Guest }
